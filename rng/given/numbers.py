"""Decks and numbers under test, read from files and pipes of any size, refused where malformed."""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rng.array_types import Bytes as Decks, Numbers as Draws, Words
from rng.battery import CHUNK_BYTES, ByteSource, SampleStore
from rng.errors import DoubledItemError, SampleError
from rng.given.source import WordFormat
from rng.shuffle import CARDS

Progress = Callable[[int], None]

# Longest number accepted in text: twenty digits, as the largest word of 64 bits has.
MOST_DIGITS = 20
# Numbers of fewer digits than this fit a word of 64 bits with its sign.
_SAFE_DIGITS = 18
_WORDS = 1 << 64
_ZERO, _NINE, _MINUS = (np.uint8(ord(c)) for c in "09-")
# The tests hold some fifty bytes of each number, deck or row in memory: a hundred times what laboratories ask for.
MOST_ROWS = 1 << 27
# A record of text is never longer: a deck of 256 cards with blanks around its commas takes far less.
LONGEST_RECORD = 1 << 16
_BLANKS = np.frombuffer(b" \t\r\n", dtype=np.uint8)
# A zero written twice and nothing else; numbers from one are never padded to it.
_DOUBLE_ZERO = re.compile(rb"(?<![^ \t\r\n])00(?![^ \t\r\n])")
# What programs write around whole numbers: quotation marks, and a fraction of zero.
_WRAPPED = re.compile(rb'"|(?<=[0-9])\.0+(?![0-9.])')
_HINTS = {
    "-": "numbers below zero? say --first and the smallest, such as --first -100",
    ",": "several columns? say --separator ,",
    ";": "several columns? say --separator ;",
    "|": "several columns? say --separator |",
    "{": "JSON lines? say --json-lines MEMBER",
    "[": "JSON lines? say --json-lines ''",
    ".": "whole numbers are tested, no fractions",
    "\0": "binary words? say --dtype; UTF-16? expected UTF-8",
    "\xff": "UTF-16? expected UTF-8; binary words? say --dtype",
}


SMALLER_PACKS: Final = (40, 52)


def binary_decks(
    raw: Decks, *, cards: int = CARDS, source: str = "memory", progress: Progress | None = None
) -> Decks:
    """Returns bytes as decks of one byte a card, each verified.

    Args:
        raw: The bytes.
        cards: Cards in a deck.
        source: Name of the data in messages.
        progress: Called with the number of bytes checked so far.

    Raises:
        SampleError: A deck is malformed: where, and what was expected.
        DoubledItemError: A deck holds a card twice.
    """
    if not raw.size:
        raise SampleError(f"{source}: no decks to test, expected at least one")
    if raw.size % cards:
        start = raw.size - raw.size % cards
        raise SampleError(
            f"{source}: byte {start}: a truncated deck of {raw.size % cards} bytes, expected {cards} bytes a deck"
        )
    decks = raw.reshape(-1, cards)
    require_few(len(decks), source)
    step = max(1, CHUNK_BYTES // cards)
    for start in range(0, len(decks), step):
        wrong = np.flatnonzero((np.sort(decks[start : start + step], axis=1) != np.arange(cards)).any(axis=1))
        if wrong.size:
            deck = start + int(wrong[0])
            row = decks[deck].tolist()
            place = next(at for at, card in enumerate(row) if card >= cards or card in row[:at])
            problem = "for the second time, expected each card once"
            if row[place] >= cards:
                hint = " (numbers from 1? say --first 1)" if row[place] == cards else ""
                problem = f"expected 0 to {cards - 1}{hint}"
            where = f"{source}: deck {deck}, byte {deck * cards + place}: card id {row[place]}, {problem}"
            # Bytes have no lines: decks of a smaller pack, cut at another length, are no fault of the shuffle.
            smaller = next((n for n in SMALLER_PACKS if raw.max() < n < cards and raw.size % n == 0), None)
            if smaller is not None:
                raise SampleError(
                    f"{where} (no id beyond {smaller - 1}: decks of {smaller}? say --pack {smaller})"
                )
            raise (
                SampleError(where)
                if row[place] >= cards
                else DoubledItemError(where, deck + 1, 0, row[place])
            )
        if progress is not None:
            progress(min(len(decks), start + step) * cards)
    return decks


def require_few(count: int, source: str) -> None:
    """Refuses more numbers, decks or rows than are tested, as soon as so many were read.

    Raises:
        SampleError: There are more.
    """
    if count > MOST_ROWS:
        raise SampleError(
            f"{source}: more than {MOST_ROWS} numbers, decks or rows: expected a part of them in a file"
        )


def whole_records(stream: ByteSource, ends: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields (offset, text) pieces that end where a record does; the last record may lack its end.

    A piece in which no record ends, longer than any record, is handed on as if it were one, to be refused.
    """
    offset, rest = 0, b""
    while piece := stream.read(CHUNK_BYTES):
        rest += piece
        end = max(rest.rfind(mark) for mark in (ends[i : i + 1] for i in range(len(ends)))) + 1
        if not end and len(rest) > LONGEST_RECORD:
            yield offset, rest + b"\n"
            offset, rest = offset + len(rest), b""
        elif end:
            yield offset, rest[:end]
            offset, rest = offset + end, rest[end:]
    if rest:
        yield offset, rest + b"\n"


def _refuse_strangers(
    text: Decks, allowed: NDArray[np.bool_], where: str, offset: int, *, hinted: bool = False
) -> None:
    strangers = np.flatnonzero(~allowed)
    if strangers.size:
        at = int(strangers[0])
        found = ascii(chr(int(text[at])))
        known = _HINTS.get(chr(int(text[at])))
        if known is None and (chr(int(text[at])).isalpha()):
            known = "a heading, dates or names? say --columns"
        hint = f" ({known})" if known and hinted else ""
        raise SampleError(
            f"{where}: byte {offset + at} is {found}, expected digits and separators only{hint}"
        )


def _refuse_long(digits: NDArray[np.bool_], where: str, offset: int, most: int = MOST_DIGITS) -> int:
    """Returns how many digits the longest number has."""
    gaps = np.flatnonzero(np.concatenate(([True], ~digits, [True])))
    sizes = np.diff(gaps) - 1
    long = np.flatnonzero(sizes > most)
    if long.size:
        at = offset + int(gaps[long[0]])
        raise SampleError(f"{where}: byte {at}: a number of more than {most} digits")
    return int(sizes.max())


def text_draws(
    stream: ByteSource,
    below: int,
    *,
    source: str = "standard input",
    progress: Progress | None = None,
    first: int = 0,
    double_zero: int | None = None,
) -> Draws:
    """Reads text of numbers between blanks.

    Args:
        stream: The text.
        below: How many different numbers there are; each must lie below it, counted from the first.
        source: Name of the stream in messages.
        progress: Called with the number of bytes checked so far.
        first: The smallest number, which becomes 0; 1 for the faces of a die, below zero for signed numbers.
        double_zero: What ``00`` means; it is refused where that is left out.

    Raises:
        SampleError: A record is malformed, or a number is out of range.
    """
    store = SampleStore()
    for offset, lines in whole_records(stream, b" \t\r\n"):
        if not offset and lines.startswith(codecs.BOM_UTF8):
            lines = b"   " + lines[3:]
        lines = _WRAPPED.sub(lambda wrapped: b" " * len(wrapped.group()), lines)
        numbers = _parse_numbers(
            _double_zeros(lines, offset, source, double_zero), offset, below, source, first
        )
        store.add(numbers.tobytes())
        require_few(store.size // 8, source)
        if progress is not None:
            progress(offset + len(lines))
    if not store.size:
        raise SampleError(f"{source}: no numbers to test, expected at least one")
    return store.finish().view(np.uint64)


def double_zero_unstated(where: str) -> SampleError:
    """The question that `00` of a wheel leads to."""
    return SampleError(
        f"{where} '00': a pocket of its own on a wheel, or 0 in two digits? "
        "Say --double-zero 37 (or whichever number it has) or --double-zero 0"
    )


def _double_zeros(lines: bytes, offset: int, source: str, meant: int | None) -> bytes:
    """Returns the text with every ``00`` written as the number that it means."""
    found = _DOUBLE_ZERO.search(lines)
    if found is None:
        return lines
    if meant is None:
        raise double_zero_unstated(f"{source}: byte {offset + found.start()} is")
    return _DOUBLE_ZERO.sub(str(meant).encode(), lines)


def _parse_numbers(lines: bytes, offset: int, below: int, source: str, first: int = 0) -> Words:
    text = np.frombuffer(lines, dtype=np.uint8)
    digits = (text >= _ZERO) & (text <= _NINE)
    signs = np.zeros(len(text), dtype=np.bool_)
    if first < 0:
        # A minus sign comes before a digit and behind none.
        signs = (text == _MINUS) & np.append(digits[1:], False) & ~np.concatenate(([False], digits[:-1]))
    _refuse_strangers(text, digits | signs | np.isin(text, _BLANKS), source, offset, hinted=True)
    longest = _refuse_long(digits, source, offset)
    begins = np.flatnonzero(digits & ~np.concatenate(([False], digits[:-1])))
    if not len(begins):
        return np.empty(0, dtype=np.uint64)
    if longest > _SAFE_DIGITS:
        given = [int(word) - first for word in lines.split()]
        outside = np.array([not 0 <= number < below for number in given])
        numbers = np.array([number % _WORDS for number in given], dtype=np.uint64)
    else:
        # What is smaller wraps around to a number that no range reaches.
        parsed = np.fromstring(lines.decode("ascii"), dtype=np.int64, sep=" ")
        numbers = parsed.astype(np.uint64) - np.uint64(first % _WORDS)
        outside = numbers > np.uint64(below - 1)
    wrong = np.flatnonzero(outside)
    if wrong.size:
        value = int(lines.split()[wrong[0]])
        hint = " (numbers from 1? say --first 1)" if not first and value == below else ""
        expected = f"below {below}" if not first else f"from {first} to {first + below - 1}"
        at = int(begins[wrong[0]])
        at -= int(at > 0 and signs[at - 1])
        raise SampleError(f"{source}: byte {offset + at}: {value} is not {expected}{hint}")
    return numbers


def binary_draws(
    raw: Decks,
    below: int,
    form: WordFormat,
    *,
    big_endian: bool = False,
    source: str = "memory",
    progress: Progress | None = None,
    first: int = 0,
) -> Draws:
    """Returns bytes as words, each verified; not copied unless they are shifted. Errors as for :func:`text_draws`."""
    size, signed = int(form[1:]) // 8, form[0] == "i"
    if not raw.size:
        raise SampleError(f"{source}: no numbers to test, expected at least one")
    if raw.size % size:
        start = raw.size - raw.size % size
        raise SampleError(f"{source}: byte {start}: a truncated number, expected {size} bytes each")
    least, end = (-(1 << 63), 1 << 63) if signed else (0, _WORDS)
    if first < least or first + below > end:
        raise SampleError(
            f"{source}: {form} holds no numbers from {first} to {first + below - 1}: say --first and --range, "
            f"such as --dtype i{8 * size} --first -{1 << 8 * size - 1} --range {1 << 8 * size}"
        )
    values: Draws = raw.view(f"{'>' if big_endian else '<'}{form[0]}{size}")
    require_few(values.size, source)
    shifted = SampleStore() if signed or first else None
    step = CHUNK_BYTES // size
    for start in range(0, values.size, step):
        piece = values[start : start + step]
        if shifted is not None:
            # What is smaller wraps around to a number that no range reaches.
            piece = piece.astype(np.int64 if signed else np.uint64).view(np.uint64) - np.uint64(
                first % _WORDS
            )
            shifted.add(piece.tobytes())
        possible = shifted is None and below >= 1 << 8 * size
        wrong = np.empty(0, dtype=np.int64) if possible else np.flatnonzero(piece > below - 1)
        if wrong.size:
            index = start + int(wrong[0])
            expected = f"below {below}" if not first else f"from {first} to {first + below - 1}"
            raise SampleError(
                f"{source}: number {index}, byte {index * size}: {int(values[index])} is not {expected}"
            )
        if progress is not None:
            progress(min(values.size, start + step) * size)
    return values if shifted is None else shifted.finish().view(np.uint64)

"""What is said on the command line of the decks under test: their cards, and how records are written."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rng.battery.card_names import DeckSize, Language
    from rng.battery.deck_records import Layout
    from rng.battery.text_records import Form

MOST_COLUMNS: Final = 10_000
DRAWN_CARDS: Final = frozenset(map(chr, range(0x1F0A0, 0x1F0F6)))


def deck_layout(
    first: int,
    pack: str | None,
    shoe: int | None,
    names: Language | None,
    separator: str | None,
    columns: str | None,
    json_lines: str | None,
) -> Layout | None:
    """Returns what a deck is made of and how it is written; None where nothing is said of it."""
    from rng.battery.card_names import Pack
    from rng.battery.deck_records import Layout

    if not first and all(said is None for said in (pack, shoe, names, separator, columns, json_lines)):
        return None
    sizes: dict[str, DeckSize] = {"40": 40, "52": 52, "54": 54}
    return Layout(
        Pack(sizes[pack or "40"], shoe or 1, names or "english"), first, _form(separator, columns, json_lines)
    )


def _form(separator: str | None, columns: str | None, json_lines: str | None) -> Form:
    """Returns how a line becomes cells."""
    from rng.battery.text_records import Form

    if separator is not None and separator != "TAB" and len(separator) != 1:
        raise click.UsageError("--separator: one character expected, or TAB")
    if json_lines is not None and (separator or columns):
        raise click.UsageError("--separator and --columns go with CSV, not with --json-lines")
    return Form(
        "\t" if separator == "TAB" else separator,
        None if columns is None else _columns(columns),
        json_lines,
    )


def _columns(text: str) -> tuple[int, ...]:
    """Returns columns from 0 as they are said from 1.

    >>> _columns("2-4,7")
    (1, 2, 3, 6)
    """
    chosen: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = (low, high if dash else low)
        if not all(
            end.isascii() and end.isdigit() and len(end) < 6 and 0 < int(end) <= MOST_COLUMNS for end in ends
        ):
            raise click.UsageError(f"--columns {text}: columns from 1 expected, such as 2-41")
        chosen += range(int(ends[0]) - 1, int(ends[1]))
    if not chosen or len(set(chosen)) < len(chosen):
        raise click.UsageError(f"--columns {text}: each column once expected, such as 2-41")
    return tuple(chosen)


def written_otherwise(head: bytes) -> bool:
    r"""Says whether the beginning of a file of decks is text other than ids with commas: names, JSON, other marks.

    Every deck in bytes has the id 0, which no text has.

    >>> written_otherwise("K♦,10h\n".encode()), written_otherwise(b"1;2\n"), written_otherwise(b"3,1,2\n")
    (True, True, False)
    """
    lines = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(head).splitlines()
    if not lines or not all(character.isprintable() or character == "\t" for character in lines[0]):
        return False
    # The line behind a heading, or the only one.
    line = lines[1] if len(lines) > 1 else lines[0]
    first, mark, _ = re.sub("[ ,;|\t]", ",", line.strip(), count=1).partition(",")
    return bool(mark) and (
        any(c.isalpha() or c in "♦♥♠♣♢♡♤♧[{" or c in DRAWN_CARDS for c in first)
        or any(c in line for c in ";|")
    )

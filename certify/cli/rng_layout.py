"""What is said on the command line of the decks under test: their cards, and how records are written."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from certify.cli.rng_source import SampleOptions
    from rng.battery.card_names import DeckSize
    from rng.battery.deck_records import RecordLayout
    from rng.battery.text_records import Column, RecordForm

MOST_COLUMNS: Final = 10_000
DRAWN_CARDS: Final = frozenset(map(chr, range(0x1F0A0, 0x1F0F6)))


def deck_layout(said: SampleOptions) -> RecordLayout | None:
    """Returns what a deck is made of and how it is written; None where nothing is said of it."""
    from rng.battery.card_names import Pack
    from rng.battery.deck_records import RecordLayout

    if not (said.first or said.pack or said.shoe or said.names or said.records):
        return None
    sizes: dict[str, DeckSize] = {"40": 40, "52": 52, "54": 54}
    pack = Pack(sizes[said.pack or "40"], said.shoe or 1, said.names or "english")
    return RecordLayout(pack, said.first, _form(said))


def _mark(option: str, text: str, json_lines: str | None) -> Column:
    """Returns the one column, or member of JSON lines, that says where or when a row was drawn."""
    if json_lines is not None:
        return text
    (column, *more) = columns_said(text, option)
    if more:
        raise click.UsageError(f"{option} {text}: one column expected")
    return column


def _form(said: SampleOptions) -> RecordForm:
    """Returns how a line becomes cells."""
    from rng.battery.text_records import RecordForm

    separator, member = said.separator, said.json_lines
    if separator is not None and separator != "TAB" and len(separator) != 1:
        raise click.UsageError("--separator: one character expected, or TAB")
    if member is not None and (separator or said.columns):
        raise click.UsageError("--separator and --columns go with CSV, not with --json-lines")
    marked = (("--table", said.table), ("--time", said.time))
    return RecordForm(
        "\t" if separator == "TAB" else separator,
        None if said.columns is None else columns_said(said.columns),
        member,
        tuple(_mark(option, column, member) for option, column in marked if column is not None),
    )


def columns_said(text: str, option: str = "--columns") -> tuple[Column, ...]:
    """Returns columns from 0 as they are said from 1, or by their headings.

    >>> columns_said("2-4,7"), columns_said("number"), columns_said("card 1..card 40")
    ((1, 2, 3, 6), ('number',), ('card 1..card 40',))
    """
    chosen: list[Column] = []
    for part in map(str.strip, text.split(",")):
        if not re.fullmatch("[0-9]+(-[0-9]+)?", part):
            chosen.append(part)
            continue
        low, _, high = part.partition("-")
        ends = [int(end) if len(end) < 6 else 0 for end in (low, high or low)]
        if not all(0 < end <= MOST_COLUMNS for end in ends):
            raise click.UsageError(f"{option} {text}: columns from 1 expected, such as 2-41")
        chosen += range(ends[0] - 1, ends[1])
    if not chosen or "" in chosen or len(set(chosen)) < len(chosen):
        raise click.UsageError(
            f"{option} {text}: each column once expected, such as 2-41, or by its heading, such as number"
        )
    return tuple(chosen)


def written_otherwise(head: bytes) -> bool:
    r"""Says whether the beginning of a file of decks is text other than ids with commas: names, JSON, other marks.

    Every deck in bytes has the id 0, which no text has.

    >>> written_otherwise("K♦,10h\n".encode()), written_otherwise(b"1;2\n"), written_otherwise(b"3,1,2\n")
    (True, True, False)
    >>> written_otherwise(b"AsTd10hKd\n"), written_otherwise(b"3 1 2\n")
    (True, True)
    """
    from rng.battery.card_names import LANGUAGES, Glued

    lines = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(head).splitlines()
    if not lines or not all(character.isprintable() or character == "\t" for character in lines[0]):
        return False
    # The line behind a heading, or the only one.
    line = lines[1] if len(lines) > 1 else lines[0]
    first, mark, _ = re.sub("[ ,;|\t]", ",", line.strip(), count=1).partition(",")
    named = any(c.isalpha() or c in "♦♥♠♣♢♡♤♧[{" or c in DRAWN_CARDS for c in first)
    if not mark:
        return named and any(Glued(language, latin=True).begins(first) for language in LANGUAGES)
    return named or any(c in line for c in ";|\t") or (" " in line.strip() and "," not in line)

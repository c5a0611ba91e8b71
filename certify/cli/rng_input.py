"""How output under test is written, as the command line says it, and what was read of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from certify.cli.rng_equipment import Given, pieces_as_read
from rng.given.source import GivenOutput, ReadOutput, Tell

if TYPE_CHECKING:
    from certify.cli.rng_source import SampleOptions
    from certify.evidence.sample import GivenSample
    from certify.model.equipment import Equipment
    from rng.given.decks import RecordLayout
    from rng.given.names import DeckSize
    from rng.given.records import Column, RecordForm

MOST_COLUMNS: Final = 10_000


@dataclass(frozen=True, slots=True)
class OutputSource(GivenOutput):
    """Where the data is, and how it is written.

    Args:
        given: What rows are drawn from, where that is stated piece by piece.
    """

    given: Given | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SubmittedOutput(ReadOutput):
    """Data to be tested, well-formed.

    Args:
        source: Where it came from.
    """

    source: OutputSource

    @property
    def pieces(self) -> tuple[Equipment, ...] | None:
        """What rows are drawn from, with as many draws a row as they have; None for decks and plain numbers."""
        given = self.source.given
        return None if given is None or self.rows is None else pieces_as_read(given, self.rows.shape[1])

    @property
    def told(self) -> GivenSample:
        """What was tested, as the document names it."""
        from certify.evidence.sample import GivenSample

        given, layout, kind = self.source.given, self.source.layout, self.source.kind
        tables = 0 if given is None or self.origin is None else len(self.origin.tables)
        pack = layout.pack if given is None and kind == "decks" and layout is not None else None
        return GivenSample(
            kind,
            self.count,
            self.source.name,
            self.sha256,
            equipment=None if given is None else tuple(given.phrases),
            tables=tables or None,
            range_=self.source.below if given is None and kind == "draws" else None,
            pack=None if pack is None else pack.size,
            shoe=None if pack is None else pack.packs,
        )


def open_source(source: OutputSource, tell: Tell) -> SubmittedOutput:
    """Opens what is to be tested and verifies all of it; arguments and errors as for :func:`rng.given.reader.read`."""
    from rng.given.reader import read

    found = read(source, tell)
    return SubmittedOutput(found.count, found.sha256, found.bits, found.rows, found.origin, source=source)


def deck_layout(said: SampleOptions) -> RecordLayout | None:
    """Returns what a deck is made of and how it is written; None where nothing is said of it."""
    from rng.given.decks import RecordLayout
    from rng.given.names import Pack

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
    from rng.given.records import RecordForm

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

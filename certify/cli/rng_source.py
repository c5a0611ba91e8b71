"""What the command line says of a sample under test, checked before any of it is opened."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from certify.certification.given_output import OutputSource, row_form
from certify.cli.options import option
from certify.cli.rng_equipment import given_equipment, read_ranges, with_origin
from rng.given.source import STANDARD_INPUT, Kind, WordFormat

if TYPE_CHECKING:
    from rng.given.decks import RecordLayout
    from rng.given.names import DeckSize, Language
    from rng.given.records import Column, RecordForm

MOST_COLUMNS: Final = 10_000
DATA: Final = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What is stated of a sample; each field is the option of its name."""

    bits: tuple[Path, ...] = option(
        "Raw bytes, most significant bit first; - is standard input.", default=(), type=DATA
    )
    decks: tuple[Path, ...] = option(
        "Numbers of cards from 0, rank by rank (0 to 3 are the aces), one byte each, 40 a deck unless --equipment "
        "says otherwise; or text, numbers or names.",
        default=(),
        type=DATA,
    )
    draws: tuple[Path, ...] = option(
        "Integers below --range or rows of --balls or --equipment, in text, or --dtype.",
        default=(),
        type=DATA,
    )
    ranges: str | None = option(
        "Range of the draws; of each column, where they have their own.", name="--range", metavar="N[,N…]"
    )
    balls: str | None = option(
        "Rows of K balls drawn from N without putting any back, such as 6/49.", metavar="K/N"
    )
    equipment: str | None = option(
        "Rows of what a game.toml draws from: the file, or its tables [deck] and [[equipment]] themselves.",
        metavar="FILE|TOML",
    )
    faces: bool = option(
        "Numbers in text are what the equipment shows, not numbers of its items.", default=False
    )
    order: Literal["drawn", "any"] | None = option(
        "Order of the balls of a row: as drawn, or any order, as results are published; required if all ascend.",
        type=click.Choice(["drawn", "any"]),
    )
    first: int = option(
        "The smallest number, 1 for the faces of a die, below 0 for signed numbers; --range counts from it.",
        default=0,
        type=click.IntRange(-(1 << 63), 1 << 63),
        metavar="N",
    )
    pack: str | None = option(
        "Cards in a pack; 54 are 52 and two jokers (40).", type=click.Choice(["40", "52", "54"])
    )
    shoe: int | None = option(
        "Packs shuffled together in each deck (1).", type=click.IntRange(1, 8), metavar="N"
    )
    names: "Language | None" = option(
        "Language of the names of cards, such as KD, Re di cuori, K♦ (english).",
        type=click.Choice(["english", "italian", "spanish"]),
    )
    separator: str | None = option(
        "Between cards or numbers of a line, TAB for a tab; found out if left out.", metavar="MARK"
    )
    columns: str | None = option(
        "Columns that hold the cards or numbers, counted from 1 or by heading, such as number or c1..c40.",
        metavar="A-B,C",
    )
    table: str | None = option(
        "The column, or member of JSON lines, that names the table: each is tested alone and together with the others.",
        metavar="COLUMN",
    )
    time: str | None = option(
        "The column that says when each row was drawn: hours and days of the week are tested by themselves.",
        metavar="COLUMN",
    )
    dealt: int | None = option(
        "Only the first N cards of each shoe, which a cut card ends; fewer on a line are refused.",
        type=click.IntRange(1),
        metavar="N",
    )
    json_lines: str | None = option(
        "JSON lines; the member that is the number or list, '' for a list.", metavar="MEMBER"
    )
    double_zero: int | None = option(
        "The number of the pocket 00 of a wheel.", type=click.IntRange(0), metavar="N"
    )
    as_ascii: bool = option("Bits are the characters 0 and 1.", name="--ascii", default=False)
    as_hex: bool = option("Bits are hexadecimal digits.", name="--hex", default=False)
    as_base64: bool = option("Bits are base64.", name="--base64", default=False)
    raw: bool = option("Bits are raw bytes even where they look like text.", default=False)
    csv: bool = option("Decks are CSV; found out from the first line if left out.", default=False)
    dtype: WordFormat | None = option(
        "Draws are binary words, i with a sign; for --bits the words of --suite sequences (u32).",
        type=click.Choice(["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]),
    )
    big_endian: bool = option("Byte order of binary words; little-endian if left out.", default=False)

    @property
    def kind(self) -> Kind:
        """The kind of sample.

        Raises:
            UsageError: Not exactly one is given.
        """
        kinds: tuple[Kind, ...] = ("bits", "decks", "draws")
        named = [kind for kind in kinds if getattr(self, kind)]
        if len(named) != 1:
            raise click.UsageError("expected one of --bits FILE, --decks FILE and --draws FILE")
        return named[0]

    @property
    def records(self) -> bool:
        """Whether something is stated of lines of text."""
        return any(
            said is not None
            for said in (self.separator, self.columns, self.json_lines, self.table, self.time)
        )


_BELONGS: Final[tuple[tuple[tuple[str, ...], str, Callable[[SampleOptions], bool]], ...]] = (
    (("as_ascii", "as_hex", "as_base64", "raw"), "--bits", lambda said: said.kind == "bits"),
    (("pack", "shoe", "dealt", "csv"), "--decks", lambda said: said.kind == "decks"),
    (("pack", "shoe"), "decks without --equipment", lambda said: said.equipment is None),
    (
        ("names",),
        "--decks only or --equipment",
        lambda said: said.kind == "decks" or said.equipment is not None,
    ),
    (("ranges", "balls"), "--draws", lambda said: said.kind == "draws"),
    (("first",), "--draws or --decks", lambda said: said.kind != "bits"),
    (
        ("separator", "columns", "json_lines", "table", "time"),
        "--decks or --draws of text",
        lambda said: said.kind != "bits" and said.dtype is None,
    ),
    (("double_zero",), "--draws of text", lambda said: said.kind == "draws" and said.dtype is None),
    (
        ("dtype", "big_endian"),
        "--draws or --bits",
        lambda said: said.kind != "decks" or said.equipment is not None,
    ),
)
"""Options, what they go with, and whether that is given."""


def source_of(said: SampleOptions) -> OutputSource:
    """Returns where the data is.

    Raises:
        UsageError: Not exactly one kind is given, or an option belongs to another kind.
    """
    kind = said.kind
    paths: tuple[Path, ...] = getattr(said, kind)
    if same_file(paths):
        raise click.UsageError(f"--{kind}: the same file cannot be tested twice")
    if said.as_ascii + said.as_hex + said.as_base64 + said.raw > 1:
        raise click.UsageError("expected one of --ascii, --hex, --base64 and --raw")
    for names, owner, fits in _BELONGS:
        for one in names:
            if getattr(said, one) not in (None, False, 0) and not fits(said):
                name = one.removeprefix("as_").replace("ranges", "range").replace("_", "-")
                raise click.UsageError(f"--{name} goes with {owner} only")
    if kind == "bits" and str(said.dtype).startswith("i"):
        raise click.UsageError("--dtype with a sign goes with --draws only")
    each = read_ranges(said.ranges)
    given = given_equipment(kind, each, said.equipment, said.balls, said.faces, said.order, said.names)
    if kind == "draws" and given is None and not each:
        raise click.UsageError("--draws needs --range N, --balls K/N or --equipment")
    below = each[0] if given is None and each else 0
    if said.first < 0 and kind == "decks":
        raise click.UsageError(f"--first {said.first}: cards are counted from 0 or more")
    if said.first + below > 1 << (63 if said.first < 0 else 64):
        raise click.UsageError(
            f"--first {said.first}: --range {below} from there goes beyond words of 64 bits"
        )
    layout = deck_layout(said) if kind == "decks" or said.records or given is not None else None
    pack = layout.pack if layout else None
    given = with_origin(
        given, kind, below, pack, said.dealt, table=said.table is not None, time=said.time is not None
    )
    return OutputSource(
        kind,
        paths[0],
        said.as_ascii,
        said.csv,
        said.dtype,
        said.big_endian,
        below,
        more=paths[1:],
        encoding="hex" if said.as_hex else "base64" if said.as_base64 else None,
        raw=said.raw,
        first=said.first,
        double_zero=said.double_zero,
        layout=layout,
        rows=None if given is None else row_form(given, layout, said.first, said.double_zero),
        table=said.table is not None,
        time=said.time is not None,
        given=given,
    )


def same_file(paths: tuple[Path, ...]) -> bool:
    """Says whether one file is named twice, under whichever of its names."""
    known = set()
    for path in paths:
        found = path.stat() if path != STANDARD_INPUT else None
        known.add((found.st_dev, found.st_ino) if found else ())
    return len(known) < len(paths)


def deck_layout(said: SampleOptions) -> "RecordLayout | None":
    """Returns what a deck is made of and how it is written; None where nothing is stated of it."""
    from rng.given.decks import RecordLayout
    from rng.given.names import Pack

    if not (said.first or said.pack or said.shoe or said.names or said.records):
        return None
    sizes: dict[str, DeckSize] = {"40": 40, "52": 52, "54": 54}
    pack = Pack(sizes[said.pack or "40"], said.shoe or 1, said.names or "english")
    return RecordLayout(pack, said.first, _form(said))


def _mark(option: str, text: str, json_lines: str | None) -> "Column":
    """Returns the one column, or member of JSON lines, that says where or when a row was drawn."""
    if json_lines is not None:
        return text
    (column, *more) = parse_columns(text, option)
    if more:
        raise click.UsageError(f"{option} {text}: one column expected")
    return column


def _form(said: SampleOptions) -> "RecordForm":
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
        None if said.columns is None else parse_columns(said.columns),
        member,
        tuple(_mark(option, column, member) for option, column in marked if column is not None),
    )


def parse_columns(text: str, option: str = "--columns") -> "tuple[Column, ...]":
    """Returns columns from 0 as they are stated from 1, or by their headings.

    >>> parse_columns("2-4,7"), parse_columns("number"), parse_columns("card 1..card 40")
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

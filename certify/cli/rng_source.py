"""What the command line says of a sample under test, checked before any of it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from certify.cli.rng_equipment import given_equipment, read_ranges, with_origin
from certify.cli.rng_input import STANDARD_INPUT, Kind, Source
from certify.cli.rng_layout import deck_layout


def source_of(
    bits: tuple[Path, ...],
    decks: tuple[Path, ...],
    draws: tuple[Path, ...],
    ranges: str | None,
    balls: str | None,
    equipment: str | None,
    faces: bool,
    order: Literal["drawn", "any"] | None,
    as_ascii: bool,
    as_hex: bool,
    as_base64: bool,
    raw: bool,
    first: int,
    double_zero: int | None,
    csv: bool,
    dtype: Any,
    big_endian: bool,
    **records: Any,
) -> Source:
    """Returns where the data is.

    Raises:
        UsageError: Not exactly one kind is given, or an option belongs to another kind.
    """
    kinds: list[tuple[Kind, tuple[Path, ...]]] = [("bits", bits), ("decks", decks), ("draws", draws)]
    named = [(kind, paths) for kind, paths in kinds if paths]
    if len(named) != 1:
        raise click.UsageError("expected one of --bits FILE, --decks FILE and --draws FILE")
    kind, paths = named[0]
    if same_file(paths):
        raise click.UsageError(f"--{kind}: the same file cannot be tested twice")
    if as_ascii + as_hex + as_base64 + raw > 1:
        raise click.UsageError("expected one of --ascii, --hex, --base64 and --raw")
    strays = (
        ("--ascii", as_ascii and kind != "bits", "--bits"),
        ("--hex", as_hex and kind != "bits", "--bits"),
        ("--base64", as_base64 and kind != "bits", "--bits"),
        ("--raw", raw and kind != "bits", "--bits"),
        ("--first", first and kind == "bits", "--draws or --decks"),
        (
            "--double-zero",
            double_zero is not None and (kind != "draws" or dtype is not None),
            "--draws of text",
        ),
        *(
            (f"--{name}", records[name] is not None and kind != "decks", "--decks")
            for name in ("pack", "shoe")
        ),
        *(
            (f"--{name}", records[name] is not None and equipment is not None, "decks without --equipment")
            for name in ("pack", "shoe")
        ),
        (
            "--names",
            records["names"] is not None and kind != "decks" and equipment is None,
            "--decks only or --equipment",
        ),
        *(
            (
                f"--{name.replace('_', '-')}",
                records[name] is not None and (kind == "bits" or dtype is not None),
                "--decks or --draws of text",
            )
            for name in ("separator", "columns", "json_lines", "table", "time")
        ),
        ("--dealt", records["dealt"] is not None and kind != "decks", "--decks"),
        ("--csv", csv and kind != "decks", "--decks"),
        ("--range", ranges is not None and kind != "draws", "--draws"),
        ("--balls", balls is not None and kind != "draws", "--draws"),
        ("--dtype", dtype is not None and kind == "decks" and equipment is None, "--draws or --bits"),
        ("--dtype with a sign", kind == "bits" and str(dtype).startswith("i"), "--draws"),
        ("--big-endian", big_endian and kind == "decks" and equipment is None, "--draws or --bits"),
    )
    for option, stray, owner in strays:
        if stray:
            raise click.UsageError(f"{option} goes with {owner} only")
    each = read_ranges(ranges)
    given = given_equipment(kind, each, equipment, balls, faces, order, records["names"])
    dealt = records.pop("dealt")
    if kind == "draws" and given is None and not each:
        raise click.UsageError("--draws needs --range N, --balls K/N or --equipment")
    below = each[0] if given is None and each else 0
    if first < 0 and kind == "decks":
        raise click.UsageError(f"--first {first}: cards are counted from 0 or more")
    if first + below > 1 << (63 if first < 0 else 64):
        raise click.UsageError(f"--first {first}: --range {below} from there goes beyond words of 64 bits")
    encoding: Literal["hex", "base64"] | None = "hex" if as_hex else "base64" if as_base64 else None
    cells = any(records[name] is not None for name in ("separator", "columns", "json_lines"))
    asked = kind == "decks" or cells or given is not None
    layout = deck_layout(first, **records) if asked or records["table"] or records["time"] else None
    given = with_origin(
        given,
        kind,
        below,
        layout.pack if layout else None,
        dealt,
        table=records["table"] is not None,
        time=records["time"] is not None,
    )
    return Source(
        kind,
        paths[0],
        as_ascii,
        csv,
        dtype,
        big_endian,
        below,
        more=paths[1:],
        encoding=encoding,
        raw=raw,
        first=first,
        double_zero=double_zero,
        layout=layout,
        given=given,
    )


def same_file(paths: tuple[Path, ...]) -> bool:
    """Says whether one file is named twice, under whichever of its names."""
    known = set()
    for path in paths:
        found = path.stat() if path != STANDARD_INPUT else None
        known.add((found.st_dev, found.st_ino) if found else ())
    return len(known) < len(paths)

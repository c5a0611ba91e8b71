"""What is said on the command line of the decks under test: their cards, and how records are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rng.battery.card_names import DeckSize, Language
    from rng.battery.deck_records import Layout

MOST_COLUMNS: Final = 10_000


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
    if separator is not None and separator != "TAB" and len(separator) != 1:
        raise click.UsageError("--separator: one character expected, or TAB")
    if json_lines is not None and (separator or columns):
        raise click.UsageError("--separator and --columns go with CSV, not with --json-lines")
    sizes: dict[str, DeckSize] = {"40": 40, "52": 52, "54": 54}
    return Layout(
        Pack(sizes[pack or "40"], shoe or 1, names or "english"),
        first,
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

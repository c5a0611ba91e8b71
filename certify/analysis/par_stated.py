"""The tables of a submission as sheets: a column for each key, so that whoever has the sheet has the game."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from certify.analysis.par_cells import Cell, CellUnit, SheetTable

LIST = "; "
"""Between the texts of a list within one cell."""


def stated_tables(tables: Mapping[str, Sequence[object]], single: Collection[str]) -> tuple[SheetTable, ...]:
    """Returns a sheet for each table of a submission; keys that are left at what they are where left out stay out.

    Args:
        tables: Entries of each table in their forms.
        single: Tables that are stated once: their keys stand beneath each other.
    """
    return tuple(
        _beneath(name, entries[0]) if name in single else _beside(name, entries)
        for name, entries in tables.items()
    )


def _beneath(name: str, entry: object) -> SheetTable:
    rows: list[tuple[Cell, Cell]] = []
    for field, value in _said([entry]):
        if isinstance(value[0], list) and value[0] and isinstance(value[0][0], str):
            rows += [(field.name, each) for each in value[0]]
        else:
            rows.append((field.name, _cell(value[0])))
    return SheetTable(name.replace("_", " "), ("item", "value"), (CellUnit.TEXT, CellUnit.TEXT), tuple(rows))


def _said(entries: Sequence[object]) -> list[tuple[dataclasses.Field[Any], list[Any]]]:
    """Returns the fields that some entry states otherwise than by leaving them out, with their values."""
    found = []
    for field in dataclasses.fields(cast(Any, entries[0])):
        values = [getattr(one, field.name) for one in entries]
        left_out = (
            field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        )
        if any(value != left_out for value in values):
            found.append((field, values))
    return found


def _beside(name: str, entries: Sequence[object]) -> SheetTable:
    header: list[str] = []
    units: list[CellUnit] = []
    columns: list[list[Cell]] = []
    for field, values in _said(entries):
        if any(value and isinstance(value, list) and isinstance(value[0], int) for value in values):
            for number in range(max(map(len, values))):
                header.append(f"{field.name}_{number + 1}")
                units.append(CellUnit.WHOLE)
                columns.append([value[number] if number < len(value) else "" for value in values])
            continue
        header.append(field.name)
        units.append(CellUnit.WHOLE if all(type(value) is int for value in values) else CellUnit.TEXT)
        columns.append([_cell(value) for value in values])
    rows = tuple(zip(*columns, strict=True))
    return SheetTable(name.replace("_", " "), tuple(header), tuple(units), rows)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return LIST.join(map(str, value))
    if isinstance(value, dict):
        return LIST.join(f"{key}={each}" for key, each in value.items())
    return cast(Cell, value)

"""A submission from a spreadsheet: what the sheet states, below what every submission says besides."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.families.port import Family
from certify.families.registry import families
from certify.submission.from_sheet import written
from certify.submission.sheet_blocks import read_blocks

_HEAD: Final = """\
# Made from {file} by `certify import-par`; what the sheet does not say is taken as usual, and stands in this head.
schema = "certify-game/1"
rules = []
readings = []

[game]
id = "{id}"
title = "{title}"
version = "1.0.0"
family = "{family}"
supplier = "Name of the supplier"
banked_by = "house"

[[wagers]]
id = "main"
title = "Total bet"
description = "One paid round with everything that it leads to"
limits = {{ minimum = "0.10", maximum = "100.00", currency = "EUR" }}

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[[sources]]
id = "sheet"
title = "The spreadsheet {file}"
file = "{file}"
sha256 = "{digest}"
"""


@dataclass(frozen=True, slots=True)
class FromSheet:
    """A submission made from a spreadsheet.

    Args:
        text: The submission.
        unread: Titles of blocks that were not read.
        assumed: What is not stated and was taken as usual, in words.
    """

    text: str
    unread: tuple[str, ...]
    assumed: tuple[str, ...]


def from_sheet(path: Path, name: str, family: str = "") -> FromSheet:
    """Returns the submission that a spreadsheet states.

    Args:
        path: A workbook (``.xlsx``) or a CSV file.
        name: Id of the game.
        family: Family that takes it; the one that takes spreadsheets where left out.

    Raises:
        InputError: It is no spreadsheet, or no such family takes one.
        SubmissionError: There are mistakes; all are listed, each with sheet and cell.
    """
    takes = {one.id: one for one in families().values() if one.sheets is not None}
    chosen = takes.get(family) if family else next(iter(takes.values()), None)
    if chosen is None:
        raise InputError(f'no family "{family}" takes spreadsheets: expected one of {", ".join(takes)}')
    blocks = read_blocks(path)
    if not blocks:
        raise InputError(f"{path}: nothing in it: expected rows under a heading")
    made = written(blocks, chosen, _head(path, name, chosen), path.name)
    return FromSheet(made.text, made.unread, made.assumed)


def _head(path: Path, name: str, family: Family) -> str:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    title = name.replace("-", " ").capitalize()
    return _HEAD.format(
        file=path.name.replace('"', ""), id=name, title=title, family=family.id, digest=digest
    )

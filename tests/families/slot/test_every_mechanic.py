"""Every mechanic of a slot is said by keys that exist, or refused by the message that the page prints."""

from __future__ import annotations

from dataclasses import fields

import pytest
from small_slots import LINES, WAYS, small
from test_page_of_slots import PAGE

from certify.errors import SubmissionError
from certify.families.slot.rules import TABLES

FALLS = '\n[[cascades]]\nmultipliers = [1]\nrefill = "strip above"\n'
REFUSED = {
    "a multiplier that grows from one free game to the next, symbols that stay for the series": LINES.replace(
        "multiplier = 3", "multiplier = 3\ngrows = 1"
    ),
    "clusters of symbols side by side": LINES.replace("[slot]", "[slot]\nclusters = true"),
    "symbols that all become one which is drawn": LINES + '\n[[wilds]]\nsymbol = "c"\nbecomes = ["a", "b"]\n',
    "ways from the right or both ends": WAYS.replace("ways = true", 'ways = true\ndirection = "both"'),
    "hold and win whose places stop on strips, or whose values grow, are collected or moved": LINES
    + '\n[[bonuses]]\nid = "coins"\ndraws = "hold"\nstrips = "free"\nsymbol = "c"\nstarts = [1]\nprizes = ["0", "1"]\n',
    "a respin that the player pays for": LINES
    + '\n[[respins]]\nid = "paid"\nsymbol = "a"\nreels = [1]\nprice = "3"\n',
    "cascades that fill with symbols drawn anew": LINES + FALLS.replace("strip above", "symbols"),
    "cascades where heights change, or cells are drawn by themselves": WAYS.replace(
        'id = "base"', 'id = "base"\nfill = "cells"'
    )
    + FALLS,
    "a meter that must hit by an amount, drawn otherwise": LINES
    + '\n[[jackpots]]\nid = "grand"\nseed = "10"\nincrement = "1/100"\nmust_hit_by = "500"\nhit_weights = "1"\n',
    "a cap where a series may go on for ever, and a game that grants further ones may win nothing": LINES.replace(
        "[slot]", '[slot]\nmost = "50"'
    ).replace("pays = [0, 1, 4]", "pays = [0, 0, 4]"),
}


def rows() -> list[tuple[str, list[str], str]]:
    """Returns the mechanics of the page: each with its keys, or the message that refuses it."""
    text = PAGE.read_text(encoding="utf-8").split("## Every mechanic")[1].split("##")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    return [(name, keys.replace("`", "").split(", ") if keys else [], told) for name, keys, told in cells[2:]]


@pytest.mark.parametrize(("name", "keys", "told"), rows(), ids=[name for name, _, _ in rows()])
def test_a_mechanic_is_said_or_refused_as_the_page_says(name: str, keys: list[str], told: str) -> None:
    assert bool(keys) != bool(told)
    for key in keys:
        table, _, field = key.partition(".")
        assert field in [one.name for one in fields(TABLES[table].form)]
    if told:
        with pytest.raises(SubmissionError) as caught:
            small(REFUSED[name])
        assert told in str(caught.value)
        assert "game.toml:" in str(caught.value)


def test_every_refusal_stands_on_the_page() -> None:
    assert {name for name, _, told in rows() if told} == set(REFUSED)

"""Any change of meaning is found and named, any other is none: games with an open dealer's card."""

import re
from functools import cache

import pytest
from gate_open_card import (
    CASINO,
    HOME,
    Choices,
    document,
    leaves,
    value_at,
    with_value,
    written,
)
from gate_support import compared
from hypothesis import given, settings, strategies as st

from certify.errors import InputError
from certify.gate.fact_changes import fact_changes
from certify.gate.facts import read_submission
from certify.model import Severity

games = st.sampled_from([CASINO, HOME])


def read(text):
    return read_submission(text.encode(), "game.toml", "game.toml")


@cache
def original(game):
    return read(written(document(game)))


@cache
def places(game):
    return tuple(place for place, _ in leaves(document(game)) if place != ("schema",))


OTHERS = {
    "version": ["1.0.1", "2.0.0"],
    "family": ["sette-e-mezzo"],
    "banked_by": ["house", "player"],
    "of": ["two-card-hands", "one-card-hands", "all-hands"],
    "currency": ["EUR", "USD"],
    "id": ["ante", "other-id", "push", "patent"],
    "tie": ["push", "lose", "ante-returned"],
    "provenance": ["printed", "adopted"],
    "pays": ["1 to 1", "2 to 1", "5 to 2", "0 to 1"],
}


def other_value(place, value, choices):
    """A value of the same type that says something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 + choices.below(9)
    if isinstance(value, list):
        others = {
            "totals": [[total] for total in ("1", "5½", "14")] + [[*value, "3½"], []],
            "hand": [["4"], ["5", "face"], ["A", "A"], ["K of diamonds"]],
        }.get(str(place[-1]), [[*value, "5"], value[:-1]])
        return choices.one([other for other in others if set(other) != set(value)])
    key = str(place[-1])
    if place[0] == "rules" and key == "value":
        options = [
            "1 ante",
            "2 antes",
            "none",
            "any number",
            "2",
            "push",
            "lose",
            "ante-returned",
            "5",
            "6½",
            "7",
        ]
    elif key in OTHERS:
        options = OTHERS[key]
    elif re.search(r"\d", value):
        digit = re.search(r"\d", value)
        other = str((int(digit[0]) + 1 + choices.below(8)) % 10)
        options = [value[: digit.start()] + other + value[digit.end() :]]
    else:
        options = [f"{value}, otherwise", f"not {value}"]
    return choices.one([option for option in options if option != value] or [f"{value} otherwise"])


@given(games, st.data(), st.integers(0, 2**63))
def test_any_value_that_says_something_else_is_found_and_named(game, data, seed):
    """Where the file can still be read there is a change at the very key; else the gate ends with its mistakes."""
    place = data.draw(st.sampled_from(places(game)))
    choices = Choices(seed)
    value = value_at(document(game), place)
    other = other_value(place, value, choices)
    try:
        # Written in another way as well, so that nothing rests on how the file looks.
        changed = read(written(with_value(document(game), place, other), choices))
    except InputError:
        return
    assert changed.digest != original(game).digest
    found = fact_changes(original(game), changed)
    if place == ("game", "version"):
        assert found == ()
        return
    assert len(found) >= 1
    names = {part for part in place if isinstance(part, str)}
    if names & {"id", "label", "wager", "metric"}:
        return
    (only,) = found
    assert only.kind != "submission-changed"
    assert only.subject.split("/")[-1] in {place[-1], *identity(game, place)}


def identity(game, place):
    """The ids and labels of the tables around a value: short subjects end with them."""
    found = set()
    for length in range(1, len(place)):
        table = value_at(document(game), place[:length])
        if isinstance(table, dict):
            found |= {str(table[key]) for key in ("id", "label") if key in table}
    return found


TABLES = [
    (name, position)
    for name in ("rules", "printed_counts", "printed_rows", "sources", "readings")
    for position in range(3)
]


@pytest.mark.parametrize(("name", "position"), TABLES)
@pytest.mark.parametrize("how", ["removed", "twice"])
def test_tables_that_come_and_go_are_found(name, position, how):
    found = document(CASINO)
    tables = found[name]
    if position >= len(tables):
        return
    changed = {**found}
    changed[name] = (
        tables[:position] + tables[position + 1 :] if how == "removed" else [*tables, tables[position]]
    )
    try:
        after = read(written(changed))
    except InputError:
        return
    there = fact_changes(original(CASINO), after)
    back = fact_changes(after, original(CASINO))
    label = tables[position].get("id") or tables[position].get("label")
    for one in (there, back):
        assert one
        assert all(label in difference.subject for difference in one)


MATHEMATICS = [
    place
    for place in places(CASINO)
    if place[0] in ("rules", "wagers", "printed_counts", "printed_rows")
    and place[-1]
    in ("value", "pays", "ways", "share", "totals", "hand", "total", "tie", "dealer_wins", "player_wins")
]


@settings(max_examples=18)
@given(st.sampled_from(MATHEMATICS), st.integers(0, 2**63))
def test_any_change_of_play_pay_or_print_is_counted_or_refused(place, seed):
    """The whole comparison: nothing of this passes unnamed, and what stands against it names its wager or cell."""
    found = document(CASINO)
    other = other_value(place, value_at(found, place), Choices(seed))
    try:
        changed = compared(written(found), written(with_value(found, place, other)))
    except InputError:
        return
    assert changed.status == "changed"
    kinds = {change.kind.id for change in changed.changes}
    if str(place[0]).startswith("printed"):
        assert "printed-figure-changed" in kinds
        assert "; counted: " in " ".join(change.message for change in changed.changes)
        judged = {
            c.subject
            for c in changed.changes
            if c.kind.id in ("printed-figure-wrong", "printed-figure-mended")
        }
        after = {"/".join(about): new for about, (_, new) in changed.figure_changes.printed.items() if new}
        table = value_at(found, place[:-1])
        name = f"{place[0]}/{table.get('id') or table.get('label')}"
        assert after[name].holds or name in judged
    else:
        assert kinds & {"rule-changed", "paytable-row-changed"}
        assert max(change.severity for change in changed.changes) >= Severity.MAJOR

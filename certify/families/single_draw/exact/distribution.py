"""The joint distribution of all wagers: ways of a turn counted, and rounds of several turns solved.

Wagers that wait for another turn move through their stages together. Stages never lead back to earlier ones, so that
a round can stay where it is or go on, and never return: where it stays with weight s of t, everything else is divided
by t - s, which sums the endless row of turns exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from certify.errors import InputError
from certify.families.single_draw.rules import FIRST, SingleDrawRules, rules_of
from certify.families.single_draw.ways import Table, table_of
from certify.model.equipment import Equipment
from certify.model.figures import Outcome
from certify.model.game import Game

Waiting = tuple[tuple[str, str], ...]
"""For each wager its row, empty while it waits, and its stage."""


def joint_chances(game: Game) -> Mapping[tuple[str, ...], Fraction]:
    """Returns the probability of every joint outcome of the wagers, in the order of the wagers."""
    return _joint(rules_of(game), game.equipment)


@lru_cache(maxsize=16)
def _joint(rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> Mapping[tuple[str, ...], Fraction]:
    table = table_of(rules, equipment)
    known: dict[Waiting, dict[tuple[str, ...], Fraction]] = {}
    found = _from(tuple(("", FIRST) for _ in rules.wagers), table, known)
    total = sum(found.values(), Fraction(0))
    if total != 1:
        raise InputError(f"the ways of a turn sum to {total}, expected exactly 1")
    return found


def _from(
    waiting: Waiting, table: Table, known: dict[Waiting, dict[tuple[str, ...], Fraction]]
) -> dict[tuple[str, ...], Fraction]:
    if waiting in known:
        return known[waiting]
    following: dict[Waiting, int] = {}
    columns = {(place, stage.id): column for column, (place, stage) in enumerate(table.stages)}
    for decided in table.decided:
        after = tuple(
            (row, stage) if row else table.result(columns[place, stage], decided.ends[columns[place, stage]])
            for place, (row, stage) in enumerate(waiting)
        )
        following[after] = following.get(after, 0) + decided.weight
    leaving = table.total - following.pop(waiting, 0)
    if not leaving:
        raise InputError("the round can come to a turn after which it never ends: nothing is settled there")
    found: dict[tuple[str, ...], Fraction] = {}
    for after, weight in following.items():
        chance = Fraction(weight, leaving)
        ends = (
            {tuple(row for row, _ in after): Fraction(1)}
            if all(row for row, _ in after)
            else _from(after, table, known)
        )
        for rows, further in ends.items():
            found[rows] = found.get(rows, Fraction(0)) + chance * further
    known[waiting] = found
    return found


class OneDrawDistribution:
    """Probabilities by counting ways, and results by the paytable: what the toolkit of exact figures asks for."""

    def chances(self, game: Game, strategy: object) -> Mapping[tuple[str, ...], Fraction]:
        """Returns the probability of every joint outcome; nothing is decided, so no strategy changes it."""
        return joint_chances(game)

    def ends(self, game: Game, wager: str) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager with its net result, rows that are paid first, without probability."""
        terms, paytable = rules_of(game).terms(wager), game.wager(wager).paytable
        place = [entry.wager for entry in rules_of(game).wagers].index(wager)
        reached = {rows[place] for rows in joint_chances(game)}
        paid = [Outcome(row.id, row.pays, Fraction(0)) for row in paytable.rows]
        back = dict(terms.returns)
        others = sorted(reached - set(paytable.ids), key=lambda row: (-back.get(row, Fraction(0)), row))
        return (*paid, *(Outcome(row, back.get(row, Fraction(0)) - 1, Fraction(0)) for row in others))

"""Whether a submission and the code of its family speak of the same game."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from certify.errors import Problems
from certify.families.port import Family
from certify.families.registry import family_of
from certify.model.game import Game, Wager
from certify.submission.schema import Submitted


def row_never_reached(game: Game, wager: Wager, row: str) -> str:
    """Returns what to say of a printed row that no round reaches, nothing where some round does."""
    rules = family_of(game).rules
    reachable = rules.reachable_rows(game, wager.id)
    if row in reachable:
        return ""
    lost = set(reachable) - set(rules.paid_rows(game, wager.id))
    paid = [name for name in reachable if name not in lost]
    return f'no round reaches the printed row "{row}" of "{wager.id}": rows that are reached are {", ".join(paid)}'


PUSH: Final = "push"
"""Id of a row that returns the stake alone, in every family that has one."""


def check_required_tables(raw: Submitted, family: Family, problems: Problems) -> None:
    """Records tables of the family that a submission leaves out."""
    for name, table in family.rules.tables.items():
        problems.add_where(
            table.required and not getattr(raw, name),
            (name,),
            f'the table "{name}" is missing: this family is submitted with it',
        )


def check_against_family(game: Game, raw: Submitted, family: Family, problems: Problems) -> Game:
    """Returns the game with what its family adds; records what no round of it can do, or what is left unpaid.

    A round that no row covers is a mistake of the submission, which could not be played. A row that no round can
    reach is a finding about what the source prints (GLI-19 v3.0 4.4.1(d), (f)): `row_never_reached` says it.
    """
    tables = {name: getattr(raw, name) or None for name in family.rules.tables}
    values = {"values": raw.deck.values if raw.deck else {}}
    # What a family reads must have its form: of a stand-in it would say what nobody wrote.
    sound = problems.tables.isdisjoint({"deck", "equipment", *family.rules.tables})
    known = len(problems.found)
    if sound:
        stated = game.equipment
        game = family.rules.check(game, tables | values, problems)
        if game.equipment is stated and len(problems.found) == known:
            game = _with_draws(game, family, problems)
    _check_currencies(game, problems)
    # Which rows can be reached follows from rules and equipment: where these are wrong, rows are not judged.
    _check_wagers(game, family, problems, rows=sound and len(problems.found) == known)
    return game


def _with_draws(game: Game, family: Family, problems: Problems) -> Game:
    """Returns the game with the draws that its rounds need of what is put back; records fewer stated ones."""
    if family.text is None or not any(piece.replaced for piece in game.equipment):
        return game
    # Loaded here: families that deal cards alone need not wait for the engine.
    from certify.families.supply import with_draws

    text = family.text(game)
    key = ("equipment", 0, "draws")
    return replace(game, equipment=problems.attempt(key, lambda: with_draws(text), game.equipment))


def _check_wagers(game: Game, family: Family, problems: Problems, *, rows: bool) -> None:
    """Compares the submitted wagers and rows with what the family can deal."""
    ids = family.rules.wager_ids
    for position, wager in enumerate(game.wagers):
        if ids and wager.id not in ids:
            problems.add(
                ("wagers", position, "id"),
                f'unknown wager "{wager.id}": expected one of {", ".join(ids)}',
            )
        elif rows:
            _check_rows(game, wager, position, family, problems)
    required = family.rules.required_wagers(game)
    missing = [name for name in required if name not in {wager.id for wager in game.wagers}]
    for name in missing:
        problems.add(("wagers",), f'the wager "{name}" is missing: this family is played with it')
    if not game.wagers:
        problems.add(("wagers",), "no wager is stated: expected at least one")
    elif ids and ids[0] not in missing and game.wagers[0].id != ids[0]:
        problems.add(("wagers", 0, "id"), f'the main wager comes first: expected "{ids[0]}"')


def _check_currencies(game: Game, problems: Problems) -> None:
    """Finds wagers that are bet in another currency than the first one: a round has one."""
    stated = [wager.limits.currency for wager in game.wagers]
    for position, currency in enumerate(stated):
        # A currency of the wrong form is a mistake by itself and compared with none.
        if currency != stated[0] and {len(currency), len(stated[0])} == {3}:
            problems.add(
                ("wagers", position, "limits", "currency"),
                f'limits in "{currency}": expected one currency for all wagers, "{stated[0]}"',
            )
            return


def _check_rows(game: Game, wager: Wager, position: int, family: Family, problems: Problems) -> None:
    """Finds rows that lose the stake and rounds that no row covers."""
    reachable = family.rules.reachable_rows(game, wager.id)
    paid = family.rules.paid_rows(game, wager.id)
    for number, row in enumerate(wager.paytable.rows):
        key = ("wagers", position, "paytable", number, "id")
        problems.add_where(
            row.id in reachable and row.id not in paid,
            key,
            f'row "{row.id}" of "{wager.id}" loses the stake: expected rows that return it',
        )
        problems.add_where(
            row.id == PUSH and row.pays,
            (*key[:-1], "pays"),
            'a push returns the stake alone: expected "0 to 1"',
        )
    for row_id in paid:
        problems.add_where(
            row_id not in wager.paytable.ids,
            ("wagers", position, "paytable"),
            f'no row of "{wager.id}" covers the hand "{row_id}"',
        )

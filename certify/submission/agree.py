"""Whether a submission and the code of its family speak of the same game."""

from __future__ import annotations

from certify.families.registry import FAMILIES, GameFamily
from certify.families.sette_e_mezzo.rulebook import PUSH
from certify.families.seven_and_a_half.cards import RANKS
from certify.model.game import Game, Wager
from certify.submission.problems import Problems
from certify.submission.schema import Submitted


def check_against_family(game: Game, raw: Submitted, problems: Problems) -> None:
    """Records where a submission states what no hand of its family can do, or leaves a hand unpaid.

    A row that no hand can reach and a hand that no row covers are mistakes of the submission
    (GLI-19 v3.0 4.4.1(d), (f)).
    """
    if game.family not in FAMILIES:
        problems.add(
            ("game", "family"),
            f'family "{game.family}" is not known: expected one of {", ".join(sorted(FAMILIES))}',
        )
        return
    family = FAMILIES[game.family]
    _check_deck(raw, game, family, problems)
    _check_wagers(game, family, problems)


def _check_deck(raw: Submitted, game: Game, family: GameFamily, problems: Problems) -> None:
    """Compares the submitted deck, values and matta with the ones the family plays with."""
    if raw.deck.decks != 1:
        problems.add(("deck", "decks"), f"{raw.deck.decks} decks: this family plays with one")
    if tuple(raw.deck.ranks) != RANKS:
        problems.add(("deck", "ranks"), f"ranks of this family are {', '.join(RANKS)}, in this order")
    if tuple(raw.deck.suits) != family.suits:
        problems.add(("deck", "suits"), f"suits of this family are {', '.join(family.suits)}, in this order")
    submitted, values = dict(game.values), dict(family.rank_values)
    for rank, value in values.items():
        if rank not in submitted:
            problems.add(("deck", "values"), f'rank "{rank}" has no value')
        elif submitted[rank] != value:
            problems.add(("deck", "values", rank), f'value of "{rank}" differs from the family\'s')
    for rank in submitted:
        if rank not in values:
            problems.add(("deck", "values", rank), f'"{rank}" is no rank of the deck')
    if raw.matta.card != family.matta:
        problems.add(("matta", "card"), f"the matta of this family is the {family.matta}")


def _check_wagers(game: Game, family: GameFamily, problems: Problems) -> None:
    """Compares the submitted wagers and rows with what the family can deal."""
    _check_currencies(game, problems)
    for position, wager in enumerate(game.wagers):
        if wager.id not in family.wager_ids:
            problems.add(
                ("wagers", position, "id"),
                f'unknown wager "{wager.id}": expected one of {", ".join(family.wager_ids)}',
            )
        else:
            _check_rows(game, wager, position, family, problems)
    missing = [name for name in family.wager_ids if name not in {wager.id for wager in game.wagers}]
    for name in missing:
        problems.add(("wagers",), f'the wager "{name}" is missing: this family is played with it')
    main = family.wager_ids[0]
    if main not in missing and game.wagers[0].id != main:
        problems.add(("wagers", 0, "id"), f'the main wager comes first: expected "{main}"')


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


def _check_rows(game: Game, wager: Wager, position: int, family: GameFamily, problems: Problems) -> None:
    """Finds rows that no hand can reach and hands that no row covers."""
    reachable = family.reachable_rows(wager.id, game.rules)
    paid = family.row_ids(wager.id, game.rules)
    for number, row in enumerate(wager.paytable.rows):
        key = ("wagers", position, "paytable", number, "id")
        if row.id in reachable and row.id not in paid:
            problems.add(key, f'row "{row.id}" of "{wager.id}" loses the stake: expected rows that return it')
        if row.id == PUSH and row.pays:
            problems.add((*key[:-1], "pays"), 'a push returns the stake alone: expected "0 to 1"')
        if row.id not in reachable:
            problems.add(
                key,
                f'no hand can reach row "{row.id}" of "{wager.id}": rows that can be reached are '
                f"{', '.join(sorted(reachable))}",
            )
    for row_id in paid:
        if row_id not in wager.paytable.ids:
            problems.add(
                ("wagers", position, "paytable"),
                f'no row of "{wager.id}" covers the hand "{row_id}"',
            )

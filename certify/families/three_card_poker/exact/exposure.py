"""The most that one round can cost the house, over all pairs of hands, at the limits of the table."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from certify.errors import InputError
from certify.families.port import WagerResult
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of
from certify.families.three_card_poker.reference import State, reference
from certify.model.figures import Exposure
from certify.model.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator

Bets = tuple[tuple[str, int, int], ...]
"""Wager, stake and net win in minor units."""


def exposure(game: Game) -> Exposure:
    """Returns the highest total net win of one round, with the deal that produces it.

    What wins is staked at its maximum; the first wager is staked at its minimum where it loses, the others are then
    not placed. Every end that was counted is compared.

    Raises:
        InputError: The wagers have limits in different currencies.
    """
    from certify.families.three_card_poker.exact import figures

    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    results = figures.played_outcomes(game)
    nets = {wager.id: {end.id: end.pays for end in figures.ends(game, wager.id)} for wager in game.wagers}

    def bets(outcomes: tuple[str, ...]) -> Bets:
        ended = zip(game.wagers, outcomes, strict=True)
        return _bets(game, [WagerResult(wager.id, one, nets[wager.id][one]) for wager, one in ended])

    most = max(results, key=lambda outcomes: sum(win for _, _, win in bets(outcomes)))
    dealt = next(_deals(game, results[most], most))
    return Exposure(
        amount=sum(win for _, _, win in bets(most)),
        currency=currencies.pop(),
        wins=tuple((wager, win) for wager, _, win in bets(most)),
        deck=dealt,
        decisions=(ids.PLAY,),
        stakes=tuple((wager, stake) for wager, stake, _ in bets(most)),
    )


def _bets(game: Game, results: list[WagerResult]) -> Bets:
    bets = []
    for place, (wager, result) in enumerate(zip(game.wagers, results, strict=True)):
        least = wager.limits.minimum if place == 0 else 0
        stake = wager.limits.maximum if result.net > 0 else least
        won = result.net * stake
        # Broken minor units count in the player's favour: an upper bound is asked.
        bets.append((wager.id, stake, -(-won.numerator // won.denominator)))
    return tuple(bets)


def _deals(game: Game, label: str, wanted: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """Yields decks that begin with a hand and one of the dealer's with which the round ends so."""
    round_, deck = reference(game), deck_of(game)
    faces = range(deck.size)
    player = next(hand for hand in combinations(faces, HAND) if deck.label(hand) == label)
    left = [face for face in faces if face not in player]
    for dealer in combinations(left, HAND):
        results = round_.results(State(player, ids.PLAY, dealer))
        if tuple(result.outcome for result in results) == wanted:
            yield (*player, *dealer, *(face for face in left if face not in dealer))

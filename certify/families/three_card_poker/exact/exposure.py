"""The most that one round can cost the house, over all pairs of hands, at the limits of the table."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from certify.errors import InputError
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of
from certify.families.three_card_poker.rules import rules_of
from certify.model.figures import Exposure
from certify.model.game import Game

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
        return _bets(game, [nets[wager.id][one] for wager, one in ended])

    most = max(results, key=lambda outcomes: sum(win for _, _, win in bets(outcomes)))
    dealt = _deal(game, *results[most])
    return Exposure(
        amount=sum(win for _, _, win in bets(most)),
        currency=currencies.pop(),
        wins=tuple((wager, win) for wager, _, win in bets(most)),
        deck=dealt,
        decisions=(ids.PLAY,),
        stakes=tuple((wager, stake) for wager, stake, _ in bets(most)),
    )


def _bets(game: Game, nets: list[Fraction]) -> Bets:
    bets = []
    for place, (wager, net) in enumerate(zip(game.wagers, nets, strict=True)):
        least = wager.limits.minimum if place == 0 else 0
        stake = wager.limits.maximum if net > 0 else least
        won = net * stake
        # Broken minor units count in the player's favour: an upper bound is asked.
        bets.append((wager.id, stake, -(-won.numerator // won.denominator)))
    return tuple(bets)


def _deal(game: Game, label: str, end: int, six: int) -> tuple[int, ...]:
    """Returns a deck that begins with a hand and one of the dealer's with which the round ends so."""
    from certify.families.three_card_poker.exact.counting import end_of

    deck, lowest = deck_of(game), rules_of(game).lowest
    faces = range(deck.size)
    player = next(hand for hand in combinations(faces, HAND) if deck.label(hand) == label)
    left = [face for face in faces if face not in player]
    dealers = combinations(left, HAND)
    dealer = next(hand for hand in dealers if end_of(deck, lowest, player, hand) == (end, six))
    return (*player, *dealer, *(face for face in left if face not in dealer))

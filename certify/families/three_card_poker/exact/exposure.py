"""The most that one round can cost the house, over all pairs of hands, at the limits of the table."""

from __future__ import annotations

from itertools import combinations

from certify.analysis.engine.exposure import costliest
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of, label
from certify.families.three_card_poker.rules import rules_of
from certify.model.equipment import Row
from certify.model.figures import Exposure
from certify.model.game import Game


def exposure(game: Game) -> Exposure:
    """Returns the highest total net win of one round, with the deal that produces it; every end is compared."""
    from certify.families.three_card_poker.exact import figures

    results = figures.played_outcomes(game)
    nets = {wager.id: {end.id: end.pays for end in figures.ends(game, wager.id)} for wager in game.wagers}
    return costliest(
        game,
        {
            outcomes: {wager: nets[wager][one] for wager, one in zip(nets, outcomes, strict=True)}
            for outcomes in results
        },
        lambda outcomes: (_deal(game, *results[outcomes]), (ids.PLAY,)),
    )


def _deal(game: Game, called: str, end: int, six: int) -> Row:
    """Returns a deck that begins with a hand and one of the dealer's with which the round ends so."""
    from certify.families.three_card_poker.exact.counting import end_of

    deck, lowest = deck_of(game), rules_of(game).lowest
    faces = range(deck.size)
    player = next(hand for hand in combinations(faces, HAND) if label(deck.of(hand)) == called)
    left = [face for face in faces if face not in player]
    dealers = combinations(left, HAND)
    dealer = next(hand for hand in dealers if end_of(deck, lowest, player, hand) == (end, six))
    return (*player, *dealer, *(face for face in left if face not in dealer))

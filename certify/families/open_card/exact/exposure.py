"""The most that one round with an open dealer's card can cost the house, with a deal that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final

from certify.errors import InputError
from certify.families.open_card.exact.figures import KING, WIN, open_solution
from certify.families.open_card.exact.optimal import HIT, STAND
from certify.families.open_card.exact.tree import ANTE, OpenTree, hand_of
from certify.families.seven_and_a_half.cards import CLASS_FACE, DECK_SIZE, MATTA, SEVEN_AND_A_HALF, rank_of
from certify.model.figures import Exposure
from certify.model.game import Game

FINAL_BET: Final = "final-bet"
"""Name of what is staked beside the ante."""


@dataclass(frozen=True, slots=True)
class _Deal:
    cards: tuple[int, ...]
    decisions: tuple[str, ...]
    bet: int
    pays: Fraction


def open_exposure(game: Game) -> Exposure:
    """Returns the highest net win of one round at the highest ante, the final bet beside it.

    Raises:
        InputError: No deal of the real deck wins under these rules.
    """
    tree = open_solution(game).tree
    wager = game.wager(ANTE)
    bet = max(tree.rules.final_bets, default=0)
    king = _Deal((MATTA, 1), (), 0, wager.paytable.pays(KING))
    deal = next(_winning_deals(tree, bet, (1 + bet) * wager.paytable.pays(WIN)), None)
    if deal is None:
        raise InputError(f"{game.id}: no deal wins under these rules")
    best = deal if deal.pays > king.pays else king
    won = best.pays * wager.limits.maximum
    # Broken minor units count in the player's favour: an upper bound is asked.
    amount = -(-won.numerator // won.denominator)
    return Exposure(
        amount=amount,
        currency=wager.limits.currency,
        wins=((ANTE, amount),),
        deck=best.cards,
        decisions=best.decisions,
        stakes=(
            (ANTE, wager.limits.maximum),
            *(((FINAL_BET, best.bet * wager.limits.maximum),) if best.bet else ()),
        ),
    )


def _winning_deals(tree: OpenTree, bet: int, pays: Fraction) -> Iterator[_Deal]:
    """Yields deals that win: the player stands as early as the rules allow, the dealer plays by rule."""
    candidates = (card for card in range(DECK_SIZE) if card & 3 < 2 and card != MATTA)
    for cards in permutations(candidates, 4):
        player = cards[:1] if tree.rules.player_may_stand_on_first_card else (cards[0], cards[2])
        rest = list(cards[1 + len(player) :])
        dealer = [cards[1]]
        while _dealer_draws(tree, dealer) and rest:
            dealer.append(rest.pop(0))
        if _dealer_draws(tree, dealer):
            continue
        mine, theirs = _total(tree, player), _total(tree, tuple(dealer))
        if mine <= SEVEN_AND_A_HALF and (theirs > SEVEN_AND_A_HALF or theirs < mine):
            move = STAND if len(player) == 1 else HIT
            decisions = [f"{move}-{bet}" if bet else move]
            if len(player) == 2 and tree.may_draw(_hand(player)):
                decisions.append(STAND)
            yield _Deal(cards[: len(player) + len(dealer)], tuple(decisions), bet, pays)


def _dealer_draws(tree: OpenTree, dealer: list[int]) -> bool:
    hand = _hand(tuple(dealer))
    return tree.dealer.rule.draws(hand, tree.total(hand), 0)


def _hand(cards: tuple[int, ...]) -> tuple[int, ...]:
    return hand_of(tuple(min(rank_of(card), CLASS_FACE) for card in cards))


def _total(tree: OpenTree, cards: tuple[int, ...]) -> int:
    return tree.total(_hand(cards))

"""What a hand of video poker is, as the rules print it: every row that it fits."""

from __future__ import annotations

from collections import Counter
from typing import Final

from certify.families.french_deck.deck import RANKS
from certify.families.video_poker import rules as ids
from certify.families.video_poker.cards import WILD
from certify.families.video_poker.rules import VideoPokerRules

_ACE, _TEN = RANKS.index("A"), RANKS.index("10")
_RUNS: Final = (frozenset({_ACE, 0, 1, 2, 3}), *(frozenset(range(low, low + 5)) for low in range(_TEN + 1)))
"""The ranks of every straight, the ace low and high."""


def rows_fitted(rules: VideoPokerRules, cards: tuple[tuple[int, int], ...]) -> frozenset[str]:
    """Returns every row that a hand fits, wild cards standing for whatever helps.

    Args:
        rules: Rules of play.
        cards: (Rank, suit) of each card, the rank WILD for a wild one.
    """
    wild = sum(rank == WILD for rank, _ in cards)
    ranks = [rank for rank, _ in cards if rank != WILD]
    suits = {suit for rank, suit in cards if rank != WILD}
    counts = sorted(Counter(ranks).values(), reverse=True) or [0]
    found = _of_a_kind(rules, ranks, counts, wild)
    flush = len(suits) <= 1
    straight = counts[0] <= 1 and any(set(ranks) <= run for run in _RUNS)
    royal = flush and straight and set(ranks) <= _RUNS[-1]
    found |= {ids.FLUSH} if flush else set()
    found |= {ids.STRAIGHT} if straight else set()
    found |= {ids.STRAIGHT_FLUSH} if flush and straight else set()
    if royal:
        found.add(ids.WILD_ROYAL if wild else ids.ROYAL)
    if rules.deuces_wild and wild == 4:
        found.add(ids.FOUR_DEUCES)
    return frozenset(found)


def _of_a_kind(rules: VideoPokerRules, ranks: list[int], counts: list[int], wild: int) -> set[str]:
    """Returns the rows that go by equal ranks."""
    most = counts[0] + wild
    found = {row for number, row in ((5, ids.FIVE), (4, ids.FOUR), (3, ids.THREE)) if most >= number}
    # A full house has two ranks: what they lack of three and two is made up by wild cards.
    if len(counts) == 2 and counts[0] <= 3 and most >= 3:
        found.add(ids.FULL_HOUSE)
    if len(counts) >= 2 and counts[0] >= 2 and counts[1] >= 2:
        found.add(ids.TWO_PAIR)
    paired = ranks if wild else [rank for rank in ranks if ranks.count(rank) >= 2]
    if any(rank >= rules.lowest_pair for rank in paired):
        found.add(ids.HIGH_PAIR)
    if not wild and counts[0] == 4:
        found |= _bonus(ranks)
    return found


def _bonus(ranks: list[int]) -> set[str]:
    """Returns the rows that some paytables split off four of a kind."""
    four = next(rank for rank in ranks if ranks.count(rank) == 4)
    kicker = next(rank for rank in ranks if rank != four)
    low = range(RANKS.index("4") + 1)
    if four == _ACE:
        return {ids.FOUR_ACES, *((ids.ACES_WITH_KICKER,) if kicker in low else ())}
    if four in low:
        return {ids.FOUR_LOW, *((ids.LOW_WITH_KICKER,) if kicker in low or kicker == _ACE else ())}
    return set()

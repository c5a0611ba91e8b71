"""Video poker settled from its printed rules, apart from everything else here: the second implementation."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
RUNS = [["A", *ORDER[:4]], *(ORDER[low : low + 5] for low in range(9))]
PAIRS = {"tens": "10", "jacks": "J", "queens": "Q", "kings": "K", "aces": "A"}


Pays = Mapping[str, Mapping[str, Fraction]]


def settle(
    rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted: ``wild``, ``lowest_hand``, and ``suits`` of the deck in their order.
        pays: What the rows of each wager pay.
        draws: Names of the cards in the order drawn: the five dealt, then those drawn for what was not held.
        decisions: ``hold-`` and the places held, of the hand in the order in which it is shown, or ``none``.

    Raises:
        ValueError: The rules ask for more or fewer cards or decisions.
    """
    shown, (decision,) = _shown(rules, draws[:5]), decisions
    places = decision.removeprefix("hold-")
    kept = [card for place, card in enumerate(shown, 1) if str(place) in places]
    if len(shown) != 5 or len(draws) != 10 - len(kept):
        raise ValueError(
            f"{len(draws)} cards were drawn, {decision}: expected a card for each that is not held"
        )
    names = _names(rules, [*kept, *draws[5:]])
    ended = {bet: next((name for name in names if name in rows), "lose") for bet, rows in pays.items()}
    return {bet: (row, pays[bet].get(row, Fraction(-1))) for bet, row in ended.items()}


def _wild(rules: Any, card: str) -> bool:
    return " of " not in card or (rules.wild == "deuces" and card.startswith("2 "))


def _shown(rules: Any, cards: Sequence[str]) -> list[str]:
    """Returns a hand as it is shown: wild cards first, then from the highest rank down.

    Of cards of one rank that comes first of whose suit the higher cards are held, the first difference counts; where
    there is none, the suits come in the order of the deck.
    """
    ranks_of: dict[str, list[int]] = {}
    for card in (card for card in cards if not _wild(rules, card)):
        rank, suit = card.split(" of ")
        ranks_of.setdefault(suit, []).append(ORDER.index(rank))
    order = {suit: [-rank for rank in sorted(ranks, reverse=True)] + [1] for suit, ranks in ranks_of.items()}
    suits = rules.suits

    def place(card: str) -> tuple[int, list[int], int]:
        if _wild(rules, card):
            return -99, [], 0
        rank, suit = card.split(" of ")
        return -ORDER.index(rank), order[suit], suits.index(suit)

    return sorted(cards, key=place)


def _names(rules: Any, cards: Sequence[str]) -> list[str]:
    """Returns every row that a hand fits, the highest first; wild cards count as whatever helps."""
    natural = [card.split(" of ") for card in cards if not _wild(rules, card)]
    ranks, suits = [rank for rank, _ in natural], {suit for _, suit in natural}
    wild = len(cards) - len(natural)
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    straight = counts[0] == 1 and any(set(ranks) <= set(run) for run in RUNS)
    flush = len(suits) == 1
    royal = flush and counts[0] == 1 and set(ranks) <= set(RUNS[-1])
    equal = counts[0] + wild
    four = next((rank for rank in ranks if ranks.count(rank) == 4), "")
    other = next((rank for rank in ranks if rank != four), "")
    least = PAIRS.get(rules.lowest_hand.removeprefix("pair of "))
    paid_pairs = ORDER[ORDER.index(least) :] if least else []
    fits = {
        "royal-flush": royal and not wild,
        "four-deuces": wild == 4 and rules.wild == "deuces",
        "wild-royal-flush": royal and wild > 0,
        "five-of-a-kind": equal == 5,
        "straight-flush": straight and flush,
        "four-aces-with-two-to-four": four == "A" and other in ORDER[:3],
        "four-twos-to-fours-with-ace-to-four": four in ORDER[:3] and other in ["A", *ORDER[:3]],
        "four-aces": four == "A",
        "four-twos-to-fours": four in ORDER[:3],
        "four-of-a-kind": equal >= 4,
        "full-house": len(counts) == 2 and equal >= 3 and counts[1] + wild >= 2,
        "flush": flush,
        "straight": straight,
        "three-of-a-kind": equal >= 3,
        "two-pair": counts[:2] == [2, 2],
        "high-pair": any(rank in paid_pairs and ranks.count(rank) + wild >= 2 for rank in ranks),
    }
    return [name for name, holds in fits.items() if holds]

"""Video poker settled from its printed rules, apart from everything else here: the second text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
RUNS = [["A", *ORDER[:4]], *(ORDER[low : low + 5] for low in range(9))]
PAIRS = {"tens": "10", "jacks": "J", "queens": "Q", "kings": "K", "aces": "A"}


def settle(printed: Mapping[str, Any], draws: Sequence[str], decisions: Sequence[str]) -> dict[str, str]:
    """Returns the outcome of every wager.

    Args:
        printed: The rules by id in the words of the submission, ``suits`` of the deck in their order, and the rows of
            each wager's paytable.
        draws: Names of the cards in the order drawn: the five dealt, then those drawn for what was not held.
        decisions: ``hold-`` and the places held, of the hand in the order in which it is shown, or ``none``.
    """
    shown = _shown(printed, draws[:5])
    places = decisions[0].removeprefix("hold-")
    kept = [card for place, card in enumerate(shown, 1) if str(place) in places]
    names = _names(printed, [*kept, *draws[5 : 10 - len(kept)]])
    bets = {name: rows for name, rows in printed.items() if not isinstance(rows, str)}
    return {bet: next((name for name in names if name in rows), "lose") for bet, rows in bets.items()}


def _wild(printed: Mapping[str, Any], card: str) -> bool:
    return " of " not in card or (printed["wild-cards"] == "deuces" and card.startswith("2 "))


def _shown(printed: Mapping[str, Any], cards: Sequence[str]) -> list[str]:
    """Returns a hand as it is shown: wild cards first, then from the highest rank down.

    Of cards of one rank that comes first of whose suit the higher cards are held, the first difference counts; where
    there is none, the suits come in the order of the deck.
    """
    ranks_of: dict[str, list[int]] = {}
    for card in (card for card in cards if not _wild(printed, card)):
        rank, suit = card.split(" of ")
        ranks_of.setdefault(suit, []).append(ORDER.index(rank))
    order = {suit: [-rank for rank in sorted(ranks, reverse=True)] + [1] for suit, ranks in ranks_of.items()}
    suits = printed["suits"].split(", ")

    def place(card: str) -> tuple[int, list[int], int]:
        if _wild(printed, card):
            return -99, [], 0
        rank, suit = card.split(" of ")
        return -ORDER.index(rank), order[suit], suits.index(suit)

    return sorted(cards, key=place)


def _names(printed: Mapping[str, Any], cards: Sequence[str]) -> list[str]:
    """Returns every row that a hand fits, the highest first; wild cards stand for whatever helps."""
    natural = [card.split(" of ") for card in cards if not _wild(printed, card)]
    ranks, suits = [rank for rank, _ in natural], {suit for _, suit in natural}
    wild = len(cards) - len(natural)
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    straight = counts[0] == 1 and any(set(ranks) <= set(run) for run in RUNS)
    flush = len(suits) == 1
    royal = flush and counts[0] == 1 and set(ranks) <= set(RUNS[-1])
    equal = counts[0] + wild
    four = next((rank for rank in ranks if ranks.count(rank) == 4), "")
    other = next((rank for rank in ranks if rank != four), "")
    least = PAIRS.get(printed["lowest-hand"].removeprefix("pair of "))
    paid_pairs = ORDER[ORDER.index(least) :] if least else []
    fits = {
        "royal-flush": royal and not wild,
        "four-deuces": wild == 4 and printed["wild-cards"] == "deuces",
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

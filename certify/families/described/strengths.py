"""How strong described hands are: two to five cards by a ranking of kinds, the best of more."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from certify.analysis.hands.strength import RANKS, SHIFT, WILD, graded, run_of
from certify.families.described.rules import HandKinds

HIGH: Final = "high-card"
_FIVE: Final = (
    HIGH, "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
    "straight-flush", "royal-flush",
)  # fmt: skip
_FOUR: Final = (
    HIGH, "pair", "two-pair", "straight", "flush", "three-of-a-kind", "straight-flush", "four-of-a-kind",
)  # fmt: skip
_THREE: Final = (HIGH, "pair", "flush", "straight", "three-of-a-kind", "straight-flush", "mini-royal")

ORDERS: Final = {
    "three-card": HandKinds(3, _THREE), "four-card": HandKinds(4, _FOUR), "five-card": HandKinds(5, _FIVE),
}  # fmt: skip
"""Rankings that need not be stated; a mini royal is a suited ace, king and queen."""

KINDS: Final = frozenset((*_FIVE, *_THREE, "five-of-a-kind"))
"""Kinds that a ranking may name."""

_ACE: Final = len(RANKS) - 1
_SHAPES: Final = {
    (5,): "five-of-a-kind", (4,): "four-of-a-kind", (3, 2): "full-house", (3,): "three-of-a-kind",
    (2, 2): "two-pair", (2,): "pair",
}  # fmt: skip

_IN_ROW_OR_SUIT: Final = ("straight", "flush", "straight-flush", "mini-royal", "royal-flush")

_HELD_IN: Final = {
    "three-of-a-kind": (3, {"pair"}),
    "four-of-a-kind": (4, {"pair", "three-of-a-kind"}),
    "full-house": (5, {"pair", "two-pair", "three-of-a-kind"}),
}


def left_out(order: HandKinds) -> tuple[str, ...]:
    """Returns kinds that a ranking leaves out though it names one that they hold: such hands would rank as the lowest.

    >>> left_out(HandKinds(4, ("high-card", "pair", "three-of-a-kind")))
    ('four-of-a-kind',)
    """
    named = set(order.kinds)
    return tuple(
        kind
        for kind, (cards, held) in _HELD_IN.items()
        if order.cards >= cards and kind not in named and held & named
    )


def kinds_of(ranks: Sequence[int], suited: bool) -> Iterator[str]:
    """Yields what some cards are, the most special name first.

    >>> list(kinds_of((10, 11, 12), suited=True))
    ['mini-royal', 'straight-flush', 'straight', 'flush', 'high-card']
    """
    straight = len(ranks) > 1 and run_of(ranks, len(ranks)) >= 0
    if straight and suited:
        if run_of(ranks, len(ranks)) == _ACE and len(ranks) in (3, 5):
            yield "mini-royal" if len(ranks) == 3 else "royal-flush"
        yield "straight-flush"
    shape = tuple(sorted((count for count in Counter(ranks).values() if count > 1), reverse=True))
    if shape in _SHAPES:
        yield _SHAPES[shape]
        if shape == (2, 2):
            yield "pair"
    if straight:
        yield "straight"
    if suited and len(ranks) > 1:
        yield "flush"
    yield HIGH


@lru_cache(maxsize=1 << 17)
def strength(order: HandKinds, ranks: tuple[int, ...], suited: bool) -> int:
    """Returns the strength of a hand: the place of its kind, then the ranks that decide among hands of that kind.

    >>> joker = HandKinds(5, (*_FIVE, "five-of-a-kind"))
    >>> [joker.kinds[strength(joker, (WILD, *ranks), False) >> SHIFT] for ranks in ((3, 3, 3, 3), (2, 2, 5, 5))]
    ['five-of-a-kind', 'full-house']
    """
    if WILD in ranks:
        return max(_standing_for(order, ranks, suited))
    kind = max(order.kinds.index(name) for name in kinds_of(ranks, suited) if name in order.kinds)
    if order.kinds[kind] in ("straight", "straight-flush", "mini-royal", "royal-flush"):
        return kind << SHIFT | run_of(ranks, len(ranks))
    return graded(kind, ranks)


def _standing_for(order: HandKinds, ranks: tuple[int, ...], suited: bool) -> Iterator[int]:
    """Yields what a hand with wild cards is worth, these in place of any ranks that they may stand for."""
    natural = [rank for rank in ranks if rank != WILD]
    for others in combinations_with_replacement(range(len(RANKS)), len(ranks) - len(natural)):
        held = tuple(sorted((*natural, *others)))
        # Of one suit no rank comes twice; the wild cards are then of that suit.
        found = strength(order, held, suited and len(set(held)) == len(held))
        if not order.bug or {*others} == {_ACE} or order.kinds[found >> SHIFT] in _IN_ROW_OR_SUIT:
            yield found


def best(order: HandKinds, cards: Sequence[tuple[int, str]]) -> int:
    """Returns the strength of the best hand that some cards hold; those of no suit make no flush.

    >>> order = ORDERS["three-card"]
    >>> order.kinds[best(order, [(WILD, "")] * 3) >> SHIFT]
    'mini-royal'
    """
    return max(
        strength(
            order,
            tuple(sorted(rank for rank, _ in hand)),
            len({suit for rank, suit in hand if rank != WILD}) <= 1
            and all(suit for rank, suit in hand if rank != WILD),
        )
        for hand in combinations(cards, order.cards)
    )


def bounds(order: HandKinds, kind: str, ranks: Sequence[int]) -> tuple[int, int]:
    """Returns the lowest and the highest strength of hands of a kind whose deciding ranks begin with some.

    >>> five = ORDERS["five-card"]
    >>> low, high = bounds(five, "pair", [8])
    >>> low <= strength(five, (0, 1, 2, 8, 8), False) <= high
    True
    """
    base = order.kinds.index(kind) << SHIFT
    if not ranks:
        return base, base + (1 << SHIFT) - 1
    if kind in ("straight", "straight-flush", "mini-royal", "royal-flush"):
        return base + ranks[0], base + ranks[0]
    many = kind not in (HIGH, "flush")
    named = sum(1 << rank for rank in ranks)
    rest = (1 << min(ranks)) - 1
    if many:
        open_ranks = rest if kind == "two-pair" and len(ranks) == 1 else 0
        return base + (named << len(RANKS)), base + ((named | open_ranks) << len(RANKS)) + (
            1 << len(RANKS)
        ) - 1
    return base + named, base + (named | rest)

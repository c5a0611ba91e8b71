"""What rankings of described hands leave out, and between what strengths hands of a kind lie."""

from collections.abc import Sequence
from typing import Final

from certify.analysis.hands.strength import HIGH_CARD, IN_A_ROW, ORDERS, RANKS, SHIFT, HandKinds

KINDS: Final = frozenset((*ORDERS["five-card"].kinds, *ORDERS["three-card"].kinds, "five-of-a-kind"))
"""Kinds that a ranking may name."""

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


def bounds(order: HandKinds, kind: str, ranks: Sequence[int]) -> tuple[int, int]:
    """Returns the lowest and the highest strength of hands of a kind whose deciding ranks begin with some.

    >>> from certify.analysis.hands.strength import strength_of
    >>> five = ORDERS["five-card"]
    >>> low, high = bounds(five, "pair", [8])
    >>> low <= strength_of(five, (0, 1, 2, 8, 8), False) <= high
    True
    """
    base = order.kinds.index(kind) << SHIFT
    if not ranks:
        return base, base + (1 << SHIFT) - 1
    if kind in IN_A_ROW:
        return base + ranks[0], base + ranks[0]
    many = kind not in (HIGH_CARD, "flush")
    named = sum(1 << rank for rank in ranks)
    rest = (1 << min(ranks)) - 1
    if many:
        open_ranks = rest if kind == "two-pair" and len(ranks) == 1 else 0
        return base + (named << len(RANKS)), base + ((named | open_ranks) << len(RANKS)) + (
            1 << len(RANKS)
        ) - 1
    return base + named, base + (named | rest)

"""Rules of play of baccarat as they are printed: what a card counts, and when the banker draws."""

from __future__ import annotations


def points(face: str) -> int:
    """Returns what a card counts: an ace one, tens and court cards nothing.

    >>> points("A of hearts"), points("9 of clubs"), points("K of spades")
    (1, 9, 0)
    """
    rank = face.partition(" of ")[0]
    if rank == "A":
        return 1
    return 0 if rank in ("10", "J", "Q", "K") else int(rank)


def banker_draws(banker: int, third: int | None) -> bool:
    """Tells whether the banker takes a third card, no hand being a natural.

    Args:
        banker: The banker's total of two cards.
        third: What the player's third card counts; none where the player stood.

    Source: Nevada and New Jersey rules of baccarat as every table prints them; N.J.A.C. 13:69F-3.7.

    >>> [third for third in range(10) if banker_draws(3, third)]
    [0, 1, 2, 3, 4, 5, 6, 7, 9]
    """
    if third is None or banker <= 2:
        return banker <= 5
    if banker == 3:
        return third != 8
    if banker == 4:
        return 2 <= third <= 7
    if banker == 5:
        return 4 <= third <= 7
    return banker == 6 and third in (6, 7)

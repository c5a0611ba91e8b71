"""What a game distinguishes of hands that share a board of five, and what may be decided as the board is opened."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from certify.analysis.hands.strength import Card, best_five, label, labelled
from certify.model import Option

OWN: Final = 2
"""Cards of either side that are its own."""
FLOP: Final = 3
"""Cards of the board that come first."""
BOARD: Final = 5
SEEN: Final = OWN + FLOP
DEALT: Final = OWN + BOARD + OWN
"""Cards of a round that nobody ends before."""

SIGNS: Final = 3
"""How two hands compare: the player's is lower, equal or higher."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point at which something is decided.

    Args:
        turn: The turn after which it comes.
        path: The options that lead to it.
        opened: Cards of the board that are open there.
        options: What may be decided, the least committing option first.
        follow: What each option leads to: a point by its number, or a way to end, numbered on behind the points.
    """

    turn: str
    path: tuple[str, ...]
    opened: int
    options: tuple[Option, ...]
    follow: tuple[int, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the options."""
        return tuple(option.id for option in self.options)


@dataclass(frozen=True, slots=True)
class BoardWay:
    """A way through all decisions.

    Args:
        path: The options taken.
        drawn: Cards that are drawn until the round ends.
        offered: What was offered each time.
    """

    path: tuple[str, ...]
    drawn: int
    offered: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Board:
    """What a game distinguishes of hands with a board; edges are strengths from which a hand is of the next class.

    Args:
        seen: Edges of the best five of the player's own cards and the first three of the board.
        own: Edges of the player's best five of seven.
        other: Edges of the dealer's.
        order: Which card each draw is: the player's own, the first three of the board, the other two, the dealer's.
        points: Where something is decided, by how many cards are open; the first one is come to by every round.
        ways: Ways through all decisions.
        columns: For each class of the player's hand, class of the dealer's and sign, which end it is; -1 where no
            hands meet so.
    """

    seen: tuple[int, ...]
    own: tuple[int, ...]
    other: tuple[int, ...]
    order: tuple[int, ...]
    points: tuple[Point, ...] = ()
    ways: tuple[BoardWay, ...] = ()
    columns: tuple[int, ...] = field(default=(), repr=False)

    @property
    def kinds(self) -> int:
        """Classes of what is seen of the first three of the board."""
        return len(self.seen) + 1

    @property
    def ends(self) -> int:
        """Ways in which two hands meet."""
        return max(self.columns) + 1

    @property
    def opened(self) -> tuple[int, ...]:
        """How many cards of the board are open where something is decided before all do, from the fewest."""
        return tuple(sorted({point.opened for point in self.points} - {BOARD}))

    def point(self, path: Sequence[str]) -> Point | None:
        """Returns the point that options lead to; none where they end the decisions."""
        return next((point for point in self.points if point.path == tuple(path)), None)

    def end(self, own: int, other: int) -> int:
        """Returns how hands of two strengths meet."""
        mine, theirs = (
            sum(edge <= one for edge in edges) for edges, one in ((self.own, own), (self.other, other))
        )
        sign = (own >= other) + (own > other)
        return self.columns[(mine * (len(self.other) + 1) + theirs) * SIGNS + sign]

    def met(self, drawn: Sequence[Card]) -> tuple[int, int]:
        """Returns the class of what is seen and the end of a round, as far as cards were drawn."""
        cards = self.arranged(drawn)
        kind = sum(edge <= best_five(cards[:SEEN]) for edge in self.seen) if len(cards) >= SEEN else 0
        if len(cards) < OWN + BOARD:
            return kind, 0
        board = cards[OWN : OWN + BOARD]
        # A round that ends without the dealer's cards ends in the same way whatever they are.
        other = best_five([*board, *cards[-OWN:]]) if len(cards) == DEALT else 0
        return kind, self.end(best_five(cards[: OWN + BOARD]), other)

    def arranged(self, drawn: Sequence[Any]) -> list[Any]:
        """Returns what was drawn with the player's own cards first, the board next, the dealer's last."""
        places = sorted(range(len(drawn)), key=lambda place: self.order[place])
        return [drawn[place] for place in places]

    def sees(self, point: Point, drawn: Sequence[Card]) -> str:
        """Returns what the player sees at a point, whatever suits are called."""
        cards = self.arranged(drawn)
        shown = label(cards[:OWN], cards[OWN:])
        several = sum(other.opened == point.opened for other in self.points) > 1
        return f"{' '.join(point.path)}: {shown}" if several else shown

    def read(self, sees: str) -> tuple[Point, tuple[Card, ...]]:
        """Returns the point and the cards that a player sees, the own ones first.

        Raises:
            ValueError: The text is no such thing.
        """
        path, _, shown = sees.rpartition(": ")
        cards = [card for part in labelled(shown) for card in part]
        for point in self.points:
            if len(cards) == OWN + point.opened and path in ("", " ".join(point.path)):
                return point, tuple(cards)
        raise ValueError(f"{sees!r} is seen nowhere")

    def chains(self) -> Iterator[tuple[int, ...]]:
        """Yields every order in which five cards of a board may be opened, as far as it is looked at."""
        turned = FLOP + 1 in self.opened
        first = FLOP if turned or FLOP in self.opened or self.seen else 0
        for flop in combinations(range(BOARD), first):
            others = tuple(card for card in range(BOARD) if card not in flop)
            for turn in others if turned else others[:1]:
                yield (*flop, turn, *(card for card in others if card != turn))

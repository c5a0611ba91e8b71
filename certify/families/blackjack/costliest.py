"""Rounds that cost most: hands split and doubled against a dealer who busts, and deals that pay side bets most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import TEN, VALUES, Counts, total_of, value_of
from certify.families.blackjack.reference import DEALER, reference
from certify.families.port import Chance, Choice, Settled
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.stages import Price


@dataclass(frozen=True, slots=True)
class PlayedOut:
    """A round that was played to its end.

    Args:
        row: Its first cards, as items of the shoe.
        decisions: What was decided.
        prices: What each wager comes to.
    """

    row: tuple[int, ...]
    decisions: tuple[str, ...]
    prices: Mapping[str, Price]


def played_out(game: Game) -> Iterator[PlayedOut]:
    """Yields rounds in which every pair, and every first card with its like, meets an open card and then wins most."""
    (piece,) = game.equipment
    firsts = range(len(piece.faces))
    for first in firsts:
        for second in (first, *(other for other in firsts if _near(piece, first, other))):
            for up in _ups(piece):
                played = _played(game, piece, (first, second), up)
                if played is not None:
                    yield played


def _near(piece: Equipment, first: int, other: int) -> bool:
    """Tells whether two different faces are worth trying: a pair, or a natural."""
    one, two = value_of(piece.faces[first]), value_of(piece.faces[other])
    return first < other and (one == two or {one, two} == {0, TEN})


def _ups(piece: Equipment) -> Iterator[int]:
    """Yields one face of each value, to lie open."""
    seen = set[int]()
    for face, name in enumerate(piece.faces):
        if value_of(name) not in seen:
            seen.add(value_of(name))
            yield face


def _played(game: Game, piece: Equipment, player: tuple[int, int], up: int) -> PlayedOut | None:
    """Returns the round in which the player has two cards and every later card is the best, none where cards lack."""
    rounds = reference(game)
    state, items, decisions = rounds.start(), list[int](), list[str]()
    dealt: list[tuple[str, int]] = []
    used = [0] * len(piece.faces)
    while True:
        node = rounds.node(state)
        if isinstance(node, Settled):
            prices = {result.wager: Price(result.net, result.staked) for result in node.results}
            return PlayedOut(tuple(items), tuple(decisions), prices)
        if isinstance(node, Choice):
            option = next(one for one in (ids.SPLIT, ids.DOUBLE, ids.DECLINE, ids.STAND) if one in node.ids)
            decisions.append(option)
            state = rounds.decided(state, option)
            continue
        face = _next(piece, node, dealt, player, up, used)
        if face is None:
            return None
        # Items of a face lie a deck apart; of an endless deck the same one comes again.
        places = [item for item, shows in enumerate(piece.shows) if shows == face]
        items.append(places[0 if piece.replaced else used[face]])
        used[face] += 1
        dealt.append((node.to, face))
        state = rounds.drawn(state, face)


def _next(
    piece: Equipment,
    node: Chance,
    dealt: list[tuple[str, int]],
    player: tuple[int, int],
    up: int,
    used: list[int],
) -> int | None:
    """Returns the face that comes next."""
    own = [face for to, face in dealt if (to == DEALER) == (node.to == DEALER)]
    if node.to == DEALER:
        wanted = [up] if not own else _breaking(piece, own)
    elif len(own) < len(player):
        wanted = [player[len(own)]]
    else:
        wanted = _winning(piece, player)
    left = (face for face in wanted if piece.replaced or used[face] < piece.copies[face])
    return next(left, None)


def _breaking(piece: Equipment, own: list[int]) -> list[int]:
    """Returns faces by which the dealer comes to a stiff hand, and then busts."""

    def rank(face: int) -> tuple[bool, int]:
        total, soft = total_of(_counts(piece, [*own, face]))
        return not (total > 21 or (12 <= total <= 16 and not soft)), -total

    return sorted(range(len(piece.faces)), key=rank)


def _winning(piece: Equipment, player: tuple[int, int]) -> list[int]:
    """Returns faces by which a split hand may be doubled, those that make ten or eleven of the pair first."""
    value = min(value_of(piece.faces[player[0]]) + 1, 10)

    def rank(face: int) -> tuple[bool, int]:
        total = value + value_of(piece.faces[face]) + 1
        return total not in (10, 11), value_of(piece.faces[face])

    return sorted(range(len(piece.faces)), key=rank)


def _counts(piece: Equipment, faces: list[int]) -> Counts:
    values = [value_of(piece.faces[face]) for face in faces]
    return tuple(values.count(value) for value in range(VALUES))

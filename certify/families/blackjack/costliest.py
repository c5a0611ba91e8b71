"""Rounds that cost most: hands that win doubled and split, or at once, insured naturals, and deals for side bets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import ACE, TEN, VALUES, Counts, total_of, value_of
from certify.families.blackjack.exact.terms import SEVEN
from certify.families.blackjack.reference import DEALER, RoundState, reference
from certify.families.blackjack.rulebook import How
from certify.families.blackjack.rules import BlackjackRules, rules_of
from certify.families.port import Chance, Choice, Settled
from certify.model.equipment import FRENCH_RANKS, Equipment
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


class DearRound(StrEnum):
    """How a round is played out."""

    BEATEN = "the dealer busts"
    NATURAL = "the dealer has a natural, against which is insured"
    SEVENS = "three sevens"
    CHARLIE = "so many cards"
    CHARLIES = "so many cards on every hand of a split"


_OPTIONS: Final = {
    DearRound.BEATEN: (ids.SPLIT, ids.DOUBLE, ids.DECLINE, ids.STAND),
    DearRound.NATURAL: (ids.INSURE, ids.DECLINE, ids.STAND),
    DearRound.SEVENS: (ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
    DearRound.CHARLIE: (ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
    DearRound.CHARLIES: (ids.SPLIT, ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
}
"""What is decided, the first that is offered; before the last card of a charlie nothing is doubled."""


def played_out(game: Game) -> Iterator[PlayedOut]:
    """Yields rounds in which every pair, and every first card with its like, meets an open card and then wins most."""
    (piece,) = game.equipment
    for player, up in _deals(game, piece):
        for way in _ways(game, piece, player, up):
            played = _played(game, piece, player, up, way)
            if played is not None:
                yield played


def _deals(game: Game, piece: Equipment) -> Iterator[tuple[tuple[int, int], int]]:
    firsts = range(len(piece.faces))
    for first in firsts:
        for second in (first, *(other for other in firsts if _near(piece, first, other))):
            for up in _ups(piece):
                yield (first, second), up
    if any(wager.id == ids.TWENTY_ONE_THREE for wager in game.wagers):
        yield from _runs(piece)


def _runs(piece: Equipment) -> Iterator[tuple[tuple[int, int], int]]:
    """Yields deals of three cards in a row, of one suit and of two, each of them once the open one."""
    order = (*FRENCH_RANKS, FRENCH_RANKS[0])
    for low in range(len(order) - 2):
        for last in piece.suits:
            names = [
                f"{rank} of {suit}"
                for rank, suit in zip(order[low:], (piece.suits[0],) * 2 + (last,), strict=False)
            ]
            if all(name in piece.faces for name in names):
                run = [piece.faces.index(name) for name in names]
                yield from (((run[n - 1], run[n - 2]), run[n]) for n in range(3))


def _ways(game: Game, piece: Equipment, player: tuple[int, int], up: int) -> Iterator[DearRound]:
    """Yields the ways in which a deal may come to cost most."""
    values, rows, rules = (
        [value_of(piece.faces[face]) for face in player],
        game.wagers[0].paytable.ids,
        rules_of(game),
    )
    yield DearRound.BEATEN
    if value_of(piece.faces[up]) == ACE:
        yield DearRound.NATURAL
    if values == [SEVEN, SEVEN] and ids.SEVENS in rows:
        yield DearRound.SEVENS
    if rules.charlie and max(values) < SEVEN:
        yield DearRound.CHARLIE
        yield DearRound.CHARLIES


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


def _played(
    game: Game, piece: Equipment, player: tuple[int, int], up: int, way: DearRound
) -> PlayedOut | None:
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
            wanted = _OPTIONS[way]
            if (
                way in (DearRound.CHARLIE, DearRound.CHARLIES)
                and len(_hand(state)) + 1 < rules_of(game).charlie
            ):
                wanted = tuple(one for one in wanted if one != ids.DOUBLE)
            option = next(one for one in wanted if one in node.ids)
            decisions.append(option)
            state = rounds.decided(state, option)
            continue
        ranked = _ranked(piece, rules_of(game), way, node, dealt, player, up, _hand(state))
        left = (one for one in ranked if piece.replaced or used[one] < piece.copies[one])
        face = next(left, None)
        if face is None:
            return None
        # Items of a face lie a deck apart; of an endless deck the same one comes again.
        places = [item for item, shows in enumerate(piece.shows) if shows == face]
        items.append(places[0 if piece.replaced else used[face]])
        used[face] += 1
        dealt.append((node.to, face))
        state = rounds.drawn(state, face)


def _hand(state: RoundState) -> tuple[int, ...]:
    """Returns the cards of the hand that is played, or waits for a card."""
    open_hands = (hand.faces for hand in state.hands if hand.how in (How.DRAWS, How.PLAYS))
    return next(open_hands, ())


def _ranked(
    piece: Equipment,
    rules: BlackjackRules,
    way: DearRound,
    node: Chance,
    dealt: list[tuple[str, int]],
    player: tuple[int, int],
    up: int,
    hand: tuple[int, ...],
) -> list[int]:
    """Returns the faces that may come next, the best first."""
    own = [face for to, face in dealt if (to == DEALER) == (node.to == DEALER)]
    every = range(len(piece.faces))
    if node.to == DEALER:
        natural = [face for face in every if value_of(piece.faces[face]) == TEN]
        return (
            [up]
            if not own
            else natural
            if way is DearRound.NATURAL and len(own) == 1
            else _breaking(piece, own)
        )
    if len(own) < len(player):
        return [player[len(own)]]
    if way is DearRound.SEVENS:
        sevens = [face for face in every if value_of(piece.faces[face]) == SEVEN]
        return sorted(
            sevens, key=lambda face: piece.faces[face].split()[-1] != piece.faces[player[0]].split()[-1]
        )
    return (
        _many(piece, rules, hand)
        if way in (DearRound.CHARLIE, DearRound.CHARLIES)
        else _winning(piece, player)
    )


def _many(piece: Equipment, rules: BlackjackRules, hand: tuple[int, ...]) -> list[int]:
    """Returns faces by which a hand comes to many cards: it neither busts nor stands by itself before."""

    def rank(face: int) -> tuple[bool, int]:
        total, _ = total_of(_counts(piece, [*hand, face]))
        ends = total > 21 or (total == 21 and len(hand) + 1 < rules.charlie)
        return ends, value_of(piece.faces[face])

    return sorted(range(len(piece.faces)), key=rank)


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

"""Let It Ride as somebody writes it who knows no habits of the engine: as stages, and as a reference round.

The reference round says of cards what the template of a family said at the time: all of a face may matter. The lean one
says which cards are alike, and is believed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, shoe

try:
    from certify.model.stages import Option, Price, RoundText, by_name, choose, draw, ended
except ImportError:  # an earlier commit, beside which is measured, walks the reference round
    from certify.families.port import Option  # type: ignore[attr-defined, no-redef]

ORDER = {rank: place for place, rank in enumerate((*FRENCH_RANKS[1:], "A"), 2)}
OPTIONS = Option("take-back"), Option("let-it-ride", (("bet", Fraction(1)),))
DECK = shoe("deck", FRENCH_RANKS, FRENCH_SUITS)
PAYS = {
    "royal-flush": 1000, "straight-flush": 200, "four-of-a-kind": 50, "full-house": 11, "flush": 8, "straight": 5,
    "three-of-a-kind": 3, "two-pair": 2, "tens-or-better": 1, "lose": -1,
}  # fmt: skip


def row(ranks: tuple[int, ...], flush: bool) -> str:
    """Returns the row of five cards."""
    counts = sorted(map(ranks.count, set(ranks)), reverse=True)
    run = counts[0] == 1 and (ranks[4] - ranks[0] == 4 or ranks == (2, 3, 4, 5, 14))
    if run and flush:
        return "royal-flush" if ranks[0] == 10 else "straight-flush"
    if counts[0] == 4:
        return "four-of-a-kind"
    if counts == [3, 2]:
        return "full-house"
    if flush or run:
        return "flush" if flush else "straight"
    if counts[0] == 3:
        return "three-of-a-kind"
    if counts == [2, 2, 1]:
        return "two-pair"
    pair = counts[0] == 2 and max(rank for rank in ranks if ranks.count(rank) == 2)
    return "tens-or-better" if pair >= 10 else "lose"


# --- in stages: what was decided is carried to the end -----------------------------------------------------


def text() -> Any:
    """Returns the game as a text in stages."""

    def face(piece: Any, number: int) -> Any:
        card = by_name(piece, number)
        return {**card, "order": ORDER[str(card["rank"])]}

    def price(wager: str, outcome: str) -> Any:
        name, bets = outcome.rsplit("-", 1)
        return Price(Fraction(PAYS[name] * int(bets)), Fraction(int(bets)))

    return RoundText(None, start, (DECK,), ("bet",), price, face)


def start(table: None) -> Any:
    """Deals the first card."""
    return draw("player", dealt, (), "first", 1)


def dealt(table: None, ranks: tuple[int, ...], suit: str, bets: int, card: Any) -> Any:
    """A card came."""
    ranks = tuple(sorted((*ranks, card.order)))
    suit = card.suit if suit in ("first", card.suit) else ""
    if len(ranks) in (3, 4):
        return choose("player", OPTIONS, (ranks, suit != "", len(ranks)), ride, ranks, suit, bets)
    if len(ranks) < 5:
        return draw("player", dealt, ranks, suit, bets)
    return ended(("bet", f"{row(ranks, suit != '')}-{bets}"))


def ride(table: None, ranks: tuple[int, ...], suit: str, bets: int, option: str) -> Any:
    """A bet was taken back, or rides."""
    return draw("table", dealt, ranks, suit, bets + (option == "let-it-ride"))


# --- as a reference round: what is alike and what matters is said ------------------------------------------


class State(NamedTuple):
    """A round so far."""

    ranks: tuple[int, ...] = ()
    suit: str = "first"
    bets: int = 1
    decided: int = 0


class LetItRide:
    """The reference round, as the template had it."""

    equipment = (DECK,)

    def __init__(self) -> None:
        named = [face.partition(" of ") for face in DECK.faces]
        self.cards = [(ORDER[rank], suit) for rank, _, suit in named]

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State()

    def node(self, state: State) -> Any:
        """Returns what the round waits for."""
        from certify.families.port import Chance, Choice, Settled, WagerResult

        if len(state.ranks) in (3, 4) and state.decided < len(state.ranks) - 2:
            return Choice("player", OPTIONS, (state.ranks, state.suit != "", len(state.ranks)))
        if len(state.ranks) < 5:
            return Chance("deck", "player")
        name = row(state.ranks, state.suit != "")
        net = Fraction(PAYS[name] * state.bets)
        return Settled((WagerResult("bet", f"{name}-{state.bets}", net, Fraction(state.bets)),))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        order, suit = self.cards[face]
        left = suit if state.suit in ("first", suit) else ""
        return state._replace(ranks=tuple(sorted((*state.ranks, order))), suit=left)

    def decided(self, state: State, option: str) -> State:
        """Returns the state after a decision."""
        return state._replace(bets=state.bets + (option == "let-it-ride"), decided=state.decided + 1)

    def alike(self, state: State, face: int) -> Any:
        """Returns what of a card matters: all of it."""
        return face

    def matters(self, state: State) -> Any:
        """Returns what of a round matters."""
        if len(state.ranks) == 5:
            return row(state.ranks, state.suit != ""), state.bets
        return state

    def hands(self, state: State) -> Any:
        """Returns nothing: no page shows these hands."""
        return ()


class Lean(LetItRide):
    """The reference round that says which cards are alike."""

    def alike(self, state: State, face: int) -> Any:
        """Returns what of a card matters."""
        order, suit = self.cards[face]
        return (order, suit) if state.suit == "first" else (order, suit == state.suit)

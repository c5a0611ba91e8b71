"""Video poker as it is played: five cards, one hold, as many cards again as were not held."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from certify.analysis.hands.held import (
    HAND,
    HOLD_IDS,
    HOLD_OF,
    arranged,
    equal_cards,
    equal_hand,
    suit_labels,
)
from certify.analysis.hands.strength import (
    FOUR,
    PAIR,
    RANKS,
    ROWS,
    ROYAL,
    SHIFT,
    WILD,
    CountedDeck,
    best_five,
    deck_of_piece,
    ranks_that_decide,
)
from certify.errors import InputError
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.video_poker import rules as ids
from certify.families.video_poker.rules import ROWS_OF_KIND, VideoPokerRules, rules_of
from certify.model import Equipment, Game, Paytable

PLAYER: Final = "player"
_OPTIONS: Final = tuple(Option(name) for name in HOLD_IDS)

_ACE: Final = 1 << RANKS.index("A")
_LOW: Final = sum(1 << RANKS.index(rank) for rank in ("2", "3", "4"))


def kind_of(strength: int, wild: int, rules: VideoPokerRules) -> int:
    """Returns the kind of a hand, its place in ROWS_OF_KIND, by its strength and its number of wild cards."""
    kind, (often, kicker) = strength >> SHIFT, ranks_that_decide(strength)
    rows = ROWS[kind][:1]
    if rules.deuces_wild and wild == 4:
        rows = (ids.FOUR_DEUCES,)
    elif kind == ROYAL and wild:
        rows = (ids.WILD_ROYAL,)
    elif kind == PAIR:
        if often >> rules.lowest_pair == 0:
            return 1
        rows = (ids.HIGH_PAIR,)
    elif kind == FOUR and not wild and often & _ACE:
        rows = (*((ids.ACES_WITH_KICKER,) if kicker & _LOW else ()), ids.FOUR_ACES, ids.FOUR)
    elif kind == FOUR and not wild and often & _LOW:
        rows = (*((ids.LOW_WITH_KICKER,) if kicker & (_LOW | _ACE) else ()), ids.FOUR_LOW, ids.FOUR)
    return ROWS_OF_KIND.index(rows)


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        dealt: The first five faces in the order they came.
        held: Which places of the arranged hand are held, as bits; none before the decision.
        drawn: Faces drawn for the others, in the order they came.
    """

    dealt: tuple[int, ...] = ()
    held: int | None = None
    drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class VideoPokerRound:
    """Five cards, the hold, the draw.

    Args:
        rules: Rules of play.
        paytable: What the bet pays; none where nothing is bet.
        equipment: The deck.
        deck: Its cards.
    """

    rules: VideoPokerRules
    paytable: Paytable | None
    equipment: tuple[Equipment, ...]
    deck: CountedDeck

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State()

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        piece = self.equipment[0].id
        if len(state.dealt) < HAND:
            return Chance(piece, PLAYER)
        if state.held is None:
            return Choice(PLAYER, _OPTIONS, equal_hand(self.deck, state.dealt))
        if len(self.hand(state)) < HAND:
            return Chance(piece, PLAYER, "draws")
        if self.paytable is None:
            return Settled(())
        outcome = self.outcome(self.hand(state))
        net = Fraction(-1) if outcome == ids.LOSE else self.paytable.pays(outcome)
        return Settled((WagerResult(ids.BET, outcome, net),))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        if len(state.dealt) < HAND:
            return replace(state, dealt=(*state.dealt, face))
        return replace(state, drawn=(*state.drawn, face))

    def decided(self, state: State, option: str) -> State:
        """Returns the state after a hold.

        Raises:
            InputError: The option is not offered.
        """
        if option not in HOLD_OF or len(state.dealt) < HAND or state.held is not None:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(HOLD_IDS)}")
        return replace(state, held=HOLD_OF[option])

    def alike(self, state: State, face: int) -> Hashable:
        """Returns rank and suit of a card; wild cards are equal."""
        return self.deck.cards[face]

    def matters(self, state: State) -> Hashable:
        """Returns the cards up to the names of suits; after the draw, how the round ends."""
        if len(state.dealt) < HAND or state.held is None:
            return equal_hand(self.deck, state.dealt)
        hand = self.hand(state)
        if len(hand) == HAND:
            return self.outcome(hand)
        gone = [face for face in state.dealt if face not in hand]
        labels = suit_labels(self.deck, hand, gone)
        return equal_cards(self.deck, hand, labels), equal_cards(self.deck, gone, labels)

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns the hand, in the order in which its places are numbered until it is drawn to."""
        faces = self.hand(state)
        whole = len(state.dealt) == HAND and len(faces) == HAND
        called = next(iter(self._rows(faces)), "nothing").replace("-", " ") if whole else ""
        return (Hand(PLAYER, faces, (), called),)

    def hand(self, state: State) -> tuple[int, ...]:
        """Returns the cards that the player has."""
        if len(state.dealt) < HAND:
            return state.dealt
        places = arranged(self.deck, state.dealt)
        if state.held is None:
            return places
        kept = (face for place, face in enumerate(places) if state.held >> place & 1)
        return (*kept, *state.drawn)

    def outcome(self, faces: Sequence[int]) -> str:
        """Returns the first row, from the highest, that the paytable names and a hand fits."""
        return self.paid(self._rows(faces))

    def paid(self, rows: tuple[str, ...]) -> str:
        """Returns the first of some rows that the paytable names."""
        named = self.paytable.ids if self.paytable else ()
        return next((row for row in rows if row in named), ids.LOSE)

    def _rows(self, faces: Sequence[int]) -> tuple[str, ...]:
        cards = self.deck.of(faces)
        wild = sum(rank == WILD for rank, _ in cards)
        return ROWS_OF_KIND[kind_of(best_five(cards), wild, self.rules)]


def deck_of(game: Game) -> CountedDeck:
    """Returns the deck of a game, its wild cards marked."""
    return deck_of_piece(game.equipment[0], "2" if rules_of(game).deuces_wild else "")


def reference(game: Game) -> VideoPokerRound:
    """Returns the reference round of a game."""
    paytable = next((wager.paytable for wager in game.wagers if wager.id == ids.BET), None)
    return VideoPokerRound(rules_of(game), paytable, game.equipment, deck_of(game))

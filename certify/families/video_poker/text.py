"""Video poker: its rules as parameters, the ids of its rows, and how it is played: five cards, one hold, a draw."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from certify.analysis.hands.deals import deals_of, number
from certify.analysis.hands.holds import (
    HAND,
    HOLD_IDS,
    HOLD_OF,
    arranged,
    equal_cards,
    equal_hand,
    hold_id,
    suit_labels,
)
from certify.analysis.hands.strength import (
    FOUR as FOUR_ALIKE,
    PAIR,
    RANKS,
    ROWS,
    ROYAL as ROYAL_STRENGTH,
    SHIFT,
    WILD,
    CountedDeck,
    best_five,
    deck_of_piece,
    ranks_that_decide,
)
from certify.errors import InputError
from certify.families.declared_rules import own_rules
from certify.families.port import Chance, Choice, Hand, Node, Option, RuleReader, Settled, WagerResult
from certify.model import FRENCH_SUITS, Equipment, Game, Paytable, Strategy


@dataclass(frozen=True)
class HoldTable:
    """A complete strategy: what is held of every deal, whatever its suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The deck that it is written for.
        holds: The hold of every class of deals as bits, in the order of the numbers of the classes.
    """

    name: str
    strategy_class: str
    deck: CountedDeck
    holds: bytes = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the hold for a hand as the reference round shows it.

        Raises:
            InputError: What is seen is no hand of the deck.
        """
        if not isinstance(sees, tuple) or len(set(sees)) != 5 or not set(sees) <= set(range(self.deck.size)):
            raise InputError(f"strategy {self.name!r} names no hold for {sees}: expected five cards")
        return hold_id(self.holds[int(deals_of(self.deck, len(sees)).place[number(sees)])])

    def table(self) -> object:
        """Returns the digest of all holds: they are too many to be written out."""
        return {"classes": len(self.holds), "sha256": hashlib.sha256(self.holds).hexdigest()}


def hold_table(strategy: Strategy) -> HoldTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, HoldTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected a hold for every deal")


FAMILY_ID: Final = "video-poker"
"""Id of the family, as submissions name it."""

BET: Final = "bet"
"""The one wager."""

LOSE: Final = "lose"

ROYAL: Final = "royal-flush"
FOUR_DEUCES: Final = "four-deuces"
WILD_ROYAL: Final = "wild-royal-flush"
FIVE: Final = "five-of-a-kind"
STRAIGHT_FLUSH: Final = "straight-flush"
ACES_WITH_KICKER: Final = "four-aces-with-two-to-four"
LOW_WITH_KICKER: Final = "four-twos-to-fours-with-ace-to-four"
FOUR_ACES: Final = "four-aces"
FOUR_LOW: Final = "four-twos-to-fours"
FOUR: Final = "four-of-a-kind"
FULL_HOUSE: Final = "full-house"
FLUSH: Final = "flush"
STRAIGHT: Final = "straight"
THREE: Final = "three-of-a-kind"
TWO_PAIR: Final = "two-pair"
HIGH_PAIR: Final = "high-pair"

BONUS_ROWS: Final = (ACES_WITH_KICKER, LOW_WITH_KICKER, FOUR_ACES, FOUR_LOW)
"""Rows that a paytable may split off four of a kind."""

RANKING: Final = (
    ROYAL,
    FOUR_DEUCES,
    WILD_ROYAL,
    FIVE,
    STRAIGHT_FLUSH,
    *BONUS_ROWS,
    FOUR,
    FULL_HOUSE,
    FLUSH,
    STRAIGHT,
    THREE,
    TWO_PAIR,
    HIGH_PAIR,
)
"""Rows from the highest to the lowest: a hand is paid for the first of them that it fits and the paytable names."""

ROWS_OF_KIND: Final = (
    *((), (), (HIGH_PAIR,), (TWO_PAIR,), (THREE,), (STRAIGHT,), (FLUSH,), (FULL_HOUSE,)),
    *((FOUR,), (FOUR_LOW, FOUR), (LOW_WITH_KICKER, FOUR_LOW, FOUR)),
    *((FOUR_ACES, FOUR), (ACES_WITH_KICKER, FOUR_ACES, FOUR)),
    *((STRAIGHT_FLUSH,), (FIVE,), (WILD_ROYAL,), (FOUR_DEUCES,), (ROYAL,)),
)
"""Kinds of hands, finer than the rows of any one paytable: each with the rows that may pay it, the highest first.

The first two are a hand and a pair that pay nothing.
"""

_PAIRS: Final = {
    f"pair of {name}": RANKS.index(rank)
    for rank, name in (("10", "tens"), ("J", "jacks"), ("Q", "queens"), ("K", "kings"), ("A", "aces"))
}
_LOWEST: Final = {**_PAIRS, "two pair": len(RANKS), "three of a kind": len(RANKS)}
_NO_WILD: Final = "none"
_DEUCES: Final = "deuces"
_JOKERS: Final = "jokers"


@dataclass(frozen=True, slots=True)
class VideoPokerRules:
    """Rules of one-draw video poker; a hand is held in part and drawn once.

    Args:
        wild: ``none``, ``deuces`` or ``jokers``: which cards count as any card.
        lowest_hand: The lowest hand that is paid.
        suits: Suits of the deck in their order, by which a hand is shown.
    """

    wild: str = _NO_WILD
    lowest_hand: str = "pair of jacks"
    suits: tuple[str, ...] = FRENCH_SUITS

    @property
    def deuces_wild(self) -> bool:
        """Whether deuces count as any card."""
        return self.wild == _DEUCES

    @property
    def jokers_wild(self) -> bool:
        """Whether the deck has jokers."""
        return self.wild == _JOKERS

    @property
    def lowest_pair(self) -> int:
        """Place in RANKS of the lowest pair that is paid; 13 where none is."""
        return _LOWEST[self.lowest_hand]

    @property
    def required_rows(self) -> tuple[str, ...]:
        """Rows that a paytable must name, or winning hands would lose in silence."""
        wild = {
            _NO_WILD: (ROYAL,),
            _DEUCES: (ROYAL, FOUR_DEUCES, WILD_ROYAL, FIVE),
            _JOKERS: (ROYAL, WILD_ROYAL, FIVE),
        }[self.wild]
        pairs = () if self.lowest_hand == "three of a kind" else (TWO_PAIR,)
        high = (HIGH_PAIR,) if self.lowest_hand in _PAIRS else ()
        return (*wild, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, *pairs, *high)


RULE_IDS: Final = ("wild-cards", "lowest-hand", "draws", "hands")
OPTIONAL_RULES: Final = ("hands",)


def read_rules(read: RuleReader) -> VideoPokerRules:
    """Returns the rules that a submission states."""
    read.choice("draws", "1", ("1",))
    read.refuse_where(
        read.whole("hands", 1, 1, 100) > 1,
        "hands",
        "a round of one hand is certified; its figures list the variance of several hands on one deal",
    )
    return VideoPokerRules(
        wild=read.choice("wild-cards", _NO_WILD, (_NO_WILD, _DEUCES, _JOKERS)),
        lowest_hand=read.choice("lowest-hand", "pair of jacks", tuple(_LOWEST)),
    )


rules_of: Final = own_rules(VideoPokerRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


PLAYER: Final = "player"
_OPTIONS: Final = tuple(Option(name) for name in HOLD_IDS)

_ACE: Final = 1 << RANKS.index("A")
_LOW: Final = sum(1 << RANKS.index(rank) for rank in ("2", "3", "4"))


def kind_of(strength: int, wild: int, rules: VideoPokerRules) -> int:
    """Returns the kind of a hand, its place in ROWS_OF_KIND, by its strength and its number of wild cards."""
    kind, (often, kicker) = strength >> SHIFT, ranks_that_decide(strength)
    rows = ROWS[kind][:1]
    if rules.deuces_wild and wild == 4:
        rows = (FOUR_DEUCES,)
    elif kind == ROYAL_STRENGTH and wild:
        rows = (WILD_ROYAL,)
    elif kind == PAIR:
        if often >> rules.lowest_pair == 0:
            return 1
        rows = (HIGH_PAIR,)
    elif kind == FOUR_ALIKE and not wild and often & _ACE:
        rows = (*((ACES_WITH_KICKER,) if kicker & _LOW else ()), FOUR_ACES, FOUR)
    elif kind == FOUR_ALIKE and not wild and often & _LOW:
        rows = (*((LOW_WITH_KICKER,) if kicker & (_LOW | _ACE) else ()), FOUR_LOW, FOUR)
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
        net = Fraction(-1) if outcome == LOSE else self.paytable.pays(outcome)
        return Settled((WagerResult(BET, outcome, net),))

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
        return next((row for row in rows if row in named), LOSE)

    def _rows(self, faces: Sequence[int]) -> tuple[str, ...]:
        cards = self.deck.of(faces)
        wild = sum(rank == WILD for rank, _ in cards)
        return ROWS_OF_KIND[kind_of(best_five(cards), wild, self.rules)]


def deck_of(game: Game) -> CountedDeck:
    """Returns the deck of a game, its wild cards marked."""
    return deck_of_piece(game.equipment[0], "2" if rules_of(game).deuces_wild else "")


def reference(game: Game) -> VideoPokerRound:
    """Returns the reference round of a game."""
    paytable = next((wager.paytable for wager in game.wagers if wager.id == BET), None)
    return VideoPokerRound(rules_of(game), paytable, game.equipment, deck_of(game))

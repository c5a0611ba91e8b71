"""Games of one decision: a hand is seen, played or given up, and compared with that of a dealer who must qualify.

A game is written as one :class:`OneDecision`: how many cards, how strong they are, what a paytable calls each way of
ending and what that nets. Its rounds, exact figures and play-through follow from that.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, ClassVar, Final

from certify.analysis.hands.strength import (
    FIVE,
    KINDS,
    RANKS,
    SHIFT,
    Card,
    CountedDeck,
    best_five,
    deck_of_piece,
    label,
    three_cards,
)
from certify.errors import InputError
from certify.model import Equipment, Game, Option, Outcome, Strategy, Wager
from certify.model.round import Chance, Choice, Hand, Node, Settled, WagerResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from certify.analysis.hands.deals import Deals
    from certify.families.one_decision.distinguished import Apart
    from certify.families.shared_board.board import Board


UNQUALIFIED, WIN, TIE, LOSE, FOLDED = range(5)
"""How a hand ends: the dealer does not qualify, or loses, or ties, or wins; or it was not played."""
ENDS: Final = 5


PLAYER, DEALER = "player", "dealer"

BOTH: Final = tuple(kind for kind in range(KINDS) if kind != FIVE)
"""Kinds that five cards of a deck without wild cards can be of."""

LOST: Final = "lose"
"""Outcome of a bet that nothing is paid for."""

BY_LABEL: Final = 2
"""Of a cell that is neither folded nor played as a whole: what is seen decides, suits included."""

Held = tuple[tuple[int, ...], ...]
"""By suit: ranks of the player, of the dealer's open card, of the dealer's other cards, as bits; or of a board."""


@dataclass(frozen=True, slots=True)
class DecisionState:
    """A round so far.

    Args:
        player: Faces of the player in the order they came.
        dealer: Faces of the dealer, those that lie open first; the others come after the decision, as nobody sees
            them before.
        option: What was decided; empty before.
        held: What either side holds of each suit.
    """

    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    option: str = ""
    held: Held = ()


@dataclass(frozen=True, slots=True)
class DecisionTerms:
    """What the worth of playing hangs on: games that differ in other bets alone have equal terms.

    Args:
        kind: The kind of game.
        options: What may be decided, the less committing option first.
        main: Id of the wager that is decided on.
        deck: The cards.
        least: Strength from which the dealer's hand qualifies.
        nets: Net result by kind of the player's hand and end, in whole parts of the stake.
        parts: Parts of one stake.
        told: What is distinguished of whole hands, where a submission says it.
    """

    kind: "type[OneDecision]"
    options: tuple[str, ...]
    main: str
    deck: CountedDeck
    least: int
    nets: tuple[tuple[int, ...], ...]
    parts: int
    told: "Apart | Board | None" = None


@dataclass(frozen=True)
class OneDecision(ABC):
    """The rules of a game of one decision, and its reference round.

    Args:
        game: The submission.
    """

    game: Game

    cards: ClassVar[int]
    """Cards of either hand: three or five."""
    opened: ClassVar[int]
    """Cards of the dealer that lie open at the decision."""
    shared: ClassVar[int]
    """Cards of the dealer that a bonus looks at together with the player's."""

    # --- what a game says ---

    @property
    @abstractmethod
    def main(self) -> str:
        """Id of the wager that is decided on."""

    @property
    @abstractmethod
    def options(self) -> tuple[str, ...]:
        """What may be decided, the less committing option first; nothing where there is no decision."""

    @property
    @abstractmethod
    def least(self) -> int:
        """Strength from which the dealer's hand qualifies."""

    @property
    @abstractmethod
    def adds(self) -> Fraction:
        """What playing adds to the stake of the main wager."""

    @property
    @abstractmethod
    def fold_loses_all(self) -> bool:
        """Whether a player who folds loses every other bet too."""

    @abstractmethod
    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends.

        Args:
            wager: The wager.
            kind: Kind of the player's hand.
            end: How it ends, FOLDED included.
            together: Kind of the best five of the player's cards and those of the dealer that a bonus looks at.
        """

    @abstractmethod
    def main_net(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome of the main wager, in units of its first stake."""

    @abstractmethod
    def rows(self, wager: Wager) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager with net result and stake, without probability, as figures list them."""

    @abstractmethod
    def called(self, strength: int) -> str:
        """Returns what a whole hand is called."""

    @abstractmethod
    def cells(self) -> Iterator[tuple[int, int, int]]:
        """Yields kind, end and kind together in the order in which play-through lays out outcomes."""

    @classmethod
    def lines(cls, deck: CountedDeck, deals: "Deals") -> "NDArray[np.int64]":
        """Returns the line of every class of hands in the charts of strategies: a line of its own for each."""
        import numpy as np  # numpy takes a moment that --help need not wait for.

        return np.arange(len(deals.hands))

    @classmethod
    def chart(
        cls, deck: CountedDeck, deals: "Deals", strategy: Strategy, options: tuple[str, ...]
    ) -> "NDArray[np.uint8]":
        """Returns what a strategy decides, uint8[cells]: 0 folds, 1 plays, BY_LABEL asks it for what is seen.

        A line has a cell for each rank of the open card, or one where none is open.
        """
        import numpy as np

        if not options:
            return np.ones(len(deals.hands), dtype=np.uint8)
        seen = (label(deck.of(hand)) for hand in deals.hands.tolist())
        chosen = [strategy.choose(sees, options) == options[1] for sees in seen]
        return np.array(chosen, dtype=np.uint8)

    # --- what follows ---

    @property
    def later(self) -> int:
        """Cards of the dealer, those included that come after the decision."""
        return self.cards

    @property
    def holders(self) -> tuple[str, str]:
        """What both sides are called."""
        return PLAYER, DEALER

    @cached_property
    def deck(self) -> CountedDeck:
        """The cards."""
        return deck_of_piece(self.game.equipment[0])

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many kinds of hands, ends and kinds of both hands together there are."""
        return KINDS, ENDS, KINDS

    @property
    def apart(self) -> "Apart | Board | None":
        """What is distinguished of whole hands, where a submission says it; nothing where kinds and ends do."""
        return None

    @cached_property
    def terms(self) -> DecisionTerms:
        """What the worth of playing hangs on."""
        main = self.game.wager(self.main)
        nets = [
            [self.main_net(self.outcome(main, kind, end, 0)) for end in range(FOLDED)]
            if kind in BOTH
            else [Fraction(0)] * FOLDED
            for kind in range(KINDS)
        ]
        parts = lcm(*(net.denominator for by_end in nets for net in by_end))
        whole = tuple(tuple(int(net * parts) for net in by_end) for by_end in nets)
        return DecisionTerms(type(self), self.options, self.main, self.deck, self.least, whole, parts)

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is dealt from."""
        return self.game.equipment

    @property
    def fold(self) -> str:
        """The option that gives the stake up; nothing where there is no decision."""
        return self.options[0] if self.options else ""

    @property
    def play(self) -> str:
        """The option that adds to it; nothing where there is no decision."""
        return self.options[1] if self.options else ""

    def strength(self, cards: Sequence[Card]) -> int:
        """Returns the strength of a hand."""
        return three_cards(cards) if self.cards == 3 else best_five(cards)

    def net(self, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        if wager == self.main:
            return self.main_net(outcome)
        return Fraction(-1) if outcome == LOST else self.game.wager(wager).paytable.pays(outcome)

    def staked(self, wager: str, outcome: str) -> Fraction:
        """Returns everything staked on a wager, in units of its initial stake."""
        return 1 + self.adds if wager == self.main and outcome != self.fold else Fraction(1)

    def outcomes(self, kind: int, end: int, together: int) -> tuple[str, ...]:
        """Returns how every wager ends."""
        lost = end == FOLDED and self.fold_loses_all
        return tuple(
            LOST if lost and wager.id != self.main else self.outcome(wager, kind, end, together)
            for wager in self.game.wagers
        )

    def cell(self, player: Sequence[Card], dealer: Sequence[Card], option: str) -> tuple[int, int, int]:
        """Returns kind, end and kind together of a round; the dealer's cards as far as they were dealt."""
        own = self.strength(player)
        end = FOLDED
        if option == self.play:
            other = self.strength(dealer)
            end = TIE if own == other else WIN if own > other else LOSE
            end = UNQUALIFIED if other < self.least else end
        both = (*player, *dealer[: self.shared])
        return own >> SHIFT, end, best_five(both) >> SHIFT if len(both) == self.cards + self.shared else 0

    # --- the round ---

    def start(self) -> DecisionState:
        """Returns the state before anything is dealt."""
        return DecisionState(held=((0, 0, 0),) * self.deck.suits)

    def node(self, state: DecisionState) -> Node:
        """Returns what the round waits for."""
        piece, (player, dealer) = self.equipment[0].id, self.holders
        if len(state.player) < self.cards:
            return Chance(piece, player)
        if len(state.dealer) < self.opened:
            return Chance(piece, dealer)
        if self.options and not state.option:
            sees = label(self.deck.of(state.player), self.deck.of(state.dealer))
            played = Option(self.play, ((self.main, self.adds),))
            return Choice(PLAYER, (Option(self.fold, gives_up=True), played), sees)
        return Chance(piece, dealer) if self._looks_on(state) else Settled(self.results(state))

    def _looks_on(self, state: DecisionState) -> bool:
        """Returns whether the dealer is dealt on: by rule alone, so that no card depends on what is bet."""
        needed = 0 if self.fold_loses_all else self.shared
        return len(state.dealer) < (self.cards if state.option == self.play else max(needed, self.opened))

    def drawn(self, state: DecisionState, face: int) -> DecisionState:
        """Returns the state after a card."""
        rank, suit = self.deck.cards[face]
        holds = list(state.held[suit])
        if len(state.player) < self.cards:
            state, place = replace(state, player=(*state.player, face)), 0
        else:
            place = 1 if len(state.dealer) < self.opened else 2
            state = replace(state, dealer=(*state.dealer, face))
        holds[place] |= 1 << rank
        held = (*state.held[:suit], (holds[0], holds[1], holds[2]), *state.held[suit + 1 :])
        return replace(state, held=held)

    def decided(self, state: DecisionState, option: str) -> DecisionState:
        """Returns the state after the decision.

        Raises:
            InputError: The option is not offered.
        """
        waits = len(state.player) == self.cards and len(state.dealer) == self.opened and not state.option
        if option not in self.options or not waits:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(self.options)}")
        return replace(state, option=option)

    def alike(self, state: DecisionState, face: int) -> Hashable:
        """Returns the rank of a card, and what either side holds of its suit."""
        rank, suit = self.deck.cards[face]
        return rank, state.held[suit]

    def matters(self, state: DecisionState) -> Hashable:
        """Returns what either side holds, suit by suit, whatever the suits are called; at the end, the results."""
        if state.option and not self._looks_on(state):
            return self.results(state)
        return state.option, tuple(sorted(state.held))

    def hands(self, state: DecisionState) -> tuple[Hand, ...]:
        """Returns both hands, named once they are whole."""
        sides = zip(self.holders, (state.player, state.dealer), strict=True)
        return tuple(
            Hand(
                holder,
                faces,
                (),
                self.called(self.strength(self.deck.of(faces))) if len(faces) == self.cards else "",
            )
            for holder, faces in sides
        )

    def results(self, state: DecisionState) -> tuple[WagerResult, ...]:
        """Returns the result of every wager."""
        return self.priced(self.cell(self.deck.of(state.player), self.deck.of(state.dealer), state.option))

    def priced(self, cell: tuple[int, int, int]) -> tuple[WagerResult, ...]:
        """Returns the result of every wager of a round by how it ended."""
        ended = self.outcomes(*cell)
        return tuple(
            WagerResult(wager.id, outcome, self.net(wager.id, outcome), self.staked(wager.id, outcome))
            for wager, outcome in zip(self.game.wagers, ended, strict=True)
        )


def highest(ranks: int) -> str:
    """Returns the name of the highest of ranks given as bits.

    >>> highest(0b1000000000001)
    'A'
    """
    return RANKS[ranks.bit_length() - 1]

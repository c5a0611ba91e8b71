"""The reference round of a game that is written in stages, by which every other part of the house plays it.

Draws that are put back come from a supply; a round that needs more of them than it holds is all but impossible.
"""

import gc
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Final

from certify import result_cache
from certify.analysis.engine.automaton import Automaton, least
from certify.analysis.engine.graph import GraphTooLargeError, graph_of
from certify.analysis.engine.proof import proved, surroundings, whole_rounds
from certify.analysis.engine.stage_points import TARGET, walked
from certify.analysis.engine.stored import digest_of_text, with_text, without_text
from certify.analysis.engine.walk import RoundGraph
from certify.by_key import gathered
from certify.errors import InputError
from certify.evidence import MergingProven
from certify.families.port import Chance, Choice, Hand, Node, Settled, WagerResult
from certify.model import Card, Choose, End, Equipment, Held, Moment, NextDraw, RoundText, Won, opened
from certify.model.stages import Node as Waiting

FEW: Final = 1 << 18
"""States up to which a round without a decision has a graph that tells apart what left the shoe."""

LONGER: Final = 1e-15
"""Chance with which a round needs more draws than it has before it, at most."""

RARE: Final = 1e-9
"""Chance of such a round that a submission may leave itself by stating the draws, at most."""

MOST_DRAWS: Final = 2_000
MOST_WALKED: Final = 50_000
"""Moments of a round that are looked at to count its draws, at most; beyond, the submission states them."""


def check_stated(text: RoundText, straight: Mapping[str, int] | None) -> None:
    """Refuses stated draws that rounds of a play-through would run out of.

    Args:
        text: The game.
        straight: The most draws of each piece where no turn leads back; none where one does.

    Raises:
        InputError: A round may need more of a piece than are stated.
    """
    stated = {piece.id: piece.supply for piece in text.equipment if piece.replaced and piece.supply > 1}
    least_draws: Mapping[str, int] = straight or {}
    if stated and straight is None and len(text.equipment) == 1:
        try:
            least_draws = dict.fromkeys(stated, needed(text, RARE))
        except InputError:
            return  # Too many moments or no end in sight: what is stated is used.
    for piece, draws in stated.items():
        if draws < least_draws.get(piece, 0):
            raise InputError(
                f"{draws} draws of {piece} are stated: a whole round may need {least_draws[piece]}; expected as many, "
                "or none stated, so that they are counted"
            )


def with_draws(text: RoundText) -> tuple[Equipment, ...]:
    """Returns the equipment of a text with the draws that its rounds need, where none are stated.

    Raises:
        InputError: They cannot be counted, a round may go on without end, or fewer are stated than rounds need.
    """
    check_stated(text, None)
    if not any(piece.replaced and piece.supply == 1 for piece in text.equipment):
        return text.equipment
    draws = needed(text)
    return tuple(
        replace(piece, supply=draws) if piece.replaced and piece.supply == 1 else piece
        for piece in text.equipment
    )


def needed(text: RoundText, longer: float = LONGER) -> int:
    """Returns the draws after which all but so few rounds are over, whatever is decided."""
    automaton = least(walked(text, MOST_WALKED))
    chance = {0: 1.0}
    for draws in range(1, MOST_DRAWS):
        after: dict[int, float] = {}
        waiting = list(chance.items())
        while waiting:
            state, weight = waiting.pop()
            here = automaton.waiting[state]
            if isinstance(here, Choose):
                # Every option counts in full: whatever is decided, a round has draws enough.
                waiting += [(arrow & TARGET, weight) for arrow in dict.fromkeys(automaton.rows[state])]
            elif isinstance(here, NextDraw):
                piece = text.equipment[text.piece_of(here)]
                for arrow, copies in zip(automaton.rows[state], piece.copies, strict=True):
                    to = arrow & TARGET
                    if arrow >= 0 and isinstance(automaton.waiting[to], NextDraw | Choose):
                        after[to] = after.get(to, 0.0) + weight * copies / piece.size
        chance = after
        if sum(chance.values()) <= longer:
            return draws
    raise InputError(
        f"a round may need more than {MOST_DRAWS:,} draws: expected draws of the equipment, or turns that end"
    )


@dataclass(frozen=True, slots=True)
class StagedState:
    """A round so far.

    Args:
        waiting: What the round waits for.
        won: Wagers settled so far.
        held: Cards on the table, in the order they came.
    """

    waiting: Waiting
    won: tuple[Won, ...] = ()
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Proven:
    """A text walked, reduced to its least automaton, and proved to have been merged rightly; each proof is another.

    Args:
        automaton: The least automaton.
        proof: What was proved.
    """

    automaton: Automaton
    proof: MergingProven


AUTOMATON: Final = "automaton"
"""What a least automaton is kept as."""


@lru_cache(maxsize=8)
def proven(text: RoundText) -> Proven:
    """Returns the least automaton of a text with its proof, kept for all figures of the game and for later commands.

    Raises:
        InputError: The text cannot be walked, or merged states differ.
    """
    digest = digest_of_text(text) if result_cache.keeping() else ""
    # The mark says that it was proved; that it is the automaton of this text, whole rounds show once more.
    with suppress(InputError, KeyError, TypeError, ValueError, IndexError), _uncollected():
        known = result_cache.find(AUTOMATON, digest)
        if known is not None:
            automaton = with_text(known.automaton, text)
            whole_rounds(automaton, known.proof.rounds)
            return Proven(automaton, known.proof)
    before = surroundings(text)
    with _uncollected():
        automaton = least(walked(text))
        proof = proved(automaton, before)
    result_cache.keep(AUTOMATON, digest, Proven(without_text(automaton), proof))
    return Proven(automaton, proof)


@lru_cache(maxsize=2)
def _unpriced(known: Proven) -> RoundGraph:
    """Returns the graph of a text at no pays: games that differ in their pays, and witnesses, share it."""
    automaton, reference = known.automaton, StagedRound(known.automaton.text)
    # Rounds that draw from one piece, which puts nothing back, and decide nothing.
    if [piece.replaced for piece in automaton.text.equipment] == [False] and not any(
        isinstance(one, Choose) for one in automaton.waiting
    ):
        with suppress(GraphTooLargeError):
            return graph_of(automaton, reference, FEW)
        # It loads SciPy, which small games need not wait for.
        from certify.analysis.engine.averaged import averaged

        with suppress(GraphTooLargeError):
            return averaged(automaton, reference)
    return graph_of(automaton, reference)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Looks for no cycles meanwhile: moments make none, and among them all the search is a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@dataclass(frozen=True)
class StagedRound:
    """Plays a text in stages, one draw or decision at a time.

    Args:
        text: The text.
    """

    text: RoundText

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is dealt from."""
        return self.text.equipment

    @cached_property
    def proven(self) -> Proven:
        """The least automaton of the text, proved; found once, for a text is long to compare."""
        return proven(self.text)

    def graph(self) -> RoundGraph:
        """Returns the exact graph of the text, merged by what was proved of it.

        Raises:
            InputError: The graph cannot be made, or a round ends without settling every wager.
        """
        found = _unpriced(self.proven)
        ends = ({one.wager: one.outcome for one in end} for end in found.results)
        # A layout has many ends, and few ways in which one wager ends.
        priced = cache(self._result)
        return replace(
            found,
            reference=self,
            results=tuple(tuple(priced(wager, end.get(wager)) for wager in self.text.wagers) for end in ends),
        )

    @cached_property
    def _cards(self) -> tuple[tuple[Card, ...], ...]:
        return tuple(
            tuple(Card(self.text.face(piece, face)) for face in range(len(piece.faces)))
            for piece in self.text.equipment
        )

    @cached_property
    def _cards_of(self) -> dict[str, tuple[Card, ...]]:
        return {piece.id: cards for piece, cards in zip(self.equipment, self._cards, strict=True)}

    def start(self) -> StagedState:
        """Returns the state before anything is drawn."""
        return self._reached(self.text.start(self.text.table), StagedState(End(())))

    def node(self, state: StagedState) -> Node:
        """Returns what the round waits for."""
        waiting = state.waiting
        if isinstance(waiting, NextDraw):
            piece = self.text.equipment[self.text.piece_of(waiting)]
            return Chance(piece.id, waiting.to, waiting.how, shown=not waiting.hidden_from)
        if isinstance(waiting, Choose):
            return Choice(waiting.seat, waiting.options, waiting.sees)
        won = dict(state.won)
        return Settled(tuple(self._result(wager, won.get(wager)) for wager in self.text.wagers))

    def drawn(self, state: StagedState, face: int) -> StagedState:
        """Returns the state after a draw.

        Raises:
            InputError: The round waits for something else.
        """
        waiting = state.waiting
        if not isinstance(waiting, NextDraw):
            raise InputError(f"face {face} was drawn where the round waits for no draw")
        place = self.text.piece_of(waiting)
        card = self._cards[place][face]
        piece = self.text.equipment[place].id
        held = Held(waiting.to, piece, face, bool(waiting.hidden_from))
        after = StagedState(waiting, state.won, (*state.held, held))
        return self._reached(waiting.then(self.text.table, *waiting.kept, card), after)

    def decided(self, state: StagedState, option: str) -> StagedState:
        """Returns the state after a decision.

        Raises:
            InputError: The option is not offered, or nothing is to be decided.
        """
        waiting = state.waiting
        if not isinstance(waiting, Choose) or option not in [one.id for one in waiting.options]:
            offered = [one.id for one in waiting.options] if isinstance(waiting, Choose) else []
            raise InputError(f"{option!r} was decided, expected {' or '.join(offered) or 'no decision here'}")
        return self._reached(waiting.then(self.text.table, *waiting.kept, option), state)

    def alike(self, state: StagedState, face: int) -> Hashable:
        """Returns the class of a face among those that no future of the state tells apart."""
        automaton = self.proven.automaton
        waiting = state.waiting
        if not isinstance(waiting, NextDraw):
            return face
        number = self._number(state)
        first = automaton.first_face[self.text.piece_of(waiting)]
        if first < 0:
            return automaton.rows[number][face]
        return automaton.partitions[automaton.partition[number]][first + face]

    def matters(self, state: StagedState) -> Hashable:
        """Returns the state of the least automaton, what left the shoe as far as it matters, and what is settled."""
        automaton = self.proven.automaton
        number = self._number(state)
        names = automaton.partitions[automaton.partition[number]]
        first = {piece.id: place for piece, place in zip(self.equipment, automaton.first_face, strict=True)}
        left = Counter(names[first[held.piece] + held.face] for held in state.held if first[held.piece] >= 0)
        return number, tuple(sorted(left.items())), tuple(sorted(state.won))

    def hands(self, state: StagedState) -> tuple[Hand, ...]:
        """Returns what is on the table, by holder in the order in which they first got something."""
        holders = gathered((held.holder, held) for held in state.held)
        return tuple([self._hand(holder, own) for holder, own in holders.items()])

    def _hand(self, holder: str, own: list[Held]) -> Hand:
        hidden = tuple([place for place, held in enumerate(own) if held.hidden])
        cards = tuple([self._cards_of[held.piece][held.face] for held in own])
        total = self.text.total(self.text.table, holder, cards)
        return Hand(holder, tuple([held.face for held in own]), hidden, total)

    def _number(self, state: StagedState) -> int:
        automaton = self.proven.automaton
        return automaton.state_of[automaton.walked.arrows[state.waiting] & TARGET]

    def _reached(self, moment: Moment, state: StagedState) -> StagedState:
        waiting, won, told = opened(moment)
        if isinstance(waiting, End):
            won, waiting = won + waiting.won, End(())
        held = state.held
        if told:
            turned = {holder for holder, _ in told}
            held = tuple(
                Held(one.holder, one.piece, one.face) if one.hidden and one.holder in turned else one
                for one in held
            )
        return StagedState(waiting, state.won + won, held)

    def _result(self, wager: str, outcome: str | None) -> WagerResult:
        if outcome is None:
            raise InputError(
                f"the round ends without settling {wager}: expected every wager of the game once"
            )
        price = self.text.price(wager, outcome)
        return WagerResult(wager, outcome, price.net, price.staked)

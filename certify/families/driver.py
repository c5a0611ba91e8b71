"""Plays reference rounds of any family: from a row of draws, under a strategy or as recorded, with a trace."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from certify.errors import InputError
from certify.families.port import (
    Chance,
    Choice,
    Hand,
    Node,
    ReferenceRound,
    Settled,
    TellingRound,
    WagerResult,
    told_net,
)
from certify.model import ByLot, Strategy, split_row

S = TypeVar("S", bound=Hashable)

Decide = Callable[[Choice], str | None]
"""Chooses one of the options of a choice; none where nothing is decided yet."""


class RowExhaustedError(InputError):
    """A round asks for more draws than its row holds."""


@dataclass(frozen=True, slots=True)
class RoundStep(Generic[S]):
    """One step of a round.

    Args:
        state: The round before it.
        node: What the round waited for.
        face: Face that was drawn.
        option: Option that was decided.
        after: The round after it; where nothing came, at the end or at an open choice, the same.
    """

    state: S
    node: Node
    after: S
    face: int | None = None
    option: str | None = None


@dataclass(frozen=True, slots=True)
class Standing(Generic[S]):
    """The state of a round, so that it can go on from there.

    Args:
        state: The round.
        node: The choice that is open, or how it ended.
        used: How many draws of each piece were taken.
        decided: How many decisions were.
    """

    state: S
    node: Choice | Settled
    used: tuple[int, ...]
    decided: int


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a round after some decisions.

    Args:
        hands: What is on the table, hidden faces included.
        choice: The decision that is open; none once nothing is left to decide.
        results: How every wager ended; empty while a decision is open.
    """

    hands: tuple[Hand, ...]
    choice: Choice | None
    results: tuple[WagerResult, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A finished round.

    Args:
        hands: What each holder has at the end, hidden faces included.
        decisions: Decisions in order; draws by rule are none.
        results: How every wager ended.
        draws: Names of the faces in the order drawn.
        steps: Every step of the round.
        reference: The rules that it was played by.
    """

    hands: tuple[Hand, ...]
    decisions: tuple[str, ...]
    results: tuple[WagerResult, ...]
    draws: tuple[str, ...]
    steps: tuple[RoundStep[Any], ...] = field(compare=False, repr=False)
    reference: ReferenceRound[Any] = field(compare=False, repr=False)

    @property
    def trace(self) -> tuple[str, ...]:
        """Everything that happened, as sentences: put into words on demand, as few of many rounds are."""
        return tuple(sentence for step in self.steps for sentence in _sentences(self.reference, step))

    def faces(self, holder: str) -> tuple[int, ...]:
        """Returns the faces that a holder has, hidden ones included.

        Raises:
            KeyError: There is no such holder.
        """
        return {hand.holder: hand.faces for hand in self.hands}[holder]

    def outcome(self, wager: str) -> str:
        """Returns the outcome of a wager.

        Raises:
            KeyError: The game has no such wager.
        """
        return self.outcomes[wager]

    @property
    def outcomes(self) -> Mapping[str, str]:
        """The outcome of each wager."""
        return {result.wager: result.outcome for result in self.results}

    def told(self, wagers: Sequence[str], varying: Collection[str]) -> tuple[str, ...]:
        """Returns the outcomes of wagers as legs are compared: with the net result where outcomes are classes.

        Args:
            wagers: Ids of the wagers, in the order wanted.
            varying: Those of which an outcome is a class of rounds.
        """
        return told(self.results, wagers, varying)

    @property
    def net(self) -> Mapping[str, Fraction]:
        """The net result of each wager, in units of its initial stake."""
        return {result.wager: result.net for result in self.results}

    @property
    def staked(self) -> Mapping[str, Fraction]:
        """Everything staked on each wager, in units of its initial stake."""
        return {result.wager: result.staked for result in self.results}


def told(results: Iterable[WagerResult], wagers: Sequence[str], varying: Collection[str]) -> tuple[str, ...]:
    """Returns how wagers ended as legs are compared; see :meth:`PlayedRound.told`."""
    ended = {
        one.wager: told_net(one.outcome, one.net) if one.wager in varying else one.outcome for one in results
    }
    return tuple(ended[wager] for wager in wagers)


def decide_by(strategy: Strategy) -> Decide:
    """Returns the decisions of a strategy, whoever's turn it is."""
    return lambda choice: strategy.choose(choice.sees, choice.ids)


def steps(reference: ReferenceRound[S], row: Sequence[int], decide: Decide) -> Iterator[RoundStep[S]]:
    """Yields every step of a round up to its end, or up to a choice that is left open.

    Args:
        reference: The rules of the game.
        row: Everything that chance gives the round: items, the supply of each piece one after the other.
        decide: Who decides.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: The row is not one that the equipment gives, or a decision is not offered.
    """
    split_row(reference.equipment, row)
    used = [0 for _ in reference.equipment]
    state = reference.start()
    decided = 0
    while True:
        node = reference.node(state)
        if isinstance(node, Settled):
            yield RoundStep(state, node, state)
            return
        if isinstance(node, Chance):
            face = _next_face(reference, row, used, node.equipment)
            after = reference.drawn(state, face)
            yield RoundStep(state, node, after, face=face)
        else:
            option = decide(node)
            if option is None:
                yield RoundStep(state, node, state)
                return
            decided += 1
            _verify_offered(node, option, decided)
            after = reference.decided(state, option)
            yield RoundStep(state, node, after, option=option)
        state = after


def play(
    reference: ReferenceRound[Any],
    row: Sequence[int],
    decisions: Strategy | Decide | Sequence[str],
    tell: Callable[[RoundStep[Any], tuple[str, ...]], object] | None = None,
) -> PlayedRound:
    """Plays one round to its end.

    Args:
        reference: The rules of the game.
        row: Everything that chance gives the round.
        decisions: A strategy, who decides, or the decisions as recorded.
        tell: Receives every step as it comes, with its sentences, before the next decision is due.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: The row is not one that the equipment gives, or decisions are missing, left over or not offered.
    """
    if isinstance(decisions, Sequence):
        recorded = tuple(decisions)
        played = tuple(_followed(reference, row, recorded))
        if isinstance(played[-1].node, Choice):
            held = "; ".join(_held(reference, hand) for hand in reference.hands(played[-1].state))
            raise InputError(f"the record holds {len(recorded)} decisions, expected one more at {held}")
    else:
        found = []
        for step in steps(reference, row, decided_by(decisions, row)):
            found.append(step)
            if tell is not None:
                tell(step, tuple(_sentences(reference, step)))
        played = tuple(found)
    last = played[-1]
    if not isinstance(last.node, Settled):
        raise InputError("nothing was decided at an open choice, expected one of its options")
    return PlayedRound(
        reference.hands(last.state),
        tuple(step.option for step in played if step.option is not None),
        last.node.results,
        tuple(
            named(reference, step.node.equipment, step.face)
            for step in played
            if isinstance(step.node, Chance) and step.face is not None
        ),
        played,
        reference,
    )


def decided_by(decisions: Strategy | Decide, row: Sequence[int]) -> Decide:
    """Returns who decides the round of a row: a strategy, as it plays that round, or whoever decides."""
    if callable(decisions):
        return decisions
    # One that decides by lot draws how it plays from what the round never reaches.
    return decide_by(decisions.cast(row) if isinstance(decisions, ByLot) else decisions)


def settled_on(
    reference: ReferenceRound[Any], row: Sequence[int], strategy: Strategy
) -> tuple[WagerResult, ...]:
    """Returns how every wager of a round ends; of its row no more is looked at than the round asks for.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: A decision was not offered.
    """
    found = _dealt_on(reference, row, reference.start(), (0,) * len(reference.equipment), 0)
    while isinstance(found.node, Choice):
        found = went_on(reference, row, found, strategy.choose(found.node.sees, found.node.ids))
    return found.node.results


def position(reference: ReferenceRound[Any], row: Sequence[int], decisions: Sequence[str]) -> Position:
    """Returns the state of a round after some decisions.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: The row is not one that the equipment gives, or a decision was not offered.
    """
    last = standing(reference, row, decisions)
    hands = reference.hands(last.state)
    if isinstance(last.node, Settled):
        return Position(hands, None, last.node.results)
    return Position(hands, last.node if isinstance(last.node, Choice) else None)


def standing(reference: ReferenceRound[S], row: Sequence[int], decisions: Sequence[str]) -> Standing[S]:
    """Returns where a round is after some decisions: at a choice, or at its end.

    Args:
        reference: The rules of the game.
        row: Everything that chance gives the round.
        decisions: Decisions in the order taken.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: The row is not one that the equipment gives, or a decision was not offered.
    """
    split_row(reference.equipment, row)
    found = _dealt_on(reference, row, reference.start(), (0,) * len(reference.equipment), 0)
    for place, option in enumerate(decisions):
        if isinstance(found.node, Settled):
            raise InputError(
                f"{len(decisions)} decisions were recorded, expected {place}: nothing was left to decide"
            )
        found = went_on(reference, row, found, option)
    return found


def went_on(
    reference: ReferenceRound[S], row: Sequence[int], before: Standing[S], option: str
) -> Standing[S]:
    """Returns where a round is after one more decision.

    Args:
        reference: The rules of the game.
        row: The row that the round was begun with.
        before: Where it stood.
        option: What was decided.

    Raises:
        RowExhaustedError: The round asks for more draws than the row holds.
        InputError: Nothing was left to decide, or the decision was not offered.
    """
    node, number = before.node, before.decided + 1
    if not isinstance(node, Choice):
        raise InputError(
            f"{number} decisions were recorded, expected {number - 1}: nothing was left to decide"
        )
    _verify_offered(node, option, number)
    return _dealt_on(reference, row, reference.decided(before.state, option), before.used, number)


def _dealt_on(
    reference: ReferenceRound[S], row: Sequence[int], state: S, used: Sequence[int], decided: int
) -> Standing[S]:
    """Returns where a round is once everything is drawn that no decision is taken before."""
    taken = list(used)
    while not isinstance(node := reference.node(state), Settled | Choice):
        state = reference.drawn(state, _next_face(reference, row, taken, node.equipment))
    return Standing(state, node, tuple(taken), decided)


def named(reference: ReferenceRound[Any], piece: str, face: int) -> str:
    """Returns a face as the submission names it."""
    return next(one for one in reference.equipment if one.id == piece).faces[face]


def _followed(
    reference: ReferenceRound[S], row: Sequence[int], decisions: Sequence[str]
) -> Iterator[RoundStep[S]]:
    """Yields the steps of a round as recorded; what was recorded beyond its end is refused."""
    remaining = iter(decisions)
    yield from steps(reference, row, lambda choice: next(remaining, None))
    left = len(tuple(remaining))
    if left:
        raise InputError(
            f"{len(decisions)} decisions were recorded, expected {len(decisions) - left}: nothing was left to decide"
        )


def _next_face(reference: ReferenceRound[Any], row: Sequence[int], used: list[int], piece_id: str) -> int:
    """Returns the next face of a piece, and counts it among the used."""
    place = [piece.id for piece in reference.equipment].index(piece_id)
    piece, at = reference.equipment[place], used[place]
    if at == piece.supply:
        raise RowExhaustedError(
            f"the round takes more than the {piece.supply} draws of {piece.id} that a row holds"
        )
    used[place] += 1
    return piece.shows[row[sum(one.supply for one in reference.equipment[:place]) + at]]


def _verify_offered(choice: Choice, option: str, number: int) -> None:
    if option not in choice.ids:
        offered = ", ".join(choice.ids)
        raise InputError(f"decision {number} of the {choice.seat} was {option!r}, expected one of {offered}")


def _sentences(reference: ReferenceRound[S], step: RoundStep[S]) -> Iterator[str]:
    node = step.node
    if isinstance(reference, TellingRound) and not isinstance(node, Choice):
        if isinstance(node, Settled):
            yield from (_settled(result) for result in node.results)
        else:
            yield from reference.told(step.state, step.after)
    elif isinstance(node, Chance) and step.face is not None:
        totals = {hand.holder: hand.total for hand in reference.hands(step.after)}
        total = totals.get(node.to, "")
        came = f"{node.to} {node.how} {named(reference, node.equipment, step.face)}"
        yield f"{came}: total {total}" if total else came
    elif isinstance(node, Choice) and step.option is not None:
        totals = {hand.holder: hand.total for hand in reference.hands(step.state)}
        holder = node.hand or node.seat
        total = totals.get(holder, "")
        yield f"{holder} decides {step.option}" + (f" on {total}" if total else "")
    elif isinstance(node, Settled):
        yield from (_ended(hand) for hand in reference.hands(step.state) if hand.total)
        yield from (_settled(result) for result in node.results)


def _ended(hand: Hand) -> str:
    hidden = f", {len(hand.hidden)} of {len(hand.faces)} face down" if hand.hidden else ""
    return f"{hand.holder} ends on {hand.total}{hidden}"


def _settled(result: WagerResult) -> str:
    staked = f" on {result.staked} staked" if result.staked != 1 else ""
    return f"{result.wager} settles as {result.outcome}, {result.net} net{staked}"


def _held(reference: ReferenceRound[Any], hand: Hand) -> str:
    # A hand does not say which piece its faces are of; with one piece there is no doubt.
    pieces = reference.equipment
    faces = ", ".join(pieces[0].faces[face] if len(pieces) == 1 else str(face) for face in hand.faces)
    return f"{hand.holder} {faces or 'nothing'}"

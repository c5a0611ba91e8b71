"""No decision sees a hidden draw: states that differ in it alone offer, show and ask the same, until it is turned up.

Source: J. E. Hopcroft and R. M. Karp, A linear algorithm for testing equivalence of finite automata, 1971 (pairs of
states that must be equal, joined until nothing new follows).
"""

from collections.abc import Iterator

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.stage_points import SHIFT, TARGET, stage_name
from certify.by_key import gathered, reached
from certify.errors import InputError
from certify.model import Choose, NextDraw, Plain

Pair = tuple[int, int]


class LeakError(InputError):
    """A decision depends on what its seat has not seen."""


def leak_free(automaton: Automaton) -> int:
    """Returns how many pairs of states were shown to be decided in the same way whatever is hidden.

    Args:
        automaton: The least automaton of a text.

    Raises:
        LeakError: What a seat is offered or sees, or whether it decides at all, tells of a card that it has not seen.
    """
    hidden = gathered(
        ((seat, waiting.to), state)
        for state, waiting in enumerate(automaton.waiting)
        if isinstance(waiting, NextDraw)
        for seat in waiting.hidden_from
    )
    return sum(_Comparison(automaton, seat, holder).run(states) for (seat, holder), states in hidden.items())


class _Comparison:
    """Pairs of states that one seat cannot tell apart, as long as the cards of one holder lie face down."""

    def __init__(self, automaton: Automaton, seat: str, holder: str) -> None:
        self.automaton = automaton
        self.seat = seat
        self.holder = holder
        self.joined = list(range(len(automaton.rows)))
        self.decides = _deciding(automaton, seat)

    def run(self, states: list[int]) -> int:
        pairs = [pair for state in states for pair in self.after_hidden(self.automaton.rows[state])]
        compared = 0
        while pairs:
            fresh: dict[Pair, None] = {}
            for one, other in pairs:
                root, second = self.root(one), self.root(other)
                if root != second:
                    self.joined[second] = root
                    compared += 1
                    if one in self.decides or other in self.decides:
                        fresh |= dict.fromkeys(self.compare(one, other))
            pairs = list(fresh)
        return compared

    def root(self, state: int) -> int:
        joined = self.joined
        while joined[state] != state:
            joined[state] = joined[joined[state]]
            state = joined[state]
        return state

    def after_hidden(self, row: tuple[int, ...]) -> Iterator[Pair]:
        """Yields pairs of states that hidden faces lead to, unless something was reported on the way."""
        groups: dict[object, int] = {}
        for arrow in sorted({arrow for arrow in row if arrow >= 0}):
            told = self.told(arrow)
            first = groups.setdefault(told, arrow & TARGET)
            if first != arrow & TARGET:
                yield first, arrow & TARGET

    def told(self, arrow: int) -> tuple[tuple[str, Plain], ...]:
        return self.automaton.walked.labels[arrow >> SHIFT].told

    def compare(self, one: int, other: int) -> Iterator[Pair]:
        """Yields the pairs that follow the answers on a pair.

        Raises:
            LeakError: The pair is not decided in the same way.
        """
        mine, theirs = self.automaton.waiting[one], self.automaton.waiting[other]
        if type(mine) is not type(theirs):
            raise LeakError(
                f"whether {_told(mine)} or {_told(theirs)} follows shows {self.seat} a card of {self.holder} that is "
                "face down: expected that it is turned up or announced before (shown)"
            )
        rows = self.automaton.rows[one], self.automaton.rows[other]
        if isinstance(mine, NextDraw):
            for arrow, second in zip(*rows, strict=False):
                if arrow != second and arrow >= 0 and second >= 0:
                    yield from self.following(arrow, second)
        elif isinstance(mine, Choose) and isinstance(theirs, Choose):
            own = self.seat in (mine.seat, theirs.seat)
            if own and (mine.seat, mine.options, mine.sees) != (theirs.seat, theirs.options, theirs.sees):
                raise LeakError(
                    f"{stage_name(mine)}: a decision of {self.seat} sees or is offered what depends on a card of "
                    f"{self.holder} that is face down: {mine.sees!r} and {theirs.sees!r} differ in it alone"
                )
            names = {option.id: place for place, option in enumerate(theirs.options)}
            for place, option in enumerate(mine.options):
                if option.id in names:
                    yield from self.following(rows[0][place], rows[1][names[option.id]])

    def following(self, arrow: int, second: int) -> Iterator[Pair]:
        told, also = self.told(arrow), self.told(second)
        turned_up = any(holder == self.holder for holder, _ in (*told, *also))
        if told == also and not turned_up:
            yield arrow & TARGET, second & TARGET


def _deciding(automaton: Automaton, seat: str) -> set[int]:
    """Returns the states after which a decision of the seat can still come."""
    before: list[list[int]] = [[] for _ in automaton.rows]
    for state, row in enumerate(automaton.rows):
        for target in {arrow & TARGET for arrow in row if arrow >= 0}:
            before[target].append(state)
    waiting = enumerate(automaton.waiting)
    own = (state for state, one in waiting if isinstance(one, Choose) and one.seat == seat)
    return set(reached(own, before.__getitem__))


def _told(waiting: object) -> str:
    if isinstance(waiting, Choose):
        return f"a decision of {waiting.seat} ({stage_name(waiting)})"
    return f"a draw for {waiting.to}" if isinstance(waiting, NextDraw) else "the end of the round"

"""No decision sees a hidden draw: states that differ in it alone offer, show and ask the same, until it is turned up.

Source: J. E. Hopcroft and R. M. Karp, A linear algorithm for testing equivalence of finite automata, 1971 (pairs of
states that must be alike, joined until nothing new follows).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.automaton import Automaton, Whole, places
from certify.analysis.engine.stage_points import SHIFT, TARGET, stage_name
from certify.errors import InputError
from certify.model.stages import Choose, NextDraw, Plain

Pair = tuple[int, int]


class LeakError(InputError):
    """A decision depends on what its seat has not seen."""


def leak_free(automaton: Automaton) -> int:
    """Returns how many pairs of states were shown to be decided alike whatever lies hidden.

    Args:
        automaton: The least automaton of a text.

    Raises:
        LeakError: What a seat is offered or sees, or whether it decides at all, tells of a card that it has not seen.
    """
    hidden: dict[tuple[str, str], list[int]] = {}
    for state, waiting in enumerate(automaton.waiting):
        if isinstance(waiting, NextDraw):
            for seat in waiting.hidden_from:
                hidden.setdefault((seat, waiting.to), []).append(state)
    return sum(_Comparison(automaton, seat, holder).run(states) for (seat, holder), states in hidden.items())


class _Comparison:
    """Pairs of states that one seat cannot tell apart, as long as the cards of one holder lie face down."""

    def __init__(self, automaton: Automaton, seat: str, holder: str) -> None:
        self.automaton = automaton
        self.seat = seat
        self.holder = holder
        self.joined = list(range(len(automaton.rows)))
        self.decides = _deciding(automaton, seat).tolist()
        # What is drawn from, or which options are offered; what a seat sees besides.
        self.kinds = automaton.pieces.copy()
        self.sights = np.full(len(self.kinds), -1, np.int64)
        options: dict[object, int] = {}
        sights: dict[object, int] = {}
        for state, one in enumerate(automaton.waiting):
            if isinstance(one, Choose):
                self.kinds[state] = -2 - options.setdefault(one.options, len(options))
                if one.seat == seat:
                    self.sights[state] = sights.setdefault(one.sees, len(sights))
        labels = automaton.walked.labels
        told: dict[object, int] = {}
        self.told_alike = np.array([told.setdefault(one.told, len(told)) for one in labels], np.int64)
        turned = [any(turned == holder for turned, _ in one.told) for one in labels]
        self.turned_up = np.array(turned, bool)

    def run(self, states: list[int]) -> int:
        pairs: list[Pair] = []
        for state in states:
            pairs += self.after_hidden(self.automaton.rows[state])
        compared = 0
        while pairs:
            fresh = []
            for one, other in pairs:
                root, second = self.root(one), self.root(other)
                if root != second:
                    self.joined[second] = root
                    compared += 1
                    if self.decides[one] or self.decides[other]:
                        fresh.append((one, other))
            both = np.array(fresh, np.int64).reshape(-1, 2)
            drawn = (self.kinds[both] >= 0).all(axis=1)
            alike = (self.kinds[both[:, 0]] == self.kinds[both[:, 1]]) & (self.kinds[both[:, 0]] < -1)
            alike &= self.sights[both[:, 0]] == self.sights[both[:, 1]]
            pairs = [*self.answered(both[drawn | alike])]
            for one, other in both[~(drawn | alike)].tolist():
                pairs += self.compare(one, other)
        return compared

    def root(self, state: int) -> int:
        joined = self.joined
        while joined[state] != state:
            joined[state] = joined[joined[state]]
            state = joined[state]
        return state

    def after_hidden(self, row: tuple[int, ...]) -> Iterator[Pair]:
        """Yields pairs of states that hidden faces lead to, unless something was told on the way."""
        groups: dict[object, int] = {}
        for arrow in sorted({arrow for arrow in row if arrow >= 0}):
            told = self.told(arrow)
            first = groups.setdefault(told, arrow & TARGET)
            if first != arrow & TARGET:
                yield first, arrow & TARGET

    def told(self, arrow: int) -> tuple[tuple[str, Plain], ...]:
        return self.automaton.walked.labels[arrow >> SHIFT].told

    def answered(self, both: Whole) -> Iterator[Pair]:
        """Yields the pairs that follow the answers on pairs of states that both draw, or are decided alike."""
        kinds = self.kinds[both]
        for mine, theirs in np.unique(kinds, axis=0).tolist():
            own = both[(kinds == (mine, theirs)).all(axis=1)]
            answers = min(len(self.automaton.rows[state]) for state in own[0].tolist())
            arrows, seconds = (self.automaton.arrows(states, answers) for states in own.T)
            apart = (arrows >= 0) & (seconds >= 0) & (arrows != seconds)
            yield from self.both_following(arrows[apart], seconds[apart])

    def both_following(self, arrows: Whole, seconds: Whole) -> Iterator[Pair]:
        """Yields the pairs of states that different arrows lead to, unless they are told apart or turned up."""
        told, also = arrows >> SHIFT, seconds >> SHIFT
        unknown = (self.told_alike[told] == self.told_alike[also]) & ~self.turned_up[told]
        count = len(self.joined)
        led = np.unique((arrows[unknown] & TARGET) * count + (seconds[unknown] & TARGET))
        yield from zip((led // count).tolist(), (led % count).tolist(), strict=True)

    def compare(self, one: int, other: int) -> Iterator[Pair]:
        """Yields the pairs that follow the options of a pair.

        Raises:
            LeakError: The pair is not decided alike.
        """
        mine, theirs = self.automaton.waiting[one], self.automaton.waiting[other]
        if type(mine) is not type(theirs):
            raise LeakError(
                f"whether {_told(mine)} or {_told(theirs)} follows tells {self.seat} of a card of {self.holder} that "
                "lies face down: expected that it is turned up or announced before (shown)"
            )
        if isinstance(mine, Choose) and isinstance(theirs, Choose):
            own = self.seat in (mine.seat, theirs.seat)
            if own and (mine.seat, mine.options, mine.sees) != (theirs.seat, theirs.options, theirs.sees):
                raise LeakError(
                    f"{stage_name(mine)}: a decision of {self.seat} sees or is offered what depends on a card of "
                    f"{self.holder} that lies face down: {mine.sees!r} and {theirs.sees!r} differ in it alone"
                )
            names = {option.id: place for place, option in enumerate(theirs.options)}
            rows = self.automaton.rows[one], self.automaton.rows[other]
            for place, option in enumerate(mine.options):
                if option.id in names:
                    yield from self.following(rows[0][place], rows[1][names[option.id]])

    def following(self, arrow: int, second: int) -> Iterator[Pair]:
        told, also = self.told(arrow), self.told(second)
        turned_up = any(holder == self.holder for holder, _ in (*told, *also))
        if told == also and not turned_up:
            yield arrow & TARGET, second & TARGET


def _deciding(automaton: Automaton, seat: str) -> NDArray[np.bool_]:
    """Returns for every state whether a decision of the seat can still come."""
    targets, starts = automaton.flat.followers()
    count = len(automaton.rows)
    sources = np.repeat(np.arange(count), np.diff(starts))
    by_target = np.argsort(targets, kind="stable")
    before, begins = sources[by_target], np.searchsorted(targets[by_target], np.arange(count + 1))
    decides = np.array([isinstance(one, Choose) and one.seat == seat for one in automaton.waiting], bool)
    waiting = np.flatnonzero(decides)
    while len(waiting):
        begin, counts = begins[waiting], begins[waiting + 1] - begins[waiting]
        reached = np.unique(before[np.repeat(begin, counts) + places(counts)])
        waiting = reached[~decides[reached]]
        decides[waiting] = True
    return decides


def _told(waiting: object) -> str:
    if isinstance(waiting, Choose):
        return f"a decision of {waiting.seat} ({stage_name(waiting)})"
    return f"a draw for {waiting.to}" if isinstance(waiting, NextDraw) else "the end of the round"

"""A game as the kit looks at it: walked, played and counted once, with what a seat sees when it decides.

A round whose decisions forget an open card still has a best play: the best by what they see. It is worth less than that
of a player who looks at the table, and a certificate would call it the best.
"""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final

from numpy.typing import NDArray

from certify.analysis.engine.distribution import counting_order
from certify.analysis.engine.exact import CountedGame
from certify.analysis.engine.exposure import witnesses
from certify.analysis.engine.walk import CHOICE, RoundGraph, walk
from certify.by_key import gathered
from certify.errors import InputError
from certify.families import (
    Choice,
    Node,
    PlayedRound,
    ReferenceRound,
    Settled,
    VolumePort,
    play,
    rows_of,
    steps,
    witnesses as searched,
)
from certify.kit.check import Found, KitLaw, Planted, judged, not_applicable, undecided
from certify.mathematics import analyze, plan_of
from certify.model import Analysis, Game, Strategy
from certify.model.points import Reached
from certify.simulation import StreamDecks, has_own_volume, volume_of

WALKED_AT_MOST: Final = 150_000
"""States of a game that is walked whole; a walk of these takes a minute or two."""

ROWS: Final = 400
"""Random draws of the real game under every strategy that is played."""

SEARCHED: Final = 3_000
"""Random draws that are looked through for rounds that end in different ways."""

MOST_TOLD: Final = 120
"""Rounds that end in different ways, at most."""

Ended = tuple[tuple[str, str, Fraction, Fraction], ...]
"""How a round ended: (wager, outcome, net, staked) of every wager."""

Figures = Mapping[str, tuple[tuple[str, Fraction, Fraction, Fraction, Fraction, Fraction], ...]]
"""(outcome, net, staked, probability, how far off that may be, variance) of every outcome that comes up, by wager.

Of a class of rounds net is the mean, and the variance is that within the class.
"""


@dataclass
class Subject:
    """One game of a family.

    Args:
        game: The submission.
        seed: Master seed of the random draws, at least 32 bytes.
        rounds: Random draws of the real game.
    """

    game: Game
    seed: bytes
    rounds: int = ROWS
    _played: dict[str, list[PlayedRound]] = field(default_factory=dict)

    @cached_property
    def reference(self) -> ReferenceRound[Any]:
        """The reference round of the game."""
        return self.game.port.reference(self.game)

    @property
    def volume(self) -> VolumePort | None:
        """What plays the game in volume by compiled code, none where the reference round is played."""
        return volume_of(self.game) if has_own_volume(self.game) else None

    @cached_property
    def analyses(self) -> Mapping[str, Analysis]:
        """Exact figures under every strategy that a run analyses, by the family's own counting if it brings one."""
        return {name: analyze(self.game, name) for name in plan_of(self.game).analysed}

    @cached_property
    def strategies(self) -> Mapping[str, Strategy]:
        """The strategies that are played, as tables."""
        return {name: self.analyses[name].strategy for name in plan_of(self.game).played}

    @cached_property
    def smaller(self) -> tuple[Game, ...]:
        """Smaller games of the same rules, as the family makes them."""
        return (
            tuple(self.game.port.checks.smaller(self.game))
            if self.game.port.checks.smaller is not None
            else ()
        )

    @cached_property
    def whole(self) -> CountedGame | None:
        """The real game walked on every path, none where it has too many states for that."""
        return counted(self.game)

    @cached_property
    def walked(self) -> tuple[CountedGame, ...]:
        """Games that were walked on every path: the real one where it is small enough, else smaller ones."""
        if self.whole is not None:
            return (self.whole,)
        return tuple(one for one in map(counted, self.smaller) if one is not None)

    @cached_property
    def rows(self) -> list[tuple[int, ...]]:
        """Random draws of the real game, and the draws of a round for every row that is known to be reached."""
        drawn = StreamDecks.of(self.game, self.seed).deal(0, self.rounds).tolist()
        shown = [reached.row(self.reference.equipment) for reached in self.reached.values()]
        return [*map(tuple, drawn), *shown]

    @cached_property
    def searched(self) -> list[tuple[int, ...]]:
        """Random draws that are looked through, where a few are not enough."""
        return list(map(tuple, StreamDecks.of(self.game, self.seed).deal(1, SEARCHED).tolist()))

    @cached_property
    def telling(self) -> list[tuple[int, ...]]:
        """A random draw for every way a round ends that some of many draws come to, under any strategy played."""
        found: dict[Ended, tuple[int, ...]] = {}
        for strategy in self.strategies.values():
            for row in self.searched:
                if len(found) < MOST_TOLD:
                    found.setdefault(ended(play(self.reference, row, strategy)), row)
        return list(found.values())

    def table(self, rows: Sequence[Sequence[int]]) -> NDArray[Any]:
        """Returns rows of draws in the form in which a play-through takes them."""
        import numpy as np

        return np.array(rows, dtype=StreamDecks.of(self.game, self.seed).deal(0, 1).dtype)

    @cached_property
    def reached(self) -> Mapping[tuple[str, str], Reached]:
        """A round for every row that is known to be reached, by wager and row."""
        if self.whole is not None:
            return witnesses(self.whole.graph, partial(rows_of, self.game.port.rules, self.game))
        return {key: found for key in self.stated_rows if (found := self._searched(*key)) is not None}

    @cached_property
    def stated_rows(self) -> tuple[tuple[str, str], ...]:
        """Every row that the family says can be reached."""
        return tuple(
            (wager.id, row)
            for wager in self.game.wagers
            for row in self.game.port.rules.reachable_rows(self.game, wager.id)
        )

    def _searched(self, wager: str, row: str) -> Reached | None:
        try:
            (found,) = searched(self.game, [(wager, row)])
        except InputError:
            return None
        pieces, drawn, start = self.reference.equipment, [], 0
        for piece in pieces:
            drawn += [(piece.id, piece.shows[item]) for item in found.deck[start : start + piece.supply]]
            start += piece.supply
        state: Any = None
        return Reached(state, self.reference.node(self.reference.start()), tuple(drawn), found.decisions)

    def played(self, name: str) -> list[PlayedRound]:
        """Returns the rows played by the reference round under a strategy."""
        if name not in self._played:
            self._played[name] = [play(self.reference, row, self.strategies[name]) for row in self.rows]
        return self._played[name]

    def every_round(self) -> Iterator[tuple[str, tuple[int, ...], PlayedRound]]:
        """Yields each strategy and row of draws with the round that it was played as."""
        for name in self.strategies:
            for row, played in zip(self.rows, self.played(name), strict=True):
                yield name, row, played


def counted(game: Game, limit: int = WALKED_AT_MOST) -> CountedGame | None:
    """Returns a game walked on every path, none where it has more states than the limit."""
    try:
        graph = walk(game.port.reference(game), limit)
    except InputError as error:
        if "states" in str(error):
            return None
        raise
    return CountedGame(
        game, graph, counting_order(graph.offsets, graph.targets), partial(rows_of, game.port.rules)
    )


def figures_of(analysis: Analysis) -> Figures:
    """Returns what some round really comes to; outcomes that never come up are left out."""
    return {
        wager.wager: tuple(
            sorted(
                (one.id, one.pays, one.staked, one.probability, one.off, one.variance)
                for one in wager.outcomes
                if one.probability
            )
        )
        for wager in analysis.wagers
    }


def walked_figures(walked: CountedGame, strategy: Strategy) -> Figures:
    """Returns the same by the engine's walk over the reference round."""
    reached = walked.visits(strategy).results
    return {wager.id: _ended_so(walked.graph, wager.id, reached) for wager in walked.game.wagers}


def _ended_so(
    graph: RoundGraph, wager: str, reached: Iterable[Fraction]
) -> tuple[tuple[str, Fraction, Fraction, Fraction, Fraction, Fraction], ...]:
    """Returns how a wager ends, from how often each end of the walk is reached, each class of rounds as one."""
    place = graph.wagers.index(wager)
    settled = ((results[place], chance) for results, chance in zip(graph.results, reached, strict=True))
    ends = gathered(
        (one.outcome, (chance, Fraction(one.net), Fraction(one.staked))) for one, chance in settled if chance
    )
    found = []
    for outcome, ways in ends.items():
        chance = sum((one for one, _, _ in ways), Fraction(0))
        net = sum((one * result for one, result, _ in ways), Fraction(0)) / chance
        staked = sum((one * stake for one, _, stake in ways), Fraction(0)) / chance
        variance = sum((one * (result - net) ** 2 for one, result, _ in ways), Fraction(0)) / chance
        found.append((outcome, net, staked, chance, Fraction(0), variance))
    return tuple(sorted(found))


def differences(one: Figures, other: Figures, first: str, second: str) -> list[str]:
    """Returns where two distributions differ, by more than either says that it may be off, or in their means."""
    found, never = [], (Fraction(0), Fraction(0))
    for wager in {**one, **other}:
        left, right = (
            {
                (name, net, staked, variance): (chance, off)
                for name, net, staked, chance, off, variance in figures.get(wager, ())
            }
            for figures in (one, other)
        )
        for key in {**left, **right}:
            (chance, off), (as_well, also) = left.get(key, never), right.get(key, never)
            if abs(chance - as_well) > off + also:
                found.append(
                    f"{wager} {key[0]} ({key[1]} net of {key[2]} staked{_within(key[3])}): "
                    f"{first} {chance or 'never'}, {second} {as_well or 'never'}"
                )
        means = [
            sum((net * chance for (_, net, _, _), (chance, _) in rows.items()), Fraction(0))
            for rows in (left, right)
        ]
        if not found and means[0] != means[1]:
            found.append(f"{wager}: {first} {means[0]} on average, {second} {means[1]}")
    return found


def _within(variance: Fraction) -> str:
    return f", variance {variance}" if variance else ""


def ended(played: PlayedRound) -> Ended:
    """Returns how a round ended."""
    return tuple((one.wager, one.outcome, Fraction(one.net), Fraction(one.staked)) for one in played.results)


def without(game: Game, wager: str) -> Game:
    """Returns a game without one of its wagers, and without what is printed of it."""
    return replace(
        game,
        wagers=tuple(one for one in game.wagers if one.id != wager),
        claims=tuple(one for one in game.claims if one.wager != wager),
    )


def states_of(reference: ReferenceRound[Any], row: Sequence[int], decisions: Iterable[str]) -> list[Hashable]:
    """Returns the states that a recorded round goes through."""
    remaining = iter(decisions)
    return [step.state for step in steps(reference, row, lambda choice: next(remaining, None))]


MOST_SEEN: Final = 20_000
"""States of a round that is walked with every open card, where others lie hidden."""


@dataclass(frozen=True, slots=True)
class Looking:
    """A reference round whose seats see every card that is open or is their own.

    Args:
        sound: The round as the author wrote it.
    """

    sound: ReferenceRound[Any]

    def __getattr__(self, name: str) -> Any:
        """Returns what the round does as the author wrote it, but for its graph: there no more is seen."""
        if name == "graph":
            raise AttributeError(name)
        return getattr(self.sound, name)

    def node(self, state: Any) -> Node:
        """Returns what the round waits for; a decision sees what is open to its seat, too."""
        node = self.sound.node(state)
        if not isinstance(node, Choice):
            return node
        open_to = tuple(
            (hand.holder, tuple(sorted(_open(hand.faces, () if hand.holder == node.seat else hand.hidden))))
            for hand in self.sound.hands(state)
        )
        return replace(node, sees=(node.sees, open_to))

    def alike(self, state: Any, face: int) -> Hashable:
        """Returns the face: each is a card of its own to who looks."""
        return face

    def matters(self, state: Any) -> Hashable:
        """Returns what matters, and until the end where everything is."""
        found = self.sound.matters(state)
        if isinstance(self.sound.node(state), Settled):
            return found
        return found, tuple(
            (hand.holder, tuple(sorted(hand.faces)), tuple(sorted(_open(hand.faces, hand.hidden))))
            for hand in self.sound.hands(state)
        )


def _open(faces: tuple[int, ...], hidden: tuple[int, ...]) -> list[int]:
    return [face for place, face in enumerate(faces) if place not in hidden]


@KitLaw(
    "seen-cards",
    "Decisions see every card that is open or is the seat's own, as far as it changes what is best",
    "What is certified as best play is not the best: players who look at the table win more.",
)
def seen(subject: Subject) -> Found:
    """Returns whether best play by what decisions see is worth as much as by every open card."""
    whole = _decided(subject)
    if isinstance(whole, str):
        return not_applicable(whole)
    best, by_cards = whole.solution(), worth_of_cards(subject, whole)
    if by_cards is None:
        return undecided(
            f"cards lie hidden at decisions, and with every open card there are more than {MOST_SEEN:,} states: name "
            "a smaller game of the same rules with --game"
        )
    forgotten = [
        f"best play by what is seen nets {best.value}, by every open card {by_cards}: `sees` forgets a card"
    ]
    return judged(len(best.graph.beliefs), "beliefs", forgotten if by_cards > best.value else [])


def _decided(subject: Subject) -> CountedGame | str:
    """Returns the walked game in which one seat decides by what it sees, or why there is none."""
    if subject.game.port.exact is not None:
        return "the family counts by its own method, and its strategies say what they look at"
    whole = subject.whole
    seats = {choice.seat for choice in whole.graph.choices if len(choice.options) > 1} if whole else set()
    return (
        f"{len(seats) or 'no'} seats decide in a game that is walked whole: expected one"
        if whole is None or len(seats) != 1
        else whole
    )


def worth_of_cards(subject: Subject, whole: CountedGame) -> Fraction | None:
    """Returns what best play nets where every open card is seen; none where that is too large to be walked."""
    best = whole.solution()
    if all(len(belief.weights) == 1 for belief in best.graph.beliefs):
        return best.value
    reference = subject.reference
    covered = any(
        hand.hidden
        for name in subject.strategies
        for row, played in zip(subject.rows, subject.played(name), strict=True)
        for state in states_of(reference, row, played.decisions)
        for hand in reference.hands(state)
    )
    if not covered:
        # All that was drawn is open: who looks knows which moment of the round it is.
        return _otherwise(whole, lambda choice, state: (choice.sees, state)).solution().value
    looking = replace(
        subject.game.port, text=None, reference=lambda game: Looking(subject.game.port.reference(game))
    )
    walked = counted(replace(subject.game, port=looking), MOST_SEEN)
    return None if walked is None else walked.solution().value


def forgotten(subject: Subject) -> Iterator[Planted]:
    """Yields the round with decisions that forget a part of what they see, and whether that is noticed."""
    whole = _decided(subject)
    by_cards = None if isinstance(whole, str) else worth_of_cards(subject, whole)
    if isinstance(whole, str) or by_cards is None:
        return
    parts = {len(choice.sees) for choice in whole.graph.choices if isinstance(choice.sees, tuple)}
    for part in (-1, *range(max(parts, default=0))):
        altered = _otherwise(
            whole, lambda choice, state, part=part: (choice.ids, _without(choice.sees, part))
        )
        words = f"decisions forget {f'part {part + 1} of ' if part >= 0 else ''}what is seen"
        try:
            value = altered.solution().value
        except InputError:
            value = None  # Two decisions look the same and differ: the engine refuses them by itself.
        same = value == whole.solution().value
        yield Planted(subject.game.id, "sees", words, value is None or value < by_cards, idle=same)


def _without(sees: Hashable, part: int) -> Hashable:
    if part < 0:
        return ()
    return (*sees[:part], *sees[part + 1 :]) if isinstance(sees, tuple) else sees


def _otherwise(whole: CountedGame, sees: Any) -> CountedGame:
    """Returns a walked game whose decisions see something else, by choice and state."""
    graph = whole.graph
    choices: dict[Choice, int] = {}
    details = array("q", graph.details)
    for state, kind in enumerate(graph.kinds):
        if kind == CHOICE:
            choice = graph.choice(state)
            details[state] = choices.setdefault(replace(choice, sees=sees(choice, state)), len(choices))
    return replace(
        whole,
        graph=replace(graph, choices=tuple(choices), details=details, counted={}),
        _solutions={},
    )

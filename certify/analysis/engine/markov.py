"""The walked round as an explicit Markov decision process that a model checker reads.

Nothing is solved here. Every state of the walk is a state, every option an action, every draw a chance with its exact
weight, and every wager a reward that is given where the round is settled. Rewards are not negative, as model checkers
ask: of a wager that can lose L units in all, L is added to what every round of it pays.

Source: Storm, explicit format DRN (https://www.stormchecker.org/documentation/background/languages.html);
PRISM language (https://www.prismmodelchecker.org/manual/ThePRISMLanguage). All numbers are whole fractions, which
both read exactly where an option says so (``--exact``, ``-exact``).
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from certify.analysis.engine.beliefs import Outlook, beliefs_of, fold
from certify.analysis.engine.distribution import CountingOrder
from certify.analysis.engine.walk import CHANCE, CHOICE, RoundGraph
from certify.by_key import summed
from certify.errors import InputError

DRN: Final = "drn"
PRISM: Final = "prism"
FORMS: Final = (PRISM, DRN)

DONE: Final = "done"
"""Label of the state in which a round is over."""

PRISM_LIMIT: Final = 50_000
"""Most states that are written in PRISM's language, which is parsed command by command."""

_NAME: Final = re.compile(r"[^A-Za-z0-9_]")


def reward_name(wager: str) -> str:
    """Returns the name of the reward of a wager.

    >>> reward_name("side-bet")
    'side_bet'
    """
    return _NAME.sub("_", wager)


def maximum_property(wager: str) -> str:
    """Returns the property whose value is the most that play can expect of a wager, offset included."""
    return f'R{{"{reward_name(wager)}"}}max=? [ F "{DONE}" ]'


def lines_of(process: "Process", form: str) -> Iterator[str]:
    """Yields the lines of a process in a form.

    Raises:
        InputError: There is no such form, or the process is too large for it.
    """
    if form == DRN:
        return _drn(process)
    if form != PRISM:
        raise InputError(f"form {form!r}: expected one of {', '.join(FORMS)}")
    if process.size > PRISM_LIMIT:
        raise InputError(
            f"{process.size:,} states are more than the {PRISM_LIMIT:,} that are written in PRISM's language: "
            f"expected --as {DRN}"
        )
    return _prism(process)


def _drn(process: "Process") -> Iterator[str]:
    yield from (
        "@type: MDP",
        "@parameters",
        "",
        "@reward_models",
        " ".join(map(reward_name, process.rewards)),
    )
    yield from ("@nr_states", str(process.size), "@nr_choices", str(process.choices), "@model")
    last = process.size - 1
    for state, actions in enumerate(process.states()):
        label = " init" if state == START else f" {DONE}" if state == last else ""
        yield f"state {state}{label}"
        for action in actions:
            rewards = ", ".join(map(str, action.rewards))
            yield f"\taction {reward_name(action.name)} [{rewards}]"
            for target, chance in sorted(action.targets):
                yield f"\t\t{target} : {chance}"


def _prism(process: "Process") -> Iterator[str]:
    last = process.size - 1
    yield from ("mdp", "", "module round", f"  s : [0..{last}] init {START};")
    paid: list[tuple[int, MarkovAction, str]] = []
    for state, actions in enumerate(process.states()):
        for name, action in zip(_names(actions), actions, strict=True):
            yield f"  [{name}] s={state} -> {' + '.join(_update(*target) for target in sorted(action.targets))};"
            if any(action.rewards):
                paid.append((state, action, name))
    yield from ("endmodule", "", f'label "{DONE}" = s={last};')
    for place, wager in enumerate(process.rewards):
        yield from ("", f'rewards "{reward_name(wager)}"')
        for state, action, name in paid:
            if action.rewards[place]:
                yield f"  [{name}] s={state} : {action.rewards[place]};"
        yield "endrewards"


def _names(actions: "tuple[MarkovAction, ...]") -> list[str]:
    """Returns names of actions that PRISM takes: letters, digits and underscores, each once in a state."""
    names = [f"a_{reward_name(action.name)}" for action in actions]
    return names if len(set(names)) == len(names) else [f"{name}_{n}" for n, name in enumerate(names)]


def _update(target: int, chance: Fraction) -> str:
    return f"{chance} : (s'={target})"


START: Final = 0
SETTLES: Final = "settle"
DRAWS: Final = "chance"
STAYS: Final = "end"
"""Names of the actions that no player takes."""


@dataclass(frozen=True, slots=True)
class MarkovAction:
    """What may be done in a state.

    Args:
        name: Id of the option, or what chance or the rules do.
        rewards: Reward of each wager for taking it, in the order of the process.
        targets: (state, probability); probabilities sum to exactly one.
    """

    name: str
    rewards: tuple[Fraction, ...]
    targets: tuple[tuple[int, Fraction], ...]


STATES, KNOWLEDGE, AVERAGES = "states", "knowledge", "averaged steps"


@dataclass(frozen=True, slots=True)
class Process:
    """An explicit Markov decision process; state 0 is the start, the last state the end of every round.

    Args:
        made_of: What its states are: ``states`` of the walk, ``knowledge`` of a player, or ``averaged steps``, each
            expected as often as in a round: their chances do not multiply.
        rewards: Ids of the wagers that have a reward.
        offsets: What is added to the net result of each wager, in units of its initial stake.
        size: Number of states.
        choices: Number of actions of all states together.
        states: Yields the actions of every state, in the order of the states.
    """

    made_of: str
    rewards: tuple[str, ...]
    offsets: tuple[Fraction, ...]
    size: int
    choices: int
    states: Callable[[], Iterator[tuple[MarkovAction, ...]]]


def hides_nothing(graph: RoundGraph) -> bool:
    """Returns whether no two states look the same to whoever decides freely in them.

    Then the best play of the process is the best play of the game. Where two states look the same, a scheduler of
    the process could distinguish them by what is hidden.
    """
    waiting = (graph.choice(state) for state, kind in enumerate(graph.kinds) if kind == CHOICE)
    seen = Counter((choice.seat, choice.sees) for choice in waiting if len(choice.options) > 1)
    return all(states == 1 for states in seen.values())


def process_of(graph: RoundGraph, order: CountingOrder, stakes: Mapping[str, Fraction]) -> Process:
    """Returns the process of a round: its states, or where something is hidden what a player can know of them.

    Args:
        graph: The walked round.
        order: The order in which its states can be counted.
        stakes: Units on each wager, for a round in which something is hidden.

    Raises:
        InputError: Two seats decide freely, or what a player can know is too much to be written out.
    """
    seats = {choice.seat for choice in graph.choices if len(choice.options) > 1}
    if len(seats) > 1:
        raise InputError(
            f"{', '.join(sorted(seats))} decide in this game: a Markov decision process has one player, "
            "expected one who decides"
        )
    return _walked(graph) if hides_nothing(graph) else _known(graph, order, stakes)


def _walked(graph: RoundGraph) -> Process:
    """Returns every state of the walk, with a reward for each wager: its net result and the most that it can lose."""
    offsets = tuple(_most_lost(graph, {wager: Fraction(1)}) for wager in graph.wagers)
    choices = sum(len(graph.edges(state)) if kind == CHOICE else 1 for state, kind in enumerate(graph.kinds))
    steps = partial(_steps, graph, offsets)
    made_of = AVERAGES if graph.drawn_as else STATES
    return Process(made_of, graph.wagers, offsets, graph.size + 1, choices + 1, steps)


def _steps(graph: RoundGraph, offsets: tuple[Fraction, ...]) -> Iterator[tuple[MarkovAction, ...]]:
    nothing, end = (Fraction(0),) * len(offsets), graph.size
    for state, kind in enumerate(graph.kinds):
        detail, edges = graph.details[state], graph.edges(state)
        if kind == CHANCE:
            following = summed((graph.targets[edge], graph.weights[edge]) for edge in edges)
            drawn = tuple((target, Fraction(weight, detail)) for target, weight in following.items())
            yield (MarkovAction(DRAWS, nothing, drawn),)
        elif kind == CHOICE:
            yield tuple(
                MarkovAction(option, nothing, ((graph.targets[edge], Fraction(1)),))
                for option, edge in zip(graph.choice(state).ids, edges, strict=True)
            )
        else:
            paid = (offset + ended.net for offset, ended in zip(offsets, graph.results[detail], strict=True))
            yield (MarkovAction(SETTLES, tuple(paid), ((end, Fraction(1)),)),)
    yield (MarkovAction(STAYS, nothing, ((end, Fraction(1)),)),)


ALL: Final = "stakes"
"""Name of the one reward of a process of what can be known: the result in units of all stakes together."""


def _known(graph: RoundGraph, order: CountingOrder, stakes: Mapping[str, Fraction]) -> Process:
    """Returns what a player can know at each decision, with the expected result of what is settled on the way.

    Belief n is state n + 1, between the start and the end.
    """
    found, offset = beliefs_of(fold(graph, order, stakes)), _most_lost(graph, stakes)
    end = len(found.beliefs) + 1
    choices = 2 + sum(len(belief.outlooks) for belief in found.beliefs)

    def action(name: str, outlook: Outlook) -> MarkovAction:
        ends = 1 - sum((chance for _, chance in outlook.following), Fraction(0))
        targets = tuple((number + 1, chance) for number, chance in outlook.following)
        rest = ((end, ends),) if ends else ()
        return MarkovAction(name, (outlook.settled + offset * ends,), (*targets, *rest))

    def states() -> Iterator[tuple[MarkovAction, ...]]:
        yield (action(DRAWS, found.start),)
        for belief in found.beliefs:
            yield tuple(map(action, belief.choice.ids, belief.outlooks))
        yield (MarkovAction(STAYS, (Fraction(0),), ((end, Fraction(1)),)),)

    return Process(KNOWLEDGE, (ALL,), (offset,), end + 1, choices, states)


def _most_lost(graph: RoundGraph, stakes: Mapping[str, Fraction]) -> Fraction:
    lowest = min(
        sum((stakes.get(result.wager, Fraction(0)) * result.net for result in results), Fraction(0))
        for results in graph.results
    )
    return Fraction(max(1, math.ceil(-lowest)))

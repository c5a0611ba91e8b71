"""An explicit Markov decision process in the two forms that model checkers read: DRN of Storm, and PRISM's language.

Source: Storm, explicit format DRN (https://www.stormchecker.org/documentation/background/languages.html);
PRISM language (https://www.prismmodelchecker.org/manual/ThePRISMLanguage). All numbers are whole fractions, which
both read exactly where they are asked to (``--exact``, ``-exact``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from certify.analysis.engine.markov import START, MarkovAction, Process
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


def lines_of(process: Process, form: str) -> Iterator[str]:
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


def _drn(process: Process) -> Iterator[str]:
    yield "@type: MDP"
    yield "@parameters"
    yield ""
    yield "@reward_models"
    yield " ".join(map(reward_name, process.rewards))
    yield "@nr_states"
    yield str(process.size)
    yield "@nr_choices"
    yield str(process.choices)
    yield "@model"
    last = process.size - 1
    for state, actions in enumerate(process.states()):
        label = " init" if state == START else f" {DONE}" if state == last else ""
        yield f"state {state}{label}"
        for action in actions:
            rewards = ", ".join(map(str, action.rewards))
            yield f"\taction {reward_name(action.name)} [{rewards}]"
            for target, chance in sorted(action.targets):
                yield f"\t\t{target} : {chance}"


def _prism(process: Process) -> Iterator[str]:
    last = process.size - 1
    yield "mdp"
    yield ""
    yield "module round"
    yield f"  s : [0..{last}] init {START};"
    paid: list[tuple[int, MarkovAction, str]] = []
    for state, actions in enumerate(process.states()):
        for name, action in zip(_names(actions), actions, strict=True):
            yield f"  [{name}] s={state} -> {' + '.join(_update(*target) for target in sorted(action.targets))};"
            if any(action.rewards):
                paid.append((state, action, name))
    yield "endmodule"
    yield ""
    yield f'label "{DONE}" = s={last};'
    for place, wager in enumerate(process.rewards):
        yield ""
        yield f'rewards "{reward_name(wager)}"'
        for state, action, name in paid:
            if action.rewards[place]:
                yield f"  [{name}] s={state} : {action.rewards[place]};"
        yield "endrewards"


def _names(actions: tuple[MarkovAction, ...]) -> list[str]:
    """Returns names of actions that PRISM takes: letters, digits and underscores, each once in a state."""
    names = [f"a_{reward_name(action.name)}" for action in actions]
    return names if len(set(names)) == len(names) else [f"{name}_{n}" for n, name in enumerate(names)]


def _update(target: int, chance: Fraction) -> str:
    return f"{chance} : (s'={target})"

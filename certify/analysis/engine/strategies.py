"""Strategies that every game has: best play, worst play, and each option taken wherever it is offered."""

import functools
import inspect
import sys
import types
from collections.abc import Hashable, Iterator, Mapping, MutableMapping, MutableSequence, MutableSet, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.walk import RoundGraph
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.errors import InputError
from certify.model import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL, ChoiceTable, StrategyPlan

SIZE_LIMIT: Final = 4 * 1024 * 1024
"""Most bytes of a strategy file."""
PRINTED_CARD: Final = "printed card"

_KEYS: Final = ("schema", "name", "otherwise", "choices")

Offered = Mapping[Hashable, Sequence[str]]
"""Options by what is seen, for every decision that some play comes to."""


def read_strategy(path: Path, offered: Offered) -> ChoiceTable:
    """Returns the strategy that a file states.

    Raises:
        InputError: The file cannot be read or is too large, or what :func:`parse_strategy` refuses.
    """
    return parse_strategy(strategy_text(path, SIZE_LIMIT), str(path), offered)


def parse_strategy(text: str, source: str, offered: Offered) -> ChoiceTable:
    r"""Returns the strategy that a TOML text states.

    ``[choices]`` names an option for what is seen, as ``certify analyze`` lists it; ``otherwise`` names an option
    that is taken on everything that is not listed, where it is offered there.

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        offered: Every decision that some play comes to.

    Raises:
        InputError: The text is no TOML, has unknown keys, names what is never seen or an option that is not
            offered, or leaves something undecided. All mistakes are named at once.

    >>> parse_strategy('schema = "certify-strategy/1"\nname = "card"\n[choices]\n4 = "hit"', "card.toml",
    ...                {4: ("stand", "hit")}).choose(4, ("stand", "hit"))
    'hit'
    """
    found = StrategyFile.parsed(text, source, _KEYS)
    name = found.name(_reserved)
    choices = _choices(found.document, offered, found.problems)
    found.check()
    return ChoiceTable(name, PRINTED_CARD, frozenset(choices.items()))


def _reserved(name: str) -> bool:
    return name in (OPTIMAL, MAIN_OPTIMAL, JOINTLY_OPTIMAL, WORST) or name.startswith((ALWAYS, FILE))


def _choices(document: Mapping[str, Any], offered: Offered, problems: list[str]) -> dict[Hashable, str]:
    section, otherwise = document.get("choices", {}), document.get("otherwise")
    if not isinstance(section, dict):
        problems.append("[choices] is no table of decisions")
        return {}
    texts = seen_texts(offered)
    known = set(texts.values())
    problems += [f"[choices] {text!r}: nothing is decided on it" for text in section if text not in known]
    if otherwise is not None and not any(otherwise in options for options in offered.values()):
        problems.append(f"otherwise is {otherwise!r}, which is never offered")
    chosen: dict[Hashable, str] = {}
    for seen, options in offered.items():
        option = section.get(texts[seen], otherwise if otherwise in options else None)
        if option in options:
            chosen[seen] = str(option)
        elif texts[seen] in section:
            problems.append(f"[choices] {texts[seen]!r} is {option!r}: expected one of {', '.join(options)}")
        else:
            problems.append(f"nothing is decided on {texts[seen]!r}: expected one of {', '.join(options)}")
    return chosen


Code: TypeAlias = "types.FunctionType | type"

_NOUNS: Final = ("certify.model.", "certify.errors", "certify.exact")
"""Modules of nouns, which say nothing about how a game is played."""

SIDE_DOORS: Final = frozenset(
    {"_getframe", "_current_frames", "currentframe", "f_back", "f_locals", "f_globals", "tb_frame", "gi_frame",
     "get_objects", "get_referrers", "settrace", "setprofile", "import_module", "__import__", "__globals__",
     "__closure__", "__code__", "__subclasses__", "__builtins__", "eval", "exec", "inspect", "gc", "ctypes",
     "importlib"}
)  # fmt: skip
"""Names by which code sees who calls it and what others hold, or reaches code that it does not name."""

_CHANGEABLE: Final = (MutableMapping, MutableSequence, MutableSet)


def reached(*starts: object) -> dict[str, Code]:
    """Returns every function and class that some name, directly or not, by module and name.

    The standard library, numpy, the language's own functions and the nouns of every game are no text of a game.
    """
    found: dict[str, Code] = {}
    waiting = [*starts]
    while waiting:
        one = waiting.pop()
        one = inspect.unwrap(one) if callable(one) else one
        if not isinstance(one, types.FunctionType | type):
            waiting += _made_of(one)
            continue
        if _is_library(one.__module__):
            continue
        name = f"{one.__module__}.{one.__qualname__}"
        if name not in found:
            found[name] = one
            waiting += [*(value for _, value in named_by(one)), *_held_by(one)]
    return found


def _made_of(one: object) -> Iterator[object]:
    """Yields the functions that something which can be called, and is no function, is made of."""
    if isinstance(one, functools.partial):
        yield from (one.func, *one.args, *one.keywords.values())
    elif isinstance(one, types.MethodType):
        yield from (one.__func__, type(one.__self__))
    elif callable(one):
        yield getattr(one, "py_func", type(one))


def _held_by(one: Code) -> Iterator[object]:
    """Yields what a function was handed when it was made: by the function around it, or for what is left out."""
    if isinstance(one, types.FunctionType):
        yield from (cell.cell_contents for cell in one.__closure__ or () if cell != types.CellType())
        yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())


def named_by(one: Code) -> Iterator[tuple[str, object]]:
    """Yields what a function names in its module and in modules, or what a class is made of, each with its name."""
    if isinstance(one, type):
        home = f"{one.__module__}.{one.__qualname__}"
        for name, value in vars(one).items():
            yield f"{home}.{name}", getattr(value, "__func__", getattr(value, "fget", value))
        yield from ((f"{base.__module__}.{base.__qualname__}", base) for base in one.__bases__)
        return
    names = tuple(dict.fromkeys(names_in(one.__code__)))
    for name in names:
        value = one.__globals__.get(name)
        yield f"{one.__module__}.{name}", value
        if isinstance(value, types.ModuleType) and not _is_library(value.__name__):
            yield from ((f"{value.__name__}.{inner}", getattr(value, inner, None)) for inner in names)


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yields the names that a function, or one inside it, looks up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def is_changeable(value: object) -> bool:
    """Returns whether a value holds others and can be changed: a list, a dictionary, a set or one like them."""
    return isinstance(value, _CHANGEABLE)


def _is_library(module: str) -> bool:
    return module.startswith(_NOUNS) or module.partition(".")[0] in (*sys.stdlib_module_names, "numpy")


OPTIMAL: Final = "optimal"
WORST: Final = "worst"
ALWAYS: Final = "always:"

NOTHING_TO_DECIDE: Final = "no decisions"
"""Class of the strategy of a game that leaves nothing to decide."""


@dataclass(frozen=True, slots=True)
class ConstantChoice:
    """The same option wherever it is offered; elsewhere the first option, the least committing one.

    Args:
        option: Id of the option.
    """

    option: str

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""
        return f"{ALWAYS}{self.option}"

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at: nothing."""
        return "constant choice"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option where it is offered, else the first."""
        return self.option if self.option in options else options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["always", self.option]


def constant_choices(graph: RoundGraph) -> tuple[ConstantChoice, ...]:
    """Returns the constant choice of every option that is offered next to another one, by the option's id."""
    offered = {option for choice in graph.choices if len(choice.options) > 1 for option in choice.ids}
    return tuple(ConstantChoice(option) for option in sorted(offered))


def constant_choice(graph: RoundGraph, option: str) -> ConstantChoice:
    """Returns the strategy that always takes an option.

    Raises:
        InputError: The option is never offered next to another one.
    """
    known = constant_choices(graph)
    if ConstantChoice(option) not in known:
        options = ", ".join(one.option for one in known) or "none: nothing is decided in this game"
        raise InputError(f"no option {option!r} is offered together with another one: expected {options}")
    return ConstantChoice(option)


def plan(graph: RoundGraph) -> StrategyPlan:
    """Returns the named strategies of a game whose family names none."""
    constant = tuple(one.name for one in constant_choices(graph))
    if not constant:
        return StrategyPlan((MAIN_OPTIMAL,), (MAIN_OPTIMAL,), (MAIN_OPTIMAL,))
    names = (MAIN_OPTIMAL, JOINTLY_OPTIMAL, WORST, *constant, f"{FILE}PATH.toml")
    analysed = (MAIN_OPTIMAL, *constant, WORST)
    # Besides the best play the most committing option is played, stated last: it reaches outcomes that best play never
    # does. A run plays two campaigns, however many options there are.
    boldest = next(choice.ids[-1] for choice in graph.choices if len(choice.options) > 1)
    return StrategyPlan(names, analysed, (MAIN_OPTIMAL, f"{ALWAYS}{boldest}"), lambda _: constant)


def unknown_strategy(name: str, graph: RoundGraph) -> InputError:
    """Returns what to say of a name that is that of no strategy."""
    return InputError(f"no strategy {name!r}: expected {', '.join(plan(graph).names)}")

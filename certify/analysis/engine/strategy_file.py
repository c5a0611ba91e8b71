"""A strategy given in a file: complete and unambiguous, or refused with every mistake named."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.strategies import ALWAYS, OPTIMAL, WORST
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.model.strategy import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL, ChoiceTable

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

"""Everything that a figure rests on, listed once: digest, cache key, comparison and counting are made from it.

What is not on the list is taken out of the game before anything is counted, so that it cannot count; what is on it is
in the digest, so that it cannot change unseen.
"""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from certify import __version__
from certify.children import source_digest
from certify.gate.family_code import ChangedCode, installed_code
from certify.mathematics import analysed_strategies
from certify.model import Game, Origin, PrintedShare, Terms
from certify.submission import printed_share

RESTS_ON: Final[Mapping[str, str]] = {
    "family": "whose code counts",
    "rules": "rules of play, with the tables that the family adds",
    "values": "what the ranks are worth",
    "wagers": "what can be bet on, in order: the first one is what best play is best for, and whose limits lead",
    "equipment": "what chance is drawn from, in order",
    "strategy_cards": "strategies by which printed returns are counted",
    "printed_counts": "printed tables that are counted",
    "printed_rows": "printed tables that are counted",
    "banked_by": "who pays the wins",
}
"""Fields of a game that a figure rests on, and why."""

ASIDE: Final[Mapping[str, Any]] = {
    "id": "game",
    "title": "",
    "version": "0.0.0",
    "supplier": "",
    "rule_values": (),
    "claims": (),
    "terms": Terms(True, 1, True, True, True),
    "readings": (),
    "sources": (),
    "sha256": "",
    "path": "the submission",
}
"""Fields that no figure rests on, with what is in their place where figures are counted.

Claims are held against figures, and name strategies, which are listed by themselves; a rule as text is the parameter
in ``rules`` in other words.
"""

_WORDS: Final[Mapping[str, Any]] = {
    "title": "",
    "description": "",
    "source": "",
    "line": 0,
    "origin": Origin(),
}
"""Fields of what a game consists of that say something to readers alone."""

_PERCENT_SIGN: Final = re.compile(r"(?<=\d)[ \t]+(?=%)")
_BLANKS: Final = re.compile(r"[ \t]+")
LEADING_ZEROS: Final = re.compile(r"^0+(?=\d)", re.ASCII)
_FRACTION: Final = re.compile(r"\((\d{1,6})/(\d{1,6})\)", re.ASCII)

_UNORDERED: Final[Mapping[str, str | int]] = {
    "rows": "id",
    "values": 0,
    "strategy_cards": "id",
    "printed_counts": "id",
    "printed_rows": "label",
}
"""Lists whose order says nothing, by what they are put in order."""


@dataclass(frozen=True)
class GateBasis:
    """What the figures of a game rest on.

    Args:
        game: The game with all that is set aside taken out: what is counted.
        strategies: Named strategies under which it is counted, the one for the first wager first.
        code: The texts of its family.
        tool: Version and digest of the sources of this software.
    """

    game: Game
    strategies: tuple[str, ...]
    code: ChangedCode
    tool: str

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """SHA-256 of each part, by its name."""
        listed = {name: _plain(getattr(self.game, name)) for name in RESTS_ON}
        listed |= {"strategies": sorted(self.strategies), "code": self.code.identity, "tool": self.tool}
        return {name: digest_in(value) for name, value in listed.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all parts: figures are kept under it."""
        return digest_in(self.parts)

    @cached_property
    def meaning(self) -> str:
        """SHA-256 over what the change of a submission or of its family's code can change: all parts but the tool."""
        return digest_in({name: part for name, part in self.parts.items() if name != "tool"})

    def differences(self, other: "GateBasis") -> tuple[str, ...]:
        """Returns the names of the parts that another basis has otherwise."""
        return tuple(name for name, part in self.parts.items() if other.parts[name] != part)


def basis_of(game: Game, code: ChangedCode | None = None) -> GateBasis:
    """Returns what the figures of a game rest on.

    Args:
        game: The game.
        code: The texts of its family; those installed where left out.
    """
    rests = {name: _wordless(name, getattr(game, name)) for name in RESTS_ON if name != "family"}
    return GateBasis(
        Game(port=game.port, **rests, **ASIDE),
        analysed_strategies(game),
        code or installed_code(game.family),
        tool(),
    )


def tool() -> str:
    """Returns version and digest of all sources of this software."""
    return f"{__version__} {source_digest()}"


def _wordless(name: str, value: Any) -> Any:
    """Returns a value without words for readers, and with lists in one order whose order says nothing."""
    if isinstance(value, tuple):
        by = _UNORDERED.get(name)
        found = tuple(_wordless("", item) for item in value)
        if name == "totals":
            # Hands are counted that have any of these totals, named once or twice.
            return tuple(sorted(set(found)))
        if name == "hand":
            return tuple(sorted(found))
        return found if by is None else tuple(sorted(found, key=lambda item: _key(item, by)))
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        new = _WORDS[field.name] if field.name in _WORDS else _wordless(field.name, old)
        if field.name == "text" and isinstance(value, PrintedShare):
            new = cell_text(old)
        if new != old:
            changed[field.name] = new
    return replace(value, **changed) if changed else value


def _key(item: Any, by: str | int) -> str:
    return str(item[by] if isinstance(by, int) else getattr(item, by))


def _plain(value: Any) -> Any:
    """Returns a value in a form that has one text.

    Raises:
        TypeError: It holds something that has none, and would be in no digest.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return [type(value).__name__, fields]
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Mapping):
        return sorted([_plain(key), _plain(item)] for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(_plain(item)) for item in value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (str, int, bool)):
        return value
    raise TypeError(f"{value!r} of {type(value).__name__} has no one text that a digest could be of")


def digest_in(value: Any) -> str:
    """Returns the SHA-256 of plain values, keys in one order."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def cell_text(text: str) -> str:
    """Returns a printed cell without blanks and zeros that say nothing, if it then still reads the same.

    >>> cell_text("27.69 %  (0216/780)")
    '27.69% (216/780)'
    """
    plain = LEADING_ZEROS.sub("", _BLANKS.sub(" ", _PERCENT_SIGN.sub("", text)))
    plain = _FRACTION.sub(lambda match: f"({int(match[1])}/{int(match[2])})", plain)
    read, again = printed_share(text), printed_share(plain)
    return plain if (read.percent, read.ways) == (again.percent, again.ways) else text

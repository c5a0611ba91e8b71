"""What the conformance kit says of one law, and of all of them together."""

import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from certify.errors import CertifyError, NothingCheckedError, T
from certify.families import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyForm,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
)
from certify.model import Verdict


@dataclass(frozen=True, slots=True)
class Checked:
    """One law, tried on one game or on the family's code.

    Args:
        law: Id of the law.
        title: The law in one sentence.
        verdict: How it ended.
        detail: What was compared, with its numbers; where it is broken, what was expected and what was seen.
        game: Id of the game it was tried on; empty for the code of the family.
        cost: What it costs the certificate, where the law is broken or could not be shown.
    """

    law: str
    title: str
    verdict: Verdict
    detail: str
    game: str = ""
    cost: str = ""


_NAMED: Final = frozenset({"id", "version", "title", "package"})

_GROUPS: Final = (
    FamilyStrategies,
    FamilySources,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilyForm,
)


def brought(family: Family) -> tuple[str, ...]:
    """Returns the parts of the port that a family has itself, in the order of the port."""
    return tuple(_parts(family))


def _parts(group: Any) -> Iterator[str]:
    for part in fields(group):
        value = getattr(group, part.name)
        if isinstance(value, _GROUPS):
            yield from _parts(value)
        elif value and value is not part.default and part.name not in _NAMED:
            yield part.name


EVERY_LEG: Final = "every leg"
"""In place of a leg: all of them say so."""


@dataclass(frozen=True, slots=True)
class Planted:
    """One alteration of the author's tables or rules, made by the kit in one leg.

    Args:
        game: Id of the game.
        leg: The leg that was altered.
        alteration: What was altered, in words.
        noticed: Whether the leg then gave another result than the others.
        idle: Whether every leg finds that no round ends otherwise so, or no figure is otherwise by the walk either:
            such a value changes nothing in this game, or nothing that this leg could say.
        dead: Whether a rule changes nothing whatever its value, with the other rules changed too, in any game tried.
    """

    game: str
    leg: str
    alteration: str
    noticed: bool
    idle: bool = False
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of the port that the family does not bring.

    Args:
        part: Name of the part in the port.
        then: What happens instead.
        cost: What that costs the certificate; empty where it costs nothing.
        condition: Whether the certificate then is under a condition.
    """

    part: str
    then: str
    cost: str = ""
    condition: bool = False


Found = tuple[Verdict, str]
"""How a law ended, and what was compared."""


@dataclass(frozen=True, slots=True)
class KitLaw:
    """A law that every family must keep.

    Args:
        id: Id of the law.
        title: The law in one sentence.
        cost: What it costs the certificate where it is broken or cannot be shown.
    """

    id: str
    title: str
    cost: str

    def __call__(self, look: Callable[[T], Found]) -> "Tried[T]":
        """Returns the law with what looks at it: the decorator of a function that tries it."""
        return self, look

    def tried(self, game: str, look: Callable[[], Found]) -> Checked:
        """Returns how the law ended; a family's code that breaks off breaks the law, with its own words."""
        try:
            verdict, detail = look()
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything; none of it is a pass
            return self.broken(game, error)
        cost = self.cost if verdict in (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE) else ""
        return Checked(self.id, self.title, verdict, detail, game, cost)

    def broken(self, game: str, error: Exception) -> Checked:
        """Returns that a family's code broke off where the law was tried."""
        return Checked(self.id, self.title, Verdict.NOT_SATISFIED, broken_off(error), game, self.cost)


Tried = tuple[KitLaw, Callable[[T], Found]]
"""A law with what looks at it."""


def tried_on(game: str, subject: T, *laws: Tried[T]) -> Iterator[Checked]:
    """Yields how laws end on one game, each with what looks at it."""
    return (law.tried(game, partial(look, subject)) for law, look in laws)


_HOUSE: Final = Path(__file__).parents[1]
_FAMILIES: Final = _HOUSE / "families"
_INTERPRETER: Final = sysconfig.get_path("stdlib")
_LIBRARIES: Final = frozenset({"numpy", "scipy", "numba"})

# How the words begin that say that code broke off, or that it was refused.
BROKE: Final = ("breaks off in ", "is refused: ")


def broken_off(error: Exception) -> str:
    """Returns where the code of a family broke off, and with what words.

    The place is the innermost one in code that is not the general one; where there is none, the innermost of all, or
    the words of this software, which name it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _general(Path(frame.filename))]
    if not own and isinstance(error, CertifyError):
        return f"{BROKE[1]}{error}"
    place = (own or frames)[-1]
    return (
        f"{BROKE[0]}{Path(place.filename).name}, line {place.lineno}, in {place.name}: "
        f"{type(error).__name__}: {error}"
    )


def _general(file: Path) -> bool:
    """Returns whether a file is the general code, of the interpreter or of a library, and none of a family."""
    if file.is_relative_to(_HOUSE):
        return not file.is_relative_to(_FAMILIES) or file.parent == _FAMILIES
    library = "site-packages" not in file.parts and str(file).startswith((_INTERPRETER, "<"))
    return library or bool(_LIBRARIES & set(file.parts))


MOST_TOLD: Final = 3
"""Differences that are listed one by one."""


def judged(compared: int, unit: str, differences: Sequence[str], untold: int = 0) -> Found:
    """Returns the verdict over differences, the first of them reported.

    Args:
        compared: How many were compared.
        unit: What they are.
        differences: What differs, in words.
        untold: How many further ones differ that no words were made of.

    Raises:
        NothingCheckedError: Nothing was compared.

    >>> judged(2, "rows", [])[1]
    '2 rows compared, no difference'
    >>> judged(9, "rows", ["one"], untold=7)[1]
    '9 rows compared, 8 differ: one; and 7 more'
    """
    if not compared:
        raise NothingCheckedError(f"no {unit} to compare: an empty comparison is never a pass")
    if not differences:
        return Verdict.SATISFIED, f"{compared:,} {unit} compared, no difference"
    told, many = differences[:MOST_TOLD], len(differences) + untold
    more = f"; and {many - len(told):,} more" if many > len(told) else ""
    return Verdict.NOT_SATISFIED, f"{compared:,} {unit} compared, {many:,} differ: {'; '.join(told)}{more}"


Trials = Iterator[str]
"""What differs, in words, of each comparison: nothing where both are the same."""


class UntriedError(Exception):
    """Nothing is compared for a law: its verdict, and why."""


def compared(unit: str) -> Callable[[Callable[[T], Trials]], Callable[[T], Found]]:
    """Makes of comparisons, one by one, what looks at a law.

    Args:
        unit: What is compared.
    """

    def looking(look: Callable[[T], Trials]) -> Callable[[T], Found]:
        def looked(subject: T) -> Found:
            try:
                said = list(look(subject))
            except UntriedError as untried:
                return untried.args[0], untried.args[1]
            return judged(len(said), unit, list(dict.fromkeys(filter(None, said))))

        return looked

    return looking


def not_applicable(why: str) -> Found:
    """Returns that a law does not apply, and why."""
    return Verdict.NOT_APPLICABLE, why


def undecided(why: str) -> Found:
    """Returns that a law could not be shown, and why."""
    return Verdict.INCONCLUSIVE, why


@dataclass(frozen=True, slots=True)
class KitReport:
    """Everything that the kit found of a family.

    Args:
        family: Id of the family.
        version: Its version.
        package: Package that brings it.
        games: Ids of the games it was tried on.
        brings: Parts of the port that it brings.
        missing: Parts that it does not bring.
        checked: Every law, on every game.
        planted: Every alteration.
    """

    family: str
    version: str
    package: str
    games: tuple[str, ...]
    brings: tuple[str, ...]
    missing: tuple[Missing, ...]
    checked: tuple[Checked, ...]
    planted: tuple[Planted, ...]

    @property
    def broken(self) -> Iterator[Checked]:
        """The laws that are broken."""
        return (one for one in self.checked if one.verdict is Verdict.NOT_SATISFIED)

    @property
    def unnoticed(self) -> tuple[Planted, ...]:
        """Alterations that nothing noticed."""
        return tuple(one for one in self.planted if not (one.noticed or one.idle or one.dead))

    @property
    def dead(self) -> tuple[Planted, ...]:
        """Rules that no round of any game tried depends on: they count between rounds, in other games, or never."""
        return tuple(one for one in self.planted if one.dead)

    @property
    def idle(self) -> tuple[Planted, ...]:
        """Alterations that change nothing in the game, or no figure of it."""
        return tuple(one for one in self.planted if one.idle)

    @property
    def conditions(self) -> tuple[Missing, ...]:
        """Missing parts that put the certificate under a condition."""
        return tuple(one for one in self.missing if one.condition)

    @property
    def verdict(self) -> Verdict:
        """Satisfied where every law is kept, every alteration is noticed and there is no condition."""
        if any(self.broken) or self.unnoticed or self.conditions:
            return Verdict.NOT_SATISFIED
        if self.dead or any(one.verdict is Verdict.INCONCLUSIVE for one in self.checked):
            return Verdict.INCONCLUSIVE
        return Verdict.SATISFIED

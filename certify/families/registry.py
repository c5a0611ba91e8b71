"""The families of games that are at hand: those built in, one folder each, and those installed."""

import copyreg
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import certify.families
from certify import __version__
from certify.errors import InputError, Refusing
from certify.executors import PackageOffer, load, offers, require_declared, require_uncompiled
from certify.families.port import Family, ReferenceRound, no_reference
from certify.messages import bring
from certify.model import Game, RoundText

BUILT_IN: Final = "certify"
"""Package that brings the families built in."""


_at_hand: Final[dict[str, Family]] = {}
_permitted: frozenset[tuple[str, str]] | None = None


@contextmanager
def permitting(packages: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Permits only the families of these installed packages while something is verified; no other is loaded.

    Args:
        packages: Name of each package, and the digest that its sources must have.
    """
    global _permitted
    before, _permitted = _permitted, frozenset(packages)
    forget_families()
    try:
        yield
    finally:
        _permitted = before
        forget_families()


def forget_families() -> None:
    """Forgets which installed packages have families: what is on the path, or permitted, has changed."""
    _offered.cache_clear()
    _at_hand.clear()


def families() -> Mapping[str, Family]:
    """Returns every family by its id.

    Raises:
        InputError: A package offers what is no family, cannot be loaded, or has the id of another one.
    """
    return {family_id: family(family_id) for family_id in known_families()}


def family(family_id: str) -> Family:
    """Returns the family of games with an id; of installed packages no other is loaded.

    Raises:
        InputError: No code at hand knows how to play that family.
    """
    found = _at_hand.get(family_id)
    if found is None:
        if family_id in _built_in():
            found = _brought(family_id)
        elif family_id in _offered():
            found = _loaded(_offered()[family_id])
        else:
            known = ", ".join(known_families())
            raise InputError(
                f"unknown family of games {family_id!r}: expected one of {known}{instead_of(family_id)}"
            )
        _at_hand[family_id] = found
    return found


def instead_of(family_id: str) -> str:
    """Returns what to write instead of a family that is the name of a game, or what is missing; else nothing."""
    for module in _built_in().values():
        instead = getattr(import_module(module.rpartition(".")[0]), "INSTEAD", {})
        if family_id in instead:
            sentence, names = instead[family_id]
            return str(sentence).format(family_id, names)
    return ""


def known_families() -> tuple[str, ...]:
    """Returns the ids of all families, those built in first; no installed package is loaded."""
    return (*_built_in(), *_offered())


def offer_of(family_id: str) -> PackageOffer | None:
    """Returns the installed package that offers a family, None where the family is built in."""
    return None if family_id in _built_in() else _offered().get(family_id)


def home_of(family_id: str) -> str:
    """Returns the package that holds the code of a family: its folder among those built in, else the installed one.

    The family's parts are not trusted on this: they may be made by the general code, or be wrong.
    """
    offer = offer_of(family_id)
    return ".".join(_built_in()[family_id].split(".")[:3]) if offer is None else offer.top


def as_played(game: Game) -> Game:
    """Returns a game with its family as it plays that game."""
    played_by = game.port.form.played_by
    return game if played_by is None else replace(game, port=played_by(game.port, game))


def _sent(game: Game) -> tuple[Callable[..., Game], tuple[object, ...]]:
    """Returns how another process makes a game: of a family it has code of its own."""
    _, *stated = fields(game)
    return _received, (game.family, *(getattr(game, one.name) for one in stated))


def _received(family_id: str, *stated: Any) -> Game:
    return as_played(Game(family(family_id), *stated))


copyreg.pickle(Game, _sent)


@cache
def _built_in() -> Mapping[str, str]:
    """Returns the module of each family in a folder next to this one, by the id that its folder is called after."""
    found = {}
    for entry in pkgutil.iter_modules(certify.families.__path__):
        name = f"{certify.families.__name__}.{entry.name}"
        inside = import_module(name) if entry.ispkg else None
        if inside is not None and any(
            module.name == "family" for module in pkgutil.iter_modules(inside.__path__)
        ):
            found[getattr(inside, "ID", entry.name.replace("_", "-"))] = f"{name}.family"
    return found


@cache
def _brought(family_id: str) -> Family:
    """Returns a family built in, loaded when it is first needed."""
    module = _built_in()[family_id]
    loaded = import_module(module)
    found: Family = loaded.FAMILY
    beside = Path(str(loaded.__file__)).parent / "messages"
    if found.pages.messages is None and beside.is_dir():
        found = replace(found, pages=replace(found.pages, messages=beside))
    if found.id != family_id:
        raise ValueError(
            f"{module} contains the family {found.id!r}: expected {family_id!r}, after its folder or its ID"
        )
    return _named(found, BUILT_IN, __version__)


@cache
def _offered() -> dict[str, PackageOffer]:
    """Returns what installed packages offer, as far as it is permitted here."""
    found: dict[str, PackageOffer] = {}
    built_in = _built_in()
    for offer in offers():
        if _permitted is not None and (offer.package, offer.sha256) not in _permitted:
            continue
        other = found[offer.family].package if offer.family in found else None
        if offer.family in built_in or other is not None:
            raise InputError(
                f"two families have the id {offer.family!r}, of {other or BUILT_IN} and of {offer.package}: "
                "expected one"
            )
        found[offer.family] = offer
    return found


def _loaded(offer: PackageOffer) -> Family:
    require_declared(offer.point)
    if _permitted is not None:
        require_uncompiled(offer.point)
    point = offer.point
    with Refusing(
        Exception, InputError, f"the family {point.name!r} of {offer.package} cannot be loaded", words=repr
    ):
        found = load(offer)
    if not isinstance(found, Family):
        raise InputError(
            f"the entry point {point.name!r} of {offer.package} gives no family: expected a Family"
        )
    if found.id != offer.family:
        raise InputError(
            f"the entry point {point.name!r} of {offer.package} gives the family {found.id!r}: expected the entry "
            "point to be called as its family"
        )
    return _named(found, offer.package, offer.version or found.version)


@dataclass(frozen=True, slots=True)
class Staged:
    """Makes the reference rounds of a family that is written in stages.

    Args:
        text: The text of a game.
    """

    text: Callable[[Game], RoundText]

    def __call__(self, game: Game) -> ReferenceRound[Any]:
        """Returns the reference round of a game."""
        # What walks a round takes a moment to load that naming the families need not wait for.
        from certify.families.stage_machine import StagedRound

        return StagedRound(self.text(game))


def _named(found: Family, package: str, version: str) -> Family:
    if found.pages.messages is not None:
        bring(found.id, found.pages.messages)
    if found.text is not None and found.reference is no_reference:
        found = replace(found, reference=Staged(found.text))
    return replace(found, package=package, version=found.version or version)

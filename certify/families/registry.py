"""The families of games that are at hand: those built in, one folder each, and those installed beside."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Final

import certify.families
from certify import __version__
from certify.errors import InputError
from certify.families.port import Family
from certify.messages import bring
from certify.model.game import Game

GROUP: Final = "certify.families"
"""Group of the entry points by which an installed package offers a family: ``NAME = "package.module:FAMILY"``."""

BUILT_IN: Final = "certify"
"""Package that brings the families built in."""


@cache
def families() -> Mapping[str, Family]:
    """Returns every family by its id, those built in first.

    Raises:
        InputError: A package offers what is no family, cannot be loaded, or has the id of another one.
    """
    found: dict[str, Family] = {}
    for family in (*_built_in(), *_installed()):
        known = found.get(family.id)
        if known is not None:
            raise InputError(
                f"two families have the id {family.id!r}, of {known.package} and of {family.package}: expected one"
            )
        found[family.id] = family
    return found


def family(family_id: str) -> Family:
    """Returns the family of games with an id.

    Raises:
        InputError: No code at hand knows how to play that family.
    """
    found = families().get(family_id)
    if found is None:
        raise InputError(f"unknown family of games {family_id!r}: expected one of {', '.join(families())}")
    return found


def family_of(game: Game) -> Family:
    """Returns the family of a game."""
    return family(game.family)


def _built_in() -> Iterator[Family]:
    """Yields the family of each folder beside this module that holds one."""
    for entry in pkgutil.iter_modules(certify.families.__path__):
        name = f"{certify.families.__name__}.{entry.name}"
        inside = import_module(name).__path__ if entry.ispkg else []
        if any(module.name == "family" for module in pkgutil.iter_modules(inside)):
            yield _named(import_module(f"{name}.family").FAMILY, BUILT_IN, __version__)


def _installed() -> Iterator[Family]:
    """Yields the families that installed packages offer, in the order of their names."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        yield _loaded(point)


def _loaded(point: EntryPoint) -> Family:
    package = point.dist.name if point.dist else point.module
    try:
        loaded = point.load()
    except Exception as error:
        raise InputError(f"the family {point.name!r} of {package} cannot be loaded: {error!r}") from error
    if not isinstance(loaded, Family):
        raise InputError(f"the entry point {point.name!r} of {package} gives no family: expected a Family")
    return _named(loaded, package, point.dist.version if point.dist else loaded.version)


def _named(found: Family, package: str, version: str) -> Family:
    if found.messages is not None:
        bring(found.id, found.messages)
    return replace(found, package=package, version=found.version or version)

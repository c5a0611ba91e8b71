"""Finding the system under test: a URL, or a Python class by its module."""

from __future__ import annotations

import functools
import importlib
from datetime import datetime
from typing import Final, cast

from certify.errors import InputError
from certify.rounds.conformance.client import Access, http_system
from certify.rounds.play import Edition
from certify.rounds.table import System, SystemFactory

OFFERED: Final = ("set_clock", "set_deck", "perform", "view")
"""What a system under test must offer; what it may offer beyond is in certify.rounds.conformance.extras."""


def system_factory(target: str, access: Access = Access()) -> SystemFactory:  # noqa: B008 (frozen)
    """Returns what makes systems with a fresh player.

    Args:
        target: ``http://HOST:PORT`` of the HTTP binding, or ``module:Class`` whose objects are made from
            edition, opening balance and time, and keep the interface of certify.rounds.table.System.
        access: How a URL is reached.

    Raises:
        InputError: The target names no system.

    >>> system_factory("certify.rounds.system:reference_system").__name__
    'reference_system'
    """
    if target.startswith(("http://", "https://")):
        return http_system(target, access)
    module_name, separator, name = target.partition(":")
    if "://" in target or not separator or not module_name or not name:
        raise InputError(f"target {target!r}: expected http://HOST:PORT or module:Class")
    try:
        found = getattr(importlib.import_module(module_name), name)
    except Exception as error:  # a module of an operator's can raise anything when it is loaded
        raise InputError(f"target {target!r} cannot be loaded: {error}") from error
    if not callable(found):
        raise InputError(f"target {target!r} is not callable: expected a class or a function")
    return _checked(cast(SystemFactory, found), target)


def _checked(factory: SystemFactory, target: str) -> SystemFactory:
    """Returns a factory whose objects are looked at: what is no system is refused by name."""

    @functools.wraps(factory)
    def make(edition: Edition, balance: int, instant: datetime) -> System:
        try:
            system = factory(edition, balance, instant)
        except TypeError as error:
            raise InputError(f"target {target!r} makes no system: {error}") from error
        lacking = [name for name in OFFERED if not callable(getattr(system, name, None))]
        if lacking:
            raise InputError(f"target {target!r} makes no system: it lacks {', '.join(lacking)}")
        return system

    return make

"""Certification of regulated game mathematics: a submission goes in, signed evidence comes out."""

from typing import Any

import rng as _one_thread  # noqa: F401 - before anything loads numpy

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Returns what the library offers, loaded when it is first used: parts of it import this package."""
    import importlib

    if name in _OFFERED:
        return getattr(importlib.import_module("certify.api"), name)
    raise AttributeError(f"module 'certify' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns what the library offers, for editors and notebooks that complete names."""
    return [*_OFFERED, *globals()]


_OFFERED = (
    "Figures",
    "LoadedGame",
    "PlayedRounds",
    "Records",
    "WrittenPack",
    "compare",
    "load",
    "run",
    "test_random",
    "verify",
)

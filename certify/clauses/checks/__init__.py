"""The checks, one module for each chapter of the report."""

import importlib
import pkgutil
from typing import Final

ORDER: Final = ("returns", "awards", "playthrough", "generator", "dealt", "terms")
"""Modules in the order of the report; checks of any other come last."""


def load_all() -> None:
    """Imports every module of this folder, so that all checks are registered."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")

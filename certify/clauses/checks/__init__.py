"""The checks, one module for each chapter of the report."""

from __future__ import annotations

import importlib
from typing import Final

MODULES: Final = (
    "submitted",
    "returns",
    "printed",
    "stakes",
    "awards",
    "printed",
    "playthrough",
    "generator",
    "dealt",
    "cards",
    "terms",
)


def load_all() -> None:
    """Imports every module of checks, so that all are registered."""
    for module in MODULES:
        importlib.import_module(f"certify.clauses.checks.{module}")

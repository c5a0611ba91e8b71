"""Collects the figures of a report by name, for the renderer that fetches them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from certify.report.layout import Figure


def figures_in(part: object) -> Iterator[Figure]:
    """Returns every figure inside a part of the view model, in its order."""
    if isinstance(part, Figure):
        yield part
    elif isinstance(part, tuple):
        for member in part:
            yield from figures_in(member)
    elif is_dataclass(part) and not isinstance(part, type):
        for field in fields(part):
            yield from figures_in(getattr(part, field.name))

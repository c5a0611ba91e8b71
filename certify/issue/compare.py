"""Comparing what was computed again with what evidence claims, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

TOLD: Final = 4
"""Differences told one by one for each part of the evidence; the others are counted."""


def some(found: Iterator[str], where: str) -> Iterator[str]:
    """Yields the first differences of one part, and how many more there are."""
    listed = list(found)
    yield from listed[:TOLD]
    if len(listed) > TOLD:
        yield f"{where}/: {len(listed) - TOLD} more places differ"


def compare(computed: Any, claimed: Any, where: str) -> Iterator[str]:
    """Yields every place where two JSON values differ; floats may differ in their last digits only.

    >>> list(compare({"a": "1/2"}, {"a": "1/3"}, ""))
    ['/a: computed 1/2, claimed 1/3']
    """
    if isinstance(computed, dict) and isinstance(claimed, dict):
        for key in sorted(set(computed) | set(claimed)):
            yield from compare(computed.get(key), claimed.get(key), f"{where}/{key}")
    elif isinstance(computed, list | tuple) and isinstance(claimed, list):
        if len(computed) != len(claimed):
            yield f"{where}: computed {len(computed)} entries, claimed {len(claimed)}"
        for place, (one, other) in enumerate(zip(computed, claimed, strict=False)):
            yield from compare(one, other, f"{where}/{place}")
    elif _is_number(computed) and _is_number(claimed) and float in (type(computed), type(claimed)):
        # Floats are figures for the eye; another platform may round the last bits otherwise. What is no number
        # at all (NaN) is near nothing.
        if not abs(computed - claimed) <= 1e-9 * max(1.0, abs(computed)):
            yield f"{where}: computed {computed}, claimed {claimed}"
    elif computed != claimed or isinstance(computed, bool) != isinstance(claimed, bool):
        yield f"{where}: computed {_short(computed)}, claimed {_short(claimed)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    """Returns a value in words short enough for a line."""
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"

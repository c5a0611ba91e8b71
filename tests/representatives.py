"""Which of many cases a quick run tries: the first ones, and the rest where slow tests run too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


def firsts(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """The cases of a parametrised test, those after the first few marked as slow; a tuple is several arguments."""
    return [
        case if number < quick else pytest.param(*_values(case), marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


def only(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """The cases of a parametrised test, those that are not named marked as slow."""
    cases = list(cases)
    absent = [case for case in quick if case not in cases]
    if absent:
        raise ValueError(f"no such case: {absent}")
    return [case if case in quick else pytest.param(*_values(case), marks=pytest.mark.slow) for case in cases]


def one_each(cases: Mapping[str, Any], kind: Callable[[Any], object]) -> list[Any]:
    """The names of cases of a parametrised test, all but the first of each kind marked as slow."""
    first: dict[object, str] = {}
    for name, case in cases.items():
        first.setdefault(kind(case), name)
    return only(cases, *first.values())


def few_tests(names: str) -> list[Any]:
    """Options of ``rng test`` that run the named tests, and, where slow tests run too, those that run all."""
    return [pytest.param(("--tests", names), id=names), pytest.param((), marks=pytest.mark.slow, id="all")]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)

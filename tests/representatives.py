"""Which of many cases a quick run tries: the first ones, and the rest where slow tests run too."""

import pytest


def firsts(cases, quick=1):
    """The cases of a parametrised test, those after the first few marked as slow; a tuple is several arguments."""
    return [
        case if number < quick else pytest.param(*_values(case), marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


def only(cases, *quick):
    """The cases of a parametrised test, those that are not named marked as slow."""
    cases = list(cases)
    absent = [case for case in quick if case not in cases]
    if absent:
        raise ValueError(f"no such case: {absent}")
    return [case if case in quick else pytest.param(*_values(case), marks=pytest.mark.slow) for case in cases]


def one_each(cases, kind):
    """The names of cases of a parametrised test, all but the first of each kind marked as slow."""
    first = {}
    for name, case in cases.items():
        first.setdefault(kind(case), name)
    return only(cases, *first.values())


def few_tests(names):
    """Options of ``rng test`` that run the named tests, and, where slow tests run too, those that run all."""
    return [pytest.param(("--tests", names), id=names), pytest.param((), marks=pytest.mark.slow, id="all")]


def _values(case):
    return case if isinstance(case, tuple) else (case,)

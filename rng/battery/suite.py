"""A statistical test, a suite of them, and the one runner of suites: of bits, numbers, decks and draws of balls."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from rng.battery.minimum_counts import IMPOSSIBLE, ScarcityError
from rng.battery.result import NotRun, Parameters, TestResult
from rng.battery.two_stage import PlannedTest
from rng.errors import SampleError

Of = TypeVar("Of")
# What a sample is drawn from: the range of numbers, the shoe of decks, the cage of balls; nothing for bits.
Of_co = TypeVar("Of_co", covariant=True)
Results = tuple[TestResult | NotRun, ...]
# Receives how much of how much is done, and of what.
Tell = Callable[[int, int, str], None]


# Runs a pure function on items and hands the results back in their order, such as ``map``.
Running = Callable[[Any, Iterable[Any]], Iterator[Any]]


class Sample(Protocol[Of_co]):
    """Output under test, checked when it was made."""

    @property
    def of(self) -> Of_co:
        """What it was drawn from."""

    @property
    def size(self) -> int:
        """How many numbers, decks, draws or bits there are."""


Tested = TypeVar("Tested", bound=Sample[Any])


@dataclass(frozen=True, slots=True)
class Test(Generic[Of, Tested]):
    """One statistical test; its null, source and power stand in what it returns.

    Args:
        name: Name within its suite.
        minimum: Fewest units for which its null distribution holds, given what they are drawn from; or why the test
            does not apply to it, None where that is for its range.
        run: The test itself.
    """

    __test__: ClassVar[bool] = False

    name: str
    minimum: Callable[[Of], int | str | None]
    run: Callable[[Tested], TestResult]


def at_least(count: int) -> Callable[[Any], int]:
    """The same minimum whatever is tested."""
    return lambda _of: count


@dataclass(frozen=True, slots=True)
class Suite(Generic[Of, Tested]):
    """Tests that fit one kind of sample.

    Args:
        name: Name of the suite.
        units: What is counted: numbers, decks, draws or bits.
        module: Module whose ``BATTERY`` this is: by that name it is found where it is sent.
        tests: The tests, in the order in which they are run.
    """

    name: str
    units: str
    module: str
    tests: tuple[Test[Of, Tested], ...]

    def __reduce__(self) -> "tuple[Callable[[str], Suite[Any, Any]], tuple[str]]":
        return _suite_of, (self.module,)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tests."""
        return tuple(test.name for test in self.tests)

    def check(self, tests: Collection[str] | None) -> None:
        """Refuses an empty choice of tests, and one that names a test that there is not.

        Raises:
            SampleError: It does.
        """
        if tests is not None and not tests:
            raise SampleError("no test was requested: an empty plan is never a pass")
        unknown = sorted(set(tests or ()) - set(self.names))
        if unknown:
            raise SampleError(
                f"no such test of {self.name}: {', '.join(unknown)}; known are {', '.join(self.names)}"
            )

    def run(
        self,
        sample: Tested,
        tests: Collection[str] | None = None,
        *,
        running: Running = map,
        tell: Tell | None = None,
    ) -> Results:
        """Runs tests on a sample.

        Args:
            sample: What is tested.
            tests: Names of the tests to run; all when left out.
            running: What runs each of them, such as an executor's ``map``.
            tell: Receives how many of them are done.

        Returns:
            One result for each test requested, in the order of the suite. A test that the sample is too short for is
            returned as ``NotRun`` with the units it needs; one that does not apply, without.

        Raises:
            SampleError: If a test is not known, or none is requested.
        """
        self.check(tests)
        names = [name for name in self.names if tests is None or name in tests]
        results: list[TestResult | NotRun] = []
        for done, result in enumerate(running(partial(self.one, sample), names), 1):
            results.append(result)
            if tell is not None:
                tell(done, len(names), "tests")
        return tuple(results)

    def one(self, sample: Tested, name: str) -> TestResult | NotRun:
        """Runs one test; what it cannot compute takes no other with it, and leaves the verdict open."""
        (test,) = (test for test in self.tests if test.name == name)
        minimum = test.minimum(sample.of)
        if not isinstance(minimum, int):
            return NotRun(self.name, name, minimum or f"does not apply to {self.units} below {sample.of}")
        if sample.size < minimum:
            reason = f"{sample.size} {self.units}, at least {minimum} are needed"
            return NotRun(self.name, name, reason, minimum)
        try:
            return test.run(sample).run_as(self.name, name, sample.size)
        except ScarcityError as few:
            # Output that left the test too little to look at says enough.
            null = "probability of so few observations, an upper bound"
            return TestResult.of({str(few): IMPOSSIBLE}, null=null).run_as(self.name, name, sample.size)
        except (SampleError, ArithmeticError) as error:
            return NotRun(self.name, name, f"could not be computed: {error}", failed=True)

    def planned(
        self, of: Of, size: int, tests: Collection[str] | None = None, parameters: Parameters | None = None
    ) -> tuple[PlannedTest, ...]:
        """What a plan says about a sample: the tests that apply to it, each once.

        Args:
            of: What it is drawn from.
            size: Units in the sample.
            tests: Names of the tests; all when left out.
            parameters: Of each test.
        """
        return tuple(
            PlannedTest(self.name, test.name, size, parameters or {})
            for test in self.tests
            if (tests is None or test.name in tests) and isinstance(test.minimum(of), int)
        )


def _suite_of(module: str) -> Suite[Any, Any]:
    """Returns the suite of a module."""
    suite: Suite[Any, Any] = import_module(module).BATTERY
    return suite


def pooled(parts: Sequence[tuple[str, Results]]) -> Results:
    """Puts the results of the same test on several parts of a sample into one, whose p-values are decided together.

    Args:
        parts: What each part is, and its results.
    """
    tests: dict[tuple[str, str], list[tuple[str, TestResult | NotRun]]] = {}
    for where, results in parts:
        for result in results:
            tests.setdefault((result.suite, result.test), []).append((where, result))
    return tuple(_one(found, len(parts)) for found in tests.values())


def _one(found: Sequence[tuple[str, TestResult | NotRun]], parts: int) -> TestResult | NotRun:
    run_on = [(where, result) for where, result in found if isinstance(result, TestResult)]
    if not run_on:
        return found[0][1]
    if parts == 1:
        return run_on[0][1]
    labels: list[str] = []
    for where, result in run_on:
        own = result.labels or tuple(str(n + 1) for n in range(len(result.p_values)))
        labels += [f"{where}, {label}" if len(own) > 1 else where for label in own]
    return replace(
        run_on[0][1],
        p_values=tuple(p for _, result in run_on for p in result.p_values),
        deciding=tuple(p for _, result in run_on for p in result.decided),
        labels=tuple(labels),
        discrete=any(result.discrete for _, result in run_on),
        statistic=None,
    )

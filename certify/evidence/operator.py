"""What an operator brought: output of their generator, tested, and their system of rounds, tried by stories."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.form import Sha256
from certify.evidence.worded import Worded
from certify.model.finding import Verdict
from certify.model.item import UnderTest


@dataclass(frozen=True, slots=True)
class ItemUnderTest:
    """An item that checks were made on.

    Args:
        id: Which of the items that a check can name.
        title: What it is, in words.
        version: Its version; empty where nobody stated one.
        sha256: Digest of its bytes; none where nobody stated one.
        messages: The messages of its texts, by their names.
    """

    id: UnderTest
    title: str
    version: str
    sha256: Sha256 | None
    messages: Worded


@dataclass(frozen=True, slots=True)
class OutputTest:
    """One statistical test of an operator's output.

    Args:
        suite: Suite that it belongs to.
        test: Its name.
        sample_size: Size of the sample.
        p_values: Its p-values; none where it was not run.
        adjusted_p: The smallest adjusted p-value; none where it was not run.
        verdict: How it ended.
        reason: Why it was not run; empty where it was.
    """

    suite: str
    test: str
    sample_size: int
    p_values: tuple[float, ...]
    adjusted_p: float | None
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Output:
    """A file of an operator's generator with the tests of it.

    Args:
        name: Name of the file.
        kind: ``decks``, ``draws`` or ``bits``.
        count: Number of decks, draws or bits.
        sha256: Digest of its bytes.
        alpha: Error that is allowed over the family of its tests.
        family_size: Number of p-values.
        rule: How the verdict is reached.
        reasons: What led to it.
        tests: Its tests.
        verdict: How it ended.
    """

    name: str
    kind: str
    count: int
    sha256: Sha256
    alpha: float
    family_size: int
    rule: str
    reasons: tuple[str, ...]
    tests: tuple[OutputTest, ...]
    verdict: Verdict

    @property
    def is_final(self) -> bool:
        """Whether it is what rounds are made of, not the raw output behind it."""
        return self.kind != "bits"


@dataclass(frozen=True, slots=True)
class BrokenPromise:
    """The first promise that a system broke, by the shortest story that shows it.

    Args:
        promise: The promise.
        expected: What the reference showed.
        observed: What the system showed.
        script: The story, step by step.
    """

    promise: str
    expected: str
    observed: str
    script: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundSystem:
    """A system of rounds tried by conformance stories.

    Args:
        target: Where it was: a URL, or a class by its module.
        version: Its version; empty where nobody stated one.
        sha256: Digest of its code; none where nobody stated one.
        fixed_planned: Stories of the fixed part.
        fixed_told: How many of them were told.
        stories: Random stories told.
        steps: Steps of those.
        combinations: Actions in phases that the fixed part tries.
        unsupported: Actions that the operator declared unsupported.
        broken: The first promise broken; none where every promise was kept.
        not_tested: What could not be tested, each with the reason.
        verdict: How it ended.
    """

    target: str
    version: str
    sha256: Sha256 | None
    fixed_planned: int
    fixed_told: int
    stories: int
    steps: int
    combinations: int
    unsupported: tuple[str, ...]
    broken: BrokenPromise | None
    not_tested: tuple[str, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Brought:
    """What an operator brought.

    Args:
        outputs: Files of their generator.
        system: Their system of rounds; none where they brought none.
    """

    outputs: tuple[Output, ...] = ()
    system: RoundSystem | None = None

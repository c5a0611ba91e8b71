"""What an operator submitted: output of their generator, tested, and their system of rounds, tried by stories."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from certify.evidence.encode import Messaged
from certify.evidence.sample import TestLeftOut, TestOfSample
from certify.model import Day, Filled, Sha256, UnderTest, Verdict, origins


@origins()
@dataclass(frozen=True, slots=True)
class ItemUnderTest(Messaged):
    """An item that checks were made on.

    Args:
        id: Which of the items that a check can name.
        title: What it is, in words.
        version: Its version; empty where nobody stated one.
        sha256: Digest of its bytes; none where nobody stated one.
    """

    id: UnderTest
    title: str
    version: str
    sha256: Sha256 | None


@origins()
@dataclass(frozen=True, slots=True)
class Sampling:
    """How an item came to be tested, as somebody attests it in the parties file.

    Args:
        of: Name of the file, or where the system was.
        sha256: Digest of the file; none of a system.
        item: What it was taken from: name, version and build.
        item_sha256: Digest of that build; none where nobody stated one.
        taken_by: Name and function of who took the sample, or set the system up.
        taken_on: The day, such as ``2026-11-20``.
        place: Where; empty where it was not stated.
        how: How it was taken.
        attested_by: Name and function of who attests all this.
    """

    of: Filled
    sha256: Sha256 | None
    item: Filled
    item_sha256: Sha256 | None
    taken_by: Filled
    taken_on: Day
    place: str
    how: Filled
    attested_by: Filled


@origins()
@dataclass(frozen=True, slots=True)
class DoubledItem:
    """A row that the equipment cannot give: an item that is not put back comes twice in it.

    Args:
        row: Which row of the file, from 1.
        face: What the item shows.
    """

    row: int
    face: str


@origins()
@dataclass(frozen=True, slots=True)
class Output:
    """A file of an operator's generator with the tests of it.

    Args:
        name: Name of the file.
        kind: ``decks``, ``draws`` or ``bits``.
        count: Number of decks, draws or bits.
        sha256: Digest of its bytes.
        asked: How many laboratories test in public practice.
        practice: Whose practice that is, as the messages name it.
        sampling: How it was taken, as attested; none where it is tested as handed in.
        alpha: Error that is allowed over the family of its tests.
        family_size: Number of p-values.
        rejected: How many of them are rejected.
        rule: How the verdict is reached.
        reasons: What led to it.
        tests: Its tests.
        verdict: How it ended.
        doubled: The first row that the equipment cannot give: no test is run then, and the rows up to it are counted;
            left out where every row is one that it can give.
    """

    name: str
    kind: str
    count: int
    sha256: Sha256
    asked: int
    practice: str
    sampling: Sampling | None
    alpha: float
    family_size: int
    rejected: int
    rule: str
    reasons: tuple[str, ...]
    tests: tuple[TestOfSample | TestLeftOut, ...]
    verdict: Verdict
    doubled: DoubledItem | None = None

    @property
    def run(self) -> tuple[TestOfSample, ...]:
        """The tests that have p-values."""
        return tuple(test for test in self.tests if isinstance(test, TestOfSample))

    @property
    def is_final(self) -> bool:
        """Whether it is what rounds are made of, not the raw output behind it."""
        return self.kind != "bits"

    @property
    def is_evidence(self) -> bool:
        """Whether it may satisfy a clause: taken as somebody attests, and as much as laboratories test."""
        return self.is_final and self.sampling is not None and self.count >= self.asked


@origins()
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


@origins()
@dataclass(frozen=True, slots=True)
class KeptPromise:
    """One promise of the interface, and whether a system kept it.

    Args:
        promise: The promise.
        verdict: Satisfied, not satisfied; inconclusive where the stories ended before it was tried out; not
            applicable where it could not be tried.
        reason: Why it was not tried; empty where it was.
        tried: How many answers of the system tried it; none in evidence older than that.
    """

    promise: str
    verdict: Verdict
    reason: str
    tried: int | None = None


@origins()
@dataclass(frozen=True, slots=True)
class RoundSystem:
    """A system of rounds tried by conformance stories.

    Args:
        target: Where it was: a URL, or a class by its module.
        version: Its version; empty where nobody stated one.
        sha256: Digest of its code; none where nobody stated one.
        sampling: Who set it up and how, as attested; none where it is tested as handed in.
        fixed_planned: Stories of the fixed part.
        fixed_told: How many of them were sent.
        planned: Random stories requested.
        stories: Random stories sent.
        steps: Steps of those.
        combinations: Actions in phases that the fixed part tries.
        unsupported: Actions that the operator declared unsupported.
        promises: Every promise, and whether it was kept.
        broken: The first promise broken; none where every promise was kept.
        not_tested: What could not be tested, each with the reason.
        verdict: How it ended.
    """

    target: str
    version: str
    sha256: Sha256 | None
    sampling: Sampling | None
    fixed_planned: int
    fixed_told: int
    planned: int
    stories: int
    steps: int
    combinations: int
    unsupported: tuple[str, ...]
    promises: tuple[KeptPromise, ...]
    broken: BrokenPromise | None
    not_tested: tuple[str, ...]
    verdict: Verdict


@origins()
@dataclass(frozen=True, slots=True)
class CriticalFile:
    """A file of the product under test.

    Args:
        path: Its path in the folder that was submitted, its parts divided by ``/``.
        bytes_: Number of its bytes.
        sha256: Digest of its bytes.
    """

    path: str
    bytes_: int
    sha256: Sha256


def schedule_digest(files: Iterable[CriticalFile]) -> str:
    """Returns one digest of a schedule of files: of the lines that ``sha256sum`` writes of them, sorted by path.

    >>> schedule_digest([])[:16]
    'e3b0c44298fc1c14'
    """
    lines = (f"{file.sha256}  {file.path}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@origins()
@dataclass(frozen=True, slots=True)
class Brought:
    """What an operator submitted.

    Args:
        outputs: Files of their generator.
        system: Their system of rounds; none where they submitted none.
        files: Files of the product, sorted by path; left out where no folder of them was submitted.
        unfound: Terms whose quoted sentence is in none of the sources that came with the submission.
    """

    outputs: tuple[Output, ...] = ()
    system: RoundSystem | None = None
    files: tuple[CriticalFile, ...] | None = None
    unfound: tuple[str, ...] | None = None

    @property
    def samplings(self) -> tuple[Sampling, ...]:
        """How each item came to be tested, where somebody attests it, in the order of the items."""
        items = (*self.outputs, *((self.system,) if self.system is not None else ()))
        return tuple(item.sampling for item in items if item.sampling is not None)

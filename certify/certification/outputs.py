"""Output of an operator's generator: read whole or refused, and tested by the tests that fit what the game draws."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from certify.certification.play_through import ALPHA
from certify.certification.randomness import RowSample, planned_tests, recorded, run_tests, summarise
from certify.certification.wagers_on_rows import wager_tests
from certify.errors import InputError
from certify.evidence.operator import Output, OutputTest, Sampling
from certify.evidence.randomness import Randomness
from certify.model.equipment import Kind as EquipmentKind
from certify.model.figures import Analysis
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.outside import SizeLimit, read_bounded
from rng.battery import sp800_22, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.plan import BatteryPlan, PlannedTest
from rng.battery.result import NotRun, at_size
from rng.battery.two_stage import conclude_plan
from rng.given.encodings import Unpacked, text_form
from rng.given.reader import read
from rng.given.rows import RowForm
from rng.given.source import GivenOutput, WordFormat

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["decks", "draws", "bits"]
KINDS: Final[tuple[Kind, ...]] = ("decks", "draws", "bits")

PRACTICE: Final[Mapping[str, int]] = {
    "decks": 1_000_000,
    "shoes": 2_500_000,
    "draws": 1_000_000,
    "bits": 160_000_000,
}
"""How much laboratories test in public practice.

Sources: iTech Labs, certificate of 11 April 2008 (more than 1 million single decks); iTech Labs, RNG evaluation of 23
January 2009 (more than 2.5 million deals of eight decks; two sets of 80 million bits). GLI-19 names no number (3.2.2);
for draws that are no cards none is published, and as many are asked as of decks.
"""

LARGEST: Final = 4 << 30
"""Bytes of a binary file; longer output is given in several files."""

LARGEST_TEXT: Final = 256 << 20
"""Bytes of a file of text."""

STREAM_BITS: Final = 1_000_000
"""Bits of each sample of the tests of SP 800-22; fewer bits are one shorter sample."""

_LOOKED_AT: Final = 4096
_PIECE: Final = 1 << 20

_LARGEST_PACK: Final = 54
"""Cards of one pack, both jokers among them; more are a shoe."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A file of an operator's generator.

    Args:
        path: Where it is.
        kind: What it holds.
        sampling: How it was taken, as attested.
    """

    path: Path
    kind: Kind
    sampling: Sampling | None = None

    def attested(self, samples: Iterable[Sampling]) -> Offered:
        """Returns the file with the record of how it was taken, if there is one.

        Raises:
            InputError: The record is of other bytes.
        """
        record = next((one for one in samples if one.of == self.path.name), None)
        if record is None:
            return self
        with self.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if record.sha256 != digest:
            raise InputError(
                f"{self.path}: the sampling record attests SHA-256 {record.sha256 or 'none'}: expected {digest}"
            )
        return replace(self, sampling=record)


def offered(text: str, game: Game) -> Offered:
    """Returns the file that ``[KIND:]FILE`` names; without a kind it holds what the game draws for its rounds.

    Raises:
        InputError: There is no such file, or the game draws nothing of the kind.
    """
    word, separator, rest = text.partition(":")
    kind: Kind = next((one for one in KINDS if one == word and separator), kind_of(game))
    path = Path(rest if word in KINDS and separator else text)
    if not path.is_file():
        raise InputError(f"--rng-output {text}: {path} is no file: expected [decks:|draws:|bits:]FILE")
    if kind not in ("bits", kind_of(game)):
        raise InputError(f"--rng-output {text}: {game.id} draws {kind_of(game)} for its rounds, not {kind}")
    return Offered(path, kind)


def kind_of(game: Game) -> Kind:
    """Returns what a game draws for a round: decks, or other draws."""
    (first, *others) = game.equipment
    return "decks" if first.kind is EquipmentKind.SHOE and not others else "draws"


def practice_of(kind: Kind, game: Game) -> str:
    """Returns whose practice says how much is enough: of single decks, of shoes, of other draws, of bits."""
    shoe = kind == "decks" and game.equipment[0].size > _LARGEST_PACK
    return "shoes" if shoe else kind


def tested(file: Offered, game: Game, analysis: Analysis, step: Callable[[str], None]) -> Output:
    """Returns a file with the tests of it.

    Args:
        file: The file.
        game: The game that it is drawn for.
        analysis: Exact figures that outcomes of the wagers are compared with.
        step: Told what is being done.

    Raises:
        InputError: The file cannot be read.
        SampleError: It holds something that the game cannot draw; the place is named.
    """
    if file.kind == "bits":
        content = _bytes(file.path, LARGEST)
        streams = tuple(from_bytes(part) for part in _segments(content))
        sample = RowSample(_no_rows(), (), streams)
        tested = sum(bits.length for bits in streams)
        by_stream = tuple(PlannedTest("sp800-22", name, tested) for name in sp800_22.TESTS)
        plan = BatteryPlan((*by_stream, *whole_stream.planned(tested)))
        results = run_tests(sample, step=step)
        count, digest = 8 * len(content), hashlib.sha256(content).hexdigest()
    else:
        rows, digest = _rows(file.path, game)
        sample = RowSample(rows, game.equipment, ())
        played = tuple(wager_tests(game, analysis, rows))
        planned = [
            test for piece in game.equipment for test in planned_tests(piece, game.equipment, len(rows))
        ]
        plan = BatteryPlan((*planned, *(PlannedTest(one.suite, one.test, len(rows)) for one in played)))
        count = len(rows)
        results = tuple(at_size(one, count) for one in (*run_tests(sample, step=step), *played))
    concluded = conclude_plan(plan, results)
    found = summarise(len(sample.rows), 0, concluded, results, ())
    rejected = Counter((one.suite, one.test) for one in concluded.decisions if one.rejected)
    left = [one for one in results if isinstance(one, NotRun)]
    return _output(
        file, count, digest, practice_of(file.kind, game), found, concluded.reasons, rejected, left
    )


def _output(
    file: Offered,
    count: int,
    digest: str,
    practice: str,
    found: Randomness,
    reasons: tuple[str, ...],
    rejected: Counter[tuple[str, str]],
    not_run: Sequence[NotRun],
) -> Output:
    run = tuple(
        OutputTest(
            suite=test.suite,
            test=test.test,
            sample_size=test.sample_size,
            p_values=test.p_values,
            labels=test.labels,
            rejected=rejected[test.suite, test.test],
            adjusted_p=test.adjusted_p,
            null=test.null,
            detectable=test.detectable,
            verdict=Verdict(test.verdict),
            reason="",
        )
        for test in found.tests
    )
    left = tuple(
        OutputTest(
            suite=one.suite,
            test=one.test,
            sample_size=count,
            p_values=(),
            labels=(),
            rejected=0,
            adjusted_p=None,
            null="",
            detectable="",
            verdict=Verdict.INCONCLUSIVE if one.undecided else Verdict.NOT_APPLICABLE,
            reason=one.reason,
        )
        for one in not_run
    )
    return Output(
        name=file.path.name,
        kind=file.kind,
        count=count,
        sha256=digest,
        asked=PRACTICE[practice],
        practice=practice,
        sampling=file.sampling,
        alpha=float(ALPHA),
        family_size=found.family_size,
        rule=found.plan.rule,
        reasons=reasons,
        tests=(*run, *left),
        verdict=Verdict(found.verdict),
    )


def _bytes(path: Path, most: int) -> bytes:
    """Returns the bytes of a file, bounded."""
    content = read_bounded(path, SizeLimit("output of a generator", most))
    if not content:
        raise InputError(f"{path}: empty, expected output of a generator")
    return content


def _segments(content: bytes) -> Iterator[bytes]:
    """Yields the samples that bits are cut into: whole ones, or all of it where it is less than one."""
    step = STREAM_BITS // 8
    if len(content) < step:
        yield content
    for start in range(0, len(content) - step + 1, step):
        yield content[start : start + step]


def _rows(path: Path, game: Game) -> tuple[NDArray[Any], str]:
    """Returns the rows of draws of a file, each one that the equipment can give, and the digest of the file."""
    size = path.stat().st_size
    if not 0 < size <= LARGEST:
        raise InputError(f"{path}: {size} bytes, expected 1 to {LARGEST}")
    with path.open("rb") as stream:
        head = Unpacked(stream, str(path)).read(_LOOKED_AT)
    text = _is_text(head)
    _bounded(path, LARGEST_TEXT if text else LARGEST)
    form = RowForm(tuple(map(recorded, game.equipment)), order="drawn", fixed=True)
    words: WordFormat = "u8" if form.dtype == "u1" else "u16"
    found = read(GivenOutput("draws", path, dtype=None if text else words, rows=form))
    if found.rows is None:
        raise TypeError(f"{path}: rows were read")
    return found.rows.astype(form.dtype.replace("<", "")), found.sha256


def _bounded(path: Path, most: int) -> None:
    """Refuses a file that holds more than that, as it lies or unpacked, before any of it is read into rows."""
    size = 0
    with path.open("rb") as stream:
        unpacked = Unpacked(stream, str(path))
        while piece := unpacked.read(_PIECE):
            size += len(piece)
            if size > most:
                raise InputError(f"{path}: more than {most} bytes: give binary rows, or several files")


def _is_text(head: bytes) -> bool:
    """Tells rows of text from binary rows: a deck in bytes holds ids that no text does."""
    return text_form(head) is not None or (
        all(byte in b"0123456789,;\r\n \t" for byte in head) and b"\n" in head
    )


def _no_rows() -> NDArray[Any]:
    import numpy as np

    return np.empty((0, 0), dtype="u1")

"""Output of an operator's generator: read whole or refused, and tested by the tests that fit what the game draws."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from certify.certification.bit_sequences import SuiteOutcome
from certify.certification.given_output import Given, OutputSource, open_source, row_form
from certify.certification.output_tests import run_suites, usual
from certify.certification.play_through import ALPHA
from certify.errors import InputError
from certify.evidence import (
    DoubledItem,
    Output,
    OverSequences,
    ReferenceReading,
    Sampling,
    TestLeftOut,
    TestOfSample,
)
from certify.model import Game, Kind as EquipmentKind, Verdict
from certify.untrusted_input import file_sha256
from rng.battery import BatteryDecision, BatteryVerdict, NotRun, TestResult, conclude
from rng.battery.sp800_22.streams import StreamsResult
from rng.errors import DoubledItemError

Constants = Literal["reference", "exact"]


def tests_of(
    outcome: SuiteOutcome, verdict: BatteryVerdict, constants: Constants
) -> tuple[TestOfSample | TestLeftOut, ...]:
    """Returns every test; one that was not run says why, and has no p-values."""
    worst = verdict.worst
    return tuple(
        TestLeftOut(
            result.suite,
            result.test,
            {},
            (),
            "inconclusive" if result.undecided else "not applicable",
            result.reason,
            result.minimum_sample,
        )
        if isinstance(result, NotRun)
        else _test(result, outcome, worst[result.suite, result.test], constants)
        for result in outcome.decided
    )


def _test(
    result: TestResult, outcome: SuiteOutcome, worst: BatteryDecision, constants: Constants
) -> TestOfSample:
    """Returns one test, its p-values with the constants requested, and with the others where they differ."""
    of_bits = result.suite == "sp800-22"
    over = outcome.over.get(result.test) if of_bits else None
    exact, reference = result.p_values, result.p_values
    if over is not None:
        exact, reference = over.exact, over.reference
    elif of_bits:
        reference = getattr(outcome.reference.get(result.test), "p_values", exact)
    differ = exact != reference
    by_reference = constants == "reference"
    return TestOfSample(
        suite=result.suite,
        test=result.test,
        parameters={key: value for key, value in result.parameters.items() if key != "constants"},
        p_values=reference if by_reference else exact,
        labels=result.labels if over is None else tuple(column.label for column in over.columns),
        # Bounds and p-values of counts may be too large; those of a test over sequences are shown one by one.
        discrete=result.discrete and over is None,
        verdict=worst.word,
        adjusted_p=worst.adjusted,
        threshold=worst.threshold,
        sample_size=result.sample_size,
        # JSON holds no infinite number: the statistic of an impossible outcome is null.
        statistic=result.statistic if math.isfinite(result.statistic or 0) else None,
        degrees_of_freedom=result.degrees_of_freedom,
        null=result.null,
        detectable=result.detectable,
        p_values_exact=exact if differ and by_reference else None,
        p_values_reference=reference if differ and not by_reference else None,
        p_values_deciding=result.decided if over is None and result.decided != exact else None,
        sequences_not_run=None if over is None else over.not_run,
        over_sequences=None if over is None else tuple(map(_over_sequences, over.columns)),
    )


def _over_sequences(column: StreamsResult) -> OverSequences:
    """Returns how a p-value fared over many sequences, with what the reference program would make of it."""
    theirs = column.reference
    return OverSequences(
        label=column.label,
        passed=column.passed,
        of=len(column.p_values),
        bounds=column.bounds,
        proportion_p=column.proportion_p,
        smallest_deciding=column.smallest,
        tenths=column.counts,
        expected=column.expected,
        uniformity_p=column.uniformity,
        true_law=column.exact_null,
        reference_program=ReferenceReading(
            theirs.uniformity, theirs.passed, theirs.sequences, theirs.bounds, theirs.flagged
        ),
    )


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
for draws that are no cards none is published, and as many are requested as of decks.
"""

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

    def attested(self, samples: Iterable[Sampling]) -> "Offered":
        """Returns the file with the record of how it was taken, if there is one.

        Raises:
            InputError: The record is of other bytes.
        """
        record = next((one for one in samples if one.of == self.path.name), None)
        if record is None:
            return self
        digest = file_sha256(self.path)
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


def tested(file: Offered, game: Game, step: Callable[[str], None]) -> Output:
    """Returns a file with the tests of it: those of ``certify rng test`` on the same output.

    Args:
        file: The file.
        game: The game that it is drawn for.
        step: Receives what is being done.

    Raises:
        InputError: The file cannot be read.
        SampleError: It is not written as rows that the game draws are; the place is named.
    """
    try:
        submitted = open_source(_source(file, game), lambda done, total: None)
    except DoubledItemError as error:
        return _doubled(file, game, error)
    request = usual(submitted.source)
    if file.kind != "bits":
        request = replace(request, game=game)
    outcome = run_suites(submitted, request, step, lambda done, total, words: None)
    verdict = conclude(outcome.decided, alpha=float(ALPHA))
    practice = practice_of(file.kind, game)
    return Output(
        name=file.path.name,
        kind=file.kind,
        count=submitted.count,
        sha256=submitted.sha256,
        asked=PRACTICE[practice],
        practice=practice,
        sampling=file.sampling,
        alpha=verdict.alpha,
        family_size=verdict.family_size,
        rejected=sum(one.rejected for one in verdict.decisions),
        rule=verdict.rule,
        reasons=verdict.reasons,
        tests=tests_of(outcome, verdict, "exact"),
        verdict=Verdict(verdict.word),
    )


def _doubled(file: Offered, game: Game, error: DoubledItemError) -> Output:
    """Returns a file of which a row holds an item twice: no test has to find that."""
    practice, piece = practice_of(file.kind, game), game.equipment[error.piece]
    return Output(
        name=file.path.name,
        kind=file.kind,
        count=error.row,
        sha256=error.sha256,
        asked=PRACTICE[practice],
        practice=practice,
        sampling=file.sampling,
        alpha=float(ALPHA),
        family_size=0,
        rejected=0,
        rule=WHOLE,
        reasons=(),
        tests=(),
        verdict=Verdict.NOT_SATISFIED,
        doubled=DoubledItem(error.row, piece.faces[piece.shows[error.item]]),
    )


WHOLE: Final = "every row holds each item drawn without replacement at most once"
"""The rule that a file with a doubled item broke."""


def _source(file: Offered, game: Game) -> OutputSource:
    """Returns how a file is read, each row one that the equipment can give: whether as text, its first bytes say."""
    if file.kind == "bits":
        return OutputSource("bits", file.path)
    given = Given(game.equipment, order="drawn")
    return OutputSource(
        "draws", file.path, rows=replace(row_form(given, None, 0, None), fixed=True), given=given
    )

"""What ``certify rng test`` concludes, as JSON, as text and as a signed page."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from certify.certification.given_output import OutputSource, SubmittedOutput, shoe_of_packs
from certify.cli.failures import Exit, exit_by
from certify.cli.rng_replay import require_place
from certify.errors import InputError, Refusing, strerror
from certify.evidence import (
    FreshSample,
    GivenSample,
    PieceResiduals,
    TestedSample,
    TestLeftOut,
    TestOfSample,
    plain,
)
from certify.model import keywords
from certify.seal import Identity
from certify.seal.pdf_signature import sign_pdf
from certify.seal.tested import NUMBERS, reason_of
from certify.untrusted_input import write_whole
from rng.battery import HARD_THRESHOLD, BatteryVerdict, borderline, conclude, conclude_plan, plan_of, suspects
from rng.battery.residuals import tables_of
from rng.errors import DoubledItemError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from certify.certification.bit_sequences import SuiteOutcome
    from certify.certification.outputs import Constants


SECOND_ALPHA = 0.05

Fresh = Callable[[tuple[str, ...], "SuiteOutcome"], tuple["SubmittedOutput", "SuiteOutcome"]]
"""Opens the fresh sample and runs the tests named on it, cut as the first sample was."""


@dataclass(frozen=True, slots=True)
class Concluded:
    """The verdict and what it rests on.

    Args:
        verdict: The collective verdict.
        first: The verdict on the first sample alone, which each of its tests is reported by.
        borderline: Tests of the first sample that a fresh, larger sample decides, ``suite/test``.
        fresh: The fresh sample and its results, if it was needed and given.
    """

    verdict: BatteryVerdict
    first: BatteryVerdict
    borderline: tuple[str, ...] = ()
    fresh: "tuple[SubmittedOutput, SuiteOutcome] | None" = None

    @property
    def code(self) -> Exit:
        """The exit code: nothing at all that could be run is no verdict."""
        decided = self.verdict.decisions or any(n.undecided for n in self.verdict.not_run)
        undecided = self.verdict.word == "inconclusive" and not decided
        return Exit.NOTHING_CHECKED if undecided else Exit(exit_by([self.verdict.word]))


def conclude_sample(outcome: "SuiteOutcome", alpha: float, fresh: Fresh | None) -> Concluded:
    """Concludes by Holm's procedure; a borderline sample by the fresh one, where there is one.

    Args:
        outcome: What was run on the first sample.
        alpha: Family-wise error of the word.
        fresh: Opens the fresh sample; None if none is given, and the first sample decides alone.
    """
    second_alpha = max(alpha, SECOND_ALPHA)
    first = conclude(outcome.decided, alpha=alpha, second_alpha=second_alpha)
    if fresh is None:
        return Concluded(first, first, borderline(first))
    # Below the hard threshold a first sample is never called borderline.
    if not HARD_THRESHOLD < alpha < SECOND_ALPHA:
        raise InputError(
            f"--alpha {alpha:g}: with --fresh, between {HARD_THRESHOLD:g} and {SECOND_ALPHA:g} expected"
        )
    plan = plan_of(outcome.decided, alpha, second_alpha)
    names_ = suspects(plan, outcome.decided)
    if not names_:
        return Concluded(conclude_plan(plan, outcome.decided), first)
    second = fresh(names_, outcome)
    return Concluded(conclude_plan(plan, outcome.decided, second[1].decided), first, names_, second)


# Only p-values as small as this are read far out in their tails.
FAR_BELOW: Final = 1e-2


def document(
    submitted: SubmittedOutput,
    outcome: "SuiteOutcome",
    concluded: Concluded,
    constants: "Constants",
    *,
    pictured: bool = False,
) -> TestedSample:
    """Returns what ``certify rng test`` found, with what a report draws where that is requested."""
    from certify.certification.outputs import tests_of

    verdict, fresh = concluded.verdict, concluded.fresh
    return TestedSample(
        input=_input(submitted, outcome),
        alpha=verdict.alpha,
        verdict=verdict.word,
        second_alpha=verdict.second_alpha,
        second_verdict=verdict.second_word,
        family_size=verdict.family_size,
        rule=verdict.rule,
        reasons=tuple(verdict.reasons),
        borderline=concluded.borderline,
        constants=constants,
        tests=tests_of(outcome, concluded.first, constants),
        plan_sha256=verdict.plan_digest or None,
        stages=verdict.stages if verdict.plan_digest else None,
        residuals=tuple(_residuals(submitted)) if pictured else None,
        fresh=None if fresh is None else FreshSample(_input(*fresh), tests_of(fresh[1], verdict, constants)),
    )


def doubled(
    source: OutputSource, error: DoubledItemError, alpha: float, constants: "Constants"
) -> TestedSample:
    """Returns the document of a file of which a row holds an item twice: no test has to find that.

    Args:
        source: Where the rows are.
        error: Which row, and what is in it twice.
        alpha: Family-wise error that was requested.
        constants: Whose constants p-values would have been printed with.
    """
    from certify.certification.outputs import WHOLE

    return TestedSample(
        input=SubmittedOutput(error.row, error.sha256, None, None, None, source=source).summary,
        alpha=alpha,
        verdict="not satisfied",
        second_alpha=max(alpha, SECOND_ALPHA),
        second_verdict="not satisfied",
        family_size=0,
        rule=WHOLE,
        reasons=(str(error),),
        borderline=(),
        constants=constants,
        tests=(),
    )


def _residuals(submitted: SubmittedOutput) -> Iterator[PieceResiduals]:
    """Yields counts against expectation by place and over time, for each piece of what was drawn from."""
    for part in parts_of(submitted):
        for table in tables_of(part.drawn, part.shows, part.faces, by_place=part.by_place):
            yield PieceResiduals(**keywords(table), piece=part.name, rows_tabled=len(part.drawn))


def _input(submitted: SubmittedOutput, outcome: "SuiteOutcome") -> GivenSample:
    summary, cut = submitted.summary, outcome.cut
    if cut is None:
        return summary
    spread = cut.held if cut.apart > 1 else None
    return replace(summary, streams=cut.streams, length=cut.length, streams_spread_over=spread)


def text_lines(made: TestedSample) -> Iterator[str]:
    """Yields the tests, the verdict and why."""
    yield _headline(made.input)
    yield from _test_lines(made.tests)
    if made.fresh is not None:
        yield "fresh sample: " + _headline(made.fresh.input)
        yield from _test_lines(made.fresh.tests)
    yield f"rule: {made.rule}"
    if made.tests:
        yield "p >=: the smallest p-value of those of a test; adjusted: for all tests together, by the rule"
    for reason in made.reasons:
        if " was not run: " in reason:
            continue  # The table says so already.
        yield f"  {reason}"
    if made.borderline and made.fresh is None:
        yield (
            f"  borderline in {', '.join(made.borderline)}: one fresh, independent sample, "
            "four times as large, may decide (--fresh); the same data is never tested again"
        )
    # What was found is first of the reasons, and what was left out last.
    reason = made.reasons[-1 if made.verdict == "inconclusive" else 0]
    yield (
        f"verdict: {made.verdict.upper()} at {made.alpha:g}; "
        f"at the second threshold {made.second_alpha:g}: {made.second_verdict}; {_in_words(reason)}"
    )


def _in_words(reason: str) -> str:
    """Returns a reason as the last line states it: a generator that makes the numbers is named.

    >>> _in_words("sequences seeds Mersenne Twister, seed 7: p = 2.8e-96, adjusted 1e-93")
    'Mersenne Twister, seed 7 makes exactly these numbers'
    """
    named = reason.removeprefix("sequences seeds ")
    return reason if named == reason else f"{named.rpartition(': p = ')[0]} makes exactly these numbers"


def _headline(given: GivenSample) -> str:
    below = "" if given.range_ is None else f" below {given.range_:,}"
    cut = ""
    if given.streams is not None and given.streams > 1:
        held = given.streams_spread_over
        spread = f", spread evenly over {held:,}: --streams {held} tests all" if held else ""
        cut = f", {given.streams:,} sequences of {given.length:,} bits{spread}"
    return (
        f"{given.count:,} {given.kind}{below} from {given.source}{cut}\n"
        + "".join(f"each of {phrase}\n" for phrase in given.equipment or ())
        + f"sha256 {given.sha256}"
    )


def _test_lines(tests: Sequence[TestOfSample | TestLeftOut]) -> Iterator[str]:
    for test in tests:
        name = f"  {test.suite:12} {test.test:28}"
        if isinstance(test, TestLeftOut):
            yield f"{name} {test.verdict.upper()}: {test.reason}"
            continue
        shown = _shown(test, test.p_values)
        yield f"{name} {shown:44} adjusted {test.adjusted_p:<9.3g} {test.verdict}"
        for others, words, anyhow in (
            (test.p_values_deciding, "both tails, right far out: these decide", False),
            (test.p_values_exact, "with exact constants", True),
            (test.p_values_reference, "with the reference program's constants", True),
        ):
            # What changes no digit shown is not worth a line, nor a tail that decides nothing.
            if others is None or not (anyhow or min(*test.p_values, *others) < FAR_BELOW):
                continue
            if _shown(test, others) != shown:
                yield f"{'':40} {_shown(test, others):44} {words}"


def _shown(test: TestOfSample, p_values: Sequence[float]) -> str:
    """Returns up to two p-values, or how many there are and the smallest."""
    if len(p_values) <= 2:
        return "p = " + ", ".join(f"{p:.6f}" for p in p_values)
    at = p_values.index(min(p_values))
    label = f" ({test.labels[at]})" if len(test.labels) == len(p_values) else ""
    return f"p >= {min(p_values):.6f}{label} of {len(p_values):,}"


MOST_TABLED: Final = 1 << 24
"""Draws of a sample that are tabled, from the first on."""
LARGEST_TABLED: Final = 1 << 16
"""Largest range whose numbers are tabled."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What was drawn from one piece.

    Args:
        name: Name of the piece.
        drawn: Items[n, width], one row a row.
        shows: Face of each item.
        faces: Names of the faces.
        by_place: Whether places of a row mean something.
    """

    name: str
    drawn: "NDArray[Any]"
    shows: Sequence[int]
    faces: Sequence[str]
    by_place: bool


def parts_of(submitted: SubmittedOutput) -> tuple[Part, ...]:
    """Returns what was drawn from each piece; bits are taken as octets."""
    source, rows = submitted.source, submitted.rows
    if rows is None:
        bits = submitted.bits
        octets = None if bits is None else bits.octets()[: min(bits.length // 8, MOST_TABLED)]
        return () if octets is None else (_numbers("octets", octets, 256, 0),)
    if submitted.pieces is not None:
        found, column = [], 0
        for piece in submitted.pieces:
            drawn = rows[: MOST_TABLED // piece.supply, column : column + piece.supply]
            flat = len(submitted.pieces) == 1 and piece.replaced
            found.append(Part(piece.id, drawn, piece.shows, piece.faces, not flat))
            column += piece.supply
        return tuple(found)
    if source.kind == "decks":
        from rng.given.names import Pack

        pack = source.layout.pack if source.layout else Pack()
        piece = shoe_of_packs(pack)
        return (Part("deck", rows[: MOST_TABLED // pack.cards], piece.shows, piece.faces, by_place=True),)
    if source.below > LARGEST_TABLED:
        return ()
    return (_numbers("numbers", rows[:MOST_TABLED], source.below, source.first),)


def _numbers(name: str, drawn: "NDArray[Any]", below: int, first: int) -> Part:
    faces = tuple(str(first + number) for number in range(below))
    return Part(name, drawn.reshape(-1, 1), range(below), faces, by_place=False)


NAMES = ("battery.pdf", "battery.html", NUMBERS)


def require_room(folder: Path) -> None:
    """Refuses, before any work, a folder that the report cannot be written to; nothing is made yet.

    Raises:
        InputError: It cannot be made or written to, or something else than a file has the name of a part.
    """
    nearest = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: {nearest} is no folder that can be written to")
    if folder.exists():
        for name in NAMES:
            require_place(folder / name)


def write_report(folder: Path, made: TestedSample, signs: tuple[Identity, datetime] | None = None) -> None:
    """Renders what was found and writes the three parts, each whole or not at all.

    Args:
        folder: Where they go.
        made: What was found.
        signs: Who signs the PDF, with the numbers attached to it, and when; nobody if left out.
    """
    from certify.report.battery import render_battery

    numbers = (json.dumps(plain(made), ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    if signs is None:
        pdf, html = render_battery(made)
    else:
        identity, moment = signs
        unsigned, html = render_battery(made, numbers, moment)
        # As a pack's report is: certified, no later change allowed.
        pdf = sign_pdf(
            unsigned,
            identity.signer,
            signing_time=moment,
            reason=reason_of(made.input.sha256),
            location="",
            timestamper=identity.timestamper,
            stamp_roots=identity.stamp_roots,
        )
    with Refusing(OSError, InputError, f"{folder}: cannot be made", words=strerror):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(NAMES, (pdf, html, numbers), strict=True):
        write_whole(folder / name, [content])

"""``certify rng``: known answers, tests and export of random output, and the self-test."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from certify.cli.failures import Exit, exit_by
from certify.cli.options import FiniteRange, Progress, executor_option, format_option, print_result
from certify.cli.rng_battery import test
from certify.cli.rng_generate import generate
from certify.cli.rng_replay import replay
from certify.errors import InputError, NothingCheckedError
from certify.evidence import plain
from certify.executors import ExecutorSpec, open_executor
from certify.untrusted_input import Document, JsonObject, file_sha256
from rng.battery import open_raw
from rng.given.encodings import is_packed, text_form
from rng.kat import KatReport, run_kat_files
from rng.outside import head_of

if TYPE_CHECKING:
    from rng.battery.ais31 import Procedure
    from rng.battery.calibration import SelftestReport
    from rng.battery.sp800_90b import Assessment


DATA = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    short_help="assess the noise that seeds a generator",
    epilog="Examples: certify rng noise --samples raw.bin --width 4 --claimed 2.5; "
    "certify rng noise --raw-bits raw.bin; certify rng noise --internal-bits output.bin",
)
@click.option("--samples", type=DATA, help="Raw samples, one a byte in its low bits: SP 800-90B section 6.3.")
@click.option(
    "--width", type=click.IntRange(1, 8), default=8, show_default=True, help="Bits of a raw sample."
)
@click.option(
    "--claimed",
    type=FiniteRange(0, 8),
    metavar="H",
    help="Min-entropy claimed, in bits for each sample: less than that is a finding.",
)
@click.option("--internal-bits", type=DATA, help="Bits after post-processing: AIS 20/31, procedure A.")
@click.option("--raw-bits", type=DATA, help="Bits before post-processing: AIS 20/31, procedure B.")
@click.option("--raw", is_flag=True, help="The bytes are meant even where they look like text or are packed.")
@format_option
def noise(
    samples: Path | None,
    width: int,
    claimed: float | None,
    internal_bits: Path | None,
    raw_bits: Path | None,
    raw: bool,
    output: str,
) -> int:
    """Assess the noise that seeds a generator: min-entropy, and the statistical tests of AIS 20/31.

    This assesses a noise source, not the output of a deterministic generator. The estimators bound what simple
    predictors can guess. To prove the entropy of a source also takes a stochastic model, which no program can
    judge.

    Exit codes: 0 as claimed or nothing claimed, and the procedures are passed; 1 less than claimed, or a
    procedure is failed; 2 wrong call or malformed input; 4 too few samples or bits; 5 nothing was assessed.
    """
    if samples is None and claimed is not None:
        raise click.UsageError("--claimed goes with --samples only")
    if samples is None and internal_bits is None and raw_bits is None:
        raise NothingCheckedError("nothing to assess: --samples, --internal-bits or --raw-bits expected")
    for path in () if raw else filter(None, (samples, internal_bits, raw_bits)):
        _refuse_text(path)
    progress = Progress(quiet=output == "json")
    made: Document = {}
    words: list[str] = []
    if samples is not None:
        made["sp800_90b"] = _assessed(samples, width, claimed, progress)
        words.append(made["sp800_90b"]["verdict"])
    given: tuple[tuple[Procedure, Path | None], ...] = ("A", internal_bits), ("B", raw_bits)
    procedures = [_procedure(path, letter, progress) for letter, path in given if path is not None]
    if procedures:
        made["ais_20_31"] = procedures
        words += [procedure["verdict"] for procedure in procedures]
    worst = next(word for word in ("not satisfied", "inconclusive", "satisfied") if word in words)
    made = {"verdict": worst, **made}
    print_result(output, made, _noise_lines(made))
    return exit_by(words)


def _refuse_text(path: Path) -> None:
    """Refuses noise that is written as text or packed: its bytes would say how it is written, not what it is.

    Raises:
        InputError: It is.
    """
    head = head_of(path, 4096)
    form = text_form(head)
    if is_packed(head) or form not in (None, "text"):
        what = "packed data" if form is None else f"text ({form})"
        raise InputError(
            f"{path}: looks like {what}, expected raw bytes; if these are the samples, say --raw"
        )


def _assessed(path: Path, width: int, claimed: float | None, progress: Progress) -> Document:
    """Returns the assessment of raw samples, as JSON has it."""
    from rng.battery.sp800_90b import assess, read_samples
    from rng.battery.sp800_90b.assessment import SAMPLES_REQUIRED

    found = assess(read_samples(path, width), width, progress=progress.step)
    size = path.stat().st_size
    too_little = claimed is not None and not found.min_entropy >= claimed
    word = "not satisfied" if too_little else "satisfied" if found.enough else "inconclusive"
    reason = f"{found.min_entropy:.6f} bits of min-entropy in a sample of {width}"
    if claimed is not None:
        reason += f", {claimed:g} claimed"
    if size > found.samples:
        reason += f"; of {size} bytes the first {found.samples} are assessed"
    if not found.enough:
        reason += f"; {found.samples} samples, {SAMPLES_REQUIRED} are required (SP 800-90B 3.1.1)"
    return {
        "source": str(path),
        "sha256": file_sha256(path),
        "samples": found.samples,
        "width": width,
        "min_entropy": found.min_entropy,
        "claimed": claimed,
        "h_original": found.h_original,
        "h_bitstring": found.h_bitstring,
        "verdict": word,
        "reason": reason,
        "literal": plain(found.literal),
        "bitstring": plain(found.bitstring),
        "smallest": _smallest(found),
    }


def _smallest(found: "Assessment") -> str:
    """Names the estimator that decides."""
    every = [(one.min_entropy, one.estimator, "samples") for one in found.literal]
    every += [(one.min_entropy * found.width, one.estimator, "bits") for one in found.bitstring]
    _, name, on = min(every)
    return f"{name} on {on}"


def _procedure(path: Path, letter: "Procedure", progress: Progress) -> Document:
    """Returns one procedure of AIS 20/31, as JSON has it."""
    from rng.battery.ais31 import run_procedure

    progress.step(f"AIS 20/31, procedure {letter}")
    found = run_procedure(open_raw(path), letter)
    return {
        "procedure": letter,
        "source": str(path),
        "sha256": file_sha256(path),
        "bits_used": found.used,
        "verdict": found.word,
        "reason": found.reason,
        "rounds": len(found.rounds),
        "tests": sum(len(outcomes) for outcomes in found.rounds),
        "failed": [
            {
                "test": outcome.test,
                "sequence": outcome.sequence,
                "statistic": outcome.statistic,
                "bounds": outcome.bounds,
            }
            for outcome in found.failed
        ],
    }


def _noise_lines(made: Document) -> Iterator[str]:
    found = made.get("sp800_90b")
    if found is not None:
        yield f"{found['samples']:,} samples of {found['width']} bits from {found['source']}"
        for on in ("literal", "bitstring"):
            for one in found[on]:
                unit = "a sample" if on == "literal" else "a bit"
                name = f"{one['section']:7} {one['estimator']:28}"
                yield f"  {name} {one['min_entropy']:.6f} bits {unit}"
        yield f"SP 800-90B: {found['reason']}; decided by {found['smallest']}: {found['verdict']}"
    for one in made.get("ais_20_31", []):
        for outcome in one["failed"]:
            yield (
                f"  failed: {outcome['test']}, sequence {outcome['sequence']}: {outcome['statistic']:g}, "
                f"expected {outcome['bounds']}"
            )
        yield f"AIS 20/31 procedure {one['procedure']}: {one['reason']}: {one['verdict']}"
    yield f"verdict: {made['verdict'].upper()}"


@click.command(
    short_help="test the battery itself with planted faults",
    epilog="Example: certify rng selftest --budget quick",
)
@click.option(
    "--budget",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="quick: about a minute; full: some minutes, more streams and three samples of each fault.",
)
@executor_option
@format_option
def selftest(budget: Literal["quick", "full"], executor: ExecutorSpec | None, output: str) -> int:
    """Test the battery itself: it must catch every planted fault, and pass good generators at the stated rate.

    The seeds are fixed, so that the result is the same on every machine.

    Exit codes: 0 the battery passes, 1 a fault was missed or a test is out of calibration.
    """
    from rng.battery.calibration import selftest as run_selftest

    progress = Progress(quiet=output == "json")
    with open_executor(executor or ExecutorSpec("threads", 1)) as running:
        report = run_selftest(budget, progress=progress.step, mapped=running.map)
    print_result(output, selftest_json(report), _selftest_lines(report))
    if report.word == "inconclusive":
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.SATISFIED if report.word == "satisfied" else Exit.FINDINGS)


def selftest_json(report: "SelftestReport") -> JsonObject:
    """Returns everything the self-test found, as one JSON object."""
    return {
        "budget": report.budget,
        "verdict": report.word,
        "generators": list(report.generators),
        "missed": [finding.fault for finding in report.missed],
        "faults": plain(report.faults),
        "calibrations": [
            {
                "suite": item.suite,
                "test": item.test,
                "on": item.on,
                "streams": len(item.p_values),
                "discrete": item.discrete,
                "distance": item.distance,
                "p_value": item.p_value,
                "holds": item.holds,
            }
            for item in report.calibrations
        ],
        "false_alarms": plain(report.false_alarms),
        "counted": [
            {
                "bits": item.bits,
                "worst_relative_bias": str(item.worst),
                "noncentrality_per_deck": str(item.noncentrality),
                "decks_needed": item.decks,
            }
            for item in report.counted
        ],
    }


def _selftest_lines(report: "SelftestReport") -> Iterator[str]:
    """Yields faults, calibration, false alarms and what only counting can show."""
    yield "planted faults"
    for finding in report.faults:
        word = "caught" if finding.caught else "MISSED"
        yield (
            f"  {word}  {finding.fault:28} {finding.caught_by:34} sample {finding.sample:>9,}"
            f"  p <= {max(finding.p_values):.1e}"
        )
    yield f"calibration on {', '.join(report.generators)}"
    for item in report.calibrations:
        word = "holds " if item.holds else "BROKEN"
        yield (
            f"  {word}  {item.suite} {item.test:28} {item.on:30} {len(item.p_values):>4} streams"
            f"  p = {item.p_value:.4f}"
        )
    for alarm in report.false_alarms:
        yield f"false alarms on {alarm.on}: {alarm.alarms} of {alarm.streams} streams, p = {alarm.p_value:.4f}"
    yield "what sampling cannot show, counted: a shuffle by word modulo the range"
    for item_ in report.counted:
        yield (
            f"  words of {item_.bits} bits: relative bias up to {float(item_.worst):.3g}, "
            f"seen from {item_.decks:.3g} decks on"
        )
    caught = len(report.faults) - len(report.missed)
    yield f"{caught} of {len(report.faults)} planted faults caught; verdict: {report.word}"


@click.group(epilog="Example: certify rng test --bits sample.bin --format json")
def rng() -> None:
    """Known answers of the generators, tests of random output and raw noise, export, replay, self-test."""


@click.command(
    short_help="run published vectors against our generators",
    epilog="Example: certify rng kat fixtures/vectors/acvp/*",
)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@format_option
def kat(files: tuple[Path, ...], output: str) -> int:
    """Run ACVP and CAVP vector FILEs against our DRBGs.

    FILEs are ACVP JSON files (internal projections, or prompts together with their expected results) and CAVP .rsp
    or .txt files, in any mixture.

    Exit codes: 0 all passed, 1 some failed, 2 a file is malformed, 5 none was run.
    """
    report = run_kat_files(files)
    print_result(output, report.to_json(), _lines(report))
    if report.failed:
        return int(Exit.FINDINGS)
    return int(Exit.SATISFIED if report.tests else Exit.NOTHING_CHECKED)


def _lines(report: KatReport) -> Iterator[str]:
    """Yields the tallies, every failure, and what was not run."""
    for tally in report.algorithms:
        yield f"{tally.algorithm:32} {tally.passed:>6} of {tally.tests} passed"
    for failure in report.failed:
        yield f"FAILED {failure.file}, {failure.group}, {failure.test}: {failure.reason}"
    for skipped in report.not_run:
        yield f"not run: {skipped.file}, {skipped.group}, {skipped.tests} tests: {skipped.reason}"
    for file in report.files:
        yield f"{file.sha256}  {file.name} ({file.format})"
    yield f"{report.groups} groups, {report.tests} tests, {report.passed} passed"
    if not report.tests:
        yield "nothing was checked"


for command in (kat, test, generate, replay, selftest, noise):
    rng.add_command(command)

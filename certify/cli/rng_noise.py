"""``certify rng noise``: raw noise by the estimators of SP 800-90B and the procedures of AIS 20/31."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.cli.failures import Exit
from certify.cli.options import FiniteRange, Progress, format_option, print_json
from certify.errors import InputError, NothingCheckedError
from certify.untrusted_input import Document

if TYPE_CHECKING:
    from rng.battery.ais31 import Procedure
    from rng.battery.sp800_90b import Assessment, Estimate

DATA = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog="Examples: certify rng noise --samples raw.bin --width 4 --claimed 2.5; "
    "certify rng noise --raw-bits raw.bin; certify rng noise --internal-bits output.bin"
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

    What is assessed is a noise source, not the output of a deterministic generator. The estimators bound what
    simple predictors can guess; that a source has the entropy takes a stochastic model too, which no program
    can judge.

    Exit codes: 0 as claimed or nothing claimed, and the procedures are passed; 1 less than claimed, or a
    procedure is failed; 2 wrong call or malformed input; 4 too few samples or bits; 5 nothing was asked for.
    """
    if samples is None and claimed is not None:
        raise click.UsageError("--claimed goes with --samples only")
    if samples is None and internal_bits is None and raw_bits is None:
        raise NothingCheckedError("nothing to assess: --samples, --internal-bits or --raw-bits expected")
    for path in () if raw else (samples, internal_bits, raw_bits):
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
    made = {"verdict": _worst(words), **made}
    if output == "json":
        print_json(made)
    else:
        _print(made)
    codes = {"not satisfied": Exit.FINDINGS, "inconclusive": Exit.INCONCLUSIVE, "satisfied": Exit.SATISFIED}
    return int(codes[made["verdict"]])


def _refuse_text(path: Path | None) -> None:
    """Refuses noise that is written as text or packed: its bytes would say how it is written, not what it is.

    Raises:
        InputError: It is.
    """
    from rng.given.encodings import is_packed, text_form
    from rng.outside import head_of

    if path is None:
        return
    head = head_of(path, 4096)
    form = text_form(head)
    if is_packed(head) or form not in (None, "text"):
        what = "packed data" if form is None else f"text ({form})"
        raise InputError(
            f"{path}: looks like {what}, expected raw bytes; if these are the samples, say --raw"
        )


def _worst(words: list[str]) -> str:
    return next(word for word in ("not satisfied", "inconclusive", "satisfied") if word in words)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
        "sha256": _digest(path),
        "samples": found.samples,
        "width": width,
        "min_entropy": found.min_entropy,
        "claimed": claimed,
        "h_original": found.h_original,
        "h_bitstring": found.h_bitstring,
        "verdict": word,
        "reason": reason,
        "literal": [_estimate(one) for one in found.literal],
        "bitstring": [_estimate(one) for one in found.bitstring],
        "smallest": _smallest(found),
    }


def _smallest(found: Assessment) -> str:
    """Names the estimator that decides."""
    every = [(one.min_entropy, one.estimator, "samples") for one in found.literal]
    every += [(one.min_entropy * found.width, one.estimator, "bits") for one in found.bitstring]
    _, name, on = min(every)
    return f"{name} on {on}"


def _estimate(one: Estimate) -> Document:
    return {
        "estimator": one.estimator,
        "section": one.section,
        "min_entropy": one.min_entropy,
        "details": dict(one.details),
    }


def _procedure(path: Path, letter: Procedure, progress: Progress) -> Document:
    """Returns one procedure of AIS 20/31, as JSON has it."""
    from rng.battery.ais31 import run_procedure
    from rng.battery.bits import open_raw

    progress.step(f"AIS 20/31, procedure {letter}")
    found = run_procedure(open_raw(path), letter)
    return {
        "procedure": letter,
        "source": str(path),
        "sha256": _digest(path),
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


def _print(made: Document) -> None:
    found = made.get("sp800_90b")
    if found is not None:
        click.echo(f"{found['samples']:,} samples of {found['width']} bits from {found['source']}")
        for on in ("literal", "bitstring"):
            for one in found[on]:
                unit = "a sample" if on == "literal" else "a bit"
                name = f"{one['section']:7} {one['estimator']:28}"
                click.echo(f"  {name} {one['min_entropy']:.6f} bits {unit}")
        click.echo(f"SP 800-90B: {found['reason']}; decided by {found['smallest']}: {found['verdict']}")
    for one in made.get("ais_20_31", []):
        for outcome in one["failed"]:
            click.echo(
                f"  failed: {outcome['test']}, sequence {outcome['sequence']}: {outcome['statistic']:g}, "
                f"expected {outcome['bounds']}"
            )
        click.echo(f"AIS 20/31 procedure {one['procedure']}: {one['reason']}: {one['verdict']}")
    click.echo(f"verdict: {made['verdict'].upper()}")

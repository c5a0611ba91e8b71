"""What an operator submits to ``certify run``: their round system and output of their generator, tried and tested."""

import hashlib
import importlib
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from certify.certification.submitted import critical_files
from certify.characters import look_the_same
from certify.clauses import Regime
from certify.cli.options import Progress, handed_over, option, placed
from certify.cli.rounds_exercise import TargetAccess, access_options, shuffled, target_of
from certify.errors import InputError
from certify.evidence import BrokenPromise, Brought, CriticalFile, KeptPromise, RoundSystem, Sampling
from certify.model import Game, Verdict
from certify.rounds import edition_of
from certify.rounds.conformance.conform import ConformanceReport, conform
from certify.rounds.conformance.fixed import unsupported_of
from certify.rounds.conformance.promise import PromiseId

if TYPE_CHECKING:
    from certify.certification.outputs import Offered

DECKS = 20
"""Decks that stories are played on."""


@dataclass(frozen=True, slots=True)
class Bringing:
    """What the options of a run say of the operator's items."""

    access: TargetAccess = placed(access_options, TargetAccess())
    system: str | None = option(
        "The operator's round system, tested by conformance stories.", metavar="URL|MODULE:CLASS"
    )
    system_version: str = option("Its version, as the operator states it.", default="", metavar="TEXT")
    system_sha256: str | None = option("Digest of its code, as the operator states it.", metavar="HEX")
    without: tuple[str, ...] = option("An operation that it does not support.", default=(), metavar="ACTION")
    stories: int = option("Stories to send.", default=400, type=click.IntRange(1), shown=True)
    rng_output: tuple[str, ...] = option(
        "Output of the operator's generator: decks: or draws: as rounds use them (rows of bytes or CSV), "
        "or bits:; may be repeated.",
        default=(),
        metavar="[KIND:]FILE",
    )
    item_files: Path | None = option(
        "Folder of the product's files, of which report and certificate list path, size and SHA-256.",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
    )


bringing_options = handed_over(Bringing, "bringing")
"""Adds the options of what an operator submits, handed over together as ``bringing``."""


def files_of(bringing: Bringing, game: Game, samples: tuple[Sampling, ...] = ()) -> "tuple[Offered, ...]":
    """Returns the files that were named, looked at before anything is computed.

    Args:
        bringing: What the options say.
        game: The submission.
        samples: How they were taken, as the parties file attests it.

    Raises:
        InputError: A file is not there, or holds another kind than the game draws; an option has nothing to go with;
            or a record of sampling is of something that is not submitted, or of other bytes.
    """
    from certify.certification.outputs import offered

    if bringing.system is None and (bringing.system_version or bringing.system_sha256 or bringing.without):
        raise InputError("--system-version, --system-sha256 and --without describe --system TARGET")
    digest = bringing.system_sha256
    if digest is not None and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
        raise InputError(f"--system-sha256 {digest}: expected 64 hexadecimal digits in lower case")
    named = [offered(text, game) for text in bringing.rng_output]
    names = [one.path.name for one in named]
    if len(set(names)) < len(names) or look_the_same(names):
        raise InputError("--rng-output: two files have the same name: expected different names")
    items = [*names, *([bringing.system] if bringing.system else [])]
    for record in samples:
        if record.of not in items:
            expected = ", ".join(items) or "none, for nothing is submitted"
            raise InputError(
                f"a sampling record is of {record.of!r}, which was not submitted: expected one of {expected}"
            )
        if record.of == bringing.system and record.sha256 is not None:
            raise InputError(
                f"the sampling record of {record.of} states sha256, which is of a file: expected item_sha256"
            )
    return tuple(one.attested(samples) for one in named)


def brought(
    bringing: Bringing,
    files: "tuple[Offered, ...]",
    game: Game,
    regime: Regime,
    seed: bytes,
    started: datetime,
    progress: Progress,
    samples: tuple[Sampling, ...] = (),
) -> Brought:
    """Tries and tests what was submitted.

    Args:
        bringing: What the options say.
        files: The files, looked at.
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, which chooses stories and their decks.
        started: Time at which every story begins.
        progress: Receives how far the work is.
        samples: How what is submitted was sampled, as the parties file attests it.
    """
    from certify.certification.outputs import tested

    outputs = []
    for file in files:
        progress.step(f"testing {file.path.name}, {file.kind} of the operator's generator")
        outputs.append(tested(file, game, progress.step))
    system = _tried(bringing, game, regime, seed, started, progress) if bringing.system else None
    if system is not None:
        system = replace(system, sampling=next((one for one in samples if one.of == system.target), None))
    return Brought(tuple(outputs), system)


def listed_files(bringing: Bringing, progress: Progress) -> tuple[CriticalFile, ...] | None:
    """Returns the schedule of the product's files; none where no folder of them was named.

    Raises:
        InputError: The folder holds no file, too many, a link, or one that cannot be read.
    """
    if bringing.item_files is None:
        return None

    progress.step(f"listing the files in {bringing.item_files}")
    return critical_files(bringing.item_files)


def _tried(
    bringing: Bringing, game: Game, regime: Regime, seed: bytes, started: datetime, progress: Progress
) -> RoundSystem:
    """Tells the operator's system conformance stories."""
    target = bringing.system or ""
    factory = target_of(target, bringing.access)
    unsupported = unsupported_of(bringing.without)
    progress.step(f"trying every action in every phase on {target}, then sending {bringing.stories} stories")
    report = conform(
        factory,
        edition_of(game, regime.policy(game.terms)),
        shuffled(game, seed, DECKS),
        started,
        count=bringing.stories,
        seed=int.from_bytes(seed, "big"),
        unsupported=unsupported,
        progress=lambda done, total: progress.at(done, total, "stories of the fixed part"),
    )
    version, digest = _identity(target)
    return round_system(
        report,
        target,
        planned=bringing.stories,
        version=bringing.system_version or version,
        sha256=bringing.system_sha256 or digest,
        unsupported=tuple(sorted(str(action) for action in unsupported)),
    )


def round_system(
    report: ConformanceReport,
    target: str,
    *,
    planned: int,
    version: str,
    sha256: str | None,
    unsupported: tuple[str, ...] = (),
) -> RoundSystem:
    """Returns a report of conformance as what the evidence holds of a system.

    Args:
        report: What the stories showed.
        target: Where the system was.
        planned: Random stories requested.
        version: Its version; empty where nobody stated one.
        sha256: Digest of its code; none where nobody stated one.
        unsupported: Operations that the operator declared unsupported.
    """
    breach = report.breach
    broken = (
        None
        if breach is None
        else BrokenPromise(str(breach.promise), breach.expected, breach.observed, report.script)
    )
    return RoundSystem(
        target=target,
        version=version,
        sha256=sha256,
        sampling=None,
        fixed_planned=len(report.fixed.stories),
        fixed_told=report.fixed_told,
        planned=planned,
        stories=report.stories,
        steps=report.steps,
        combinations=report.fixed.cells,
        unsupported=unsupported,
        promises=tuple(
            KeptPromise(str(promise), *report.of_promise(promise), report.tally.get(promise, 0))
            for promise in PromiseId
        ),
        broken=broken,
        not_tested=report.not_tested,
        verdict=Verdict.NOT_SATISFIED if broken else Verdict.SATISFIED,
    )


def _identity(target: str) -> tuple[str, str | None]:
    """Returns version and digest of a class's module; of a URL neither, for what answers there is not seen."""
    if "://" in target:
        return "", None
    module: ModuleType = importlib.import_module(target.partition(":")[0])
    file = getattr(module, "__file__", None)
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    return str(getattr(module, "__version__", "")), digest

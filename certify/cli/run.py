"""``certify run``: the main job."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from certify.characters import shown
from certify.clauses import read_own, regime_of
from certify.cli.failures import Exit
from certify.cli.operator_items import Bringing, bringing_options, brought, files_of, listed_files
from certify.cli.options import (
    GAME,
    Progress,
    drawn_seed,
    executor_option,
    format_option,
    given_seed_option,
    handed_over,
    keeps_results,
    next_step,
    option,
    placed,
    print_json,
)
from certify.cli.signing import Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.errors import InputError, Refusing
from certify.evidence import Evidence, Since, plain
from certify.executors import ExecutorSpec, open_background, open_executor
from certify.gate.fact_changes import percent, points
from certify.gate.lint import source_remarks, unfound
from certify.messages import ENGLISH, LANGUAGES, english, say
from certify.model import Finding, Game, Overall, Severity
from certify.report.layout import overall_mark
from certify.submission import parse_game, submission_bytes

if TYPE_CHECKING:
    from certify.certification.conclude import Conclusion
    from certify.issue.delta import EarlierPack


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run is to do with the game, who signs and what is submitted."""

    profile: str = option(
        "How much is played and tested.",
        default="standard",
        type=click.Choice(["quick", "standard", "full"]),
        shown=True,
    )
    named: tuple[str, ...] = option(
        "Whose clauses and limits apply, such as ontario; may be repeated. GLI-19 alone if left out.",
        name="--jurisdiction",
        default=(),
        metavar="NAME",
    )
    catalogues: tuple[Path, ...] = option(
        "A jurisdiction of your own: a catalogue of clauses with its limits; may be repeated.",
        name="--catalogue",
        default=(),
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE.toml",
    )
    seed: bytes | None = placed(given_seed_option)
    signing: Signing = placed(signing_options)
    bringing: Bringing = placed(bringing_options)
    parties_file: Path | None = option(
        "Laboratory, client, tester, reviewer, receipt, place, deviations; the options below take precedence.",
        name="--parties",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE.toml",
    )
    since: Path | None = option(
        "An earlier certified pack of the game: the report states what changed since, and its effect on every figure.",
        type=click.Path(exists=True, path_type=Path),
        metavar="PACK",
    )
    trust: Path | None = option(
        "Root certificates that you trust to have signed PACK, in PEM, obtained separately from the pack.",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
    )
    issuer: str = option("Name of the issuer.", default="Not stated", shown=True)
    address: str = option("Address of the issuer.", default="")
    client: str = option("Who ordered the report.", default="Not stated", shown=True)
    authorised_by: str = option("Name and function of who authorises the report.", default="")
    at: str | None = option(
        "Time of the report (ISO 8601 with zone) for a reproducible pack; now if left out.", metavar="TIME"
    )
    workers: int = option("Threads to compute on.", default=2, type=click.IntRange(1, 256), shown=True)
    executor: ExecutorSpec | None = placed(executor_option)
    resume: Path | None = option(
        "Folder to keep campaigns in and resume from.", type=click.Path(file_okay=False, path_type=Path)
    )
    vectors: Path | None = option(
        "Folder of published vectors.", type=click.Path(exists=True, file_okay=False, path_type=Path)
    )
    fail_on: str = option(
        "Lowest severity of an open finding that makes the exit code 1.",
        default="major",
        type=click.Choice(["note", "minor", "major", "critical"]),
        shown=True,
    )
    language: str = option(
        "Language of the report; evidence and data do not change.",
        default=ENGLISH,
        type=click.Choice(LANGUAGES),
        shown=True,
    )


@click.command(
    epilog="Example: certify run fixtures/games/playtech-7-e-mezzo/game.toml --out build/pack --profile quick"
)
@click.argument("game", type=GAME)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the pack.")
@handed_over(RunOptions, "asked")
@format_option
@keeps_results
def run(
    game: Path,
    out: Path,
    asked: RunOptions,
    output: str,
) -> int:
    """Check GAME.toml in full and write the signed pack: report, evidence, attestation."""
    evidence, conclusions = certified(game, out, asked, Progress(quiet=output == "json"))
    _tell(out, evidence, output)
    return int(exit_code(conclusions, asked.fail_on))


def certified(game: Path, out: Path, asked: RunOptions, progress: Progress) -> "tuple[Evidence, Conclusion]":
    """Writes the signed pack of a game, and returns its evidence and what was concluded.

    Args:
        game: File of the submission.
        out: Folder of the pack.
        asked: What the run is to do with the game.
        progress: What reports the stages.

    Raises:
        CertifyError: The call or a file is wrong, or a part of the system is missing; nothing was written.
    """
    progress.step(f"reading {game}")

    moment = _moment(asked.at)
    regime = regime_of(asked.named, [read_own(path) for path in asked.catalogues])
    if asked.signing.tsa and asked.at:
        raise InputError("--at sets a time and --tsa gives the true one: expected one of them")
    submission = submission_bytes(game)
    submitted = parse_game(submission, str(game))
    for _, remark in source_remarks(submitted, str(game)):
        progress.step(f"remark: {remark}")
    spec = asked.executor or ExecutorSpec("threads", asked.workers)
    with open_background(spec) as background, open_executor(spec) as running:
        # Stated before it is loaded, there and here: what the run needs takes a moment.
        progress.step("loading, and looking for everything that the run needs")
        background.begin(load_run)
        from certify.certification.generator import VECTORS
        from certify.certification.request import RunRequest, profile_named
        from certify.certification.run import run_certification
        from certify.issue.make import concluded, make_pack, require_room
        from certify.issue.parties import (
            NOT_STATED,
            Parties,
            issue_of,
            read_parties,
            require_parties,
            require_signer,
            require_submission,
        )
        from certify.report.pdf import require_renderer

        parties = (
            read_parties(asked.parties_file)
            if asked.parties_file
            else Parties(NOT_STATED, "", NOT_STATED, "")
        )
        parties = parties.with_options(asked.issuer, asked.address, asked.client, asked.authorised_by)
        schedule = listed_files(asked.bringing, progress)
        require_parties(parties, moment, schedule or ())
        identity = identify_signer(asked.signing, moment)
        require_signer(identity.signer)
        require_room(out)
        require_renderer()
        require_submission(submission, str(game))
        files, master = files_of(asked.bringing, submitted, parties.samples), drawn_seed(asked.seed)
        earlier = _earlier(asked.since, asked.trust, submitted, progress)
        request = RunRequest(
            submitted,
            profile_named(asked.profile),
            master,
            moment,
            asked.workers,
            asked.resume,
            asked.vectors or VECTORS,
            regime,
            replace(
                brought(asked.bringing, files, submitted, regime, master, moment, progress, parties.samples),
                files=schedule,
                unfound=unfound(submitted, str(game)) or None,
            ),
            earlier.report if earlier is not None else None,
            running,
            background,
        )
        outcome = run_certification(request, progress)
        progress.step("concluding")
        # With --at every time is the one given.
        ended = moment if asked.at is not None else SystemClock().now().replace(microsecond=0)
        issue = issue_of(request, parties, ended, demonstration=identity.demonstration)
        conclusions = concluded(outcome, issue)
        evidence = make_pack(
            out,
            request,
            outcome,
            conclusions,
            issue,
            submission,
            identity,
            progress,
            language=asked.language,
            execution=running.execution(),
            earlier=earlier,
        )
    return evidence, conclusions


def load_run() -> None:
    """Loads what a run needs; not the renderer of the PDF, for no page is laid out in the second process."""
    importlib.import_module("certify.certification.run")


def _earlier(since: Path | None, trust: Path | None, game: Game, progress: Progress) -> "EarlierPack | None":
    """Returns the earlier pack that is named, verified before anything is computed; none where none is named."""
    if since is None:
        if trust is not None:
            raise InputError("--trust says whose signature on an earlier pack you trust: expected --since")
        return None
    from certify.issue.make import earlier_pack

    progress.step(f"verifying {since}")
    return earlier_pack(since, trust, SystemClock().now(), game)


def _moment(at: str | None) -> datetime:
    """Returns the time of the report."""
    if at is None:
        return SystemClock().now().replace(microsecond=0)
    with Refusing(
        ValueError, InputError, f'--at "{at}": expected a time such as 2026-11-21T12:00:00+00:00', words=None
    ):
        moment = datetime.fromisoformat(at)
    if moment.tzinfo is None:
        raise InputError(f'--at "{at}" names no zone: expected such as 2026-11-21T12:00:00+00:00')
    if moment > SystemClock().now():
        raise InputError(f'--at "{at}" is in the future: a signature of then does not verify now')
    return moment.astimezone(UTC).replace(microsecond=0)


def exit_code(conclusions: "Conclusion", fail_on: str) -> Exit:
    """Returns the exit code of a run: findings first, then what could not be decided."""
    threshold = Severity[fail_on.upper()]
    serious: list[Finding] = [
        finding
        for finding in conclusions.findings
        if finding.status in ("open", "condition") and finding.severity >= threshold
    ]
    if serious or conclusions.statement.verdict is Overall.NOT_SATISFIED:
        return Exit.FINDINGS
    if conclusions.statement.verdict is Overall.INCONCLUSIVE:
        return Exit.INCONCLUSIVE
    return Exit.SATISFIED


def _tell(out: Path, evidence: Evidence, output: str) -> None:
    """Says what came out and where it is."""
    report = evidence.report
    if output == "json":
        told = plain(report)
        keys = ("number", "issued", "profile", "demonstration_key", "statement")
        since = plain(evidence.since)
        print_json(
            {key: told[key] for key in keys}
            | {"pack": str(out), "report": str(out / "report.pdf"), "findings": plain(evidence.findings)}
            | (
                {}
                if evidence.since is None
                else {"since": {key: since[key] for key in SINCE if key in since}}
            )
        )
        return
    statement = report.statement
    click.echo(f"{overall_mark(statement, statement.verdict).label.upper()}: {statement.sentence}")
    places = statement.jurisdictions or {}
    for place in evidence.regime.jurisdictions if len(places) > 1 else ():
        click.echo(f"  {place.title}: {overall_mark(statement, places[place.name]).label}")
    click.echo(report.statement.counted)
    for finding in evidence.findings:
        about = "condition" if finding.status == "condition" else finding.severity.name.lower()
        click.echo(f"  {finding.id} {about:9} {finding.title}")
        if finding.status == "condition":
            click.echo(f"       {english(say('who.' + finding.who))}: {finding.required_action}")
    for line in since_lines(evidence.since) if evidence.since is not None else ():
        click.echo(line)
    if report.demonstration_key:
        click.echo("Signed with a demonstration key: nobody vouches for this signature.")
    click.echo(f"Report {report.number}: {out / 'report.pdf'}")
    next_step(output, "certify verify --rerun", out)


SINCE: Final = ("earlier", "text", "changes", "statuses", "compared", "moved", "figures")
"""What JSON says of the changes since an earlier pack; the digests are in the evidence."""

SHOWN: Final = 10
"""Changes and returns reported on the terminal; the report has all of them."""


def since_lines(since: Since) -> Iterator[str]:
    """Yields what changed since an earlier pack, and what that does to the returns."""
    yield since.text
    told = [
        f"{change.kind:24} {change.subject}: {change.before or 'none'} → {change.after or 'none'}"
        for change in since.changes
        if change.kind != "software-changed"
    ]
    for figure in since.figures:
        match figure.at:
            case ("analysis", strategy, "wagers", wager, "return"):
                ends = (percent(end) if end is not None else "none" for end in (figure.before, figure.after))
                move = "" if figure.difference is None else f"  {points(figure.difference)}"
                told.append(f"{'return':24} {wager} under {strategy}: {' → '.join(ends)}{move}")
    yield from (f"  {shown(line)}" for line in told[:SHOWN])
    if len(told) > SHOWN:
        yield f"  and {len(told) - SHOWN} more: see data/since.csv of the pack"

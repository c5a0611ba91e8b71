"""``certify gate``, ``approve``, ``lint`` and ``explain``: may this change be merged, and what is wrong?"""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import click

from certify.cli.failures import Exit, with_excerpt
from certify.cli.options import (
    GAME,
    PLACE,
    format_option,
    handed_over,
    keeps_results,
    next_step,
    option,
    print_result,
)
from certify.cli.signing import Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.errors import InputError, NothingCheckedError, Refusing
from certify.gate.approvals import append_approval, sign_approval, wrong_term
from certify.gate.change import ChangeKind, kind, kinds
from certify.gate.document import (
    LEAST_DIGITS,
    approval_from,
    gate_document,
    keep_changes,
    recorded,
    records_of,
)
from certify.gate.figures import refuse_folder
from certify.gate.formats import FORMATS
from certify.gate.lint import lint_paths
from certify.gate.run import GateRequest, policy_of, run_gate
from certify.gate.snapshot_reader import first_push_base
from certify.model import Severity
from certify.untrusted_input import OUTPUT, json_of, read_bounded, write_whole


@click.command(epilog="Example: certify lint games/")
@click.argument("paths", metavar="[FILE|FOLDER]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--allow-none",
    is_flag=True,
    help="Accept that no file is a submission: for hooks that pass every changed file.",
)
@click.option("--strict", is_flag=True, help="Remarks are findings too: exit code 1 where there is one.")
@keeps_results
@format_option
def lint(paths: tuple[Path, ...], allow_none: bool, strict: bool, output: str) -> int:
    """Read submissions, policies and approvals among the given files, or below the working directory.

    Every mistake is printed as file:line:column: message. A remark, such as a wager without a printed return, is
    printed in the same way but is no mistake: a source may print none. No figure is computed, so it takes seconds.
    """
    found = lint_paths(paths or (Path(),))
    if not found.read and not allow_none:
        raise NothingCheckedError(
            "no submission, policy or approvals among the given files: nothing was checked"
        )
    document = {
        "read": list(found.read),
        "mistakes": [problem.to_json() for problem in found.mistakes],
        "remarks": [problem.to_json() for problem in found.remarks],
    }
    told = [*found.mistakes, *(replace(one, message=f"remark: {one.message}") for one in found.remarks)]
    shown = chain.from_iterable(map(with_excerpt, told)) if sys.stdout.isatty() else told
    print_result(output, document, shown)
    if output != "json":
        parts = {"file": found.read, "mistake": found.mistakes, "remark": found.remarks}
        read, mistakes, remarks = (
            f"{len(part)} {name}{'' if len(part) == 1 else 's'}" for name, part in parts.items()
        )
        click.echo(f"{read} read, {mistakes}, {remarks}", err=True)
    if found.mistakes:
        return int(Exit.WRONG_INPUT)
    if found.read:
        next_step(output, "certify analyze", found.read[0])
    return int(Exit.FINDINGS if strict and found.remarks else Exit.SATISFIED)


@click.command(epilog="Example: certify explain return-changed")
@click.argument("change_id", metavar="[ID]", required=False)
@format_option
def explain(change_id: str | None, output: str) -> None:
    """Explain the kind of change ID of certify gate, or list all kinds."""
    chosen = [kind(change_id)] if change_id else list(kinds().values())
    documents = [
        {
            "id": entry.id,
            "title": entry.title,
            "severity": entry.severity.name.lower(),
            "severity_fixed": entry.fixed,
            "version": entry.bump.name.lower(),
            "clause": entry.clause,
            "why": entry.why,
            "remedy": entry.remedy,
        }
        for entry in chosen
    ]
    listed = (f"{entry.id:24} {entry.severity.name.lower():8} {entry.title}" for entry in chosen)
    print_result(
        output,
        documents[0] if change_id else {"kinds": documents},
        [_text(chosen[0])] if change_id else listed,
    )


def _text(entry: ChangeKind) -> str:
    """Returns the explanation of one kind."""
    raised = "none" if entry.bump == 0 else entry.bump.name.lower()
    fixed = ", which no policy can change" if entry.fixed else ""
    return "\n".join(
        (
            f"{entry.id}: {entry.title}.",
            f"  severity   {entry.severity.name.lower()}{fixed}",
            f"  version    {raised}",
            f"  clause     {entry.clause}",
            "",
            click.wrap_text(entry.why, 100),
            click.wrap_text(entry.remedy, 100),
        )
    )


FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class GatePlaces:
    """Where commits, the policy and exact figures are."""

    repository: Path = option(
        "Folder of the repository that git:REF is read from; the working directory if left out.",
        default=Path(),
        type=click.Path(exists=True, file_okay=False, path_type=Path),
    )
    config: Path | None = option(
        "Policy file; else the nearest certify.toml or [tool.certify]. One in the repository is that of BASE.",
        type=click.Path(dir_okay=False, path_type=Path),
    )
    policy_from: str | None = option(
        "Commit whose policy and roots apply, such as the branch that is merged into; else BASE.",
        metavar="git:REF",
    )
    isolated: bool = option("Ignore policy files: the default policy applies.", default=False)
    cache: Path | None = option(
        "Folder of exact figures; CERTIFY_CACHE, or the user's cache folder.", type=FOLDER
    )
    no_cache: bool = option("Compute every figure again and store none.", default=False)

    def request(self, base: str, head: str, moment: datetime) -> GateRequest:
        """Returns what the gate compares of two states."""
        return GateRequest(
            base,
            head,
            moment,
            repository=self.repository,
            config=self.config,
            policy_from=self.policy_from,
            isolated=self.isolated,
        )


state_options = handed_over(GatePlaces, "places")
"""Adds the options that say where commits, the policy and exact figures are, handed over as ``places``."""


@click.command(
    epilog="Example: certify gate git:origin/main . --format text --format sarif:gate.sarif --approvals approvals.toml"
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--pre-push", is_flag=True, help="Take BASE and HEAD from the pre-push hook of pre-commit.")
@click.option(
    "--approvals",
    type=GAME,
    help="File of approvals, of HEAD where that is a commit; else certify-approvals.toml next to the policy.",
)
@click.option(
    "--format",
    "outputs",
    multiple=True,
    default=("text",),
    metavar="FORMAT[:FILE]",
    help=f"Form of the output, into a file where one is named; may be repeated: {', '.join(FORMATS)}.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["note", "minor", "major", "critical"]),
    help="Least severity of an unapproved change that does not pass; else the policy's, which is major.",
)
@click.option(
    "--trust",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="Roots that signers of approvals chain to, in PEM, instead of those of the policy.",
)
@keeps_results
@state_options
def gate(
    base: str | None,
    head: str | None,
    pre_push: bool,
    approvals: Path | None,
    outputs: tuple[str, ...],
    fail_on: str | None,
    trust: tuple[Path, ...],
    places: GatePlaces,
) -> int:
    """Compare the submissions of BASE and HEAD by meaning: what changed, what it does, whether it may be merged.

    BASE and HEAD are files, folders, git:REF, git:REF:PATH or git:REF...REF, their merge base. BASE may be none: then
    everything is new. If BASE is a commit, its policy and roots apply, not those of HEAD.
    """
    before, after = _states(base, head, pre_push, places.repository)
    wanted = _destinations(outputs)
    report = run_gate(
        replace(
            places.request(before, after, SystemClock().now()),
            approvals=approvals,
            trust=trust,
            fail_on=Severity[fail_on.upper()] if fail_on else None,
        )
    )
    keep_changes(report)
    for form, path in wanted:
        text = FORMATS[form](report)
        if path is None:
            click.echo(text, nl=False)
        else:
            write_whole(path, [text.encode()])
    return int(Exit.SATISFIED if report.passes else Exit.FINDINGS)


def _states(base: str | None, head: str | None, pre_push: bool, repository: Path) -> tuple[str, str]:
    """Returns the two states that are compared.

    Source: pre-commit, environment of hooks: PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF are the ends of what is
    pushed; where a whole history is pushed, first commit included, only PRE_COMMIT_REMOTE_NAME, _REMOTE_BRANCH and
    _LOCAL_BRANCH are set.
    """
    if not pre_push:
        if base is None or head is None:
            raise click.UsageError("two states to compare are expected: BASE and HEAD")
        return base, head
    if base is not None:
        raise click.UsageError("--pre-push takes the states from the hook: BASE and HEAD are not expected")
    old, new = (os.environ.get(f"PRE_COMMIT_{name}_REF") for name in ("FROM", "TO"))
    if old and new:
        return f"git:{old}", f"git:{new}"
    if os.environ.get("PRE_COMMIT_REMOTE_BRANCH"):
        pushed = os.environ.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
        remote = os.environ.get("PRE_COMMIT_REMOTE_NAME") or "origin"
        return first_push_base(repository, remote, pushed), f"git:{pushed}"
    raise InputError(
        "--pre-push outside a push: PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF are not set "
        "(pre-commit run --hook-stage pre-push --from-ref … --to-ref …)"
    )


def _destinations(outputs: tuple[str, ...]) -> list[tuple[str, Path | None]]:
    """Returns form and file of each output; only one may go to standard output."""
    wanted = []
    for text in outputs:
        form, _, path = text.partition(":")
        if form not in FORMATS:
            raise InputError(f'format "{form}": expected one of {", ".join(FORMATS)}, or FORMAT:FILE')
        wanted.append((form, Path(path) if path else None))
    if sum(path is None for _, path in wanted) > 1:
        raise InputError(
            "two formats for standard output: name a file for all but one, such as sarif:gate.sarif"
        )
    return wanted


@click.command(
    epilog='Example: certify approve 1fe68323 --reason "Pay lowered with marketing, case 42" --until 2027-01-31'
)
@click.argument("fingerprints", metavar="FINGERPRINT...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why the change may be merged.")
@click.option("--until", required=True, type=click.DateTime(["%Y-%m-%d"]), help="Last day of the approval.")
@click.option("--by", "approved_by", default="", help="Who approves.")
@click.option(
    "--approvals",
    type=PLACE,
    default=Path("certify-approvals.toml"),
    show_default=True,
    help="File that the approval is added to.",
)
@click.option("--from", "source", type=GAME, help="JSON of the gate run; else the last ones of this machine.")
@click.option("--base", help="State before, to run the gate again instead.")
@click.option("--head", help="State after.")
@keeps_results
@signing_options
@format_option
@state_options
def approve(
    fingerprints: tuple[str, ...],
    reason: str,
    until: datetime,
    approved_by: str,
    approvals: Path,
    source: Path | None,
    base: str | None,
    head: str | None,
    signing: Signing,
    output: str,
    places: GatePlaces,
) -> None:
    """Approve the changes with these fingerprints, as certify gate prints them, or at least their first 8 digits.

    An approval is bound to what the game means before and after: another edit voids it.
    """
    now = SystemClock().now()
    if not reason.strip():
        raise InputError("--reason is empty: an approval says why")
    if signing.tsa or signing.crl:
        raise InputError("--tsa and --crl belong to packs: an approval holds neither a time stamp nor lists")
    if until.date() < now.date():
        raise InputError(f"--until {until.date()}: the day has passed already")
    if (base is None) != (head is None):
        raise InputError("--base and --head belong together: expected both or neither")
    refuse_folder([places.repository])
    request = places.request(base or "none", head or "none", now)
    policy = policy_of(request)
    if source is not None:
        known: Iterable[Mapping[str, Any]] = records_of(_result_of(source), str(source))
    elif base is not None:
        report = run_gate(replace(request, without_approvals=True))
        known = records_of(gate_document(report), "the gate")
    else:
        known = recorded(fingerprints)
    known = list(known)
    signer = identify_signer(signing, now).signer if signing.names_any else None
    written = [
        approval_from(_named(text, known), reason, until.date(), approved_by, now.date())
        for text in fingerprints
    ]
    if signer is not None:
        written = [sign_approval(approval, signer) for approval in written]
    for approval in written:
        wrong = wrong_term(approval, policy.max_approval_days, now.date())
        if wrong:
            raise InputError(f"--until {until.date()}: the approval {wrong}")
    for approval in written:
        append_approval(approvals, approval)
    entries = [
        {
            "fingerprint": entry.fingerprint,
            "game": entry.game,
            "change": entry.change,
            "subject": entry.subject,
            "until": entry.until,
            "signed": bool(entry.signature),
        }
        for entry in written
    ]
    lines = (
        f"approved {entry.change}{f' of {entry.subject}' if entry.subject else ''} in {entry.game or 'the policy'} "
        f"until {entry.until}{', signed' if entry.signature else ''}"
        for entry in written
    )
    written_to = f"written to {approvals}: commit it with the change"
    print_result(output, {"file": str(approvals), "approved": entries}, (*lines, written_to))


def _result_of(path: Path) -> Any:
    """Returns the JSON of a gate run."""
    with Refusing(ValueError, InputError, f"{path}: expected the JSON of certify gate"):
        return json_of(read_bounded(path, OUTPUT))


def _named(text: str, known: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Returns the one change whose fingerprint begins with some digits."""
    digits = text.lower()
    if len(digits) < LEAST_DIGITS or digits.strip("0123456789abcdef"):
        raise InputError(f'"{text}" is no fingerprint: expected at least its first {LEAST_DIGITS} hex digits')
    found = {entry["fingerprint"]: entry for entry in known if entry["fingerprint"].startswith(digits)}
    if not found:
        raise InputError(
            f"no change with fingerprint {text} is known here: run certify gate first, "
            "or name its JSON with --from, or its states with --base and --head"
        )
    if len(found) > 1:
        raise InputError(f"{text} begins {len(found)} fingerprints: give more digits")
    return next(iter(found.values()))

"""``certify approve``: approve a change of the gate, with a reason and a last day."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from certify.cli.failures import Exit
from certify.cli.gate import GatePlaces, state_options
from certify.cli.options import GAME, format_option, print_result
from certify.cli.signing import Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.errors import InputError, Refusing
from certify.gate.approvals import append_approval, sign_approval, wrong_term
from certify.gate.document import LEAST_DIGITS, approval_from, gate_document, recorded, records_of
from certify.gate.figures import refuse_folder
from certify.gate.run import policy_of, run_gate
from certify.untrusted_input import OUTPUT, json_of, read_bounded

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    epilog='Example: certify approve 1fe68323 --reason "Pay lowered with marketing, case 42" --until 2027-01-31'
)
@click.argument("fingerprints", metavar="FINGERPRINT...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why the change may be merged.")
@click.option("--until", required=True, type=click.DateTime(["%Y-%m-%d"]), help="Last day of the approval.")
@click.option("--by", "approved_by", default="", help="Who approves.")
@click.option(
    "--approvals",
    type=FILE,
    default=Path("certify-approvals.toml"),
    show_default=True,
    help="File that the approval is added to.",
)
@click.option("--from", "source", type=GAME, help="JSON of the gate run; else the last ones of this machine.")
@click.option("--base", help="State before, to run the gate again instead.")
@click.option("--head", help="State after.")
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
) -> int:
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
    refuse_folder(places.cache_folder, [places.repository])
    request = places.request(base or "none", head or "none", now)
    policy = policy_of(request)
    if source is not None:
        known: Iterable[Mapping[str, Any]] = records_of(_document(source), str(source))
    elif base is not None:
        report = run_gate(replace(request, without_approvals=True))
        known = records_of(gate_document(report), "the gate")
    else:
        known = recorded(places.cache_folder, fingerprints)
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
    return int(Exit.SATISFIED)


def _document(path: Path) -> Any:
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

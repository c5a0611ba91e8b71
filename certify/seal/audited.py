"""The pack of an audit of played rounds: its numbers, what its signature is made for, and its attestation."""

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import CertifyError, Refusing, TrustError, listed
from certify.evidence.played import Audit, differing
from certify.evidence.read import noun_of
from certify.seal.attestation import RESULTS, statement_about
from certify.seal.canonical import parse_canonical, sha256_hex
from certify.seal.layout import AUDIT
from certify.seal.signer import is_demonstration
from certify.seal.verification_steps import SealedCase
from certify.untrusted_input import JsonObject

_MOST_LISTED: Final = 5


def reason_of(numbers: bytes) -> str:
    """Returns the reason that the signature of the report states: it names the numbers by their digest."""
    return f"Audit of played rounds, numbers of SHA-256 {sha256_hex(numbers)[:32]}"


def audit_of(numbers: bytes) -> Audit:
    """Returns what an audit found, as its numbers say.

    Raises:
        TrustError: They are not canonical, or of another form.
    """
    return noun_of(
        Audit, parse_canonical(numbers, AUDIT), TrustError, f"{AUDIT} does not say what was audited"
    )


def audit_statement(found: Audit, files: Mapping[str, bytes]) -> JsonObject:
    """Returns the statement about the pack of an audit.

    Args:
        found: What the audit found.
        files: The files of the pack.
    """
    return statement_about(
        files,
        {
            "result": RESULTS[str(found.verdict)],
            "configuration": [{"name": one.name, "digest": {"sha256": one.sha256}} for one in found.files],
        },
    )


def check_audit(case: SealedCase) -> str:
    """Do verdict, signature and attestation follow from the numbers of the audit?"""
    return require_audit(
        case.attachments[AUDIT],
        case.signed.reason,
        demonstration=is_demonstration(case.path),
        pack=None if case.files is None else (case.statement, case.files),
    )


def require_audit(
    numbers: bytes,
    reason: str,
    *,
    demonstration: bool,
    pack: tuple[Mapping[str, Any], Mapping[str, bytes]] | None,
) -> str:
    """Returns what was audited and with what verdict, where signature and attestation were made for that.

    Args:
        numbers: The numbers as they are attached.
        reason: The reason that the signature states.
        demonstration: Whether the certificates name a demonstration identity.
        pack: The attested statement and the files; none where the report is verified alone.

    Raises:
        TrustError: The numbers are of another form, or of another audit than the signature names, or the verdict is
            not the one that follows from them, or the attestation says otherwise.
    """
    made = audit_of(numbers)
    if reason != reason_of(numbers):
        raise TrustError(
            f"the signature was expected to be made for {reason_of(numbers)!r}, not for {reason!r}"
        )
    with Refusing(CertifyError, TrustError, f"{AUDIT}: nothing can be concluded from it"):
        problems = list(differing(made))
    if made.demonstration_key is not demonstration:
        problems.append("it says otherwise than the certificates whether the key is one of a demonstration")
    if pack is not None and pack[0] != audit_statement(made, pack[1]):
        problems.append("the attested result is not that of the audit")
    if problems:
        raise TrustError(f"{AUDIT}: {listed(problems, _MOST_LISTED)}")
    return f"{made.rows:,} rows of {made.game}, verdict {str(made.verdict)!r}, as follows from the numbers"

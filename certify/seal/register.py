"""A register of issued reports: what was issued, revoked or replaced, each entry signed and bound to the one before.

Entries are files that are never changed: a DSSE envelope and, after it, the chain of its signer in PEM. All are signed
in the name of one signer, under one issuer. Whoever holds the register can tell that none was altered, left out in
between or put in; that the last ones were not withheld only its head tells, which the issuer publishes.
"""

import fcntl
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify.errors import InputError, Refusing, TrustError
from certify.evidence.read import read
from certify.model import Filled, ReportNumber, Sha256, Timestamp, origins
from certify.seal import layout
from certify.seal.attestation import STATEMENT_TYPE, key_id, sign_statement
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import CLOCK_TOLERANCE, common_name, pem, read_certificates
from certify.seal.countersigned import require_entitled, verified_statement
from certify.seal.layout import read_file
from certify.seal.signer import Signer, is_demonstration
from certify.seal.verification_report import (
    NO_REGISTER,
    StepOutcome,
    VerificationReport,
    VerificationStep,
    Verified,
)
from certify.untrusted_input import JsonObject, write_whole

PREDICATE_TYPE: Final = "urn:certify:register/1"
MOST: Final = 10_000
"""Entries of one register."""

_ENTRY, _PART = ".dsse", ".part"


class Act(StrEnum):
    """What an entry says of a report."""

    ISSUED = "issued"
    REVOKED = "revoked"
    REPLACED = "replaced"


@origins()
@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One entry of a register.

    Args:
        act: What it says of the report.
        number: Number of the report.
        recorded: When it was written, by the clock of its signer.
        previous: SHA-256 of the entry before; left out in the first one.
        report: SHA-256 of the signed report, where it is issued.
        certificate: SHA-256 of its signed certificate, where it is issued.
        by: Number of the report that replaces it, where it is replaced.
        reason: Why it is revoked or replaced.
    """

    act: Act
    number: ReportNumber
    recorded: Timestamp
    previous: Sha256 | None = None
    report: Sha256 | None = None
    certificate: Sha256 | None = None
    by: ReportNumber | None = None
    reason: Filled | None = None


@dataclass(frozen=True, slots=True)
class IssueRegister:
    """A register as it was read.

    Args:
        entries: Its entries, the oldest first.
        chain: The certificate of who signed the first one, and its issuers; empty where there is no entry.
        digests: SHA-256 of each entry.
    """

    entries: tuple[RegisterEntry, ...] = ()
    chain: tuple[x509.Certificate, ...] = ()
    digests: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """SHA-256 of the last entry; empty where there is none."""
        return self.digests[-1] if self.digests else ""

    def last_of(self, number: str) -> RegisterEntry | None:
        """Returns what is stated last of a report; none where it was never issued."""
        return next((entry for entry in reversed(self.entries) if entry.number == number), None)


def statement_of(entry: RegisterEntry) -> JsonObject:
    """Returns an entry as the statement that is signed.

    Source: in-toto Attestation Framework, Statement v1.
    """
    from certify.evidence import plain

    subjects = ((layout.REPORT, entry.report), (layout.CERTIFICATE, entry.certificate))
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects if digest],
        "predicateType": PREDICATE_TYPE,
        "predicate": plain(entry),
    }


def require_same_signer(chain: Sequence[x509.Certificate], other: Sequence[x509.Certificate]) -> None:
    """Refuses another signer: one of another name, of another direct issuer, or under another root.

    Args:
        chain: A signer's certificate and its issuers up to the root.
        other: That of whom it is expected to be, whose key and certificate may have been renewed.

    Raises:
        TrustError: It is another.
    """
    one, expected = (
        (own[0].subject, own[:2][-1].subject, key_id(own[:2][-1]), own[-1]) for own in (chain, other)
    )
    if one != expected:
        raise TrustError(
            f"the signer is {common_name(chain[0])!r} under {common_name(chain[-1])!r}: expected "
            f"{common_name(other[0])!r} under {common_name(other[-1])!r}, of the same issuer"
        )


def read_register(
    folder: Path,
    at: datetime,
    trust: Sequence[x509.Certificate] | None = None,
    lists: Sequence[x509.CertificateRevocationList] = (),
) -> IssueRegister:
    """Returns a register whose entries are all signed in one name under one issuer, each bound to the one before.

    Args:
        folder: Its folder.
        at: The time of reading, aware.
        trust: The roots that the caller trusts; None where the root of the register itself is taken.
        lists: Revocation lists of the issuers.

    Raises:
        InputError: The folder cannot be read.
        TrustError: An entry is missing, altered, out of order, or signed by nobody whom a trusted root vouches for or
            who was entitled to sign it.
    """
    found = IssueRegister()
    try:
        # A file that a writer left half written is no entry.
        names = sorted(path.name for path in folder.iterdir() if path.suffix != _PART)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from error
    if names != [f"{place:06}{_ENTRY}" for place in range(1, len(names) + 1)] or len(names) > MOST:
        raise TrustError(
            f"{folder} is no register: expected the files 000001{_ENTRY}, 000002{_ENTRY} and so on, none left out, "
            f"nothing else, and at most {MOST} entries"
        )
    for name in names:
        content = read_file(folder / name, layout.ATTESTATION)
        with Refusing((InputError, TrustError, ValueError), TrustError, name):
            certificates = read_certificates(content, name)
            envelope = content.removesuffix(pem(certificates))
            statement, chain = verified_statement(envelope, certificates, trust or certificates[-1:])
            found = _with(found, _entry_of(statement), chain, content, lists, at)
    return found


def _entry_of(statement: Mapping[str, Any]) -> RegisterEntry:
    """Returns the entry of a statement, which must be just the one that follows from it."""
    entry = read(RegisterEntry, statement.get("predicate"))
    if not isinstance(entry, RegisterEntry) or statement_of(entry) != statement:
        raise TrustError("it is no entry of a register")
    return entry


def _with(
    register: IssueRegister,
    entry: RegisterEntry,
    chain: tuple[x509.Certificate, ...],
    content: bytes,
    lists: Sequence[x509.CertificateRevocationList],
    at: datetime,
) -> IssueRegister:
    """Returns a register with one entry more, where it may follow.

    Raises:
        TrustError: It does not follow: another signer, one not entitled, another entry before, an earlier time, or a
            report that was not issued, was issued already, or is not valid any more.
    """
    before, last = register.last_of(entry.number), register.entries[-1] if register.entries else None
    if is_demonstration(chain):
        raise TrustError("it is signed with a demonstration key, for which nobody vouches")
    require_same_signer(chain, register.chain or chain)
    require_entitled(chain, lists, datetime.fromisoformat(entry.recorded), at)
    if (entry.previous or "") != register.head or (last and entry.recorded < last.recorded):
        raise TrustError("it does not follow the entry before: its digest or its time is another")
    issues = entry.act is Act.ISSUED
    if issues == (entry.report is None or entry.certificate is None) or issues != (entry.reason is None):
        raise TrustError(
            "it says not what an entry of its kind says: digests of what is issued, else a reason"
        )
    if issues and (before is not None or any(entry.report == other.report for other in register.entries)):
        raise TrustError(
            f"report {entry.number} is in the register already: {before.act if before else 'under another number'}"
        )
    if not issues and (before is None or before.act is not Act.ISSUED):
        raise TrustError(
            f"report {entry.number} is {before.act if before else 'not issued'}: expected one that is valid"
        )
    successor = register.last_of(entry.by) if entry.by else None
    if (entry.act is Act.REPLACED) != (
        successor is not None and successor.act is Act.ISSUED and successor != before
    ):
        raise TrustError(
            f"report {entry.number} is replaced by {entry.by or 'none'}: expected another report that is valid"
        )
    return IssueRegister(
        (*register.entries, entry), register.chain or chain, (*register.digests, sha256_hex(content))
    )


def append(folder: Path, entry: RegisterEntry, signer: Signer, at: datetime) -> IssueRegister:
    """Writes one more entry, and returns the register with it.

    Args:
        folder: Folder of the register; it is made where there is none.
        entry: What is to be stated; what it follows is filled in.
        signer: Who signs it, in the name and under the issuer of the entries before.
        at: The present time, aware.

    Raises:
        InputError: The folder cannot be written to.
        TrustError: The register does not hold, or the entry may not follow.
    """
    chain, lists = (signer.certificate, *signer.chain), signer.revocations
    fresh = not folder.exists()
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        # Nobody else writes between what is read here and what follows from it.
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError as error:
        raise InputError(f"{folder} cannot be made or locked: {error.strerror}") from error
    try:
        register = read_register(folder, at, lists=lists)
        entry = replace(entry, previous=register.head or None)
        content = sign_statement(statement_of(entry), signer) + pem(chain)
        made = _with(register, entry, chain, content, lists, at)
        write_whole(folder / f"{len(made.entries):06}{_ENTRY}", [content], ours=True, new=True)
        fresh = False
    finally:
        if fresh:
            with suppress(OSError):
                folder.rmdir()  # Somebody else may have begun it since.
        os.close(held)
    return made


def moment_of(moment: datetime) -> str:
    """Returns a time as an entry states it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def with_register(
    report: VerificationReport,
    folder: Path,
    trust: Sequence[x509.Certificate] | None,
    lists: Sequence[x509.CertificateRevocationList],
    at: datetime,
    head: str | None = None,
) -> VerificationReport:
    """Returns a verification with one step more: whether the register knows the report, and as valid.

    Args:
        report: What was found of the pack itself.
        folder: Folder of the register.
        trust: The roots that the caller trusts; None where the root of the report itself is taken.
        lists: Revocation lists that the caller gave.
        at: The time of verification, aware.
        head: SHA-256 of an entry that the register must reach, as its issuer published it; None where none is named.
    """
    try:
        if report.verified is None:
            raise TrustError("the report could not be read")
        own = read_certificates(report.verified.certificates.encode("ascii"), "the issuer's chain")
        register = read_register(folder, at, trust or own[-1:], lists)
        if head is not None and head not in register.digests:
            raise TrustError(
                f"none of the {len(register.entries)} entries has the SHA-256 {head}: some are missing"
            )
        outcome, detail = StepOutcome.HOLDS, _standing(register, report.verified, own)
    except TrustError as error:
        outcome, detail = StepOutcome.FAILS, str(error)
    step = VerificationStep(
        "register",
        "The register of the issuer knows the report as valid",
        "it was issued under its number, and neither revoked nor replaced as far as this register reaches",
        outcome,
        detail,
    )
    unreached = (
        *(text for text in report.not_established if text != NO_REGISTER),
        *(
            []
            if head
            else ["that the register has no later entries: no published head was named (--register-head)"]
        ),
    )
    return replace(report, steps=(*report.steps, step), not_established=unreached)


def _standing(register: IssueRegister, report: Verified, own: Sequence[x509.Certificate]) -> str:
    """Returns what a register says of a valid report; raises for any other."""
    digest, last = report.digests[layout.REPORT], register.last_of(report.number)
    issued = next(
        (entry for entry in register.entries if (entry.number, entry.report) == (report.number, digest)), None
    )
    if issued is None or last is None:
        raise TrustError(
            f"none of the {len(register.entries)} entries issued this report (number {report.number or 'none'}, "
            f"SHA-256 {digest})"
        )
    require_same_signer(register.chain, own)
    if report.certificate not in ("", issued.certificate):
        raise TrustError(f"report {issued.number} was issued with another {layout.CERTIFICATE}")
    if datetime.fromisoformat(issued.recorded) < datetime.fromisoformat(report.signed) - CLOCK_TOLERANCE:
        raise TrustError(f"report {issued.number} was entered on {issued.recorded}, before it was signed")
    if last.act is not Act.ISSUED:
        by = f" by {last.by}" if last.by else ""
        raise TrustError(f"report {last.number} was {last.act}{by} on {last.recorded}: {last.reason}")
    return (
        f"report {issued.number} was issued on {issued.recorded}; {len(register.entries)} entries, the last of "
        f"{register.entries[-1].recorded}, head {register.head}: the issuer knows whether there are later ones"
    )

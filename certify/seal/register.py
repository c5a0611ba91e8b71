"""A register of issued reports: what was issued, revoked or replaced, each entry signed and bound to the one before.

Entries are files that are never changed: a DSSE envelope and, next to it, the chain of its signer. Whoever holds the
register can tell that none was altered, left out in between or put in; that the last ones were not withheld only its
head tells, which the issuer publishes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify.errors import InputError, TrustError
from certify.evidence.read import read
from certify.model.form import Filled, Moment, ReportNumber, Sha256, origins
from certify.seal import layout
from certify.seal.attestation import STATEMENT_TYPE, sign_statement
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import common_name, pem, read_certificates
from certify.seal.countersigned import verified_statement
from certify.seal.layout import read_file
from certify.seal.signer import Signer
from certify.seal.verification_report import StepOutcome, VerificationReport, VerificationStep
from certify.untrusted_input import JsonObject, write_whole

PREDICATE_TYPE: Final = "urn:certify:register/1"
MOST: Final = 100_000
"""Entries of one register."""

_ENTRY, _CHAIN = ".dsse.json", ".pem"


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
    recorded: Moment
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
        root: The root certificate of who signed them; none where there is no entry.
        head: SHA-256 of the last entry; empty where there is none.
    """

    entries: tuple[RegisterEntry, ...] = ()
    root: x509.Certificate | None = None
    head: str = ""

    def last_of(self, number: str) -> RegisterEntry | None:
        """Returns what is said last of a report; none where it was never issued."""
        return next((entry for entry in reversed(self.entries) if entry.number == number), None)


def statement_of(entry: RegisterEntry) -> JsonObject:
    """Returns an entry as the statement that is signed.

    Source: in-toto Attestation Framework, Statement v1.
    """
    from certify.evidence.encode import plain

    subjects = ((layout.REPORT, entry.report), (layout.CERTIFICATE, entry.certificate))
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects if digest],
        "predicateType": PREDICATE_TYPE,
        "predicate": plain(entry),
    }


def read_register(folder: Path, trust: Sequence[x509.Certificate] | None = None) -> IssueRegister:
    """Returns a register whose entries are all signed under one root, each bound to the one before.

    Args:
        folder: Its folder.
        trust: The roots that the caller trusts; None where the root of the register itself is taken.

    Raises:
        InputError: The folder cannot be read.
        TrustError: An entry is missing, altered, out of order, or signed by nobody whom a trusted root vouches for.
    """
    found = IssueRegister()
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from error
    count = len(names) // 2
    expected = sorted(f"{place:06}{ending}" for place in range(1, count + 1) for ending in (_ENTRY, _CHAIN))
    if names != expected or count > MOST:
        raise TrustError(
            f"{folder} is no register: expected the files 000001{_ENTRY}, 000001{_CHAIN} and so on, none left out, "
            f"nothing else, and at most {MOST} entries"
        )
    for place in range(1, count + 1):
        name = f"{place:06}{_ENTRY}"
        content = read_file(folder / name, layout.ATTESTATION)
        chain_file = f"{place:06}{_CHAIN}"
        certificates = read_certificates(
            read_file(folder / chain_file, layout.INTERMEDIATE_CERTIFICATES), chain_file
        )
        try:
            statement, chain = verified_statement(content, certificates, trust or certificates[-1:])
            found = _with(found, _entry_of(statement), chain[-1], content)
        except TrustError as error:
            raise TrustError(f"{name}: {error}") from error
    return found


def _entry_of(statement: Mapping[str, Any]) -> RegisterEntry:
    """Returns the entry of a statement, which must be just the one that follows from it."""
    entry = read(RegisterEntry, statement.get("predicate"))
    if not isinstance(entry, RegisterEntry) or statement_of(entry) != statement:
        raise TrustError("it is no entry of a register")
    return entry


def _with(
    register: IssueRegister, entry: RegisterEntry, root: x509.Certificate, content: bytes
) -> IssueRegister:
    """Returns a register with one entry more, where it may follow.

    Raises:
        TrustError: It does not follow: another root, another entry before, an earlier time, or a report that was not
            issued, was issued already, or is not valid any more.
    """
    before, last = register.last_of(entry.number), register.entries[-1] if register.entries else None
    if register.root not in (None, root):
        raise TrustError(f"it is signed under {common_name(root)!r}, the entries before under another root")
    if (entry.previous or "") != register.head or (last and entry.recorded < last.recorded):
        raise TrustError("it does not follow the entry before: its digest or its time is another")
    issues = entry.act is Act.ISSUED
    if issues == (entry.report is None or entry.certificate is None) or issues != (entry.reason is None):
        raise TrustError(
            "it says not what an entry of its kind says: digests of what is issued, else a reason"
        )
    if issues and before is not None:
        raise TrustError(f"report {entry.number} is in the register already: {before.act}")
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
    return IssueRegister((*register.entries, entry), root, sha256_hex(content))


def append(folder: Path, entry: RegisterEntry, signer: Signer) -> IssueRegister:
    """Writes one more entry, and returns the register with it.

    Args:
        folder: Folder of the register; it is made where there is none.
        entry: What is to be said; what it follows is filled in.
        signer: Who signs it, under the root of the entries before.

    Raises:
        InputError: The folder cannot be written to.
        TrustError: The register does not hold, or the entry may not follow.
    """
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from error
    register = read_register(folder)
    entry = replace(entry, previous=register.head or None)
    content = sign_statement(statement_of(entry), signer)
    made = _with(register, entry, signer.root, content)
    place = f"{len(made.entries):06}"
    if (folder / f"{place}{_ENTRY}").exists():
        raise InputError(f"{folder}: somebody else is writing to the register: try again")
    write_whole(folder / f"{place}{_CHAIN}", [pem([signer.certificate, *signer.chain])], ours=True)
    write_whole(folder / f"{place}{_ENTRY}", [content], ours=True)
    return made


def moment_of(moment: datetime) -> str:
    """Returns a time as an entry states it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def with_register(
    report: VerificationReport, folder: Path, trust: Sequence[x509.Certificate] | None
) -> VerificationReport:
    """Returns a verification with one step more: whether the register knows the report, and as valid.

    Args:
        report: What was found of the pack itself.
        folder: Folder of the register.
        trust: The roots that the caller trusts; None where the root of the report itself is taken.
    """
    try:
        outcome, detail = StepOutcome.HOLDS, _standing(report, folder, trust)
    except TrustError as error:
        outcome, detail = StepOutcome.FAILS, str(error)
    step = VerificationStep(
        "register",
        "The register of the issuer knows the report as valid",
        "it was issued under its number, and neither revoked nor replaced as far as this register reaches",
        outcome,
        detail,
    )
    return replace(report, steps=(*report.steps, step))


def _standing(report: VerificationReport, folder: Path, trust: Sequence[x509.Certificate] | None) -> str:
    """Returns what a register says of a valid report; raises for any other."""
    if report.verified is None:
        raise TrustError("the report could not be read")
    own = read_certificates(report.verified.certificates.encode("ascii"), "the issuer's chain")
    register = read_register(folder, trust or own[-1:])
    digest = report.verified.digests[layout.REPORT]
    issued = next((entry for entry in register.entries if entry.report == digest), None)
    if issued is None:
        raise TrustError(f"none of the {len(register.entries)} entries issued this report (SHA-256 {digest})")
    last = register.last_of(issued.number)
    if last is not None and last.act is not Act.ISSUED:
        by = f" by {last.by}" if last.by else ""
        raise TrustError(f"report {last.number} was {last.act}{by} on {last.recorded}: {last.reason}")
    return (
        f"report {issued.number} was issued on {issued.recorded}; {len(register.entries)} entries, the last of "
        f"{register.entries[-1].recorded}, head {register.head}: ask the issuer whether there are later ones"
    )

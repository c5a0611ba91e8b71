"""What others who verified a pack say of it: verification summaries beside the pack, each signed under its own root.

A summary says who verified what, at which level, when and with which software. It lies beside the pack and never in it:
the pack is the issuer's, and stays as it was signed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify.errors import InputError, TrustError
from certify.outside import JsonObject
from certify.seal import layout
from certify.seal.attestation import (
    STATEMENT_TYPE,
    envelope_signature,
    key_id,
    sign_statement,
    verify_envelope,
)
from certify.seal.byte_range import read_byte_range
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import (
    common_name,
    order_chain,
    pem,
    read_certificates,
    require_path,
    require_purpose,
    require_strength,
    require_validity,
)
from certify.seal.cms_container import read_container
from certify.seal.pack_files import read_file
from certify.seal.releases import EARLIER, Release, present
from certify.seal.revocation import require_unrevoked
from certify.seal.signer import Signer, has_low_s
from certify.seal.verification_report import Level, StepOutcome, VerificationReport, VerificationStep

PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"
_LEVELS: Final = {Level.FIGURES: "CERTIFY_FIGURES", Level.RUN: "CERTIFY_WHOLE_RUN"}
_MOST: Final = 100
_CLOCK_TOLERANCE: Final = timedelta(minutes=5)
_SUMMARY, _CHAIN = ".dsse.json", ".pem"


@dataclass(frozen=True, slots=True)
class Attestor:
    """Somebody who verified a pack.

    Args:
        name: Whom the certificate names.
        root: The trusted root that its chain ends in.
        level: How far the verification reached.
        moment: When, by the attestor's clock.
    """

    name: str
    root: x509.Certificate
    level: str
    moment: datetime


def folder_of(pack: Path) -> Path:
    """Returns the folder beside a pack, or beside a lone report, that holds the summaries.

    >>> folder_of(Path("build/pack")).name
    'pack.verifications'
    """
    return pack.absolute().with_name(f"{pack.absolute().name}.verifications")


def summary_statement(
    subjects: Mapping[str, str], level: Level, moment: datetime, software: Release
) -> JsonObject:
    """Returns the statement of somebody who verified a pack.

    Args:
        subjects: SHA-256 of the report, and of the attestation where a pack was verified, by name.
        level: How far the verification reached; that of integrity alone is no summary.
        moment: When; aware.
        software: What verified.

    Source: SLSA Verification Summary Attestation v1; in-toto Attestation Framework, Statement v1.
    """
    inputs: list[JsonObject] = [
        {"uri": name, "digest": {"sha256": digest}}
        for name, digest in sorted(subjects.items())
        if name == layout.ATTESTATION
    ]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}} for name, digest in sorted(subjects.items())
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "verifier": {
                "id": f"pkg:pypi/certify@{software.version}",
                "version": {"certify": software.version, "sources": software.source_sha256},
            },
            "timeVerified": f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "resourceUri": f"urn:sha256:{subjects[layout.REPORT]}",
            "policy": {"uri": f"urn:certify:{software.schema}", "digest": {"sha256": software.source_sha256}},
            "inputAttestations": inputs,
            "verificationResult": "PASSED",
            "verifiedLevels": [_LEVELS[level]],
            "slsaVersion": "1.1",
        },
    }


def subjects_of(pack: Path) -> dict[str, str]:
    """Returns the digests of what a summary speaks about.

    Raises:
        InputError: The pack cannot be read.
    """
    names = (layout.REPORT, layout.ATTESTATION) if pack.is_dir() else (layout.REPORT,)
    try:
        return {
            name: sha256_hex(read_file(pack / name if pack.is_dir() else pack.resolve(), name))
            for name in names
        }
    except OSError as error:
        raise InputError(f"{pack} cannot be read: {error.strerror}") from error


def write_summary(pack: Path, report: VerificationReport, signer: Signer, moment: datetime) -> Path:
    """Writes the summary of a verification in which everything holds, and returns its file.

    Args:
        pack: Folder of the pack, or the lone report.
        report: What was found.
        signer: Who verified, with the issuers up to the root.
        moment: When; aware.

    Raises:
        InputError: Something does not hold, the signer is not known, or nothing was computed again: none of that is
            worth a signature.
    """
    level = report.level
    if not report.holds or level not in _LEVELS or level is None:
        raise InputError(
            f"{pack}: nothing is attested: expected every step to hold, with --rerun or --replay"
        )
    if not report.identity_established:
        raise InputError(f"{pack}: nothing is attested: expected --trust, for a pack whose signer is known")
    statement = summary_statement(subjects_of(pack), level, moment, present())
    folder, name = folder_of(pack), key_id(signer.certificate)[:16]
    try:
        folder.mkdir(exist_ok=True)
        for suffix, content in (
            (_CHAIN, pem([signer.certificate, *signer.chain])),
            (_SUMMARY, sign_statement(statement, signer)),
        ):
            part = folder / f".{name}{suffix}.part"
            part.write_bytes(content)
            part.replace(folder / f"{name}{suffix}")
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror}") from error
    return folder / f"{name}{_SUMMARY}"


def with_attestors(
    report: VerificationReport,
    pack: Path,
    least: int,
    trust: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
    at: datetime,
) -> VerificationReport:
    """Returns a verification with one step more: whether so many independent others verified the pack too.

    Others are independent by their roots: those of one root count once, and the issuer's own root does not count.

    Args:
        report: What was found of the pack itself.
        pack: Folder of the pack, or the lone report.
        least: How many are required.
        trust: The roots that the caller trusts.
        lists: Revocation lists that the caller brought.
        at: The time of verification, aware.
    """
    found: list[Attestor] = []
    refused: list[str] = []
    try:
        issuer = _issuer_root(pack, trust)
        for path in sorted(folder_of(pack).glob(f"*{_SUMMARY}"))[:_MOST]:
            try:
                one = _attestor(path, subjects_of(pack), trust, lists, at)
                if one.root == issuer:
                    raise TrustError(f"{one.name!r} is of the issuer's own root")
                found.append(one)
            except (InputError, TrustError, OSError) as error:
                refused.append(f"{path.name}: {error}")
    except (InputError, TrustError) as error:
        refused.append(str(error))
    roots = {one.root for one in found}
    told = "; ".join(
        f"{one.name!r} under {common_name(one.root)!r}, {one.level}, {one.moment:%Y-%m-%dT%H:%M:%SZ}"
        for one in found
    )
    detail = f"{len(roots)} of {least} independent attestors{': ' if told else ''}{told}" + (
        f"; not counted: {'; '.join(refused)}" if refused else ""
    )
    step = VerificationStep(
        "attestors",
        "Independent others verified the pack and vouch for it",
        "whoever they are, they computed it again and found the same",
        StepOutcome.HOLDS if len(roots) >= least else StepOutcome.FAILS,
        detail[:8000],
    )
    return replace(report, steps=(*report.steps, step))


def _issuer_root(pack: Path, trust: Sequence[x509.Certificate]) -> x509.Certificate:
    content = read_file(pack / layout.REPORT if pack.is_dir() else pack.resolve(), layout.REPORT)
    container = read_container(read_byte_range(content).signature_container(content))
    return (container.signer, *order_chain(container.signer, [*trust, *container.certificates]))[-1]


def _attestor(
    path: Path,
    subjects: Mapping[str, str],
    trust: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
    at: datetime,
) -> Attestor:
    """Returns who signed a summary of just this pack.

    Raises:
        TrustError: It is another's, of other subjects, in another form, or by nobody whom a trusted root vouches for.
    """
    chain_file = path.with_name(path.name.removesuffix(_SUMMARY) + _CHAIN)
    certificates = read_certificates(read_file(chain_file, layout.INTERMEDIATE_CERTIFICATES), chain_file.name)
    if not certificates:
        raise TrustError("expected the certificates of the attestor beside the summary")
    signer = certificates[0]
    chain = (signer, *order_chain(signer, [*trust, *certificates[1:]]))
    if chain[-1] not in trust:
        raise TrustError(f"the chain of {common_name(signer)!r} ends in no trusted root")
    for certificate in chain:
        require_strength(certificate)
    require_path(chain)
    require_purpose(signer)
    content = read_file(path, layout.ATTESTATION)
    statement = verify_envelope(content, signer)
    if not has_low_s(signer.public_key(), envelope_signature(content)):
        raise TrustError("the signature has the higher of its two values of s")
    level, moment = _told(statement)
    expected = [summary_statement(subjects, level, moment, release) for release in (*EARLIER, present())]
    if statement not in expected:
        raise TrustError("it is no summary of this pack by a release that this software knows")
    if moment > at + _CLOCK_TOLERANCE:
        raise TrustError(f"it was made on {moment:%Y-%m-%dT%H:%M:%SZ}, after the time of verification")
    for certificate in chain:
        require_validity(certificate, moment)
    require_unrevoked(chain, lists, moment)
    return Attestor(common_name(signer), chain[-1], level.value, moment)


def _told(statement: Mapping[str, Any]) -> tuple[Level, datetime]:
    """Returns level and time of a summary."""
    try:
        (named,) = statement["predicate"]["verifiedLevels"]
        level = next(level for level, name in _LEVELS.items() if name == named)
        moment = datetime.strptime(statement["predicate"]["timeVerified"], "%Y-%m-%dT%H:%M:%S%z")
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise TrustError(f"it is no verification summary: {error!r}") from error
    return level, moment

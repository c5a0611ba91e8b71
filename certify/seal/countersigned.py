"""What others who verified a pack say of it: verification summaries next to the pack, each signed under its own root.

A summary says who verified what, at which level, when and with which software. It is next to the pack and never in it:
the pack is the issuer's, and stays as it was signed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify.by_key import reached
from certify.errors import InputError, Refusing, TrustError, strerror
from certify.seal import layout
from certify.seal.attestation import (
    STATEMENT_TYPE,
    envelope_signature,
    key_id,
    sign_statement,
    verify_envelope,
)
from certify.seal.certificates import (
    CLOCK_TOLERANCE,
    common_name,
    is_issued_by,
    order_chain,
    pem,
    read_certificates,
    require_path,
    require_purpose,
    require_validity,
)
from certify.seal.evidence_schema import EARLIER, Release, present
from certify.seal.layout import read_file
from certify.seal.signer import Signer, has_low_s, require_unrevoked
from certify.seal.verification_report import (
    Level,
    StepOutcome,
    VerificationReport,
    VerificationStep,
    Verified,
)
from certify.untrusted_input import JsonObject, write_whole

PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"
_LEVELS: Final = {Level.FIGURES: "CERTIFY_FIGURES", Level.RUN: "CERTIFY_WHOLE_RUN"}
_ORDER: Final = {level: place for place, level in enumerate(Level)}
_MOST: Final = 100
_SUMMARY, _CHAIN = ".dsse.json", ".pem"


@dataclass(frozen=True, slots=True)
class Attestor:
    """Somebody who verified a pack.

    Args:
        chain: The attestor's certificate and its issuers, up to a trusted root.
        level: How far the verification reached.
        moment: When, by the attestor's clock.
    """

    chain: tuple[x509.Certificate, ...]
    level: Level
    moment: datetime

    @property
    def name(self) -> str:
        """Whom the certificate names."""
        return common_name(self.chain[0])


def folder_of(pack: Path) -> Path:
    """Returns the folder next to a pack, or next to a lone report, that holds the summaries.

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
    level, verified = report.level, report.verified
    if not report.holds or level not in _LEVELS or level is None or verified is None:
        raise InputError(
            f"{pack}: nothing is attested: expected every step to hold, with --rerun or --replay"
        )
    if not report.identity_established:
        raise InputError(f"{pack}: nothing is attested: expected --trust, for a pack whose signer is known")
    statement = summary_statement(verified.digests, level, moment, present())
    folder, name = folder_of(pack), key_id(signer.certificate)[:16]
    with Refusing(OSError, InputError, f"{folder} cannot be made", words=strerror):
        folder.mkdir(mode=0o755, exist_ok=True)
    write_whole(folder / f"{name}{_CHAIN}", [pem([signer.certificate, *signer.chain])], ours=True)
    write_whole(folder / f"{name}{_SUMMARY}", [sign_statement(statement, signer)], ours=True)
    return folder / f"{name}{_SUMMARY}"


def with_attestors(
    report: VerificationReport,
    pack: Path,
    least: int,
    trust: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
    at: datetime,
    level: Level = Level.FIGURES,
) -> VerificationReport:
    """Returns a verification with one step more: whether so many independent others verified the pack too.

    Two are independent if no key of one is a key of the other: not their own, whatever certificates it has, and not
    that of an authority or root which vouches for them by any path of all the certificates at hand. Who shares a key
    with the issuer in this way is not counted.

    Args:
        report: What was found of the pack itself.
        pack: Folder of the pack, or the lone report.
        least: How many are required.
        trust: The roots that the caller trusts.
        lists: Revocation lists that the caller gave.
        at: The time of verification, aware.
        level: How far they must have verified, at least.
    """
    found: list[Attestor] = []
    refused: list[str] = []
    independent: list[Attestor] = []
    if report.verified is None:
        refused.append("the report could not be read")
    else:
        for path in _summaries(pack, refused):
            try:
                one = _attestor(path, report.verified, trust, lists, at)
                if _ORDER[one.level] < _ORDER[level]:
                    raise TrustError(
                        f"{one.name!r} verified {one.level.value} only, {level.value} is required"
                    )
                found.append(one)
            except (InputError, TrustError, OSError) as error:
                refused.append(f"{path.name}: {error}")
        issuer = read_certificates(report.verified.certificates.encode("ascii"), "the issuer's chain")
        independent = _independent(issuer, found, trust, refused)
    told = "; ".join(
        f"{one.name!r} under {common_name(one.chain[-1])!r}, {one.level.value}, {one.moment:%Y-%m-%dT%H:%M:%SZ}"
        for one in independent
    )
    detail = (
        f"{len(independent)} of {least} independent attestors who verified {level.value}{': ' if told else ''}{told}"
        + (f"; not counted: {'; '.join(refused)}" if refused else "")
    )
    step = VerificationStep(
        "attestors",
        "Independent others verified the pack and vouch for it",
        "whoever they are, they computed it again and found the same",
        StepOutcome.HOLDS if len(independent) >= least else StepOutcome.FAILS,
        detail[:8000],
    )
    return replace(report, steps=(*report.steps, step))


def _summaries(pack: Path, refused: list[str]) -> list[Path]:
    """Returns the files of the summaries; none where the folder is a link, or holds more than anybody needs."""
    folder = folder_of(pack)
    if folder.is_symlink():
        refused.append(f"{folder.name} is a link")
        return []
    paths = sorted(islice(folder.glob(f"*{_SUMMARY}"), _MOST + 1))
    if len(paths) > _MOST:
        refused.append(f"{folder.name} holds more than {_MOST} summaries: expected at most so many")
        return []
    return paths


def _independent(
    issuer: Sequence[x509.Certificate],
    found: Sequence[Attestor],
    trust: Sequence[x509.Certificate],
    refused: list[str],
) -> list[Attestor]:
    """Returns attestors no two of whom share a key, nor one with the issuer; notes why others are not among them."""
    known = {*trust, *issuer, *(certificate for one in found for certificate in one.chain)}
    vouching = {
        one: [other for other in known if key_id(one) == key_id(other) or is_issued_by(one, other)]
        for one in known
    }

    def keys(certificate: x509.Certificate) -> set[str]:
        return {key_id(one) for one in reached([certificate], vouching.__getitem__)}

    of_issuer, others = keys(issuer[0]), []
    for one in found:
        held = keys(one.chain[0])
        if held & of_issuer:
            own = key_id(one.chain[0]) == key_id(issuer[0])
            refused.append(
                f"{one.name!r} signs with the issuer's own key"
                if own
                else f"{one.name!r} shares a root, an authority or a key with the issuer"
            )
        else:
            others.append((one, held))
    chosen: list[Attestor] = []
    taken: set[str] = set()
    # Those who share with the fewest come first, so that one with many certificates is in nobody's way.
    for one, held in sorted(others, key=lambda pair: sum(not pair[1].isdisjoint(keys) for _, keys in others)):
        if held & taken:
            refused.append(f"{one.name!r} shares a root, an authority or a key with one who is counted")
        else:
            chosen.append(one)
            taken |= held
    return chosen


def _attestor(
    path: Path,
    verified: Verified,
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
    statement, chain = verified_statement(read_file(path, layout.ATTESTATION), certificates, trust)
    level, moment = _told(statement)
    expected = [
        summary_statement(verified.digests, level, moment, release) for release in (*EARLIER, present())
    ]
    if statement not in expected:
        raise TrustError("it is no summary of this pack by a release that this software knows")
    require_entitled(chain, lists, moment, at)
    if moment < datetime.fromisoformat(verified.signed) - CLOCK_TOLERANCE:
        raise TrustError(
            f"it was made on {moment:%Y-%m-%dT%H:%M:%SZ}, before the report was signed ({verified.signed})"
        )
    return Attestor(chain, level, moment)


def require_entitled(
    chain: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
    moment: datetime,
    at: datetime,
) -> None:
    """Refuses a statement whose signer was not entitled to sign when it says that it was made.

    Args:
        chain: The signer's certificate and its issuers up to the root.
        lists: Revocation lists.
        moment: When the statement was made, by its own word.
        at: The time of verification, aware.

    Raises:
        TrustError: A certificate was not valid then or is revoked, or the moment is in the future.
    """
    if moment > at + CLOCK_TOLERANCE:
        raise TrustError(f"it was made on {moment:%Y-%m-%dT%H:%M:%SZ}, after the time of verification")
    for certificate in chain:
        require_validity(certificate, moment)
    require_unrevoked(chain, lists, moment)


def verified_statement(
    content: bytes, certificates: Sequence[x509.Certificate], trust: Sequence[x509.Certificate]
) -> tuple[JsonObject, tuple[x509.Certificate, ...]]:
    """Returns a signed statement and the chain of its signer, which ends in a trusted root.

    Args:
        content: The DSSE envelope.
        certificates: The signer's certificate, and others that came with it.
        trust: The roots that the caller trusts.

    Raises:
        TrustError: It is in another form, or signed by nobody whom a trusted root vouches for.
    """
    signer = certificates[0]
    chain = (signer, *order_chain(signer, [*trust, *certificates[1:]]))
    if chain[-1] not in trust:
        raise TrustError(f"the chain of {common_name(signer)!r} ends in no trusted root")
    require_path(chain)
    require_purpose(signer)
    statement = verify_envelope(content, signer)
    if not has_low_s(signer.public_key(), envelope_signature(content)):
        raise TrustError("the signature has the higher of its two values of s")
    return statement, chain


def _told(statement: Mapping[str, Any]) -> tuple[Level, datetime]:
    """Returns level and time of a summary."""
    with Refusing(
        (KeyError, TypeError, ValueError, StopIteration),
        TrustError,
        "it is no verification summary",
        words=repr,
    ):
        (named,) = statement["predicate"]["verifiedLevels"]
        level = next(level for level, name in _LEVELS.items() if name == named)
        moment = datetime.strptime(statement["predicate"]["timeVerified"], "%Y-%m-%dT%H:%M:%S%z")
    return level, moment

"""The attestation: an in-toto statement over every file of the pack, in a signed DSSE envelope."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from certify.errors import Refusing, TrustError
from certify.seal.canonical import canonical_bytes, parse_canonical, sha256_hex
from certify.seal.layout import ATTESTATION, NOT_ATTESTED
from certify.seal.signer import Signer, require_signed
from certify.untrusted_input import JsonObject

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"

_ENVELOPE = re.compile(
    rb'\{"payload":"([A-Za-z0-9+/]{0,6000000}={0,2})","payloadType":"application/vnd\.in-toto\+json",'
    rb'"signatures":\[\{"keyid":"[0-9a-f]{64}","sig":"([A-Za-z0-9+/]{1,2000}={0,2})"\}\]\}'
)

# A kind and a number: addresses and names of machines are nobody's business, and could say anything.
_EXECUTOR = re.compile(r"(?:threads|processes|dask:local):[1-9][0-9]{0,4}|dask")
_COUNTED = ("workers", "chunks", "computedTwice")

# in-toto test-result v0.1: a run with a warning and no failure is WARNED. Conditions that somebody must still confirm,
# a figure that was fitted, and what was shown on a reference alone are no pass of the product.
RESULTS = {
    "satisfied": "PASSED",
    "satisfied on conditions": "WARNED",
    "mathematics satisfied, product not shown": "WARNED",
    "fitted": "WARNED",
    "shown on the reference": "WARNED",
    "inconclusive": "WARNED",
    "not satisfied": "FAILED",
}


def build_statement(
    evidence: Mapping[str, Any], files: Mapping[str, bytes], execution: Mapping[str, Any] | None = None
) -> JsonObject:
    """Returns the statement about a pack; all but where the work ran follows from the evidence and the files.

    Args:
        evidence: The evidence, of the present schema.
        files: Every file of the pack; the attestation and the list of digests are left out by themselves.
        execution: Where the work ran; it changes no other file of the pack, and is named here only.

    Raises:
        ValueError: The evidence has no verdict that a statement can express, or the execution is of another form.

    Source: in-toto Attestation Framework, Statement v1; predicate test-result v0.1.
    """
    if execution is not None:
        _require_execution(execution)
    return statement_about(files, _predicate(evidence, execution))


def statement_about(files: Mapping[str, bytes], predicate: JsonObject) -> JsonObject:
    """Returns a statement about every file but the attestation and the list of digests.

    Args:
        files: The files of the pack.
        predicate: What is stated.
    """
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": sha256_hex(content)}}
            for name, content in sorted(files.items())
            if name not in NOT_ATTESTED
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }


def _require_execution(execution: Mapping[str, Any]) -> None:
    """Refuses anything but where work ran and how much of it was checked.

    Raises:
        ValueError: It is of another form.
    """
    executor = execution.get("executor")
    if not isinstance(executor, str) or not _EXECUTOR.fullmatch(executor):
        raise ValueError(f"where the work ran is {executor!r}: expected such as processes:2")
    found = execution.get("found", {})
    if not isinstance(found, Mapping) or not all(
        re.fullmatch("[a-z]{1,20}", str(kind)) and re.fullmatch("[0-9a-f]{64}", str(digest))
        for kind, digest in found.items()
    ):
        raise ValueError("what was found by its digest holds something else than digests")
    counts = {name: execution.get(name) for name in _COUNTED}
    if execution.keys() - {"found"} != {"executor", *_COUNTED}:
        raise ValueError("where the work ran holds other things than it may")
    if any(type(count) is not int or not 0 <= count < 2**53 for count in counts.values()):
        raise ValueError("where the work ran holds something else than counts")
    if execution["computedTwice"] > execution["chunks"]:
        raise ValueError("more chunks were computed twice than there were")


def _predicate(evidence: Mapping[str, Any], execution: Mapping[str, Any] | None) -> JsonObject:
    """Returns the result of the run: the overall verdict and every check by how it ended."""
    report, item, family = evidence["report"], evidence["item"], evidence["family"]
    verdict = report["statement"]["verdict"]
    if verdict not in RESULTS:
        raise ValueError(f"the verdict {verdict!r} is none of {', '.join(RESULTS)}")
    ended: dict[str, set[str]] = {outcome: set() for outcome in RESULTS.values()}
    for observation in evidence.get("observations", []):
        outcome = RESULTS.get(observation["verdict"])
        if outcome is not None:
            ended[outcome].add(observation["check"])
    return {
        "result": RESULTS[verdict],
        "configuration": [
            {"name": file["name"], "digest": {"sha256": file["sha256"]}} for file in item["files"]
        ],
        # A check that looked at several subjects counts once, as the worst of them.
        "passedTests": sorted(ended["PASSED"] - ended["WARNED"] - ended["FAILED"]),
        "warnedTests": sorted(ended["WARNED"] - ended["FAILED"]),
        "failedTests": sorted(ended["FAILED"]),
        "certifyReport": {
            "number": report["number"],
            "revision": report["revision"],
            "issued": report["issued"],
            "game": item["game"],
            "gameVersion": item["version"],
            "demonstrationKey": report["demonstration_key"],
            "tool": _code(
                evidence["tool"]["name"], evidence["tool"]["version"], evidence["tool"]["source_sha256"]
            ),
            "family": {
                "id": family["family"],
                **_code(family["package"], family["version"], family["sha256"]),
            },
            **({} if execution is None else {"execution": dict(execution)}),
        },
    }


def _code(name: str, version: str, sha256: str) -> JsonObject:
    """Returns software by name, version and digest of its sources."""
    return {"name": name, "version": version, "digest": {"sha256": sha256}}


def sign_statement(statement: Mapping[str, Any], signer: Signer) -> bytes:
    """Returns the statement in a DSSE envelope, in canonical JSON.

    Source: DSSE v1.0, protocol and envelope.
    """
    payload = canonical_bytes(statement)
    return envelope_bytes(payload, signer.key.sign(pre_authentication_encoding(payload)), signer.certificate)


def envelope_bytes(payload: bytes, signature: bytes, certificate: x509.Certificate) -> bytes:
    """Returns the DSSE envelope of a payload and its one signature."""
    return canonical_bytes(
        {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(payload).decode("ascii"),
            "signatures": [{"keyid": key_id(certificate), "sig": base64.b64encode(signature).decode()}],
        }
    )


def pre_authentication_encoding(payload: bytes) -> bytes:
    """Returns what a DSSE signature is made over: the payload with its type and both lengths.

    Source: DSSE v1.0, protocol, "PAE".

    >>> pre_authentication_encoding(b"{}")
    b'DSSEv1 28 application/vnd.in-toto+json 2 {}'
    """
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)


def key_id(certificate: x509.Certificate) -> str:
    """Returns the SHA-256 of a certificate's public key (DER), in hexadecimal."""
    return sha256_hex(
        certificate.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def verify_envelope(content: bytes, certificate: x509.Certificate) -> JsonObject:
    """Returns the statement of a DSSE envelope whose one signature is that of a certificate's key.

    Every byte of the envelope must be as :func:`sign_statement` writes it, so that nothing outside the
    signature can be altered either.

    Raises:
        TrustError: The envelope has another form, or the signature does not verify.
    """
    payload, signature = _parts(content)
    if envelope_bytes(payload, signature, certificate) != content:
        raise TrustError(
            f"{ATTESTATION} was expected to hold one signature by the key of the pack's certificate "
            f"(key id {key_id(certificate)}) and nothing else"
        )
    what = f"the signature of {ATTESTATION}"
    message = pre_authentication_encoding(payload)
    require_signed(certificate, signature, message, f"{what} does not verify", what)
    statement = parse_canonical(payload, f"the payload of {ATTESTATION}")
    if not isinstance(statement, dict):
        raise TrustError(f"the payload of {ATTESTATION} is not a statement")
    return statement


def envelope_signature(content: bytes) -> bytes:
    """Returns the signature of a DSSE envelope, byte for byte.

    Raises:
        TrustError: The envelope has another form.
    """
    return _parts(content)[1]


def _parts(content: bytes) -> tuple[bytes, bytes]:
    """Returns payload and signature of an envelope.

    The envelope has one form, which is taken apart without a parser: nothing that is not signed is ever parsed.
    """
    found = _ENVELOPE.fullmatch(content)
    if found is None:
        raise TrustError(f"{ATTESTATION} is not a DSSE envelope with one signature in canonical form")
    with Refusing(
        (binascii.Error, ValueError),
        TrustError,
        f"{ATTESTATION} is not a DSSE envelope with one signature",
        words=repr,
    ):
        payload, signature = (base64.b64decode(part, validate=True) for part in found.groups())
    return payload, signature


def require_subjects(statement: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Refuses files that are not those of a statement; nothing but digests is looked at.

    Raises:
        TrustError: A subject is altered, missing or too many.
    """
    with Refusing(
        (KeyError, TypeError), TrustError, "the attestation names no files with their digests", words=repr
    ):
        claimed = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    actual = {name: sha256_hex(content) for name, content in files.items() if name not in NOT_ATTESTED}
    differing = sorted(
        name for name in claimed.keys() | actual.keys() if claimed.get(name) != actual.get(name)
    )
    if differing:
        raise TrustError(
            f"these files are not as attested (altered, missing or added): {', '.join(differing)}"
        )


def execution_of(statement: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns where the work of a pack ran, as attested; None where nothing is stated of it."""
    told = statement["predicate"]["certifyReport"].get("execution")
    if told is not None and not isinstance(told, Mapping):
        raise TypeError("where the work ran is no object")
    return told


def require_statement(
    statement: Mapping[str, Any], evidence: Mapping[str, Any], files: Mapping[str, bytes]
) -> None:
    """Refuses a statement that is not the one that follows from the evidence and the files.

    Raises:
        TrustError: The result, or anything else in it, differs from what the evidence says.
    """
    with Refusing(
        (KeyError, TypeError, ValueError),
        TrustError,
        "the attestation and the evidence cannot be compared",
        words=repr,
    ):
        expected = build_statement(evidence, files, execution_of(statement))
    if statement != expected:
        raise TrustError("the attested result is not the result in the evidence")

"""Time-stamp tokens, held to RFC 3161: what a token says, who signed it, and by what it is judged at its own time."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID

from certify.errors import Refusing, TrustError
from certify.seal.certificates import (
    CLOCK_TOLERANCE,
    common_name,
    der,
    element_end,
    extension_of,
    order_chain,
    read_certificate,
    require_path,
    require_validity,
)
from certify.seal.cms_container import named_signer
from certify.seal.signer import is_issued_by, require_verified

MOST_ACCURACY: Final = timedelta(minutes=1)
"""How far from the truth an authority may say that its time is."""

_DIGESTS: Final[Mapping[str, Callable[[], hashes.HashAlgorithm]]] = {
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
_SIGNED: Final = frozenset({"1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"})
# RFC 3161 names the certificate by its SHA-1, RFC 5816 by any digest; one of them must be there.
_CERTIFICATE_1, _CERTIFICATE_2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"
_ALLOWED: Final = _SIGNED | {_CERTIFICATE_1, _CERTIFICATE_2, "1.2.840.113549.1.9.5", "1.2.840.113549.1.9.52"}
_HARMLESS: Final = frozenset(
    {
        x509.ReasonFlags.affiliation_changed,
        x509.ReasonFlags.superseded,
        x509.ReasonFlags.cessation_of_operation,
    }
)
"""Reasons for which tokens made before a revocation stay valid (RFC 3161, section 4, 1)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token whose signature holds over what it says.

    Args:
        moment: The time that it states.
        authority: The certificate that it names as its signer's.
        certificates: The certificates that travel in it.
    """

    moment: datetime
    authority: x509.Certificate
    certificates: tuple[x509.Certificate, ...]


def read_token(token: bytes, signature: bytes) -> Token:
    """Returns what a token says of a signature, refusing one that RFC 3161 does not allow.

    Args:
        token: The token (CMS), byte for byte from the unsigned attributes.
        signature: The signature that it is to date.

    Raises:
        TrustError: It is of another form, over something else, by a digest that no longer holds, or not signed by the
            certificate of a time-stamp authority; it says which.

    Source: RFC 3161, sections 2.3 and 2.4.2; RFC 5816; RFC 5652, section 5.
    """
    import asn1crypto.tsp
    from asn1crypto import cms

    # A parser that meets hostile bytes may raise anything; whatever it raises, they are refused.
    with Refusing(Exception, TrustError, "the time stamp cannot be read", words=repr):
        if element_end(token, 0, len(token)) != len(token):
            raise TrustError("the time stamp is followed by more bytes")
        info = cms.ContentInfo.load(token, strict=True)
        data = info["content"]
        told = asn1crypto.tsp.TSTInfo.load(data["encap_content_info"]["content"].contents, strict=True)
        problems = [*_form_problems(info), *_info_problems(told, signature)]
        if problems:
            raise TrustError(f"the time stamp is defective: {'; '.join(problems)}")
        certificates = tuple(read_certificate(choice.chosen.dump()) for choice in data["certificates"])
        authority = _authority(data)
        _require_signed(data, authority)
        moment = told["gen_time"].native
    _require_usage(authority)
    return Token(moment.astimezone(UTC), authority, certificates)


def _form_problems(info: Any) -> list[str]:
    data = info["content"]
    if info["content_type"].native != "signed_data" or len(data["signer_infos"]) != 1:
        return ["it does not hold one signature"]
    signer = data["signer_infos"][0]
    digest = signer["digest_algorithm"]["algorithm"].native
    signed = [attribute["type"].dotted for attribute in signer["signed_attrs"]]
    checks = {
        "it is of another kind than a time stamp": data["encap_content_info"]["content_type"].native
        == "tst_info",
        f"it is signed with {digest}, expected SHA-2": digest in _DIGESTS,
        "its digests differ": [one["algorithm"].native for one in data["digest_algorithms"]] == [digest],
        "it carries revocation lists": data["crls"].native is None,
        "its signed attributes are not those of a time stamp": len(set(signed)) == len(signed)
        and _SIGNED <= set(signed) <= _ALLOWED
        and bool({_CERTIFICATE_1, _CERTIFICATE_2} & set(signed)),
        "it carries attributes that nobody signed": signer["unsigned_attrs"].native is None,
    }
    return [problem for problem, holds in checks.items() if not holds]


def _info_problems(told: Any, signature: bytes) -> list[str]:
    imprint = told["message_imprint"]
    digest = imprint["hash_algorithm"]["algorithm"].native
    if digest not in _DIGESTS:
        return [f"its imprint is by {digest}, expected SHA-2"]
    problems = []
    if imprint["hashed_message"].native != hashlib.new(digest, signature).digest():
        problems.append("it is not over this signature")
    if told["version"].native != "v1" or told["extensions"].native is not None:
        problems.append("it says more than a time stamp of version 1")
    accuracy = told["accuracy"].native or {}
    stated = timedelta(
        seconds=accuracy.get("seconds") or 0,
        milliseconds=accuracy.get("millis") or 0,
        microseconds=accuracy.get("micros") or 0,
    )
    if stated > MOST_ACCURACY:
        problems.append(f"its time may be wrong by {stated}, expected at most {MOST_ACCURACY}")
    return problems


def _authority(data: Any) -> x509.Certificate:
    """Returns the certificate that a token names, and binds by its digest, as its signer's."""
    found = named_signer(data, "the time stamp")
    named_by = {
        one["type"].dotted: one["values"][0]["certs"][0]
        for one in data["signer_infos"][0]["signed_attrs"]
        if one["type"].dotted in (_CERTIFICATE_1, _CERTIFICATE_2)
    }
    for kind, bound in named_by.items():
        digest = "sha1" if kind == _CERTIFICATE_1 else bound["hash_algorithm"]["algorithm"].native
        known = kind == _CERTIFICATE_1 or digest in _DIGESTS
        # Which certificate signed is proved by the signature; this binds it, and by SHA-1 it may do no more.
        if not known or bound["cert_hash"].native != hashlib.new(digest, der(found)).digest():
            raise TrustError("the time stamp binds another certificate than that of its signer")
    return found


def _require_signed(data: Any, authority: x509.Certificate) -> None:
    signer = data["signer_infos"][0]
    digest = signer["digest_algorithm"]["algorithm"].native
    stated = next(
        one["values"][0].native
        for one in signer["signed_attrs"]
        if one["type"].dotted == "1.2.840.113549.1.9.4"
    )
    if stated != hashlib.new(digest, data["encap_content_info"]["content"].contents).digest():
        raise TrustError("the time stamp was altered: what it says has another digest")
    message = hashlib.new(digest, signer["signed_attrs"].untag().dump()).digest()
    with Refusing(
        InvalidSignature,
        TrustError,
        "the time stamp was not signed with the key of its authority",
        words=None,
    ):
        require_verified(authority.public_key(), signer["signature"].native, message, _DIGESTS[digest]())


def _require_usage(authority: x509.Certificate) -> None:
    """Refuses a certificate that is not for time stamps, and for nothing else.

    Source: RFC 3161, section 2.3.
    """
    name = repr(common_name(authority))
    with Refusing(
        x509.ExtensionNotFound,
        TrustError,
        f"the certificate of {name} does not say that it is for time stamps alone",
        words=None,
    ):
        purposes = authority.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        usage = authority.extensions.get_extension_for_class(x509.KeyUsage).value
    if list(purposes.value) != [ExtendedKeyUsageOID.TIME_STAMPING] or not purposes.critical:
        raise TrustError(f"the certificate of {name} is not for time stamps alone, and critically so")
    others = usage.key_encipherment or usage.data_encipherment or usage.key_agreement or usage.key_cert_sign
    if others or usage.crl_sign or not (usage.digital_signature or usage.content_commitment):
        raise TrustError(f"the key of {name} was expected to sign, and to do nothing else")


def require_one_dating(stamps: Sequence[Token], at: datetime) -> None:
    """Refuses a certificate that was dated by another authority than its report, or at another time.

    Args:
        stamps: The time stamps of the certificate and of the report; none where they carry none.
        at: The time of verification, aware.

    Raises:
        TrustError: The certificate was dated by another authority, or not when the report was.
    """
    if len({der(stamp.authority) for stamp in stamps}) > 1:
        raise TrustError("the certificate was dated by another authority than the report")
    dated = sorted(stamp.moment for stamp in stamps)
    if dated and dated[-1] > min(dated[0], at) + CLOCK_TOLERANCE:
        raise TrustError(
            "the certificate was expected to be dated within five minutes of the report and before the time of "
            f"verification, not {stamps[0].moment:%Y-%m-%dT%H:%M:%SZ}"
        )


def require_authority(
    token: Token,
    roots: Sequence[x509.Certificate],
    signer_path: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
) -> str:
    """Refuses an authority whose chain does not hold at the time of the stamp, or that is not one of its own.

    Args:
        token: The token.
        roots: Roots of time-stamp authorities that the caller trusts.
        signer_path: The signer's certificate and its issuers: nobody dates signatures for himself.
        lists: Revocation lists at hand.

    Returns:
        The root that its chain ends in.

    Raises:
        TrustError: It says what does not hold.

    Source: RFC 3161, sections 2.3 and 4; RFC 5280, section 6.
    """
    from certify.seal.attestation import key_id

    path = (token.authority, *order_chain(token.authority, [*roots, *token.certificates]))
    if path[-1] not in roots:
        raise TrustError(
            f"the time stamp's chain ends in {common_name(path[-1])!r}, which is no root given for stamps"
        )
    if not set(token.certificates) <= set(path) or len(set(token.certificates)) != len(token.certificates):
        raise TrustError("the time stamp carries certificates that are no part of its chain")
    shared = [one for one in path if one in signer_path and one not in roots]
    if shared or key_id(token.authority) in {key_id(one) for one in signer_path[:-1]}:
        raise TrustError(
            f"the authority {common_name(token.authority)!r} is the signer's own, or of his issuer's making"
        )
    for certificate in path:
        require_validity(certificate, token.moment)
    require_path(
        path, frozenset({ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE})
    )
    for certificate, issuer in pairwise(path):
        for entry in lists:
            if is_issued_by(entry, issuer):
                _require_unrevoked(certificate, entry, token.moment)
    return common_name(path[-1])


def _require_unrevoked(
    certificate: x509.Certificate, entry: x509.CertificateRevocationList, moment: datetime
) -> None:
    revoked = entry.get_revoked_certificate_by_serial_number(certificate.serial_number)
    if revoked is None:
        return
    stated = extension_of(revoked, x509.CRLReason)
    if (stated and stated.reason) not in _HARMLESS or revoked.revocation_date_utc <= moment:
        raise TrustError(
            f"the authority's certificate of {common_name(certificate)!r} was revoked on "
            f"{revoked.revocation_date_utc:%Y-%m-%dT%H:%M:%SZ}: its stamps date nothing"
        )

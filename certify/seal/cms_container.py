"""The signature container of a report (CMS): every byte of it is accounted for."""

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography import x509

from certify.errors import Refusing, TrustError
from certify.seal.certificates import element_end, read_certificate
from certify.seal.signer import require_distinguished, require_signed

_MAXIMUM_BYTES = 128 * 1024
_DIGEST = "sha256"
_SIGNATURE_ALGORITHMS = frozenset({"sha256_rsa", "sha256_ecdsa"})
# RFC 5652, sections 11.1 and 11.2; RFC 5035, section 3: what every PAdES signature signs next to the digest.
_REQUIRED_ATTRIBUTES = frozenset(
    {"1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4", "1.2.840.113549.1.9.16.2.47"}
)
# RFC 6211, section 2: the algorithms, protected by the signature.
_SIGNED_ATTRIBUTES = _REQUIRED_ATTRIBUTES | {"1.2.840.113549.1.9.52"}
# RFC 3161, appendix A: the time-stamp token.
_MESSAGE_DIGEST = "1.2.840.113549.1.9.4"
_TIME_STAMP = "1.2.840.113549.1.9.16.2.14"


@dataclass(frozen=True, slots=True)
class Container:
    """What a signature container holds next to the signature.

    Args:
        certificates: The certificates that travel with the signature, in their order.
        signer: The one among them that the signature names as its signer's.
        signature: The signature itself.
        time_stamped: Whether a time-stamp authority's token is among them.
        token: The token, byte for byte; empty where there is none.
        attributes: What the signature is made over (DER of the signed attributes).
        digest: The digest of the document that is among them.
    """

    certificates: tuple[x509.Certificate, ...]
    signer: x509.Certificate
    signature: bytes
    time_stamped: bool
    token: bytes
    attributes: bytes
    digest: bytes


def read_container(content: bytes) -> Container:
    """Returns what a signature container holds, refusing anything that a signature needs not.

    What is not signed in a CMS message (its padding, its bag of certificates, its unsigned attributes,
    the encoding of its lengths) can be altered without any viewer noticing. Here it has one form.

    Args:
        content: The container with its padding.

    Raises:
        TrustError: The container has another form.

    Source: RFC 5652, section 5; ETSI EN 319 142-1, section 6.2.
    """
    # The names of the attributes that time stamping adds are known only if they are loaded before the first use.
    import asn1crypto.tsp  # noqa: F401
    from asn1crypto import cms

    if len(content) > _MAXIMUM_BYTES:
        raise TrustError(f"the signature container is larger than {_MAXIMUM_BYTES} bytes")
    # A parser that meets hostile bytes may raise anything; whatever it raises, they are refused.
    with Refusing(Exception, TrustError, "the signature container cannot be read"):
        length = element_end(content, 0, len(content))
        message, padding = content[:length], content[length:]
        info = cms.ContentInfo.load(message, strict=True)
        problems = _problems(info)
        if padding.strip(b"\0"):
            problems.append("its padding is not empty")
        certificates = tuple(
            read_certificate(choice.chosen.dump()) for choice in info["content"]["certificates"]
        )
        signer = named_signer(info["content"], "the signature container")
        signature = bytes(info["content"]["signer_infos"][0]["signature"].native)
        require_distinguished(signer.public_key(), signature)
        time_stamped = _unsigned(info) == [_TIME_STAMP]
        token = _token(info) if time_stamped else b""
        attributes = info["content"]["signer_infos"][0]["signed_attrs"]
        digests = [one["values"] for one in attributes if one["type"].dotted == _MESSAGE_DIGEST]
        if len(digests) != 1 or len(digests[0]) != 1:
            raise TrustError("the signature container was expected to name one digest of the document")
        # RFC 5652, section 5.4: signed as a set, whatever tag it is under in the message.
        signed, digest = attributes.untag().dump(), bytes(digests[0][0].native)
    if problems:
        raise TrustError(f"the signature container was altered: {'; '.join(problems)}")
    return Container(
        certificates,
        signer,
        signature,
        time_stamped,
        token,
        signed,
        digest,
    )


def require_made_over(container: Container, signed: bytes) -> None:
    """Refuses a signature that is not by its signer's key over some bytes; no reader of the document takes part.

    Args:
        container: The signature with its certificates.
        signed: The bytes of the file that it covers.

    Raises:
        TrustError: The bytes have another digest, or the signature does not verify.

    Source: RFC 5652, sections 5.4 and 5.6.
    """
    if hashlib.sha256(signed).digest() != container.digest:
        raise TrustError("the signed bytes were altered: their digest is not the signed digest")
    require_signed(
        container.signer,
        container.signature,
        container.attributes,
        "the signature was not made with the key of its certificate",
        "the signature",
    )


def _token(info: Any) -> bytes:
    """Returns the one time-stamp token of a message."""
    (attribute,) = info["content"]["signer_infos"][0]["unsigned_attrs"]
    values = attribute["values"]
    if len(values) != 1:
        raise TrustError("the signature container was expected to hold one time stamp")
    return bytes(values[0].dump())


def _problems(info: Any) -> list[str]:
    """Returns in which respects a CMS message is not the signature of a report."""
    data = info["content"]
    signers = data["signer_infos"]
    if info["content_type"].native != "signed_data" or len(signers) != 1:
        return ["it does not hold one signature"]
    signer = signers[0]
    digests = [signer["digest_algorithm"], *data["digest_algorithms"]]
    mechanism = signer["signature_algorithm"]
    signed = [attribute["type"].dotted for attribute in signer["signed_attrs"]]
    checks = {
        "its versions are not 1": data["version"].native == "v1" and signer["version"].native == "v1",
        "it carries a document": data["encap_content_info"]["content_type"].native == "data"
        and data["encap_content_info"]["content"].native is None,
        "its digest is not SHA-256 throughout": len(digests) == 2
        and all(digest["algorithm"].native == _DIGEST and _has_no_parameters(digest) for digest in digests),
        "its signature is neither RSA nor ECDSA with SHA-256": _has_no_parameters(mechanism)
        and mechanism["algorithm"].native in _SIGNATURE_ALGORITHMS,
        "it carries revocation lists": data["crls"].native is None,
        "its signed attributes are not those of a PAdES signature": len(set(signed)) == len(signed)
        and _REQUIRED_ATTRIBUTES <= set(signed) <= _SIGNED_ATTRIBUTES,
        "its unsigned attributes are more than a time stamp": _unsigned(info) in ([], [_TIME_STAMP]),
    }
    return [problem for problem, holds in checks.items() if not holds]


def _has_no_parameters(algorithm: Any) -> bool:
    """Returns whether an algorithm identifier has no parameters, or the null that means none."""
    from asn1crypto.core import Null, Void

    return isinstance(algorithm["parameters"], Null | Void)


def _unsigned(info: Any) -> list[str]:
    """Returns the types of the unsigned attributes."""
    attributes = info["content"]["signer_infos"][0]["unsigned_attrs"]
    return [attribute["type"].dotted for attribute in attributes] if attributes.native is not None else []


def named_signer(data: Any, what: str) -> x509.Certificate:
    """Returns the certificate that the message names, letter by letter, as that of its signer.

    Names in certificates compare without regard to case, so that a reader would accept a message whose
    reference was altered; here the reference must be the issuer as the certificate writes it.
    """
    named = data["signer_infos"][0]["sid"]
    if named.name != "issuer_and_serial_number":
        raise TrustError(f"{what} was expected to name its signer by issuer and serial number")
    reference = (named.chosen["issuer"].dump(), named.chosen["serial_number"].native)
    matching = [
        choice.chosen
        for choice in data["certificates"]
        if (choice.chosen.issuer.dump(), choice.chosen.serial_number) == reference
    ]
    if len(matching) != 1:
        raise TrustError(f"{what} does not hold the certificate that it names as its signer's")
    return read_certificate(matching[0].dump())

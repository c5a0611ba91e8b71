"""A private key inside a PKCS #11 token: the token signs, and the key never leaves it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

from certify.errors import InputError
from certify.seal.pkcs11_token import KeyPlace, find_key, said, session_on
from certify.seal.signer import TRIAL, require_signature, with_low_s

if TYPE_CHECKING:
    from pkcs11 import Mechanism

# RFC 8017, section 9.2, note 1: the DER prefix of DigestInfo for SHA-256.
_SHA256_DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


@dataclass(frozen=True, slots=True)
class Pkcs11Key:
    """Signs by a token, in a session of its own for every signature.

    Nothing stays logged in while a run computes for hours, and a token that was taken out is noticed. The
    answer is verified before it is used, as that of any key outside this process.

    Args:
        place: Where the key is.
        pin: PIN of the token's user.
        public_key: The public key that must verify the answer.
    """

    place: KeyPlace
    pin: str = field(repr=False)
    public_key: CertificatePublicKeyTypes

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256.

        Raises:
            MissingPartError: The module is missing or does not work.
            InputError: The token is absent or refuses the PIN, the key is absent or fails, or what came out
                is no signature by the key of the certificate.
        """
        with session_on(self.place, self.pin) as session:
            signature = self._signed(find_key(session, self.place), message)
        try:
            require_signature(self.public_key, signature, hashlib.sha256(message).digest())
        except (InvalidSignature, ValueError) as error:
            raise InputError(
                f"the {self.place} does not belong to the certificate, whose public key does not verify what it signs"
            ) from error
        return with_low_s(self.public_key, signature)

    def try_out(self) -> None:
        """Signs a message that is no report, so that a wrong key is found before anything is computed."""
        self.sign(TRIAL)

    def _signed(self, key: Any, message: bytes) -> bytes:
        """Returns what the token makes of a message, in the form that certificates and CMS use."""
        from pkcs11 import KeyType, PKCS11Error
        from pkcs11.util.ec import encode_ecdsa_signature

        try:
            mechanism, data = _to_sign(key.key_type, key.session.token.slot.get_mechanisms(), message)
            again = self.pin if _wants_pin_again(key) else None
            signature = bytes(key.sign(data, mechanism=mechanism, pin=again))
        except (PKCS11Error, ValueError) as error:
            raise InputError(f"the {self.place} did not sign: {said(error)}") from error
        return bytes(encode_ecdsa_signature(signature)) if key.key_type is KeyType.EC else signature


def _wants_pin_again(key: Any) -> bool:
    """Tells whether a key wants the PIN for each single signature; older tokens do not know the question.

    Source: PKCS #11 v3.1, private key objects, on CKA_ALWAYS_AUTHENTICATE.
    """
    from pkcs11 import Attribute, PKCS11Error

    try:
        return bool(key[Attribute.ALWAYS_AUTHENTICATE])
    except PKCS11Error:
        return False


def _to_sign(kind: object, offered: set[Mechanism], message: bytes) -> tuple[Mechanism, bytes]:
    """Returns the mechanism for a kind of key and the bytes to give to it.

    A token that hashes by itself is given the message, any other the digest: SoftHSM 2.6, for one, signs
    ECDSA over digests only.

    Raises:
        ValueError: The key is of another kind.
    """
    from pkcs11 import KeyType
    from pkcs11 import Mechanism as Known

    digest = hashlib.sha256(message).digest()
    if kind is KeyType.RSA:
        whole = Known.SHA256_RSA_PKCS
        return (whole, message) if whole in offered else (Known.RSA_PKCS, _SHA256_DIGEST_INFO + digest)
    if kind is KeyType.EC:
        whole = Known.ECDSA_SHA256
        return (whole, message) if whole in offered else (Known.ECDSA, digest)
    raise ValueError("expected an RSA or ECDSA P-256 key")

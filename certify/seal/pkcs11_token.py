"""Hardware tokens (PKCS #11): the session, and the key that signs there.

Tokens behind PKCS #11: finding the module, the token, the key in it, and the certificates next to the key.

Source: OASIS PKCS #11 Cryptographic Token Interface Base Specification, version 3.1.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

from certify.errors import InputError, MissingPartError, Refusing, with_kind
from certify.seal.signer import KeyPlace, verified

with Refusing(
    ImportError, MissingPartError, "the Python package python-pkcs11 is missing: make env", words=None
):
    import pkcs11
    from pkcs11 import (
        Attribute,
        CertificateType,
        KeyType,
        Mechanism,
        ObjectClass,
        PKCS11Error,
        PrivateKey,
        Session,
        SignMixin,
        Token,
        TokenFlag,
    )
    from pkcs11.util.ec import encode_ecdsa_signature


@contextmanager
def session_on(place: KeyPlace, pin: str) -> Iterator[Session]:
    """Opens a session on a token as its user; afterwards nothing stays logged in or loaded for use.

    The PIN is tried once, because tokens lock after a few wrong ones.

    Raises:
        MissingPartError: The module is missing or does not work.
        InputError: There is no such token, or it refuses the PIN.
    """
    if not pin:
        raise InputError(f"the PIN of token {place.token!r} is empty: it was not tried")
    library = _library(place.module)
    try:
        session = _login(_token(library, place), pin)
        try:
            yield session
        finally:
            with suppress(PKCS11Error):
                session.close()
    finally:
        with suppress(PKCS11Error):
            library.finalize()


def find_key(session: Session, place: KeyPlace) -> PrivateKey:
    """Returns the one private key of that label and id.

    Raises:
        InputError: There is none, there are several, or it may not sign.
    """
    wanted: dict[Attribute, Any] = {Attribute.CLASS: ObjectClass.PRIVATE_KEY}
    if place.label is not None:
        wanted[Attribute.LABEL] = place.label
    if place.identifier is not None:
        wanted[Attribute.ID] = place.identifier
    found: list[Any] = _objects(session, wanted)
    if not found:
        others = _objects(session, {Attribute.CLASS: ObjectClass.PRIVATE_KEY})
        listed = ", ".join(sorted(repr(each.label) for each in others)) or "no private keys"
        raise InputError(f"there is no {place}: it holds {listed}")
    if len(found) > 1:
        ids = ", ".join(sorted(each.id.hex() or "none" for each in found))
        raise InputError(f"{len(found)} keys answer to the {place}: expected one; their ids are {ids}")
    if not isinstance(found[0], SignMixin):
        raise InputError(f"the {place} was not made for signing (CKA_SIGN is false)")
    return found[0]  # type: ignore[return-value]


def certificates_in(session: Session, key: PrivateKey) -> tuple[list[bytes], list[bytes]]:
    """Returns the certificates that belong to a key, and all others in its token, in DER form.

    A certificate belongs to the key that has the same id, or, where the key has none, the same label.

    Source: PKCS #11 v3.1, X.509 public key certificate objects, on CKA_ID.
    """
    own: list[bytes] = []
    others: list[bytes] = []
    kind = {Attribute.CLASS: ObjectClass.CERTIFICATE, Attribute.CERTIFICATE_TYPE: CertificateType.X_509}
    by, name = (Attribute.ID, key.id) if key.id else (Attribute.LABEL, key.label)
    for each in _objects(session, kind):
        (own if each[by] == name else others).append(bytes(each[Attribute.VALUE]))
    return own, others


def _library(module: Path) -> Any:
    """Returns the module, loaded and initialised."""
    if not module.is_file():
        raise MissingPartError(
            f"the PKCS #11 module {module} is not there: expected the library that comes with the token, such as "
            "/usr/lib/softhsm/libsofthsm2.so (apt-get install softhsm2)"
        )
    with Refusing(
        PKCS11Error, MissingPartError, f"the PKCS #11 module {module} does not start", words=with_kind
    ):
        return pkcs11.lib(str(module.resolve()))


def _token(library: Any, place: KeyPlace) -> Token:
    """Returns the one token of that label."""
    with Refusing(
        PKCS11Error, MissingPartError, f"the PKCS #11 module {place.module} shows no tokens", words=with_kind
    ):
        present = [token for token in library.get_tokens() if token.flags & TokenFlag.TOKEN_INITIALIZED]
    found: list[Token] = [token for token in present if token.label == place.token]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{len(found)} tokens are labelled {place.token!r}: expected one")
    labels = ", ".join(sorted(repr(token.label) for token in present)) or "none"
    raise InputError(f"no token is labelled {place.token!r}; the module {place.module} shows: {labels}")


def _login(token: Token, pin: str) -> Session:
    """Returns a session of the token's user."""
    with (
        Refusing(
            PKCS11Error,
            InputError,
            f"token {token.label!r} does not let its user in",
            words=with_kind,
        ),
        Refusing(
            pkcs11.PinLocked,
            InputError,
            f"token {token.label!r} has locked its PIN after wrong ones: its administrator can unlock it",
            words=None,
        ),
        Refusing(
            (pkcs11.PinIncorrect, pkcs11.PinInvalid, pkcs11.PinLenRange),
            InputError,
            f"the PIN does not open token {token.label!r}; it was tried once: tokens lock after a few wrong ones",
            words=None,
        ),
    ):
        return token.open(user_pin=pin)


def _objects(session: Session, wanted: dict[Any, Any]) -> list[Any]:
    """Returns the objects of a token that have these attributes."""
    with Refusing(
        PKCS11Error, InputError, f"token {session.token.label!r} cannot be searched", words=with_kind
    ):
        return list(session.get_objects(wanted))


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
        refusal = f"the {self.place} does not belong to the certificate, whose public key does not verify what it signs"
        return verified(self.public_key, signature, message, refusal)

    def _signed(self, key: Any, message: bytes) -> bytes:
        """Returns what the token makes of a message, in the form that certificates and CMS use."""
        with Refusing(
            (PKCS11Error, ValueError), InputError, f"the {self.place} did not sign", words=with_kind
        ):
            mechanism, data = _to_sign(key.key_type, key.session.token.slot.get_mechanisms(), message)
            again = self.pin if _wants_pin_again(key) else None
            signature = bytes(key.sign(data, mechanism=mechanism, pin=again))
        return bytes(encode_ecdsa_signature(signature)) if key.key_type is KeyType.EC else signature


def _wants_pin_again(key: Any) -> bool:
    """Returns whether a key wants the PIN for each single signature; older tokens do not know the question.

    Source: PKCS #11 v3.1, private key objects, on CKA_ALWAYS_AUTHENTICATE.
    """
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
    digest = hashlib.sha256(message).digest()
    if kind is KeyType.RSA:
        whole = Mechanism.SHA256_RSA_PKCS
        return (whole, message) if whole in offered else (Mechanism.RSA_PKCS, _SHA256_DIGEST_INFO + digest)
    if kind is KeyType.EC:
        whole = Mechanism.ECDSA_SHA256
        return (whole, message) if whole in offered else (Mechanism.ECDSA, digest)
    raise ValueError("expected an RSA or ECDSA P-256 key")

"""Keys that sign: in PEM, in an archive, or behind a command."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.serialization import pkcs12

from certify.children import run_program
from certify.errors import InputError, MissingPartError, Refusing, TrustError, strerror
from certify.seal.certificates import (
    certificates_of,
    common_name,
    der,
    order_chain,
    read_certificate,
    require_path,
    require_purpose,
)
from certify.seal.signer import (
    TRIAL,
    KeyPlace,
    LocalKey,
    Signer,
    verified,
)
from certify.untrusted_input import KEY, read_bounded, read_key

COMMAND_TIMEOUT = 120.0
_MAXIMUM_SIGNATURE = 1024


@dataclass(frozen=True, slots=True)
class CommandKey:
    """Signs by running a program, without a shell.

    The program gets the 32 bytes of the SHA-256 digest on its standard input and answers with the signature
    on its standard output: RSA PKCS #1 v1.5 (the program adds the prefix that names the digest), or ECDSA in
    DER form. Of the two signatures that ECDSA allows, the one with the low s is kept. An answer that does not
    verify with the public key is refused, so that a key mixed up on the other side cannot end in a report.

    Args:
        command: Program and arguments.
        public_key: The public key that must verify the answer.
        timeout: How long it may take, in seconds.
    """

    command: tuple[str, ...]
    public_key: CertificatePublicKeyTypes
    timeout: float = COMMAND_TIMEOUT

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256.

        Raises:
            MissingPartError: The program cannot be started.
            InputError: It fails, takes too long, or answers with something else than the signature.
        """
        signature = self._run(hashlib.sha256(message).digest())
        refusal = (
            f"the answer of {self.command[0]!r} ({len(signature)} bytes) was expected to be a signature by "
            "the key of the certificate over the digest it was given"
        )
        return verified(self.public_key, signature, message, refusal)

    def _run(self, digest: bytes) -> bytes:
        """Returns what the program answers to a digest."""
        with (
            Refusing(OSError, MissingPartError, f"{self.command[0]!r} cannot be run", words=strerror),
            Refusing(
                TimeoutExpired,
                InputError,
                f"{self.command[0]!r} did not sign within {self.timeout:g} seconds",
                words=None,
            ),
        ):
            # The command is the operator's own, given as arguments and run without a shell.
            done = run_program(self.command, given=digest, timeout=self.timeout)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()[-500:]
            raise InputError(f"{self.command[0]!r} did not sign: exit {done.returncode}: {said}")
        if len(done.stdout) > _MAXIMUM_SIGNATURE:
            raise InputError(
                f"{self.command[0]!r} answered with {len(done.stdout)} bytes: expected a signature, of at most "
                f"{_MAXIMUM_SIGNATURE}"
            )
        return done.stdout


#: Where a passphrase comes from; requested only when the key is encrypted, never read from a command line.
Passphrase = Callable[[], bytes]


def load_signer(
    key: Path, cert: Path, chain: Sequence[Path] = (), passphrase: Passphrase | None = None
) -> Signer:
    """Returns the signer whose key and certificates are in PEM files.

    Args:
        key: Private key, PEM (PKCS #8 or traditional), encrypted or not.
        cert: Certificate of the key; issuers may follow it in the same file.
        chain: Files with the issuers up to the root, in any order.
        passphrase: Called for the passphrase when the key is encrypted.

    Raises:
        InputError: A file is unreadable, the key does not belong to the certificate, the certificate
            may not sign documents, the chain does not reach a root, or others may read the key.
    """
    private_key = _private_key(key, passphrase)
    certificates = certificates_of(cert)
    return signer_of(private_key, certificates[0], (*certificates[1:], *_issuers(chain)), where=str(cert))


def load_pkcs12_signer(archive: Path, passphrase: Passphrase) -> Signer:
    """Returns the signer of a PKCS #12 archive, which holds key, certificate and issuers together.

    Args:
        archive: The archive (``.p12``, ``.pfx``).
        passphrase: Called for the passphrase of the archive.

    Raises:
        InputError: The archive does not open, or what it holds cannot sign.
    """
    content = read_key(archive)
    with (
        Refusing(UnsupportedAlgorithm, InputError, str(archive)),
        Refusing(
            ValueError,
            InputError,
            f"{archive}: the passphrase does not open the PKCS #12 archive",
            words=None,
        ),
    ):
        key, certificate, issuers = pkcs12.load_key_and_certificates(content, passphrase())
    if certificate is None:
        raise InputError(f"{archive} was expected to hold a certificate with the key")
    return signer_of(_signing_key(key, archive), certificate, issuers, where=str(archive))


def command_signer(
    command: Sequence[str],
    cert: Path,
    chain: Sequence[Path] = (),
    *,
    timeout: float = COMMAND_TIMEOUT,
) -> Signer:
    """Returns a signer whose key is elsewhere: in a hardware module or a key management service.

    Args:
        command: Program and arguments; it is given the 32 bytes of a SHA-256 digest on its standard input
            and answers with the signature on its standard output.
        cert: Certificate of the key, PEM; issuers may follow it in the same file.
        chain: PEM files with the issuers up to the root, in any order.
        timeout: How long one signature may take, in seconds.

    Raises:
        MissingPartError: The program cannot be started.
        InputError: The certificate may not sign documents, the chain does not reach a root, or the program does
            not sign a message that is no report with the key of the certificate.
    """
    certificates = certificates_of(cert)
    ordered = _checked_chain(certificates[0], [*certificates[1:], *_issuers(chain)], str(cert))
    key = CommandKey(tuple(command), certificates[0].public_key(), timeout)
    key.sign(TRIAL)
    return Signer(key, certificates[0], ordered)


def pkcs11_signer(
    place: KeyPlace, pin: Passphrase, cert: Path | None = None, chain: Sequence[Path] = ()
) -> Signer:
    """Returns a signer whose key is in a PKCS #11 token, after a trial signature.

    Args:
        place: Where the key is.
        pin: Called once for the PIN of the token's user.
        cert: Certificate of the key, PEM; None where the token holds it next to the key.
        chain: PEM files with the issuers up to the root, in any order; those in the token are found there.

    Raises:
        MissingPartError: The module is missing or does not work.
        InputError: The token does not open, the key or its certificate is not in it, they do not belong
            together, or the certificate may not sign documents.
    """
    from certify.seal.pkcs11_token import Pkcs11Key, certificates_in, find_key, session_on

    refusal = f"the PIN of token {place.token!r} was expected to be UTF-8 text"
    with Refusing(UnicodeDecodeError, InputError, refusal, words=None):
        secret = pin().decode("utf-8")
    with session_on(place, secret) as session:
        own, others = certificates_in(session, find_key(session, place))
    if cert is not None:
        own = [der(certificate) for certificate in certificates_of(cert)]
        own, others = own[:1], [*own[1:], *others]
    certificate = _certificate_of(place, own)
    issuers = [*_readable(others), *_issuers(chain)]
    ordered = _checked_chain(certificate, issuers, str(cert or f"token {place.token!r}"))
    key = Pkcs11Key(place, secret, certificate.public_key())
    key.sign(TRIAL)
    return Signer(key, certificate, ordered)


def _certificate_of(place: KeyPlace, own: Sequence[bytes]) -> x509.Certificate:
    """Returns the one certificate that belongs to a key in a token."""
    if len(own) != 1:
        found = f"{len(own)} certificates belong" if own else "no certificate in the token belongs"
        raise InputError(f"{found} to the {place}: expected one, or the one to use by --cert")
    with Refusing(TrustError, InputError, f"the certificate of the {place} cannot be read"):
        return read_certificate(own[0])


def _readable(encoded: Sequence[bytes]) -> Iterator[x509.Certificate]:
    """Yields the certificates that can be read: a token may hold others that are no business of ours."""
    for each in encoded:
        with suppress(TrustError):
            yield read_certificate(each)


def passphrase_file(path: Path) -> Passphrase:
    """Returns a source that reads a passphrase from the first line of a file."""
    return lambda: read_bounded(path, KEY, pipes=True).split(b"\n", 1)[0].rstrip(b"\r")


def signer_of(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey,
    certificate: x509.Certificate,
    issuers: Sequence[x509.Certificate],
    where: str = "the certificate",
) -> Signer:
    """Returns a signer after checking that its key, purpose and chain fit together.

    Raises:
        InputError: They do not.
    """
    if key.public_key() != certificate.public_key():
        raise InputError(
            f"{where}: the certificate of {common_name(certificate)!r} does not belong to the private key"
        )
    return Signer(LocalKey(key), certificate, _checked_chain(certificate, issuers, where))


def _checked_chain(
    certificate: x509.Certificate, issuers: Sequence[x509.Certificate], where: str
) -> tuple[x509.Certificate, ...]:
    """Returns the chain of a certificate that may sign documents."""
    with Refusing(TrustError, InputError, where):
        require_purpose(certificate)
        ordered = order_chain(certificate, issuers)
        require_path((certificate, *ordered))
    return ordered


def _issuers(chain: Sequence[Path]) -> list[x509.Certificate]:
    """Returns the certificates of several files."""
    return [issuer for path in chain for issuer in certificates_of(path)]


def _private_key(path: Path, passphrase: Passphrase | None) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey:
    """Returns the private key of a PEM file."""
    content = read_key(path)
    try:
        key: object = serialization.load_pem_private_key(content, None)
    except TypeError as error:
        if passphrase is None:
            raise InputError(f"{path}: the private key is encrypted and no passphrase was given") from error
        key = _encrypted_key(path, content, passphrase())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InputError(f"{path} holds no readable PEM private key: {error}") from error
    return _signing_key(key, path)


def _signing_key(key: object, path: Path) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey:
    """Returns a private key, refusing one of a kind that not every verifier knows."""
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise InputError(
            f"{path}: expected an RSA or ECDSA P-256 key, which pdfsig and openssl can both check"
        )
    return key


def _encrypted_key(path: Path, content: bytes, passphrase: bytes) -> object:
    """Returns an encrypted private key."""
    with (
        Refusing(UnsupportedAlgorithm, InputError, str(path)),
        Refusing(
            (TypeError, ValueError),
            InputError,
            f"{path}: the passphrase does not open the private key",
            words=None,
        ),
    ):
        return serialization.load_pem_private_key(content, passphrase)

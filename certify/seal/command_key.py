"""A private key behind a command: the digest goes in, the signature comes out, the key stays where it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from subprocess import TimeoutExpired

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

from certify.children import run_program
from certify.errors import InputError, MissingPartError
from certify.seal.signer import TRIAL, require_signature, with_low_s

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
        digest = hashlib.sha256(message).digest()
        signature = self._run(digest)
        try:
            require_signature(self.public_key, signature, digest)
        except (InvalidSignature, ValueError) as error:
            raise InputError(
                f"the answer of {self.command[0]!r} ({len(signature)} bytes) was expected to be a signature by "
                "the key of the certificate over the digest it was given"
            ) from error
        return with_low_s(self.public_key, signature)

    def try_out(self) -> None:
        """Signs a message that is no report, so that a wrong key or command is found before anything is computed."""
        self.sign(TRIAL)

    def _run(self, digest: bytes) -> bytes:
        """Returns what the program answers to a digest."""
        try:
            # The command is the operator's own, given as arguments and run without a shell.
            done = run_program(self.command, given=digest, timeout=self.timeout)
        except OSError as error:
            raise MissingPartError(f"{self.command[0]!r} cannot be run: {error.strerror}") from error
        except TimeoutExpired as error:
            raise InputError(f"{self.command[0]!r} did not sign within {self.timeout:g} seconds") from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()[-500:]
            raise InputError(f"{self.command[0]!r} did not sign: exit {done.returncode}: {said}")
        if len(done.stdout) > _MAXIMUM_SIGNATURE:
            raise InputError(
                f"{self.command[0]!r} answered with {len(done.stdout)} bytes: expected a signature, of at most "
                f"{_MAXIMUM_SIGNATURE}"
            )
        return done.stdout

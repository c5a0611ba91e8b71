"""Who signs: the options, the key in a file, an archive, a token or behind a command, and who dates that."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import click
from cryptography import x509

from certify.cli.options import format_option, handed_over, new_folder_option, option, print_result
from certify.clock import SystemClock
from certify.errors import InputError, Refusing
from certify.seal import (
    Identity,
    Passphrase,
    Signer,
    certificates_of,
    command_signer,
    demonstration_signer,
    first_key,
    load_pkcs12_signer,
    load_signer,
    passphrase_file,
    pkcs11_signer,
    revocations_of,
)
from certify.seal.signer import KeyPlace
from certify.seal.stamp import http_time_stamper

#: The variable of the environment that may hold the PIN of a token.
PIN_VARIABLE = "CERTIFY_PKCS11_PIN"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Signing:
    """What the command line says about the signature."""

    key: Path | None = option(
        "Private key in PEM; without one, a pack is signed with a demonstration key, and nothing else is signed.",
        type=FILE,
    )
    pkcs12: Path | None = option("Archive (.p12) with key, certificate and issuers.", type=FILE)
    pkcs11_module: Path | None = option(
        "Library of a hardware token (PKCS #11) that holds the key.", type=click.Path(path_type=Path)
    )
    pkcs11_token: str | None = option("Label of the token.", metavar="LABEL")
    pkcs11_key_label: str | None = option("Label of the key in the token.", metavar="LABEL")
    pkcs11_key_id: str | None = option(
        "Id of the key in the token, instead of its label or with it.", metavar="HEX"
    )
    sign_command: str | None = option(
        "Command that gets a SHA-256 digest (32 bytes) on its input and answers with the signature: for "
        "key services and other devices with a tool of their own. Run without a shell.",
        metavar="COMMAND",
    )
    cert: Path | None = option("Certificate of the key in PEM; if left out, the one in the token.", type=FILE)
    chain: tuple[Path, ...] = option(
        "Issuers of the certificate up to the root, in PEM.", default=(), type=FILE
    )
    crl: tuple[Path, ...] = option(
        "Revocation lists of the issuers in PEM, to include in the pack.", default=(), type=FILE
    )
    passphrase_file: Path | None = option(
        "File whose first line is the passphrase of the key, or the PIN of the token; prompted for if left "
        f"out, and the environment variable {PIN_VARIABLE} may hold a PIN.",
        type=FILE,
    )
    tsa: str | None = option(
        "Time-stamp authority (RFC 3161) that dates the signature; without it no network is used.",
        metavar="URL",
    )
    tsa_root: Path | None = option(
        "Roots of the authority in PEM; with them and --crl the signature is made for the long term "
        "(PAdES B-LT).",
        type=FILE,
    )

    @property
    def names_any(self) -> bool:
        """Whether anything at all is stated about a signature."""
        return any(bool(getattr(self, each.name)) for each in fields(self))


def require_consistent(signing: Signing) -> None:
    """Refuses options that leave open whose key is meant."""
    sources = {
        "--key": signing.key,
        "--pkcs12": signing.pkcs12,
        "--pkcs11-module": signing.pkcs11_module,
        "--sign-command": signing.sign_command,
    }
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} name different keys: expected one of them")
    _require_whole_token(signing)
    needs_certificate = signing.key is not None or signing.sign_command is not None
    brings_certificate = needs_certificate or signing.pkcs11_module is not None
    if (needs_certificate and signing.cert is None) or (signing.cert is not None and not brings_certificate):
        raise InputError(
            "--cert belongs to --key, --pkcs11-module or --sign-command: expected both or neither"
        )
    if signing.chain and not brings_certificate:
        raise InputError("--chain belongs to --cert: an archive contains its issuers")
    if signing.passphrase_file and not (signing.key or signing.pkcs12 or signing.pkcs11_module):
        raise InputError("--passphrase-file belongs to --key, --pkcs12 or --pkcs11-module")
    if signing.crl and not given:
        raise InputError("--crl belongs to a key: a demonstration key has no lists")
    if signing.tsa_root and not signing.tsa:
        raise InputError("--tsa-root belongs to --tsa")


def _require_whole_token(signing: Signing) -> None:
    """Refuses a token that is named in part."""
    named = (signing.pkcs11_token, signing.pkcs11_key_label, signing.pkcs11_key_id)
    if signing.pkcs11_module is None:
        if named != (None, None, None):
            raise InputError("--pkcs11-token and the key in it belong to --pkcs11-module")
    elif signing.pkcs11_token is None:
        raise InputError("--pkcs11-module needs --pkcs11-token: expected the label of the token")
    elif signing.pkcs11_key_label is None and signing.pkcs11_key_id is None:
        raise InputError(
            "--pkcs11-module needs --pkcs11-key-label or --pkcs11-key-id: expected the name of the key"
        )


def signer_named(signing: Signing, moment: datetime) -> Signer:
    """Returns the signer that the options name."""
    if signing.pkcs12 is not None:
        return load_pkcs12_signer(signing.pkcs12, passphrase(signing.passphrase_file))
    if signing.key is not None and signing.cert is not None:
        return load_signer(signing.key, signing.cert, signing.chain, passphrase(signing.passphrase_file))
    if signing.pkcs11_module is not None and signing.pkcs11_token is not None:
        return _token_signer(signing, signing.pkcs11_module, signing.pkcs11_token)
    if signing.sign_command is not None and signing.cert is not None:
        return command_signer(_words(signing.sign_command), signing.cert, signing.chain)
    return demonstration_signer(moment)


def _token_signer(signing: Signing, module: Path, token: str) -> Signer:
    """Returns the signer whose key is in a token."""
    with Refusing(
        ValueError,
        InputError,
        f"--pkcs11-key-id {signing.pkcs11_key_id!r}: expected hexadecimal digits",
        words=None,
    ):
        identifier = None if signing.pkcs11_key_id is None else bytes.fromhex(signing.pkcs11_key_id)
    place = KeyPlace(module, token, signing.pkcs11_key_label, identifier)
    return pkcs11_signer(place, _pin(signing), signing.cert, signing.chain)


def _pin(signing: Signing) -> Passphrase:
    """Returns where the PIN comes from: a file, the environment or the terminal; never the command line."""
    if signing.passphrase_file is None and PIN_VARIABLE in os.environ:
        return lambda: os.environ[PIN_VARIABLE].encode()
    return passphrase(signing.passphrase_file, f"PIN of token {signing.pkcs11_token!r}")


def _words(command: str) -> list[str]:
    """Returns program and arguments of a command, split as a shell would and never run by one."""
    with Refusing(ValueError, InputError, "--sign-command cannot be taken apart"):
        words = shlex.split(command)
    if not words:
        raise InputError("--sign-command is empty: expected a program")
    return words


def passphrase(file: Path | None, asked: str = "Passphrase") -> Passphrase:
    """Returns where the passphrase comes from: a file, or the terminal; never the command line."""
    return passphrase_file(file) if file is not None else lambda: _answer(asked).encode()


def _answer(asked: str) -> str:
    """Returns what is typed unseen at a terminal, or the line that another program hands over."""
    given = sys.stdin
    if given.isatty():
        return str(click.prompt(asked, hide_input=True, err=True))
    line = given.readline()
    if not line:
        raise InputError(
            f"{asked}: expected by --passphrase-file, on the standard input, or at a terminal"
            + (f", or for a token in {PIN_VARIABLE}" if asked.startswith("PIN") else "")
        )
    return line.rstrip("\r\n")


signing_options = handed_over(Signing, "signing")
"""Adds the options of a signature, handed over together as ``signing``."""


def identify_signer(signing: Signing, moment: datetime) -> Identity:
    """Returns who signs; a demonstration signer whom nobody trusts where no key is named.

    Raises:
        InputError: The options contradict each other, or what they name cannot sign.
    """
    require_consistent(signing)
    signer = signer_named(signing, moment)
    if signing.crl:
        signer = replace(signer, revocations=tuple(revocations_of(signing.crl)))
    roots: Sequence[x509.Certificate] = ()
    timestamper = None
    if signing.tsa is not None:
        timestamper = http_time_stamper(signing.tsa)
    if signing.tsa_root is not None:
        roots = certificates_of(signing.tsa_root)
    return Identity(signer, timestamper, tuple(roots))


KEY, REQUEST, TEST_CERTIFICATE, TEST_ROOT = (
    "signer.key.pem",
    "signer.csr.pem",
    "test-signer.pem",
    "test-root.pem",
)
_TEST_PERIOD: Final = timedelta(days=90)


@click.command("new-key", epilog='Example: certify new-key --out my-key --name "Our Laboratory Reports"')
@new_folder_option
@click.option("--name", default="Report signer", show_default=True, help="Common name in the request.")
@click.option("--organization", default="", help="Organization in the request.")
@format_option
def new_key(out: Path, name: str, organization: str, output: str) -> None:
    """Write a private key, the request for its certificate, and a test certificate to begin with.

    The key is RSA with 3072 bits, drawn by OpenSSL and readable by you alone. The test certificate comes from a root
    whose key is thrown away at once: reports signed with it say on every page that nobody vouches for them.
    """
    from certify.kit.starting import write_folder

    made = first_key(name, organization, SystemClock().now(), _TEST_PERIOD)
    places = (KEY, REQUEST, TEST_CERTIFICATE, TEST_ROOT)
    write_folder(dict(zip(places, made, strict=True)), out, secret=KEY)
    key, request, certificate, root = (out / place for place in places)
    lines = (
        f"{key}: the private key, readable by you alone (mode 0600); it never leaves your hands",
        f"{request}: the request: send it to your PKI or to a certificate authority for documents",
        f"{certificate}, {root}: TEST ONLY, for {_TEST_PERIOD.days} days; replace them by the certificate you get",
        f"next: certify run GAME.toml --out PACK --key {key} --cert {certificate} --chain {root}",
        f"then: certify verify PACK --trust {root}",
    )
    print_result(output, {"folder": str(out), "files": list(places), "test": list(places[2:])}, lines)

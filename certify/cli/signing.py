"""Options that say who signs: a key in a file, an archive, or behind a command, and who dates the signature."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from certify.errors import InputError

if TYPE_CHECKING:
    from cryptography import x509
    from pyhanko.sign.timestamps import TimeStamper

    from certify.seal.keys import Passphrase
    from certify.seal.signer import Signer

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Signing:
    """What the command line says about the signature.

    Args:
        key: Private key in PEM.
        pkcs12: Archive with key, certificate and issuers.
        sign_command: Command that signs a digest.
        cert: Certificate of the key in PEM.
        chain: Issuers of the certificate in PEM.
        crl: Revocation lists of the issuers in PEM.
        passphrase_file: File whose first line is the passphrase.
        tsa: Address of a time-stamp authority.
        tsa_root: Roots of that authority in PEM.
    """

    key: Path | None
    pkcs12: Path | None
    sign_command: str | None
    cert: Path | None
    chain: tuple[Path, ...]
    crl: tuple[Path, ...]
    passphrase_file: Path | None
    tsa: str | None
    tsa_root: Path | None


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs, and who dates the signature, if anyone.

    Args:
        signer: Who signs.
        timestamper: Asks the time-stamp authority; None where none was named, and nothing uses a network.
        stamp_roots: Roots of that authority.
    """

    signer: Signer
    timestamper: TimeStamper | None
    stamp_roots: tuple[x509.Certificate, ...]

    @property
    def demonstration(self) -> bool:
        """Whether nobody vouches for the signature."""
        return self.signer.demonstration


_OPTIONS = (
    click.option("--key", type=FILE, help="Private key in PEM; a demonstration key is made if left out."),
    click.option("--pkcs12", type=FILE, help="Archive (.p12) with key, certificate and issuers."),
    click.option(
        "--sign-command",
        metavar="COMMAND",
        help="Command that gets a SHA-256 digest (32 bytes) on its input and answers with the signature: for "
        "hardware modules and key services. Run without a shell.",
    ),
    click.option("--cert", type=FILE, help="Certificate of the key in PEM."),
    click.option(
        "--chain", type=FILE, multiple=True, help="Issuers of the certificate up to the root, in PEM."
    ),
    click.option(
        "--crl",
        type=FILE,
        multiple=True,
        help="Revocation lists of the issuers in PEM, to travel in the pack.",
    ),
    click.option(
        "--passphrase-file",
        type=FILE,
        help="File whose first line is the passphrase of the key; asked for if left out.",
    ),
    click.option(
        "--tsa",
        metavar="URL",
        help="Time-stamp authority (RFC 3161) that dates the signature; without it no network is used.",
    ),
    click.option(
        "--tsa-root",
        type=FILE,
        help="Roots of the authority in PEM; with them and --crl the signature is made for the long term "
        "(PAdES B-LT).",
    ),
)


def signing_options(command: Command) -> Command:
    """Adds the options of a signature, handed over together as ``signing``."""

    @functools.wraps(command)
    def gathered(*arguments: Any, **options: Any) -> Any:
        chosen = Signing(**{each.name: options.pop(each.name) for each in fields(Signing)})
        return command(*arguments, signing=chosen, **options)

    wrapped: Any = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def identify_signer(signing: Signing, moment: datetime) -> Identity:
    """Returns who signs; a demonstration signer whom nobody trusts where no key is named.

    Raises:
        InputError: The options contradict each other, or what they name cannot sign.
    """
    _require_consistent(signing)
    signer = _signer(signing, moment)
    if signing.crl:
        signer = replace(signer, revocations=_revocations(signing.crl))
    roots: Sequence[x509.Certificate] = ()
    timestamper = None
    if signing.tsa is not None:
        from certify.seal.time_stamp import http_time_stamper

        timestamper = http_time_stamper(signing.tsa)
    if signing.tsa_root is not None:
        from certify.seal.certificates import read_certificates

        roots = read_certificates(signing.tsa_root.read_bytes(), str(signing.tsa_root))
    return Identity(signer, timestamper, tuple(roots))


def _require_consistent(signing: Signing) -> None:
    """Refuses options that leave open whose key is meant."""
    sources = {"--key": signing.key, "--pkcs12": signing.pkcs12, "--sign-command": signing.sign_command}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} name different keys: expected one of them")
    needs_certificate = signing.key is not None or signing.sign_command is not None
    if needs_certificate != (signing.cert is not None):
        raise InputError("--cert belongs to --key or --sign-command: expected both or neither")
    if signing.chain and not needs_certificate:
        raise InputError("--chain belongs to --cert: an archive brings its issuers itself")
    if signing.passphrase_file and not (signing.key or signing.pkcs12):
        raise InputError("--passphrase-file belongs to --key or --pkcs12")
    if signing.crl and not given:
        raise InputError("--crl belongs to a key: a demonstration key has no lists")
    if signing.tsa_root and not signing.tsa:
        raise InputError("--tsa-root belongs to --tsa")


def _signer(signing: Signing, moment: datetime) -> Signer:
    """Returns the signer that the options name."""
    from certify.seal.keys import command_signer, demonstration_signer, load_pkcs12_signer, load_signer

    if signing.pkcs12 is not None:
        return load_pkcs12_signer(signing.pkcs12, _passphrase(signing))
    if signing.key is not None and signing.cert is not None:
        return load_signer(signing.key, signing.cert, signing.chain, _passphrase(signing))
    if signing.sign_command is not None and signing.cert is not None:
        return command_signer(_words(signing.sign_command), signing.cert, signing.chain)
    return demonstration_signer(moment)


def _words(command: str) -> list[str]:
    """Returns program and arguments of a command, split as a shell would and never run by one."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--sign-command cannot be taken apart: {error}") from error
    if not words:
        raise InputError("--sign-command is empty: expected a program")
    return words


def _passphrase(signing: Signing) -> Passphrase:
    """Returns where the passphrase comes from: a file, or the terminal; never the command line."""
    from certify.seal.keys import passphrase_file

    if signing.passphrase_file is not None:
        return passphrase_file(signing.passphrase_file)
    return lambda: str(click.prompt("Passphrase", hide_input=True, err=True)).encode()


def _revocations(paths: Sequence[Path]) -> tuple[x509.CertificateRevocationList, ...]:
    """Returns the revocation lists of several files."""
    from certify.seal.revocation import read_revocations

    return tuple(entry for path in paths for entry in read_revocations(path.read_bytes(), str(path)))

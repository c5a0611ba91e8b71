"""Options that say who signs: a key in a file, an archive, a token or behind a command, and who dates that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.cli.options import handed_over
from certify.cli.signing_key import PIN_VARIABLE, Signing, require_consistent, signer_named
from certify.issue.make import Identity

if TYPE_CHECKING:
    from cryptography import x509

__all__ = ["Signing", "identify_signer", "signing_options"]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


_OPTIONS = (
    click.option(
        "--key",
        type=FILE,
        help="Private key in PEM; with no key named a pack is signed by a demonstration key, a page of tests by none.",
    ),
    click.option("--pkcs12", type=FILE, help="Archive (.p12) with key, certificate and issuers."),
    click.option(
        "--pkcs11-module",
        type=click.Path(path_type=Path),
        help="Library of a hardware token (PKCS #11) that holds the key.",
    ),
    click.option("--pkcs11-token", metavar="LABEL", help="Label of the token."),
    click.option("--pkcs11-key-label", metavar="LABEL", help="Label of the key in the token."),
    click.option(
        "--pkcs11-key-id", metavar="HEX", help="Id of the key in the token, instead of its label or with it."
    ),
    click.option(
        "--sign-command",
        metavar="COMMAND",
        help="Command that gets a SHA-256 digest (32 bytes) on its input and answers with the signature: for "
        "key services and whatever else has a tool of its own. Run without a shell.",
    ),
    click.option(
        "--cert", type=FILE, help="Certificate of the key in PEM; a token's own is taken if left out."
    ),
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
        help="File whose first line is the passphrase of the key, or the PIN of the token; asked for if left "
        f"out, and a PIN may stand in the environment as {PIN_VARIABLE}.",
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


signing_options = handed_over(Signing, "signing", _OPTIONS)
"""Adds the options of a signature, handed over together as ``signing``."""


def identify_signer(signing: Signing, moment: datetime) -> Identity:
    """Returns who signs; a demonstration signer whom nobody trusts where no key is named.

    Raises:
        InputError: The options contradict each other, or what they name cannot sign.
    """
    require_consistent(signing)
    signer = signer_named(signing, moment)
    if signing.crl:
        from certify.seal.revocation import revocations_of

        signer = replace(signer, revocations=tuple(revocations_of(signing.crl)))
    roots: Sequence[x509.Certificate] = ()
    timestamper = None
    if signing.tsa is not None:
        from certify.seal.time_stamp import http_time_stamper

        timestamper = http_time_stamper(signing.tsa)
    if signing.tsa_root is not None:
        from certify.seal.certificates import certificates_of

        roots = certificates_of(signing.tsa_root)
    return Identity(signer, timestamper, tuple(roots))

"""``certify register``: which reports were issued, revoked or replaced."""

from datetime import datetime
from pathlib import Path

import click

from certify.characters import shown
from certify.cli.options import format_option, print_result
from certify.cli.signing import Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.errors import InputError, Refusing, TrustError
from certify.evidence import plain
from certify.seal import Signer, layout, read_certificates
from certify.seal.register import Act, RegisterEntry, append, moment_of, read_register, require_same_signer
from certify.seal.verify import verify


@click.command(
    epilog="Example: certify register issued --issue PACK --key key.pem --cert cert.pem --chain ca.pem"
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--issue",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PACK",
    help="Enter a pack.",
)
@click.option("--revoke", metavar="NUMBER", help="Revoke a report that was issued.")
@click.option(
    "--replace", metavar="NUMBER", help="Say that a report is replaced by another one that was issued."
)
@click.option("--by", metavar="NUMBER", help="The report that replaces it.")
@click.option("--reason", metavar="TEXT", help="Why it is revoked or replaced.")
@format_option
@signing_options
def register(
    folder: Path,
    issue: Path | None,
    revoke: str | None,
    replace: str | None,
    by: str | None,
    reason: str | None,
    output: str,
    signing: Signing,
) -> None:
    """List the register in FOLDER, or add one signed entry to it: entries are never changed."""
    named = [one for one in (issue, revoke, replace) if one is not None]
    if (
        len(named) > 1
        or (replace is None) != (by is None)
        or (reason is None) != (revoke is None and replace is None)
    ):
        raise InputError(
            "expected --issue PACK, or --revoke NUMBER --reason TEXT, or --replace NUMBER --by NUMBER --reason TEXT"
        )
    now = SystemClock().now()
    with Refusing(TrustError, InputError):
        if not named:
            if signing.names_any:
                raise InputError("a key signs an entry: expected --issue, --revoke or --replace")
            found = read_register(folder, now)
        else:
            signer = identify_signer(signing, now).signer
            if signer.demonstration:
                raise InputError("an entry is signed by the issuer: expected a key, such as --key and --cert")
            if issue is not None:
                entry = _issued(issue, now, signer)
            elif replace is not None:
                entry = RegisterEntry(Act.REPLACED, replace, moment_of(now), by=by, reason=reason)
            else:
                entry = RegisterEntry(Act.REVOKED, revoke or "", moment_of(now), reason=reason)
            found = append(folder, entry, signer, now)
    lines = (
        f"{one.recorded}  {one.act:8}  {one.number}  {f'by {one.by} ' if one.by else ''}{one.reason or ''}"
        for one in found.entries
    )
    counted = f"{len(found.entries)} entries, head {found.head or 'none'}"
    document = {"entries": plain(found.entries), "head": found.head}
    print_result(output, document, (*(shown(line.rstrip()) for line in lines), counted))


def _issued(pack: Path, now: datetime, signer: Signer) -> RegisterEntry:
    """Returns the entry of a pack, which must verify and be signed by the signer of the entry."""
    found = verify(pack, None, now)
    found.require()
    own = found.verified
    if own is None:
        raise InputError(f"{pack}: expected a pack whose signature can be read")
    chain = read_certificates(own.certificates.encode("ascii"), "the issuer's chain")
    require_same_signer(chain, (signer.certificate, *signer.chain))
    return RegisterEntry(
        Act.ISSUED, own.number, moment_of(now), report=own.digests[layout.REPORT], certificate=own.certificate
    )

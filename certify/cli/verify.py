"""``certify verify``: is a pack what was signed, and by whom?"""

import re
from pathlib import Path

import click

from certify.characters import shown
from certify.cli.failures import Exit
from certify.cli.options import Progress, format_option, next_step, print_json
from certify.cli.signing import FILE, passphrase
from certify.clock import SystemClock
from certify.errors import InputError
from certify.seal import Level, Signer, certificates_of, keys, revocations_of
from certify.seal.confined import confined_verification
from certify.seal.countersigned import with_attestors, write_summary
from certify.seal.layout import EVENT
from certify.seal.register import with_register

_LEVELS = {"rerun": Level.FIGURES, "replay": Level.RUN}


def _required(_ctx: click.Context, _option: click.Parameter, told: str | None) -> tuple[int, Level] | None:
    """Returns how many attestors are required, and how far they must have verified: ``2`` or ``1:replay``."""
    if told is None:
        return None
    parts = re.fullmatch("([1-9][0-9]?)(?::(rerun|replay))?", told, re.ASCII)
    if parts is None:
        raise click.BadParameter(f"{told!r}: expected 1 to 99, alone or with a level as in 1:replay")
    return int(parts[1]), _LEVELS[parts[2] or "rerun"]


def _allowed(_ctx: click.Context, _option: click.Parameter, stated: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the families that may compute a pack made with other code of them, each with its digest."""
    for text in stated:
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,99}@[0-9a-f]{64}", text):
            raise InputError(
                f'--allow-family "{text}": expected the name of a family or package, @, and the SHA-256 of its sources '
                "in 64 hexadecimal digits, as `certify families` prints it"
            )
    return stated


@click.command(epilog="Example: certify verify build/pack --trust root.pem --rerun")
@click.argument("pack", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--trust", type=FILE, help="Root certificates that you trust, in PEM, obtained separately from the pack."
)
@click.option(
    "--crl", "revocations", type=FILE, multiple=True, help="Revocation lists newer than those of the pack."
)
@click.option(
    "--rerun",
    is_flag=True,
    help="Compute exact figures, conclusions, recorded rounds and pages again and compare.",
)
@click.option(
    "--replay",
    is_flag=True,
    help="Repeat the whole run too, campaigns and tests included, and compare; takes as long as the run did.",
)
@click.option(
    "--trust-tsa", type=FILE, help="Root certificates of time-stamp authorities that you trust, in PEM."
)
@click.option(
    "--allow-family",
    "allowed",
    multiple=True,
    callback=_allowed,
    metavar="NAME@DIGEST",
    help="An installed family that may compute a pack made with other code of it; see `certify families`.",
)
@click.option(
    "--attest",
    type=FILE,
    metavar="KEY",
    help="Sign a summary of this verification, next to the pack: a PEM file with key, certificate and issuers, or a "
    "PKCS #12 archive.",
)
@click.option("--passphrase-file", type=FILE, help="File whose first line is the passphrase of KEY.")
@click.option(
    "--require",
    callback=_required,
    metavar="N[:LEVEL]",
    help="Independent verifiers (by key and trusted root) whose summaries must be in the folder of the pack; LEVEL is "
    "the least that they must have done: rerun (the default) or replay.",
)
@click.option(
    "--register",
    "registered",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Register of the issuer, which must list the report as neither revoked nor replaced.",
)
@click.option(
    "--register-head",
    "head",
    metavar="SHA256",
    help="Digest of an entry as the issuer published it: the register must contain it.",
)
@click.option(
    "--log",
    "logs",
    type=FILE,
    multiple=True,
    metavar="LOG",
    help="A log of an event of `certify watch`; given all of them, totals and rows at fault are counted again.",
)
@format_option
def verify(
    pack: Path,
    trust: Path | None,
    revocations: tuple[Path, ...],
    rerun: bool,
    replay: bool,
    trust_tsa: Path | None,
    allowed: tuple[str, ...],
    attest: Path | None,
    passphrase_file: Path | None,
    require: tuple[int, Level] | None,
    registered: Path | None,
    head: str | None,
    logs: tuple[Path, ...],
    output: str,
) -> int:
    """Verify PACK, a folder or a report alone: signature, trust, digests, attestation.

    PACK may also be an event of `certify watch`, which is always replayed.
    """
    if require is not None and trust is None:
        raise InputError("--require counts attestors by the roots that you trust: expected --trust")
    if attest is not None and (trust is None or not (rerun or replay)):
        raise InputError(
            "--attest vouches for what was computed again: expected --trust, and --rerun or --replay"
        )
    if head is not None and (registered is None or not re.fullmatch("[0-9a-f]{64}", head)):
        raise InputError(
            "--register-head names an entry of --register: expected both, and 64 hexadecimal digits in lower case"
        )
    if logs and not (pack / EVENT).is_file():
        raise InputError("--log names logs of an event of `certify watch`: PACK is none")
    attestor = _attestor(attest, passphrase_file) if attest is not None else None
    moment = SystemClock().now()
    lists = revocations_of(revocations if require is not None or registered is not None else ())
    if of_event := (pack / EVENT).is_file():
        from certify.live.event import verify_event

        report = verify_event(pack, trust, moment, revocations, logs)
    elif rerun or replay:
        # What computes again takes two seconds to load.
        from certify.issue.verification import verify_pack

        report = verify_pack(
            pack,
            trust,
            moment,
            Progress(quiet=output == "json"),
            rerun=rerun,
            replay=replay,
            revocations=revocations,
            allowed=allowed,
            trust_tsa=trust_tsa,
        )
    else:
        report = confined_verification(pack, trust, moment, revocations, trust_tsa)
    if require is not None and trust is not None:
        report = with_attestors(report, pack, require[0], certificates_of(trust), lists, moment, require[1])
    if registered is not None:
        report = with_register(
            report, registered, certificates_of(trust) if trust is not None else None, lists, moment, head
        )
    if attestor is not None and report.holds:
        written = write_summary(pack, report, attestor, moment)
        click.echo(f"attested: {written}", err=True)
    if output == "json":
        print_json(report.to_json())
    else:
        for line in report.lines():
            # What a pack says may be a stranger's: nothing in it is obeyed by a terminal.
            click.echo(shown(line))
        if not (rerun or replay or of_event):
            next_step(output, "certify verify --rerun", *(("--trust", trust) if trust else ()), pack)
    if report.failures or not report.steps:
        return int(Exit.FINDINGS)
    return int(Exit.INCONCLUSIVE if report.undecided else Exit.SATISFIED)


def _attestor(key: Path, file: Path | None) -> Signer:
    """Returns who attests, from one file with key, certificate and issuers."""
    told = passphrase(file, f"Passphrase of {key}")
    if key.suffix in (".p12", ".pfx"):
        return keys.load_pkcs12_signer(key, told)
    return keys.load_signer(key, key, (), told)

"""``certify verify``: is a pack what was signed, and by whom?"""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.exits import Exit
from certify.cli.options import Progress, format_option, print_json
from certify.clock import SystemClock

PEM = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog="Example: certify verify build/pack --trust root.pem --rerun")
@click.argument("pack", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--trust", type=PEM, help="Root certificates that you trust, in PEM, got from elsewhere than the pack."
)
@click.option(
    "--crl", "revocations", type=PEM, multiple=True, help="Revocation lists newer than those of the pack."
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
@format_option
def verify(
    pack: Path, trust: Path | None, revocations: tuple[Path, ...], rerun: bool, replay: bool, output: str
) -> int:
    """Verify PACK, a folder or a report alone: signature, trust, digests, attestation."""
    from certify.issue.verification import verify_pack

    report = verify_pack(
        pack,
        trust,
        SystemClock().now(),
        Progress(quiet=output == "json"),
        rerun=rerun,
        replay=replay,
        revocations=revocations,
    )
    if output == "json":
        print_json(report.to_json())
    else:
        for line in report.lines():
            click.echo(line)
    return int(Exit.SATISFIED if report.holds else Exit.FINDINGS)

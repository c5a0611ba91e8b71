"""``certify new-family``: a package of one's own that certifies as it stands."""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.exits import Exit
from certify.cli.options import format_option, new_folder_option, print_json


@click.command("new-family", epilog="Example: certify new-family lucky-wheel --out ../lucky-wheel")
@click.argument("name")
@new_folder_option
@format_option
def new_family(name: str, out: Path, output: str) -> int:
    """Write the package of a family NAME: rules, reference round, play-through, a game, tests and CI.

    It is a small game of five dice that certifies as it stands; change it, file by file, into your own.
    """
    from certify.kit.package import write_package

    files = write_package(name, out)
    if output == "json":
        print_json({"family": name, "folder": str(out), "files": list(files)})
    else:
        for file in files:
            click.echo(out / file)
        click.echo(f"next: pip install -e {out} && certify check-family {out}")
    return int(Exit.SATISFIED)

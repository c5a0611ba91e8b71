"""``certify lint``: read submissions, policies and approvals, and say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.exits import Exit
from certify.cli.options import format_option, print_json
from certify.errors import NothingCheckedError


@click.command(epilog="Example: certify lint games/")
@click.argument("paths", metavar="[FILE|FOLDER]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--allow-none",
    is_flag=True,
    help="Nothing to read is fine: for hooks that are given whatever files changed.",
)
@format_option
def lint(paths: tuple[Path, ...], allow_none: bool, output: str) -> int:
    """Read submissions, policies and approvals among the given files, or below the working directory.

    Every mistake is printed as file:line: message. No figure is counted: it takes a fraction of a second.
    """
    from certify.gate.lint import lint_paths

    found = lint_paths(paths or (Path(),))
    if not found.read and not allow_none:
        raise NothingCheckedError(
            "no submission, policy or approvals among the given files: nothing was checked"
        )
    if output == "json":
        mistakes = [
            {"path": mistake.path, "line": mistake.line, "message": mistake.message}
            for mistake in found.mistakes
        ]
        print_json({"read": list(found.read), "mistakes": mistakes})
    else:
        for mistake in found.mistakes:
            click.echo(str(mistake))
        click.echo(f"{len(found.read)} files read, {len(found.mistakes)} mistakes", err=True)
    return int(Exit.WRONG_INPUT if found.mistakes else Exit.SATISFIED)

"""``certify lint``: read submissions, policies and approvals, and say what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from certify.cli.failures import Exit
from certify.cli.options import format_option, print_json
from certify.errors import NothingCheckedError, Problem


@click.command(epilog="Example: certify lint games/")
@click.argument("paths", metavar="[FILE|FOLDER]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--allow-none",
    is_flag=True,
    help="Nothing to read is fine: for hooks that are given whatever files changed.",
)
@click.option("--strict", is_flag=True, help="Remarks are findings too: exit code 1 where there is one.")
@format_option
def lint(paths: tuple[Path, ...], allow_none: bool, strict: bool, output: str) -> int:
    """Read submissions, policies and approvals among the given files, or below the working directory.

    Every mistake is printed as file:line: message. A remark, such as a wager without a printed return, is printed
    alike but is no mistake: a source may print none. No figure is counted: it takes a fraction of a second.
    """
    from certify.gate.lint import lint_paths

    found = lint_paths(paths or (Path(),))
    if not found.read and not allow_none:
        raise NothingCheckedError(
            "no submission, policy or approvals among the given files: nothing was checked"
        )
    if output == "json":
        print_json(
            {
                "read": list(found.read),
                "mistakes": [_document(problem) for problem in found.mistakes],
                "remarks": [_document(problem) for problem in found.remarks],
            }
        )
    else:
        for mistake in found.mistakes:
            click.echo(str(mistake))
        for remark in found.remarks:
            click.echo(str(replace(remark, message=f"remark: {remark.message}")))
        parts = {"file": found.read, "mistake": found.mistakes, "remark": found.remarks}
        read, mistakes, remarks = (
            f"{len(part)} {name}{'' if len(part) == 1 else 's'}" for name, part in parts.items()
        )
        click.echo(f"{read} read, {mistakes}, {remarks}", err=True)
    if found.mistakes:
        return int(Exit.WRONG_INPUT)
    return int(Exit.FINDINGS if strict and found.remarks else Exit.SATISFIED)


def _document(problem: Problem) -> dict[str, str | int]:
    return {"path": problem.path, "line": problem.line, "message": problem.message}

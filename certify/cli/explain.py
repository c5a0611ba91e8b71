"""``certify explain``: what a kind of change means, why it matters and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from certify.cli.failures import Exit
from certify.cli.options import format_option, print_json
from certify.untrusted_input import JsonObject

if TYPE_CHECKING:
    from certify.gate.change import ChangeKind


@click.command(epilog="Example: certify explain return-changed")
@click.argument("change_id", metavar="[ID]", required=False)
@format_option
def explain(change_id: str | None, output: str) -> int:
    """Explain the kind of change ID of certify gate, or list all kinds."""
    from certify.gate.change import kind, kinds

    chosen = [kind(change_id)] if change_id else list(kinds().values())
    if output == "json":
        documents = [_document(entry) for entry in chosen]
        print_json(documents[0] if change_id else {"kinds": documents})
    elif change_id:
        click.echo(_text(chosen[0]))
    else:
        for entry in chosen:
            click.echo(f"{entry.id:24} {entry.severity.name.lower():8} {entry.title}")
    return int(Exit.SATISFIED)


def _text(entry: ChangeKind) -> str:
    """Returns the explanation of one kind."""
    raised = "none" if entry.bump == 0 else entry.bump.name.lower()
    fixed = ", which no policy can change" if entry.fixed else ""
    return "\n".join(
        (
            f"{entry.id}: {entry.title}.",
            f"  severity   {entry.severity.name.lower()}{fixed}",
            f"  version    {raised}",
            f"  asked by   {entry.clause}",
            "",
            click.wrap_text(entry.why, 100),
            click.wrap_text(entry.remedy, 100),
        )
    )


def _document(entry: ChangeKind) -> JsonObject:
    return {
        "id": entry.id,
        "title": entry.title,
        "severity": entry.severity.name.lower(),
        "severity_fixed": entry.fixed,
        "version": entry.bump.name.lower(),
        "clause": entry.clause,
        "why": entry.why,
        "remedy": entry.remedy,
    }

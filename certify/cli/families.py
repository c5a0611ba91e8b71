"""``certify families``: which families of games are at hand, and what each of them brings."""

from __future__ import annotations

import click

from certify.cli.exits import Exit
from certify.cli.options import format_option, print_json


@click.command(epilog="Example: certify families --format json")
@format_option
def families(output: str) -> int:
    """List the families built in and installed: id, version, where from, and what each brings of the port.

    What a family does not bring is done by the general code, from its reference round.
    """
    from certify.families.registry import families as at_hand
    from certify.kit.run import brought

    found = [
        {
            "id": family.id,
            "version": family.version,
            "title": family.title,
            "from": family.package,
            "brings": list(brought(family)),
        }
        for family in at_hand().values()
    ]
    if output == "json":
        print_json({"families": found})
    else:
        for one in found:
            click.echo(f"{one['id']} {one['version']} ({one['from']}): {one['title']}")
            click.echo(f"  brings: {', '.join(one['brings'])}")
    return int(Exit.SATISFIED)

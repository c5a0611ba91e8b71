"""``certify families``: which families of games are at hand, and what one of them takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, format_option, print_json
from certify.outside import Document


@click.command(
    epilog="Examples: certify families --format json; certify families NAME; "
    "certify families ./my-family --game games/game.toml"
)
@click.argument("name", metavar="[NAME_OR_PATH]", required=False)
@click.option(
    "--game", "games", type=GAME, multiple=True, help="Submission whose rows and strategies are told."
)
@format_option
def families(name: str | None, games: tuple[Path, ...], output: str) -> int:
    """List the families built in and installed: id, version, where from, and what each brings of the port.

    With NAME, or the folder of a package: its rules with the values they take, its wagers and tables, and of every
    submission at hand, or of those that --game names, rows and strategies. What a family does not bring is done by
    the general code, from its reference round.
    """
    if name is not None:
        return _one(name, games, output)
    if games:
        raise click.UsageError("--game tells of one family: expected its NAME")
    from certify.executors.packages import offers
    from certify.families.registry import families as at_hand
    from certify.families.registry import known_families
    from certify.kit.run import brought

    brought_by = at_hand()
    digests = {offer.family: offer.sha256 for offer in offers()}
    found: list[Document] = [
        {
            "id": family.id,
            "version": family.version,
            "title": family.title,
            "from": family.package,
            "sha256": digests.get(family.id),
            "brings": list(brought(family)),
        }
        for family in (brought_by[one] for one in known_families())
    ]
    if output == "json":
        print_json({"families": found})
    else:
        for one in found:
            click.echo(f"{one['id']} {one['version']} ({one['from']}): {one['title']}")
            if one["sha256"]:
                click.echo(f"  SHA-256 of its sources: {one['sha256']}")
            click.echo(f"  brings: {', '.join(one['brings'])}")
        click.echo("certify families NAME: rules with their values, rows, wagers, strategies")
    return int(Exit.SATISFIED)


def _one(name: str, games: tuple[Path, ...], output: str) -> int:
    """Prints one family."""
    from certify.kit.described import described
    from certify.kit.located import located

    with located(name, games) as found:
        document = described(found.family, found.games)
    if output == "json":
        print_json(document)
    else:
        for line in _lines(document):
            click.echo(line)
    return int(Exit.SATISFIED)


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"{document['id']} {document['version']} ({document['from']}): {document['title']}"
    yield f"brings: {', '.join(document['brings'])}"
    yield f"banked by: {' or '.join(document['bankers'])}"
    yield f"wagers: {', '.join(document['wagers']) or 'as the submission names them'}"
    yield f"rules{'' if document['rules'] else ': none'}"
    for rule in document["rules"]:
        otherwise = f"; {rule['otherwise']} where nothing is stated" if rule["otherwise"] else ""
        yield f"  {rule['id']}: {rule['values']}{otherwise}"
    for table in document["tables"]:
        name = f"[[{table['table']}]]" if table["many"] else f"[{table['table']}]"
        yield f"table {name}{', required' if table['required'] else ''}: {', '.join(table['keys'])}"
    for game in document["games"]:
        yield f"{game['game']} ({game['file']})"
        for wager, rows in game["wagers"].items():
            lost = [row for row in rows["reached"] if row not in rows["paid"]]
            loses = f"; without a pay: {', '.join(lost)}" if lost else ""
            yield f"  {wager}: pays {', '.join(rows['paid']) or 'no row'}{loses}"
        yield f"  strategies: {', '.join(game['strategies'])}"
        if game["banks"]:
            yield f"  banks: {', '.join(game['banks'])}"
    if not document["games"]:
        yield "rows and strategies: name a submission with --game"

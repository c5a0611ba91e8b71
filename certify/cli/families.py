"""Commands of families: those installed, the check of one, submissions and packages to begin with."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from certify.cli.failures import exit_by
from certify.cli.options import (
    GAME,
    Progress,
    drawn_seed,
    format_option,
    given_seed_option,
    new_folder_option,
    print_json,
    print_result,
)
from certify.executors import offers
from certify.families import families as at_hand, known_families
from certify.kit.check import EVERY_LEG, KitReport, brought
from certify.untrusted_input import Document, JsonObject


@click.command(
    epilog="Examples: certify families --format json; certify families NAME; "
    "certify families ./my-family --game games/game.toml"
)
@click.argument("name", metavar="[NAME_OR_PATH]", required=False)
@click.option(
    "--game", "games", type=GAME, multiple=True, help="Submission whose rows and strategies are listed."
)
@format_option
def families(name: str | None, games: tuple[Path, ...], output: str) -> None:
    """List the families built in and installed: id, version, origin, and what each contains.

    With NAME, or the folder of a package: its rules with their values, its wagers and tables, and the rows and
    strategies of every submission found, or of those that --game names. The general code supplies what a family does
    not contain, from its reference implementation.
    """
    if name is not None:
        _one(name, games, output)
        return
    if games:
        raise click.UsageError("--game needs one family: expected its NAME")
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
    lines = [line for one in found for line in _short_lines(one)]
    more = "certify families NAME: rules with their values, rows, wagers, strategies"
    print_result(output, {"families": found}, [*lines, more])


def _short_lines(one: Mapping[str, Any]) -> Iterator[str]:
    yield f"{one['id']} {one['version']} ({one['from']}): {one['title']}"
    if one["sha256"]:
        yield f"  SHA-256 of its sources: {one['sha256']}"
    yield f"  has: {', '.join(one['brings'])}"


def _one(name: str, games: tuple[Path, ...], output: str) -> None:
    """Prints one family."""
    from certify.kit.code import located
    from certify.kit.starting import described

    with located(name, games) as found:
        document = described(found.family, found.games)
    print_result(output, document, _lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"{document['id']} {document['version']} ({document['from']}): {document['title']}",
        f"has: {', '.join(document['brings'])}",
        f"banked by: {' or '.join(document['bankers'])}",
        f"wagers: {', '.join(document['wagers']) or 'as the submission names them'}",
        f"rules{'' if document['rules'] else ': none'}",
    )
    for rule in document["rules"]:
        otherwise = f"{rule['otherwise'] or 'none'} where nothing is stated"
        yield f"  {rule['id']}: {rule['values']}; {'required' if rule['required'] else otherwise}"
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


@click.command(
    "check-family",
    epilog="Examples: certify check-family ./my-family; certify check-family wheel --game wheel.toml",
)
@click.argument("name", metavar="NAME_OR_PATH")
@click.option("--game", "games", type=GAME, multiple=True, help="Submission to test it on; may be repeated.")
@click.option(
    "--rounds",
    type=click.IntRange(20, 100_000),
    default=400,
    show_default=True,
    help="Random draws of each game.",
)
@given_seed_option
@format_option
def check_family(name: str, games: tuple[Path, ...], rounds: int, seed: bytes | None, output: str) -> int:
    """Test the family NAME, or the package in the folder PATH, against every requirement of a family.

    Its implementations must agree on every path and on random draws. Rows must be reached or proven unreachable,
    metamorphic laws must hold, records must be restored, and nothing may depend on the environment. Every fault that
    is planted in pays, rules and settlement must be noticed. This runs the family's code: read it first.

    Exit codes: 0 every requirement is met; 1 one is not, or the certificate would be conditional;
    2 no such family; 4 something could not be proven; 5 there is no game to test it on.
    """
    from certify.kit.code import MOST_ROWS, located
    from certify.kit.run import check_family as check

    progress = Progress(quiet=output == "json")
    with located(name, games) as found:
        report: KitReport = check(
            found.family,
            found.games,
            drawn_seed(seed),
            unread=found.unread,
            rounds=rounds,
            announce=progress.step,
        )
    if output == "json":
        print_json(report_json(report) | {"not_tried": list(found.wide)})
    else:
        _print(report)
        if found.wide:
            click.echo(
                f"not tested, as they have more than {MOST_ROWS} paid rows: {', '.join(found.wide)}; "
                "name one with --game"
            )
    return exit_by([report.verdict])


def report_json(report: KitReport) -> JsonObject:
    """Returns everything that the kit found, as scripts read it."""
    return {
        "family": report.family,
        "version": report.version,
        "from": report.package,
        "verdict": report.verdict.value,
        "games": list(report.games),
        "brings": list(report.brings),
        "missing": [
            {"part": one.part, "instead": one.then, "cost": one.cost, "condition": one.condition}
            for one in report.missing
        ],
        "laws": [
            {
                "law": one.law,
                "title": one.title,
                "game": one.game or None,
                "verdict": one.verdict.value,
                "detail": one.detail,
                "cost": one.cost,
            }
            for one in report.checked
        ],
        "faults": {
            "planted": len(report.planted),
            "noticed": sum(one.noticed for one in report.planted),
            "not_shown": [{"game": one.game, "alteration": one.alteration} for one in report.dead],
            "changing_nothing": [{"game": one.game, "alteration": one.alteration} for one in report.idle],
            "unnoticed": [
                {"game": one.game, "leg": one.leg, "alteration": one.alteration} for one in report.unnoticed
            ],
        },
    }


def _print(report: KitReport) -> None:
    click.echo(f"{report.family} {report.version} ({report.package}): {', '.join(report.games)}")
    for one in report.checked:
        about = f" [{one.game}]" if one.game else ""
        click.echo(f"{one.verdict.value:>14}  {one.title}{about}")
        click.echo(f"{'':14}  {one.detail}")
        if one.cost:
            click.echo(f"{'':14}  cost: {one.cost}")
    noticed = sum(one.noticed for one in report.planted)
    click.echo(
        f"planted faults: {noticed} of {len(report.planted) - len(report.idle) - len(report.dead)} noticed"
    )
    for fault in report.idle:
        changes = "no figure of this game, as the exact count or the play-through confirms"
        if fault.leg == EVERY_LEG:
            changes = "nothing in this game, as every implementation confirms"
        click.echo(f"  changes {changes} [{fault.game}]: {fault.alteration}")
    for fault in report.dead:
        click.echo(
            f"  NOT TESTED [{fault.game}]: {fault.alteration}: no round of a game tested depends on it; name a game "
            "in which it matters with --game"
        )
    for fault in report.unnoticed:
        click.echo(f"  NOT NOTICED by {fault.leg} [{fault.game}]: {fault.alteration}")
    click.echo(f"has: {', '.join(report.brings)}")
    for part in report.missing:
        click.echo(f"does not have {part.part}: {part.then}")
        if part.cost:
            click.echo(f"  cost: {part.cost}")
    click.echo(f"verdict: {report.verdict.value}")


@click.command("new-game", epilog="Example: certify new-game --like sic-bo --out my-dice")
@click.option("--like", metavar="FIXTURE", required=True, help="Id of the game that it is made from.")
@new_folder_option
@click.option("--id", "name", metavar="ID", help="Id of the new game; the name of the folder if left out.")
@format_option
def new_game(like: str, out: Path, name: str | None, output: str) -> None:
    """Write a complete submission with comments, made from the game FIXTURE.

    The comments say what each table states, which values each rule takes, and which rows each wager has to pay. Fill
    in the empty files of the source documents.
    """
    from certify.kit.starting import starting_files, write_folder

    contents = starting_files(like, name or out.absolute().name)
    files = write_folder(contents, out)
    document = {"game": name or out.absolute().name, "like": like, "folder": str(out), "files": list(files)}
    following = f"next: certify lint {out} && certify analyze {out / 'game.toml'}"
    print_result(output, document, [*(out / file for file in files), following])


@click.command("new-family", epilog="Example: certify new-family lucky-wheel --out ../lucky-wheel")
@click.argument("name")
@new_folder_option
@format_option
def new_family(name: str, out: Path, output: str) -> None:
    """Write the package of a family NAME: rules, reference implementation, play-through, a game, tests and CI.

    It is a small game of five dice that certifies as it is; change it, file by file, into your own.
    """
    from certify.kit.starting import write_package

    files = write_package(name, out)
    following = f"next: pip install --no-deps -e {out} && certify check-family {out}"
    document = {"family": name, "folder": str(out), "files": list(files)}
    print_result(output, document, [*(out / file for file in files), following])


@click.command("import-par", epilog="Example: certify import-par par-sheet.xlsx --out my-slot")
@click.argument("sheets", metavar="SHEET...", nargs=-1, required=True, type=GAME)
@new_folder_option
@click.option("--id", "name", metavar="ID", help="Id of the game; the name of the folder if left out.")
@click.option("--family", metavar="ID", default="", help="Family that reads the sheet, if several can.")
@format_option
def import_par(sheets: tuple[Path, ...], out: Path, name: str | None, family: str, output: str) -> None:
    """Write the submission that SHEET states: a workbook (.xlsx) or CSV files.

    It is a PAR sheet as `certify analyze --par-sheet` writes it, or a spreadsheet that the family of the game
    recognises. Mistakes are reported all at once, each with its sheet and cell.
    """
    from certify.kit.starting import from_sheet, write_folder

    game = name or out.absolute().name
    made = from_sheet(sheets, game, family)
    write_folder({"game.toml": made.text}, out)
    for sheet in sheets:
        shutil.copyfile(sheet, out / sheet.name)
    print_result(
        output,
        {"game": game, "folder": str(out), "assumed": list(made.assumed), "unread": list(made.unread)},
        (
            out / "game.toml",
            *(f"assumed: {line}" for line in made.assumed),
            *(f"not read: {title}" for title in made.unread),
            f"next: certify lint {out} && certify analyze {out / 'game.toml'}",
        ),
    )

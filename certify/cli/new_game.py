"""Commands that write a submission or a package of a family to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.failures import Exit
from certify.cli.options import GAME, format_option, new_folder_option, print_json


@click.command("new-game", epilog="Example: certify new-game --like sic-bo --out my-dice")
@click.option("--like", metavar="FIXTURE", required=True, help="Game that it is made from, by its id.")
@new_folder_option
@click.option("--id", "name", metavar="ID", help="Id of the new game; the name of the folder if left out.")
@format_option
def new_game(like: str, out: Path, name: str | None, output: str) -> int:
    """Write a submission that is complete as it stands, made from the game FIXTURE, with comments.

    Each table says what it states, each rule which values it takes, each wager which rows it has to pay. The texts
    that it rests on are empty files to be filled.
    """
    from certify.kit.folders import write_folder
    from certify.kit.starting import starting_files

    contents = starting_files(like, name or out.absolute().name)
    files = write_folder(contents, out)
    if output == "json":
        print_json(
            {"game": name or out.absolute().name, "like": like, "folder": str(out), "files": list(files)}
        )
    else:
        for file in files:
            click.echo(out / file)
        click.echo(f"next: certify lint {out} && certify analyze {out / 'game.toml'}")
    return int(Exit.SATISFIED)


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


@click.command("import-par", epilog="Example: certify import-par par-sheet.xlsx --out my-slot")
@click.argument("sheets", metavar="SHEET...", nargs=-1, required=True, type=GAME)
@new_folder_option
@click.option("--id", "name", metavar="ID", help="Id of the game; the name of the folder if left out.")
@click.option("--family", metavar="ID", default="", help="Family that takes the sheet, where several do.")
@format_option
def import_par(sheets: tuple[Path, ...], out: Path, name: str | None, family: str, output: str) -> int:
    """Write the submission that SHEET states: a workbook (.xlsx) or CSV files.

    It is a PAR sheet as `certify analyze --par-sheet` writes it, or a spreadsheet that the family of the game
    recognises. Mistakes are told all at once, each with its sheet and cell.
    """
    import shutil

    from certify.kit.folders import write_folder
    from certify.kit.from_sheet import from_sheet

    game = name or out.absolute().name
    made = from_sheet(sheets, game, family)
    write_folder({"game.toml": made.text}, out)
    for sheet in sheets:
        shutil.copyfile(sheet, out / sheet.name)
    if output == "json":
        document = {
            "game": game,
            "folder": str(out),
            "assumed": list(made.assumed),
            "unread": list(made.unread),
        }
        print_json(document)
    else:
        click.echo(out / "game.toml")
        for line in made.assumed:
            click.echo(f"assumed: {line}")
        for title in made.unread:
            click.echo(f"not read: {title}")
        click.echo(f"next: certify analyze {out / 'game.toml'}")
    return int(Exit.SATISFIED)

"""``certify import-par``: a submission from a PAR sheet, or from another spreadsheet that says what a game is."""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, format_option, new_folder_option, print_json


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

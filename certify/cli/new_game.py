"""``certify new-game``: a submission with comments to start from."""

from __future__ import annotations

from pathlib import Path

import click

from certify.cli.exits import Exit
from certify.cli.options import format_option, new_folder_option, print_json


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

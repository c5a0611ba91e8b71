"""``certify export``: the round of a game as an explicit Markov decision process for an independent model checker."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click

from certify.analysis.engine.markov import KNOWLEDGE, lines_of, maximum_property, process_of
from certify.cli.options import GAME, Progress, format_option, print_result
from certify.errors import InputError
from certify.mathematics import analyze, engine_of
from certify.submission import read_game
from certify.untrusted_input import JsonObject

SCHEMA: Final = "certify-export/1"
MANIFEST: Final = "export.json"


@click.command(
    epilog="Example: certify export fixtures/games/us5632489-casino/game.toml --as drn --out build/model"
)
@click.argument("game", type=GAME)
@click.option("--as", "form", type=click.Choice(["prism", "drn"]), required=True, help="Form of the model.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder that is made."
)
@format_option
def export(game: Path, form: str, out: Path, output: str) -> None:
    """Write the round of GAME.toml as a Markov decision process with exact weights, and the properties to check.

    Every state of the reference implementation is written; nothing is solved. export.json states the value that a
    model checker must find.
    """
    if out.exists():
        raise InputError(
            f"{out} is there already: expected a folder that does not exist yet, nothing was written"
        )
    submission = read_game(game)
    progress = Progress(quiet=output == "json")
    document = exported(submission, form, out, progress)
    print_result(
        output,
        document,
        (
            f"{document['file']}: {document['states']:,} states, {document['choices']:,} actions",
            f"made of {document['made_of']}",
            f"compute {document['property']}",
            f"expected {document['expected']} = return {document['return']} + {document['added']}",
        ),
    )


def exported(game: Any, form: str, out: Path, progress: Progress) -> JsonObject:
    """Writes the model, the property and what they mean into a new folder; returns what the folder says of itself.

    Raises:
        InputError: The round cannot be walked or written so, or the folder cannot be made; nothing was written.
    """
    from certify.kit.starting import write_folder

    progress.step("enumerating the states of the reference implementation")
    counted = engine_of(game.port).counted(game)
    process = process_of(counted.graph, counted.order, {counted.main: Fraction(1)})
    reward = process.rewards[0] if process.made_of == KNOWLEDGE else counted.main
    offset = process.offsets[process.rewards.index(reward)]
    name = f"{game.id}.{form}"
    asked = maximum_property(reward)
    model = "".join(f"{line}\n" for line in lines_of(process, form))
    progress.step("computing the value that must be found")
    returned = analyze(game).wager(counted.main).return_to_player
    document = {
        "schema": SCHEMA,
        "game": game.id,
        "submission_sha256": game.sha256,
        "form": form,
        "file": name,
        "states": process.size,
        "choices": process.choices,
        "made_of": process.made_of,
        "wager": counted.main,
        "property": asked,
        "added": str(offset - 1),
        "return": str(returned),
        "expected": str(returned + offset - 1),
        "rewards": {
            wager: {"property": maximum_property(wager), "added": str(added - 1)}
            for wager, added in zip(process.rewards, process.offsets, strict=True)
        },
    }
    progress.step(f"writing {name}")
    manifest = json.dumps(document, indent=2) + "\n"
    write_folder({name: model, f"{game.id}.props": f"{asked}\n", MANIFEST: manifest}, out)
    return document

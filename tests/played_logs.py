"""Logs of played rounds for the tests of audits and of watches."""

import csv
import io

from cli_support import ROOT, SEED

from certify.cli.main import run

SEVEN = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
WHEEL = ROOT / "fixtures/games/roulette-single-zero/game.toml"
STRATEGY = '[log]\nstrategy = "main-optimal"\n'


def mapped(*columns, more=""):
    return "[columns]\n" + "".join(f'{one} = "{one}"\n' for one in columns) + more


def simulated(folder):
    """3,000 rounds of 7 e Mezzo, as `simulate` logs them."""
    path = folder / "seven.csv"
    call = ("simulate", SEVEN, "--rounds", "3000", "--seed", SEED, "--log", path, "--format", "json")
    run([*map(str, call)])
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def as_csv(path, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), "utf-8")
    return path

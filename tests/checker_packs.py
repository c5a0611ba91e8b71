"""Unsigned packs of kept evidence for tests of the checker: its files alone, laid out as a pack lays them out."""

import base64
import contextlib
import copy
import gc
import io
import json
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from report_evidence import GAMES, REPORTS, stored
from seal_support import lay

from certify.certification.cross_checks import SECOND_FILE, second_files
from certify.certification.par_files import automaton_files
from certify.characters import csv_bytes
from certify.mathematics import analysed_strategies, analyze
from certify.seal import build_statement, canonical_bytes, checker_bytes, sha256_hex
from certify.seal.layout import sums_bytes
from certify.simulation import StreamDecks
from certify.submission import read_game

ROWS = 600
"""Rows of draws in such a pack; only rounds that were played on one of them are kept."""

UNREAD = tuple(
    f"data/{name}"
    for name in (
        *(
            "bias.csv",
            "convergence.csv",
            "observations.csv",
            "par-sheet.csv",
            "par-sheet.xlsx",
            "planted.csv",
        ),
        *("randomness.csv", "recall.csv", "sbom.cdx.json", "simulation.csv", "situations.csv", "tests.csv"),
    )
)
"""Data files that every pack has, and of which the checker counts digests alone."""

SEALED = ("report.html", "VERIFY.md", "certs/signer.pem", "certs/root.pem")

ATTACHED = b"<</Type /EmbeddedFile /Filter /FlateDecode>>\nstream\n"
"""What a report has before its evidence, which is all that the checker reads of it."""

TEMPLATE = Path(__file__).parents[1] / "report_templates" / "check.py"

CHECKER = checker_bytes()

QUICK, SHORT = (CHECKER.replace(b"250_000, 30_000", b"250_000, %d" % most) for most in (0, 3_000))
"""The checker without bands, which take most of its time, and with those of few rounds alone."""

Files = dict[str, bytes]


@cache
def data_of(game_id):
    """The data files that the checker reads, made once a game; evidence.json names their digests."""
    evidence, game = stored(REPORTS / f"{game_id}.json.xz"), read_game(GAMES / game_id / "game.toml")
    rows = StreamDecks.of(game, bytes.fromhex(evidence["run"]["seed"]), "simulation-decks").deal(0, ROWS)
    told = f"items a row: {rows.shape[1]}, bits an item: {8 * rows.dtype.itemsize}"
    items = [
        (piece.id, str(item), piece.name_of(item)) for piece in game.equipment for item in range(piece.size)
    ]
    outcomes = [
        (strategy, wager, one["outcome"], one["net"], one["probability"])
        for strategy, analysis in evidence["analysis"].items()
        for wager, figures in analysis["wagers"].items()
        for one in figures["outcomes"]
    ]
    return {
        "data/game.toml": ((GAMES / game_id / "game.toml").read_bytes(), ""),
        "data/draws.bin": (rows.astype(f"<u{rows.dtype.itemsize}").tobytes(), told),
        "data/items.csv": (csv_bytes(("piece", "item", "shows"), items), ""),
        "data/outcomes.csv": (
            csv_bytes(("strategy", "wager", "outcome", "net", "probability"), outcomes),
            "",
        ),
        **dict.fromkeys(UNREAD, (b"none of its lines is read", "")),
        **{
            f"data/decisions-{strategy}.csv": (b"", "")
            for strategy, analysis in evidence["analysis"].items()
            if analysis["decisions"]
        },
        **automaton_files(game, {name: analyze(game, name) for name in analysed_strategies(game)}),
        **second_files(game),
    }


def kept_evidence(game_id):
    """Evidence that is kept, with the rounds alone that the rows of such a pack hold."""
    evidence = stored(REPORTS / f"{game_id}.json.xz")
    evidence["played_rounds"] = [one for one in evidence["played_rounds"] if one["deck"] < ROWS]
    code = data_of(game_id).get(SECOND_FILE)
    if code is not None:
        # The second implementation may have been written anew since: the pack has that of today.
        evidence["texts"]["second"]["sha256"] = evidence["family"]["second"]["sha256"] = sha256_hex(code[0])
    return evidence


def files_of(
    evidence,
    data,
    attested=None,
    checker=QUICK,
):
    """The files of a pack about evidence: every digest is right, so that a lie in the evidence stands alone.

    The attestation is about other evidence where that is given.
    """
    evidence = copy.deepcopy(dict(evidence))
    rounds = "".join(json.dumps(one) + "\n" for one in evidence["played_rounds"]).encode()
    data = {**data, "data/rounds.jsonl": (rounds, "")}
    evidence["files"] = [
        {"name": name, "sha256": sha256_hex(content), "bytes": len(content), "description": description}
        for name, (content, description) in data.items()
    ]
    files = {name: content for name, (content, _) in data.items()} | dict.fromkeys(SEALED, b"not read")
    stated = canonical_bytes(evidence)
    report = ATTACHED + zlib.compress(stated)
    return sealed(
        {**files, "evidence.json": stated, "report.pdf": report, "check.py": checker},
        attested or evidence,
    )


def sealed(files, evidence):
    """Files with an attestation that nobody signed, and the list of digests."""
    statement = canonical_bytes(build_statement(evidence, files))
    files["attestation.dsse.json"] = canonical_bytes({"payload": base64.b64encode(statement).decode()})
    files["SHA256SUMS"] = sums_bytes(files)
    return files


def checked(folder, files):
    """What the checker says of files, run as VERIFY.md says, from another folder."""
    command = [sys.executable, "-I", str(lay(folder, files) / "check.py")]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)


@cache
def _checker():
    return compile(TEMPLATE.read_text("utf-8"), str(TEMPLATE), "exec")


def answered(files, *, whole=True):
    """What the checker says of files in this process: the exit code of its main function, and what that prints.

    Args:
        files: A pack.
        whole: Whether parts are taken after the first that finds something.
    """
    names = {"__name__": "check", "__file__": str(TEMPLATE)}
    exec(_checker(), names)  # noqa: S102 - ours
    attempt = names["attempt"]
    names["attempt"] = lambda *part: attempt(*part) if whole or not names["wrong"] else None
    names["read_files"] = lambda _: files
    names["MOST_SUMS"] = {QUICK: 0, SHORT: 3_000}.get(files["check.py"], 30_000)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.ExitStack() as restored:
        restored.callback(sys.set_int_max_str_digits, sys.get_int_max_str_digits())
        restored.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        restored.callback(gc.enable)
        gc.disable()  # as the checker does by itself
        return SimpleNamespace(returncode=names["main"](), stdout=printed.getvalue())


def refused(files):
    """Whether the checker finds something against files: no part after that is taken."""
    return answered(files, whole=False).returncode == 1


def leaves(noun, path=()):
    """The path of every leaf of evidence."""
    if isinstance(noun, dict | list):
        for key, value in noun.items() if isinstance(noun, dict) else enumerate(noun):
            yield from leaves(value, (*path, key))
    else:
        yield path


def kind_of(path):
    """What kind of leaf it is: its keys, without places in lists and names of strategies and wagers."""
    named = {"analysis": {1, 3}, "joint": {1}, "par": {1}, "counted": {1, 2}}.get(str(path[0]), set())
    return tuple(str(key) for n, key in enumerate(path) if not isinstance(key, int) and n not in named)


def lied(evidence, path):
    """Evidence in which one leaf says something else of the same form."""
    lying = copy.deepcopy(dict(evidence))
    place = lying
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = other(place[path[-1]])
    return dict(lying)


def other(value):
    """Another value of the same form."""
    if value is None or isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value * 1.001 + 1e-3
    numerator, slash, denominator = str(value).partition("/")
    if numerator.lstrip("-").isdigit() and (denominator.isdigit() or not slash):
        return str(int(numerator) + int(denominator or 1)) + (slash + denominator)
    figure = "".join(letter if not letter.isdigit() else str((int(letter) + 1) % 10) for letter in str(value))
    return {"satisfied": "not satisfied"}.get(value, figure if figure != value else "satisfied")

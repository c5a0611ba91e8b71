"""The checker that each pack brings, alone: it holds what is right, and refuses every planted lie."""

from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checker_packs import checked, data_of, files_of, kept_evidence, kind_of, leaves, lied
from seal_support import lay

from certify.seal.guide import checker_bytes

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "report_templates" / "check.py"
VECTORS = ROOT / "fixtures" / "vectors" / "redeal"

GAMES = ("us5632489-casino", "jacks-or-better-9-6", "roulette-single-zero", "craps")
"""Two games in stages, one of them with loops; one whose family counts by itself; one that is described."""

COUNTED = {
    "analysis": {
        *("return", "house_edge", "variance", "standard_deviation", "hit_frequency", "win_frequency"),
        *(
            "probability",
            "contribution",
            "net",
            "pays",
            "best",
            "exact",
            "holds",
            "interval",
            "return_percent",
        ),
        *("total_wagered", "return_on_total_wagered", "distance_to_low", "distance_to_high", "one_in"),
        *("90 %", "cost_of_deviation", "reachable", "printed"),
    },
    "joint": {"expectation", "variance", "total_return", "probability", "covariance", "correlation"},
    "par": {"variance", "combinations", "longest", "covers", "low", "high", "contribution"},
    "edge": {"side", "per_stake", "per_stake_percent"},
    "claims": {"exact", "holds"},
    "clauses": {"status", "shown_on"},
    "findings": {"id"},
    "report": {"verdict", "counted", "number"},
    "observations": {"verdict"},
    "simulation": {"probability", "count", "exact_return"},
    "played_rounds": {"outcomes", "net", "trace", "trace_sha256", "seed"},
    "exposure": {"amount"},
    "item": {"base64"},
    "tool": {"source_sha256"},
    "run": {"seed"},
}
"""Leaves that the checker counts again, by part of the evidence."""


def test_the_checker_is_short_and_rests_on_the_standard_library_alone() -> None:
    text = checker_bytes().decode()
    nodes = list(ast.walk(ast.parse(text)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    chosen = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert len(text.splitlines()) <= 600
    assert max(map(len, text.splitlines())) <= 120
    assert plain | chosen <= sys.stdlib_module_names
    # It asks nobody, starts nothing and writes nothing.
    assert not (plain | chosen) & {"socket", "subprocess", "urllib", "http", "importlib", "ctypes", "pickle"}
    assert not [word for word in ("O_WRONLY", "import_module", "exec(", "eval(", '"wb"') if word in text]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_right_holds(game: str, tmp_path: Path) -> None:
    found = checked(tmp_path, files_of(kept_evidence(game), data_of(game)))
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert "0 do not hold" in found.stdout
    parts = [line.split() for line in found.stdout.splitlines()[:6]]
    tried = {name for name, *words in parts if words[0].isdigit()}
    staged = "data/automaton.csv" in data_of(game)
    assert tried == {"files", "figures", "statement", "decks"} | ({"automaton"} if staged else set())


def lies(game: str) -> list[tuple[str | int, ...]]:
    """One leaf of each kind that is counted again: the first of its kind."""
    evidence = kept_evidence(game)
    chosen: dict[tuple[str, ...], tuple[str | int, ...]] = {}
    for path in leaves(evidence):
        words = {str(key) for key in path}
        # The first bands are those of 1,000 rounds; in video poker these have too many points.
        # How often a decision comes up is told by the program alone.
        unknown = {"ruin", "house_ruin", "long_run", "methods", "messages"} | (
            {"bands"} if "jacks" in game else set()
        )
        told = path[-1] == "probability" and "decisions" in path
        if words & COUNTED.get(str(path[0]), set()) and not words & unknown and not told:
            chosen.setdefault(kind_of(path), path)
    return list(chosen.values())


FEW = 7
"""Lies told of each game in a quick run; the slow one tells every kind, more than sixty in all."""


def refused(game: str, path: tuple[str | int, ...], folder: Path) -> bool:
    truth = kept_evidence(game)
    found = checked(folder, files_of(lied(truth, path), data_of(game), truth))
    return found.returncode == 1 and "DOES NOT HOLD" in found.stdout


@pytest.mark.parametrize("game", GAMES[:3])
def test_lies_are_refused(game: str, tmp_path: Path) -> None:
    every = lies(game)
    assert len(every) >= 40
    few = every[:: len(every) // FEW]
    kept = [path for n, path in enumerate(few) if not refused(game, path, tmp_path / str(n))]
    assert kept == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_lie_is_refused(game: str, tmp_path: Path) -> None:
    kept = [path for n, path in enumerate(lies(game)) if not refused(game, path, tmp_path / str(n))]
    assert kept == []


def test_a_table_that_is_not_the_games_is_refused(tmp_path: Path) -> None:
    truth, data = kept_evidence("us5632489-casino"), dict(data_of("us5632489-casino"))
    taken, told = data["data/automaton-decisions.csv"]
    data["data/automaton-decisions.csv"] = (taken.replace(b",hit-1,", b",stand-1,", 1), told)
    found = checked(tmp_path / "play", files_of(truth, data))
    assert found.returncode == 1
    assert "DOES NOT HOLD: automaton" in found.stdout
    pieces, told = data_of("us5632489-casino")["data/automaton-pieces.csv"]
    data |= {"data/automaton-decisions.csv": (taken, "")}
    data["data/automaton-pieces.csv"] = (pieces.replace(b",1,no", b",2,no", 1), told)
    found = checked(tmp_path / "shoe", files_of(truth, data))
    assert "DOES NOT HOLD: automaton" in found.stdout


def test_other_draws_than_the_seeds_are_refused(tmp_path: Path) -> None:
    data = dict(data_of("roulette-single-zero"))
    drawn, told = data["data/draws.bin"]
    data["data/draws.bin"] = (drawn[:40] + bytes([(drawn[40] + 1) % 37]) + drawn[41:], told)
    found = checked(tmp_path, files_of(kept_evidence("roulette-single-zero"), data))
    assert "DOES NOT HOLD: decks: row 40 of data/draws.bin" in found.stdout


def test_links_are_refused(tmp_path: Path) -> None:
    files = files_of(kept_evidence("roulette-single-zero"), data_of("roulette-single-zero"))
    sound = lay(tmp_path / "linked", files)
    (sound / "data/secret.csv").symlink_to("/etc/hostname")
    linked = subprocess.run(
        [sys.executable, "-I", str(sound / "check.py")], capture_output=True, text=True, check=False
    )
    assert (linked.returncode, "is no plain file" in linked.stdout or "OSError" in linked.stdout) == (1, True)


@pytest.mark.parametrize("key", ["bracket", "variance", "near", "off"])
def test_what_excuses_a_check_excuses_none_of_an_exact_table(key: str, tmp_path: Path) -> None:
    lying: Any = kept_evidence("us5632489-casino")
    figures = lying["analysis"]["main-optimal"]["wagers"][lying["wagers"][0]["id"]]
    (figures["outcomes"][0] if key == "variance" else figures)[key] = {"lower": "0", "upper": "2"}
    found = checked(tmp_path, files_of(lying, data_of("us5632489-casino")))
    assert (found.returncode, "its table is exact, yet it has" in found.stdout) == (1, True)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("APPROVAL.html", b"yes", "DOES NOT HOLD: files"),
        ("evidence.json", b'{"a":1,"a":2}', "a key comes twice"),
        ("data/items.csv", b"\xff", "DOES NOT HOLD: decks"),
        ("evidence.json", b'{"a":1e999999999}', "has too many digits"),
        ("evidence.json", b'{"a":1e-999999999}', "has too many digits"),
        ("data/x\x1b[2J\n9 hold, 0 do not hold\x1b[8m", b"", "x\\x1b[2J\\n9 hold"),
    ],
)
def test_strays_and_broken_files_are_refused_and_command_no_terminal(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    files = files_of(kept_evidence("roulette-single-zero"), data_of("roulette-single-zero"))
    found = checked(tmp_path, {**files, name: content})
    assert (found.returncode, found.stderr, said in found.stdout) == (1, "", True)
    assert all(map(str.isprintable, found.stdout.splitlines()))


def test_a_shoe_of_more_cards_than_memory_holds_is_refused(tmp_path: Path) -> None:
    lying: Any = kept_evidence("us5632489-casino")
    lying["layout"]["pieces"][0]["size"] = 10**15
    found = checked(tmp_path, files_of(lying, data_of("us5632489-casino")))
    assert (found.returncode, "DOES NOT HOLD: decks" in found.stdout) == (1, True)


def test_where_nothing_could_be_checked_nothing_is_promised(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_bytes(checker_bytes())
    found = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "check.py")], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "DOES NOT HOLD: files" in found.stdout


def test_the_encryption_is_that_of_the_standard() -> None:
    # FIPS 197, appendix C.3: the known answer of AES-256.
    key, plain = bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff")
    aes = runpy.run_path(str(TEMPLATE), run_name="check")["aes"]
    assert aes(key, plain).hex() == "8ea2b7ca516745bfeafc49904b496089"
    assert aes(key, plain * 3) == aes(key, plain) * 3


def test_words_are_those_of_the_frozen_vectors() -> None:
    words_of = runpy.run_path(str(TEMPLATE), run_name="check")["words_of"]
    golden = json.loads((VECTORS / "golden-v1.json").read_bytes())["vectors"]
    first = [one for one in golden if one["index"] == "0"]
    assert first
    for one in first:
        words = words_of(bytes.fromhex(one["master_seed"]), one["purpose"])
        assert [f"{next(words):016x}" for _ in one["first_words"]] == one["first_words"]

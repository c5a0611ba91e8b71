"""The checker that each pack brings, alone: it holds what is right, and refuses every planted lie."""

import ast
import copy
import runpy
import subprocess
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checker_packs import (
    ATTACHED,
    CHECKER,
    QUICK,
    SHORT,
    TEMPLATE,
    answered,
    checked,
    data_of,
    files_of,
    kept_evidence,
    kind_of,
    leaves,
    lied,
    refused,
)
from seal_support import lay

from certify.families import families
from certify.families.second_text import digest_of
from certify.seal import checker_bytes, sha256_hex

ROOT = Path(__file__).parents[2]

GAMES = ("us5632489-casino", "jacks-or-better-9-6", "roulette-single-zero", "craps", "slot-lines")
"""Two games in stages, one of them with loops; one whose family counts by itself; one that is described; a slot."""

COUNTED = {
    "analysis": {
        *("return", "house_edge", "variance", "standard_deviation", "hit_frequency", "win_frequency"),
        *("probability", "contribution", "net", "pays", "best"),
        *("exact", "holds", "interval", "return_percent"),
        *("total_wagered", "return_on_total_wagered", "distance_to_low", "distance_to_high", "one_in"),
        *("cost_of_deviation", "reachable", "printed"),
    },
    "joint": {"expectation", "variance", "total_return", "probability"},
    "par": {"variance", "combinations", "contribution", "rounds", "confidence", "low", "high", "covers"},
    "edge": {"side", "per_stake", "per_stake_percent", "sentence"},
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
    assert not [word for word in ("O_WRONLY", "import_module", "eval(", '"wb"') if word in text]
    assert text.count("exec(") == 1


@pytest.mark.parametrize(
    ("game", "checker"),
    [
        ("us5632489-casino", CHECKER),
        # `make packs` runs the checker with all bands on every game.
        *((game, SHORT) for game in GAMES[1:]),
        pytest.param("three-card-poker", CHECKER, marks=pytest.mark.slow),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_is_right_holds(game: str, checker: bytes, tmp_path: Path) -> None:
    found = checked(tmp_path, files_of(kept_evidence(game), data_of(game), checker=checker))
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert len({QUICK, SHORT, CHECKER}) == 3
    assert "0 do not hold" in found.stdout
    parts = [line.split() for line in found.stdout.splitlines()[:8]]
    tried = {name for name, *words in parts if words[0].isdigit()}
    staged = {"automaton"} if "data/automaton.csv" in data_of(game) else set()
    slot = {"slot"} if game.startswith("slot") else set()
    assert tried == {"files", "whole", "figures", "statement", "decks", "second"} | staged | slot
    assert "not run" not in found.stdout


def lies(game: str) -> list[tuple[str | int, ...]]:
    """One leaf of each kind that is counted again: the first of its kind."""
    evidence = kept_evidence(game)
    chosen: dict[tuple[str, ...], tuple[str | int, ...]] = {}
    for path in leaves(evidence):
        words = {str(key) for key in path}
        # How often a decision comes up is told by the program alone; larger final bets are another way of staking.
        unknown = {
            *("ruin", "house_ruin", "long_run", "methods", "messages", "covariance", "volatility_index"),
            "equal_final_bets",
        }
        told = path[-1] == "probability" and "decisions" in path
        if words & COUNTED.get(str(path[0]), set()) and not words & unknown and not told:
            chosen.setdefault(kind_of(path), path)
    return list(chosen.values())


FEW = 7
"""Lies told of each game in a quick run; the slow one tells every kind, more than sixty in all."""


def believed(game: str, paths: list[tuple[str | int, ...]]) -> list[tuple[str | int, ...]]:
    """The leaves of a game's evidence of which the checker believes another value."""
    truth, data = kept_evidence(game), data_of(game)
    return [
        path
        for path in paths
        if not refused(
            files_of(lied(truth, path), data, truth, checker=SHORT if path[2:3] == ("bands",) else QUICK)
        )
    ]


@pytest.mark.parametrize("game", GAMES[:3])
def test_lies_are_refused(game: str) -> None:
    every = lies(game)
    assert len(every) >= 40
    assert believed(game, every[:: len(every) // FEW]) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_lie_is_refused(game: str) -> None:
    assert believed(game, lies(game)) == []


def test_other_draws_than_those_recorded_are_refused() -> None:
    truth, data = kept_evidence("roulette-single-zero"), dict(data_of("roulette-single-zero"))
    (drawn, told), deck = data["data/draws.bin"], truth["played_rounds"][0]["deck"]
    for other, said in (
        (bytes([(drawn[deck] + 1) % 37]), "other cards than its deck's"),
        (b"\x25", "cannot be drawn"),
    ):
        data["data/draws.bin"] = (drawn[:deck] + other + drawn[deck + 1 :], told)
        found = answered(files_of(truth, data))
        assert (found.returncode, said in found.stdout) == (1, True)


# --- what is left out ---

WITHOUT: dict[str, tuple[str, Callable[[Any], object]]] = {
    "claims": ("roulette-single-zero", lambda e: e["claims"].clear()),
    "one claim": ("roulette-single-zero", lambda e: e["claims"].pop()),
    "a claim of a wager": (
        "roulette-single-zero",
        lambda e: e["analysis"]["main-optimal"]["wagers"]["red"]["claims"].clear(),
    ),
    "bands": ("roulette-single-zero", lambda e: e["par"]["red"]["bands"].clear()),
    "one band": ("roulette-single-zero", lambda e: e["par"]["red"]["bands"].pop()),
    "losing runs": ("roulette-single-zero", lambda e: e["par"]["red"]["losing_runs"].clear()),
    "a PAR sheet": ("roulette-single-zero", lambda e: e["par"].pop("red")),
    "a row of a PAR sheet": ("roulette-single-zero", lambda e: e["par"]["red"]["rows"].pop()),
    "all PAR sheets": ("craps", lambda e: e["par"].clear()),
    "second counts": ("craps", lambda e: e["counted"].clear()),
    "joint figures": ("craps", lambda e: e["joint"].clear()),
    "joint figures of a strategy": ("craps", lambda e: e["joint"].pop("always:lay")),
    "campaigns": ("craps", lambda e: e["simulation"]["campaigns"].clear()),
    "one campaign": ("craps", lambda e: e["simulation"]["campaigns"].pop()),
    "a wager of a campaign": ("craps", lambda e: e["simulation"]["campaigns"][0]["wagers"].pop()),
    "decisions": ("craps", lambda e: e["analysis"]["main-optimal"]["decisions"].clear()),
    "all decisions": ("craps", lambda e: [one["decisions"].clear() for one in e["analysis"].values()]),
    "the dearest round": ("craps", lambda e: e["exposure"].update(amount=0, wins=[], stakes=[])),
    "a wager": ("craps", lambda e: e["wagers"].pop()),
    "a wager of a strategy": ("craps", lambda e: e["analysis"]["always:lay"]["wagers"].pop("dont-pass")),
    "a strategy": ("craps", lambda e: e["analysis"].pop("always:lay")),
    "an observation": ("craps", lambda e: e["observations"].pop()),
    "a clause": ("craps", lambda e: e["clauses"].pop()),
    "duties": ("craps", lambda e: e["obligations"].clear()),
    "an attested check": (
        "craps",
        lambda e: [one.update(check="x") for one in e["observations"] if one["check"] == "exposure.stated"],
    ),
    "a finding": ("us5632489-casino", lambda e: e["findings"].pop(0)),
    "an outcome": ("jacks-or-better-9-6", lambda e: _figures(e)["outcomes"].pop()),
    "a net result": ("jacks-or-better-9-6", lambda e: _figures(e)["net"].pop()),
    "a wager of a recorded round": ("craps", lambda e: e["played_rounds"][0]["outcomes"].pop("dont-pass")),
    "the second implementation": ("craps", lambda e: e["texts"].update(second=None)),
    "the second implementation, twice": (
        "craps",
        lambda e: (e["texts"].update(second=None), e["family"].update(second=None)),
    ),
    "the merging": ("craps", lambda e: e["texts"].update(merging=None)),
    "meters": ("roulette-single-zero", lambda e: e["configurations"][0].update(kind="meters at their seed")),
    "awards of the slot": ("slot-lines", lambda e: _figures(e)["awards"].pop()),
}
"""What a lying issuer leaves out of evidence, by what it is; some also excuse themselves."""


def _figures(evidence: Any) -> Any:
    return evidence["analysis"]["main-optimal"]["wagers"][evidence["wagers"][0]["id"]]


FEW_LEFT_OUT = (
    "claims",
    "bands",
    "second counts",
    "joint figures",
    "campaigns",
    "decisions",
    "the dearest round",
    "duties",
    "an attested check",
    "meters",
)


@pytest.mark.parametrize(
    "what",
    [pytest.param(one, marks=() if one in FEW_LEFT_OUT else pytest.mark.slow) for one in WITHOUT],
)
def test_what_is_left_out_is_missed(what: str) -> None:
    game, leave_out = WITHOUT[what]
    truth = kept_evidence(game)
    lying = copy.deepcopy(truth)
    leave_out(lying)
    data = dict(data_of(game))
    if what == "the merging":
        data = {name: content for name, content in data.items() if "automaton" not in name}
    assert refused(files_of(lying, data, truth))


@pytest.mark.parametrize("name", ["automaton", "second", "decisions-", "par-sheet.csv", "outcomes"])
def test_a_table_that_is_left_out_is_missed(name: str) -> None:
    truth = kept_evidence("craps")
    data = {one: content for one, content in data_of("craps").items() if not one.startswith(f"data/{name}")}
    assert refused(files_of(truth, data))


def test_a_table_too_long_for_a_pack_is_named() -> None:
    truth = kept_evidence("craps")
    truth["texts"]["merging"]["arrows"] = 250_001
    data = {one: content for one, content in data_of("craps").items() if "automaton" not in one}
    found = answered(files_of(truth, data))
    assert found.returncode == 0
    assert "not tried: automaton: its table may have more than 250,000 lines" in found.stdout


# --- bands, and the edge in words ---


@pytest.mark.parametrize(
    ("key", "other"),
    [
        # One point of the lattice further in, at most.
        ("low", lambda low: low + 2e-5),
        ("high", lambda high: high - 2e-5),
        ("covers", lambda covers: covers + 1e-4),
        ("sentence", lambda said: said.replace("The bank", "The player")),
        ("sentence", lambda said: said.replace("1.4141 % of everything", "0.4141 % of everything")),
        ("sentence", lambda said: said.replace("under main-optimal", "under no")),
        ("sentence", lambda said: said.replace("has the edge", "has no edge")),
    ],
)
def test_another_band_or_another_edge_in_words_is_refused(key: str, other: Callable[[Any], Any]) -> None:
    lying: Any = kept_evidence("craps")
    noun = lying["edge"] if key == "sentence" else lying["par"]["pass-line"]["bands"][1]
    noun[key] = other(noun[key])
    assert refused(files_of(lying, data_of("craps"), checker=QUICK if key == "sentence" else SHORT))


# --- the second implementation ---


def test_the_checker_knows_the_second_implementations_of_this_release() -> None:
    known = runpy.run_path(str(TEMPLATE), run_name="check")["KNOWN"].split()
    brought = [one.second for one in families().values() if one.second is not None]
    own = sorted({digest_of(second)[:32] for second in brought if second.__module__.startswith("certify.")})
    assert sorted(known) == own, f"KNOWN of report_templates/check.py: expected {' '.join(own)}"


def test_each_second_implementation_rests_on_the_standard_library_alone() -> None:
    for file in sorted((ROOT / "certify" / "families").glob("*/second.py")):
        nodes = ast.parse(file.read_text()).body
        plain = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        chosen = {
            node.module.partition(".")[0]
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module
        }
        assert plain | chosen <= sys.stdlib_module_names, file


SETTLED = {
    "the table, an option": ("us5632489-casino", "data/automaton-decisions.csv", b",hit-1,", b",stand-1,"),
    "the table, a card": ("us5632489-casino", "data/automaton-pieces.csv", b",1,no", b",2,no"),
    "an end of the table": (
        "craps",
        "data/automaton.csv",
        b"dont-pass=lose pass-line=win",
        b"dont-pass=win pass-line=lose",
    ),
    "what an outcome nets": ("craps", "data/automaton-pays.csv", b"pass-line,win,1,", b"pass-line,win,2,"),
    "a rule that it is given": (
        "craps",
        "data/second.json",
        b'"when": "sum of point is 2 to 3"',
        b'"when": "sum of point is 3 to 3"',
    ),
    "a pay that it is given": (
        "jacks-or-better-9-6",
        "data/second.json",
        b'"fraction": "799"',
        b'"fraction": "800"',
    ),
    "a rule of another pair": ("jacks-or-better-9-6", "data/second.json", b"pair of jacks", b"pair of kings"),
    "what a face shows": (
        "us5632489-casino",
        "data/automaton-pieces.csv",
        b"K of diamonds",
        b"Q of diamonds",
    ),
}


@pytest.mark.parametrize("what", SETTLED)
def test_what_the_second_implementation_settles_otherwise_is_refused(what: str) -> None:
    game, name, true, false = SETTLED[what]
    data = dict(data_of(game))
    content, told = data[name]
    assert true in content
    data[name] = content.replace(true, false), told
    found = answered(files_of(kept_evidence(game), data))
    part = "automaton" if what.startswith("the table") else "second"
    assert (found.returncode, f"DOES NOT HOLD: {part}" in found.stdout) == (1, True), found.stdout[-3000:]


@pytest.mark.parametrize(("row", "wager"), [("odds-4-10", "dont-pass"), ("win", "dont-pass")])
def test_a_round_that_shows_another_row_is_refused(row: str, wager: str) -> None:
    lying = kept_evidence("craps")
    lying["witnesses"][0] |= {"row": row, "wager": wager}
    found = answered(files_of(lying, data_of("craps")))
    assert "DOES NOT HOLD: second: the round that shows" in found.stdout


def test_code_of_strangers_is_not_run_unasked(tmp_path: Path) -> None:
    truth, data = kept_evidence("craps"), dict(data_of("craps"))
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()\ndef settle(*_):\n    return {{}}\n".encode()
    data["data/second.py"] = code, ""
    digest = sha256_hex(code)
    truth["texts"]["second"]["sha256"] = truth["family"]["second"]["sha256"] = digest
    found = checked(tmp_path / "pack", files_of(truth, data))
    assert (found.returncode, ran.exists()) == (0, False)
    assert f"data/second.py is none of this release and was not run, SHA-256 {digest}" in found.stdout
    # Who has read it names it; then it is run, and settles nothing as the table does.
    command = [sys.executable, "-I", str(tmp_path / "pack" / "check.py"), digest]
    found = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert (found.returncode, ran.exists(), "DOES NOT HOLD: second" in found.stdout) == (1, True, True)


def test_known_code_that_the_evidence_does_not_attest_is_not_run() -> None:
    truth, data = kept_evidence("craps"), dict(data_of("craps"))
    data["data/second.py"] = data_of("jacks-or-better-9-6")["data/second.py"]
    found = answered(files_of(truth, data))
    assert (found.returncode, "digest of data/second.py" in found.stdout) == (1, True)
    assert "settled by it" not in found.stdout


@pytest.mark.parametrize(("what", "key"), [("outcomes", "variance"), ("awards", "contribution")])
def test_lies_about_what_a_slot_pays_are_refused(what: str, key: str) -> None:
    lying: Any = kept_evidence("slot-lines")
    one = next(one for one in _figures(lying)[what] if key in one)
    one[key] = str(Fraction(one[key]) + Fraction(1, 100))
    assert refused(files_of(lying, data_of("slot-lines")))


def test_a_spin_recorded_otherwise_is_refused() -> None:
    lying: Any = kept_evidence("slot-lines")
    one = next(one for one in lying["played_rounds"] if one["outcomes"]["main"] == "nothing")
    one |= {"outcomes": {"main": "win-from-1"}, "net": {"main": "0"}}
    found = answered(files_of(lying, data_of("slot-lines")))
    assert (found.returncode, "DOES NOT HOLD: second: round" in found.stdout) == (1, True)


def test_links_are_refused(tmp_path: Path) -> None:
    files = files_of(kept_evidence("roulette-single-zero"), data_of("roulette-single-zero"))
    sound = lay(tmp_path / "linked", files)
    (sound / "data/secret.csv").symlink_to("/etc/hostname")
    linked = subprocess.run(
        [sys.executable, "-I", str(sound / "check.py")], capture_output=True, text=True, check=False
    )
    assert (linked.returncode, "is no plain file" in linked.stdout or "OSError" in linked.stdout) == (1, True)


@pytest.mark.parametrize(
    ("game", "key", "excuse", "said"),
    [
        *(
            ("us5632489-casino", key, {"lower": "0", "upper": "2"}, "its table is exact, yet it has")
            for key in ("bracket", "variance", "near", "off", "awards", "net_rest")
        ),
        ("jacks-or-better-9-6", "variance", "0", "it is no slot, yet it has"),
        ("jacks-or-better-9-6", "awards", [], "it is no slot, yet it has"),
        ("jacks-or-better-9-6", "net_rest", "0", "it is no slot, yet it has"),
    ],
)
def test_what_excuses_a_check_excuses_neither_an_exact_table_nor_another_game(
    game: str, key: str, excuse: Any, said: str
) -> None:
    lying: Any = kept_evidence(game)
    figures = _figures(lying)
    (figures["outcomes"][0] if key == "variance" else figures)[key] = excuse
    found = answered(files_of(lying, data_of(game)))
    assert (found.returncode, said in found.stdout) == (1, True)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("APPROVAL.html", b"yes", "DOES NOT HOLD: files"),
        ("evidence.json", b'{"a":1,"a":2}', "a key comes twice"),
        ("data/items.csv", b"\xff", "DOES NOT HOLD: decks"),
        ("SHA256SUMS", 2 * (b"0" * 64 + b"  evidence.json\n"), "a key comes twice"),
        ("SHA256SUMS", b"0" * 64 + b"  evidence.json\r\n", "evidence.json\\r"),
        ("data/items.csv", b'piece,item,shows\n"' + b"x" * 200_000, "DOES NOT HOLD: decks"),
        ("evidence.json", b'{"a":1e999999999}', "has too many digits"),
        ("evidence.json", b'{"a":1e-999999999}', "has too many digits"),
        ("evidence.json", b"null", "DOES NOT HOLD: figures"),
        ("evidence.json", b"[]", "DOES NOT HOLD: figures"),
        ("evidence.json", b"{}", "DOES NOT HOLD: figures"),
        ("evidence.json", b'{"a":NaN}', "Invalid literal for Fraction"),
        ("evidence.json", b'{"a":-Infinity}', "Invalid literal for Fraction"),
        ("evidence.json", b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "RecursionError"),
        ("evidence.json", b'{"a":' + b"9" * 200_000 + b"}", "DOES NOT HOLD: files"),
        ("data/second.py", b"open('ran', 'w')", "digest of data/second.py"),
        ("data/\u0440ar.csv", b"looks like another", "DOES NOT HOLD: files"),
        ("check.py.pyc", b"", "DOES NOT HOLD: files"),
        # Pages of an older report, however they were signed; what is no report.
        ("report.pdf", ATTACHED + zlib.compress(b"{}"), "DOES NOT HOLD: files: evidence in report.pdf"),
        ("report.pdf", ATTACHED + b"plain", "files: the pack cannot be read there: error"),
        ("report.pdf", b"%PDF-1.7", "cannot be read there: AttributeError"),
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
    found = checked(tmp_path, {"check.py": CHECKER})
    assert (found.returncode, "DOES NOT HOLD: files" in found.stdout) == (1, True)


STAGES = """start,coin,0,end,bet=win
start,coin,1,1,
1,decision-0,keep,end,bet=keep
1,decision-0,go,2,
2,coin,0,3,
2,coin,1,end,bet=lose
3,decision-1,take,end,bet=win
3,decision-1,leave,end,bet=lose"""
"""A game in stages: a coin wins, or the player keeps half a unit or tosses on, and takes a win or leaves it."""

WIN, KEEP, GO = ("win", "1/2", "3"), ("keep", "1/2", "1/2"), (("win", "3/4", "3"), ("lose", "1/4", "-1"))


@pytest.mark.parametrize(
    ("keep", "takes", "swapped", "outcomes", "wrong"),
    [
        ("1/2", ("go", "take"), (), GO, ""),
        ("-1", ("go", "take"), ("bet=win", "bet=lose"), (("lose", "1", "-1"),), ""),
        ("1", ("keep", ""), (), (WIN, ("keep", "1/2", "1")), ""),
        ("1/2", ("keep", ""), (), (WIN, KEEP), "player, x: keep is not best"),
        ("1/2", ("", ""), (), (("win", "1/2", "1/2"), WIN), "bet under main-optimal"),
        ("1/2", ("", ""), ("0,end,bet=win\n", "0,end,bet=keep bet=win\n"), (WIN, KEEP), "settled twice"),
        ("1/2", ("go", "take"), ("1,end,bet=lose\n", "1,end,\n"), GO, "settled twice, or never"),
    ],
)
def test_what_is_best_is_proved_where_the_table_names_nothing_and_every_wager_is_settled_once(
    keep, takes, swapped, outcomes, wrong
):
    checker = runpy.run_path(str(TEMPLATE))
    table = STAGES.replace(*swapped) if swapped else STAGES
    files = {
        "data/automaton-pieces.csv": "piece,face,shows,items,put_back\ncoin,0,head,1,yes\ncoin,1,tail,1,yes",
        "data/automaton-pays.csv": f"wager,outcome,net,staked\nbet,keep,{keep},1\nbet,win,3,1\nbet,lose,-1,1",
        "data/automaton-decisions.csv": "decision,seat,sees,main-optimal\n"
        + "".join(f"decision-{n},player,x,{option}\n" for n, option in enumerate(takes)),
        "data/automaton.csv": f"state,waits,moves,next,settled\n{table}",
    }
    figures = {
        "outcomes": [dict(zip(("outcome", "probability", "net"), one, strict=True)) for one in outcomes],
        "hit_frequency": str(sum(Fraction(often) for _, often, net in outcomes if net != "-1")),
        "top_award": {"pays": f"{max(Fraction(net) for *_, net in outcomes)} to 1"},
    }
    evidence = {"wagers": [{"id": "bet"}], "analysis": {"main-optimal": {"wagers": {"bet": figures}}}}
    read = {name: text.encode() for name, text in files.items()}
    checker["attempt"]("automaton", checker["check_automaton"], read, evidence)
    said = "; ".join(checker["attempt"].__globals__["wrong"])
    assert (wrong in said, bool(said)) == (True, bool(wrong)), said

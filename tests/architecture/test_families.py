"""The house knows no game by name: one folder a family, and nothing of it elsewhere."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType

import grimp
import pytest
from representatives import one_each

from certify.families import BUILT_IN, families
from certify.families.second_text import shared_code
from certify.submission import read_game

ROOT = Path(__file__).parents[2]
PACKAGES = ("certify", "rng", "report_templates")
HOME = ROOT / "certify/families"
FOLDERS = sorted(path.parent.name for path in HOME.glob("*/family.py"))
SHARED = sorted(path.parent.name for path in HOME.glob("*/__init__.py") if path.parent.name not in FOLDERS)
GAMES = {path: tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("fixtures/*/*/game.toml")}
COMMON_WORDS = {"main", "bet", "player", "banker", "tie"} | {
    "slot", "stages", "variants", "wilds", "doubled", "jackpots", "gamble", "purchases",
}  # fmt: skip
"""Ids of wagers that are words of every game, and ids and tables that are words of other rooms and of regulations."""


NAMED_BY_STANDARDS = {"blackjack"}
"""Games that clauses of standards name, so that catalogues and their translations do."""

SPELT_SUITS = {"denari", "coppe", "spade", "bastoni", "oros", "copas", "espadas", "bastos"}

CLAUSES = ("certify/clauses/catalogues/", "certify/messages/texts/")
"""Where clauses stand, and what they say in other languages."""


def id_of(folder: str) -> str:
    """Returns the id of the family of a folder."""
    texts = "".join(path.read_text("utf-8") for path in (HOME / folder).glob("*.py"))
    (found,) = re.findall(r'^FAMILY_ID: Final = "(.+)"$', texts, re.M)
    return found


def names_of(folder: str) -> set[str]:
    """Returns what only a family's own code may name: its ids, its tables, the suits of its cards."""
    family = families()[id_of(folder)]
    suits = {
        suit
        for game in GAMES.values()
        if game["game"]["family"] == family.id
        for piece in (*([game["deck"]] if "deck" in game else ()), *game.get("equipment", ()))
        for suit in piece.get("suits", ())
        if suit not in {"diamonds", "hearts", "spades", "clubs"}
    }
    return {folder, family.id, *family.rules.wager_ids, *family.rules.tables, *suits} - COMMON_WORDS


def said_in(path: Path) -> str:
    """Returns what a file says to a machine: for Python its names and texts without docstrings and comments."""
    text = path.read_text("utf-8")
    # Compiled so, texts that stand by themselves are gone; what asserts say goes too, and the code has none.
    return "\n".join(_said(compile(text, path, "exec", optimize=2))) if path.suffix == ".py" else text


def _said(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, CodeType):
        yield from (value.co_name, *value.co_names, *value.co_varnames, *value.co_cellvars)
        value = value.co_consts
    if isinstance(value, tuple | frozenset):
        for part in value:
            yield from _said(part)


@cache
def said_elsewhere() -> dict[str, str]:
    """Returns what every file of the packages says, but for those in the folders of families."""
    within = [HOME / folder for folder in (*FOLDERS, *SHARED)]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return {
        name: said_in(ROOT / name)
        for name in listed
        if (ROOT / name).suffix in {".py", ".toml", ".j2", ".css", ".js", ".json"}
        and (ROOT / name).is_file()
        and not any((ROOT / name).is_relative_to(folder) for folder in within)
    }


def test_every_family_at_hand_has_its_folder() -> None:
    assert {id_of(folder) for folder in FOLDERS} == {
        family.id for family in families().values() if family.package == BUILT_IN
    }


def test_no_family_is_loaded_that_nobody_asks_for() -> None:
    script = (
        "import sys\n"
        "from certify.families.registry import family, known_families\n"
        "known_families(), family('caribbean-stud')\n"
        "print(*(name for name in sys.modules if name.startswith('certify.families.') and name.endswith('.family')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["certify.families.caribbean_stud.family"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_of_a_family_is_named_outside_its_folder(folder: str) -> None:
    alternatives = "|".join(sorted(re.escape(name).replace(r"\-", "[-_ ]") for name in names_of(folder)))
    named = re.compile(rf"(?<![A-Za-z])({alternatives})(?![A-Za-z])", re.I)
    # The dictionary of cards as files of operators spell them knows the suits of every country, and no game.
    assert {
        f"{name}: {match[0]}"
        for name, text in said_elsewhere().items()
        for match in named.finditer(text)
        # The checker that a pack brings shares nothing with the house: it reads a submission by itself.
        if not (name == "rng/given/names.py" and match[0].lower() in SPELT_SUITS)
        and name != "report_templates/check.py"
        and not (name.startswith(CLAUSES) and match[0].lower() in NAMED_BY_STANDARDS)
    } == set()


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("certify", "rng", "report_templates", cache_dir=None)


def imported_by(package: str) -> set[tuple[str, str]]:
    graph = imports()
    inside = {package, *graph.find_descendants(package)}
    return {(module, found) for module in inside for found in graph.find_modules_directly_imported_by(module)}


@pytest.mark.parametrize("folder", FOLDERS)
def test_nobody_imports_a_family_and_families_do_not_import_each_other(folder: str) -> None:
    package = f"certify.families.{folder}"
    graph = imports()
    inside = {package, *graph.find_descendants(package)}
    assert {
        (importer, module)
        for module in inside
        for importer in graph.find_modules_that_directly_import(module)
        if importer not in inside
    } == set()


@pytest.mark.parametrize("folder", SHARED)
def test_what_families_share_knows_no_family(folder: str) -> None:
    owners = tuple(f"certify.families.{owner}." for owner in FOLDERS)
    assert {pair for pair in imported_by(f"certify.families.{folder}") if pair[1].startswith(owners)} == set()


@pytest.mark.parametrize("folder", [one for one in FOLDERS if (HOME / one / "second.py").exists()])
def test_the_second_text_of_a_family_shares_nothing_with_what_it_checks(folder: str) -> None:
    package, graph = f"certify.families.{folder}", imports()
    others = {*graph.find_descendants(package), package} - {f"{package}.second"}
    rooms = ("certify.analysis.hands", "certify.families.one_decision")
    toolkit = {module for room in rooms for module in (room, *graph.find_descendants(room))}
    assert not {pair for pair in imported_by(f"{package}.second") if pair[1] in others | toolkit}


PLAYED_FROM_THE_REFERENCE = {("blackjack", "volume")}
"""Legs that read tables made by asking the reference round; exact figures and the second text stand apart from both."""


@pytest.mark.parametrize("folder", [one for one in FOLDERS if (HOME / one / "volume/__init__.py").exists()])
@pytest.mark.parametrize(
    ("side", "forbidden"),
    [("exact", ("volume", "reference", "rulebook")), ("volume", ("exact", "reference", "rulebook"))],
)
def test_the_legs_of_a_family_settle_without_each_other(
    folder: str, side: str, forbidden: tuple[str, ...]
) -> None:
    package = f"certify.families.{folder}"
    graph = imports()
    for other in forbidden[:1] if (folder, side) in PLAYED_FROM_THE_REFERENCE else forbidden:
        target = f"{package}.{other}"
        assert target in graph.modules
        chain = graph.find_shortest_chain(f"{package}.{side}", target, as_packages=True)
        # By the registry everything is reached; a leg asks it for no settlement.
        assert chain is None or "certify.families.registry" in chain, chain


WITH_SECOND = [path for path, game in sorted(GAMES.items()) if families()[game["game"]["family"]].second]
"""Games of families that bring a second implementation."""


@pytest.mark.parametrize(
    "game",
    one_each({path: GAMES[path] for path in WITH_SECOND}, lambda game: game["game"]["family"]),
    ids=lambda path: path.parent.name,
)
def test_the_second_text_of_a_game_shares_no_code_with_the_first(game: Path) -> None:
    submission = read_game(game)
    family = submission.port
    assert family.second is not None
    first = family.text(submission).start if family.text else family.reference
    assert shared_code(first, family.second) == ()


@pytest.fixture
def without(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, list[Path]]:
    """The tree without one family's folder and its fixtures, with a game of each family that is left."""
    folder = request.param
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, tmp_path / package, copy_function=os.symlink,
            ignore=lambda where, names: [
                name for name in names
                if name == "__pycache__" or (Path(where) == HOME and name == folder)
            ],
        )  # fmt: skip
    left: dict[str, Path] = {}
    for path, game in sorted(GAMES.items()):
        if game["game"]["family"] not in {id_of(folder), *left}:
            kept = tmp_path / path.relative_to(ROOT)
            kept.parent.mkdir(parents=True)
            shutil.copy(path, kept)
            left[game["game"]["family"]] = kept
    return tmp_path, [*left.values()]


@pytest.mark.parametrize(
    "without",
    FOLDERS,
    indirect=True,
)
@pytest.mark.slow
def test_a_house_without_a_family_lints_and_analyzes_the_other_games(
    without: tuple[Path, list[Path]],
) -> None:
    tree, games = without
    assert games

    def certify(*words: object) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "certify", *map(str, words)],
            cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    certify("lint", *games)  # remarks alone leave with 0, and say nothing of mistakes
    quick = sorted(games, key=lambda game: "big-six" not in str(game))[0]
    assert "exactly" in certify("analyze", quick)
    script = (
        "import pkgutil, importlib, certify\n"
        "for module in pkgutil.walk_packages(certify.__path__, 'certify.'):\n"
        "    if not module.name.endswith('__main__'): importlib.import_module(module.name)\n"
        "print(certify.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tree))

"""What a newcomer starts from: a family in words, a fixture with comments, the submission of a sheet, a package."""

import hashlib
import json
import keyword
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from certify import __version__
from certify.errors import InputError, Refusing, strerror
from certify.families import Family, families
from certify.kit.check import brought
from certify.kit.rule_values import RuleForm, RuleTexts
from certify.mathematics import plan_of
from certify.model import METRICS, Game, Provenance
from certify.submission import Written, game_schema, parse_game, read_blocks, written
from certify.untrusted_input import SHEET, read_bounded


@dataclass(slots=True)
class RuleForms(RuleTexts):
    """Reads no rules but how they would be read: nothing was submitted, and nothing is refused."""

    def refuse(self, name: str, message: str) -> None:
        """Takes no notice."""


def rule_forms(family: Family) -> tuple[RuleForm, ...]:
    """Returns what each rule of a family may be, in the order of its ids."""
    read = RuleForms({})
    family.rules.read(read)
    unread = RuleForm("", "text in the family's own form", "")
    return tuple(read.forms.get(name, replace(unread, id=name)) for name in family.rules.rule_ids)


def described(family: Family, games: Sequence[Game]) -> Mapping[str, Any]:
    """Returns a family as plain values: rules, wagers, tables of its own, and of each game rows and strategies.

    Args:
        family: The family.
        games: Submissions of it that are at hand: which rows are reached hangs on rules and equipment.
    """
    rules = family.rules
    return {
        "id": family.id,
        "version": family.version,
        "title": family.title,
        "from": family.package,
        "brings": list(brought(family)),
        "rules": [
            asdict(one) | {"required": one.id not in rules.optional_rules} for one in rule_forms(family)
        ],
        "wagers": list(rules.wager_ids),
        "bankers": list(rules.bankers),
        "tables": [
            {
                "table": name,
                "keys": [one.name for one in fields(table.form)],
                "many": table.many,
                "required": table.required,
            }
            for name, table in rules.tables.items()
        ],
        "games": [_game(family, game) for game in games],
    }


def _game(family: Family, game: Game) -> Mapping[str, Any]:
    plan = plan_of(game)
    return {
        "game": game.id,
        "file": game.path,
        "wagers": {
            wager.id: {
                "paid": list(family.rules.paid_rows(game, wager.id)),
                "reached": list(family.rules.reachable_rows(game, wager.id)),
            }
            for wager in game.wagers
        },
        "strategies": list(plan.names),
        "banks": list(plan.banks),
    }


_SHEET_HEAD: Final = """\
# Made from {files} by `certify import-par`. Defaults used because the sheet does not state them: supplier, limits and
# terms below; check them.
schema = "certify-game/1"
rules = []

[game]
id = "{id}"
title = "{title}"
version = "1.0.0"
family = "{family}"
supplier = "Name of the supplier"
banked_by = "house"

[[wagers]]
id = "main"
title = "Total bet"
description = "One paid round with everything that it leads to"
limits = {{ minimum = "0.10", maximum = "100.00", currency = "EUR", provenance = "adopted", by = "reading/limits" }}

[[readings]]
id = "limits"
question = "What may be staked on a round?"
adopted = "Any amount from EUR 0.10 to EUR 100.00."
because = "The spreadsheet states no limits in money."

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true
"""

_SOURCE: Final = """
[[sources]]
id = "{id}"
title = "The spreadsheet {file}"
file = "{file}"
sha256 = "{digest}"
"""


def from_sheet(paths: Sequence[Path], name: str, family: str = "") -> Written:
    """Returns the submission that a spreadsheet states, or several together.

    Args:
        paths: Workbooks (``.xlsx``) or CSV files.
        name: Id of the game.
        family: Family that takes them; the one that takes spreadsheets where left out.

    Raises:
        InputError: One is no spreadsheet, or no such family takes one.
        SubmissionError: There are mistakes; all are listed, each with sheet and cell.
    """
    takes = {one.id: one for one in families().values() if one.sources.sheets is not None}
    chosen = takes.get(family) if family else next(iter(takes.values()), None)
    if chosen is None:
        raise InputError(f'no family "{family}" takes spreadsheets: expected one of {", ".join(takes)}')
    read = {path: read_blocks(path) for path in paths}
    told = ", ".join(path.name for path in paths)
    for path in (path for path, blocks in read.items() if not blocks):
        raise InputError(f"{path}: nothing in it: expected rows under a heading")
    blocks = [block for path in paths for block in read[path]]
    title = name.replace("-", " ").capitalize()
    head = _SHEET_HEAD.format(files=told, id=name, title=title, family=chosen.id)
    return written(blocks, chosen, head + "".join(map(_source, range(1, len(paths) + 1), paths)), told)


def _source(number: int, path: Path) -> str:
    digest = hashlib.sha256(read_bounded(path, SHEET)).hexdigest()
    place = "sheet" if number == 1 else f"sheet-{number}"
    return _SOURCE.format(id=place, file=path.name.replace('"', ""), digest=digest)


_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST: Final = 60

_PLACES: Final[Mapping[str, str]] = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "gitignore.in": ".gitignore",
    "ci.yml.in": ".github/workflows/certify.yml",
    "init.py.in": "src/{module}/__init__.py",
    "second.py.in": "src/{module}/second.py",
    "rules.txt.in": "games/rules.txt",
    "game.toml.in": "games/game.toml",
    "test_family.py.in": "tests/test_family.py",
}
"""Where each template is written."""


_DEPENDS_ON: Final[Mapping[str, str]] = {
    "certify": f"=={__version__}",
    "pytest": ">=8.4,<10",
    "hatchling": ">=1.27,<2",
}
"""What a new package depends on, with the versions that serve where none is at hand."""


def check_name(name: str) -> str:
    """Returns the module of a family with a name.

    Raises:
        InputError: The name is of the wrong form, or taken.

    >>> check_name("lucky-wheel")
    'lucky_wheel'
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise InputError(f'name "{name}": expected lower-case words with hyphens, such as lucky-wheel')
    if name in families():
        raise InputError(
            f'name "{name}": there is a family of that id already, of {families()[name].package}'
        )
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module) is not None:
        raise InputError(
            f'name "{name}": {module} is the name of another module of Python, expected one of its own'
        )
    return module


def package_files(name: str) -> Mapping[str, str]:
    """Returns the files of the package of a new family, by their places.

    Raises:
        InputError: The name is of the wrong form, or taken.
    """
    module = check_name(name)
    title = name.replace("-", " ").capitalize()
    said = {"NAME": name, "MODULE": module, "TITLE": title, **_pinned()}
    folder = files("certify.kit") / "template"
    texts = {file: _filled((folder / file).read_text("utf-8"), said) for file in _PLACES}
    digest = hashlib.sha256(texts["rules.txt.in"].encode()).hexdigest()
    texts["game.toml.in"] = texts["game.toml.in"].replace("@SHA256@", digest)
    return {place.format(module=module): texts[file] for file, place in _PLACES.items()}


def _pinned() -> Mapping[str, str]:
    """Returns the requirement of each package that a family depends on: the version at hand, and no other."""
    found = {}
    for package, otherwise in _DEPENDS_ON.items():
        try:
            stated = f"{package}=={version(package)}"
        except PackageNotFoundError:
            stated = f"{package}{otherwise}"
        found[package.upper()] = f'"{stated}"'
    return found


def _filled(text: str, said: Mapping[str, str]) -> str:
    for key, value in said.items():
        text = text.replace(f"@{key}@", value)
    return text


def write_package(name: str, out: Path) -> tuple[str, ...]:
    """Writes the package of a new family into a new folder, whole or not at all; returns the names of its files.

    Raises:
        InputError: The name is of the wrong form or taken, or the folder is there already or cannot be made.
    """
    return write_folder(package_files(name), out)


def write_folder(contents: Mapping[str, str], out: Path, secret: str = "") -> tuple[str, ...]:
    """Writes a new folder, whole or not at all; returns the names of its files.

    Args:
        contents: Text of each file by its place in the folder.
        out: The folder, which must not hold anything yet.
        secret: A file that nobody but its owner may read.

    Raises:
        InputError: The folder is there already and holds something, or cannot be made.
    """
    require_new(out)
    target = out.absolute()
    with Refusing(OSError, InputError, f"{out} cannot be written", words=strerror):
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            fresh = Path(scratch, "new")
            for place, text in contents.items():
                path = fresh / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(0o600 if place == secret else 0o666)
                path.write_text(text, "utf-8")
            if target.exists():
                target.rmdir()
            fresh.rename(target)
    return tuple(contents)


def require_new(out: Path) -> None:
    """Refuses a folder that is there already and holds something.

    Raises:
        InputError: It is.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"{out} is there already and holds something: expected a new folder, nothing was written"
        )


SCHEMA_FILE: Final = "game.schema.json"

_HEAD: Final = """\
#:schema ./{schema}
# A submission to start from, made from "{title}" ({like}).
# Change what your rules screen prints; `certify lint .` says with its line what is then missing or wrong.
# What is printed is stated as it is printed. What is not printed and had to be chosen says so:
# provenance = "adopted" with by = "reading/ID" of a [[readings]] below; a pay that nobody prints is left out.
"""

_ABOUT: Final[Mapping[str, str]] = {
    "[game]": "What is submitted, in which version, and which family knows how it is played.",
    "[deck]": "One shoe of cards; value of each rank where the family counts points.",
    "[[equipment]]": "What chance is drawn from: shoe, wheel, dice, reel or balls; draws = the most of a whole round.",
    "[[claims]]": 'A figure that the source prints, exactly as printed: rounding is to nearest, or "truncated".\n'
    f"Metrics: {', '.join(METRICS)}.",
    "[terms]": "Promises about the life of a round; a round is exercised at every point to see them kept.",
    "[terms.printed]": "The sentence of the source behind each of them.",
    "[[sources]]": "Every text that the submission rests on, with the SHA-256 of its file.",
    "[[readings]]": "What the source leaves open, how it is read, and why.",
    "[[printed_counts]]": "A count or share of hands that the source prints.",
    "[[printed_rows]]": "A row of a printed table of outcomes.",
    "[[strategy_cards]]": "How to play, as the source prints it.",
}
"""What is stated above the first table of each kind."""

_TABLE: Final = re.compile(r"^(\[\[?[a-z_.]+\]?\])\s*(?:#.*)?$")
_ID: Final = re.compile(r'^(?:id|wager) = "([^"]*)"')
_NOTHING_PRINTED: Final = (
    "Put here what the rules screen prints, word for word, and its digest into game.toml.\n"
)

_FOLDERS: Final = ("games", "slots")
"""Folders of submissions: those that a whole certification is held for, and sheets of slots."""


def fixtures() -> Mapping[str, Path]:
    """Returns the submissions that come with this software, by their ids."""
    inside = Path(str(files("certify.kit")))
    above = inside if (inside / _FOLDERS[0]).is_dir() else Path(__file__).parents[2] / "fixtures"
    return {
        path.parent.name: path for folder in _FOLDERS for path in sorted((above / folder).glob("*/game.toml"))
    }


def starting_files(like: str, name: str) -> Mapping[str, str]:
    """Returns the files of a submission to start from, by their names.

    Args:
        like: Id of the fixture.
        name: Id of the new game.

    Raises:
        InputError: There is no such fixture, or the id is of the wrong form.
    """
    known = fixtures()
    if like not in known:
        # Who names a family means a game of it.
        own = [one for one, path in known.items() if f'\nfamily = "{like}"\n' in path.read_text("utf-8")]
        raise InputError(f'no game "{like}" to start from: expected one of {", ".join(own or known)}')
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name):
        raise InputError(f'id "{name}": expected lower-case words with hyphens, such as my-game')
    data = known[like].read_bytes()
    game = parse_game(data, str(known[like]))
    text = _own(data.decode("utf-8"), game, name)
    family = game.port
    head = _HEAD.format(title=game.title, like=like, schema=SCHEMA_FILE)
    text = "\n".join((head, *_commented(text, game, family)))
    # What is written is read before anybody else does.
    parse_game(text.encode(), "game.toml")
    # Editors complete and underline by the schema; a copy of it goes with the file, as no address serves one.
    schema = json.dumps(game_schema([family]), ensure_ascii=False, indent=1)
    texts = dict.fromkeys(_texts(game).values(), _text_to_replace(game))
    return {"game.toml": f"{text.strip()}\n", **texts, SCHEMA_FILE: f"{schema}\n"}


def _texts(game: Game) -> Mapping[str, str]:
    """Returns the file that takes the place of each file of the fixture's sources."""
    found: dict[str, str] = {}
    for source in game.sources:
        found.setdefault(source.file, f"{source.id}.txt")
    return found


def _text_to_replace(game: Game) -> str:
    """Returns what is in the text of a new game: the sentences that its terms quote."""
    return _NOTHING_PRINTED + "".join(f"{sentence}\n" for sentence in game.terms.printed.values())


def _own(text: str, game: Game, name: str) -> str:
    """Returns the text with the id, supplier and sources of a new game, and without the fixture's comments."""
    digest = hashlib.sha256(_text_to_replace(game).encode()).hexdigest()
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    text = text.replace(f'id = "{game.id}"', f'id = "{name}"', 1)
    text = text.replace(f'supplier = "{game.supplier}"', 'supplier = "Name of the supplier"', 1)
    for source in game.sources:
        text = text.replace(source.sha256, digest).replace(f'"{source.title}"', '"Name of the source"')
    for file, own in _texts(game).items():
        text = text.replace(f'file = "{file}"', f'file = "{own}"')
    return text


def _commented(text: str, game: Game, family: Family) -> Iterator[str]:
    """Yields the lines with what is to be stated above each table."""
    lines, said = text.splitlines(), set[str]()
    rules = {rule.id: rule for rule in rule_forms(family)}
    for place, line in enumerate(lines):
        found = _TABLE.match(line)
        if found is None:
            yield line
            continue
        table = found[1]
        named = next((one[1] for after in lines[place + 1 :] if (one := _ID.match(after))), "")
        about = "" if table in said else _ABOUT.get(table, _of_family(table, family))
        said.add(table)
        yield from (f"# {part}" for part in about.splitlines())
        if table == "[[rules]]" and named in rules:
            yield f"# {rules[named].values}"
        if table == "[[wagers]]" and "paytable" not in family.form.derives:
            yield from _rows(game, family, named)
        yield line


def _of_family(table: str, family: Family) -> str:
    name = table.strip("[]")
    if name == "rules":
        return "The rules of play as parameters; above each, the values that it takes."
    if name == "wagers":
        kinds = ", ".join(f'"{one}"' for one in Provenance)
        return f"What can be bet on, the main wager first, with limits; provenance is one of {kinds}."
    if name not in family.rules.tables:
        return ""
    # What the form of a table says of it, and which keys it takes.
    form = family.rules.tables[name].form
    about, _, said = (form.__doc__ or "").replace("``", "").partition("\n")
    # A form without a docstring gets its signature as one.
    about = "" if about.startswith(f"{form.__name__}(") else f"{about}\n"
    if "Args:" in said:
        # The form says of each key what it states: whoever begins reads it where the key is.
        return about + "\n".join(line.strip() for line in said.partition("Args:")[2].strip().splitlines())
    keys = ", ".join(field.name for field in fields(form))
    return f"{about}Keys: {keys}."


def _rows(game: Game, family: Family, wager: str) -> Iterator[str]:
    paid = family.rules.paid_rows(game, wager)
    lost = [row for row in family.rules.reachable_rows(game, wager) if row not in paid]
    yield f"# Rows that a paytable must pay: {', '.join(paid) or 'none'}."
    if lost:
        yield f"# Rows without a pay: {', '.join(lost)}."

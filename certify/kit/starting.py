"""A submission to start from: one of the fixtures with comments that say what each part states and may be."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.families.port import Family
from certify.families.registry import family_of
from certify.kit.described import rule_forms
from certify.model.claims import METRICS
from certify.model.game import Game, Provenance
from certify.submission import parse_game

_HEAD: Final = """\
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
"""What is said above the first table of each kind."""

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
    text = "\n".join((_HEAD.format(title=game.title, like=like), *_commented(text, game, family_of(game))))
    # What is written is read before anybody else does.
    parse_game(text.encode(), "game.toml")
    return {"game.toml": f"{text.strip()}\n", **dict.fromkeys(_texts(game).values(), _NOTHING_PRINTED)}


def _texts(game: Game) -> Mapping[str, str]:
    """Returns the file that takes the place of each file of the fixture's sources."""
    found: dict[str, str] = {}
    for source in game.sources:
        found.setdefault(source.file, f"{source.id}.txt")
    return found


def _own(text: str, game: Game, name: str) -> str:
    """Returns the text with the id, supplier and sources of a new game, and without the fixture's comments."""
    digest = hashlib.sha256(_NOTHING_PRINTED.encode()).hexdigest()
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    text = text.replace(f'id = "{game.id}"', f'id = "{name}"', 1)
    text = text.replace(f'supplier = "{game.supplier}"', 'supplier = "Name of the supplier"', 1)
    for source in game.sources:
        text = text.replace(source.sha256, digest)
    for file, own in _texts(game).items():
        text = text.replace(f'file = "{file}"', f'file = "{own}"')
    return text


def _commented(text: str, game: Game, family: Family) -> Iterator[str]:
    """Yields the lines with what is to be said above each table."""
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
        if table == "[[wagers]]" and "paytable" not in family.derives:
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
    if "Args:" in said:
        # The form says of each key what it states: whoever begins reads it where the key stands.
        return "\n".join((about, *(line.strip() for line in said.partition("Args:")[2].strip().splitlines())))
    keys = ", ".join(field.name for field in dataclasses.fields(form))
    return f"{about}\nKeys: {keys}."


def _rows(game: Game, family: Family, wager: str) -> Iterator[str]:
    paid = family.rules.paid_rows(game, wager)
    lost = [row for row in family.rules.reachable_rows(game, wager) if row not in paid]
    yield f"# Rows that a paytable must pay: {', '.join(paid) or 'none'}."
    if lost:
        yield f"# Rows without a pay: {', '.join(lost)}."

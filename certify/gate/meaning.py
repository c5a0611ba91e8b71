"""What a submission says, apart from how it is written down: one fact for every value."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify.errors import InputError, Problem, SubmissionError
from certify.exact import (
    decimal_text,
    format_half_points,
    format_odds,
    parse_half_points,
    parse_odds,
    parse_percent,
)
from certify.model.game import Game
from certify.submission import parse_game
from certify.submission.locate import KeyPath, LineIndex, index_lines
from certify.submission.schema import structure

Subject = tuple[str, ...]
"""Where a fact stands, by ids instead of positions: ``("wagers", "main", "paytable", "win", "pays")``."""

POINT_RULES: Final = ("target", "dealer-stands-on")


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of a submission in its normal form, with its key in the file."""

    value: str
    key: KeyPath


@dataclass(frozen=True, slots=True)
class Submission:
    """A valid submission together with what it means.

    Args:
        path: File within its state.
        shown: The same file as messages name it.
        game: The game it describes.
        facts: Every value by where it stands.
        lines: Where each key stands in the file.
        digest: SHA-256 of the facts: equal for two files that differ in order, comments or spelling only.
        mathematics: SHA-256 of the facts that figures can depend on.
    """

    path: str
    shown: str
    game: Game
    facts: Mapping[Subject, Fact]
    lines: LineIndex
    digest: str
    mathematics: str


def read_submission(data: bytes, path: str, shown: str) -> Submission:
    """Returns a submission with its meaning.

    Raises:
        SubmissionError: The bytes contain mistakes.
    """
    game = parse_game(data, shown)
    text = data.decode("utf-8")
    submitted, _ = structure(tomllib.loads(text))
    if submitted is None:
        raise SubmissionError([Problem(shown, 0, "cannot be structured")])
    facts = dict(_facts(submitted, (), ()))
    return Submission(
        path, shown, game, facts, index_lines(text), _digest(facts), _digest(_mathematics(facts))
    )


def _mathematics(facts: Mapping[Subject, Fact]) -> dict[Subject, Fact]:
    """Returns the facts that figures can depend on: all of deck, rules and wagers but their words."""
    words = ("title", "description", "provenance", "by", "unique")
    return {
        subject: fact
        for subject, fact in facts.items()
        if subject == ("game", "family")
        or (subject[0] in ("deck", "matta", "rules", "wagers") and subject[-1] not in words)
    }


def _digest(facts: Mapping[Subject, Fact]) -> str:
    """Returns one digest over all facts in the order of their subjects."""
    listed = sorted(([*subject], fact.value) for subject, fact in facts.items())
    text = json.dumps(listed, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _facts(value: Any, subject: Subject, key: KeyPath) -> Iterator[tuple[Subject, Fact]]:
    """Yields every value below a key; tables of a list are named by their id, not their position."""
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _facts(item, (*subject, str(name)), (*key, str(name)))
    elif isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
        seen: dict[Subject, int] = {}
        for position, item in enumerate(value):
            name = _name(item)
            seen[name] = seen.get(name, 0) + 1
            again = (f"#{seen[name]}",) if seen[name] > 1 else ()
            yield from _facts(item, (*subject, *name, *again), (*key, position))
    elif isinstance(value, list):
        if value:
            yield subject, Fact(", ".join(str(item) for item in value), key)
    else:
        yield subject, Fact(_normal(subject, value), key)


def _name(item: Any) -> Subject:
    """Returns what names a table of a list: its id or label, or what a claim is about."""
    if hasattr(item, "id"):
        return (item.id,)
    if hasattr(item, "label"):
        return (item.label,)
    return (item.wager, item.metric)


def _normal(subject: Subject, value: object) -> str:
    """Returns a value in the form in which equal meanings are equal texts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    match subject:
        case ("wagers", _, "paytable", _, "pays"):
            return _rewritten(text, lambda: format_odds(parse_odds(text)))
        case ("rules", name, "value") if name in POINT_RULES:
            return _rewritten(text, lambda: format_half_points(parse_half_points(text)))
        case ("deck", "values", _):
            return _rewritten(text, lambda: format_half_points(parse_half_points(text)))
        case ("claims", *_, "printed"):
            return _rewritten(text, lambda: _percent(text))
    return text


def _percent(text: str) -> str:
    printed = parse_percent(text)
    return f"{decimal_text(printed.value * 100, printed.places)} %"


def _rewritten(text: str, rewrite: Callable[[], str]) -> str:
    """Returns a text rewritten, or as it is where that cannot be done; its reader has judged it already."""
    try:
        return rewrite()
    except InputError:
        return text

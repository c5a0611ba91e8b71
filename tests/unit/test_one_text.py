"""What rests on one text is said: in what is shared, in what is independent and as a condition of the certificate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from certify.certification import findings
from certify.families.port import Family
from certify.families.registry import family_of
from certify.kit.run import missing
from certify.simulation import interning
from certify.submission import read_game

GAME = read_game(Path("fixtures/games/siete-y-media/game.toml"))


def family(*, text: bool, second: bool, own: bool = False) -> Family:
    """A family that brings its game as a text, alone or checked."""
    known = family_of(GAME)
    stands_for: Any = object()
    return replace(
        known,
        text=stands_for if text else None,
        second=stands_for if second else None,
        exact=known.exact if own else None,
        volume=None if text else known.volume,
    )


@pytest.mark.parametrize(
    ("brought", "titles"),
    [
        (family(text=True, second=False), ["finding.one-implementation.title"]),
        (family(text=True, second=True), []),
        (family(text=True, second=False, own=True), []),
        (replace(family(text=False, second=False), volume=None), ["finding.one-implementation.title"]),
    ],
    ids=["one text", "two texts", "one text and own counting", "neither"],
)
def test_one_text_alone_is_a_condition(
    monkeypatch: pytest.MonkeyPatch, brought: Family, titles: list[str]
) -> None:
    monkeypatch.setattr(findings, "family_of", lambda game: brought)
    found = list(findings._one_implementation(SimpleNamespace(game=GAME)))  # type: ignore[arg-type]
    assert [str(one.title.id) for one in found] == titles
    assert [one.status for one in found] == ["condition"] * len(titles)
    assert [one.condition for one in missing(brought) if one.condition] == [True] * len(titles)


def test_what_is_derived_says_that_it_shares_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert interning.TEXT not in interning.shared_code(GAME)
    assert interning.SECOND_TEXT not in interning.independent_code(GAME)
    monkeypatch.setattr(interning, "family_of", lambda game: family(text=True, second=True))
    assert interning.shared_code(GAME)[0] == interning.TEXT
    assert interning.SECOND_TEXT in interning.independent_code(GAME)
    monkeypatch.setattr(interning, "family_of", lambda game: family(text=True, second=False))
    assert interning.SECOND_TEXT not in interning.independent_code(GAME)


@pytest.mark.parametrize("name", ["three-card-poker", "caribbean-stud", "jacks-or-better-9-6"])
def test_a_play_through_that_rests_on_the_text_of_its_family_says_so(name: str) -> None:
    game = read_game(Path("fixtures/games") / name / "game.toml")
    assert "toolkit of hands" in interning.shared_code(game)[0]
    assert any("second text" in one for one in interning.independent_code(game))

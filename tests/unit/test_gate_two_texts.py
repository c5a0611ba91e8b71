"""What the gate says of the texts of a family whose code is another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from certify.certification.texts import texts_of
from certify.gate.compare import _texts
from certify.mathematics import analyze
from certify.submission import read_game

PATH = Path("fixtures/games/big-six/game.toml")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        (
            {"second": None},
            [("second-text-missing", "brings no second text: nothing checks what it settles")],
        ),
        ({"shared": ("one.rank", "two.rank")}, [("second-text-missing", "both rest on one.rank, two.rank")]),
        (
            {"differing": 3, "differences": ("on 7",), "shared": ("one.rank",)},
            [
                ("second-text-missing", "both rest on one.rank"),
                ("texts-disagree", "rounds differently: on 7"),
            ],
        ),
    ],
)
def test_a_second_text_that_goes_leans_or_disagrees_is_named(
    changed: dict[str, Any], said: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = read_game(PATH)
    whole = texts_of(game, bytes(32), analyze(game).strategy, 20)
    assert whole is not None
    monkeypatch.setattr("certify.certification.texts.texts_of", lambda *_: replace(whole, **changed))
    basis = SimpleNamespace(
        game=game, strategies=["main-optimal"], code=SimpleNamespace(sha256="a", identity="b")
    )
    after = SimpleNamespace(basis=basis, game=game, digest="00" * 32)
    builder = SimpleNamespace(change=lambda kind, subject, message: (kind, message))
    found = list(_texts(cast(Any, builder), None, cast(Any, after)))
    assert [kind for kind, _ in found] == [kind for kind, _ in said]
    assert all(words in message for (_, message), (_, words) in zip(found, said, strict=True))

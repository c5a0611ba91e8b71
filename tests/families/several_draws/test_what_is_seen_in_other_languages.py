"""What a seat sees is told in the language of the report: the words of the language, not the names of the game."""

from __future__ import annotations

import pytest

from certify.families.registry import families
from certify.messages import translated
from certify.messages.speech import speaking

SEEN = (
    "nothing",
    "first lowest 4, highest A",
    "four: player with board Q 10 7 6 suited",
    "one: player 9; 1 on third",
)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("it", ("nulla", "più bassa 4, più alta A", "6 dello stesso seme", "player 9; 1 su third")),
        ("es", ("nada", "más baja 4, más alta A", "6 del mismo palo", "player 9; 1 sobre third")),
        ("fr", ("rien", "plus basse 4, plus haute A", "6 de même couleur", "1 sur third")),
    ],
)
def test_what_a_seat_sees_is_told_in_the_language_of_the_report(language: str, told: tuple[str, ...]) -> None:
    assert "several-draws" in families()
    with speaking(language, "several-draws"):
        for seen, expected in zip(SEEN, told, strict=True):
            assert translated(seen).endswith(expected)

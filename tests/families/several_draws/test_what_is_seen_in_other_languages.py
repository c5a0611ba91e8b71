"""What a seat sees is told in the language of the report: the words of the language, not the names of the game."""

import pytest

from certify.families.registry import families
from certify.messages import translated
from certify.messages.speech import speaking

SEEN = (
    "whatever was dealt",
    "first lowest 4, highest A",
    "four: player with board Q 10 7 6 suited",
    "one: player 9; 1 on third",
)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "it",
            (
                "qualunque cosa sia stata distribuita",
                "più bassa 4, più alta A",
                "6 dello stesso seme",
                "player 9; 1 su third",
            ),
        ),
        (
            "es",
            (
                "se haya repartido lo que sea",
                "más baja 4, más alta A",
                "6 del mismo palo",
                "player 9; 1 sobre third",
            ),
        ),
        (
            "fr",
            ("quoi qui ait été distribué", "plus basse 4, plus haute A", "6 de même couleur", "1 sur third"),
        ),
    ],
)
def test_what_a_seat_sees_is_told_in_the_language_of_the_report(language, told):
    assert "several-draws" in families()
    with speaking(language, "several-draws"):
        for seen, expected in zip(SEEN, told, strict=True):
            assert translated(seen).endswith(expected)

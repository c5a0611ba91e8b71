"""The law of a spin against its reference step played on every draw that it can ask: covered reels, drawn factors."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from small_slots import LINES, WAYS, small

from certify.families.slot.exact.spin import spin_law
from certify.families.slot.reference import Done, SlotRound
from certify.families.slot.rules import SlotRules, rules_of

COVERS = LINES.replace('multiplies = "2"\ntogether = "multiply"', "expands = true")
EXPANDING = LINES.replace('symbol = "star"\ngames', 'symbol = "star"\nexpanding = ["a", "b"]\ngames')
HELD = '\n[[respins]]\nid = "held"\nsymbol = "wild"\nreels = [1, 2]\nstages = ["base", "free"]\n'
CASES = {
    "ways, factors drawn": WAYS,
    "covered reels": COVERS,
    "covered reels, their factors drawn": COVERS.replace(
        "expands = true", 'expands = true\nmultiplies = "2:1/2 3:1/2"'
    ),
    "covered reels in ways": WAYS.replace('multiplies = "2:1/2 3:1/2"', "expands = true"),
    "covered reels, counted with wilds": COVERS.replace("pays = [0, 1, 4]", "pays = [0, 1, 4]\nwilds = true"),
    "covered reels that are held": COVERS + HELD,
    "a symbol that expands beside them": EXPANDING.replace(
        'multiplies = "2"\ntogether = "multiply"', "expands = true"
    ),
}


def every_draw(rules: SlotRules, stage: str) -> Iterator[tuple[Fraction, Done]]:
    """Yields every way in which a spin ends, with its chance."""
    reference = SlotRound(rules, "main")
    pieces = {piece.id: piece for piece in reference.equipment}
    waiting: list[tuple[Fraction, tuple[str, ...]]] = [(Fraction(1), ())]
    while waiting:
        chance, faces = waiting.pop()
        step = reference.spin(stage)
        try:
            asked = next(step)
            for face in faces:
                asked = step.send(face)
        except StopIteration as ended:
            yield chance, ended.value
            continue
        piece = pieces[asked]
        for place, face in enumerate(piece.faces):
            waiting.append((chance * Fraction(piece.shows.count(place), piece.size), (*faces, face)))


@pytest.mark.parametrize(
    ("name", "stage"),
    # Of reels that are held the free games alone: a spin of the base game with all that follows has most draws.
    [
        pytest.param(
            name, stage, marks=[pytest.mark.slow] * ((name, stage) == ("covered reels that are held", "base"))
        )
        for name in CASES
        for stage in ("base", "free")
    ],
)
def test_the_law_of_a_spin_is_that_of_every_draw(name: str, stage: str) -> None:
    """A reel of the first case shows a star beneath the wild that covers it: the star counts where the reel stopped."""
    rules = rules_of(small(CASES[name]))
    stages = [one.id for one in rules.stages if one.id.startswith(stage)]
    assert stages or "free" not in CASES[name]
    for one in stages:
        found: dict[tuple[tuple[int, ...], Fraction], Fraction] = {}
        for chance, done in every_draw(rules, one):
            starts = tuple(dict(done.starts).get(feature.id, 0) for feature in rules.features)
            key = (starts, sum((won.coins for won in done.won), Fraction(0)))
            found[key] = found.get(key, Fraction(0)) + chance
        law = spin_law(rules, one)
        assert found == {
            (starts, Fraction(win)): Fraction(weight, law.total)
            for starts, wins in law.wins.items()
            for win, weight in wins.items()
        }

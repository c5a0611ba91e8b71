"""Hold and win: places that show a prize are held, the others drawn again: every draw tried by itself."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from small_slots import every, small

from certify.errors import SubmissionError
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.slot.exact.prizes import held_at_the_end, prize_law
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import BASE, BonusPrizes, Prize, PrizeDraws, SlotRules, Trigger, rules_of
from certify.families.slot.sheets import SlotSections
from certify.mathematics import analyze

Law = dict[Fraction, Fraction]

COINS = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["a b coin coin c", "a coin b c coin", "coin a c b b a"]

[[line_pays]]
symbol = "a"
pays = [0, 3, 10]

[[line_pays]]
symbol = "c"
pays = [0, 0, 30]

[[bonuses]]
id = "coins"
draws = "hold"
symbol = "coin"
starts = [0, 0, 2, 3, 3, 4]
places = 4
times = 2
prizes = ["0 x5", "1 x3", "5/2"]
full = "25"
"""
GAME = small(COINS)
RULES = rules_of(GAME)


def tried(bonus: BonusPrizes, held: int) -> Law:
    """Returns the chance of every sum, each draw of each open place tried by itself."""
    total = sum(one.weight for one in bonus.prizes)

    @cache
    def from_here(places: tuple[Fraction, ...], left: int) -> Law:
        if 0 not in places or not left:
            return {sum(places, Fraction(0) if 0 in places else bonus.full): Fraction(1)}
        found: Law = {}
        for drawn in product(bonus.prizes, repeat=places.count(Fraction(0))):
            chance, shown = Fraction(1), [one for one in places if one]
            for one in drawn:
                chance *= Fraction(one.weight, total)
                shown.append(one.pays)
            new = any(one.pays for one in drawn)
            for value, share in from_here(tuple(sorted(shown)), bonus.times if new else left - 1).items():
                found[value] = found.get(value, Fraction(0)) + chance * share
        return found

    showing = [one for one in bonus.prizes if one.pays]
    found: Law = {}
    for drawn in product(showing, repeat=held):
        chance = Fraction(1)
        for one in drawn:
            chance *= Fraction(one.weight, sum(prize.weight for prize in showing))
        places = (*(one.pays for one in drawn), *[Fraction(0)] * (bonus.places - held))
        for value, share in from_here(tuple(sorted(places)), bonus.times).items():
            found[value] = found.get(value, Fraction(0)) + chance * share
    return found


def every_round(rules: SlotRules) -> Law:
    """Returns the chance of every win of a round in coins, stop by stop and draw by draw."""
    (bonus,) = rules.bonuses
    law: Law = {}
    for (starts, coins), share in every(rules, BASE).items():
        held = dict(starts).get(bonus.id, 0)
        for value, chance in (tried(bonus, held) if held else {Fraction(0): Fraction(1)}).items():
            won = coins + value * rules.cost
            law[won] = law.get(won, Fraction(0)) + share * chance
    return law


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("held", [1, 2, 3, 4])
def test_the_law_is_that_of_every_draw(held: int, times: int) -> None:
    prizes = (Prize("open", Fraction(0), 5), Prize("one", Fraction(1), 3), Prize("some", Fraction(5, 2)))
    bonus = BonusPrizes(
        "b", PrizeDraws.HOLD, times, prizes, Trigger(("x",), (1,)), (), places=4, full=Fraction(25)
    )
    law = prize_law(bonus, held)
    assert law == tried(bonus, held)
    assert sum(held_at_the_end(bonus, held).values()) == sum(law.values()) == 1


@pytest.mark.parametrize("most", ["", "3", "9"])
def test_return_variance_and_limit_are_those_of_every_round(most: str) -> None:
    text = COINS.replace("[slot]", f'[slot]\nmost = "{most}"') if most else COINS
    rules, law = rules_of(small(text)), every_round(RULES)
    limit = Fraction(most) * rules.cost if most else max(law)
    mean = sum((min(won, limit) * chance for won, chance in law.items()), Fraction(0))
    second = sum((min(won, limit) ** 2 * chance for won, chance in law.items()), Fraction(0))
    figures = round_figures(rules, "main")
    assert figures.return_to_player == mean / rules.cost
    assert figures.variance == (second - mean**2) / rules.cost**2
    assert figures.odds is not None
    assert figures.odds.highest == min(max(law), limit) / rules.cost - 1
    assert figures.odds.highest_chance == sum(
        chance for won, chance in law.items() if won >= min(max(law), limit)
    )
    (award,) = [one for one in figures.awards if one.row == "coins"]
    assert award.times == sum(one.probability for one in figures.outcomes if one.id == "coins")


def test_it_is_told_as_a_player_sees_it() -> None:
    reference = family_of(GAME).reference(GAME)
    row = reference.showing("coins")  # type: ignore[attr-defined]
    told = play(reference, row, ()).trace
    assert any(
        line.startswith("coins: 2 of 4 places are held: ") or "of 4 places are held" in line for line in told
    )
    assert any(" held anew, " in line and line.endswith(" draws left") for line in told)


def test_a_feature_that_is_bought_begins_with_so_many_places_held() -> None:
    bought = '\n[[purchases]]\nid = "buy"\nfeature = "coins"\nstarts = 3\nprice = "20"\n'
    game = small(COINS + bought)
    tables = (
        SlotSections().evidence(game, {"main-optimal": analyze(game, "main-optimal")}).supplementary_tables
    )
    (table,) = [one for one in tables or () if one.id == "purchases"]
    mean = sum(value * chance for value, chance in tried(RULES.bonuses[0], 3).items())
    assert table.rows[0].figures["returned"].low == mean / 20
    with pytest.raises(SubmissionError, match="starts 5: expected 1 to 4"):
        small(COINS + bought.replace("starts = 3", "starts = 5"))


REFUSED = [
    ("places = 4", "places = 3", "4 places held at first: expected at most 3"),
    ("places = 4", "places = 41", "places 41: expected 1 to 40"),
    ("places = 4\n", "", "places 0: expected 1 to 40"),
    ('"0 x5", ', "", "one of 0"),
    ('"1 x3", "5/2"', '"0"', "prizes that are held"),
    ("times = 2", "times = 2\non_line = true", "on_line is not supported"),
    ('draws = "hold"', 'draws = "wheel"', 'expected them where draws = "hold"'),
    (
        'full = "25"',
        'full = "25"\n\n[[respins]]\nid = "held"\nsymbol = "a"\nreels = [1]',
        "windows that pay again",
    ),
]
"""What is stated, what in its place, and with which words that is refused."""

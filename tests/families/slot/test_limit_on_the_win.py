"""A limit on the win of a round with features: the exact law against rounds put together one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from small_slots import LINES, directly, small

from certify.analysis import analyze
from certify.errors import SubmissionError
from certify.families.slot.exact import limited
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import BASE, SlotRules, rules_of
from certify.families.slot.sections import SlotSections

PLAIN = LINES.replace('[[wilds]]\nsymbol = "wild"\nmultiplies = "2"\ntogether = "multiply"\n', "")
ENDS = PLAIN.replace("games = [0, 2, 4]", "games = [0, 2, 3]\nmost_games = 4")
BONUS = """
[[bonuses]]
id = "wheel"
draws = "wheel"
symbol = "c"
starts = [0, 0, 1]
prizes = ["5/2 x3", "40"]
"""
BOUGHT = '\n[[purchases]]\nid = "buy"\nfeature = "free-games"\nstarts = 2\nprice = "7"\n'


def with_limit(text: str, most: str) -> SlotRules:
    return rules_of(small(text.replace("[slot]", f'[slot]\nmost = "{most}"')))


def every_round(rules: SlotRules) -> dict[Fraction, Fraction]:
    """Returns the chance of every win of a round, without its limit, put together game by game."""
    free = rules.free_games[0]
    tables = {stage.id: directly(rules, stage.id) for stage in rules.stages}
    sums = {name: sum(table.values()) for name, table in tables.items()}

    def spin(stage: str) -> list[tuple[int, Fraction, Fraction]]:
        parts = []
        for (starts, coins), weight in tables[stage].items():
            chance = Fraction(weight, sums[stage])
            prizes = {Fraction(0): Fraction(1)}
            for bonus in rules.bonuses if "wheel" in dict(starts) else ():
                prizes = prize_law(bonus)
            games = dict(starts).get(free.id, 0)
            parts += [(games, coins + prize * rules.cost, chance * share) for prize, share in prizes.items()]
        return parts

    def series(left: int, granted: int) -> dict[Fraction, Fraction]:
        if not left:
            return {Fraction(0): Fraction(1)}
        found: dict[Fraction, Fraction] = {}
        for games, coins, chance in spin("free"):
            more = min(games, free.most_games - granted)
            for rest, share in series(left - 1 + more, granted + more).items():
                found[coins + rest] = found.get(coins + rest, Fraction(0)) + chance * share
        return found

    law: dict[Fraction, Fraction] = {}
    for games, coins, chance in spin(BASE):
        for rest, share in series(min(games, free.most_games), min(games, free.most_games)).items():
            law[coins + rest] = law.get(coins + rest, Fraction(0)) + chance * share
    return law


@pytest.mark.parametrize("most", ["3", "20", "40/3", "100000"])
@pytest.mark.parametrize("text", [ENDS, ENDS + BONUS], ids=["free games", "with a wheel"])
def test_the_law_of_a_limited_round_is_that_of_every_round(
    text: str, most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half of all products are made by long numbers.
    monkeypatch.setattr(limited, "FEW", 300)
    rules = with_limit(text, most)
    limit = Fraction(most) * rules.cost
    whole, paid = every_round(rules), dict[Fraction, Fraction]()
    for coins, chance in whole.items():
        net = min(coins, limit) / rules.cost - 1
        paid[net] = paid.get(net, Fraction(0)) + chance
    figures = round_figures(rules, "main")
    assert dict(figures.net) == paid
    assert figures.all_listed
    taken = [one for one in figures.awards if one.row == "limit"]
    above = {coins: chance for coins, chance in whole.items() if coins > limit}
    assert sum(one.times for one in taken) == sum(above.values())
    assert sum(one.amount for one in taken) == sum(
        (limit - coins) / rules.cost * chance for coins, chance in above.items()
    )
    assert figures.odds is not None
    assert (figures.odds.highest, figures.odds.highest_chance) == (max(paid), paid[max(paid)])


def test_a_feature_that_is_bought_is_limited_too() -> None:
    """Planted: a limit so low that a bought series always comes to less than without it."""
    asked = {}
    for most in ("1", "100000"):
        game = small((ENDS + BOUGHT).replace("[slot]", f'[slot]\nmost = "{most}"'))
        figures = SlotSections().figures(game, analyze(game, "main-optimal"))
        asked[most] = str([table for table in figures["asked"] if "purchases" in str(table)])
    assert asked["1"] != asked["100000"]


def test_a_limit_where_no_fraction_says_what_it_takes_is_refused() -> None:
    with pytest.raises(SubmissionError, match='"free-games" may go on for ever: expected most_games'):
        with_limit(PLAIN, "50")
    with pytest.raises(SubmissionError, match="no whole coins"):
        with_limit(ENDS, "1/7")

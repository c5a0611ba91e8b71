"""A limit on the win of a round with features: the exact law against rounds put together one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from small_slots import CERTAIN, LINES, every_round, small

from certify.errors import InputError, SubmissionError
from certify.families.slot.exact import limited
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.sheets import SlotSections
from certify.mathematics import analyze

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


@cache
def whole_law(text: str) -> dict[Fraction, Fraction]:
    """Returns the chance of every win of a round without its limit."""
    rules = with_limit(text, "100000")
    return every_round(rules, prizes=prize_law(rules.bonuses[0]) if rules.bonuses else CERTAIN)


@pytest.mark.parametrize("most", ["3", "20", "40/3", "100000"])
@pytest.mark.parametrize("text", [ENDS, ENDS + BONUS], ids=["free games", "with a wheel"])
def test_the_law_of_a_limited_round_is_that_of_every_round(
    text: str, most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half of all products are made by long numbers.
    monkeypatch.setattr(limited, "FEW", 300)
    rules = with_limit(text, most)
    limit = Fraction(most) * rules.cost
    whole, paid = whole_law(text), dict[Fraction, Fraction]()
    for coins, chance in whole.items():
        net = min(coins, limit) / rules.cost - 1
        paid[net] = paid.get(net, Fraction(0)) + chance
    figures = round_figures(rules, "main")
    assert dict(figures.net) == paid
    assert figures.all_listed
    taken = [one for one in figures.awards if one.row == "limit"]
    above = {coins: chance for coins, chance in whole.items() if coins > limit}
    assert sum(one.times for one in taken) == sum(above.values())
    assert sum(one.contribution for one in taken) == sum(
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
        asked[most] = str([table for table in figures["supplementary_tables"] if "purchases" in str(table)])
    assert asked["1"] != asked["100000"]


@pytest.mark.parametrize("most", ["1", "7", "40/3"])
def test_the_law_of_a_limited_round_is_exact_where_a_series_may_go_on_for_ever(
    most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "FEW", 60)
    rules = with_limit(PLAIN, most)
    figures = round_figures(rules, "main")
    paid = every_round(rules, limit=int(Fraction(most) * rules.cost))
    assert dict(figures.net) == {Fraction(won, rules.cost) - 1: chance for won, chance in paid.items()}
    assert figures.all_listed
    mean = sum(won * chance for won, chance in paid.items())
    assert (
        figures.variance == (sum(won**2 * chance for won, chance in paid.items()) - mean**2) / rules.cost**2
    )


def test_weights_of_thousands_of_digits_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python writes no whole number of more than 4,300 digits: these have twice as many."""
    monkeypatch.setattr(limited, "FEW", 0)
    long = {win: 3**18_000 + win for win in (0, 2, 3)}
    rules = with_limit(PLAIN, "1")
    made = limited._Made(rules, Fraction(rules.cost))
    part = limited.UpTo(1, 1, long)
    assert made.both(part, part).wins == {
        0: long[0] ** 2,
        2: 2 * long[0] * long[2],
        3: 2 * long[0] * long[3],
    }


def test_a_limit_where_no_fraction_says_what_it_takes_is_refused() -> None:
    """Planted: two symbols grant further games and pay nothing; then only those beyond the last listed do."""
    for silent in ("pays = [0, 0, 4]", "pays = [0, 4, 0]"):
        with pytest.raises(SubmissionError, match='"free-games" may go on for ever: expected most_games'):
            with_limit(PLAIN.replace("pays = [0, 1, 4]", silent), "50")
    rules = with_limit(PLAIN, "50")
    silent_rules = replace(rules, scatter_pays=())
    with pytest.raises(InputError, match="may win nothing"):
        round_figures(silent_rules, "main")
    with pytest.raises(SubmissionError, match="no whole coins"):
        with_limit(ENDS, "1/7")


def test_a_series_without_end_below_a_limit_is_counted_to_the_last_digit() -> None:
    """One game in a hundred wins a coin and is followed by another; each other game wins 1 to 60 coins alike often."""
    rules = with_limit(PLAIN, "100000")
    made = limited._Made(rules, 60 * limited.unit_of(rules))
    parts = {0: limited.UpTo(6000, 5940, dict.fromkeys(range(1, 61), 99)), 1: limited.UpTo(100, 1, {1: 1})}
    found = made.endless(rules.free_games[0], rules.stages[1], parts)
    assert Fraction(found.wins[60], found.whole) == sum(
        (Fraction(99, 6000) * Fraction(1, 100) ** before for before in range(60)), Fraction(0)
    )

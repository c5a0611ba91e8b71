"""The highest award that a slot advertises, and how often it is won: every draw tried by itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
from small_slots import small

from certify.analysis.par_sheet import top_award_evidence
from certify.certification.exact import exact_results
from certify.clauses.checks.awards import top_odds
from certify.clauses.jurisdiction import regime_of
from certify.families.slot.exact.prizes import prize_law, prize_times
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import BonusPrizes, Prize, PrizeDraws, Trigger, rules_of
from certify.model.finding import Verdict

PRIZES = (Prize("a", Fraction(2), 2), Prize("b", Fraction(5), 3), Prize("c", Fraction(9), 1, ends=True))
STEPS = (Prize("a", Fraction(2), chance=Fraction(1, 2)), Prize("b", Fraction(5), chance=Fraction(1, 3)))


def bonus(draws: PrizeDraws, times: int, prizes: tuple[Prize, ...]) -> BonusPrizes:
    return BonusPrizes("b", draws, times, prizes, Trigger(("x",), (1,)), ())


def copies() -> list[Prize]:
    return [one for one in PRIZES for _ in range(one.weight)]


def until_the_end(order: tuple[Prize, ...]) -> tuple[Prize, ...]:
    end = next(place for place, one in enumerate(order) if one.ends)
    return order[: end + 1]


ROWS = {
    PrizeDraws.WHEEL: (2, product(copies(), repeat=2)),
    PrizeDraws.PICK: (2, permutations(copies(), 2)),
    PrizeDraws.PICK_UNTIL: (1, map(until_the_end, permutations(copies()))),
}


@pytest.mark.parametrize("draws", ROWS)
def test_prizes_and_their_sums_come_as_often_as_all_orders_say(draws: PrizeDraws) -> None:
    times, every = ROWS[draws]
    rows = list(every)
    single: dict[Fraction, Fraction] = {}
    sums: dict[Fraction, Fraction] = {}
    for row in rows:
        total = sum((one.pays for one in row), Fraction(0))
        sums[total] = sums.get(total, Fraction(0)) + Fraction(1, len(rows))
        for one in row:
            single[one.pays] = single.get(one.pays, Fraction(0)) + Fraction(1, len(rows))
    assert prize_times(bonus(draws, times, PRIZES)) == single
    assert prize_law(bonus(draws, times, PRIZES)) == sums


def test_of_a_ladder_the_last_step_won_is_the_prize() -> None:
    first, both = Fraction(1, 2) * Fraction(2, 3), Fraction(1, 6)
    assert prize_times(bonus(PrizeDraws.LADDER, 1, STEPS)) == {Fraction(2): first, Fraction(5): both}
    assert prize_law(bonus(PrizeDraws.LADDER, 1, STEPS))[Fraction(0)] == 1 - first - both


SLOT = """
[slot]
heights = [1, 1]
lines = ["11"]

[[strips]]
id = "base"
reels = ["a b x", "a b x"]

[[line_pays]]
symbol = "a"
pays = [0, 7]

[[bonuses]]
id = "vault"
draws = "wheel"
times = 1
symbol = "x"
starts = [0, 1]
prizes = ["WEIGHED", "3 x999"]
per = "bet"
"""


@pytest.mark.parametrize(
    ("weighed", "rows", "amount", "times"),
    [("50 x1", ("vault",), 50, Fraction(1, 9000)), ("5 x1", ("a-2",), 7, Fraction(1, 9))],
)
def test_a_prize_of_a_feature_is_an_award_like_a_row(
    weighed: str, rows: tuple[str, ...], amount: int, times: Fraction
) -> None:
    figures = round_figures(rules_of(small(SLOT.replace("WEIGHED", weighed))), "main")
    top = top_award_evidence(figures)
    assert (top.outcomes, top.probability) == (rows, times)
    assert figures.top is not None
    assert figures.top.amount == amount


@pytest.mark.parametrize(("others", "verdict"), [(9_999, Verdict.SATISFIED), (10_000, Verdict.NOT_SATISFIED)])
def test_a_prize_too_rare_to_be_advertised_without_its_odds_is_found(others: int, verdict: Verdict) -> None:
    # Two reels of a hundred stops start the bonus once in 10,000 rounds.
    text = SLOT.replace("a b x", "a b x" + " b" * 97).replace("WEIGHED", "50 x1")
    text = text.replace("3 x999", f"3 x{others}")
    (answer,) = top_odds(exact_results(small(text), regime_of([]), thorough=False))
    assert answer.verdict is verdict

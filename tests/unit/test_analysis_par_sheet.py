"""PAR sheets: bands, losing runs and ruin against closed forms and against every sequence of rounds."""

from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path

import pytest

from certify.analysis.par_sheet import bands, longest_losing_run, par_sheet_evidence, ruin
from certify.errors import InputError
from certify.evidence.encode import plain
from certify.mathematics import analyze, pay_sensitivities, rule_sensitivities
from certify.model.figures import Outcome, WagerFigures
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def wager(*ends):
    return WagerFigures(
        "toy",
        tuple(Outcome(f"o{i}", Fraction(pays), Fraction(chance)) for i, (pays, chance) in enumerate(ends)),
    )


FAIR = wager((1, "1/2"), (-1, "1/2"))
SKEWED = wager((3, "1/8"), (0, "1/8"), ("1/2", "1/4"), (-1, "1/2"))


def longer_run_by_looping(figures, rounds, length):
    chance = Fraction(0)
    for played in product(figures.outcomes, repeat=rounds):
        longest = run = 0
        for end in played:
            run = run + 1 if end.pays == -1 else 0
            longest = max(longest, run)
        if longest > length:
            probability = Fraction(1)
            for end in played:
                probability *= end.probability
            chance += probability
    return chance


@pytest.mark.parametrize("figures", [FAIR, SKEWED])
@pytest.mark.parametrize("rounds", [1, 3, 6])
def test_longer_losing_runs_are_as_rare_as_said(figures, rounds):
    for chance in (Fraction(1, 100), Fraction(1, 5)):
        length = longest_losing_run(figures, rounds, chance)
        assert longer_run_by_looping(figures, rounds, length) <= chance


def test_ruin_needs_a_bankroll():
    with pytest.raises(InputError, match="at least one unit"):
        ruin(FAIR, 0, 10)


def test_par_sheet_of_mano_di_poker_counts_deals():
    sheet = plain(
        par_sheet_evidence(
            analyze(GAME, "always-second-card").wager("mano-di-poker"), "always-second-card", 59280
        )
    )
    counts = {row["outcome"]: row["combinations"] for row in sheet["rows"]}
    # Ordered deals of three cards: four royal flushes in six orders; ten ranks of three of a kind, and so on.
    assert counts["royal-flush"] == str(4 * 6)
    assert counts["straight-flush"] == str(5 * 4 * 6)
    assert counts["three-of-a-kind"] == str(10 * 4 * 6)
    assert counts["flush"] == str((120 - 6) * 4 * 6)
    assert counts["straight"] == str(6 * (64 - 4) * 6)
    assert sum(Fraction(row["contribution"]) for row in sheet["rows"]) == Fraction(183, 190)
    band = next(b for b in sheet["bands"] if (b["rounds"], b["confidence"]) == (10_000, "95 %"))
    figures = analyze(GAME, "always-second-card").wager("mano-di-poker")
    assert band["high"] - band["low"] == pytest.approx(
        2 * 1.959963984540054 * figures.standard_deviation / sqrt(10_000), rel=0.05
    )
    assert 0.95 <= band["covers"] < 0.951


def test_no_band_reaches_beyond_what_a_round_can_return():
    longshot = WagerFigures(
        "w",
        (
            Outcome("award", Fraction(99_999), Fraction(1, 200_000)),
            Outcome("lose", Fraction(-1), Fraction(199_999, 200_000)),
        ),
    )
    found = bands(longshot)
    assert {band.low for band in found if band.rounds == 1000} == {0.0}
    assert all(0 <= band.low <= band.high <= 100_000 for band in found)
    # Not one award in a thousand rounds, nine times in ten and more: the band is that one result.
    few = next(band for band in found if (band.rounds, band.confidence) == (1000, "90 %"))
    assert (few.low, few.high, round(few.covers or 0, 4)) == (0.0, 0.0, 0.995)


@pytest.mark.slow
def test_raising_a_pay_moves_the_return_by_its_probability_or_more():
    for entry in pay_sensitivities(GAME):
        assert entry.same_strategy is not None
        assert entry.after >= entry.same_strategy > entry.before


@pytest.mark.slow
def test_rules_that_cannot_matter_do_not():
    changes = {(entry.wager, entry.subject): entry.delta for entry in rule_sensitivities(GAME)}
    # A dealer's first face totals ½ and draws anyway. The matta alone is 7 and could stand: but where ties lose,
    # a player below 7½ loses to 7 as to 7½, and against 7½ the dealer draws in any case.
    assert changes["main", "dealer-draws-on-first-face"] == 0
    assert changes["main", "tie"] > 0
    assert changes["main", "king-wins-against-dealer-seven-and-a-half"] < 0
    assert changes["partita-perfetta", "pair-condition"] < 0
    assert changes["partita-perfetta", "tie"] == 0

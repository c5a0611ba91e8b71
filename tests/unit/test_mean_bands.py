"""Bands of the mean are exact quantiles: against every sequence of rounds, and where the normal ones are wrong."""

from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.analysis import mean_bands as module
from certify.analysis.mean_bands import lattice_of, mean_band, sums_of, window
from certify.errors import InputError
from certify.model.figures import Outcome, WagerFigures
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"


@st.composite
def wagers(draw):
    pays = draw(st.lists(st.integers(-4, 60), min_size=1, max_size=5, unique=True))
    weights = draw(st.lists(st.integers(1, 40), min_size=len(pays), max_size=len(pays)))
    unit = draw(st.sampled_from([1, 2, 20]))
    return WagerFigures(
        "bet",
        tuple(
            Outcome(f"o{place}", Fraction(pay, unit), Fraction(weight, sum(weights)))
            for place, (pay, weight) in enumerate(zip(pays, weights, strict=True))
        ),
    )


def exactly(figures, rounds):
    """The distribution of the mean return, convolved round by round."""
    sums = {Fraction(0): Fraction(1)}
    for _ in range(rounds):
        after = {}
        for total, chance in sums.items():
            for net, step in figures.net:
                after[total + net] = after.get(total + net, Fraction(0)) + chance * step
        sums = after
    return {1 + total / rounds: chance for total, chance in sums.items()}


def between(means, low, high):
    return sum((chance for mean, chance in means.items() if low <= mean <= high), Fraction(0))


@settings(max_examples=40)
@given(wagers(), st.integers(1, 8), st.sampled_from([Fraction(9, 10), Fraction(19, 20), Fraction(99, 100)]))
def test_a_band_is_the_narrowest_that_leaves_half_of_the_rest_on_either_side(figures, rounds, confidence):
    band, means = mean_band(figures, rounds, confidence), exactly(figures, rounds)
    least, most, half = min(means), max(means), (1 - confidence) / 2
    assert band.low in means
    assert band.high in means
    slack = Fraction(1, 10**9)
    assert between(means, least, band.low) - means[band.low] <= half
    assert between(means, band.high, most) - means[band.high] <= half
    # One result further in would leave more, but for what floating point may hide.
    assert between(means, least, band.low) > half - slack
    assert between(means, band.high, most) > half - slack
    assert confidence - Fraction(1, 10**6) - slack <= band.covers <= between(means, band.low, band.high)


def ticket(picks):
    """A ticket of the fixture's keno: twenty balls of eighty, paid by how many of the picks are drawn."""
    paid = read_game(GAMES / "keno/game.toml").wager(f"pick-{picks}").paytable
    ways = {
        f"catch-{caught}": Fraction(comb(20, caught) * comb(60, picks - caught), comb(80, picks))
        for caught in range(picks + 1)
    }
    outcomes = [Outcome(row.id, row.pays, ways.pop(row.id)) for row in paid.rows]
    return WagerFigures("ticket", (*outcomes, Outcome("lose", Fraction(-1), sum(ways.values(), Fraction(0)))))


def test_the_bands_of_a_rare_award_are_not_the_normal_ones():
    figures = ticket(8)
    band = mean_band(figures, 1_000, Fraction(9, 10))
    assert 0 <= band.low < band.high < 2
    assert 0.9 <= band.covers < 0.91
    spread = 1.6448536269514722 * figures.standard_deviation / 1_000**0.5
    # The normal band reaches from -479 % to 624 %, and covers far more than it says.
    assert float(figures.return_to_player) + spread > 3 * band.high
    # After ten million rounds little is left between the two.
    late = mean_band(figures, 10**7, Fraction(9, 10))
    assert float(late.high - late.low) == pytest.approx(
        2 * 1.6448536 * figures.standard_deviation / 10**3.5, rel=0.01
    )


def test_a_normal_band_in_their_place_would_be_found_out():
    figures = WagerFigures(
        "bet",
        (
            Outcome("win", Fraction(500), Fraction(1, 1000)),
            Outcome("lose", Fraction(-1), Fraction(999, 1000)),
        ),
    )
    means, confidence = exactly(figures, 40), Fraction(99, 100)
    spread = Fraction(2.5758293035489004 * figures.standard_deviation / 40**0.5)
    centre, exact = figures.return_to_player, mean_band(figures, 40, confidence)
    assert between(means, centre - spread, centre + spread) < Fraction(97, 100)
    assert confidence <= between(means, exact.low, exact.high)


@pytest.mark.parametrize("cells", [40, 200, 1_000])
def test_results_that_are_taken_together_move_the_ends_outwards_only(cells, monkeypatch):
    figures = ticket(6)
    exact = mean_band(figures, 5_000, Fraction(19, 20))
    module._sums.cache_clear()
    monkeypatch.setattr(module, "MOST_CELLS", cells)
    loose = mean_band(figures, 5_000, Fraction(19, 20))
    module._sums.cache_clear()
    assert loose.low <= exact.low < exact.high <= loose.high
    assert loose != exact


def test_almost_nothing_lies_outside_of_a_window():
    results = lattice_of(
        WagerFigures(
            "bet",
            (Outcome("win", Fraction(35), Fraction(1, 37)), Outcome("lose", Fraction(-1), Fraction(36, 37))),
        )
    ).results
    low, high = window(results, 200)
    whole = sums_of(results, 200, 1 << 20)
    assert (low, whole.start) == (0, 0)
    assert 10 < high < 40
    assert whole.below[-1] == pytest.approx(1, abs=1e-11)


def test_no_rounds_and_certainty_are_refused():
    figures = WagerFigures("bet", (Outcome("back", Fraction(0), Fraction(1)),))
    with pytest.raises(InputError, match="0 rounds"):
        mean_band(figures, 0, Fraction(9, 10))
    with pytest.raises(InputError, match="confidence below 1"):
        mean_band(figures, 10, Fraction(1))
    assert mean_band(figures, 1_000, Fraction(9, 10)).low == 1

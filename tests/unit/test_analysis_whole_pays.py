"""PAR sheets and bands: closed forms, every sequence of rounds, and whole-number paytables counted."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import comb
from pathlib import Path

import pytest
from cli_support import refuses
from hypothesis import given, settings, strategies as st

from certify.analysis import mean_bands as module, whole_pays
from certify.analysis.engine.identify import OneLostPay
from certify.analysis.mean_bands import lattice_of, mean_band, sums_of, window
from certify.analysis.par_sheet import bands, longest_losing_run
from certify.analysis.pay_search import PayBounds, PrintedReturn, search_conclusion, search_orders
from certify.analysis.whole_pays import (
    LostRow,
    Order,
    Search,
    attained,
    count_fits,
    fitting,
    nearest,
    weighted_sum,
)
from certify.errors import InputError
from certify.exact import parse_percent
from certify.mathematics import SeekPays, rule_sensitivities
from certify.model import Origin, Outcome, Paytable, PaytableRow, Provenance, WagerFigures
from certify.submission import parse_game, read_game

ORDERED = {
    Order.ANY: lambda pays: True,
    Order.NON_INCREASING: lambda pays: list(pays) == sorted(pays, reverse=True),
    Order.DECREASING: lambda pays: list(pays) == sorted(set(pays), reverse=True),
}


def by_looping(search):
    return [pays for pays in product(*(row.pays for row in search.rows)) if ORDERED[search.order](pays)]


@st.composite
def searches(draw):
    rows = tuple(
        LostRow(
            f"row-{number}",
            Fraction(draw(st.integers(0, 12)), draw(st.sampled_from([1, 1, 7, 60]))),
            tuple(sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=6)))),
        )
        for number in range(draw(st.integers(1, 4)))
    )
    low = Fraction(draw(st.integers(-5, 400)), 7)
    width = Fraction(draw(st.integers(1, 60)), 7)
    ends = (draw(st.booleans()), draw(st.booleans()))
    return Search(rows, low, low + width, draw(st.sampled_from(list(Order))), *ends)


def fits(search, total):
    above = total >= search.low if search.low_fits else total > search.low
    return above and (total <= search.high if search.high_fits else total < search.high)


@given(searches())
def test_counts_lists_and_sums_miss_no_paytable(search):
    everything = by_looping(search)
    expected = [pays for pays in everything if fits(search, weighted_sum(search, pays))]
    assert search.tried() == len(everything)
    assert count_fits(search) == len(expected)
    assert sorted(fitting(search)) == sorted(expected)
    assert attained(search, limit=10_000) == tuple(sorted({weighted_sum(search, pays) for pays in expected}))


@given(searches())
def test_counting_one_by_one_equals_counting_by_tables(search):
    tabulated = count_fits(search)
    limit = whole_pays.SMALL_SUM
    try:
        whole_pays.SMALL_SUM = -1
        assert count_fits(search) == tabulated
    finally:
        whole_pays.SMALL_SUM = limit


@given(searches())
def test_nearest_is_the_nearest_of_all(search):
    def distance(pays):
        total = weighted_sum(search, pays)
        return max(search.low - total, total - search.high, Fraction(0))

    everything = by_looping(search)
    found = nearest(search)
    if not everything:
        assert found is None
    else:
        assert found in everything
        assert distance(found) == min(map(distance, everything))


def test_billions_are_counted_and_a_few_listed():
    rows = tuple(
        LostRow(str(weight), Fraction(weight, 2470), tuple(range(1, 501))) for weight in (1, 5, 10, 114, 90)
    )
    search = Search(rows, Fraction(2159, 2470), Fraction(2160, 2470))
    assert search.tried() == 265_661_562_600
    assert count_fits(search) == 172_247
    assert all(weighted_sum(search, pays) == Fraction(2159, 2470) for pays in islice(fitting(search), 50))


def test_rows_are_checked():
    refuses(
        InputError,
        ("lowest first", lambda: LostRow("win", Fraction(1), (3, 2))),
        ("negative", lambda: LostRow("win", Fraction(-1), (1,))),
    )


def test_a_search_for_pays_up_to_5000_is_counted_by_arithmetic_not_one_by_one(
    monkeypatch,
):
    monkeypatch.setattr(whole_pays, "MOST_COMBINATIONS", 0)
    weights = [Fraction(n, 2470) for n in (1, 3, 7, 80, 60)]
    rows = tuple(LostRow(f"row-{n}", weight, tuple(range(1, 5001))) for n, weight in enumerate(weights))
    staked = sum(weights)
    low, high = (Fraction(percent, 100_000) - staked for percent in (96_315, 96_325))
    assert count_fits(Search(rows, low, high)) == 1_626_843


def test_a_search_that_would_look_at_too_many_combinations_is_refused(
    monkeypatch,
):
    monkeypatch.setattr(whole_pays, "MOST_COMBINATIONS", 1000)
    monkeypatch.setattr(whole_pays, "SMALL_SUM", -1)
    rows = tuple(LostRow(f"row-{n}", Fraction(n + 1, 1000), tuple(range(1, 200))) for n in range(4))
    with pytest.raises(
        InputError, match=r"more than 1,000 combinations of pays of 4 rows .*, and [\d,]+ paytables fit among"
    ):
        count_fits(Search(rows, Fraction(1, 2), Fraction(6, 10)))


def test_rows_printed_from_the_likeliest_on_have_the_pays_of_rows_printed_from_the_rarest_on():
    source = (Path(__file__).parents[2] / "fixtures/games/keno/game.toml").read_text("utf-8")
    rows = re.findall(
        r'(\[\[wagers\.paytable\]\]\nid = "catch-\d"\ntitle = "\d of 4"\n)(pays = .*\n\n)', source
    )
    claim = '[[claims]]\nwager = "pick-4"\nmetric = "return-to-player"\nprinted = "91.9 %"\nsource = "figures"\n\n'
    assert len(rows) == 3
    found = []
    for order in (rows, rows[::-1]):
        text = source.replace("".join(map("".join, rows)), "\n".join(row for row, _ in order) + "\n")
        text = text.replace("[[claims]]", f"{claim}[[claims]]", 1)
        found.append(SeekPays(parse_game(text.encode(), "game.toml"))("pick-4"))
    usual, turned = found
    assert [dict(fit.pays) for fit in turned.fits] == [dict(fit.pays) for fit in usual.fits]
    # For 1, as keno prints them, the pays of the fixture and four others fit as well.
    assert [one.fits_count for one in (*usual.readings, *turned.readings)] == [4, 9, 4, 9]
    assert turned.conclusion.endswith("pays were tried in the opposite order.")


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
def test_rules_that_cannot_matter_do_not():
    changes = {(entry.wager, entry.subject): entry.delta for entry in rule_sensitivities(GAME)}
    # A dealer's first face totals ½ and draws anyway. The matta alone is 7 and could stand: but where ties lose,
    # a player below 7½ loses to 7 as to 7½, and against 7½ the dealer draws in any case.
    assert changes["main", "dealer-draws-on-first-face"] == 0
    assert changes["main", "tie"] > 0
    assert changes["main", "king-wins-against-dealer-seven-and-a-half"] < 0
    assert changes["partita-perfetta", "pair-condition"] < 0
    assert changes["partita-perfetta", "tie"] == 0


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
    refuses(
        InputError,
        ("0 rounds", lambda: mean_band(figures, 0, Fraction(9, 10))),
        ("confidence below 1", lambda: mean_band(figures, 10, Fraction(1))),
    )
    assert mean_band(figures, 1_000, Fraction(9, 10)).low == 1


def test_rows_that_are_printed_in_neither_order_of_rarity_are_tried_in_both():
    # Three rows of which the rarest is printed in the middle: brute force over all pays in either order.
    weights = (("a", Fraction(1, 10)), ("b", Fraction(1, 100)), ("c", Fraction(1, 50)))
    claim, bounds = PrintedReturn("w", "x", Fraction(1), Fraction(101, 100)), PayBounds(1, 30)
    printed, printed_for_one, by_rarity, rarity_for_one = search_orders(
        claim, "best", weights, bounds, Fraction(0)
    )
    fits = [
        pays
        for pays in product(range(31), repeat=3)
        if 1 <= sum(pay * weight for pay, (_, weight) in zip(pays, weights, strict=True)) < Fraction(101, 100)
    ]
    # Pays from 1 to 30 for 1 are 0 to 29 to 1.
    for one, rarity, low in ((printed, by_rarity, 1), (printed_for_one, rarity_for_one, 0)):
        within = [pays for pays in fits if low <= min(pays) and max(pays) < low + 30]
        assert one.fits_count == sum(a >= b >= c for a, b, c in within)
        assert rarity.fits_count == sum(b >= c >= a for a, b, c in within) != one.fits_count
    said = search_conclusion(claim, (printed, by_rarity))
    assert "pays in both orders were tried" in said
    assert "the rarest row pays most" in said


def test_pays_printed_for_one_are_customary_in_that_form():
    # 800 for 1 and 50 for 1, as video poker prints them, are 799 and 49 to 1.
    bounds = PayBounds(1, 60, {"royal": (800,)}, for_one=True)
    assert (bounds.pays("royal"), bounds.pays("pair")) == ((799,), tuple(range(60)))
    assert {49, 24, 8, 0, 25} & set(bounds.customary("pair")) == {49, 24, 8, 0}
    assert bounds.customary("royal") == (799,)


def test_a_wager_that_nothing_is_decided_for_is_searched_by_its_weights():
    game = read_game(Path(__file__).parents[2] / "fixtures/games/casino-war/game.toml")
    side = replace(
        game.wager("tie"),
        paytable=Paytable(
            tuple(
                PaytableRow(row, row, Fraction(pays), Origin(Provenance.RECOVERED, "x"))
                for row, pays in (("rare", 9), ("often", 2))
            )
        ),
    )
    claim = replace(
        game.claims[0], wager="tie", metric="return-to-player", text="60 %", printed=parse_percent("60 %")
    )
    asked = replace(game, wagers=(game.wagers[0], side), claims=(claim,))

    def best(one, wager):
        pays = one.wager(wager).paytable.pays
        return (1 + pays("rare")) / Fraction(50) + (1 + pays("often")) * Fraction(2, 15)

    (search,) = OneLostPay(best).identify(asked, "tie", PayBounds(1, 9)).readings
    fits = [
        (a, b)
        for a in range(1, 10)
        for b in range(1, a + 1)
        if Fraction(1 + a, 50) + Fraction(2 + 2 * b, 15) == Fraction(3, 5)
    ]
    assert [tuple(one.pays.values()) for one in search.fits] == fits
    assert search.weights == {"rare": Fraction(1, 50), "often": Fraction(2, 15)}

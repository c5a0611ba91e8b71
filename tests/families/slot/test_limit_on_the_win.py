"""Limits on a win, meters and awards of slots against rounds put together one by one, and published returns."""

import runpy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from pathlib import Path

import pytest
from checker_packs import TEMPLATE
from slot_rules import EVERY
from small_slots import CERTAIN, LINES, chances, every_round, small

from certify.analysis.par_sheet import top_award_evidence
from certify.certification.exact import exact_results
from certify.clauses import regime_of
from certify.clauses.checks.awards import top_odds
from certify.errors import InputError, SubmissionError
from certify.evidence.encode import plain
from certify.families import ConfigurationKind
from certify.families.slot.exact import limited, ways
from certify.families.slot.exact.port import variant_rules
from certify.families.slot.exact.prizes import (
    break_even,
    chance_at,
    long_run,
    paid_at,
    prize_law,
    prize_times,
)
from certify.families.slot.exact.round import at_least_once, round_figures
from certify.families.slot.exact.spin import SpinLaw, counted_law
from certify.families.slot.purchases import Jackpot
from certify.families.slot.rules import (
    BonusPrizes,
    Height,
    Prize,
    PrizeDraws,
    SlotRules,
    StripSet,
    SymbolCount,
    Trigger,
    rules_of,
)
from certify.gate.figure_changes import top_award
from certify.mathematics import analyze
from certify.mathematics.of_game import offered
from certify.model import Verdict, ends_of
from certify.submission import read_game

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
    return every_round(rules, prizes=chances(prize_law(rules.bonuses[0])) if rules.bonuses else CERTAIN)


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
    returned = [
        next(one.returned for one in offered(small(text)) if one.kind is ConfigurationKind.PURCHASE)
        for text in ((ENDS + BOUGHT).replace("[slot]", f'[slot]\nmost = "{most}"') for most in (1, 100000))
    ]
    assert returned[0] < returned[1]


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


# Ways of very many states, counted as arrays, against what each cell adds by itself.


MANY = EVERY["changing heights"]
# Weights of heights that bring the cycle beyond 62 bits, so that remainders to primes are kept.
LARGE = replace(
    MANY,
    strip_sets=tuple(
        StripSet(one.id, one.reels, ((Height(2, 999_983), Height(3, 99_991), Height(4, 7)),) * 5)
        for one in MANY.strip_sets
    ),
)
ALONE = replace(MANY, wilds=tuple(replace(one, alone=False) for one in MANY.wilds))
RUNS = replace(MANY, scatter_pays=tuple(replace(one, counted=SymbolCount.RUN) for one in MANY.scatter_pays))


def law(rules: SlotRules) -> SpinLaw:
    """Counts afresh, and keeps it for nobody else."""
    return counted_law.__wrapped__(rules, "base")


def adds_up(rules: SlotRules) -> bool:
    """Tells whether the weights are those of all windows, and the mean that of the symbols of each cell alone."""
    found = law(rules)
    mean = sum((one for _, one, _ in found.moments().values()), Fraction(0))
    total = sum(sum(wins.values()) for wins in found.wins.values())
    return total == found.total and mean == sum((coins for _, coins in found.shares.values()), Fraction(0))


@pytest.mark.parametrize("rules", [LARGE, ALONE, RUNS], ids=["beyond 62 bits", "wilds need others", "runs"])
def test_states_in_arrays_come_to_the_mean_of_each_cell(rules: SlotRules) -> None:
    assert adds_up(rules)


def test_a_wrong_prime_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: fewer primes than the weights need."""
    kept = ways.ManyWays.weights

    def short(self: ways.ManyWays, exact: list[int]) -> object:
        self.primes = self.primes[:1]
        return kept(self, exact)

    monkeypatch.setattr(ways.ManyWays, "weights", short)
    assert not adds_up(LARGE)


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "MOST_STATES", 100)
    with pytest.raises(InputError, match="ways are in more than 100 states"):
        law(MANY)


# Meters of jackpots: won by a row, or by an amount that they must hit by; against rounds taken one by one.


NONE = Fraction(0)


def must_hit(seed: str, by: str, increment: str) -> Jackpot:
    return Jackpot("major", "", Fraction(seed), Fraction(increment), Fraction(by))


def round_by_round(jackpot: Jackpot, meter: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Returns for each round from a meter on the chance that it wins, and what it then pays on average."""
    assert jackpot.must_hit_by is not None
    found, end = [], jackpot.must_hit_by
    at = meter
    while at < end:
        then = min(at + jackpot.increment, end)
        found.append(((then - at) / (end - meter), (at + then) / 2))
        at = then
    return found


@pytest.mark.parametrize(
    "jackpot", [must_hit("10", "14", "1/2"), must_hit("10", "14", "3/7"), must_hit("0", "5", "2")]
)
def test_the_long_run_is_that_of_a_cycle_round_by_round(jackpot: Jackpot) -> None:
    rounds = round_by_round(jackpot, jackpot.seed)
    assert sum(chance for chance, _ in rounds) == 1
    mean = sum(number * chance for number, (chance, _) in enumerate(rounds, start=1))
    paid = sum(chance * much for chance, much in rounds)
    assert long_run(jackpot, NONE) == (1 / mean, paid / mean)


@pytest.mark.parametrize("meter", ["10", "11", "27/2", "279/20"])
def test_the_next_round_is_the_first_from_a_meter(meter: str) -> None:
    jackpot, at = must_hit("10", "14", "1/2"), Fraction(meter)
    chance, much = round_by_round(jackpot, at)[0]
    assert chance_at(jackpot, at, NONE) == chance
    assert paid_at(jackpot, at, NONE) == chance * much


@pytest.mark.parametrize("returned", ["0.88", "0.95", "1.01"])
def test_at_the_break_even_meter_the_next_round_returns_its_stake(returned: str) -> None:
    jackpot, own = must_hit("350", "400", "0.002"), Fraction(returned)
    even = break_even(jackpot, own, NONE)
    if own < 1:
        assert own + paid_at(jackpot, even, NONE) == 1
        assert jackpot.seed < even < 400
    else:
        assert even == jackpot.seed


@pytest.mark.parametrize(("by", "rise"), [("50", "0.0045"), ("400", "0.002")])
@pytest.mark.parametrize("edge", ["0.06", "0.1", "0.14"])
def test_the_break_even_meter_is_the_published_target_point(by: str, rise: str, edge: str) -> None:
    """t = m (h + r) / (h + 2 r), h the edge less the rise: Wizard of Odds, Mystery Progressives on Ainsworth Slots.

    It takes the meter for one that rises by itself; a round takes half an increment more, at the most.
    """
    m, r, h = Fraction(by), Fraction(rise), Fraction(edge)
    even = break_even(must_hit("20", by, rise), 1 - h - r, NONE)
    assert 0 < m * (h + r) / (h + 2 * r) - even < r / 2


def test_a_meter_that_a_row_wins_is_even_where_it_pays_what_the_round_lacks() -> None:
    jackpot, times = Jackpot("grand", "a-3", Fraction(1000), Fraction(1, 100)), Fraction(1, 20_000)
    even = break_even(jackpot, Fraction(9, 10), times)
    assert Fraction(9, 10) + paid_at(jackpot, even, times) == 1
    assert long_run(jackpot, times) == (times, Fraction(1, 20) + Fraction(1, 100))


METERS = """
[[jackpots]]
id = "grand"
row = "a-3"
seed = "1000"
increment = "1/100"
meter = "1500"

[[jackpots]]
id = "major"
seed = "350"
increment = "0.002"
must_hit_by = "400"
meter = "390"
"""
LEAN = LINES.replace("multiplier = 3", "multiplier = 1").replace("[slot]", "[slot]\ncost = 20")


def test_the_return_at_a_stated_meter_is_a_configuration() -> None:
    figures = analyze(small(LEAN), "main-optimal").wagers[0]
    times = sum(award.times for award in figures.awards if award.row == "a-3")
    (stated,) = [one for one in offered(small(LEAN + METERS)) if one.kind is ConfigurationKind.METER]
    # The first win of a round is paid the meter, each further one its seed.
    once = at_least_once(rules_of(small(LEAN)), ("a-3",))
    known = figures.return_to_player + 1000 * times + Fraction(2, 10_000) * Fraction(390_001, 1000)
    assert (stated.returned, stated.most_returned) == tuple(known + 500 * end for end in ends_of(once))
    assert ends_of(once)[1] < times
    assert stated.variance is None
    unstated = LEAN + METERS.replace('meter = "1500"', "").replace('meter = "390"', "")
    assert ConfigurationKind.METER not in {one.kind for one in offered(small(unstated))}


def test_the_amount_that_a_meter_must_hit_by_is_not_won_whenever_the_meter_is() -> None:
    top = round_figures(rules_of(small(LEAN + METERS.replace('seed = "1000"', 'seed = "10"'))), "main").top
    assert top is not None
    assert (top.rows, top.amount, top.chances) == (("major",), 400, (0, Fraction(2, 25_001)))


REFUSED_METERS = [
    ('must_hit_by = "400"', 'must_hit_by = "350"', "above the seed"),
    ('increment = "0.002"', 'increment = "0"', "expected an increment"),
    ('must_hit_by = "400"', 'must_hit_by = "400"\nrow = "a-3"', "expected either the row"),
    ('row = "a-3"', "", "expected either the row"),
    ('meter = "390"', 'meter = "400"', "from the seed, below must_hit_by"),
    ('meter = "390"', 'meter = "349"', "from the seed, below must_hit_by"),
    ('must_hit_by = "400"', 'must_hit_by = "soon"', '"soon"'),
]
"""What is stated, what in its place, and with which words that is refused."""


# The highest award that a slot advertises, and how often it is won: every draw tried by itself.


AWARDS = (Prize("a", Fraction(2), 2), Prize("b", Fraction(5), 3), Prize("c", Fraction(9), 1, ends=True))
STEPS = (Prize("a", Fraction(2), chance=Fraction(1, 2)), Prize("b", Fraction(5), chance=Fraction(1, 3)))


def bonus(draws: PrizeDraws, times: int, prizes: tuple[Prize, ...]) -> BonusPrizes:
    return BonusPrizes("b", draws, times, prizes, Trigger(("x",), (1,)), ())


def copies() -> list[Prize]:
    return [one for one in AWARDS for _ in range(one.weight)]


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
    assert prize_times(bonus(draws, times, AWARDS)) == single
    assert chances(prize_law(bonus(draws, times, AWARDS))) == sums


def test_of_a_ladder_the_last_step_won_is_the_prize() -> None:
    first, both = Fraction(1, 2) * Fraction(2, 3), Fraction(1, 6)
    assert prize_times(bonus(PrizeDraws.LADDER, 1, STEPS)) == {Fraction(2): first, Fraction(5): both}
    assert chances(prize_law(bonus(PrizeDraws.LADDER, 1, STEPS)))[Fraction(0)] == 1 - first - both


VAULT = """
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
    figures = round_figures(rules_of(small(VAULT.replace("WEIGHED", weighed))), "main")
    top = top_award_evidence(figures)
    assert (top.outcomes, top.probability, top.expected) == (rows, times, times)
    assert figures.top is not None
    assert figures.top.amount == amount


def test_a_top_award_won_twice_in_a_round_is_one_round_with_it() -> None:
    text = VAULT.replace("WEIGHED", "50 x1").replace("times = 1", "times = 2")
    figures = round_figures(rules_of(small(text)), "main")
    top, some = top_award_evidence(figures), Fraction(1, 9) * (1 - Fraction(999, 1000) ** 2)
    assert top_award(figures).probability == some
    assert (top.probability, top.expected, top.one_in) == (some, Fraction(2, 9000), 4500)
    checker = runpy.run_path(str(TEMPLATE), run_name="check")
    for stated in (top, replace(top, one_in=1 / some)):
        checker["check_everywhere"](plain(stated), "top award")
    assert checker["wrong"] == [f": top award/one_in: the pack states {1 / some}, found here 4500"]


@pytest.mark.parametrize(("others", "verdict"), [(9_999, Verdict.SATISFIED), (10_000, Verdict.NOT_SATISFIED)])
def test_a_prize_too_rare_to_be_advertised_without_its_odds_is_found(others: int, verdict: Verdict) -> None:
    # Two reels of a hundred stops start the bonus once in 10,000 rounds.
    text = VAULT.replace("a b x", "a b x" + " b" * 97).replace("WEIGHED", "50 x1")
    text = text.replace("3 x999", f"3 x{others}")
    (answer,) = top_odds(exact_results(small(text), regime_of([]), thorough=False))
    assert answer.verdict is verdict


# Two reels of one cell: a pair of "a" stops in it, or falls into it once a pair of "c" has won below it.
FALLING = """
[slot]
heights = [1, 1]
lines = ["11"]

[[strips]]
id = "base"
reels = ["a c b:STOPS", "a c b:STOPS"]

[[line_pays]]
symbol = "a"
pays = [0, 100]

[[line_pays]]
symbol = "c"
pays = [0, 1]

[[cascades]]
multipliers = [1]
refill = "strip above"
"""


@pytest.mark.parametrize(
    ("stops", "verdict"),
    [("9998", Verdict.SATISFIED), ("9999", Verdict.INCONCLUSIVE), ("9999 b:9999", Verdict.NOT_SATISFIED)],
)
def test_an_expected_number_is_no_chance_of_a_top_award(stops: str, verdict: Verdict) -> None:
    text = FALLING.replace("STOPS", stops)
    (answer,) = top_odds(exact_results(small(text), regime_of([]), thorough=False))
    assert (answer.verdict, bool(answer.reason)) == (verdict, verdict is Verdict.INCONCLUSIVE)
    figures = round_figures(rules_of(small(text)), "main")
    printed = top_award_evidence(figures)
    assert ends_of(printed.probability) == (printed.expected / 2, printed.expected)


# Slots of published strips against the returns printed above them, to the last digit.


GAMES = {
    path.parent.name: read_game(path) for path in sorted(Path("fixtures").glob("[gs]*/slot-*/game.toml"))
}

LONG = {
    *("slot-free-games", "slot-again-by-count", "slot-unmultiplied-row"),
    *("slot-ways", "slot-expanding-wild", "slot-stacked"),
    *("slot-falling", "slot-falling-scatters", "slot-full-middle"),
}
"""Games whose cycles take more than a second."""

VARIANTS = [
    pytest.param(name, one.id, marks=[pytest.mark.slow] * (name in LONG))
    for name, game in GAMES.items()
    for one in rules_of(game).variants
]


def quick_first(names: list[str]) -> list[object]:
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in names]


@pytest.mark.parametrize("name", quick_first(list(GAMES)))
def test_the_printed_return_holds_to_its_last_digit(name: str) -> None:
    game = GAMES[name]
    (figures,) = analyze(game, "main-optimal").wagers
    (claim,) = game.claims
    assert claim.printed.places == 6
    assert claim.printed.stands_for(figures.return_to_player)
    assert sum((award.contribution for award in figures.awards), Fraction(0)) == figures.return_to_player


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_each_variant_has_its_own_printed_return(name: str, variant: str) -> None:
    rules = rules_of(GAMES[name])
    printed = next(one.printed for one in rules.variants if one.id == variant)
    figures = round_figures(variant_rules(rules, variant), "main")
    assert f"{float(100 * figures.return_to_player):.6f} %" == printed

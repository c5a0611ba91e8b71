"""Small slots of which something false was printed, and what sources print beside a return: judged exactly."""

import io
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest
from openpyxl import load_workbook
from report_evidence import REPORTS, stored
from small_slots import HEAD, LINES, every_round, small

from certify.analysis.par_sheet import par_sheet_evidence
from certify.certification.exact import _sections, exact_evidence, exact_results
from certify.certification.findings import drafts_of
from certify.certification.par_files import par_xlsx
from certify.certification.request import CONFIGURATIONS, PROFILES
from certify.certification.run import planned_campaigns
from certify.clauses import (
    ExactResults,
    PlayThrough,
    Results,
    applicabilities,
    clause_statuses,
    load_catalogue,
    regime_of,
)
from certify.clauses.checks.returns import above_floor, below_stake
from certify.clauses.registry import checks
from certify.errors import InputError, NothingCheckedError
from certify.evidence import Band, Brought, plain
from certify.families import ConfigurationKind
from certify.families.slot.exact.ends import at_least, highest_win
from certify.families.slot.exact.limited import METHOD, frequencies
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import rules_of
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import count_figures, figures_document, figures_from
from certify.gate.impact_on_returns import broken
from certify.gate.policy import GatePolicy
from certify.mathematics import analyze, exposure, further, identify, offered, played_apart, staked_of
from certify.mathematics.figures_evidence import configurations_evidence, wager_evidence
from certify.mathematics.par_tables import par_tables
from certify.mathematics.possible import NOT_FOUND, possible
from certify.messages import speaking
from certify.model import (
    RETURN,
    Claim,
    Game,
    Interval,
    Severity,
    Status,
    Verdict,
    WagerFigures,
    claimed_figure,
    ends_of,
    parse_claim,
    percent_of,
    prints_as,
)
from certify.report.chapters.mathematics import mathematics
from certify.report.chapters.returns import _bands
from certify.report.chapters.scope import _pays
from certify.report.layout import Annex
from certify.report.markup import sort_value
from certify.report.view import read_evidence
from certify.simulation import StreamDecks, compare_all, run_campaign
from certify.submission import parse_game

WHOLE_ROUNDS = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["A B S A D", "B S A D A", "S A D B A"]

[[stages]]
id = "free"
strips = "base"
multiplier = 3

[[line_pays]]
symbol = "A"
pays = [0, 1, 5]

[[line_pays]]
symbol = "B"
pays = [0, 0, 8]

[[free_games]]
id = "fg"
stage = "free"
symbol = "S"
games = [0, 0, 2, 2, 2]
again = [0, 0, 2, 2, 2]
"""


def test_win_frequency_is_that_of_whole_rounds_features_included() -> None:
    """17.670934 % by complete enumeration; 13.6 % is what the paid spin alone wins."""
    game = parse_game((HEAD + WHOLE_ROUNDS + "most_games = 5\n").encode(), "game.toml")
    figures = wager_evidence(analyze(game).wager("main"), game)
    assert figures.win_frequency == Fraction(674092650521, 3814697265625)
    assert plain(figures)["win_frequency_percent"] == "17.670934"


def test_an_endless_series_has_frequencies_between_ends_and_no_end_is_printed_as_the_value() -> None:
    game = parse_game((HEAD + WHOLE_ROUNDS).encode(), "game.toml")
    figures = analyze(game).wager("main")
    win = figures.win_frequency
    assert isinstance(win, Interval)
    assert win.lower > Fraction(17670934, 10**8)
    stated = plain(wager_evidence(figures, game))
    assert stated["win_frequency"].keys() == {"lower", "upper", "method"}
    assert "win_frequency_percent" not in stated
    assert percent_of(win, 4).count(".") == 1


def test_bands_of_an_endless_series_name_the_inequality_that_bounds_them() -> None:
    """The band of "90 %" covered 99.35 %, and was called an exact quantile."""
    game = parse_game((HEAD + WHOLE_ROUNDS).encode(), "game.toml")
    analysis = analyze(game)
    sheet = par_sheet_evidence(analysis.wager("main"), "main-optimal")
    assert {band.bound for band in sheet.bands} == {"Chebyshev's inequality"}
    assert plain(sheet)["bands"][0]["bound"] == "Chebyshev's inequality"
    tables = {table.name: table for table in par_tables(game, [analysis])}
    assert {row[-1] for row in tables["bands"].rows} == {"Chebyshev's inequality"}
    assert "Chebyshev" in dict(row[:2] for row in tables["methods"].rows)["bands"]
    (shown,) = filter(None, [_bands("Total bet", sheet, "bet")])
    assert all(cell.text.endswith(" *") for row in shown.rows for cell in row[1:4])
    assert "Chebyshev's inequality" in shown.remark


def test_pays_of_a_slot_are_for_the_stake_and_the_return_of_its_workbook_follows_them() -> None:
    """A row that pays 100 coins for one coin pays 100 for 1; "100 to 1" would return the coin besides."""
    kept, _ = read_evidence(stored(REPORTS / "slot-lines.json.xz"))
    with speaking("en", kept.item.family):
        (wager,) = mathematics(kept, Annex()).wagers
        pays = [row[1].text for row in wager.paytable.rows]
        assert {pay.split()[1] for pay in pays} == {"for"}
        assert _pays(kept.wagers[0], awarded=True) == "1 for 2 up to 500 for 1"
        assert [sort_value(pay) for pay in pays[:2]] == [
            float(Fraction(pay.replace(" for ", "/"))) for pay in pays[:2]
        ]
    game = small(LINES)
    book = load_workbook(io.BytesIO(par_xlsx(par_tables(game, [analyze(game)]), "PAR sheet")))
    assert book["pays"]["D1"].value == "Pays, for 1 (change it here: contributions and returns follow)"


def test_an_end_of_a_band_that_is_a_short_decimal_is_printed_as_it_is() -> None:
    """Floats lie outside of 94.2 % and 5.3 %, and no mean of a thousand even bets is 94.199 %."""
    band = Band(1000, "95 %", math.nextafter(0.942, 0), math.nextafter(1.053, 2))
    assert band.ends == (Fraction("0.942"), Fraction("1.053"))
    assert replace(band, low=0.1 + 0.2, high=0.942).ends == (Fraction(0.1 + 0.2), Fraction("0.942"))
    third = replace(band, low=1 / 3).ends[0]
    assert third == Fraction(1 / 3) < Fraction(1, 3)


def test_a_losing_run_counts_rounds_that_lose_money() -> None:
    """A win below the bet loses money: runs are longer than those of rounds without a win."""
    game = parse_game((HEAD + WHOLE_ROUNDS).encode(), "game.toml")
    figures = analyze(game).wager("main")
    sheet = par_sheet_evidence(figures, "main-optimal")
    dry = 1 - ends_of(figures.hit_frequency)[0]
    lost = sum((chance for net, chance in figures.listed if net < 0), Fraction(0))
    assert isinstance(sheet.loss_frequency, Interval)
    assert lost < sheet.loss_frequency.lower
    assert dry < sheet.loss_frequency.lower
    run = next(one.longest for one in sheet.losing_runs if one.rounds == 1000)
    high = sheet.loss_frequency.upper

    def longer(length: int) -> Fraction:
        return high ** (length + 1) * (1 + (999 - length) * (1 - high))

    assert longer(run) <= Fraction(1, 100) < longer(run - 1)


OFFERS = """most_games = 5

[gamble]
chance = "1/3"
multiplies = "2"
steps = 2

[[purchases]]
id = "buy"
feature = "fg"
starts = 2
price = "500"

[[bet_levels]]
id = "one-line"
lines = 1
coins = 1
cost = 30

[[jackpots]]
id = "grand"
row = "b-3"
seed = "1/1000"
increment = "1/1000"
meter = "1/500"

[[strips]]
id = "dry"
reels = ["A D D D D", "D D D D A", "D D D B D"]

[[variants]]
id = "tight"
title = "Tight strips"
strips = { base = "dry" }
"""


def test_one_configuration_of_each_kind_below_the_floor_is_refused_by_name() -> None:
    game = parse_game((HEAD + WHOLE_ROUNDS + OFFERS).encode(), "game.toml")
    kinds = set(ConfigurationKind) - {ConfigurationKind.WAGER}
    assert {one.kind for one in offered(game)} == kinds
    refused = {
        (one.subject, one.observed.partition("(")[2].rstrip(")"))
        for one in above_floor(game, Fraction(2), "")
        if one.verdict is Verdict.NOT_SATISFIED
    }
    wanted = {(one.id, str(one.kind)) for one in further(game) if one.returned < 2}
    assert refused == wanted
    assert {kind for _, kind in refused} == kinds


def test_a_meter_that_pays_more_than_is_staked_at_its_seed_is_refused() -> None:
    """At a meter as stated more may come back: what it holds above its seed was staked before."""
    tables = OFFERS.replace('seed = "1/1000"', 'seed = "1000"').replace('meter = "1/500"', 'meter = "1500"')
    game = parse_game((HEAD + WHOLE_ROUNDS + tables).encode(), "game.toml")
    above = [one for one in below_stake(game) if one.verdict is Verdict.NOT_SATISFIED]
    assert ("grand", True) in {(one.subject, "meters at their seed" in one.observed) for one in above}
    assert not [one for one in above if "meters as stated" in one.observed]
    assert _sections(game, {"main-optimal": analyze(game)}).edge.side == "player"


@pytest.mark.parametrize(
    ("tables", "asked"),
    [("", {"4.14.3"}), (OFFERS, {"4.7.1(c)", "4.7.2(c)", "4.8.5", "4.14.3"})],
    ids=["free games alone", "meter and gamble"],
)
def test_what_a_slot_has_decides_which_clauses_speak_of_it(tables: str, asked: set[str]) -> None:
    """No catalogue says of a game with a meter that it has no jackpot; nothing here is decided or dealt from cards."""
    game = parse_game((HEAD + WHOLE_ROUNDS + tables).encode(), "game.toml")
    decided = clause_statuses([load_catalogue("gli-19")], (), applicabilities(game))
    spoken = {one.number for one in decided if one.status is not Status.NOT_APPLICABLE}
    assert {"4.7.1(c)", "4.7.2(c)", "4.8.5", "4.14.3"} & spoken == asked
    assert not {"4.4.6", "4.6.4", "4.7.1(b)", "4.7.2(b)", "4.16.3(c)"} & spoken
    # A feature waits for the player to go on, so that a round may be left undecided.
    assert {"4.16.3(b)", "A.5.2(e)"} <= spoken


@pytest.mark.parametrize(
    ("chance", "verdict"), [("1/2", Verdict.SATISFIED), ("49/100", Verdict.NOT_SATISFIED)]
)
def test_a_gamble_that_does_not_return_what_is_staked_is_refused(chance: str, verdict: Verdict) -> None:
    tables = OFFERS.replace('chance = "1/3"', f'chance = "{chance}"')
    game = parse_game((HEAD + WHOLE_ROUNDS + tables).encode(), "game.toml")
    results = SimpleNamespace(game=game)
    assert {one.verdict for one in checks()["returns.gamble-even"].observe(cast(Any, results))} == {verdict}


def _certified(tables: str) -> tuple[Game, ExactResults]:
    game = parse_game((HEAD + WHOLE_ROUNDS + tables).encode(), "game.toml")
    return game, exact_results(game, regime_of(), thorough=False)


def test_a_run_over_configurations_below_the_floor_is_not_satisfied_and_names_each() -> None:
    """The finding, and so exit code 1, names every kind; pages, JSON, workbook and gate hold the same list."""
    game, results = _certified(OFFERS)
    observed = checks()["returns.floor"].observe(cast(Any, results))
    (finding,) = (one for one in drafts_of(results, observed, {"returns.floor"}, Brought()) if one.check)
    told = " ".join(str(one) for one in finding.detail)
    assert finding.severity is Severity.MAJOR
    below = {one.id for one in offered(game) if one.returned < Fraction(3, 4)}
    assert below >= {"buy", "one-line", "tight"}
    assert all(name in told for name in below)
    stated = configurations_evidence(game, results.analyses, results.exposure)
    assert [(one.id, one.kind) for one in stated] == [(one.id, str(one.kind)) for one in offered(game)]
    (sheet,) = (one for one in par_tables(game, [analyze(game)]) if one.name == "configurations")
    assert [row[0] for row in sheet.rows] == [one.id for one in stated]
    bands = exact_evidence(results, sensitivity=False).configuration_bands
    apart = played_apart(game)
    assert bands.keys() == apart.keys()
    for named, (_, analysis) in apart.items():
        returned = float(analysis.wager("main").return_to_player)
        assert all(one.low <= returned <= one.high for one in bands[named])
    counted = count_figures(basis_of(game))
    promised = {words.partition(" ")[0] for one in counted.offered for *_, words in broken(one, GatePolicy())}
    assert promised == below
    assert figures_from(figures_document(counted), basis_of(game)).offered == counted.offered


def test_floors_of_two_jurisdictions_are_judged_apart() -> None:
    """90 % of Italy was read in no primary text; 83 % of New Jersey was, and is asked of slot machines."""
    game = parse_game((HEAD + WHOLE_ROUNDS + OFFERS).encode(), "game.toml")
    results = cast(
        Any,
        SimpleNamespace(
            game=game, regime=regime_of(["italy", "new-jersey"]), analyses={"main-optimal": analyze(game)}
        ),
    )
    found = {
        check: {one.subject: one.verdict for one in checks()[check].observe(results)}
        for check in ("returns.local-floor", "returns.slot-floor")
    }
    below = {one.id for one in offered(game) if one.returned < Fraction(83, 100)}
    assert below
    for name in below:
        assert found["returns.local-floor"][name] is Verdict.INCONCLUSIVE
        assert found["returns.slot-floor"][name] is Verdict.NOT_SATISFIED


def test_what_is_offered_costs_what_the_gate_and_the_list_say() -> None:
    """A meter adds what its row wins on every line; a win that is staked twice again is four times as much."""
    game, results = _certified(OFFERS)
    found = {(one.id, one.kind): one for one in offered(game)}
    assert len({name for name, _ in found}) == len(found)
    plain_round, gamble = found["grand", ConfigurationKind.SEED], found["gamble", ConfigurationKind.GAMBLE]
    base = analyze(game).wager("main").odds
    assert base is not None
    assert base.highest is not None
    # Two lines of the paid spin, and of each free game of at most five, may win the meter: the others its seed.
    assert plain_round.most == base.highest + 12 * Fraction(1, 1000)
    bought = found["buy", ConfigurationKind.PURCHASE]
    assert gamble.most is not None
    assert bought.most is not None
    assert gamble.most == max(
        (one.most + one.price) * 4 - one.price
        for (name, kind), one in found.items()
        if one.most is not None and "/" not in name and kind in LESS
    )
    assert count_figures(basis_of(game)).exposure == max(
        results.exposure.amount, *(one.exposure(game.wagers[0].limits) or 0 for one in offered(game))
    )


LESS = (ConfigurationKind.SEED, ConfigurationKind.BET_LEVEL, ConfigurationKind.PURCHASE)


def test_no_sentence_about_one_configuration_is_said_of_all() -> None:
    """A meter that pays 258 % at its seed: nobody is told of the bank's edge, of ruin, or of what is impossible."""
    tables = OFFERS.replace('seed = "1/1000"', 'seed = "1000"').replace('meter = "1/500"', 'meter = "1500"')
    game, results = _certified(tables)
    edge = results.sections.edge
    assert edge is not None
    assert edge.sentence.startswith("The player has the edge in ")
    sheet = par_sheet_evidence(analyze(game).wager("main"), "main-optimal", staked=staked_of(game))
    assert "ruined in the long run is not stated" in sheet.long_run.sentence
    assert not [*sheet.ruin, *sheet.house_ruin, *sheet.long_run.player, *sheet.long_run.house]
    claim = Claim("main", RETURN, "96.50 %", parse_claim(RETURN, "96.50 %"), "")
    assert possible(game, claim) is NOT_FOUND
    without, _ = _certified(OFFERS.partition("[[jackpots]]")[0])
    told = possible(without, claim)
    assert (told.lowest, told.highest) == (
        min(one.returned for one in offered(without) if one.kind is not ConfigurationKind.GAMBLE),
        max(one.returned for one in offered(without) if one.kind is not ConfigurationKind.GAMBLE),
    )
    kept = par_sheet_evidence(analyze(without).wager("main"), "main-optimal", staked=staked_of(without))
    assert kept.long_run.sentence.startswith("For rounds as submitted only, and for no other")


def test_every_printed_figure_in_json_carries_its_status() -> None:
    claim = '{ wager = "main", metric = "return-to-player", printed = "96.50 %", source = "rules" }'
    head = HEAD.replace("claims = []", f"claims = [{claim}]")
    game = parse_game((head + WHOLE_ROUNDS + "most_games = 5\n").encode(), "game.toml")
    analyses = {"main-optimal": analyze(game)}
    (one,) = plain(configurations_evidence(game, analyses, exposure(game)))
    assert [claim["status"] for claim in one["claims"]] == ["not satisfied"]


@pytest.mark.parametrize(("printed", "right"), [("68.8922 %", True), ("68.8904 %", False)])
def test_a_printed_return_is_judged_with_meters_at_their_seed(printed: str, right: bool) -> None:
    """As the configuration is that it is printed next to: the figures of the round alone leave meters out."""
    game = claimed(WHOLE_ROUNDS + OFFERS, "return-to-player", printed)
    analyses = {"main-optimal": analyze(game)}
    first, *_ = configurations_evidence(game, analyses, exposure(game))
    (claim,) = first.claims
    assert (claim.holds, claim.exact) == (right, first.return_)
    assert first.return_ != analyses["main-optimal"].wager("main").return_to_player


# What sources print of a slot beside its return: judged exactly, to the printed digits, and a false one found.


ENDING = LINES.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6")


def claimed(tables: str, metric: str, printed: str, row: str = "") -> Game:
    about = f'row = "{row}"\n' if row else ""
    claim = (
        f'\n[[claims]]\nwager = "main"\nmetric = "{metric}"\nprinted = "{printed}"\nsource = "rules"\n{about}'
    )
    return parse_game((HEAD.replace("claims = []\n", "") + tables + claim).encode(), "game.toml")


def holds(game: Game) -> bool:
    (claim,) = game.claims
    (figures,) = analyze(game, "main-optimal").wagers
    return prints_as(claim, claimed_figure(claim, figures, game.wager("main").limits))


@cache
def figures() -> WagerFigures:
    return round_figures(rules_of(small(ENDING)), "main")


Printed = Callable[[WagerFigures], str]
"""What a source prints, by the figures: counted where a test needs them, not by every worker."""


def one_in(chance: Fraction) -> str:
    return f"1 in {float(1 / chance):.2f}"


TRUE: list[tuple[str, Printed, str]] = [
    ("hit-frequency", lambda one: f"{float(100 * one.hit_frequency):.4f} %", ""),
    ("odds-of-row", lambda one: one_in(one.odds_of("free-games")), "free-games"),
    ("odds-of-row", lambda one: one_in(one.odds_of("a-3")), "a-3"),
    ("odds-of-row", lambda one: one_in(one.odds_of("free/a-3")), "free/a-3"),
    ("odds-of-row", lambda one: one_in(one.odds_of("win-from-1")), "win-from-1"),
    ("odds-of-maximum-award", lambda one: one_in(one.odds_of_highest), ""),
    ("standard-deviation", lambda one: f"{one.standard_deviation:.4f}", ""),
    ("volatility-index", lambda one: f"{one.volatility_index(1.65):.3f} at 1.65", ""),
    ("volatility-index", lambda one: f"{one.volatility_index(1.6448536269514722):.3f} at 90 %", ""),
    ("volatility-class", lambda one: f"high: standard deviation from {int(one.standard_deviation)}", ""),
]


@pytest.mark.parametrize(("metric", "printed", "row"), TRUE)
def test_what_is_printed_right_holds(metric: str, printed: Printed, row: str) -> None:
    assert holds(claimed(ENDING, metric, printed(figures()), row))


@pytest.mark.parametrize(
    ("metric", "printed", "row"),
    [
        ("hit-frequency", lambda one: f"{float(100 * one.hit_frequency) + 0.0001:.4f} %", ""),
        ("odds-of-row", lambda one: one_in(one.odds_of("free-games") * Fraction(100, 101)), "free-games"),
        ("odds-of-maximum-award", lambda one: one_in(one.odds_of_highest * Fraction(100, 101)), ""),
        ("standard-deviation", lambda one: f"{one.standard_deviation + 0.0001:.4f}", ""),
        # The index at 90 % printed as if it were that at 95 %.
        ("volatility-index", lambda one: f"{one.volatility_index(1.6448536269514722):.3f} at 95 %", ""),
        (
            "volatility-class",
            lambda one: f"high: standard deviation from {int(one.standard_deviation) + 1}",
            "",
        ),
        ("maximum-award", lambda one: "100,000 x", ""),
    ],
)
def test_what_is_printed_wrong_is_found(metric: str, printed: Printed, row: str) -> None:
    assert not holds(claimed(ENDING, metric, printed(figures()), row))


def test_the_maximum_is_that_of_a_series_with_an_end() -> None:
    odds = figures().odds
    assert odds is not None
    assert odds.highest is not None
    top = odds.highest + 1
    printed = (
        f"{top.numerator * 3} for 3" if top.denominator == 1 else f"{top.numerator} for {top.denominator}"
    )
    assert holds(claimed(ENDING, "maximum-award", printed))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (("maximum-award", "5,000 x"), r'game\.toml:\d+.*the series "free-games" may go on for ever'),
        (
            ("odds-of-row", "1 in 100", "jackpot"),
            r'odds of the row "jackpot": expected a row, a feature or a band',
        ),
        (("volatility-class", "high"), "expected its name with the limits that the source gives"),
    ],
)
def test_what_nothing_can_be_counted_for_is_refused(claim: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        claimed(LINES, *claim)


def test_bands_of_whole_rounds_contain_what_is_played_out_by_hand() -> None:
    tables = LINES.replace("games = [0, 2, 4]", "games = [0, 1, 2]\nretriggers = false")
    rules = rules_of(small(tables))
    law = every_round(rules, 6)
    assert sum(law.values()) == 1
    for many, (low, high) in at_least(rules, (1, 2, 5, 10, 20)).items():
        exact = sum((chance for win, chance in law.items() if win >= many * rules.cost), Fraction(0))
        assert low <= exact <= high
        assert high - low < Fraction(1, 10**9)
    for figure, least in zip(frequencies(rules), (1, rules.cost, rules.cost + 1), strict=True):
        assert figure == sum((chance for win, chance in law.items() if win >= least), Fraction(0))
    highest = highest_win(rules)
    assert highest is not None
    assert highest.coins == max(law)
    assert highest.chance == law[max(law)]


@pytest.mark.parametrize("tables", [ENDING, LINES.replace("games = [0, 2, 4]", "games = [0, 1, 1]")])
def test_bands_and_dry_rounds_of_series_that_go_on(tables: str) -> None:
    rules = rules_of(small(tables))
    law = every_round(rules, 5)
    later = 1 - sum(law.values())
    for figure, least in zip(frequencies(rules), (1, rules.cost, rules.cost + 1), strict=True):
        low, high = ends_of(figure)
        assert 0 <= high - low < Fraction(1, 10**40)
        assert low == high or (isinstance(figure, Interval) and figure.method == METHOD)
        beneath = sum((chance for win, chance in law.items() if win < least), Fraction(0))
        assert 1 - beneath - later <= low <= high <= 1 - beneath
    low, _ = ends_of(frequencies(rules)[0])
    chances = [chance for _, chance in at_least(rules, (1, 2, 5, 10, 20, 50)).values()]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] <= low


def test_no_strip_is_sought_behind_a_printed_return() -> None:
    with pytest.raises(NothingCheckedError, match="there is nothing to search for"):
        identify(claimed(LINES, "return-to-player", "95.00 %"), "main")


def test_every_configuration_whose_round_is_another_one_is_played_by_itself() -> None:
    """Variants, bet levels and purchases of each: what is played agrees with what is counted, and not with another."""
    game, results = _certified(OFFERS)
    planned = planned_campaigns(results, PROFILES["quick"])
    apart = [one for one in planned if one.configuration]
    assert [one.configuration for one in apart] == [
        one.id
        for one in offered(game)
        if one.kind not in {ConfigurationKind.WAGER, ConfigurationKind.SEED, ConfigurationKind.METER}
    ]
    source = StreamDecks.of(game, bytes(range(32)), CONFIGURATIONS)
    for one in apart:
        played = run_campaign(one.game, one.analysis.strategy, 20_000, deal=source)
        (fair,), (wrong,) = (
            compare_all([(replace(played, strategy=by.strategy.name), by, one.game)], 0.01, {})[0]
            for by in (one.analysis, results.analyses["main-optimal"])
        )
        assert fair.verdict is Verdict.SATISFIED
        assert wrong.verdict is Verdict.NOT_SATISFIED
    exact = next(one.analysis for one in apart if one.configuration == "buy")
    more = replace(exact.strategy, bought=replace(exact.strategy.bought, starts=3))
    played = run_campaign(game, more, 20_000, deal=source)
    (refused,) = compare_all([(played, exact, game)], 0.01, {})[0]
    assert refused.verdict is Verdict.NOT_SATISFIED
    seen = SimpleNamespace(
        playthroughs=[PlayThrough(one, played, (refused,)) for one in planned], brought=Brought()
    )
    assert [one.evidence for one in checks()["simulation.outcomes-agree"].observe(cast("Results", seen))] == [
        ("/simulation/campaigns/0",),
        *((f"/simulation/configurations/{place}",) for place in range(len(apart))),
    ]

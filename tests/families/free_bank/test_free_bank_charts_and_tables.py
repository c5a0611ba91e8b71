"""Charts of both sides as files, tables beside the returns, floors and the gate: the bank plays as it likes."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cli_support import Called
from free_bank_tables import SEPT, SETTE, SETTE_RULES, game_of, path_of
from gate_support import Repository

from certify.clauses import Results, regime_of
from certify.clauses.registry import checks
from certify.errors import InputError
from certify.evidence import Basis, SupplementaryFigure, Unit, plain
from certify.evidence.read import read
from certify.families import registry
from certify.families.free_bank import supplementary_tables as tables
from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.exact import hands
from certify.families.free_bank.exact.equilibrium import bracket, equilibrium
from certify.families.free_bank.exact.hands import REALE, BankTerms
from certify.families.free_bank.exact.passing import joint, passing_rules
from certify.families.free_bank.rules import FreeBankRules, Passing, rules_of
from certify.families.free_bank.strategy import StandOn
from certify.gate.figure_changes import WagerChange
from certify.gate.impact_on_returns import above_stake, floors, returns_moved
from certify.gate.policy import GatePolicy
from certify.model import Bracket, Certainty, Limit, Outcome, WagerFigures, optimal_play
from certify.report.chapters.printed import supplementary_tables as chapter


def test_an_equilibrium_reads_back_from_its_files_with_the_same_bracket() -> None:
    found = equilibrium(SETTE, Fraction(1, 10**6))
    player = parse_chart(player_text(found.player, "mine"), "mine.toml", "player", SETTE_RULES)
    bank = parse_chart(bank_text(found.bank, "its"), "its.toml", "bank", SETTE_RULES)
    assert bracket(SETTE, player, bank) == found.bracket
    assert player_text(player, "mine") == player_text(found.player, "mine")
    assert bank_text(bank, "its") == bank_text(found.bank, "its")
    assert sorted(player.by_cards) == sorted(found.player.by_cards)
    assert sorted(map(repr, bank.by_cards)) == sorted(map(repr, found.bank.by_cards))


def test_a_chart_is_the_same_file_whatever_was_met_first() -> None:
    found = equilibrium(SETTE, Fraction(1, 10**6)).bank
    swapped = [entry for entry in found.by_cards if entry[0].swapped]
    others = [entry for entry in found.by_cards if not entry[0].swapped]
    assert swapped
    assert others
    mixed = replace(found, by_cards=(*swapped, *others))
    assert bank_text(mixed, "its") == bank_text(replace(found, by_cards=(*others, *swapped)), "its")
    again = parse_chart(bank_text(mixed, "its"), "its.toml", "bank", SETTE_RULES)
    assert bank_text(again, "its") == bank_text(mixed, "its")


HEAD = 'schema = "certify-strategy/1"\nname = "mine"\n'
PLAYER = HEAD + 'for = "player"\nstands-on = "5"\n'
BANK = HEAD + 'for = "bank"\nstands-on = "5½"\n'


@pytest.mark.parametrize(
    ("side", "text", "complaint"),
    [
        ("bank", PLAYER, "for is 'player': expected \"bank\""),
        ("player", PLAYER.replace('"5"', '"9"'), "is outside"),
        ("player", PLAYER.replace('"mine"', '"equilibrium"'), "names no built-in strategy"),
        ("player", PLAYER + '[hands]\n"3 8" = "1"\n', "no card 8"),
        ("player", PLAYER + '[hands]\n"matta matta" = "1"\n', "the deck does not hold"),
        ("player", PLAYER + '[hands]\n"7 face" = "1"\n', "leaves the player no decision"),
        ("player", PLAYER + '[hands]\n"3 A" = "1.5"\n', "is not a probability"),
        ("player", PLAYER + '[swaps]\n"5" = "1"\n', "may not be swapped"),
        ("player", PLAYER + '[splits]\n"1" = "1"\n', "know no splitting"),
        ("player", PLAYER + "[surprise]\n", "unknown keys surprise"),
        ("bank", BANK + '[open-total]\n"3" = "5; 4 face"\n', "is no exception"),
        ("bank", BANK + '[open-total]\n"3" = "5; on 4: 1; on 4: 0"\n', "stated twice"),
        ("bank", BANK + '[open-total]\n"3" = "5; swap 3: 1"\n', "the bank may not swap"),
        ("bank", BANK + '[open-cards]\n"A" = "0"\n', "is outside"),
        ("bank", BANK + 'open-total = "3"\n', "is no table of texts"),
        # A dealer who peeks: no chart can look at a covered card.
        ("bank", BANK + '[hidden]\n"7" = "7½"\n', "unknown keys hidden"),
    ],
)
def test_a_wrong_chart_is_refused_with_the_mistake(side: str, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_chart(text, "mine.toml", side, SETTE_RULES)
    assert complaint in str(refused.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(InputError) as refused:
        parse_chart(PLAYER + 'more = 1\n[hands]\n"3 9" = "2"\n', "mine.toml", "player", SETTE_RULES)
    assert len(str(refused.value).splitlines()) >= 3


# Tables beside the returns: exact, every sentence in the catalogue, and set in the report as what they rest on.


@pytest.fixture(autouse=True, scope="module")
def _catalogues() -> None:
    registry.families()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sept-et-demi", "siete-y-media"])
def test_passing_and_takers_are_exact_probabilities_and_the_adopted_rule_is_named(name: str) -> None:
    passing, takers = tables.passing_tables(game_of(name))
    takes = [row.figures["takes"].low for row in takers.rows]
    assert sum(takes) == 1
    assert {row.figures["share"].low for row in takers.rows} == {Fraction(1, 3)}
    for row in passing.rows:
        assert row.figures["passes"].low * row.figures["lasts"].low == 1
        assert 0 < row.figures["share"].low < 1
    adopted = [row.of for row in passing.rows if "(adopted)" in row.of]
    assert len(adopted) == (rules_of(game_of(name)).passing is not Passing.NEVER)


def test_every_way_of_passing_is_counted_the_adopted_one_first() -> None:
    rules = replace(SETTE.rules, passing=Passing.REALE, passes_when_bank_has_it=False)
    found = list(passing_rules(rules))
    assert found[0] == rules
    assert len(set(found)) == 4
    assert len(list(passing_rules(SEPT.rules))) == 2


def test_the_report_sets_a_figure_as_what_it_rests_on_allows() -> None:
    exact = SupplementaryFigure(Fraction(1, 3), Fraction(1, 3), Unit.STAKES, Basis.EXACT)
    wide = SupplementaryFigure(Fraction(-1, 4), Fraction(1, 4), Unit.STAKES, Basis.PLAYED)
    seldom = SupplementaryFigure(Fraction(0), Fraction(1, 5000), Unit.CHANCE, Basis.PLAYED)
    figures = {"costs": exact, "bank": wide, "ran-out": seldom}
    rows = (tables._row(tables._said("row.banker"), figures, "7 6: stand"),)
    table = tables._table("cover", ("costs", "bank", "ran-out"), rows)
    (shown,) = chapter((table,))
    assert [column.title for column in shown.columns][1:] == [
        "Costs, stakes",
        "Bank, a round",
        "Deck ran out",
    ]
    (cells,) = shown.rows
    assert cells[0].detail == "7 6: stand"
    assert [cell.text.replace("\u202f", " ") for cell in cells[1:]] == [
        "+0.333333",
        "−0.250 to +0.250",
        "0.00 % to 0.02 %",
    ]


def figures(pays: Fraction) -> WagerFigures:
    outcomes = (
        Outcome("win", pays, Fraction(1, 2)),
        Outcome("lose", Fraction(-1), Fraction(1, 2)),
    )
    low = 1 + (pays - 1) / 2
    return WagerFigures("bet", outcomes, None, Bracket(low, low + Fraction(1, 10**6)))


def test_the_gate_tells_a_moved_bracket_beside_the_effect_at_fixed_strategies() -> None:
    before, after = figures(Fraction(1)), figures(Fraction(3, 2))
    delta = WagerChange("bet", "fixed", before, after, {"equilibrium": (before, after)})
    told = {one.kind: one for one in returns_moved(delta, ("wagers", 0), GatePolicy())}
    assert told["return-changed"].before == "1"
    assert told["return-changed"].after == "5/4"
    assert told["bracket-moved"].after == "5/4 to 1250001/1000000"
    same = WagerChange("bet", "fixed", before, before, {"equilibrium": (before, before)})
    assert "bracket-moved" not in {one.kind for one in returns_moved(same, ("wagers", 0), GatePolicy())}


def test_kept_figures_of_the_gate_hold_the_bracket() -> None:
    before = figures(Fraction(1))
    assert read(WagerFigures, plain(before)) == before


@pytest.mark.slow
def test_seats_and_cover_are_the_figures_of_the_methods_page() -> None:
    cover, seats = tables.tables_of_several_seats(game_of("sept-et-demi"))
    assert [row.figures["costs"].low for row in cover.rows] == [1, 2, 3, 5, 8, 11]
    assert len(seats.rows) == 11
    exact = Fraction(8266079, 10**7) - 1
    for row in seats.rows:
        figure = row.figures["last-seat"]
        # Eleven intervals of 99 %: one of them may miss, none by its own width.
        assert figure.low - (figure.high - figure.low) < exact < figure.high + (figure.high - figure.low)


# Where the bank plays as it likes, floors and ceilings are held against what is proven, not a foolish bank.


GAME = game_of("sept-et-demi")
PAIR, FOOLISH = "equilibrium against equilibrium", "stand-on:5 against stand-on:5"
FLOOR = Fraction(3, 4)


def returning(value: Fraction, proven: Bracket | None = None, pays: str = "1") -> WagerFigures:
    win = value / (1 + Fraction(pays))
    return WagerFigures(
        "bet", (Outcome("win", Fraction(pays), win), Outcome("lose", Fraction(-1), 1 - win)), None, proven
    )


def results(low: str, high: str, foolish: str = "0.78055706", **regime: Any) -> Results:
    proven = Bracket(Fraction(low), Fraction(high))
    figures = {PAIR: returning(proven.lower, proven), FOOLISH: returning(Fraction(foolish))}
    analyses = {name: SimpleNamespace(wager=lambda _, one=one: one) for name, one in figures.items()}
    asked = replace(regime_of(), **regime) if regime else regime_of()
    return cast(Results, SimpleNamespace(game=GAME, regime=asked, analyses=analyses))


def observed(check: str, of: Results) -> tuple[str, str]:
    (one,) = checks()[check].observe(of)
    return str(one.verdict), one.observed


@pytest.mark.parametrize(
    ("check", "expected"),
    # What no rounding causes is told once, by the floor itself.
    [("returns.floor", "not satisfied"), ("returns.at-every-stake", "not applicable")],
)
def test_planted_a_good_player_against_a_foolish_bank_satisfies_no_floor(check: str, expected: str) -> None:
    verdict, words = observed(check, results("0.735182", "0.735183"))
    assert verdict == expected
    assert "between 73.518200 % and 73.518300 %" in words
    assert "78.05" not in words


@pytest.mark.parametrize(
    ("check", "low", "high", "verdict"),
    [
        # A floor is held against the lower end, a ceiling against the upper one.
        ("floor", "0.75", "0.76", "satisfied"),
        ("floor", "0.74", "0.76", "inconclusive"),
        ("floor", "0.73", "0.74", "not satisfied"),
        ("local-floor", "0.83", "0.9", "satisfied"),
        ("local-floor", "0.8", "0.9", "inconclusive"),
        ("local-floor", "0.7", "0.8", "not satisfied"),
        ("not-above-total", "0.9", "1", "satisfied"),
        ("not-above-total", "0.99", "1.01", "inconclusive"),
        ("not-above-total", "1.01", "1.02", "not satisfied"),
    ],
)
def test_a_bracket_is_judged_by_the_end_that_the_limit_asks_for(
    check: str, low: str, high: str, verdict: str
) -> None:
    of = results(low, high)
    if check == "local-floor":
        limit = Limit(Fraction("0.83"), "a text", Certainty.VERBATIM)
        of = cast(Any, SimpleNamespace(game=GAME, analyses=of.analyses, regime=SimpleNamespace(
            least_returns=lambda _: (limit,))))  # fmt: skip
    assert observed(f"returns.{check}", of)[0] == verdict


@pytest.mark.parametrize(("pays", "verdict"), [("1", "satisfied"), ("1/3", "inconclusive")])
def test_a_ladder_of_stakes_is_undecided_where_a_proven_return_is_rounded(pays: str, verdict: str) -> None:
    played = returning(Fraction("0.9"), Bracket(Fraction("0.9"), Fraction("0.95")), pays)
    (wager,) = GAME.wagers
    game = replace(GAME, wagers=(replace(wager, limits=replace(wager.limits, minimum=1)),))
    analyses = {PAIR: SimpleNamespace(wager=lambda _: played)}
    of = cast(Results, SimpleNamespace(game=game, regime=regime_of(), analyses=analyses))
    assert observed("returns.stake-ladder", of)[0] == verdict


def test_where_a_second_party_decides_and_nothing_is_proven_nothing_is_satisfied() -> None:
    analyses = {FOOLISH: SimpleNamespace(wager=lambda _: returning(Fraction("0.9")))}
    of = cast(Results, SimpleNamespace(game=GAME, regime=regime_of(), analyses=analyses))
    for check in ("returns.floor", "returns.not-above-total"):
        assert observed(check, of)[0] == "inconclusive"
    assert observed("returns.at-every-stake", of)[0] == "not applicable"


def test_the_gate_holds_the_same_ends_against_its_floors() -> None:
    delta = cast(Any, SimpleNamespace(wager="bet", before=None, strategy=PAIR, adds_to_stake=False))
    policy = cast(Any, SimpleNamespace(floors={"GLI-19": FLOOR}))
    figures = {PAIR: returning(Fraction("0.74"), Bracket(Fraction("0.74"), Fraction("1.2")))}
    figures[FOOLISH] = returning(Fraction("0.9"))
    after = figures[optimal_play(figures)]
    assert [one.kind for one in floors(delta, after, ("rules",), policy)] == ["floor-crossed"]
    assert [one.kind for one in above_stake(delta, after, ("rules",))] == ["return-above-100"]
    assert not [*floors(delta, figures[FOOLISH], ("rules",), policy)]


# A changed pay of the reale before the gate, by the command: the exact effect at fixed play, and the bracket.


Certify = Callable[..., Called]

SMALL = (0, 0, 2, 1, 0, 1, 1, 2, 1)
"""Eight cards: two 3, a 4, a 6, a 7, two faces and the matta."""


def test_a_changed_pay_moves_what_is_exact_at_fixed_play_and_the_proven_value(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FreeBankRules, "deck", property(lambda rules: SMALL))
    monkeypatch.setattr(hands, "_deck", lambda deck, rules: SMALL)
    # Figures are kept by what a game is: this one is called otherwise, so that no other test finds them.
    text = path_of("sette-e-mezzo").read_text(encoding="utf-8")
    text = text.replace('title = "Sette e mezzo', 'title = "Eight cards, sette e mezzo', 1)
    repository = Repository(tmp_path / "repository")
    repository.commit("as certified", game=text)
    repository.git("checkout", "-q", "-b", "change")
    repository.commit("the reale pays three", game=text.replace('pays = "2 to 1"', 'pays = "3 to 1"', 1))
    monkeypatch.chdir(tmp_path / "repository")
    asked = ("gate", "git:main", "git:change", "--cache", tmp_path / "figures")
    found = certify(*asked, "--format", "json")
    assert found.code == 1, found.err
    changes = {change["id"]: change for change in json.loads(found.out)["changes"]}
    rules = FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2)
    before, after = (BankTerms(rules, reale=Fraction(pays), deck=SMALL) for pays in (2, 3))

    five = StandOn("stand-on:5", 10)
    chances = joint(before, five, five).chances
    royal = sum(chance for (own, its), chance in chances.items() if own == REALE != its)
    fixed = changes["return-moved-at-fixed-play"]
    assert fixed["subject"] == "bet/stand-on:5 against stand-on:5"
    assert Fraction(fixed["after"]) - Fraction(fixed["before"]) == royal > 0
    for terms, side in ((before, "before"), (after, "after")):
        low, high = map(Fraction, changes["bracket-moved"][side].split(" to "))
        proven = equilibrium(terms, Fraction(1, 10**6)).bracket
        # Two proven intervals of one value overlap.
        assert low <= high
        assert low <= 1 + proven.upper
        assert 1 + proven.lower <= high
    printed = certify(*asked).out
    assert all(words in printed for words in ("proven value of bet", "exactly", "may not be merged"))

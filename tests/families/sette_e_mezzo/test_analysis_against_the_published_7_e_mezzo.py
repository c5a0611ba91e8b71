"""7 e Mezzo against its printed returns, figures that a pencil can check, and every candidate of lost pays."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from certify.analysis.whole_pays import Order
from certify.cli.main import run
from certify.errors import InputError, NothingCheckedError
from certify.evidence import plain
from certify.exact import parse_percent, percent_text
from certify.families.sette_e_mezzo.exact.best_play import solve
from certify.families.sette_e_mezzo.exact.figures import frontier
from certify.families.sette_e_mezzo.exact.hand_tree import dealer_hands, tree_of
from certify.families.sette_e_mezzo.exact.identify import (
    PayBounds,
    identify_together,
    together_json,
    with_pays,
)
from certify.families.sette_e_mezzo.rules import PairCondition, Tie, rules_of
from certify.families.seven_and_a_half.cards import DECK_SIZE, ClassDeck, card_name, plus, single
from certify.mathematics import analyze, explain, exposure, identify, joint_figures
from certify.mathematics.figures_evidence import analysis_evidence
from certify.model import Claim
from certify.submission import read_game

PATH = Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml"
GAME = read_game(PATH)


def test_main_returns_the_printed_99_54_percent():
    figures = analyze(GAME).wager("main")
    assert figures.return_to_player == Fraction(4099063827798161, 4118069700108000)
    entry = plain(analysis_evidence(analyze(GAME), GAME))["wagers"]["main"]
    assert entry["return_percent"] == "99.538476"
    assert [claim["holds"] for claim in entry["claims"]] == [True]


def test_two_card_seven_and_a_half_with_the_king_by_pencil():
    # King first, then one of 11 faces or four 7s; or one of 11 other faces first, then the King. A first 7 stands.
    by_pencil = Fraction(1, 40) * Fraction(15, 39) + Fraction(11, 40) * Fraction(1, 39)
    outcomes = {outcome.id: outcome for outcome in analyze(GAME).wager("main").outcomes}
    assert outcomes["king-of-denari-seven-and-a-half"].probability == by_pencil == Fraction(1, 60)


def test_readings_of_partita_perfetta():
    found = identify(GAME, "partita-perfetta", maximum=200)
    by_reading = {(dict(s.reading)["pair-condition"], s.strategy): s for s in found.readings}
    free = by_reading["unconditional", "main-optimal"]
    assert (free.candidates_tried, free.fits_count, free.returns) == (1_353_400, 157, (Fraction(25, 26),))
    bound = by_reading["dealer-must-uncover", "main-optimal"]
    assert [tuple(int(pays) for pays in fit.pays.values()) for fit in bound.fits] == [(82, 7, 4), (33, 25, 5)]
    assert bound.customary_count == 0
    assert by_reading["dealer-must-uncover", "always-second-card"].fits_count == 14


def test_readings_of_mano_di_poker():
    found = identify(GAME, "mano-di-poker", maximum=200)
    counts = {search.strategy: (search.candidates_tried, search.fits_count) for search in found.readings}
    assert counts == {
        "main-optimal": (2_802_350_040, 120_978),
        "always-second-card": (2_802_350_040, 43_915),
    }
    assert all(search.returns == (Fraction(183, 190),) for search in found.readings)


def test_the_adopted_pays_are_among_those_that_fit():
    for wager, strategy in (("partita-perfetta", "main-optimal"), ("mano-di-poker", "always-second-card")):
        adopted = {row.id: (int(row.pays),) for row in GAME.wager(wager).paytable.rows}
        found = identify(GAME, wager, by_row=adopted, order="any")
        assert any(search.fits_count == 1 for search in found.readings if search.strategy == strategy)


def printed(*figures: tuple[str, bool]):
    """The published game with other printed returns of its main wager, each with whether it is truncated."""
    claim = GAME.claims_on("main")[0]
    claims = tuple(
        replace(claim, text=text, printed=parse_percent(text, truncated=truncated))
        for text, truncated in figures
    )
    return replace(GAME, claims=claims)


def test_of_several_printed_returns_the_most_precise_decides():
    found = identify(printed(("99.5 %", False), ("99.54 %", False)), "main")
    assert (found.printed, found.fits_count) == ("99.54 %", 1)
    assert identify(printed(("99.5 %", False)), "main").fits_count == 2
    with pytest.raises(InputError, match="cannot mean one value"):
        identify(printed(("99.54 %", False), ("99.55 %", False)), "main")


@pytest.mark.slow
def test_figures_that_overlap_stand_for_what_they_have_in_common():
    """Rounded to 99.54 % and cut off to 99.53 % leaves [99.535 %, 99.54 %), narrower than either figure."""
    found = identify(printed(("99.54 %", False), ("99.53 %", True)), "main")
    assert found.printed == "99.54 % and 99.53 % (cut off)"
    assert found.interval == (Fraction("0.99535"), Fraction("0.9954"))
    assert found.fits_count == 1
    assert identify(printed(("99.54 %", False), ("99.54 %", True)), "main").fits_count == 0


def test_optimal_play_of_main_is_stand_on_four_and_a_half():
    optimal, threshold = analyze(GAME), analyze(GAME, "stand-on:4.5")
    assert optimal.strategy.draws == threshold.strategy.draws
    assert optimal.wagers == threshold.wagers
    assert optimal.strategy.strategy_class == "composition-dependent"
    assert threshold.strategy.strategy_class == "total-dependent"


def test_decisions_change_at_three_stakes_of_mano_di_poker():
    pieces = frontier(GAME, "mano-di-poker")
    assert [piece.hits for piece in pieces] == [(), ("5 first: 5",), ("6 first: 6",), ("7 first: 7",)]
    assert pieces[0].main == analyze(GAME).wager("main").return_to_player
    assert pieces[-1].side == Fraction(183, 190)
    assert frontier(GAME, "partita-perfetta")[0].stake_to == 10


def test_exposure_is_a_royal_flush_that_is_also_seven_and_a_half():
    # Jack and King of Denari with the player are 7½ with the matta; the Queen of Denari is the dealer's.
    most = exposure(GAME)
    limits = {wager.id: wager.limits.maximum for wager in GAME.wagers}
    royal = GAME.wager("mano-di-poker").paytable.pays("royal-flush")
    assert most.amount == 2 * limits["main"] + int(royal) * limits["mano-di-poker"]
    assert set(most.deck[:3]) == {28, 32, 36}


def test_a_push_is_a_hit_and_no_win():
    pushes = replace(GAME, rules=replace(GAME.rules, tie=Tie.PUSH))
    main = analyze(pushes).wager("main")
    pushed = {outcome.id: outcome.probability for outcome in main.outcomes}["push"]
    assert pushed > 0
    assert main.hit_frequency - main.win_frequency == pushed


@pytest.mark.parametrize("strategy", ["main-optimal", "always-second-card", "jointly-optimal"])
def test_a_partita_perfetta_that_needs_no_decision_returns_25_in_26(strategy):
    assert analyze(GAME, strategy).wager("partita-perfetta").return_to_player == Fraction(25, 26)


def test_without_the_forced_first_draw_a_player_who_mimics_the_dealer_still_makes_it() -> None:
    free = replace(GAME, rules=replace(rules_of(GAME), player_draws_on_first_face=False))
    found = {wager.wager: wager.return_to_player for wager in analyze(free, "mimic-dealer").wagers}
    assert percent_text(found["main"], 6) == "90.348343"
    assert found["main"] == Fraction(23850049708843, 26397882693000)
    forced = {wager.wager: wager.return_to_player for wager in analyze(GAME, "mimic-dealer").wagers}
    assert found == forced


def test_covariances_equal_those_of_the_marginals_and_the_joint_distribution():
    figures = joint_figures(GAME, "main-optimal")
    analysis = analyze(GAME)
    for wager, value in figures.returns.items():
        assert value == analysis.wager(wager).return_to_player
        assert figures.of_pair(wager, wager).covariance == analysis.wager(wager).variance
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in figures.covariance)
    assert figures.variance == spread


# The hand that docs/methods/enumeration.md works out by hand, and the figures that the page quotes.


CARDS = {card_name(card): card for card in range(DECK_SIZE)}


def test_the_five_of_a_deck_of_five_cards():
    deck = ClassDeck(tuple(CARDS[f"{rank} of Coppe"] for rank in "3456J"))
    solution = solve(GAME, deck=deck)
    five, five_and_face = (4, 0, single(4)), (4, 0, plus(single(4), 7))
    assert (solution.stand[five][0], solution.draw[five][0]) == (8, -16)
    assert solution.stand[five_and_face][0] == 2
    assert solution.expectation(solution.stand[five], five[2]) == Fraction(1, 3)
    assert solution.expectation(solution.draw[five], five[2]) == Fraction(-2, 3)
    assert five not in solution.hits


def test_the_figures_that_the_page_quotes():
    tree = tree_of(GAME)
    assert len(tree.totals) == 1492
    assert len([*tree.decisions]) == 249
    for player, count in ((10, 123), (15, 408)):
        finals = dealer_hands(tree.deck, tree.dealer.rule, player)
        assert sum(len(terminals) for totals in finals for terminals in totals.values()) == count
    four = explain(GAME, "4")
    assert (four.stand, four.hit, four.best) == (
        Fraction(-4421119, 9787869),
        Fraction(-11219906, 29363607),
        "hit",
    )


# Several printed returns for one and the same player, against brute force over every candidate.


KING = "king-of-denari-seven-and-a-half"
STAKES = {"main": Fraction(1), "mano-di-poker": Fraction(1)}


def printing(**texts):
    claims = tuple(
        Claim(wager.replace("_", "-"), "return-to-player", text, parse_percent(text), "rules-screen")
        for wager, text in texts.items()
    )
    return replace(GAME, claims=claims)


@cache
def every_return(strategy, lists, stakes, conditions):
    """Every reading with every combination of pays: each a game that is analysed by itself."""
    found = {}
    rows = [row for row, _ in lists]
    for tie, king_wins, condition in product((Tie.LOSE, Tie.PUSH), (False, True), conditions):
        rules = replace(
            rules_of(GAME),
            tie=tie,
            king_wins_against_dealer_seven_and_a_half=king_wins,
            pair_condition=condition,
        )
        for pays in product(*(tried for _, tried in lists)):
            chosen = dict(zip(rows, pays, strict=True))
            changed = with_pays(
                replace(GAME, rules=rules), {row: Fraction(pay) for row, pay in chosen.items()}
            )
            analysis = analyze(changed, strategy, dict(stakes) if stakes else None)
            key = (tie.value, king_wins, condition.value, tuple(chosen.items()))
            found[key] = {figures.wager: figures.return_to_player for figures in analysis.wagers}
    return found


def brute_force(game, strategy, lists, stakes=None):
    """The candidates that give every printed return, the whole list looked through."""
    own = (rules_of(GAME).pair_condition,)
    conditions = tuple(PairCondition) if game.claims_on("partita-perfetta") else own
    tried = tuple((row, tuple(pays)) for row, pays in lists.items())
    returns = every_return(strategy, tried, tuple(stakes.items()) if stakes else None, conditions)
    return {
        key
        for key, entry in returns.items()
        if all(claim.printed.stands_for(entry[claim.wager]) for claim in game.claims)
    }


def flat(search):
    found = set()
    for fit in search.fits:
        reading = dict(fit.reading)
        pays = tuple((row, int(pay)) for _, rows in fit.pays for row, pay in rows)
        king_wins = reading["king-wins-against-dealer-seven-and-a-half"] == "yes"
        found.add((reading["tie"], king_wins, reading["pair-condition"], pays))
    assert len(found) == search.fits_count
    return found


def bounds_of(lists):
    return PayBounds(by_row=lists, order=Order.ANY, limit=1_000)


POKER = {
    KING: [2],
    "royal-flush": [400],
    "straight-flush": [75],
    "three-of-a-kind": [25, 30],
    "flush": [6, 8],
    "straight": [5],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "kings"),
    [
        (("99 %", "80 %"), [2]),
        *(
            (texts, [2, 3])
            for texts in (("99.0 %", "96 %"), ("98 %", "90 %"), ("99.54 %", "70 %"), ("100 %", "96 %"))
        ),
    ],
)
def test_no_candidate_is_missed_under_any_way_to_play(texts, kings):
    lists = POKER | {KING: kings}
    game = printing(main=texts[0], mano_di_poker=texts[1])
    found = identify_together(game, stakes=STAKES, bounds=bounds_of(lists))
    assert [search.strategy for search in found.searches] == [
        "main-optimal",
        "always-second-card",
        "jointly-optimal",
    ]
    for search in found.searches:
        stakes = STAKES if search.strategy == "jointly-optimal" else None
        assert flat(search) == brute_force(game, search.strategy, lists, stakes)
        assert search.candidates_tried == 4 * len(kings) * 4


@pytest.mark.slow
def test_the_pair_that_a_bust_forfeits_is_read_both_ways():
    lists = {KING: [2], "pair-of-sevens": [40, 82], "pair-of-faces": [7, 15], "pair-ace-to-six": [4, 5]}
    game = printing(main="99.54 %", partita_perfetta="96.15 %")
    found = identify_together(game, bounds=bounds_of(lists))
    assert flat(found.searches[0]) == brute_force(game, "main-optimal", lists)
    assert {entry[2] for entry in flat(found.searches[0])} == {"unconditional", "dealer-must-uncover"}


@pytest.mark.slow
def test_what_cannot_be_decided_is_refused():
    with pytest.raises(NothingCheckedError, match="prints no return for partita-perfetta, mano-di-poker"):
        identify_together(printing(main="99.54 %"))
    stakes = {"main": Fraction(1), "partita-perfetta": Fraction(1)}
    two = printing(main="99.54 %", mano_di_poker="96.32 %")
    with pytest.raises(InputError, match="partita-perfetta, of which no return is printed"):
        identify_together(two, stakes=stakes, bounds=bounds_of(POKER))
    wide = {
        **POKER,
        KING: [2],
        "royal-flush": range(100, 1_000),
        "flush": range(5, 25),
        "straight": range(3, 10),
    }
    with pytest.raises(InputError, match="narrow the pays"):
        identify_together(printing(main="90 %", mano_di_poker="96 %"), stakes=STAKES, bounds=bounds_of(wide))


@pytest.mark.slow
def test_the_command_line_takes_figures_together(tmp_path, capsys):
    options = [f"--pays={row}={','.join(map(str, pays))}" for row, pays in POKER.items()]
    pairs = ["--pays=pair-of-sevens=40", "--pays=pair-of-faces=15", "--pays=pair-ace-to-six=5"]
    call = ["identify", str(PATH), "--together", "--order", "any", *options, *pairs]
    assert run(call) == 1
    assert "Impossible within the bounds: no one player has main 99.54 %" in capsys.readouterr().out
    assert run([*call, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document == together_json(
        identify_together(
            GAME,
            bounds=PayBounds(
                by_row={**POKER, "pair-of-sevens": [40], "pair-of-faces": [15], "pair-ace-to-six": [5]},
                order=Order.ANY,
            ),
        )
    )
    assert run(["identify", str(PATH), "--together", "--wager", "main"]) == 2
    assert run(["identify", str(PATH), "--stakes", "main=1"]) == 2

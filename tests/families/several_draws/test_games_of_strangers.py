"""What the language can say: what is seen, whole hands that meet, and bets that strangers made."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest
from cli_support import written
from representatives import firsts

from certify.analysis.engine.averaged import _Counted, averaged
from certify.analysis.engine.deals import deals
from certify.analysis.engine.distribution import counting_order, visits
from certify.analysis.engine.graph import graph_of
from certify.analysis.hands.strength import ORDERS, SHIFT, HandKinds, best_hand
from certify.certification.cross_checks import texts_of
from certify.certification.exact import exact_results
from certify.certification.play_through import audit_decks
from certify.certification.request import campaigns_of
from certify.clauses import regime_of
from certify.clauses.checks.awards import reachable, top_odds
from certify.clauses.checks.returns import complete
from certify.errors import InputError, SubmissionError
from certify.exact import parse_percent
from certify.families import families, reachable_rows, witnesses
from certify.families.described.language import _rank_of
from certify.families.described.rules import NO_BOUND
from certify.families.described.second import worth_of
from certify.families.several_draws.family import text
from certify.families.stage_machine import StagedRound
from certify.mathematics import analyze
from certify.messages import translated
from certify.messages.speech import speaking
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Verdict, paid_by
from certify.simulation import StreamDecks
from certify.submission import parse_game, read_game

HERE = Path(__file__).parent / "strangers"
GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))


@pytest.mark.parametrize(
    ("name", "wager", "returned"),
    [
        # www.dueforawin.com, 17 January 2024: the pass line without losing throws is won 47.31 % of the time.
        ("crapless-craps", "pass", Fraction(6557, 6930)),
        # beatingbonuses.com/war.htm: one deck 2.42 %, with 3 to 1 where the war is tied 1.71 %.
        ("one-deck-war", "bet", Fraction(20_322, 20_825)),
        ("battle-royal", "bet", Fraction(172, 175)),
        # Both guesses tried on every card by a player of our own.
        ("hilo-of-three", "bet", Fraction(287, 221)),
        # By the place of the first of three cards among 51; without end in the walk while every draw was counted.
        ("until-the-rank", "left", Fraction(29_822, 20_825)),
        # wizardofodds.com, Teen Patti 20-20: 450,528 of 407,170,400 tie, 2.50 %; its pair plus and six cards by hand.
        pytest.param(
            *("teen-patti-20-20", "a"),
            1 - Fraction(407_170_400 - 450_528, 2 * 407_170_400) * Fraction(1, 20),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("teen-patti-20-20", "tie", Fraction(801 * 450_528, 407_170_400)), marks=pytest.mark.slow
        ),
        pytest.param(
            *("teen-patti-20-20", "pair-b"),
            Fraction(51 * 4 + 41 * 48 + 31 * 48 + 7 * 720 + 4 * 1_096 + 2 * 3_744, 22_100),
            marks=pytest.mark.slow,
        ),
        # wizardofodds.com, three card poker: Prime, 4 to 1 on six cards and 3 to 1 on three of one colour, 3.62 %.
        pytest.param("three-card-prime", "prime", Fraction(10_781, 11_186), marks=pytest.mark.slow),
        # wizardofodds.com, Pick'em Poker: 99.95 %, a royal flush of 0.000003.
        pytest.param("pickem-poker", "bet", Fraction(508_727, 508_963), marks=pytest.mark.slow),
        # sonofdave.com, Double Down Stud, jacks or better: -0.021033 to the unit.
        pytest.param("double-down-stud", "bet", Fraction(318037, 324870), marks=pytest.mark.slow),
    ],
)
def test_the_return_is_the_published_one(name, wager, returned):
    game = read_game(HERE / f"{name}.toml")
    analysis = analyze(game)
    assert analysis.wager(wager).return_to_player == returned
    # A card that has not come yet is no part of what is seen.
    assert not any(str(NO_BOUND) in one.hand for one in analysis.decisions)
    found = texts_of(game, SEED, analysis.strategy, 100)
    assert (found.differing, found.shared) == (0, ())


def test_bets_beside_a_tableau_have_their_published_edges():
    analysis = analyze(read_game(HERE / "punto-banco.toml"))
    edges = {
        wager: round(float(100 * analysis.wager(wager).house_edge), 3)
        for wager in ("big", "both-high", "three-giving-eight", "tiger")
    }
    # vegasfreedom.com: big 4.35 %; advancedadvantageplay.com, baccarat side bets: 7.372 %, 8.682 % and 15.253 %.
    assert edges == {"big": 4.346, "both-high": 7.372, "three-giving-eight": 8.682, "tiger": 15.253}
    # Small is all that big is not; the page prints 5.27 % for it, which is 5.28 % at 3 to 2.
    four = 1 - (1 - analysis.wager("big").house_edge) / Fraction(154, 100)
    assert analysis.wager("small").return_to_player == Fraction(5, 2) * four


def test_cards_without_end_come_near_the_published_figures_of_trente_et_quarante():
    analysis = analyze(read_game(HERE / "trente-et-quarante.toml"))
    # gamblinginamerica.name: both rows count 31 in 2.19 % of rounds, and half of all bets is lost then: 1.1 %.
    refait = next(one for one in analysis.wager("noir").outcomes if one.id == "refait").probability
    assert (round(float(refait), 4), round(float(analysis.wager("noir").house_edge), 3)) == (0.0219, 0.011)


STOPS = 'kind = "wheel"\nstops = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]'
SHOE = 'kind = "shoe"\ndecks = 6\nsuits = ["spades", "hearts", "clubs", "diamonds"]\nranks'
ROWS_OF_31 = (HERE / "trente-et-quarante.toml").read_text("utf-8")
FROM_A_SHOE = ROWS_OF_31.replace(STOPS, STOPS.replace('kind = "wheel"\nstops', SHOE))
SMALLER = {
    "decks = 6": "decks = 1", ', "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"': "",
    ', { piece = "wheel", faces = ["J", "Q", "K"], counts = "10" }': "", " 30": " 6", " 31": " 7", " 32": " 8",
    "sum of noir is below": "noir draw 1 shows {hearts} and sum of noir is below",
}  # fmt: skip


@pytest.mark.slow
def test_six_decks_of_trente_et_quarante_have_the_published_figures():
    figures = analyze(parse_game(FROM_A_SHOE.encode(), "g")).wager("noir")
    # S. D. Poisson, Annales de mathematiques 16 (1825): eleven thousandths of all stakes, by half of 2.19 %.
    refait = next(one for one in figures.outcomes if one.id == "refait").probability
    assert (round(float(refait), 4), figures.house_edge) == (0.0219, refait / 2)


def small_rows(left, sums=(0,), first=None):
    """Yields the sums of two rows of at least seven, whether the first card is a heart, and the chance."""
    for card, number in left.items():
        after = (*sums[:-1], sums[-1] + card[0])
        after = (*after, 0) if after[-1] >= 7 and len(after) == 1 else after
        hearts = card[1] if first is None else first
        ends = len(after) == 2 and after[1] >= 7
        rest = [(after, hearts, 1)] if ends else small_rows(left - Counter([card]), after, hearts)
        yield from ((rows, red, Fraction(number, left.total()) * chance) for rows, red, chance in rest)


def test_a_small_shoe_is_counted_by_its_graph_by_expected_steps_and_card_by_card(monkeypatch):
    words = reduce(lambda said, one: said.replace(*one), SMALLER.items(), FROM_A_SHOE)
    played = StagedRound(text(parse_game(words.encode(), "g")))
    automaton, brute, laws = played.proven.automaton, Counter(), []
    for graph in (graph_of(automaton, played), averaged(automaton, played)):
        found = visits(graph, counting_order(graph.offsets, graph.targets), None)
        laws.append({end[0].outcome: often for end, often in zip(graph.results, found.results, strict=True)})
    deck = Counter({(number, hearts): 1 if hearts else 3 for number in (1, 2, 3) for hearts in (True, False)})
    for (noir, rouge), hearts, chance in small_rows(deck):
        below = "win" if hearts and noir < rouge else "lose"
        brute[below if noir != rouge else "refait" if noir == 7 else "push"] += chance
    assert laws == [brute, brute]
    # A way through averaged steps may take a card that has gone; no round that is shown does.
    copies, rounds = automaton.text.equipment[0].copies, list(deals(automaton, graph))
    assert len(rounds) == 143
    assert all(often <= copies[face] for one in rounds for (_, face), often in Counter(one.draws).items())
    # A count of the second draw that is too high is found.
    monkeypatch.setattr(_Counted, "orders", lambda self, left, most: [[2, 1]] * 9)
    with pytest.raises(AssertionError, match="after 1 draws another number of orders"):
        averaged(automaton, played)


@pytest.mark.slow
def test_two_hands_without_a_decision_win_as_often_as_each_other():
    analysis = analyze(read_game(HERE / "two-hands.toml"))
    tie = Fraction(450_528, 407_170_400)
    assert analysis.wager("player").return_to_player == Fraction(19, 10) * (1 - tie) / 2
    assert analysis.wager("tie").return_to_player == 865 * tie


@pytest.mark.parametrize(
    ("deals", "player", "dealer", "told"),
    [
        ("7 to player", "hand of player", "hand of dealer", "the best 5 of 7 cards, 20,358,520 deals"),
        ("5 to player", "hand of player by four-card", "hand of dealer by four-card", "10 cards lie there"),
        ("5 to player", "hand of player", "hand of dealer", "10 cards lie there"),
    ],
    ids=["best five of seven", "best four of five", "five against five"],
)
def test_hands_too_many_to_be_walked_are_refused_with_their_cards_and_the_form_that_is_counted(
    tmp_path, deals, player, dealer, told
):
    words = (HERE / "two-hands.toml").read_text("utf-8")
    words = words.replace("3 to player", deals).replace("3 to dealer", deals.replace("player", "dealer"))
    words = words.replace("hand of player by three-card", player).replace(
        "hand of dealer by three-card", dealer
    )
    file = written(tmp_path / "game.toml", words)
    with pytest.raises(SubmissionError, match=f"{told}.*larger hands are counted in two forms alone"):
        read_game(file)


def test_fewer_draws_than_a_whole_round_needs_are_refused_before_it_is_played(tmp_path):
    stated = (HERE / "crapless-craps.toml").read_text("utf-8")
    (needed,) = (piece.supply for piece in read_game(HERE / "crapless-craps.toml").equipment)
    file = written(tmp_path / "game.toml", stated.replace("sides = 6\n", f"sides = 6\ndraws = {needed}\n"))
    assert read_game(file).equipment[0].supply == needed
    file.write_text(stated.replace("sides = 6\n", "sides = 6\ndraws = 2\n"), "utf-8")
    with pytest.raises(
        SubmissionError, match=r"2 draws of die are stated: a whole round may need [0-9]+; expected"
    ):
        read_game(file)


@pytest.mark.parametrize("reading", ["most alike", "different"])
def test_more_faces_than_are_kept_are_refused_before_they_are_thrown(tmp_path, reading):
    """Faces of dice are kept as they came: of 99 in C(104, 6) ways before the last one."""
    words = (HERE / "crapless-craps.toml").read_text("utf-8")
    file = tmp_path / "game.toml"
    words = words.replace("sum of point is 7", f"{reading} in point is 2").replace(
        "2 to point", "99 to point"
    )
    file.write_text(words, "utf-8")
    with pytest.raises(
        SubmissionError, match=r"game.toml:11:\d+: .*in 1,517,381,580 ways .* at most 3,000,000"
    ):
        read_game(file)


def _with_a_row_for_the_war_bet():
    text = (GAMES / "casino-war/game.toml").read_text("utf-8")
    own = '{ id = "war-won", title = "Won in the war: the first bet", pays = "0 to 1" },'
    assert text.count("war as win") == 2
    assert own in text
    row = '{ id = "war-pays", title = "The war bet", pays = "1 to 1" },'
    return text.replace("war as win", "war as war-pays").replace(own, f"{own}\n  {row}")


def test_a_row_that_a_further_stake_is_paid_by_is_reached_shown_and_counted(certify, tmp_path):
    file = written(tmp_path / "game.toml", _with_a_row_for_the_war_bet())
    game, whole = read_game(file), read_game(GAMES / "casino-war/game.toml")
    figures, sound = analyze(game).wager("bet"), analyze(whole).wager("bet")
    assert figures.net == sound.net
    assert [one.id for one in figures.outcomes] == [one.id for one in sound.outcomes]
    assert figures.odds_of("war-pays") == figures.odds_of("war-won") + figures.odds_of("tied-again")
    assert {one.row for one in witnesses(game, reachable_rows(game))} >= set(game.wager("bet").paytable.ids)
    assert "no round reaches" not in certify("lint", file).out
    results = exact_results(game, regime_of([]), thorough=False)
    assert {one.verdict for check in (reachable, complete, top_odds) for one in check(results)} == {
        Verdict.SATISFIED
    }


def test_a_wager_that_is_best_under_a_strategy_that_nobody_planned_is_played_under_it():
    results = exact_results(read_game(HERE / "two-wagers.toml"), regime_of([]), thorough=False)
    assert results.strategy_of == {"m": "main-optimal", "p": "always:stay"}
    # Planned is always:double in its place.
    assert [*results.counted] == ["main-optimal", "always:stay"]
    with pytest.raises(
        InputError, match="read under main-optimal, always:card, always:stay, and two strategies"
    ):
        campaigns_of(results.game, results.analyses, {"m": "always:card", "p": "always:stay"})


def test_a_wager_that_nothing_is_decided_for_is_counted_alone():
    for name, wager, among in (
        ("casino-war", "tie", "bet"),
        ("three-card-poker", "pair-plus", "six-card-bonus"),
    ):
        game = read_game(GAMES / name / "game.toml")
        alone = game.port.sources.alone(game, wager)
        whole, part = (
            {one.id: one.probability for one in analyze(which).wager(wager).outcomes}
            for which in (game, alone)
        )
        assert whole == part
        assert game.port.sources.alone(game, among) is None


def test_an_outcome_that_no_row_names_is_no_lost_stake():
    with pytest.raises(InputError, match='"push", which no row'):
        paid_by(read_game(GAMES / "casino-war/game.toml").wagers)("tie", "push")


def test_lint_names_the_kind_of_hands_that_no_row_names(certify, tmp_path):
    text = (GAMES / "three-card-bonuses/game.toml").read_text("utf-8")
    changed = text.replace(
        'is at least straight-flush", row = "straight-flush", at =',
        'is straight-flush", row = "straight-flush", at =',
    )
    assert changed != text
    said = 'no condition of "pair-plus" names the kind "mini-royal"'
    for stated, told in ((text, False), (changed, True)):
        (tmp_path / "game.toml").write_text(stated, "utf-8")
        assert (said in certify("lint", tmp_path / "game.toml").out) is told


def test_a_race_by_weights_is_that_of_harville():
    weights, found = (40, 25), analyze(read_game(GAMES / "race/game.toml"))
    ash, birch = (Fraction(weight, 100) for weight in weights)
    exacta, reverse = ash * birch / (1 - ash), birch * ash / (1 - birch)
    assert exacta == Fraction(1, 6)
    chances = {"exacta": exacta, "quinella": exacta + reverse, "win": ash}
    assert {one.wager: one.hit_frequency for one in found.wagers} == chances


RACE = (GAMES / "race/game.toml").read_text("utf-8")
TICKETS = RACE.replace('kind = "wheel"', 'kind = "balls"\ndraws = 2').replace("stops =", "labels =")
HOLDEM = (GAMES / "casino-holdem/game.toml").read_text("utf-8")
WAYS = RACE.replace(
    "turn_leads = [",
    """may_decide = [
  { at = "winner", option = "one-way", to = "hit" },
  { at = "winner", option = "another", to = "runner-up" },
]
turn_leads = [""",
).replace(
    '  { id = "runner-up", clears',
    '  { id = "hit", deals = ["1 to third from field"] },\n  { id = "runner-up", clears',
)
KINDS = ["high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush"]
BUG = f'hand_rankings = [{{ id = "own", cards = "3", order = {KINDS}, joker = "bug" }}]\n'
AGAIN = (GAMES / "craps/game.toml").read_text("utf-8").replace('clears = ["roll"], ', "")
TWICE = HOLDEM.replace(
    '{ at = "flop", option = "fold"',
    '{ at = "showdown", option = "a", stakes = ["1 on x"] }, { at = "flop", option = "fold"',
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            TICKETS.split("turn_leads")[0] + "settled_by" + TICKETS.split("settled_by", 1)[1],
            "tickets of field leave one by one",
        ),
        (WAYS, 'the option "one-way" leads to the turn "hit", which goes on with "runner-up"'),
        (
            RACE.replace('"first shows {Ash} and second shows {Birch}"', '"second shows {Birch}"'),
            'this settles "exacta" by a draw that is drawn again, as "runner-up" leads to "runner-up" then',
        ),
        (AGAIN, 'comes again and deals to "roll" each time, and nobody clears it'),
        (
            (GAMES / "mines/game.toml")
            .read_text("utf-8")
            .replace('"safe", "mine"', '"1", "2"')
            .replace("{mine}", "{2}")
            .replace('draws in grid is 10", to', 'last of grid is below draw 1 of grid", to'),
            "or a turn for each draw where draws are compared (HiLo)",
        ),
        (TWICE, "the dealer's two after the last decision"),
        (HOLDEM.replace('option = "fold"', 'option = "fold", when = ""', 1), "the end: expected a reading"),
        (
            RACE.replace('row = "win" }', 'row = "win", multiplies = true }'),
            "HiLo, a wheel whose multipliers spin",
        ),
        (
            RACE.replace('from field"] }', 'from field"], house_way = true }'),
            "which cards of a deal go where",
        ),
        (HOLDEM.replace("may_decide = [", f"{BUG}may_decide = [", 1), "no piece has jokers"),
        (
            (GAMES / "let-it-ride/game.toml")
            .read_text("utf-8")
            .replace('"player"] }', '"player", "board"] }'),
            'nothing is open at "board" when "three" is decided',
        ),
    ],
)
def test_traps_are_told_by_lint(certify, tmp_path, text, said):
    assert said in certify("lint", written(tmp_path / "game.toml", text)).out
    assert said not in certify("lint", GAMES / "race/game.toml").out


CHUCK_A_LUCK = (Path(__file__).parents[3] / "docs/single-draw.md").read_text("utf-8").split("```toml\n")[2]
DICE = 'labels = ["crown", "anchor", "heart", "diamond", "spade", "club"]'
ANCHOR = CHUCK_A_LUCK.split("```")[0].replace("sides = 6", DICE).replace("{6}", "{anchor}")

ONE_CARD = (Path(__file__).parents[3] / "docs/your-table-game.md").read_text("utf-8").split("```toml\n")[1]
PAYS = {"both": 1000, "pair": 125, "matched": 19, "suited": 9, "any": 4}
QUEENS, BLACKJACK = "count of {Q of hearts} in player is 2", "(dealer shows {A} and sum of dealer is 21)"
TWENTY = "sum of player is 20 and different suits in player"
WHEN = {
    "both": f"{QUEENS} and {BLACKJACK}",
    "pair": f"{QUEENS} and not {BLACKJACK}",
    "matched": f"{TWENTY} is 1 and different in player is 1 and not {QUEENS}",
    "suited": f"{TWENTY} is 1 and different in player is 2",
    "any": f"{TWENTY} is 2",
}
ROWS = ", ".join(f'{{ id = "{row}", title = "{row}", pays = "{pays} to 1" }}' for row, pays in PAYS.items())
ENDS = ", ".join(f'{{ wager = "ladies", when = "{when}", row = "{row}" }}' for row, when in WHEN.items())
LADIES = f"""schema = "certify-game/1"
rules = []
readings = []
each_turn = [{{ id = "deal", deals = ["2 to player", "2 to dealer"] }}]
face_worth = [
  {{ piece = "deck", faces = ["A"], counts = "11" }}, {{ piece = "deck", faces = ["J", "Q", "K"], counts = "10" }},
]
settled_by = [{ENDS}]
[game]{ONE_CARD.split("[game]")[1].split("[[wagers]]")[0].replace("decks = 1", "decks = 6")}
[[wagers]]
id = "ladies"
title = "Lucky Ladies"
description = "A hand of twenty"
limits = {{ minimum = "1.00", maximum = "25.00", currency = "USD" }}
paytable = [{ROWS}]
[terms]{ONE_CARD.split("[terms]")[1].split("```")[0]}"""


BEST_FOUR = {
    "four-of-a-kind": 50, "straight-flush": 40, "three-of-a-kind": 8, "flush": 5, "straight": 4, "two-pair": 3,
    "pair of A": 1,
}  # fmt: skip
ACES_UP = (
    LADIES.replace(
        ROWS,
        ", ".join(
            f'{{ id = "{row.replace(" of A", "")}", title = "{row}", pays = "{pays} to 1" }}'
            for row, pays in BEST_FOUR.items()
        ),
    )
    .replace(
        ENDS,
        ", ".join(
            f'{{ wager = "ladies", when = "hand of player by four-card is {row}", row = "{row.replace(" of A", "")}" }}'
            for row in BEST_FOUR
        ),
    )
    .replace('"2 to player", "2 to dealer"', '"5 to player"')
    .replace("decks = 6", "decks = 1")
)


def best_four(cards):
    """Returns the best of the seven kinds that four of some cards are, counted without the language."""
    kinds = []
    for hand in combinations(cards, 4):
        ranks, suited = sorted(rank for rank, _ in hand), len({suit for _, suit in hand}) == 1
        shape = sorted(Counter(ranks).values())
        run = ranks in ([low, low + 1, low + 2, low + 3] for low in range(10)) or ranks == [0, 1, 2, 12]
        kinds.append(
            "four-of-a-kind" if shape == [4] else "straight-flush" if run and suited else "three-of-a-kind"
            if shape == [1, 3] else "flush" if suited else "straight" if run else "two-pair" if shape == [2, 2]
            else "pair of A" if ranks[2:] == [12, 12] else ""
        )  # fmt: skip
    return min(kinds, key=(*BEST_FOUR, "").index)


def test_the_best_four_of_five_cards_are_found_on_a_deck_that_can_be_counted_by_hand():
    ranks = {"A": 12, "2": 0, "3": 1, "4": 2, "5": 3}
    shoe = 'ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]'
    assert shoe in ACES_UP
    worth = "face_worth" + ACES_UP.partition("face_worth")[2].partition("settled_by")[0]
    small = ACES_UP.replace(worth, "").replace(shoe, f"ranks = {list(ranks)}".replace("'", '"'))
    game = parse_game(small.encode(), "game.toml")
    deck = [(rank, suit) for rank in ranks.values() for suit in "dhsc"]
    counted = Counter(best_four(hand) for hand in combinations(deck, 5))
    analysis = analyze(game)
    outcomes = {one.id: one.probability for one in analysis.wagers[0].outcomes}
    for row in BEST_FOUR:
        assert outcomes[row.replace(" of A", "")] == Fraction(counted[row], 15_504), row
    found = texts_of(game, bytes(range(32)), analysis.strategy, 100)
    assert (found.differing, found.shared) == (0, ())


@pytest.mark.parametrize(
    ("words", "printed"), firsts([(ANCHOR, "7.87 %"), (LADIES, "24.71 %"), (ACES_UP, "3.89 %")])
)
def test_the_printed_edge_holds_and_both_readings_agree(words, printed):
    game = parse_game(words.encode(), "game.toml")
    analysis = analyze(game)
    assert parse_percent(printed).stands_for(1 - analysis.wagers[0].return_to_player)
    found = texts_of(game, bytes(range(32)), analysis.strategy, 100)
    assert (found.differing, found.shared) == (0, ())


def test_every_hand_of_twenty_is_counted():
    # The dealer's two cards decide of a pair of queens alone what it pays: they are left out here.
    alone = LADIES.replace('"2 to player", "2 to dealer"', '"2 to player"')
    for said, instead in ((ROWS, ROWS.partition(", {")[2]), (ENDS, ENDS.partition(", {")[2])):
        alone = alone.replace(said, "{" + instead)
    alone = alone.replace(f" and not {BLACKJACK}", "")
    outcomes = {
        one.id: one.probability for one in analyze(parse_game(alone.encode(), "g")).wagers[0].outcomes
    }
    assert outcomes["any"] + outcomes["suited"] == 2 * Fraction(
        # Ten-valued cards with another of a face of its own, and aces with nines.
        (96 * (96 - 6) // 2) + 24 * 24,
        312 * 311,
    )


def test_dice_with_sides_and_labels_are_refused():
    with pytest.raises(SubmissionError, match="sides and labels: expected a number of sides, or what each"):
        parse_game(ANCHOR.replace("labels", "sides = 6\nlabels").encode(), "game.toml")
    # Sixty million sides were named one by one, in three gigabytes, and then refused.
    most = "9223372036854775807 sides: expected 2 to 65536"
    with pytest.raises(SubmissionError, match=most):
        parse_game(ANCHOR.replace("labels", f"sides = {most.split()[0]} # ").encode(), "game.toml")


STUD = Path(__file__).parents[3] / "fixtures/games/mississippi-stud/game.toml"


def small():
    words = STUD.read_text(encoding="utf-8")
    words = words.replace(
        '["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]', '["8", "9", "10", "J", "Q"]'
    )
    words = words.replace('["diamonds", "hearts", "spades", "clubs"]', '["hearts", "spades"]')
    return parse_game(words.encode(), "game.toml")


def test_a_decision_after_a_stake_is_found_where_its_wager_is_not_bet_on():
    game = small()
    strategy = analyze(game).strategy
    decks = StreamDecks.of(game, SEED).deal(0, 40)
    audit, recorded = audit_decks(game, strategy, SEED, decks, 20)
    assert audit.stake_differences == 0
    assert any("raise" in option for record, _ in recorded for option in record.decisions[:1])


def test_what_is_decided_whatever_the_cards_are_is_told_so():
    (decision,) = analyze(
        parse_game((STUD.parents[1] / "casino-war/game.toml").read_bytes(), "game.toml")
    ).decisions
    assert (decision.hand, decision.best) == ("whatever was dealt", "go-to-war")


@pytest.mark.parametrize(
    ("when", "seen"),
    [
        ("", {f"middle {rank}" for rank in "A23456789"}),
        ("middle shows {A, 8 to 9}", {f"middle A/8/9, {rank}" for rank in "A89"}),
    ],
)
def test_a_card_is_seen_where_it_lies_and_no_place_that_is_still_empty(when, seen):
    words = (GAMES / "andar-bahar/game.toml").read_text("utf-8").replace('"9", "10", "J", "Q", "K"', '"9"')
    stop, up = 'option = "stop", to = "end"', 'option = "up", stakes = ["1 on x"]MORE'
    options = f'[{{ at = "middle", {stop} }}, {{ at = "middle", {up} }}]'
    game = parse_game(
        words.replace("settled_by", f"may_decide = {options}\nsettled_by", 1)
        .replace("MORE", when and f', when = "{when}"')
        .encode(),
        "game.toml",
    )
    assert {one.hand for one in analyze(game).decisions} == seen


SEEN = (
    "whatever was dealt",
    "first lowest 4, highest A",
    "four: player with board Q 10 7 6 suited",
    "one: player 9; 1 on third",
)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "it",
            (
                "qualunque cosa sia stata distribuita",
                "più bassa 4, più alta A",
                "6 dello stesso seme",
                "player 9; 1 su third",
            ),
        ),
        (
            "es",
            (
                "sean cuales sean las cartas repartidas",
                "más baja 4, más alta A",
                "6 del mismo palo",
                "player 9; 1 sobre third",
            ),
        ),
        (
            "fr",
            (
                "quelles que soient les cartes distribuées",
                "plus basse 4, plus haute A",
                "6 de même couleur",
                "1 sur third",
            ),
        ),
    ],
)
def test_what_a_seat_sees_is_told_in_the_language_of_the_report(language, told):
    assert "several-draws" in families()
    with speaking(language, "several-draws"):
        for seen, expected in zip(SEEN, told, strict=True):
            assert translated(seen).endswith(expected)


@pytest.mark.parametrize("ranking", [{}, {"wild": ("2",)}, {"wild": ("2", "9"), "bug": True}, {"bug": True}])
def test_both_readings_rank_hands_with_wild_cards_alike(ranking):
    order = HandKinds(5, (*ORDERS["five-card"].kinds, "five-of-a-kind"), **ranking)
    words = " ".join((*order.wild, *(["bug"] if order.bug else [])))
    deck = [*(f"{rank} of {suit}" for rank in FRENCH_RANKS for suit in FRENCH_SUITS), "joker", "joker 2"]
    dice, found = Random(48), []  # noqa: S311 - any hands will do
    for suits in (4, 4, 4, 1) * 60:
        some = [card for card in deck if card.split()[-1] in (*FRENCH_SUITS[:suits], "joker", "2")]
        hand = tuple(dice.sample(some, 5))
        ranks = tuple((_rank_of(face, order.wild), face.partition(" of ")[2]) for face in hand)
        found.append((best_hand(order, ranks), worth_of(hand, " ".join(order.kinds), words)))
    for (one, said), (other, told) in pairwise(found):
        assert (one > other, one < other) == (said > told, said < told)
    assert len({strength >> SHIFT for strength, _ in found}) > 6

"""What is exact of games with a free bank: equilibria, passing, splitting, seats, on small and real decks."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from cli_support import refuses
from free_bank_tables import GAMES, SEPT, SETTE, SIETE, deck, game_of, path_of, with_rules

from certify.analysis.engine.distribution import visits
from certify.analysis.engine.exact import CountedGame
from certify.cli.options import strategy_name
from certify.errors import InputError, SubmissionError
from certify.families import reachable_rows, witnesses
from certify.families.free_bank.charts import BankChart, ChartLine, OpenTotal, OwnHandBank
from certify.families.free_bank.exact import names
from certify.families.free_bank.exact.best_bank import bank_best_response, worth_to_a_bank_that_swaps
from certify.families.free_bank.exact.equilibrium import (
    bank_answer,
    bracket,
    equilibrium,
    own_hand_answer,
    player_answer,
    player_best_response,
)
from certify.families.free_bank.exact.hands import (
    BUST,
    FIRST,
    PLAIN,
    REALE,
    BankTerms,
    bank_hands,
    standing_plan,
    terms_of,
)
from certify.families.free_bank.exact.names import with_splits
from certify.families.free_bank.exact.passing import (
    chance_of_passing,
    first_to_take,
    joint,
    passes,
    shares,
    two_at_the_table,
)
from certify.families.free_bank.exact.port import FreeBankExact, gain_of_choosing_stakes
from certify.families.free_bank.exact.split_lattice import ROUNDING
from certify.families.free_bank.exact.splitting import split_answer, split_figures, split_worth
from certify.families.free_bank.family import FAMILY, counted_return
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import FreeBankRules, Passing, rules_of
from certify.families.free_bank.strategy import Conduct, Own, Pair, PlayerSees, StandOn
from certify.families.seven_and_a_half.cards import NO_CARDS
from certify.kit.subject import counted, differences, figures_of, walked_figures
from certify.model import Bracket, Game, shoe
from certify.submission import read_game


@pytest.mark.parametrize("terms", [SEPT, SIETE, SETTE], ids=["sept", "siete", "sette"])
def test_an_equilibrium_of_a_small_deck_is_proven_to_the_grain(terms: BankTerms) -> None:
    found = equilibrium(terms, Fraction(1, 10**6))
    assert found.bracket == bracket(terms, found.player, found.bank)
    assert 0 <= found.bracket.width <= Fraction(1, 10**6)
    assert found.bracket.lower <= joint(terms, found.player, found.bank).expectation <= found.bracket.upper
    # A best answer, played as its chart says, brings what it is said to bring.
    player, bank = player_answer(terms, found.bank, "p"), bank_answer(terms, found.player, "b")
    assert joint(terms, player, found.bank).expectation == found.bracket.upper
    assert joint(terms, found.player, bank).expectation == found.bracket.lower


@pytest.mark.parametrize(
    ("terms", "kept", "worth"),
    [
        (SETTE, Fraction(-2827, 10080), Fraction(-1361, 3360)),
        (
            replace(SIETE, deck=deck(a=1, two=1, three=3, four=3, five=1, six=1, seven=2, face=3)),
            Fraction(-789433, 3603600),
            Fraction(-7048841, 25225200),
        ),
    ],
)
def test_a_bank_that_swaps_leaves_what_hands_that_hold_the_card_given_up_come_to(
    terms: BankTerms, kept: Fraction, worth: Fraction
) -> None:
    """Counted before by another way: every hand of the bank together with the card that it gave up."""
    player = StandOn("p", 10, terms.rules.swap)
    assert bank_best_response(terms, player).value == kept
    assert worth_to_a_bank_that_swaps(terms, player) == worth


# The three games on the real deck: figures known from elsewhere, and brackets as narrow as promised.


def test_drawing_to_five_exceeds_seven_and_a_half_as_often_as_counted_elsewhere() -> None:
    # Counted by a separate program over 341 hands, and met by play-through in seven implementations.
    hands = bank_hands(BankTerms(FreeBankRules()))
    assert hands.ended(standing_plan(hands, 10), NO_CARDS)[BUST] == Fraction(405912956, 1517119695)


# Who banks in the long run, and what a first card is worth: exact on a small deck.


PASSING = replace(SEPT, rules=replace(SEPT.rules, passing=Passing.SEVEN_AND_A_HALF))


def test_the_first_seat_takes_the_bank_as_often_as_it_has_seven_and_a_half() -> None:
    player, bank = StandOn("p", 10), StandOn("b", 10)
    ends = joint(PASSING, player, bank)
    having = sum(chance for (end, _), chance in ends.chances.items() if end == PLAIN)
    assert (
        chance_of_passing(PASSING, joint(PASSING, player, bank)) == having == first_to_take(PASSING, 10, 1)[0]
    )


def test_the_bank_passes_as_each_rule_says() -> None:
    rules = PASSING.rules
    assert passes(PASSING, PLAIN, PLAIN)
    kept = replace(PASSING, rules=replace(rules, passes_when_bank_has_it=False))
    assert not passes(kept, PLAIN, PLAIN)
    assert passes(kept, PLAIN, 12)
    reale = replace(SETTE, rules=replace(SETTE.rules, passing=Passing.REALE))
    assert passes(reale, REALE, PLAIN)
    assert not passes(reale, PLAIN, 12)
    assert not passes(SEPT, PLAIN, 12)


def test_everybody_who_plays_alike_banks_the_same_share() -> None:
    first, second = first_to_take(PASSING, 10, 2)
    stays = 1 - first - second
    ring = ((stays, first, second), (second, stays, first), (first, second, stays))
    assert shares(ring) == (Fraction(1, 3),) * 3
    alike = StandOn("p", 10), StandOn("b", 11)
    ends = joint(PASSING, *alike)
    table = two_at_the_table(PASSING, ends, ends)
    assert table == (Fraction(1, 2), 0)


def test_shares_are_refused_where_the_bank_never_passes() -> None:
    refuses(
        ValueError,
        ("depends on who begins", lambda: shares(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))),
        ("sum to one", lambda: shares(((Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))))),
    )


def test_first_cards_are_all_there_and_choosing_stakes_gains_with_each_unit() -> None:
    bank = StandOn("b", 10)
    own = player_best_response(SETTE, bank).own
    assert sum(own.dealt(node) for node in own.nodes if node.before == FIRST) == 1
    assert gain_of_choosing_stakes(SETTE, bank, 1) == 0
    gains = [gain_of_choosing_stakes(SETTE, bank, most) for most in (2, 3)]
    assert gains[1] == 2 * gains[0] >= 0


# Own counting agrees with the engine's walk over every path of a smaller game, lots of the equilibrium included.


SLOW = pytest.mark.slow
EVERY = [pytest.param(name, marks=() if name == "sept-et-demi" else SLOW) for name in GAMES]


@pytest.mark.parametrize("name", GAMES)
def test_the_deck_that_is_counted_is_that_of_the_submission(name: str) -> None:
    game = game_of(name)
    rules = rules_of(game)
    assert terms_of(game).deck == rules.deck
    (small,) = FAMILY.checks.smaller(game)  # type: ignore[misc]
    terms = terms_of(small)
    assert terms.size == 9
    classes = reference(small).classes
    assert tuple(classes.count(card) for card in range(9)) == terms.deck
    assert (terms.deck[8] == 1) == rules.matta
    assert terms.deck[7] >= rules.hands or rules.hands == 1
    assert not tuple(FAMILY.checks.smaller(with_rules(game, seats=2)))  # type: ignore[misc]


@cache
def walk_of(name: str) -> tuple[Game, CountedGame]:
    """Returns the smaller game of a game, walked on every path."""
    (small,) = FAMILY.checks.smaller(game_of(name))  # type: ignore[misc]
    walked = counted(small)
    assert walked is not None
    return small, walked


@pytest.mark.parametrize("name", EVERY)
def test_own_counting_is_what_every_path_of_the_reference_round_comes_to(name: str) -> None:
    small, walked = walk_of(name)
    exact = FAMILY.exact
    assert exact is not None
    for pair in ("equilibrium against equilibrium", "stand-on:5 against stand-on:5"):
        own = exact.analyze(small, pair)
        assert not differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine")
        assert len(figures_of(own)["bet"]) >= 6


def test_splitting_counted_exactly_is_what_the_reference_round_comes_to() -> None:
    # Twelve cards, which four hands and the bank never empty: with nine, whoever draws last finds no card.
    game = game_of("siete-y-media")
    (deck,) = game.equipment
    held = {f"{rank} of {suit}" for rank in ("6", "7") for suit in deck.suits[:3]}
    held |= {
        f"{rank} of {suit}"
        for rank, suits in (("5", 2), ("J", 2), ("Q", 1), ("K", 1))
        for suit in deck.suits[:suits]
    }
    cards = shoe(deck.id, deck.ranks, deck.suits, removed=[card for card in deck.faces if card not in held])
    small = replace(game, equipment=(cards,))
    own = FAMILY.exact.analyze(small, "split-best-response against stand-on:5")  # type: ignore[union-attr]
    assert isinstance(own.strategy, Pair)
    assert counted_return(small, own.strategy) == own.wagers[0].return_to_player == 1 - Fraction(211, 3960)
    assert own.wagers[0].total_wagered > 1


def test_a_tie_that_own_counting_gives_back_is_found_by_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    small, walked = walk_of("sept-et-demi")
    net = BankTerms.net

    def lenient(self: BankTerms, player: int, bank: int) -> object:
        return 0 if player == bank < PLAIN else net(self, player, bank)

    def told() -> list[str]:
        names._figures.cache_clear()
        own = FAMILY.exact.analyze(small, "stand-on:5 against stand-on:5")  # type: ignore[union-attr]
        return differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine")

    assert not told()
    monkeypatch.setattr(BankTerms, "net", lenient)
    assert told()
    monkeypatch.undo()
    names._figures.cache_clear()


def test_a_strategy_by_lot_whose_chances_are_no_distribution_is_refused_by_the_walk() -> None:
    _, walked = walk_of("sept-et-demi")
    half = Fraction(1, 2)
    refuses(
        InputError,
        (
            "expected a sum of one",
            lambda: visits(walked.graph, walked.order, lambda choice: ((choice.ids[0], half),)),
        ),
        (
            "'peek' was decided",
            lambda: visits(
                walked.graph, walked.order, lambda choice: ((choice.ids[0], half), ("peek", half))
            ),
        ),
    )
    even = visits(
        walked.graph,
        walked.order,
        lambda choice: tuple((one, Fraction(1, len(choice.ids))) for one in choice.ids),
    )
    assert sum(even.results) == 1
    assert min(even.results) > 0  # whoever decides by lot comes to every end


# Splitting on a small deck: answers with their charts, and what is not counted.


RULES = FreeBankRules(bank_collects=2, bank_collects_from_seven_and_a_half=4, hands=3)
DECK = (0, 0, 0, 2, 0, 2, 3, 5, 0)
TERMS = BankTerms(RULES, seven_and_a_half=Fraction(2), deck=DECK)
BANK = StandOn("b", 9)


@pytest.mark.parametrize(
    ("least", "without", "worth"),
    [(8, Fraction(-1181, 8316), Fraction(193, 16632)), (11, Fraction(-353, 4158), Fraction(31, 440))],
)
def test_the_worth_of_splitting_is_what_every_decision_tried_on_every_card_came_to(
    least: int, without: Fraction, worth: Fraction
) -> None:
    """Counted before by another way: each decision tried on each card, one by one, the bank dealt last."""
    bank = StandOn("b", least)
    assert player_best_response(TERMS, bank).value == without
    found = split_worth(TERMS, bank)
    assert (found.value, found.at_most - found.value) == (worth, ROUNDING)


def test_the_answer_says_when_to_split_and_its_mean_makes_the_whole() -> None:
    found = split_worth(TERMS, BANK)
    chart = split_answer(TERMS, BANK, "split-best-response")
    came = PlayerSees(Own(((7,),), 0, face_came=True))
    assert chart.chances(came, ("stay", "split")) == (("split" if found.splits else "stay", Fraction(1)),)
    waiting = PlayerSees(Own(((7, 6), (7,)), 1))
    assert chart.chances(waiting, ("stand", "hit"))[0][1] == 1


MATTA = replace(TERMS, rules=replace(RULES, matta=True), deck=(*DECK[:7], DECK[7] - 1, 1))


@pytest.mark.parametrize(
    ("terms", "bank", "why"),
    [
        (TERMS, BankChart("looks", "", ChartLine(9, draws=(((3,), -1, Fraction(1, 2)),))), "its own total"),
        (replace(TERMS, rules=replace(RULES, hands=1)), BANK, "splitting is counted where the rules know it"),
        (MATTA, BANK, "a deck with a matta"),
    ],
)
def test_splits_that_are_not_counted_are_refused_with_the_cause(
    terms: BankTerms, bank: Conduct, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        split_worth(terms, bank)


def test_a_bank_that_looks_at_one_hand_is_answered_with_splits_and_at_least_as_well_as_without() -> None:
    """Two hands are worth what they are against a bank that stands on the same total; one hand is met by the chart."""
    looks = BankChart(
        "looks",
        "",
        ChartLine(9),
        ((OpenTotal(False, 1), ChartLine(12)), (OpenTotal(False, 8), ChartLine(11))),
    )
    found, blind = split_worth(TERMS, looks), split_worth(TERMS, BANK)
    assert found.two.value == blind.two.value
    assert player_best_response(TERMS, looks).value <= found.value
    figures = split_figures(TERMS, split_answer(TERMS, looks, "split-best-response"), looks)
    ends, split = figures
    one = sum(ends.terms.net(*pair) * chance for pair, chance in ends.chances.items())
    assert one + split.pays * split.probability == found.value


def test_planted_a_bank_that_gives_away_more_against_several_hands_raises_the_upper_end() -> None:
    chart = BankChart("chart", "", ChartLine(9), ((OpenTotal(False, 1), ChartLine(12)),))
    generous = replace(chart, otherwise=ChartLine(1))
    proven = Bracket(Fraction(-1), player_best_response(TERMS, chart).value)
    assert with_splits(TERMS, proven, generous).upper > with_splits(TERMS, proven, chart).upper > proven.upper


# Several seats: figures of a seat by another way, what is refused and why, and when the deck cannot run out.


TWO = with_rules(game_of("sept-et-demi"), seats=2)
CARDS = ("2", "3", "4", "6", "7", "J", "Q", "K")


@pytest.mark.slow
def test_the_first_of_two_seats_gets_what_one_gets_against_a_bank_that_looks_at_its_own_hand() -> None:
    """Card by card through the reference round; seats stand on 2: no more cards are asked for than there are."""
    (deck,) = TWO.equipment
    kept = {f"{rank} of {deck.suits[0]}" for rank in CARDS}
    cards = shoe(deck.id, deck.ranks, deck.suits, removed=[card for card in deck.faces if card not in kept])
    bank = OwnHandBank("own hand", ChartLine(6, ((4, Fraction(1, 3)),), (((3,), -1, Fraction(1)),)))
    pair, game = Pair(StandOn("stand-on:2", 4), bank), replace(TWO, equipment=(cards,))
    assert counted_return(game, pair) == 1 + joint(terms_of(game), pair.player, bank).expectation


def test_no_bank_that_looks_at_its_own_hand_leaves_less_than_the_best_one() -> None:
    terms = terms_of(game_of("sept-et-demi"))
    player = StandOn("p", 10)
    best = own_hand_answer(terms, player, "b")
    value = joint(terms, player, best).expectation
    others = [joint(terms, player, StandOn("o", least)).expectation for least in range(8, 14)]
    assert value < min(others)
    assert bank_best_response(terms, player).value < value


@pytest.mark.parametrize(
    ("player", "bank", "why"),
    [
        ("equilibrium", "equilibrium", "look at each other's cards"),
        ("best-response", "stand-on:5", "look at each other's cards"),
        ("stand-on:5", "equilibrium", "looks at open cards weighs all of them"),
        ("stand-on:5", "best-response", "looks at open cards weighs all of them"),
    ],
)
def test_what_is_not_counted_with_several_seats_is_refused_with_the_reason(
    player: str, bank: str, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        names.conduct(TWO, player, bank)


def test_seats_that_may_empty_the_deck_are_refused() -> None:
    with pytest.raises(InputError, match="cards may be drawn and the deck has 40"):
        names.conduct(with_rules(TWO, seats=11), "stand-on:6", "stand-on:6")


def test_figures_of_two_seats_and_their_witnesses_are_there_without_naming_a_strategy() -> None:
    analysis = FreeBankExact().analyze(TWO, strategy_name(TWO, None, None))
    assert analysis.strategy.name == "stand-on:5 against best-by-own-hand"
    assert analysis.wagers[0].bracket is None
    assert {witness.row for witness in witnesses(TWO, reachable_rows(TWO))} == {
        "seven-and-a-half", "win", "lose", "bust", "bank-seven-and-a-half", "both-seven-and-a-half",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "value", "why"),
    [
        ("bank-swaps", "true", "its value not solved"),
        ("bank-looks-at", '"nothing"', "looks at nothing is not solved"),
    ],
)
def test_rules_that_are_not_solved_are_refused_at_their_line(
    rule: str, value: str, why: str, tmp_path: Path
) -> None:
    text = path_of("sette-e-mezzo").read_text("utf-8")
    at = text.index(f'id = "{rule}"')
    line = text.index("value = ", at)
    file = tmp_path / "game.toml"
    file.write_text(text[:line] + f"value = {value}" + text[text.index("\n", line) :], "utf-8")
    with pytest.raises(SubmissionError) as refused:
        read_game(file)
    assert why in str(refused.value)
    assert f"game.toml:{text[:line].count(chr(10)) + 1}:" in str(refused.value)

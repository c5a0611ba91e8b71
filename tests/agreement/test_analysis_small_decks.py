"""Enumeration by class against every ordered deal of small decks, settled by the reference rules.

The second way shares nothing with the first but the nouns: hands are ordered card ids, probabilities are
fractions multiplied card by card, and every round is settled by the second text.
"""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from representatives import firsts

from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.best_play import chances, draws_of, solve
from certify.families.sette_e_mezzo.exact.figures import jointly_optimal
from certify.families.sette_e_mezzo.rules import PairCondition, Tie
from certify.families.sette_e_mezzo.second import BEST, main_row, pair_row, points, three_row
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name, rank_of
from certify.families.seven_and_a_half.counting import ClassDeck, class_of
from certify.submission import read_game

CARDS = {card_name(card): card for card in range(DECK_SIZE)}

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")

TWO_SUITS = {
    "5 6 7 J K": "5 6 7 J K",
    "A 3 7 K": "A 3 7 K",
    "4 5 6 J Q": "4 5 6 J Q",
}
"""Decks of the named ranks in Denari and Coppe: joint play needs every rank in the same suits."""


def two_suits(name):
    ranks = TWO_SUITS[name].split()
    return ClassDeck(
        tuple(sorted(CARDS[f"{rank} of {suit}"] for rank in ranks for suit in ("Denari", "Coppe")))
    )


def composition(cards):
    counts = [0] * 9
    for card in cards:
        counts[class_of(card)] += 1
    return tuple(counts)


def same_rank(cards):
    return sum(1 for card in cards[1:] if rank_of(card) == rank_of(cards[0]))


@cache
def named(cards):
    return tuple(map(card_name, cards))


@cache
def value(cards):
    return points(named(cards))


@cache
def rows(player, dealer, rules):
    mine, theirs = named(player), named(dealer)
    three = three_row((*mine[:2], theirs[0])) if len(mine) > 1 else "no-second-card"
    return main_row(rules, mine, theirs), pair_row(rules, mine, theirs[0]), three


def must_draw(player, rules):
    return rules.player_draws_on_first_face and len(player) == 1 and rank_of(player[0]) >= 7


def may_decide(player, rules):
    return value(player) < BEST and not must_draw(player, rules)


def dealer_draws(dealer, player, rules):
    if rules.dealer_draws_on_first_face and len(dealer) == 1 and rank_of(dealer[0]) >= 7:
        return True
    chased = rules.dealer_chases_seven_and_a_half and value(player) == BEST
    return value(dealer) < (BEST if chased else rules.dealer_stands_on)


def dealer_ends(deck, player, dealer, rules):
    """Yields every final hand of the dealer with its probability."""
    if not dealer_draws(dealer, player, rules):
        yield dealer, Fraction(1)
        return
    rest = [card for card in deck if card not in player and card not in dealer]
    for card in rest:
        for hand, probability in dealer_ends(deck, player, (*dealer, card), rules):
            yield hand, probability / len(rest)


def settlements(deck, player, rules):
    """Returns the joint outcomes of a player's final hand, the dealer's cards being any of those left."""
    rest = [card for card in deck if card not in player]
    outcomes = defaultdict(Fraction)
    bust = value(player) > BEST
    for first in rest:
        unplayed = [((first,), Fraction(1))]
        for dealer, probability in unplayed if bust else dealer_ends(deck, player, (first,), rules):
            outcomes[rows(player, dealer, rules)] += probability / len(rest)
    return outcomes


def play_out(deck, rules, draws):
    """Returns the joint distribution of a strategy by dealing every ordered deal."""
    joint = defaultdict(Fraction)

    def go(player, probability):
        rest = [card for card in deck if card not in player]
        forced = must_draw(player, rules)
        chosen = may_decide(player, rules) and draws(
            rank_of(player[0]), composition(player), same_rank(player)
        )
        if forced or chosen:
            for card in rest:
                go((*player, card), probability / len(rest))
            return
        for outcome, chance in settlements(deck, player, rules).items():
            joint[outcome] += probability * chance

    for card in deck:
        go((card,), Fraction(1, len(deck)))
    return dict(joint)


def best_value(deck, rules, worth):
    """Returns the value of best play by backward induction over ordered hands."""
    memo = {}

    def stand(player):
        return sum(
            probability * worth(outcome) for outcome, probability in settlements(deck, player, rules).items()
        )

    def best(player):
        # What follows a second card depends on the first two cards and on which others are out.
        key = (player[:2], tuple(sorted(player[2:])))
        if key in memo:
            return memo[key]
        rest = [card for card in deck if card not in player]

        def hit():
            return sum((best((*player, card)) for card in rest), Fraction(0)) / len(rest)

        if must_draw(player, rules):
            memo[key] = hit()
        elif may_decide(player, rules):
            memo[key] = max(hit(), stand(player))
        else:
            memo[key] = stand(player)
        return memo[key]

    return sum(best((card,)) for card in deck) / len(deck)


def worth_of(stakes):
    tables = {wager.id: wager.paytable for wager in GAME.wagers}

    def worth(outcome):
        total = Fraction(0)
        for wager, row in zip(tables, outcome, strict=True):
            pays = (
                tables[wager].pays(row) if row in tables[wager].ids else Fraction(0 if row == "push" else -1)
            )
            total += stakes.get(wager, 0) * pays
        return total

    return worth


RULES = {
    "as submitted": GAME.rules,
    "ties push, king loses to 7½, pairs need no bust": replace(
        GAME.rules,
        tie=Tie.PUSH,
        king_wins_against_dealer_seven_and_a_half=False,
        pair_condition=PairCondition.DEALER_MUST_UNCOVER,
    ),
    "no automatic draws, dealer stands on 5": replace(
        GAME.rules,
        player_draws_on_first_face=False,
        dealer_draws_on_first_face=False,
        dealer_chases_seven_and_a_half=False,
        dealer_stands_on=10,
        pair_condition=PairCondition.DEALER_MUST_UNCOVER,
    ),
}


@pytest.mark.parametrize(
    "stakes",
    [
        {"main": Fraction(1)},
        {"main": Fraction(1), "partita-perfetta": Fraction(3), "mano-di-poker": Fraction(1, 2)},
        {"main": Fraction(5), "mano-di-poker": Fraction(1)},
    ],
)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("name", firsts(TWO_SUITS))
def test_best_play_and_its_distribution_equal_every_ordered_deal(name, rules, stakes):
    deck, game = two_suits(name), replace(GAME, rules=rules)
    solution = solve(game, stakes, deck)
    expectation = sum(stake * solution.wager_expectation(wager) for wager, stake in stakes.items())
    assert expectation == best_value(deck.cards, rules, worth_of(stakes))
    table = jointly_optimal(solution)
    draws = draws_of(table)
    joint = play_out(deck.cards, rules, lambda first, hand, same: draws((first, same, hand)))
    for place, found in enumerate(chances(game, table, deck).values()):
        marginal = defaultdict(Fraction)
        for outcome, chance in joint.items():
            marginal[outcome[place]] += chance
        assert found == marginal


def test_joint_play_refuses_decks_that_break_the_symmetry_of_suits():
    deck = ClassDeck((0, 1, 5, 9, 28))
    with pytest.raises(InputError, match="same suits"):
        solve(GAME, deck=deck)

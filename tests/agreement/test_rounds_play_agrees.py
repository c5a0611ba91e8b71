"""The rules that ledger rounds are settled by and the reference round end every line of every deck alike."""

from dataclasses import replace

import pytest
from rounds_game import deck_from, decks, game

from certify.errors import InputError
from certify.families.sette_e_mezzo.round import paytables_of, play_round, replay
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.rounds.family import play_of

GAME = game()
PLAY = play_of(GAME)
DECKS = (
    *decks(60),
    deck_from(36, 37, 24),
    deck_from(36, 24, 28),
    deck_from(24, 36, 28),
    deck_from(24, 25, 26),
)


def lines(deck, prefix=()):
    options = PLAY.position(deck, prefix).options
    if not options:
        yield prefix
    for option in options:
        yield from lines(deck, (*prefix, option))


@pytest.mark.parametrize("condition", PairCondition)
def test_every_line_of_decisions_ends_as_in_the_reference_round(condition):
    rules = replace(GAME.rules, pair_condition=condition)
    play = play_of(replace(GAME, rules=rules))
    seen = set()
    for deck in DECKS:
        for line in lines(deck):
            reference = play_round(deck, rules, paytables_of(GAME), replay(line))
            settled = play.settle(deck, line)
            assert {wager: result.outcome for wager, result in settled.items()} == dict(reference.outcomes)
            assert {wager: result.net for wager, result in settled.items()} == dict(reference.net)
            position = play.position(deck, line)
            covered = condition is PairCondition.DEALER_MUST_UNCOVER and reference.outcome("main") == "bust"
            assert (position.player, position.dealer) == (
                reference.player,
                () if covered else reference.dealer,
            )
            assert reference.decisions == line
            seen |= {result.outcome for result in settled.values()}
    assert {"king-of-denari-seven-and-a-half", "win", "lose", "bust", "pair-of-sevens"} <= seen
    assert ("not-uncovered" in seen) is (condition is PairCondition.DEALER_MUST_UNCOVER)


def test_decisions_beyond_the_end_of_the_hand_are_refused():
    deck = DECKS[0]
    line = next(iter(lines(deck)))
    with pytest.raises(InputError, match="the hand was done"):
        PLAY.settle(deck, (*line, "hit"))
    with pytest.raises(InputError, match="expected another one"):
        PLAY.settle(deck, ())

"""A bank that looks at the open cards of all seats: its compiled decision, its plain twin, and the reference round."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import plain_open_cards
import pytest
from free_bank_tables import GAMES, game_of, reference, seated, stand_on
from representatives import only
from test_free_bank_legs import decks

from certify.errors import InputError
from certify.families.driver import decide_by, steps
from certify.families.free_bank.exact.names import conduct
from certify.families.free_bank.open_cards_bank import OpenCardsBank
from certify.families.free_bank.rules import Sight, rules_of
from certify.families.free_bank.strategy import BankSees, HandEnd, OpenHand, OpenSeat, Own, Pair, PlayerSees
from certify.families.free_bank.volume.several import outcomes
from certify.families.port import Choice
from certify.mathematics import analyze


def looking(name: str) -> OpenCardsBank:
    bank = conduct(game_of(name), "stand-on:5", "looks-at-all:5").bank
    assert isinstance(bank, OpenCardsBank)
    return bank


@pytest.mark.parametrize(
    ("seats", "least", "name"),
    only(
        [(seats, least, name) for seats, least in ((1, 10), (3, 10), (9, 13)) for name in GAMES],
        (1, 10, "siete-y-media"),
        *((3, 10, name) for name in GAMES),
    ),
)
def test_kernel_twin_and_reference_round_weigh_the_open_cards_alike(
    name: str, seats: int, least: int
) -> None:
    game = seated(name, seats)
    rules, bank = reference(game), looking(name)
    pair = Pair(stand_on(least, 10, swaps=name == "sette-e-mezzo").player, bank)
    rows = decks(10, of=3, seed=seats)
    asked = 0

    def decide(choice: Choice) -> str:
        nonlocal asked
        if isinstance(choice.sees, BankSees):
            sees, asked = choice.sees, asked + 1
            assert plain_open_cards.draws(bank, sees) == bank.draws(sees)
        return decide_by(pair)(choice)

    expected = []
    for row in rows.tolist():
        *_, last = steps(rules, row, decide)
        expected.append(tuple(outcome for outcome, _, _ in rules.results(last.state)))
    assert outcomes(rows, pair, rules_of(game)) == expected
    assert asked


def test_it_stands_on_six_against_a_bust_heavy_table_and_draws_where_all_stand_high() -> None:
    bank = looking("sept-et-demi")
    # Three seats drew to an open 6 and stood: each holds 6½ or 7. Standing on 6 loses to all of them.
    high = OpenSeat((OpenHand((5,), HandEnd.STOOD),))
    gone = OpenSeat((OpenHand((5, 4, 3), HandEnd.BUST, True),))
    assert bank.draws(BankSees((5,), (high, high, high)))
    # One stood on its first card, believed to be 5, 6 or 7; the others have lost.
    first = OpenSeat((OpenHand((), HandEnd.STOOD),))
    assert not bank.draws(BankSees((6,), (first, gone, gone)))


def test_what_one_seat_shows_changes_what_it_does_to_the_others() -> None:
    bank = looking("sept-et-demi")
    full = OpenSeat((OpenHand((6, 7), HandEnd.SEVEN_AND_A_HALF, True),))
    low = OpenSeat((OpenHand((), HandEnd.STOOD),))
    one, several = bank.draws(BankSees((6,), (full,))), bank.draws(BankSees((6,), (full, low, low, low)))
    assert (one, several) == (True, False)


def test_it_is_a_strategy_of_a_bank_that_may_look() -> None:
    game = game_of("sept-et-demi")
    blind = replace(game, rules=replace(rules_of(game), sight=Sight.NOTHING))
    with pytest.raises(InputError, match="look at nothing"):
        conduct(blind, "stand-on:5", "looks-at-all:5")
    with pytest.raises(InputError, match="no strategy 'looks-at-all:5' of a player"):
        conduct(game, "looks-at-all:5", "stand-on:5")
    with pytest.raises(InputError, match="strategy of the bank"):
        looking("sept-et-demi").chances(PlayerSees(Own(((5,),))), ("stand", "hit"))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_with_one_seat_its_exact_figures_lie_between_a_blind_bank_and_the_best_answer(name: str) -> None:
    player = "swap-then-stand-on:5" if name == "sette-e-mezzo" else "stand-on:5"
    best, looks, blind = (
        analyze(game_of(name), f"{player} against {bank}").wager("bet").return_to_player
        for bank in ("best-response", "looks-at-all:5", "stand-on:5")
    )
    assert best <= looks < blind
    assert looks - best < Fraction(1, 1000)

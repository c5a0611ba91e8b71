"""Tables of the play-through are the reference round's settlement, hand by hand and of several hands together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from certify.families.blackjack.reference import reference
from certify.families.blackjack.rules import BlackjackRules, Peek, Taken
from certify.families.blackjack.volume.settlement import DEALER_ENDS, DEALER_NATURAL, Settlement
from tests.families.blackjack.rounds import dice_of, six_decks

RULES = BlackjackRules(peek=Peek.NEVER, charlie=5, double_rescue=True)


@pytest.mark.parametrize("taken", Taken)
def test_several_hands_net_what_each_nets_less_what_is_lost_once(taken: Taken) -> None:
    settlement = Settlement(reference(six_decks(replace(RULES, natural_takes=taken))))
    nets, dice = settlement.table(), dice_of(7)
    lost_once = 0
    for up, dealer in product((0, 5, 9), range(DEALER_ENDS)):
        for _ in range(40):
            codes = [dice.randrange(len(settlement.ends)) for _ in range(dice.randint(2, 4))]
            hands = tuple(settlement.ends[code] for code in codes)
            once = [int(nets[1, up, dealer, code]) for code in codes if nets[1, up, dealer, code]]
            together = sum(int(nets[0, up, dealer, code]) for code in codes) - sum(once[1:])
            assert Fraction(together, settlement.unit) == settlement.main_end(hands, up, dealer).net
            assert abs(together) <= settlement.most
            lost_once += len(once) > 1
    assert bool(lost_once) == (taken in (Taken.ORIGINAL, Taken.ORIGINAL_AND_BUSTED))


def test_insurance_and_the_rows_of_one_hand_are_named_as_the_rulebook_names_them() -> None:
    settlement = Settlement(reference(six_decks(BlackjackRules(insurance=True))))
    assert [Fraction(int(net), settlement.unit) for net in settlement.insured()] == [Fraction(-1, 2), 1]
    nets = settlement.table()
    for (up, dealer, code), one in settlement.singles.items():
        net, row = int(nets[0, up, dealer, code]), int(nets[2, up, dealer, code])
        assert settlement.outcome(row, net, int(2 * one.staked)) == one.outcome
    possible = settlement.outcomes()
    assert {"natural", "win", "push", "lose", "win:2:2", "lose:-3/2:3/2"} <= set(possible)
    assert settlement.main_end((settlement.ends[2 * 20],), 0, DEALER_NATURAL).net == -1

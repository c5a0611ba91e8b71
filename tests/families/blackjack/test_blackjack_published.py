"""Blackjack against published figures, each by the convention that its source states."""

from __future__ import annotations

import pytest

from certify.families.blackjack.exact.search import expected
from certify.families.blackjack.exact.splits import Convention
from certify.families.blackjack.exact.strategies import BestPlay
from certify.families.blackjack.exact.terms import Terms, whole_decks
from certify.families.blackjack.rules import BlackjackRules


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decks", "hits_soft_17", "double_after_split", "printed"),
    [
        (1, False, True, 0.001839),
        (1, False, False, 0.000423),
        (1, True, True, -0.000072),
        (1, True, False, -0.001513),
        (2, True, True, -0.003797),
        (2, True, False, -0.005252),
        (5, True, True, -0.005918),
        (5, True, False, -0.007366),
    ],
)
def test_expected_returns_of_appendix_nine(
    decks: int, hits_soft_17: bool, double_after_split: bool, printed: float
) -> None:
    # Its splits reckon with the number of hands alone, by a recursion that is near, not equal, to the exact one here.
    rules = BlackjackRules(hits_soft_17=hits_soft_17, double_after_split=double_after_split)
    terms = Terms(whole_decks(decks), rules)
    found = expected(terms, BestPlay("best", terms, Convention.PAIRS).plans)
    assert found == pytest.approx(printed, abs=1e-5)


def test_an_endless_deck_returns_what_is_published_of_it() -> None:
    terms = Terms(whole_decks(0), BlackjackRules(split_hands=2, double_after_split=False))
    assert expected(terms, BestPlay("best", terms).plans) == pytest.approx(-0.00690223, abs=2e-7)

"""What a bank can lose in one round at most, with a deal that loses it."""

from __future__ import annotations

import pytest
from free_bank_tables import GAMES, seated

from certify.families.driver import steps
from certify.families.free_bank import supplementary_tables
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import rules_of
from certify.families.free_bank.supplementary_tables import worst_round
from certify.families.port import Choice


@pytest.mark.parametrize(
    ("name", "seats", "amount"),
    [
        ("sept-et-demi", 1, 1),
        ("sept-et-demi", 3, 3),
        ("sette-e-mezzo", 1, 2),
        # Four sevens and the matta: five seats can have a reale, two win their stake.
        pytest.param("sette-e-mezzo", 7, 12, marks=pytest.mark.slow),
        ("siete-y-media", 1, 8),
        # Twelve faces: twelve hands of 7½ for three seats.
        ("siete-y-media", 3, 24),
    ],
)
def test_what_a_bank_can_lose_at_most_is_shown_by_a_deal_that_loses_it(
    name: str, seats: int, amount: int
) -> None:
    game = seated(name, seats)
    worst = worst_round(rules_of(game), game.wagers[0].paytable)
    assert worst.amount == amount
    round_ = reference(game)
    classes, decided = worst.deal
    kinds = {kind: [card for card in range(40) if round_.classes[card] == kind] for kind in set(classes)}
    cards = [kinds[kind].pop(0) for kind in classes]
    row = [*cards, *(card for card in range(40) if card not in cards), *range(40), *range(40)]
    remaining = iter(decided)

    def decide(choice: Choice) -> str:
        # A game without cover does not ask for it.
        return next(option for option in remaining if option in choice.ids)

    *_, last = steps(round_, row, decide)
    assert sum(net for _, net, _ in round_.results(last.state)) == amount


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_longer_hands_cost_a_bank_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = seated(name, 3)
    short = worst_round(rules_of(game), game.wagers[0].paytable)
    monkeypatch.setattr(supplementary_tables, "MOST_CARDS", 7)
    supplementary_tables._compositions.cache_clear()
    assert worst_round(rules_of(game), game.wagers[0].paytable).amount == short.amount
    supplementary_tables._compositions.cache_clear()

"""An evening of several people with a bank that one of them holds: money, cover, absence, voiding, history."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from free_bank_tables import GAMES, game_of, row_of, seated

from certify.errors import OperationError
from certify.families.driver import steps
from certify.families.free_bank import cover
from certify.families.free_bank.cover import worst_round
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import rules_of
from certify.families.gathering import ADOPTED, Gathering, RoundEnd
from certify.families.port import Choice

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = timedelta(minutes=3)


def evening(
    name: str = "sette-e-mezzo", people: tuple[str, ...] = ("Ada", "Bea", "Cora"), money: int = 10_000
) -> Gathering:
    rules = reference(seated(name, len(people) - 1))
    return Gathering(rules, dict.fromkeys(people, money), people[0])


def dealt(cards: str, name: str = "sette-e-mezzo", money: int = 10_000, **stakes: int) -> Gathering:
    staked = stakes or {"Bea": 100, "Cora": 300}
    return evening(name, money=money).opened(staked, row_of(cards, decks=3), NOON)


@pytest.mark.parametrize(
    ("name", "stakes", "amount"),
    [
        ("sept-et-demi", [100], 100),
        ("sept-et-demi", [100, 50, 20], 170),
        ("sette-e-mezzo", [100], 200),
        # Four sevens and the matta: five seats can have a reale, the two lowest stakes win their stake.
        ("sette-e-mezzo", [100, 100, 100, 100, 100, 20, 10], 1_030),
        ("siete-y-media", [100], 800),
        # Twelve faces: twelve hands of 7½ for three seats.
        ("siete-y-media", [100, 100, 50], 2_000),
    ],
)  # fmt: skip
def test_what_a_bank_can_lose_at_most_is_shown_by_a_deal_that_loses_it(
    name: str, stakes: list[int], amount: int
) -> None:
    game = seated(name, len(stakes))
    worst = worst_round(rules_of(game), game.wagers[0].paytable, stakes)
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
    assert (
        sum(net * stake for (_, net, _), stake in zip(round_.results(last.state), stakes, strict=True))
        == amount
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_longer_hands_cost_a_bank_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = seated(name, 3)
    short = worst_round(rules_of(game), game.wagers[0].paytable, [100, 70, 30])
    monkeypatch.setattr(cover, "MOST_CARDS", 7)
    cover._compositions.cache_clear()
    assert worst_round(rules_of(game), game.wagers[0].paytable, [100, 70, 30]).amount == short.amount
    cover._compositions.cache_clear()


def test_a_bank_that_could_not_pay_the_worst_round_is_not_dealt() -> None:
    # Two reali at 400 stakes in all cost 800.
    assert dealt("2 2 2", money=800).round is not None
    with pytest.raises(OperationError, match="worst round costs the bank 800, Ada has 799"):
        dealt("2 2 2", money=799)


def test_a_seat_answers_for_what_it_can_lose_beyond_its_stake() -> None:
    open_ = dealt("2 2 2")
    assert dict(open_.round.held if open_.round else ()) == {"Bea": 200, "Cora": 600, "Ada": 800}
    with pytest.raises(OperationError, match="cover are 600, Cora has 500"):
        dealt("2 2 2", money=500)


def played(open_: Gathering, *decisions: tuple[str, str]) -> Gathering:
    for person, option in decisions:
        open_ = open_.decided(person, option, NOON)
    return open_


def test_stakes_are_settled_seat_by_seat_and_the_reale_takes_the_bank() -> None:
    # Bea: 7 and a face, a reale. Cora stands on 5. The bank has 6.
    done = played(dealt("7 5 6 J"), ("Bea", "hit"), ("Cora", "stand"), ("Ada", "stand"))
    assert done.round is None
    assert done.balances == {"Ada": 10_000 - 200 + 300, "Bea": 10_200, "Cora": 9_700}
    assert done.banker == "Bea"
    (entry,) = done.history_of("Bea")
    assert (entry.staked, entry.net, entry.outcome, entry.ended) == (100, 200, "reale", RoundEnd.SETTLED)
    (bank,) = done.history_of("Ada")
    assert (bank.banked, bank.staked, bank.net) == (True, 800, 100)


def test_a_bank_of_seven_and_a_half_collects_double_from_what_was_put_up() -> None:
    done = played(dealt("5 6 7 J"), ("Bea", "stand"), ("Cora", "stand"), ("Ada", "hit"))
    assert done.balances == {"Ada": 10_800, "Bea": 9_800, "Cora": 9_400}


def test_a_banker_who_stays_away_stands_at_the_adopted_term_and_not_before() -> None:
    waiting = played(dealt("5 6 2"), ("Bea", "stand"), ("Cora", "stand"))
    with pytest.raises(OperationError, match=r"Ada may decide until .* .adopted"):
        waiting.away(NOON + timedelta(minutes=1))
    done = waiting.away(NOON + LATER)
    assert done.balances == {"Ada": 10_000 - 400, "Bea": 10_100, "Cora": 10_300}
    (entry,) = done.history_of("Ada")
    assert entry.decisions == ("*stand",)
    assert entry.origin == ADOPTED


def test_a_seat_that_stays_away_stands_and_the_others_play_on() -> None:
    waiting = dealt("5 6 2").away(NOON + LATER)
    who = waiting.waits_for()
    assert who is not None
    assert who[0] == "Cora"


def test_nobody_decides_out_of_turn_and_only_what_is_offered() -> None:
    open_ = dealt("5 6 2")
    with pytest.raises(OperationError, match="it is Bea's turn, not Cora's"):
        open_.decided("Cora", "stand", NOON)
    with pytest.raises(OperationError, match="Bea is offered stand, hit"):
        open_.decided("Bea", "swap", NOON)


def test_a_malfunction_gives_everybody_back_what_was_held() -> None:
    open_ = played(dealt("7 5 6 J"), ("Bea", "hit"))
    void = open_.malfunction()
    assert void.balances == dict.fromkeys(("Ada", "Bea", "Cora"), 10_000)
    assert {entry.ended for entry in void.history} == {RoundEnd.VOID_MALFUNCTION}
    assert void.banker == "Ada"
    with pytest.raises(OperationError, match="no round is open"):
        void.malfunction()


def test_an_unresolved_round_is_void_after_ninety_days_and_not_a_second_before() -> None:
    open_ = dealt("5 6 2")
    end = NOON + timedelta(days=90)
    with pytest.raises(OperationError, match="not void before"):
        open_.expired(end - timedelta(seconds=1))
    with pytest.raises(OperationError, match="is void"):
        open_.decided("Bea", "stand", end)
    assert open_.expired(end).balances == dict.fromkeys(("Ada", "Bea", "Cora"), 10_000)


def test_an_interrupted_round_goes_on_from_its_row_and_its_decisions() -> None:
    once = played(dealt("2 5 6 3"), ("Bea", "hit"))
    again = played(dealt("2 5 6 3"), ("Bea", "hit"))
    assert once == again
    end = (("Bea", "stand"), ("Cora", "stand"), ("Ada", "stand"))
    assert played(once, *end).balances == played(again, *end).balances


def test_a_split_hand_needs_money_for_its_equal_stake() -> None:
    rules = reference(seated("siete-y-media", 2))
    poor = Gathering(rules, {"Ada": 10_000, "Bea": 4_000, "Cora": 4_000}, "Ada")
    row = row_of("J 5 6 Q", decks=3)
    open_ = poor.opened({"Bea": 600, "Cora": 100}, row, NOON)  # 2,400 of 4,000 are held of Bea
    with pytest.raises(OperationError, match="cannot split: it stakes 2400 with its cover, Bea has 1600"):
        played(open_, ("Bea", "hit"), ("Bea", "split"))


@pytest.mark.parametrize("name", GAMES)
def test_no_money_is_made_or_lost_and_nobody_goes_below_nothing(name: str) -> None:
    drawn = random.Random(3)  # noqa: S311 - any rounds will do
    people = ("Ada", "Bea", "Cora", "Dora")
    now, night = NOON, evening(name, people, 50_000)
    for _ in range(4):
        row = [*drawn.sample(range(40), 40), *drawn.sample(range(40), 40), *drawn.sample(range(40), 40)]
        night = night.opened({seat: drawn.choice((100, 150, 75)) for seat in night.order()}, row, now)
        while (waiting := night.waits_for()) is not None:
            person, choice = waiting
            night = night.decided(person, drawn.choice(choice.ids), now)
            assert sum(night.balances.values()) + sum(night.held.values()) == 200_000
            assert min(night.balances.values()) >= 0
        by_round = [entry.net for entry in night.history if entry.round == night.number]
        assert sum(by_round) == 0
    assert all(len(night.history_of(person)) == 4 for person in people)


def test_the_one_seat_of_a_pack_is_the_first_of_an_evening() -> None:
    assert reference(game_of("sept-et-demi")).name(0) == "player"

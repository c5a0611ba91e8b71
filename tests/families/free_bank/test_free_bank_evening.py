"""An evening of several people with a bank that one of them holds: money, cover, absence, voiding, history."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from free_bank_tables import GAMES, game_of, row_of, seated
from representatives import firsts

from certify.clock import SteppedClock
from certify.errors import OperationError, TrustError
from certify.families.driver import steps
from certify.families.free_bank import cover
from certify.families.free_bank.cover import worst_round
from certify.families.free_bank.player_banked import PlayerBankedRounds
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import rules_of
from certify.families.port import Choice
from certify.rounds.events import Sitting
from certify.rounds.play import edition_of
from certify.rounds.player_banked.operations import people_at
from certify.rounds.player_banked.people import ADOPTED, SETTLED, VOID_BY_MALFUNCTION, people_of
from certify.rounds.replaying import replayed
from certify.rounds.state import OPEN, Seat
from certify.rounds.voiding import Machine

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = timedelta(minutes=3)


PEOPLE = ("Ada", "Bea", "Cora")


def machine(name: str = "sette-e-mezzo", now: datetime = NOON) -> Machine:
    edition = edition_of(game_of(name))
    return Machine({edition.sha256: edition}, edition.sha256, SteppedClock(now))


def evening(name: str = "sette-e-mezzo", people: tuple[str, ...] = PEOPLE, money: int = 10_000) -> Seat:
    game = game_of(name)
    there = people_of(
        PlayerBankedRounds(), game, dict.fromkeys(people, money), people[0], edition_of(game).rules
    )
    return Seat("table", money * len(people), people=there)


def dealt(cards: str, name: str = "sette-e-mezzo", money: int = 10_000, **stakes: int) -> Seat:
    staked = stakes or {"Bea": 100, "Cora": 300}
    return machine(name).deal(evening(name, money=money), staked, row_of(cards, decks=3))[0]


def is_open(seat: Seat) -> bool:
    return seat.round is not None and seat.round.phase in OPEN


def money(seat: Seat) -> dict[str, int]:
    return dict(people_at(seat).balances)


def waits_for(seat: Seat) -> tuple[str, Choice] | None:
    return people_at(seat).waits_for(seat.round)


@pytest.mark.parametrize(
    ("name", "stakes", "amount"),
    [
        ("sept-et-demi", [100], 100),
        ("sept-et-demi", [100, 50, 20], 170),
        ("sette-e-mezzo", [100], 200),
        # Four sevens and the matta: five seats can have a reale, the two lowest stakes win their stake.
        pytest.param("sette-e-mezzo", [100, 100, 100, 100, 100, 20, 10], 1_030, marks=pytest.mark.slow),
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
    assert is_open(dealt("2 2 2", money=800))
    with pytest.raises(OperationError, match="worst round costs the bank 800, Ada has 799"):
        dealt("2 2 2", money=799)


def test_a_seat_answers_for_what_it_can_lose_beyond_its_stake() -> None:
    open_ = dealt("2 2 2")
    assert people_at(open_).held == {"Bea": 200, "Cora": 600, "Ada": 800}
    with pytest.raises(OperationError, match="cover are 600, Cora has 500"):
        dealt("2 2 2", money=500)


def played(open_: Seat, *decisions: tuple[str, str], name: str = "sette-e-mezzo") -> Seat:
    for person, option in decisions:
        open_, _ = machine(name).decide(open_, option, person)
    return open_


def test_stakes_are_settled_seat_by_seat_and_the_reale_takes_the_bank() -> None:
    # Bea: 7 and a face, a reale. Cora stands on 5. The bank has 6.
    done = played(dealt("7 5 6 J"), ("Bea", "hit"), ("Cora", "stand"), ("Ada", "stand"))
    assert not is_open(done)
    assert money(done) == {"Ada": 10_000 - 200 + 300, "Bea": 10_200, "Cora": 9_700}
    assert people_at(done).banker == "Bea"
    (entry,) = people_at(done).history_of("Bea")
    assert (entry.staked, entry.net, entry.outcome, entry.ended) == (100, 200, "reale", SETTLED)
    (bank,) = people_at(done).history_of("Ada")
    assert (bank.banked, bank.staked, bank.net) == (True, 800, 100)


def test_a_bank_of_seven_and_a_half_collects_double_from_what_was_put_up() -> None:
    done = played(dealt("5 6 7 J"), ("Bea", "stand"), ("Cora", "stand"), ("Ada", "hit"))
    assert money(done) == {"Ada": 10_800, "Bea": 9_800, "Cora": 9_400}


def test_a_banker_who_stays_away_stands_at_the_adopted_term_and_not_before() -> None:
    waiting = played(dealt("5 6 2"), ("Bea", "stand"), ("Cora", "stand"))
    with pytest.raises(OperationError, match=r"Ada may decide until .* .adopted"):
        machine(now=NOON + timedelta(minutes=1)).away(waiting)
    done, _ = machine(now=NOON + LATER).away(waiting)
    assert money(done) == {"Ada": 10_000 - 400, "Bea": 10_100, "Cora": 10_300}
    (entry,) = people_at(done).history_of("Ada")
    assert entry.decisions == ("*stand",)
    assert entry.origin == ADOPTED


def test_a_seat_that_stays_away_stands_and_the_others_play_on() -> None:
    waiting, _ = machine(now=NOON + LATER).away(dealt("5 6 2"))
    who = waits_for(waiting)
    assert who is not None
    assert who[0] == "Cora"


def test_nobody_decides_out_of_turn_and_only_what_is_offered() -> None:
    open_ = dealt("5 6 2")
    with pytest.raises(OperationError, match="it is Bea's turn, not Cora's"):
        machine().decide(open_, "stand", "Cora")
    with pytest.raises(OperationError, match="Bea is offered stand, hit"):
        machine().decide(open_, "swap", "Bea")


def test_a_malfunction_gives_everybody_back_what_was_held() -> None:
    open_ = played(dealt("7 5 6 J"), ("Bea", "hit"))
    void, _ = machine().malfunction(open_, "planted", "tester")
    assert money(void) == dict.fromkeys(("Ada", "Bea", "Cora"), 10_000)
    assert {entry.ended for entry in people_at(void).history} == {VOID_BY_MALFUNCTION}
    assert people_at(void).banker == "Ada"
    with pytest.raises(OperationError, match="is void, expected decision or resolved"):
        machine().malfunction(void, "planted", "tester")


def test_an_unresolved_round_is_void_after_ninety_days_and_not_a_second_before() -> None:
    open_ = dealt("5 6 2")
    end = NOON + timedelta(days=90)
    with pytest.raises(OperationError, match=r"expected 90 days to have passed .adopted"):
        machine(now=end - timedelta(seconds=1)).expire(open_)
    with pytest.raises(OperationError, match=r"are void since .* .adopted"):
        machine(now=end).decide(open_, "stand", "Bea")
    assert money(machine(now=end).expire(open_)[0]) == dict.fromkeys(("Ada", "Bea", "Cora"), 10_000)


def test_an_interrupted_round_goes_on_from_its_row_and_its_decisions() -> None:
    once = played(dealt("2 5 6 3"), ("Bea", "hit"))
    again = played(dealt("2 5 6 3"), ("Bea", "hit"))
    assert once == again
    end = (("Bea", "stand"), ("Cora", "stand"), ("Ada", "stand"))
    assert played(once, *end) == played(again, *end)


def test_a_split_hand_needs_money_for_its_equal_stake() -> None:
    table = evening("siete-y-media")
    poor = replace(people_at(table), balances={"Ada": 10_000, "Bea": 4_000, "Cora": 4_000})
    row = row_of("J 5 6 Q", decks=3)
    open_, _ = machine("siete-y-media").deal(
        replace(table, people=poor), {"Bea": 600, "Cora": 100}, row
    )  # 2,400 of 4,000 are held of Bea
    with pytest.raises(OperationError, match="cannot split: it stakes 2400 with its cover, Bea has 1600"):
        played(open_, ("Bea", "hit"), ("Bea", "split"), name="siete-y-media")


@pytest.mark.parametrize("name", firsts(GAMES))
def test_no_money_is_made_or_lost_and_nobody_goes_below_nothing(name: str) -> None:
    drawn = random.Random(3)  # noqa: S311 - any rounds will do
    people = ("Ada", "Bea", "Cora", "Dora")
    table, night = machine(name), evening(name, people, 50_000)
    for number in range(1, 5):
        row = [*drawn.sample(range(40), 40), *drawn.sample(range(40), 40), *drawn.sample(range(40), 40)]
        stakes = {seat: drawn.choice((100, 150, 75)) for seat in people_at(night).order()}
        night, _ = table.deal(night, stakes, row)
        while (waiting := waits_for(night)) is not None:
            person, choice = waiting
            night, _ = table.decide(night, drawn.choice(choice.ids), person)
            has = money(night)
            assert sum(has.values()) + sum((people_at(night).held or {}).values()) == 200_000
            assert (night.balance, night.held) == (sum(has.values()), 200_000 - sum(has.values()))
            assert min(has.values()) >= 0
        by_round = [entry.net for entry in people_at(night).history if entry.round == number]
        assert sum(by_round) == 0
    assert all(len(people_at(night).history_of(person)) == 4 for person in people)


def test_the_one_seat_of_a_pack_is_the_first_of_an_evening() -> None:
    assert reference(game_of("sept-et-demi")).name(0) == "player"


class RunningClock:
    """A clock that is a second later whenever somebody looks at it."""

    def __init__(self) -> None:
        self.instant = NOON

    def now(self) -> datetime:
        self.instant += timedelta(seconds=1)
        return self.instant


def test_all_of_a_step_happens_at_one_time_while_the_clock_runs_and_is_played_again() -> None:
    table = replace(machine(), clock=RunningClock())
    seat, sat = table.seat_people(
        "table", dict.fromkeys(PEOPLE, 10_000), "Ada", Sitting("evening", "IT", "EU")
    )
    seat, dealt_events = table.deal(seat, {"Bea": 100, "Cora": 300}, row_of("7 5 6 J", decks=3))
    events = [sat, *dealt_events]
    for person, option in (("Bea", "hit"), ("Cora", "stand"), ("Ada", "stand")):
        seat, happened = table.decide(seat, option, person)
        events += happened
    assert [event.kind for event in happened] == ["person-decided", "round-settled"]
    assert len({event.at for event in dealt_events}) == len({event.at for event in happened}) == 1
    assert len({event.at for event in events}) == 5
    *_, again = replayed(machine(), "table", events)
    assert again == seat
    with pytest.raises(TrustError, match="ends in the middle of a step: expected round-settled"):
        list(replayed(machine(), "table", events[:-1]))
    with pytest.raises(TrustError, match="cannot be played again"):
        list(replayed(machine(), "table", [*events[:-2], *events[-1:]]))

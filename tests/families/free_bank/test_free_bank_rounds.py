"""Rounds against a free bank: laid out card by card, on random decks by every implementation, and told wrongly."""

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from cli_support import refuses
from free_bank_tables import GAMES, SETTE, game_of, played, row_of, seated, stand_on, table_of
from representatives import firsts, only
from rounds_faulty import Faulty, after, faulty

from certify import result_cache
from certify.certification.cross_checks import agreement
from certify.errors import InputError
from certify.families import Choice, decide_by, play, position, steps
from certify.families.free_bank import supplementary_tables
from certify.families.free_bank.chart_files import bank_text, player_text
from certify.families.free_bank.exact import equilibrium
from certify.families.free_bank.exact.equilibrium import bracket
from certify.families.free_bank.exact.port import BANK_FILE, PLAYER_FILE, _offer
from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import rules_of
from certify.families.free_bank.strategy import (
    ORDERS,
    BankSees,
    Chances,
    HandEnd,
    Lot,
    OpenHand,
    OpenSeat,
    Pair,
    PlayerSees,
    Sees,
    StandOn,
    lot_of,
)
from certify.families.free_bank.supplementary_tables import worst_round
from certify.families.free_bank.volume import settlement
from certify.families.free_bank.volume.port import ENDS, nets_of, play as play_several, played as ends_of
from certify.families.free_bank.volume.settlement import BankTables
from certify.model import Verdict
from certify.rounds import (
    Command,
    Phase,
    Reply,
    Round,
    Seat,
    SeatAction,
    command_for,
    edition_of,
    play as rounds_play,
    reference_system,
    situations_of,
)
from certify.rounds.conformance.judge import tell
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.conformance.story import Ask, Story
from certify.rounds.exercise import exercise

LONG = (
    *(32, 39, 26, 2, 10, 17, 37, 36, 29, 20, 13, 3, 33, 15, 38, 14, 4, 1, 0, 31),
    *(22, 16, 9, 19, 25, 18, 7, 5, 30, 21, 23, 24, 27, 6, 11, 8, 28, 12, 34, 35),
)
"""A deck that eleven seats who all go for 7½ use up."""


@pytest.mark.parametrize(
    ("name", "cards", "decisions", "outcome", "net"),
    [
        # Player's first card, bank's first card, then draws.
        ("sept-et-demi", "7 6", "stand stand", "win", 1),
        ("sept-et-demi", "6 6", "stand stand", "lose", -1),
        ("sept-et-demi", "7 6 J", "hit stand", "seven-and-a-half", 1),
        ("sept-et-demi", "7 7 J Q", "hit hit", "both-seven-and-a-half", -1),
        ("sept-et-demi", "6 7 J", "stand hit", "bank-seven-and-a-half", -1),
        ("sept-et-demi", "7 A 3", "hit", "bust", -1),
        ("sept-et-demi", "2 7 5", "stand hit", "win", 1),
        ("siete-y-media", "7 6 J", "cover hit stand", "seven-and-a-half", 2),
        ("siete-y-media", "6 7 J", "cover stand hit", "bank-seven-and-a-half", -2),
        ("siete-y-media", "7 7 J Q", "cover hit hit", "both-seven-and-a-half", -4),
        ("siete-y-media", "7 7 5", "cover hit", "bust", -1),
        ("sette-e-mezzo", "7 6 J", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 7", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 J", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 3", "cover hit stand stand", "win", 1),
        ("sette-e-mezzo", "A 6 6 J", "cover hit hit stand", "seven-and-a-half", 1),
        ("sette-e-mezzo", "7 A J 6 Q", "cover hit hit hit", "reale", 2),
        ("sette-e-mezzo", "A 7 6 J Q", "cover hit hit hit", "both-seven-and-a-half", -1),
        ("sette-e-mezzo", "7 7 J Q", "cover hit hit", "both-reale", -1),
        ("sette-e-mezzo", "6 7 J", "cover stand hit", "bank-seven-and-a-half", -2),
        ("sette-e-mezzo", "3 6 7 J", "cover swap hit stand", "reale", 2),
        ("sette-e-mezzo", "M 7", "cover stand stand", "lose", -1),
    ],
)
def test_a_round_pays_what_its_source_says(
    name: str, cards: str, decisions: str, outcome: str, net: int
) -> None:
    result = played(name, cards, *decisions.split())
    assert (result.outcome("bet"), result.net["bet"]) == (outcome, Fraction(net))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("total", ["A", "4", "7"])
def test_a_tie_goes_to_the_bank(name: str, total: str) -> None:
    covered = () if name == "sept-et-demi" else ("cover",)
    assert played(name, f"{total} {total}", *covered, "stand", "stand").net["bet"] == -1


def test_faces_may_be_split_into_four_hands_with_equal_bets_played_in_order() -> None:
    # J; Q, K split off, a further J split off: four hands. The first takes 6, the others a card each.
    result = played(
        "siete-y-media", "J 5 Q K J 6 2 7 7", "cover", "hit", "split", "hit", "split", "hit", "split",
        "hit", "stand", "hit", "stand", "hit", "hit", "stand",
    )  # fmt: skip
    assert result.outcome("bet") == "lose+seven-and-a-half+seven-and-a-half+win"
    assert result.net["bet"] == 1 - 1 + 2 + 2
    assert result.staked["bet"] == 4


def asked(round_: FreeBankRound, cards: str, decisions: str, decks: int = 1) -> Choice:
    """Returns the decision that is open after cards and decisions."""
    choice = position(round_, row_of(cards, decks), decisions.split()).choice
    assert choice is not None
    return choice


@pytest.mark.parametrize(
    ("cards", "decisions"),
    [
        ("J 5 Q K J Q", "cover hit split hit split hit split hit"),
        ("J 5 Q K", "cover hit stay hit"),
        ("J 5 Q K", "cover hit split stand hit"),
    ],
    ids=["a fifth hand", "a hand of two faces", "a hand of a split"],
)
def test_no_more_is_split_than_four_hands_from_a_single_first_face(cards: str, decisions: str) -> None:
    assert asked(table_of("siete-y-media"), cards, decisions).ids == ("stand", "hit")


def test_every_split_stakes_as_much_as_the_first_hand_and_its_cover() -> None:
    options = asked(table_of("siete-y-media"), "J 5 Q", "cover hit").options
    assert {option.id: option.adds for option in options}["split"] == (("bet", Fraction(4)),)
    with pytest.raises(InputError, match="expected one of stay, split"):
        position(table_of("siete-y-media"), row_of("J 5 Q"), ["cover", "hit", "split-half"])


def test_a_swap_is_offered_once_and_before_anything_else() -> None:
    table = table_of("sette-e-mezzo")
    for cards, decisions, offered in (
        ("3 6", "cover", True),
        ("4 6", "cover", True),
        ("5 6", "cover", False),
        ("3 6 A", "cover hit", False),
        ("3 6 3", "cover swap", False),
        ("A 6 2", "cover hit", False),
    ):
        assert ("swap" in asked(table, cards, decisions).ids) == offered, (cards, decisions)
    with pytest.raises(InputError, match="expected one of stand, hit"):
        position(table, row_of("3 6 A"), ["cover", "hit", "swap"])


def bank_sees(name: str, cards: str, decisions: str) -> BankSees:
    sees = asked(table_of(name), cards, decisions).sees
    assert isinstance(sees, BankSees)
    return sees


def test_the_bank_sees_open_cards_in_order_and_no_hidden_one() -> None:
    # A and 2 hidden, 3 then face open, and face then 3: the hidden card makes no difference, the order does.
    first = bank_sees("sept-et-demi", "A 7 3 J", "hit hit stand")
    other = bank_sees("sept-et-demi", "2 7 3 J", "hit hit stand")
    turned = bank_sees("sept-et-demi", "A 7 J 3", "hit hit stand")
    assert first == other
    assert first != turned
    assert first.table == (OpenSeat((OpenHand((2, 7), HandEnd.STOOD),)),)


def test_the_bank_sees_a_hand_of_seven_and_a_half_whole_and_that_a_card_was_swapped() -> None:
    shown = bank_sees("sette-e-mezzo", "3 6 7 J", "cover swap hit")
    assert shown.table == (OpenSeat((OpenHand((6, 7), HandEnd.SEVEN_AND_A_HALF, True),), swapped=True),)


@pytest.mark.parametrize(("name", "covered"), [("sept-et-demi", False), ("sette-e-mezzo", True)])
def test_what_a_lost_hand_shows_is_a_reading(name: str, covered: bool) -> None:
    ahead = "cover " if covered else ""  # two seats, the bank, and a bust of the first
    sees = asked(reference(seated(name, 2)), "7 6 5 3", f"{ahead}hit {ahead}", decks=3).sees
    assert isinstance(sees, PlayerSees)
    (seen,) = sees.table
    assert seen.hands[0].end is HandEnd.BUST
    assert seen.hands[0].first_shown is not covered
    assert seen.hands[0].cards == ((2,) if covered else (6, 2))


def test_a_bank_that_is_alone_does_not_play_and_does_not_uncover() -> None:
    result = played("sept-et-demi", "7 6 5", "hit")
    assert result.faces("bank") == (20,)
    assert {hand.holder: hand.hidden for hand in result.hands}["bank"] == (0,)


def test_the_bank_passes_to_the_first_seat_in_order_with_what_its_game_asks_for() -> None:
    for name, cards, decisions, taker in (
        ("sept-et-demi", "6 7 7 A J Q", "stand hit hit stand", 1),
        ("sette-e-mezzo", "6 7 7 A J Q", "cover stand cover hit cover hit stand", 1),
        ("sept-et-demi", "6 6 6 A", "stand stand stand stand", None),
        ("siete-y-media", "6 7 7 A J Q", "cover stand cover hit cover hit stand", None),
    ):
        round_ = reference(seated(name, 3))
        taken = iter(decisions.split())
        *_, last = steps(round_, row_of(cards, decks=3), lambda choice, taken=taken: next(taken))
        assert round_.next_bank(last.state) == taker, name


def test_a_deck_that_runs_out_is_made_again_of_the_cards_of_lost_hands() -> None:
    game = seated("sept-et-demi", 11)
    round_ = reference(game)
    pair = stand_on(15, 15)
    *_, last = steps(round_, (*LONG, *range(40), *range(40)), decide_by(pair))
    assert last.state.deck.piece >= 1
    dealt = [card for seat in last.state.seats for hand in seat.hands for card in hand.cards]
    assert len(dealt) + len(last.state.bank) >= 40
    assert len(round_.results(last.state)) == 11


def test_with_no_card_left_at_all_whoever_would_draw_stands() -> None:
    round_ = reference(seated("sept-et-demi", 11, decks=1))
    *_, last = steps(round_, LONG, decide_by(stand_on(15, 15)))
    assert not last.state.deck.left
    # The bank draws below 7½ whatever it has, and the deck leaves it nothing to draw.
    stood = [hand.end for seat in last.state.seats for hand in seat.hands].count(HandEnd.STOOD)
    assert last.state.bank_stood or stood


# Reference round, compiled play-through and twin on the same decks; strategies that decide by lot among them.


@dataclass(frozen=True)
class ByMood:
    """A strategy that looks at everything it sees and decides by lot, however badly."""

    name: str
    pure: bool = False
    looks_at: str = "everything"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        seen = sees if isinstance(sees, BankSees) else sees.own
        mood = random.Random(repr((self.name, seen)))  # noqa: S311 - a mood is no secret
        shares = [mood.randrange(5) + (option == "hit") for option in options]
        if self.pure or not sum(shares):
            return ((options[shares.index(max(shares))], Fraction(1)),)
        total = sum(shares)
        return tuple((o, Fraction(share, total)) for o, share in zip(options, shares, strict=True) if share)

    def table(self) -> object:
        return self.name


PAIRS = (
    stand_on(10, 10, swaps=True),
    Pair(ByMood("player", pure=True), ByMood("bank", pure=True)),
    Pair(ByMood("player"), ByMood("bank")),
    Pair(StandOn("player", 13), ByMood("bank")),
)


def decks(count: int, of: int = 1, seed: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    drawn = np.random.default_rng(seed)
    rows = [np.concatenate([drawn.permutation(40) for _ in range(of)]) for _ in range(count)]
    return np.array(rows, dtype=np.uint8)


@pytest.mark.parametrize(
    ("name", "pair", "number"),
    [
        *only(
            [(name, pair, 60) for name in GAMES for pair in PAIRS[:2]],
            *((GAMES[0], one, 60) for one in PAIRS[:2]),
        ),
        *((GAMES[1], pair, 10) for pair in PAIRS[2:]),
    ],
)
def test_three_implementations_end_every_round_alike_and_cast_the_same_lots(
    name: str, pair: Pair, number: int
) -> None:
    found = agreement(game_of(name), pair, decks(number))
    assert not found.differences
    assert len(found.legs) == 3


@pytest.mark.parametrize("name", firsts(GAMES))
def test_several_seats_end_as_the_reference_round_says_and_the_deck_runs_out_with_it(name: str) -> None:
    for seats, pair in ((2, stand_on(11, 11)), (9, stand_on(14, 13, swaps=name == "sette-e-mezzo"))):
        game = seated(name, seats)
        rows = decks(8, of=3, seed=seats)
        rules = reference(game)
        lasts = [[*steps(rules, row, decide_by(pair))][-1] for row in rows.tolist()]
        results = [rules.results(last.state) for last in lasts]
        ends = [tuple(outcome for outcome, _, _ in one) for one in results]
        ended, _ = ends_of(rows, pair, rules_of(game))
        assert [tuple(ENDS[end] for end in row) for row in ended.tolist()] == ends
        nets = nets_of({row.id: row.pays for row in game.wagers[0].paytable.rows}, rules_of(game))
        found = play_several(rows, pair, rules_of(game), nets)
        assert found.mean(1, nets)[0] * len(rows) == pytest.approx(sum(one[1][1] for one in results))
        assert found.bank()[0] * len(rows) == pytest.approx(-sum(net for one in results for _, net, _ in one))


def test_what_several_seats_cannot_play_is_refused() -> None:
    rules = replace(rules_of(game_of("sept-et-demi")), seats=2)
    nets = np.zeros(len(settlement.ENDS))
    refuses(
        InputError,
        ("one total", lambda: play_several(decks(1, of=3), PAIRS[1], rules, nets)),
        (
            "by lot",
            lambda: play_several(decks(1, of=3), Pair(ByMood("player"), StandOn("bank", 10)), rules, nets),
        ),
        ("3 decks", lambda: play_several(decks(1), PAIRS[0], rules, nets)),
    )


def test_a_lot_is_the_order_of_cards_that_no_round_reaches_and_falls_as_often_as_its_chance() -> None:
    assert lot_of(range(40)) == 0
    assert lot_of([*range(28), *range(39, 27, -1)]) == ORDERS - 1
    thirds = (("stand", Fraction(1, 3)), ("hit", Fraction(2, 3)))
    taken = [Lot(at, 9_000).take(thirds) for at in range(9_000)]
    assert abs(taken.count("stand") - 3_000) <= 1
    # Two decisions of one round are independent: what is left of the lot is spread evenly again.
    both = 0
    for at in range(9_000):
        lot = Lot(at, 9_000)
        both += lot.take(thirds) == "stand" and lot.take(thirds) == "stand"
    assert abs(both - 1_000) <= 2


def test_a_strategy_that_decides_by_lot_replays_from_its_row() -> None:
    game, pair = game_of("sept-et-demi"), PAIRS[2]
    row = decks(1, seed=9)[0].tolist()
    once, again = (play(reference(game), row, pair) for _ in range(2))
    assert once == again
    with pytest.raises(InputError, match="decides by lot"):
        play(reference(game), row_of("3 6"), decide_by(pair))


@dataclass(frozen=True)
class ByWhatLiesOpen:
    """A bank that hits or stands by the sum of all it sees."""

    name: str = "bank"
    looks_at: str = "everything"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        assert isinstance(sees, BankSees)
        opened = sum(sum(hand.cards) + len(hand.cards) for seat in sees.table for hand in seat.hands)
        return ((options[(opened * (1 + sum(sees.hand)) // 3) % 2], Fraction(1)),)

    def table(self) -> object:
        return self.name


class Slowly(list[np.ndarray[tuple[int, int], np.dtype[np.uint64]]]):
    """A list that lets others go first before it takes something in."""

    def append(self, entry: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> None:
        sleep(0.001)
        super().append(entry)


def test_chunks_played_side_by_side_find_the_same_answers_of_the_bank_as_one_after_the_other() -> None:
    rules, pair = rules_of(game_of("sette-e-mezzo")), Pair(StandOn("player", 6), ByWhatLiesOpen())
    alone = BankTables(pair, rules)
    shared = copy(alone)
    shared._answers, shared._answer_of, shared._rows = {}, {}, Slowly()
    views = [np.array([view], dtype=np.int32) for view in range(len(alone.seen))][:14]

    def answered(tables: BankTables, view: np.ndarray[tuple[int], np.dtype[np.int32]]) -> bytes:
        rows, answers = tables.answers(view)
        return answers[rows[view[0]]].tobytes()

    expected = [answered(alone, view) for view in views]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda view: answered(shared, view), views)) == expected
    assert [answered(shared, view) for view in views] == expected
    assert len(set(expected)) > 2


# What a bank can lose in one round at most, with a deal that loses it.


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


# The five lies about these games, each told to a check that catches it; the slow tests tell some of them at length.


START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def story(*decisions: str) -> Story:
    asked = (Command(SeatAction.PLACE, "bet", 100), Command(SeatAction.DEAL), *map(command_for, decisions))
    return Story(tuple(Ask(one) for one in (*asked, Command(SeatAction.SETTLE))))


@pytest.fixture
def quick_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learns what a game offers at its shortest rounds, and keeps it for nobody else."""
    monkeypatch.setattr(rounds_play, "SURVEYED_STAKES", 1_000)
    monkeypatch.setattr(rounds_play, "SURVEYED", 100)
    monkeypatch.setattr(rounds_play, "_surveyed", cache(rounds_play._surveyed.__wrapped__))


class ShowsTheCoveredCard(Faulty):
    """Whoever decides sees the bank's covered card."""

    def act(self, command: Command) -> Reply:
        reply: Reply = self.sound(command)
        current = self.seat.round
        if not reply.done or current is None or current.phase is not Phase.DECISION:
            return reply
        hands = dict(current.hands)
        hands["bank"] = hands.get("bank") or (current.deck[1],)
        return self.change(round=replace(current, hands=tuple(hands.items())))


def tied(current: Round) -> bool:
    """Tells whether both have the same total."""
    kinds = settlement.classes(rules_of(game_of("sept-et-demi")))
    totals = [settlement.points([kinds[card] for card in faces]) for _, faces in current.hands]
    return len(totals) == 2 and totals[0] == totals[1] <= settlement.FULL


def stake_returned(seat: Seat) -> dict[str, object]:
    stake = dict(seat.round.stakes)["bet"]
    results = tuple(replace(one, returned=stake) for one in seat.round.results)
    returned = replace(seat.round, results=results, returned=stake)
    return {"round": returned, "balance": seat.balance + stake}


def half_taken(seat: Seat) -> dict[str, object]:
    half = dict(seat.round.stakes)["bet"] // 2
    added = tuple((wager, amount - half) for wager, amount in seat.round.added)
    return {
        "round": replace(seat.round, added=added), "balance": seat.balance + half, "held": seat.held - half
    }  # fmt: skip


ReturnsTies = after(SeatAction.SETTLE, stake_returned, tied)
SwapsAfterAHit = after(
    SeatAction.DECIDE,
    lambda seat: {"round": replace(seat.round, options=(*seat.round.options, "swap"))},
    lambda current: current.decisions[-1:] == ("hit",) and "stand" in current.options,
)
"""Offers the swap again once a card was drawn."""
SplitsHalfTheBet = after(SeatAction.DECIDE, half_taken, lambda current: current.decisions[-1:] == ("split",))
"""Takes half the stake for a hand that is split off."""

LIES = {
    "shows the covered card": (
        faulty(ShowsTheCoveredCard), "sept-et-demi", "2 5 3 6", "hit",
        PromiseId.CARDS, "bank 16", "open-faces-shown",
    ),
    "returns ties": (
        faulty(ReturnsTies), "sept-et-demi", "6 6 2 2", "stand stand",
        PromiseId.PAID, "returned bet 100", "settlement",
    ),
    "swaps after a hit": (
        faulty(SwapsAfterAHit), "sette-e-mezzo", "4 7 2 7 7", "cover hit",
        PromiseId.OPTIONS, "hit, swap", "open-faces-shown",
    ),
    "splits half the bet": (
        faulty(SplitsHalfTheBet), "siete-y-media", "J 7 Q 7 7 7", "cover hit split",
        PromiseId.ADDED, "held 750", "bets-accepted",
    ),
}  # fmt: skip
"""By lie: the system, a game, cards and decisions by which it shows, the promise that is broken, what is seen of it,
and the situation that finds it."""


# Learning what the last two offer takes a walk over many points.
@pytest.mark.parametrize("lie", firsts(LIES, 2))
def test_a_table_that_breaks_a_rule_is_found_by_the_exercise_and_a_sound_one_is_not(
    lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds_play.Play, "witnesses", lambda self, decks: ())
    monkeypatch.setattr(
        "certify.rounds.exercise.situations_of",
        lambda play: [one for one in situations_of(play) if one.id == LIES[lie][-1]],
    )
    cheating, name, shown, *_ = LIES[lie]
    cards = "7 7 7 7" if name == "sept-et-demi" else shown
    for under_test, verdict in (
        (cheating, Verdict.NOT_SATISFIED),
        (lambda *given: reference_system(*given), Verdict.SATISFIED),
    ):
        report = exercise(game_of(name), [row_of(cards)], START, system=under_test)
        assert report.verdict is verdict


@pytest.mark.usefixtures("quick_look")
@pytest.mark.parametrize("lie", LIES)
def test_a_table_that_lies_is_caught_in_one_round_and_a_sound_one_is_not(lie: str) -> None:
    lying, name, cards, decisions, promise, seen, _ = LIES[lie]
    edition, told = edition_of(game_of(name)), story(*decisions.split())
    assert tell(told, reference_system, edition, [row_of(cards)], START, 10_000) is None
    breach = tell(told, lying, edition, [row_of(cards)], START, 10_000)
    assert breach is not None
    assert breach.promise is promise
    assert seen in breach.observed
    assert seen not in breach.expected


def offered(files: Mapping[str, bytes]) -> equilibrium.ProvenPair:
    """Proves the strategies of a pack, on a small deck, without searching."""
    _offer(SETTE, files, PLAYER_FILE, BANK_FILE)
    return equilibrium.equilibrium(SETTE, WIDTH)


WIDTH = equilibrium.STANDARD_WIDTH


def test_a_certificate_with_one_strategy_altered_has_another_bracket_or_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with result_cache.kept_in(tmp_path, bytes(32)):
        found = equilibrium.equilibrium.__wrapped__(SETTE, WIDTH)
    sound = {
        PLAYER_FILE: player_text(found.player, "mine").encode(),
        BANK_FILE: bank_text(found.bank, "its").encode(),
    }
    monkeypatch.setattr(equilibrium, "_OFFERED", {})
    monkeypatch.setattr(equilibrium, "Programme", None)  # nothing can be searched for
    equilibrium.equilibrium.cache_clear()
    # What an earlier command kept is found under the same key alone, and what it proves is counted again.
    with result_cache.kept_in(tmp_path, bytes(32)):
        assert equilibrium.equilibrium.__wrapped__(SETTE, WIDTH).bracket == found.bracket
        for terms, width in ((SETTE, WIDTH / 2), (replace(SETTE, win=Fraction(2)), WIDTH)):
            with pytest.raises(TypeError, match="not callable"):
                equilibrium.equilibrium.__wrapped__(terms, width)
    try:
        assert offered(sound).bracket == found.bracket
        for side, text, altered in (
            (PLAYER_FILE, player_text, replace(found.player, by_cards=found.player.by_cards[1:], least=1)),
            (BANK_FILE, bank_text, replace(found.bank, by_cards=(), by_total=())),
        ):
            equilibrium.equilibrium.cache_clear()
            pair = (altered, found.bank) if side == PLAYER_FILE else (found.player, altered)
            assert bracket(SETTE, *pair) != found.bracket
            with pytest.raises(InputError, match="leave a bracket"):
                offered(sound | {side: text(altered, "altered").encode()})
    finally:
        equilibrium.equilibrium.cache_clear()

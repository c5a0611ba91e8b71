"""Whatever is asked of a seat in whatever order: money is conserved, and each round ends once."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from rounds_game import deck, game

from certify.clock import SteppedClock
from certify.rounds.events import BetsExpired, CardsDealt, MalfunctionDeclared, RoundSettled
from certify.rounds.money import Account, balance_of
from certify.rounds.play import edition_of
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.state import COMPLETE, OPEN, Phase, Seat, replay
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import Command, SeatAction
from certify.rounds.voiding import Machine

OPENING = 20_000
WAGERS = ("main", "partita-perfetta", "mano-di-poker")


class Rounds(RuleBasedStateMachine):
    """Random commands, decks and clock jumps, against what must hold after each of them."""

    @initialize(
        after=st.sampled_from(AfterSettlement),
        stakes=st.sampled_from(VoidStakes),
        known=st.sampled_from(KnownResults),
        days=st.integers(1, 120),
    )
    def open(self, after, stakes, known, days):
        policy = Policy(after_settlement=after, void_stakes=stakes, void_after_days=days, known_results=known)
        edition = edition_of(game(), policy)
        clock = SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
        machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        seat, event = machine.deposit(Seat("p"), OPENING)
        self.policy = policy
        self.system = ReferenceSystem(machine, clock, seat, deck(0), [event])
        self.deals = {}

    @rule(wager=st.sampled_from(WAGERS), amount=st.integers(1, 60) | st.sampled_from([100, 500, 10_000]))
    def place(self, wager, amount):
        self.perform(Command(SeatAction.PLACE, wager, amount))

    @rule(action=st.sampled_from([action for action in SeatAction if action is not SeatAction.PLACE]))
    def act(self, action):
        self.perform(Command(action))

    @rule(decision=st.sampled_from(["hit", "stand", ""]))
    def decide(self, decision):
        self.perform(Command(SeatAction.DECIDE, decision=decision))

    @rule(seed=st.integers(0, 50))
    def bet_and_deal(self, seed):
        self.system.set_deck(deck(seed))
        self.perform(Command(SeatAction.CLEAR))
        self.perform(Command(SeatAction.PLACE, "main", 300))
        self.perform(Command(SeatAction.PLACE, "mano-di-poker", 100))
        self.perform(Command(SeatAction.DEAL))

    @rule(days=st.integers(-30, 100), seconds=st.integers(-1, 1))
    def move_clock(self, days, seconds):
        self.system.clock.advance(timedelta(days=days, seconds=seconds))

    def perform(self, command):
        before, count = self.system.seat, len(self.system.events)
        reply = self.system.perform(command)
        if not reply.done:
            assert reply.refusal
            assert self.system.seat == before
            assert len(self.system.events) == count
            return
        event = self.system.events[-1]
        if isinstance(event.body, RoundSettled | MalfunctionDeclared | BetsExpired):
            previous = before.round
            assert previous.phase not in (Phase.VOID, Phase.EXPIRED)
            # A result that is known stands, however late, where the terms say so.
            stands = previous.phase is Phase.RESOLVED and self.policy.known_results is KnownResults.STAND
            if isinstance(event.body, RoundSettled):
                assert stands or not self.policy.is_void(previous.accepted_at, event.at)
            if isinstance(event.body, BetsExpired):
                assert self.policy.is_void(previous.accepted_at, event.at)
                assert not stands
        if isinstance(event.body, CardsDealt):
            assert before.round.phase is Phase.BETTING or before.round.phase in COMPLETE
            self.deals[event.round] = event.body.deck

    @invariant()
    def money_is_conserved(self):
        postings = [posting for event in self.system.events for posting in event.postings]
        assert sum(balance_of(account, postings) for account in Account) == 0
        assert balance_of(Account.PLAYER, postings) == self.system.seat.balance >= 0
        assert balance_of(Account.HELD, postings) == self.system.seat.held >= 0
        assert balance_of(Account.CASHIER, postings) == -OPENING

    @invariant()
    def stakes_are_held_while_and_only_while_unresolved(self):
        current = self.system.seat.round
        unresolved = current is not None and current.phase in OPEN
        assert self.system.seat.held == (current.staked if unresolved else 0)

    @invariant()
    def each_round_settles_and_voids_at_most_once(self):
        seen = set()
        for event in self.system.events:
            if isinstance(event.body, RoundSettled):
                assert ("settled", event.round) not in seen
                assert ("void", event.round) not in seen
                seen.add(("settled", event.round))
            if isinstance(event.body, MalfunctionDeclared | BetsExpired):
                assert ("void", event.round) not in seen
                seen.add(("void", event.round))

    @invariant()
    def the_log_is_the_state_and_in_order(self):
        events = self.system.events
        assert replay("p", events) == self.system.seat
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert all(one.at <= other.at for one, other in pairwise(events))

    @invariant()
    def cards_come_from_the_deck_of_the_deal_in_order(self):
        current = self.system.seat.round
        if current is None or not current.deck:
            return
        assert current.deck == self.deals[current.id]
        player = current.faces("player")
        cards = [*player, *current.faces("dealer")]
        assert len(set(cards)) == len(cards)
        assert player == (current.deck[0], *current.deck[2 : 1 + len(player)])


TestRounds = Rounds.TestCase
TestRounds.settings = settings(
    stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

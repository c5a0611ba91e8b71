"""Whatever is asked of a seat with a final bet in whatever order: money is conserved, and each round ends once."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from rounds_game import deck
from rounds_open_card_game import CASINO, DEALER_KING, HOME, KING

from certify.clock import SteppedClock
from certify.rounds.codec import decode, encode
from certify.rounds.events import BetsExpired, CardsDealt, MalfunctionDeclared, RoundSettled, StakeAdded
from certify.rounds.money import Account, balance_of
from certify.rounds.play import edition_of
from certify.rounds.policy import AfterSettlement, Policy, VoidStakes
from certify.rounds.replaying import verify_replay
from certify.rounds.state import OPEN, Phase, Seat, replay
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import Command, SeatAction, command_for
from certify.rounds.voiding import Machine

OPENING = 9_000
DECISIONS = ("fold", "stand-1", "hit-1", "stand-2", "hit-2", "hit-3", "stand-0", "stand", "hit", "")
SINGLE = [action for action in SeatAction if action not in (SeatAction.PLACE, SeatAction.DECIDE)]


class OpenCardRounds(RuleBasedStateMachine):
    """Random commands, decks and clock jumps, against what must hold after each of them."""

    @initialize(
        game=st.sampled_from([CASINO, CASINO, HOME]),
        after=st.sampled_from(AfterSettlement),
        stakes=st.sampled_from(VoidStakes),
        days=st.integers(1, 120),
    )
    def open(self, game, after, stakes, days):
        self.game = game
        self.policy = Policy(after_settlement=after, void_stakes=stakes, void_after_days=days)
        edition = edition_of(game, self.policy)
        clock = SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        seat, event = self.machine.deposit(Seat("p"), OPENING)
        self.system = ReferenceSystem(self.machine, clock, seat, deck(0), [event])
        self.raised = {}

    @rule(amount=st.sampled_from([99, 100, 300, 900, 2500, 2501]))
    def place(self, amount):
        self.perform(Command(SeatAction.PLACE, "ante", amount))

    @rule(action=st.sampled_from(SINGLE))
    def act(self, action):
        self.perform(Command(action))

    @rule(decision=st.sampled_from(DECISIONS))
    def decide(self, decision):
        self.perform(Command(SeatAction.DECIDE, decision=decision))

    def decide_as_offered(self, choice):
        offered = self.system.view().options
        if offered:
            before = self.system.seat
            done = self.perform(command_for(offered[choice % len(offered)]))
            # What is offered can be taken: the deal demanded cover for it.
            assert done or not before.connected or self.void(before)

    @rule(
        dealt=st.integers(0, 30).map(deck) | st.sampled_from([KING, DEALER_KING]),
        amount=st.sampled_from([300, 300, 900, 2500]),
        choice=st.integers(0, 4),
        between=st.sampled_from(["", "disconnect", "suspend", "malfunction"]),
        days=st.sampled_from([0, 0, 0, 1, 120]),
        ending=st.sampled_from([(), ("settle",), ("settle", "malfunction"), ("malfunction",), ("expire",)]),
    )
    def play(self, dealt, amount, choice, between, days, ending):
        """Plays far into a round, broken off at one place."""
        self.system.set_deck(dealt)
        for action in (SeatAction.RESUME, SeatAction.RESTORE, SeatAction.SETTLE, SeatAction.CLEAR):
            self.perform(Command(action))
        self.perform(Command(SeatAction.PLACE, "ante", amount if self.game is CASINO else 100))
        self.perform(Command(SeatAction.DEAL))
        if between:
            self.perform(Command(SeatAction(between)))
            self.perform(Command(SeatAction.RESUME))
        self.decide_as_offered(choice)
        self.system.clock.advance(timedelta(days=days))
        for action in ending:
            self.perform(Command(SeatAction(action)))

    @rule(days=st.integers(-30, 100), seconds=st.integers(-1, 1))
    def move_clock(self, days, seconds):
        self.system.clock.advance(timedelta(days=days, seconds=seconds))

    def void(self, seat):
        return self.machine.is_void(seat, seat.round)

    def perform(self, command):
        before, count = self.system.seat, len(self.system.events)
        reply = self.system.perform(command)
        if not reply.done:
            assert reply.refusal
            assert (self.system.seat, len(self.system.events)) == (before, count)
            return False
        event = self.system.events[-1]
        if isinstance(event.body, StakeAdded):
            assert before.round.phase is Phase.DECISION
            assert event.body.decision in before.round.options
            self.raised[event.round] = self.raised.get(event.round, 0) + 1
        if isinstance(event.body, CardsDealt) and self.game is CASINO:
            (ante,) = dict(event.body.stakes).values()
            assert before.balance >= 3 * ante
        if isinstance(event.body, RoundSettled | MalfunctionDeclared | BetsExpired):
            assert before.round.phase not in (Phase.VOID, Phase.EXPIRED)
        return True

    @invariant()
    def money_is_conserved_at_every_event(self):
        player = held = 0
        for event in self.system.events:
            assert sum(posting.amount for posting in event.postings) == 0
            player += balance_of(Account.PLAYER, event.postings)
            held += balance_of(Account.HELD, event.postings)
            assert player >= 0
            assert held >= 0
        assert (player, held) == (self.system.seat.balance, self.system.seat.held)

    @invariant()
    def ante_and_final_bet_are_held_while_and_only_while_unresolved(self):
        current = self.system.seat.round
        unresolved = current is not None and current.phase in OPEN
        assert self.system.seat.held == (current.staked if unresolved else 0)
        if current is not None and current.stakes:
            (ante,) = dict(current.stakes).values()
            added = dict(current.added).get("ante", 0)
            assert added in ((0, ante, 2 * ante) if self.game is CASINO else (0,))
            assert current.staked == ante + added

    @invariant()
    def each_round_raises_settles_and_voids_at_most_once(self):
        assert all(count == 1 for count in self.raised.values())
        ended = [
            event.round
            for event in self.system.events
            if isinstance(event.body, MalfunctionDeclared | BetsExpired)
        ]
        settled = [event.round for event in self.system.events if isinstance(event.body, RoundSettled)]
        assert len(ended) == len(set(ended))
        assert len(settled) == len(set(settled))

    @invariant()
    def what_came_back_is_what_the_results_say(self):
        for event in self.system.events:
            if isinstance(event.body, RoundSettled):
                (result,) = event.body.results
                assert result.returned == event.body.returned >= 0
                net = result.returned - result.stake - result.added
                assert net == int(result.net) * result.stake
                assert result.added == 0 or result.outcome.endswith(f"-final-{result.added // result.stake}")

    @invariant()
    def the_log_is_the_state_and_in_order(self):
        events = self.system.events
        assert replay("p", events) == self.system.seat
        assert all(one.at <= other.at for one, other in pairwise(events))

    def teardown(self):
        """Every event survives writing and reading, and every round replays bit for bit."""
        if not hasattr(self, "system"):
            return
        for event in self.system.events:
            assert decode(encode(event), getattr(event.body, "deck", ())) == event
        for round_id in {event.round for event in self.system.events if event.round}:
            assert verify_replay(self.machine, "p", self.system.events, round_id)


TestOpenCardRounds = OpenCardRounds.TestCase
TestOpenCardRounds.settings = settings(
    stateful_step_count=35, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

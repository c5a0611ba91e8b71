"""Whatever is asked of a seat in whatever order: money is conserved, and each round ends once."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from rounds_game import deck, game
from rounds_open_card_game import CASINO, DEALER_KING, HOME, KING

from certify.rounds import (
    COMPLETE,
    OPEN,
    Account,
    AfterSettlement,
    BetsExpired,
    CardsDealt,
    Command,
    KnownResults,
    MalfunctionDeclared,
    Phase,
    Policy,
    ReferenceSystem,
    RoundSettled,
    SeatAction,
    StakeAdded,
    VoidStakes,
    balance_of,
    command_for,
    decode,
    edition_of,
    encode,
    replay,
    verify_replay,
)

WAGERS = ("main", "partita-perfetta", "mano-di-poker")
DECISIONS = ("fold", "stand-1", "hit-1", "stand-2", "hit-2", "hit-3", "stand-0", "stand", "hit", "")
SINGLE = [action for action in SeatAction if action not in (SeatAction.PLACE, SeatAction.DECIDE)]
OFTEN = settings(stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Rounds(RuleBasedStateMachine):
    """Random commands, decks and clock jumps, against what must hold after each of them."""

    def begin(self, played, policy, opening):
        self.game, self.policy, self.opening = played, policy, opening
        self.system = ReferenceSystem.of(
            edition_of(played, policy), opening, datetime(2026, 1, 1, tzinfo=UTC)
        )
        self.system.set_deck(deck(0))
        self.deals, self.raised = {}, []

    @rule(action=st.sampled_from(SINGLE))
    def act(self, action):
        self.perform(Command(action))

    @rule(decision=st.sampled_from(DECISIONS))
    def decide(self, decision):
        self.perform(Command(SeatAction.DECIDE, decision=decision))

    @rule(days=st.integers(-30, 100), seconds=st.integers(-1, 1))
    def move_clock(self, days, seconds):
        self.system.clock.advance(timedelta(days=days, seconds=seconds))

    def perform(self, command):
        before, count = self.system.seat, len(self.system.events)
        reply = self.system.perform(command)
        if not reply.done:
            assert reply.refusal
            assert (self.system.seat, len(self.system.events)) == (before, count)
            return False
        event, previous = self.system.events[-1], before.round
        if isinstance(event.body, RoundSettled | MalfunctionDeclared | BetsExpired):
            assert previous.phase not in (Phase.VOID, Phase.EXPIRED)
            # A result that is known stands, however late, where the terms say so.
            stands = previous.phase is Phase.RESOLVED and self.policy.known_results is KnownResults.STAND
            if isinstance(event.body, RoundSettled):
                assert stands or not self.policy.is_void(previous.accepted_at, event.at)
            if isinstance(event.body, BetsExpired):
                assert self.policy.is_void(previous.accepted_at, event.at)
                assert not stands
        if isinstance(event.body, CardsDealt):
            # Bets repeated are dealt at once: then no chips lay there.
            assert previous.phase is Phase.BETTING or previous.phase in COMPLETE
            self.deals[event.round] = event.body.deck
            if self.game is CASINO:
                (ante,) = dict(event.body.stakes).values()
                assert before.balance >= 3 * ante
        if isinstance(event.body, StakeAdded):
            assert previous.phase is Phase.DECISION
            assert event.body.decision in previous.options
            self.raised.append(event.round)
        return True

    @invariant()
    def money_is_conserved_at_every_event(self):
        totals = dict.fromkeys(Account, 0)
        for event in self.system.events:
            assert sum(posting.amount for posting in event.postings) == 0
            for account in Account:
                totals[account] += balance_of(account, event.postings)
            assert min(totals[Account.PLAYER], totals[Account.HELD]) >= 0
        seat = self.system.seat
        assert (totals[Account.PLAYER], totals[Account.HELD]) == (seat.balance, seat.held)
        assert totals[Account.CASHIER] == -self.opening

    @invariant()
    def stakes_are_held_while_and_only_while_unresolved(self):
        current = self.system.seat.round
        unresolved = current is not None and current.phase in OPEN
        assert self.system.seat.held == (current.staked if unresolved else 0)

    @invariant()
    def each_round_raises_settles_and_voids_at_most_once(self):
        assert len(self.raised) == len(set(self.raised))
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
        assert replay(self.system.seat.id, events) == self.system.seat
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert all(one.at <= other.at for one, other in pairwise(events))


class PlainRounds(Rounds):
    """Rounds of a game in which no decision adds a stake."""

    @initialize(
        after=st.sampled_from(AfterSettlement),
        stakes=st.sampled_from(VoidStakes),
        known=st.sampled_from(KnownResults),
        days=st.integers(1, 120),
    )
    def open(self, after, stakes, known, days):
        policy = Policy(after_settlement=after, void_stakes=stakes, void_after_days=days, known_results=known)
        self.begin(game(), policy, 20_000)

    @rule(wager=st.sampled_from(WAGERS), amount=st.integers(1, 60) | st.sampled_from([100, 500, 10_000]))
    def place(self, wager, amount):
        self.perform(Command(SeatAction.PLACE, wager, amount))

    @rule(seed=st.integers(0, 50))
    def bet_and_deal(self, seed):
        self.system.set_deck(deck(seed))
        self.perform(Command(SeatAction.CLEAR))
        self.perform(Command(SeatAction.PLACE, "main", 300))
        self.perform(Command(SeatAction.PLACE, "mano-di-poker", 100))
        self.perform(Command(SeatAction.DEAL))

    @invariant()
    def cards_come_from_the_deck_of_the_deal_in_order(self):
        current = self.system.seat.round
        if current is None or not current.deck:
            return
        assert current.deck == self.deals[current.id]
        player = dict(current.hands)["player"]
        cards = [*player, *dict(current.hands).get("dealer", ())]
        assert len(set(cards)) == len(cards)
        assert player == (current.deck[0], *current.deck[2 : 1 + len(player)])


class OpenCardRounds(Rounds):
    """Rounds in which the dealer's first card lies open and a decision adds a final bet."""

    @initialize(
        played=st.sampled_from([CASINO, CASINO, HOME]),
        after=st.sampled_from(AfterSettlement),
        stakes=st.sampled_from(VoidStakes),
        days=st.integers(1, 120),
    )
    def open(self, played, after, stakes, days):
        self.begin(played, Policy(after_settlement=after, void_stakes=stakes, void_after_days=days), 9_000)

    @rule(amount=st.sampled_from([99, 100, 300, 900, 2500, 2501]))
    def place(self, amount):
        self.perform(Command(SeatAction.PLACE, "ante", amount))

    def decide_as_offered(self, choice):
        offered = self.system.view().options
        if offered:
            before = self.system.seat
            done = self.perform(command_for(offered[choice % len(offered)]))
            # What is offered can be taken: the deal demanded cover for it.
            assert done or not before.connected or self.system.machine.is_void(before, before.round)

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

    @invariant()
    def ante_and_final_bet_are_staked_together(self):
        current = self.system.seat.round
        if current is not None and current.stakes:
            (ante,) = dict(current.stakes).values()
            added = dict(current.added).get("ante", 0)
            assert added in ((0, ante, 2 * ante) if self.game is CASINO else (0,))
            assert current.staked == ante + added

    @invariant()
    def what_came_back_is_what_the_results_say(self):
        for event in self.system.events:
            if isinstance(event.body, RoundSettled):
                (result,) = event.body.results
                assert result.returned == event.body.returned >= 0
                net = result.returned - result.stake - result.added
                assert net == int(result.net) * result.stake
                assert result.added == 0 or result.outcome.endswith(f"-final-{result.added // result.stake}")

    def teardown(self):
        """Every event survives writing and reading, and every round replays bit for bit."""
        if not hasattr(self, "system"):
            return
        events, seat = self.system.events, self.system.seat.id
        for event in events:
            assert decode(encode(event), getattr(event.body, "deck", ())) == event
        for round_id in {event.round for event in events if event.round}:
            verify_replay(self.system.machine, seat, events, round_id)


TestPlainRounds = PlainRounds.TestCase
TestPlainRounds.settings = OFTEN
TestOpenCardRounds = OpenCardRounds.TestCase
TestOpenCardRounds.settings = OFTEN

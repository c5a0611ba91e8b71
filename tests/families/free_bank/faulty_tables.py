"""Systems that break one rule of a game with a free bank each, for exercise and conformance."""

from __future__ import annotations

from dataclasses import replace

from certify.families.free_bank.rules import FreeBankRules, rules_of
from certify.families.free_bank.volume import settlement
from certify.rounds.state import Phase
from certify.rounds.system import ReferenceSystem, reference_system
from certify.rounds.table import Command, Reply, SeatAction, System


class Faulty(ReferenceSystem):
    """The reference system with one rule broken."""

    def perform(self, command: Command, key: str = "") -> Reply:
        reply = super().perform(command, key)
        return self.broken(command) if reply.done else reply

    def broken(self, command: Command) -> Reply:
        return Reply(True, self.view())

    def change(self, **changes: object) -> Reply:
        self.seat = replace(self.seat, **changes)  # type: ignore[arg-type]
        return Reply(True, self.view())

    @property
    def rules(self) -> FreeBankRules:
        return rules_of(self.machine.edition.game)


class ShowsTheCoveredCard(Faulty):
    """Whoever decides sees the bank's covered card."""

    def broken(self, command: Command) -> Reply:
        current = self.seat.round
        if current is None or current.phase is not Phase.DECISION:
            return Reply(True, self.view())
        hands = tuple(
            (holder, (current.deck[1],) if holder == "bank" and not faces else faces)
            for holder, faces in current.hands
        )
        if "bank" not in dict(hands):
            hands = (*hands, ("bank", (current.deck[1],)))
        return self.change(round=replace(current, hands=hands))


class ReturnsTies(Faulty):
    """A bank that gives the stake back where both have the same total."""

    def broken(self, command: Command) -> Reply:
        current = self.seat.round
        if command.action is not SeatAction.SETTLE or current is None or len(current.hands) != 2:
            return Reply(True, self.view())
        kinds = settlement.classes(self.rules)
        own, its = (settlement.points([kinds[card] for card in faces]) for _, faces in current.hands)
        if own != its or own > settlement.FULL:
            return Reply(True, self.view())
        stake = dict(current.stakes)["bet"]
        results = tuple(replace(one, returned=stake) for one in current.results)
        return self.change(
            round=replace(current, results=results, returned=stake), balance=self.seat.balance + stake
        )


class SwapsAfterAHit(Faulty):
    """Offers the swap again once a card was drawn."""

    def broken(self, command: Command) -> Reply:
        current = self.seat.round
        if command.decision != "hit" or current is None or "stand" not in current.options:
            return Reply(True, self.view())
        return self.change(round=replace(current, options=(*current.options, "swap")))


class SplitsHalfTheBet(Faulty):
    """Takes half the stake for a hand that is split off."""

    def broken(self, command: Command) -> Reply:
        current = self.seat.round
        if command.decision != "split" or current is None:
            return Reply(True, self.view())
        half = dict(current.stakes)["bet"] // 2
        added = tuple((wager, amount - half) for wager, amount in current.added)
        return self.change(
            round=replace(current, added=added), balance=self.seat.balance + half, held=self.seat.held - half
        )


def _made(kind: type[Faulty]) -> object:
    def make(edition: object, balance: int, instant: object) -> System:
        sound = reference_system(edition, balance, instant)  # type: ignore[arg-type]
        assert isinstance(sound, ReferenceSystem)
        return kind(sound.machine, sound.clock, sound.seat, events=sound.events)

    return make


shows_the_covered_card = _made(ShowsTheCoveredCard)
returns_ties = _made(ReturnsTies)
swaps_after_a_hit = _made(SwapsAfterAHit)
splits_half_the_bet = _made(SplitsHalfTheBet)

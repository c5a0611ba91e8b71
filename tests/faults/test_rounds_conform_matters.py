"""What matters is tried whatever the seed: systems that break one of these things are found on every one of ten."""

import unicodedata
import weakref
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from representatives import firsts, only
from rounds_faulty import Faulty, faulty, short_by, shows, with_policy
from rounds_game import decks, game

from certify.cli.rounds_exercise import shuffled
from certify.model import Verdict
from certify.rounds import (
    DEALS,
    Command,
    DayCount,
    KnownResults,
    Phase,
    Policy,
    ReferenceSystem,
    Reply,
    SeatAction,
    edition_of,
    reference_system,
)
from certify.rounds.conformance.compared_fields import stories_of, ways_of
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.judge import PromiseId
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.story import Ask, Meanwhile, actions_of
from certify.submission import read_game

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
EDITION = edition_of(game())
SEEDS = tuple(range(10))
FIXTURES = Path(__file__).parents[2] / "fixtures/games"
GAMES = sorted(path.parent.name for path in FIXTURES.glob("*/game.toml"))
FAMILIES = (
    "big-six",
    "craps",
    "caribbean-stud",
    "baccarat-no-commission",
    "sept-et-demi",
    "three-card-poker",
)
WITH_DECISIONS = ("counts the term from the last decision", "offers in another order")
"""What only a game shows in which somebody decides."""


def every(number):
    """Returns a system that pays a tenth less in each round of a number."""
    return short_by(
        SeatAction.SETTLE, lambda seat, _: seat.rounds % number == 0 and seat.round.returned // 10
    )


def keeps_a_coin_of(action, kept):
    """Returns a system that keeps a coin where what lies on the layout before an action is so."""
    return short_by(action, lambda _, before: bool(kept([amount for _, amount in before.round.chips])))


def starts_the_term_at(action):
    """Returns a system that counts the term of an open round from an action on."""

    class StartsTheTerm(Faulty):
        def act(self, command):
            reply = self.sound(command)
            current = self.seat.round
            if reply.done and command.action is action and current and current.accepted_at:
                return self.change(round=replace(current, accepted_at=self.clock.instant))
            return reply

    return StartsTheTerm


def refuses(when):
    """Returns a system that refuses what it should do, by the command and the seat."""

    class Refuses(Faulty):
        def act(self, command):
            if when(command, self.seat):
                return Reply(False, self.view(), "not here")
            return self.sound(command)

    return Refuses


class CapsTheBalance(Faulty):
    def act(self, command):
        reply = self.sound(command)
        return self.change(balance=min(self.seat.balance, 10**12)) if reply.done else reply


class DoublesBeyondTheMaximum(Faulty):
    """Holds the limits of chips, and forgets them where the bets of before are doubled."""

    def act(self, command):
        if command.action is not SeatAction.DOUBLE_AND_DEAL or not self.seat.previous:
            return self.sound(command)
        machine, wagers = self.machine, []
        for wager in machine.edition.game.wagers:
            wagers.append(replace(wager, limits=replace(wager.limits, maximum=10**12)))
        wide = replace(machine.edition, game=replace(machine.edition.game, wagers=tuple(wagers)))
        self.machine = replace(machine, editions={wide.sha256: wide})
        reply = self.sound(command)
        self.machine = machine
        return reply


class WrapsStakesAt32Bits(Faulty):
    def act(self, command):
        return self.sound(replace(command, amount=command.amount % 2**32))


class PaysForUndoOnAnEmptyLayout(Faulty):
    def act(self, command):
        current = self.seat.round
        emptied = current and current.phase is Phase.BETTING and not current.chips
        reply = self.sound(command)
        if command.action is SeatAction.UNDO and emptied:
            self.change(balance=self.seat.balance + 1)
            return Reply(False, self.view(), reply.refusal)
        return reply


class ForgetsTheLeapDay(Faulty):
    """Counts days by a table of months in which February has 28."""

    def act(self, command):
        accepted = self.seat.round.accepted_at if self.seat.round else None
        instant = self.clock.instant
        leap = datetime(2028, 2, 29, tzinfo=UTC)
        if accepted and accepted < leap + timedelta(days=1) and instant >= leap + timedelta(days=1):
            self.clock.instant = instant - timedelta(days=1)
        reply = self.sound(command)
        self.clock.instant = instant
        return reply


class CountsThreeMonths(Faulty):
    """Voids bets after three months of the calendar instead of 90 days."""

    def act(self, command):
        instant, accepted = self.clock.instant, self.seat.round.accepted_at if self.seat.round else None
        if accepted:
            month = (accepted.month + 2) % 12 + 1
            year = accepted.year + (accepted.month + 2) // 12
            last = (datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - timedelta(days=1)).day
            due = accepted.replace(year=year, month=month, day=min(accepted.day, last))
            shift = due - accepted - timedelta(days=90)
            self.clock.instant = instant - shift
            if self.seat.last_at and self.clock.instant < self.seat.last_at <= instant:
                self.clock.instant = self.seat.last_at
        reply = self.sound(command)
        self.clock.instant = instant
        return reply


class KeepsARefusedKey(Faulty):
    """Remembers a refusal under its key and gives it again."""

    def perform(self, command, key=""):
        kept = self.__dict__
        refused = kept.setdefault("refused", set())
        if key in refused:
            return Reply(False, self.view(), "refused before")
        reply = Faulty.perform(self, command, key)
        if not reply.done and key:
            refused.add(key)
        return reply


class AcceptsAtAClockSetBack(Faulty):
    """Takes the time of the deal from a clock that is behind the player's latest command."""

    def act(self, command):
        if command.action in DEALS and self.seat.last_at and self.clock.instant < self.seat.last_at:
            self.seat = replace(self.seat, last_at=None)
        return self.sound(command)


class IsAvailableAfterARestart(Faulty):
    def restart(self):
        ReferenceSystem.restart(self)
        self.seat = replace(self.seat, suspended="")


class ShowsRoundsOfOthers(Faulty):
    """Keeps one history for everybody."""

    everybody: ClassVar = []

    def history(self):
        own = ReferenceSystem.history(self)
        for one in own:
            if all(one is not other for _, other in self.everybody):
                self.everybody.append((self, one))
        others = [
            replace(one, round=f"x{at}") for at, (who, one) in enumerate(self.everybody) if who is not self
        ]
        return (*others, *own)


class SharesKeys(Faulty):
    """Knows keys whoever sent a command under them."""

    shared: ClassVar = {}

    def perform(self, command, key=""):
        # Only players that are there at the same time: each story has players of its own.
        owner = self.shared[key]() if key in self.shared else None
        if owner is not None and owner is not self:
            return Reply(True, self.view())
        if key:
            self.shared[key] = weakref.ref(self)
        return Faulty.perform(self, command, key)


class LimitsEachChip(Faulty):
    """Holds the maximum of a wager for each chip, and forgets the chips that were put down before."""

    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.PLACE and current and current.phase is Phase.BETTING:
            self.seat = replace(self.seat, round=replace(current, chips=()))
            reply = self.sound(command)
            return replace(
                self.change(round=replace(current, chips=current.chips + self.seat.round.chips)),
                done=reply.done,
            )
        return self.sound(command)


class ForgetsKeysAfterFiftyCommands(Faulty):
    def perform(self, command, key=""):
        self.keys = dict(list(self.keys.items())[-50:])
        return Faulty.perform(self, command, key)


def compares_keys(fold):
    """Returns a system that takes keys for one that are alike once they are folded."""

    class ComparesKeys(Faulty):
        def perform(self, command, key=""):
            return Faulty.perform(self, command, fold(key))

    return ComparesKeys


def as_a_number(key):
    return str(float(key)) if key[:1].isdigit() and "-" not in key else key


class PaysACoinAtTheThirdMalfunction(Faulty):
    count = 0

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.MALFUNCTION:
            self.count = self.__dict__.get("count", 0) + 1
            return self.change(balance=self.seat.balance + (self.count == 3))
        return reply


class PaysTheThirdLossInARowShort(Faulty):
    streak = 0

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.SETTLE:
            lost = self.seat.round.returned < self.seat.round.staked
            self.streak = (self.__dict__.get("streak", 0) + 1) * lost
            return self.change(balance=self.seat.balance - (self.streak == 3))
        return reply


LISTED = {
    "halves the rarest pay": (
        short_by(
            SeatAction.SETTLE,
            lambda seat, _: sum(
                one.returned // 2 for one in seat.round.results if one.outcome == "royal-flush"
            ),
        ),
        PromiseId.PAID,
    ),
    "pays every sixth round short": (every(6), PromiseId.PAID),
    "wraps at 31 bits": (
        shows(lambda view: {"balance": (view.balance + 2**31) % 2**32 - 2**31}),
        PromiseId.PAID,
    ),
    "loses digits at 53 bits": (shows(lambda view: {"balance": int(float(view.balance))}), PromiseId.PAID),
    "caps the balance": (CapsTheBalance, PromiseId.LAYOUT),
    "doubles beyond the maximum": (DoublesBeyondTheMaximum, PromiseId.LIMITS),
    "wraps stakes at 32 bits": (WrapsStakesAt32Bits, PromiseId.LIMITS),
    "pays for undo on an empty layout": (PaysForUndoOnAnEmptyLayout, PromiseId.REFUSED),
    "forgets the leap day": (ForgetsTheLeapDay, PromiseId.TERM),
    "counts three months": (CountsThreeMonths, PromiseId.TERM),
    "keeps a refused key": (KeepsARefusedKey, PromiseId.FREE_KEYS),
    "accepts at a clock set back": (AcceptsAtAClockSetBack, PromiseId.RECALLED),
    "limits the session": (
        refuses(lambda command, seat: command.action in DEALS and seat.rounds > 20),
        PromiseId.DONE,
    ),
    "counts the term from the last decision": (starts_the_term_at(SeatAction.DECIDE), PromiseId.TERM),
    "is available after a restart": (IsAvailableAfterARestart, PromiseId.RESTART),
    "shows rounds of others": (ShowsRoundsOfOthers, PromiseId.HISTORY),
    "shares keys": (SharesKeys, PromiseId.APART),
    "offers in another order": (shows(lambda view: {"options": view.options[::-1]}), PromiseId.OPTIONS),
    "limits each chip": (LimitsEachChip, PromiseId.LIMITS),
    "pays three wins short": (
        short_by(
            SeatAction.SETTLE, lambda seat, _: sum(one.returned > one.stake for one in seat.round.results) > 2
        ),
        PromiseId.PAID,
    ),
    "pays every fortieth round short": (every(40), PromiseId.PAID),
    "forgets keys after fifty commands": (ForgetsKeysAfterFiftyCommands, PromiseId.DUPLICATES),
    "compares keys without case": (compares_keys(str.lower), PromiseId.OTHER_KEYS),
    "compares eight characters of a key": (compares_keys(lambda key: key[:8]), PromiseId.OTHER_KEYS),
    "compares 64 characters of a key": (compares_keys(lambda key: key[:64]), PromiseId.OTHER_KEYS),
    "compares keys without spaces": (compares_keys(str.strip), PromiseId.OTHER_KEYS),
    "compares keys as numbers": (compares_keys(as_a_number), PromiseId.OTHER_KEYS),
    "compares composed letters of keys": (
        compares_keys(lambda key: unicodedata.normalize("NFC", key)),
        PromiseId.OTHER_KEYS,
    ),
    "compares keys without dashes": (
        compares_keys(lambda key: key.replace("a-1", "a_1")),
        PromiseId.OTHER_KEYS,
    ),
    "compares one line of a key": (compares_keys(lambda key: key.split("\n")[0]), PromiseId.OTHER_KEYS),
    "compares a key up to a NUL": (compares_keys(lambda key: key.split("\0")[0]), PromiseId.OTHER_KEYS),
    "rounds an odd balance": (
        short_by(SeatAction.SETTLE, lambda seat, before: seat.round.returned and before.balance % 2),
        PromiseId.PAID,
    ),
    "starts the term again on return": (starts_the_term_at(SeatAction.RESUME), PromiseId.TERM),
    "pays a coin at the third malfunction": (PaysACoinAtTheThirdMalfunction, PromiseId.RETURNED),
    "keeps a coin of an undo of 100": (
        keeps_a_coin_of(SeatAction.UNDO, lambda chips: chips[-1] == 100),
        PromiseId.LAYOUT,
    ),
    "keeps a coin of a clear above 3,000": (
        keeps_a_coin_of(SeatAction.CLEAR, lambda chips: sum(chips) > 3000),
        PromiseId.LAYOUT,
    ),
    "keeps a coin of a clear of a hundred chips": (
        keeps_a_coin_of(SeatAction.CLEAR, lambda chips: len(chips) > 100),
        PromiseId.LAYOUT,
    ),
    "keeps a coin of a deal of 7,500": (
        keeps_a_coin_of(SeatAction.DEAL, lambda chips: sum(chips) == 7500),
        PromiseId.ACCEPTED,
    ),
    "keeps a coin of a side bet of 7,000 once dealt": (
        keeps_a_coin_of(SeatAction.DEAL, lambda chips: len(chips) == 2 and chips[1] == 7000),
        PromiseId.ACCEPTED,
    ),
    "pays the third loss in a row short": (PaysTheThirdLossInARowShort, PromiseId.PAID),
    "refuses the whole balance": (
        refuses(lambda command, seat: command.action is SeatAction.PLACE and command.amount == seat.balance),
        PromiseId.DONE,
    ),
}

QUICK = (
    "caps the balance",
    "counts three months",
    "doubles beyond the maximum",
    "halves the rarest pay",
    "is available after a restart",
    "keeps a refused key",
    "limits the session",
    "offers in another order",
    "pays for undo on an empty layout",
    "shares keys",
    "compares eight characters of a key",
    "forgets keys after fifty commands",
    "limits each chip",
    "pays every fortieth round short",
    "pays three wins short",
    "starts the term again on return",
    "pays a coin at the third malfunction",
    "keeps a coin of an undo of 100",
    "keeps a coin of a clear of a hundred chips",
    "refuses the whole balance",
    "compares a key up to a NUL",
    "keeps a coin of a side bet of 7,000 once dealt",
    "pays the third loss in a row short",
)
"""One of each thing that matters and that no other list of faults holds."""


def judged(factory, seed, edition=EDITION):
    given = decks(3 * (seed + 1))[3 * seed :]
    return conform(factory, edition, given, START, count=1, seed=seed)


@pytest.mark.usefixtures("briefly", "unshortened")
@pytest.mark.parametrize("seed", firsts(SEEDS))
@pytest.mark.parametrize("name", only(LISTED, *QUICK))
def test_what_matters_is_found_whatever_the_seed(name, seed):
    kind, promise = LISTED[name]
    report = judged(faulty(kind), seed)
    assert report.verdict is Verdict.NOT_SATISFIED
    assert report.stories == 0, "found by chance"
    assert report.breach.promise is promise, (report.breach, report.script)


class HalvesTheGreatestPays(Faulty):
    """Pays half of the row of each wager that pays most."""

    def act(self, command):
        reply = self.sound(command)
        if not reply.done or command.action is not SeatAction.SETTLE:
            return reply
        rows_of = self.machine.edition.play.rows_of
        greatest = {
            wager.id: max(wager.paytable.rows, key=lambda row: row.pays).id
            for wager in self.machine.edition.game.wagers
        }
        paid = [
            one for one in self.seat.round.results if greatest[one.wager] in rows_of(one.wager, one.outcome)
        ]
        return self.change(balance=self.seat.balance - sum(one.returned // 2 for one in paid))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_reference_keeps_every_promise_of_every_game(name):
    report = swept(reference_system, name, 20)
    assert report.verdict is Verdict.SATISFIED, (report.breach, report.script)
    assert report.fixed.rows.missed == ()


@pytest.mark.slow
@pytest.mark.parametrize("fault", LISTED)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_matters_is_found_in_games_of_other_families(name, fault):
    kind, promise = LISTED[fault]
    if fault == "halves the rarest pay":
        kind = HalvesTheGreatestPays
    decides = bool(edition_of(submission(name)).play.decisions)
    # Where nobody decides a result is known at once and stands: the term means something where such a bet is void.
    known = KnownResults.VOID if promise is PromiseId.TERM and not decides else KnownResults.STAND
    report = swept(faulty(kind), name, 1, known)
    if fault in WITH_DECISIONS and not decides:
        assert report.verdict is Verdict.SATISFIED
    else:
        assert report.verdict is Verdict.NOT_SATISFIED
        assert report.stories == 0, "found by chance"


def submission(name):
    return read_game(FIXTURES / name / "game.toml")


def swept(factory, name, count, known=KnownResults.STAND):
    """Tries a system of a game, told random stories besides."""
    played = submission(name)
    edition = edition_of(played, replace(Policy.of(played.terms), known_results=known))
    return conform(factory, edition, shuffled(played, bytes(32), 20), START, count=count)


class ForgetsOneRefund(Faulty):
    """Keeps one stake for itself, once, whoever is asked."""

    forgotten: ClassVar = []

    def act(self, command):
        balance = self.seat.balance
        reply = self.sound(command)
        if (
            reply.done
            and command.action is SeatAction.MALFUNCTION
            and self.seat.balance > balance
            and not self.forgotten
        ):
            self.forgotten.append(self)
            return self.change(balance=balance)
        return reply


def test_what_shows_once_is_an_accusation_with_its_evidence():
    ForgetsOneRefund.forgotten.clear()
    report = judged(faulty(ForgetsOneRefund), 0)
    assert (report.verdict, report.repeats) == (Verdict.NOT_SATISFIED, False)
    assert report.breach.promise is PromiseId.RETURNED
    told = [line for line in report.script if line[0].isdigit()]
    assert told[-1].endswith("malfunction")
    assert report.breach.step == len(told)
    assert report.to_evidence()["repeats"] is False


@pytest.mark.usefixtures("briefly")
def test_what_a_system_does_not_offer_or_support_is_not_tried():
    class Plain(Faulty):
        restart = None
        history = None
        perform_together = None

    setting = Setting(
        EDITION, decks(4), START, 10_000, offers=frozenset(), unsupported=frozenset({SeatAction.UNDO})
    )
    named = list(stories_of(setting, ways_of(setting)))
    assert not [name for name, _ in named if name == "a restart behind every step"]
    assert all(SeatAction.UNDO not in actions_of(step) for _, story in named for step in story.steps)
    least = replace(setting, largest=2**53 - 1)
    assert max(story.opening or 0 for _, story in stories_of(least, ways_of(least))) < 2**53
    assert judged(faulty(Plain), 0).verdict is Verdict.SATISFIED


@pytest.mark.slow
@pytest.mark.parametrize("policy", [Policy(day_count=DayCount.CALENDAR, zone="Europe/Rome")], ids=["Rome"])
def test_days_of_the_calendar_are_followed_over_changes_of_the_clock(policy):
    kept = judged(reference_system, 0, edition_of(game(), policy))
    assert kept.verdict is Verdict.SATISFIED
    elapsed = judged(with_policy(day_count=DayCount.ELAPSED), 0, edition_of(game(), policy))
    assert elapsed.breach.promise is PromiseId.TERM


def test_a_key_of_a_refused_command_reads_so_in_a_script():
    assert str(Ask(Command(SeatAction.DEAL), "a")) == "deal, under the key a"
    assert str(Meanwhile(Ask(Command(SeatAction.DEAL)))) == "another player: deal"

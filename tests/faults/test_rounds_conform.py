"""Conformance: a breach is found, told by its shortest story; one in Perl, written from documents alone, passes."""

import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import pytest
import rounds_faulty as planted
from cli_support import refuses
from representatives import firsts, one_each
from rounds_faulty import (
    Bare,
    DealsBesideAnOpenRound,
    DealsWhileUnavailable,
    DecidesAfterTerm,
    Faulty,
    ForgetsKeys,
    ForgetsSideBets,
    NewCardsOnResume,
    PaysAfterVoid,
    RefundsDouble,
    RefundsTwice,
    SettlesTwice,
    faulty,
    rounding_up,
    with_days,
    with_policy,
)
from rounds_game import decks, game
from rounds_open_card_game import CASINO

from certify.errors import InputError, NothingCheckedError
from certify.model import Verdict
from certify.rounds import (
    Command,
    DayCount,
    KnownResults,
    Policy,
    SeatAction,
    command_for,
    edition_of,
    reference_system,
)
from certify.rounds.conformance.client import system_factory
from certify.rounds.conformance.conform import NEVER_TRIED, conform
from certify.rounds.conformance.fixed import unsupported_of
from certify.rounds.conformance.judge import tell
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.conformance.server import serving
from certify.rounds.conformance.story import Ask, Jump, Story
from certify.submission import read_game

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
EDITION = edition_of(game())
DECKS = decks(8)

# Six classic faults first, then a few more; each with the promise that it breaks and the most steps
# that a story needs to show it.
FAULTY = {
    "pays after void": (faulty(PaysAfterVoid), PromiseId.VOID_PAYS_NOTHING, 4),
    "refunds twice": (faulty(RefundsTwice), PromiseId.RETURNED_ONCE, 4),
    "forgets side bets": (faulty(ForgetsSideBets), PromiseId.RETURNED, 4),
    "voids at 89 days": (with_days(89), PromiseId.TERM, 4),
    "deals new cards on resume": (faulty(NewCardsOnResume), PromiseId.RESUMED, 7),
    "settles twice": (faulty(SettlesTwice), PromiseId.SETTLED_ONCE, 5),
    "refunds double": (faulty(RefundsDouble), PromiseId.RETURNED_ONCE, 3),
    "decides after the term": (faulty(DecidesAfterTerm), PromiseId.TERM, 5),
    "voids a known result": (with_policy(known_results=KnownResults.VOID), PromiseId.STANDS, 5),
    "voids at 91 days": (with_days(91), PromiseId.TERM, 4),
    "deals beside an open round": (faulty(DealsBesideAnOpenRound), PromiseId.ONE_ROUND, 3),
    "deals while unavailable": (faulty(DealsWhileUnavailable), PromiseId.UNAVAILABLE, 3),
    "does a command again": (faulty(ForgetsKeys), PromiseId.DUPLICATES, 2),
}
SIX = tuple(FAULTY)[:6]


def judged(factory, count=300, **options):
    return conform(factory, EDITION, DECKS, START, count=count, **options)


def test_both_readings_of_a_known_result_at_the_term_are_told_apart():
    void = edition_of(game(), Policy(known_results=KnownResults.VOID))
    kept = conform(reference_system, void, DECKS, START, count=20, fixed=False)
    assert kept.verdict is Verdict.SATISFIED
    stands = conform(with_policy(known_results=KnownResults.STAND), void, DECKS, START, count=1)
    assert stands.breach.promise is PromiseId.TERM


@pytest.mark.parametrize("name", one_each(FAULTY, itemgetter(1)))
def test_a_faulty_system_fails_for_the_right_reason(name):
    factory, promise, most = FAULTY[name]
    report = judged(factory, count=1000)
    assert report.verdict is Verdict.NOT_SATISFIED
    assert report.breach.promise is promise
    story = [line for line in report.script if line[0].isdigit()]
    assert len(story) <= most, story
    assert report.breach.step == len(story)
    assert report.to_evidence()["script"] == list(report.script)


def test_a_story_can_be_told_again():
    story = Story(
        (
            Ask(Command(SeatAction.PLACE, "main", 300)),
            Ask(Command(SeatAction.DEAL)),
            Jump(timedelta(days=89)),
            Ask(Command(SeatAction.EXPIRE)),
        )
    )
    assert story.script()[-2:] == ("3. clock forward 89 d 0 s", "4. expire")
    breach = tell(story, with_days(89), EDITION, DECKS, START, 10_000)
    assert (breach.promise, breach.step) == (PromiseId.TERM, 4)
    assert breach.expected.startswith("refused; decision")
    assert breach.observed.startswith("done; expired")
    assert tell(story, reference_system, EDITION, DECKS, START, 10_000) is None


def test_nothing_told_is_never_a_pass():
    refuses(
        NothingCheckedError,
        ("", lambda: judged(reference_system, count=0)),
        ("", lambda: conform(reference_system, EDITION, (), START)),
    )


def test_the_reference_server_passes_over_http():
    # The fixed part is told over the wire by a slow test.
    with serving(reference_system, EDITION) as url:
        report = judged(system_factory(url), count=25, fixed=False)
    assert report.verdict is Verdict.SATISFIED
    assert report.not_tested == ("every action in every phase: the fixed part was left out",)


@pytest.mark.slow
def test_the_reference_server_passes_every_action_in_every_phase_over_http():
    with serving(reference_system, EDITION) as url:
        report = judged(system_factory(url), count=1)
    assert report.breach is None
    assert report.fixed_told == len(report.fixed.stories)


@pytest.mark.parametrize("name", firsts(SIX))
def test_a_faulty_server_fails_over_http(name):
    factory, promise, _ = FAULTY[name]
    found = judged(factory, count=1000)
    with serving(factory, EDITION) as url:
        # The story found in the process is replayed over the wire, and shows the same breach there.
        story = story_of(found)
        breach = tell(story, system_factory(url), EDITION, DECKS, START, 15_000)
    assert (breach.promise, breach.step) == (promise, found.breach.step)
    assert breach.observed == found.breach.observed


def story_of(report):
    """Returns the story that a printed script tells: what a developer does who replays it."""
    steps = []
    for line in report.script:
        if line.startswith(("player", "deck")):
            continue
        words = line.split(". ", 1)[1].split()
        if words[0] == "clock":
            span = timedelta(days=int(words[2]), seconds=int(words[4]))
            steps.append(Jump(-span if words[1] == "back" else span))
        elif words[0] == SeatAction.DECIDE:
            steps.append(Ask(command_for(words[1])))
        else:
            steps.append(Ask(Command(SeatAction(words[0]), *words[1:2], *map(int, words[2:3]))))
    cards = tuple(int(card) for card in report.script[1].split(": ")[1].split())
    return Story(tuple(steps), DECKS.index(cards))


@pytest.mark.parametrize("target", ["ftp://host", "http://", "nowhere", "certify.rounds:None", "no_module:X"])
def test_targets_that_name_no_system_are_refused(target):
    with pytest.raises(InputError, match="target"):
        system_factory(target)


FRACTIONS = edition_of(game(main=Fraction(3, 2)))

LISTED = {
    "settles again after a reconnection": (planted.SettlesAgainAfterReconnection, PromiseId.SETTLED_ONCE),
    "settles again on return": (planted.SettlesAgainOnReturn, PromiseId.RESUMED),
    "forgets keys on return": (planted.ForgetsKeysOnReturn, PromiseId.DUPLICATES),
    "undoes after the deal": (planted.UndoesAfterTheDeal, PromiseId.REFUSED),
    "takes negative bets": (planted.TakesNegativeBets, PromiseId.LIMITS),
    "takes bets of nothing": (planted.TakesZeroBets, PromiseId.LIMITS),
    "takes bets on unknown wagers": (planted.TakesUnknownWagers, PromiseId.LIMITS),
    "pays whole units only": (planted.PaysWholeUnitsOnly, PromiseId.PAID),
    "does another command under a key": (planted.DoesAnotherCommandUnderAKey, PromiseId.KEYS),
    "acknowledges another command": (planted.AcknowledgesAnotherCommandUnderAKey, PromiseId.KEYS),
    "does commands at once": (planted.DoesCommandsAtOnce, PromiseId.TOGETHER),
    "shows held stakes as balance": (planted.LyingView, PromiseId.VIEW),
    "hides refunds in the view": (planted.HidesRefundsInTheView, PromiseId.VIEW),
    "shows nobody as disconnected": (planted.ShowsDisconnectedPlayersAsConnected, PromiseId.VIEW),
    "forgets void rounds": (planted.ForgetsVoidRounds, PromiseId.HISTORY),
    "embellishes the history": (planted.EmbellishesTheHistory, PromiseId.HISTORY),
    "shows recall as play": (planted.ShowsRecallAsPlay, PromiseId.RECALLED),
    "leaves fields out": (planted.LeavesFieldsOut, PromiseId.RECALLED),
    "wins more in recall": (planted.WinsMoreInRecall, PromiseId.RECALLED),
    "recalls the funds afterwards": (planted.RecallsFundsAfterwards, PromiseId.RECALLED),
    "recalls choices without their times": (planted.RecallsChoicesWithoutTheirTimes, PromiseId.RECALLED),
    "recalls the end before the start": (planted.RecallsTheEndBeforeTheStart, PromiseId.RECALLED),
    "recalls paid rounds alone": (planted.RecallsPaidRoundsAlone, PromiseId.RECALLED),
    "forgets keys on a restart": (planted.ForgetsKeysOnRestart, PromiseId.DUPLICATES),
    "loses the last event on a restart": (planted.LosesTheLastEventOnRestart, PromiseId.RESTART),
    "raises": (planted.Raises, PromiseId.ANSWERED),
    "answers nothing": (planted.AnswersNothing, PromiseId.ANSWERED),
}

SEEDS = tuple(range(6))


def judged_in_order(factory, seed, edition=EDITION, **options):
    # Other decks and other stories for every seed: what is found must not hang on either.
    given = decks(3 * (seed + 1))[3 * seed :]
    return conform(factory, edition, given, START, count=1, seed=seed, **options)


@pytest.mark.parametrize("name", one_each(LISTED, itemgetter(1)))
def test_a_listed_fault_is_found(name, unshortened):
    found_in_the_fixed_part(name, 0)


def found_in_the_fixed_part(name, seed):
    system, promise = LISTED[name]
    report = judged_in_order(faulty(system), seed)
    assert report.verdict is Verdict.NOT_SATISFIED
    assert report.stories == 0, "found by chance"
    assert report.breach.promise is promise, (report.breach, report.script)
    return [line for line in report.script if line[0].isdigit()]


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_listed_fault_is_found_on_every_seed(name, seed):
    assert len(found_in_the_fixed_part(name, seed)) <= 8


@pytest.mark.parametrize("seed", firsts(SEEDS[:2]))
def test_a_fraction_of_a_cent_that_is_rounded_the_other_way_is_found(seed):
    report = judged_in_order(rounding_up, seed, FRACTIONS)
    assert (report.breach.promise, report.stories) == (PromiseId.PAID, 0)
    assert any("place main 101" in line for line in report.script)


def test_a_promise_that_no_story_comes_to_is_not_kept_but_never_tried():
    """Every promise is tried where bets wait for decisions; no bet of a wheel is void by its term."""
    report = judged_in_order(reference_system, 0)
    untried = {str(one) for one in PromiseId if report.of_promise(one)[0] is not Verdict.SATISFIED}
    assert untried == {PromiseId.ADDED}  # nothing can be added to a stake of 7 e Mezzo
    wheel = edition_of(read_game(Path("fixtures/games/roulette-single-zero/game.toml")))
    rows = [(stop,) for stop in range(8)]
    # Also of a system that would void bets a day too early.
    report = conform(with_days(89), wheel, rows, START, count=20, seed=0)
    untried = {one for one in PromiseId if report.of_promise(one)[0] is not Verdict.SATISFIED}
    assert untried == {PromiseId.TERM, PromiseId.DECISIONS, PromiseId.ADDED, PromiseId.OPTIONS}
    assert report.of_promise(PromiseId.TERM) == (Verdict.NOT_APPLICABLE, NEVER_TRIED)
    assert report.to_evidence()["tried"][PromiseId.STANDS] > 0


def test_what_a_system_does_not_offer_is_not_tested_and_said_so():
    report = judged_in_order(Bare, 0, unsupported=unsupported_of(("undo", "rebet", "suspend")))
    assert report.verdict is Verdict.SATISFIED
    missing = report.to_evidence()["not_tested"]
    assert {
        "history: the system offers none",
        "recall of complete rounds: the system offers none",
        "restart: the system offers none",
        "concurrent commands: the system offers none",
        "undo: declared unsupported",
        "settled, game unavailable: nothing supported leads there",
    } <= set(missing)
    assert not any(line.split()[0] in ("undo", "rebet", "suspend") for line in report.fixed.actions)


@pytest.mark.parametrize("names", [("deal",), ("place",), ("decide",), ("stand",), ("nonsense",)])
def test_what_makes_a_round_cannot_be_declared_unsupported(names):
    with pytest.raises(InputError, match="cannot be unsupported"):
        unsupported_of(names)


class SettlesByItself(Faulty):
    def act(self, command):
        reply = self.sound(command)
        return self.sound(Command(SeatAction.SETTLE)) if reply.view.phase == "resolved" else reply


class SettlesWhenLookedAt(planted.Performing):
    """Settles a while after the last decision, as a job of the operator's does."""

    def view(self):
        current = self.seat.round
        if not self.inside and current and current.phase == "resolved":
            self.perform(Command(SeatAction.SETTLE))
        return Faulty.view(self)


ALLOWED = [SettlesByItself, SettlesWhenLookedAt, planted.VoidsByItself, planted.RefusesMalfunctionWithoutABet]


@pytest.mark.parametrize(
    ("system", "edition", "stories"),
    firsts(
        [
            (SettlesByItself, EDITION, 20),
            *((one, EDITION, 100) for one in ALLOWED),
            (SettlesByItself, edition_of(CASINO), 100),
        ]
    ),
)
def test_nobody_is_accused_of_what_the_documents_allow(system, edition, stories):
    report = conform(
        faulty(system), edition, decks(2), START, count=stories, fixed=edition is EDITION and stories > 20
    )
    assert report.breach is None, (report.breach, report.script)


def test_a_system_that_voids_by_itself_a_day_early_is_still_found():
    class VoidsEarly(planted.VoidsByItself):
        # What it recalls would tell of the clock that it turned.
        recalled = None

        def perform(self, command, key=""):
            now = self.clock.instant
            self.clock.instant = now + timedelta(days=1)
            self.sound(Command(SeatAction.EXPIRE))
            self.clock.instant = now
            return Faulty.perform(self, command, key)

    report = judged_in_order(faulty(VoidsEarly), 0)
    assert report.verdict is Verdict.NOT_SATISFIED
    assert "clock forward 89 d 86399 s" in "\n".join(report.script)


def test_calendar_days_are_demanded_where_they_are_chosen():
    # Summer time begins within these ninety days: the term ends an hour earlier than after 90 times 24 hours.
    policy = Policy(day_count=DayCount.CALENDAR, zone="Europe/Rome")
    calendar = edition_of(game(), policy)

    def elapsed(edition, balance, instant):
        return reference_system(replace(edition, policy=Policy()), balance, instant)

    report = judged_in_order(elapsed, 0, calendar)
    assert report.breach.promise is PromiseId.TERM
    assert "clock forward 89 d 82800 s" in "\n".join(report.script)


# A system in another language, written from the documents alone, is tried over HTTP: it passes, its fault does not.


ADAPTER = Path(__file__).parents[1] / "adapters/big_six.pl"
BIG_SIX = edition_of(read_game(Path(__file__).parents[2] / "fixtures/games/big-six/game.toml"))


@pytest.fixture
def served(tmp_path):
    """Serves the adapter, with a fault where one is named; git needs Perl, so every machine that tests has it."""
    started = []

    def serve(fault=""):
        port = tmp_path / f"port{len(started)}"
        started.append(subprocess.Popen(["perl", ADAPTER, port, fault]))
        for _ in range(200):
            if port.exists():
                return f"http://127.0.0.1:{port.read_text()}"
            time.sleep(0.05)
        raise TimeoutError("the adapter does not serve")

    yield serve
    for process in started:
        process.terminate()
        process.wait()


def judged_url(url, count, **options):
    rows = tuple((item,) for item in (0, 24, 39, 46, 50, 52, 53))
    return conform(system_factory(url), BIG_SIX, rows, START, count=count, **options)


def test_a_system_in_perl_keeps_every_promise_of_random_stories(served):
    report = judged_url(served(), 12, fixed=False)
    assert report.verdict is Verdict.SATISFIED, (report.breach, report.script)


@pytest.mark.slow
def test_a_system_in_perl_keeps_every_promise(served):
    report = judged_url(served(), 20)
    assert report.verdict is Verdict.SATISFIED, (report.breach, report.script)
    assert not [one for one in report.not_tested if "the system offers none" in one]
    assert report.fixed.rows.missed == ()


def test_its_fault_is_found_by_the_row_that_it_pays_short(served):
    report = judged_url(served("short"), 1)
    assert report.breach.promise is PromiseId.PAID
    assert any("place logo" in line for line in report.script)

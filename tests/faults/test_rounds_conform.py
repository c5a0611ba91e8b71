"""Conformance: the reference passes, and each faulty system fails for the right reason, with a short story."""

from datetime import UTC, datetime, timedelta
from operator import itemgetter

import pytest
from representatives import firsts, one_each
from rounds_faulty import (
    DealsBesideAnOpenRound,
    DealsWhileUnavailable,
    DecidesAfterTerm,
    ForgetsKeys,
    ForgetsSideBets,
    NewCardsOnResume,
    PaysAfterVoid,
    RefundsDouble,
    RefundsTwice,
    SettlesTwice,
    faulty,
    with_days,
    with_policy,
)
from rounds_game import decks, game

from certify.errors import InputError, NothingCheckedError
from certify.model.finding import Verdict
from certify.rounds.conformance.client import TargetError, system_factory
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.judge import PromiseId, tell
from certify.rounds.conformance.server import serving
from certify.rounds.conformance.story import Ask, Jump, Story
from certify.rounds.play import edition_of
from certify.rounds.policy import KnownResults, Policy
from certify.rounds.system import reference_system
from certify.rounds.table import Command, SeatAction, command_for

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


@pytest.mark.parametrize("count", firsts([20, 300]))
def test_the_reference_keeps_every_promise(count):
    report = judged(reference_system, count)
    assert report.verdict is Verdict.SATISFIED
    assert report.stories == count
    assert report.steps > 10 * count
    assert report.to_evidence()["promise"] == ""


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
    with pytest.raises(NothingCheckedError):
        judged(reference_system, count=0)
    with pytest.raises(NothingCheckedError):
        conform(reference_system, EDITION, (), START)


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


def test_a_server_that_does_not_answer_is_named():
    with serving(reference_system, EDITION) as url:
        pass
    with pytest.raises(TargetError, match="no answer"):
        system_factory(url)(EDITION, 1000, START)

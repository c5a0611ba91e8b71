"""Checks of the promises about the life of a round, exercised at all points of a deck up to 100, and further ones."""

from collections.abc import Iterable, Iterator
from typing import Final

from certify.clauses.checks.operator_items import kept
from certify.clauses.registry import Answer, Results, check, verdict_of
from certify.model import UnderTest, Verdict
from certify.rounds import check_recall
from certify.rounds.conformance.promise import PromiseId

_ONE_SETTLEMENT: Final = (
    PromiseId.SETTLED_ONCE,
    PromiseId.STANDS,
    PromiseId.ONE_ROUND,
    PromiseId.LIMITS,
    PromiseId.ACCEPTED,
    PromiseId.ADDED,
    PromiseId.DUPLICATES,
    PromiseId.TOGETHER,
)

_INTERFACE: Final = (
    PromiseId.OPENED,
    PromiseId.LAYOUT,
    PromiseId.OPTIONS,
    PromiseId.DECISIONS,
    PromiseId.CARDS,
    PromiseId.KEYS,
    PromiseId.FREE_KEYS,
    PromiseId.APART,
    PromiseId.HISTORY,
    PromiseId.VIEW,
    PromiseId.ANSWERED,
    PromiseId.IN_TIME,
    PromiseId.REFUSED,
    PromiseId.DONE,
)
"""Promises that no check of a clause asks for, or not in every game."""


def _situations(results: Results, *ids: str) -> Iterator[Answer]:
    """Yields the answers of the situations with these ids, or ids that begin so.

    Where the source prints no term for one, what was expected is that of an adopted term, and is called so.
    """
    for situation in results.exercise.situations:
        if situation.id.startswith(ids):
            yield Answer(
                situation.verdict,
                f"under assumed terms: {situation.expected}"
                if situation.adopted_terms
                else situation.expected,
                situation.observed,
                subject=situation.situation,
                reason="" if situation.trials else situation.observed,
                evidence=("/rounds/situations",),
                tried=situation.trials,
            )


def _printed(results: Results, name: str) -> Iterable[Answer]:
    """Answers whether the submission quotes a sentence of its source for one promise, and it is there."""
    sentence, unfound = results.game.terms.printed.get(name), name in (results.brought.unfound or ())
    yield Answer(
        Verdict.FITTED if unfound else verdict_of(bool(sentence)),
        "a sentence that the submission quotes from the rules, looked up in each source whose text came with it",
        f"“{sentence}”" if sentence else "none",
        reason="the sentence is in none of the sources, so that it confirms nothing" if unfound else "",
        evidence=("/terms/printed",),
        tried=int(bool(sentence)),
    )


@check(
    "terms.malfunction-printed",
    "The submission quotes what its rules say on a malfunction",
    UnderTest.SUBMISSION,
)
def malfunction_printed(results: Results) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about malfunctions."""
    return _printed(results, "malfunction_voids_all")


@check(
    "terms.disconnection-printed",
    "The submission quotes what its rules say on a disconnection",
    UnderTest.SUBMISSION,
)
def disconnection_printed(results: Results) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about disconnections."""
    return _printed(results, "resume_after_disconnection")


@check(
    "terms.undecided-printed",
    "The submission quotes what its rules say of wagers left undecided",
    UnderTest.SUBMISSION,
)
def undecided_printed(results: Results) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about wagers left undecided."""
    return _printed(results, "unresolved_void_after_days")


@check(
    "rounds.malfunction",
    "A malfunction voids all pays and plays, and every stake returns exactly once",
    UnderTest.REFERENCE_ROUNDS,
)
def malfunction(results: Results) -> Iterable[Answer]:
    """Malfunction declared at each point of a round, behind 100 of a deck where something new is offered."""
    yield from _situations(results, "malfunction", "void-is-final")
    yield from kept(results, PromiseId.RETURNED, PromiseId.RETURNED_ONCE, PromiseId.VOID_PAYS_NOTHING)


@check(
    "rounds.ninety-days",
    "Unresolved bets are void after the stated days, not a moment before, and stay so",
    UnderTest.REFERENCE_ROUNDS,
)
def ninety_days(results: Results) -> Iterable[Answer]:
    """Expiry at, before and after its boundary."""
    yield from _situations(results, "unresolved", "settle-after-term", "expired-once", "clock-set-back")
    yield from kept(results, PromiseId.TERM)


@check(
    "rounds.resume",
    "After a disconnection the same round continues with the same cards and ends with the same money",
    UnderTest.REFERENCE_ROUNDS,
)
def resume(results: Results) -> Iterable[Answer]:
    """Interruption at each such point, behind 100 of a deck where something new is offered, and what follows it."""
    yield from _situations(results, "resume", "settled-while-disconnected", "previous-wins", "restart")
    yield from kept(results, PromiseId.RESUMED, PromiseId.RESTART)


@check(
    "rounds.single-settlement",
    "A round is settled once, and no other begins before it is complete",
    UnderTest.REFERENCE_ROUNDS,
)
def single_settlement(results: Results) -> Iterable[Answer]:
    """Settlement, repeated settlement, and new rounds in between."""
    yield from _situations(
        results, "settlement", "settled-once", "one-round-at-a-time", "bets-", "result-known"
    )
    yield from kept(results, *_ONE_SETTLEMENT)


@check(
    "rounds.shown-card",
    "What is open stays in sight and what is covered stays covered, with the hands and options of the rules",
    UnderTest.REFERENCE_ROUNDS,
)
def shown_card(results: Results) -> Iterable[Answer]:
    """Cards and options shown at such points of a round in which a card of the dealer is open, or a bank decides."""
    answers = list(_situations(results, "open-faces"))
    if not answers:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a card of the dealer that is open while the player decides",
            "none",
            reason="no card of the dealer is open in this game",
        )
    yield from answers
    if answers:
        yield from kept(results, PromiseId.VIEW, PromiseId.DECISIONS)


@check(
    "rounds.generator-failure",
    "A failure of the generator stops new rounds and completes open ones",
    UnderTest.REFERENCE_ROUNDS,
    own="Every situation that is exercised is judged, those of a failed generator too",
)
def generator_failure(results: Results) -> Iterable[Answer]:
    """No cards are dealt while the generator is unavailable."""
    yield from _situations(results, "unavailable", "open-round-while-unavailable")
    yield from kept(results, PromiseId.UNAVAILABLE)


@check(
    "rounds.replay",
    "A recorded round is reconstructed card by card from its record",
    UnderTest.REFERENCE_ROUNDS,
)
def replay(results: Results) -> Iterable[Answer]:
    """Rounds dealt anew from seed and index, and played with the recorded decisions, end as recorded."""
    audit = results.deck_audit
    yield Answer(
        verdict_of(audit.replay_differences == 0),
        "every card, decision and outcome as recorded",
        f"{audit.replay_differences} differences in {audit.replays} rounds",
        evidence=("/deck_audit",),
        tried=audit.replays,
    )
    yield from kept(results, PromiseId.RECALLED)


@check(
    "rounds.interface",
    "The operator's round system keeps every promise that no other check covers",
    UnderTest.OPERATOR_ROUNDS,
    own="No clause requires the interface of a round system; a system that breaks it cannot be tested any further",
)
def interface(results: Results) -> Iterable[Answer]:
    """Answers in time, refusals that change nothing, keys, history, and players kept apart."""
    answers = list(kept(results, *_INTERFACE))
    if not answers:
        yield Answer(
            Verdict.NOT_APPLICABLE, "the operator's round system", "none", reason="none was submitted"
        )
    yield from answers


@check(
    "rounds.recall",
    "Recorded rounds hold every field that recall and reconstruction require",
    UnderTest.REFERENCE_ROUNDS,
)
def recall(results: Results) -> Iterable[Answer]:
    """Rounds of a ledger, each replayed bit for bit; a missing field is a failed check."""
    found = check_recall(results.recalled)
    yield Answer(
        found.verdict,
        found.expected,
        found.observed,
        reason=found.reason,
        evidence=("/rounds/recalled",),
        tried=len(results.recalled),
    )
    yield from _situations(results, "open-faces-shown")
    yield from kept(results, PromiseId.RECALLED)

"""Checks of the promises about the life of a round, exercised at every point of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from certify.clauses.registry import Answer, check, exact_check, verdict_of
from certify.clauses.results import ExactResults, Results
from certify.model.finding import Verdict
from certify.rounds.recall import check_recall


def _situations(results: Results, *ids: str) -> Iterator[Answer]:
    """Yields the answers of the situations with these ids, or ids that begin so."""
    for situation in results.exercise.situations:
        if situation.id.startswith(ids):
            yield Answer(
                situation.verdict,
                situation.expected,
                situation.observed,
                subject=situation.situation,
                reason="" if situation.trials else situation.observed,
                evidence=("/rounds/situations",),
            )


def _printed(results: ExactResults, name: str) -> Iterable[Answer]:
    """Answers whether the submission quotes a sentence of its source for one promise."""
    sentence = dict(results.game.terms.printed).get(name)
    yield Answer(
        verdict_of(bool(sentence)),
        "a sentence in the rules",
        f"“{sentence}”" if sentence else "none",
        evidence=("/terms/printed",),
    )


@exact_check("terms.malfunction-printed", "The rules print what happens on a malfunction")
def malfunction_printed(results: ExactResults) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about malfunctions."""
    return _printed(results, "malfunction_voids_all")


@exact_check("terms.disconnection-printed", "The rules print what happens on a disconnection")
def disconnection_printed(results: ExactResults) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about disconnections."""
    return _printed(results, "resume_after_disconnection")


@exact_check("terms.undecided-printed", "The rules print what becomes of wagers left undecided")
def undecided_printed(results: ExactResults) -> Iterable[Answer]:
    """The sentence that the submission quotes from its source about wagers left undecided."""
    return _printed(results, "unresolved_void_after_days")


@check("rounds.malfunction", "A malfunction voids all pays and plays, and every stake returns exactly once")
def malfunction(results: Results) -> Iterable[Answer]:
    """Malfunction declared at every point of a round."""
    return _situations(results, "malfunction", "void-is-final")


@check(
    "rounds.ninety-days", "Unresolved bets are void after the stated days, not a moment before, and stay so"
)
def ninety_days(results: Results) -> Iterable[Answer]:
    """Expiry at, before and after its boundary."""
    return _situations(results, "unresolved", "settle-after-term", "expired-once", "clock-set-back")


@check("rounds.resume", "After a disconnection the same round goes on with the same cards to the same money")
def resume(results: Results) -> Iterable[Answer]:
    """Interruption at every point and every continuation."""
    return _situations(results, "resume", "settled-while-disconnected", "previous-wins")


@check("rounds.single-settlement", "A round is settled once, and no other begins before it is complete")
def single_settlement(results: Results) -> Iterable[Answer]:
    """Settlement, repeated settlement, and new rounds in between."""
    return _situations(results, "settlement", "settled-once", "one-round-at-a-time", "bets-")


@check(
    "rounds.shown-card", "An open card of the dealer stays in sight, with the hands and options of the rules"
)
def shown_card(results: Results) -> Iterable[Answer]:
    """Cards and options shown at every point of a round in which a card of the dealer lies open."""
    answers = list(_situations(results, "open-faces"))
    if not answers:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a card of the dealer that lies open while the player decides",
            "none",
            reason="no card of the dealer lies open in this game",
        )
    yield from answers


@check("rounds.generator-failure", "A failure of the generator stops new rounds and completes open ones")
def generator_failure(results: Results) -> Iterable[Answer]:
    """No cards are dealt while the generator is unavailable."""
    return _situations(results, "unavailable", "open-round-while-unavailable")


@check("rounds.replay", "A recorded round is reconstructed card by card from its record")
def replay(results: Results) -> Iterable[Answer]:
    """Rounds dealt anew from seed and index, and played with the recorded decisions, end as recorded."""
    audit = results.deck_audit
    yield Answer(
        verdict_of(audit.replays > 0 and audit.replay_differences == 0),
        "every card, decision and outcome as recorded",
        f"{audit.replay_differences} differences in {audit.replays} rounds",
        evidence=("/deck_audit",),
    )


@check("rounds.recall", "Recorded rounds hold every field that recall and reconstruction require")
def recall(results: Results) -> Iterable[Answer]:
    """Rounds of a ledger, each replayed bit for bit; a missing field is a failed check."""
    found = check_recall(results.recalled)
    yield Answer(
        found.verdict, found.expected, found.observed, reason=found.reason, evidence=("/rounds/recalled",)
    )
    yield from _situations(results, "open-faces-shown")

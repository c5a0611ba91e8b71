"""Findings: what a reader must know, each with its numbers, its clauses, and what has to be done about it."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from certify.analysis.pay_search import printed_wagers
from certify.by_key import gathered
from certify.certification.conditions import conditions, of_operator_items, unfound_sentences
from certify.clauses import LOWERED, Check, ExactResults, applicabilities, clauses_about
from certify.clauses.registry import checks
from certify.evidence import Brought, ClauseStatus
from certify.messages import catalogue, say, told, worded
from certify.model import (
    CONDITION,
    OPERATOR,
    Finding,
    FindingDraft,
    Game,
    Matter,
    Message,
    Observation,
    Severity,
    Status,
    UnderTest,
    Verdict,
    Who,
)

NOTHING_WRITTEN: Final = hashlib.sha256(b"").hexdigest()
"""Digest of a file without a byte."""


def silences(results: ExactResults) -> Iterator[FindingDraft]:
    """Yields the texts that hold nothing, and the wagers of which no return is printed."""
    game = results.game
    for source in (one for one in game.sources if one.sha256 == NOTHING_WRITTEN):
        resting = sum(claim.source == source.id for claim in game.claims)
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.empty-text.title", source=source.title),
            say("finding.empty-text.detail", file=source.file, claims=str(resting)),
            (),
            "certify lint {game}",
            action=say("finding.empty-text.action"),
            who=Who.SUPPLIER,
        )
    printed = printed_wagers(game)
    silent = [wager.title for wager in game.wagers if wager.id not in printed]
    if silent:
        yield FindingDraft(
            Severity.NOTE,
            say("finding.nothing-printed.title", silent=str(len(silent)), wagers=str(len(game.wagers))),
            say("finding.nothing-printed.detail", wagers=tuple(silent)),
            (),
            "certify analyze {game}",
            "information",
            action=say("finding.nothing-printed.action"),
            who=Who.SUPPLIER,
        )


def drafts_of(
    results: ExactResults,
    observations: Sequence[Observation],
    planned: Collection[str],
    brought: Brought,
) -> tuple[FindingDraft, ...]:
    """Returns the findings that follow from submission and observations; those about whole clauses come after these.

    Args:
        results: What follows from the submission.
        observations: What the checks saw.
        planned: Ids of the checks that ran: one that only repeats another makes no finding.
        brought: What the operator submitted.
    """
    ran = {name: known for name, known in checks().items() if name in planned}
    own = [draft for draft in findings_of(results) if draft.check in planned or draft.check not in checks()]
    better = {draft.check for draft in own if draft.check}
    return (
        *_failed(results, observations, better, ran),
        *of_operator_items(results, observations, brought),
        *unfound_sentences(results.game, brought),
        *(draft for draft in conditions(results) if not draft.check or draft.check not in better),
        *_one_implementation(results),
        *silences(results),
        *own,
    )


def numbered(
    drafts: Sequence[FindingDraft], results: ExactResults, game_file: str, command: str
) -> tuple[Finding, ...]:
    """Returns all findings, worst first, numbered, each with the clauses that the chosen catalogues give it."""
    ordered = sorted(drafts, key=lambda draft: (-draft.severity, draft.status == "information", draft.status))
    return tuple(
        _finding(
            f"F-{number:02d}",
            draft,
            results,
            draft.reproduce.format(game=game_file, run=command),
        )
        for number, draft in enumerate(ordered, start=1)
    )


def resting_on(game: Game, drafts: Iterable[FindingDraft]) -> dict[Matter, Status]:
    """Returns to what clauses fall by what they rest on: conditions, recovered pays, and what findings dispute."""
    found = [(Matter.PAYS, Status.FITTED)] if any(wager.pays_are_recovered for wager in game.wagers) else []
    for draft in drafts:
        if draft.status == CONDITION:
            found += [(matter, Status.CONDITION) for matter in draft.matters]
        elif draft.status == "open":
            found += [(matter, Status.EXAMINE) for matter in draft.matters]
    return {
        matter: min((status for one, status in found if one is matter), key=LOWERED.index)
        for matter in dict.fromkeys(matter for matter, _ in found)
    }


def _finding(name: str, draft: FindingDraft, results: ExactResults, reproduce: str) -> Finding:
    """Returns a draft with its number, its texts in English next to the messages that they are made of.

    The clauses are none but those that the chosen catalogues give it; action and who must take it are those of its
    check where the draft leaves them out.
    """
    about = clauses_about(
        results.regime.catalogues, applicabilities(results.game), check=draft.check, matters=draft.matters
    )
    return Finding(
        id=name,
        severity=draft.severity,
        clauses=draft.clauses or tuple(clause.id for clause in about),
        reproduce=reproduce,
        status=draft.status,
        who=str(draft.who or Who.SUPPLIER),
        check=draft.check if draft.check in checks() else "",
        **worded(
            title=told(draft.title),
            detail=told(draft.detail),
            required_action=told(draft.action or _unsaid_action(draft)),
        ),
    )


def _unsaid_action(draft: FindingDraft) -> Message:
    """Returns what has to be done about a draft that does not say it: what only informs is to be confirmed."""
    if draft.status == "information":
        return say("finding.action.information")
    return _action(draft.check, Verdict.NOT_SATISFIED)


def findings_of(results: ExactResults) -> tuple[FindingDraft, ...]:
    """Returns what the family of a game finds beyond what every game is checked for."""
    own = results.game.port.pages.findings
    return tuple(own(results)) if own is not None else ()


def _failed(
    results: ExactResults,
    observations: Iterable[Observation],
    better: Collection[str],
    ran: Mapping[str, Check],
) -> Iterator[FindingDraft]:
    """Turns every check that failed or could not be decided into a finding, unless one tells it better.

    What one check found of several subjects is one finding.
    """
    titles = {wager.id: wager.title for wager in results.game.wagers}
    covered = {Verdict.NOT_SATISFIED: frozenset(better), Verdict.INCONCLUSIVE: frozenset[str]()}
    alike = gathered(
        ((one.check, one.verdict, one.item, one.title), one)
        for one in observations
        # What is wrong with an item that was submitted is one finding, reported of that item.
        if one.item not in OPERATOR and one.verdict in covered and one.check not in covered[one.verdict]
    )
    for (check, verdict, _, _), found in alike.items():
        severity = ran[check].severity if check in ran else Severity.MAJOR
        yield FindingDraft(
            severity if verdict is Verdict.NOT_SATISFIED else Severity.MINOR,
            _title(found, titles),
            _detail(found, titles),
            reproduce="{run}",
            check=check,
            action=_action(check, verdict),
            who=_answerable(found[0]),
        )


_LINE: Final = 60
"""Characters of what was found, with its numbers, that a title holds."""

_NAMED: Final = 3
"""Subjects that a title names; of more it says how many results there are."""


def _title(found: Sequence[Observation], titles: Mapping[str, str]) -> Message:
    """Returns the fault, with what was found, or of what; or which requirement could not be decided."""
    first, count = found[0], len(found)
    subjects = tuple(dict.fromkeys(_subject(one, titles) for one in found))
    about = (say("finding.about", subject=subjects[0]),) if subjects[0] else ()
    if first.verdict is Verdict.INCONCLUSIVE and count > 1:
        return say("finding.undecided.titles", title=first.title, count=count)
    if first.verdict is Verdict.INCONCLUSIVE:
        return say("finding.undecided.title", title=first.title, about=about)
    fault = say(f"finding.title.{first.check}")
    if count == 1 and len(first.observed) <= _LINE and not first.observed.isalpha():
        return say("finding.fault.title", fault=(fault,), about=about, observed=first.observed)
    if all(subjects) and len(subjects) <= _NAMED:
        named = tuple(say("finding.named", subject=one) for one in subjects)
        return say("finding.fault.titles", fault=(fault,), subjects=named)
    return say("finding.fault.many", fault=(fault,), count=count) if count > 1 else fault


def _subject(observation: Observation, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Returns what was looked at, part by part, wagers by their titles: a page names a strategy in words."""
    return tuple(titles.get(part, part) for part in observation.subject.split(", ") if part)


def _detail(found: Sequence[Observation], titles: Mapping[str, str]) -> tuple[Message, ...]:
    """Returns what was expected and observed of every subject, named where there are several."""
    return tuple(
        message
        for one in found
        for message in (
            *([say("finding.subject", subject=_subject(one, titles))] if len(found) > 1 else []),
            say("finding.failed.detail", expected=one.expected, observed=one.observed),
            *(
                [say("finding.undecided.reason", reason=one.reason)]
                if one.verdict is Verdict.INCONCLUSIVE and one.reason
                else []
            ),
        )
    )


def _action(check: str, verdict: Verdict) -> Message:
    """Returns what has to be done where a check failed or could not be decided."""
    own = f"finding.action.{check}"
    if verdict is Verdict.NOT_SATISFIED and own in catalogue().sentences:
        return say(own)
    return say("finding.action.failed" if verdict is Verdict.NOT_SATISFIED else "finding.action.undecided")


def _answerable(observation: Observation) -> Who:
    """Returns who must act: the supplier, or the laboratory where more data decides or its own items were looked at."""
    if observation.verdict is Verdict.INCONCLUSIVE or observation.item is not UnderTest.SUBMISSION:
        return Who.LABORATORY
    return Who.SUPPLIER


def _one_implementation(results: ExactResults) -> Iterator[FindingDraft]:
    """Says where exact figures, play-through and reference round all rest on one settlement."""
    family = results.game.port
    if family.text is not None and family.volume is None:
        # Everything is derived from the text, which a second implementation or an own counting checks.
        if family.second is None and family.exact is None:
            yield _unchecked(family.id, "one-implementation", "one-text", alone=True)
        return
    missing = [
        name for name, brought in (("exact", family.exact), ("volume", family.volume)) if brought is None
    ]
    if not missing:
        return
    alone = len(missing) == 2
    kind = "one-implementation" if alone else f"no-{missing[0]}"
    yield _unchecked(family.id, kind, kind, alone=alone)


def _unchecked(family: str, title: str, detail: str, *, alone: bool) -> FindingDraft:
    return FindingDraft(
        Severity.MAJOR if alone else Severity.MINOR,
        say(f"finding.{title}.title"),
        say(f"finding.{detail}.detail", family=family),
        (Matter.COUNTING,),
        "certify families --format json",
        CONDITION if alone else "open",
        action=say("finding.one-implementation.action"),
        who=Who.LABORATORY,
    )


def not_tried(clauses: Sequence[ClauseStatus], brought: Brought) -> Iterator[FindingDraft]:
    """Says what of the operator's system could not be tried, and which clauses wait for it."""
    system = brought.system
    if system is None or not system.not_tested:
        return
    waiting = [
        one.id
        for one in clauses
        if one.status is Status.REFERENCE and UnderTest.REFERENCE_ROUNDS in one.shown_on
    ]
    yield FindingDraft(
        Severity.MINOR,
        say("finding.not-tried.title", target=system.target),
        say("finding.not-tried.detail", parts=system.not_tested),
        reproduce="certify rounds conform {game} --target "
        + system.target.replace("{", "{{").replace("}", "}}"),
        action=say("finding.not-tried.action"),
        who=Who.OPERATOR,
        clauses=tuple(waiting),
    )


def owed_by_operator(
    clauses: Sequence[ClauseStatus], observations: Sequence[Observation], brought: Brought
) -> Iterator[FindingDraft]:
    """Says which clauses were shown on items of this software alone, and what would show them on the operator's."""
    owed = [one for one in clauses if one.status is Status.REFERENCE]
    if not owed:
        return
    checks_owed = {check for clause in owed for check in clause.checks}
    shown = {
        one.item for one in observations if one.verdict is Verdict.REFERENCE and one.check in checks_owed
    }
    kinds = (
        ("generator", UnderTest.REFERENCE_GENERATOR),
        ("rounds", UnderTest.REFERENCE_ROUNDS),
    )
    missing = {
        "--system TARGET": brought.system is None,
        "--rng-output FILE": not any(one.is_evidence for one in brought.outputs),
    }
    options = tuple(option for option, left_out in missing.items() if left_out)
    yield FindingDraft(
        Severity.NOTE,
        say("finding.owed.title", count=len(owed)),
        (
            *(say(f"finding.owed.{name}") for name, item in kinds if item in shown),
            *(
                say("finding.owed.evidence", name=one.name, asked=one.asked, kind=one.kind)
                for one in brought.outputs
                if one.is_final and not one.is_evidence and one.doubled is None
            ),
        ),
        reproduce=" ".join(("{run}", *options)),
        status="information",
        action=say("finding.owed.action", options=options) if options else say("finding.owed.examined"),
        who=Who.OPERATOR,
        clauses=tuple(clause.id for clause in owed),
    )


def nobody_vouches() -> FindingDraft:
    """Returns that nobody vouches for this signature."""
    return FindingDraft(
        Severity.NOTE,
        say("finding.demonstration.title"),
        say("finding.demonstration.detail"),
        reproduce="{run} --key KEY.pem --cert CERT.pem --chain CHAIN.pem",
        status="information",
        action=say("finding.demonstration.action"),
        who=Who.ISSUER,
    )

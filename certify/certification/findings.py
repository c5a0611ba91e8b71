"""Findings: what a reader must know, each with its numbers and the command that shows it again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from certify.clauses.registry import checks
from certify.clauses.results import ExactResults
from certify.families.port import FindingBasis
from certify.families.registry import family_of
from certify.model.finding import Finding, FindingDraft, Observation, Severity, Verdict
from certify.model.provenance import Provenance


def find(
    results: ExactResults, observations: Sequence[Observation], game_file: str, *, demonstration: bool
) -> tuple[Finding, ...]:
    """Returns all findings, worst first, numbered.

    Args:
        results: Everything computed.
        observations: What the checks saw.
        game_file: Name of the submitted file, for the commands.
        demonstration: Whether the report is signed with a demonstration key.
    """
    own = findings_of(results)
    drafts = [
        *_failed(observations, {draft.check for draft in own if draft.check}),
        *_recovered(results),
        *_one_implementation(results),
        *own,
        *_adopted_limits(results),
        *(_demonstration() if demonstration else ()),
    ]
    ordered = sorted(drafts, key=lambda draft: (-draft.severity, draft.status != "open"))
    return tuple(
        Finding(
            f"F-{number:02d}",
            draft.severity,
            draft.title,
            draft.detail,
            draft.clauses,
            draft.reproduce.format(game=game_file),
            draft.status,
        )
        for number, draft in enumerate(ordered, start=1)
    )


def findings_of(results: ExactResults) -> tuple[FindingDraft, ...]:
    """Returns what the family of a game finds beyond what every game is checked for."""
    told = family_of(results.game).findings
    basis = FindingBasis(results.game, results.analyses, results.strategy_of, results.identifications)
    return tuple(told(basis)) if told is not None else ()


def _failed(observations: Iterable[Observation], told: Collection[str]) -> Iterator[FindingDraft]:
    """Turns every check that failed or could not be decided into a finding, unless one tells it better."""
    for observation in observations:
        about = f" ({observation.subject})" if observation.subject else ""
        detail = f"Expected {observation.expected}; observed {observation.observed}."
        if observation.verdict is Verdict.NOT_SATISFIED:
            if observation.check in told:
                continue
            yield FindingDraft(
                checks()[observation.check].severity if observation.check in checks() else Severity.MAJOR,
                f"Not satisfied: {observation.title}{about}",
                detail,
                (),
                "certify run {game}",
            )
        elif observation.verdict is Verdict.INCONCLUSIVE:
            reason = f" {observation.reason}." if observation.reason else ""
            yield FindingDraft(
                Severity.MINOR,
                f"Not decided: {observation.title}{about}",
                detail + reason,
                (),
                "certify run {game}",
            )


def _one_implementation(results: ExactResults) -> Iterator[FindingDraft]:
    """Says where exact figures, play-through and reference round all rest on one settlement."""
    family = family_of(results.game)
    missing = [
        what
        for what, brought in (
            ("exact figures of its own", family.exact),
            ("a play-through of its own", family.volume),
        )
        if brought is None
    ]
    if not missing:
        return
    alone = len(missing) == 2
    yield FindingDraft(
        Severity.MAJOR if alone else Severity.MINOR,
        "The game stands on one implementation of its rules"
        if alone
        else f"The family brings {'no ' + missing[0].removeprefix('a ')}",
        (
            f"The family {family.id!r} brings neither {' nor '.join(missing)}: the engine walks its reference round, "
            "and the reference round is played. A mistake in its rules or its settlement shows in both alike. "
            "Before certification somebody must confirm the settlement of every row independently."
        )
        if alone
        else (
            f"Where {missing[0]} would stand, the reference round is used: two of the legs share its settlement, "
            "and the evidence says so."
        ),
        ("gli-19@3.0/4.7.2(a)",),
        "certify families --format json",
        "condition" if alone else "open",
    )


def _recovered(results: ExactResults) -> Iterator[FindingDraft]:
    """Which pays were recovered, how many fit, and what that means for their claims."""
    for wager in results.game.wagers:
        if not any(row.origin.provenance is Provenance.RECOVERED for row in wager.paytable.rows):
            continue
        found = results.identifications[wager.id]
        unique = found.fits_count == 1
        how = "one candidate fits" if unique else f"{found.fits_count:,} candidates fit"
        yield FindingDraft(
            Severity.NOTE if unique else Severity.MINOR,
            f"The pays of {wager.title} are lost and were recovered: {how} the printed figure",
            f"{found.conclusion} A recovered pay agrees with the printed figure by construction: what is confirmed "
            "independently is the rules, not the pays. "
            + (
                "That no other candidate fits is what speaks for this one. The supplier should confirm it."
                if unique
                else "Before certification the supplier must state the pays."
            ),
            ("gli-19@3.0/4.4.1(d)-part-2",),
            f"certify identify {{game}} --wager {wager.id}",
            "information" if unique else "open",
        )


def _adopted_limits(results: ExactResults) -> Iterator[FindingDraft]:
    """Bet limits that the source does not print."""
    adopted = [
        wager for wager in results.game.wagers if wager.limits.origin.provenance is not Provenance.PRINTED
    ]
    if adopted:
        because = {f"reading/{reading.id}": reading.because for reading in results.game.readings}
        reasons = dict.fromkeys(because.get(wager.limits.origin.by, "") for wager in adopted)
        yield FindingDraft(
            Severity.NOTE,
            "The bet limits are adopted, not printed as such in the source",
            " ".join(
                (
                    f"Adopted for {', '.join(wager.title for wager in adopted)}.",
                    *(reason for reason in reasons if reason),
                    "Returns do not depend on them; the maximum exposure does, in proportion.",
                )
            ),
            ("gli-19@3.0/4.4.1(r)",),
            "certify run {game}",
            "information",
        )


def _demonstration() -> Iterator[FindingDraft]:
    """Says that nobody vouches for this signature."""
    yield FindingDraft(
        Severity.NOTE,
        "Signed with a demonstration key",
        "No key was given: the signature shows that nothing was changed since, not who signed. "
        "It must not be relied on as an issuer's.",
        (),
        "certify run {game} --key KEY.pem --cert CERT.pem --chain CHAIN.pem",
        "information",
    )

"""What somebody else must still confirm: pays, limits, terms and strategies that were recovered or adopted."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from certify.certification.exact import adopted_money_terms
from certify.clauses import ExactResults, applicabilities, clauses_about
from certify.evidence import Brought, Output, RoundSystem
from certify.mathematics import MAIN_OPTIMAL, has_decisions
from certify.messages import say, told, verbatim
from certify.model import (
    CONDITION,
    OPERATOR,
    STRATEGY,
    FindingDraft,
    Game,
    Matter,
    Message,
    Observation,
    PaytableRow,
    Provenance,
    Severity,
    UnderTest,
    Verdict,
    Wager,
    Who,
)

_MOST_LINES = 12
"""Lines of a story that a finding tells; the chapter tells all of them."""


def of_operator_items(
    results: ExactResults, observations: Sequence[Observation], brought: Brought
) -> Iterator[FindingDraft]:
    """Yields what is wrong with each item that the operator submitted, and what could not be decided of it.

    Args:
        results: What follows from the submission.
        observations: What the checks saw.
        brought: What the operator submitted.
    """
    seen = [one for one in observations if one.item in OPERATOR]
    for output in brought.outputs:
        own = [one for one in seen if one.subject.partition(", ")[0] == output.name]
        if output.verdict is not Verdict.SATISFIED:
            yield _of_output(output, _clauses(results, own, output.verdict), own)
    system = brought.system
    if system is not None and system.broken is not None:
        own = [one for one in seen if one.item is UnderTest.OPERATOR_ROUNDS]
        yield _of_system(system, _clauses(results, own, Verdict.NOT_SATISFIED), own)


def _clauses(results: ExactResults, observations: Iterable[Observation], verdict: Verdict) -> tuple[str, ...]:
    """Returns the clauses that the checks with a verdict answer, and those that it leaves undecided."""
    checks = {one.check for one in observations if one.verdict in (verdict, Verdict.INCONCLUSIVE)}
    applies = applicabilities(results.game)
    return tuple(
        dict.fromkeys(
            clause.id
            for check in sorted(checks)
            for clause in clauses_about(results.regime.catalogues, applies, check=check, matters=())
        )
    )


def _first(observations: Sequence[Observation], verdict: Verdict) -> str:
    return next((one.check for one in observations if one.verdict is verdict), "")


def _of_output(output: Output, clauses: tuple[str, ...], seen: Sequence[Observation]) -> FindingDraft:
    """Returns that output was rejected, or too little to decide: the worst of its p-values, how many, and where."""
    failed, doubled = output.verdict is Verdict.NOT_SATISFIED, output.doubled
    kind = "doubled" if doubled else "rejected" if failed else "undecided"
    seen_in = (
        (say("finding.output.reasons", reasons=output.reasons), say("finding.output.files"))
        if doubled is None
        else (say("finding.output.doubled", row=str(doubled.row), face=doubled.face),)
    )
    return FindingDraft(
        Severity.MAJOR if failed else Severity.MINOR,
        say(f"finding.output-{kind}.title", name=output.name),
        (
            say("finding.output.sample", count=output.count, kind=output.kind, sampling=(_sampling(output),)),
            *((say("finding.output.breaks"),) if failed else ()),
            *seen_in,
        ),
        reproduce="{run}",
        check=_first(seen, output.verdict),
        action=say(f"finding.output-{'rejected' if failed else kind}.action"),
        who=Who.OPERATOR,
        clauses=clauses,
    )


def _sampling(output: Output) -> Message:
    record = output.sampling
    if record is None:
        return say("finding.output.as-handed-in")
    return say(
        "finding.output.attested", by=record.taken_by, on=record.taken_on, attested_by=record.attested_by
    )


def _of_system(system: RoundSystem, clauses: tuple[str, ...], seen: Sequence[Observation]) -> FindingDraft:
    """Returns that a round system broke a promise, by the shortest story, and what nobody knows after it."""
    broken = system.broken
    if broken is None:
        raise ValueError("a broken promise was looked for")
    undecided = len({one.check for one in seen if one.verdict is Verdict.INCONCLUSIVE})
    lines = broken.script[:_MOST_LINES]
    left = len(broken.script) - len(lines)
    return FindingDraft(
        Severity.MAJOR,
        say("finding.promise-broken.title", promise=broken.promise, target=system.target),
        (
            say("finding.failed.detail", expected=broken.expected, observed=broken.observed),
            say("finding.promise-broken.story", lines=lines),
            *((say("finding.promise-broken.more", count=left),) if left else ()),
            *((say("finding.promise-broken.undecided", count=undecided),) if undecided else ()),
        ),
        reproduce="{run}",
        check=_first(seen, Verdict.NOT_SATISFIED),
        action=say("finding.promise-broken.action"),
        who=Who.OPERATOR,
        clauses=clauses,
    )


def unfound_sentences(game: Game, brought: Brought) -> Iterator[FindingDraft]:
    """Yields the sentences that are quoted from sources and stand in none of those that came with the submission."""
    if brought.unfound:
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.unfound-sentences.title", count=len(brought.unfound)),
            tuple(verbatim(f"“{game.terms.printed[term]}”") for term in brought.unfound),
            (Matter.MONEY_TERMS,),
            "certify lint {game}",
            CONDITION,
            action=say("finding.unfound-sentences.action"),
            who=Who.SUPPLIER,
        )


def conditions(results: ExactResults) -> Iterator[FindingDraft]:
    """Yields the conditions of a game, each with who must act."""
    yield from chain(
        _recovered(results),
        _adopted_pays(results.game),
        _adopted_limits(results.game),
        _adopted_money_terms(results),
        _unnamed_strategies(results),
    )


def _rows(wager: Wager, provenance: Provenance) -> list[PaytableRow]:
    return [row for row in wager.paytable.rows if row.origin.provenance is provenance]


def _recovered(results: ExactResults) -> Iterator[FindingDraft]:
    """Which pays were recovered, how many candidates fit, and what that means."""
    for wager in results.game.wagers:
        if not _rows(wager, Provenance.RECOVERED):
            continue
        found = results.identifications[wager.id]
        fits = found.fits_count
        # Even the only candidate is one of those that were searched: a pay that no source prints is to be confirmed.
        kind = "recovered-unique" if fits == 1 else "recovered" if fits else "not-recovered"
        more = {"fits": str(fits)} if fits > 1 else {}
        held = (say("finding.recovered-unique.held-fixed", held=_held_fixed(wager)),) if fits == 1 else ()
        nearest = (say("finding.not-recovered.nearest", wager=wager.title),)
        yield FindingDraft(
            Severity.MAJOR,
            say(f"finding.{kind}.title", wager=wager.title, tried=str(found.candidates_tried), **more),
            (
                verbatim(found.conclusion),
                *((*held, say("finding.recovered.by-construction")) if fits else nearest),
            ),
            (Matter.PAYS,),
            f"certify identify {{game}} --wager {wager.id}",
            CONDITION,
            action=say(
                "finding.recovered-unique.action" if fits == 1 else "finding.recovered.action",
                wager=wager.title,
            ),
            who=Who.SUPPLIER,
        )


def _held_fixed(wager: Wager) -> tuple[Message, ...]:
    """Returns what the search for the pays of a wager took as given."""
    given = tuple(
        say("finding.held-pay", row=row.title, provenance=(say(f"provenance.{row.origin.provenance}"),))
        for row in wager.paytable.rows
        if row.origin.provenance is not Provenance.RECOVERED
    )
    return (*given, say("finding.held-rules"))


def _adopted_pays(game: Game) -> Iterator[FindingDraft]:
    """Pays that are neither printed nor recovered."""
    for wager in game.wagers:
        rows = _rows(wager, Provenance.ADOPTED)
        if not rows:
            continue
        reasons = (
            verbatim(text) for text in dict.fromkeys(_because(game, row.origin.by) for row in rows) if text
        )
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.adopted-pays.title", wager=wager.title, count=len(rows)),
            (
                say("finding.adopted-pays.detail", rows=tuple(verbatim(row.title) for row in rows)),
                *reasons,
            ),
            (Matter.PAYS,),
            "certify analyze {game}",
            CONDITION,
            action=say("finding.adopted-pays.action", wager=wager.title),
            who=Who.SUPPLIER,
        )


def _because(game: Game, by: str) -> str:
    """Returns the reason of the reading that a value was adopted by; empty where it names none."""
    return next((one.because for one in game.readings if f"reading/{one.id}" == by), "")


def _adopted_limits(game: Game) -> Iterator[FindingDraft]:
    """Bet limits that the source does not print: they change no return, so that nothing waits for them."""
    adopted = [wager for wager in game.wagers if wager.limits.origin.provenance is not Provenance.PRINTED]
    if not adopted:
        return
    reasons = dict.fromkeys(_because(game, wager.limits.origin.by) for wager in adopted)
    yield FindingDraft(
        Severity.MINOR,
        say("finding.adopted-limits.title"),
        (
            say("finding.adopted-limits.detail", wagers=tuple(verbatim(wager.title) for wager in adopted)),
            *(verbatim(reason) for reason in reasons if reason),
            say("finding.adopted-limits.effect"),
        ),
        (Matter.LIMITS,),
        "{run}",
        action=say("finding.adopted-limits.action"),
        who=Who.OPERATOR,
    )


def _adopted_money_terms(results: ExactResults) -> Iterator[FindingDraft]:
    """Where the money of a round goes that does not end as usual, as far as no sentence of the source says it."""
    adopted = adopted_money_terms(results.game, results.regime)
    if not adopted:
        return
    yield FindingDraft(
        Severity.MAJOR,
        say("finding.adopted-money-terms.title", count=len(adopted)),
        tuple(
            say(
                "finding.adopted-money-terms.one",
                **{
                    name: (one.messages.get(name) or told(getattr(one, name)))
                    for name in ("question", "adopted")
                },
            )
            for one in adopted
        ),
        (Matter.MONEY_TERMS,),
        "{run}",
        CONDITION,
        action=say("finding.adopted-money-terms.action"),
        who=Who.OPERATOR,
    )


def _unnamed_strategies(results: ExactResults) -> Iterator[FindingDraft]:
    """Printed returns that hold under another strategy than best play of the first wager, not named by the source."""
    game = results.game
    if not has_decisions(game):
        return
    named = {(claim.wager, claim.strategy) for claim in game.claims}
    for claim in game.claims:
        strategy = results.strategy_of[claim.wager]
        # Another claim of the source may name it.
        if claim.strategy or strategy == MAIN_OPTIMAL or (claim.wager, strategy) in named:
            continue
        title = game.wager(claim.wager).title
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.unnamed-strategy.title", wager=title, strategy=strategy),
            say("finding.unnamed-strategy.detail", printed=claim.text, strategy=strategy),
            (Matter.DISPLAYED_RETURN,),
            f"certify analyze {{game}} --strategy {strategy}",
            CONDITION,
            check=STRATEGY,
            action=say("finding.unnamed-strategy.action", wager=title),
            who=Who.SUPPLIER,
        )

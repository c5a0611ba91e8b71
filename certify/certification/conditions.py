"""What somebody else must still confirm: pays, limits, terms and strategies that were recovered or adopted."""

from __future__ import annotations

from collections.abc import Iterator

from certify.certification.readings import adopted_money_terms
from certify.clauses.results import ExactResults
from certify.mathematics import MAIN_OPTIMAL, has_decisions
from certify.messages import say, told, verbatim
from certify.model.clause import Matter
from certify.model.finding import CONDITION, STRATEGY, FindingDraft, Severity, Who
from certify.model.game import Game, Reading, Wager
from certify.model.message import Message, Messages
from certify.model.paytable import PaytableRow
from certify.model.provenance import Provenance


def conditions(results: ExactResults) -> Iterator[FindingDraft]:
    """Yields the conditions of a game, each with who must act."""
    yield from _recovered(results)
    yield from _adopted_pays(results.game)
    yield from _adopted_limits(results.game)
    yield from _adopted_money_terms(results)
    yield from _unnamed_strategies(results)


def _rows(wager: Wager, provenance: Provenance) -> list[PaytableRow]:
    return [row for row in wager.paytable.rows if row.origin.provenance is provenance]


def _recovered(results: ExactResults) -> Iterator[FindingDraft]:
    """Which pays were recovered, how many candidates fit, and what that means."""
    for wager in results.game.wagers:
        if not _rows(wager, Provenance.RECOVERED):
            continue
        found = results.identifications[wager.id]
        over = {"wager": wager.title, "tried": str(found.candidates_tried)}
        conclusion = verbatim(found.conclusion)
        reproduce = f"certify identify {{game}} --wager {wager.id}"
        if not found.fits_count:
            yield FindingDraft(
                Severity.MAJOR,
                say("finding.not-recovered.title", **over),
                (conclusion, say("finding.not-recovered.nearest", wager=wager.title)),
                (Matter.PAYS,),
                reproduce,
                CONDITION,
                action=say("finding.recovered.action", wager=wager.title),
                who=Who.SUPPLIER,
            )
            continue
        # Even the only candidate is one of those that were searched: a pay that no source prints is to be confirmed.
        unique = found.fits_count == 1
        held = (say("finding.recovered-unique.held-fixed", held=_held_fixed(wager)),) if unique else ()
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.recovered-unique.title", **over)
            if unique
            else say("finding.recovered.title", fits=str(found.fits_count), **over),
            (conclusion, *held, say("finding.recovered.by-construction")),
            (Matter.PAYS,),
            reproduce,
            CONDITION,
            action=say(
                "finding.recovered-unique.action" if unique else "finding.recovered.action", wager=wager.title
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
                **{name: _words(one, name) for name in ("question", "adopted")},
            )
            for one in adopted
        ),
        (Matter.MONEY_TERMS,),
        "{run}",
        CONDITION,
        action=say("finding.adopted-money-terms.action"),
        who=Who.OPERATOR,
    )


def _words(reading: Reading, name: str) -> Messages:
    """Returns a text of a reading, as messages where the house adopted it."""
    return reading.messages.get(name) or told(getattr(reading, name))


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

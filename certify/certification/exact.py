"""What follows from a submission alone: computed by a run, and again by verification."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.analysis.par_sheet import edge_among, edge_evidence, par_sheet_evidence
from certify.analysis.pay_search import printed_wagers
from certify.certification.request import campaigns_of, strategy_of
from certify.certification.submitted import (
    all_witnesses,
    claims_evidence,
    layout_evidence,
    rules_evidence,
    wagers_evidence,
)
from certify.clauses import ExactResults, Regime, applicabilities, clauses_about
from certify.evidence import ExactPart, Said, Sections
from certify.executors import Executor, InTurn
from certify.mathematics import (
    SeekPays,
    analysed_strategies,
    analyze,
    exposure,
    head_of,
    joint_figures,
    offered,
    pay_sensitivities,
    rule_sensitivities,
    staked_of,
    strategy_classes,
)
from certify.mathematics.figures_evidence import (
    analysis_evidence,
    configuration_bands,
    configurations_evidence,
)
from certify.messages import english, say, worded
from certify.model import MONEY_TERMS, Analysis, Game, Matter, Reading, keywords
from certify.rounds import JURISDICTIONS, MARKET, AfterSettlement, DayCount, VoidStakes

READINGS: Final = {
    "void_stakes": "void-returns-stakes",
    "after_settlement": "after-settlement",
    "day_count": "ninety-days",
}
"""Ids of the readings of money terms, by the key of the sentence that would print each."""


def adopted_readings(game: Game, regime: Regime) -> tuple[Reading, ...]:
    """Returns the readings of money terms that neither the source prints nor the submission reads itself.

    Args:
        game: The submission.
        regime: The jurisdictions, which may set a term.
    """
    own = {reading.id for reading in game.readings}
    return tuple(
        _reading(name, adopted, others, game, regime)
        for name, adopted, others in _unprinted(game, regime)
        if READINGS[name] not in own
    )


def adopted_money_terms(game: Game, regime: Regime) -> tuple[Reading, ...]:
    """Returns the readings of every money term that the source does not print, the submission's own among them."""
    read = {reading.id: reading for reading in (*game.readings, *adopted_readings(game, regime))}
    return tuple(read[READINGS[name]] for name, *_ in _unprinted(game, regime))


def _unprinted(game: Game, regime: Regime) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yields the money terms that nothing prints and no jurisdiction sets: key, what is adopted, what else it could be.

    One does not arise where nothing is void: then nothing is taken back.
    """
    policy, printed = regime.policy(game.terms), game.terms.printed
    set_or_idle = policy.after_settlement is not JURISDICTIONS[MARKET] or not policy.malfunction_voids_all
    for name in MONEY_TERMS:
        if not printed.get(name) and not (name == "after_settlement" and set_or_idle):
            kinds = {"void_stakes": VoidStakes, "after_settlement": AfterSettlement, "day_count": DayCount}[
                name
            ]
            adopted = str(getattr(policy, name))
            yield name, adopted, tuple(str(one) for one in kinds if str(one) != adopted)


def _reading(printed: str, adopted: str, others: tuple[str, ...], game: Game, regime: Regime) -> Reading:
    name = READINGS[printed]
    about = clauses_about(regime.catalogues, applicabilities(game), matters=(Matter.MONEY_TERMS,))
    return Reading(
        id=name,
        alternatives=tuple(english(say(f"reading.{name}.{one}")) for one in others),
        clauses=tuple(clause.id for clause in about),
        **worded(
            question=say(f"reading.{name}.question"),
            adopted=say(f"reading.{name}.{adopted}"),
            because=say(f"reading.{name}.because"),
        ),
    )


def not_established(game: Game, *, near: bool, operators: bool = False) -> tuple[Said, ...]:
    """Returns what a report on a game does not establish.

    Args:
        game: The submission.
        near: Whether the distribution of a wager is an approximation, its return alone exact.
        operators: Whether items of the operator were under test.
    """
    names = (
        "deployed-beyond" if operators else "deployed",
        *(("recovered-pays",) if any(wager.pays_are_recovered for wager in game.wagers) else ()),
        *(("readings",) if game.readings else ()),
        *(("near",) if near else ()),
        "sampling",
        "entropy",
        "operator",
        "law",
    )
    return tuple(Said(**worded(text=say(f"not-established.{name}"))) for name in names)


def exact_results(
    game: Game, regime: Regime, *, thorough: bool = True, executor: Executor | None = None
) -> ExactResults:
    """Returns everything about a game that nothing has to be dealt for.

    Args:
        game: The submission.
        regime: The jurisdictions that it is judged by.
        thorough: Whether the profile counts changed games too.
        executor: Where lost pays are sought, a wager each, instead of this thread; no result depends on it.

    Raises:
        InputError: No run is written for the family of the game.
    """
    analyses = {name: analyze(game, name) for name in analysed_strategies(game)}
    read = strategy_of(game, analyses)
    lost = [wager for wager in printed_wagers(game) if game.wager(wager).pays_are_recovered]
    return ExactResults(
        game=game,
        analyses=analyses,
        strategy_of=read,
        identifications=dict(zip(lost, (executor or InTurn()).map(SeekPays(game), lost), strict=True)),
        exposure=exposure(game),
        witnesses=all_witnesses(game),
        counted={name: _counted(game, analyses[name]) for name in campaigns_of(game, analyses, read)},
        regime=regime,
        sections=_sections(game, analyses),
        thorough=thorough,
    )


def _sections(game: Game, analyses: Mapping[str, Analysis]) -> Sections:
    """Returns what the family adds to the evidence; who has the edge is stated of every game."""
    added = game.port.pages.sections
    head = head_of(game)
    own = added.evidence(game, analyses) if added is not None else Sections()
    if own.edge:
        return own
    first = analyses[head].wagers[0]
    among = [(one.id, one.most_returned) for one in offered(game)]
    counting = [named for named, returned in among if named == first.wager or returned != 1]
    alone = not among or counting == [first.wager]
    edge = edge_evidence(first, head, game.banked_by) if alone else edge_among(among, game.banked_by)
    return replace(own, edge=edge)


def _counted(game: Game, analysis: Analysis) -> Mapping[str, Fraction]:
    """Returns the returns that the family counts in a further exact way, none where it has no such way."""
    further = game.port.checks.counting
    return further(game, analysis.strategy) if further is not None else {}


def exact_evidence(exact: ExactResults, *, sensitivity: bool, operators: bool = False) -> ExactPart:
    """Returns the part of the evidence that follows from the submission alone.

    Args:
        exact: What was computed.
        sensitivity: Whether the profile counts the game anew for every changed pay and rule.
        operators: Whether items of the operator were under test.
    """
    game, analyses, best = exact.game, exact.analyses, exact.strategy_of
    return ExactPart(
        rules=rules_evidence(game),
        readings=(*game.readings, *adopted_readings(game, exact.regime)),
        terms=game.terms,
        wagers=wagers_evidence(game),
        claims=claims_evidence(game, analyses, best, exact.identifications),
        recovery=exact.identifications,
        analysis={name: analysis_evidence(analysis, game) for name, analysis in analyses.items()},
        strategy_of=best,
        counted=exact.counted,
        exposure=exact.exposure,
        joint={name: joint_figures(game, name) for name in analyses},
        par={
            wager: par_sheet_evidence(analyses[name].wager(wager), name, staked=staked_of(game))
            for wager, name in best.items()
        },
        strategy_classes=strategy_classes(game),
        sensitivity=(*pay_sensitivities(game), *rule_sensitivities(game)) if sensitivity else None,
        witnesses=exact.witnesses,
        not_established=not_established(
            game,
            near=any(figures.near for analysis in analyses.values() for figures in analysis.wagers),
            operators=operators,
        ),
        layout=layout_evidence(game),
        configurations=configurations_evidence(game, analyses, exact.exposure),
        configuration_bands=configuration_bands(game) or None,
        **keywords(exact.sections, Sections),
    )

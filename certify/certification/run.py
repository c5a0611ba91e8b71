"""The run: a submission goes in, everything is computed, and what was computed comes out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.certification.cross_checks import agreement_of_rounds, texts_of
from certify.certification.exact import exact_results
from certify.certification.generator import establish, faults_to_plant, planted_faults
from certify.certification.play_through import AuditedRound, audit_decks, play
from certify.certification.randomness import (
    RowSample,
    decide,
    draw_plan,
    first_sample,
    fresh_sample,
    rows_tested,
    run_tests,
    summarise,
)
from certify.certification.request import CONFIGURATIONS, PURPOSES, Reporter, RunRequest
from certify.certification.round_narratives import narrated_rounds, recalled_rounds, restarted
from certify.clauses import ExactResults, LegAgreement, PlannedCampaign, Results
from certify.evidence import Exercise, Profile, Randomness, Texts, ToldRound
from certify.exact import outward_texts, percent_text
from certify.families import ConfigurationKind, PlayedRound
from certify.mathematics import head_of, offered, played_apart
from certify.model import Analysis, keywords
from certify.rounds import RoundRecord, edition_of
from certify.rounds.exercise import exercise
from certify.simulation import StreamDecks, has_own_volume, rounds_needed

RESTARTED: Final = 2
"""Decks on whose rounds the ledger is cut off behind every command."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Everything a run computed, with the rounds that were recorded on the way.

    Args:
        results: What the checks receive.
        recorded: Rounds played by the reference engine, with their records.
        decks: uint8 or uint16[n, items], what was dealt and tested, in the order drawn.
    """

    results: Results
    recorded: tuple[tuple[AuditedRound, PlayedRound], ...]
    decks: NDArray[np.uint8]


def run_certification(request: RunRequest, reporter: Reporter) -> RunOutcome:
    """Computes everything that the checks need.

    Args:
        request: What is requested.
        reporter: Receives how far the run is.

    Raises:
        InputError: The run is not written for the family of the game.
    """
    game, profile = request.game, request.profile
    # Both need the seed alone, and the game's rules: nothing that is counted or played here.
    random = request.background.begin(randomness_of, request, reporter)
    lived = request.background.begin(lives_of_rounds, request, reporter)
    reporter.step("counting the exact figures, and recovering lost pays from printed returns")
    exact = exact_results(game, request.regime, thorough=profile.thorough, executor=request.running)
    analyses = exact.analyses
    reporter.step(first_figure(exact))
    reporter.step("examining the generator: vectors, exact bias, small decks, streams")
    facts = establish(game, request.seed, request.vectors, request.running)
    playthroughs = play(request, planned_campaigns(exact, profile), exact.strategy_of, reporter)
    reporter.step("comparing reference implementation and kernel, and auditing what was dealt")
    legs = agreement_of_legs(request, analyses)
    texts = two_texts(request, analyses)
    rows = _drawn(first_sample, request).rows
    audit, recorded = audit_decks(game, analyses[head_of(game)].strategy, request.seed, rows, profile.replays)
    tested = random()
    exercised, recalled, told = lived()
    results = Results(
        **keywords(exact),
        playthroughs=playthroughs,
        agreement=legs,
        texts=texts,
        deck_audit=audit,
        randomness=tested,
        rng=facts,
        exercise=exercised,
        recalled=recalled,
        brought=request.brought,
        told=told,
    )
    return RunOutcome(results, recorded, rows)


def first_figure(exact: ExactResults) -> str:
    """Returns the first exact figure of a game in a sentence, to be reported as soon as it is counted."""
    wager = exact.game.wagers[0]
    strategy = exact.strategy_of.get(wager.id, head_of(exact.game))
    proven = exact.analyses[strategy].wager(wager.id).proven
    if proven.width:
        lower, upper = outward_texts(100 * proven.lower, 100 * proven.upper, 6)
        return f"counted exactly: {wager.title} returns between {lower} and {upper} %, proven for best play"
    return f"counted exactly: {wager.title} returns {percent_text(proven.lower, 6)} % under {strategy}"


def planned_campaigns(exact: ExactResults, profile: Profile) -> tuple[PlannedCampaign, ...]:
    """Returns the campaigns of a run: one under each strategy, and one of each configuration that is played by itself.

    Those of configurations share the rounds of a campaign under a further strategy; a feature that is bought takes a
    whole row of draws in every round, and is played as often as a round that is played step by step.
    """
    game, apart = exact.game, played_apart(exact.game)
    purposes = dict(zip(exact.counted, PURPOSES, strict=False))
    rounds = planned_rounds(exact, profile, purposes)
    each = max(profile.further_rounds // max(len(apart), 1), profile.reference_rounds)
    bought = {one.id for one in offered(game) if one.kind is ConfigurationKind.PURCHASE}
    return (
        *(
            PlannedCampaign(game, exact.analyses[name], purpose, rounds[name])
            for name, purpose in purposes.items()
        ),
        *(
            PlannedCampaign(
                own, analysis, CONFIGURATIONS, profile.reference_rounds if named in bought else each, named
            )
            for named, (own, analysis) in apart.items()
        ),
    )


def planned_rounds(exact: ExactResults, profile: Profile, strategies: Iterable[str]) -> dict[str, int]:
    """Returns how many rounds the campaign of each strategy has, by name of the strategy.

    They are those of the profile, or as many more as show the returns that are read under the strategy, where the
    profile allows so many.
    """
    if not has_own_volume(exact.game):
        return dict.fromkeys(strategies, profile.reference_rounds)
    planned = {
        name: profile.further_rounds if place else profile.rounds for place, name in enumerate(strategies)
    }
    for name, rounds in planned.items():
        read = [wager for wager, strategy in exact.strategy_of.items() if strategy == name]
        needs = [rounds_needed(exact.analyses[name].wager(wager)) for wager in read]
        enough = [needed for needed in needs if needed <= profile.most_rounds]
        planned[name] = max([rounds, *enough])
    return planned


def agreement_of_legs(request: RunRequest, analyses: Mapping[str, Analysis]) -> LegAgreement:
    """Compares the implementations of the rules on the first rounds of the campaign and their whole rows."""
    source = StreamDecks.of(request.game, request.seed)
    strategy = analyses[head_of(request.game)].strategy
    return agreement_of_rounds(source, request.profile.twin_rounds, request.game, strategy)


def two_texts(request: RunRequest, analyses: Mapping[str, Analysis]) -> Texts | None:
    """Compares the implementation that plays the game with the one written apart."""
    strategy = analyses[head_of(request.game)].strategy
    return texts_of(request.game, request.seed, strategy, request.profile.text_rounds)


def randomness_of(request: RunRequest, reporter: Reporter) -> Randomness:
    """Returns the tests of what is dealt and of the generator's bits, and which planted faults they find.

    Args:
        request: What is required of the run.
        reporter: Receives how far the tests are.
    """
    profile = request.profile
    rows = rows_tested(request.game.equipment, profile.decks)
    reporter.step(f"testing the randomness of {rows:,} rounds and {profile.streams} bit streams")
    plan = draw_plan(request.game.equipment, rows, profile.streams, profile.stream_bits)
    sample = _drawn(first_sample, request)
    tested = run_tests(sample, executor=request.running)
    verdict, rested = decide(
        plan, tested, lambda: _drawn(fresh_sample, request, plan.enlargement), executor=request.running
    )
    reporter.step("planting faults, to see the tests find them")
    planted = planted_faults(
        faults_to_plant(request.seed, profile),
        request.running,
        lambda done, total: reporter.at(done, total, "faults"),
    )
    return summarise(rows, profile.streams * profile.stream_bits, verdict, rested, planted)


def _drawn(draw: Callable[..., RowSample], request: RunRequest, *further: int) -> RowSample:
    """Draws the sample that the plan tests first, or the independent one that decides a borderline first one."""
    profile = request.profile
    rows = rows_tested(request.game.equipment, profile.decks)
    return draw(request.game, request.seed, rows, profile.streams, profile.stream_bits, *further)


def lives_of_rounds(
    request: RunRequest, reporter: Reporter
) -> tuple[Exercise, tuple[RoundRecord, ...], tuple[ToldRound, ...]]:
    """Returns the terms exercised, the rounds recalled from a ledger, and those reported in full.

    Args:
        request: What is required of the run.
        reporter: Receives how far the exercise is.
    """
    reporter.step(
        f"exercising the terms on {request.profile.exercise_decks} decks dealt, and on those that the game names"
    )
    exercised = exercise_terms(request, reporter)
    recalled = recalled_rounds(request.game, request.regime, request.seed, request.started)
    return exercised, recalled, narrate_rounds(request)


def exercise_terms(request: RunRequest, reporter: Reporter) -> Exercise:
    """Exercises the terms on decks of their own purpose."""
    decks = StreamDecks.of(request.game, request.seed, "round-exercise").deal(
        0, request.profile.exercise_decks
    )
    exercised = exercise(
        request.game,
        [tuple(deck) for deck in decks.tolist()],
        request.started,
        policy=request.regime.policy(request.game.terms),
        progress=lambda done, total: reporter.at(done, total, "decks"),
    )
    cut_off = [tuple(deck) for deck in decks[:RESTARTED].tolist()]
    restart = restarted(request.game, request.regime, request.seed, request.started, cut_off)
    return replace(exercised, situations=(*exercised.situations, restart))


def narrate_rounds(request: RunRequest) -> tuple[ToldRound, ...]:
    """Tells a voided and an expired round in full."""
    deck = StreamDecks.of(request.game, request.seed, "round-exercise").deal(0, 1)[0]
    edition = edition_of(request.game, request.regime.policy(request.game.terms))
    return narrated_rounds(edition, tuple(deck.tolist()), request.started)

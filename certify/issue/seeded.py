"""What follows from submission and seed without playing a campaign: computed again, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, cast

from certify.certification.audit import SAMPLED_WITHIN, audit_decks
from certify.certification.evidence import ROUNDS_IN_EVIDENCE, round_evidence, rounds_evidence
from certify.certification.generator import VECTORS, establish
from certify.certification.plan import purposes_of
from certify.certification.play_through import ENLARGEMENT, FRESH_DECKS
from certify.certification.randomness import rows_tested
from certify.certification.recalled_rounds import recalled_rounds
from certify.certification.request import RunRequest
from certify.certification.run import (
    RunOutcome,
    agreement_of_legs,
    exercise_terms,
    planned_rounds,
    tell_rounds,
    two_texts,
)
from certify.clauses.registry import Check
from certify.clauses.results import ExactResults, Results
from certify.evidence.document import Evidence
from certify.evidence.generator import StatedGenerator
from certify.evidence.plain import plain
from certify.evidence.simulation import StatedCampaign
from certify.exact import fraction_text
from certify.issue.again import once
from certify.issue.compare import compare, some
from certify.mathematics import head_of
from certify.model.figures import Analysis
from certify.model.finding import Observation
from certify.simulation import StreamDecks


class NotRepeatedError(Exception):
    """What was asked about rests on campaigns or statistical tests, which only a whole run repeats."""


class _NotRepeated:
    """Stands in the place of what was not repeated; whoever looks at it is told so."""

    def __getattr__(self, name: str) -> Any:
        raise NotRepeatedError(name)

    def __iter__(self) -> Iterator[Any]:
        raise NotRepeatedError

    def __len__(self) -> int:
        raise NotRepeatedError

    def __getitem__(self, key: object) -> Any:
        raise NotRepeatedError


class _Silent:
    """Is told how far the work is, and tells nobody."""

    def step(self, text: str) -> None:
        """Says nothing."""

    def at(self, done: int, total: int, unit: str) -> None:
        """Says nothing."""


@once(
    lambda exact, request, software: (
        (exact.game.sha256, exact.game.path, request.regime),
        (request.profile, request.seed, request.started, software),
    )
)
def outcome_without_campaigns(exact: ExactResults, request: RunRequest, software: str) -> RunOutcome:
    """Returns everything of a run but campaigns and statistical tests, from the submission and the seed.

    Legs are compared, decks audited, rounds recorded, the generator examined and the terms exercised as in a
    run of the same profile; of the decks, no more are dealt than rounds are sampled among.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        software: Digest of the sources that dealt. It is a fact of that day, named as not established; recorded
            rounds are held to the tool that the evidence names.
    """
    profile = request.profile
    rows = rows_tested(exact.game.equipment, profile.decks)
    decks = StreamDecks.of(exact.game, request.seed).deal(0, min(rows, SAMPLED_WITHIN))
    strategy = exact.analyses[head_of(exact.game)].strategy
    audit, recorded = audit_decks(exact.game, strategy, request.seed, decks, profile.replays)
    missing = cast(Any, _NotRepeated())
    results = Results(
        **{each.name: getattr(exact, each.name) for each in fields(ExactResults)},
        playthroughs=missing,
        randomness=missing,
        agreement=agreement_of_legs(request, exact.analyses),
        texts=two_texts(request, exact.analyses),
        deck_audit=replace(audit, decks=rows),
        rng=establish(request.game, request.seed, request.vectors),
        exercise=exercise_terms(request, _Silent()),
        recalled=tuple(
            replace(one, software_sha256=software)
            for one in recalled_rounds(request.game, request.regime, request.seed, request.started)
        ),
        brought=request.brought,
        told=tell_rounds(request),
    )
    return RunOutcome(results, recorded, decks)


def seeded_differences(outcome: RunOutcome, request: RunRequest, claimed: Evidence) -> Iterator[str]:
    """Yields where evidence departs from what follows from submission and seed without a campaign.

    Args:
        outcome: What :func:`outcome_without_campaigns` returned.
        request: What was asked of the run.
        claimed: The evidence.
    """
    results = outcome.results
    generator, told_generator = results.rng.stated, claimed.rng
    if not VECTORS.is_dir():
        # Installed without the published vectors: their digests are in the evidence, and nothing to run them on here.
        generator, told_generator = _without_vectors(generator), _without_vectors(told_generator)
    computed = {
        "agreement": results.agreement.evidence(),
        "texts": results.texts,
        "deck_audit": results.deck_audit,
        "played_rounds": tuple(
            round_evidence(*record, request.seed) for record in outcome.recorded[:ROUNDS_IN_EVIDENCE]
        ),
        "rng": generator,
        "rounds": rounds_evidence(results),
    }
    told = {key: getattr(claimed, key) for key in computed} | {"rng": told_generator}
    for key, value in computed.items():
        yield from some(compare(plain(value), plain(told[key]), f"/{key}"), f"/{key}")


def _without_vectors(rng: StatedGenerator) -> StatedGenerator:
    return replace(
        rng,
        known_answers=(),
        known_answer_tests=0,
        known_answers_passed=0,
        known_answers_by_algorithm=(),
    )


def observed_again(check: Check, results: Results) -> list[Observation] | None:
    """Returns what a check sees without campaigns and statistical tests; None where it looks at those."""
    try:
        return list(check.observe(results))
    except NotRepeatedError:
        return None


def counted_differences(exact: ExactResults, request: RunRequest, claimed: Evidence) -> Iterator[str]:
    """Yields where the counts of campaigns and statistical tests do not fit the profile, or each other.

    What was counted is not counted again here; how much, on which streams, and against which exact
    probabilities, follows from profile, seed and submission.
    """
    simulation, randomness, profile = claimed.simulation, claimed.randomness, request.profile
    purposes = purposes_of(exact.game)
    planned = planned_rounds(exact, profile, purposes)
    first = {entry.strategy: entry for entry in simulation.borderline_first}
    campaigns = simulation.campaigns
    yield from compare(list(planned), [one.strategy for one in campaigns], "/simulation/campaigns/strategy")
    for place, campaign in enumerate(campaigns):
        name, where = campaign.strategy, f"/simulation/campaigns/{place}"
        if name not in planned:
            continue
        rounds, purpose = planned[name], purposes[name]
        if name in first:
            there = f"/simulation/borderline_first/{name}"
            yield from _campaign(first[name], exact.analyses[name], rounds, purpose, request.seed, there)
            rounds, purpose = ENLARGEMENT * rounds, FRESH_DECKS
        yield from _campaign(campaign, exact.analyses[name], rounds, purpose, request.seed, where)
        yield from compare(profile.twin_rounds, campaign.kernel_twin_rounds, f"{where}/kernel_twin_rounds")
    strays = sorted(first.keys() - planned.keys())
    if strays:
        yield f"/simulation/borderline_first: no campaign was planned for {', '.join(strays)}"
    rows = rows_tested(exact.game.equipment, profile.decks)
    yield from compare(rows, randomness.decks, "/randomness/decks")
    yield from compare(profile.streams * profile.stream_bits, randomness.bits, "/randomness/bits")


def _campaign(
    campaign: StatedCampaign, analysis: Analysis, rounds: int, purpose: str, seed: bytes, where: str
) -> Iterator[str]:
    """Compares how much was played, on which decks, and against which probabilities."""
    planned = {"rounds": rounds, "purpose": purpose, "seed": seed.hex()}
    yield from compare(planned, {key: getattr(campaign, key) for key in planned}, where)
    exact = {figures.wager: figures for figures in analysis.wagers}
    yield from compare(list(exact), [wager.wager for wager in campaign.wagers], f"{where}/wagers")
    for wager in campaign.wagers:
        if wager.wager not in exact:
            continue
        here = f"{where}/{wager.wager}"
        counts = {cell.outcome: int(cell.count) for cell in wager.outcomes}
        if sum(counts.values()) != rounds or min(counts.values(), default=0) < 0:
            yield f"{here}: the outcomes counted are {sum(counts.values())}, the rounds {rounds}"
        known = {item.id: fraction_text(item.probability) for item in exact[wager.wager].outcomes}
        told = {
            cell.outcome: fraction_text(cell.probability) for cell in wager.outcomes if cell.outcome in known
        }
        yield from some(compare(known, told, f"{here}/probability"), here)
        for cell in wager.outcomes:
            yield from compare(int(cell.count) / rounds, cell.frequency, f"{here}/{cell.outcome}/frequency")

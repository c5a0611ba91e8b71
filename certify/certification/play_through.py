"""Play-through in one or two stages: what a borderline result leads to is fixed before the first round."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from certify.clauses import PlannedCampaign, PlayThrough
from certify.errors import InputError
from certify.evidence import DeckAudit, Simulation, StatedCampaign, WagerAgreement
from certify.families import PlayedRound, play as play_round
from certify.messages import say
from certify.model import Analysis, Equipment, Game, Message, Paytable, Strategy, Verdict, file_stem
from certify.simulation import (
    PURPOSE,
    Campaign,
    StreamDecks,
    campaign_again,
    chunks_of,
    compare_again,
    compare_all,
    figures_again,
    run_campaign,
)
from rng.draws import draw_many
from rng.streams import stream
from rng.uniform import below

if TYPE_CHECKING:
    from certify.certification.request import Reporter, RunRequest


SAMPLED_WITHIN: Final = 20_000
"""Decks among which the recorded rounds are sampled."""


@dataclass(frozen=True, slots=True)
class AuditedRound:
    """What must be kept of a round so that it can be reconstructed.

    Args:
        stream_index: Index of the stream that dealt its deck.
        position: Number of its deck in that stream, from zero.
        decisions: Decisions of the player in order.
        digest: SHA-256 of the round's trace, card by card.
    """

    stream_index: int
    position: int
    decisions: tuple[str, ...]
    digest: str


def broken_rows(rows: NDArray[Any], equipment: tuple[Equipment, ...]) -> int:
    """Returns the number of rows that the equipment cannot have given: a card twice, an item that does not exist."""
    broken = np.zeros(len(rows), dtype=bool)
    start = 0
    for piece in equipment:
        for low in range(0, len(rows), 100_000):
            part = rows[low : low + 100_000, start : start + piece.supply]
            wrong = (part >= piece.size).any(axis=1)
            if not piece.replaced:
                ordered = np.sort(part, axis=1)
                wrong |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
            broken[low : low + 100_000] |= wrong
        start += piece.supply
    return int(broken.sum())


def record_rounds(
    game: Game, strategy: Strategy, decks: NDArray[Any], positions: list[int]
) -> Iterator[tuple[AuditedRound, PlayedRound]]:
    """Plays rounds by the reference engine and yields their records."""
    reference = game.port.reference(game)
    for position in positions:
        played = play_round(reference, decks[position].tolist(), strategy)
        yield AuditedRound(0, position, played.decisions, trace_digest(played)), played


def trace_digest(played: PlayedRound) -> str:
    """Returns the SHA-256 of everything that happened in a round."""
    return hashlib.sha256("\n".join(played.trace).encode()).hexdigest()


def audit_decks(
    game: Game, strategy: Strategy, seed: bytes, decks: NDArray[Any], rounds: int
) -> tuple[DeckAudit, tuple[tuple[AuditedRound, PlayedRound], ...]]:
    """Returns what was found in dealt decks, and the rounds that were recorded on the way.

    Args:
        game: The game.
        strategy: The strategy by which the rounds are played.
        seed: Master seed, from which the decks are dealt anew.
        decks: uint8[n, 40], whole decks dealt from stream 0 of the simulation onwards.
        rounds: Rounds to record, replay and play with other stakes.
    """
    within = min(len(decks), SAMPLED_WITHIN)
    # The rounds that are looked at are drawn by the registered purpose.
    source = stream(seed, "evidence-sample", 0)
    positions = sorted({below(source, within) for _ in range(rounds)})
    recorded = tuple(record_rounds(game, strategy, decks, positions))
    # Everything below is dealt again by fresh streams, as a laboratory would years later.
    again = StreamDecks.of(game, seed).deal(0, within)
    reference = game.port.reference(game)
    audit = DeckAudit(
        decks=len(decks),
        broken=broken_rows(decks, game.equipment),
        stake_runs=len(recorded),
        stake_differences=_stake_differences(game, strategy, seed, recorded),
        replays=len(recorded),
        replay_differences=sum(
            trace_digest(play_round(reference, again[r.position].tolist(), r.decisions)) != r.digest
            for r, _ in recorded
        ),
    )
    return audit, recorded


def _same_ends(row_of: Callable[[str], str], one: str, other: str) -> bool:
    """Returns whether two outcomes are the same, but for pays: those that state a net result are named after it."""
    return row_of(one) == row_of(other) or (row_of(one) != one and row_of(other) != other)


def _stake_differences(
    game: Game,
    strategy: Strategy,
    seed: bytes,
    recorded: tuple[tuple[AuditedRound, PlayedRound], ...],
) -> int:
    """Plays the recorded rounds with other pays, fewer wagers and another history; counts differences.

    The decks of one stream are dealt up to one recorded round after the other, with a deck of another stream in
    between, so that neither what is bet nor what was dealt to others may change a card.
    """
    other = replace(
        game,
        wagers=tuple(
            replace(
                wager,
                # What gives the stake back and no more stays so: paid, it would be another outcome.
                paytable=Paytable(
                    tuple(replace(row, pays=row.pays + 7 * bool(row.pays)) for row in wager.paytable.rows)
                ),
            )
            for wager in game.wagers
        ),
    )
    required = game.port.rules.required_wagers(game)
    # Nothing else is bet on: how a hand of blackjack ends may follow from the rows of the wager that it is played for.
    least = replace(game, wagers=tuple(wager for wager in game.wagers if wager.id in required))
    stakings = (other, replace(game, wagers=game.wagers[:1]), least)
    references = [staked.port.reference(staked) for staked in stakings]
    decks = StreamDecks.of(game, seed)
    words, others = decks.words(0), StreamDecks.of(game, seed, "round-exercise").words(0)
    dealt, differences = 0, 0
    for record, played in recorded:
        draw_many(others, decks.draw, 1)
        deck = draw_many(words, decks.draw, record.position + 1 - dealt)[-1].tolist()
        dealt = record.position + 1
        for reference in references:
            seen = play_round(reference, deck, strategy)
            alike = all(
                _same_ends(game.port.rules.row_of, outcome, played.outcome(wager))
                for wager, outcome in seen.outcomes.items()
            )
            same = (seen.hands, seen.decisions) == (played.hands, played.decisions)
            differences += not (same and alike)
    return differences


Played = TypeVar("Played", Campaign, StatedCampaign)

ALPHA: Final = Fraction(1, 100)
"""Family-wise error of the comparisons: 99 % collectively (GLI-19 v3.0 3.2.2)."""

HARD: Final = 1e-6
"""An adjusted p-value below this refutes at once; between it and ALPHA a fresh campaign decides."""

ENLARGEMENT: Final = 4
"""How many times the rounds of the first campaign the fresh one plays."""

FRESH_DECKS: Final = "fresh-campaign-decks"


def borderline_rule() -> Message:
    """Returns the rule for a borderline result."""
    return say(
        "simulation.borderline-rule", hard=f"{HARD:g}", alpha=f"{float(ALPHA):g}", enlargement=ENLARGEMENT
    )


def play(
    request: "RunRequest",
    planned: Sequence[PlannedCampaign],
    read_under: Mapping[str, str],
    reporter: "Reporter",
) -> tuple[PlayThrough, ...]:
    """Plays the campaigns that are planned and compares all of them under one family-wise error.

    Args:
        request: What is requested.
        planned: The campaigns.
        read_under: For each wager, the strategy under which its return is read.
        reporter: Receives how far the work is.
    """
    return _in_stages(
        lambda one: _campaign(request, one, reporter),
        lambda played: compare_all(played, ALPHA, read_under),
        planned,
    )


def play_again(
    request: "RunRequest",
    planned: Sequence[PlannedCampaign],
    read_under: Mapping[str, str],
    stated: Simulation,
) -> tuple[PlayThrough, ...]:
    """Returns what follows where campaigns counted what evidence says that they counted.

    Args:
        request: What was requested.
        planned: The campaigns that were planned.
        read_under: For each wager, the strategy under which its return is read.
        stated: What the evidence says was counted.

    Raises:
        InputError: It does not count what was planned.
    """
    first = {one.strategy: one for one in stated.borderline_first}
    decided = {one.strategy: one for one in (*stated.campaigns, *(stated.configurations or ()))}

    def counted(one: PlannedCampaign) -> StatedCampaign:
        name = one.analysis.strategy.name
        found = decided.get(name) if one.purpose == FRESH_DECKS else first.get(name, decided.get(name))
        if found is None:
            raise InputError(f"/simulation/campaigns: none was played under {name}, which the plan names")
        source = StreamDecks.of(one.game, request.seed, one.purpose)
        again = campaign_again(found, chunks_of(one.game, one.analysis.strategy, one.rounds, deal=source))
        return replace(again, configuration=one.configuration or None)

    plays = _in_stages(counted, lambda played: compare_again(played, ALPHA, read_under), planned)
    return tuple(_with_figures(one, request.profile.twin_rounds) for one in plays)


def _with_figures(play: PlayThrough, twin_rounds: int) -> PlayThrough:
    """Returns a campaign as evidence states it, with everything that follows from what it counted."""
    first = None if play.first is None else _with_figures(play.first, twin_rounds)
    if not isinstance(play.campaign, StatedCampaign):
        raise TypeError("a campaign as evidence states it was expected")
    made = figures_again(play.campaign, play.agreements, play.planned.game, play.planned.analysis)
    # The implementations are compared on the first rounds of the first campaign.
    twins = twin_rounds if made.purpose == PURPOSE else 0
    return replace(play, campaign=replace(made, kernel_twin_rounds=twins), first=first)


def _in_stages(
    campaign: Callable[[PlannedCampaign], Played],
    compared: Callable[[Sequence[tuple[Played, Analysis, Game]]], list[list[WagerAgreement]]],
    planned: Sequence[PlannedCampaign],
) -> tuple[PlayThrough, ...]:
    """Returns the campaigns that decide: the first, and where that is borderline a fresh one."""

    def judged(asked: Sequence[PlannedCampaign]) -> list[PlayThrough]:
        played = [(campaign(one), one.analysis, one.game) for one in asked]
        return [
            PlayThrough(one, seen, tuple(agreements))
            for one, (seen, _, _), agreements in zip(asked, played, compared(played), strict=True)
        ]

    plays = judged(planned)
    suspects = [place for place, one in enumerate(plays) if borderline(one.agreements, one.campaign.rounds)]
    if not suspects:
        return tuple(plays)
    fresh = [
        replace(plays[place].planned, purpose=FRESH_DECKS, rounds=ENLARGEMENT * plays[place].planned.rounds)
        for place in suspects
    ]
    for place, decided in zip(suspects, judged(fresh), strict=True):
        plays[place] = replace(decided, first=plays[place])
    return tuple(plays)


def borderline(agreements: Sequence[WagerAgreement], rounds: int) -> bool:
    """Returns whether all objections to a campaign of so many rounds may be chance, which a longer one would show.

    Against a refuted one nothing may speak but p-values between HARD and ALPHA. One that is undecided must be as long
    as its margins need: one of a hundred such wagers does not show an agreement that is there.
    """
    refuted = [one for one in agreements if one.verdict is Verdict.NOT_SATISFIED]
    if refuted:
        return all(_by_chance_perhaps(one) for one in refuted)
    undecided = [one for one in agreements if one.verdict is Verdict.INCONCLUSIVE]
    return bool(undecided) and all(_missed_perhaps(one, rounds) for one in undecided)


def _by_chance_perhaps(agreement: WagerAgreement) -> bool:
    """Returns whether all objections to a wager are rejected tests, none of them beyond chance."""
    rejected = [p for p in agreement.adjusted_p.values() if not p > ALPHA]
    return len(rejected) == len(agreement.reasons) and all(p > HARD for p in rejected)


def _missed_perhaps(agreement: WagerAgreement, rounds: int) -> bool:
    """Returns whether a wager is undecided by its margin alone, though as many rounds were played as that takes."""
    margin = agreement.equivalence
    missed = margin.asked and not margin.equivalent and margin.rounds_needed <= rounds
    return missed and len(agreement.reasons) == 1


def _campaign(request: "RunRequest", one: PlannedCampaign, reporter: "Reporter") -> Campaign:
    """Plays one campaign."""
    strategy, purpose = one.analysis.strategy, one.purpose
    name = strategy.name
    reporter.step(
        f"playing {one.rounds:,} rounds, {name}" + (", fresh decks" if purpose == FRESH_DECKS else "")
    )
    return run_campaign(
        one.game,
        strategy,
        one.rounds,
        deal=StreamDecks.of(one.game, request.seed, purpose),
        executor=request.running,
        progress=lambda done, total: reporter.at(done, total, "rounds"),
        resume=request.resume / f"{file_stem(name)}-{purpose}" if request.resume else None,
    )

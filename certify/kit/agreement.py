"""The legs of a family against each other: on every path of a walked game, and on random draws of the real one."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Final

from certify.analysis.engine.deals import deals
from certify.by_key import summed
from certify.errors import InputError
from certify.families import Counter, TwinnedCounter, varying_of
from certify.families.second_text import SettledRound, compared, settled, settled_round, shared_code
from certify.families.stage_machine import StagedRound
from certify.kit.check import (
    Checked,
    Found,
    KitLaw,
    Trials,
    UntriedError,
    compared as by_trials,
    judged,
    not_applicable,
    tried_on,
    undecided,
)
from certify.kit.subject import Figures, Subject, differences, ended, figures_of, walked_figures
from certify.mathematics import engine_of
from certify.model import Strategy, faces_of
from certify.simulation import StreamDecks

SECOND: Final = KitLaw(
    "second-text",
    "The second implementation settles rounds as the first does, one for every state if in stages, and shares no code",
    "The rules rest on one implementation; a mistake in it is not found.",
)

TOO_RARE: Final = 1e-9
"""Two-sided probability below which a count cannot be one of the exact figures, for each outcome."""

VOLUME_ROUNDS: Final = 200_000
"""Rounds that a family's own play-through is counted on."""


def agreement(subject: Subject) -> Iterator[Checked]:
    """Yields whether the legs agree."""
    game = subject.game.id
    played = subject.reference if isinstance(subject.reference, StagedRound) else None
    if played is not None:
        # First, since every other law of a text in stages rests on what is proved of its merging.
        yield from tried_on(game, played, _merged)
    yield from tried_on(game, subject, _one, _same_figures, _further, _played, _likely)
    if played is not None or subject.game.port.second is not None:
        yield SECOND.tried(game, lambda: _second(subject, played))


@KitLaw(
    "merging",
    "What the engine merges is proved: every arrow again, no hidden state, no decision that sees a hidden draw",
    "States that differ are counted as one, and every exact figure may be wrong.",
)
def _merged(played: StagedRound) -> Found:
    proof = played.proven.proof
    return judged(
        proof.arrows + proof.rounds + proof.hidden_pairs,
        f"arrows, rounds and pairs of {proof.moments} moments",
        [],
    )


def _second(subject: Subject, staged: StagedRound | None) -> Found:
    second = subject.game.port.second
    if second is None:
        return not_applicable(
            "the family has no second implementation: a condition of the report says what that costs"
        )
    first = subject.game.port.reference if staged is None else staged.text.start
    found = [f"both rest on {name}" for name in shared_code(first, second)]
    rounds: Iterator[SettledRound]
    if staged is None:
        rounds = (settled_round(one) for name in subject.strategies for one in subject.played(name))
    else:
        graph = engine_of(subject.game.port).counted(subject.game).graph
        rounds = settled(staged.text, deals(staged.proven.automaton, graph))
    agreed = compared(subject.game, second, rounds)
    found += [
        f"{', '.join(one.draws)} {' '.join(one.decisions)}: {one.wager} {one.first}, second implementation {one.second}"
        for one in agreed.differences
    ]
    # Of one deal several wagers may differ, and the first deals alone are put into words.
    told = {(one.draws, one.decisions) for one in agreed.differences}
    return judged(agreed.deals, "deals", found, agreed.differing - len(told))


@KitLaw("probability", "Probabilities sum to exactly one", "Nothing that is counted can be relied on.")
@by_trials("distributions")
def _one(subject: Subject) -> Trials:
    for name, analysis in subject.analyses.items():
        for wager, rows in figures_of(analysis).items():
            total = sum(chance for _, _, _, chance, *_ in rows)
            yield f"{wager} under {name}: {total}" if total != 1 else ""
    for walked in subject.walked:
        for state, whole in enumerate(walked.graph.details):
            if walked.graph.kinds[state] == 0:
                weights = sum(walked.graph.weights[edge] for edge in walked.graph.edges(state))
                yield f"draw {state}: {weights} of {whole} items" if weights != whole else ""


@KitLaw(
    "own-counting",
    "The family's own counting gives what the engine finds on every path of the reference implementation",
    "The exact figures rest on one account of the rules; a mistake in it stays unseen.",
)
def _same_figures(subject: Subject) -> Found:
    if subject.game.port.exact is None:
        return not_applicable("the family has no counting of its own: the engine computes the exact figures")
    if not subject.walked:
        return undecided(
            f"{subject.game.id} has too many states to be walked on every path, and the family has no "
            "`smaller` games of the same rules: its counting was compared on random draws alone"
        )
    exact, found = subject.game.port.exact, []
    for walked in subject.walked:
        for name, analysis in subject.analyses.items():
            own = analysis if walked.game == subject.game else exact.analyze(walked.game, name)
            told = differences(
                figures_of(own), walked_figures(walked, own.strategy), "own counting", "the engine"
            )
            found += [f"{name}: {one}" for one in told]
    verdict, detail = judged(len(subject.walked) * len(subject.analyses), "strategies", found)
    return verdict, f"{detail}, over {sum(walked.graph.size for walked in subject.walked):,} walked states"


@KitLaw(
    "further-counting",
    "The family's further exact way gives the same returns",
    "The second exact way does not count as one.",
)
@by_trials("returns")
def _further(subject: Subject) -> Trials:
    if subject.game.port.checks.counting is None:
        raise UntriedError(*not_applicable("the family has no further exact way"))
    for name, strategy in subject.strategies.items():
        for wager, exact in subject.game.port.checks.counting(subject.game, strategy).items():
            own = subject.analyses[name].wager(wager).return_to_player
            yield f"{wager} under {name}: {own} and {exact}" if own != exact else ""


@KitLaw(
    "play-through",
    "The play-through and its readable version end and pay every round like the reference implementation",
    "The play-through is no leg of its own, and campaigns confirm nothing.",
)
@by_trials("rounds")
def _played(subject: Subject) -> Trials:
    volume = subject.volume
    if volume is None:
        raise UntriedError(
            *not_applicable(
                "the family has no play-through of its own: the reference implementation is played"
            )
        )
    rows, paid = subject.table(subject.rows), cache(partial(volume.net, subject.game))
    for name, strategy in subject.strategies.items():
        counter = volume.counter(subject.game, strategy)
        wagers, varying = [wager for wager, _ in counter.axes], varying_of(counter)
        compiled = counter.outcomes(rows)
        twin = counter.twin(rows) if isinstance(counter, TwinnedCounter) else compiled
        if _as_faces(subject, name, counter, compiled):
            yield (
                f"{name}: the play-through agrees where it is given faces, and rows hold numbers of items: "
                "certify.model.round_table.faces_of turns the one into the other"
            )
        for place, played in enumerate(subject.played(name)):
            own = played.told(wagers, varying)
            same = compiled[place] == twin[place] == own
            yield (
                ""
                if same
                else (f"{name}, row {place}: {own}, play-through {compiled[place]}, twin {twin[place]}")
            )
            for wager, outcome, net, _ in ended(played):
                if wager not in varying and paid(wager, outcome) != net:
                    yield f"{wager} {outcome}: {net} net, play-through {paid(wager, outcome)}"


def _as_faces(subject: Subject, name: str, counter: Counter, compiled: list[tuple[str, ...]]) -> bool:
    """Returns whether a play-through is wrong only because it takes the numbers of items for faces."""
    pieces = subject.reference.equipment
    if all(piece.shows == tuple(range(len(piece.faces))) for piece in pieces):
        return False
    wagers = [wager for wager, _ in counter.axes]
    own = [tuple(played.outcomes[wager] for wager in wagers) for played in subject.played(name)]
    return compiled != own and counter.outcomes(faces_of(pieces, subject.table(subject.rows))) == own


@KitLaw(
    "draws",
    "Rounds that are really drawn end as often as the exact figures say",
    "The exact figures are not those of the game that is played.",
)
def _likely(subject: Subject) -> Found:
    found, compared, rounds = [], 0, 0
    for name, strategy in subject.strategies.items():
        counts, rounds = (
            (_reference_counts(subject, name), subject.rounds)
            if subject.volume is None
            else counts_of(subject, strategy)
        )
        figures = figures_of(subject.analyses[name])
        compared += sum(
            len({*counts[wager], *(outcome for outcome, *_ in rows)}) for wager, rows in figures.items()
        )
        found += [f"{one} under {name}" for one in differing(figures, counts, rounds)]
    verdict, detail = judged(compared, "outcomes", found)
    return verdict, f"{detail}, on {rounds:,} random rounds a strategy"


Counts = dict[str, dict[str, int]]
"""How often each outcome of each wager came."""


def differing(figures: Figures, counts: Counts, rounds: int) -> Iterator[str]:
    """Yields the outcomes that came too often or too rarely for their exact probabilities, in words."""
    # All of scipy.stats is loaded for this one test: not where families are only listed.
    from scipy.stats import binomtest

    for wager, rows in figures.items():
        exact = summed((outcome, float(chance)) for outcome, _, _, chance, *_ in rows)
        for outcome in {**exact, **counts[wager]}:
            seen, likely = counts[wager].get(outcome, 0), min(exact.get(outcome, 0.0), 1.0)
            if binomtest(seen, rounds, likely).pvalue < TOO_RARE:
                yield f"{wager} {outcome}: {seen} of {rounds} rounds, expected {rounds * likely:.1f}"


def _reference_counts(subject: Subject, name: str) -> Counts:
    played = subject.played(name)[: subject.rounds]
    return {
        wager.id: summed((one.outcomes[wager.id], 1) for one in played if wager.id in one.outcomes)
        for wager in subject.game.wagers
    }


def counts_of(subject: Subject, strategy: Strategy) -> tuple[Counts, int]:
    """Returns how often each outcome came in rounds of the family's own play-through, and in how many rounds.

    Raises:
        InputError: The family has no play-through of its own.
    """
    volume = subject.volume
    if volume is None:
        raise InputError(f"{subject.game.port.id} has no play-through of its own")
    counter = volume.counter(subject.game, strategy)
    source = StreamDecks.of(subject.game, subject.seed)
    try:
        table = source.rounds(1, VOLUME_ROUNDS).count(counter, VOLUME_ROUNDS)
    except InputError:
        table = counter.count(source.deal(1, VOLUME_ROUNDS))
    seen = table.marginals()
    counts = {
        wager.id: {outcome: count for outcome, count in seen.get(wager.id, {}).items() if count}
        for wager in subject.game.wagers
    }
    return counts, VOLUME_ROUNDS

"""Reference engine, kernel and twin on the same decks: every outcome of every round must be the same.

Where a play-through brings no twin, the reference engine alone is the readable version of its compiled code.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify import result_cache
from certify.analysis.engine.deals import deals
from certify.analysis.engine.stored import code_of, digest_of_parts, digest_of_text
from certify.analysis.engine.walk import walk
from certify.by_key import summed
from certify.characters import json_text
from certify.clauses import Difference, LegAgreement
from certify.errors import AgreementError, NothingCheckedError
from certify.evidence import SourceText, Texts
from certify.exact import fraction_text
from certify.families import (
    LazyCounter,
    PlayedRound,
    ReferenceRound,
    TwinnedCounter,
    play,
    settled_on,
    told,
    told_net,
    varying_of,
)
from certify.families.second_text import (
    TextAgreement,
    compared,
    dealt_rounds,
    digest_of,
    played_rounds,
    settled,
    shared_code,
    source_of,
)
from certify.families.stage_machine import StagedRound
from certify.model import Analysis, Game, SecondText, Strategy, pays_of
from certify.simulation import StreamDecks, has_own_volume, volume_of
from rng.battery import NotRun, TestResult
from rng.battery.cards.dealt import compare
from rng.battery.wagers import Groups, Projection, run
from rng.words import WordSource

AGREEMENT: Final = "texts"
"""What the agreement of two texts is kept as."""

SECOND_FILE: Final = "data/second.py"
GIVEN: Final = "data/second.json"
"""The second implementation in the pack, and the rules and pays that it settles by."""

_AT_ONCE: Final = 10_000
"""Rows dealt at once."""

_ROUND_BY_ROUND: Final = 10
"""Of so many rounds that a table would play, one is played by a reference round that is not written in stages."""


def texts_of(game: Game, seed: bytes, strategy: Strategy, rounds: int) -> Texts | None:
    """Returns the implementations of a game and how far they agree; none where nothing can be compared.

    Args:
        game: The submission.
        seed: Master seed of the rounds that are dealt.
        strategy: Who decides in them.
        rounds: Rounds to deal; a tenth of them where the game is not written in stages.
    """
    played, second = game.port.reference(game), game.port.second
    merging = None
    first: Callable[..., object] = game.port.reference
    found: list[TextAgreement] = []
    if isinstance(played, StagedRound):
        merging, automaton = played.proven.proof, played.proven.automaton
        first = played.text.start
        if second is not None:
            dealt = dealt_rounds(automaton, strategy, _rows(game, seed, rounds))
            found = [
                on_every_state(game, second, played),
                compared(game, second, settled(played.text, dealt), dealt=True),
            ]
    elif second is None:
        return None
    else:
        rows = _rows(game, seed, rounds // _ROUND_BY_ROUND)
        found = [compared(game, second, played_rounds(played, strategy, rows), dealt=True)]
    return Texts(
        _source(first),
        None if second is None else _source(second),
        () if second is None else shared_code(first, second),
        merging,
        sum(one.deals for one in found),
        sum(one.dealt for one in found),
        sum(one.differing for one in found),
        tuple(str(difference) for one in found for difference in one.differences),
    )


def on_every_state(game: Game, second: SecondText, played: StagedRound) -> TextAgreement:
    """Returns how far the texts agree on a deal for every state of the walk and every class of faces there.

    That they agree is kept by the digest of both implementations, the rules and the prices, and found by the next
    command; in what they differ is computed each time.
    """
    automaton = played.proven.automaton
    digest = _digest(game, second, played) if result_cache.keeping() else ""
    known = result_cache.find(AGREEMENT, digest)
    if isinstance(known, int):
        return TextAgreement(known, 0, 0, ())
    found = compared(game, second, settled(played.text, deals(automaton, walk(played))))
    if not found.differing:
        result_cache.keep(AGREEMENT, digest, found.deals)
    return found


def _digest(game: Game, second: SecondText, played: StagedRound) -> str:
    """Returns one SHA-256 over what both implementations rest on and are handed; empty where it cannot be reported."""
    first, apart = digest_of_text(played.text), code_of(second)
    if not first or not apart:
        return ""
    ends = sorted({won for label in played.proven.automaton.walked.labels for won in label.won})
    prices = [repr((won, played.text.price(*won))) for won in ends]
    return digest_of_parts([first, *apart, repr(game.rules), repr(pays_of(game.wagers)), *prices])


def _rows(game: Game, seed: bytes, rounds: int) -> Iterator[list[int]]:
    source = StreamDecks.of(game, seed, "evidence-sample")
    for stream in range(-(-rounds // _AT_ONCE)):
        # The first stream of this purpose chooses the rounds that are recorded.
        yield from source.deal(stream + 1, min(_AT_ONCE, rounds - stream * _AT_ONCE)).tolist()


def _source(text: Callable[..., object]) -> SourceText:
    return SourceText(text.__module__, digest_of(text))


def second_files(game: Game) -> dict[str, tuple[bytes, str]]:
    """Returns the second implementation of a game and what it is given, with their descriptions, by name.

    Nothing is returned where the family has none, or where its source is not at hand.
    """
    second = game.port.second
    source = b"" if second is None else source_of(second)
    if not source:
        return {}
    given = {"rules": as_json(game.rules), "pays": as_json(pays_of(game.wagers))}
    return {
        SECOND_FILE: (source, "The second implementation, which settles rounds: read it before it is run"),
        GIVEN: (json_text(given).encode(), "The rules and pays that the second implementation settles by"),
    }


def as_json(value: Any) -> Any:
    """Returns rules as JSON holds them: an object has its fields, a fraction says that it is one.

    >>> as_json((Fraction(3, 2), 1))
    [{'fraction': '3/2'}, 1]
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [as_json(entry) for entry in value]
    return {"fraction": fraction_text(value)} if isinstance(value, Fraction) else value


CHUNK: Final = 50_000
"""Rounds played at a time."""

MOST_PLAIN: Final = 200_000
"""Rounds that are played by the reference round alone, the first ones, where nothing compiled plays the game."""


def wager_tests(
    game: Game,
    analysis: Analysis,
    rows: NDArray[Any],
    groups: Groups | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Iterator[TestResult | NotRun]:
    """Yields whether the outcomes of each wager come as often as they should, whatever came before, when and where.

    Args:
        game: The game; its decisions are those of the analysis.
        analysis: Exact figures that the outcomes are compared with.
        rows: What was dealt, one round a row.
        groups: What is known of where and when each row was dealt.
        tell: Receives the rounds played, of how many.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.
    """
    projections = played(game, analysis, rows, tell)
    for one in projections:
        counts = [int((one.seen == number).sum()) for number in range(len(one.outcomes))]
        yield compare(
            one.name,
            dict(zip(one.outcomes, counts, strict=True)),
            dict(zip(one.outcomes, one.law, strict=True)),
        )
    rounds = projections[0].seen.size
    known = {kind: (numbers[:rounds], names) for kind, (numbers, names) in (groups or {}).items()}
    yield from run(projections, known)


def played(
    game: Game, analysis: Analysis, rows: NDArray[Any], tell: Callable[[int, int], None] | None = None
) -> tuple[Projection, ...]:
    """Returns what each round of some rows came to, wager by wager, with the exact law of its outcomes.

    Args:
        game: The game.
        analysis: Exact figures, and the strategy that the rounds are played by.
        rows: What was dealt, one round a row.
        tell: Receives the rounds played, of how many.
    """
    counter = volume_of(game).counter(game, analysis.strategy)
    rounds = len(rows) if has_own_volume(game) else min(len(rows), MOST_PLAIN)
    laws = {
        figures.wager: summed((outcome.id, outcome.probability) for outcome in figures.outcomes)
        for figures in analysis.wagers
    }
    order = {wager: sorted({*laws[wager], *outcomes}) for wager, outcomes in counter.axes if wager in laws}
    places = [wager for wager, _ in counter.axes]
    numbers = {wager: {name: k for k, name in enumerate(names)} for wager, names in order.items()}
    seen = {wager: np.empty(rounds, dtype=np.int64) for wager in order}
    for start in range(0, rounds, CHUNK):
        piece = np.ascontiguousarray(rows[start : min(start + CHUNK, rounds)])
        ended = counter.outcomes(piece)
        for place, wager in enumerate(places):
            if wager in seen:
                known = numbers[wager]
                seen[wager][start : start + len(piece)] = [known[one[place]] for one in ended]
        if tell is not None:
            tell(start + len(piece), rounds)
    return tuple(
        Projection(
            figures.wager,
            tuple(order[figures.wager]),
            tuple(laws[figures.wager].get(name, Fraction(0)) for name in order[figures.wager]),
            seen[figures.wager],
        )
        for figures in analysis.wagers
        if figures.wager in seen
    )


REFERENCE: Final = "reference implementation"
KERNEL: Final = "kernel"
TWIN: Final = "readable version of the kernel"
KERNEL_LAZY: Final = "kernel, dealing card by card"
REFERENCE_LAZY: Final = "reference implementation, dealing card by card"
SECOND: Final = "second implementation"

Outcomes = tuple[str, ...]
"""Outcome of each wager of one round, in the order of WAGERS."""


def agreement(
    game: Game,
    strategy: Strategy,
    rows: NDArray[Any],
    further_legs: Mapping[str, Sequence[Outcomes]] | None = None,
) -> LegAgreement:
    """Plays the same draws through reference round, compiled play-through and its twin and compares every outcome.

    Args:
        game: The game.
        strategy: The player's strategy.
        rows: Draws of each round, one row a round.
        further_legs: Outcomes of the same rounds by other implementations, in the order of the wagers.

    Raises:
        NothingCheckedError: No round was offered.
        AgreementError: A further leg settled another number of rounds.
    """
    counter = volume_of(game).counter(game, strategy)
    wagers = tuple(wager for wager, _ in counter.axes)
    reference, second = game.port.reference(game), game.port.second
    rounds = [play(reference, row.tolist(), strategy) for row in rows]
    varying = varying_of(counter)
    played = {REFERENCE: [one.told(wagers, varying) for one in rounds]}
    if second is not None:
        played[SECOND] = [_second(second, game, one, wagers, varying) for one in rounds]
    if has_own_volume(game):
        played[KERNEL] = counter.outcomes(rows)
        if isinstance(counter, TwinnedCounter):
            played[TWIN] = counter.twin(rows)
    elif not further_legs:
        # Nothing settles rounds a second time: nothing is compared, and a finding says so.
        return LegAgreement(len(rows), (REFERENCE,), wagers, ())
    return compare_legs(rows, {**played, **(further_legs or {})}, wagers)


def agreement_of_rounds(source: StreamDecks, rounds: int, game: Game, strategy: Strategy) -> LegAgreement:
    """Plays the first rounds of a campaign draw by draw, and on their whole rows by all legs, and compares.

    Args:
        source: Source of the campaign's rounds.
        rounds: Rounds to compare.
        game: The game.
        strategy: The player's strategy.

    Raises:
        NothingCheckedError: No round was requested.
    """
    counter = volume_of(game).counter(game, strategy)
    if not isinstance(counter, LazyCounter):
        return agreement(game, strategy, source.deal(0, rounds))
    compiled, starts = counter.play_rounds(source.words(0), rounds)
    reference = card_by_card(game.port.reference(game), counter, strategy, source.words(0), rounds)
    lazy = {KERNEL_LAZY: compiled, REFERENCE_LAZY: reference}
    return agreement(game, strategy, source.whole(0, starts), lazy)


def card_by_card(
    reference: ReferenceRound[Any], counter: LazyCounter, strategy: Strategy, words: WordSource, rounds: int
) -> list[Outcomes]:
    """Returns the outcomes of the next rounds of a stream by the reference round, drawn as far as each looks.

    Args:
        reference: The rules of the game.
        counter: The play-through, which says how a round is drawn.
        strategy: The player's strategy.
        words: The stream; it is left where the play-through must leave it.
        rounds: Number of rounds.
    """
    wagers, varying = [wager for wager, _ in counter.axes], varying_of(counter)
    return [told(settled_on(reference, counter.row(words), strategy), wagers, varying) for _ in range(rounds)]


def compare_legs(
    decks: NDArray[np.uint8], legs: Mapping[str, Sequence[Outcomes]], wagers: Sequence[str]
) -> LegAgreement:
    """Compares what several implementations say about the same decks, wager by wager.

    Raises:
        NothingCheckedError: No deck was offered.
        AgreementError: Fewer than two legs, or legs of different lengths.
    """
    if len(legs) < 2:
        raise AgreementError(f"{len(legs)} leg was offered, expected at least two that are independent")
    if not len(decks):
        raise NothingCheckedError("no deck was offered for comparison")
    for leg, outcomes in legs.items():
        if len(outcomes) != len(decks):
            raise AgreementError(f"{leg} settled {len(outcomes)} decks, expected {len(decks)}")
    differences = (_difference(decks, legs, index, column, wagers) for index, column in _disagreeing(legs))
    return LegAgreement(len(decks), tuple(legs), tuple(wagers), tuple(differences))


def _second(
    second: SecondText, game: Game, played: PlayedRound, wagers: Sequence[str], varying: frozenset[str]
) -> Outcomes:
    """Returns the outcomes of a round by the second implementation; where it refuses the round, what it says of it."""
    try:
        settled = second(game.rules, pays_of(game.wagers), played.draws, played.decisions)
    except Exception as error:  # noqa: BLE001 - whatever the second implementation raises is reported
        return (f"refused: {error!r}",) * len(wagers)
    if any(settled[wager][1] != played.net[wager] for wager in settled):
        return tuple(f"{settled[wager][0]} at {settled[wager][1]} net" for wager in wagers)
    return tuple(
        (told_net(*settled[wager]) if wager in varying else settled[wager][0])
        if wager in settled
        else "not settled"
        for wager in wagers
    )


def _disagreeing(legs: Mapping[str, Sequence[Outcomes]]) -> Iterator[tuple[int, int]]:
    for index, said in enumerate(zip(*legs.values(), strict=True)):
        if any(outcomes != said[0] for outcomes in said):
            yield from (
                (index, column) for column, ids in enumerate(zip(*said, strict=True)) if len(set(ids)) > 1
            )


def _difference(
    decks: NDArray[np.uint8],
    legs: Mapping[str, Sequence[Outcomes]],
    index: int,
    column: int,
    wagers: Sequence[str],
) -> Difference:
    said = tuple((leg, outcomes[index][column]) for leg, outcomes in legs.items())
    return Difference(index, tuple(decks[index].tolist()), wagers[column], said)

"""The two texts of a game against each other: on a deal for every state of the walk, and on rounds really dealt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from certify.analysis.engine.walk import walk
from certify.evidence.texts import MergingProven, Texts, TextSource
from certify.families.registry import family_of
from certify.families.second_text import (
    TextAgreement,
    compared,
    dealt_rounds,
    digest_of,
    on_every_state,
    shared_code,
)
from certify.families.staged import StagedRound
from certify.model.game import Game
from certify.model.strategy import Strategy
from certify.simulation import StreamDecks

_AT_ONCE: Final = 10_000
"""Rows dealt at once."""


def texts_of(game: Game, seed: bytes, strategy: Strategy, rounds: int) -> Texts | None:
    """Returns the texts of a game and how far they agree; none where it is not written in stages.

    Args:
        game: The submission.
        seed: Master seed of the rounds that are dealt.
        strategy: Who decides in them.
        rounds: Rounds to deal.
    """
    family = family_of(game)
    played = family.reference(game)
    if not isinstance(played, StagedRound):
        return None
    proof = played.proven.proof
    merging = MergingProven(proof.moments, proof.states, proof.arrows, proof.rounds, proof.hidden_pairs)
    first = _source(played.text.start)
    if family.second is None:
        return Texts(first, None, (), merging, 0, 0, 0, ())
    automaton = played.proven.automaton
    found: Sequence[TextAgreement] = (
        on_every_state(game, played.text, family.second, automaton, walk(played)),
        compared(
            game,
            played.text,
            family.second,
            dealt_rounds(automaton, strategy, _rows(game, seed, rounds)),
            dealt=True,
        ),
    )
    return Texts(
        first,
        _source(family.second),
        shared_code(played.text.start, family.second),
        merging,
        sum(one.deals for one in found),
        sum(one.dealt for one in found),
        sum(one.differing for one in found),
        tuple(str(difference) for one in found for difference in one.differences),
    )


def _rows(game: Game, seed: bytes, rounds: int) -> Iterator[list[int]]:
    source = StreamDecks.of(game, seed, "evidence-sample")
    for stream in range(-(-rounds // _AT_ONCE)):
        # The first stream of this purpose chooses the rounds that are recorded.
        yield from source.deal(stream + 1, min(_AT_ONCE, rounds - stream * _AT_ONCE)).tolist()


def _source(text: Callable[..., object]) -> TextSource:
    return TextSource(text.__module__, digest_of(text))

"""The two texts of a game against each other: on a deal for every state of the walk, and on rounds really dealt.

The second lies in the pack too, with the rules and pays that it is given, so that a stranger settles rounds by it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from certify import result_cache
from certify.analysis.engine.deals import deals
from certify.analysis.engine.stored import code_of, digest_of_parts, digest_of_text
from certify.analysis.engine.walk import walk
from certify.characters import json_text
from certify.evidence.submitted import SourceText, Texts
from certify.exact import fraction_text
from certify.families.registry import family_of
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
from certify.model.game import Game
from certify.model.stages import SecondText, pays_of
from certify.model.strategy import Strategy
from certify.simulation import StreamDecks

AGREEMENT: Final = "texts"
"""What the agreement of two texts is kept as."""

SECOND: Final = "data/second.py"
GIVEN: Final = "data/second.json"
"""The second implementation in the pack, and the rules and pays that it settles by."""

_AT_ONCE: Final = 10_000
"""Rows dealt at once."""

_ROUND_BY_ROUND: Final = 10
"""Of so many rounds that a table would play, one is played by a reference round that is not written in stages."""


def texts_of(game: Game, seed: bytes, strategy: Strategy, rounds: int) -> Texts | None:
    """Returns the texts of a game and how far they agree; none where it is not in stages and has no second text.

    Args:
        game: The submission.
        seed: Master seed of the rounds that are dealt.
        strategy: Who decides in them.
        rounds: Rounds to deal; a tenth of them where the game is not written in stages.
    """
    family = family_of(game)
    played = family.reference(game)
    second = family.second
    merging = None
    first: Callable[..., object] = family.reference
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

    That they agree is kept by the digest of both texts, the rules and the prices, and found by the next command; in
    what they differ is computed each time.
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
    """Returns one SHA-256 over what both texts rest on and are handed; empty where it cannot be told."""
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

    Nothing is returned where the family brings none, or where its source is not at hand.
    """
    second = family_of(game).second
    source = b"" if second is None else source_of(second)
    if not source:
        return {}
    given = {"rules": as_json(game.rules), "pays": as_json(pays_of(game.wagers))}
    return {
        SECOND: (source, "The second implementation, which settles rounds: read it before it is run"),
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

"""One digest over rounds and figures of a game, made here and in another process."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import BinaryIO, Final

from certify.families.driver import play
from certify.families.registry import family_of
from certify.mathematics.of_game import analyze, plan_of
from certify.model.game import Game
from certify.simulation.decks import StreamDecks
from certify.submission import read_game

ROUNDS: Final = 50


def digest(game: Game, seed: bytes) -> str:
    """Returns the SHA-256 of the sentences of some rounds and of the exact figures under the best play.

    Args:
        game: The submission.
        seed: Master seed of the rounds.
    """
    analysis = analyze(game, plan_of(game).analysed[0])
    reference = family_of(game).reference(game)
    said = [
        f"{wager.wager} {outcome.id} {outcome.pays} {outcome.staked} {outcome.probability}"
        for wager in analysis.wagers
        for outcome in wager.outcomes
    ]
    for row in StreamDecks.of(game, seed).deal(0, ROUNDS).tolist():
        said += play(reference, row, analysis.strategy).trace
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Answers with the digest of the game and the seed of a task."""
    path, seed = json.load(given)
    answers.write(digest(read_game(Path(path)), bytes.fromhex(seed)).encode())

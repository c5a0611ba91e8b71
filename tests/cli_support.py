"""What tests of the command line share: the game, a seed, and what a call gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
SEED = "5e77ee" * 11  # 33 bytes


Words = str | tuple[str, ...]


def require_words(text: str, words: Words) -> None:
    """Fails at the first of some words that a text lacks, and shows the text."""
    for word in (words,) if isinstance(words, str) else words:
        assert word in text, f"{word!r} is not in: {text}"


def refuses(error: type[BaseException], *refused: tuple[str, Callable[[], object]]) -> None:
    """Fails unless each call raises an error in which some words are found; of no words, any error of its kind."""
    for words, call in refused:
        with pytest.raises(error, match=words or None):
            call()


def written(path: Path, content: str | bytes) -> Path:
    """Writes a file for a test, and returns where."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@dataclass(frozen=True)
class Called:
    """What one call left: exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document that was printed."""
        return json.loads(self.out)

    def expect(self, code: int | None = None, *, out: Words = (), err: Words = ()) -> Called:
        """Fails unless the call ended with a code, where one is named, and printed some words."""
        assert code in (None, self.code), (code, self)
        require_words(self.out, out)
        require_words(self.err, err)
        return self

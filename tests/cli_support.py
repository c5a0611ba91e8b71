"""What tests of the command line share: the game, a seed, and what a call gave."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
SEED = "5e77ee" * 11  # 33 bytes


Words = str | tuple[str, ...]


def require_words(text: str, words: Words) -> None:
    """Fails at the first of some words that a text lacks, and shows the text."""
    for word in (words,) if isinstance(words, str) else words:
        assert word in text, f"{word!r} is not in: {text}"


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str

    def expect(self, code: int | None = None, *, out: Words = (), err: Words = ()) -> Called:
        """Fails unless the call ended with a code, where one is named, and printed some words."""
        assert code in (None, self.code), (code, self)
        require_words(self.out, out)
        require_words(self.err, err)
        return self

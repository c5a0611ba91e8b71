"""What tests of the command line share: the game, a seed, and what a call gave."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
SEED = "5e77ee" * 11  # 33 bytes


Words = str | tuple[str, ...]


def require_words(text, words):
    """Fails at the first of some words that a text lacks, and shows the text."""
    for word in (words,) if isinstance(words, str) else words:
        assert word in text, f"{word!r} is not in: {text}"


def refuses(error, *refused):
    """Fails unless each call raises an error in which some words are found; of no words, any error of its kind."""
    for words, call in refused:
        with pytest.raises(error, match=words or None):
            call()


def written(path, content):
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
    def json(self):
        """The document that was printed."""
        return json.loads(self.out)

    def expect(self, code=None, *, out=(), err=()):
        """Fails unless the call ended with a code, where one is named, and printed some words."""
        assert code in (None, self.code), (code, self)
        require_words(self.out, out)
        require_words(self.err, err)
        return self

"""Reading a submission: TOML to nouns, every mistake with its file and line, all at once."""

from certify.submission.equipment import equipment_named
from certify.submission.reader import parse_game, read_game

__all__ = ["equipment_named", "parse_game", "read_game"]

"""What a submission says of its cards and that nothing plays is refused with its line, not passed over."""

from pathlib import Path

import pytest

from certify.errors import SubmissionError
from certify.submission import parse_game

GAMES = Path(__file__).parents[2] / "fixtures/games"


@pytest.mark.parametrize("name", ["playtech-7-e-mezzo", "us5632489-casino", "us5632489-home"])
@pytest.mark.parametrize(
    ("table", "key", "value", "told"),
    [
        ("matta", "counts_as", "7 only", 'a matta that counts "7 only" is not supported'),
        ("deck", "shuffled", "never", 'a deck shuffled "never" is not supported'),
    ],
)
def test_what_no_family_plays_is_refused_with_its_line(name, table, key, value, told):
    lines = (GAMES / name / "game.toml").read_text("utf-8").splitlines()
    place = next(n for n in range(lines.index(f"[{table}]"), len(lines)) if lines[n].startswith(f"{key} = "))
    lines[place] = f'{key} = "{value}"'
    with pytest.raises(SubmissionError) as caught:
        parse_game("\n".join(lines).encode(), "game.toml")
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"game.toml:{place + 1}: ")
    assert told in str(problem)

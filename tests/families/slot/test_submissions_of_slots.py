"""What a submission of a slot may say, and every mistake of it with its line."""

from __future__ import annotations

import pytest
from small_slots import HEAD, LINES, WAYS, small

from certify.errors import SubmissionError
from certify.families.slot.rules import rules_of

WRONG = {
    'reels = ["a b star wild", "a b b c star", "c a wild b"]': (
        'reels = ["a b star wild", "a b b c star"]',
        "2 reels: expected 3, as many as heights",
    ),
    'symbol = "c"': ('symbol = "melon"', 'the symbol "melon" is on no strip'),
    'lines = ["111", "222", "121"]': ('lines = ["111", "223"]', 'row "3" on reel 3: expected 1 to 2'),
    '"222", "121"]': ('"222", "111"]', 'the line "111" is stated twice'),
    "pays = [0, 0, 7]": ("pays = [0, 0, 7, 9]", "4 numbers: expected one for each count, 1 to 3 of them"),
    'together = "multiply"': ('together = "square"', 'expected one of "once", "multiply", "add"'),
    'multiplies = "2"': ('multiplies = "2:1/3 3:1/3"', "chances of the factors do not sum to 1"),
    'stage = "free"': ('stage = "extra"', 'the stage "extra" is not stated'),
    "games = [0, 2, 4]": ("games = [0, 0, 0]", "nothing ever starts it"),
}


def mistakes(text: str) -> str:
    with pytest.raises(SubmissionError) as caught:
        small(text)
    return str(caught.value)


@pytest.mark.parametrize("stated", WRONG)
def test_a_mistake_is_told_with_its_line_and_what_was_expected(stated: str) -> None:
    wrong, expected = WRONG[stated]
    text = LINES.replace(stated, wrong)
    assert text != LINES
    line = (HEAD + text).splitlines().index(
        next(one for one in (HEAD + text).splitlines() if wrong in one)
    ) + 1
    found = mistakes(text)
    assert expected in found
    assert f"game.toml:{line}:" in found


def test_all_mistakes_are_told_at_once() -> None:
    text = LINES
    for stated in ('symbol = "c"', "pays = [0, 0, 7]", 'together = "multiply"'):
        text = text.replace(stated, WRONG[stated][0])
    assert len(mistakes(text).splitlines()) >= 3


def test_rows_of_the_paytable_follow_from_what_the_tables_pay() -> None:
    game = small(LINES)
    rows = {row.id: row.pays for row in game.wagers[0].paytable.rows}
    assert rows["a-3"] * 3 == 20
    assert rows["star-2"] == 1
    assert game.equipment[0].id == "base-reel-1"


def test_weighted_stops_and_repeated_stops_are_read() -> None:
    rules = rules_of(small(WAYS.replace('"a b star c b a"', '"a*2 b:3 star, c"')))
    reel = rules.strip_set("base").reels[0]
    assert reel.symbols == ("a", "a", "b", "star", "c")
    assert reel.weights == (1, 1, 3, 1, 1)


def test_a_stage_may_say_itself_which_symbol_expands() -> None:
    """One stage for each symbol, where rows differ by it; as many stages as free games of one symbol drawn make."""
    drawn = LINES.replace("games = [0, 2, 4]", 'games = [0, 2, 4]\nexpanding = ["a", "b"]')
    stages = "".join(
        f'[[stages]]\nid = "free-{name}"\nstrips = "free"\nmultiplier = 3\nexpanding = "{name}"\n\n'
        for name in "ab"
    )
    stated = LINES.replace('[[stages]]\nid = "free"\nstrips = "free"\nmultiplier = 3\n', stages)
    stated = stated.replace('stage = "free"', 'stages = ["free-a", "free-b"]')
    assert rules_of(small(stated)).stages == rules_of(small(drawn)).stages
    assert rules_of(small(stated)).free_games == rules_of(small(drawn)).free_games
    with pytest.raises(SubmissionError, match='the symbol "x" is on no strip'):
        small(stated.replace('expanding = "b"', 'expanding = "x"'))

"""What a submission of a slot may say, and every mistake of it with its line."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import test_exact_figures_of_slots as exact
import test_limit_on_the_win as limits
from small_slots import HEAD, LINES, WAYS, small

from certify.errors import SubmissionError
from certify.families import family
from certify.families.slot.rules import TABLES, rules_of
from certify.gate.lint import lint_paths
from certify.model import Game
from certify.model.form_reader import structure
from certify.submission import form_with

PAGE = Path(__file__).parents[3] / "docs" / "slots.md"

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


SILENT = {
    "a row twice": ('[[scatter_pays]]\nsymbol = "star"\npays = [0, 1]', 'the row "star-2" is stated twice'),
    "a row again under another id": (
        '[[scatter_pays]]\nid = "s"\nsymbol = "star"\npays = [0, 1]',
        'the row "s-2" is stated twice: expected it once, and not as "star-2" too',
    ),
    "two features under one id": (
        '[[bonuses]]\nid = "free-games"\ndraws = "wheel"\nsymbol = "c"\nstarts = [1]\nprizes = ["1"]',
        '"free-games" is stated twice',
    ),
    "a way of betting and a purchase under one id": (
        (
            '[[bet_levels]]\nid = "buy"\nlines = 1\ncoins = 1\ncost = 1\n'
            '[[purchases]]\nid = "buy"\nfeature = "free-games"\nstarts = 2\nprice = "9"'
        ),
        '"buy" is stated twice',
    ),
    "a way of betting under the id of the wager": (
        '[[bet_levels]]\nid = "main"\nlines = 1\ncoins = 1\ncost = 1',
        '"main" is stated twice',
    ),
    "a bonus that cannot begin": (
        '[[bonuses]]\nid = "b"\ndraws = "wheel"\nsymbol = "c"\nstarts = [0, 0, 0, 0, 1]\nprizes = ["1"]',
        'nothing ever starts "b": so many of c never show in base',
    ),
    "a bonus without a prize": (
        '[[bonuses]]\nid = "b"\ndraws = "wheel"\nsymbol = "c"\nstarts = [1]\nprizes = []',
        "no prize pays anything",
    ),
    "a circle": (
        "".join(
            f'[[stages]]\nid = "{one}"\nstrips = "free"\n[[free_games]]\nid = "f-{one}"\nstage = "{one}"\n'
            f'symbol = "star"\ngames = [0, 2]\nbegins_in = ["base", "{other}"]\n'
            for one, other in (("x", "y"), ("y", "x"))
        ),
        "features start each other in a circle",
    ),
    "games in the stage of others": (
        '[[free_games]]\nid = "more"\nstage = "free"\nsymbol = "star"\ngames = [0, 2]',
        'the stage "free" starts games and is that of the paid spin or of other games',
    ),
    "bought games in the stage of the paid spin": (
        (
            '[[free_games]]\nid = "more"\nstage = "base"\nsymbol = "star"\ngames = [0, 2]\n'
            '[[purchases]]\nid = "buy"\nfeature = "more"\nstarts = 2\nprice = "9"'
        ),
        'the stage "base" starts games and is that of the paid spin',
    ),
    "a symbol that expands in the stage of other games": (
        '[[free_games]]\nid = "more"\nstage = "free"\nsymbol = "star"\ngames = [0, 2]\nexpanding = ["a"]',
        'a symbol expands in "free": expected one stage, which no other games are played in',
    ),
    "a feature under the name of a class of rounds": (
        '[[bonuses]]\nid = "win-from-1"\ndraws = "wheel"\nsymbol = "c"\nstarts = [1]\nprizes = ["1"]',
        '"win-from-1" is stated twice',
    ),
    "more boxes than anybody opens": (
        '[[bonuses]]\nid = "b"\ndraws = "pick"\nsymbol = "c"\nstarts = [1]\nprizes = ["1 x100000000"]',
        "weights together 100000000: expected 0 to 1,000",
    ),
    "a wheel of more weights than are drawn": (
        '[[bonuses]]\nid = "b"\ndraws = "wheel"\nsymbol = "c"\nstarts = [1]\nprizes = ["1 x10000000", "2"]',
        "weights together 10000001: expected 0 to 10,000,000",
    ),
    "a ladder of more equal parts than are drawn": (
        '[[bonuses]]\nid = "b"\ndraws = "ladder"\nsymbol = "c"\nstarts = [1]\nprizes = ["2 1/10000001"]',
        "a chance up to 1, in 10,000,000 equal parts at most",
    ),
    "a gamble of more equal parts than are drawn": (
        '[gamble]\nchance = "0.49999999"\nmultiplies = "2"\nsteps = 3',
        "between 0 and 1, in 10,000,000 equal parts at most",
    ),
    "a stage nobody comes to": (
        '[[stages]]\nid = "more"\nstrips = "free"',
        'nothing leads to the stage "more"',
    ),
    "a pattern of nothing": (
        '[[pattern_pays]]\nid = "p"\ncells = ["any", "any", "any"]\npays = 3',
        "every window shows it",
    ),
    "full reels of nothing": (
        "[[full_reels]]\nsymbols = []\ntimes = [1, 2]",
        "no symbol: expected one or more",
    ),
    "a respin of no reel": ('[[respins]]\nid = "r"\nsymbol = "wild"\nreels = []', "0 reels"),
    "a wild that counts double": (
        '[[doubled]]\nsymbol = "wild"\nstands_for = "b"\ntimes = 2',
        '"wild" counts as "b", and one of them counts as another one already',
    ),
    "a gamble for nothing": (
        '[gamble]\nchance = "1/2"\nmultiplies = "1"\nsteps = 3',
        "expected a number above 1",
    ),
    "a feature under the name of what a gamble pays": (
        (
            '[gamble]\nchance = "1/2"\nmultiplies = "2"\nsteps = 3\n'
            '[[bonuses]]\nid = "gamble"\ndraws = "wheel"\nsymbol = "c"\nstarts = [1]\nprizes = ["1"]'
        ),
        '"gamble" is stated twice',
    ),
    "a pattern under the name of what a gamble pays": (
        (
            '[gamble]\nchance = "1/2"\nmultiplies = "2"\nsteps = 3\n'
            '[[pattern_pays]]\nid = "gamble"\ncells = ["a", "a", "any"]\npays = 3'
        ),
        'the row "gamble" is stated twice',
    ),
    "an empty variant": ('[[variants]]\nid = "v"\ntitle = "V"\nstrips = {}', "no other strips"),
}

OTHERWISE = {
    'symbol = "wild"\n': {
        'symbol = "wild"\nreplaces = ["a", "wild"]\n': 'the wild "wild" replaces itself',
        'symbol = "wild"\nreplaces = ["a", "star"]\n': 'replaces "star", for which no wild counts',
        'symbol = "wild"\nreplaces = ["a", "b"]\nbut_not = ["b"]\n': "expected either what it replaces",
    },
    'multiplies = "2"': {
        'multiplies = "2:1 3:0"': "expected each factor once, with a chance above 0",
        'multiplies = "2:1/3163 3:1/3167 4:10010891/10017221"': "in 10,000,000 equal parts at most",
    },
    "heights = [2, 2, 2]": {"heights = [2, 7, 2]": "reel 2 has 5 stops, and its window 7 rows"},
    "pays = [0, 0, 7]": {
        "pays = [0, 0, 0]": "it never pays",
        "pays = [0, 7]": "as many as 3 can show, and 2 are listed",
    },
    "c wild b": {"c wild B": 'the symbols "B" and "b" differ in case alone'},
    'stage = "free"': {
        'stages = ["free 1", "base 0"]': "expected a chance above 0 for each",
        'stages = ["free 1/20000001", "base 20000000/20000001"]': "in 10,000,000 equal parts at most",
        'stages = ["free 1/2", "base 1/2"]\nexpanding = ["a"]': "expected one stage, which no other games",
        'stage = "free"\nexpanding = ["star"]': '"star" expands and pays nothing on lines',
    },
    "pays = [0, 1, 4]": {"pays = [0, 1, 4]\nwilds = true": 'wilds count for "star", which no wild replaces'},
    "games = [0, 2, 4]": {
        "games = [0, 2, 4]\nagain = [0, -2, 4]": "the number -2: expected 0",
        "games = [0, 2, 4]\nagain = [5, 20, 40]": 'a game of "free" adds 6.5000 games to its own series',
        "games = [0, 2, 4]\nretriggers = false\nagain = [0, 2]": "but retriggers = false",
        "games = [0, 2, 4]\nretriggers = false\nbegins_in = []": "it begins in no stage but its own",
        "games = [0, 2, 4]\nexpanding_only = true": "nothing expands: expected expanding",
    },
    "lines = [": {
        "cost = 0\nlines = [": "coins 0: expected 1 to 1,000,000,000",
        'most = "0"\nlines = [': "expected a limit above 0",
        'line_wins = "each end"\nlines = [': 'lines are counted "left": expected both',
    },
}


CASES = [
    *((LINES, LINES, f"{LINES}\n{added}\n", expected) for added, expected in SILENT.values()),
    *(
        (LINES, stated, LINES.replace(stated, wrong, 1), said)
        for stated, some in OTHERWISE.items()
        for wrong, said in some.items()
    ),
    *((LINES, stated, LINES.replace(stated, wrong), said) for stated, (wrong, said) in WRONG.items()),
    *((exact.AGAIN, exact.AGAIN, exact.AGAIN + added, said) for added, said in exact.REFUSED_AGAIN.items()),
    *(
        (text, stated, text.replace(stated, wrong), said)
        for text, refused in (
            (exact.COINS, exact.REFUSED_HOLD),
            (LINES + limits.METERS, limits.REFUSED_METERS),
        )
        for stated, wrong, said in refused
    ),
]


@pytest.mark.parametrize(("sound", "stated", "text", "expected"), CASES, ids=[said for *_, said in CASES])
def test_a_mistake_is_told_with_its_line_and_what_was_expected(
    sound: str, stated: str, text: str, expected: str
) -> None:
    assert stated in sound
    assert text != sound
    found = mistakes(text)
    assert expected in found
    assert ":0:" not in found


OPEN = {
    'wilds alone win "b-1"': (LINES, LINES.replace('multiplies = "2"', 'multiplies = "2"\nalone = true')),
    'the symbol "BONUS" pays, starts and replaces nothing': (
        LINES.replace("c a wild b", "c a wild b BONUS"),
        LINES.replace("c a wild b", "c a wild b blank"),
    ),
    '"low" is never paid: each line that shows it wins as much or more by another row': (
        LINES + '[[pattern_pays]]\nid = "low"\ncells = ["a", "a", "a"]\npays = 1\n',
        LINES + '[[pattern_pays]]\nid = "low"\ncells = ["a", "b", "a"]\npays = 1\n',
    ),
}


@pytest.mark.parametrize("said", OPEN)
def test_what_a_sound_submission_leaves_open_is_remarked(said: str, tmp_path: Path) -> None:
    for text, remarked in zip(OPEN[said], (True, False), strict=True):
        path = tmp_path / "game.toml"
        path.write_text(HEAD + text, "utf-8")
        found = lint_paths([path])
        assert found.mistakes == ()
        assert any(said in one.message and one.line > 1 for one in found.remarks) is remarked


@pytest.mark.parametrize("together", ["", 'together = "add"\n'])
def test_wilds_of_several_reels_in_ways_multiply_each_other_or_are_refused(together: str) -> None:
    """Whatever was stated, and once where nothing was, they were counted and played as factors of each other."""
    assert 'together = "multiply"\n' in WAYS
    found = mistakes(WAYS.replace('together = "multiply"\n', together))
    assert 'wilds of several reels in ways of "base" multiply each other: expected multiply' in found
    alone = WAYS.replace('together = "multiply"\n', together).replace("b a c wild star a", "b a c star a")
    assert rules_of(small(alone)).ways


def test_rows_that_the_strips_cannot_show_are_no_rows_that_a_round_reaches() -> None:
    """Stars on two reels and at most three in a window; no c on the second reel, where no wild stands either."""
    text = LINES.replace("a wild b c star:2", "a a b b star:2").replace("a b b c star", "a b b b star")
    text = text.replace("pays = [0, 1, 4]", "pays = [0, 1, 4, 5, 6, 7, 8]")
    game = small(text)
    reached = rules_with_rows(game)
    assert "c-3" not in reached
    assert "star-7" not in reached
    assert {"a-3", "b-3", "star-2"} <= set(reached)


def rules_with_rows(game: Game) -> tuple[str, ...]:
    return family("slot").rules.reachable_rows(game, "main")


def mistakes(text: str) -> str:
    with pytest.raises(SubmissionError) as caught:
        small(text)
    return str(caught.value)


@pytest.mark.parametrize(
    "draws",
    ['"pick until"\nprizes = ["1", "10", "0 ends"]', '"hold"\nplaces = 4\nprizes = ["0", "1", "100"]'],
)
def test_prizes_too_many_to_count_are_refused_where_they_are_stated(draws: str, monkeypatch: Any) -> None:
    for module in ("submitted", "exact.prizes"):
        monkeypatch.setattr(f"certify.families.slot.{module}.MOST_PICKED", 3)
    text = f'{LINES}\n[[bonuses]]\nid = "b"\nsymbol = "c"\nstarts = [1]\ndraws = {draws}\n'
    where = (HEAD + text).count("\n")
    with pytest.raises(SubmissionError, match=rf"^game.toml:{where}:\d+: more than 3 different"):
        small(text)


@pytest.mark.parametrize("row", ["limit", "multiplied-window"])
def test_a_row_may_bear_a_name_that_nothing_else_in_its_slot_bears(row: str) -> None:
    text = f'{LINES}\n[[pattern_pays]]\nid = "{row}"\ncells = ["a", "any", "b"]\npays = 3\n'
    assert row in small(text).wagers[0].paytable.ids
    adding = (
        text.replace("[slot]", '[slot]\nmost = "9"') + '[[full_reels]]\nsymbols = ["a"]\ntimes = [1, 2]\n'
    )
    with pytest.raises(SubmissionError, match=f'"{row}" is stated twice'):
        small(adding)


def test_a_mistake_names_the_line_of_its_key() -> None:
    line = (HEAD + LINES).splitlines().index('stage = "free"') + 1
    (found,) = mistakes(LINES.replace('stage = "free"', 'stage = "extra"')).splitlines()
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


# Every mechanic of a slot is said by keys that exist, or refused by the message that the page prints.


FALLING = '\n[[cascades]]\nmultipliers = [1]\nrefill = "strip above"\n'
REFUSED = {
    "a multiplier that grows from one free game to the next, symbols that stay for the series": LINES.replace(
        "multiplier = 3", "multiplier = 3\ngrows = 1"
    ),
    "clusters of symbols side by side": LINES + '\n[[clusters]]\nsymbol = "a"\n',
    "symbols that all become one which is drawn": LINES + '\n[[wilds]]\nsymbol = "c"\nbecomes = ["a", "b"]\n',
    "ways from the right or both ends": WAYS.replace("ways = true", 'ways = true\ndirection = "both"'),
    "hold and win whose places stop on strips, or whose values grow, are collected or moved": LINES
    + '\n[[bonuses]]\nid = "coins"\ndraws = "hold"\nstrips = "free"\nsymbol = "c"\nstarts = [1]\nprizes = ["0", "1"]\n',
    "a respin that the player pays for": LINES
    + '\n[[respins]]\nid = "paid"\nsymbol = "a"\nreels = [1]\nprice = "3"\n',
    "cascades that fill with symbols drawn anew": LINES + FALLING.replace("strip above", "symbols"),
    "cascades where heights change, or cells are drawn by themselves": WAYS.replace(
        'id = "base"', 'id = "base"\nfill = "cells"'
    )
    + FALLING,
    "a meter that must hit by an amount, drawn otherwise": LINES
    + '\n[[jackpots]]\nid = "grand"\nseed = "10"\nincrement = "1/100"\nmust_hit_by = "500"\nhit_weights = "1"\n',
    "a cap where a series may go on for ever, and a game that grants further ones may win nothing": LINES.replace(
        "[slot]", '[slot]\nmost = "50"'
    ).replace("pays = [0, 1, 4]", "pays = [0, 0, 4]"),
}


def rows() -> list[tuple[str, list[str], str]]:
    """Returns the mechanics of the page: each with its keys, or the message that refuses it."""
    text = PAGE.read_text(encoding="utf-8").split("## Every mechanic")[1].split("##")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    return [(name, keys.replace("`", "").split(", ") if keys else [], told) for name, keys, told in cells[2:]]


@pytest.mark.parametrize(("name", "keys", "told"), rows(), ids=[name for name, _, _ in rows()])
def test_a_mechanic_is_said_or_refused_as_the_page_says(name: str, keys: list[str], told: str) -> None:
    assert bool(keys) != bool(told)
    for key in keys:
        table, _, field = key.partition(".")
        assert field in [one.name for one in fields(TABLES[table].form)]
    if told:
        with pytest.raises(SubmissionError) as caught:
            small(REFUSED[name])
        assert told in str(caught.value)
        assert "game.toml:" in str(caught.value)


def test_every_refusal_stands_on_the_page() -> None:
    assert {name for name, _, told in rows() if told} == set(REFUSED)


# The page that shows the tables of a slot is what is read.


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def mistakes_of_page(text: str) -> list[str]:
    """What is wrong with the slot's own tables; those of every game are not on the page."""
    _, found = structure(tomllib.loads(text), form_with(TABLES))
    return [f"{one.key}: {one.message}" for one in found if one.key and one.key[0] in TABLES]


def test_every_line_of_the_page_is_of_the_form_that_is_read() -> None:
    assert mistakes_of_page(example()) == []
    assert set(tomllib.loads(example())) == set(TABLES)


def test_a_key_that_is_not_read_or_is_of_another_form_would_be_found() -> None:
    """The faults that the page had once."""
    for right, wrong in (("but_not", "not"), ('multiplies = "2"  ', "multiplies = 2  ")):
        assert right in example()
        assert len(mistakes_of_page(example().replace(right, wrong, 1))) == 1

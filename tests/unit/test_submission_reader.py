"""A mistake in a submission is reported with its file and line, and all mistakes at once."""

from fractions import Fraction
from pathlib import Path

import pytest

from certify.errors import Problems, SubmissionError
from certify.model import Provenance
from certify.submission import SubmittedRules, index_lines, parse_game, read_game

FIXTURE = Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml"
TEXT = FIXTURE.read_text("utf-8")


def problems(text):
    with pytest.raises(SubmissionError) as caught:
        parse_game(text.encode(), "game.toml")
    return [str(problem) for problem in caught.value.problems]


def line_of(text, needle, occurrence=1):
    hits = [n for n, line in enumerate(text.splitlines(), start=1) if needle in line]
    return hits[occurrence - 1]


def test_the_published_game_reads():
    game = read_game(FIXTURE)
    assert [wager.id for wager in game.wagers] == ["main", "partita-perfetta", "mano-di-poker"]
    assert game.wager("main").paytable.pays("king-of-denari-seven-and-a-half") == Fraction(2)
    assert {claim.text for claim in game.claims} == {"99.54 %", "96.15 %", "96.32 %"}
    assert game.terms.unresolved_void_after_days == 90
    recovered = [row for wager in game.wagers[1:] for row in wager.paytable.rows]
    assert all(row.origin.provenance is Provenance.RECOVERED and not row.origin.unique for row in recovered)


MISTAKES = {
    "unknown key": ('supplier = "Playtech"', 'suplier = "Playtech"', 'unknown key "suplier"'),
    "a metric by another name": (
        'metric = "return-to-player"',
        'metric = "RTP"',
        'metric "RTP": did you mean "return-to-player"?',
    ),
    "a metric as a key": (
        'metric = "return-to-player"',
        'rtp = "99.54 %"',
        'unknown key "rtp": write metric = "return-to-player"',
    ),
    "a source nearly named": (
        'source = "rules-screen"',
        'source = "rule-screen"',
        'did you mean "rules-screen"?',
    ),
    "an amount with a comma": ('minimum = "1.00"', 'minimum = "1,00"', "a point before the decimals"),
    "a share with a comma": ('"99.54 %"', '"99,54 %"', "a point before the decimals"),
    "pays of the wrong form": ('pays = "2 to 1"', 'pays = "2:1"', "pays of the wrong form '2:1'"),
    "pays as a number": ('pays = "2 to 1"', "pays = 2", "expected text, got 2"),
    "claim for no wager": ('[[claims]]\nwager = "main"', '[[claims]]\nwager = "maine"', "does not exist"),
    "claim of the wrong form": ('printed = "99.54 %"', 'printed = "99,54 %"', "percentage of the wrong form"),
    "unknown rule": ('id = "tie"', 'id = "ties"', 'unknown rule "ties"'),
    "rule of the wrong value": ('value = "lose"', 'value = "wins"', "expected one of lose, push"),
    "term of the wrong type": ("void_after_days = 90", 'void_after_days = "90"', "expected a whole number"),
    "term out of bounds": ("void_after_days = 90", "void_after_days = 0", "0 days"),
    "recovered by nothing": (
        'by = "main/99.54 %: the only one of 28 candidates that fits"\n\n[[wagers.paytable]]',
        "\n[[wagers.paytable]]",
        "must say by what",
    ),
    "unknown source": ('source = "rules-screen"', 'source = "hearsay"', "not listed under [[sources]]"),
    "another deck": ('K = "1/2"', 'K = "10"', "differs from the family's"),
    "limits upside down": (
        'minimum = "1.00", maximum = "500.00"',
        'minimum = "9.00", maximum = "5.00"',
        "expected",
    ),
    "a value without its rank": ('K = "1/2"\n', "", 'rank "K" has no value'),
    "a line break in a pay": ('pays = "2 to 1"', 'pays = "2 to 1\\n"', "pays of the wrong form"),
    "digits of another script": (
        'printed = "99.54 %"',
        'printed = "٩٩.54 %"',
        "percentage of the wrong form",
    ),
    "a line break in a digest": ('f54f9a741e695e"', 'f54f9a741e695e\\n"', "is no SHA-256"),
    "an empty title": ('title = "7 e Mezzo"', 'title = " "', '"title" is empty'),
    "writing turned around": ('title = "7 e Mezzo"', 'title = "7 e \\u202eMezzo"', "cannot be seen: U+202E"),
    "a terminal's escape": ('supplier = "Playtech"', 'supplier = "\\u001b[31m"', "cannot be seen: U+001B"),
    "a table that is text": (
        TEXT[TEXT.index("limits = {") : TEXT.index("}", TEXT.index("limits = {")) + 1],
        'limits = "1 to 500"',
        "wagers[1].limits: expected a table",
    ),
    "limits in two currencies": (
        'maximum = "100.00", currency = "EUR"',
        'maximum = "100.00", currency = "USD"',
        'limits in "USD": expected one currency for all wagers, "EUR"',
    ),
    "a reading that is not there": (
        'by = "reading/win-pays-even-money"',
        'by = "reading/custom"',
        "names no reading of this submission",
    ),
    "an id stated twice": (
        'id = "straights"',
        'id = "king-in-side-bets"',
        '"king-in-side-bets" is stated twice',
    ),
    "another figure": (
        'metric = "return-to-player"',
        'metric = "hold-percentage"',
        "expected one of return-to-player",
    ),
    "another rounding": ('rounding = "nearest"', 'rounding = "up"', "expected one of nearest, truncated"),
    "a dealer who never stands": ('value = "3"', 'value = "7½"', "must be between ½ and 7"),
    "another target": ('value = "7½"', 'value = "8½"', "hands of this family are counted to 7½"),
    "another schema": ('"certify-game/1"', '"certify-game/9"', "is not known"),
    "another matta": ('card = "K of Denari"', 'card = "Q of Denari"', "the matta of this family"),
    "two decks": ("decks = 1", "decks = 2", "2 decks: this family plays with one"),
    "suits in another order": ('["Denari", "Coppe"', '["Coppe", "Denari"', "suits of this family are"),
    "another banker": ('banked_by = "house"', 'banked_by = "player"', 'banked by "player"'),
    "a dealer who plays on": (
        'id = "dealer-plays-after-player-bust"\nvalue = false',
        'id = "dealer-plays-after-player-bust"\nvalue = true',
        "does not play after a player's bust",
    ),
    "an unknown provenance": (
        'provenance = "recovered"',
        'provenance = "guessed"',
        "expected one of printed",
    ),
    "a losing row that pays": (
        'id = "king-of-denari-seven-and-a-half"',
        'id = "lose"',
        'row "lose" of "main" loses the stake',
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_mistake_is_named_with_its_line(old, new, expected):
    assert old in TEXT
    found = problems(TEXT.replace(old, new, 1))
    matching = [problem for problem in found if expected in problem]
    assert matching, found
    path, line, _ = matching[0].split(":", 2)
    assert path == "game.toml"
    changed = TEXT[: TEXT.index(old)].count("\n") + 1
    assert abs(int(line) - changed) <= 10, (line, changed)


def test_a_hand_that_no_row_covers_is_named():
    start = TEXT.index('[[wagers.paytable]]\nid = "flush"')
    end = TEXT.index("[[wagers.paytable]]", start + 5)
    assert any(
        'no row of "mano-di-poker" covers the hand "flush"' in p for p in problems(TEXT[:start] + TEXT[end:])
    )


def test_all_mistakes_are_reported_at_once_form_and_content_alike():
    text = TEXT.replace('supplier = "Playtech"', 'suplier = "Playtech"').replace('"99.54 %"', '"99,54"', 1)
    text = text.replace("void_after_days = 90", 'void_after_days = "90"').replace(
        'pays = "25 to 1"', 'pays = "25:1"', 1
    )
    found = "\n".join(problems(text))
    for expected in ('unknown key "suplier": did you mean "supplier"?', "whole number", "25:1", "99,54"):
        assert expected in found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[terms]", "[term]", ['unknown key "term": did you mean "terms"?']),
        ('"A", "2"', '"A", 2', ['deck.ranks[2]: expected text, got 2: write "2"']),
        (
            '[[wagers]]\nid = "mano-di-poker"',
            '[[wagers]]\nid = "partita-perfetta"',
            ['"partita-perfetta" is stated twice', 'the wager "mano-di-poker" is missing'],
        ),
        ('maximum = "500.00"', 'maximum = "500"', ['amount "500": expected such as "500.00"']),
    ],
    ids=["table", "rank", "wager", "amount"],
)
def test_one_slip_is_reported_once(old, new, expected):
    assert TEXT.count(old) == 1
    found = [one.split(": ", 1)[1] for one in problems(TEXT.replace(old, new))]
    found = [one for one in found if "claim for" not in one]
    assert len(found) == len(expected)
    assert all(one.startswith(start) for one, start in zip(sorted(found), sorted(expected), strict=True))


def test_a_missing_table_hides_no_other_mistake():
    start, end = TEXT.index("[terms]"), TEXT.index("[[sources]]")
    text = TEXT[:start] + TEXT[end:].replace('"99.54 %"', '"99,54"', 1).replace('"99.54 %"', '"99,54"', 1)
    found = problems(text.replace('printed = "99.54 %"', 'printed = "99,54"', 1))
    assert 'game.toml:1:1: key "terms" is missing' in found


def test_without_a_family_nothing_more_can_be_told():
    start, end = TEXT.index("[game]"), TEXT.index("[deck]")
    assert problems(TEXT[:start] + TEXT[end:]) == ['game.toml:1:1: key "game" is missing']


def test_an_unknown_family_is_said_first_and_alone():
    text = TEXT.replace('family = "sette-e-mezzo"', 'family = "sette-e-mezo"').replace('"99.54 %"', '"99,54"')
    (problem,) = problems(text)
    assert 'family "sette-e-mezo" is not known (did you mean "sette-e-mezzo"?): expected one of ' in problem
    assert problem.endswith("or a package of your own that is installed (pip install -e FOLDER)")


def test_a_game_without_one_of_its_wagers_is_refused():
    start, end = TEXT.index('[[wagers]]\nid = "mano-di-poker"'), TEXT.index("[[claims]]")
    text = (TEXT[:start] + TEXT[end:]).replace(
        '[[claims]]\nwager = "mano-di-poker"', '[[claims]]\nwager = "main"'
    )
    assert [p.split(": ", 1)[1] for p in problems(text)] == [
        'the wager "mano-di-poker" is missing: this family is played with it'
    ]


def test_the_rounding_of_a_claim_is_read():
    claims = read_game(FIXTURE).claims
    assert not any(claim.printed.truncated for claim in claims)
    text = TEXT.replace('rounding = "nearest"', 'rounding = "truncated"', 1)
    assert [claim.printed.truncated for claim in parse_game(text.encode(), "game.toml").claims] == [
        True,
        False,
        False,
    ]


def test_a_push_returns_the_stake_alone():
    pushes = TEXT.replace('value = "lose"', 'value = "push"').replace(
        '[[wagers]]\nid = "partita-perfetta"',
        '[[wagers.paytable]]\nid = "push"\ntitle = "Tie"\npays = "0 to 1"\n\n'
        '[[wagers]]\nid = "partita-perfetta"',
    )
    assert parse_game(pushes.encode(), "game.toml").wager("main").paytable.pays("push") == 0
    assert [p.split(": ", 1)[1] for p in problems(pushes.replace('"0 to 1"', '"1 to 2"'))] == [
        'a push returns the stake alone: expected "0 to 1"'
    ]


def test_exact_lines_of_plain_mistakes():
    text = TEXT.replace('pays = "2 to 1"', 'pays = "2:1"', 1)
    line = line_of(text, 'pays = "2:1"')
    place = text.splitlines()[line - 1].index("pays")
    assert problems(text)[0].startswith(f"game.toml:{line}:{place + 1}: ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"a = 1\nb = ", "not valid TOML"),
        (b'schema = "certify-game/1"\nschema = "x"\n', "not valid TOML"),
        (b"x = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"#" * (1 << 20) + b"\n", "larger than"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbfx = 1", "byte order mark"),
        (b"x = " + b"[\n" * 5000, "game.toml:501: nested too deeply"),
        (b"\nx = " + b"9" * 5000, "game.toml:2: a number of a thousand digits"),
        (b'a = 1\nb = "', "game.toml:2: not valid TOML: Unterminated string"),
        (b'"\\u001b[31m" = 1\n', r'unknown key "\\x1b\[31m"'),
    ],
    ids=[
        "encoding",
        "syntax",
        "duplicate key",
        "bracket bomb",
        "size",
        "empty",
        "byte order mark",
        "bracket bomb over many lines",
        "number bomb",
        "end of the file",
        "terminal escape",
    ],
)
def test_hostile_files_are_refused_kindly(data, expected):
    with pytest.raises(SubmissionError, match=expected):
        parse_game(data, "game.toml")


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(SubmissionError, match="cannot be read"):
        read_game(tmp_path / "absent.toml")


def test_a_rule_that_is_a_whole_number_may_be_written_without_quotes():
    text = (FIXTURE.parents[1] / "blackjack-no-hole-card/game.toml").read_text("utf-8")
    plain = text.replace('id = "hands-by-splitting"\nvalue = "4"', 'id = "hands-by-splitting"\nvalue = 3')
    assert plain != text
    assert "split_hands=3" in repr(parse_game(plain.encode(), "game.toml").rules)
    assert any(
        "a whole number or true/false, got 3.5" in problem
        for problem in problems(plain.replace("value = 3\n", "value = 3.5\n"))
    )


def test_an_array_over_several_lines_opens_no_table():
    index = index_lines("c = [\n[1],\n[2]\n]\nd = 3\n")
    assert index.lines == {("c",): 1, ("c", 0): 2, ("c", 1): 3, ("d",): 5}


def test_lines_are_found_past_multi_line_values():
    text = (
        'a = """\n[x]\nb = 1\n"""\nc = [\n  "]",\n  2,\n]\n[t]\nd = { e = 1 }\n[[u]]\n[[u]]\nf = 2\n[[u.v]]\n'
        "g = 3\n"
    )
    index = index_lines(text)
    assert [
        index.line(key) for key in (("c",), ("t", "d"), ("t", "d", "e"), ("u", 1, "f"), ("u", 1, "v", 0, "g"))
    ] == [
        5,
        10,
        10,
        13,
        15,
    ]


@pytest.mark.parametrize(
    "given",
    [(("push", "lose"), "push"), ("win", ("push", "lose"))],
    ids=["the words before the one that holds otherwise", "one that holds otherwise and is no word"],
)
def test_a_family_that_names_no_words_to_choose_from_is_told_how(given):
    reader = SubmittedRules({}, Problems("game.toml", index_lines(TEXT).line, ()))
    with pytest.raises(TypeError, match="expected the word that holds otherwise, then all words allowed"):
        reader.choice("tie", *given)

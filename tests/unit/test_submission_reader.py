"""A mistake in a submission is reported with its file and line, and all mistakes at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from certify.errors import SubmissionError
from certify.model.provenance import Provenance
from certify.submission import parse_game, read_game
from certify.submission.locate import index_lines

FIXTURE = Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml"
TEXT = FIXTURE.read_text("utf-8")


def problems(text: str) -> list[str]:
    with pytest.raises(SubmissionError) as caught:
        parse_game(text.encode(), "game.toml")
    return [str(problem) for problem in caught.value.problems]


def line_of(text: str, needle: str, occurrence: int = 1) -> int:
    hits = [n for n, line in enumerate(text.splitlines(), start=1) if needle in line]
    return hits[occurrence - 1]


def test_the_published_game_reads() -> None:
    game = read_game(FIXTURE)
    assert [wager.id for wager in game.wagers] == ["main", "partita-perfetta", "mano-di-poker"]
    assert game.wager("main").paytable.pays("king-of-denari-seven-and-a-half") == Fraction(2)
    assert {claim.text for claim in game.claims} == {"99.54 %", "96.15 %", "96.32 %"}
    assert game.terms.unresolved_void_after_days == 90
    recovered = [row for wager in game.wagers[1:] for row in wager.paytable.rows]
    assert all(row.origin.provenance is Provenance.RECOVERED and not row.origin.unique for row in recovered)


MISTAKES = {
    "unknown key": ('supplier = "Playtech"', 'suplier = "Playtech"', 'unknown key "suplier"'),
    "pays of the wrong form": ('pays = "2 to 1"', 'pays = "2:1"', "pays of the wrong form '2:1'"),
    "pays as a number": ('pays = "2 to 1"', "pays = 2", "expected text, got 2"),
    "row that no hand can reach": (
        'id = "straight"',
        'id = "full-house"',
        'no hand can reach row "full-house"',
    ),
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
}


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_mistake_is_named_with_its_line(old: str, new: str, expected: str) -> None:
    assert old in TEXT
    found = problems(TEXT.replace(old, new, 1))
    matching = [problem for problem in found if expected in problem]
    assert matching, found
    path, line, _ = matching[0].split(":", 2)
    assert path == "game.toml"
    changed = TEXT[: TEXT.index(old)].count("\n") + 1
    assert abs(int(line) - changed) <= 10, (line, changed)


def test_a_hand_that_no_row_covers_is_named() -> None:
    start = TEXT.index('[[wagers.paytable]]\nid = "flush"')
    end = TEXT.index("[[wagers.paytable]]", start + 5)
    assert any(
        'no row of "mano-di-poker" covers the hand "flush"' in p for p in problems(TEXT[:start] + TEXT[end:])
    )


def test_all_mistakes_are_reported_at_once_form_and_content_alike() -> None:
    text = TEXT.replace('supplier = "Playtech"', 'suplier = "Playtech"').replace('"99.54 %"', '"99,54"', 1)
    text = text.replace("void_after_days = 90", 'void_after_days = "90"').replace(
        'pays = "25 to 1"', 'pays = "25:1"', 1
    )
    found = "\n".join(problems(text))
    for expected in ('unknown key "suplier"', '"supplier" is missing', "whole number", "25:1", "99,54"):
        assert expected in found


def test_exact_lines_of_plain_mistakes() -> None:
    text = TEXT.replace('pays = "2 to 1"', 'pays = "2:1"', 1)
    line = line_of(text, 'pays = "2:1"')
    assert problems(text)[0].startswith(f"game.toml:{line}: ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"a = 1\nb = ", "not valid TOML"),
        (b'schema = "certify-game/1"\nschema = "x"\n', "not valid TOML"),
        (b"x = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"#" * (1 << 20) + b"\n", "larger than"),
        (b"", "is missing"),
    ],
    ids=["encoding", "syntax", "duplicate key", "bracket bomb", "size", "empty"],
)
def test_hostile_files_are_refused_kindly(data: bytes, expected: str) -> None:
    with pytest.raises(SubmissionError, match=expected):
        parse_game(data, "game.toml")


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="cannot be read"):
        read_game(tmp_path / "absent.toml")


def test_lines_are_found_past_multi_line_values() -> None:
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

"""Hostile files and submissions: a bound refuses and never cuts, and says what was wrong."""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
from cli_support import GAME, refuses, written
from evidence_filled import smallest_evidence
from gate_desk import desk_in
from gate_support import published
from hypothesis import given, settings, strategies as st
from openpyxl import Workbook

from certify.cli.main import run
from certify.cli.terminal import PlainStream, plain
from certify.errors import CertifyError, InputError, SubmissionError
from certify.gate.lint import lint_paths
from certify.issue.parties import read_parties
from certify.issue.verification import differences
from certify.rounds import HeadLog, journal, line_of
from certify.submission import parse_game, read_blocks
from certify.untrusted_input import (
    DEEPEST,
    MAXIMUM_BYTES,
    SizeLimit,
    TomlError,
    bounded_toml,
    json_of,
    parsing,
    read_bounded,
)

TEXT = GAME.read_text("utf-8")
STRATEGY = 'schema = "certify-strategy/1"\nname = "mine"\n'

DEEP = {
    "a hexadecimal number of 20,000 digits": "x = 0x" + "f" * 20_000,
    "a number of 999 digits": "x = " + "9" * 999,
    "a key of 499 dots": ".".join("a" * 500) + " = 1",
    "a header of 499 dots": "[" + ".".join("a" * 500) + "]",
    "tables within tables": "x = " + "{a = " * 30 + "1" + "}" * 30,
    "arrays within arrays": "x = " + "[" * 400 + "]" * 400,
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("which", ["submission", "strategy"])
def test_what_is_deep_or_huge_is_one_message(certify, tmp_path, name, which):
    file = written(tmp_path / "file.toml", (STRATEGY if which == "strategy" else "") + DEEP[name] + "\n")
    call = ("analyze", GAME, "--strategy", f"file:{file}") if which == "strategy" else ("analyze", file)
    called = certify(*call).expect(2, err=(str(file),))
    assert len(called.err) < 1000


def test_what_is_within_bounds_is_read():
    deep = "x = " + "[" * (DEEPEST - 2) + "1" + "]" * (DEEPEST - 2)
    assert bounded_toml(deep)
    with pytest.raises(TomlError, match="nested too deeply"):
        bounded_toml("x = " + "[" * DEEPEST + "1" + "]" * DEEPEST)
    assert bounded_toml(f"x = {2**63 - 1}") == {"x": 2**63 - 1}
    with pytest.raises(TomlError, match=r"line 2: x: a whole number of more than 64 bits"):
        bounded_toml(f"\nx = {2**63}")


def within(seconds, call):
    """Returns what a call returns; a call that hangs is a failure and not a test that never ends."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(call()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert codes, f"no end after {seconds} s"
    return codes[0]


@pytest.fixture
def fifo(tmp_path):
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    return path


CALLS = {
    "analyze": lambda path: ["analyze", path],
    "strategy": lambda path: ["analyze", str(GAME), "--strategy", f"file:{path}"],
    "run": lambda path: ["run", path, "--out", path + ".pack", "--profile", "quick"],
    "kat": lambda path: ["rng", "kat", path],
    "deck key": lambda path: [
        *("rounds", "play", str(GAME), "--ledger", path + ".db"),
        *("--deck-key", path, "--seed", "00" * 32),
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_pipe_is_not_waited_for(fifo, name):
    assert within(20, lambda: run(CALLS[name](str(fifo)))) == 2
    assert {path.name for path in fifo.parent.iterdir()} == {fifo.name}


def test_a_pipe_in_a_linted_folder_is_not_waited_for(fifo):
    assert within(20, lambda: run(["lint", str(fifo.parent)])) in (2, 5)
    named = fifo.with_name("game.toml")
    fifo.rename(named)
    assert within(20, lambda: run(["lint", str(named)])) in (2, 5)
    assert within(20, lambda: run(["lint", str(named.parent)])) in (2, 5)


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"run", "deck key"}))
def test_a_device_without_end_is_not_read(name):
    assert within(20, lambda: run(CALLS[name]("/dev/zero"))) == 2


def test_a_vector_file_of_huge_numbers_is_malformed(certify, tmp_path):
    vectors = written(tmp_path / "vectors.json", '{"algorithm": ' + "9" * 5000 + "}")
    assert certify("rng", "kat", vectors).code == 2


HOSTILE = "\x1b]0;owned\x07\x1b[31mRETURN 105 %\x1b[0m\r\u202e\u2066\x9b2J\ud800\u2028"


def test_what_a_terminal_obeys_is_spelled_out_at_one_point(capsys):
    spelled = plain(HOSTILE + "7½ – 99.54\u202f% 大\n\t")
    assert spelled.endswith("7½ – 99.54\u202f% 大\n\t")
    assert json.loads(f'"{plain(HOSTILE)}"') == HOSTILE
    assert not set(spelled) & set(HOSTILE) - set(" ;0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ[]%mowned")
    stream = PlainStream(sys.stdout)
    stream.write(HOSTILE)
    assert capsys.readouterr().out == plain(HOSTILE)


@pytest.mark.parametrize(("no_color", "verdict"), [("", "\x1b[32mok\x1b[0m"), ("1", "ok")])
def test_a_verdict_has_a_colour_on_a_terminal_unless_no_color_is_set(monkeypatch, no_color, verdict):
    monkeypatch.setenv("NO_COLOR", no_color)
    given = io.StringIO()
    monkeypatch.setattr(given, "isatty", lambda: True)
    PlainStream(given).write("ok   1. \x1b[31mtitle\n")
    assert given.getvalue() == f"{verdict}   1. \\u001b[31mtitle\n"


def test_a_library_that_resets_the_terminal_at_the_end_finds_a_closed_stream_closed():
    given = io.TextIOWrapper(io.BytesIO())
    stream = PlainStream(given)
    assert not stream.closed
    given.close()
    assert stream.closed
    assert not stream.isatty()


def test_escapes_in_a_submission_reach_neither_output_nor_error(certify, tmp_path):
    game = written(
        tmp_path / "game.toml", TEXT.replace('id = "playtech-7-e-mezzo"', 'id = "\\u001b[31m\\u202e"')
    )
    for form in ("text", "json"):
        called = certify("analyze", game, "--format", form).expect(2)
        assert "\x1b" not in called.out + called.err
        assert "\u202e" not in called.out + called.err


def test_a_name_that_is_no_text_is_shown(certify, tmp_path):
    missing = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[2J.toml")
    called = certify("analyze", missing).expect(2)
    assert "\x1b" not in called.err


SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = b'<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '


def parts_of(rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


SOUND = parts_of(
    [["Symbol", "Reel 1", "Reel 2"], ["seven", 1, 2.5], ["bar", True, "=1+1"], ["x", None, "text"]]
)


def workbook(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def refusal(path):
    """Returns why a spreadsheet is refused; empty where it is read."""
    said = ""
    try:
        read_blocks(path)
    except InputError as error:
        said = str(error)
    assert not said or said.startswith(f"{path}: ")
    return said.removeprefix(f"{path}: ")


def with_rows(rows):
    head, _, rest = SOUND[SHEET].partition(b"<sheetData>")
    tail = rest.partition(b"</sheetData>")[2]
    return {**SOUND, SHEET: head + b"<sheetData>" + rows.encode() + b"</sheetData>" + tail}


def many_sheets(count, rows):
    """Returns a workbook whose sheets are all the same part."""
    parts = with_rows(rows)
    sheets = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="rId1"/>' for n in range(1, count + 1))
    made = f"<sheets>{sheets}</sheets>".encode()
    book = re.sub(rb"<sheets>.*</sheets>", made, parts["xl/workbook.xml"], flags=re.DOTALL)
    return {**parts, "xl/workbook.xml": book.replace(b"<workbook ", RELATED)}


def test_rows_beyond_the_size_that_a_sheet_states_are_read(tmp_path):
    parts = {**SOUND, SHEET: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:B2"', SOUND[SHEET])}
    (block,) = read_blocks(workbook(tmp_path / "x.xlsx", parts))
    assert block.rows == (("seven", "1", "2.5"), ("bar", "yes", ""), ("x", "", "text"))


ENTITY = b'<!DOCTYPE x [<!ENTITY a "bbb">]>'
STRINGS = f'<sst xmlns="{MAIN}">'.encode() + b"<si/>" * 3_000_000 + b"</sst>"
WIDE = '<row r="1"><c r="ZZZ1"><v>1</v></c></row>' + "<row><c><v>1</v></c></row>" * 20_000
BOMBS = {
    "a row numbered 10^18": (
        lambda: with_rows(f'<row r="{10**18}"><c r="A1"><v>1</v></c></row>'),
        "more than 400,000 values, sheet 'Sheet', row ",
    ),
    "3,000 sheets of one empty row": (
        lambda: many_sheets(3_000, '<row r="1048576"/>'),
        "more than 400,000 values, sheet 's1', row ",
    ),
    "one wide row over many narrow ones": (lambda: with_rows(WIDE), "more than 400,000 values"),
    "shared strings without end": (
        lambda: {**SOUND, "xl/sharedStrings.xml": STRINGS},
        "more than 400,000 values, xl/sharedStrings.xml",
    ),
    "zeros without end": (
        lambda: {**SOUND, "xl/media/image1.png": bytes(65 << 20)},
        "larger than 67,108,864 bytes when unpacked",
    ),
    "entities": (
        lambda: {**SOUND, SHEET: SOUND[SHEET].replace(b"<worksheet", ENTITY + b"<worksheet", 1)},
        f"{SHEET}: a document type",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_of_a_workbook_is_refused_at_once(name, tmp_path):
    made, message = BOMBS[name]
    path = workbook(tmp_path / "x.xlsx", made())
    begun = time.process_time()
    assert refusal(path).startswith(message)
    assert time.process_time() - begun < 20


DAMAGE = {
    "no shared string": '<row r="1"><c r="A1" t="s"><v>999999</v></c></row>',
    "a negative shared string": '<row r="1"><c r="A1" t="s"><v>-7</v></c></row>',
    "a word for a number": '<row r="1"><c r="A1"><v>many</v></c></row>',
    "a number for a day": '<row r="1"><c r="A1" t="d"><v>31</v></c></row>',
    "a name that is no cell's": '<row r="1"><c r="first"><v>1</v></c></row>',
    "a cell beyond every column": '<row r="1"><c r="ABCDE1"><v>1</v></c></row>',
    "a row without number": '<row r="one"><c r="A1"><v>1</v></c></row>',
    "a truth that is none": '<row r="1"><c r="A1" t="b"><v>perhaps</v></c></row>',
    "a style that is not there": '<row r="1"><c r="A1" s="4000"><v>1</v></c></row>',
    "a style that is a word": '<row r="1"><c r="A1" s="bold"><v>1</v></c></row>',
    "a tag left open": '<row r="1"><c r="A1"><v>1</c></row>',
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_cell_is_refused_with_its_place_or_read(name, tmp_path):
    said = refusal(workbook(tmp_path / "x.xlsx", with_rows(DAMAGE[name])))
    assert not said or re.match(r"damaged, sheet 'Sheet', row 1 \(\w+: .*\): expected a spreadsheet", said), (
        said
    )


def test_a_damaged_cell_ends_the_call_as_a_wrong_input(certify, tmp_path):
    path = workbook(tmp_path / "x.xlsx", with_rows(DAMAGE["a word for a number"]))
    certify("import-par", path, "--out", tmp_path / "out").expect(2, err="sheet 'Sheet', row 1")
    assert [one.name for one in tmp_path.iterdir()] == ["x.xlsx"]


@pytest.mark.parametrize(
    "name", ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml", "xl/styles.xml", SHEET]
)
def test_a_workbook_without_a_part_is_refused_or_read(name, tmp_path):
    without = {one: SOUND[one] for one in SOUND if one != name}
    for parts in ({**SOUND, name: b""}, {**SOUND, name: b"<a/>"}, without):
        refusal(workbook(tmp_path / "x.xlsx", parts))


BROKEN = st.sampled_from([b"", b"<", b">", b'"', b"9", b"-1", b"\0", b"\xff", b"e", b"/"])


@settings(max_examples=40)
@given(
    part=st.sampled_from([SHEET, "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"]),
    places=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), BROKEN), min_size=1, max_size=6),
)
def test_any_damage_to_a_workbook_is_refused_or_read(part, places, tmp_path_factory):
    content = bytearray(SOUND[part])
    for share, length, broken in places:
        at = int(share * len(content))
        content[at : at + length] = broken
    refusal(workbook(tmp_path_factory.getbasetemp() / "any.xlsx", {**SOUND, part: bytes(content)}))


@given(st.binary(max_size=300) | st.text(alphabet="a1,;\"\n\r\t'", max_size=80).map(str.encode))
def test_any_bytes_are_a_table_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    refusal(path)


def test_a_cell_of_a_table_without_end_is_refused(tmp_path):
    path = written(tmp_path / "x.csv", 'a,b\n"' + "x" * 200_000)
    assert re.match(r"damaged, sheet 'x', row 2 .*field larger than", refusal(path))
    path.write_text("a,b\n" + "," * 500_000)
    assert refusal(path).startswith("more than 400,000 values")


SUBMITTED = (Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml").read_text("utf-8")


def zipped(layers):
    """An archive of archives: a few kilobytes that unpack to gigabytes."""
    content = bytes(20_000_000)
    for layer in range(layers):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for copy in range(1 if layer == 0 else 4):
                file.writestr(f"{copy}/game.toml", content)
        content = archive.getvalue()
    return content


TOML_BOMBS = {
    "an archive of archives": zipped(3),
    "a compressed file": gzip.compress(bytes(20_000_000)),
    "a large file": b"#" * (8 << 20),
    "an open bracket": b"a = " + b"[" * 200_000,
    "brackets over lines": b"a = " + b"[\n" * 200_000,
    "inline tables": b"a = " + b"{a = " * 100_000,
    "a dotted key": b".".join([b"a"] * 200_000) + b" = 1",
    "a dotted header": b"[" + b".".join([b"a"] * 200_000) + b"]",
    "a number": b"a = " + b"9" * 900_000,
    "thousands of keys": b"".join(b"k%d = 1\n" % key for key in range(3_000)),
    "thousands of tables": b"".join(b"[t%d]\n" % key for key in range(3_000)),
    "thousands of rules": SUBMITTED.encode() + b'[[rules]]\nid = "x"\nvalue = "y"\ntitle = "z"\n' * 1_000,
    "pays without end": SUBMITTED.replace("2 to 1", "9" * 300_000 + " to 1").encode(),
    "an exponent in a pay": SUBMITTED.replace("2 to 1", "1e999999999 to 1").encode(),
    "an exponent in a return": SUBMITTED.replace("99.54 %", "1e999999999 %").encode(),
    "days without end": SUBMITTED.replace("void_after_days = 90", "void_after_days = 99999999999").encode(),
    "a path as an id": SUBMITTED.replace('id = "playtech-7-e-mezzo"', 'id = "../../../etc/passwd"').encode(),
    "a template as a version": SUBMITTED.replace('version = "1.0.0"', 'version = "{{ 7 * 7 }}"').encode(),
}

REASONS = {
    "an archive of archives": ": not UTF-8 text",
    "a compressed file": ":1: not UTF-8 text",
    "a large file": ": larger than 1048576 bytes: expected a file that a person wrote",
    "an open bracket": ":1: nested too deeply",
    "brackets over lines": ":501: nested too deeply",
    "inline tables": ":1: nested too deeply",
    "a dotted key": ":1: nested too deeply",
    "a dotted header": ":1: nested too deeply",
    "a number": ":1: a number of a thousand digits or more",
    "thousands of keys": ':3000: unknown key "k2999"',
    "thousands of tables": ':3000: unknown key "t2999"',
    "thousands of rules": ': unknown rule "x": expected one of target',
    "pays without end": ": a number of a thousand digits or more",
    "an exponent in a pay": ": pays of the wrong form '1e999999999 to 1'",
    "an exponent in a return": ": percentage of the wrong form '1e999999999 %'",
    "days without end": ": 99999999999 days: expected 1 to 3650",
    "a path as an id": ': id "../../../etc/passwd" is not of the form',
    "a template as a version": ': version "{{ 7 * 7 }}": expected such as "1.0.0"',
}


@pytest.mark.parametrize("name", TOML_BOMBS)
def test_a_bomb_is_refused_and_nothing_is_written(name, tmp_path, capsys):
    content = TOML_BOMBS[name]
    assert content != SUBMITTED.encode()
    game, out = tmp_path / "game.toml", tmp_path / "pack"
    game.write_bytes(content)
    assert run(["run", str(game), "--out", str(out), "--profile", "quick", "--seed", "00" * 32]) == 2
    told = capsys.readouterr().err
    assert str(game) in told
    assert REASONS[name] in told
    assert not out.exists()


def test_many_mistakes_cost_no_more_than_their_number():
    # Twice the mistakes must not take four times the comparisons: what is recorded is looked up, not searched.
    with pytest.raises(SubmissionError) as caught:
        parse_game(b"".join(b"k%d = 1\n" % key for key in range(12_000)), "game.toml")
    assert len(caught.value.problems) > 12_000


def test_a_bomb_inside_evidence_is_refused_by_recomputation():
    for content in (TOML_BOMBS["an archive of archives"], TOML_BOMBS["an open bracket"]):
        evidence = smallest_evidence()
        evidence["item"]["files"][0] |= {
            "base64": base64.b64encode(content).decode(),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        assert any("cannot be read" in found for found in differences(evidence)), differences(evidence)


def test_a_file_is_read_whole_or_refused(tmp_path):
    path = tmp_path / "file"
    for size in (0, 99, 100):
        path.write_bytes(b"#" * size)
        assert len(read_bounded(path, SizeLimit("a file", 100))) == size
    path.write_bytes(b"#" * 101)
    with pytest.raises(InputError, match="file: larger than 100 bytes: expected a file"):
        read_bounded(path, SizeLimit("a file", 100))


def test_a_log_of_heads_behind_torn_lines_is_refused(tmp_path, monkeypatch):
    # Torn lines up to the bound hid the heads behind them, and a ledger cut from record 38 to 9 was satisfied.
    monkeypatch.setattr(journal, "HEADS", SizeLimit("a log of heads", 4_000), raising=False)
    log = HeadLog(tmp_path / "heads.log")
    for number in range(1, 10):
        log.keep(number, bytes(32))
    with log.path.open("a") as file:
        file.write("1\n" * 2_000 + "".join(line_of(number, bytes(32)) for number in range(10, 39)))
    with pytest.raises(InputError, match="larger than 4000 bytes"):
        log.read()


def test_a_parties_file_loses_no_deviation(tmp_path):
    path = written(
        tmp_path / "parties.toml", "#" * (64 << 10) + '\ndeviations = ["the wheel was not weighed"]\n'
    )
    with pytest.raises(InputError, match=r"parties\.toml: larger than 65536 bytes"):
        read_parties(path)
    path.write_text("laboratory = ")
    with pytest.raises(InputError, match=r"parties\.toml:1"):
        read_parties(path)


@pytest.fixture
def desk(certify, tmp_path, monkeypatch):
    return desk_in(tmp_path / "games", certify, monkeypatch)


HIDDEN = "#" * (MAXIMUM_BYTES + 1) + "\n"


def test_a_game_behind_a_megabyte_of_remarks_is_seen_by_the_gate(desk):
    desk.repository.commit("games", mezzo__game=published())
    desk.branch(mezzo__other=HIDDEN + published())
    document = desk.gate()
    assert (document["code"], "other.toml: larger than" in document["error"]) == (2, True)
    document = desk.gate(base="none", head=".")
    assert (document["code"], "other.toml: larger than" in document["error"]) == (2, True)


def test_a_game_behind_a_megabyte_of_remarks_is_seen_by_lint(tmp_path):
    (tmp_path / "other.toml").write_text(HIDDEN + published())
    with pytest.raises(InputError, match=r"other\.toml: larger than"):
        lint_paths([tmp_path])


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "[1.0, nan]", "{ x = 1e400 }"])
def test_a_number_that_is_not_finite_is_refused_in_toml(number):
    with pytest.raises(TomlError, match=r"line 2: .*: -?(nan|inf) is not a finite number"):
        bounded_toml(f"a = 1\nb = {number}\n")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e400"])
def test_a_number_that_is_not_finite_is_refused_in_json(text):
    with pytest.raises(ValueError, match="not finite"):
        json_of(text)


def test_json_that_says_two_things_is_refused():
    refuses(
        ValueError,
        ("the key 'a' is repeated", lambda: json_of('{"b": 1, "a": 1, "a": 2}')),
        ("nested too deeply", lambda: json_of("[" * 100_000)),
    )


OF_JSON = st.text(alphabet='{}[]":,0123456789eE+-.nulltrueNaNfs\\ud8', max_size=80).map(str.encode)


@given(st.binary(max_size=200) | OF_JSON)
def test_any_bytes_are_json_or_refused(data):
    try:
        json_of(data)
    except ValueError:
        return


@given(st.text(alphabet="ab=.[]{}\"\n'#0123456789_-+xeinfTZ:,\\ \t", max_size=120))
def test_any_text_is_toml_or_refused(text):
    try:
        bounded_toml(text)
    except TomlError:
        return


def test_a_parser_that_takes_too_long_is_stopped():
    def never_ends():
        with parsing(SizeLimit("a file", 100, values=10**9, seconds=0.01), InputError) as meter:
            while True:
                meter.take(1, "row 7")

    begun = time.monotonic()
    with pytest.raises(InputError, match=r"not read within 0\.01 seconds, row 7: expected a file"):
        never_ends()
    assert time.monotonic() - begun < 5


def test_a_parser_lets_our_own_errors_pass_and_no_other():
    limit = SizeLimit("a file", 100)

    def raised(error):
        with parsing(limit, InputError):
            raise error

    for error in (CertifyError("ours"), InputError("ours")):
        with pytest.raises(CertifyError, match=r"^ours$"):
            raised(error)
    for other in (KeyError("x"), RecursionError(), MemoryError(), AssertionError("no")):
        with pytest.raises(InputError, match=rf"^damaged .{type(other).__name__}"):
            raised(other)


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
    assert str(problem).startswith(f"game.toml:{place + 1}:")
    assert told in str(problem)

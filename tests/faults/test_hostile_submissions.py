"""Submissions made to hurt: archives that unpack to gigabytes, nesting, numbers and tables without end."""

import base64
import gzip
import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from evidence_sample import smallest_evidence

from certify.cli.main import run
from certify.errors import SubmissionError
from certify.issue.rerun import differences
from certify.submission import parse_game

TEXT = (Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml").read_text("utf-8")


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


BOMBS = {
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
    "thousands of rules": TEXT.encode() + b'[[rules]]\nid = "x"\nvalue = "y"\ntitle = "z"\n' * 1_000,
    "pays without end": TEXT.replace("2 to 1", "9" * 300_000 + " to 1").encode(),
    "an exponent in a pay": TEXT.replace("2 to 1", "1e999999999 to 1").encode(),
    "an exponent in a return": TEXT.replace("99.54 %", "1e999999999 %").encode(),
    "days without end": TEXT.replace("void_after_days = 90", "void_after_days = 99999999999").encode(),
    "a path as an id": TEXT.replace('id = "playtech-7-e-mezzo"', 'id = "../../../etc/passwd"').encode(),
    "a template as a version": TEXT.replace('version = "1.0.0"', 'version = "{{ 7 * 7 }}"').encode(),
}

REASONS = {
    "an archive of archives": ":1: not UTF-8 text",
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


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_and_nothing_is_written(name, tmp_path, capsys):
    content = BOMBS[name]
    assert content != TEXT.encode()
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
    for content in (BOMBS["an archive of archives"], BOMBS["an open bracket"]):
        evidence = smallest_evidence()
        evidence["item"]["files"][0] |= {
            "base64": base64.b64encode(content).decode(),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        assert any("cannot be read" in found for found in differences(evidence)), differences(evidence)

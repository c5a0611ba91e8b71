"""Rendering sees the faces that come with the program and nothing of the machine: fonts, locale, zone, environment."""

import hashlib
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from report_sample import sample_evidence

from certify.errors import RenderError
from certify.fonts import _FACES, drawable, face, own_room
from certify.report.markup import PRINT_FACES, SCREEN_FACES
from certify.report.pdf import render_html
from certify.seal.stamp import StampText, render_stamp

HERE = Path(__file__).parent
FOREIGN = "日本"

# Prints the digests of a small report with a chart, its twin and a stamp, and what is said of foreign letters.
PROGRAM = """
import hashlib, json, os, sys
from datetime import UTC, datetime
sys.path[:0] = sys.argv[1:]
from report_sample import small_evidence
from certify.errors import RenderError
from certify.report.pdf import render_html
from certify.report.pdf import render_pdf
from certify.seal.stamp import StampText, render_stamp

now = datetime(2026, 11, 21, 12, tzinfo=UTC)
evidence = small_evidence()

def told(render, *arguments, **named):
    try:
        return hashlib.sha256(render(*arguments, **named)).hexdigest()
    except RenderError as error:
        return str(error)

def stamp(name):
    return told(render_stamp, StampText(name, now, "", "00" * 32), 240, 60)

found = {}
if os.environ.get("PAGES"):
    found = {"report": told(render_pdf, evidence, {}, issued=now), "twin": told(render_html, evidence)}
found |= {"stamp": stamp("A laboratory"), "foreign stamp": stamp(sys.stdin.read())}
print(json.dumps(found))
"""


STAMPS = {}
PAGES = {"PAGES": "1"}
"""What is asked of a machine: stamps alone, or a report and its twin too."""


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    return elsewhere(tmp_path_factory.mktemp("elsewhere"), STAMPS)


def elsewhere(tmp_path, asked):
    """What is rendered on another machine: a font that passes for ours with East Asian letters, other habits."""
    folder = tmp_path / "home/.fonts"
    folder.mkdir(parents=True)
    for name in ("IBMPlexSans-Medium.ttf", "IBMPlexSans-Regular.ttf"):
        font = TTFont(io.BytesIO(face(name)))
        letters = font.getBestCmap()
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap.update({ord(letter): letters[ord("A")] for letter in FOREIGN})
        font["hmtx"][letters[ord("a")]] = (900, 40)
        font.save(folder / name)
    configuration = tmp_path / "fonts.conf"
    configuration.write_text(
        f'<?xml version="1.0"?><fontconfig><dir>{folder}</dir><cachedir>{tmp_path}/cache</cachedir></fontconfig>'
    )
    habits = {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "home"),
        "FONTCONFIG_FILE": str(configuration),
        "FC_LANG": "ja",
        "PANGO_LANGUAGE": "ja:tr",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "TZ": "Pacific/Kiritimati",
        "SOURCE_DATE_EPOCH": "1",
        "HB_OPTIONS": "uniscribe-bug-compatible",
        "FREETYPE_PROPERTIES": "truetype:interpreter-version=35",
        "PYTHONHASHSEED": "7",
    }
    return rendered(habits | asked)


def rendered(environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(HERE.parent), str(HERE.parents[1])],
        input=FOREIGN,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "PYTHONUTF8": "1"} | environment,
    )
    return dict(json.loads(done.stdout))


@pytest.mark.slow
def test_another_machine_with_other_fonts_locale_zone_and_home_renders_the_same_bytes(tmp_path):
    here = rendered(PAGES)
    assert here == elsewhere(tmp_path, PAGES)
    assert all(len(here[what]) == 64 for what in ("report", "twin", "stamp")), here


def test_another_machine_draws_the_same_stamp(there):
    stamp = render_stamp(
        StampText("A laboratory", datetime(2026, 11, 21, 12, tzinfo=UTC), "", "00" * 32), 240, 60
    )
    assert there["stamp"] == hashlib.sha256(stamp).hexdigest()


def test_a_foreign_font_lends_no_letter_and_the_refusal_names_it(there):
    assert "日 (U+65E5 CJK UNIFIED IDEOGRAPH-65E5)" in there["foreign stamp"]


def test_a_letter_that_no_face_has_is_refused_in_the_html_twin_too():
    evidence = sample_evidence()
    evidence["item"]["title"] = "7 e Mezzo 七"
    with pytest.raises(RenderError, match=r"the HTML twin holds letters .* 七 \(U\+4E03"):
        render_html(evidence)


def test_what_can_be_drawn_in_print_can_be_drawn_on_a_screen_and_in_every_weight():
    letters = {
        name: frozenset(map(chr, TTFont(io.BytesIO(face(name))).getBestCmap()))
        for *_, name in (*PRINT_FACES, *SCREEN_FACES)
    }
    for kind in ("Sans", "Mono"):
        assert len({letters[name] for *_, name in PRINT_FACES if kind in name}) == 1
    assert drawable() == frozenset().union(*(letters[name] for name in _FACES))
    assert drawable() <= frozenset().union(*(letters[name] for *_, name in SCREEN_FACES))


def test_the_environment_is_as_before_after_rendering(monkeypatch):
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    before = dict(os.environ)
    with pytest.raises(ZeroDivisionError), own_room():  # noqa: PT012 - the room is left by an error
        assert "LANG" not in os.environ
        with own_room():
            assert "HOME" not in os.environ
        assert os.environ["FONTCONFIG_FILE"].endswith("fonts.conf")
        1 / 0  # noqa: B018
    assert dict(os.environ) == before

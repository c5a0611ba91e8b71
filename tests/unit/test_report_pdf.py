"""The PDF and the faces it is drawn with: archival, accessible, the same bytes on every machine."""

import hashlib
import io
import json
import logging
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pikepdf
import pytest
import rfc8785
from fontTools.ttLib import TTFont
from report_sample import GAME_TOML, sample_evidence, small_evidence
from weasyprint import HTML

from certify.errors import MissingPartError, RenderError
from certify.fonts import _FACES, drawable, face, own_room
from certify.report import pdf as renderer
from certify.report.markup import PRINT_FACES, SCREEN_FACES
from certify.report.pdf import fonts_of, render_html, render_pdf, require_bundled_fonts
from certify.seal.stamp import StampText, render_stamp

ISSUED = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOSTILE = '<img src="http://127.0.0.1/x">{{ 7 * 7 }}"); content: url(http://127.0.0.1/)'


def attachments_of(evidence):
    return {"game.toml": GAME_TOML, "evidence.json": rfc8785.dumps(evidence), "data.csv": b"outcome,count\n"}


def hostile_evidence():
    """The evidence of a small report with one figure, about a game whose title is meant as markup."""
    evidence = small_evidence() | {"recovery": sample_evidence()["recovery"]}
    evidence["item"]["title"] = HOSTILE
    return evidence


@pytest.fixture(scope="module")
def content():
    return render_pdf(hostile_evidence(), attachments_of(hostile_evidence()), issued=ISSUED)


@pytest.fixture(scope="module")
def whole_content():
    """A report with every chapter, which takes twice as long."""
    return render_pdf(sample_evidence(), attachments_of(sample_evidence()), issued=ISSUED)


@pytest.fixture(scope="module")
def document(content):
    with pikepdf.open(io.BytesIO(content)) as opened:
        yield opened


@pytest.fixture(scope="module")
def whole(whole_content):
    with pikepdf.open(io.BytesIO(whole_content)) as opened:
        yield opened


def structure(node):
    """Every structure element below a node."""
    children = node.get("/K", [])
    for child in children if isinstance(children, pikepdf.Array) else [children]:
        if isinstance(child, pikepdf.Dictionary) and child.get("/Type") == "/StructElem":
            yield child
            yield from structure(child)


def test_the_file_says_that_it_is_archival_and_accessible(document):
    with document.open_metadata() as metadata:
        assert metadata["pdfaid:part"] == "3"
        assert metadata["pdfaid:conformance"] == "A"
        assert metadata["pdfuaid:part"] == "1"
    assert document.Root.Metadata.read_bytes().count(b"<rdf:RDF") == 1
    assert document.Root.MarkInfo.Marked is True
    assert str(document.Root.Lang) == "en-GB"
    assert document.Root.ViewerPreferences.DisplayDocTitle is True
    assert document.Root.OutputIntents[0].S == "/GTS_PDFA1"


def test_only_bundled_faces_are_used_and_all_are_embedded(content):
    fonts = fonts_of(content)
    assert len(fonts) >= 4
    assert all(embedded and name.startswith(("IBM-Plex-Sans", "IBM-Plex-Mono")) for name, embedded in fonts)


def test_attachments_are_listed_once_in_order_with_their_relationship(document):
    names = document.Root.Names.EmbeddedFiles.Names
    assert [str(name) for name in list(names)[::2]] == ["data.csv", "evidence.json", "game.toml"]
    associated = list(document.Root.AF)
    assert len(associated) == 3
    relations = {str(file.F): str(file.AFRelationship) for file in associated}
    assert relations == {"data.csv": "/Supplement", "evidence.json": "/Data", "game.toml": "/Source"}
    expected = attachments_of(hostile_evidence())
    for file in associated:
        assert file.EF.F.read_bytes() == expected[str(file.F)]


def test_there_is_one_empty_tagged_signature_field(document):
    (field,) = document.Root.AcroForm.Fields
    assert field.FT == "/Sig"
    assert str(field.T) == "Issuer"
    assert str(field.TU)
    assert not {"/V", "/AP", "/AS", "/MK"} & set(field.keys())
    assert not {"/DR", "/NeedAppearances"} & set(document.Root.AcroForm.keys())
    left, bottom, right, top = (float(value) for value in field.Rect)
    assert abs(right - left) > 150
    assert abs(top - bottom) > 60
    forms = [element for element in structure(document.Root.StructTreeRoot) if element.S == "/Form"]
    assert len(forms) == 1
    assert forms[0].K[0].Obj.objgen == field.objgen
    assert "/StructParent" in field


def assert_headed(elements):
    """Holds that every table has rows and headings, and that the first heading is that of the report."""
    tables = [element for element in elements if element.S == "/Table"]
    assert len(tables) > 15
    for table in tables:
        kinds = {str(element.S) for element in structure(table)}
        assert {"/TR", "/TH", "/TD"} <= kinds
    headings = [str(element.S) for element in elements if str(element.S) in ("/H1", "/H2", "/H3", "/H4")]
    assert headings[0] == "/H1"


@pytest.mark.parametrize(
    ("made", "number", "first"),
    [
        ("document", 1, ""),
        # The layout, the candidates, two of strategy, four of each campaign, and the p-values.
        pytest.param("whole", 13, "From top to bottom: the house", marks=pytest.mark.slow),
    ],
)
def test_every_figure_has_an_alternative_text_and_tables_have_headings(made, number, first, request):
    elements = list(structure(request.getfixturevalue(made).Root.StructTreeRoot))
    told = [str(element.Alt) for element in elements if element.S == "/Figure"]
    assert (len(told), told[0][: len(first)]) == (number, first)
    assert all(len(one) > 80 for one in told)
    assert_headed(elements)


def test_cells_that_head_others_are_found_by_the_names_that_these_give(document):
    root = document.Root.StructTreeRoot
    listed = pikepdf.NameTree(root.IDTree)
    elements = list(structure(root))
    identified = {str(element.ID): element.objgen for element in elements if "/ID" in element}
    assert {name: listed[name].objgen for name in listed} == identified
    named = {str(head) for element in elements if "/A" in element for head in element.A.get("/Headers", [])}
    assert len(named) > 100
    assert named <= identified.keys()


def bookmarks(document):
    """The titles of all bookmarks, in reading order."""

    def titles(items):
        for entry in items:
            yield str(entry.title)
            yield from titles(entry.children)

    with document.open_outline() as outline:
        return list(titles(outline.root))


@pytest.mark.parametrize(
    ("made", "chapters"),
    [
        ("document", ("Summary", "Statement of conformity", "Game mathematics", "Authorisation")),
        pytest.param("whole", ("Exact fractions",), marks=pytest.mark.slow),
    ],
)
def test_bookmarks_name_the_chapters(made, chapters, request):
    found = " ".join(bookmarks(request.getfixturevalue(made)))
    assert [chapter for chapter in chapters if chapter not in found] == []


def test_every_date_is_the_time_of_issue(content):
    # Opened again: whoever reads the metadata of a document has pikepdf write its dates in another form.
    with pikepdf.open(io.BytesIO(content)) as document:
        dates = [document.docinfo["/CreationDate"], document.docinfo["/ModDate"]]
        dates += [file.EF.F.Params.CreationDate for file in document.Root.AF]
        assert {str(date) for date in dates} == {"D:20261121120000Z"}


@pytest.mark.slow
def test_another_process_elsewhere_writes_the_same_bytes(whole_content, tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.path.insert(0, sys.argv[2])\n"
        "from test_report_pdf import *\n"
        "evidence = sample_evidence()\n"
        "found = render_pdf(evidence, attachments_of(evidence), issued=ISSUED)\n"
        "print(hashlib.sha256(found).hexdigest())\n"
    )
    here = Path(__file__).parent
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONHASHSEED": "4711",
        "TZ": "Asia/Tokyo",
        "LANG": "it_IT.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, str(here), str(here.parent)],
        capture_output=True, text=True, check=True, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.strip() == hashlib.sha256(whole_content).hexdigest()


def test_small_print_of_a_number_takes_several_lines_and_a_number_never_does():
    style = (Path(__file__).parents[2] / "report_templates" / "common.css").read_text()
    style += "table { font-size: 7pt; table-layout: fixed }"
    row = '<td class="number" style="width: 15mm">{}<span class="detail">{}</span></td>'
    found = {}
    for number, detail in (("1", "Avantage de la banque"), ("1 234 567 890 123", "")):
        markup = (
            f"<style>{style} table {{ font-size: 7pt }}</style><table><tr>{row.format(number, detail)}<td>"
        )
        found[number] = [text for _, text in renderer.outside(HTML(string=markup).render())]
    assert found == {"1": [], "1 234 567 890 123": ["1 234 567 890 123"]}


def test_a_character_that_no_bundled_face_has_is_refused():
    evidence = small_evidence()
    evidence["item"]["title"] = "七点半"
    with pytest.raises(RenderError, match=r"no face of it has: 七 "):
        render_pdf(evidence, {}, issued=ISSUED)


def test_a_warning_of_the_renderer_is_an_error(monkeypatch):
    markup = '<html lang="en"><title>x</title><style>p { x: y }</style><p><input type="checkbox" name="x"></p></html>'
    monkeypatch.setattr(renderer, "render_markup", lambda *_: markup)
    with pytest.raises(RenderError, match="complained"):
        render_pdf(small_evidence(), {}, issued=ISSUED)
    assert logging.getLogger("weasyprint").propagate


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1/x.png", "file:///etc/passwd", "figure:other", "font:../print.css"]
)
def test_no_address_but_fonts_and_figures_is_served(monkeypatch, address):
    markup = f'<html lang="en"><title>x</title><p><img src="{address}" alt="x"></p></html>'
    monkeypatch.setattr(renderer, "render_markup", lambda *_: markup)
    with pytest.raises(RenderError, match="outside"):
        render_pdf(small_evidence(), {}, issued=ISSUED)


def test_a_hostile_title_is_printed_as_text(document):
    assert HOSTILE in str(document.docinfo["/Title"])


@pytest.mark.parametrize(
    ("attachments", "message"),
    [
        ({"evidence.json": b"{}"}, "canonical"),
        ({"a.csv": b"same", "b.csv": b"same"}, "same bytes"),
        ({"../evil": b"x"}, "plain ASCII"),
        ({"caffè.csv": b"x"}, "plain ASCII"),
        ({"": b"x"}, "plain ASCII"),
    ],
)
def test_attachments_that_mislead_are_refused(attachments, message):
    with pytest.raises(RenderError, match=message):
        render_pdf(small_evidence(), attachments, issued=ISSUED)


def test_a_time_without_zone_is_refused():
    with pytest.raises(RenderError, match="zone"):
        render_pdf(small_evidence(), {}, issued=ISSUED.replace(tzinfo=None))


def test_a_face_that_is_not_ours_is_named():
    stray = pikepdf.new()
    stray.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.FontDescriptor, FontName=pikepdf.Name("/ABCDEF+DejaVu-Sans"))
    )
    buffer = io.BytesIO()
    stray.Root.Stray = stray.objects[-1]
    stray.save(buffer)
    with pytest.raises(RenderError, match="DejaVu-Sans"):
        require_bundled_fonts(buffer.getvalue())


def test_a_missing_native_library_is_named_with_the_command(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "weasyprint"]:
        monkeypatch.delitem(sys.modules, name)
    import builtins

    original = builtins.__import__

    def without(name, *rest, **named):
        if name.split(".")[0] == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPartError, match=r"libpango-1\.0-0.*apt-get install .* libharfbuzz-subset0"):
        render_pdf(small_evidence(), {}, issued=ISSUED)


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
        assert ("LANG" in os.environ, os.environ["PATH"]) == (False, "")
        with own_room():
            assert "HOME" not in os.environ
        assert os.environ["FONTCONFIG_FILE"].endswith("fonts.conf")
        1 / 0  # noqa: B018
    assert dict(os.environ) == before

"""The HTML twin in a real browser: no complaint, no request, no overflow, readable in light and dark."""

import base64
import io
import shutil
import threading
from datetime import date, timedelta
from http.client import HTTPConnection
from itertools import pairwise

import pikepdf
import pytest
from cli_support import ROOT, written
from report_browser import Browser
from report_evidence import REPORTS, stored
from report_patent import patent_evidence
from report_sample import sample_evidence
from representatives import firsts

from certify.live.law import laws_of
from certify.live.pages import LivePages
from certify.live.serving import CurrentPages, page_server
from certify.live.state import CellKey, KnownDays, opened_state
from certify.live.watching import digest_of, look
from certify.report.pdf import fonts_of, render_html
from certify.rounds import Rounding
from certify.submission import read_game

WHEEL = ROOT / "fixtures/games/roulette-single-zero/game.toml"

pytestmark = pytest.mark.skipif(
    shutil.which("chromium") is None,
    reason="needs Chromium: apt-get install --no-install-recommends chromium",
)

# Relative luminance and contrast ratio of WCAG 2.2, over every element that holds text of its own.
CONTRAST = """
(() => {
  const channel = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parse = text => (text.match(/[0-9.]+/g) || []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  let worst = 21, where = "";
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length || element.closest("script, .skip")) continue;
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst) { worst = ratio; where = element.className + ": " + element.textContent.slice(0, 40); }
  }
  return [worst, String(where)];
})()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("twin") / "report.html"
    path.write_bytes(render_html(sample_evidence()))
    return path.as_uri()


@pytest.fixture(scope="module")
def open_card(tmp_path_factory):
    """The twin of a game with an open dealer's card: wide tables of printed rows, tinted charts."""
    path = tmp_path_factory.mktemp("open-card") / "report.html"
    path.write_bytes(render_html(patent_evidence("casino")))
    return path.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(shutil.which("chromium") or "chromium", tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.parametrize("width", firsts([320, 390, 768, 1280, 1920]))
def test_nothing_overflows_the_window(browser, page, open_card, width):
    for twin in (page, open_card):
        browser.open(twin, width=width)
        assert browser.ask("document.documentElement.scrollWidth") <= width


def test_the_browser_has_nothing_to_complain_about_and_asks_for_nothing(browser, page):
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(page, width=1280)
    assert browser.ask(
        "document.fonts.ready.then(fonts => [...fonts].some(face => face.status === 'loaded'))"
    )
    assert browser.complaints == []
    assert {address.partition(":")[0] for address in browser.requests} <= {"file", "data"}


@pytest.mark.parametrize(
    ("scheme", "media"), firsts([("dark", "screen"), ("light", "screen"), ("dark", "print")])
)
def test_text_can_be_read(browser, page, open_card, scheme, media):
    for twin in (page, open_card):
        browser.open(twin, width=1280, scheme=scheme, media=media)
        worst, where = browser.ask(CONTRAST)
        assert worst >= 4.5, where


@pytest.mark.slow
def test_dark_mode_is_dark_and_paper_is_white(browser, page):
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(page, width=1280, scheme="dark")
    assert browser.ask(ground) == "rgb(18, 24, 31)"
    browser.open(page, width=800, scheme="dark", media="print")
    assert browser.ask(ground) == "rgb(255, 255, 255)"


def test_a_heading_sorts_its_table_by_number_and_back(browser, page):
    browser.open(page, width=1280)
    table = "[...document.querySelectorAll('.scroll > table')].find(t => t.caption.textContent.includes('every hand'))"
    column = f"[...({table}).tBodies[0].rows].map(row => row.cells[3].textContent)"
    press = f"({table}).tHead.rows[0].cells[3].querySelector('button').click()"
    browser.ask(press)
    upward = [float(text) for text in browser.ask(column)]
    assert upward == sorted(upward)
    assert browser.ask(f"({table}).tHead.rows[0].cells[3].getAttribute('aria-sort')") == "ascending"
    browser.ask(press)
    assert [float(text) for text in browser.ask(column)] == upward[::-1]


def test_a_heading_sorts_the_verdicts_of_the_printed_rows(browser, open_card):
    browser.open(open_card, width=1280)
    titled = "t => t.caption.textContent.includes('fractions imply')"
    table = f"[...document.querySelectorAll('.scroll > table')].find({titled})"
    verdicts = (
        f"[...({table}).tBodies[0].rows].map(row => row.cells[7].querySelector('.verdict').textContent)"
    )
    before = browser.ask(verdicts)
    browser.ask(f"({table}).tHead.rows[0].cells[7].querySelector('button').click()")
    after = browser.ask(verdicts)
    assert sorted(before) == sorted(after)
    assert len(set(after)) == 2
    assert len([1 for one, other in pairwise(after) if one != other]) == 1


@pytest.mark.slow
def test_contents_are_open_on_a_desk_and_closed_on_a_phone(browser, page):
    for width, wanted in ((1440, True), (390, False)):
        browser.open(page, width=width)
        assert browser.ask("document.querySelector('.contents details').open") is wanted


@pytest.mark.parametrize("width", [390, 1280])
def test_odds_sort_by_their_ratio_at_both_widths(browser, page, width):
    browser.open(page, width=width)
    table = (
        "[...document.querySelectorAll('.scroll > table:not(.fixed)')].find(t => t.tBodies[0].rows.length > 2 && "
        "[...t.tBodies[0].rows].every(r => [...r.cells].some(c => / to 1$/.test(c.textContent.trim()))))"
    )
    place = f"[...({table}).tBodies[0].rows[0].cells].findIndex(c => / to 1$/.test(c.textContent.trim()))"
    column = f"[...({table}).tBodies[0].rows].map(r => r.cells[{place}].textContent.trim())"
    browser.ask(f"({table}).tHead.rows[0].cells[{place}].querySelector('button').click()")
    sorted_up = [int(text.split(" to ")[0]) for text in browser.ask(column)]
    assert len(sorted_up) > 2
    assert sorted_up == sorted(sorted_up)


@pytest.mark.parametrize("width", firsts([320, 390]))
def test_every_verdict_is_in_sight_on_a_phone(browser, page, open_card, width):
    for twin in (page, open_card):
        browser.open(twin, width=width)
        hidden = browser.ask(
            "[...document.querySelectorAll('.scroll td.seen')].filter(cell => { const box = "
            "cell.querySelector('.verdict').getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; })"
            ".map(cell => cell.textContent)"
        )
        assert hidden == []
        assert browser.ask("document.querySelectorAll('.scroll td.seen').length") > 5


def test_paper_holds_every_table_and_figure_and_all_of_the_text(browser, page, open_card):
    # A4 less margins of 15 mm, at 96 pixels an inch.
    for twin in (page, open_card):
        browser.open(twin, width=680, media="print")
        wide = browser.ask(
            "[...document.querySelectorAll('main table, main figure, main pre, main p')]"
            ".filter(part => part.getBoundingClientRect().right > 681 || part.scrollWidth > part.clientWidth + 1)"
            ".map(part => part.textContent.slice(0, 60))"
        )
        assert wide == [], wide


def test_the_twin_prints_with_its_faces_and_its_end(browser, page):
    browser.open(page, width=1280)
    printed = base64.b64decode(
        browser.call("Page.printToPDF", preferCSSPageSize=True, displayHeaderFooter=False)["data"]
    )
    assert all(name.startswith("IBMPlex") for name, _ in fonts_of(printed))
    with pikepdf.open(io.BytesIO(printed)) as document:
        assert len(document.pages) > 10
        assert [round(float(side)) for side in document.pages[0].MediaBox] == [0, 0, 595, 842]


# Texts of a drawing that begin or end outside of it, as the browser sets them; a pixel is left for roundings.
OUTSIDE = """
[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const room = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1
      || box.top < room.top - 1 || box.bottom > room.bottom + 1;
  }).map(text => text.textContent);
})
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "language"),
    firsts([("roulette-single-zero", "it"), ("craps", "en"), ("baccarat-punto-banco", "it")]),
)
def test_no_label_of_a_drawing_lies_outside_of_it_at_either_width(browser, tmp_path, game, language):
    twin = written(tmp_path / "report.html", render_html(stored(REPORTS / f"{game}.json.xz"), language))
    for width in (390, 1280):
        browser.open(twin.as_uri(), width=width)
        assert browser.ask("document.documentElement.scrollWidth") <= width
        assert browser.ask(OUTSIDE) == []


@pytest.mark.slow
def test_amounts_of_money_sort_by_their_size(browser, tmp_path):
    twin = written(tmp_path / "report.html", render_html(stored(REPORTS / "roulette-single-zero.json.xz")))
    browser.open(twin.as_uri(), width=1280)
    table = "[...document.querySelectorAll('.scroll > table')].find(t => t.caption.textContent.includes('costliest'))"
    browser.ask(f"({table}).tHead.rows[0].cells[1].querySelector('button').click()")
    amounts = browser.ask(f"[...({table}).tBodies[0].rows].map(row => row.cells[1].textContent)")
    sizes = [float(text.removeprefix("EUR").replace("\u202f", "")) for text in amounts]
    assert len(set(sizes)) > 2
    assert sizes == sorted(sizes)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """The pages of a watch with an alarm, hostile names in them, as a server of this machine gives them."""
    folder = tmp_path_factory.mktemp("live")
    law, begun = laws_of(read_game(WHEEL), ""), date(2026, 1, 1)
    hostile = '<script>alert("x")</script>' + "w" * 300
    totals = {
        CellKey("red", "EUR", 100, name): {
            begun + timedelta(day): {0: 9730 - won, 50: 270, 200: won} for day in range(9)
        }
        for name, won in ((hostile, 4000), ("web", 4865))
    }
    state, digest = folder / "state", digest_of(law, Rounding.DOWN)
    with opened_state(state, "game", digest, None, 0.01) as (kept, _):
        kept.add("log.csv", "ab" * 32, 1, totals, {}, KnownDays.REFUSED)

    def pages(kept):
        return LivePages(look(kept, "roulette", law, Rounding.DOWN, 0.01), kept.logs(), digest)

    before = state.read_bytes()
    with page_server(0, CurrentPages(state, pages)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
    assert state.read_bytes() == before


@pytest.mark.parametrize("width", [360, 1280])
def test_pages_of_a_watch_fit_are_readable_and_ask_for_nothing(browser, live, width):
    for name in ("", "cell-1.html", "alarm-1-1.html", "event.html"):
        browser.complaints.clear()
        browser.requests.clear()
        for scheme, media in (("light", "screen"), ("dark", "screen"), ("light", "print")):
            # A sheet of A4 is 680 pixels wide between its margins.
            across = width if media == "screen" else 680
            browser.open(live + name, width=across, scheme=scheme, media=media)
            worst, where = browser.ask(CONTRAST)
            assert worst >= 4.5, where
            assert browser.ask("document.documentElement.scrollWidth") <= across, (name, media)
        assert (browser.complaints, {*browser.requests}) == ([], {live + name})
        # Printed, nothing is there to be clicked.
        assert browser.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert browser.ask("document.scripts.length") == 0
        assert browser.ask("[document.documentElement.lang, document.querySelectorAll('h1').length]") == [
            "en-GB",
            1,
        ]
        unnamed = "[...document.querySelectorAll('svg')].filter(s => !s.getAttribute('aria-label')).length"
        assert browser.ask(unnamed) == 0


def test_pages_of_a_watch_are_walked_by_keyboard_and_strangers_get_none(browser, live):
    browser.open(live, width=1280)
    reached = []
    for _ in range(5):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(
            browser.ask("document.activeElement.getAttribute('href') || document.activeElement.tagName")
        )
    assert reached == ["index.html", "event.html", "DIV", "alarm-1-1.html", "DIV"]
    host = live.removeprefix("http://").rstrip("/")
    # Who connects and asks for nothing delays nobody.
    slow = HTTPConnection(host)
    slow.connect()
    for method, path, named, status in (
        ("GET", "/", host, 200),
        ("HEAD", "/cell-2.html", host, 200),
        ("GET", "/", "example.org", 403),
        ("GET", "/../state", host, 404),
        ("GET", "/cell-3.html", host, 404),
        ("POST", "/", host, 501),
    ):
        connection = HTTPConnection(host, timeout=8)
        connection.request(method, path, headers={"Host": named})
        assert connection.getresponse().status == status, (method, path, named)
        connection.close()
    slow.close()

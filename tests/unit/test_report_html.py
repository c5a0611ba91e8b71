"""The page: HTML twin, figures, charts, every language, and games without cards."""

import base64
import hashlib
import re
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path

import pytest
from page_numbers import Figures, text_of
from report_evidence import REPORTS, stored
from report_sample import sample_evidence
from representatives import only

from certify.certification.tables import tables_of
from certify.evidence import StatedCampaign
from certify.evidence.read import evidence_of, read
from certify.families import families, registry
from certify.issue.recorded import submission_of
from certify.messages import LANGUAGES, catalogue, speaking
from certify.messages.catalogue import read_sentences
from certify.model import Decision, Kind, LaidPiece
from certify.report import pdf
from certify.report.chapters.strategy import strategy_chart
from certify.report.figures.pieces import draw_piece, side_by_side
from certify.report.figures.played import convergence
from certify.report.pdf import render_html, render_pdf
from certify.report.svg import LEFT, RIGHT, TOP, WIDTH, SvgDrawing
from certify.report.view import build_view, read_evidence

ROOT = Path(__file__).parents[2]
VOID = {"meta", "col", "br", "img", "input", "link"}


class Outline(HTMLParser):
    """Collects what the tests ask about, and checks that tags nest."""

    def __init__(self, markup):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(markup)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def markup():
    return render_html(sample_evidence()).decode()


@pytest.fixture(scope="module")
def outline(markup):
    return Outline(markup)


def test_the_same_evidence_gives_the_same_bytes_and_a_page_in_italian(markup):
    assert render_html(sample_evidence()).decode() == markup
    assert "99,54 %" in render_html(sample_evidence(), "it").decode()


def test_nothing_refers_to_the_network(markup, outline):
    addresses = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", markup)
    assert addresses
    assert all(address.startswith(("#", "data:font/woff2;base64,")) for address in addresses)
    assert not outline.named("link")


def test_the_policy_allows_this_style_and_this_script_only(markup, outline):
    policy = next(meta["content"] for meta in outline.named("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", markup, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not [attributes for _, attributes in outline.tags if "style" in attributes]
    assert not [name for _, attributes in outline.tags for name in attributes if name.startswith("on")]


def test_ids_are_unique_and_every_link_arrives(outline):
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [str(link["href"]).removeprefix("#") for link in outline.named("a")]
    assert set(targets) <= set(ids)
    assert len(targets) > 15


def test_headings_begin_with_one_h1_and_skip_no_level(outline):
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_headings_with_scope_and_every_drawing_a_description(outline):
    assert all(heading.get("scope") in ("col", "row") for heading in outline.named("th"))
    drawings = outline.named("svg")
    assert len(drawings) == 7
    assert all(drawing.get("role") == "img" and drawing.get("aria-label") for drawing in drawings)


def test_tables_and_figures_are_numbered_without_gaps(markup):
    for kind in ("Table", "Figure"):
        numbers = [int(number) for number in re.findall(rf'class="label">{kind} (\d+)\.', markup)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_verdict_is_always_a_word(markup):
    for style, body in re.findall(
        r'<span class="verdict (\w+)">(.*?)</span>\s*(?:</t|<strong|</p|[A-Z])', markup
    ):
        assert re.search(r"[a-z]{4}", re.sub(r"<[^>]*>", "", body)), style


def test_the_demonstration_key_is_named_only_where_it_was_used(markup):
    assert "Demonstration key" in markup
    evidence = sample_evidence()
    evidence["report"]["demonstration_key"] = False
    assert "Demonstration key" not in render_html(evidence).decode()


def headless(markup):
    """Returns what a screen reader stumbles over in tables: heads that head nothing, regions of one name."""
    names = re.findall(r'role="region" aria-label="([^"]*)"', markup)
    twice = sorted({name for name in names if names.count(name) > 1})
    return re.findall(r"<th[^>]*>\s*</th>", markup) + twice


def test_no_head_is_empty_and_no_two_tables_have_one_name(markup):
    assert 'role="region"' in markup
    assert headless(markup) == []
    doubled = markup.replace('role="region" aria-label="', 'role="region" aria-label="Table" title="')
    assert headless(doubled + '<th scope="row" class="text"></th>') == [
        '<th scope="row" class="text"></th>',
        "Table",
    ]


GAMES = sorted(path.name.partition(".")[0] for path in REPORTS.glob("*.json.xz"))
SEEN = ("TextBox", "InlineReplacedBox", "BlockReplacedBox")
"""What a reader sees of a page: lines of text, figures."""


def lowest(box):
    """Yields how far down on the page each text and figure below a box ends."""
    if type(box).__name__ in SEEN:
        yield box.position_y + box.height
    for child in getattr(box, "children", ()):
        if type(child).__name__ != "MarginBox":
            yield from lowest(child)


def filled(document):
    """Returns for each page down to which part of its text area it is filled."""
    pages = [page._page_box for page in document.pages]
    return [(max(lowest(page)) - page.content_box_y()) / page.height for page in pages]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "language"), [("sept-et-demi", "fr"), *((game, "en") for game in GAMES)])
def test_no_page_is_half_empty(game, language, monkeypatch):
    set_pages = []
    monkeypatch.setattr(pdf, "require_within_page", set_pages.append)
    issued = datetime(2026, 11, 23, tzinfo=UTC)
    render_pdf(stored(REPORTS / f"{game}.json.xz"), {}, issued=issued, language=language)
    shares = filled(set_pages[0])
    assert [(number, round(share, 2)) for number, share in enumerate(shares[:-1], 1) if share < 0.6] == []
    assert shares[-1] > 0.2


def decision(hand, dealer, best):
    """One decision as the evidence holds it."""
    values = {"fold": Fraction(-1), "raise": Fraction(-1, 2) if best == "raise" else Fraction(-3, 2)}
    return Decision(hand, (), dealer, best, values, best, Fraction(1))


def charted():
    """The chart of twenty names against three cards, one cell of which is decided otherwise by two of its hands."""
    met = [decision(hand, dealer, "raise") for hand in ("two pair", "pair") for dealer in ("10", "K", "2")]
    met += [decision(f"A-K-Q-{low}", "2", "raise") for low in ("J", "10", "9")]
    met += [decision("A-K-Q-8-3, suits to fold", "2", "fold"), decision("A-K-Q-7", "2", "fold")]
    met += [
        decision(f"A-{rank}", "K", "fold") for rank in ("Q", "J", "10", "9", "8", "7", "6", "5", "4", "3")
    ]
    met += [decision(f"{rank} high", "K", "fold") for rank in ("K", "Q", "J", "10", "9", "8")]
    return strategy_chart(tuple(met))


def test_hands_stand_under_their_first_cards_and_a_star_marks_those_that_differ():
    found = charted()
    assert [(row[0].text, row[2].text, row[3].text) for row in found.listed.rows] == [
        ("A-K-Q-8-3, suits to fold", "fold", "raise"),
        ("A-K-Q-7", "fold", "raise"),
    ]
    chart = found.chart
    assert [column.title for column in chart.columns][1:] == ["2", "10", "K"]
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in chart.rows}
    assert len(rows) == 19
    assert rows["pair"] == ["raise", "raise", "raise"]
    assert rows["A-K-Q"] == ["raise *", "", ""]
    assert rows["A-3"] == ["", "", "fold"]


def test_a_cell_is_coloured_by_its_decision_in_every_language():
    def kinds():
        return [cell.kind for row in charted().chart.rows for cell in row[1:]]

    assert "caribbean-stud" in families()
    english = kinds()
    assert {"chart draw", "chart fold"} <= set(english)
    with speaking("it", "caribbean-stud"):
        assert kinds() == english


WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
IDS = re.compile(r"[\w.:+½-]+(?: against [\w.:+½-]+)?(?:, [\w.:+½-]+(?: against [\w.:+½-]+)?)*")
BET = re.compile(r"(-final)?-[0-9]+$")
TRANSLATED = [language for language in LANGUAGES if language != "en"]
KEPT = sorted(REPORTS.glob("*.json.xz"))
QUICK = ("sept-et-demi", "jacks-or-better-9-6", "us5632489-casino")
"""A game of a bank that is a player, one of poker, and one whose source prints tables."""


def own_words(submission):
    return " ".join(submission.decode().replace("\\n", " ").replace('\\"', '"').split())


@pytest.mark.parametrize(
    ("path", "language"),
    # In a quick run each language for one game.
    only(
        product(KEPT, TRANSLATED),
        *((REPORTS / f"{name}.json.xz", language) for name, language in zip(QUICK, TRANSLATED, strict=True)),
    ),
    ids=lambda one: one if isinstance(one, str) else one.name.partition(".")[0],
)
def test_what_stays_in_english_is_quoted_from_the_submission(path, language):
    evidence = stored(path)
    submission = own_words(submission_of(evidence_of(evidence)))
    missed = set()
    registry.families()
    with speaking(language, evidence["item"]["family"], missed):
        build_view(*read_evidence(evidence))
    english = [
        text
        for text in missed
        if WORDS.search(text)
        and not IDS.fullmatch(text.strip(" ()"))
        and " ".join(text.strip("“”").rstrip(".").split()) not in submission
    ]
    assert english == []


WORD = re.compile(r"(?<![\w./-])[a-zA-Z][a-z]{2,}(?:-[a-z]+)*(?![\w/]|\.\w)")
"""A word that is no part of the name of a module, a check, a file or an option."""
NAMES = ("click", "export")
"""A library, and the purpose of a stream of random numbers."""


def words_of(text):
    return {word.lower() for word in WORD.findall(re.sub(r"\{[^{}]*\}", " ", text))}


@cache
def catalogue_words(language):
    """The words of all sentences of the house and of its families in a language."""
    paths = (ROOT / "certify").rglob(f"messages/**/{'it' if language == 'en' else language}*.toml")
    texts = [read_sentences(path) for path in paths if path.parent.name == "texts"]
    said = [read_sentences(path).values() for path in (ROOT / "certify").rglob(f"messages/{language}.toml")]
    said += [one.keys() if language == "en" else one.values() for one in texts]
    return set().union(*(words_of(text) for part in said for text in part))


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("path", only(KEPT, KEPT[-1]), ids=lambda path: path.name.partition(".")[0])
def test_no_word_of_a_page_is_english_but_those_of_the_submission(path, language):
    evidence = stored(path)
    root = evidence_of(evidence)
    named = [(ROOT / "certify/clauses/references.toml").read_text("utf-8"), submission_of(root).decode()]
    named += [name for test in root.randomness.tests for name in (test.suite, test.test)]
    for catalogued in (ROOT / "certify/clauses/catalogues").glob("*.toml"):
        named += re.findall("^(?:title|edition) = .*", catalogued.read_text("utf-8"), re.M)
    own = words_of(" ".join((*named, *NAMES)))
    english = catalogue_words("en") - catalogue_words(language) - own
    page = re.sub(
        "certify run .*? --seed", " ", text_of(render_html(evidence, language).decode()), flags=re.S
    )
    assert {"dealer", "rounds", "against"} <= catalogue_words("en") - catalogue_words(language)
    assert sorted(words_of(page) & english) == []


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name.partition(".")[0])
def test_every_outcome_and_option_that_a_family_brings_has_a_name_in_every_language(path):
    evidence = stored(path)
    root = evidence_of(evidence)
    submission, analyses = own_words(submission_of(root)), root.analysis.values()
    printed = {
        "outcome": {
            outcome.outcome
            for analysis in analyses
            for wager in analysis.wagers.values()
            for outcome in wager.outcomes
        },
        "option": {
            *(option for one in analyses for met in one.decisions for option in met.values),
            *(option for witness in root.witnesses for option in witness.decisions),
        },
    }
    registry.families()
    for language in LANGUAGES:
        for kind, ids in printed.items():
            prefix = f"{evidence['item']['family']}.{kind}."
            named = {name.removeprefix(prefix) for name in catalogue(language).beginning(prefix)}
            # What the submission names is called as the submission calls it; a final bet is said beside the name.
            unnamed = {name for name in ids - named if BET.sub("", name) not in named}
            assert {name for name in unnamed if f'"{name}"' not in submission} == set(), language


def figures_of(evidence):
    """The figures of evidence and of the data files that are written from it."""
    root = evidence_of(evidence)
    return Figures(evidence, *(table.written(root).decode() for table in tables_of(root)))


@pytest.mark.parametrize("path", only(KEPT, KEPT[-1]), ids=lambda path: path.name.partition(".")[0])
def test_every_number_of_a_page_is_in_the_evidence_or_in_a_data_file(path):
    assert figures_of(stored(path)).missing(text_of(render_html(stored(path)).decode())) == []


def test_a_number_of_a_page_that_is_in_no_evidence_is_named():
    figures, page = figures_of(stored(KEPT[-1])), text_of(render_html(stored(KEPT[-1])).decode())
    telling = [number for number in re.findall(r"\b\d+\.\d+\b", page) if len(number.strip("0.")) > 6]
    # The last digit but one of each is another one.
    changed = [f"{number[:-2]}{(int(number[-2]) + 3) % 10}{number[-1]}" for number in telling]
    assert len(telling) > 150
    assert len(figures.missing(" ".join(changed))) > 0.97 * len({*changed})
    assert figures.missing(page.replace(telling[0], changed[0])) == [changed[0]]


HEIGHT = 140.0


def drawn(campaign):
    """The caption of the chart of the main bet and the points of its lines and areas."""
    found = read(StatedCampaign, campaign)
    assert isinstance(found, StatedCampaign)
    figure = convergence(found, "main", "Main bet")
    assert f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}"' in figure.drawing
    shapes = re.findall(r'<poly(?:line|gon)[^>]* points="([^"]*)"', figure.drawing)
    return figure.caption, [
        [tuple(float(part) for part in point.split(",")) for point in shape.split()]  # type: ignore[misc]
        for shape in shapes
    ]


def campaign_of(decades):
    """A campaign whose return closes in on the exact one, point by point over so many decades."""
    campaign = sample_evidence()["simulation"]["campaigns"][0]
    first = campaign["convergence"][0]["wagers"]["main"]
    campaign["convergence"] = [
        {
            "rounds": 1000 * 10**step,
            "wagers": {
                "main": {
                    "return": first["return"] + (-1) ** step * 0.3 / 10 ** (step / 2),
                    "half_width_99": 0.4 / 10 ** (step / 2),
                }
            },
        }
        for step in range(decades + 1)
    ]
    return dict(campaign)


@pytest.mark.parametrize("decades", [1, 3, 6])
def test_every_point_of_a_convergence_chart_lies_inside_the_plot(decades):
    _, shapes = drawn(campaign_of(decades))
    assert len(shapes) == 2
    for x, y in (point for shape in shapes for point in shape):
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP < y < HEIGHT - 40
    heights = [y for _, y in shapes[0]]
    assert max(heights) - min(heights) > (HEIGHT - 40 - TOP) / 2


def test_a_convergence_chart_says_from_which_round_on_it_draws():
    caption, shapes = drawn(campaign_of(6))
    assert "from 1\u202f000\u202f000 rounds on" in caption
    assert len(shapes[-1]) == 4


def test_the_labels_of_a_wheel_stand_along_the_radius_where_its_sectors_are_narrow():
    def drawn(stops):
        drawing = SvgDrawing(400, 220)
        draw_piece(drawing, LaidPiece("wheel", Kind.WHEEL, len(stops), 1, 0, stops), 200, 4)
        return drawing.svg()

    assert "rotate(" not in drawn(tuple(map(str, range(37))))
    narrow = drawn(("joker", *("1",) * 53))
    # Those at three and at nine o'clock lie level as they are.
    assert narrow.count("rotate(") == 52
    assert ">joker<" in narrow


def test_the_key_of_a_layout_of_bets_stays_within_the_drawing_in_every_language():
    import re

    from certify.report.figures.bets import _key

    for language in LANGUAGES:
        drawing = SvgDrawing(WIDTH, 40)
        with speaking(language):
            _key(drawing, 10)
        labels = re.findall(r'<text [^>]*x="([0-9.]+)"[^>]*>([^<]+)<', drawing.svg())
        assert len(labels) == 3
        # Letters of this face at nine pixels are 4.6 wide on average.
        assert all(float(left) >= 0 and float(left) + 4.6 * len(text) <= WIDTH for left, text in labels), (
            language
        )


def test_all_reels_of_a_slot_are_drawn_though_a_wheel_stands_behind_them():
    reel, wheel = (LaidPiece(kind.value, kind, 30, 1, 0, ()) for kind in (Kind.REEL, Kind.WHEEL))
    assert [piece.kind for piece in side_by_side([reel] * 5 + [wheel])] == ["reel"] * 5
    assert side_by_side([reel, wheel]) == [reel, wheel]

"""The HTML twin: self-contained, closed to the network, and sound for assistive technology."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from report_sample import sample_evidence

from certify.report.pdf import render_html

VOID = {"meta", "col", "br", "img", "input", "link"}
HOSTILE = '<script>alert(1)</script><img src="http://example.org/x">{{ 7 * 7 }}{% raw %}" onload="x'


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


def test_the_same_evidence_gives_the_same_bytes(markup):
    assert render_html(sample_evidence()).decode() == markup


def test_nothing_refers_to_the_network(markup, outline):
    addresses = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", markup)
    assert addresses
    assert all(address.startswith(("#", "data:font/woff2;base64,")) for address in addresses)
    assert not outline.named("link")


def test_the_policy_allows_this_style_and_this_script_only(markup, outline):
    policy = next(meta["content"] for meta in outline.named("meta") if meta.get("http-equiv"))
    assert policy is not None
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
    assert len(targets) > 20


def test_headings_begin_with_one_h1_and_skip_no_level(outline):
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_headings_with_scope_and_every_drawing_a_description(outline):
    assert all(heading.get("scope") in ("col", "row") for heading in outline.named("th"))
    drawings = outline.named("svg")
    assert len(drawings) == 13
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


def test_hostile_names_stay_text():
    evidence = sample_evidence()
    evidence["item"]["title"] = HOSTILE
    evidence["wagers"][0]["title"] = HOSTILE
    evidence["findings"][0]["detail"] = HOSTILE
    evidence["simulation"]["campaigns"][0]["wagers"][0]["outcomes"][0]["outcome"] = HOSTILE
    markup = render_html(evidence).decode()
    outline = Outline(markup)
    assert len(outline.named("script")) == 1
    assert not outline.named("img")
    assert "{{ 7 * 7 }}" in markup
    assert "onload" not in [name for _, attributes in outline.tags for name in attributes]


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

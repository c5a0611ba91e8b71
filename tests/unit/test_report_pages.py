"""The pages as they are laid out: nothing cut off, no heading left behind, whatever the evidence says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from report_patent import patent_evidence
from report_sample import sample_evidence

from certify.errors import RenderError
from certify.report import pdf as renderer
from certify.report.formats import pieces
from certify.report.inspect import outside, require_within_page
from certify.report.pdf import render_pdf

ISSUED = datetime(2026, 11, 21, 12, tzinfo=UTC)
LONG = "x" * 300
HEADINGS = ("h2", "h3", "h4", "caption")


class LaidOut(Exception):  # noqa: N818 - no error: what was waited for
    """The pages are laid out."""

    def __init__(self, document: Any) -> None:
        super().__init__()
        self.document = document


def laid_out(evidence: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The renderer's pages, taken where they are looked at for texts that do not fit; no file is made of them."""

    def looked_at(document: Any) -> None:
        require_within_page(document)
        raise LaidOut(document)

    monkeypatch.setattr(renderer, "require_within_page", looked_at)
    with pytest.raises(LaidOut) as laid:
        render_pdf(evidence, {}, issued=ISSUED)
    return laid.value.document


def few_chapters() -> dict[str, Any]:
    """The sample without its long chapters: quick to lay out."""
    evidence = sample_evidence()
    for key in ("simulation", "randomness", "analysis", "rounds", "joint", "frontier", "par", "recovery"):
        del evidence[key]
    return evidence


def texts(box: Any, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every text of a page in reading order, with the elements that it stands in."""
    if type(box).__name__ == "MarginBox":
        return
    within = (*inside, box.element_tag or "")
    if type(box).__name__ == "TextBox":
        if box.text.strip():
            yield box.text, within
        return
    for child in getattr(box, "children", ()):
        yield from texts(child, within)


@pytest.mark.parametrize("game", ["sample", pytest.param("casino", marks=pytest.mark.slow)])
def test_no_page_ends_with_a_heading_and_none_is_nearly_empty(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = laid_out(sample_evidence() if game == "sample" else patent_evidence(game), monkeypatch)
    assert len(document.pages) > 10
    for number, page in enumerate(document.pages, start=1):
        found = list(texts(page._page_box))
        last, elements = found[-1]
        assert not set(HEADINGS) & set(elements), f"page {number} ends with the heading {last!r}"
        # The last page ends where the report ends.
        if number < len(document.pages):
            assert len(found) > 12, f"page {number} has {len(found)} texts only"


@pytest.mark.slow
def test_words_that_no_line_holds_are_broken_and_never_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = few_chapters()
    evidence["rules"][0]["title"] = LONG
    evidence["wagers"][0]["title"] = LONG
    evidence["wagers"][1]["paytable"][0]["title"] = LONG
    evidence["observations"][0].update(observed=LONG, subject=LONG, title=LONG)
    evidence["findings"][0].update(title=LONG, detail=LONG, reproduce=LONG)
    document = laid_out(evidence, monkeypatch)
    assert list(outside(document)) == []
    shown = "".join(text for page in document.pages for text, _ in texts(page._page_box))
    assert shown.replace("\u200b", "").count(LONG) >= 8


def test_a_number_that_would_be_cut_off_is_refused_with_its_page() -> None:
    evidence = few_chapters()
    evidence["wagers"][0]["paytable"][0]["pays"] = f"{'9' * 200} to 1"
    with pytest.raises(RenderError, match=r"do not fit: page \d+: .*9999"):
        render_pdf(evidence, {}, issued=ISSUED)


def test_cutting_a_text_loses_nothing() -> None:
    text = f"one {LONG} two-{'y' * 41} three"
    cut = pieces(text)
    assert "".join(cut) == text
    assert max(len(word) for piece in cut for word in piece.split()) < 45

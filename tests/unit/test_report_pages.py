"""The pages of a report as they are set: none is left half empty, and none holds two lines alone."""

from datetime import UTC, datetime

import pytest
from report_evidence import REPORTS, stored

from certify.report import pdf
from certify.report.pdf import render_pdf

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

"""The visible signature: a small page that becomes the appearance of the signature field."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib.resources import files
from typing import Any

from certify.errors import RenderError

_FONT = "IBMPlexSans-Medium.ttf"

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signature</title><style>
@font-face {{ font-family: IBM Plex Sans; font-weight: 500; src: url(font:stamp); }}
@page {{ size: {width}pt {height}pt; margin: 0; }}
html {{ font: {size}pt/1.35 IBM Plex Sans; font-weight: 500; color: #1b2733; }}
body {{ margin: 0; padding: 0 0 0 {bar}pt; }}
div {{ border-left: {rule}pt solid #1f5673; padding-left: {bar}pt; height: {height}pt; overflow: hidden; }}
b {{ font-weight: 500; font-size: 1.2em; color: #1f5673; }}
span {{ color: #52606d; }}
</style></head><body><div><b>{heading}</b><br>{lines}</div></body></html>"""


@dataclass(frozen=True, slots=True)
class StampText:
    """What the visible signature says.

    Args:
        name: Whom the certificate names.
        signing_time: When it was signed, by the signer's clock.
        reason: Why it was signed.
        fingerprint: SHA-256 of the signer's certificate in hexadecimal.
    """

    name: str
    signing_time: datetime
    reason: str
    fingerprint: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the heading."""
        half = len(self.fingerprint) // 2
        return (
            f"Digitally signed {self.signing_time:%Y-%m-%d %H:%M:%S} UTC, by the signer's clock",
            self.reason,
            f"Certificate SHA-256 {self.fingerprint[:half]}",
            self.fingerprint[half:],
        )


def render_stamp(text: StampText, width: float, height: float) -> bytes:
    """Returns the visible signature as a PDF of one page, exactly as large as the field.

    Args:
        text: What it says.
        width: Width of the field in points.
        height: Height of the field in points.

    Raises:
        RenderError: The font is missing, the field is too small, or the renderer warned.
    """
    import weasyprint

    size = min(height / (1.35 * (len(text.lines) + 1.4)), width / 34)
    if size < 3:
        raise RenderError(
            f"the signature field of {width:.0f} × {height:.0f} pt is too small for a readable signature"
        )
    page = _PAGE.format(
        width=round(width, 3),
        height=round(height, 3),
        size=round(min(size, 8.5), 3),
        bar=round(size / 2, 3),
        rule=round(size / 6, 3),
        heading=escape(text.name),
        lines="<br>".join(f"<span>{escape(line)}</span>" for line in text.lines),
    )
    records: list[logging.LogRecord] = []
    handler = _Collector(records)
    logger = logging.getLogger("weasyprint")
    logger.addHandler(handler)
    try:
        content = weasyprint.HTML(string=page, url_fetcher=_closed_fetcher()).write_pdf()
    finally:
        logger.removeHandler(handler)
    if records:
        raise RenderError(f"the visible signature did not render as intended: {records[0].getMessage()}")
    return bytes(content)


class _Collector(logging.Handler):
    """Keeps what the renderer warns about."""

    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.WARNING)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a record."""
        self._records.append(record)


def _closed_fetcher() -> Any:
    """Returns a fetcher that knows the bundled font and nothing else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    font = files("report_templates").joinpath("fonts", _FONT).read_bytes()

    class ClosedFetcher(URLFetcher):  # type: ignore[misc]
        """Serves the bundled font; refuses the network and the disk."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            """Returns the font, or refuses."""
            if url != "font:stamp":
                raise FatalURLFetchingError(f"the visible signature may not load {url}")
            return URLFetcherResponse(url, body=font, headers={"Content-Type": "font/ttf"})

    return ClosedFetcher()

"""Time stamps (RFC 3161): where one comes from, and how it enters a signature."""

import io
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from certify.errors import InputError, Refusing, RenderError
from certify.fonts import (
    closed_fetcher,
    complaints,
    missing_letters,
    named_letters,
    own_fonts,
    own_room,
    renderer,
)
from certify.messages import ENGLISH, LANGUAGES, speaking, tell
from certify.untrusted_input import SizeLimit, read_stream

if TYPE_CHECKING:
    from pyhanko.sign.timestamps import TimeStamper


_FONT = "IBMPlexSans-Medium.ttf"
_FACE = re.compile(rb"/BaseFont\s*/(\S+)")
_FACE_NAME = b"IBM-Plex-Sans"

#: Width of a character and height of a line, in units of the type size; both on the generous side.
_CHARACTER = 0.58
_LINE = 1.35
_LARGEST, _SMALLEST = 8.5, 3.0
_NAME_SCALE = 1.5

_PAGE = """<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>Signature</title><style>
@font-face {{ font-family: IBM Plex Sans; font-weight: 500; src: url(font:{font}); }}
@page {{ size: {width}pt {height}pt; margin: 0; }}
html {{ font: {size}pt/{line} IBM Plex Sans; font-weight: 500; color: #52606d; }}
body {{ margin: 0; padding: {top}pt 0 0 {bar}pt; }}
div {{ border-left: {rule}pt solid #1f5673; padding-left: {bar}pt; overflow: hidden; white-space: nowrap; }}
b {{ font-weight: 500; font-size: {name_size}pt; color: #1f5673; }}
</style></head><body><div><b>{name}</b><br>{lines}</div></body></html>"""


def language_of(report: bytes) -> str:
    """Returns the language that a report says it is written in; English where it says none of ours.

    A report that states it wrongly is not what follows from its evidence.
    """
    import pikepdf

    with pikepdf.open(io.BytesIO(report)) as document:
        tag = str(document.Root.get("/Lang", ""))
    language = tag.partition("-")[0].lower()
    return language if language in LANGUAGES else ENGLISH


@dataclass(frozen=True, slots=True)
class StampText:
    """What the visible signature says.

    Args:
        name: Whom the certificate names.
        signing_time: When it was signed, by the signer's clock.
        reason: Why it was signed.
        fingerprint: SHA-256 of the signer's certificate in hexadecimal.
        language: Language of the report.
    """

    name: str
    signing_time: datetime
    reason: str
    fingerprint: str
    language: str = ENGLISH

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the heading."""
        half = len(self.fingerprint) // 2
        with speaking(self.language):
            return (
                tell("stamp.digitally-signed", time=f"{self.signing_time:%Y-%m-%d %H:%M:%S} UTC"),
                tell("stamp.by-the-signers-own-clock"),
                *((self.reason,) if self.reason else ()),
                tell("stamp.digest-of-the-certificate"),
                self.fingerprint[:half],
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
    missing = missing_letters("".join((text.name, *text.lines)))
    if missing:
        raise RenderError(
            f"the visible signature needs letters that {_FONT} does not have: {named_letters(missing)}"
        )
    page = _page(text, width, height)
    with own_room(), complaints() as messages:
        content = (
            renderer().HTML(string=page, url_fetcher=closed_fetcher({})).write_pdf(font_config=own_fonts())
        )
    if messages:
        raise RenderError(f"the visible signature did not render as intended: {messages[0]}")
    strays = {face.decode("latin-1") for face in _FACE.findall(content) if _FACE_NAME not in face}
    if strays:
        raise RenderError(
            f"the visible signature needs letters that {_FONT} does not have: {', '.join(strays)}"
        )
    return bytes(content)


def _page(text: StampText, width: float, height: float) -> str:
    """Returns the stamp as HTML, its type as large as the field allows, in the middle of its height."""
    longest = max(len(line) for line in text.lines)
    rows = len(text.lines) + _NAME_SCALE
    size = min(height / (_LINE * (rows + 0.5)), width / (_CHARACTER * longest + 2), _LARGEST)
    if size < _SMALLEST:
        raise RenderError(
            f"the signature field of {width:.0f} × {height:.0f} pt is too small for a readable signature"
        )
    return _PAGE.format(
        language=text.language,
        font=_FONT,
        width=round(width, 3),
        height=round(height, 3),
        size=round(size, 3),
        line=_LINE,
        top=round((height - _LINE * rows * size) / 2, 3),
        bar=round(size / 2, 3),
        rule=round(size / 6, 3),
        name_size=round(min(_NAME_SCALE * size, (width - 2 * size) / (_CHARACTER * len(text.name))), 3),
        name=escape(text.name),
        lines="<br>".join(escape(line) for line in text.lines),
    )


_ANSWER = SizeLimit("a time stamp", 1024 * 1024)
_TIMEOUT = 30.0


def http_time_stamper(url: str, timeout: float = _TIMEOUT) -> "TimeStamper":
    """Returns a time stamper that asks an authority over HTTP.

    This is the only place where the harness uses a network, and only where the operator names an authority.
    The authority sees a digest of the signature, nothing of the report.

    Args:
        url: Address of the authority, ``http`` or ``https``.
        timeout: How long one answer may take, in seconds.

    Raises:
        InputError: The address is of another kind.

    Source: RFC 3161, section 3.4.
    """
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise InputError(f"{url!r} is no address of a time-stamp authority: expected http:// or https://")
    from asn1crypto.tsp import TimeStampReq, TimeStampResp
    from pyhanko.sign.timestamps import TimeStamper

    class HttpTimeStamper(TimeStamper):
        """Posts the request and reads the answer."""

        async def async_request_tsa_response(self, req: TimeStampReq) -> TimeStampResp:
            """Returns the authority's answer."""
            answer = TimeStampResp.load(_post(url, req.dump(), timeout), strict=True)
            _require_answer_to(req, answer, url)
            return answer

    return HttpTimeStamper()  # type: ignore[no-untyped-call]


def _require_answer_to(request: Any, answer: Any, url: str) -> None:
    """Refuses an answer that holds no token, or one made for another request."""
    with Refusing(
        (ValueError, TypeError, KeyError, AttributeError),
        InputError,
        f"the time-stamp authority {url} refused to date the signature",
        words=None,
    ):
        # RFC 3161, section 2.4.2: an answer without a token is a refusal.
        token = answer["time_stamp_token"]["content"]["encap_content_info"]["content"].parsed
        fits = all(token[part].dump() == request[part].dump() for part in ("message_imprint", "nonce"))
    if not fits:
        raise InputError(f"the time-stamp authority {url} dated something else than the signature")


def _post(url: str, request: bytes, timeout: float) -> Any:
    """Returns what the authority answers to a request."""
    # The scheme was checked above: no file is opened.
    post = urllib.request.Request(  # noqa: S310
        url, data=request, headers={"Content-Type": "application/timestamp-query"}
    )
    with (
        Refusing(
            (urllib.error.URLError, OSError), InputError, f"the time-stamp authority {url} does not answer"
        ),
        urllib.request.urlopen(post, timeout=timeout) as answer,  # noqa: S310
    ):
        content = read_stream(answer, _ANSWER, lambda reason: InputError(f"the answer of {url}: {reason}"))
        kind = answer.headers.get("Content-Type", "")
    if kind != "application/timestamp-reply":
        raise InputError(f"the time-stamp authority {url} answered with {kind!r} instead of a time stamp")
    return content

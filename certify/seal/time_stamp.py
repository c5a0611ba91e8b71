"""Time stamps of an authority (RFC 3161): proof of when a signature existed, got over HTTP if asked for."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from certify.errors import InputError
from certify.outside import SizeLimit, read_stream

if TYPE_CHECKING:
    from pyhanko.sign.timestamps import TimeStamper

_ANSWER = SizeLimit("a time stamp", 1024 * 1024)
_TIMEOUT = 30.0


def http_time_stamper(url: str, timeout: float = _TIMEOUT) -> TimeStamper:
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
    try:
        token = answer["time_stamp_token"]["content"]["encap_content_info"]["content"].parsed
        fits = all(token[part].dump() == request[part].dump() for part in ("message_imprint", "nonce"))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        # RFC 3161, section 2.4.2: an answer without a token is a refusal.
        raise InputError(f"the time-stamp authority {url} refused to date the signature") from error
    if not fits:
        raise InputError(f"the time-stamp authority {url} dated something else than the signature")


def _post(url: str, request: bytes, timeout: float) -> Any:
    """Returns what the authority answers to a request."""
    # The scheme was checked above: no file is opened.
    post = urllib.request.Request(  # noqa: S310
        url, data=request, headers={"Content-Type": "application/timestamp-query"}
    )
    try:
        with urllib.request.urlopen(post, timeout=timeout) as answer:  # noqa: S310
            content = read_stream(
                answer, _ANSWER, lambda reason: InputError(f"the answer of {url}: {reason}")
            )
            kind = answer.headers.get("Content-Type", "")
    except (urllib.error.URLError, OSError) as error:
        raise InputError(f"the time-stamp authority {url} does not answer: {error}") from error
    if kind != "application/timestamp-reply":
        raise InputError(f"the time-stamp authority {url} answered with {kind!r} instead of a time stamp")
    return content

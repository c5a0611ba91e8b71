"""A signed page of tests of randomness: the numbers that it carries, and what its signature is made for."""

from __future__ import annotations

from typing import Final

from certify.errors import TrustError
from certify.seal.canonical import parse_json

NUMBERS: Final = "battery.json"
"""The one attachment of such a page."""


def reason_of(digest: str) -> str:
    """Returns the reason that the signature states.

    Args:
        digest: SHA-256 of the sample, in hexadecimal digits.
    """
    return f"Tests of randomness of SHA-256 {digest[:16]}"


def require_numbers(content: bytes, reason: str) -> str:
    """Returns what was tested and with what verdict, where the signature was made for that sample.

    Args:
        content: The numbers as they are attached.
        reason: The reason that the signature states.

    Raises:
        TrustError: They are no numbers of a tested sample, or of another than the signature names.
    """
    numbers = parse_json(content, NUMBERS)
    try:
        given, verdict = numbers["input"], numbers["verdict"]
        digest, said = str(given["sha256"]), f"{given['count']:,} {given['kind']}"
    except (KeyError, TypeError, ValueError) as error:
        raise TrustError(
            f"{NUMBERS} does not say what was tested: {type(error).__name__}: {error}"
        ) from error
    if reason != reason_of(digest):
        raise TrustError(
            f"the signature was expected to be made for {reason_of(digest)!r}, not for {reason!r}"
        )
    return f"{said} with SHA-256 {digest}, verdict {verdict!r}"

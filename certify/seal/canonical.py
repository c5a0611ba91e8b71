"""Canonical JSON (RFC 8785) out, strict JSON in: one meaning, one sequence of bytes."""

import hashlib
import json
import re
from typing import Any

from certify.errors import Refusing, TrustError
from certify.untrusted_input import finite, json_of

MAXIMUM_DEPTH = 64


MAXIMUM_VALUES = 2_000_000


_FIRST_INEXACT = 2.0**53


_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def canonical_bytes(obj: Any) -> bytes:
    """Returns the canonical form of a JSON value, the bytes that are digested and signed.

    Integers beyond 2^53 and numbers that are not finite have no exact form in JSON and are refused:
    they belong in the evidence as strings.

    Raises:
        ValueError: The value has no canonical form.

    Source: RFC 8785 (JSON Canonicalization Scheme), sections 3.2.2 and 3.2.3.

    >>> canonical_bytes({"b": 1.0, "a": "½"}).decode()
    '{"a":"½","b":1}'
    """
    import rfc8785

    with Refusing(
        (rfc8785.CanonicalizationError, RecursionError), ValueError, "this value has no canonical form"
    ):
        return rfc8785.dumps(obj)


def sha256_hex(content: bytes) -> str:
    """Returns the SHA-256 digest of some bytes in hexadecimal.

    >>> sha256_hex(b"")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(content).hexdigest()


def parse_json(content: bytes, name: str) -> Any:
    """Returns the value of a JSON text that can be read in one way only.

    A repeated key, a number that is not finite, text that is not UTF-8, half of a surrogate pair,
    more values than any evidence has, or nesting deeper than any needs is refused, because two readers could
    disagree about what such a text says, or one could choke on it.

    Args:
        content: The bytes of the file.
        name: What to call the file in an error.

    Raises:
        TrustError: The text is not JSON, or is ambiguous.

    Source: RFC 7493 (I-JSON), sections 2.1 to 2.3.
    """
    # Before any parser: what it may take is bounded by what could be values, keys and brackets in the bytes.
    if sum(map(content.count, (b",", b":", b"[", b"{"))) > MAXIMUM_VALUES:
        raise TrustError(f"{name} holds more than the {MAXIMUM_VALUES} values that may be parsed")
    with Refusing(ValueError, TrustError, f"{name} is not unambiguous JSON"):
        value = json_of(content.decode("utf-8"), _exact_integer)
    if _HALF.search(content) and _has_half(value):
        raise TrustError(f"{name} is not unambiguous JSON: it holds half of a surrogate pair")
    if _depth(value) > MAXIMUM_DEPTH:
        raise TrustError(f"{name} is nested deeper than {MAXIMUM_DEPTH} levels")
    return value


def _has_half(value: Any) -> bool:
    """Returns whether a text in a JSON value is no text that could be written: half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def parse_canonical(content: bytes, name: str) -> Any:
    """Returns the value of a JSON text that is in canonical form, byte for byte.

    Raises:
        TrustError: The text is not unambiguous JSON or is not in its canonical form.
    """
    value = parse_json(content, name)
    with Refusing(ValueError, TrustError, f"{name} has no canonical form (RFC 8785)"):
        expected = canonical_bytes(value)
    if expected != content:
        raise TrustError(
            f"{name} is not in canonical form (RFC 8785): {_first_difference(expected, content)}"
        )
    return value


def _first_difference(expected: bytes, found: bytes) -> str:
    """Returns where two byte strings part."""
    offset = next(
        (index for index, pair in enumerate(zip(expected, found, strict=False)) if pair[0] != pair[1]),
        min(len(expected), len(found)),
    )
    return f"it departs from it at byte {offset}"


def _exact_integer(text: str) -> int | float:
    """Returns a whole number, as a double where it is beyond what every reader holds exactly.

    Source: RFC 7493, section 2.2; RFC 8785, section 3.2.2.3, which writes the double 1e16 without exponent.
    """
    value = finite(text)
    return int(text) if abs(value) < _FIRST_INEXACT else value


def _depth(value: Any) -> int:
    """Returns how deeply a JSON value is nested."""
    deepest, pending = 0, [(value, 1)]
    while pending:
        current, level = pending.pop()
        deepest = max(deepest, level)
        inner = current.values() if isinstance(current, dict) else current
        if isinstance(current, dict | list):
            pending.extend((item, level + 1) for item in inner if isinstance(item, dict | list))
            deepest = max(deepest, level + bool(current))
    return deepest

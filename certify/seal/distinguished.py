"""Distinguished encoding (DER): whether bytes say what they say in the one way they may."""

from __future__ import annotations

_CONSTRUCTED = 0x20
_LONG_TAG = 0x1F
_MAXIMUM_DEPTH = 40


def element_end(content: bytes, start: int, limit: int, depth: int = 0) -> int:
    """Returns where an element ends, after checking the tags and lengths of all elements within.

    Lengths must be definite and as short as can be, and the elements within a constructed element must
    fill it exactly. What follows the element is the caller's concern.

    Args:
        content: The encoded bytes.
        start: Offset of the element.
        limit: Offset that it may not exceed.
        depth: How deep the element is nested.

    Raises:
        ValueError: The encoding is not distinguished.

    Source: ITU-T X.690, sections 8.1.2, 8.1.3 and 10.1.

    >>> element_end(bytes.fromhex("3003020105ff"), 0, 6)
    5
    """
    if depth > _MAXIMUM_DEPTH or start + 2 > limit:
        raise ValueError(f"an element at byte {start} is cut short or nested too deeply")
    tag = content[start]
    if tag & _LONG_TAG == _LONG_TAG:
        raise ValueError(f"a tag at byte {start} has a form that no signature needs")
    body, length = _length(content, start + 1, limit)
    end = body + length
    if end > limit:
        raise ValueError(f"an element at byte {start} is longer than what holds it")
    if tag & _CONSTRUCTED:
        position = body
        while position < end:
            position = element_end(content, position, end, depth + 1)
    return end


def _length(content: bytes, start: int, limit: int) -> tuple[int, int]:
    """Returns where the body of an element starts, and its length."""
    first = content[start]
    if first < 0x80:
        return start + 1, first
    size = first & 0x7F
    digits = content[start + 1 : min(start + 1 + size, limit)]
    length = int.from_bytes(digits, "big")
    # X.690, section 10.1: the definite form, with as few octets as can be.
    if size == 0 or len(digits) != size or digits[0] == 0 or length < 0x80:
        raise ValueError(f"a length at byte {start} is not in its shortest form")
    return start + 1 + size, length

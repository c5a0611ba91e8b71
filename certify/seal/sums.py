"""SHA256SUMS: the digest of every file of a pack, in the form that ``sha256sum -c`` reads."""

from __future__ import annotations

from collections.abc import Mapping

from certify.errors import TrustError
from certify.seal.canonical import sha256_hex
from certify.seal.layout import SUMS, is_plain_name

_DIGEST_LENGTH = 64


def sums_bytes(files: Mapping[str, bytes]) -> bytes:
    r"""Returns the list of digests of all files but the list itself, sorted by name.

    >>> sums_bytes({"b": b"", "SHA256SUMS": b"old"})[-4:]
    b'  b\n'
    """
    lines = [f"{sha256_hex(content)}  {name}\n" for name, content in sorted(files.items()) if name != SUMS]
    return "".join(lines).encode("ascii")


def parse_sums(content: bytes) -> dict[str, str]:
    """Returns digest by name from a list of digests.

    Raises:
        TrustError: A line has another form, a name is odd or repeated, or the lines are not sorted.
    """
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        raise TrustError(f"{SUMS} holds bytes that are not ASCII") from error
    digests: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        digest, separator, name = line[:_DIGEST_LENGTH], line[_DIGEST_LENGTH : _DIGEST_LENGTH + 2], line[66:]
        plain = set(digest) <= set("0123456789abcdef") and len(digest) == _DIGEST_LENGTH and separator == "  "
        if not plain or not is_plain_name(name) or name in digests:
            raise TrustError(f"{SUMS}:{number}: expected 64 hexadecimal digits, two spaces and a new name")
        digests[name] = digest
    if list(digests) != sorted(digests) or not text.endswith("\n"):
        raise TrustError(f"{SUMS} was expected to be sorted by name and to end its last line")
    return digests


def require_sums(content: bytes, files: Mapping[str, bytes]) -> None:
    """Refuses a list of digests that does not list exactly the files that are there, as they are.

    Raises:
        TrustError: A file is altered, missing or not listed.
    """
    listed = parse_sums(content)
    present = {name: sha256_hex(file) for name, file in files.items() if name != SUMS}
    problems = [f"{name} is listed and missing" for name in sorted(listed.keys() - present.keys())]
    problems += [f"{name} is there and not listed" for name in sorted(present.keys() - listed.keys())]
    problems += [
        f"{name} was altered: SHA-256 {present[name]}, listed {listed[name]}"
        for name in sorted(listed.keys() & present.keys())
        if listed[name] != present[name]
    ]
    if problems:
        raise TrustError("; ".join(problems))

"""The files of a pack and their digests, and how a pack is read from disk within bounds."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from pathlib import Path

from certify.errors import CertifyError, InputError, Refusing, TrustError, strerror
from certify.seal.canonical import sha256_hex
from certify.untrusted_input import UNREADABLE, SizeLimit, read_bounded


class Sealed(Enum):
    """What is verified: a pack, its report alone, a page of tests of randomness, or the same of an audit."""

    PACK = auto()
    REPORT = auto()
    TESTS = auto()
    AUDIT = auto()
    AUDIT_REPORT = auto()


REPORT = "report.pdf"
CERTIFICATE = "certificate.pdf"
EVIDENCE = "evidence.json"
ATTESTATION = "attestation.dsse.json"
SUMS = "SHA256SUMS"
GUIDE = "VERIFY.md"
CHECKER = "check.py"
SIGNER_CERTIFICATE = "certs/signer.pem"
ROOT_CERTIFICATE = "certs/root.pem"
INTERMEDIATE_CERTIFICATES = "certs/intermediates.pem"
REVOCATIONS = "certs/revocations.pem"

#: The numbers of an audit of played rounds, whose pack has no other evidence.
AUDIT = "audit.json"

#: The signed statement over an event of a watch, whose folder is no pack.
EVENT = "event.dsse"

#: What is signed as a PDF, and for what reason as the signature states it, of a report's number.
SIGNED = {REPORT: "Report {}", CERTIFICATE: "Certificate {}"}

#: The report for a browser, and the folder of tables: what a run brings next to what the seal writes.
WEB_REPORT = "report.html"
DATA = "data/"
#: What the seal itself writes; nobody else may bring a file of these names.
SEALED = frozenset({*SIGNED, EVIDENCE, ATTESTATION, SUMS, GUIDE, CHECKER})
#: What every pack has.
REQUIRED = SEALED | {SIGNER_CERTIFICATE, ROOT_CERTIFICATE, WEB_REPORT}
#: What every pack of an audit has.
AUDITED = frozenset(
    {REPORT, WEB_REPORT, AUDIT, ATTESTATION, SUMS, GUIDE, SIGNER_CERTIFICATE, ROOT_CERTIFICATE}
)
#: What the attestation cannot cover: itself, and the list of digests that covers it.
NOT_ATTESTED = frozenset({ATTESTATION, SUMS})

#: Everything that may stand outside ``data/``; a file that nobody knows is refused, whatever it is called.
KNOWN = REQUIRED | AUDITED | {INTERMEDIATE_CERTIFICATES, REVOCATIONS}

MAXIMUM_FILES = 500
MAXIMUM_FILE_BYTES = 64 * 1024 * 1024
MAXIMUM_PACK_BYTES = 256 * 1024 * 1024
#: What is parsed has a smaller bound each, for a parser takes many times the bytes it is given.
MAXIMUM_BYTES = {
    ATTESTATION: 4 * 1024 * 1024,
    EVIDENCE: 32 * 1024 * 1024,
    AUDIT: 32 * 1024 * 1024,
    SUMS: 1024 * 1024,
    GUIDE: 1024 * 1024,
    CHECKER: 256 * 1024,
    SIGNER_CERTIFICATE: 64 * 1024,
    ROOT_CERTIFICATE: 64 * 1024,
    INTERMEDIATE_CERTIFICATES: 256 * 1024,
    REVOCATIONS: 16 * 1024 * 1024,
}
#: All files attached to a report together, inflated.
MAXIMUM_ATTACHED_BYTES = 48 * 1024 * 1024

_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,99})")
_MAXIMUM_PARTS = 4


def maximum_bytes(name: str) -> int:
    """Returns how large a file of a pack may be, in bytes."""
    return MAXIMUM_BYTES.get(name, MAXIMUM_FILE_BYTES)


def unknown_names(names: Iterable[str]) -> list[str]:
    """Returns the names that no pack has.

    >>> unknown_names(["report.pdf", "data/main.csv", "APPROVAL.html", "certs/own.pem"])
    ['APPROVAL.html', 'certs/own.pem']
    """
    return [name for name in sorted(names) if name not in KNOWN and not name.startswith(DATA)]


def is_plain_name(name: str) -> bool:
    """Returns whether a name is a relative path that means the same on every system.

    >>> is_plain_name("data/main.csv"), is_plain_name("../main.csv"), is_plain_name("data/.hidden")
    (True, False, False)
    """
    parts = name.split("/")
    return len(parts) <= _MAXIMUM_PARTS and all(_PART.fullmatch(part) for part in parts)


def odd_names(names: Iterable[str]) -> list[str]:
    """Returns the names that a pack may not have: not plain, or equal but for upper and lower case."""
    odd, seen = [], set()
    for name in sorted(names):
        if not is_plain_name(name) or name.casefold() in seen:
            odd.append(name)
        seen.add(name.casefold())
    return odd


def require_bringable(names: Iterable[str]) -> None:
    """Refuses files that others may not bring into a pack.

    Raises:
        InputError: A name is odd, or reserved for what the seal writes.
    """
    names = list(names)
    reserved = [
        name for name in names if name in SEALED | AUDITED - {WEB_REPORT} or name.startswith("certs/")
    ]
    if reserved:
        raise InputError(f"these names in a pack are reserved for the seal: {', '.join(sorted(reserved))}")
    if odd := odd_names(names):
        raise InputError(
            f"these names cannot be used in a pack: {', '.join(map(repr, odd))}: expected at most "
            f"{_MAXIMUM_PARTS} parts of letters, digits, '.', '_' and '-', distinct whatever their case"
        )
    if unknown := unknown_names(names):
        raise InputError(
            f"these names are not those of a pack's files: {', '.join(unknown)}: "
            f"expected {WEB_REPORT} and files in {DATA}"
        )


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
    with Refusing(UnicodeDecodeError, TrustError, f"{SUMS} holds bytes that are not ASCII", words=None):
        text = content.decode("ascii")
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


class PackFiles(dict[str, bytes]):
    """The files of a pack by name; one that is requested and not there is a mistake of the pack."""

    def __missing__(self, name: str) -> bytes:
        """Refuses a pack without a file.

        Raises:
            TrustError: Always.
        """
        raise TrustError(f"{name} is missing")


def read_pack(directory: Path) -> PackFiles:
    """Returns every file of a folder by name; each is read once, and only what was read is verified.

    Raises:
        InputError: The folder cannot be read.
        TrustError: It holds links, devices, odd names, or more than a pack may.
    """
    files = PackFiles()
    total = 0
    with Refusing(OSError, InputError, f"{directory} cannot be read", words=strerror):
        for name in _names(directory):
            if len(files) >= MAXIMUM_FILES:
                raise TrustError(f"there are more than {MAXIMUM_FILES} files in the pack")
            if unknown_names([name]):
                raise TrustError(f"{name!r} is no file of a pack: expected none but those that a run writes")
            files[name] = read_file(directory / name, name)
            total += len(files[name])
            if total > MAXIMUM_PACK_BYTES:
                raise TrustError(f"the pack is larger than {MAXIMUM_PACK_BYTES} bytes")
    odd = odd_names(files)
    if odd:
        raise TrustError(f"these names cannot be used in a pack: {', '.join(map(repr, odd))}")
    return PackFiles(sorted(files.items()))


def read_file(path: Path, name: str) -> bytes:
    """Returns the bytes of a plain file that is no link and not too large.

    Raises:
        InputError: It cannot be read, as a link cannot.
        TrustError: It is no plain file, or too large.
    """

    def refuse(reason: str) -> CertifyError:
        kind = InputError if reason.startswith(UNREADABLE) else TrustError
        return kind(f"{name}: {reason}")

    return read_bounded(path, SizeLimit("a file of a pack", maximum_bytes(name)), refuse, links=False)


def is_pack(directory: Path) -> bool:
    """Returns whether a folder holds a pack and nothing else: exactly the files that its list names."""
    try:
        names = set(_names(directory))
        listed = set(parse_sums(read_file(directory / SUMS, SUMS)))
    except (OSError, InputError, TrustError):
        return False
    return names == listed | {SUMS} and names >= REQUIRED


def _names(directory: Path, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Returns the names of all files of a folder, refusing what is neither file nor folder."""
    if depth > 8:
        raise TrustError(f"the folder {prefix!r} is nested too deeply")
    with os.scandir(directory) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                inside = _names(Path(entry.path), f"{name}/", depth + 1)
                first = next(inside, None)
                if first is None:
                    raise TrustError(
                        f"{name!r} is an empty folder: expected none but those that a run writes"
                    )
                yield first
                yield from inside
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                raise TrustError(f"{name!r} is a link or a special file: expected plain files only")

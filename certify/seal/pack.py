"""Writes a pack: report, evidence, attestation, certificates and digests, complete or not at all."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cryptography import x509

from certify.errors import InputError, Refusing, RenderError, TrustError
from certify.evidence.encode import plain
from certify.evidence.played import Audit
from certify.seal import layout
from certify.seal.attestation import build_statement, sign_statement
from certify.seal.audited import audit_statement, reason_of
from certify.seal.canonical import canonical_bytes, sha256_hex
from certify.seal.certificates import pem
from certify.seal.evidence_schema import require_schema
from certify.seal.guide import checker_bytes, guide_bytes
from certify.seal.layout import is_pack, sums_bytes
from certify.seal.pdf_bounds import matching_path, read_attachments
from certify.seal.pdf_signature import sign_pdf
from certify.seal.signer import Signer
from certify.seal.verify import verify

if TYPE_CHECKING:
    from pyhanko.sign.timestamps import TimeStamper


_MARK: Final = ".certify-scratch"


@contextmanager
def scratch_next_to(out: Path) -> Iterator[str]:
    """Makes a folder next to a pack, after clearing those of runs that are gone, and takes it away afterwards.

    A lock that the system holds for the living run tells its folder from one that was left: no file of anybody else is
    touched.

    Args:
        out: Folder of the pack.
    """
    for left in sorted(out.parent.glob(f".{out.name}-*")):
        _clear(left)
    with (
        tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch,
        Path(scratch, _MARK).open("xb") as mark,
    ):
        fcntl.flock(mark, fcntl.LOCK_EX)
        yield scratch


def _clear(folder: Path) -> None:
    """Removes a folder that carries our mark and that no run holds."""
    if folder.is_symlink() or not folder.is_dir():
        return
    unfollowed = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with suppress(OSError), os.fdopen(os.open(folder / _MARK, unfollowed), "rb") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


def write_pack(
    out: Path,
    files: Mapping[str, bytes],
    unsigned_pdf: bytes,
    evidence: Mapping[str, Any],
    signer: Signer,
    signing_time: datetime,
    *,
    certificate: bytes,
    location: str = "",
    timestamper: "TimeStamper | None" = None,
    stamp_roots: Sequence[x509.Certificate] = (),
    execution: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Writes a pack, replacing an earlier one only when the new one is complete.

    Args:
        out: Folder of the pack; it may not exist, be empty, or hold an earlier pack and nothing else.
        files: Further files by name (``report.html``, ``data/*.csv``), next to what the seal writes itself.
        unsigned_pdf: The rendered report, with the evidence attached and an empty signature field.
        evidence: The evidence, of the present schema.
        signer: Who signs the report and the attestation.
        signing_time: When; aware.
        certificate: The rendered certificate, with an empty signature field and nothing attached.
        location: Where, as viewers show it.
        timestamper: A time-stamp authority (RFC 3161), where there is one.
        stamp_roots: Roots of that authority, for a signature with all it needs in the long term.
        execution: Where the work ran, for the attestation alone.

    Returns:
        The SHA-256 digest of every file of the pack by name.

    Raises:
        InputError: The folder holds something else than a pack, or a file has a name it cannot have.
        RenderError: The report lacks its signature field, or its attachments are not files of the pack.
        TrustError: The evidence does not follow its schema, or the finished pack does not verify, for
            example because a certificate is not valid at the signing time: it was not put in place.
    """
    require_replaceable(out)
    contents = assemble(
        files,
        unsigned_pdf,
        evidence,
        signer,
        signing_time,
        certificate=certificate,
        location=location,
        timestamper=timestamper,
        stamp_roots=stamp_roots,
        execution=execution,
    )
    _write(out, contents, signing_time)
    return {name: sha256_hex(content) for name, content in sorted(contents.items())}


def assemble(
    files: Mapping[str, bytes],
    unsigned_pdf: bytes,
    evidence: Mapping[str, Any],
    signer: Signer,
    signing_time: datetime,
    *,
    certificate: bytes,
    location: str = "",
    timestamper: "TimeStamper | None" = None,
    stamp_roots: Sequence[x509.Certificate] = (),
    execution: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """Returns every file of a pack by name; arguments and errors are those of :func:`write_pack`."""
    layout.require_bringable(files)
    require_schema(evidence)
    moment = signing_time.astimezone(UTC).replace(microsecond=0)
    contents = {**files, layout.EVIDENCE: canonical_bytes(evidence), **_certificates(signer)}
    attachments = _attached_paths(unsigned_pdf, contents)
    for name, unsigned in ((layout.REPORT, unsigned_pdf), (layout.CERTIFICATE, certificate)):
        contents[name] = sign_pdf(
            unsigned,
            signer,
            signing_time=moment,
            reason=layout.SIGNED[name].format(evidence["report"]["number"]),
            location=location,
            timestamper=timestamper,
            stamp_roots=stamp_roots,
        )
    contents[layout.CHECKER] = checker_bytes()
    contents[layout.GUIDE] = guide_bytes(
        (signer.certificate, *signer.chain),
        signed={name: contents[name] for name in layout.SIGNED},
        signing_time=moment,
        attachments=attachments,
        time_stamped=timestamper is not None,
    )
    # The attestation covers all of the above, and the list of digests covers the attestation too.
    contents[layout.ATTESTATION] = sign_statement(build_statement(evidence, contents, execution), signer)
    contents[layout.SUMS] = sums_bytes(contents)
    return dict(sorted(contents.items()))


def write_audit(
    out: Path,
    found: Audit,
    pages: tuple[bytes, bytes],
    signer: Signer,
    signing_time: datetime,
    *,
    timestamper: "TimeStamper | None" = None,
    stamp_roots: Sequence[x509.Certificate] = (),
) -> None:
    """Writes the pack of an audit, whole or not at all.

    Args:
        out: Folder of the pack; it may not exist, or be empty.
        found: What the audit found.
        pages: The rendered report, with the numbers attached and an empty signature field, and its HTML twin.
        signer: Who signs the report and the attestation.
        signing_time: When; aware.
        timestamper: A time-stamp authority (RFC 3161), where there is one.
        stamp_roots: Roots of that authority.

    Raises:
        TrustError: The finished pack does not verify: it was not put in place.
    """
    moment, numbers = signing_time.astimezone(UTC).replace(microsecond=0), canonical_bytes(plain(found))
    contents = {layout.AUDIT: numbers, layout.WEB_REPORT: pages[1], **_certificates(signer)}
    contents[layout.REPORT] = sign_pdf(
        pages[0],
        signer,
        signing_time=moment,
        reason=reason_of(numbers),
        location="",
        timestamper=timestamper,
        stamp_roots=stamp_roots,
    )
    contents[layout.GUIDE] = guide_bytes(
        (signer.certificate, *signer.chain),
        signed={layout.REPORT: contents[layout.REPORT]},
        signing_time=moment,
        attachments={layout.AUDIT: layout.AUDIT},
        time_stamped=timestamper is not None,
    )
    contents[layout.ATTESTATION] = sign_statement(audit_statement(found, contents), signer)
    contents[layout.SUMS] = sums_bytes(contents)
    _write(out, contents, moment)


def _certificates(signer: Signer) -> dict[str, bytes]:
    """Returns the certificates of a signer as files."""
    contents = {
        layout.SIGNER_CERTIFICATE: pem([signer.certificate]),
        layout.ROOT_CERTIFICATE: pem([signer.root]),
    }
    if signer.intermediates:
        contents[layout.INTERMEDIATE_CERTIFICATES] = pem(signer.intermediates)
    if signer.revocations:
        contents[layout.REVOCATIONS] = pem(signer.revocations)
    return contents


def _attached_paths(unsigned_pdf: bytes, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Returns for each attachment of the report the file of the pack that it is."""
    with Refusing(TrustError, RenderError):
        attached = read_attachments(unsigned_pdf)
    if layout.EVIDENCE not in attached:
        raise RenderError(f"expected {layout.EVIDENCE} among the attachments of the report")
    paths = {name: matching_path(name, content, contents) for name, content in attached.items()}
    strays = sorted(name for name, path in paths.items() if path is None)
    if strays:
        raise RenderError(f"attached to the report, but not files of the pack: {', '.join(strays)}")
    return {name: path for name, path in paths.items() if path is not None}


def require_replaceable(out: Path) -> None:
    """Refuses a target that holds anything but an earlier pack.

    Raises:
        InputError: The target holds something else.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputError(f"{out} is not a folder: nothing was written")
    if out.is_dir() and any(out.iterdir()) and not is_pack(out):
        raise InputError(
            f"{out} holds files that are not those of a pack, and they are kept: nothing was written"
        )


def _write(out: Path, contents: Mapping[str, bytes], signing_time: datetime) -> None:
    """Writes the files next to their place, verifies them as a stranger would, and moves them there."""
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch_next_to(out) as scratch:
        fresh = Path(scratch, "new")
        for name, content in contents.items():
            _write_file(fresh / name, content)
        verify(fresh, None, signing_time).require()
        _synchronise(sorted({fresh, *(path for path in fresh.rglob("*") if path.is_dir())}))
        _exchange(fresh, out, Path(scratch, "old"))
        _synchronise([out.parent])


def _exchange(fresh: Path, out: Path, old: Path) -> None:
    """Puts a new folder in the place of an old one, which comes back if that fails."""
    replaces = out.exists()
    if replaces:
        out.rename(old)
    try:
        fresh.rename(out)
    except OSError:
        if replaces:
            old.rename(out)
        raise


def _write_file(path: Path, content: bytes) -> None:
    """Writes one file and waits until it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _synchronise(directories: Iterable[Path]) -> None:
    """Waits until directories are on the disk."""
    for directory in directories:
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

"""Approvals: read, written, matched to changes, and who signed them; never trusted further than they state."""

import base64
import binascii
import dataclasses
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify.errors import InputError, Refusing, TrustError, strerror
from certify.gate.change import BOUND, EVERY_CHANGE, Approval, GateChange, fingerprint as change_fingerprint
from certify.gate.effective_policy import RootFile
from certify.model import Day, keywords
from certify.seal import (
    Signer,
    canonical_bytes,
    fingerprint,
    has_low_s,
    order_chain,
    pem,
    read_certificates,
    require_path,
    require_purpose,
    require_signed,
    require_validity,
)
from certify.submission import located_form
from certify.untrusted_input import quoted, read_bounded, write_whole

SCHEMA: Final = "certify-approvals/2"
DEFAULT_NAME: Final = "certify-approvals.toml"
_HEADER: Final = f'''# Changes that may be merged, each bound to what the game meant before and after: an edit voids it.
# Written by `certify approve`.
schema = "{SCHEMA}"
'''
_OPTIONAL: Final = ("approved_by", "signature", "certificates")
_REQUIRED: Final = (*(name for name in BOUND if name not in _OPTIONAL), "binding")
_Entry: Any = dataclasses.make_dataclass(
    "_Entry",
    [
        *((name, Day if name in ("until", "approved_on") else str) for name in _REQUIRED),
        *((name, str, "") for name in _OPTIONAL),
    ],
)
_File: Any = dataclasses.make_dataclass("_File", [("schema", str), ("approvals", tuple[_Entry, ...], ())])


def read_approvals(path: Path) -> tuple[Approval, ...]:
    """Returns the approvals of a file.

    Raises:
        SubmissionError: The file cannot be read, or an entry is not what it says it is; all mistakes are listed.
    """
    return parse_approvals(read_bounded(path), str(path))


def parse_approvals(data: bytes, path: str) -> tuple[Approval, ...]:
    """Returns the approvals that the bytes of a file state.

    Raises:
        SubmissionError: An entry is not what it says it is.
    """
    file, problems = located_form(data, path, _File)
    problems.refuse_where(
        file.schema != SCHEMA,
        ("schema",),
        f'schema: expected "{SCHEMA}"; approve entries of an earlier schema again',
    )
    problems.raise_found()
    found = [
        Approval(**keywords(entry), line=problems.line(("approvals", place)))
        for place, entry in enumerate(file.approvals)
    ]
    for place, approval in enumerate(found):
        complaint = _complaint(approval)
        problems.refuse_where(complaint, ("approvals", place), complaint)
    problems.raise_found()
    return tuple(found)


def _complaint(approval: Approval) -> str:
    """Returns what is wrong with an entry of the right form, empty where nothing is."""
    by_hand = "entries are written by certify approve, not by hand"
    if not approval.reason.strip():
        return "reason: an approval says why"
    bound = (approval.change, approval.game, approval.subject, approval.before, approval.after)
    if approval.fingerprint != change_fingerprint(*bound):
        return (
            f"fingerprint {approval.fingerprint} does not belong to this change and these digests: {by_hand}"
        )
    if approval.binding != approval.expected_binding:
        return f"binding: the entry was edited after it was written: {by_hand}"
    return ""


def speaks_of(approval: Approval, change: GateChange) -> bool:
    """Returns whether an approval speaks of a change by its kind and subject, whatever both states mean."""
    about = (approval.change, approval.subject)
    everything = approval.change == EVERY_CHANGE
    return approval.game == change.game and (everything or about == (change.kind.id, change.subject))


def covers(approval: Approval, change: GateChange) -> bool:
    """Returns whether an approval speaks of just this change: kind, subject, and both meanings."""
    ends = (change.before_digest, change.after_digest)
    return speaks_of(approval, change) and (approval.before, approval.after) == ends


def wrong_term(approval: Approval, longest: int, today: date) -> str:
    """Returns what is wrong with the term of an approval; an empty text where nothing is.

    Args:
        approval: The approval.
        longest: Longest term in days.
        today: The present day, in UTC.
    """
    if date.fromisoformat(approval.approved_on) > today:
        return f"is stated to be given on {approval.approved_on}, which is still to come"
    if approval.days > longest:
        return (
            f"holds for {approval.days} days, from {approval.approved_on} to {approval.until}: "
            f"expected at most {longest} (max_approval_days of the policy)"
        )
    return ""


def append_approval(path: Path, approval: Approval) -> None:
    """Adds an entry to a file of approvals, which is made where there is none; nothing in it is rewritten.

    Raises:
        InputError: The file is not one of approvals, holds this approval already, or cannot be written.
    """
    before = _HEADER.encode()
    if path.exists():
        before = read_bounded(path)
        for other in parse_approvals(before, str(path)):
            if other.fingerprint == approval.fingerprint and other.until >= approval.until:
                raise InputError(
                    f"{path}:{other.line}: {approval.fingerprint} is approved until {other.until} already"
                )
    content = before + (b"" if before.endswith(b"\n") else b"\n") + _toml(approval).encode()
    # What we write we can read; a reason with odd characters is met here, not in the next pull request.
    parse_approvals(content, str(path))
    with Refusing(OSError, InputError, f"{path}: cannot be written", words=strerror):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [content])


def _toml(approval: Approval) -> str:
    """Returns an entry as TOML."""
    lines = ["", "[[approvals]]"]
    for field in dataclasses.fields(approval):
        value = getattr(approval, field.name)
        if field.name == "line" or (value == "" and field.name in _OPTIONAL):
            continue
        if field.name in ("until", "approved_on"):
            lines.append(f"{field.name} = {value}")
        elif field.name == "certificates":
            lines.append(f"{field.name} = '''\n{value.strip()}\n'''")
        else:
            lines.append(f"{field.name} = {quoted(value)}")
    return "\n".join(lines) + "\n"


MENDED = "policy-mended"
"""The one change whose approval needs no signature: before it, nobody could give one."""

_CONTEXT = "certify-approval/1"
"""Signed with every approval, so that its signature covers nothing else."""


def signed_bytes(approval: Approval) -> bytes:
    """Returns what the signature of an approval covers: every field but signature and place.

    Source: RFC 8785 for the canonical form.
    """
    fields = dataclasses.asdict(approval)
    covered = {name: value for name, value in fields.items() if name not in ("line", "signature")}
    # A file of TOML may end the certificates with a line end more.
    return canonical_bytes(covered | {"context": _CONTEXT, "certificates": approval.certificates.strip()})


def sign_approval(approval: Approval, signer: Signer) -> Approval:
    """Returns an approval with a signature and the certificates that say whose it is."""
    chain = pem([signer.certificate, *signer.chain]).decode("ascii").strip()
    unsigned = dataclasses.replace(approval, certificates=chain, signature="")
    signature = base64.b64encode(signer.key.sign(signed_bytes(unsigned))).decode("ascii")
    return dataclasses.replace(unsigned, signature=signature)


def trust_judge(
    roots: Sequence[RootFile], moment: datetime, *, signed_only: bool, needed: bool
) -> Callable[[Approval], str]:
    """Returns a judge that says why an approval is not trusted, with an empty text where it is.

    A signature that is there is always verified, whether or not the policy asks for one. Where signatures are
    demanded and no root is trusted, nobody can give one: then no approval counts, but that of the change that mends it.

    Args:
        roots: Files of trusted roots in PEM.
        moment: The present time, at which certificates must be valid.
        signed_only: Whether an approval without signature is refused.
        needed: Whether any approval is signed; the roots are read only then.

    Raises:
        InputError: A file of roots cannot be read.
    """
    # Whoever chains to a root that is missing is not trusted; lint says that it is not there.
    files = [file for file in roots if needed and file.data is not None]
    trusted = [one for file in files for one in read_certificates(file.data or b"", file.name)]

    def distrust(approval: Approval) -> str:
        if signed_only and not approval.signature and approval.change == MENDED:
            return ""
        if signed_only and not roots:
            return "require_signed_approvals needs a root to trust: expected trust in the policy, or --trust"
        if not approval.signature and not approval.certificates:
            return "it is not signed, and the policy requires signatures" if signed_only else ""
        try:
            _verify(approval, trusted, moment)
        except TrustError as error:
            return f"the approval of {approval.change} in {approval.game or 'the policy'} is not trusted: {error}"
        return ""

    return distrust


def _verify(approval: Approval, trusted: Sequence[x509.Certificate], moment: datetime) -> None:
    """Refuses an approval whose signature does not verify or whose signer nobody trusted vouches for.

    Raises:
        TrustError: It is not to be trusted.
    """
    with Refusing((InputError, binascii.Error), TrustError):
        certificates = read_certificates(approval.certificates.encode(), "the approval")
        signature = base64.b64decode(approval.signature, validate=True)
    signer = certificates[0]
    chain = order_chain(signer, [*certificates[1:], *trusted])
    require_purpose(signer)
    require_path((signer, *chain))
    for certificate in (signer, *chain):
        require_validity(certificate, moment)
    changed = "its signature does not verify: it was changed after it was signed"
    require_signed(signer, signature, signed_bytes(approval), changed, "its signature")
    # Whoever holds no key could otherwise turn one valid signature into another.
    if not has_low_s(signer.public_key(), signature):
        raise TrustError("its signature has the higher of its two values of s")
    root = chain[-1] if chain else signer
    if fingerprint(root) not in {fingerprint(certificate) for certificate in trusted}:
        raise TrustError("its signer does not chain to a trusted root")

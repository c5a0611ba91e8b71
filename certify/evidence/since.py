"""What changed since an earlier certified pack: what is stated otherwise, what that does to figures, what is the same.

Everything is computed again by a run; nothing is taken over from the earlier pack.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import Moment, ReportNumber, Sha256, origins


@origins(stated=("signer", "established"))
@dataclass(frozen=True, slots=True)
class EarlierReport:
    """The earlier report, whose pack was verified before the run began.

    Args:
        number: Its number.
        issued: Its time of issue.
        version: Version of the game that it certifies.
        submission_sha256: Digest of the submission in it.
        evidence_sha256: Digest of its evidence, which lies among the data of this pack.
        software: Name and version of the software that computed it.
        source_sha256: Digest of the sources of that software.
        signer: Subject of the certificate that signed it.
        established: Whether that certificate leads to a root that the issuer of this report trusts.
        demonstration_key: Whether it was signed with a demonstration key.
    """

    number: ReportNumber
    issued: Moment
    version: str
    submission_sha256: Sha256
    evidence_sha256: Sha256
    software: str
    source_sha256: Sha256
    signer: str
    established: bool
    demonstration_key: bool


@origins()
@dataclass(frozen=True, slots=True)
class Change:
    """Something that is stated otherwise than in the earlier pack.

    Args:
        kind: Kind of the change, as the gate names it.
        subject: What it is about, by ids.
        before: What was stated; none where nothing was.
        after: What is stated; none where nothing is.
    """

    kind: str
    subject: str
    before: str | None
    after: str | None


@origins()
@dataclass(frozen=True, slots=True)
class Digested:
    """A part of both packs, by its digests.

    Args:
        of: ``basis`` for what figures rest on, ``evidence`` for a part of the evidence, ``file`` for a data file.
        name: Its name.
        before: SHA-256 in the earlier pack; none where it has no such part.
        after: SHA-256 in this one; none where it has no such part.
    """

    of: str
    name: str
    before: Sha256 | None
    after: Sha256 | None

    @property
    def same(self) -> bool:
        """Whether both packs have it, byte for byte."""
        return self.before == self.after


@origins()
@dataclass(frozen=True, slots=True)
class Moved:
    """An exact figure that is otherwise than in the earlier pack.

    Args:
        at: Where it stands in the evidence, by keys and ids.
        before: The figure before; none where there was none.
        after: The figure now; none where there is none.
        difference: How far it moved; none where there is nothing to compare.
        near: Before or after it lies between bounds; left out where both are exact.
        off: How far before, after and the difference may be off at most; left out where both are exact.
    """

    at: tuple[str, ...]
    before: Fraction | None
    after: Fraction | None
    difference: Fraction | None
    near: bool | None = None
    off: tuple[Fraction, ...] | None = None


@origins()
@dataclass(frozen=True, slots=True)
class Since:
    """What changed since an earlier certified pack.

    Args:
        earlier: The earlier report.
        text: The result in a few sentences.
        changes: What is stated otherwise: the submission first, then code, software, clauses, and what was asked.
        statuses: Statement, clauses and printed figures that ended otherwise.
        compared: Number of exact figures compared.
        moved: How many of them are otherwise.
        figures: Those of them that a report prints; all of them are in the table of the pack.
        digests: Parts of both packs, by their digests.
        messages: The messages of its texts, by their names.
    """

    earlier: EarlierReport
    text: str
    changes: tuple[Change, ...]
    statuses: tuple[Change, ...]
    compared: int
    moved: int
    figures: tuple[Moved, ...]
    digests: tuple[Digested, ...]
    messages: Worded

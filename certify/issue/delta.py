"""What changed between the evidence of an earlier certified pack and this one, from the two of them alone.

What is stated otherwise, and what figures rest on, are the gate's: there is one list of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Final, NamedTuple

from certify.certification.evidence import Files, with_files
from certify.characters import csv_bytes
from certify.errors import CertifyError, InputError, Refusing
from certify.evidence import (
    Change,
    Digested,
    EarlierReport,
    Evidence,
    ExactPart,
    FamilyCode,
    Moved,
    Since,
    plain,
)
from certify.evidence.read import evidence_of
from certify.exact import decimal_text, exact_text
from certify.families import BUILT_IN
from certify.gate.change import Place, StateFigure, figures_in, moved, paired
from certify.gate.fact_changes import fact_changes
from certify.gate.facts import Submission, read_submission
from certify.gate.family_code import ChangedCode
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import compare, some, submission_of
from certify.messages import say, worded
from certify.model import Message, json_name
from certify.seal import canonical_bytes, parse_json, sha256_hex

EARLIER: Final = "data/since-evidence.json"
"""The evidence of the earlier pack, byte for byte."""

TABLE: Final = "data/since.csv"
"""Every change, every exact figure before and after, and every digest."""

DESCRIBED: Final[Mapping[str, str]] = {
    EARLIER: "The evidence of the earlier pack, byte for byte",
    TABLE: "Every change since the earlier pack, every exact figure before and after, and every digest",
}

_UNLIKE: Final = frozenset({"schema", "report", "run", "files", "since"})
"""Parts of the evidence that are each report's own."""

_PRINTED: Final = frozenset({"analysis", "joint", "counted", "exposure", "claims"})
"""Parts of the evidence whose figures a report prints when they move; the table of the pack has those of all parts."""

_DETAILS: Final = frozenset({"decisions", "net"})
"""Lists in them that are looked up in the table."""


@dataclass(frozen=True, slots=True)
class EarlierPack:
    """An earlier pack that verified.

    Args:
        content: Its evidence, byte for byte.
        evidence: The same, read.
        report: The report that it holds.
    """

    content: bytes
    evidence: Evidence
    report: EarlierReport


def read_earlier(content: bytes, signer: str, *, established: bool) -> EarlierPack:
    """Returns an earlier pack from its evidence and from who signed it.

    Args:
        content: The evidence, byte for byte.
        signer: Subject of the certificate that signed it.
        established: Whether that certificate leads to a root that the caller trusts.

    Raises:
        TrustError: It is no evidence of a form that this software reads.
    """
    told = evidence_of(parse_json(content, EARLIER))
    report = EarlierReport(
        number=told.report.number,
        issued=told.report.issued,
        version=told.item.version,
        submission_sha256=told.item.files[0].sha256,
        evidence_sha256=sha256_hex(content),
        software=f"{told.tool.name} {told.tool.version}",
        source_sha256=told.tool.source_sha256,
        signer=signer,
        established=established,
        demonstration_key=told.report.demonstration_key,
    )
    return EarlierPack(content, told, report)


def since_of(earlier: EarlierPack, now: Evidence) -> tuple[Since, bytes]:
    """Returns what changed since an earlier pack, and the same as a table with all that is the same too.

    Args:
        earlier: The earlier pack.
        now: The evidence of this one; what it says about the earlier pack is not looked at.

    Raises:
        InputError: The earlier submission can no longer be read.
    """
    before, after = (_Told(told, _submission(told)) for told in (earlier.evidence, now))
    stated = fact_changes(before.submission, after.submission)
    changes = (
        *_changes(_VERSION, before, after),
        *(Change(one.kind, one.subject, one.before, one.after) for one in stated),
        *_code(before.evidence.family, now.family),
        *_changes(_CHANGED, before, after),
    )
    # Put in one order: JSON keeps none.
    pairs = sorted(paired(_figures_of(before.evidence), _figures_of(now)).items())
    figures = tuple(moved(at, *ends) for at, ends in pairs)
    otherwise = tuple(figure for figure in figures if figure.before != figure.after)
    digests = tuple(Digested(*one) for one in _pairs(_DIGESTED, before, after))
    rests = frozenset(one.name for one in digests if one.of == "basis" and not one.same)
    text = tuple(_text(earlier.report.number, changes, rests, len(otherwise), len(figures)))
    since = Since(
        earlier=earlier.report,
        **worded(text=text),
        changes=changes,
        statuses=tuple(_changes(_STATUSES, before, after)),
        compared=len(figures),
        moved=len(otherwise),
        figures=tuple(figure for figure in otherwise if is_printed(figure.at)),
        digests=digests,
    )
    return since, csv_bytes(
        ("part", "kind", "subject", "before", "after", "difference"), _rows(since, figures)
    )


def with_earlier(now: Evidence, earlier: EarlierPack) -> tuple[Evidence, Files]:
    """Returns the evidence with what changed since an earlier pack, and the data files that belong to that.

    Args:
        now: The evidence of a run by itself.
        earlier: The earlier pack.

    Raises:
        InputError: The earlier submission can no longer be read.
    """
    since, table = since_of(earlier, now)
    files = {
        name: (content, DESCRIBED[name]) for name, content in ((EARLIER, earlier.content), (TABLE, table))
    }
    return with_files(replace(now, since=since), files), files


def since_differences(claimed: Evidence, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields where evidence departs from what follows from the earlier evidence in the pack and from itself.

    Who signed the earlier pack, and whether that was trusted, is the word of the issuer, who had it. Where the report
    is alone, the chapter rests on the earlier evidence that it names by its digest.

    Args:
        claimed: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
    """
    told = claimed.since
    if told is None or (EARLIER not in files and len(files) <= 1):
        return
    content = files.get(EARLIER, b"")
    if sha256_hex(content) != told.earlier.evidence_sha256:
        yield f"{EARLIER}: not the evidence of report {told.earlier.number}, whose digest the report names"
        return
    try:
        earlier = read_earlier(content, told.earlier.signer, established=told.earlier.established)
        computed, table = since_of(earlier, claimed)
    except CertifyError as error:
        yield f"/since: {error}"
        return
    yield from some(compare(plain(computed), plain(told), "/since"), "/since")
    if files.get(TABLE) != table:
        yield f"{TABLE}: not what follows from the evidence of both packs"


def is_printed(at: Place) -> bool:
    """Returns whether a figure that moved is one that a report prints: of a configuration, its return."""
    if at[0] == "configurations":
        return at[2:] == ("return",)
    return at[0] in _PRINTED and not _DETAILS.intersection(at)


def _submission(told: Evidence) -> Submission:
    """Returns the submission of a pack with its meaning, and the code that the pack names."""
    code = told.family
    built_in = code.package == BUILT_IN
    named = ChangedCode(code.family, code.package, code.version, "" if built_in else code.sha256)
    with Refusing(
        CertifyError, InputError, f"the submission of report {told.report.number} can no longer be read"
    ):
        return read_submission(
            submission_of(told), GAME_FILE, f"{told.report.number}: {GAME_FILE}", lambda _: named
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """What a pack tells, with the meaning of its submission."""

    evidence: Evidence
    submission: Submission


class _Compared(NamedTuple):
    """Texts of a pack by name that are compared with those of another.

    Args:
        kind: What kind of change it is where one differs.
        read: The texts.
        sorted: Whether the names of both packs are put in one order; those of the later pack come first otherwise.
    """

    kind: str
    read: Callable[[_Told], Mapping[str, str]]
    sorted: bool = False


def _asked(told: _Told) -> Mapping[str, str]:
    """Returns what the run was to do; no exact figure depends on it."""
    run, regime = told.evidence.run, told.evidence.regime
    return {
        "profile": run.profile.name,
        "seed": run.seed,
        "jurisdictions": ", ".join(one.name for one in regime.jurisdictions),
    }


def _sections(told: _Told) -> Mapping[str, str]:
    """Returns digests of the parts of the evidence that are not each report's own."""
    parts = plain(told.evidence).items()
    return {name: sha256_hex(canonical_bytes(part)) for name, part in parts if name not in _UNLIKE}


_VERSION: Final = (_Compared("version-changed", lambda told: {"game/version": told.evidence.item.version}),)
_CHANGED: Final = (
    _Compared(
        "software-changed",
        lambda told: {name: value for name, value in plain(told.evidence.tool).items() if name != "packages"},
    ),
    _Compared(
        "software-changed",
        lambda told: {f"packages/{name}": version for name, version in told.evidence.tool.packages.items()},
        sorted=True,
    ),
    _Compared(
        "catalogue-changed", lambda told: {one.id: one.sha256 for one in told.evidence.regime.catalogues}
    ),
    _Compared("check-changed", lambda told: {one.check: one.title for one in told.evidence.run.plan}),
    _Compared("run-changed", _asked),
)
"""What computed, what is judged by and what the run was to do."""

_STATUSES: Final = (
    _Compared("statement", lambda told: {"": str(told.evidence.report.statement.verdict)}),
    _Compared(
        "clause",
        lambda told: {
            f"{one.standard} {one.number or one.id}": str(one.status) for one in told.evidence.clauses
        },
    ),
    _Compared(
        "claim",
        lambda told: {
            "/".join(filter(None, (one.wager, one.metric, one.row))): str(one.status)
            for one in told.evidence.claims
        },
    ),
)
"""What was concluded: the statement, clauses, printed figures."""

_DIGESTED: Final = (
    # What figures rest on, part by part; the software is that which the pack names.
    _Compared(
        "basis", lambda told: {**told.submission.basis.parts, "tool": told.evidence.tool.source_sha256}
    ),
    _Compared("evidence", _sections, sorted=True),
    # Digests of the data files, but for those that are about an earlier pack.
    _Compared(
        "file",
        lambda told: {one.name: one.sha256 for one in told.evidence.files if one.name not in DESCRIBED},
        sorted=True,
    ),
)


def _pairs(
    declared: Sequence[_Compared], before: _Told, now: _Told
) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Yields kind and name of every text that is declared, with what it is in both packs."""
    for one in declared:
        pairs = paired(one.read(before), one.read(now)).items()
        yield from ((one.kind, name, *ends) for name, ends in (sorted(pairs) if one.sorted else pairs))


def _changes(declared: Sequence[_Compared], before: _Told, now: _Told) -> Iterator[Change]:
    """Yields the texts that differ."""
    return (Change(*one) for one in _pairs(declared, before, now) if one[2] != one[3])


def _code(old: FamilyCode, new: FamilyCode) -> Iterator[Change]:
    """Yields what the family's code and its texts of the rules are otherwise; built-in code is that of the software."""
    named: dict[str, list[str | None]] = {
        f"{new.family}/{name}": [None if text is None else f"{text.module} ({text.sha256})" for text in texts]
        for name, texts in (
            ("reference", (old.reference, new.reference)),
            ("second", (old.second, new.second)),
        )
    }
    if {old.package, new.package} != {BUILT_IN}:
        own = [f"{one.package} {one.version} ({one.sha256})" for one in (old, new)]
        named = {new.family: [*own], **named}
    return (Change("family-code-changed", name, *both) for name, both in named.items() if both[0] != both[1])


def _figures_of(told: Evidence) -> dict[Place, StateFigure]:
    """Returns every figure of the evidence by where it is: keys, and ids instead of positions."""
    return {
        place: figure
        for field in fields(ExactPart)
        for place, figure in figures_in(getattr(told, field.name), (json_name(field.name),))
    }


_OTHERS: Final = frozenset({"software-changed", "family-code-changed", "catalogue-changed", "check-changed"})
_CODE: Final = frozenset({"tool", "code"})


def _text(
    number: str, changes: Sequence[Change], rests: frozenset[str], moved: int, compared: int
) -> Iterator[Message]:
    """Yields the result: what changed, what that did, and to what it can be put down."""
    kinds = [change.kind for change in changes if change.kind != "run-changed"]
    groups = {
        "submission": sum(kind not in _OTHERS for kind in kinds),
        "code": kinds.count("family-code-changed"),
        "software": kinds.count("software-changed"),
        "clauses": sum(kind in ("catalogue-changed", "check-changed") for kind in kinds),
    }
    if not any(groups.values()):
        yield say("since.nothing-changed", number=number)
    else:
        parts = tuple(say(f"since.changed-{name}", count=count) for name, count in groups.items() if count)
        yield say("since.changed", number=number, parts=parts)
    if moved:
        yield say("since.moved", moved=moved, compared=compared)
        yield say(f"since.effect-{_cause(rests)}")
    else:
        yield say("since.none-moved", compared=compared)
    yield say("since.computed-again")


def _cause(rests: frozenset[str]) -> str:
    """Returns to what moved figures can be put down."""
    code = bool(rests & _CODE)
    if rests - _CODE:
        return "of-both" if code else "of-the-submission"
    return "of-the-code" if code else "of-nothing"


def _number(value: Fraction, off: Fraction | None) -> str:
    """Returns a figure as its fraction, or as decimals that it is between, or that say that they are near to it."""
    return f"approximate {decimal_text(value, 12)}" if off is None else exact_text(value, off=off)


def _rows(since: Since, figures: Sequence[Moved]) -> Iterator[tuple[str, ...]]:
    for part, changes in (("change", since.changes), ("status", since.statuses)):
        for change in changes:
            yield part, change.kind, change.subject, change.before or "", change.after or "", ""
    for figure in figures:
        said = (figure.before, figure.after, figure.difference)
        numbers = (
            "" if number is None else _number(number, off)
            for number, off in zip(
                said, figure.off or (None if figure.near else Fraction(0),) * 3, strict=True
            )
        )
        yield "figure", figure.at[0], "/".join(figure.at[1:]), *numbers
    for one in since.digests:
        yield "digest", one.of, one.name, one.before or "", one.after or "", ""

"""The form of the evidence: its schema, and what no two places of it may say differently."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify import __version__
from certify.by_key import gathered
from certify.characters import texts_in, unseen_in
from certify.children import source_digest
from certify.errors import TrustError, listed
from certify.evidence import (
    SCHEMA,
    ClauseStatus,
    Evidence,
    Item,
    Tool,
    overall_by_jurisdiction,
    product_shown,
)
from certify.evidence.read import read
from certify.model import (
    CONDITION,
    OPERATOR,
    REFERENCE,
    Certainty,
    Method,
    Overall,
    Severity,
    Status,
    UnderTest,
    Verdict,
)
from certify.seal.canonical import sha256_hex


@dataclass(frozen=True, slots=True)
class Release:
    """One release of this software.

    Args:
        schema: Id of the evidence that it writes.
        version: Its version.
        source_sha256: Digest of its sources.
    """

    schema: str
    version: str
    source_sha256: str


EARLIER: Final[tuple[Release, ...]] = ()
"""Releases before this one; none so far. One is added when its successor is released, for no release can name its
own digest."""


def present() -> Release:
    """Returns this software as a release: the one whose sources are running."""
    return Release(SCHEMA, __version__, source_digest())


def release_of(evidence: Mapping[str, Any]) -> Release:
    """Returns the release that evidence says it was written by.

    Raises:
        TrustError: It is none of the list: nobody knows what such software would have checked.
    """
    tool = evidence.get("tool")
    told = tool if isinstance(tool, Mapping) else {}
    named = (evidence.get("schema"), told.get("version"), told.get("source_sha256"))
    known = (*EARLIER, present())
    for release in known:
        if (release.schema, release.version, release.source_sha256) == named:
            return release
    listed = "; ".join(f"{one.schema}, certify {one.version}, sources {one.source_sha256}" for one in known)
    schema, version, digest = (_short(part) for part in named)
    raise TrustError(
        f"the evidence names schema {schema}, version {version} and sources {digest}, which are no release "
        f"that this software knows: expected {listed}"
    )


def _short(part: object) -> str:
    text = part if isinstance(part, str) else f"of type {type(part).__name__}"
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


_NONE_AGAINST: Final = frozenset({Overall.SATISFIED, Overall.ON_CONDITIONS, Overall.MATHEMATICS})
_HOLDS: Final = frozenset({Status.SATISFIED, Status.SECONDARY})


def contradictions(evidence: Evidence) -> Iterator[str]:
    """Yields what parts of evidence say against each other.

    Args:
        evidence: The evidence.
    """
    yield from _of_the_statement(evidence)
    yield from _of_the_plan(evidence)
    yield from _of_statuses(evidence)
    yield from _of_findings(evidence)


def _of_the_statement(evidence: Evidence) -> Iterator[str]:
    """Yields statements better than what they rest on, and counts that are not those of what is counted."""
    statement = evidence.report.statement
    overall, observations = statement.verdict, evidence.observations
    seen = {one.verdict for one in observations}
    if overall in _NONE_AGAINST and Verdict.NOT_SATISFIED in seen:
        yield f"the overall verdict is {overall} although a check is not satisfied"
    if overall in _NONE_AGAINST and Verdict.INCONCLUSIVE in seen:
        yield f"the overall verdict is {overall} although a check is inconclusive"
    serious = [one.id for one in evidence.findings if one.status == "open" and one.severity >= Severity.MAJOR]
    if serious and overall != Overall.NOT_SATISFIED:
        yield f"the overall verdict is {overall} although {serious[0]} is open and at least major"
    if overall == Overall.NOT_SATISFIED and not serious and Verdict.NOT_SATISFIED not in seen:
        yield "the overall verdict is not satisfied, and nothing is against it"
    conditions = [one for one in evidence.findings if one.status == CONDITION]
    if overall in (Overall.SATISFIED, Overall.MATHEMATICS) and conditions:
        yield f"the overall verdict is {overall} although conditions must be confirmed"
    if overall == Overall.ON_CONDITIONS and not conditions:
        yield "the overall verdict names conditions, and there is none"
    clauses, regime = evidence.clauses, evidence.regime
    own = overall_by_jurisdiction(regime.standards, observations, evidence.findings, clauses)
    if statement.jurisdictions not in (None, own):
        yield "the verdict for a jurisdiction does not follow from its clauses, checks and findings"
    shown = product_shown(clauses)
    if overall == Overall.SATISFIED and not shown and any(one.status == Status.REFERENCE for one in clauses):
        yield "the overall verdict is satisfied although clauses were tested on the reference alone, and no product"
    if overall == Overall.MATHEMATICS and shown:
        yield "the overall verdict says that the product was not tested, and clauses are satisfied on it"
    for name, told, counted in (
        ("clauses", statement.clauses, Counter(one.status for one in clauses)),
        ("checks", statement.checks, Counter(one.verdict for one in observations)),
    ):
        if +Counter(told) != counted:
            yield f"the statement counts other {name} than there are"


def _of_the_plan(evidence: Evidence) -> Iterator[str]:
    """Yields checks that ran without being requested, and those that were requested and did not run."""
    own = {one.check: bool(one.own) for one in evidence.run.plan}
    asked = {check for one in evidence.clauses if _asks(one) for check in one.checks}
    for check in dict.fromkeys(one.check for one in evidence.observations):
        if check not in own:
            yield f"{check} was observed, and was not planned"
    decided = {one.check for one in evidence.observations if one.verdict != Verdict.NOT_APPLICABLE}
    for check, is_own in own.items():
        if not is_own and check not in asked and check in decided:
            yield f"{check} was planned, and neither a clause requires it nor is it one of the harness"
    for check in sorted(asked - own.keys()):
        yield f"{check} is required by a clause, and was not planned"


def _asks(clause: ClauseStatus) -> bool:
    return clause.method == Method.TEST and clause.status != Status.NOT_APPLICABLE


def _of_statuses(evidence: Evidence) -> Iterator[str]:
    """Yields statuses that claim more, or less, than what was looked at allows."""
    by_check = gathered((one.check, (one.item, one.verdict)) for one in evidence.observations)
    for one in evidence.observations:
        if one.item in REFERENCE and one.verdict == Verdict.SATISFIED:
            yield f"{one.check} is called satisfied, yet it looked at an item of this software"
    for clause in evidence.clauses:
        number, status = clause.number, clause.status
        if clause.certainty == Certainty.UNVERIFIED:
            yield f"clause {number} is unverified"
        if status == Status.SATISFIED and clause.certainty != Certainty.VERBATIM:
            yield f"clause {number} is called satisfied without having been read"
        if status == Status.NOT_APPLICABLE:
            continue
        seen = {verdict for check in clause.checks for _, verdict in by_check.get(check, [])}
        if (status == Status.NOT_SATISFIED) != (Verdict.NOT_SATISFIED in seen):
            yield f"clause {number} is called {status}, which is not what its checks saw"
        for check in clause.checks if status in _HOLDS else ():
            yield from _not_held(number, check, by_check.get(check, []))


def _not_held(number: str, check: str, seen: list[tuple[UnderTest, Verdict]]) -> Iterator[str]:
    """Yields that a check does not hold what its clause claims."""
    brought = any(item in OPERATOR and found == Verdict.SATISFIED for item, found in seen)
    found = {verdict for _, verdict in seen}
    open_ones = {Verdict.FITTED, Verdict.INCONCLUSIVE} & found
    if not seen or open_ones or (Verdict.REFERENCE in found and not brought):
        yield f"clause {number} is called satisfied by {check}, which does not satisfy it"


def _of_findings(evidence: Evidence) -> Iterator[str]:
    """Yields findings about clauses that are printed as if there were none, and clauses that no finding tells of."""
    clauses = {one.id: one for one in evidence.clauses}
    told: dict[str, list[str]] = {}
    for finding in evidence.findings:
        against = finding.status == CONDITION or (
            finding.status == "open" and finding.severity > Severity.NOTE
        )
        for name in finding.clauses:
            told.setdefault(name, []).append(finding.status if against else "")
            if name not in clauses:
                yield f"{finding.id} names {name}, which is no clause of the chosen catalogues"
            elif against and clauses[name].status in _HOLDS:
                yield f"{finding.id} is about clause {clauses[name].number}, which is called satisfied"
        asked = {name for name, one in clauses.items() if _asks(one) and finding.check in one.checks}
        if against and not asked <= set(finding.clauses):
            yield f"{finding.id} leaves out clauses that its check {finding.check} answers"
    for name, clause in clauses.items():
        status = clause.status
        if status == Status.CONDITION and CONDITION not in told.get(name, []):
            yield f"clause {clause.number} is on a condition that no finding names"
        if status in (Status.NOT_SATISFIED, Status.INCONCLUSIVE) and not any(told.get(name, [])):
            yield f"clause {clause.number} is called {status}, and no finding says why"


_MOST_LISTED: Final = 20

_VERSION = r"[0-9]+(?:\.[0-9]+){1,3}(?:[a-z0-9.+-]{0,20})"

#: What the description of the tool may say: facts in their form, no prose.
_TOOL_FORMS: Final = {
    "name": re.compile(r"certify"),
    "python": re.compile(_VERSION),
    "platform": re.compile(r"[A-Za-z]{1,12} [A-Za-z0-9_]{1,16}, [a-z]{0,8} [0-9.]{0,12}"),
}
_PACKAGE_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def require_schema(evidence: Any) -> Evidence:
    """Returns evidence of a known release and of its form, whose parts do not contradict each other.

    Raises:
        TrustError: It names every mistake of form, and else every contradiction.
    """
    if not isinstance(evidence, dict):
        raise TrustError("the evidence was expected to be an object")
    release = release_of(evidence)
    found = read(Evidence, evidence)
    if isinstance(found, Evidence):
        problems = [
            *contradictions(found),
            *_item_problems(found.item),
            *_tool_problems(found.tool),
            *_text_problems(evidence),
        ]
        if not problems:
            return found
    else:
        problems = [str(problem) for problem in found]
    raise TrustError(f"the evidence does not follow {release.schema}: {listed(problems, _MOST_LISTED)}")


def _tool_problems(tool: Tool) -> list[str]:
    """Returns what the description of the tool says beyond facts in their form."""
    problems = [
        f"tool.{key} has not the form of what a run writes there"
        for key, form in _TOOL_FORMS.items()
        if not form.fullmatch(getattr(tool, key))
    ]
    return problems + [
        f"tool.packages: {name!r} was expected to be a package with its version"
        for name, version in tool.packages.items()
        if not (_PACKAGE_NAME.fullmatch(name) and re.fullmatch(_VERSION, version))
    ]


def _text_problems(evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yields texts with characters that a reader does not see, or that turn the direction of writing."""
    for key, text in texts_in(evidence):
        found = unseen_in(text, allowed="\n")
        if found is not None:
            yield f"{'/'.join(('', *map(str, key))) or '/'} holds {found}, which a reader does not see"


def _item_problems(item: Item) -> Iterator[str]:
    """Yields submitted files whose embedded bytes are not those of their digest."""
    for file in item.files:
        try:
            content = base64.b64decode(file.base64, validate=True)
        except (binascii.Error, ValueError):
            yield f"the bytes of {file.name!r} are not base64"
            continue
        if sha256_hex(content) != file.sha256:
            yield f"the bytes of {file.name!r} do not have their digest"
    if not item.files:
        yield "item.files names no submitted file"

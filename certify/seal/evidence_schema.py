"""The shape of the evidence by version: what it must have before anyone relies on it.

Packs outlive software: evidence of an earlier schema keeps its id and its form, and verifies for ever. What a schema
demands is never changed; a new demand is a new schema.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify.characters import unseen_in
from certify.errors import TrustError
from certify.evidence import SCHEMA, problems_of
from certify.evidence.kept import has_kept_form, kept_form_problems
from certify.model.clause import Certainty
from certify.model.finding import CONDITION, Overall, Verdict
from certify.model.item import OPERATOR, REFERENCE
from certify.seal.canonical import sha256_hex


@dataclass(frozen=True, slots=True)
class Schema:
    """One version of the evidence.

    Args:
        id: Its id, as it stands in the evidence.
        present: Whether this software writes it, and can compute again what it claims.
        low_s: Whether ECDSA signatures around it have the lower of the two values that would verify.
        restricted: Whether texts and the tool's description are held to the form of what this software writes.
    """

    id: str
    present: bool
    low_s: bool
    restricted: bool


SCHEMAS: Final = {
    schema.id: schema
    for schema in (
        Schema("certify-evidence/1", present=False, low_s=False, restricted=False),
        Schema("certify-evidence/2", present=False, low_s=True, restricted=True),
        Schema(SCHEMA, present=True, low_s=True, restricted=True),
    )
}
"""Every version that was ever written."""

_TOLD: Final = 20

_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_OVERALL = frozenset(overall.value for overall in Overall)
_NONE_AGAINST = frozenset({Overall.SATISFIED.value, Overall.ON_CONDITIONS.value})
_FRACTION = re.compile(r"-?(?:0|[1-9]\d*)(?:/[1-9]\d*)?")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_VERSION = r"[0-9]+(?:\.[0-9]+){1,3}(?:[a-z0-9.+-]{0,20})"

#: What the description of the tool may say: facts in their form, no prose.
_TOOL_FORMS: Final = {
    "name": re.compile(r"certify"),
    "version": re.compile(_VERSION),
    "source_sha256": _DIGEST,
    "lock_sha256": _DIGEST,
    "python": re.compile(_VERSION),
    "platform": re.compile(r"[A-Za-z]{1,12} [A-Za-z0-9_]{1,16}, [a-z]{0,8} [0-9.]{0,12}"),
}
_PACKAGE_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

#: Path to each part that must be there, and its kind. A path ending in ``[]`` names every entry of a list.
_REQUIRED: tuple[tuple[str, type], ...] = (
    ("report", dict),
    ("report.number", str),
    ("report.revision", int),
    ("report.issued", str),
    ("report.demonstration_key", bool),
    ("report.statement", dict),
    ("report.statement.verdict", str),
    ("report.statement.sentence", str),
    ("tool", dict),
    ("tool.name", str),
    ("tool.version", str),
    ("run", dict),
    ("run.seed", str),
    ("item", dict),
    ("item.game", str),
    ("item.version", str),
    ("item.files", list),
    ("item.files[].name", str),
    ("item.files[].sha256", str),
    ("item.files[].base64", str),
)
#: The same for parts that may be absent as a whole.
_WHERE_PRESENT: tuple[tuple[str, type], ...] = (
    ("observations[].check", str),
    ("observations[].verdict", str),
    ("files[].name", str),
    ("files[].sha256", str),
    ("clauses[].number", str),
    ("clauses[].status", str),
    ("clauses[].certainty", str),
)


def require_schema(evidence: Any) -> None:
    """Refuses evidence that lacks a required part, or whose parts contradict each other.

    Raises:
        TrustError: It names every mistake found.
    """
    schema = schema_of(evidence)
    # The present form is that of the nouns, later ones are kept as schemas; the first was never written down but here.
    if schema.present:
        problems = [str(problem) for problem in problems_of(evidence)]
    elif has_kept_form(schema.id):
        problems = kept_form_problems(schema.id, evidence)
    else:
        problems = _first_form_problems(evidence)
    if not problems:
        problems = [
            *_verdict_problems(evidence),
            *_item_problems(evidence),
            *_fraction_problems(evidence),
            *_clause_problems(evidence),
        ]
        if schema.present:
            problems += _status_problems(evidence)
        if schema.restricted:
            problems += [*_tool_problems(evidence["tool"]), *_text_problems(evidence)]
    if problems:
        more = len(problems) - _TOLD
        told = "; ".join(problems[:_TOLD]) + (f"; and {more} more" if more > 0 else "")
        raise TrustError(f"the evidence does not follow {schema.id}: {told}")


def _first_form_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns what evidence of version 1 lacks."""
    problems = [problem for path, kind in _REQUIRED for problem in _missing(evidence, path, kind)]
    for path, kind in _WHERE_PRESENT:
        if path.split("[]")[0] in evidence:
            problems += _missing(evidence, path, kind)
    return problems


def schema_of(evidence: Any) -> Schema:
    """Returns the schema that evidence says it follows.

    Raises:
        TrustError: It is none that was ever written.
    """
    named = evidence.get("schema") if isinstance(evidence, dict) else None
    if not isinstance(named, str) or named not in SCHEMAS:
        raise TrustError(
            f"the evidence was expected to be an object of one of the schemas {', '.join(SCHEMAS)}"
        )
    return SCHEMAS[named]


def _tool_problems(tool: Mapping[str, Any]) -> list[str]:
    """Returns what the description of the tool says beyond facts in their form."""
    packages = tool.get("packages", {})
    known = _TOOL_FORMS.keys() | {"packages"}
    problems = [f"tool.{key} is unknown" for key in sorted(tool.keys() - known)]
    problems += [
        f"tool.{key} has not the form of what a run writes there"
        for key, form in _TOOL_FORMS.items()
        if key in tool and not (isinstance(tool[key], str) and form.fullmatch(tool[key]))
    ]
    if not isinstance(packages, dict):
        return [*problems, "tool.packages was expected to be an object"]
    return problems + [
        f"tool.packages: {name!r} was expected to be a package with its version"
        for name, version in packages.items()
        if not (
            _PACKAGE_NAME.fullmatch(name) and isinstance(version, str) and re.fullmatch(_VERSION, version)
        )
    ]


def _text_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns texts with characters that a reader does not see, or that turn the direction of writing."""
    problems: list[str] = []
    pending: list[tuple[str, Any]] = [("", evidence)]
    while pending and len(problems) <= _TOLD:
        where, value = pending.pop()
        if isinstance(value, dict):
            pending += [(f"{where}/{key}", part) for key, part in value.items()]
            problems += _unseen(where, *value)
        elif isinstance(value, list):
            pending += [(where, part) for part in value]
        elif isinstance(value, str):
            problems += _unseen(where, value)
    return problems


def _unseen(where: str, *texts: str) -> list[str]:
    return [
        f"{where or '/'} holds {found}, which a reader does not see"
        for found in (unseen_in(text, allowed="\n") for text in texts)
        if found is not None
    ]


def _missing(value: Any, path: str, kind: type, where: str = "") -> list[str]:
    """Returns what is wrong with the part of a value at a path."""
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    here = f"{where}.{name}".lstrip(".")
    if not isinstance(value, Mapping) or name not in value:
        return [f"{here} is missing"]
    part = value[name]
    if not rest:
        # JSON tells true from 1, and so does this.
        fits = isinstance(part, kind) and (kind is bool or not isinstance(part, bool))
        return [] if fits else [f"{here} was expected to be of type {kind.__name__}"]
    if head.endswith("[]"):
        if not isinstance(part, list):
            return [f"{here} was expected to be a list"]
        return [p for index, item in enumerate(part) for p in _missing(item, rest, kind, f"{here}[{index}]")]
    return _missing(part, rest, kind, here)


def _verdict_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns verdicts that do not exist, and an overall verdict better than its checks allow."""
    overall = evidence["report"]["statement"]["verdict"]
    verdicts = [observation["verdict"] for observation in evidence.get("observations", [])]
    problems = [f"{verdict!r} is no verdict" for verdict in sorted(set(verdicts) - _VERDICTS)]
    if overall not in _OVERALL:
        problems.append(f"the overall verdict {overall!r} is none of {', '.join(sorted(_OVERALL))}")
    if overall in _NONE_AGAINST and Verdict.NOT_SATISFIED.value in verdicts:
        problems.append(f"the overall verdict is {overall} although a check is not satisfied")
    conditions = [one for one in evidence.get("findings", []) if one.get("status") == CONDITION]
    if overall == Overall.SATISFIED.value and conditions:
        problems.append("the overall verdict is satisfied although conditions must be confirmed")
    if overall == Overall.ON_CONDITIONS.value and not conditions:
        problems.append("the overall verdict names conditions, and there is none")
    return problems


def _status_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns statuses that claim more than what was looked at allows: fitted or shown on a reference is no pass."""
    problems = []
    by_check: dict[str, list[tuple[str, str]]] = {}
    for one in evidence["observations"]:
        by_check.setdefault(one["check"], []).append((one["item"], one["verdict"]))
        if one["item"] in REFERENCE and one["verdict"] == Verdict.SATISFIED.value:
            problems.append(f"{one['check']} is called satisfied, yet it looked at an item of this software")
    for clause in evidence["clauses"]:
        if clause["status"] != Verdict.SATISFIED.value:
            continue
        for check in clause["checks"]:
            seen = by_check.get(check, [])
            brought = any(item in OPERATOR and found == Verdict.SATISFIED.value for item, found in seen)
            found = {verdict for _, verdict in seen}
            if Verdict.FITTED.value in found or (Verdict.REFERENCE.value in found and not brought):
                problems.append(
                    f"clause {clause['number']} is called satisfied by {check}, which does not satisfy it"
                )
    return problems


def _item_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns submitted files whose embedded bytes are not those of their digest."""
    problems = []
    for file in evidence["item"]["files"]:
        try:
            content = base64.b64decode(file["base64"], validate=True)
        except (binascii.Error, ValueError):
            problems.append(f"the bytes of {file['name']!r} are not base64")
            continue
        if sha256_hex(content) != file["sha256"]:
            problems.append(f"the bytes of {file['name']!r} do not have their digest")
    if not evidence["item"]["files"]:
        problems.append("item.files names no submitted file")
    bad = [file["name"] for file in evidence.get("files", []) if not _DIGEST.fullmatch(file["sha256"])]
    return problems + [f"the digest of {name!r} is not a SHA-256" for name in bad]


def _fraction_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns exact returns that are not written as fractions."""
    analyses = evidence.get("analysis", {})
    if not isinstance(analyses, dict):
        return ["analysis was expected to be an object"]
    problems = []
    for strategy, analysis in analyses.items():
        wagers = analysis.get("wagers", {}) if isinstance(analysis, dict) else {}
        for wager, figures in wagers.items() if isinstance(wagers, dict) else ():
            exact = figures.get("return") if isinstance(figures, dict) else None
            if not isinstance(exact, str) or not _FRACTION.fullmatch(exact):
                problems.append(f"analysis.{strategy}.wagers.{wager}.return is not a fraction N/D")
    return problems


def _clause_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns clauses called satisfied that nobody read in their standard, and unverified ones."""
    problems = []
    for clause in evidence.get("clauses", []):
        if clause["certainty"] == Certainty.UNVERIFIED.value:
            problems.append(f"clause {clause['number']} is unverified")
        elif clause["status"] == Verdict.SATISFIED.value and clause["certainty"] != Certainty.VERBATIM.value:
            problems.append(f"clause {clause['number']} is called satisfied without having been read")
    return problems

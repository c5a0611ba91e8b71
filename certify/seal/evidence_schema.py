"""The form of the evidence by version: what it must have before anyone relies on it.

The present version is read through its nouns. Packs outlive software: evidence of version 1 keeps the structural check
that it was made under.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from certify.errors import TrustError
from certify.evidence import SCHEMA, problems_of
from certify.evidence.read import TOLD
from certify.model.clause import Certainty
from certify.model.finding import Verdict
from certify.seal.canonical import sha256_hex

FIRST = "certify-evidence/1"
"""The version before evidence was a noun."""

_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_OVERALL = _VERDICTS - {Verdict.NOT_APPLICABLE.value}
_FRACTION = re.compile(r"-?(?:0|[1-9]\d*)(?:/[1-9]\d*)?")
_DIGEST = re.compile(r"[0-9a-f]{64}")

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
    named = evidence.get("schema") if isinstance(evidence, dict) else None
    if named not in (FIRST, SCHEMA):
        raise TrustError(f"the evidence was expected to be an object of the schema {SCHEMA!r} or {FIRST!r}")
    problems = _first_form_problems(evidence) if named == FIRST else _form_problems(evidence)
    if not problems:
        problems = [
            *_verdict_problems(evidence),
            *_item_problems(evidence),
            *_fraction_problems(evidence),
            *_clause_problems(evidence),
        ]
    if problems:
        more = f"; and {len(problems) - TOLD} more" if len(problems) > TOLD else ""
        raise TrustError(f"the evidence does not follow {named}: {'; '.join(problems[:TOLD])}{more}")


def _form_problems(evidence: Any) -> list[str]:
    """Returns every place where evidence of the present version is not what its nouns say."""
    return [str(problem) for problem in problems_of(evidence)]


def _first_form_problems(evidence: Any) -> list[str]:
    """Returns what evidence of version 1 lacks."""
    problems = [problem for path, kind in _REQUIRED for problem in _missing(evidence, path, kind)]
    for path, kind in _WHERE_PRESENT:
        if path.split("[]")[0] in evidence:
            problems += _missing(evidence, path, kind)
    return problems


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
    if overall == Verdict.SATISFIED.value and Verdict.NOT_SATISFIED.value in verdicts:
        problems.append("the overall verdict is satisfied although a check is not")
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

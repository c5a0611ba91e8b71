"""The data of a pack against its evidence: every file that follows from evidence, submission or seed, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from certify.certification.request import RunRequest
from certify.certification.sbom import bill_bytes, sbom
from certify.certification.submitted import PACKAGES
from certify.certification.tables import POINTS, RECORDED, tables_of
from certify.clauses.results import ExactResults
from certify.errors import TrustError
from certify.evidence.document import Evidence
from certify.evidence.submitted import Tool
from certify.issue.compare import compare, some
from certify.issue.seed_checks import outcome_without_campaigns
from certify.seal.canonical import parse_json
from certify.untrusted_input import Document

BILL: Final = "data/sbom.cdx.json"

ENVIRONMENT: Final = frozenset({BILL})
"""Files that tell about the machine that computed, and are another's on another machine."""


def data_differences(
    exact: ExactResults, request: RunRequest, claimed: Evidence, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Yields the data files that are not what follows from evidence, submission and seed.

    Points of convergence are the one table that follows from a repeated run alone. The bill of materials is
    another's on another machine: it is held to the one made here, byte for byte but for versions.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        claimed: The evidence.
        files: The files of the pack by name.
    """
    for table in tables_of(claimed):
        if files.get(table.name) != table.written(claimed):
            yield f"{table.name}: not what follows from the evidence"
    outcome = outcome_without_campaigns(exact, request, claimed.tool.source_sha256)
    for name, (_, write) in RECORDED.items():
        if name not in ENVIRONMENT | {POINTS} and files.get(name) != write(outcome, request.seed):
            yield f"{name}: not what follows from submission and seed"
    yield from bill_differences(files.get(BILL, b""), claimed)


_VERSION: Final = re.compile(r"[0-9][A-Za-z0-9.+!_-]{0,40}")


def bill_differences(content: bytes, claimed: Evidence) -> Iterator[str]:
    """Yields where a bill of materials is not, byte for byte but for versions, the one that is made here.

    Args:
        content: The file.
        claimed: The evidence, whose tool, platform and family the bill must name.
    """
    try:
        theirs = parse_json(content, BILL)
        versions = {component["name"]: component["version"] for component in theirs["components"]}
        locked = {component["name"]: _locked(component) for component in theirs["components"]}
    except TrustError as error:
        yield str(error)
        return
    except (AttributeError, LookupError, TypeError) as error:
        yield f"{BILL}: not a bill of materials as a run writes it ({type(error).__name__}: {error})"
        return
    expected = _with_versions(sbom(claimed.family), versions, locked, claimed.tool)
    found = [f"{BILL}: {line}" for line in some(compare(expected, theirs, ""), "")]
    if not found and bill_bytes(expected) != content:
        found = [f"{BILL}: not in the one form in which a run writes it"]
    yield from found
    tool = claimed.tool.packages
    if set(tool) != set(PACKAGES):
        yield f"/tool/packages: expected the versions of {', '.join(PACKAGES)}"
    wrong = [name for name, version in tool.items() if versions.get(name) != version]
    if wrong:
        yield f"{BILL}: it has other versions than the evidence: {', '.join(wrong)}"


def _locked(component: Mapping[str, Any]) -> str:
    """Returns whether a component says that its version is the locked one."""
    stated = {entry["name"]: entry["value"] for entry in component.get("properties", ())}
    return "yes" if stated.get("certify:locked") == "yes" else "no"


def _with_versions(
    bill: Mapping[str, Any], versions: Mapping[str, object], locked: Mapping[str, str], tool: Tool
) -> Document:
    """Returns the bill of this machine with the versions, the digests and the platform of another one."""
    made = json.loads(json.dumps(bill))
    references = {}
    for component in made["components"]:
        name, version = component["name"], versions.get(component["name"])
        ours = component["bom-ref"]
        known = isinstance(version, str) and _VERSION.fullmatch(version) is not None
        if component["type"] == "platform":
            version, known = tool.python, True
        if known and version != component["version"]:
            component["version"] = version
            component["bom-ref"] = ours.rpartition("@")[0] + f"@{version}"
            for entry in component.get("properties", ()):
                entry["value"] = locked[name] if entry["name"] == "certify:locked" else entry["value"]
        references[ours] = component["bom-ref"]
        if "purl" in component:
            component["purl"] = component["bom-ref"]
    for entry in made["dependencies"]:
        entry["ref"] = references.get(entry["ref"], entry["ref"])
        entry["dependsOn"] = sorted(references.get(one, one) for one in entry["dependsOn"])
    for entry in made["metadata"]["component"]["properties"]:
        if entry["name"] == "certify:lock:sha256":
            entry["value"] = tool.lock_sha256
    machine, _, libc = tool.platform.partition(", ")
    system, _, machine = machine.partition(" ")
    named = {"certify:platform:machine": machine, "certify:platform:system": f"{system} {libc}".strip()}
    for entry in made["metadata"]["properties"]:
        entry["value"] = named[entry["name"]]
    return dict(made)

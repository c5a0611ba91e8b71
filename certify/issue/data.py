"""The data of a pack against its evidence: every file that follows from evidence, submission or seed, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

from certify.certification.request import RunRequest
from certify.certification.sbom import SPECIFICATION
from certify.certification.tables import RECORDED, Record
from certify.clauses.results import ExactResults
from certify.errors import TrustError
from certify.evidence.document import Evidence
from certify.evidence.simulation import Cell
from certify.evidence.tool import Tool
from certify.issue.seeded import NotRepeatedError, outcome_without_campaigns
from certify.seal.canonical import parse_json

BILL: Final = "data/sbom.cdx.json"

ENVIRONMENT: Final = frozenset({BILL})
"""Files that tell about the machine that computed, and are another's on another machine."""

_FROM_EVIDENCE: Final = frozenset(
    f"data/{name}.csv" for name in ("simulation", "randomness", "tests", "planted", "bias")
)
"""Tables of what only a whole run repeats: they hold what the evidence holds."""


def data_differences(
    exact: ExactResults, request: RunRequest, claimed: Evidence, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Yields the data files that are not what follows from evidence, submission and seed.

    Points of convergence are the one table that follows from a repeated run alone. The bill of materials is
    another's on another machine: it is held to its form and to what the evidence says of the tool.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        claimed: The evidence.
        files: The files of the pack by name.
    """
    outcome = outcome_without_campaigns(exact, request, claimed.tool.source_sha256)
    observations = claimed.observations
    record = Record(outcome, observations, request.seed)
    as_told = Record(cast(Any, SimpleNamespace(results=_told(claimed))), observations, request.seed)
    for name, (_, write) in RECORDED.items():
        if name in ENVIRONMENT:
            continue
        try:
            expected = write(as_told if name in _FROM_EVIDENCE else record)
        except NotRepeatedError:
            continue
        if files.get(name) != expected:
            yield f"{name}: not what follows from evidence, submission and seed"
    yield from bill_differences(files.get(BILL, b""), claimed.tool)


def _told(claimed: Evidence) -> Any:
    """Returns what the evidence tells of campaigns and tests, in the shape in which a run holds it."""
    return SimpleNamespace(
        playthroughs=[
            SimpleNamespace(
                campaign=SimpleNamespace(strategy=campaign.strategy),
                agreements=[
                    SimpleNamespace(wager=wager.wager, cells=list(map(_cell, wager.outcomes)))
                    for wager in campaign.wagers
                ],
            )
            for campaign in claimed.simulation.campaigns
        ],
        randomness=SimpleNamespace(
            tests=claimed.randomness.tests,
            planted=[
                SimpleNamespace(
                    fault=one.fault,
                    caught_by=one.caught_by,
                    sample=one.sample,
                    p_value=one.p,
                    caught=one.caught,
                )
                for one in claimed.randomness.planted
            ],
        ),
        rng=SimpleNamespace(
            biases=[(row.n, row.ours, row.modulo_16, row.modulo_32) for row in claimed.rng.bias]
        ),
    )


def _cell(cell: Cell) -> Any:
    return SimpleNamespace(
        outcome=cell.outcome,
        count=int(cell.count),
        probability=cell.probability,
        expected=cell.expected,
        # What JSON cannot say: an outcome of probability zero that occurred.
        residual=float("inf") if cell.residual is None else cell.residual,
    )


_COMPONENT: Final = frozenset(
    {"type", "bom-ref", "name", "version", "purl", "scope", "properties", "licenses"}
)
_PARTS: Final = frozenset(
    {"$schema", "bomFormat", "specVersion", "version", "metadata", "components", "dependencies"}
)


def bill_differences(content: bytes, tool: Tool) -> Iterator[str]:
    """Yields where a bill of materials has another form than we write, or contradicts the evidence.

    Args:
        content: The file.
        tool: The ``tool`` of the evidence.
    """
    try:
        bill = parse_json(content, BILL)
        yield from (f"{BILL}: {problem}" for problem in _bill_problems(bill, content, tool))
    except TrustError as error:
        yield str(error)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        yield f"{BILL}: not a bill of materials as a run writes it ({type(error).__name__}: {error})"


def _bill_problems(bill: Mapping[str, Any], content: bytes, tool: Tool) -> Iterator[str]:
    if (json.dumps(bill, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8") != content:
        yield "not in the one form in which a run writes it"
    strays = set(bill) ^ _PARTS
    if strays or (bill["bomFormat"], bill["specVersion"]) != ("CycloneDX", SPECIFICATION):
        yield f"expected the parts of CycloneDX {SPECIFICATION} that a run writes"
    application = bill["metadata"]["component"]
    stated = {entry["name"]: entry["value"] for entry in application["properties"]}
    expected = {
        "certify:lock:sha256": tool.lock_sha256,
        "certify:source:sha256": tool.source_sha256,
    }
    if stated != expected or (application["name"], application["version"]) != (tool.name, tool.version):
        yield "it names another application than the evidence"
    versions = {}
    for component in bill["components"]:
        if set(component) - _COMPONENT:
            yield f"a component holds {', '.join(sorted(set(component) - _COMPONENT))}"
        versions[component["name"]] = component["version"]
        reference = f"pkg:pypi/{component['name']}@{component['version']}"
        if component["type"] == "library" and not component["bom-ref"] == component["purl"] == reference:
            yield f"the component {component['name']} is referred to as another"
    wrong = [name for name, version in tool.packages.items() if versions.get(name) != version]
    if wrong:
        yield f"it has other versions than the evidence: {', '.join(wrong)}"

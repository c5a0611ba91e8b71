"""The bill of materials: valid by the published schema, complete, and the same every time."""

import json
import subprocess
import sys
from importlib import metadata, resources

import jsonschema
import pytest
import referencing
from cyclonedx.model.bom import Bom

from certify.certification.sbom import normal, sbom, sbom_bytes
from certify.certification.submitted import PACKAGES, lock_digest
from certify.evidence.submitted import FamilyCode, SourceText

FAMILY = FamilyCode("craps", "certify", "0.1.0", "ab" * 32, SourceText("m", "cd" * 32), None)


def schema(name):
    folder = resources.files("cyclonedx.schema") / "_res"
    return json.loads(folder.joinpath(f"{name}.SNAPSHOT.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def document():
    return json.loads(sbom_bytes(FAMILY))


def test_it_follows_the_published_schema(document):
    published = schema("bom-1.6")
    others = {name: schema(name) for name in ("spdx", "jsf-0.82")}
    registry = referencing.Registry().with_resources(
        (each["$id"], referencing.Resource.from_contents(each)) for each in (published, *others.values())
    )
    validator = jsonschema.Draft7Validator(published, registry=registry)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert list(validator.iter_errors({**document, "specVersion": 1.6}))


def test_another_implementation_reads_it(document):
    read = Bom.from_json(document)
    assert {str(component.purl) for component in read.components if component.purl} == {
        component["purl"] for component in document["components"] if "purl" in component
    }
    assert read.validate()


def test_what_computes_is_there_with_its_version(document):
    components = {component["name"]: component for component in document["components"]}
    for name in PACKAGES:
        assert components[normal(name)]["version"] == metadata.version(name)
        assert components[normal(name)]["scope"] == "required"
        assert components[normal(name)]["properties"] == [{"name": "certify:locked", "value": "yes"}]
    # What tests the software is not what computes.
    assert "pytest" not in components
    properties = {p["name"]: p["value"] for p in document["metadata"]["component"]["properties"]}
    assert properties["certify:lock:sha256"] == lock_digest()


def test_every_reference_exists_and_the_graph_reaches_what_is_required(document):
    refs = {component["bom-ref"] for component in document["components"]}
    graph = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
    assert {ref for needs in graph.values() for ref in needs} <= refs
    reached = set()
    waiting = list(graph["certify"])
    while waiting:
        ref = waiting.pop()
        if ref not in reached:
            reached.add(ref)
            waiting += graph[ref]
    assert reached == {c["bom-ref"] for c in document["components"] if c.get("scope") == "required"}


def test_another_process_gives_the_same_bytes():
    script = (
        "import sys; from certify.certification.sbom import sbom_bytes; from certify.evidence.submitted import *; "
        f"FAMILY = {FAMILY!r}; sys.stdout.buffer.write(sbom_bytes(FAMILY))"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, env={"PYTHONHASHSEED": hash_seed}
        )
        assert done.stdout == sbom_bytes(FAMILY)
    text = sbom_bytes(FAMILY).decode()
    assert "serialNumber" not in text
    assert "timestamp" not in text
    assert sbom(FAMILY) is sbom(FAMILY)

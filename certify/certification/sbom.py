"""The software that computed, as a bill of materials (CycloneDX 1.6): the same environment, the same bytes."""

import json
import platform
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any, Final

from certify import __version__
from certify.by_key import gathered, reached
from certify.certification.submitted import lock_digest
from certify.children import ROOT, source_digest
from certify.evidence import FamilyCode
from certify.executors import installed, normal, requires
from certify.untrusted_input import JsonObject

SPECIFICATION: Final = "1.6"


_APPLICATION: Final = "certify"


_LOCKED: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.M)


_LONGEST_NAME: Final = 100


def sbom_bytes(family: FamilyCode) -> bytes:
    """Returns the bill of materials as JSON, without serial number and time, so that it can be reproduced.

    Args:
        family: The code that plays the game.
    """
    return bill_bytes(sbom(family))


def bill_bytes(bill: Mapping[str, Any]) -> bytes:
    """Returns a bill of materials in the one form in which it is written."""
    return (json.dumps(bill, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


@cache
def sbom(family: FamilyCode) -> JsonObject:
    """Returns the bill of materials of this process: what is required and installed, and what needs what.

    Source: ECMA-424 (CycloneDX 1.6).
    """
    locked = _locked()
    played = normal(family.package) if family.package != _APPLICATION else None
    # What develops and tests the application takes no part in what it computes, and is another's elsewhere.
    needed = {*reached([*requires(_APPLICATION), *([played] if played else [])], requires)} - {_APPLICATION}
    chosen = {name: dist for name in sorted(needed) if (dist := installed(name)) is not None}
    components = [
        _component(name, dist, locked, _family(family) if name == played else [])
        for name, dist in chosen.items()
    ]
    application: JsonObject = {
        "type": "application",
        "bom-ref": _APPLICATION,
        "name": _APPLICATION,
        "version": __version__,
        "properties": [
            *(_family(family) if played is None else []),
            {"name": "certify:lock:sha256", "value": lock_digest()},
            {"name": "certify:source:sha256", "value": source_digest()},
        ],
    }
    interpreter, version = platform.python_implementation(), platform.python_version()
    python: JsonObject = {
        "type": "platform",
        "bom-ref": f"{interpreter}@{version}",
        "name": interpreter,
        "version": version,
    }
    libc = f"{platform.system()} {' '.join(platform.libc_ver())}".strip()
    properties: list[JsonObject] = [
        {"name": "certify:platform:machine", "value": platform.machine()},
        {"name": "certify:platform:system", "value": libc},
    ]
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {"component": application, "properties": properties},
        "components": [*components, python],
        "dependencies": [
            {"ref": _APPLICATION, "dependsOn": _refs(_APPLICATION, chosen)},
            *({"ref": _ref(name, dist), "dependsOn": _refs(name, chosen)} for name, dist in chosen.items()),
        ],
    }


def _locked() -> Mapping[str, frozenset[str]]:
    """Returns the versions that the lock names for each package, by platform and Python; none without a lock."""
    lock = ROOT / "requirements.lock"
    locked = _LOCKED.findall(lock.read_text("utf-8") if lock.is_file() else "")
    versions = gathered((normal(name), version) for name, version in locked)
    return {name: frozenset(found) for name, found in versions.items()}


def _refs(package: str, chosen: Mapping[str, metadata.Distribution]) -> list[str]:
    """Returns the references of what a package needs."""
    return sorted({_ref(name, chosen[name]) for name in requires(package) if name in chosen})


def _ref(name: str, dist: metadata.Distribution) -> str:
    """Returns the package URL of a package, which is its reference too."""
    return f"pkg:pypi/{name}@{dist.version}"


def _component(
    name: str,
    dist: metadata.Distribution,
    locked: Mapping[str, frozenset[str]],
    family: Sequence[Mapping[str, str]],
) -> JsonObject:
    """Returns one package, with what it says of the family where it brings the one played."""
    component: JsonObject = {
        "type": "library",
        "bom-ref": _ref(name, dist),
        "name": name,
        "version": dist.version,
        "purl": _ref(name, dist),
        "scope": "required",
        "properties": [
            {
                "name": "certify:locked",
                "value": "yes" if dist.version in locked.get(name, ()) else "no",
            },
            *family,
        ],
    }
    licences = _licences(dist)
    return component | ({"licenses": licences} if licences else {})


def _licences(dist: metadata.Distribution) -> list[JsonObject]:
    """Returns the licence that a package states: an SPDX expression, or its own words."""
    described = dist.metadata
    if "License-Expression" in described:
        return [{"expression": described["License-Expression"]}]
    names = [
        entry.split(" :: ")[-1]
        for entry in described.get_all("Classifier") or ()
        if entry.startswith("License :: ")
    ]
    stated = "".join(described.get_all("License") or ())
    if not names and 0 < len(stated) <= _LONGEST_NAME and "\n" not in stated:
        names = [stated]
    return [{"license": {"name": name}} for name in sorted(set(names))]


def _family(family: FamilyCode) -> list[dict[str, str]]:
    """Returns what the package that brings the family says of it."""
    return [
        {"name": "certify:family", "value": family.family},
        {"name": "certify:family:sha256", "value": family.sha256},
    ]

"""What was submitted, in the evidence: rules, readings, terms, paytables, printed returns and witnesses.

All of it follows from the submission and its exact figures, so that verification computes it again.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from certify import __version__
from certify.analysis.edge import claim_status
from certify.children import ROOT, source_digest
from certify.evidence import submitted as evidence
from certify.evidence.judged import Recovery
from certify.evidence.submitted import FamilyCode, SourceText, Tool
from certify.exact import format_odds
from certify.executors.packages import normal
from certify.families.registry import family_of, offer_of
from certify.families.witnesses import witnesses_of
from certify.mathematics.possible import NOT_FOUND, possible
from certify.messages import say, worded
from certify.model.bounded import ends_of
from certify.model.claims import BY_PAYS, claimed_figure, prints_as
from certify.model.figures import Analysis
from certify.model.game import Claim, Game
from certify.model.layout import TableLayout, laid_out
from certify.model.round import Witness
from certify.untrusted_input import JsonObject

SPECIFICATION: Final = "1.6"
_APPLICATION: Final = "certify"
_LOCKED: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.M)
_REQUIRED: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)")
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
    installed = _installed()
    locked = _locked()
    played = normal(family.package) if family.package != _APPLICATION else None
    needed = _needed(installed, played)
    # What develops and tests the application takes no part in what it computes, and is another's elsewhere.
    chosen = {name: dist for name, dist in sorted(installed.items()) if name in needed}
    components = [
        _component(name, dist, locked, _family(family) if name == played else [])
        for name, dist in chosen.items()
    ]
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {"component": _application(family), "properties": _platform()},
        "components": [*components, _python()],
        "dependencies": [
            {"ref": _APPLICATION, "dependsOn": _refs(metadata.distribution(_APPLICATION), chosen)},
            *({"ref": _ref(name, dist), "dependsOn": _refs(dist, chosen)} for name, dist in chosen.items()),
        ],
    }


def _installed() -> dict[str, metadata.Distribution]:
    """Returns every installed package by name, the application left out; of two copies the first is imported."""
    found: dict[str, metadata.Distribution] = {}
    for dist in metadata.distributions():
        name = dist.metadata["Name"]
        if name and normal(name) != _APPLICATION:
            found.setdefault(normal(name), dist)
    return found


def _locked() -> Mapping[str, frozenset[str]]:
    """Returns the versions that the lock names for each package, by platform and Python; none without a lock."""
    lock = ROOT / "requirements.lock"
    versions: dict[str, set[str]] = {}
    for name, version in _LOCKED.findall(lock.read_text("utf-8") if lock.is_file() else ""):
        versions.setdefault(normal(name), set()).add(version)
    return {name: frozenset(found) for name, found in versions.items()}


def _requirements(dist: metadata.Distribution) -> Iterator[str]:
    """Yields the names of the packages that one needs, those of extras left out."""
    for line in dist.requires or ():
        match = _REQUIRED.match(line)
        if match and "extra ==" not in line.replace('"', "").replace("'", ""):
            yield normal(match[1])


def _needed(installed: Mapping[str, metadata.Distribution], played: str | None) -> frozenset[str]:
    """Returns the packages that the application needs, directly or not, with the one that brings the family played."""
    reached: set[str] = set()
    open_names = [*_requirements(metadata.distribution(_APPLICATION)), *([played] if played else [])]
    while open_names:
        name = open_names.pop()
        if name in installed and name not in reached:
            reached.add(name)
            open_names += _requirements(installed[name])
    return frozenset(reached)


def _refs(dist: metadata.Distribution, chosen: Mapping[str, metadata.Distribution]) -> list[str]:
    """Returns the references of what a package needs."""
    return sorted({_ref(name, chosen[name]) for name in _requirements(dist) if name in chosen})


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


def _application(family: FamilyCode) -> JsonObject:
    """Returns the application itself, with the family that it brings where that is the one played."""
    played = _family(family) if family.package == _APPLICATION else []
    return {
        "type": "application",
        "bom-ref": _APPLICATION,
        "name": _APPLICATION,
        "version": __version__,
        "properties": [
            *played,
            {"name": "certify:lock:sha256", "value": lock_digest()},
            {"name": "certify:source:sha256", "value": source_digest()},
        ],
    }


def _family(family: FamilyCode) -> list[dict[str, str]]:
    """Returns what the package that brings the family says of it."""
    return [
        {"name": "certify:family", "value": family.family},
        {"name": "certify:family:sha256", "value": family.sha256},
    ]


def _python() -> JsonObject:
    """Returns the interpreter."""
    name, version = platform.python_implementation(), platform.python_version()
    return {"type": "platform", "bom-ref": f"{name}@{version}", "name": name, "version": version}


def _platform() -> list[dict[str, str]]:
    """Returns the platform."""
    libc, version = platform.libc_ver()
    return [
        {"name": "certify:platform:machine", "value": platform.machine()},
        {"name": "certify:platform:system", "value": f"{platform.system()} {libc} {version}".strip()},
    ]


PACKAGES: Final = (
    "cattrs",
    "click",
    "cryptography",
    "jinja2",
    "llvmlite",
    "numba",
    "numpy",
    "pikepdf",
    "pyhanko",
    "rfc8785",
    "scipy",
    "weasyprint",
)


def lock_digest() -> str:
    """Returns the SHA-256 of the lock of dependencies, or of nothing where it is not beside the packages."""
    lock = ROOT / "requirements.lock"
    return hashlib.sha256(lock.read_bytes() if lock.is_file() else b"").hexdigest()


def tool_evidence() -> Tool:
    """Returns what computes, as a noun of the evidence."""
    return Tool(
        name="certify",
        version=__version__,
        source_sha256=source_digest(),
        lock_sha256=lock_digest(),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}",
        packages={name: metadata.version(name) for name in PACKAGES},
    )


def family_evidence(game: Game) -> FamilyCode:
    """Returns the code that plays a game, as a noun of the evidence.

    Args:
        game: The submission.
    """
    known, offer = family_of(game), offer_of(game.family)
    # A family may bring a second text of its rules, which settles what the first one played.
    second = getattr(known, "second", None)
    return FamilyCode(
        family=known.id,
        package=known.package,
        version=__version__ if offer is None else offer.version,
        sha256=source_digest() if offer is None else offer.sha256,
        reference=_text(type(known.reference(game) if known.text is None else known.text(game))),
        second=None if second is None else _text(second),
    )


def _text(written: Any) -> SourceText:
    """Returns the module in which a class or function is written."""
    name = written.__module__
    file = getattr(sys.modules[name], "__file__", None)
    content = Path(file).read_bytes() if file else b""
    return SourceText(name, hashlib.sha256(content).hexdigest())


def rules_evidence(game: Game) -> tuple[evidence.Rule, ...]:
    """Returns the rules as submitted."""
    return tuple(
        evidence.Rule(
            id=rule.id,
            title=rule.title,
            value=rule.value,
            provenance=rule.origin.provenance,
            by=rule.origin.by,
            unique=rule.origin.unique,
        )
        for rule in game.rule_values
    )


def claims_evidence(
    game: Game,
    analyses: Mapping[str, Analysis],
    strategy_of: Mapping[str, str],
    identifications: Mapping[str, Recovery],
) -> tuple[evidence.StatedClaim, ...]:
    """Returns every printed return beside the exact one.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        strategy_of: For each wager, the strategy under which its printed return is read.
        identifications: Recovery of the lost pays by wager.
    """
    return tuple(
        _claim(
            game,
            claim,
            claim.strategy or strategy_of[claim.wager],
            analyses[claim.strategy or strategy_of[claim.wager]],
            unique=claim.wager in identifications and identifications[claim.wager].fits_count == 1,
        )
        for claim in game.claims
    )


def all_witnesses(game: Game) -> tuple[Witness, ...]:
    """Returns a round for every paytable row."""
    rules = family_of(game).rules
    reached = {wager.id: set(rules.reachable_rows(game, wager.id)) for wager in game.wagers}
    # A printed row that no round reaches has none: `awards.reachable` finds it missing.
    wanted = [
        (wager.id, row.id)
        for wager in game.wagers
        for row in wager.paytable.rows
        if row.id in reached[wager.id]
    ]
    return tuple(witnesses_of(game, wanted).values())


def layout_evidence(game: Game) -> TableLayout:
    """Returns what is drawn from, and where the family tells it, which draws win each wager, and how reels look."""
    covered = family_of(game).pages.coverage
    coverage = covered(game) if covered is not None else ()
    drawn = {one.piece: one.drawn for one in coverage}
    spun = family_of(game).pages.reels
    pieces = tuple(laid_out(piece, drawn.get(piece.id, 0)) for piece in game.equipment)
    return TableLayout(pieces, coverage, spun(game) if spun is not None else None)


def wagers_evidence(game: Game) -> tuple[evidence.StatedWager, ...]:
    """Returns wagers and paytables as submitted."""
    return tuple(
        evidence.StatedWager(
            id=wager.id,
            title=wager.title,
            description=wager.description,
            limits=evidence.StatedLimits(
                minimum=wager.limits.minimum,
                maximum=wager.limits.maximum,
                currency=wager.limits.currency,
                provenance=wager.limits.origin.provenance,
                by=wager.limits.origin.by,
            ),
            paytable=tuple(
                evidence.StatedRow(
                    id=row.id,
                    title=row.title,
                    pays=format_odds(row.pays),
                    provenance=row.origin.provenance,
                    by=row.origin.by,
                    unique=row.origin.unique,
                )
                for row in wager.paytable.rows
            ),
        )
        for wager in game.wagers
    )


def _claim(
    game: Game, claim: Claim, strategy: str, analysis: Analysis, *, unique: bool
) -> evidence.StatedClaim:
    wager = game.wager(claim.wager)
    exact = claimed_figure(claim, analysis.wager(claim.wager), wager.limits)
    (low, high), ends = claim.printed.interval, ends_of(exact)
    recovered = wager.pays_are_recovered and claim.metric in BY_PAYS
    able = NOT_FOUND if prints_as(claim, exact) else possible(game, claim)
    name = (
        "pays-recovered-unique" if recovered and unique else "pays-recovered" if recovered else "pays-printed"
    )
    return evidence.StatedClaim(
        wager=claim.wager,
        metric=claim.metric,
        printed=claim.text,
        interval=(low, high),
        source=claim.source,
        strategy=strategy,
        exact=exact,
        distance_to_edges=(ends[0] - low, high - ends[1]),
        holds=prints_as(claim, exact),
        by_construction=recovered,
        status=claim_status(claim, game.wager(claim.wager), exact),
        **worded(independent_evidence=say(f"claim.{name}")),
        row=claim.row or None,
        impossible=None if able is NOT_FOUND else able.excludes(claim),
        lowest=able.lowest,
        highest=able.highest,
    )

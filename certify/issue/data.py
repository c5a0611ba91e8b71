"""The data of a pack against its evidence: every file that follows from evidence, submission or seed, byte for byte."""

import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import Any, Final, ParamSpec, cast

from certify.certification import exact
from certify.certification.generator import establish, faults_again, faults_to_plant
from certify.certification.play_through import SAMPLED_WITHIN, audit_decks, play_again
from certify.certification.randomness import randomness_again, rows_tested
from certify.certification.request import RunRequest
from certify.certification.round_narratives import recalled_rounds
from certify.certification.run import (
    RunOutcome,
    agreement_of_legs,
    exercise_terms,
    narrate_rounds,
    planned_campaigns,
    two_texts,
)
from certify.certification.sbom import bill_bytes, sbom
from certify.certification.submitted import PACKAGES
from certify.certification.tables import POINTS, RECORDED, tables_of
from certify.clauses import ExactResults, Results
from certify.errors import Refusing, T, TrustError, with_kind
from certify.evidence import Evidence, PlanOfTests, Randomness, Tool
from certify.executors import offers
from certify.families import BUILT_IN, permitting
from certify.issue.recorded import compare, some
from certify.mathematics import head_of
from certify.model import keywords
from certify.seal import parse_json
from certify.seal.verification_steps import NotPossibleError
from certify.simulation import StreamDecks
from certify.untrusted_input import Document


@contextmanager
def code_of_pack(evidence: Mapping[str, Any], allowed: Sequence[str]) -> Iterator[None]:
    """Lets the installed family that a pack names be loaded, and no other, while the pack is computed again.

    Args:
        evidence: The evidence, of its form.
        allowed: Other code that the caller allows: family or package, ``@``, and the digest of its sources.

    Raises:
        NotPossibleError: The code that the pack names is not here, or other code is, and nobody allowed it.
    """
    named = evidence["family"]
    if named["package"] == BUILT_IN:
        with permitting(()):
            yield
        return
    described = f"{named['package']} {named['version']} (SHA-256 of its sources {named['sha256']})"
    here = [
        offer for offer in offers() if (offer.family, offer.package) == (named["family"], named["package"])
    ]
    if not here:
        raise NotPossibleError(
            f"the family {named['family']!r} is played by the code of {described}, which is not installed here"
        )
    (offer,) = here[:1]
    told = {f"{name}@{offer.sha256}" for name in (offer.family, offer.package)} & {*allowed}
    if offer.sha256 != named["sha256"] and not told:
        raise NotPossibleError(
            f"other code: the pack was computed by {described}; installed here is {offer.package} {offer.version} "
            f"(SHA-256 {offer.sha256}), which may compute it with --allow-family {offer.family}@{offer.sha256}"
        )
    with permitting([(offer.package, offer.sha256)]):
        yield


Asked = ParamSpec("Asked")

_COMPUTED: Final[ContextVar[dict[Hashable, Any] | None]] = ContextVar("computed again", default=None)


@contextmanager
def one_verification() -> Iterator[None]:
    """Keeps what is computed again as long as the context lasts; nothing of it outlives the context."""
    before = _COMPUTED.set({})
    try:
        yield
    finally:
        _COMPUTED.reset(before)


def once(
    key: Callable[..., Hashable],
) -> Callable[[Callable[Asked, T]], Callable[Asked, T]]:
    """Has a function compute once in one verification for each key of its arguments; beyond one, each time."""

    def decorated(function: Callable[Asked, T]) -> Callable[Asked, T]:
        @wraps(function)
        def called(*asked: Asked.args, **named: Asked.kwargs) -> T:
            computed = _COMPUTED.get()
            if computed is None:
                return function(*asked, **named)
            place = function, key(*asked, **named)
            if place not in computed:
                computed[place] = function(*asked, **named)
            return cast(T, computed[place])

        return called

    return decorated


exact_results = once(
    lambda game, regime, *, thorough=True, executor=None: (game.sha256, game.path, regime, thorough)
)(exact.exact_results)


class _Silent:
    """Receives how far the work is, and reports it to nobody."""

    def step(self, text: str) -> None:
        """Says nothing."""

    def at(self, done: int, total: int, unit: str) -> None:
        """Says nothing."""


_NOTHING_TESTED: Final = Randomness(
    plan=PlanOfTests("", "", 0),
    decks=0,
    bits=0,
    alpha=0.0,
    family_size=0,
    tests=(),
    not_run=(),
    verdict="inconclusive",
    sentence="",
    smallest_adjusted_p=0.0,
    planted=(),
)
"""The tests of a run that made none."""


@once(
    lambda exact, request, software: (
        (exact.game.sha256, exact.game.path, request.regime),
        (request.profile, request.seed, request.started, software),
    )
)
def outcome_without_campaigns(exact: ExactResults, request: RunRequest, software: str) -> RunOutcome:
    """Returns everything of a run but campaigns and statistical tests, from the submission and the seed.

    Legs are compared, decks audited, rounds recorded, the generator examined and the terms exercised as in a
    run of the same profile; of the decks, no more are dealt than rounds are sampled among.

    Args:
        exact: What follows from the submission alone.
        request: What the run was to do.
        software: Digest of the sources that dealt. It is a fact of that day, named as not established; recorded
            rounds are held to the tool that the evidence names.
    """
    profile = request.profile
    rows = rows_tested(exact.game.equipment, profile.decks)
    decks = StreamDecks.of(exact.game, request.seed).deal(0, min(rows, SAMPLED_WITHIN))
    strategy = exact.analyses[head_of(exact.game)].strategy
    audit, recorded = audit_decks(exact.game, strategy, request.seed, decks, profile.replays)
    results = Results(
        **keywords(exact, ExactResults),
        playthroughs=(),
        randomness=_NOTHING_TESTED,
        agreement=agreement_of_legs(request, exact.analyses),
        texts=two_texts(request, exact.analyses),
        deck_audit=replace(audit, decks=rows),
        rng=establish(request.game, request.seed, request.vectors),
        exercise=exercise_terms(request, _Silent()),
        recalled=tuple(
            replace(one, software_sha256=software)
            for one in recalled_rounds(request.game, request.regime, request.seed, request.started)
        ),
        brought=request.brought,
        told=narrate_rounds(request),
    )
    return RunOutcome(results, recorded, decks)


def outcome_again(exact: ExactResults, request: RunRequest, claimed: Evidence) -> RunOutcome:
    """Returns what a run comes to where it counted what evidence says that it counted.

    Args:
        exact: What follows from the submission alone.
        request: What the run was to do.
        claimed: The evidence, of which nothing is taken but what a run counts.

    Raises:
        InputError: It does not count what was planned.
        SampleError: Nothing follows from its p-values.
    """
    outcome = outcome_without_campaigns(exact, request, claimed.tool.source_sha256)
    game, profile = exact.game, request.profile
    played = play_again(
        request,
        planned_campaigns(exact, profile),
        exact.strategy_of,
        claimed.simulation,
    )
    tested = randomness_again(
        claimed.randomness,
        game,
        rows_tested(game.equipment, profile.decks),
        profile.streams,
        profile.stream_bits,
        faults_again(claimed.randomness.planted, faults_to_plant(request.seed, profile)),
    )
    return replace(outcome, results=replace(outcome.results, playthroughs=played, randomness=tested))


BILL: Final = "data/sbom.cdx.json"

ENVIRONMENT: Final = frozenset({BILL})
"""Files that describe the machine that computed, and are another's on another machine."""


def data_differences(
    exact: ExactResults, request: RunRequest, claimed: Evidence, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Yields the data files that are not what follows from evidence, submission and seed.

    Points of convergence are the one table that follows from a repeated run alone. The bill of materials is
    another's on another machine: it is held to the one made here, byte for byte but for versions.

    Args:
        exact: What follows from the submission alone.
        request: What the run was to do.
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
        with Refusing(
            (AttributeError, LookupError, TypeError),
            TrustError,
            f"{BILL}: not a bill of materials as a run writes it",
            words=with_kind,
        ):
            theirs = parse_json(content, BILL)
            versions = {component["name"]: component["version"] for component in theirs["components"]}
            locked = {component["name"]: _locked(component) for component in theirs["components"]}
    except TrustError as error:
        yield str(error)
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

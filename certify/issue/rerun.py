"""Computing again what evidence claims: exact figures and conclusions from the submission, rounds from their seed."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from certify.analysis import MAIN_OPTIMAL
from certify.certification.audit import SAMPLED_WITHIN, record_rounds, sampled_positions
from certify.certification.conclude import state
from certify.certification.evidence import (
    ROUNDS_IN_EVIDENCE,
    SCHEMA,
    finding_evidence,
    item_evidence,
    observation_evidence,
    plan_evidence,
    round_json,
    statement_evidence,
)
from certify.certification.exact import exact_evidence, exact_results
from certify.certification.figures import THOROUGH
from certify.certification.findings import find
from certify.certification.profile import Profile, profile_named
from certify.certification.reference import clause_differences, regime_of_evidence
from certify.clauses.registry import checks
from certify.clauses.results import ExactResults
from certify.errors import CertifyError, InputError
from certify.model.finding import Observation, Verdict
from certify.model.game import Game
from certify.simulation import StreamDecks
from certify.submission import parse_game

FURTHER: Final = frozenset(
    {
        "agreement",
        "clauses",
        "deck_audit",
        "files",
        "findings",
        "item",
        "observations",
        "obligations",
        "played_rounds",
        "randomness",
        "regime",
        "report",
        "rng",
        "rounds",
        "run",
        "schema",
        "simulation",
        "tool",
    }
)
"""Objects of the evidence beside those that follow from the submission alone."""


TOLD: Final = 4
"""Differences told one by one for each part of the evidence; the others are counted."""


def differences(evidence: Mapping[str, Any]) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Everything exact follows from the submission that the evidence embeds; recorded rounds are sampled, dealt
    and played again from the master seed; what was observed of exact figures is observed again; findings,
    statement and the status of each clause follow from the observations and from catalogues that must be those
    of this software. Campaigns, tests of randomness and the exercise of the terms are not repeated here.
    """
    file = evidence["item"]["files"][0]
    try:
        submission = base64.b64decode(file["base64"])
        game = parse_game(submission, file["name"])
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        regime = regime_of_evidence(evidence)
        profile = profile_named(evidence["run"]["profile"]["name"])
        exact = exact_results(game, regime)
    except CertifyError as error:
        return [f"the evidence cannot be computed again: {error}"]
    computed = exact_evidence(exact, sensitivity=profile.name in THOROUGH)
    return [
        *_parts(computed, evidence),
        *_fixed(game, submission, profile, evidence),
        *_rounds(exact, profile, evidence),
        *_conclusions(exact, evidence),
        *clause_differences(game, evidence),
    ]


def _parts(computed: Mapping[str, Any], evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares everything exact, and names what the evidence leaves out or adds."""
    for key in sorted((set(computed) | FURTHER) - set(evidence)):
        yield f"/{key}: the evidence leaves out what this software computes"
    for key in sorted(set(evidence) - set(computed) - FURTHER):
        yield f"/{key}: the evidence holds what this software does not compute for this game and profile"
    for key, value in computed.items():
        if key in evidence:
            yield from _some(compare(value, evidence[key], f"/{key}"), f"/{key}")


def _fixed(game: Game, submission: bytes, profile: Profile, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares what no run may say otherwise: item, plan, error allowed, decision rule, sample sizes."""
    run = {**plan_evidence(checks()), "profile": asdict(profile)}
    yield from compare(SCHEMA, evidence["schema"], "/schema")
    yield from compare(item_evidence(game, submission), evidence["item"], "/item")
    yield from compare(run, {key: evidence["run"].get(key) for key in run}, "/run")
    yield from compare(profile.name, evidence["report"]["profile"], "/report/profile")


def _rounds(exact: ExactResults, profile: Profile, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Samples, deals and plays the recorded rounds again; nothing of the record is used but its seed."""
    seed = bytes.fromhex(evidence["run"]["seed"])
    within = min(profile.decks, SAMPLED_WITHIN)
    positions = sampled_positions(seed, profile.replays, within)[:ROUNDS_IN_EVIDENCE]
    decks = StreamDecks.of(exact.game, seed).deal(0, max(positions) + 1)
    strategy = exact.analyses[MAIN_OPTIMAL].strategy
    computed = [
        round_json(record, played, seed)
        for record, played in record_rounds(exact.game, strategy, decks, positions)
    ]
    yield from _some(compare(computed, evidence["played_rounds"], "/played_rounds"), "/played_rounds")


def _conclusions(exact: ExactResults, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares observations of exact figures, findings, statement and duties with what follows from the rest."""
    claimed = [_observation(entry) for entry in evidence["observations"]]
    registered = checks()
    named = list(dict.fromkeys(one.check for one in claimed))
    if named != list(registered):
        missing = ", ".join(sorted(set(registered) - set(named))) or "none"
        yield f"/observations: not those of the {len(registered)} checks in their order; missing: {missing}"
    for check in registered.values():
        if check.exact:
            seen = [observation_evidence(one) for one in check.observe_exact(exact)]
            told = [entry for entry in evidence["observations"] if entry["check"] == check.id]
            yield from compare(seen, told, f"/observations/{check.id}")
    demonstration = bool(evidence["report"]["demonstration_key"])
    findings = find(exact, claimed, recorded_game_file(evidence), demonstration=demonstration)
    yield from compare([finding_evidence(one) for one in findings], evidence["findings"], "/findings")
    statement = state(claimed, findings, exact.game.title)
    yield from compare(statement_evidence(statement), evidence["report"]["statement"], "/report/statement")


def _observation(entry: Mapping[str, Any]) -> Observation:
    return Observation(
        **{**entry, "verdict": Verdict(entry["verdict"]), "evidence": tuple(entry["evidence"])}
    )


def recorded_game_file(evidence: Mapping[str, Any]) -> str:
    """Returns the file that the recorded command names, by which findings say how they are shown again.

    Raises:
        InputError: The command is not that of a run.
    """
    words = shlex.split(evidence["run"]["command"])
    if words[:2] != ["certify", "run"] or len(words) < 3:
        raise InputError("/run/command: expected such as certify run game.toml")
    return words[2]


def _some(found: Iterator[str], where: str) -> Iterator[str]:
    """Yields the first differences of one part, and how many more there are."""
    listed = list(found)
    yield from listed[:TOLD]
    if len(listed) > TOLD:
        yield f"{where}/: {len(listed) - TOLD} more places differ"


def compare(computed: Any, claimed: Any, where: str) -> Iterator[str]:
    """Yields every place where two JSON values differ; floats may differ in their last digits only.

    >>> list(compare({"a": "1/2"}, {"a": "1/3"}, ""))
    ['/a: computed 1/2, claimed 1/3']
    """
    if isinstance(computed, dict) and isinstance(claimed, dict):
        for key in sorted(set(computed) | set(claimed)):
            yield from compare(computed.get(key), claimed.get(key), f"{where}/{key}")
    elif isinstance(computed, list | tuple) and isinstance(claimed, list):
        if len(computed) != len(claimed):
            yield f"{where}: computed {len(computed)} entries, claimed {len(claimed)}"
        for place, (one, other) in enumerate(zip(computed, claimed, strict=False)):
            yield from compare(one, other, f"{where}/{place}")
    elif _is_number(computed) and _is_number(claimed) and float in (type(computed), type(claimed)):
        # Floats are figures for the eye; another platform may round the last bits otherwise. What is no number
        # at all (NaN) is near nothing.
        if not abs(computed - claimed) <= 1e-9 * max(1.0, abs(computed)):
            yield f"{where}: computed {computed}, claimed {claimed}"
    elif computed != claimed or isinstance(computed, bool) != isinstance(claimed, bool):
        yield f"{where}: computed {_short(computed)}, claimed {_short(claimed)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    """Returns a value in words short enough for a line."""
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"

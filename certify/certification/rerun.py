"""Computing again what evidence claims: exact figures from the submission, rounds from their seeds."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from certify.analysis import analysis_json, analyze, identification_json, identify, open_card_json
from certify.analysis.exposure import exposure
from certify.certification.audit import trace_digest
from certify.certification.counting import counted_returns
from certify.certification.evidence import exposure_evidence
from certify.certification.figures import THOROUGH, further_figures
from certify.certification.programme import MAIN_OPTIMAL, programme_of, strategy_of
from certify.certification.reference import clause_differences
from certify.certification.submitted import (
    all_witnesses,
    claims_evidence,
    submitted_evidence,
    witnesses_evidence,
)
from certify.errors import CertifyError, InputError
from certify.exact import fraction_text
from certify.games.registry import family
from certify.games.round import paytables_of
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.model.rules import OpenCardRules
from certify.simulation import StreamDecks
from certify.submission import parse_game

OPTIONAL: Final = frozenset({"joint", "sensitivity", "open_card"})
"""Objects that only some games and profiles have."""


def differences(evidence: Mapping[str, Any]) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Exact figures, recovery, direct counting and exposure follow from the submission that the evidence
    embeds; recorded rounds are dealt again from the master seed; the status of each clause follows from the
    observations and from catalogues that must be those of this software.
    """
    file = evidence["item"]["files"][0]
    try:
        game = parse_game(base64.b64decode(file["base64"]), file["name"])
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        programme = programme_of(game)
    except InputError as error:
        return [str(error)]
    analyses = {name: analyze(game, name) for name in programme.strategies}
    return [
        *_exact(game, analyses, programme.played, evidence),
        *_rounds(game, evidence),
        *clause_differences(game, evidence),
    ]


def exact_evidence(
    game: Game, analyses: Mapping[str, Analysis], played: Sequence[str], *, sensitivity: bool
) -> dict[str, Any]:
    """Returns every object of the evidence that follows from the submission alone.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        played: Strategies whose returns are counted directly.
        sensitivity: Whether the run counts sensitivity.
    """
    identifications = {claim.wager: identify(game, claim.wager) for claim in game.claims}
    best = strategy_of(game, analyses)
    open_card = isinstance(game.rules, OpenCardRules)
    return {
        **submitted_evidence(game),
        "claims": claims_evidence(game, analyses, best, identifications),
        "recovery": {wager: identification_json(found) for wager, found in identifications.items()},
        "analysis": {name: analysis_json(analysis, game) for name, analysis in analyses.items()},
        "strategy_of": best,
        "counted": {
            name: {
                wager: fraction_text(value)
                for wager, value in counted_returns(game, analyses[name].strategy).items()
            }
            for name in played
        },
        "exposure": exposure_evidence(exposure(game), game),
        **further_figures(game, analyses, best, sensitivity=sensitivity),
        **({"open_card": open_card_json(game, analyses[MAIN_OPTIMAL])} if open_card else {}),
        "witnesses": witnesses_evidence(game, all_witnesses(game)),
    }


def _exact(
    game: Game, analyses: Mapping[str, Analysis], played: Sequence[str], evidence: Mapping[str, Any]
) -> Iterator[str]:
    """Compares everything exact, and names what the evidence leaves out."""
    profile = evidence["run"]["profile"]["name"]
    computed = exact_evidence(game, analyses, played, sensitivity=profile in THOROUGH)
    for key, value in computed.items():
        if key not in evidence:
            yield f"/{key}: the evidence leaves out what this software computes"
        else:
            # Tuples of what was computed are lists in the evidence.
            yield from compare(value, evidence[key], f"/{key}")
    for key in sorted(OPTIONAL & (set(evidence) - set(computed))):
        yield f"/{key}: the evidence holds what this software does not compute for this game and profile"


def _rounds(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Deals and plays the recorded rounds again."""
    seed = bytes.fromhex(evidence["run"]["seed"])
    records = evidence["played_rounds"]
    if not records:
        yield "/played_rounds: no round was recorded"
        return
    last = max(record["deck"] for record in records)
    decks = StreamDecks(seed, records[0]["purpose"]).deal(records[0]["stream"], last + 1)
    for place, record in enumerate(records):
        if not _replays(game, decks[record["deck"]].tolist(), record):
            yield f"/played_rounds/{place}: the round dealt again from its seed is not the one recorded"


def _replays(game: Game, deck: list[int], record: Mapping[str, Any]) -> bool:
    """Tells whether a deck and the recorded decisions give the recorded round."""
    try:
        played = family(game.family).play(deck, game.rules, paytables_of(game), record["decisions"])
    except InputError:
        # The record holds other decisions than this deck asks for.
        return False
    return bool(trace_digest(played) == record["trace_sha256"] and list(played.trace) == record["trace"])


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
    elif isinstance(computed, float) and isinstance(claimed, float | int):
        # Floats are figures for the eye; another platform may round the last bits otherwise.
        if abs(computed - claimed) > 1e-9 * max(1.0, abs(computed)):
            yield f"{where}: computed {computed}, claimed {claimed}"
    elif computed != claimed:
        yield f"{where}: computed {computed}, claimed {claimed}"

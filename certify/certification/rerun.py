"""Computing again what evidence claims: exact figures from the submission, rounds from their seeds."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from certify.analysis import analysis_json, analyze, identification_json, identify, open_card_json
from certify.analysis.exposure import exposure
from certify.certification.audit import trace_digest
from certify.certification.counting import counted_returns
from certify.certification.evidence import exposure_evidence
from certify.certification.figures import further_figures
from certify.certification.programme import MAIN_OPTIMAL
from certify.certification.reference import clause_differences
from certify.errors import CertifyError, InputError
from certify.exact import fraction_text
from certify.games.registry import family
from certify.games.round import paytables_of
from certify.model.game import Game
from certify.model.rules import OpenCardRules
from certify.simulation import StreamDecks
from certify.submission import parse_game


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
    return [
        *_figures(game, evidence),
        *_recovery(game, evidence),
        *_exposure(game, evidence),
        *_further(game, evidence),
        *_open_card(game, evidence),
        *_rounds(game, evidence),
        *clause_differences(game, evidence),
    ]


def _figures(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares the exact figures of every strategy."""
    if not evidence["analysis"]:
        yield "analysis: no strategy was analysed"
    for name, claimed in evidence["analysis"].items():
        analysis = analyze(game, name)
        yield from compare(analysis_json(analysis, game), claimed, f"/analysis/{name}")
        if name in evidence["counted"]:
            counted = {w: fraction_text(v) for w, v in counted_returns(game, analysis.strategy).items()}
            yield from compare(counted, evidence["counted"][name], f"/counted/{name}")


def _recovery(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares the recovery of the lost pays."""
    for wager, claimed in evidence["recovery"].items():
        yield from compare(identification_json(identify(game, wager)), claimed, f"/recovery/{wager}")


def _exposure(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares the highest joint win."""
    yield from compare(exposure_evidence(exposure(game), game), evidence["exposure"], "/exposure")


def _further(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares the figures of all wagers together, PAR sheets, frontiers and sensitivities that are claimed."""
    names = evidence["strategy_of"]
    computed = further_figures(
        game,
        {name: analyze(game, name) for name in evidence["analysis"]},
        names,
        sensitivity="sensitivity" in evidence,
    )
    for key, value in computed.items():
        if key in evidence:
            yield from compare(value, evidence[key], f"/{key}")


def _open_card(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares edge, readings and judged tables of a game with an open dealer's card."""
    computed = None
    if isinstance(game.rules, OpenCardRules):
        computed = open_card_json(game, analyze(game, MAIN_OPTIMAL))
    yield from compare(computed, evidence.get("open_card"), "/open_card")


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

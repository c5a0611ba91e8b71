"""Evidence of the two games with an open dealer's card: exact figures counted, the rest from the sample."""

from __future__ import annotations

import copy
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from report_sample import campaign, sample_evidence

from certify.analysis.par_sheet import par_sheet_evidence
from certify.certification.submitted import all_witnesses, exposure_evidence, witnesses_evidence
from certify.evidence.plain import plain
from certify.exact import format_odds, fraction_text
from certify.families.open_card.document import evidence_sections, open_card_json
from certify.mathematics import (
    analyze,
    exposure,
    pay_sensitivities,
    rule_sensitivities,
    sensitivity_evidence,
    strategy_classes,
)
from certify.mathematics.figures_evidence import analysis_evidence
from certify.model.game import Game
from certify.submission import read_game

GAMES = Path(__file__).parents[1] / "fixtures" / "games"
STRATEGIES = ("main-optimal", "always-second-card")
ABSENT = ("joint", "frontier")


def patent_evidence(name: str) -> dict[str, Any]:
    """Evidence of ``casino`` or ``home``, free to be altered."""
    return copy.deepcopy(_counted(name))


@lru_cache(maxsize=2)
def _counted(name: str) -> dict[str, Any]:
    game = read_game(GAMES / f"us5632489-{name}" / "game.toml")
    analyses = {strategy: analyze(game, strategy) for strategy in STRATEGIES}
    exact = {strategy: plain(analysis_evidence(analysis, game)) for strategy, analysis in analyses.items()}
    sections = plain(evidence_sections(game, analyses["main-optimal"]))
    evidence = sample_evidence()
    for key in ABSENT:
        del evidence[key]
    evidence["item"] |= {"game": game.id, "title": game.title, "family": game.family}
    evidence["item"]["supplier"] = game.supplier
    evidence |= {
        "rules": [
            {"id": rule.id, "title": rule.title, "value": rule.value, **_origin(rule.origin)}
            for rule in game.rule_values
        ],
        "readings": [
            {
                "id": reading.id,
                "question": reading.question,
                "adopted": reading.adopted,
                "because": reading.because,
                "alternatives": list(reading.alternatives),
            }
            for reading in game.readings
        ],
        "wagers": [_wager(game)],
        "claims": [],
        "recovery": {},
        "analysis": exact,
        "strategy_of": {"ante": "main-optimal"},
        **plain(sections),
        "par": {"ante": plain(par_sheet_evidence(analyses["main-optimal"].wager("ante"), "main-optimal"))},
        # Hands of any number of cards take seconds to count anew for every rule: one game is enough.
        "sensitivity": plain(sensitivity_evidence((*pay_sensitivities(game), *rule_sensitivities(game))))
        if name == "casino"
        else [],
        "strategy_classes": [
            {
                "strategy": entry.strategy,
                "strategy_class": entry.strategy_class,
                "main_return": fraction_text(entry.main),
                "cost": fraction_text(entry.cost),
            }
            for entry in strategy_classes(game)
        ],
        "witnesses": plain(witnesses_evidence(game, all_witnesses(game))),
        "exposure": plain(exposure_evidence(exposure(game), game)),
        "findings": [
            *sample_evidence()["findings"][1:],
            *(
                {"id": f"F-{place:02d}", "clauses": ["4.7.1"], "reproduce": "", "status": "open", **found}
                for place, found in enumerate(
                    open_card_json(game, analyses["main-optimal"])["findings"], start=3
                )
            ),
        ],
    }
    evidence["simulation"]["campaigns"] = [campaign(strategy, exact[strategy]) for strategy in STRATEGIES]
    # Through JSON once, as a reader of the file gets it.
    return dict(json.loads(json.dumps(evidence)))


def _origin(origin: Any) -> dict[str, Any]:
    return {"provenance": str(origin.provenance), "by": origin.by, "unique": origin.unique}


def _wager(game: Game) -> dict[str, Any]:
    wager = game.wager("ante")
    limits = wager.limits
    return {
        "id": wager.id,
        "title": wager.title,
        "description": wager.description,
        "limits": {
            "minimum": limits.minimum,
            "maximum": limits.maximum,
            "currency": limits.currency,
            **_origin(limits.origin),
        },
        "paytable": [
            {"id": row.id, "title": row.title, "pays": format_odds(row.pays), **_origin(row.origin)}
            for row in wager.paytable.rows
        ],
    }

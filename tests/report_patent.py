"""Evidence of the two games with an open dealer's card: exact figures counted, the rest from the sample.

`python tests/report_patent.py` writes down what the report prints of them.
"""

import copy
import html
import json
import re
from functools import lru_cache
from pathlib import Path

import pytest
from evidence_filled import filled, viewed
from report_sample import sample_evidence

from certify.analysis.par_sheet import par_sheet_evidence
from certify.certification.submitted import all_witnesses, rules_evidence, wagers_evidence
from certify.evidence import plain
from certify.families.open_card import readings
from certify.families.open_card.family import evidence_sections, open_card_json
from certify.mathematics import analyze, exposure, pay_sensitivities, rule_sensitivities, strategy_classes
from certify.mathematics.figures_evidence import analysis_evidence
from certify.messages import speaking
from certify.report.markup import render_markup
from certify.submission import read_game

GAMES = Path(__file__).parents[1] / "fixtures" / "games"
KEPT = Path(__file__).parent / "known_answers"
HOME = "home-player-maximum-cards"
"""The game at home, of whose rules one passage alone is read otherwise."""

STRATEGIES = ("main-optimal", "always-second-card")


def patent_evidence(name):
    """Evidence of ``casino`` or ``home``, or of a game and the one passage that is read otherwise; free to be altered.

    Forty-eight games are counted for the readings of ``home``: what is printed elsewhere does not need them.
    """
    return copy.deepcopy(_counted(name))


@lru_cache(maxsize=3)
def _counted(name):
    name, _, passage = name.partition("-")
    passages = readings.ambiguous_rules
    with pytest.MonkeyPatch.context() as patch:
        if passage:
            patch.setattr(
                readings,
                "ambiguous_rules",
                lambda game: [one for one in passages(game) if one[0].subject == passage],
            )
        return _evidence(name)


def _evidence(name):
    game = read_game(GAMES / f"us5632489-{name}" / "game.toml")
    analyses = {strategy: analyze(game, strategy) for strategy in STRATEGIES}
    exact = {strategy: plain(analysis_evidence(analysis, game)) for strategy, analysis in analyses.items()}
    sections = plain(evidence_sections(game, analyses["main-optimal"]))
    evidence = sample_evidence()
    del evidence["frontier"]
    evidence["joint"] = {}
    evidence["item"] |= {"game": game.id, "title": game.title, "family": game.family}
    evidence["item"]["supplier"] = game.supplier
    evidence |= {
        "rules": plain(rules_evidence(game)),
        "readings": plain(game.readings),
        "wagers": plain(wagers_evidence(game)),
        "claims": [],
        "recovery": {},
        "analysis": exact,
        "strategy_of": {"ante": "main-optimal"},
        **plain(sections),
        "par": {"ante": plain(par_sheet_evidence(analyses["main-optimal"].wager("ante"), "main-optimal"))},
        # Hands of any number of cards take seconds to count anew for every rule: one game is enough.
        "sensitivity": plain((*pay_sensitivities(game), *rule_sensitivities(game)))
        if name == "casino"
        else [],
        "strategy_classes": plain(strategy_classes(game)),
        "witnesses": plain(all_witnesses(game)),
        "exposure": plain(exposure(game)),
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
    evidence["simulation"]["campaigns"] = []
    # Through JSON once, as a reader of the file gets it.
    return dict(json.loads(json.dumps(filled(evidence))))


def words(markup):
    """The text of a page without its tags, its style and its script, spaces in ones."""
    return " ".join(lines(markup))


def lines(markup):
    """The text of a page, a line for each paragraph, heading, item and row."""
    body = re.sub(r"<(style|script|svg)\b.*?</\1>", "", markup, flags=re.DOTALL)
    parts = re.split(r"</(?:p|h[1-6]|li|tr|caption|figcaption|dt|dd|div|section)>", body)
    cells = (re.sub(r"</t[dh]>", " | ", part) for part in parts)
    texts = (re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", part))).strip(" |") for part in cells)
    return [text for text in texts if text]


def page(name):
    """What the report prints of one of the games."""
    evidence = patent_evidence(name)
    with speaking("en", evidence["item"]["family"]):
        return "\n".join(lines(render_markup(viewed(evidence), "screen"))) + "\n"


if __name__ == "__main__":
    for kept in ("casino", HOME):
        (KEPT / f"report-{kept}.txt").write_text(page(kept), "utf-8")

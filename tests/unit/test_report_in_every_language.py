"""The report of a game of each family in every language: what stays in English are the submission's words and ids.

The evidence under ``fixtures/reports`` is that of quick packs, without the long lists of the tests of randomness. After
a change of the schema or of a sentence of the evidence it is made anew: ``certify run fixtures/games/NAME/game.toml
--profile quick --out PACK``, then ``python tests/report_evidence.py PACK``.
"""

import re
from itertools import product

import pytest
from report_evidence import REPORTS, stored
from representatives import only

from certify.evidence.read import evidence_of
from certify.families import registry
from certify.issue.recorded import submission_of
from certify.messages import LANGUAGES, catalogue, speaking
from certify.report.view import build_view, read_evidence

WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
IDS = re.compile(r"[\w.:+½-]+(?: against [\w.:+½-]+)?(?:, [\w.:+½-]+(?: against [\w.:+½-]+)?)*")
BET = re.compile(r"(-final)?-[0-9]+$")
TRANSLATED = [language for language in LANGUAGES if language != "en"]
GAMES = sorted(REPORTS.glob("*.json.xz"))
QUICK = ("sept-et-demi", "jacks-or-better-9-6", "us5632489-casino")
"""A game of a bank that is a player, one of poker, and one whose source prints tables."""


def own_words(submission):
    return " ".join(submission.decode().replace("\\n", " ").replace('\\"', '"').split())


@pytest.mark.parametrize(
    ("path", "language"),
    # In a quick run each language for one game.
    only(
        product(GAMES, TRANSLATED),
        *((REPORTS / f"{name}.json.xz", language) for name, language in zip(QUICK, TRANSLATED, strict=True)),
    ),
    ids=lambda one: one if isinstance(one, str) else one.name.partition(".")[0],
)
def test_what_stays_in_english_is_quoted_from_the_submission(path, language):
    evidence = stored(path)
    submission = own_words(submission_of(evidence_of(evidence)))
    missed = set()
    registry.families()
    with speaking(language, evidence["item"]["family"], missed):
        build_view(*read_evidence(evidence))
    english = [
        text
        for text in missed
        if WORDS.search(text)
        and not IDS.fullmatch(text.strip(" ()"))
        and " ".join(text.strip("“”").rstrip(".").split()) not in submission
    ]
    assert english == []


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name.partition(".")[0])
def test_every_outcome_and_option_that_a_family_brings_has_a_name_in_every_language(path):
    evidence = stored(path)
    root = evidence_of(evidence)
    submission, analyses = own_words(submission_of(root)), root.analysis.values()
    printed = {
        "outcome": {
            outcome.outcome
            for analysis in analyses
            for wager in analysis.wagers.values()
            for outcome in wager.outcomes
        },
        "option": {
            *(option for one in analyses for met in one.decisions for option in met.values),
            *(option for witness in root.witnesses for option in witness.decisions),
        },
    }
    registry.families()
    for language in LANGUAGES:
        for kind, ids in printed.items():
            prefix = f"{evidence['item']['family']}.{kind}."
            named = {name.removeprefix(prefix) for name in catalogue(language).beginning(prefix)}
            # What the submission names is called as the submission calls it; a final bet is said beside the name.
            unnamed = {name for name in ids - named if BET.sub("", name) not in named}
            assert {name for name in unnamed if f'"{name}"' not in submission} == set(), language

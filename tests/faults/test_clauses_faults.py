"""Checks of one clause must not be satisfied, or refuted, by what another clause is about."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from certify.clauses.catalogue import load_catalogue
from certify.clauses.registry import checks
from certify.clauses.results import Results
from certify.clauses.status import clause_statuses
from certify.model.finding import Observation, Verdict
from certify.submission import read_game

GAME = Path(__file__).parents[2] / "fixtures" / "games" / "playtech-7-e-mezzo" / "game.toml"
TERMS = {
    "A.5.2(c)": ("terms.malfunction-printed", "malfunction_voids_all"),
    "A.5.2(d)": ("terms.disconnection-printed", "resume_after_disconnection"),
    "A.5.2(e)": ("terms.undecided-printed", "unresolved_void_after_days"),
}


def verdicts(check, **results):
    return {one.verdict for one in checks()[check].observe(cast(Results, SimpleNamespace(**results)))}


@pytest.mark.parametrize("silent", TERMS)
def test_a_sentence_that_is_missing_fails_its_own_clause_alone(silent):
    game = read_game(GAME)
    kept = {name: said for name, said in game.terms.printed.items() if name != TERMS[silent][1]}
    quiet = replace(game, terms=replace(game.terms, printed=kept))
    observations = [Observation(check, "", Verdict.SATISFIED, "", "") for check in checks()]
    observations += [one for check, _ in TERMS.values() for one in checks()[check].observe(_of(quiet))]
    found = {s.number: s.status for s in clause_statuses([load_catalogue("gli-19")], observations)}
    for number in TERMS:
        assert found[number] == ("not satisfied" if number == silent else "satisfied")


def _of(game):
    return cast(Results, SimpleNamespace(game=game))


def facts(*algorithms, passed=10):
    stated = SimpleNamespace(
        known_answer_tests=10,
        known_answers_passed=passed,
        known_answers=(),
        known_answers_by_algorithm=tuple(
            SimpleNamespace(algorithm=name, tests=5, passed=5) for name in algorithms
        ),
        algorithm="CTR_DRBG",
    )
    return SimpleNamespace(stated=stated)


def test_vectors_of_other_mechanisms_say_nothing_about_those_in_use():
    in_use = ("CTR_DRBG AES-256 no df", "CTR_DRBG AES-256 df")
    assert verdicts("rng.known-answers", rng=facts(*in_use)) == {Verdict.REFERENCE}
    for only in (in_use[0], in_use[1], "HMAC_DRBG SHA-256"):
        assert verdicts("rng.known-answers", rng=facts(only)) == {Verdict.INCONCLUSIVE}
    assert verdicts("rng.known-answers", rng=facts(*in_use, passed=9)) == {Verdict.NOT_SATISFIED}
    assert verdicts("rng.known-answers", rng=facts("HMAC_DRBG SHA-256", passed=9)) == {Verdict.NOT_SATISFIED}

"""Meaning, not text: what is a change and what is none, and what each change is called."""

import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from gate_support import GAME, edited, published

from certify.certification.cross_checks import texts_of
from certify.errors import SubmissionError
from certify.gate.change import Bump, kinds
from certify.gate.compare import _texts
from certify.gate.facts import read_submission
from certify.gate.policy import DEFAULT, CertifiedReturn, GatePolicy, find_policy, load_policy, parse_policy
from certify.mathematics import analyze
from certify.model import Severity
from certify.submission import read_game


def meaning(text):
    return read_submission(text.encode(), "game.toml", "game.toml").digest


def test_a_list_is_not_taken_for_another_with_a_comma():
    one, two = 'alternatives = ["dealer first, or last"]', 'alternatives = ["dealer first", "or last"]'
    first = edited(('alternatives = ["dealer first"]', one))
    second = edited(('alternatives = ["dealer first"]', two))
    assert meaning(first) != meaning(second)


def test_every_leaf_of_the_schema_is_a_fact():
    """No key can change unseen: the facts are as many as the leaves of the file, defaults included."""
    document = tomllib.loads(published())
    facts = read_submission(GAME.read_bytes(), "game.toml", "game.toml").facts

    def leaves(value):
        if isinstance(value, dict):
            return sum(leaves(item) for item in value.values())
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return sum(leaves(item) for item in value)
        return 1

    stated = leaves(document)
    tables = len(document["rules"]) + sum(1 + len(w["paytable"]) for w in document["wagers"])
    assert stated <= len(facts) <= stated + 3 * tables + 2 * len(document["readings"])


def test_every_kind_is_explained_and_asked_by_something():
    for kind in kinds().values():
        assert kind.title[0].isupper()
        assert not kind.title.endswith(".")
        assert kind.why.endswith(".")
        assert kind.remedy.endswith(".")
        assert kind.clause


PATH = Path("fixtures/games/big-six/game.toml")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        (
            {"second": None},
            [("second-text-missing", "has no second implementation: nothing checks what it settles")],
        ),
        ({"shared": ("one.rank", "two.rank")}, [("second-text-missing", "both rest on one.rank, two.rank")]),
        (
            {"differing": 3, "differences": ("on 7",), "shared": ("one.rank",)},
            [
                ("second-text-missing", "both rest on one.rank"),
                ("texts-disagree", "rounds differently: on 7"),
            ],
        ),
    ],
)
def test_a_second_text_that_goes_leans_or_disagrees_is_named(changed, said, monkeypatch):
    game = read_game(PATH)
    whole = texts_of(game, bytes(32), analyze(game).strategy, 20)
    assert whole is not None
    monkeypatch.setattr("certify.certification.cross_checks.texts_of", lambda *_: replace(whole, **changed))
    basis = SimpleNamespace(
        game=game, strategies=["main-optimal"], code=SimpleNamespace(sha256="a", identity="b")
    )
    after = SimpleNamespace(basis=basis, game=game, digest="00" * 32)
    found = [(one.kind, one.message) for one in _texts(None, cast(Any, after))]
    assert [kind for kind, _ in found] == [kind for kind, _ in said]
    assert all(words in message for (_, message), (_, words) in zip(found, said, strict=True))


FULL = """
[gate]
fail_on = "minor"
paths = ["games/*"]
exclude = ["games/old/*"]
approvals = "agreed.toml"
require_signed_approvals = true
trust = ["root.pem"]
never_approve = ["claim-stale"]
max_return_decrease = "0.05 pp"
max_return_increase = "1 percentage points"
max_exposure = { EUR = "50000.00" }

max_approval_days = 30

[gate.floors]
"MT" = "92 %"

[gate.certified.some-game]
main = "98.71 %"
"main/total-wagered" = "61/62"

[gate.severity]
limit-changed = "major"

[gate.bump]
return-changed = "minor"

[gate.wagers.main]
max_return_decrease = "0 pp"
"""


def test_every_key():
    assert parse_policy(FULL.encode(), "certify.toml") == GatePolicy(
        fail_on=Severity.MINOR,
        paths=("games/*",),
        exclude=("games/old/*",),
        approvals="agreed.toml",
        require_signed_approvals=True,
        trust=("root.pem",),
        never_approve=("claim-stale",),
        max_return_decrease=Fraction(5, 10_000),
        max_return_increase=Fraction(1, 100),
        max_exposure={"EUR": 5_000_000},
        floors={"GLI-19": Fraction(3, 4), "MT": Fraction(92, 100)},
        severity={"limit-changed": Severity.MAJOR},
        bump={"return-changed": Bump.MINOR},
        wagers={"main": (Fraction(0), None)},
        max_approval_days=30,
        certified={
            "some-game": {
                "main": CertifiedReturn("98.71 %", Fraction(98705, 100_000), Fraction(98715, 100_000)),
                "main/total-wagered": CertifiedReturn("61/62", Fraction(61, 62), Fraction(61, 62)),
            }
        },
    )


def test_the_same_in_pyproject():
    assert parse_policy(
        FULL.replace("[gate", "[tool.certify.gate").encode(), "pyproject.toml"
    ) == parse_policy(FULL.encode(), "certify.toml")
    assert parse_policy(b"[tool.other]\nx = 1\n", "pyproject.toml") == DEFAULT
    for text, place in ((b"tool = 1\n", "1:1: tool"), (b"[tool]\ncertify = 1\n", "2:1: tool.certify")):
        with pytest.raises(SubmissionError, match=f"^pyproject.toml:{place}: expected a table, got 1$"):
            parse_policy(text, "pyproject.toml")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[gates]\n", 1, 'unknown key "gates"'),
        ("[gate]\n\nfail_off = 1\n", 3, 'unknown key "fail_off"'),
        ('[gate]\nfail_on = "all"\n', 2, "expected one of note, minor, major, critical"),
        ('[gate]\nmax_return_decrease = "5 %"\n', 2, "percentage points"),
        ("[gate]\nmax_return_decrease = 0.05\n", 2, "percentage points"),
        ('[gate]\nmax_return_decrease = "-1 pp"\n', 2, "percentage points"),
        ('[gate]\nrequire_signed_approvals = "yes"\n', 2, "true or false"),
        ('[gate]\npaths = "games"\n', 2, "expected a list"),
        ('[gate]\nnever_approve = ["everything"]\n', 2, 'no kind of change "everything"'),
        ('[gate.severity]\nreturn = "minor"\n', 1, 'no kind of change "return"'),
        ('[gate.severity]\npolicy-changed = "note"\n', 1, "cannot be set by a policy"),
        ('[gate.severity]\napproval-untrusted = "note"\n', 1, "cannot be set by a policy"),
        ('[gate.bump]\nreturn-changed = "huge"\n', 2, "expected one of none, patch, minor, major"),
        ('[gate.wagers.main]\nmax_return = "1 pp"\n', 2, 'unknown key "max_return"'),
        ('[gate.floors]\nMT = "92"\n', 1, "percentage"),
        ("[gate]\nmax_exposure = { EUR = 5 }\n", 2, 'write "5"'),
        ("[gate]\nmax_approval_days = 0\n", 2, "number of days"),
        ("[gate]\nmax_approval_days = true\n", 2, "expected a whole number"),
        ('[gate.certified.g]\nmain = "1/0"\n', 1, "not a fraction"),
        ('[gate.certified.g]\nmain = "much"\n', 1, "not a fraction"),
        ("[gate.certified.g]\nmain = 1\n", 2, "expected text"),
        ("gate = 1\n", 1, "expected a table"),
        ("[gate\n", 1, "not valid TOML"),
    ],
)
def test_what_a_policy_may_not_say(text, line, said):
    with pytest.raises(SubmissionError) as caught:
        parse_policy(text.encode(), "certify.toml")
    (problem,) = caught.value.problems
    assert said in problem.message
    assert problem.line == line


def test_all_mistakes_at_once():
    with pytest.raises(SubmissionError) as caught:
        parse_policy(b"[gate]\nfail_on = 1\npaths = 2\nx = 3\n", "certify.toml")
    assert len(caught.value.problems) == 3


def test_the_nearest_file_wins(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "certify.toml").write_text('[gate]\nfail_on = "note"\n')
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_policy(inner) == tmp_path / "certify.toml"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.certify.gate]\nfail_on = "critical"\n')
    found = find_policy(inner)
    assert found == tmp_path / "a" / "pyproject.toml"
    assert load_policy(found).fail_on is Severity.CRITICAL
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.certify.gate\n")
    found = find_policy(inner)
    assert found is not None
    with pytest.raises(SubmissionError):
        load_policy(found)


def test_the_distance_from_a_certified_return_is_that_from_what_it_stands_for():
    printed = CertifiedReturn("98.71 %", Fraction(98705, 100_000), Fraction(98715, 100_000))
    assert [printed.distance(Fraction(n, 100_000)) for n in (98700, 98705, 98712, 98715, 98800)] == [
        Fraction(-5, 100_000),
        0,
        0,
        0,
        Fraction(85, 100_000),
    ]

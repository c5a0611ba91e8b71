"""Policies: what they say, what they may not say, and where they are found."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from gate_support import KING, LOWERED, change, compared, edited, ids, published

from certify.errors import InputError, SubmissionError
from certify.gate.cache import Cache
from certify.gate.change import Bump
from certify.gate.facts import Submission
from certify.gate.figures import GameFigures, count_figures
from certify.gate.policy import DEFAULT, CertifiedReturn, GatePolicy, find_policy, load_policy, parse_policy
from certify.model.finding import Severity

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


def test_every_key() -> None:
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


def test_the_same_in_pyproject() -> None:
    text = FULL.replace("[gate", "[tool.certify.gate")
    assert parse_policy(text.encode(), "pyproject.toml") == parse_policy(FULL.encode(), "certify.toml")
    assert parse_policy(b"[tool.other]\nx = 1\n", "pyproject.toml") == DEFAULT


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
        ('[gate]\npaths = "games"\n', 2, "list of texts"),
        ('[gate]\nnever_approve = ["everything"]\n', 2, 'no kind of change "everything"'),
        ('[gate.severity]\nreturn = "minor"\n', 1, 'no kind of change "return"'),
        ('[gate.severity]\npolicy-changed = "note"\n', 1, "cannot be set by a policy"),
        ('[gate.severity]\napproval-untrusted = "note"\n', 1, "cannot be set by a policy"),
        ('[gate.bump]\nreturn-changed = "huge"\n', 1, "expected one of none, patch, minor, major"),
        ('[gate.wagers.main]\nmax_return = "1 pp"\n', 1, 'unknown key "max_return"'),
        ('[gate.floors]\nMT = "92"\n', 1, "percentage"),
        ("[gate]\nmax_exposure = { EUR = 5 }\n", 2, "amount"),
        ("[gate]\nmax_approval_days = 0\n", 2, "number of days"),
        ("[gate]\nmax_approval_days = true\n", 2, "number of days"),
        ('[gate.certified.g]\nmain = "1/0"\n', 1, "not a fraction"),
        ('[gate.certified.g]\nmain = "much"\n', 1, "not a fraction"),
        ("[gate.certified.g]\nmain = 1\n", 1, "expected text"),
        ("gate = 1\n", 1, "expected a table"),
        ("[gate\n", 1, "not valid TOML"),
    ],
)
def test_what_a_policy_may_not_say(text: str, line: int, said: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        parse_policy(text.encode(), "certify.toml")
    (problem,) = caught.value.problems
    assert said in problem.message
    assert problem.line == line


def test_all_mistakes_at_once() -> None:
    with pytest.raises(SubmissionError) as caught:
        parse_policy(b"[gate]\nfail_on = 1\npaths = 2\nx = 3\n", "certify.toml")
    assert len(caught.value.problems) == 3


def test_the_nearest_file_wins(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("1.0.0", "version-not-bumped"),
        pytest.param("1.0.1", "version-not-bumped", marks=pytest.mark.slow),
        ("1.1.0", "version-not-bumped"),
        ("2.0.0", None),
        pytest.param("10.0.0", None, marks=pytest.mark.slow),
        ("0.9.9", "version-went-back"),
    ],
)
def test_a_changed_return_asks_for_a_major_version(version: str, found: str | None) -> None:
    text = edited((KING, LOWERED), ('version = "1.0.0"', f'version = "{version}"'))
    kinds = {kind for kind in ids(compared(published(), text).changes) if kind.startswith("version")}
    assert kinds == ({found} if found else set())


@pytest.mark.parametrize(
    ("old", "new", "least"),
    [
        ('title = "Pair of 7s"', 'title = "Sevens"', "1.0.1 (patch: wording-changed)"),
        ('maximum = "500.00"', 'maximum = "400.00"', "1.1.0 (minor: limit-changed)"),
        ("_days = 90", "_days = 60", "2.0.0 (major: term-changed)"),
    ],
)
def test_each_class_of_change_asks_for_its_own(old: str, new: str, least: str) -> None:
    found = change(compared(published(), edited((old, new))), "version-not-bumped")
    assert found.message == f"version is 1.0.0, expected at least {least}"
    policy = GatePolicy(bump=dict.fromkeys(("wording-changed", "limit-changed", "term-changed"), Bump.NONE))
    assert "version-not-bumped" not in ids(compared(published(), edited((old, new)), policy).changes)


def test_a_version_raised_alone_is_said_and_passes() -> None:
    found = compared(published(), edited(('version = "1.0.0"', 'version = "1.0.1"')))
    assert ids(found.changes) == ["version-raised-alone"]


def test_severities_are_those_of_the_policy() -> None:
    policy = GatePolicy(severity={"limit-changed": Severity.CRITICAL})
    found = compared(published(), edited(('maximum = "500.00"', 'maximum = "400.00"')), policy)
    assert change(found, "limit-changed").severity is Severity.CRITICAL


def test_a_limit_of_the_exposure() -> None:
    text = edited(('maximum = "500.00"', 'maximum = "600.00"'))
    policy = GatePolicy(max_exposure={"EUR": 4_110_000})
    assert change(compared(published(), text, policy), "exposure-above-limit").severity is Severity.CRITICAL
    assert "exposure-above-limit" not in ids(
        compared(published(), text, GatePolicy(max_exposure={"EUR": 4_120_000})).changes
    )
    # What was above before is not held against this change.
    assert "exposure-above-limit" not in ids(
        compared(text, published(), GatePolicy(max_exposure={"EUR": 1})).changes
    )


@pytest.mark.parametrize(
    ("broken", "said"), [("2.0.0", "no figures"), ("1.0.0", "before the change: no figures")]
)
def test_figures_that_cannot_be_counted_do_not_pass(
    monkeypatch: pytest.MonkeyPatch, broken: str, said: str
) -> None:
    def figures(self: Cache, submission: Submission) -> GameFigures:
        if submission.game.version == broken:
            raise InputError("no figures")
        return count_figures(submission.basis)

    monkeypatch.setattr(Cache, "figures", figures)
    found = compared(published(), edited(('version = "1.0.0"', 'version = "2.0.0"')))
    missing = change(found, "figures-missing")
    assert (missing.message, missing.severity) == (said, Severity.CRITICAL)


def test_the_distance_from_a_certified_return_is_that_from_what_it_stands_for() -> None:
    printed = CertifiedReturn("98.71 %", Fraction(98705, 100_000), Fraction(98715, 100_000))
    assert [printed.distance(Fraction(n, 100_000)) for n in (98700, 98705, 98712, 98715, 98800)] == [
        Fraction(-5, 100_000),
        0,
        0,
        0,
        Fraction(85, 100_000),
    ]

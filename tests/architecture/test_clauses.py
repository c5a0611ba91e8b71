"""Clauses and checks belong together: each names the other, and nothing unread is ever called satisfied."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from cli_support import refuses
from evidence_filled import smallest
from report_sample import sample_evidence

import certify
from certify.certification.evidence import obligations_evidence, regime_evidence, regime_of_evidence
from certify.certification.exact import exact_results
from certify.clauses import (
    CATALOGUES,
    ExactResults,
    Results,
    catalogue_bytes,
    clause_statuses,
    jurisdictions,
    load_catalogue,
    parse_own,
    planned,
    read_catalogue,
    regime_of,
)
from certify.clauses.registry import checks
from certify.clauses.table import clause_document
from certify.errors import InputError, RenderError, SubmissionError
from certify.evidence import Brought, Evidence
from certify.mathematics import analyze
from certify.model import (
    Applicability,
    Catalogue,
    Certainty,
    Matter,
    Method,
    Observation,
    Paytable,
    Status,
    Verdict,
)
from certify.rounds import OBLIGATIONS, edition_of, situations_of
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures" / "games"
SEVENTH = Fraction(6, 7)
ALL = [load_catalogue(name) for name in CATALOGUES]
CLAUSES = [clause for catalogue in ALL for clause in catalogue.clauses]


def observed(verdict: Verdict) -> list[Observation]:
    return [Observation(verdict, "", "", check=check, title="") for check in checks()]


def test_every_check_is_named_by_a_clause_or_is_the_harness_own_and_says_why() -> None:
    named = {check for clause in CLAUSES for check in clause.checks}
    idle = [check.id for check in checks().values() if check.id not in named and not check.own]
    assert idle == [], (
        "name each in checks = […] of a clause (certify/clauses/catalogues), or say with own= why"
    )


def paying_otherwise(results: ExactResults) -> Iterator[ExactResults]:
    """Yields the results of a game that pays more, in another order, and in fractions that must be rounded."""
    for change in (
        lambda pays: [2 * one + 3 for one in pays],
        reversed,
        lambda pays: [one * SEVENTH for one in pays],
    ):
        wagers = []
        for wager in results.game.wagers:
            rows = wager.paytable.rows
            paid = zip(rows, change([row.pays for row in rows]), strict=True)
            wagers.append(
                replace(wager, paytable=Paytable(tuple(replace(row, pays=pays) for row, pays in paid)))
            )
        game = replace(results.game, wagers=tuple(wagers))
        yield replace(results, game=game, analyses={name: analyze(game, name) for name in results.analyses})


def test_a_clause_whose_checks_answer_otherwise_under_other_pays_rests_on_the_pays() -> None:
    results = exact_results(read_game(GAMES / "red-dog/game.toml"), regime_of(["italy"]), thorough=False)
    exact = [one for one in checks().values() if one.function.__annotations__["results"] is ExactResults]
    others = list(paying_otherwise(results))
    about_pays = {
        one.id for one in exact if any(one.observe(other) != one.observe(results) for other in others)
    }
    assert {
        "returns.floor",
        "returns.local-floor",
        "returns.at-every-stake",
        "returns.stake-ladder",
        "returns.claim-holds",
        "awards.top-odds",
    } <= about_pays
    # One of other jurisdictions, and one that this run leaves out.
    about_pays |= {"awards.local-odds", "returns.two-ways"}
    unsaid = [
        clause.id
        for clause in CLAUSES
        if about_pays & set(clause.checks) and Matter.PAYS not in clause.rests_on
    ]
    assert not unsaid, f'their checks answer otherwise where pays differ: say rests_on = ["pays"] of {unsaid}'


def kinds_of_games() -> list[frozenset[Applicability]]:
    """Each kind alone, each pair of kinds, and all of them: whatever games there will be."""
    further = [kind for kind in Applicability if kind is not Applicability.EVERY_GAME]
    sizes = (0, 1, 2, len(further))
    return [
        frozenset({Applicability.EVERY_GAME, *kinds})
        for size in sizes
        for kinds in combinations(further, size)
    ]


@pytest.mark.parametrize(
    "names", [[name] for name in jurisdictions()] + [["new-jersey", "pennsylvania", "italy"]]
)
def test_only_what_the_chosen_catalogues_ask_of_the_game_runs_and_what_the_harness_asks_itself(
    names: list[str],
) -> None:
    catalogues = regime_of(names).catalogues
    for applies in kinds_of_games():
        chosen = [clause for one in catalogues for clause in one.clauses if clause.applies in applies]
        asked = {check for clause in chosen for check in clause.checks}
        assert set(planned(catalogues, applies)) == asked | {
            name for name, one in checks().items() if one.own
        }


def test_every_clause_that_is_tested_names_checks_that_exist() -> None:
    for clause in CLAUSES:
        assert bool(clause.checks) == (clause.method is Method.TEST), clause.id
        assert set(clause.checks) <= set(checks()), clause.id


def test_ids_are_unique_and_every_clause_says_who_answers_it() -> None:
    ids = [clause.id for clause in CLAUSES]
    assert len(set(ids)) == len(ids)
    assert len(ids) > 100
    for clause in CLAUSES:
        assert clause.paraphrase.endswith("."), clause.id
        assert clause.method is Method.TEST or clause.note, clause.id


def test_parts_of_a_clause_are_numbered_from_one_and_nothing_stands_for_the_whole() -> None:
    for catalogue in ALL:
        numbers = [clause.number for clause in catalogue.clauses]
        divided: dict[str, list[int]] = {}
        for number in numbers:
            whole, _, part = number.partition(" part ")
            if part:
                divided.setdefault(whole, []).append(int(part))
        for whole, parts in divided.items():
            assert parts == list(range(1, len(parts) + 1)), (catalogue.id, whole)
            assert len(parts) > 1, (catalogue.id, whole)
            assert whole not in numbers, (catalogue.id, whole)


def test_no_code_names_a_clause_of_a_catalogue() -> None:
    """What a check answers and what a finding is about, the catalogues say alone."""
    package = Path(certify.__file__).parent
    named = {
        (path.name, found)
        for path in package.rglob("*.py")
        for found in re.findall(r'"([a-z0-9-]+@[^"]+/[^"]+)"', path.read_text("utf-8"))
    }
    assert named == set()


def test_what_only_reading_or_an_operator_can_answer_is_never_satisfied() -> None:
    statuses = {s.id: s.status for s in clause_statuses(ALL, observed(Verdict.SATISFIED))}
    for number, status in {
        "3.2.1-part-1": "examine",
        "3.2.3(a)-part-2": "examine",
        "3.3.2(b)-part-1": "examine",
        "4.4.1(r)": "examine",
        "4.7.2(a)": "examine",
        "A.6.1(b)": "operator",
        "A.6.4-part-2": "operator",
        "3.2.1-part-2": "satisfied",
        "4.7.2(b)": "satisfied",
        "A.6.4-part-1": "satisfied",
    }.items():
        assert statuses[f"gli-19@3.0/{number}"] == status, number


@pytest.mark.slow
def test_every_situation_that_is_exercised_is_seen_by_one_check() -> None:
    games = [read_game(path) for path in sorted(GAMES.glob("*/game.toml"))]
    exercised = {situation.id for game in games for situation in situations_of(edition_of(game).play)}
    seen = [
        observation.subject
        for check in checks().values()
        if check.id.startswith("rounds.") and check.id not in ("rounds.replay", "rounds.recall")
        for observation in check.observe(_exercised(exercised))
    ]
    assert sorted(seen) == sorted(exercised)


def _exercised(ids: Iterable[str]) -> Results:
    """Results of an exercise in which each situation was tried once."""
    situations = [
        SimpleNamespace(
            id=name,
            situation=name,
            verdict=Verdict.SATISFIED,
            expected="",
            observed="",
            trials=1,
            adopted_terms=False,
        )
        for name in ids
    ]
    return cast(
        "Results", SimpleNamespace(exercise=SimpleNamespace(situations=situations), brought=Brought())
    )


def test_the_table_of_clauses_is_what_catalogues_and_checks_say() -> None:
    document = Path(certify.__file__).parents[1] / "docs" / "methods" / "clauses.md"
    assert document.read_text("utf-8") == clause_document(), (
        "python -m certify.clauses.table > docs/methods/clauses.md"
    )


def test_every_catalogue_is_read_for_some_jurisdiction_and_gli_for_all() -> None:
    named = [name for one in jurisdictions().values() for name in one.catalogues]
    assert set(named) == set(CATALOGUES)
    assert all("gli-19" in one.catalogues for one in jurisdictions().values())


@pytest.mark.parametrize("catalogue", ALL, ids=CATALOGUES)
def test_only_a_clause_read_verbatim_is_ever_satisfied(catalogue: Catalogue) -> None:
    for verdict in Verdict:
        for status in clause_statuses([catalogue], observed(verdict)):
            if status.status == "satisfied":
                assert status.certainty == Certainty.VERBATIM, status.id
            assert status.certainty != Certainty.UNVERIFIED


def test_some_clauses_are_secondary_references_and_are_marked_as_such() -> None:
    statuses = clause_statuses(ALL, observed(Verdict.SATISFIED))
    marked = [status for status in statuses if status.status == "secondary reference"]
    assert {status.certainty for status in marked} == {Certainty.SECONDARY, Certainty.PARTIAL}
    duties = obligations_evidence(statuses)
    assert any(duty.clause == "UKGC RTS 7D (secondary reference)" for duty in duties)


def test_an_unverified_clause_never_leaves_its_file() -> None:
    for name in CATALOGUES:
        stated = catalogue_bytes(name).decode().count('certainty = "U"')
        entries = catalogue_bytes(name).decode().count("[[clauses]]")
        assert len(load_catalogue(name).clauses) == entries - stated
    assert 'certainty = "U"' in catalogue_bytes("dgoj").decode()


def test_the_report_refuses_an_unread_clause_called_satisfied() -> None:

    from certify.report.chapters.conformity import conformity

    entries = clause_statuses(ALL, observed(Verdict.SATISFIED))
    assert conformity(replace(smallest(), clauses=entries)).tables
    for certainty in ("S", "P"):
        one = next(entry for entry in entries if entry.certainty == certainty)
        lying = replace(smallest(), clauses=(replace(one, status=Status.SATISFIED),))
        with pytest.raises(RenderError, match="only clauses read verbatim"):
            conformity(lying)
    unverified = replace(smallest(), clauses=(replace(entries[0], certainty="U"),))
    with pytest.raises(RenderError, match="unverified"):
        conformity(unverified)


def test_a_failed_check_fails_its_clauses_whatever_their_certainty() -> None:
    for status in clause_statuses(ALL, observed(Verdict.NOT_SATISFIED)):
        if status.method == Method.TEST:
            assert status.status == "not satisfied"


def test_a_clause_about_other_games_does_not_apply() -> None:
    kinds = set(Applicability) - {Applicability.SEVERAL_WAGERS}
    statuses = {s.number: s.status for s in clause_statuses(ALL, observed(Verdict.SATISFIED), kinds)}
    assert statuses["4.4.2 part 1"] == "not applicable"
    assert statuses["4.4.4(b)"] == "satisfied"


def test_obligations_of_rounds_are_passed_on_once() -> None:
    duties = [duty.clause for duty in obligations_evidence(clause_statuses(ALL[:1], []))]
    assert len(set(duties)) == len(duties)
    assert {clause for clause, _ in OBLIGATIONS} <= set(duties)


def test_catalogues_carry_the_digest_of_their_file() -> None:
    for name in CATALOGUES:
        assert load_catalogue(name).sha256 == hashlib.sha256(catalogue_bytes(name)).hexdigest()
    changed = catalogue_bytes("gli-19").replace(b"at least 75 %", b"at least 57 %")
    assert read_catalogue(changed).sha256 != load_catalogue("gli-19").sha256


SOUND = """catalogue = "x"
title = "X"
short = "X"
edition = "1"

[[clauses]]
number = "1"
paraphrase = "Any."
method = "test"
checks = ["rounds.resume"]
certainty = "V"
"""


@pytest.mark.parametrize(
    ("sound", "broken", "reason"),
    [
        ('"test"', '"guess"', "guess"),
        ('"V"', '"W"', "W"),
        ('["rounds.resume"]', "[]", "names its checks"),
        ('"test"', '"operator"', "names none"),
        ('"V"', '"V"\napplies = "roulette"', "roulette"),
        ('"V"', '"V"\nsurprise = 1', "unknown key"),
        ('"test"\nchecks = ["rounds.resume"]', '"not applicable"\nchecks = []', "says why"),
    ],
)
def test_a_catalogue_that_breaks_its_form_is_refused(sound: str, broken: str, reason: str) -> None:
    assert len(read_catalogue(SOUND.encode()).clauses) == 1
    refuses(
        InputError,
        (reason, lambda: read_catalogue(SOUND.replace(sound, broken).encode())),
        ("stated twice", lambda: read_catalogue((SOUND + SOUND[SOUND.index("[[clauses]]") :]).encode())),
        ("UTF-8", lambda: read_catalogue(b"catalogue = \xff")),
    )


def test_jurisdictions_combine_where_one_round_can_follow_both() -> None:
    assert regime_of().names == ("gli",)
    both = regime_of(["pennsylvania", "italy", "pennsylvania"])
    assert both.names == ("pennsylvania", "italy")
    assert [catalogue.id for catalogue in both.catalogues] == ["gli-19", "pa-810a", "adm"]
    assert [limit.reference for limit in both.least_returns(set(Applicability))] == [
        "ADM, online games at fixed odds, secondary reference"
    ]
    refuses(
        InputError,
        ("differently", lambda: regime_of(["ontario", "gli"])),
        ("no jurisdiction", lambda: regime_of(["atlantis"])),
    )


def test_the_sample_of_the_report_tests_keeps_the_rule_too() -> None:
    for entry in sample_evidence()["clauses"]:
        assert entry["status"] != "satisfied" or entry["certainty"] == "V"


def test_a_sound_pass_needs_every_check() -> None:
    some = observed(Verdict.SATISFIED)[:-1]
    missing = list(checks())[-1]
    touched = [s for s in clause_statuses(ALL, some) if missing in s.checks]
    assert touched
    assert {status.status for status in touched} == {"inconclusive"}


OWN = (Path(certify.__file__).parents[1] / "docs/how-to/jurisdiction.md").read_text("utf-8")
OWN = OWN.split("```toml\n")[1].split("```")[0]
"""The jurisdiction of one's own that the documentation writes down."""


def test_a_jurisdiction_of_ones_own_is_judged_beside_gli_and_read_again_from_evidence() -> None:
    own = parse_own(OWN.encode(), "atlantis.toml")
    regime = regime_of([], [own])
    assert [one.id for one in regime.catalogues] == ["gli-19", "atlantis"]
    assert regime.standards == {"atlantis": {"GLI-19", "ATL"}}
    assert [limit.value for limit in regime.least_returns({Applicability.EVERY_GAME})] == [Fraction(9, 10)]
    stated = regime_evidence(regime, read_game(GAMES / "red-dog/game.toml"))
    assert stated.catalogues[1].sha256 == hashlib.sha256(OWN.encode()).hexdigest()
    assert regime_of_evidence(cast("Evidence", SimpleNamespace(regime=stated))) == regime
    # Clauses and statements are told apart by what a catalogue is called in short.
    other = parse_own(OWN.replace('"atlantis"', '"atlantis-2"', 1).encode(), "other.toml")
    for twice in ([own, own], [own, other]):
        with pytest.raises(InputError, match="each once"):
            regime_of([], twice)


@pytest.mark.parametrize(
    ("sound", "broken", "line", "message"),
    [
        ('"atlantis"', '"gli-19"', 1, "a name of your own"),
        ('note = "Chapter', 'nota = "Chapter', 9, 'unknown key "nota"'),
        ('"9/10"', '"0.9"', 8, "a fraction in lowest terms"),
        ('"rounds.resume"', '"rounds.resumes"', 15, "no such check: rounds.resumes"),
        ('method = "operator"', 'method = "nobody"', 30, "expected one of test"),
        ('number = "2"', 'number = "1"', 19, "clause 1 is stated twice"),
        ('checks = ["rounds.resume"]', "checks = []", 11, "names its checks"),
        ('certainty = "V" }', 'certainty = "U" }', 8, "cannot be a limit"),
        ('"9/10"', '"90"', 8, "not between 0 and 1, cannot be a limit"),
        ('note = "Chapter 3 was', 'catalogues = []\nnote = "Chapter 3 was', 9, 'unknown key "catalogues"'),
        ('"ATL"', '"GLI-19"', 3, "names another catalogue"),
        ('short = "ATL"', 'short = " "', 3, "it is empty"),
        ('number = "2"', 'number = ""', 18, "a number and a paraphrase"),
        ('"returns.local-floor"', '"returns.floor"', 8, "no clause judges by it"),
        (
            '[[clauses]]\nnumber = "1"',
            'void_policy = "x"\n[[clauses]]\nnumber = "2"',
            11,
            "void_policy is one of",
        ),
    ],
)
def test_a_mistake_in_a_jurisdiction_of_ones_own_is_refused_with_its_line(
    sound: str, broken: str, line: int, message: str
) -> None:
    with pytest.raises(SubmissionError, match=rf"own\.toml:{line}:\d+: .*{message}"):
        parse_own(OWN.replace(sound, broken, 1).encode(), "own.toml")

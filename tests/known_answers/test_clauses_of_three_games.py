"""Clauses of three games, and canonical JSON against RFC 8785."""

import struct
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from certify.clauses import (
    CATALOGUES,
    Results,
    applicabilities,
    clause_statuses,
    jurisdictions,
    load_catalogue,
    regime_of,
)
from certify.clauses.registry import checks
from certify.errors import TrustError
from certify.evidence import Brought
from certify.families import witnesses_of
from certify.mathematics import analyze
from certify.model import Applicability, Method
from certify.seal import canonical_bytes, parse_canonical, parse_json
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures" / "games"
SEVEN, CASINO, HOME = "playtech-7-e-mezzo", "us5632489-casino", "us5632489-home"
DEAR = pytest.param(HOME, marks=pytest.mark.slow)
"""The home version, whose readings are many games, each of them counted."""
STRATEGIES = ("main-optimal", "always-second-card")
FROM_FIGURES = (
    "returns.claim-holds",
    "returns.floor",
    "returns.local-floor",
    "returns.at-every-stake",
    "returns.stake-ladder",
    "returns.not-above-total",
    "strategy.complete",
    "awards.top-odds",
    "awards.local-odds",
    "printed.tables-hold",
    "submission.complete",
    "terms.malfunction-printed",
    "terms.disconnection-printed",
    "terms.undecided-printed",
)
"""Checks that look at the submission and its exact figures, and at nothing played."""


@lru_cache(maxsize=3)
def figures(name):
    game = read_game(GAMES / name / "game.toml")
    analyses = {strategy: analyze(game, strategy) for strategy in STRATEGIES}
    best = {
        wager.id: max(STRATEGIES, key=lambda one: analyses[one].wager(wager.id).return_to_player)
        for wager in game.wagers
    }
    added = game.port.pages.sections
    assert added is not None
    return game, {
        "analyses": analyses,
        "strategy_of": best,
        "sections": added.evidence(game, analyses),
        "witnesses": tuple(
            witnesses_of(
                game, [(wager.id, row) for wager in game.wagers for row in wager.paytable.ids]
            ).values()
        ),
    }


def statuses(name, *names):
    """The status of every clause that is decided by the checks above, by standard and number."""
    game, computed = figures(name)
    regime = regime_of(names)
    results = cast(Results, SimpleNamespace(game=game, regime=regime, brought=Brought(), **computed))
    observations = [one for check in FROM_FIGURES for one in checks()[check].observe(results)]
    decided = clause_statuses(regime.catalogues, observations, applicabilities(game))
    return {f"{s.standard} {s.number}": s.status for s in decided}


@pytest.mark.parametrize("name", [SEVEN, CASINO, HOME, "red-dog"])
def test_kinds_follow_from_the_submission(name):
    kinds = applicabilities(read_game(GAMES / name / "game.toml"))
    assert (Applicability.SEVERAL_WAGERS in kinds) == (name == SEVEN)
    assert (Applicability.PRINTED_RETURN in kinds) == (
        name in (SEVEN, "red-dog")
    )  # prints a house edge alone
    assert (Applicability.PRINTED_TABLES in kinds) == (name == CASINO)
    assert (Applicability.HOUSE_BANKED in kinds) == (name != HOME)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        (CASINO, "not satisfied"),
        (SEVEN, "not applicable"),
        pytest.param(HOME, "not applicable", marks=pytest.mark.slow),
    ],
)
def test_a_source_whose_printed_table_is_wrong_is_not_unambiguous(name, status):
    assert statuses(name)["GLI-19 4.4.1(a) part 2"] == status
    assert name != CASINO or statuses(name, "great-britain")["UKGC RTS 7C"] == "not satisfied"


@pytest.mark.parametrize("name", [CASINO, DEAR])
def test_a_source_that_prints_no_return_is_not_satisfied_on_printed_returns(name):
    found = statuses(name, "great-britain")
    for number in ("GLI-19 4.7.2(a)", "GLI-19 4.7.2(b)", "UKGC RTS 3C part 1"):
        assert found[number] == "not applicable", number


def test_a_printed_return_from_which_pays_were_recovered_confirms_nothing():
    assert statuses(SEVEN)["GLI-19 4.7.2(b)"] == "fitted"
    assert statuses(SEVEN, "great-britain")["UKGC RTS 3C part 1"] == "fitted"


@pytest.mark.parametrize("name", [SEVEN, CASINO, DEAR])
def test_the_floor_is_one_of_house_banked_games(name):
    for number in ("GLI-19 4.7.1", "GLI-19 4.7.1(a)", "GLI-19 4.7.1(b)"):
        assert statuses(name)[number] == ("not applicable" if name == HOME else "satisfied")


@pytest.mark.parametrize(("name", "verdict"), [(SEVEN, {"satisfied"}), (CASINO, {"not satisfied"})])
def test_a_return_above_what_is_staked_fails_no_floor_and_is_still_found(name, verdict):
    game, computed = figures(name)
    results = cast(Results, SimpleNamespace(game=game, regime=regime_of(), **computed))
    assert {str(one.verdict) for one in checks()["returns.not-above-total"].observe(results)} == verdict


@pytest.mark.parametrize("name", [CASINO, DEAR])
def test_rules_that_print_no_terms_disclose_none(name):
    for number in ("GLI-19 A.5.2(c)", "GLI-19 A.5.2(d)", "GLI-19 A.5.2(e)"):
        assert statuses(name)[number] == "not satisfied", number


def documented(name):
    """What the documentation says that a game fails, and is not asked."""
    text = (GAMES.parents[1] / "docs" / "methods" / "clauses-by-game.md").read_text("utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {name} |"))
    _, _, failed, spared, _ = (cell.strip() for cell in row.split("|"))
    return {one for one in failed.split(", ") if one != "none"}, set(spared.split(", "))


@pytest.mark.parametrize("name", [SEVEN, CASINO, DEAR])
def test_what_each_game_fails_in_every_jurisdiction_is_what_the_documentation_says(name):
    failed, spared = set[str](), set[str]()
    tested = {
        f"{catalogue.title} {clause.number}"
        for catalogue in map(load_catalogue, CATALOGUES)
        for clause in catalogue.clauses
        if clause.method is Method.TEST
    }
    for jurisdiction in jurisdictions():
        found = statuses(name, jurisdiction)
        failed |= {clause for clause, status in found.items() if status == "not satisfied"}
        spared |= {
            clause for clause, status in found.items() if status == "not applicable" and clause in tested
        }
    assert (failed, spared) == documented(name)


@pytest.mark.parametrize("name", [SEVEN, CASINO, DEAR])
def test_floors_and_odds_of_jurisdictions(name):
    new_jersey = statuses(name, "new-jersey")
    # Set for slot machines: none of them is asked of a table game.
    for part in ("(a)", "(c)", "(d)", "(g) part 1", "(g) part 2"):
        assert new_jersey[f"N.J.A.C. 13:69E-1.28A{part}"] == "not applicable", part
    assert statuses(name, "italy")["ADM least return"] == (
        "not applicable" if name == HOME else "secondary reference"
    )


# RFC 8785, appendix B: IEEE 754 double in hexadecimal, and its JSON form.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "expected"), NUMBERS)
def test_numbers_of_appendix_b(bits, expected):
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes(value).decode() == expected


def test_the_sample_of_section_3_2_2():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical_bytes(value).decode() == expected


def test_keys_sort_by_utf_16_as_in_section_3_2_3():
    keys = ["€", "\r", "\ufb33", "1", "😀", "\u0080", "ö"]
    ordered = ["\r", "1", "\u0080", "ö", "€", "😀", "\ufb33"]
    assert list(parse_json(canonical_bytes(dict.fromkeys(keys)), "sample")) == ordered


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), float("nan"), float("inf"), {1: 2}, "\ud800", {"a": object()}]
)
def test_what_json_cannot_say_exactly_is_refused(value):
    with pytest.raises(ValueError, match="no canonical form"):
        canonical_bytes(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a":1,"a":1}', "repeated"),
        (b'{"x":{"a":1,"\\u0061":2}}', "repeated"),
        (b"[NaN]", "not finite"),
        (b"[-Infinity]", "not finite"),
        (b"[1e999]", "not finite"),
        (b"\xff", "not unambiguous"),
        (b"{} {}", "not unambiguous"),
        (b"", "not unambiguous"),
        (b"[" * 100 + b"]" * 100, "nested deeper"),
        (b"[" * 100_000, "not unambiguous"),
    ],
)
def test_ambiguous_json_is_refused(text, reason):
    with pytest.raises(TrustError, match=reason):
        parse_json(text, "sample")


@pytest.mark.parametrize(
    "text", [b'{ "a":1}', b'{"b":1,"a":2}', b"[1.0]", b'["\\u00e9"]', b"[1]\n", b"[9007199254740993]"]
)
def test_json_out_of_canonical_form_is_refused(text):
    with pytest.raises(TrustError, match="canonical form"):
        parse_canonical(text, "sample")

"""Every leaf of evidence is refused where it is altered, at the level of verification that its noun names."""

import dataclasses
import json
import lzma
from collections.abc import Hashable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import cast

import pytest
from cli_support import ROOT
from computing_again import TINY, Silent, computed_once
from seal_support import NOW

from certify.certification.evidence import build_evidence, with_files
from certify.certification.request import RunRequest
from certify.certification.run import run_certification
from certify.certification.tables import data_files
from certify.errors import TrustError
from certify.evidence import Evidence, plain
from certify.evidence.read import evidence_of, read
from certify.issue import data
from certify.issue.make import concluded
from certify.issue.parties import Parties, issue_of
from certify.issue.recorded import noun_differences, request_of
from certify.issue.verification import differences, evidence_again
from certify.model import FieldOrigin, parts_of
from certify.seal.evidence_schema import require_schema
from certify.submission import parse_game

REPORTS = ("three-card-poker", "roulette-single-zero", "us5632489-casino")
"""Reports of three families: cards with a decision, one draw, a text of cards with many printed tables."""

COUNTED = {
    "/randomness/planted/*/caught",
    "/randomness/planted/*/p",
    "/randomness/not_run/*/reason",
    *(
        f"/randomness/tests/*/{name}"
        for name in (
            "p_values",
            "deciding",
            "labels",
            "statistic",
            "degrees_of_freedom",
            "null",
            "detectable",
        )
    ),
    *(
        f"/simulation/{campaigns}/*/{name}"
        for campaigns in ("campaigns", "borderline_first", "configurations")
        for name in (
            "convergence/*/wagers/*/return",
            "covariances/*/covariance",
            "wagers/*/outcomes/*/count",
            "wagers/*/summed/awards/*/contribution",
            "wagers/*/summed/awards/*/times",
            "wagers/*/summed/highest",
            "wagers/*/summed/variance",
        )
    ),
}
"""What only the run has counted, and its repetition compares."""

STATED = {
    "/brought",
    *(f"/report/{name}" for name in ("tested_from", "issuer", "client", "authorised_by", "engagement")),
    *(f"/tool/{name}" for name in ("lock_sha256", "python", "platform", "packages")),
    *(f"/since/earlier/{name}" for name in ("signer", "established")),
}
"""What is somebody's word."""


@cache
def reported(name):
    """The evidence of a report that lies among the fixtures."""
    path = ROOT / "fixtures/reports" / f"{name}.json.xz"
    return evidence_of(json.loads(lzma.decompress(path.read_bytes())))


def fields_of(noun, where="", above=frozenset()):
    """Every field of the evidence by its kind: its place, without numbers and names. A message may hold messages."""
    for part in (one for one in parts_of(noun) if not one.follows and noun not in above):
        yield f"{where}/{part.key}", part
        # Of what is somebody's word as a whole, the parts are too.
        below = () if part.origin is FieldOrigin.STATED else nouns_in(part.form, f"{where}/{part.key}")
        for kind, form in below:
            yield from fields_of(form, kind, above | {noun})


def nouns_in(form, where):
    """Every noun that a form holds, with the kind of its place."""
    if isinstance(form, type) and dataclasses.is_dataclass(form):
        yield where, form
        return
    many = getattr(form, "__origin__", None) in (tuple, Mapping)
    for inner in getattr(form, "__args__", ()):
        yield from nouns_in(inner, f"{where}/*" if many else where)


def test_what_is_counted_or_stated_is_listed_and_nothing_else_is():
    # A field that follows may not become somebody's word unnoticed.
    said = dict(fields_of(Evidence))
    found = {
        origin: {kind for kind, part in said.items() if part.origin is origin}
        for origin in (FieldOrigin.COUNTED, FieldOrigin.STATED)
    }
    assert found[FieldOrigin.COUNTED] == COUNTED
    assert found[FieldOrigin.STATED] == STATED
    assert len(said) > 600


def otherwise(value):
    """Other values of the same form: of a list and of a table, also fewer and more entries."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, Enum):
        yield next(one for one in type(value) if one is not value)
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value + 1e-6 * max(1.0, abs(value))
        yield 0.5 if value != 0.5 else 0.25
    elif isinstance(value, Fraction):
        yield value + Fraction(1, 10**12)
    elif isinstance(value, str):
        yield f"{value}, approved by the regulator"
    elif isinstance(value, tuple) and value:
        yield value[:-1]
        yield (*value, value[-1])
    elif isinstance(value, Mapping) and value:
        first, *others = value
        yield {key: value[key] for key in others}
        yield {**value, f"{first}, approved": value[first]}


def altered(value, kind, origin, seen):
    """Every alteration of a value: the kind of its place, where that comes from, and the whole value with it.

    Args:
        value: The value.
        kind: Kind of its place.
        origin: Where it comes from, by what it lies in.
        seen: Kinds that are passed over from now on; none to alter every single leaf.
    """
    if seen is None or kind not in seen:
        if seen is not None and (not isinstance(value, tuple | Mapping) or value):
            seen.add(kind)
        yield from ((kind, origin, other) for other in otherwise(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for part in (one for one in parts_of(type(value)) if not one.follows):
            assert part.origin is not None
            own = origin if origin is not FieldOrigin.FOLLOWS else part.origin
            for inner, its, other in altered(getattr(value, part.name), f"{kind}/{part.key}", own, seen):
                yield inner, its, changed(value, part.name, other)
    elif isinstance(value, tuple):
        for place, entry in enumerate(value):
            for inner, its, other in altered(entry, f"{kind}/*", origin, seen):
                yield inner, its, (*value[:place], other, *value[place + 1 :])
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            for inner, its, other in altered(entry, f"{kind}/*", origin, seen):
                yield inner, its, {**value, key: other}


def changed(noun, name, value):
    """A noun with another value, whatever its own class would say to that."""
    made = object.__new__(type(noun))
    for field in dataclasses.fields(noun):
        object.__setattr__(made, field.name, value if field.name == name else getattr(noun, field.name))
    return made


def unseen(evidence, seen):
    """How many alterations were tried, and the kinds of those that no level of verification sees."""
    tried, missed = 0, []
    for kind, origin, other in altered(evidence, "", FieldOrigin.FOLLOWS, seen):
        held = {
            FieldOrigin.FOLLOWS: {FieldOrigin.FOLLOWS},
            FieldOrigin.COUNTED: {FieldOrigin.FOLLOWS, FieldOrigin.COUNTED},
            FieldOrigin.STATED: set(FieldOrigin),
        }[origin]
        tried += 1
        if next(noun_differences(evidence, other, held, ""), None) is None:
            missed.append(kind)
    return tried, missed


@pytest.mark.parametrize("name", REPORTS)
def test_each_kind_of_leaf_that_is_altered_is_seen_at_its_level(name):
    tried, missed = unseen(reported(name), set())
    assert missed == []
    assert tried > 700


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_each_single_leaf_that_is_altered_is_seen_at_its_level(name):
    tried, missed = unseen(reported(name), None)
    assert missed == []
    assert tried > 5_000


def nouns_of(value):
    """Every noun within a value."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        for part in parts_of(type(value)):
            if not part.follows:
                yield from nouns_of(getattr(value, part.name))
    elif isinstance(value, tuple):
        for entry in value:
            yield from nouns_of(entry)
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from nouns_of(entry)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("run", "seed", "ab" * 31),
        ("run", "seed", "ab" * 50_000),
        ("test", "labels", ["The regulator approved this game."]),
        ("test", "labels", ["lag 1. See page 2"]),
        ("test", "labels", ["word " * 24 + "word"]),
    ],
)
def test_a_seed_and_a_label_of_another_form_are_refused(part, key, value):
    evidence = reported(REPORTS[0])
    noun = evidence.run if part == "run" else evidence.randomness.tests[0]
    assert isinstance(read(type(noun), plain(noun)), type(noun))
    assert isinstance(read(type(noun), plain(noun) | {key: value}), tuple)


def test_a_key_that_is_missing_or_added_is_refused_as_the_evidence_is_read():
    kinds = {type(noun): noun for noun in nouns_of(reported(REPORTS[0]))}
    assert len(kinds) > 60
    for kind, noun in kinds.items():
        told = plain(noun)
        assert isinstance(read(kind, told), kind)
        assert isinstance(read(kind, {**told, "approved": True}), tuple)
        for part in parts_of(cast(Hashable, kind)):
            if not part.left_out:
                assert isinstance(read(kind, {key: told[key] for key in told if key != part.key}), tuple)


# What is computed again must not be taken from what it is compared with.

GAMES = ("games/big-six", "games/baccarat-punto-banco", "slots/slot-free-games")

INPUTS = {"/item/files/*/base64", "/run/seed", "/run/profile/name", "/regime/jurisdictions/*/name", "/schema"}
"""What the rest follows from: another seed or submission is another run."""

ELSEWHERE = {"/files/*/sha256", "/files/*/bytes", "/report/issued", "/report/demonstration_key"}
"""Held by other steps of verification: to the files of the pack, and to the signature."""


@cache
def tiny(game):
    """The evidence of a small run."""
    submission = (ROOT / "fixtures" / game / "game.toml").read_bytes()
    request = RunRequest(parse_game(submission, "game.toml"), TINY, bytes(range(32)), NOW, workers=1)
    outcome = run_certification(request, Silent())
    issue = issue_of(request, Parties("Nobody", "", "Nobody", ""), NOW, demonstration=False)
    conclusions = concluded(outcome, issue)
    made = build_evidence(request, outcome, conclusions, issue, submission)
    return plain(with_files(made, data_files(outcome, made, submission)))


@pytest.fixture(scope="module", autouse=True)
def _computed_once():
    with computed_once(with_the_run=True):
        yield


def poisoned(value, kind, origin):
    """A value in which every number and every sentence that follows is another."""
    if kind in INPUTS | ELSEWHERE:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for part in (
            one for one in parts_of(type(value)) if not one.follows and one.origin is FieldOrigin.FOLLOWS
        ):
            other = poisoned(getattr(value, part.name), f"{kind}/{part.key}", FieldOrigin.FOLLOWS)
            value = changed(value, part.name, other)
        return value
    if isinstance(value, tuple):
        return tuple(poisoned(entry, f"{kind}/*", origin) for entry in value)
    if isinstance(value, Mapping):
        return {key: poisoned(entry, f"{kind}/*", origin) for key, entry in value.items()}
    if isinstance(value, str) and (" " not in value or kind.endswith(("/suite", "/test", "/fault"))):
        # Names say of what a number is: another name is another thing, and refused as that.
        return value
    return next(otherwise(value), value)


@pytest.mark.parametrize(
    "game", [pytest.param(GAMES[0]), *(pytest.param(one, marks=pytest.mark.slow) for one in GAMES[1:])]
)
def test_nothing_that_follows_is_taken_from_the_evidence_itself(game):
    honest = evidence_of(tiny(game))
    assert differences(tiny(game)) == []
    request = request_of(honest)
    exact = data.exact_results(request.game, request.regime, thorough=request.profile.thorough)
    poison = poisoned(honest, "", FieldOrigin.FOLLOWS)
    assert len(list(noun_differences(honest, poison, {FieldOrigin.FOLLOWS}, ""))) > 1_000
    made = evidence_again(exact, request, poison, {})
    assert list(noun_differences(honest, made, {FieldOrigin.FOLLOWS}, "")) == []


READ = ("report", "tool", "family", "run", "item", "simulation", "rng", "randomness", "regime", "files")
"""Parts of the evidence that computing again reads at all: the others it has no way to believe."""


def refused(evidence):
    """Whether verification refuses evidence as it is read, or where it is computed again."""
    try:
        require_schema(evidence)
    except TrustError:
        return True
    return bool(differences(evidence))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_each_kind_of_leaf_is_refused_where_all_is_computed_again(game):
    honest, missed = evidence_of(tiny(game)), []
    assert not refused(tiny(game))
    for part in READ:
        for kind, origin, other in altered(getattr(honest, part), f"/{part}", FieldOrigin.FOLLOWS, set()):
            told = tiny(game) | {part: plain(other)}
            if origin is FieldOrigin.FOLLOWS and kind not in ELSEWHERE and not refused(told):
                missed.append(kind)
    assert missed == []

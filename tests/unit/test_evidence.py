"""Evidence as a noun: one form, written and read in one place, published as a schema that says the same."""

import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from evidence_filled import smallest_evidence
from hypothesis import given, strategies as st

from certify.errors import TrustError
from certify.evidence import SCHEMA, Evidence, NetResult, plain
from certify.evidence.read import evidence_of, json_schema, read
from certify.model import FRACTION, Severity

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "evidence" / f"{SCHEMA.replace('/', '-')}.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json_schema())

FINDING = {
    "id": "F-01",
    "severity": "minor",
    "title": "A title",
    "detail": "",
    "clauses": [],
    "reproduce": "",
    "status": "open",
}


def put(pointer, value):
    """The smallest evidence with one place exchanged."""
    evidence, place, last = _at(pointer)
    place[last] = value
    return evidence


def without(pointer):
    """The smallest evidence with one key missing."""
    evidence, place, last = _at(pointer)
    del place[last]
    return evidence


def _at(pointer):
    evidence = copy.deepcopy(smallest_evidence())
    place = evidence
    *way, last = (int(part) if part.isdigit() else part for part in pointer.strip("/").split("/"))
    for part in way:
        place = place[part]
    return evidence, place, last


def test_the_published_schema_is_the_one_that_the_nouns_generate():
    printed = subprocess.run(
        [sys.executable, "-m", "certify.evidence"], capture_output=True, check=True, cwd=ROOT
    ).stdout.decode("utf-8")

    assert PUBLISHED.read_text("utf-8") == printed, "python -m certify.evidence > docs/evidence/…"
    assert json.loads(printed)["title"] == SCHEMA


def test_the_schema_is_a_schema_and_every_part_of_it_is_described():
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    bare = [
        f"{name}.{key}"
        for name, part in schema["$defs"].items()
        for key, told in part["properties"].items()
        if not told.get("description") and part["description"]
    ]
    # Nouns of the model that explain themselves in one sentence are not explained field by field.
    assert {one.rpartition(".")[0] for one in bare} <= {"game.Reading", "game.Source"}


def test_evidence_reads_back_as_what_was_written():
    written = smallest_evidence()

    assert isinstance(read(Evidence, written), Evidence)
    assert plain(evidence_of(written)) == written
    assert not list(VALIDATOR.iter_errors(written))


WRONG = {
    "a key that nobody knows": (put("/report/colour", "red"), "/report/colour"),
    "an unknown part": (put("/open_card", {}), "/open_card"),
    "a part that is missing": (without("/item/files"), "/item/files"),
    "a key that has a default in Python only": (without("/observations/0/reason"), "/observations/0/reason"),
    "true for a number": (put("/report/revision", True), "/report/revision"),
    "a number for a text": (put("/report/client", 7), "/report/client"),
    "a text for a number": (put("/deck_audit/decks", "1"), "/deck_audit/decks"),
    "a decimal for a fraction": (put("/counted/main-optimal/main", "0.995"), "/counted/main-optimal/main"),
    "a fraction with a leading zero": (
        put("/counted/main-optimal/main", "01/2"),
        "/counted/main-optimal/main",
    ),
    "a digest that is too short": (put("/tool/lock_sha256", "ab"), "/tool/lock_sha256"),
    "a time with a zone of its own": (put("/report/issued", "2026-11-21T02:00:00+01:00"), "/report/issued"),
    "a verdict that there is not": (put("/report/statement/verdict", "fine"), "/report/statement/verdict"),
    "a severity by its number": (put("/findings", [FINDING | {"severity": 1}]), "/findings/0/severity"),
    "nothing where a value may be left out": (put("/report/authorised_by", None), "/report/authorised_by"),
    "an object for a list": (put("/findings", {}), "/findings"),
    "a pair of three": (put("/exposure/wins/0", ["main", 1, 2]), "/exposure/wins/0"),
    "a pair of one": (put("/exposure/wins/0", ["main"]), "/exposure/wins/0"),
    "evidence of another version": (put("/schema", "certify-evidence/1"), "/schema"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_evidence_is_refused_with_its_place_by_reader_and_schema(kind):
    evidence, pointer = WRONG[kind]

    assert pointer in [problem.pointer for problem in read(Evidence, evidence)]
    with pytest.raises(TrustError, match=pointer):
        evidence_of(evidence)
    assert list(VALIDATOR.iter_errors(evidence))


def test_every_mistake_is_named_not_only_the_first():
    evidence = put("/report/client", 7) | {"findings": {}, "nonsense": 1}
    del evidence["item"]["title"]

    found = {problem.pointer for problem in read(Evidence, evidence)}

    assert found == {"/report/client", "/findings", "/nonsense", "/item/title"}


@pytest.mark.parametrize("value", [None, [], "evidence", 1, {}])
def test_what_is_no_evidence_at_all_is_refused(value):
    assert not isinstance(read(Evidence, value), Evidence)


def test_a_key_with_a_slash_is_escaped_in_its_pointer():
    evidence = put("/counted/main-optimal/a~b", "x")
    (problem,) = read(
        Evidence, put("/counted/main-optimal/main", {"a": "b"}) | {"counted": {"a/b": {"~": 1}}}
    )

    assert problem.pointer == "/counted/a~1b/~0"
    assert [one.pointer for one in read(Evidence, evidence)] == ["/counted/main-optimal/a~0b"]


@given(st.fractions())
def test_every_fraction_is_written_in_one_way_and_read_back(value):
    written = plain(NetResult(value, Fraction(1)))

    assert FRACTION.fits(written["net"])
    assert read(NetResult, written) == NetResult(value, Fraction(1))


@given(st.integers(-50, 50), st.integers(2, 50), st.integers(2, 9))
def test_a_fraction_that_is_not_in_lowest_terms_is_refused(numerator, denominator, by):
    assert isinstance(
        read(NetResult, {"net": f"{numerator * by}/{denominator * by}", "probability": "1"}), tuple
    )


def test_severities_are_written_by_name():
    assert [plain(severity) for severity in Severity] == ["note", "minor", "major", "critical"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_say_is_never_written(value):
    with pytest.raises(ValueError, match="no form in JSON"):
        plain(value)


def test_what_is_no_noun_is_never_written():
    with pytest.raises(TypeError, match="no form in JSON"):
        plain(object())

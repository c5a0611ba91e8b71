"""The evidence of a run and the bill of materials of the software that made it: written, read back, the same bytes."""

import copy
import csv
import io
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from importlib import metadata, resources
from pathlib import Path

import jsonschema
import pytest
import referencing
from computing_again import TINY
from cyclonedx.model.bom import Bom
from evidence_filled import smallest_evidence
from hypothesis import given, strategies as st
from report_evidence import REPORTS, stored

from certify.certification.exact import exact_results
from certify.certification.par_files import parties_bytes
from certify.certification.randomness import rows_tested
from certify.certification.request import RunRequest
from certify.certification.sbom import sbom, sbom_bytes
from certify.certification.submitted import PACKAGES, lock_digest
from certify.certification.tables import tables_of
from certify.clauses import regime_of
from certify.clauses.registry import checks
from certify.errors import InputError, TrustError
from certify.evidence import (
    SCHEMA,
    Engagement,
    Evidence,
    FamilyCode,
    Head,
    Issuer,
    NetResult,
    SourceText,
    plain,
)
from certify.evidence.columns import columns_of, value_at
from certify.evidence.read import evidence_of, json_schema, read
from certify.executors import normal
from certify.issue.data import once, one_verification, outcome_without_campaigns
from certify.issue.parties import NOT_STATED, Parties, read_parties, require_parties
from certify.model import FRACTION, HEADS, Severity
from certify.submission import read_game

FAMILY = FamilyCode("craps", "certify", "0.1.0", "ab" * 32, SourceText("m", "cd" * 32), None)


def schema(name):
    folder = resources.files("cyclonedx.schema") / "_res"
    return json.loads(folder.joinpath(f"{name}.SNAPSHOT.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def document():
    return json.loads(sbom_bytes(FAMILY))


def test_it_follows_the_published_schema(document):
    published = schema("bom-1.6")
    others = {name: schema(name) for name in ("spdx", "jsf-0.82")}
    registry = referencing.Registry().with_resources(
        (each["$id"], referencing.Resource.from_contents(each)) for each in (published, *others.values())
    )
    validator = jsonschema.Draft7Validator(published, registry=registry)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert list(validator.iter_errors({**document, "specVersion": 1.6}))


def test_another_implementation_reads_it(document):
    read = Bom.from_json(document)
    assert {str(component.purl) for component in read.components if component.purl} == {
        component["purl"] for component in document["components"] if "purl" in component
    }
    assert read.validate()


def test_what_computes_is_there_with_its_version(document):
    components = {component["name"]: component for component in document["components"]}
    for name in PACKAGES:
        assert components[normal(name)]["version"] == metadata.version(name)
        assert components[normal(name)]["scope"] == "required"
        assert components[normal(name)]["properties"] == [{"name": "certify:locked", "value": "yes"}]
    # What tests the software is not what computes.
    assert "pytest" not in components
    properties = {p["name"]: p["value"] for p in document["metadata"]["component"]["properties"]}
    assert properties["certify:lock:sha256"] == lock_digest()


def test_every_reference_exists_and_the_graph_reaches_what_is_required(document):
    refs = {component["bom-ref"] for component in document["components"]}
    graph = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
    assert {ref for needs in graph.values() for ref in needs} <= refs
    reached = set()
    waiting = list(graph["certify"])
    while waiting:
        ref = waiting.pop()
        if ref not in reached:
            reached.add(ref)
            waiting += graph[ref]
    assert reached == {c["bom-ref"] for c in document["components"] if c.get("scope") == "required"}


def test_another_process_gives_the_same_bytes():
    script = (
        "import sys; from certify.certification.sbom import sbom_bytes; from certify.evidence.submitted import *; "
        f"FAMILY = {FAMILY!r}; sys.stdout.buffer.write(sbom_bytes(FAMILY))"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, env={"PYTHONHASHSEED": hash_seed}
        )
        assert done.stdout == sbom_bytes(FAMILY)
    text = sbom_bytes(FAMILY).decode()
    assert "serialNumber" not in text
    assert "timestamp" not in text
    assert sbom(FAMILY) is sbom(FAMILY)


def _tables(evidence):
    read = evidence_of(evidence)
    written = {table.name: table.written(read).decode("utf-8") for table in tables_of(read)}
    return {name: list(csv.DictReader(io.StringIO(text))) for name, text in written.items()}


@pytest.mark.parametrize("path", sorted(REPORTS.glob("*.json.xz")), ids=lambda path: path.name.split(".")[0])
def test_outcomes_are_those_of_the_evidence_with_the_best_strategy_first(path):
    evidence = stored(path)
    (best,) = evidence["analysis"].keys() & {*HEADS}
    expected = [
        [strategy, wager["id"], row["outcome"], row["net"]]
        for strategy in (best, *sorted(evidence["analysis"].keys() - {best}))
        for wager in evidence["wagers"]
        for row in evidence["analysis"][strategy]["wagers"].get(wager["id"], {"outcomes": ()})["outcomes"]
    ]
    found = _tables(evidence)["data/outcomes.csv"]
    assert [[row[name] for name in ("strategy", "wager", "outcome", "net")] for row in found] == expected


def _turned(noun):
    """Evidence whose every mapping is in the opposite order: a run holds them in another than canonical JSON."""
    if isinstance(noun, dict):
        return {key: _turned(noun[key]) for key in reversed(noun)}
    return [_turned(one) for one in noun] if isinstance(noun, list) else noun


@pytest.mark.parametrize("name", ["slot-lines", "us5632489-casino", "craps"])
def test_tables_do_not_depend_on_the_order_in_which_a_run_holds_what_has_names(name):
    evidence = stored(REPORTS / f"{name}.json.xz")
    assert _tables(_turned(evidence)) == _tables(evidence)


def test_what_the_evidence_leaves_open_is_an_empty_cell_and_a_missing_section_no_table():
    found = _tables(stored(REPORTS / "roulette-single-zero.json.xz"))
    assert {"", "None"} & {row["statistic"] for row in found["data/tests.csv"]} == {""}
    assert not found.keys() & {
        "data/printed-tables.csv",
        "data/operator-tests.csv",
        "data/operator-story.csv",
    }


def test_what_declares_no_column_and_a_field_that_no_noun_has_are_refused():
    with pytest.raises(ValueError, match="declares no column"):
        columns_of("strategy head:20:30:form!kind!kind")
    with pytest.raises(AttributeError):
        value_at(1, ("probability",))
    with pytest.raises(KeyError):
        value_at({}, ("hit",))


def test_one_verification_computes_once_for_each_key_and_the_next_one_anew():
    asked = []

    @once(lambda number: number % 10)
    def counted(number):
        asked.append(number)
        return number

    with one_verification():
        assert [counted(number) for number in (1, 11, 2)] == [1, 1, 2]
    with one_verification():
        assert counted(21) == 21
    assert asked == [1, 2, 21]
    # Beyond a verification nothing is kept, and nothing is left of one that broke off.
    with pytest.raises(ZeroDivisionError), one_verification():  # noqa: PT012 - it is left by an error
        counted(0)
        1 / 0  # noqa: B018
    assert [counted(0), counted(0)] == [0, 0]
    assert asked == [1, 2, 21, 0, 0, 0]


WHEEL = Path(__file__).parents[2] / "fixtures/games/big-six/game.toml"


def test_the_rows_that_every_test_needs_are_those_of_the_audit_when_it_is_computed_again():
    game = read_game(WHEEL)
    request = RunRequest(game, TINY, bytes(33), datetime(2026, 11, 22, tzinfo=UTC))
    again = outcome_without_campaigns(exact_results(game, regime_of(()), thorough=False), request, "0" * 64)
    rows = rows_tested(game.equipment, TINY.decks)
    assert rows > TINY.decks
    assert again.results.deck_audit.decks == rows
    (answer,) = checks()["deck.whole"].observe(again.results)
    assert answer.observed == f"0 of {rows}"


FULL = """\
laboratory = "Laboratorio Esempio"
address = "Via Roma 1, Torino"
client = "Supplier Ltd"
client_address = "1 High Street, London"
tested_by = "A. Tester, mathematician"
reviewed_by = "B. Reviewer"
authorised_by = "C. Head"
received = 2026-11-20
place = "Torino, room 4"
recommendation = "Certify once the pays are confirmed."
generator_report = "RNG-2026-0042"
valid_until = 2027-11-20
deviations = ["Clause 2.3.1 was shown on the reference."]
"""


BEGAN = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)

SAMPLE = """
[[samples]]
of = "decks.bin"
item = "Shuffler 7.1"
taken_by = "A. Tester"
taken_on = 2026-11-20
how = "By its tool, from the running product."
attested_by = "C. Head"
"""
OTHER = SAMPLE.replace("decks.bin", "spins.csv") + f'sha256 = "{"a" * 64}"\nplace = "Torino"\n'


def head_of(parties):
    moment = datetime(2026, 11, 21, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Head(
        number="GM-20261121-0123ABCD",
        revision=1,
        issued=moment,
        tested_from=moment,
        tested_to=moment,
        profile="quick",
        classification="",
        demonstration_key=True,
        issuer=Issuer(parties.issuer, parties.address),
        client=parties.client,
        authorised_by=parties.authorised_by or None,
        engagement=parties.engagement,
        messages={},
    )


def written(tmp_path, text):
    path = tmp_path / "parties.toml"
    path.write_text(text, "utf-8")
    return path


def test_what_the_file_says_comes_back_from_the_pack_and_its_command(tmp_path):
    parties = read_parties(written(tmp_path, FULL))
    require_parties(parties, BEGAN)
    again = parties_bytes(head_of(parties))
    assert read_parties(written(tmp_path, again.decode("utf-8"))) == parties
    assert parties.options() == " --parties parties.toml"


def test_records_of_sampling_are_read_as_they_are_stated(tmp_path):
    one, other = read_parties(written(tmp_path, FULL + SAMPLE + OTHER)).samples
    assert (one.of, one.item, one.taken_on, one.sha256, one.place) == (
        *("decks.bin", "Shuffler 7.1", "2026-11-20"),
        *(None, ""),
    )
    assert (other.of, other.sha256, other.place, other.attested_by) == (
        *("spins.csv", "a" * 64),
        *("Torino", "C. Head"),
    )


def test_options_go_before_the_file_and_no_file_is_written_where_options_say_it_all(tmp_path):
    parties = read_parties(written(tmp_path, FULL)).with_options("Other", "", NOT_STATED, "")
    assert (parties.issuer, parties.client) == ("Other", "Supplier Ltd")
    assert parties_bytes(head_of(Parties("Issuer", "", NOT_STATED, ""))) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('laboratori = "x"', 'parties.toml:1:1: unknown key "laboratori": did you mean "laboratory"?'),
        ("tested_by = 7", 'tested_by: expected text, got 7: write "7"'),
        ('received = "yesterday"', "received: expected a day such as 2026-12-31"),
        ("received = 2026-11-20T10:00:00Z", "expected a day"),
        ('deviations = "none"', "deviations: expected a list"),
        ('deviations = [""]', "deviations[1]: expected a text that is not empty"),
        ("deviations = [" + '"x",' * 51 + "]", "at most 50"),
        (SAMPLE + OTHER + SAMPLE, "two samples are of 'decks.bin': expected one"),
        (SAMPLE.replace("how", "why"), 'unknown key "why"'),
        (OTHER + SAMPLE.replace('attested_by = "C. Head"', ""), 'key "attested_by" is missing in samples[2]'),
        (
            OTHER + SAMPLE.replace('"C. Head"', '" "'),
            "samples[2].attested_by: expected a text that is not empty",
        ),
        ('declarations = ["  "]', "declarations[1]: expected a text that is not empty"),
        (OTHER.replace("a" * 64, "A" * 64), "sha256: expected a SHA-256 digest in hexadecimal"),
        ("samples = 7", "samples: expected a list, got 7"),
    ],
)
def test_a_key_that_is_wrong_is_named(tmp_path, text, said):
    with pytest.raises(InputError, match=r"parties\.toml") as refused:
        read_parties(written(tmp_path, text))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("engagement", "said"),
    [
        (Engagement(place="Torino\u202e"), "place holds U"),
        (Engagement(reviewed_by="七"), "U+4E03"),
        (Engagement(deviations=("x" * 1001,)), "deviation 1 has 1001 characters"),
        (Engagement(tested_by="x" * 201), "tested by has 201"),
        (
            Engagement(valid_until="2026-11-19"),
            "valid_until is 2026-11-19: expected no day before 2026-11-20",
        ),
        (Engagement(received="2026-11-21"), "received is 2026-11-21: expected no day after 2026-11-20"),
    ],
)
def test_texts_that_would_not_be_printed_as_they_are_are_refused(engagement, said):
    with pytest.raises(InputError) as refused:
        require_parties(Parties("x", "", "y", "", engagement), BEGAN)
    assert said in str(refused.value)


def test_nothing_is_sampled_after_the_tests_began(tmp_path):
    samples = read_parties(written(tmp_path, SAMPLE)).samples
    require_parties(Parties("x", "", "y", "", Engagement(received="2026-11-20"), samples), BEGAN)
    with pytest.raises(
        InputError, match=r"sample of decks\.bin, taken_on is 2026-11-20: expected no day after"
    ):
        require_parties(Parties("x", "", "y", "", samples=samples), BEGAN - timedelta(days=1))


VISIBLE = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=30)


@given(st.builds(Engagement, place=VISIBLE, deviations=st.tuples(VISIBLE)))
def test_any_visible_text_survives_the_file(tmp_path_factory, engagement):
    parties = Parties("x", "", "y", "", engagement)
    content = parties_bytes(head_of(parties))
    assert content is not None
    path = tmp_path_factory.getbasetemp() / "parties.toml"
    path.write_bytes(content)
    assert read_parties(path) == parties


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

"""Outputs against their schemas: SARIF 2.1.0, JUnit, code quality, Markdown within its limits."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from gate_open_card import CASINO, HOME, source
from gate_support import KING, LOWERED, compared, edited, published, state
from lxml import etree

from certify.characters import unseen_in
from certify.gate.annotations import SHOWN, gate_annotations
from certify.gate.change import Approval, kinds
from certify.gate.code_quality import gate_code_quality
from certify.gate.fact_changes import percent
from certify.gate.formats import FORMATS
from certify.gate.junit import gate_junit
from certify.gate.markdown import LIMIT, MARKER, gate_markdown
from certify.gate.policy import GatePolicy
from certify.gate.sarif import FINGERPRINT, gate_sarif
from certify.gate.text import gate_text
from certify.gate.verdict import GateReport, judge
from certify.model import Severity

TODAY = datetime(2026, 11, 21, tzinfo=UTC).date()


def report_of(*games, remarks=()):
    return GateReport(state("before"), state("after"), games, remarks, Severity.MAJOR)


def changed():
    return report_of(compared(published(), edited((KING, LOWERED), ("_days = 90", "_days = 60"))))


def partly_approved():
    report = changed()
    first = report.changes[0]
    approval = Approval(
        first.fingerprint,
        first.game,
        first.kind.id,
        first.subject,
        first.before_digest,
        first.after_digest,
        "agreed | <b>",
        "2026-12-31",
        "2026-11-21",
        approved_by="@all",
    )
    return judge(report, [approval], GatePolicy(), TODAY, lambda _: "")


def hostile():
    """A game whose words are made for the reader of the output, not for the player."""
    words = "`|</details> <img src=x onerror=y> ![](https://evil.example/x) @everyone ]]> ½"
    found = compared(published(), edited(('title = "Pair of 7s"', f'title = "{words}"')))
    return report_of(found)


def open_card():
    """A game with final bets and printed tables: pay, rule, cells and limit otherwise, beside one that is new."""
    text = edited(
        ('pays = "3 to 1"', 'pays = "2 to 1"'),
        ('value = "1 or 2 antes"', 'value = "1 ante"'),
        ('tie = "0.61 (5/820)"', 'tie = "0.61 (6/820)"'),
        ('ways = "780"', 'ways = "790"'),
        ('maximum = "25.00"', 'maximum = "30.00"'),
        text=source(CASINO),
    )
    return report_of(compared(source(CASINO), text), compared(None, source(HOME)))


def against_the_run():
    """Whatever can be against a run as a whole, and nothing against its game."""
    first = changed().changes[0]
    severe = [replace(first, kind=kind, severity=Severity.MAJOR) for kind in kinds().values()]
    return report_of(compared(published(), published()), remarks=tuple(severe))


REPORTS = {
    "against-the-run": against_the_run,
    "open-card": open_card,
    "changed": changed,
    "approved": partly_approved,
    "unchanged": lambda: report_of(compared(published(), published())),
    "added": lambda: report_of(compared(None, published())),
    "removed": lambda: report_of(compared(published(), None)),
    "hostile": hostile,
}
reports = pytest.mark.parametrize("name", REPORTS)

# The part of SARIF 2.1.0 that the gate writes, stricter than the standard: what it requires of each object
# (sections 3.13 to 3.30), no property beside those named, and what code scanning needs to match alerts.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "pattern": "^https://"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "semanticVersion", "rules"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id", "shortDescription"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": LEVEL},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "exitCode": {"type": "integer"},
                            },
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "ruleId",
                                "ruleIndex",
                                "level",
                                "message",
                                "locations",
                                "partialFingerprints",
                            ],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "message": TEXT,
                                "properties": {"type": "object"},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                                },
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "required": ["uri"],
                                                        "properties": {
                                                            "uri": {"type": "string", "pattern": r"^[!-~]+$"},
                                                            "uriBaseId": {"const": "%SRCROOT%"},
                                                        },
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "required": ["startLine"],
                                                        "properties": {
                                                            "startLine": {"type": "integer", "minimum": 1}
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                                "suppressions": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["kind"],
                                        "properties": {
                                            "kind": {"enum": ["inSource", "external"]},
                                            "status": {"enum": ["accepted", "underReview", "rejected"]},
                                            "justification": {"type": "string"},
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}

# The fields that GitLab's documentation requires of every entry, and the values it knows.
CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"enum": list(kinds())},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}

JUNIT = """<?xml version="1.0"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:attributeGroup name="totals">
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="skipped" type="xs:nonNegativeInteger" use="required"/>
  </xs:attributeGroup>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element ref="testsuite" minOccurs="1" maxOccurs="unbounded"/></xs:sequence>
    <xs:attributeGroup ref="totals"/>
  </xs:complexType></xs:element>
  <xs:element name="testsuite"><xs:complexType>
    <xs:sequence><xs:element ref="testcase" maxOccurs="unbounded"/></xs:sequence>
    <xs:attributeGroup ref="totals"/>
  </xs:complexType></xs:element>
  <xs:element name="testcase"><xs:complexType>
    <xs:sequence>
      <xs:choice minOccurs="0">
        <xs:element name="skipped"><xs:complexType>
          <xs:attribute name="message" type="xs:string"/>
        </xs:complexType></xs:element>
        <xs:element name="failure"><xs:complexType mixed="true">
          <xs:attribute name="type" type="xs:string" use="required"/>
          <xs:attribute name="message" type="xs:string" use="required"/>
        </xs:complexType></xs:element>
      </xs:choice>
      <xs:element name="system-out" type="xs:string" minOccurs="0"/>
    </xs:sequence>
    <xs:attribute name="classname" type="xs:string" use="required"/>
    <xs:attribute name="name" type="xs:string" use="required"/>
  </xs:complexType></xs:element>
</xs:schema>
"""


@reports
def test_sarif(name):
    report = REPORTS[name]()
    document = json.loads(gate_sarif(report))
    jsonschema.validate(document, SARIF, cls=jsonschema.Draft202012Validator)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(kinds())
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert len(run["results"]) == len(report.changes)
    assert sum(bool(r["suppressions"]) for r in run["results"]) == sum(
        bool(c.approval) for c in report.changes
    )


def test_alerts_keep_their_identity_when_numbers_and_lines_move():
    def alerts(text):
        results = json.loads(gate_sarif(report_of(compared(published(), text))))["runs"][0]["results"]
        return {
            r["partialFingerprints"][FINGERPRINT]: r["properties"]["approvalFingerprint"] for r in results
        }

    first = alerts(edited((KING, LOWERED)))
    second = alerts("# moved down\n\n" + edited((KING, 'pays = "6 to 5"')))
    assert set(first) == set(second)
    assert not set(first.values()) & set(second.values())
    assert len(first) == len(set(first))


@reports
def test_junit(name):
    report = REPORTS[name]()
    text = gate_junit(report)
    document = etree.fromstring(text.encode())
    etree.XMLSchema(etree.fromstring(JUNIT.encode())).assertValid(document)
    for suite in (document, *document.iter("testsuite")):
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures")) == len(list(suite.iter("failure")))
        assert int(suite.get("skipped")) == len(list(suite.iter("skipped")))
    assert (document.get("failures") == "0") is report.passes
    assert int(document.get("failures")) == len({(each.game, each.kind.id) for each in report.against})


def test_junit_of_a_new_game_passes_what_one_state_can_show():
    root = etree.fromstring(gate_junit(REPORTS["added"]()).encode())
    passed = {
        case.get("name", "").split(":")[0]
        for case in root.iter("testcase")
        if case.find("skipped") is None and case.find("failure") is None
    }
    assert {"claim-stale", "printed-figure-wrong", "return-above-100", "recovered-from-nothing"} <= passed
    assert "return-changed" not in passed


@reports
def test_code_quality(name):
    report = REPORTS[name]()
    entries = json.loads(gate_code_quality(report))
    jsonschema.validate(entries, CODE_QUALITY)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert len(entries) == sum(change.approval is None for change in report.changes)


@reports
def test_markdown_begins_with_its_marker_and_table(name):
    text = gate_markdown(REPORTS[name]())
    lines = text.splitlines()
    assert lines[0] == MARKER
    assert lines[1].startswith("### ")
    assert len(text) < 65_536
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        columns = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(columns) == 1


def test_words_of_a_submission_stay_words():
    text = gate_markdown(hostile())
    assert "<img" not in text
    assert "![" not in text
    assert "@everyone" not in text
    assert text.count("</details>") == text.count("<details>")
    assert "https://" not in text
    annotations = gate_annotations(hostile())
    assert all(line.startswith(("::error ", "::warning ")) for line in annotations.splitlines())


def test_what_a_terminal_would_obey_is_not_printed():
    report = partly_approved()
    game = report.games[0]
    spoken = tuple(replace(c, message="a\x1b[31mb\rc\nd") for c in game.changes)
    text = gate_text(report_of(replace(game, changes=spoken)))
    assert "\x1b" not in text
    assert "\r" not in text
    assert r"a\x1b[31mb\rc\nd" in text


FORMS = tuple(FORMATS.values())


def texts(value):
    """Every text that a program reads from a JSON document, keys included."""
    if isinstance(value, dict):
        return [*value, *(text for part in value.values() for text in texts(part))]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("form", FORMS)
def test_no_output_carries_what_a_reader_does_not_see(form):
    odd = "two\u200b\u202e\u3164\ufe0f\x1b[8m\x00\udce9\u2028words"
    report = partly_approved()
    game = report.games[0]
    said = [
        replace(c, message=odd, subject=odd, before=odd, after=odd, path=f"{odd}.toml", approval=None)
        for c in game.changes
    ]
    approval = replace(report.changes[0].approval or Approval(*["x"] * 9), reason=odd, approved_by=odd)
    said[0] = replace(said[0], approval=approval)
    text = form(report_of(replace(game, game=odd, changes=tuple(said))))
    assert "u200b" in text
    assert "u202e" in text
    assert unseen_in(text, "\n") is None
    if form in (FORMATS["json"], gate_sarif, gate_code_quality):
        assert not [told for told in texts(json.loads(text)) if unseen_in(told, "\n")]
    if form is gate_junit:
        read = list(etree.fromstring(text.encode()).iter())
        told = [part for one in read for part in (*one.values(), one.text or "")]
        assert not [part for part in told if unseen_in(part, "\n")]


def test_markdown_of_a_thousand_changes_stays_below_the_limit():
    report = changed()
    game = report.games[0]
    many = tuple(replace(game.changes[n % 6], subject=f"subject {n}") for n in range(2000))
    text = gate_markdown(report_of(replace(game, changes=many)))
    assert LIMIT - 3000 < len(text) <= LIMIT
    assert "the JSON of this run has them all" in text
    assert text.index("-1/120") < 2000


def test_annotations_are_the_worst_and_not_too_many():
    report = changed()
    lines = gate_annotations(report).splitlines()
    assert 0 < len(lines) <= SHOWN
    assert "claim-stale" in lines[0]
    assert "line=" in lines[0]
    game = report.games[0]
    many = tuple(replace(game.changes[-1], severity=Severity.MINOR, message="a\nb%") for _ in range(30))
    flood = report_of(replace(game, changes=(*many, *game.changes)))
    assert len(gate_annotations(flood).splitlines()) == SHOWN
    assert "claim-stale" in gate_annotations(flood).splitlines()[0]
    assert "%0Ab%25" in gate_annotations(flood)


@reports
def test_json_and_text(name):
    report = REPORTS[name]()
    document = json.loads(FORMATS["json"](report))
    assert document["schema"] == "certify-gate/1"
    assert (document["verdict"] == "satisfied") is report.passes
    assert sum(document["counts"].values()) + document["approved"] == len(document["changes"])
    text = gate_text(report)
    assert text.startswith("may be merged" if report.passes else "may not be merged")
    assert all(change.fingerprint in text for change in report.changes)


def test_both_returns_and_every_verdict_are_in_the_outputs():
    report = open_card()
    found = json.loads(FORMATS["json"](report))["games"][0]
    ante = found["wagers"]["ante"]
    assert ante["return_on_total_wagered"]["before"] == "1495185/1239389"
    assert ante["total_wagered"]["before"] == "1763/780"
    assert ante["edge"] == {"before": "the player", "after": "the player"}
    assert len(found["printed"]) == 49
    (aces,) = (entry for entry in found["printed"] if entry["subject"] == "printed_rows/TWO ACES")
    assert aces["after"]["slips"] == ["tie: printed 6/820, counted 5/820"]
    assert found["exposure"] == {"before": "75.00", "after": "60.00", "delta": "-15.00", "currency": "USD"}
    on_total = percent(Fraction(ante["return_on_total_wagered"]["after"]))
    for text in (gate_text(report), gate_markdown(report), gate_junit(report), gate_sarif(report)):
        assert on_total in text
        assert "printed 790, exact 780" in text
    home = json.loads(FORMATS["json"](report))["games"][1]["wagers"]["ante"]
    assert home["return_on_total_wagered"] is None


def test_a_path_with_spaces_is_a_uri():
    report = changed()
    game = report.games[0]
    moved = replace(game, changes=tuple(replace(c, path="my games/½.toml") for c in game.changes))
    document = json.loads(gate_sarif(report_of(moved)))
    jsonschema.validate(document, SARIF)
    location = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "my%20games/%C2%BD.toml"
    absolute = replace(
        game, changes=tuple(replace(c, path=str(Path("/x y/game.toml"))) for c in game.changes)
    )
    first = json.loads(gate_sarif(report_of(absolute)))["runs"][0]["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///x%20y/game.toml"}

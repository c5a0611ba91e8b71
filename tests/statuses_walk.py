"""Every status that a pack tells, by what it is told of: in evidence, report, tables and on the command line."""

import csv
import io
from html.parser import HTMLParser

WORST_FIRST = (
    "not satisfied",
    "inconclusive",
    "fitted",
    "shown on the reference",
    "satisfied",
    "not applicable",
)


def worst(words):
    """The status of several results together, told here once more and not taken from the software."""
    return min(words, key=WORST_FIRST.index)


class _Facts(HTMLParser):
    """Statuses of a page by the fact that they are told of."""

    def __init__(self):
        super().__init__()
        self.found: dict[str, set[str]] = {}

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        if told.get("data-fact"):
            self.found.setdefault(str(told["data-fact"]), set()).add(str(told["data-status"]))


def of_page(html):
    """Statuses of the HTML report: cover, summary, matrix and chapters."""
    page = _Facts()
    page.feed(html)
    return page.found


def of_evidence(evidence):
    """Statuses of the evidence."""
    found = {"statement": {evidence["report"]["statement"]["verdict"]}}
    by_check = {}
    for one in evidence["observations"]:
        by_check.setdefault(one["check"], []).append(one["verdict"])
        if one["check"] == "returns.claim-holds" and one["subject"]:
            found.setdefault(f"claim/{one['subject']}", set()).add(one["verdict"])
    found |= {f"check/{check}": {worst(words)} for check, words in by_check.items()}
    for one in evidence["claims"]:
        found.setdefault(f"claim/{one['wager']}", set()).add(one["status"])
    for one in evidence["clauses"]:
        found[f"clause/{one['id']}"] = {one["status"]}
    for one in evidence["rounds"]["situations"]:
        found[f"situation/{one['id']}"] = {one["verdict"]}
    places = evidence["report"]["statement"]["jurisdictions"]
    return found | {f"jurisdiction/{name}": {verdict} for name, verdict in places.items()}


def of_tables(files):
    """Statuses of the CSV tables of a pack."""
    found = {}
    by_check = {}
    for row in csv.DictReader(io.StringIO(files["data/observations.csv"].decode(), newline="")):
        by_check.setdefault(row["check"], []).append(row["verdict"])
        if row["check"] == "returns.claim-holds" and row["subject"]:
            found.setdefault(f"claim/{row['subject']}", set()).add(row["verdict"])
    for row in csv.DictReader(io.StringIO(files["data/clauses.csv"].decode(), newline="")):
        found.setdefault(f"clause/{row['id']}", set()).add(row["status"])
    for row in csv.DictReader(io.StringIO(files["data/situations.csv"].decode(), newline="")):
        found.setdefault(f"situation/{row['id']}", set()).add(row["verdict"])
    return found | {f"check/{check}": {worst(words)} for check, words in by_check.items()}


def walked(evidence, page, tables):
    """Every status of the evidence, told alike by the report and the tables; the report leaves none of them out."""
    told, shown = of_evidence(evidence), of_page(page)
    assert {fact for fact, words in told.items() if len(words) != 1} == set()
    for found in (shown, of_tables(tables)):
        assert {
            fact: (words, told.get(fact)) for fact, words in found.items() if words != told.get(fact)
        } == {}
    assert shown.keys() <= told.keys()
    # Clauses that do not apply stand together in one sentence; nothing else is left out.
    numbers = {f"clause/{clause['id']}": clause["number"] for clause in evidence["clauses"]}
    for fact in told.keys() - shown.keys():
        assert told[fact] == {"not applicable"}, fact
        assert numbers[fact] in page, fact
    return told

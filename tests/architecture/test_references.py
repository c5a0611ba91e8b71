"""Everything that is cited stands among the references of the report, with title, edition and date."""

import re
from pathlib import Path

import pytest
from report_evidence import REPORTS, stored
from representatives import firsts

from certify.clauses import CATALOGUES, references
from certify.report.pdf import render_html

ROOT = Path(__file__).parents[2]

CITED = re.compile(
    r"\b(?:ISO(?:/IEC)? [0-9]{4,5}|(?:NIST )?SP 800-[0-9]+[A-Z]?|FIPS [0-9]+|RFC [0-9]+|GLI-[0-9]+|[0-9]+ CFR [0-9.]+"
    r"|[0-9]+ IAC|N\.J\.A\.C\.|[0-9]+ Pa\. Code|ETSI EN [0-9]+ [0-9]+(?:-[0-9]+)?|PAdES|PDF/UA|PDF/A|RTS [0-9]+"
    r"|AIS [0-9]+|IEEE [0-9]+"
    r"|NMAC|ARSD|W\.Va\. Code|CycloneDX|ECMA-[0-9]+|in-toto|Holm\b)"
)
"""How standards, laws and methods are cited."""


def not_listed(text: str) -> set[str]:
    """Citations of a text that no reference of the report covers."""
    return {found for found in CITED.findall(text) if not any(one.is_cited_in(found) for one in references())}


def test_everything_that_pages_catalogues_and_checks_cite_stands_among_the_references() -> None:
    sources = [
        *(ROOT / "certify").rglob("messages/**/*.toml"),
        *(ROOT / "certify/clauses/catalogues").glob("*.toml"),
        ROOT / "certify/clauses/jurisdictions.toml",
        *(ROOT / "certify/clauses").rglob("*.py"),
        *(ROOT / "certify/certification").glob("*.py"),
        *(ROOT / "report_templates").rglob("*.j2"),
        *(ROOT / "certify/rounds").glob("obligations.py"),
    ]
    missing = {
        (path.name, found)
        for path in sources
        for found in not_listed(
            "\n".join(
                line for line in path.read_text("utf-8").split("\n") if not line.lstrip().startswith("#")
            )
        )
    }
    assert missing == set()


@pytest.mark.parametrize("path", firsts(sorted(REPORTS.glob("*.json.xz"))), ids=lambda path: path.name)
def test_every_page_lists_what_it_cites(path: Path) -> None:
    page = re.sub(r"<[^>]+>", " ", render_html(stored(path)).decode())
    before, _, rest = page.partition("Normative references")
    listed, _, after = rest.partition("Declarations of the client")
    missed = {
        found
        for found in CITED.findall(before + after)
        if not any(one.is_cited_in(found) and one.short in listed for one in references())
    }
    assert missed == set()


def test_a_citation_that_is_not_among_the_references_is_found() -> None:
    assert not_listed("as FIPS 140 and ISO/IEC 17025:2017 ask, by RFC 9999") == {"FIPS 140", "RFC 9999"}


def test_each_reference_states_title_edition_and_date_and_every_catalogue_is_one() -> None:
    assert all(one.title and one.edition and one.published for one in references())
    assert {one.catalogue for one in references() if one.catalogue} == set(CATALOGUES)

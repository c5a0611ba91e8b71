"""The parties file: who tested for whom, where and how otherwise; what it says stands in report and pack."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_sample import small_evidence

from certify.certification.par_files import parties_bytes
from certify.errors import InputError
from certify.evidence.encode import plain
from certify.evidence.report import Engagement, Head, Issuer
from certify.issue.parties import NOT_STATED, Parties, read_parties, require_parties
from certify.report.pdf import render_html

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
    assert again is not None
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
        ('laboratori = "x"', "unknown key 'laboratori'"),
        ("tested_by = 7", "tested_by is 7: expected a text"),
        ('received = "yesterday"', "expected a day such as 2026-11-20"),
        ("received = 2026-11-20T10:00:00Z", "expected a day"),
        ('deviations = "none"', "expected a list of texts"),
        ('deviations = [""]', "expected a list of texts"),
        ("deviations = [" + '"x",' * 51 + "]", "at most 50"),
        (SAMPLE + OTHER + SAMPLE, "two samples are of 'decks.bin': expected one"),
        (SAMPLE.replace("how", "why"), "samples[1]: unknown key 'why'"),
        (OTHER + SAMPLE.replace('attested_by = "C. Head"', ""), "samples[2] states no attested_by"),
        (OTHER + SAMPLE.replace('"C. Head"', '" "'), "samples[2] states no attested_by"),
        ('declarations = ["  "]', "expected a list of texts"),
        (OTHER.replace("a" * 64, "A" * 64), "sha256: expected 64 hexadecimal digits in lower case"),
        ("samples = 7", "samples: expected at most 50 tables [[samples]]"),
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


def test_the_report_prints_what_was_stated_and_never_the_machine_as_the_place():
    evidence = small_evidence()
    evidence["tool"]["platform"] = "Linux-6.1-x86_64-with-glibc"
    cover = render_html(evidence).decode().partition('id="summary"')[0]
    assert "Linux" not in cover
    assert "Place of testing</th><td>not stated" in cover
    assert "Tested by" not in cover
    evidence["report"]["engagement"] = plain(
        Engagement(
            tested_by="A. Tester",
            reviewed_by="B. Reviewer",
            received="2026-11-20",
            place="Torino",
            deviations=("Shown on the reference.",),
            recommendation="Certify.",
        )
    )
    page = render_html(evidence).decode()
    cover = page.partition('id="summary"')[0]
    for text in ("A. Tester", "B. Reviewer", "20 November 2026", "Place of testing</th><td>Torino"):
        assert text in cover
    assert "Shown on the reference." in page
    assert "Normative references" in page

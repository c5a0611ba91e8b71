"""The view model: tolerant of absent chapters, strict about what must be printed."""

import copy
import hashlib
from fractions import Fraction
from pathlib import Path

import pytest
from evidence_filled import filled, viewed
from hypothesis import given
from hypothesis import strategies as st
from report_sample import sample_evidence
from representatives import firsts

from certify.certification.evidence import plan_evidence
from certify.errors import RenderError
from certify.evidence.analysis import StatedFigures
from certify.evidence.read import read
from certify.messages import NARROW
from certify.report.formats import MINUS, decimal, digit_groups, grouped, p_value
from certify.report.layout import Annex
from certify.report.markup import render_markup
from certify.report.pdf import figures_in
from certify.report.view import build_view, read_evidence

OPTIONAL = {
    "frontier": None,
    "sensitivity": None,
    "recovery": {},
    "joint": {},
    "par": {},
    "analysis": {},
    "strategy_classes": [],
    "clauses": [],
    "obligations": [],
    "findings": [],
    "files": [],
    "readings": [],
    "not_established": [],
    "claims": [],
    "rules": [],
    "witnesses": [],
    "observations": [],
}
"""What a run may have nothing of, and how the evidence says so."""


def without(evidence, *keys):
    """Leaves parts of the evidence empty."""
    for key in keys:
        if OPTIONAL[key] is None:
            del evidence[key]
        else:
            evidence[key] = OPTIONAL[key]


def altered(change):
    evidence = copy.deepcopy(sample_evidence())
    change(evidence)
    return evidence


@pytest.mark.parametrize("key", firsts(list(OPTIONAL), 2))
def test_an_empty_part_is_left_out_and_the_rest_still_renders(key):
    report = viewed(altered(lambda evidence: without(evidence, key)))
    markup = render_markup(report, "screen")
    assert [section.number for section in report.sections] == [
        str(number) for number in range(1, len(report.sections) + 1)
    ]
    assert report.sections[-1].id == "authorisation"
    assert "END OF REPORT" in markup


def test_everything_optional_can_be_empty_at_once():
    evidence = altered(lambda evidence: without(evidence, *OPTIONAL))
    assert "END OF REPORT" in render_markup(viewed(evidence), "print")


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (("report", "number"), "/report/number"),
        (("report", "statement", "verdict"), "/report/statement/verdict"),
        (("run", "seed"), "/run/seed"),
        (("item", "title"), "/item/title"),
        (("tool", "lock_sha256"), "/tool/lock_sha256"),
        (("observations", 0, "verdict"), "/observations/0/verdict"),
        (("randomness",), "/randomness"),
        (("randomness", "alpha"), "/randomness/alpha"),
    ],
)
def test_a_missing_value_is_named_by_its_path(path, named):
    def remove(evidence):
        node = evidence
        for step in path[:-1]:
            node = node[step]
        del node[path[-1]]

    with pytest.raises(RenderError, match=f"{named}: is missing"):
        build_view(*read_evidence(altered(remove)))


@pytest.mark.parametrize("messages", [[], [{"id": "no.such-message", "parameters": {}}]])
def test_a_sentence_whose_messages_cannot_be_said_is_refused(messages):
    def spoil(evidence):
        evidence["report"]["statement"]["messages"] = {"sentence": messages}

    with pytest.raises(RenderError, match=r"messages\.sentence of Statement"):
        viewed(altered(spoil))


def test_an_invented_verdict_is_refused():
    with pytest.raises(RenderError, match="'passed'"):
        viewed(altered(lambda evidence: evidence["observations"][0].update(verdict="passed")))


@pytest.mark.parametrize("certainty", ["S", "P"])
def test_a_clause_not_read_verbatim_is_never_satisfied(certainty):
    with pytest.raises(RenderError, match="only clauses read verbatim"):
        viewed(altered(lambda evidence: evidence["clauses"][0].update(certainty=certainty)))


def test_an_unverified_clause_is_never_printed():
    with pytest.raises(RenderError, match="unverified"):
        viewed(altered(lambda evidence: evidence["clauses"][3].update(certainty="U")))


def test_another_schema_is_refused():
    with pytest.raises(RenderError, match="certify-evidence/3"):
        viewed(altered(lambda evidence: evidence.update(schema="certify-evidence/1")))


@pytest.mark.parametrize("word", ["0.5", "1/0", "half"])
def test_what_is_not_a_fraction_is_refused(word):
    def spoil(evidence):
        evidence["analysis"]["main-optimal"]["wagers"]["main"]["return"] = word

    with pytest.raises(RenderError, match="/analysis/main-optimal/wagers/main/return: expected a fraction"):
        viewed(altered(spoil))


def test_known_answers_that_were_not_all_reproduced_are_not_satisfied():
    def fail(evidence):
        evidence["rng"]["known_answers"][0].update(passed=14)
        evidence["observations"][0].update(check="rng.known-answers", verdict="not satisfied")

    report = viewed(altered(fail))
    assert report.generator is not None
    assert report.generator.known_answers is not None
    assert report.generator.known_answers.rows[0][-1].text == "not satisfied"
    assert report.summary.lines is not None
    assert "not satisfied" in [row[-1].text for row in report.summary.lines.rows]


def test_one_failed_wager_fails_its_line_of_the_summary():
    def fail(evidence):
        evidence["simulation"]["campaigns"][0]["wagers"][1]["verdict"] = "not satisfied"

    lines = viewed(altered(fail)).summary.lines
    assert lines is not None
    assert lines.rows[0][-1].text == "not satisfied"


def test_the_printed_percentages_are_those_of_the_evidence():
    evidence = sample_evidence()
    table = viewed(evidence).mathematics.returns
    assert table is not None
    exact = Fraction(evidence["analysis"]["main-optimal"]["wagers"]["partita-perfetta"]["return"])
    assert table.rows[1][2].text == f"{float(100 * exact):.8f}{NARROW}%"


def test_the_one_candidate_that_fits_is_marked_alone():
    (main, *_) = viewed(sample_evidence()).mathematics.recoveries
    assert main.candidates is not None
    cells = [cell for row in main.candidates.rows for cell in row[1:]]
    assert len(cells) == 28
    assert [cell.text for cell in cells if cell.kind == "fit"] == ["✓ 99.53848"]


def test_every_figure_has_its_own_name_and_describes_itself_with_numbers():
    figures = list(figures_in(viewed(sample_evidence())))
    assert len({figure.name for figure in figures}) == len(figures) == 13
    for figure in figures:
        assert len(figure.alternative) > 80
        assert any(character.isdigit() for character in figure.alternative)


def test_drawings_do_not_depend_on_anything_but_the_evidence():
    first, second = (list(figures_in(viewed(sample_evidence()))) for _ in range(2))
    assert [figure.drawing for figure in first] == [figure.drawing for figure in second]


def test_a_long_fraction_is_set_once_in_the_annex():
    annex = Annex()
    long = Fraction(10**30 + 1, 10**31)
    assert annex.cell(Fraction(1, 60), "short").text == "1/60"
    assert annex.cell(long, "a return").text == "F1"
    assert annex.cell(long, "the same, elsewhere").text == "F1"
    (entry,) = annex.fractions()
    assert entry.quantities == ("a return", "the same, elsewhere")
    assert entry.numerator.replace(" ", "") == str(10**30 + 1)


def test_what_lies_between_bounds_is_never_set_as_a_fraction():
    annex = Annex()
    for value, ends in (
        (Fraction(1, 60), "0.0156 to 0.0177"),
        (Fraction(10**30 + 1, 10**31), "0.0990 to 0.1011"),
    ):
        assert annex.cell(value, "a variance", off=Fraction(1, 1000)).text == ends
    assert annex.fractions() == ()


@given(st.integers(min_value=-(10**40), max_value=10**40))
def test_grouping_keeps_every_digit(value):
    assert int(grouped(value).replace(NARROW, "").replace(MINUS, "-")) == value


@given(st.fractions(), st.integers(min_value=1, max_value=12))
def test_a_decimal_is_within_half_a_unit_of_its_last_place(value, places):
    shown = Fraction(decimal(value, places).replace(NARROW, "").replace(MINUS, "-"))
    assert abs(shown - value) <= Fraction(1, 2 * 10**places)


@given(st.integers(min_value=0, max_value=10**120))
def test_digit_groups_lose_nothing(value):
    groups = digit_groups(str(value)).split(" ")
    assert "".join(groups) == str(value)
    assert all(len(group) <= 10 for group in groups)


@given(st.floats(min_value=0, max_value=1))
def test_a_p_value_never_looks_like_zero(value):
    shown = p_value(value).replace(MINUS, "-").removeprefix("< ")
    assert float(shown) > 0 or 0 < value < 1e-320


def test_every_font_file_is_listed_with_its_digest():
    folder = Path(__file__).parents[2] / "report_templates" / "fonts"
    listed = (folder / "SOURCES.md").read_text()
    for file in folder.iterdir():
        if file.name not in ("SOURCES.md", "fonts.conf"):
            assert f"| `{file.name}` |" in listed
            assert hashlib.sha256(file.read_bytes()).hexdigest() in listed


def composed(hand, composition, best, *, reachable=True):
    values = {"hit": "1/10", "stand": "-1/10"} if best == "hit" else {"hit": "-1/5", "stand": "0"}
    decision = {"hand": hand, "composition": composition, "dealer": None, "best": best}
    return {**decision, "values": values, "probability": "1/10" if reachable else "0"}


def test_a_long_strategy_is_charted_by_cards_and_leaves_out_only_the_usual_decision():
    decisions = [
        composed("A" + "+face" * faces, [1, 0, 0, 0, 0, 0, 0, faces, 0], "hit" if faces < 4 else "stand")
        for faces in range(9)
    ]
    for rank in range(1, 7):
        decisions += [
            composed("x" + "+face" * faces, [0] * rank + [1] + [0] * (6 - rank) + [faces, 0], "stand")
            for faces in range(9)
        ]
    unreachable = composed("A+A", [2, 0, 0, 0, 0, 0, 0, 0, 0], "hit", reachable=False)

    def replace(evidence):
        evidence["analysis"]["main-optimal"]["decisions"] = [*decisions, unreachable]

    chart = viewed(altered(replace)).mathematics.chart
    assert chart is not None
    assert [[cell.text for cell in row] for row in chart.chart.rows] == [["A", *"HHHHSSSSS"]]
    assert "63 hands can be met" in chart.chart.remark
    assert "the 54 without a row here: stand" in chart.chart.remark
    assert chart.closest is not None
    assert chart.advantage is None


def test_the_adopted_paytable_is_marked_among_those_that_fit():
    table = viewed(sample_evidence()).mathematics.recoveries[1].fits[0]
    assert table.rows[0][-1].text == "✓ adopted"
    assert "of 31 shown" in table.remark


def test_the_summary_ticks_the_strategies_under_which_a_printed_return_holds():
    def miss(evidence):
        for claim in evidence["analysis"]["always-second-card"]["wagers"]["main"]["claims"]:
            claim["holds"] = False

    returns = viewed(altered(miss)).summary.returns
    assert returns is not None
    assert [cell.text.startswith("≈") for cell in returns.rows[0][2:]] == [True, False]
    assert [(cell.fact, cell.status) for cell in returns.rows[0][2:]] == [("claim/main", "fitted"), ("", "")]


def test_a_heading_from_the_evidence_may_hold_any_sign():
    def rename(evidence):
        evidence["wagers"][0]["title"] = "#odd: title:20"

    report = viewed(altered(rename))
    assert report.simulation is not None
    (marks,) = report.simulation.campaigns[0].marks
    assert marks.columns[1].title == "#odd: title:20"


def backwards(value):
    """The same JSON value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(member) for member in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_the_order_of_keys_tells_nothing():
    evidence = sample_evidence()
    markup = render_markup(viewed(evidence), "print")
    assert render_markup(viewed(backwards(evidence)), "print") == markup
    assert markup.index("Exact, main-optimal") < markup.index("Exact, always-second-card")


def test_charts_of_two_campaigns_are_told_apart():
    simulation = viewed(sample_evidence()).simulation
    assert simulation is not None
    first, second = simulation.campaigns
    assert not {figure.name for figure in figures_in(first)} & {figure.name for figure in figures_in(second)}


def test_a_check_has_one_row_whatever_the_number_of_its_subjects():
    def many(evidence):
        one = {
            "check": "returns.floor",
            "title": "Each wager returns enough",
            "verdict": "satisfied",
            "item": "submission",
        }
        evidence["observations"] = [
            {
                **one,
                "expected": "at least 75 %",
                "observed": f"9{n}.1 % of wager number {n}",
                "subject": f"w{n}",
            }
            for n in range(9)
        ]

    table = viewed(altered(many)).conformity.checks
    assert table is not None
    (row,) = table.rows
    assert row[1].lines == (
        f"Expected: at least 75{NARROW}%",
        f"Observed: for example, w0: 90.1{NARROW}% of wager number 0",
    )
    assert (row[2].text, row[2].detail) == ("satisfied", "9 of 9 subjects")
    assert "9 results in 1 checks" in table.remark


def test_every_subject_that_failed_is_named_in_its_row():
    def fail(evidence):
        one = {
            "check": "c",
            "title": "T",
            "item": "submission",
            "expected": "equality of both legs on all decks",
            "observed": "equal",
        }
        evidence["observations"] = [
            {**one, "verdict": "satisfied", "subject": f"a rather long subject number {n}"} for n in range(6)
        ]
        evidence["observations"][2].update(verdict="not satisfied", observed="different")
        evidence["observations"][4].update(verdict="inconclusive", observed="too few", reason="no decks")

    conformity = viewed(altered(fail)).conformity
    assert conformity.checks is not None
    (row,) = conformity.checks.rows
    assert row[1].lines[1] == (
        "Observed: a rather long subject number 2: different; a rather long subject number 4: too few; no decks"
    )
    assert (row[2].text, row[2].detail) == ("not satisfied", "1 of 6 subjects")
    assert conformity.open_checks is not None
    assert len(conformity.open_checks.rows) == 2


def test_the_bias_table_counts_the_ranges_above_what_is_allowed():
    generator = viewed(sample_evidence()).generator
    assert generator is not None
    assert generator.bias_summary is not None
    ours, short, long = ([cell.text for cell in row] for row in generator.bias_summary.rows)
    assert ours[1:] == ["0", "0", "–", "0 of 4", "0 of 4"]
    assert (short[1], short[-2:]) == ("1/196608", ["4 of 4", "4 of 4"])
    assert (long[1], long[-2:]) == ("1/12884901888", ["4 of 4", "0 of 4"])
    assert "secondary reference" in generator.bias_summary.remark


def test_convergence_is_tabulated_at_one_two_and_five_of_every_decade():
    def points(evidence):
        campaign = evidence["simulation"]["campaigns"][0]
        at = campaign["convergence"][0]["wagers"]
        campaign["convergence"] = [
            {"rounds": rounds, "wagers": at} for rounds in (1000, 1300, 2000, 4000, 5000, 10000, 10700)
        ]

    simulation = viewed(altered(points)).simulation
    assert simulation is not None
    (marks,) = simulation.campaigns[0].marks
    shown = [row[0].text.replace(NARROW, "") for row in marks.rows]
    assert shown == ["1000", "2000", "5000", "10000", "10700"]


def test_the_figures_of_all_wagers_together_are_those_of_the_evidence():
    mathematics = viewed(sample_evidence()).mathematics
    together, par = mathematics.together, mathematics.par
    assert together.whole is not None
    assert [cell.text for cell in together.whole.rows[0]][3:] == [
        f"{MINUS}0.300000",
        "96.2000",
        "481/5",
        "9.80816",
    ]
    assert together.covariance is not None
    assert len(together.covariance.rows) == 6
    assert [frontier.constant != "" for frontier in together.frontiers] == [True, False]
    assert together.frontiers[1].pieces is not None
    assert together.frontiers[1].pieces.rows[1][-1].text == "now hit on a single 5"
    assert together.pays is not None
    assert together.pays.rows[0][-1].text == "+45.0000"
    assert together.rules is not None
    assert [cell.text for cell in together.rules.rows[0]][1:] == ["a tie is a push", "0", "0", "0"]
    assert par is not None
    assert len(par.bands) == 3
    assert [cell.text for cell in par.bands[0].rows[0]][-1] == "16"


def test_ruin_that_was_not_carried_from_round_to_round_is_said_to_be_left_out():
    def add(evidence):
        evidence["par"]["main"]["house_ruin"] = [{"bankroll": 100, "rounds": 100, "probability": 0.25}]

    par = viewed(altered(add)).mathematics.par
    assert par is not None
    player, house = par.ruin
    carried = "Carried from round to round."
    assert [cell.text for cell in house.rows[0]] == ["100", "100", "0.250"]
    assert (player.remark, house.remark.startswith(f"{carried} Where there is a dash or no column")) == (
        "",
        True,
    )


def test_an_issuer_that_is_not_stated_is_said_to_be_none():
    def nameless(evidence):
        evidence["report"]["issuer"] = {"name": "Not stated", "address": ""}

    markup = render_markup(viewed(altered(nameless)), "print")
    assert "Issuer: not stated (self-assessment)" in markup
    named = altered(lambda evidence: evidence["report"].update(authorised_by="A. Person, head of testing"))
    assert "A. Person, head of testing" in render_markup(viewed(named), "print")


def test_jurisdictions_choices_and_a_recalled_round_are_printed_where_the_evidence_has_them():
    limit = {"value": "17/20", "source": "Some Code 1.2", "certainty": "S"}

    def judge(evidence):
        evidence["regime"] = {
            "jurisdictions": [
                {"name": "x", "title": "Land X", "catalogues": ["gli-19"], "limits": {"least_return": limit}}
            ],
            "catalogues": [{"id": "gli-19", "name": "GLI-19", "edition": "3.0", "sha256": "0" * 64}],
        }
        evidence["rounds"]["recalled"] = [{"round_id": "r-1", "stakes": "main 12300", "status": "complete"}]
        evidence["clauses"][0]["applies"] = "games dealt from a deck of cards"

    report = viewed(altered(judge))
    assert ("Jurisdictions", "Land X") in [(fact.label, fact.value.text) for fact in report.cover.facts]
    assert report.clauses is not None
    assert report.clauses.jurisdictions is not None
    assert report.clauses.jurisdictions.rows[0][2].lines == (
        f"least return: 85{NARROW}% (Some Code 1.2, secondary reference)",
    )
    assert "applies to games dealt from a deck of cards" in report.clauses.tables[0].rows[0][1].detail
    assert report.terms is not None
    assert report.terms.recalled is not None
    assert [cell.text for cell in report.terms.recalled.rows[0]] == ["Round id", "r-1", "Status", "complete"]
    assert f"12{NARROW}300" in report.terms.recalled.rows[1][1].text


def test_each_test_of_randomness_stands_with_the_risk_of_passing_over_what_it_would_show():
    evidence = copy.deepcopy(sample_evidence())
    (first, *others) = evidence["randomness"]["tests"][:3]
    first["detectable"] = "one deck that was not shuffled at all (found whenever it is there)"
    others[0]["detectable"] = "a correlation of 0.0367 at any one lag (95% power at p < 2e-06)"
    others[1]["detectable"] = "any of 151 generators known by name, from its first 89 numbers"
    evidence["randomness"]["tests"] = [first, *others]
    chapter = viewed(evidence).randomness
    assert chapter is not None
    assert chapter.power is not None
    told = [(row[2].text, row[3].text.replace("\u202f", " ")) for row in chapter.power.rows]
    assert told == [
        ("one deck that was not shuffled at all", "0 %"),
        ("a correlation of 0.0367 at any one lag", "at most 5 %"),
        ("any of 151 generators known by name, from its first 89 numbers", "–"),
    ]


def test_the_decision_rule_covers_results_without_a_margin_and_the_risk_over_all_families():
    rule = plan_evidence({}).decision_rule
    assert "A result that has no margin" in rule
    # Two families: a millionth at once, or one in a hundred twice.
    assert 2 * (Fraction(1, 10**6) + Fraction(1, 10**4)) == Fraction(202, 10**6)
    assert "refused with a probability of at most 0.0202 %" in rule


def test_a_net_result_that_is_no_whole_number_of_stakes_is_printed_with_its_places():
    from certify.report.chapters.mathematics import _outcomes

    def outcome(name, net, pays):
        return {"outcome": name, "net": net, "pays": pays, "probability": "1/4", "contribution": "1/4"}

    lost_in_part = [outcome("insured", "3/2", "3 to 2"), outcome("surrender", "-1/2", None)]
    doubled = outcome("lose-doubled", "-2", None)
    for outcomes, expected in (
        ([*lost_in_part, doubled], ["+1.5", "\u22120.5", "\u22122"]),
        (lost_in_part, ["3 to 2", "\u22120.5"]),
    ):
        figures = read(StatedFigures, filled({"outcomes": outcomes}, StatedFigures))
        assert isinstance(figures, StatedFigures)
        found = _outcomes("Bet", figures, Annex(), "stake", in_file=True)
        assert [row[1].text.replace("\u202f", " ") for row in found.outcomes.rows] == expected


def test_odds_of_an_outcome_between_bounds_are_told_to_be_about_that():
    from certify.report.chapters.mathematics import _outcomes

    exact = {"outcome": "main:win", "pays": "1 to 1", "net": "1", "probability": "1/4", "contribution": "1/2"}
    bounded = {**exact, "outcome": "main:lose", "off": {"probability": "1/1000000"}}
    figures = read(StatedFigures, filled({"outcomes": [exact, bounded]}, StatedFigures))
    assert isinstance(figures, StatedFigures)
    one, other = _outcomes("Bet", figures, Annex(), "stake", in_file=True).outcomes.rows
    assert [cell.text.startswith("≈") for cell in one[2:5]] == [False] * 3
    assert [cell.text for cell in other[2:5]] == [f"≈{cell.text}" for cell in one[2:5]]
    assert other[3].text == "≈1 in 4.0"


def test_where_a_file_lists_all_tests_the_page_shows_the_five_of_the_greatest_risk():
    evidence = copy.deepcopy(sample_evidence())
    (test, *_) = evidence["randomness"]["tests"]
    evidence["randomness"]["tests"] = [
        {
            **test,
            "suite": f"suite-{place // 2}",
            "detectable": f"effect {place} ({99 - place}% power at p < 0.01)",
        }
        for place in range(16)
    ]
    named = {**evidence["files"][0], "name": "data/tests.csv"}
    evidence["files"] = [one for one in evidence["files"] if one["name"] != named["name"]]
    whole = viewed(evidence).randomness.power
    evidence["files"] = [*evidence["files"], named]
    short = viewed(evidence).randomness.power
    assert whole is not None
    assert short is not None
    assert len(whole.rows) == 16
    assert [row[0].detail for row in short.rows] == [f"suite-{place}" for place in (7, 6, 5, 4, 3)]
    assert [row[2].text for row in short.rows] == [f"effect {place}" for place in (15, 13, 11, 9, 7)]
    assert "data/tests.csv" in short.remark

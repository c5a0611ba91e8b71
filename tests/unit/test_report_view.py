"""The view model: tolerant of absent chapters, strict about what must be printed."""

import copy
import difflib
import hashlib
import re
from fractions import Fraction
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from evidence_filled import filled, viewed
from hypothesis import given, strategies as st
from report_patent import lines
from report_sample import sample_evidence
from representatives import firsts

from certify.certification.evidence import plan_evidence
from certify.cli.operator_items import round_system
from certify.errors import RenderError
from certify.evidence import StatedFigures
from certify.evidence.encode import plain
from certify.evidence.read import evidence_of, read
from certify.messages import NARROW, say
from certify.report.chapters.mathematics import _outcomes
from certify.report.formats import MINUS, decimal, digit_groups, grouped, p_value
from certify.report.layout import Annex
from certify.report.markup import render_markup
from certify.report.pdf import figures_in
from certify.report.view import build_view, read_evidence
from certify.rounds.conformance.conform import ConformanceReport
from certify.rounds.conformance.promise import Breach, PromiseId

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


def without(*keys):
    """Returns the sample with parts of it empty."""
    evidence = copy.deepcopy(sample_evidence())
    for key in keys:
        if OPTIONAL[key] is None:
            del evidence[key]
        else:
            evidence[key] = OPTIONAL[key]
    return evidence


def placed(evidence, path):
    """Returns what holds a value of the evidence, and its key or place there."""
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("/"))
    return reduce(getitem, steps, evidence), last


def altered(changes):
    """Returns the sample with other values at some paths, or what a function makes of the value there."""
    evidence = copy.deepcopy(sample_evidence())
    for path, value in changes.items():
        node, last = placed(evidence, path)
        node[last] = value(node[last]) if callable(value) else value
    return evidence


@pytest.mark.parametrize("key", firsts(list(OPTIONAL), 2))
def test_an_empty_part_is_left_out_and_the_rest_still_renders(key):
    report = viewed(without(key))
    markup = render_markup(report, "screen")
    assert [section.number for section in report.sections] == [
        str(number) for number in range(1, len(report.sections) + 1)
    ]
    assert report.sections[-1].id == "authorisation"
    assert "END OF REPORT" in markup


def test_everything_optional_can_be_empty_at_once():
    assert "END OF REPORT" in render_markup(viewed(without(*OPTIONAL)), "print")


def test_every_figure_has_its_own_name_and_describes_itself_with_numbers():
    figures = list(figures_in(viewed(sample_evidence())))
    assert len({figure.name for figure in figures}) == len(figures) == 7
    for figure in figures:
        assert len(figure.alternative) > 80
        assert any(character.isdigit() for character in figure.alternative)


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


def test_the_decision_rule_covers_results_without_a_margin_and_the_risk_over_all_families():
    simulated = evidence_of(sample_evidence()).simulation
    asked = [one for campaign in simulated.campaigns for one in campaign.wagers if one.equivalence.asked]
    rule = plan_evidence({}, simulated).decision_rule
    assert "Some results have no margin" in rule
    # Twice a millionth at once; a hundredth of what is in doubt: by p-values, or by one of six margins.
    assert len(asked) == 6
    assert 2 * Fraction(1, 10**6) + Fraction(1, 100) * (Fraction(7, 100) + Fraction(1, 100)) == Fraction(
        802, 10**6
    )
    assert "rejected with a probability of at most 0.0802 %" in rule
    assert "A first sample of play-through is borderline with a probability of at most 7 %" in rule


def test_a_net_result_that_is_no_whole_number_of_stakes_is_printed_with_its_places():
    def outcome(name, net, pays):
        return {"outcome": name, "net": net, "pays": pays, "probability": "1/4", "contribution": "1/4"}

    lost_in_part = [outcome("insured", "3/2", "3 to 2"), outcome("surrender", "-1/2", None)]
    doubled = outcome("lose-doubled", "-2", None)
    for outcomes, expected in (
        ([*lost_in_part, doubled], ["+1.5", "\u22120.5", "\u22122"]),
        (lost_in_part, ["3 to 2", "\u22120.5"]),
    ):
        figures = read(StatedFigures, filled({"outcomes": outcomes}, StatedFigures))
        found = _outcomes("Bet", figures, Annex(), "stake")
        assert [row[1].text.replace("\u202f", " ") for row in found.rows] == expected


def test_odds_of_an_outcome_between_bounds_are_told_to_be_about_that():
    exact = {"outcome": "main:win", "pays": "1 to 1", "net": "1", "probability": "1/4", "contribution": "1/2"}
    bounded = {**exact, "outcome": "main:lose", "off": {"probability": "1/1000000"}}
    figures = read(StatedFigures, filled({"outcomes": [exact, bounded]}, StatedFigures))
    one, other = _outcomes("Bet", figures, Annex(), "stake").rows
    assert [cell.text.startswith("≈") for cell in one[2:5]] == [False] * 3
    assert [cell.text for cell in other[2:5]] == [f"≈{cell.text}" for cell in one[2:5]]
    assert other[3].text == "≈1 in 4.0"


@pytest.mark.parametrize(
    "path",
    [
        "report/number",
        "report/statement/verdict",
        "run/seed",
        "item/title",
        "tool/lock_sha256",
        "observations/0/verdict",
        "randomness",
        "randomness/alpha",
    ],
)
def test_a_missing_value_is_named_by_its_path(path):
    evidence = copy.deepcopy(sample_evidence())
    node, last = placed(evidence, path)
    del node[last]
    with pytest.raises(RenderError, match=f"/{path}: is missing"):
        build_view(*read_evidence(evidence))


MAIN = "analysis/main-optimal/wagers/main"
REFUSED = {
    "a sentence without messages": ("report/statement/messages", {"sentence": []}, r"messages\.sentence of Statement"),
    "a message that there is not": (
        "report/statement/messages", {"sentence": [{"id": "no.such-message", "parameters": {}}]},
        r"messages\.sentence of Statement",
    ),
    "an invented verdict": ("observations/0/verdict", "passed", "'passed'"),
    "satisfied by a secondary source": ("clauses/0/certainty", "S", "only clauses read verbatim"),
    "satisfied by what is only supposed": ("clauses/0/certainty", "P", "only clauses read verbatim"),
    "an unverified clause": ("clauses/3/certainty", "U", "unverified"),
    "another schema": ("schema", "certify-evidence/1", "certify-evidence/3"),
    **{
        f"{word} for a fraction": (f"{MAIN}/return", word, f"/{MAIN}/return: expected a fraction")
        for word in ("0.5", "1/0", "half")
    },
}  # fmt: skip
"""What no report may print: where the evidence says it, what, and the reason of the refusal."""


@pytest.mark.parametrize(("path", "value", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_no_report_may_print_is_refused(path, value, reason):
    with pytest.raises(RenderError, match=reason):
        viewed(altered({path: value}))


def test_a_page_names_strategies_in_words_and_takes_terms_as_their_choices_state():
    about = (say("finding.about", subject=("Ante", "main-optimal")),)
    title = plain(say("finding.undecided.title", title="The mean", about=about))
    changes = {"terms/printed": {"days": "After 90 days."}, "findings/0/messages": {"title": [title]}}
    shown = printed({**changes, "findings/0/title": "Not decided: The mean (Ante, main-optimal)"})
    assert "Days | 90 | “After 90 days.”" in shown
    assert "F-01 · Not decided: The mean (Ante, optimal play)" in shown


def composed(hand, composition, best, *, reachable=True):
    values = {"hit": "1/10", "stand": "-1/10"} if best == "hit" else {"hit": "-1/5", "stand": "0"}
    decision = {"hand": hand, "composition": composition, "dealer": None, "best": best}
    return {**decision, "values": values, "probability": "1/10" if reachable else "0"}


CHECK = {"check": "returns.floor", "title": "Each wager returns enough", "item": "submission"}
EQUALITY = {
    **CHECK,
    "expected": "equality of both legs on all decks",
    "observed": "equal",
    "verdict": "satisfied",
}
LIMIT = {"value": "17/20", "source": "Some Code 1.2", "certainty": "S"}
FOUND = (
    "one deck that was not shuffled at all (found whenever it is there)",
    "a correlation of 0.0367 at any one lag (95% power at p < 2e-06)",
    "any of 151 generators known by name, from its first 89 numbers",
)
SIXTEEN = {
    "randomness/tests": lambda tests: [
        {**tests[0], "suite": f"suite-{n // 2}", "detectable": f"effect {n} ({99 - n}% power at p < 0.01)"}
        for n in range(16)
    ]
}
BREACH = Breach(PromiseId.SETTLED_ONCE, 2, "refused", "settled again")
BROKEN = plain(
    round_system(
        ConformanceReport(400, 2_000, BREACH, ("deal", "settle"), tally=dict.fromkeys(PromiseId, 1_234)),
        "http://one",
        planned=400,
        version="7",
        sha256=None,
    )
)
ALTERED = {
    "known answers that were not all reproduced": {
        "rng/known_answers/0/passed": 14,
        "observations/0/check": "rng.known-answers",
        "observations/0/verdict": "not satisfied",
    },
    "an operator's round system that breaks a promise": {"brought/system": BROKEN},
    "one wager that failed in a campaign": {"simulation/campaigns/0/wagers/1/verdict": "not satisfied"},
    "a printed return that holds under one strategy": {
        "analysis/always-second-card/wagers/main/claims": lambda claims: [{**one, "holds": False} for one in claims]
    },
    "a title that looks like a heading": {"wagers/0/title": "#odd: title:20"},
    "a strategy of 64 hands, one of which cannot be met": {
        "analysis/main-optimal/decisions": [
            *(
                composed("A" + "+face" * faces, [1, *[0] * 6, faces, 0], "hit" if faces < 4 else "stand")
                for faces in range(9)
            ),
            *(
                composed("x" + "+face" * faces, [*[0] * rank, 1, *[0] * (6 - rank), faces, 0], "stand")
                for rank in range(1, 7)
                for faces in range(9)
            ),
            composed("A+A", [2, *[0] * 8], "hit", reachable=False),
        ]
    },
    "one check of nine subjects": {
        "observations": [
            {**CHECK, "verdict": "satisfied", "expected": "at least 75 %",
             "observed": f"9{n}.1 % of wager number {n}", "subject": f"w{n}"}
            for n in range(9)
        ]
    },
    "subjects of a check that failed": {
        "observations": [{**EQUALITY, "subject": f"a rather long subject number {n}"} for n in range(6)],
        "observations/2/verdict": "not satisfied",
        "observations/2/observed": "different",
        "observations/4": lambda one: {**one, "verdict": "inconclusive", "observed": "too few", "reason": "no decks"},
    },
    "no issuer": {"report/issuer": {"name": "Not stated", "address": ""}},
    "a person who authorised": {"report/authorised_by": "A. Person, head of testing"},
    "a jurisdiction and a choice": {
        "regime": {
            "jurisdictions": [
                {"name": "x", "title": "Land X", "catalogues": ["gli-19"], "limits": {"least_return": LIMIT}}
            ],
            "catalogues": [{"id": "gli-19", "name": "GLI-19", "edition": "3.0", "sha256": "0" * 64}],
        },
        "clauses/0/applies": "games dealt from a deck of cards",
    },
    "what three tests of randomness would show": {
        "randomness/tests": lambda tests: [
            {**test, "detectable": found} for test, found in zip(tests, FOUND, strict=False)
        ]
    },
    "sixteen tests of randomness": SIXTEEN,
    "sixteen tests of randomness that a file lists": {
        **SIXTEEN, "files": lambda files: [*files, {**files[0], "name": "data/tests.csv"}]
    },
}  # fmt: skip
"""Evidence that is altered, by what about it: other values at some paths of the sample."""


def printed(changes):
    """The text of the page, without what changes with any change: its digest, and the numbers of its tables."""
    page = lines(render_markup(viewed(altered(changes)), "screen"))
    return [
        re.sub(r"^Table \d+", "Table", line) for line in page if not line.startswith("Evidence (SHA-256)")
    ]


def test_the_page_of_the_sample_and_what_each_alteration_changes_on_it(kept):
    sample = printed({})
    parts = ["\n".join(sample)]
    for name, changes in ALTERED.items():
        told = difflib.unified_diff(sample, printed(changes), n=0, lineterm="")
        parts.append(
            "\n".join([f"== {name}", *(line for line in told if not line.startswith(("---", "+++", "@@")))])
        )
    kept("report_view.txt", "\n\n".join(parts) + "\n")

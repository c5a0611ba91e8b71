"""Each check has a lie in the results of a faultless run that turns it: what cannot fail shows nothing."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from computing_again import published_run

from certify.certification.conclude import observe
from certify.clauses import Difference, Regime, Results, regime_of
from certify.clauses.registry import checks
from certify.cli.operator_items import round_system
from certify.evidence import Bias, Brought, Orders, Output, SourceText, Streams, Texts
from certify.messages import catalogue
from certify.model import Certainty, Limit, Origin, Outcome, Paytable, Provenance, Verdict, WagerFigures
from certify.rounds.conformance.conform import ConformanceReport
from certify.rounds.conformance.promise import Breach, PromiseId

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def faultless() -> Results:
    results: Results = published_run().results
    return results


def verdicts(results: Results, check: str) -> set[str]:
    return {str(one.verdict) for one in observe({check: checks()[check]}, results)}


def _with_figures(results: Results, change: Callable[[WagerFigures], WagerFigures]) -> Results:
    """The same results with the figures of every wager changed."""
    analyses = {
        name: replace(analysis, wagers=tuple(map(change, analysis.wagers)))
        for name, analysis in results.analyses.items()
    }
    return replace(results, analyses=analyses)


def _paying(by: Fraction) -> Callable[[WagerFigures], WagerFigures]:
    """Every outcome pays so much more, or as much less."""
    return lambda figures: replace(
        figures, outcomes=tuple(replace(one, pays=one.pays + by) for one in figures.outcomes)
    )


def _in_coins(results: Results, least: int = 1, most: int = 3) -> Results:
    """Bets of a few minor units: what is paid in fractions of them is lost by rounding down."""
    first = results.game.wagers[0]
    limits = replace(first.limits, minimum=least, maximum=most)
    game = replace(results.game, wagers=(replace(first, limits=limits),))
    outcomes = (
        Outcome("win", Fraction(-1, 10), Fraction(9, 10)),
        Outcome("lose", Fraction(-1), Fraction(1, 10)),
    )
    return replace(_with_figures(results, lambda one: replace(one, outcomes=outcomes)), game=game)


def _situation(beginning: str) -> Callable[[Results], Results]:
    def lie(results: Results) -> Results:
        told = tuple(
            replace(one, verdict=Verdict.NOT_SATISFIED, trials=1, failures=1)
            if one.id.startswith(beginning)
            else one
            for one in results.exercise.situations
        )
        return replace(results, exercise=replace(results.exercise, situations=told))

    return lie


def _card_test(name: str) -> Callable[[Results], Results]:
    def lie(results: Results) -> Results:
        template = results.randomness.tests[0]
        rejected = replace(template, suite="cards", test=name, verdict="not satisfied", adjusted_p=0.0)
        tests = (*results.randomness.tests, rejected)
        return replace(results, randomness=replace(results.randomness, tests=tests))

    return lie


def _facts(**changes: Any) -> Callable[[Results], Results]:
    def lie(results: Results) -> Results:
        refused = {key: value for key, value in changes.items() if key.endswith("_refused")}
        stated = {key: value for key, value in changes.items() if key not in refused}
        facts = results.rng
        return replace(results, rng=replace(facts, stated=replace(facts.stated, **stated), **refused))

    return lie


def _audit(**changes: int) -> Callable[[Results], Results]:
    return lambda results: replace(results, deck_audit=replace(results.deck_audit, **changes))


def _without_term(name: str) -> Callable[[Results], Results]:
    def lie(results: Results) -> Results:
        terms = results.game.terms
        printed = {key: said for key, said in terms.printed.items() if key != name}
        return replace(results, game=replace(results.game, terms=replace(terms, printed=printed)))

    return lie


def _output(kind: str) -> Callable[[Results], Results]:
    """A file that an operator brought, rejected by one test."""
    told = Output(
        *(
            f"{kind}.bin",
            kind,
            10**6,
            "a" * 64,
            10**6,
            "decks",
            None,
            0.01,
            1,
            1,
            "Holm",
            ("one is rejected",),
            (),
        ),
        verdict=Verdict.NOT_SATISFIED,
    )
    return lambda results: replace(results, brought=Brought((told,)))


def _broken_system(results: Results) -> Results:
    report = ConformanceReport(1, 1, Breach(PromiseId.ANSWERED, 1, "an answer", "none"), ("settle",))
    system = round_system(report, "http://one", planned=1, version="", sha256=None)
    return replace(results, brought=Brought((), system))


def _overstated(results: Results) -> Results:
    """A row is called recovered and uniquely so, and nothing was recovered."""
    wager = results.game.wager("mano-di-poker")
    recovered = Origin(Provenance.RECOVERED, by="claim/1", unique=True)
    rows = tuple(replace(row, origin=recovered) for row in wager.paytable.rows)
    changed = replace(wager, paytable=Paytable(rows))
    wagers = tuple(changed if one.id == wager.id else one for one in results.game.wagers)
    several = next(one for one in results.identifications.values() if one.fits_count != 1)
    found = {**results.identifications, wager.id: several}
    return replace(results, game=replace(results.game, wagers=wagers), identifications=found)


def _regime(**limits: Limit) -> Callable[[Results], Results]:
    def lie(results: Results) -> Results:
        (own,) = results.regime.jurisdictions
        return replace(results, regime=Regime((replace(own, **limits),)))

    return lie


PLANTED: dict[str, Callable[[Results], Results]] = {
    "submission.complete": lambda r: replace(
        r, game=replace(r.game, wagers=tuple(replace(one, paytable=Paytable(())) for one in r.game.wagers))
    ),
    "submission.provenance": _overstated,
    "returns.claim-holds": lambda r: _with_figures(r, _paying(Fraction(1))),
    "returns.two-ways": lambda r: _with_figures(r, _paying(Fraction(1))),
    "returns.not-above-total": lambda r: _with_figures(r, _paying(Fraction(1))),
    "returns.floor": lambda r: _with_figures(r, _paying(Fraction(-1))),
    "returns.local-floor": _regime(least_return=Limit(Fraction(999, 1000), "a law", Certainty.VERBATIM)),
    "returns.at-every-stake": _in_coins,
    "returns.stake-ladder": lambda r: _in_coins(r, 10, 11),
    "strategy.complete": lambda r: replace(
        r, analyses={name: replace(one, decisions=()) for name, one in r.analyses.items()}
    ),
    "awards.reachable": lambda r: replace(r, witnesses=()),
    "awards.top-odds": lambda r: _with_figures(r, _rare),
    "awards.local-odds": _regime(rarest_award=Limit(Fraction(1, 2), "a law", Certainty.VERBATIM)),
    "exposure.stated": lambda r: replace(r, exposure=replace(r.exposure, amount=r.exposure.amount - 1)),
    "agreement.three-settlements": lambda r: replace(
        r,
        agreement=replace(r.agreement, differences=(Difference(0, (1, 2), "main", (("kernel", "win"),)),)),
    ),
    "agreement.two-texts": lambda r: replace(
        r,
        texts=Texts(
            SourceText("one", "a" * 64),
            SourceText("other", "b" * 64),
            (),
            None,
            0,
            10,
            1,
            ("row 3: 2 to 1, 1 to 1",),
        ),
    ),
    "simulation.outcomes-agree": lambda r: replace(
        r,
        playthroughs=(
            replace(
                r.playthroughs[0],
                agreements=(replace(r.playthroughs[0].agreements[0], verdict=Verdict.NOT_SATISFIED),),
            ),
        ),
    ),
    "rng.known-answers": _facts(known_answers_passed=1),
    "rng.state-size": _facts(state_bits=16),
    "rng.exact-bias": _facts(bias=(Bias(40, Fraction(1, 10**9), Fraction(0), Fraction(0)),)),
    "rng.shuffle-equiprobable": _facts(orders=(Orders(4, 24, False),)),
    "rng.streams-disjoint": _facts(streams=Streams(40, 1)),
    "rng.reseeds": _facts(reseed_refused=False),
    "rng.call-sites": _facts(unregistered_refused=False),
    "deck.whole": _audit(broken=1),
    "play.independent-of-stakes": _audit(stake_differences=1),
    "randomness.collective": lambda r: replace(r, randomness=replace(r.randomness, verdict="not satisfied")),
    "randomness.raw-output": _output("bits"),
    "randomness.as-handed-in": _output("decks"),
    "randomness.further-confidence": lambda r: replace(
        r,
        regime=regime_of(["pennsylvania"]),
        randomness=replace(r.randomness, verdict="not satisfied"),
    ),
    "randomness.planted-faults-found": lambda r: replace(
        r,
        randomness=replace(
            r.randomness, planted=(replace(r.randomness.planted[0], caught=False), *r.randomness.planted[1:])
        ),
    ),
    "cards.each-position": _card_test("each-position"),
    "cards.runs": _card_test("runs"),
    "cards.pairs": _card_test("position-pairs"),
    "cards.serial": _card_test("lagged-places"),
    "terms.malfunction-printed": _without_term("malfunction_voids_all"),
    "terms.disconnection-printed": _without_term("resume_after_disconnection"),
    "terms.undecided-printed": _without_term("unresolved_void_after_days"),
    "rounds.malfunction": _situation("malfunction"),
    "rounds.ninety-days": _situation("unresolved"),
    "rounds.resume": _situation("resume"),
    "rounds.single-settlement": _situation("settled-once"),
    "rounds.shown-card": lambda r: replace(
        r,
        exercise=replace(
            r.exercise,
            situations=(
                replace(r.exercise.situations[0], id="open-faces-shown", verdict=Verdict.NOT_SATISFIED),
            ),
        ),
    ),
    "rounds.generator-failure": _situation("unavailable"),
    "rounds.replay": _audit(replay_differences=1),
    "rounds.interface": _broken_system,
    "rounds.recall": lambda r: replace(r, recalled=(replace(r.recalled[0], session_id=""), *r.recalled[1:])),
}
"""What turns each check: a lie in the results of a faultless run."""

SILENT: dict[str, Callable[[Results], Results]] = {
    "rounds.recall": lambda r: replace(r, recalled=()),
    "rng.known-answers": _facts(known_answer_tests=0, known_answers_passed=0),
    "submission.complete": lambda r: replace(r, witnesses=()),
    **dict.fromkeys(
        ("cards.each-position", "cards.runs", "cards.pairs", "cards.serial"),
        lambda r: replace(r, randomness=replace(r.randomness, tests=())),
    ),
}
"""What leaves a check nothing to look at."""

ELSEWHERE = {
    "returns.gamble-even": "tests/families/slot/test_cases_of_reviewers.py",
    "returns.slot-floor": "tests/families/slot/test_cases_of_reviewers.py",
    "printed.tables-hold": "tests/families/open_card/test_open_card_certification.py",
}
"""Checks that the game of this file has nothing for, with the test that turns each."""


def _rare(figures: WagerFigures) -> WagerFigures:
    """All but one of 10^9 rounds lose; the last one wins."""
    most = Fraction(10**9 - 1, 10**9)
    return replace(
        figures,
        outcomes=(Outcome("lose", Fraction(-1), most), Outcome("win", Fraction(5), 1 - most)),
    )


def test_every_check_has_a_fault_that_turns_it() -> None:
    assert PLANTED.keys() | ELSEWHERE.keys() == checks().keys()
    # What a finding says of it is the fault, in every language: another test holds these to the same ids.
    assert [name for name in checks() if f"finding.title.{name}" not in catalogue().sentences] == []
    assert not PLANTED.keys() & ELSEWHERE.keys()
    assert [name for name, file in ELSEWHERE.items() if name not in (ROOT / file).read_text("utf-8")] == []


@pytest.mark.parametrize(
    ("check", "lie"), [*PLANTED.items(), ("cards.serial", _card_test("serial-correlation"))]
)
def test_its_fault_turns_each_check(
    faultless: Results, check: str, lie: Callable[[Results], Results]
) -> None:
    assert "not satisfied" not in verdicts(faultless, check)
    assert "not satisfied" in verdicts(lie(faultless), check)


@pytest.mark.parametrize(("check", "silence"), SILENT.items())
def test_what_nothing_was_given_for_is_inconclusive_never_a_pass(
    faultless: Results, check: str, silence: Callable[[Results], Results]
) -> None:
    assert verdicts(silence(faultless), check) == {"inconclusive"}


@pytest.mark.parametrize("check", checks())
def test_each_check_says_how_many_things_it_looked_at_and_without_any_satisfies_nothing(
    faultless: Results, check: str
) -> None:
    one = checks()[check]
    assert all(seen.tried for seen in one.observe(faultless) if seen.verdict is not Verdict.NOT_APPLICABLE)
    untried = replace(one, function=lambda r: [replace(said, tried=0) for said in one.function(r)])
    assert not {"satisfied", "shown on the reference"} & {
        str(seen.verdict) for seen in untried.observe(faultless)
    }

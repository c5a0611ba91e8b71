"""Claims beyond the return, from the reader to the gate: house edge, frequencies, odds of a row, maximum award."""

import json

import pytest
from cli_support import ROOT

from certify.families.registry import forget_families
from certify.kit.located import _on_path

INSTALLED = ROOT / "tests/installed"
WHEEL = (INSTALLED / "games/wheel.toml").read_text("utf-8")
CASINO = (ROOT / "fixtures/games/us5632489-casino/game.toml").read_text("utf-8")

TRUE = (
    ("red", "house-edge", "2.70 %", ""),
    ("red", "hit-frequency", "48.65 %", ""),
    ("red", "return-on-total-wagered", "97.30 %", ""),
    ("straight-up", "odds-of-row", "1 in 37", "win"),
    ("straight-up", "odds-of-row", "36 to 1", "win"),
    ("red", "odds-of-row", "48.6 %", "win"),
    ("straight-up", "maximum-award", "35 to 1", ""),
    ("straight-up", "maximum-award", "36 for 1", ""),
    ("straight-up", "maximum-award", "3,500.00 EUR", ""),
)


@pytest.fixture(scope="module", autouse=True)
def _installed():
    """Makes the stranger's wheel known."""
    with _on_path([str(INSTALLED)]):
        yield
    forget_families()


def claim(wager, metric, printed, row="", strategy="", source="rules"):
    named = (f'row = "{row}"\n' if row else "") + (f'strategy = "{strategy}"\n' if strategy else "")
    return f'[[claims]]\nwager = "{wager}"\nmetric = "{metric}"\nprinted = "{printed}"\nsource = "{source}"\n{named}\n'


def with_claims(folder, text, *claims, name="game.toml"):
    path = folder / name
    if "claims = []" in text:
        path.write_text(text.replace("claims = []\n", "", 1) + "\n" + "\n".join(claims), "utf-8")
    else:
        path.write_text(text.replace("[terms]\n", "\n".join(claims) + "\n[terms]\n", 1), "utf-8")
    return path


def judged(certify, path, wager):
    called = certify("analyze", path, "--format", "json").expect(0)
    return list(json.loads(called.out)["wagers"][wager]["claims"])


def test_every_form_in_which_a_true_figure_is_printed_holds(certify, tmp_path):
    path = with_claims(tmp_path, WHEEL, *(claim(w, m, p, r) for w, m, p, r in TRUE))
    assert certify("lint", path).code == 0
    found = [*judged(certify, path, "red"), *judged(certify, path, "straight-up")]
    assert len(found) == len(TRUE) + 1
    assert all(one["holds"] for one in found), found
    assert not any("impossible" in one and one["impossible"] for one in found)


@pytest.mark.parametrize(
    ("wager", "metric", "printed", "row"),
    [
        ("red", "house-edge", "2.71 %", ""),
        ("red", "house-edge", "-2.70 %", ""),
        ("red", "hit-frequency", "48.64 %", ""),
        ("red", "return-on-total-wagered", "97.31 %", ""),
        ("straight-up", "odds-of-row", "1 in 36", "win"),
        ("straight-up", "odds-of-row", "37 to 1", "win"),
        ("straight-up", "odds-of-row", "1 in 37.1", "win"),
        ("straight-up", "maximum-award", "36 to 1", ""),
        ("straight-up", "maximum-award", "3,500.01 EUR", ""),
    ],
)
def test_a_false_figure_is_found_false_and_where_nothing_is_decided_impossible(
    certify, wager, metric, printed, row, tmp_path
):
    path = with_claims(tmp_path, WHEEL, claim(wager, metric, printed, row))
    (found,) = (one for one in judged(certify, path, wager) if one["printed"] == printed)
    if metric == "maximum-award":
        assert (found["holds"], found["impossible"]) == (False, True)
    else:
        assert (found["holds"], found["impossible"], found["lowest"]) == (False, True, found["highest"])


@pytest.mark.parametrize(
    ("wager", "metric", "printed", "row", "said"),
    [
        ("red", "house-adge", "2.70 %", "", 'metric "house-adge": expected one of return-to-player, house-edge'),
        ("red", "odds-of-row", "1 in 37", "wins", 'odds of the row "wins", which "red" does not pay'),
        ("red", "odds-of-row", "1 in 37", "", 'odds of the row ""'),
        ("red", "house-edge", "2.70 %", "win", 'only the metric "odds-of-row" is about one row'),
        ("red", "odds-of-row", "one in two", "win", "odds of the wrong form"),
        ("red", "odds-of-row", "1 in 0", "win", "odds of the wrong form"),
        ("red", "maximum-award", "lots", "", "award of the wrong form"),
        ("red", "maximum-award", "500.00 USD", "", 'an award in "USD": "red" is bet in "EUR"'),
        ("red", "hit-frequency", "-3 %", "", "percentage of the wrong form"),
    ],
)  # fmt: skip
def test_a_claim_that_cannot_be_read_is_a_mistake_with_its_line(
    certify, wager, metric, printed, row, said, tmp_path
):
    path = with_claims(tmp_path, WHEEL, claim(wager, metric, printed, row))
    called = certify("lint", path)
    assert called.code != 0
    told = called.out + called.err
    line = next(
        n for n, text in enumerate(path.read_text().splitlines(), 1) if text == f'metric = "{metric}"'
    )
    assert said in told
    assert any(f"game.toml:{place}:" in told for place in range(line - 3, line + 5)), told


@pytest.mark.slow
def test_a_figure_is_read_under_the_strategy_that_it_names(certify, tmp_path):
    true = claim("ante", "hit-frequency", "48.9 %", strategy="mimic-dealer", source="patent")
    game = with_claims(tmp_path, CASINO, true)
    found = certify("analyze", game, "--strategy", "mimic-dealer", "--format", "json").json
    frequency = found["wagers"]["ante"]["hit_frequency_percent"]
    printed = f"{float(frequency):.2f} %"
    game = with_claims(tmp_path, CASINO, true.replace("48.9 %", printed))
    (held,) = certify("analyze", game, "--strategy", "mimic-dealer", "--format", "json").json["wagers"][
        "ante"
    ]["claims"]
    assert held["holds"] is True


def test_what_no_play_can_reach_is_called_impossible_with_the_best_possible(certify, tmp_path):
    # The best play of the patent casino game returns 146.65 % of the ante: it favours the player by far.
    game = with_claims(
        tmp_path,
        CASINO,
        claim("ante", "return-to-player", "147.00 %", source="patent"),
        claim("ante", "return-on-total-wagered", "150.00 %", source="patent"),
        claim("ante", "hit-frequency", "99.00 %", source="patent"),
        claim("ante", "return-to-player", "100.00 %", source="patent"),
    )
    too_much, on_total, too_often, another = judged(certify, game, "ante")
    assert (too_much["impossible"], too_much["highest"]) == (True, "201034/137085")
    assert (on_total["impossible"], too_often["impossible"]) == (True, True)
    # Some play returns about that; this one does not.
    assert (another["holds"], another["impossible"]) == (False, False)
    text = certify("analyze", game).out
    assert "printed 147.00 %: WRONG: at most 201034/137085 = 146.649159 %" in text


def test_a_figure_printed_of_another_strategy_is_told_so(certify):
    text = certify("analyze", "fixtures/games/casino-war/game.toml", "--decisions", "none").out
    assert "printed 2.33 % (house-edge): holds" in text
    assert "printed 3.70 % (house-edge): of always:surrender, not of this strategy" in text


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("90.00 %", "WRONG: always 36/37 = 97.297297 %"),
        ("99.00 %", "WRONG: always 36/37 = 97.297297 %"),
    ],
)
def test_a_figure_printed_too_low_is_not_called_the_best_possible(certify, tmp_path, printed, said):
    game = with_claims(tmp_path, WHEEL, claim("red", "return-to-player", printed))
    called = certify("analyze", game).expect(out=(said,))
    assert "at best" not in called.out


def test_lost_pays_are_found_again_from_a_printed_house_edge(certify, tmp_path):
    # 37 numbers at 35 to 1: an edge of 1/37, which prints as 2.70 %.
    lost = WHEEL.replace(
        'pays = "35 to 1"',
        'pays = "1 to 1"\nprovenance = "recovered"\nby = "claim/straight-up"\nunique = true',
    )
    game = with_claims(tmp_path, lost, claim("straight-up", "house-edge", "2.70 %"))
    found = certify("identify", game, "--wager", "straight-up", "--format", "json").json
    assert [fit["pays"] for fit in found["fits"]] == [{"win": "35 to 1"}]
    assert found["printed"] == "a house edge of 2.70 %"
    nothing = with_claims(tmp_path, lost, claim("straight-up", "house-edge", "2.60 %"), name="other.toml")
    assert certify("identify", nothing, "--wager", "straight-up").code == 1


@pytest.fixture
def cached(tmp_path, monkeypatch):
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("cached")
def test_the_gate_finds_a_claim_that_a_change_makes_false(certify, tmp_path):
    claims = [claim(w, m, p, r) for w, m, p, r in TRUE]
    before = with_claims(tmp_path, WHEEL, *claims, name="before.toml")
    after = with_claims(
        tmp_path, WHEEL.replace('pays = "35 to 1"', 'pays = "34 to 1"'), *claims, name="after.toml"
    )
    assert certify("gate", before, before).code == 0
    called = certify("gate", before, after, "--format", "json")
    stale = [change for change in json.loads(called.out)["changes"] if change["id"] == "claim-stale"]
    assert called.code == 1
    subjects = {change["subject"].removeprefix("straight-up/maximum-award/") for change in stale}
    assert (len(stale), len(subjects), "35 to 1" in subjects) == (3, 3, True), stale
    assert "35 to 1 is printed for straight-up as its maximum award, which is 34 to 1" in stale[0]["message"]
    assert "impossible under any play: at most 34 to 1" in stale[0]["message"]


@pytest.mark.usefixtures("cached")
def test_the_gate_tells_a_changed_claim_from_an_added_one(certify, tmp_path):
    before = with_claims(
        tmp_path, WHEEL, claim("straight-up", "odds-of-row", "1 in 37", "win"), name="before.toml"
    )
    after = with_claims(
        tmp_path, WHEEL, claim("straight-up", "odds-of-row", "1 in 38", "win"), name="after.toml"
    )
    changes = certify("gate", before, after, "--format", "json").json["changes"]
    assert {"claim-changed", "claim-stale"} <= {change["id"] for change in changes}


def test_a_run_judges_every_claim_in_evidence_findings_and_report(certify, tmp_path):

    from certify.certification.exact import exact_evidence, exact_results
    from certify.clauses.jurisdiction import regime_of
    from certify.clauses.registry import checks
    from certify.evidence.encode import plain
    from certify.report.chapters.returns import further_claims
    from certify.submission import read_game

    path = with_claims(
        tmp_path,
        WHEEL,
        claim("straight-up", "odds-of-row", "1 in 37", "win"),
        claim("straight-up", "maximum-award", "50 to 1"),
        claim("red", "hit-frequency", "60.00 %"),
    )
    results = exact_results(read_game(path), regime_of([]))
    exact = exact_evidence(results, sensitivity=False)
    written = plain(exact)
    _, odds, award, hits = written["claims"]
    assert (odds["holds"], odds["row"], odds["exact"]) == (True, "win", "1/37")
    assert (award["holds"], award["impossible"], award["highest"], award["exact"]) == (
        False,
        True,
        "35",
        "35",
    )
    assert (hits["impossible"], hits["highest"]) == (True, "18/37")
    answers = checks()["returns.claim-holds"].observe(results)
    failed = [one for one in answers if one.verdict.value == "not satisfied"]
    assert [one.expected for one in failed] == ["maximum award: 50 to 1", "hit frequency: 60.00 %"]
    said = [one.observed.partition("impossible under any play: ")[2] for one in failed]
    assert said == ["at most 35 to 1", "always 48.648649 % = 18/37"]
    table = further_claims(exact.claims, {})
    assert len(table.rows) == 3
    words = [" ".join(str(getattr(cell, "text", cell)) for cell in row) for row in table.rows]
    assert "Impossible: at least" in words[1]
    assert "Impossible: always 48.648649" in words[2]


CARD = """
[[strategy_cards]]
id = "leaflet"
title = "How to play, as the leaflet says"
source = "{source}"
card = '''
schema = "certify-strategy/1"
name = "leaflet"

[totals]
{decisions}
'''
"""
LEAFLET = CARD.format(
    source="patent",
    decisions='stand-1 = ["4", "5", "6"]\nstand-2 = ["7"]\nhit-1 = ["½", "1", "2", "3"]',
)


def with_card(folder, card, *claims, name="card.toml"):
    path = with_claims(folder, CASINO, *claims, name=name)
    path.write_text(path.read_text("utf-8") + card, "utf-8")
    return path


@pytest.mark.slow
def test_a_claim_is_judged_under_the_strategy_card_that_the_source_prints(certify, tmp_path):
    about = claim("ante", "return-to-player", "100.00 %", strategy="card:leaflet", source="patent")
    path = with_card(tmp_path, LEAFLET, about)
    assert certify("lint", path).code == 0, certify("lint", path)
    found = certify("analyze", path, "--strategy", "card:leaflet", "--format", "json").json
    assert (found["strategy"], found["strategy_class"]) == ("card:leaflet", "printed card")
    exact = found["wagers"]["ante"]["return_percent"]
    true = with_card(tmp_path, LEAFLET, about.replace("100.00 %", f"{float(exact):.2f} %"), name="true.toml")
    held = certify("analyze", true, "--strategy", "card:leaflet", "--format", "json").json
    assert [one["holds"] for one in held["wagers"]["ante"]["claims"]] == [True]
    best = certify("analyze", path, "--format", "json").json["wagers"]["ante"]["return_percent"]
    assert float(exact) < float(best)


def test_a_card_that_is_incomplete_or_not_there_is_refused(certify, tmp_path):
    about = claim("ante", "return-to-player", "100.00 %", strategy="card:leaflet", source="patent")
    missing = certify("lint", with_claims(tmp_path, CASINO, about))
    assert missing.code != 0
    assert "the submission prints no strategy card" in missing.out + missing.err
    path = with_card(tmp_path, LEAFLET.replace('stand-2 = ["7"]\n', ""), about)
    certify("analyze", path, "--strategy", "card:leaflet").expect(2, err="nothing is decided")


@pytest.mark.usefixtures("cached")
def test_the_gate_judges_a_changed_card(certify, tmp_path):
    about = claim("ante", "return-to-player", "100.00 %", strategy="card:leaflet", source="patent")
    found = certify(
        "analyze", with_card(tmp_path, LEAFLET, about), "--strategy", "card:leaflet", "--format", "json"
    ).json
    true = about.replace("100.00 %", f"{float(found['wagers']['ante']['return_percent']):.2f} %")
    before = with_card(tmp_path, LEAFLET, true, name="before.toml")
    after = with_card(tmp_path, LEAFLET.replace("stand-2", "stand-1", 1).replace(
        'stand-1 = ["7"]', "").replace('"6"]', '"6", "7"]'), true, name="after.toml")  # fmt: skip
    called = certify("gate", before, after, "--format", "json")
    changes = json.loads(called.out)["changes"]
    assert "claim-stale" in {change["id"] for change in changes}, called

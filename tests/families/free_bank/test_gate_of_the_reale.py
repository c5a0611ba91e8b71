"""A changed pay of the reale before the gate, by the command: the exact effect at fixed play, and the bracket."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli_support import Called
from free_bank_tables import path_of
from gate_support import Repository

from certify.families.free_bank.exact import settlement
from certify.families.free_bank.exact.equilibrium import bracket, equilibrium
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.settlement import REALE, BankTerms
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import StandOn

Certify = Callable[..., Called]

SMALL = (0, 0, 2, 1, 0, 1, 1, 2, 1)
"""Eight cards: two 3, a 4, a 6, a 7, two faces and the matta."""


def changed(
    certify: Certify, folder: Path, title: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, Any], str]:
    """Asks the gate about a reale that pays three instead of two; returns its document and what it prints."""
    # Figures are kept by what a game is: this one is called otherwise, so that no other test finds them.
    text = path_of("sette-e-mezzo").read_text(encoding="utf-8")
    text = text.replace('title = "Sette e mezzo', f'title = "{title}, sette e mezzo', 1)
    repository = Repository(folder)
    repository.commit("as certified", game=text)
    repository.git("checkout", "-q", "-b", "change")
    repository.commit("the reale pays three", game=text.replace('pays = "2 to 1"', 'pays = "3 to 1"', 1))
    monkeypatch.chdir(folder)
    # A folder of its own: figures of eight cards are nobody else's.
    asked = ("gate", "git:main", "git:change", "--cache", folder.parent / "figures")
    found = certify(*asked, "--format", "json")
    assert found.code == 1, found.err
    return json.loads(found.out), certify(*asked).out


def told(document: dict[str, Any], kind: str) -> dict[str, Any]:
    (found,) = [change for change in document["changes"] if change["id"] == kind]
    return found


def ends(text: str) -> list[Fraction]:
    return [Fraction(end) for end in text.split(" to ")]


def test_a_changed_pay_moves_what_is_exact_at_fixed_play_and_the_proven_value(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FreeBankRules, "deck", property(lambda rules: SMALL))
    monkeypatch.setattr(settlement, "_deck", lambda deck, rules: SMALL)
    document, text = changed(certify, tmp_path / "repository", "Eight cards", monkeypatch)
    rules = FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2)
    before, after = (BankTerms(rules, reale=Fraction(pays), deck=SMALL) for pays in (2, 3))

    five = StandOn("stand-on:5", 10)
    royal = sum(
        chance for (own, its), chance in joint(before, five, five).chances.items() if own == REALE != its
    )
    fixed = told(document, "return-moved-at-fixed-play")
    assert fixed["subject"] == "bet/stand-on:5 against stand-on:5"
    assert Fraction(fixed["after"]) - Fraction(fixed["before"]) == royal > 0

    moved = told(document, "bracket-moved")
    for terms, side in ((before, "before"), (after, "after")):
        found = equilibrium(terms, Fraction(1, 10**6))
        low, high = ends(moved[side])
        assert low <= high
        proven = bracket(terms, found.player, found.bank)
        # Two proven intervals of one value overlap.
        assert low <= 1 + proven.upper
        assert 1 + proven.lower <= high
    assert "proven value of bet" in text
    assert "exactly" in text
    assert "may not land" in text


@pytest.mark.slow
def test_the_gate_tells_what_a_reale_that_pays_three_does_to_the_real_game(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, _ = changed(certify, tmp_path / "repository", "Forty cards", monkeypatch)
    fixed = told(document, "return-moved-at-fixed-play")
    assert Fraction(fixed["after"]) - Fraction(fixed["before"]) == Fraction(7513, 219336)
    moved = told(document, "bracket-moved")
    before, after = ends(moved["before"]), ends(moved["after"])
    assert abs(before[0] - 1 + Fraction("0.172306906")) < Fraction(1, 10**6)
    assert after[1] - after[0] < Fraction(1, 10**5)
    assert Fraction("0.0510") < after[0] - before[1] < Fraction("0.0512")

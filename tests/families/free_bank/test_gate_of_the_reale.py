"""A changed pay of the reale before the gate, by the command: the exact effect at fixed play, and the bracket."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import Called
from free_bank_tables import path_of
from gate_support import Repository

from certify.families.free_bank.exact import settlement
from certify.families.free_bank.exact.equilibrium import equilibrium
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.settlement import REALE, BankTerms
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import StandOn

Certify = Callable[..., Called]

SMALL = (0, 0, 2, 1, 0, 1, 1, 2, 1)
"""Eight cards: two 3, a 4, a 6, a 7, two faces and the matta."""


def test_a_changed_pay_moves_what_is_exact_at_fixed_play_and_the_proven_value(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FreeBankRules, "deck", property(lambda rules: SMALL))
    monkeypatch.setattr(settlement, "_deck", lambda deck, rules: SMALL)
    # Figures are kept by what a game is: this one is called otherwise, so that no other test finds them.
    text = path_of("sette-e-mezzo").read_text(encoding="utf-8")
    text = text.replace('title = "Sette e mezzo', 'title = "Eight cards, sette e mezzo', 1)
    repository = Repository(tmp_path / "repository")
    repository.commit("as certified", game=text)
    repository.git("checkout", "-q", "-b", "change")
    repository.commit("the reale pays three", game=text.replace('pays = "2 to 1"', 'pays = "3 to 1"', 1))
    monkeypatch.chdir(tmp_path / "repository")
    asked = ("gate", "git:main", "git:change", "--cache", tmp_path / "figures")
    found = certify(*asked, "--format", "json")
    assert found.code == 1, found.err
    changes = {change["id"]: change for change in json.loads(found.out)["changes"]}
    rules = FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2)
    before, after = (BankTerms(rules, reale=Fraction(pays), deck=SMALL) for pays in (2, 3))

    five = StandOn("stand-on:5", 10)
    chances = joint(before, five, five).chances
    royal = sum(chance for (own, its), chance in chances.items() if own == REALE != its)
    fixed = changes["return-moved-at-fixed-play"]
    assert fixed["subject"] == "bet/stand-on:5 against stand-on:5"
    assert Fraction(fixed["after"]) - Fraction(fixed["before"]) == royal > 0
    for terms, side in ((before, "before"), (after, "after")):
        low, high = map(Fraction, changes["bracket-moved"][side].split(" to "))
        proven = equilibrium(terms, Fraction(1, 10**6)).bracket
        # Two proven intervals of one value overlap.
        assert low <= high
        assert low <= 1 + proven.upper
        assert 1 + proven.lower <= high
    printed = certify(*asked).out
    assert all(words in printed for words in ("proven value of bet", "exactly", "may not land"))

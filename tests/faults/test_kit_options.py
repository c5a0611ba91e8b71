"""A rule that merely allows an option which best play never takes is cleared, and one that allows nothing is not."""

import hashlib

import pytest

from certify.kit import code
from certify.kit.located import located
from certify.kit.run import check_family

SEED = bytes.fromhex("5a" * 32)

CODE = """
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.families.port import Chance, Choice, Family, Option, Settled, WagerResult


@dataclass(frozen=True, slots=True)
class Rules:
    surrender: bool = True


class Submission:
    rule_ids = ("surrender",)
    wager_ids = ("bet",)
    bankers = ("house",)
    tables: Mapping = {}

    def read(self, rules):
        return Rules(rules.flag("surrender", True))

    def check(self, game, tables, problems):
        return game

    def required_wagers(self, game):
        return ("bet",)

    def paid_rows(self, game, wager):
        return ("win", "lucky") if game.rules.surrender else ("win",)

    def reachable_rows(self, game, wager):
        return (*self.paid_rows(game, wager), *(("surrendered",) if game.rules.surrender else ()), "lose")

    def row_of(self, outcome):
        return outcome


@dataclass(frozen=True, slots=True)
class State:
    first: int = -1
    decided: str = ""
    second: int = -1


@dataclass(frozen=True, slots=True)
class Round:
    game: object

    @property
    def equipment(self):
        return self.game.equipment

    def start(self):
        return State()

    def node(self, state):
        if state.first < 0:
            return Chance("die", "player")
        if not state.decided:
            allowed = self.game.rules.surrender
            options = (Option("play"), Option("surrender", gives_up=True)) if allowed else (Option("play"),)
            return Choice("player", options, sees=state.first)
        if state.decided == "play" and state.second < 0:
            return Chance("die", "dealer")
        # Everybody wins two times in three at evens: nobody gives half the bet up.
        won = state.second >= 2
        row = "win" if won else "lose"
        if state.decided == "surrender":
            # Whoever gives up on a one is paid for it: a row that only such a player comes to.
            row = "lucky" if state.first == 0 else "surrendered"
        return Settled(tuple(self.result(row) for _ in self.game.wagers))

    def result(self, row):
        pays = self.game.wager("bet").paytable.pays
        net = Fraction(-1) if row == "lose" else pays(row) if row in ("win", "lucky") else Fraction(-1, 2)
        return WagerResult("bet", row, net)

    def drawn(self, state, face):
        return replace(state, second=face) if state.decided else replace(state, first=face)

    def decided(self, state, option):
        return replace(state, decided=option)

    def alike(self, state, face):
        return face

    def matters(self, state):
        return state

    def hands(self, state):
        return ()


FAMILY = Family(id="may-surrender", version="", title="One die each", rules=Submission(), reference=Round)
"""

GAME = """
schema = "certify-game/1"
readings = []
claims = []

[game]
id = "may-surrender-table"
title = "May surrender"
version = "1.0.0"
family = "may-surrender"
supplier = "A stranger"
banked_by = "house"

[[equipment]]
id = "die"
kind = "dice"
sides = 6
draws = 2

[[rules]]
id = "surrender"
value = true
title = "Half the bet may be given up"

[[wagers]]
id = "bet"
title = "Bet"
description = "The dealer throws three or more."
limits = { minimum = "1.00", maximum = "100.00", currency = "EUR" }

[[wagers.paytable]]
id = "win"
title = "Win"
pays = "1 to 1"

[[wagers.paytable]]
id = "lucky"
title = "Given up on a one"
pays = "0 to 1"

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[[sources]]
id = "rules"
title = "Rules"
file = "rules.txt"
sha256 = "DIGEST"
"""


NEVER_LUCKY = (
    CODE.replace('("win", "lucky") if game.rules.surrender else ("win",)', '("win",)')
    .replace('"lucky" if state.first == 0 else "surrendered"', '"surrendered"')
    .replace("reference=Round)", "reference=Round, second=settle)")
    .replace(
        "FAMILY = ",
        """
def settle(rules, pays, draws, decisions):
    if decisions[0] == "surrender":
        if not rules.surrender:
            raise ValueError("nothing may be given up")
        return {"bet": ("surrendered", Fraction(-1, 2))}
    return {"bet": ("win", pays["bet"]["win"]) if int(draws[1]) > 2 else ("lose", Fraction(-1))}


FAMILY = """,
    )
)

NOTHING_GIVEN_UP = GAME.replace('value = true\ntitle = "Half', 'value = false\ntitle = "Half').replace(
    """[[wagers.paytable]]
id = "lucky"
title = "Given up on a one"
pays = "0 to 1"

""",
    "",
)


def checked(folder, monkeypatch, text, game=GAME):
    monkeypatch.setattr(code, "_same_elsewhere", lambda subject: code.not_applicable("not asked"))
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "may-surrender"\nversion = "1"\n'
        '[project.entry-points."certify.families"]\nmay-surrender = "may_surrender:FAMILY"\n'
    )
    (folder / "may_surrender.py").write_text(text)
    (folder / "rules.txt").write_text("The dealer throws three or more.")
    digest = hashlib.sha256(b"The dealer throws three or more.").hexdigest()
    (folder / "game.toml").write_text(game.replace("DIGEST", digest))
    with located(str(folder), ()) as found:
        return check_family(found.family, found.games, SEED, rounds=30)


def test_an_option_that_best_play_never_takes_is_seen_where_a_strategy_takes_it(tmp_path, monkeypatch):
    report = checked(tmp_path, monkeypatch, CODE)
    assert report.dead == ()
    assert report.unnoticed == ()
    assert {(one.leg, one.noticed) for one in report.planted if one.alteration == "rule surrender is no"} == {
        ("reference", True),
        ("engine", True),
    }
    # The row is met by nobody who plays well, and what it pays is noticed all the same.
    paid = {(one.leg, one.noticed) for one in report.planted if one.alteration == "bet lucky pays 1 to 1"}
    assert paid == {("reference", True), ("engine", True)}


def test_a_rule_that_the_code_never_reads_is_still_not_shown(tmp_path, monkeypatch):
    report = checked(
        tmp_path, monkeypatch, CODE.replace("allowed = self.game.rules.surrender", "allowed = True")
    )
    assert [one.alteration for one in report.dead] == ["rule surrender, whatever its value"]
    assert report.verdict.value != "satisfied"


@pytest.mark.parametrize("knows", [True, False])
def test_a_second_text_is_asked_about_an_option_that_another_rule_would_allow(
    tmp_path, monkeypatch, *, knows
):
    text = NEVER_LUCKY if knows else NEVER_LUCKY.replace("if not rules.surrender:", "if not draws:")
    report = checked(tmp_path, monkeypatch, text, NOTHING_GIVEN_UP)
    allowed = [one for one in report.planted if one.alteration == "rule surrender is yes"]
    assert {one.leg: one.noticed for one in allowed} == {"reference": True, "engine": True, "second": knows}
    assert [one.leg for one in report.unnoticed] == ([] if knows else ["second"])

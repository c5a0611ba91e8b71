"""The conformance kit is tested by lying to it: each broken family is noticed, by the law that it breaks."""

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from certify.families import FamilyForm, Node, Settled, driver
from certify.families.stage_machine import StagedRound
from certify.kit import code, faults, run
from certify.kit.check import Checked, tried_on
from certify.kit.code import located
from certify.kit.run import check_family, records
from certify.kit.starting import write_package
from certify.kit.subject import Subject, forgotten, seen
from certify.model import (
    Card,
    Moment,
    Option,
    Price,
    RoundText,
    Verdict,
    by_name,
    choose,
    draw,
    ended as over,
    shoe,
)
from certify.submission import read_game

SEED = bytes.fromhex("5a" * 32)
BY_HAND = Path(__file__).parent / "legs_by_hand"


def write_by_hand(name, folder):
    """Writes the package of a new family with legs written by hand in place of its two texts."""
    write_package(name, folder)
    module = name.replace("-", "_")
    source = folder / "src" / module
    (source / "second.py").unlink()
    for file in BY_HAND.glob("*.py.in"):
        place = "__init__.py" if file.name == "init.py.in" else file.name.removesuffix(".in")
        text = file.read_text("utf-8").replace("@MODULE@", module).replace("@NAME@", name)
        (source / place).write_text(text.replace("@TITLE@", name.replace("-", " ").capitalize()), "utf-8")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The family of the template with legs written by hand in place of its two texts; it is sound."""
    folder = tmp_path_factory.mktemp("family") / "five-dice"
    write_by_hand("five-dice", folder)
    with located(str(folder), ()) as found:
        yield found


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    # Another process is asked by tests of the command line; a broken family lives in this one alone.
    monkeypatch.setattr(
        code, "_same_elsewhere", code._same_elsewhere[0](lambda subject: code.not_applicable("not asked"))
    )


def checked(sound, monkeypatch, *, faults=False, **parts):
    """What the kit says of the family with some parts exchanged.

    Half of the time goes into faults that are planted in the family: where they do not matter, none is.
    """
    if not faults:
        monkeypatch.setattr(run, "planted", lambda subject: ())
    broken = replace(sound.family, **parts)
    return check_family(broken, [replace(game, port=broken) for game in sound.games], SEED, rounds=60)


def broken_laws(report):
    return {one.law for one in report.broken}


def test_legs_written_by_hand_keep_every_law_and_every_planted_fault_is_noticed(sound, monkeypatch):
    report = checked(sound, monkeypatch, faults=True)
    assert (broken_laws(report), report.unnoticed, report.verdict.value) == (set(), (), "satisfied")
    assert len(report.planted) > 15


@dataclass(frozen=True, slots=True)
class Bent:
    """A reference round that is sound but for what a test bends."""

    sound: Any
    node_of: Callable[[Any, Any], Node] | None = None
    matters_of: Callable[[Any], Hashable] | None = None
    alike_of: Callable[[Any, int], Hashable] | None = None

    @property
    def equipment(self):
        return self.sound.equipment

    def start(self):
        return self.sound.start()

    def node(self, state):
        return self.node_of(self.sound, state) if self.node_of else self.sound.node(state)

    def drawn(self, state, face):
        return self.sound.drawn(state, face)

    def decided(self, state, option):
        return self.sound.decided(state, option)

    def alike(self, state, face):
        return self.alike_of(state, face) if self.alike_of else self.sound.alike(state, face)

    def matters(self, state):
        return self.matters_of(state) if self.matters_of else self.sound.matters(state)

    def hands(self, state):
        return self.sound.hands(state)


def settled(change):
    """A node that changes how rounds are settled."""

    def node_of(sound, state):
        node = sound.node(state)
        return Settled(tuple(change(one) for one in node.results)) if isinstance(node, Settled) else node

    return node_of


def bent(sound, **how):
    reference = sound.family.reference
    return lambda game: Bent(reference(game), **how)


def raised(one):
    return replace(one, net=one.net + 1) if one.outcome == "win" and one.wager == "three-alike" else one


BENT = {
    "a row settled otherwise": ({"node_of": settled(raised)}, {"play-through", "further-counting"}),
    # The total alone: three fours are not what a two, a four and a six are.
    "states merged too far": (
        {"matters_of": lambda state: (len(state.faces), sum(state.faces))},
        {"merging", "further-counting"},
    ),
    "faces called alike that are not": ({"alike_of": lambda state, face: face // 2}, {"merging"}),
}


@pytest.mark.parametrize(("how", "laws"), BENT.values(), ids=BENT)
def test_a_round_that_is_bent_is_noticed_by_the_laws_that_it_breaks(sound, monkeypatch, how, laws):
    assert laws <= broken_laws(checked(sound, monkeypatch, reference=bent(sound, **how)))


def test_a_hard_coded_pay_is_noticed_by_the_law_of_double_pays_and_by_the_planted_faults(sound, monkeypatch):
    def change(one):
        return replace(one, net=Fraction(3)) if one.outcome == "win" and one.wager == "three-alike" else one

    report = checked(sound, monkeypatch, faults=True, reference=bent(sound, node_of=settled(change)))
    assert broken_laws(report) == {"double-pays"}
    assert {(one.leg, one.alteration) for one in report.unnoticed} == {
        ("reference", "three-alike win pays 4 to 1"),
        ("engine", "three-alike win pays 4 to 1"),
    }


def test_a_play_through_that_ignores_a_rule_is_noticed_by_the_planted_faults(sound, monkeypatch):
    volume, first = sound.family.volume, sound.games[0]
    assert volume is not None

    class Deaf:
        independent_code = volume.independent_code

        def counter(self, game, strategy):
            return volume.counter(replace(game, rules=first.rules), strategy)

        def net(self, game, wager, outcome):
            return volume.net(game, wager, outcome)

    report = checked(sound, monkeypatch, faults=True, volume=Deaf())
    assert broken_laws(report) == set()
    assert {one.leg for one in report.unnoticed} == {"volume"}
    assert "rule lowest-high is 18" in {one.alteration for one in report.unnoticed}


def test_rows_that_no_round_reaches_and_rows_that_nobody_named_are_noticed(sound, monkeypatch):
    def change(one):
        return replace(one, outcome="lost") if one.outcome == "lose" and one.wager == "three-alike" else one

    report = checked(sound, monkeypatch, reference=bent(sound, node_of=settled(change)))
    (rows,) = (one for one in report.broken if one.law == "rows")
    assert "three-alike lose: declared reachable, and no round shows it" in rows.detail
    assert "three-alike lost: a round falls in it, and it is not declared reachable" in rows.detail


def test_a_wager_that_changes_another_is_noticed(sound, monkeypatch):
    reference = sound.family.reference

    def meddles(game):
        paid = Fraction(1, 10) if len(game.wagers) == 1 else Fraction(0)
        return Bent(
            reference(game),
            node_of=settled(lambda one: replace(one, net=one.net + paid) if one.outcome == "win" else one),
        )

    assert "removed-wager" in broken_laws(checked(sound, monkeypatch, reference=meddles))


def test_states_that_are_not_equal_to_themselves_are_noticed(sound, monkeypatch):
    class Odd:
        """A state without equality."""

        def __init__(self, faces=()):
            self.faces = faces

    @dataclass(frozen=True, slots=True)
    class OddRound(Bent):
        def start(self):
            return Odd()

        def drawn(self, state, face):
            return Odd((*state.faces, face))

    reference = sound.family.reference
    report = checked(sound, monkeypatch, reference=lambda game: OddRound(reference(game)))
    assert "states" in broken_laws(report)


def test_a_family_with_neither_leg_stands_under_a_condition_that_is_said_in_words(sound, monkeypatch):
    report = checked(sound, monkeypatch, volume=None)
    assert report.verdict.value == "not satisfied"
    (condition,) = report.conditions
    assert condition.part == "exact, volume"
    assert "has a condition" in condition.cost


LEANING = """
_sound = rules_of
def rules_of(game):
    from @.reference import Round
    return _sound(game)
"""


def in_one_file(name, folder, more=""):
    """Writes the package of the template with all its code in one file, and what a test adds to it."""
    write_by_hand(name, folder)
    module = name.replace("-", "_")
    package = folder / "src" / module
    names = ("submitted", "reference", "volume", "counting", "__init__")
    texts = [(package / f"{part}.py").read_text("utf-8") for part in names]
    # Two modules may call different things by one name; one file may not.
    texts[3] = texts[3].replace("THROWS", "ALL_THROWS").replace("import Counter", "import Counter as Tally")
    texts[3] = texts[3].replace(" Counter(", " Tally(").replace("(Counter(", "(Tally(")
    for part in package.glob("*.py"):
        part.unlink()
    lines = [line for text in texts for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith(("from __future__", f"from {module}."))]
    one = "\n".join(["from __future__ import annotations", *kept])
    package.rmdir()
    (folder / "src" / f"{module}.py").write_text(one.replace("FAMILY = ", f"{more}\n\nFAMILY = "), "utf-8")
    return folder


def test_code_that_raises_is_a_finding_with_its_place_and_never_the_end_of_the_report(sound, monkeypatch):
    def breaks(sound, state):
        if state.faces[:2] == (5, 5):
            raise ZeroDivisionError("two sixes")
        return sound.node(state)

    report = checked(sound, monkeypatch, faults=True, reference=bent(sound, node_of=breaks))
    (broken,) = report.broken
    place, _, words = broken.detail.partition(" in breaks: ")
    assert ("breaks off in test_kit_faults.py, line" in place, words) == (
        True,
        "ZeroDivisionError: two sixes",
    )
    # One fault is one finding: what else rests on the round could not be tried, and is no pass.
    unsure = (one for one in report.checked if one.verdict.value == "inconclusive")
    untried = {one.law for one in unsure if broken.title in one.detail}
    assert {"draws", "rows", "planted-faults"} <= {broken.law, *untried}


def test_code_that_raises_while_a_game_is_read_is_a_finding_too(tmp_path):
    write_by_hand("raises-early", tmp_path / "early")
    path = tmp_path / "early/src/raises_early/submitted.py"
    path.write_text(
        path.read_text("utf-8").replace("        return (HIGH,)", "        return [][0]"), "utf-8"
    )
    with located(str(tmp_path / "early"), ()) as found:
        report = check_family(found.family, found.games, SEED, unread=found.unread)
    (broken,) = report.broken
    assert (broken.law, report.verdict.value) == ("reading", "not satisfied")
    assert "breaks off in submitted.py, line" in broken.detail
    assert "in required_wagers: IndexError" in broken.detail


def test_two_laws_that_find_the_same_difference_were_both_tried(sound):
    found = [
        Checked(law, law, Verdict.NOT_SATISFIED, "2 rows compared, 1 differ: 3") for law in ("one", "two")
    ]
    report = check_family(sound.family, (), SEED, unread=found)
    assert broken_laws(report) == {"one", "two"}


def test_a_family_in_one_file_keeps_every_law(tmp_path, monkeypatch):
    with located(str(in_one_file("all-in-one", tmp_path / "one")), ()) as found:
        monkeypatch.setattr(run, "planted", lambda subject: ())
        report = check_family(found.family, found.games, SEED, rounds=20)
    # No fault was planted, which alone is not satisfied.
    kept = {one.law: one.verdict.value for one in report.checked}
    assert {law for law, verdict in kept.items() if verdict not in ("satisfied", "not applicable")} == {
        "planted-faults",
        "isolated-legs",
    }
    assert (kept["planted-faults"], report.verdict.value) == ("inconclusive", "inconclusive")
    (isolated,) = (one for one in report.checked if one.law == "isolated-legs")
    assert isolated.verdict.value == "inconclusive"
    assert "held apart by no import: volume reaches reference (all_in_one)" in isolated.detail


@pytest.mark.parametrize("line", ["import random\n", "import sys\n", "import inspect\n"])
def test_code_of_two_texts_that_looks_around_is_noticed_though_its_rules_are_stated(tmp_path, line):
    # Rules are stated by a class of the general code: that is not where the family's own code lies.
    name = f"looks-around-{len(line)}"
    write_package(name, tmp_path / name)
    path = tmp_path / name / "src" / name.replace("-", "_") / "second.py"
    path.write_text(f"{path.read_text()}\n{line}")
    with located(str(tmp_path / name), ()) as found:
        (ambient,) = (one for one in code.code(found.family, None) if one.law == "ambient")
    assert ambient.verdict.value == "not satisfied"
    assert f"{name.replace('-', '_')}.second, line" in ambient.detail


@pytest.mark.parametrize(
    ("file", "line", "law", "said"),
    [
        ("reference.py", "import random\n", "ambient", "random"),
        ("counting.py", "from os import environ\n", "ambient", "os.environ"),
        ("volume.py", "def table():\n    import glob\n", "ambient", "glob"),
        ("volume.py", "from numpy import random\n", "ambient", "numpy.random"),
        ("volume.py", "import @.reference\n", "isolated-legs", "volume reaches reference (@.reference)"),
        ("volume.py", "from . import reference\n", "isolated-legs", "volume reaches reference (@.reference)"),
        ("submitted.py", LEANING, "isolated-legs", "volume reaches reference (@.reference)"),
    ],
)  # fmt: skip
def test_code_that_looks_around_or_leans_on_another_leg_is_noticed(tmp_path, file, line, law, said):
    name = f"spoilt-{file.removesuffix('.py')}-{len(line)}"
    module = name.replace("-", "_")
    write_by_hand(name, tmp_path / name)
    path = tmp_path / name / "src" / module / file
    path.write_text(f"{path.read_text()}\n{line.replace('@', module)}")
    with located(str(tmp_path / name), ()) as found:
        found_laws = {one.law: one for one in code.code(found.family, None)}
    assert found_laws[law].verdict.value == "not satisfied"
    assert said.replace("@", module) in found_laws[law].detail
    assert found_laws[law].cost


def test_beside_a_second_text_a_leg_may_be_made_from_the_first(tmp_path):
    write_by_hand("made-from-it", tmp_path / "made")
    path = tmp_path / "made/src/made_from_it/volume.py"
    path.write_text(f"{path.read_text()}\nfrom made_from_it import reference\n")
    with located(str(tmp_path / "made"), ()) as found:
        two_texts = replace(found.family, second=lambda *given: {})
        (isolated,) = (one for one in code.code(two_texts, None) if one.law == "isolated-legs")
    assert isolated.verdict.value == "satisfied"
    said = "made from the reference implementation, not written independently: volume reaches reference "
    assert f"{said}(made_from_it.reference)" in isolated.detail


def test_what_types_alone_need_is_imported_by_nobody(tmp_path):
    path = tmp_path / "one.py"
    path.write_text("if TYPE_CHECKING:\n    import time\nelse:\n    from . import two\n")
    assert list(code.imported("house.one", path)) == [(4, "house.two")]


class _Equal:
    """A counting that returns the same of two games but where an option is taken, and distributes them otherwise."""

    def __init__(self, option):
        self.option = option
        self.counted: list[str] = []

    def return_alone(self, game, strategy, wager):
        return Fraction(int(game.id == "altered" and strategy == self.option))

    def analyze_table(self, game, strategy):
        self.counted.append(game.id)
        chance = Fraction(1, 2 if game.id == "altered" else 3)
        one = SimpleNamespace(id="win", pays=1, staked=1, probability=chance, off=0, variance=0)
        return SimpleNamespace(wagers=(SimpleNamespace(wager="bet", outcomes=(one,)),))


@pytest.mark.parametrize(("option", "noticed"), [("surrender", True), ("nothing", False)])
def test_distributions_are_counted_where_no_play_moves_a_return(option, noticed):
    exact = _Equal(option)
    games = [SimpleNamespace(id=name, wagers=(SimpleNamespace(id="bet"),)) for name in ("sound", "altered")]
    plays = ("double", "surrender")

    def says(game, tables):
        return faults._Figures(exact, game, tables)

    assert faults._by_one(says, *games, plays, quickly=True) is noticed
    assert not exact.counted
    # Where no return tells the games apart, their distributions do.
    assert faults._by_one(says, *games, plays)
    assert exact.counted


GAME = read_game(Path("fixtures/games/big-six/game.toml"))


def verdict_of_records():
    (found,) = (one for one in records(Subject(GAME, bytes(range(32)), 20)) if one.law == "records")
    return found.verdict


def test_rounds_that_are_told_in_other_sentences_the_second_time_are_noticed(
    monkeypatch,
):
    assert verdict_of_records() is Verdict.SATISFIED
    told = count()
    monkeypatch.setattr(driver, "_sentences", lambda reference, step: (f"sentence {next(told)}",))
    assert verdict_of_records() is Verdict.NOT_SATISFIED


def test_where_no_fault_could_be_planted_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(run, "planted", lambda subject: ())
    found = []
    assert run._planted(Subject(GAME, bytes(range(32)), 20), found) == ()
    assert [(one.law, one.verdict) for one in found] == [("planted-faults", Verdict.INCONCLUSIVE)]


# A rule that merely allows an option which best play never takes is cleared, and one that allows nothing is not.


CODE, OPTIONAL = (
    (Path(__file__).parent / "may_surrender" / name).read_text("utf-8")
    for name in ("may_surrender.py.in", "game.toml.in")
)
"""A family of one die each in which half the bet may be given up, and a game of it."""


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

NOTHING_GIVEN_UP = OPTIONAL.replace('value = true\ntitle = "Half', 'value = false\ntitle = "Half').replace(
    """[[wagers.paytable]]
id = "lucky"
title = "Given up on a one"
pays = "0 to 1"

""",
    "",
)


def checked_options(folder, text, game=OPTIONAL):
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


def test_an_option_that_best_play_never_takes_is_seen_where_a_strategy_takes_it(tmp_path):
    report = checked_options(tmp_path, CODE)
    assert report.dead == ()
    assert report.unnoticed == ()
    assert {(one.leg, one.noticed) for one in report.planted if one.alteration == "rule surrender is no"} == {
        ("reference", True),
        ("engine", True),
    }
    # The row is met by nobody who plays well, and what it pays is noticed all the same.
    paid = {(one.leg, one.noticed) for one in report.planted if one.alteration == "bet lucky pays 1 to 1"}
    assert paid == {("reference", True), ("engine", True)}


def test_a_rule_that_the_code_never_reads_is_still_not_shown(tmp_path):
    report = checked_options(tmp_path, CODE.replace("allowed = self.game.rules.surrender", "allowed = True"))
    assert [one.alteration for one in report.dead] == ["rule surrender, whatever its value"]
    assert report.verdict.value != "satisfied"


@pytest.mark.parametrize("knows", [True, False])
def test_a_second_text_is_asked_about_an_option_that_another_rule_would_allow(tmp_path, *, knows):
    text = NEVER_LUCKY if knows else NEVER_LUCKY.replace("if not rules.surrender:", "if not draws:")
    report = checked_options(tmp_path, text, NOTHING_GIVEN_UP)
    allowed = [one for one in report.planted if one.alteration == "rule surrender is yes"]
    assert {one.leg: one.noticed for one in allowed} == {"reference": True, "engine": True, "second": knows}
    assert [one.leg for one in report.unnoticed] == ([] if knows else ["second"])


RED_DOG = read_game(Path("fixtures/games/red-dog/game.toml"))


def ordered(piece, face):
    card = by_name(piece, face)
    return {"order": int(str(card["rank"])), **card}


def covered_first(looks: bool) -> Moment:
    """A card against one that lies covered before it: fold, or raise on what is seen."""
    return draw("dealer", own_next, hidden_from=("player",))


def own_next(looks: bool, dealer: Card) -> Moment:
    return draw("player", own_came, dealer.order)


def own_came(looks: bool, dealer: int, card: Card) -> Moment:
    options = Option("fold"), Option("raise", (("bet", Fraction(1)),))
    return choose("player", options, card.order if looks else 0, decided_so, dealer, card.order)


def decided_so(looks: bool, dealer: int, own: int, option: str) -> Moment:
    return over(("bet", "fold" if option == "fold" else "win" if own > dealer else "lose"))


def worth_so(wager, outcome):
    return Price(
        Fraction({"win": 2, "lose": -2, "fold": -1}[outcome]), Fraction(1 if outcome == "fold" else 2)
    )


def with_covered(looks):
    deck = shoe("deck", ("2", "3", "4", "5"), ("clubs", "hearts"))
    return lambda game: RoundText(looks, covered_first, (deck,), ("bet",), worth_so, ordered)


def blind(game):
    text = RED_DOG.port.text(game)
    steps = tuple(replace(step, sees=()) for step in text.table.steps)
    return replace(text, table=replace(text.table, steps=steps))


TEXTS = {
    "all cards lie open": (None, set()),
    "all cards lie open, and none is seen": (blind, {"seen-cards"}),
    "a card lies hidden": (with_covered(looks=True), set()),
    "a card lies hidden, and the own one is not seen": (with_covered(looks=False), {"seen-cards"}),
}


@pytest.mark.parametrize(("text", "broken"), TEXTS.values(), ids=TEXTS)
def test_a_text_whose_decisions_forget_a_card_that_changes_what_is_best_is_noticed(monkeypatch, text, broken):
    sound = RED_DOG.port
    played = (text or sound.text)(RED_DOG)
    family = replace(
        sound, text=lambda game: played, reference=lambda game: StagedRound(played), form=FamilyForm()
    )
    subject = Subject(replace(RED_DOG, port=family, equipment=played.equipment), SEED, 20)
    found = list(tried_on("", subject, seen))
    assert {one.law for one in found if one.verdict is Verdict.NOT_SATISFIED} == broken, found
    planted = list(forgotten(subject))
    # What is forgotten already can be forgotten no more; else the kit forgets it and must notice that.
    assert [(one.noticed, one.idle) for one in planted] == [
        (not broken or one.idle, bool(broken)) for one in planted
    ]

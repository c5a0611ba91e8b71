"""The conformance kit is tested by lying to it: each broken family is noticed, by the law that it breaks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.families.port import Node, Settled
from certify.families.registry import families
from certify.kit import code
from certify.kit.check import Report
from certify.kit.located import Located, located
from certify.kit.package import write_package
from certify.kit.run import check_family
from certify.model.game import Game

SEED = bytes.fromhex("5a" * 32)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Located]:
    """The family of the template, which is sound."""
    folder = tmp_path_factory.mktemp("family") / "five-dice"
    write_package("five-dice", folder)
    with located(str(folder), ()) as found:
        yield found


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # Another process is asked by tests of the command line; a broken family lives in this one alone.
    monkeypatch.setattr(code, "_same_elsewhere", lambda subject: code.not_applicable("not asked"))


def checked(sound: Located, monkeypatch: pytest.MonkeyPatch, **parts: Any) -> Report:
    """What the kit says of the family with some parts exchanged, which the registry then knows so."""
    from certify.analysis import of_game
    from certify.simulation import reference_play

    broken = replace(sound.family, **parts)
    monkeypatch.setitem(families(), broken.id, broken)  # type: ignore[arg-type]
    of_game.forget_engines()
    reference_play.ends_of.cache_clear()
    return check_family(broken, sound.games, SEED, rounds=60)


def broken_laws(report: Report) -> set[str]:
    return {one.law for one in report.broken}


def test_the_template_keeps_every_law_and_every_planted_fault_is_noticed(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = checked(sound, monkeypatch)
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
    def equipment(self) -> Any:
        return self.sound.equipment

    def start(self) -> Any:
        return self.sound.start()

    def node(self, state: Any) -> Node:
        return self.node_of(self.sound, state) if self.node_of else self.sound.node(state)

    def drawn(self, state: Any, face: int) -> Any:
        return self.sound.drawn(state, face)

    def decided(self, state: Any, option: str) -> Any:
        return self.sound.decided(state, option)

    def alike(self, state: Any, face: int) -> Hashable:
        return self.alike_of(state, face) if self.alike_of else self.sound.alike(state, face)

    def matters(self, state: Any) -> Hashable:
        return self.matters_of(state) if self.matters_of else self.sound.matters(state)

    def hands(self, state: Any) -> Any:
        return self.sound.hands(state)


def settled(change: Callable[[Any], Any]) -> Callable[[Any, Any], Node]:
    """A node that changes how rounds are settled."""

    def node_of(sound: Any, state: Any) -> Node:
        node = sound.node(state)
        return Settled(tuple(change(one) for one in node.results)) if isinstance(node, Settled) else node

    return node_of


def bent(sound: Located, **how: Any) -> Callable[[Game], Bent]:
    reference = sound.family.reference
    return lambda game: Bent(reference(game), **how)


def test_a_row_that_is_settled_otherwise_is_noticed_by_the_play_through(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(one: Any) -> Any:
        return replace(one, net=one.net + 1) if one.outcome == "win" and one.wager == "three-alike" else one

    report = checked(sound, monkeypatch, reference=bent(sound, node_of=settled(change)))
    assert {"play-through", "further-counting"} <= broken_laws(report)


def test_a_hard_coded_pay_is_noticed_by_the_law_of_double_pays_and_by_the_planted_faults(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(one: Any) -> Any:
        return replace(one, net=Fraction(3)) if one.outcome == "win" and one.wager == "three-alike" else one

    report = checked(sound, monkeypatch, reference=bent(sound, node_of=settled(change)))
    assert broken_laws(report) == {"double-pays"}
    assert {(one.leg, one.alteration) for one in report.unnoticed} == {
        ("reference", "three-alike win pays 4 to 1"),
        ("engine", "three-alike win pays 4 to 1"),
    }


def test_a_play_through_that_ignores_a_rule_is_noticed_by_the_planted_faults(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    volume, first = sound.family.volume, sound.games[0]
    assert volume is not None

    class Deaf:
        independent_code = volume.independent_code

        def counter(self, game: Game, strategy: Any) -> Any:
            return volume.counter(replace(game, rules=first.rules), strategy)

        def net(self, game: Game, wager: str, outcome: str) -> Fraction:
            return volume.net(game, wager, outcome)

    report = checked(sound, monkeypatch, volume=Deaf())
    assert broken_laws(report) == set()
    assert {one.leg for one in report.unnoticed} == {"volume"}
    assert "rule lowest-high is 18" in {one.alteration for one in report.unnoticed}


def test_states_merged_too_far_are_noticed(sound: Located, monkeypatch: pytest.MonkeyPatch) -> None:
    # The total alone: three fours are not what a two, a four and a six are.
    report = checked(
        sound,
        monkeypatch,
        reference=bent(sound, matters_of=lambda state: (len(state.faces), sum(state.faces))),
    )
    assert "merging" in broken_laws(report)
    assert "further-counting" in broken_laws(report)


def test_faces_called_alike_that_are_not_are_noticed(sound: Located, monkeypatch: pytest.MonkeyPatch) -> None:
    report = checked(sound, monkeypatch, reference=bent(sound, alike_of=lambda state, face: face // 2))
    assert "merging" in broken_laws(report)


def test_rows_that_no_round_reaches_and_rows_that_nobody_named_are_noticed(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(one: Any) -> Any:
        return replace(one, outcome="lost") if one.outcome == "lose" and one.wager == "three-alike" else one

    report = checked(sound, monkeypatch, reference=bent(sound, node_of=settled(change)))
    (rows,) = (one for one in report.broken if one.law == "rows")
    assert "three-alike lose: said to be reached, and no round shows it" in rows.detail
    assert "three-alike lost: a round falls in it, and it is not said to be reached" in rows.detail


def test_a_wager_that_changes_another_is_noticed(sound: Located, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = sound.family.reference

    def meddles(game: Game) -> Bent:
        paid = Fraction(1, 10) if len(game.wagers) == 1 else Fraction(0)
        return Bent(
            reference(game),
            node_of=settled(lambda one: replace(one, net=one.net + paid) if one.outcome == "win" else one),
        )

    assert "removed-wager" in broken_laws(checked(sound, monkeypatch, reference=meddles))


def test_states_that_are_not_equal_to_themselves_are_noticed(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd:
        """A state without equality."""

        def __init__(self, faces: tuple[int, ...] = ()) -> None:
            self.faces = faces

    @dataclass(frozen=True, slots=True)
    class OddRound(Bent):
        def start(self) -> Any:
            return Odd()

        def drawn(self, state: Any, face: int) -> Any:
            return Odd((*state.faces, face))

    reference = sound.family.reference
    report = checked(sound, monkeypatch, reference=lambda game: OddRound(reference(game)))
    assert "states" in broken_laws(report)


def test_a_family_with_neither_leg_stands_under_a_condition_that_is_said_in_words(
    sound: Located, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = checked(sound, monkeypatch, volume=None)
    assert report.verdict.value == "not satisfied"
    (condition,) = report.conditions
    assert condition.part == "exact, volume"
    assert "stands under a condition" in condition.cost


@pytest.mark.parametrize(
    ("file", "line", "law", "said"),
    [
        ("reference.py", "import random\n", "ambient", "random"),
        ("counting.py", "import os\nHOME = os.environ\n", "ambient", "os.environ"),
        ("volume.py", "TABLE = open('/dev/null')\n", "ambient", "open()"),
        ("volume.py", "import @.reference\n", "isolated-legs", "volume (@.volume) reaches reference"),
        ("submitted.py", "def late():\n    from @.reference import Round\n", "isolated-legs", "reaches"),
    ],
)  # fmt: skip
def test_code_that_looks_around_or_leans_on_another_leg_is_noticed(
    tmp_path: Path, file: str, line: str, law: str, said: str
) -> None:
    name = f"spoilt-{file.removesuffix('.py')}-{len(line)}"
    module = name.replace("-", "_")
    write_package(name, tmp_path / name)
    path = tmp_path / name / "src" / module / file
    path.write_text(f"{path.read_text()}\n{line.replace('@', module)}")
    with located(str(tmp_path / name), ()) as found:
        found_laws = {one.law: one for one in code.code(found.family, None)}
    assert found_laws[law].verdict.value == "not satisfied"
    assert said.replace("@", module) in found_laws[law].detail
    assert found_laws[law].cost

"""Ways to slip a change past the gate, and faults planted into the gate itself."""

import gc
import os
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from signal import SIGKILL, SIGSTOP
from typing import cast

import pytest
from gate_open_card import CASINO, HOME, source
from gate_support import Repository, edited, published, state

from certify import result_cache
from certify.errors import InputError
from certify.gate import (
    compare as compare_module,
    facts,
    figure_changes,
    figure_inputs,
    figures,
    git_store,
    impact_on_figures,
    impact_on_returns,
)
from certify.gate.compare import compare
from certify.gate.facts import read_submission
from certify.gate.family_code import ChangedCode
from certify.gate.figure_inputs import ASIDE, RESTS_ON, basis_of
from certify.gate.git_store import GitStore
from certify.gate.policy import DEFAULT, GatePolicy
from certify.model import Game, PrintedCount, PrintedRow, PrintedShare, Severity, StrategyCard


def unlisted(names):
    """Fields of a game that are neither what figures rest on nor set aside."""
    return set(names) - {*RESTS_ON} - {*ASIDE}


def test_every_field_of_a_game_is_on_the_list_of_what_figures_rest_on():
    names = ["family" if field.name == "port" else field.name for field in fields(Game)]
    assert unlisted(names) == set()
    assert not {*RESTS_ON} & {*ASIDE}
    assert {*RESTS_ON} | {*ASIDE} == {*names}
    # A field that somebody adds and puts on neither is what this test is for.
    assert unlisted([*names, "progressive_pool"]) == {"progressive_pool"}


PARTS = {
    "rules": lambda game: replace(game.rules, dealer_stands_on=game.rules.dealer_stands_on + 1),
    "values": lambda game: (*game.values[:-1], (game.values[-1][0], 9)),
    "wagers": lambda game: game.wagers[::-1],
    "equipment": lambda game: tuple(replace(piece, id="other") for piece in game.equipment),
    "strategy_cards": lambda game: (StrategyCard("card", "A card", "rules-screen", "stand"),),
    "printed_counts": lambda game: (PrintedCount("row", "all-hands", (2,), 5, None, "rules-screen"),),
    "printed_rows": lambda game: (PRINTED_ROW,),
    "banked_by": lambda game: "player",
}
PRINTED_ROW = PrintedRow("TWO ACES", None, (0, 0), (("tie", PrintedShare("1 %")),), "rules-screen")


@pytest.mark.parametrize("name", [name for name in RESTS_ON if name != "family"])
def test_another_value_of_what_figures_rest_on_is_another_basis(name):
    game = read_submission(published().encode(), "game.toml", "game.toml").game
    one, other = basis_of(game), basis_of(replace(game, **{name: PARTS[name](game)}))
    assert one.differences(other) == (name,)
    assert one.digest != other.digest


def test_code_strategies_and_tool_are_parts_of_the_basis_too():
    game = read_submission(published().encode(), "game.toml", "game.toml").game
    one = basis_of(game)
    assert set(one.parts) == {*RESTS_ON, "strategies", "code", "tool"}
    assert one.differences(basis_of(game, ChangedCode(game.family, "other", "1", "ab" * 32))) == ("code",)
    assert one.differences(replace(one, tool="certify 0")) == ("tool",)
    assert one.differences(replace(one, strategies=("always-stand",))) == ("strategies",)


def test_what_is_set_aside_changes_neither_digest_nor_what_is_counted():
    game = read_submission(published().encode(), "game.toml", "game.toml").game
    told = [replace(game, **{name: value}) for name, value in ASIDE.items()]
    assert {basis_of(one).digest for one in told} == {basis_of(game).digest}
    # Counting is given nothing else: a figure that rested on a title could not tell.
    assert {basis_of(one).game for one in told} == {basis_of(game).game}
    assert basis_of(game).game.wagers[0].title == ""


def test_a_value_that_has_no_one_text_is_refused_instead_of_left_out_of_the_digest():
    game = read_submission(published().encode(), "game.toml", "game.toml").game
    with pytest.raises(TypeError, match="no one text"):
        _ = basis_of(replace(game, banked_by=cast(str, 1.5))).digest


def test_a_change_in_a_table_of_the_family_is_a_fact():
    submission = read_submission(published().encode(), "game.toml", "game.toml")
    assert submission.facts["matta", "counts_as"].value == "the value of any other card"


@dataclass(frozen=True)
class Case:
    """A change, and what stands against it under a policy: kind and subject.

    Args:
        countable: Whether the analysis counts the game; where not, it refuses it.
    """

    name: str
    before: str
    after: str
    against: tuple[tuple[str, str], ...]
    policy: GatePolicy = DEFAULT
    countable: bool = True


def rule(text, name, value):
    head, tail = text.split(f'id = "{name}"\nvalue = ', 1)
    return f'{head}id = "{name}"\nvalue = {value}\n{tail.split(chr(10), 1)[1]}'


def casino(*changes):
    return edited(*changes, text=source(CASINO))


NOT_THE_ANTE = GatePolicy(max_return_decrease=Fraction("0.02"))
"""Allows what two antes of final bet do to the return of the ante, not what they do to that of all wagered."""

EVERYTHING = GatePolicy(max_return_decrease=Fraction(5), max_return_increase=Fraction(5))

TIE = Case(
    "a printed tie that no counting gives",
    source(CASINO),
    casino(("0.61 (5/820)", "0.61 (6/820)")),
    (("printed-figure-wrong", "printed_rows/TWO ACES"),),
)
COUNT = Case(
    "a printed count",
    source(CASINO),
    casino(('ways = "780"', 'ways = "790"')),
    (("printed-figure-wrong", "printed_counts/two-card-ways"),),
)
ROW = Case(
    "a row that the rules leave without a hand",
    source(CASINO),
    rule(source(CASINO), "dealer-stands-on", '"3"'),
    (("printed-figure-wrong", "printed_rows/THREE-FOUR"), ("rule-changed", "rules/dealer-stands-on")),
)
UNJUDGED = Case(
    "a printed count of a family whose tables nothing counts",
    published(),
    published() + '\n[[printed_counts]]\nid = "all"\nof = "all-hands"\ntotals = []\nways = "820"\n'
    'source = "rules-screen"\n',
    (("printed-figure-wrong", "printed_counts/all"),),
)
FINAL_BET = Case(
    "a final bet of two antes",
    source(CASINO),
    rule(source(CASINO), "final-bet", '"2 antes"'),
    (("return-changed", "ante"), ("return-on-total-changed", "ante")),
    NOT_THE_ANTE,
)
EDGE = Case(
    "the edge given to the player, whatever a return may do",
    rule(source(CASINO), "player-may-stand-on-first-card", "false"),
    source(CASINO),
    (("return-above-100", "ante"), ("edge-changed-side", "ante")),
    EVERYTHING,
)
FLOOR = Case(
    "the floor",
    source(CASINO),
    rule(source(CASINO), "player-may-stand-on-first-card", "false"),
    (("floor-crossed", "ante/GLI-19"),),
    EVERYTHING,
)
HOME_PAY = Case(
    "a pay of the home game",
    source(HOME),
    edited(('pays = "2 to 1"', 'pays = "1 to 1"'), text=source(HOME)),
    (("return-changed", "ante"), ("paytable-row-changed", "ante/king-of-diamonds")),
)
HOME_WIN = Case(
    "a win against an open card",
    source(HOME),
    edited(('pays = "1 to 1"', 'pays = "1 to 2"'), text=source(HOME)),
    (("return-changed", "ante"),),
)
UNCOUNTED = Case(
    "a pay of a game that cannot be counted, whatever a return may do",
    source(CASINO),
    casino(('pays = "3 to 1"', 'pays = "2 to 1"'), ('version = "1.0.0"', 'version = "2.0.0"')),
    (("figures-missing", "game"),),
    EVERYTHING,
    countable=False,
)
CASES = (TIE, COUNT, ROW, UNJUDGED, FINAL_BET, EDGE, FLOOR, HOME_PAY, HOME_WIN, UNCOUNTED)


def judged(case, *, keeping=False):
    with pytest.MonkeyPatch.context() as patch:
        if not keeping:
            patch.setattr(result_cache, "_KEEPING", [])
        if not case.countable:
            patch.setattr(figures, "analyze", refuses)
        (found,) = compare(state("before", game=case.before), state("after", game=case.after), case.policy)
    return found


def refuses(*_):
    raise InputError("this game cannot be counted")


def is_missed(case, *, keeping=False):
    """Whether something does not stand against a change."""
    against = {
        (c.kind.id, c.subject) for c in judged(case, keeping=keeping).changes if c.severity >= Severity.MAJOR
    }
    return not set(case.against) <= against


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_sound_gate_misses_nothing(case):
    assert not is_missed(case, keeping=case.countable)


def without_final_bets(game):
    found = COUNTED(game)
    wagers = {
        name: {wager: replace(each, total_wagered=None) for wager, each in wagers.items()}
        for name, wagers in found.wagers.items()
    }
    return replace(found, wagers=wagers)


def held_as_printed(game):
    held = figures.PrintedVerdict(("holds",), (), "")
    return dict.fromkeys(figures.printed_subjects(game), held)


COUNTED, JUDGED, NORMAL = figures.count_figures, impact_on_figures._judged, facts._normal
CHANGE, BOTH, COMPARED = compare_module._change, compare_module._figures, compare_module.compare_figures
NOTHING = lambda *_: iter(())  # noqa: E731
ONE_FOR_ALL = (figure_inputs.GateBasis, "meaning", "one for all")

FAULTS = {
    "ignores printed tables": ((TIE, ROW), (impact_on_figures, "printed_impacts", NOTHING)),
    "believes what is printed": ((COUNT,), (figures, "judge_printed", held_as_printed)),
    "takes no verdict for a good one": (
        (UNJUDGED,),
        (figures.PrintedVerdict, "holds", property(lambda self: figures.NOT_COUNTED in self.worth)),
    ),
    "sees edited cells only": (
        (ROW,),
        (impact_on_figures, "_judged", lambda *of, edited: JUDGED(*of, edited=edited) if edited else None),
    ),
    "knows the ante alone": (
        (FINAL_BET,),
        (figure_changes, "on_total", lambda wager: wager.return_to_player),
        (impact_on_returns, "on_total", lambda wager: wager.return_to_player),
    ),
    "holds thresholds against the ante alone": (
        (FINAL_BET,),
        (figure_changes.WagerChange, "moves", property(lambda self: (self.delta,))),
    ),
    "forgets the final bets": (
        (FINAL_BET,),
        (figures, "count_figures", without_final_bets),
    ),
    "passes what it cannot count": (
        (UNCOUNTED,),
        (
            compare_module,
            "_change",
            lambda game, one, policy: CHANGE(
                game, replace(one, kind="game-moved") if one.kind == "figures-missing" else one, policy
            ),
        ),
    ),
    "counts nothing and says nothing": (
        (UNCOUNTED,),
        (compare_module, "_figures", lambda *of: (BOTH(*of)[0], "", "")),
    ),
    "keeps the old figures": (
        (HOME_WIN,),
        (compare_module, "compare_figures", lambda before, after: COMPARED(before, before or after)),
    ),
    "calls an advantage of the player a high return": ((EDGE,), (impact_on_figures, "above_stake", NOTHING)),
    "has one side only": ((EDGE,), (impact_on_returns, "edge", lambda wager: "the bank")),
    "knows no floor": ((FLOOR,), (impact_on_figures, "floors", NOTHING)),
    "plays the second card always": (
        (EDGE,),
        (figures.GameFigures, "best_strategy", lambda self, wager: "always-second-card"),
    ),
    # What figures rest on tells two cells or two numbers apart as well: both have to be blind.
    "reads a cell by its digits alone": (
        (TIE,),
        (
            facts,
            "_normal",
            lambda subject, value: (
                value.split("(")[0].strip() if facts.is_share(subject) else NORMAL(subject, value)
            ),
        ),
        ONE_FOR_ALL,
    ),
    "reads one number for another": (
        (COUNT, HOME_PAY),
        (
            facts,
            "_normal",
            lambda subject, value: "a number" if subject[-1] in ("pays", "ways") else NORMAL(subject, value),
        ),
        ONE_FOR_ALL,
    ),
}
"""Each fault with the cases that it makes the gate miss, and what it puts in the place of what."""


@pytest.mark.parametrize(
    ("fault", "case"),
    [
        pytest.param(fault, case, id=f"{fault}-{case.name}")
        for fault, (cases, *_) in FAULTS.items()
        for case in cases
    ],
)
def test_a_planted_fault_is_caught(fault, case, monkeypatch):
    for owner, name, planted in FAULTS[fault][1:]:
        monkeypatch.setattr(owner, name, planted)
    # Nothing is kept: a fault is not to meet the figures of the sound gate, nor to leave its own.
    assert is_missed(case)


@pytest.mark.parametrize("part", ["analyze", "exposure"])
@pytest.mark.parametrize("state_failing", ["before", "after", "both"])
def test_what_cannot_be_counted_does_not_pass(part, state_failing, monkeypatch):
    """Even a change that no figure hangs on beside its own, and under the loosest thresholds."""
    sound = getattr(figures, part)

    def refuses(game, *args):
        king = game.wager("ante").paytable.pays("king-of-diamonds")
        if state_failing == "both" or (king == 3) is (state_failing == "before"):
            raise InputError("this game cannot be counted")
        return sound(game, *args)

    monkeypatch.setattr(figures, part, refuses)
    case = Case("", source(CASINO), casino(('pays = "3 to 1"', 'pays = "2 to 1"')), (), EVERYTHING)
    found = judged(case)
    (lacking,) = (c for c in found.changes if c.kind.id == "figures-missing")
    assert lacking.severity is Severity.CRITICAL
    assert "cannot be counted" in lacking.message
    assert lacking.message.startswith("before the change: ") is (state_failing == "before")
    # Without figures no threshold can allow a pay.
    (row,) = (c for c in found.changes if c.kind.id == "paytable-row-changed")
    assert row.severity is Severity.MAJOR


def test_an_unjudged_printed_figure_is_missing_not_true(monkeypatch):
    sound = figures.judge_printed
    monkeypatch.setattr(
        figures,
        "judge_printed",
        lambda game: {a: v for a, v in sound(game).items() if a[1] != "TWO ACES"},
    )
    case = Case("", source(CASINO), casino(('pays = "3 to 1"', 'pays = "2 to 1"')), (), EVERYTHING)
    assert ("figures-missing", "printed_rows/TWO ACES") in {
        (c.kind.id, c.subject) for c in judged(case).changes if c.severity is Severity.CRITICAL
    }


@pytest.fixture
def written(tmp_path):
    """A repository with a file of a mebibyte, and the id of that file."""
    repository = Repository(tmp_path / "store")
    repository.write("large", "one line\n" * 120_000)
    repository.commit("a file")
    return repository.folder, repository.git("rev-parse", "HEAD:large")


def test_one_process_a_form_answers_all_questions_and_ends_with_the_store(written):
    folder, oid = written
    store, others = GitStore(folder), [f"{number:040x}" for number in range(5_000)]
    assert len(store.blobs({oid: "large"})[oid]) == 1_080_000
    running = [child for child, _ in store._answering.values()]
    assert store.no_larger([*others, oid], 1_079_999) == {*others}
    # Nobody reads on, and the next question has its own answer.
    assert next(store._objects([store.resolve("HEAD"), oid], "commit", "blob"))[1].startswith(b"tree ")
    for asked in ([others[1], oid], [oid, others[1]]):
        with pytest.raises(InputError, match=f"the blob {others[1]} is not in this clone"):
            store.blobs(dict.fromkeys(asked, "large"))
    assert {child for child, _ in store._answering.values()} == {*running}
    assert [child.poll() for child in running] == [None, None]
    del store
    gc.collect()
    assert [child.returncode for child in running] == [-SIGKILL, -SIGKILL]


@pytest.mark.parametrize(
    ("patched", "said"),
    [
        ({}, "store: git cat-file failed: it ended, or answered something else"),
        ({"_LARGEST": 1_000}, "has 1080000 bytes: expected at most 1000"),
        ({"_TIMEOUT": 0.1}, "git did not answer within 0.1 seconds"),
    ],
)
def test_a_process_that_was_not_heard_to_the_end_is_asked_nothing_more(written, patched, said, monkeypatch):
    folder, oid = written
    store = GitStore(folder)
    sizes = store._answers("--batch-check", [oid])
    assert store.blobs({oid: "large"})
    os.kill(
        store._answering["--batch"][0].pid,
        SIGSTOP if "_TIMEOUT" in patched else SIGKILL if not patched else 0,
    )
    for name, value in patched.items():
        monkeypatch.setattr(git_store, name, value)
    with pytest.raises(InputError, match=said):
        next(store._contents([oid]))
    monkeypatch.undo()
    assert store._answers("--batch-check", [oid]) == sizes
    assert [*store.blobs({oid: "large"})] == [oid]

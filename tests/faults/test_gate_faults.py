"""Ways to slip a change past the gate, each of which must fail."""

import subprocess
from dataclasses import fields, replace
from typing import cast

import pytest
from gate_support import KING, LOWERED, Repository, edited, figures_folder, published, second_game

from certify.cli.main import run
from certify.gate.cache import Cache
from certify.gate.compare import compare
from certify.gate.facts import read_submission
from certify.gate.family_code import ChangedCode
from certify.gate.figure_inputs import ASIDE, RESTS_ON, basis_of
from certify.gate.policy import GatePolicy
from certify.gate.snapshot_reader import read_snapshot
from certify.model.game import Game
from certify.model.printed import PrintedCount, PrintedRow, PrintedShare
from certify.model.strategy import StrategyCard


@pytest.fixture
def repository(tmp_path, monkeypatch):
    made = Repository(tmp_path / "games")
    made.commit("two games", mezzo__game=published(), notte__game=second_game())
    monkeypatch.chdir(made.folder)
    monkeypatch.setenv("CERTIFY_CACHE", str(figures_folder()))
    return made


def lower(repository):
    repository.commit("lower", mezzo__game=edited((KING, LOWERED)))


def under_another_id(repository):
    repository.commit(
        "rename", mezzo__game=edited((KING, LOWERED), ('id = "playtech-7-e-mezzo"', 'id = "new-game"'))
    )


def under_the_id_of_the_other(repository):
    repository.commit(
        "swap", mezzo__game=edited((KING, LOWERED), text=second_game()), notte__game=published()
    )


def in_a_hidden_folder(repository):
    repository.git("mv", "mezzo", ".mezzo")
    repository.write(".mezzo/game.toml", edited((KING, LOWERED)))
    repository.commit("hide")


def behind_a_link(repository):
    (repository.folder / "elsewhere.txt").write_text(edited((KING, LOWERED)))
    (repository.folder / "mezzo/game.toml").unlink()
    (repository.folder / "mezzo/game.toml").symlink_to("../elsewhere.txt")
    repository.commit("link")


def behind_a_submodule(repository):
    repository.git("rm", "-q", "-r", "mezzo")
    head = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},mezzo")
    repository.git("commit", "-q", "-m", "submodule")


def without_its_first_lines(repository):
    repository.commit("strip", mezzo__game=edited(('schema = "certify-game/1"\n', "")))


def larger_than_can_be_read(repository):
    repository.commit("pad", mezzo__game=edited((KING, LOWERED)) + "#" * (1 << 20))


def with_a_policy_that_allows_it(repository):
    policy = (
        '[gate]\nfail_on = "critical"\nmax_return_decrease = "100 pp"\nseverity = { claim-stale = "note" }\n'
    )
    repository.commit(
        "allow", mezzo__game=edited((KING, LOWERED)), certify=policy + "bump = { return-changed = 'none' }\n"
    )


def by_a_replacement_object(repository):
    """The commit that raises an alarm is replaced, in this clone only, by one that does not."""
    sound = repository.git("rev-parse", "HEAD")
    lower(repository)
    repository.git("replace", "HEAD", sound)


@pytest.mark.parametrize(
    "fault",
    [
        lower,
        under_another_id,
        under_the_id_of_the_other,
        in_a_hidden_folder,
        behind_a_link,
        behind_a_submodule,
        without_its_first_lines,
        larger_than_can_be_read,
        with_a_policy_that_allows_it,
        by_a_replacement_object,
    ],
    ids=lambda fault: fault.__name__,
)
def test_a_lowered_pay_does_not_slip_through(repository, fault, capsys):
    before = repository.git("rev-parse", "HEAD")
    fault(repository)
    after = (repository.folder / ".git/refs/heads/main").read_text().strip()
    assert run(["gate", f"git:{before}", f"git:{after}"]) in (1, 2)
    capsys.readouterr()


def test_a_repository_cannot_make_the_gate_run_its_programs(repository, capsys):
    """Settings of a repository name programs; none of them is run by reading its objects."""
    mark = repository.folder.parent / "ran"
    program = repository.folder.parent / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    lower(repository)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "diff.external",
        "core.hooksPath",
    ):
        repository.git("config", key, str(program))
    repository.git("config", "filter.x.smudge", str(program))
    repository.write(".gitattributes", "*.toml filter=x\n")
    assert run(["gate", "git:HEAD^", "git:HEAD"]) == 1
    capsys.readouterr()
    assert not mark.exists()


def test_a_partial_clone_is_not_completed_behind_our_back(repository, tmp_path, capsys):
    lower(repository)
    repository.git("config", "uploadpack.allowFilter", "true")
    subprocess.run(
        [
            "git",
            "clone",
            "-q",
            "--bare",
            "--filter=blob:none",
            f"file://{repository.folder}",
            str(tmp_path / "partial"),
        ],
        check=True,
        capture_output=True,
    )
    assert run(["gate", "git:main^", "git:main", "--repository", str(tmp_path / "partial")]) == 2
    assert "partial" in capsys.readouterr().err


@pytest.mark.slow
def test_two_folders_with_many_games_are_all_compared(tmp_path):
    for state in ("old", "new"):
        for number in range(12):
            folder = tmp_path / state / f"g{number}"
            folder.mkdir(parents=True)
            text = edited(('id = "playtech-7-e-mezzo"', f'id = "game-{number}"'))
            folder.joinpath("game.toml").write_text(
                edited((KING, LOWERED), text=text) if number == 7 and state == "new" else text
            )
    states = [read_snapshot(str(tmp_path / state), tmp_path) for state in ("old", "new")]
    found = compare(states[0], states[1], GatePolicy(), Cache(figures_folder()))
    assert len(found) == 12
    assert [game.game for game in found if game.changes] == ["game-7"]


def unlisted(names):
    """Fields of a game that are neither what figures rest on nor set aside."""
    return set(names) - {*RESTS_ON} - {*ASIDE}


def test_every_field_of_a_game_is_on_the_list_of_what_figures_rest_on():
    names = [field.name for field in fields(Game)]
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

"""Results found again by their digest: believed only with their mark, and only for the text that they are of."""

import json
import os
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, reduce
from pathlib import Path
from unittest.mock import Mock

import pytest
from representatives import firsts

from certify import result_cache
from certify.analysis.engine.stored import code_of, digest_of_parts
from certify.certification import cross_checks
from certify.certification.cross_checks import on_every_state
from certify.cli import gate as gate_command
from certify.cli.main import run
from certify.cli.options import keeps_results
from certify.errors import InputError
from certify.executors import Execution, execution_document, open_background, parse_executor
from certify.families import stage_machine
from certify.families.described import stages
from certify.families.several_draws import family
from certify.families.stage_machine import StagedRound, proven
from certify.model import Price
from certify.submission import read_game

GAME = Path(__file__).parents[2] / "fixtures/games/baccarat-ez/game.toml"
SECRET = bytes(range(32))

pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture(autouse=True)
def walked_anew():
    proven.cache_clear()
    yield
    proven.cache_clear()


@pytest.fixture
def text():
    return family.text(read_game(GAME))


def once_more(text, folder, secret=SECRET):
    """Returns the automaton of a text, and whether it was found."""
    proven.cache_clear()
    with result_cache.kept_in(folder, secret):
        return proven(text), bool(result_cache.found())


@pytest.mark.parametrize("name", ["red-dog", "us5632489-casino"])
def test_a_text_with_decisions_is_found_by_the_next_command(name, tmp_path):
    played = (game := read_game(GAME.parents[1] / name / "game.toml")).port.reference(game)
    first, _ = once_more(played.text, tmp_path)
    second, found = once_more(played.text, tmp_path)
    assert (found, second is first) == (True, False)
    # Found and believed: what was walked anew has the rows of its walk, what was found has none.
    assert (bool(first.automaton.walked.rows), second.automaton.walked.rows) == (True, [])
    assert second.proof == first.proof
    for part in ("waiting", "rows", "partition", "partitions", "first_face", "state_of"):
        assert list(getattr(second.automaton, part)) == list(getattr(first.automaton, part))


def turned(kept):
    """The automaton that was kept, the arrows of whose states are another's."""
    return replace(kept, automaton=replace(kept.automaton, rows=kept.automaton.rows[::-1]))


class Planted:
    def __reduce__(self):
        return run_by_what_was_planted, ()


def run_by_what_was_planted():
    pytest.fail("an entry was read before its mark was known to be right")


def test_an_entry_that_was_touched_is_not_believed(text, tmp_path):
    first, _ = once_more(text, tmp_path)
    (entry,) = tmp_path.iterdir()
    sound = entry.read_bytes()
    mark, _, content = sound.partition(b"\n")
    written = pickle.dumps(Planted())
    # A writer of the folder makes a mark of its own, for it does not know the key.
    guessed = (
        result_cache.Keeping(tmp_path, bytes(32)).mark(stage_machine.AUTOMATON, "0" * 64, written).encode()
    )
    for touched in (
        mark + b"\n" + written,
        guessed + b"\n" + written,
        b"\n" + written,
        sound[:-1],
        content,
        b"",
        b"\xff" * 100,
        mark + b"\n" + b"(" * 100_000,
    ):
        entry.write_bytes(touched)
        again, found = once_more(text, tmp_path)
        assert not found
        assert again.automaton.rows == first.automaton.rows
    entry.unlink()
    os.mkfifo(entry)
    assert not once_more(text, tmp_path)[1]
    entry.write_bytes(sound)
    assert once_more(text, tmp_path)[1]
    assert not once_more(text, tmp_path, bytes(32))[1]


def test_an_entry_of_another_text_is_not_believed(text, tmp_path, monkeypatch):
    first, _ = once_more(text, tmp_path)
    (entry,) = tmp_path.iterdir()
    right = stages._added
    monkeypatch.setattr(stages, "_added", lambda *read: read[1] if read[1] == 3 else right(*read))
    other, found = once_more(text, tmp_path)
    assert not found
    assert other.automaton.rows != first.automaton.rows
    # Not even under the name of the other one.
    (second,) = set(tmp_path.iterdir()) - {entry}
    entry.replace(second)
    assert not once_more(text, tmp_path)[1]
    # A changed value that the text names makes another text of what was found just now.
    assert once_more(text, tmp_path)[1]
    monkeypatch.setattr(stages, "NO_BOUND", stages.NO_BOUND - 1)
    assert not once_more(text, tmp_path)[1]


def test_an_entry_that_does_not_play_as_the_text_is_computed_anew(text, tmp_path):
    first, _ = once_more(text, tmp_path)
    (entry,) = tmp_path.iterdir()
    changed = turned(pickle.loads(entry.read_bytes().partition(b"\n")[2]))  # noqa: S301 - of this test
    with result_cache.kept_in(tmp_path, SECRET):
        result_cache.keep(stage_machine.AUTOMATON, stage_machine.digest_of_text(text), changed)
    again, _ = once_more(text, tmp_path)
    assert again.automaton.rows == first.automaton.rows


def test_nothing_is_kept_unless_a_command_says_so(text, tmp_path):
    result_cache.keep("automaton", "a" * 64, {})
    assert (result_cache.find("automaton", "a" * 64), bool(proven(text).proof.arrows)) == (None, True)
    with result_cache.kept_in(tmp_path / "file", SECRET):
        (tmp_path / "file").write_text("")
        result_cache.keep("automaton", "a" * 64, {})
        result_cache.keep("automaton", "a" * 64, reduce(lambda inner, _: (inner,), range(10_000), ()))
        assert result_cache.find("automaton", "a" * 64) is None


def test_the_attestation_names_what_was_found(text, tmp_path):
    ran = Execution("threads:2")
    assert "found" not in execution_document(ran)
    once_more(text, tmp_path)
    proven.cache_clear()
    with result_cache.kept_in(tmp_path, SECRET):
        proven(text)
        assert execution_document(ran)["found"] == {
            stage_machine.AUTOMATON: stage_machine.digest_of_text(text)
        }


def test_a_command_finds_what_another_kept_and_says_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    said = []
    for turn in range(2):
        proven.cache_clear()
        if turn:
            monkeypatch.setattr(stage_machine, "walked", lambda text: pytest.fail("walked once more"))
        staged_game = tmp_path / f"{turn}.toml"
        # Another title is another submission, that rests on the same text.
        staged_game.write_text(GAME.read_text().replace('title = "', f'title = "{turn} ', 1))
        assert run(["analyze", str(staged_game), "--format", "json"]) == 0
        said.append(json.loads(capsys.readouterr().out)["wagers"])
    assert said[0] == said[1]


def test_a_key_that_others_can_read_marks_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    keeping = keeps_results(result_cache.keeping)
    assert keeping()
    secret = result_cache.secret_file({"XDG_STATE_HOME": str(tmp_path / "state")})
    assert len(secret.read_bytes()) == 32
    secret.chmod(0o644)
    assert not keeping()
    secret.chmod(0o600)
    assert keeping()
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: secret.stat().st_uid + 1)
        assert not keeping()
    secret.write_bytes(b"short")
    assert not keeping()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", [result_cache.default_folder(os.environ).name]),
        ("--cache={}/named", ["named"]),
        ("--no-cache", []),
    ],
)
def test_the_gate_keeps_where_its_options_say(given, kept, tmp_path, monkeypatch):
    kept_in = Mock(side_effect=result_cache.kept_in)
    monkeypatch.setattr(result_cache, "kept_in", kept_in)
    monkeypatch.setattr(gate_command, "run_gate", Mock(side_effect=InputError("seen")))
    assert run(["gate", "none", str(GAME), *given.format(tmp_path).split()]) == 2
    assert [call.args[0].name for call in kept_in.call_args_list] == kept


@pytest.mark.parametrize(
    "wrong", [pickle.UnpicklingError, ImportError, AttributeError, MemoryError, EOFError]
)
def test_what_cannot_be_read_back_is_not_found(wrong, tmp_path, monkeypatch):
    with result_cache.kept_in(tmp_path, SECRET):
        result_cache.keep("texts", "1" * 64, {})
        monkeypatch.setattr(pickle, "loads", Mock(side_effect=wrong))
        assert result_cache.find("texts", "1" * 64) is None


def test_a_full_folder_loses_what_was_used_longest_ago_and_no_file_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(result_cache, "FOLDER", 3_500)
    (tmp_path / "notes").write_bytes(bytes(9_000))
    with result_cache.kept_in(tmp_path, SECRET) as keeping:
        for used, key in enumerate("abc"):
            result_cache.keep("texts", key, bytes(1_000))
            os.utime(keeping.path("texts", key), (used, used))
        # Used again, the first is the youngest; another process reads the second when it is removed.
        assert result_cache.find("texts", "a")
        with (oldest := keeping.path("texts", "b")).open("rb") as reading:
            result_cache.keep("texts", "d", bytes(1_000))
            assert (oldest.exists(), len(reading.read()) > 1_000) == (False, True)
        assert [bool(result_cache.find("texts", key)) for key in "abcd"] == [True, False, True, True]
    assert (tmp_path / "notes").exists()


def whether_proven(text):
    """Proves a text where a background task runs, and says whether it was found there."""
    proven.cache_clear()
    proven(text)
    return bool(result_cache.found())


def test_a_process_beside_the_command_finds_what_the_command_kept_and_says_so(text, tmp_path):
    digest = stage_machine.digest_of_text(text)
    with open_background(parse_executor("threads:2")) as background:
        assert not background.begin(whether_proven, text)()
        once_more(text, tmp_path)
        # A command that keeps nothing finds nothing, nor does what it sends elsewhere.
        assert not background.begin(whether_proven, text)()
        with result_cache.kept_in(tmp_path, SECRET):
            assert background.begin(whether_proven, text)()
            assert result_cache.found() == {stage_machine.AUTOMATON: digest}
        with result_cache.kept_in(tmp_path, bytes(32)):
            assert not background.begin(whether_proven, text)()


@pytest.mark.parametrize("name", firsts(["red-dog", "baccarat-ez", "us5632489-casino"]))
def test_that_two_texts_agree_is_found_by_the_next_command(name, tmp_path, monkeypatch):
    game = read_game(GAME.parents[1] / name / "game.toml")
    family = game.port
    assert family.second is not None
    played = family.reference(game)

    def agreed(second=family.second, played=played):
        with result_cache.kept_in(tmp_path, SECRET):
            return on_every_state(game, second, played), cross_checks.AGREEMENT in result_cache.found()

    first, found = agreed()
    assert (first.differing, found) == (0, False)
    assert agreed() == (first, True)

    # Another second text, another price, another value that the second text names: none of them is found.
    def wrong(rules, pays, draws, decisions):
        return {wager: (end, net + 1) for wager, (end, net) in settle(rules, pays, draws, decisions).items()}

    settle = family.second
    other, found = agreed(wrong)
    assert (other.differing, found) == (first.deals, False)
    dear = StagedRound(replace(played.text, price=lambda wager, end: Price(Fraction(1_000_003))))
    other, found = agreed(played=dear)
    assert (other.differing > 0, found) == (True, False)
    # A difference is computed each time.
    assert not agreed(wrong)[1]
    (entry,) = tmp_path.glob(f"{cross_checks.AGREEMENT}-*")
    entry.write_bytes(entry.read_bytes() + b"0")
    assert agreed() == (first, False)


def test_functions_that_keep_their_results_are_told_by_their_code(monkeypatch):
    before = code_of(stages._strength)
    assert " at 0x" not in "".join(before)
    monkeypatch.setattr(stages, "strength_of", lru_cache(lambda order, values, straight: 0))
    assert code_of(stages._strength) != before


def test_what_a_function_took_along_is_part_of_its_code():
    def made(value):
        return lambda: value

    # Of the game's own code: the standard library is not followed.
    assert code_of(made(1)) != code_of(made(2))
    assert code_of(made(1)) == code_of(made(1))
    assert not digest_of_parts(code_of(made(object())))
    assert code_of(made(whether_proven)) != code_of(made(once_more))


def test_a_command_within_another_ends_its_own_keeping_and_no_other(tmp_path):
    with result_cache.kept_in(tmp_path, SECRET):
        with result_cache.kept_in(tmp_path, SECRET):
            assert result_cache.keeping()
        result_cache.also_kept({"texts": "1" * 64})
        assert result_cache.found() == {"texts": "1" * 64}
    assert not result_cache.keeping()


def test_who_else_refers_to_a_part_of_a_function_does_not_change_its_code():
    made = {"__name__": "a_game"}
    exec("def stage(table):\n    return ('a name of this stage alone', 12345678901)", made)  # noqa: S102 - of this test
    before = code_of(made["stage"])
    (*_, told) = made["stage"].__code__.co_consts
    held = [told, *told]
    assert code_of(made["stage"]) == before
    assert len(held) == 3

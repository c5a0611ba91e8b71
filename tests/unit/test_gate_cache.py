"""The gate within pytest, and what it keeps of figures and never believes where it was touched."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import Called
from gate_open_card import CASINO, source
from gate_support import KING, LOWERED, ROOT, edited, figures_folder, published, second_game

from certify.errors import InputError
from certify.exact import decimal_text, fraction_text
from certify.gate import document as document_module, figure_inputs as basis_module, figures as cache_module
from certify.gate.change import fingerprint
from certify.gate.document import _wager as wager_document, keep_changes, recorded
from certify.gate.facts import read_submission
from certify.gate.figure_changes import WagerChange
from certify.gate.figures import (
    FIGURES,
    count_figures,
    figures_document,
    figures_from,
    figures_of,
    refuse_folder,
)
from certify.gate.impact_on_returns import MEASURES, measured
from certify.gate.policy import DEFAULT
from certify.gate.pytest_plugin import read_known
from certify.result_cache import Keeping, default_folder, find, keep, kept_by_user


@pytest.fixture
def submission():
    return read_submission(published().encode(), "game.toml", "game.toml")


@pytest.fixture(scope="module")
def counted():
    return count_figures(read_submission(published().encode(), "game.toml", "game.toml").basis)


def keep_in(folder, submission, document):
    with kept_by_user(folder):
        keep(FIGURES, submission.basis.digest, document)


def figures_in(folder, submission):
    with kept_by_user(folder):
        return figures_of(submission)


@pytest.fixture
def kept(tmp_path, submission, counted, monkeypatch):
    """A folder with one entry; counting anew is seen by its mark."""
    keep_in(tmp_path, submission, figures_document(counted))

    def counts(_):
        raise InputError("counted anew")

    monkeypatch.setattr(cache_module, "count_figures", counts)
    return tmp_path


def counts_anew(folder, submission):
    """Whether the figures of a submission are not taken from a folder."""
    try:
        figures_in(folder, submission)
    except InputError as error:
        return str(error) == "counted anew"
    return False


def entry(folder):
    (path,) = folder.glob("figures-*")
    return path


def place_of(folder, submission):
    """Where the figures of a submission are looked for."""
    return Keeping(folder, b"").path(FIGURES, submission.basis.digest)


def test_figures_survive_their_document(submission, counted):
    document = json.loads(json.dumps(figures_document(counted)))
    assert figures_from(document, submission.basis) == counted


def test_what_lies_between_bounds_is_kept_and_told_so(submission, counted):
    (strategy, wagers), *_ = counted.wagers.items()
    (wager, exact), *_ = wagers.items()
    near = replace(exact, outcomes=tuple(replace(one, off=Fraction(1, 1000)) for one in exact.outcomes))
    figures = replace(counted, wagers={**counted.wagers, strategy: {**wagers, wager: near}})
    kept = figures_from(figures_document(figures), submission.basis)
    assert kept == figures
    assert kept.wagers[strategy][wager].near
    moved = replace(near, outcomes=tuple(replace(one, pays=2 * one.pays) for one in near.outcomes))
    delta = WagerChange(wager, strategy, near, moved, {})
    told = wager_document(delta)
    assert told["near"]
    low, high = map(Fraction, told["variance"]["before"].split(" to "))
    assert low <= near.variance - near.variance_off < near.variance + near.variance_off <= high
    low, high = map(Fraction, told["variance"]["delta"].split(" to "))
    assert low < moved.variance - near.variance < high
    assert told["return"]["before"] == fraction_text(near.return_to_player)
    (spread,) = (one for one in measured(delta, MEASURES, (), DEFAULT) if one.kind == "volatility-changed")
    least, most = (decimal_text(end, 6) for end in near.deviation_between)
    assert spread.message.startswith(f"standard deviation of {wager}: {least} to {most} → ")


def test_a_sound_entry_is_used_for_other_words_but_not_for_other_pays(kept, counted):
    reworded = read_submission(edited(("Pair of 7s", "Sevens")).encode(), "g", "g")
    assert figures_in(kept, reworded) == counted
    lowered = read_submission(edited((KING, LOWERED)).encode(), "g", "g")
    assert counts_anew(kept, lowered)


def test_who_writes_the_folder_and_knows_the_tool_makes_no_entry(kept, submission):
    changed = pickle.dumps({"exposure": 5})
    made = Keeping(kept, basis_module.tool().encode()).mark(FIGURES, submission.basis.digest, changed)
    entry(kept).write_bytes(made.encode() + b"\n" + changed)
    assert counts_anew(kept, submission)


def refused(folder):
    with kept_by_user(folder):
        refuse_folder([])


def test_a_folder_that_others_can_write_to_gives_no_figures(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    refused(folder)
    (tmp_path / "link").symlink_to(folder)
    for mode in (0o777, 0o1777, 0o702, 0o720):
        folder.chmod(mode)
        for named in (folder, tmp_path / "link"):
            with pytest.raises(InputError, match="others can write there"):
                refused(named)


def test_a_key_that_comes_with_the_judged_change_marks_no_figures(tmp_path, monkeypatch):
    """Planted: with that key a change brought its old figures along, and no return had changed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "judged/home"))
    with kept_by_user(tmp_path / "kept"), pytest.raises(InputError, match=r"kept\.key: .* may know the key"):
        refuse_folder([], [tmp_path / "judged"])


def test_an_entry_of_another_tool_is_not_believed(kept, submission, monkeypatch):
    name = entry(kept).name
    monkeypatch.setattr(basis_module, "source_digest", lambda: "f" * 64)
    # The same submission, as the other tool reads it.
    read = read_submission(published().encode(), "game.toml", "game.toml")
    assert counts_anew(kept, read)
    # Not even under the name that this tool would give it.
    (kept / name).rename(place_of(kept, read))
    assert counts_anew(kept, read)
    monkeypatch.setattr(basis_module, "__version__", "9.9.9")
    assert counts_anew(kept, read_submission(published().encode(), "game.toml", "game.toml"))


def test_probabilities_that_do_not_sum_to_one_are_not_believed(kept, submission):
    document = pickle.loads(entry(kept).read_bytes().partition(b"\n")[2])  # noqa: S301 - of this test
    document["wagers"]["main-optimal"]["main"]["outcomes"][0]["probability"] = "1/2"
    keep_in(kept, submission, document)
    assert counts_anew(kept, submission)


def test_a_folder_that_cannot_be_written_keeps_nothing_nor_does_a_user_without_a_key(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with kept_by_user(blocked):
        keep(FIGURES, "key", {})
        assert find(FIGURES, "key") is None
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    with kept_by_user(tmp_path):
        keep(FIGURES, "key", {})
    assert list(tmp_path.iterdir()) == [blocked]


def test_where_figures_are_kept():
    assert default_folder({"CERTIFY_CACHE": "/a"}) == Path("/a")
    assert default_folder({"XDG_CACHE_HOME": "/b", "HOME": "/h"}) == Path("/b/certify")
    assert default_folder({"HOME": "/h"}) == Path("/h/.cache/certify")


FAULTS = [
    "lost",
    "doubled",
    "renamed",
    "unknown word",
    "no word",
    "another key",
    "another strategy",
    "no strategy",
]


@pytest.fixture(scope="module")
def casino():
    submission = read_submission(source(CASINO).encode(), "game.toml", "game.toml")
    return submission, count_figures(submission.basis)


@pytest.mark.parametrize("fault", FAULTS)
def test_verdicts_that_are_not_those_of_the_game_are_not_believed(tmp_path, monkeypatch, casino, fault):
    submission, counted = casino
    document_of = figures_document(counted)
    kept = document_of["judged"]
    if fault == "lost":
        kept.pop()
    elif fault == "doubled":
        kept.append(kept[0])
    elif fault == "renamed":
        kept[0][0][1] = "two-card-99"
    elif fault == "another key":
        document_of["wagers"]["main-optimal"]["ante"]["house_edge"] = "0"
    elif fault == "another strategy":
        document_of["wagers"]["jointly-optimal"] = document_of["wagers"]["main-optimal"]
    elif fault == "no strategy":
        del document_of["wagers"]["always-second-card"]
    else:
        kept[0][1]["worth"] = ["fine"] if fault == "unknown word" else []
    with pytest.raises(InputError):
        figures_from(document_of, submission.basis)
    keep_in(tmp_path, submission, document_of)
    monkeypatch.setattr(cache_module, "count_figures", lambda _: counted)
    assert figures_in(tmp_path, submission) is counted


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments],
        cwd=folder,
        env={**os.environ, "CERTIFY_CACHE": str(figures_folder()), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return Called(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def suite(tmp_path):
    for name, text in (
        ("sound", published()),
        ("lowered", edited((KING, LOWERED), text=second_game())),
        ("broken", edited((KING, 'pays = "two"'))),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.toml").write_text(text, encoding="utf-8")
    (tmp_path / "other.toml").write_text("x = 1\n")
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_what_a_game_promises_is_a_test_each(tmp_path):
    text = (ROOT / "fixtures/games/andar-bahar/game.toml").read_text("utf-8")
    pays, other = 'pays = "9 to 10"', ('id = "andar-bahar"', 'id = "bahar-andar"')
    for name, shown in (
        ("sound", text),
        ("lowered", edited((pays, 'pays = "8 to 10"'), other, text=text)),
        ("broken", edited((pays, 'pays = "nine"'), text=text)),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.toml").write_text(shown, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = run(tmp_path, "--certify", "-v").expect(1)
    for said in (
        "sound/game.toml::reads PASSED",
        "sound/game.toml::andar: house-edge 2.15 % PASSED",
        "lowered/game.toml::andar: house-edge 2.15 % FAILED",
        "broken/game.toml::reads FAILED",
    ):
        assert said in done.out
    assert "2 failed" in done.out
    assert "Traceback" not in done.out


def test_nothing_is_collected_unless_asked(suite):
    run(suite).expect(0, out="1 passed")


def test_a_run_that_finds_no_submission_is_no_pass(suite):
    done = run(suite, "--certify", "test_own.py").expect(pytest.ExitCode.USAGE_ERROR)
    assert "no submission was found" in done.err + done.out


@pytest.mark.slow
def test_floors_and_limits_of_the_policy_are_promises_too(suite):
    (suite / "certify.toml").write_text(
        '[gate]\nmax_exposure = { EUR = "40000.00" }\n[gate.floors]\nstrict = "97 %"\n', encoding="utf-8"
    )
    run(suite, "--certify", "-v", "sound").expect(
        out=(
            "main: above the floor of strict PASSED",
            "partita-perfetta: above the floor of strict FAILED",
            "one round can cost 41,000.00 EUR, more than the 40,000.00 EUR allowed",
        )
    )


@pytest.mark.slow
def test_printed_tables_and_what_is_staked_are_promises_too(tmp_path):
    (tmp_path / "game.toml").write_text(source(CASINO), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = run(tmp_path, "--certify", "-v").expect(
        out=(
            "printed_counts/two-card-14 PASSED",
            "printed_rows/TWO ACES FAILED",
            "printed_rows/KING OF DIAMONDS PASSED",
            "ante returns 146.649159 % of the initial stake",
        )
    )
    # The table begins two lines above its label.
    line = source(CASINO).splitlines().index('label = "SEVEN"') + 1 - 2
    assert f"game.toml:{line}: printed_rows/SEVEN: wrong denominator and arithmetic slip" in done.out
    # 22 rows and the return; 26 counts, a row, the floor, the award, the configurations, the exposure and the reading.
    assert "23 failed, 32 passed" in done.out


@pytest.mark.slow
def test_what_is_known_to_be_wrong_is_expected_to_fail_in_just_that_way(tmp_path):
    game, known = tmp_path / "game.toml", tmp_path / "known.toml"
    game.write_text(source(CASINO), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    written = run(tmp_path, "--certify", "--certify-write-known", "known.toml")
    assert (written.code, known.read_text().count("[[known]]")) == (1, 23)
    run(tmp_path, "--certify", "--certify-known", "known.toml").expect(0, out="32 passed, 23 xfailed")
    # Wrong in another way, no longer wrong, never a promise, newly wrong: none of them is expected.
    sound = known.read_text()
    other = sound.replace("arithmetic slip", "arithmetic slap", 1)
    holding = (
        sound
        + '\n[[known]]\ngame = "us5632489-casino"\npromise = "printed_counts/two-card-14"\nwrong = "x"\n'
    )
    stray = sound + '\n[[known]]\ngame = "us5632489-casino"\npromise = "printed_counts/none"\nwrong = "x"\n'
    first = sound.index("[[known]]")
    fewer = sound[:first] + sound[sound.index("[[known]]", first + 1) :]
    for text, said in (
        (other, "known so far"),
        (holding, "holds by now"),
        (stray, "no promise of this game"),
        (fewer, "FAILED game.toml"),
    ):
        known.write_text(text)
        run(tmp_path, "--certify", "--certify-known", "known.toml").expect(1, out=(said, "1 failed"))


@pytest.mark.parametrize(
    "text",
    [
        "schema = 1\n",
        'schema = "certify-known-wrong/1"\nknown = 1\n',
        'schema = "certify-known-wrong/1"\n[[known]]\ngame = "x"\n',
        'schema = "certify-known-wrong/1"\n[[known]]\ngame = "x"\npromise = "y"\nwrong = 1\n',
        'schema = "certify-known-wrong/1"\n' + '[[known]]\ngame = "x"\npromise = "y"\nwrong = "z"\n' * 2,
        "[",
    ],
)
def test_a_list_of_the_known_wrong_that_cannot_be_read_is_refused(tmp_path, text):
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(InputError):
        read_known(tmp_path / "known.toml")


@pytest.mark.slow
def test_figures_inside_the_checkout_are_not_believed_by_the_plugin(suite):
    (suite / ".git").mkdir()
    run(suite, "--certify", "--certify-cache", "cache", "sound").expect(1, out="could come from the change")


def test_a_gate_that_saw_nothing_of_another_loses_none_of_its_changes(tmp_path, monkeypatch):
    def change(subject):
        parts = {"change": "return-changed", "game": "g", "subject": subject, "before": "0", "after": "1"}
        return (
            parts
            | {"fingerprint": fingerprint(*parts.values()), "id": parts["change"]}
            | {
                "before_digest": "0",
                "after_digest": "1",
            }
        )

    one, other = map(change, ("red", "black"))
    monkeypatch.setattr(document_module, "gate_document", lambda run: {"changes": run, "games": []})
    with kept_by_user(tmp_path):
        keep_changes([one])
        with monkeypatch.context() as at_the_same_time:
            at_the_same_time.setattr(document_module, "find", lambda *_: None)
            keep_changes([other])
        found = recorded([one["fingerprint"], other["fingerprint"][:8].upper()])
    assert [entry["subject"] for entry in found] == ["red", "black"]

"""The plugin of pytest: what every submission promises, as tests of a game team's suite."""

import os
import re
import subprocess
import sys

import pytest
from cli_support import Called
from gate_open_card import CASINO, source
from gate_support import KING, LOWERED, ROOT, edited, figures_folder, published, second_game

from certify.errors import InputError
from certify.gate.pytest_plugin import read_known


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


@pytest.mark.slow
def test_every_promise_is_a_test(suite):
    done = run(suite, "--certify", "-v").expect(1)
    sound = re.findall(r"^sound/game\.toml::(.*?) PASSED", done.out, re.M)
    assert len(sound) == 14
    assert {"reads", "main: return-to-player 99.54 %", "exposure within the limit"} <= set(sound)
    assert "lowered/game.toml::main: return-to-player 99.54 % FAILED" in done.out
    assert "which returns 98.705143 % = 4064746580297261/4118069700108000 under main-optimal" in done.out
    assert "broken/game.toml::reads FAILED" in done.out
    assert "broken/game.toml:96: pays of the wrong form" in done.out
    assert "other.toml" not in done.out
    assert "test_own.py::test_own PASSED" in done.out
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
            "ante returns 146.649159 % = 201034/137085: more than is staked",
        )
    )
    # The table begins two lines above its label.
    line = source(CASINO).splitlines().index('label = "SEVEN"') + 1 - 2
    assert f"game.toml:{line}: printed_rows/SEVEN: wrong denominator and arithmetic slip" in done.out
    # 22 rows and the return; 26 counts, a row, the floor, the award, the exposure and the reading.
    assert "23 failed, 31 passed" in done.out


@pytest.mark.slow
def test_what_is_known_to_be_wrong_is_expected_to_fail_in_just_that_way(tmp_path):
    game, known = tmp_path / "game.toml", tmp_path / "known.toml"
    game.write_text(source(CASINO), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    written = run(tmp_path, "--certify", "--certify-write-known", "known.toml")
    assert (written.code, known.read_text().count("[[known]]")) == (1, 23)
    run(tmp_path, "--certify", "--certify-known", "known.toml").expect(0, out="31 passed, 23 xfailed")
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

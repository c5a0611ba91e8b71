"""What an operator brings to a run: their round system is tried, their output tested; each is an item under test."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from cli_support import GAME, SEED, Called
from computing_again import TINY, Silent

from certify.certification import outputs
from certify.clauses.jurisdiction import regime_of
from certify.cli.brought import Bringing, brought, files_of
from certify.errors import InputError
from certify.evidence.encode import plain
from certify.evidence.operator import Brought
from certify.evidence.sample import TestLeftOut, TestOfSample
from certify.issue.rerun import brought_differences
from certify.model.finding import Verdict
from certify.submission import read_game
from rng.errors import SampleError

WHEEL = GAME.parents[1] / "big-six/game.toml"
SPINS = 10_000
AT = datetime(2026, 11, 22, tzinfo=UTC)
SYSTEM = "certify.rounds.system:reference_system"
Certify = Callable[..., Called]


def bringing(*, system=None, files=()):
    return Bringing(system=system, system_version="4.2" if system else "", stories=10, rng_output=files)


def tried(game, what):
    submitted = read_game(game)
    files = files_of(what, submitted)
    return brought(what, files, submitted, regime_of(()), bytes(33), AT, Silent())  # type: ignore[arg-type]


@pytest.fixture
def honest(certify, tmp_path):
    """Draws of a sound generator for the wheel, one a line."""
    out = tmp_path / "draws.csv"
    size = read_game(WHEEL).equipment[0].size
    made = certify("rng", "generate", "--draws", SPINS, "--range", size, "--out", out, "--seed", SEED)
    assert made.code == 0, made.err
    return out


TRIED = []


@pytest.fixture
def output(honest):
    """What the tests say of these draws, run once."""
    if not TRIED:
        TRIED.extend(tried(WHEEL, bringing(files=(f"draws:{honest}",))).outputs)
    return TRIED[0]


def test_output_of_a_sound_generator_is_satisfied_and_known_by_its_digest(output):
    assert (output.name, output.kind, output.count) == ("draws.csv", "draws", SPINS)
    assert output.verdict is Verdict.SATISFIED
    assert len(output.sha256) == 64


def test_what_needs_more_than_a_laboratory_collects_does_not_apply_and_says_how_much_it_needs(honest, output):
    left = [test for test in output.tests if isinstance(test, TestLeftOut)]
    assert {test.verdict for test in left} == {Verdict.NOT_APPLICABLE}
    assert all("are needed" in test.reason for test in left)
    honest.write_text("\n".join(honest.read_text().split()[:4_000]) + "\n")
    fewer = tried(WHEEL, bringing(files=(f"draws:{honest}",)))
    assert fewer.outputs[0].verdict is Verdict.INCONCLUSIVE
    assert list(brought_differences(read_game(WHEEL), fewer)) == []


def test_the_command_of_tests_judges_the_same_file_by_the_same_plan(certify, honest, output):
    found = certify(
        "rng", "test", "--draws", honest, "--equipment", WHEEL, "--game", WHEEL, "--format", "json"
    ).json
    assert [plain(test) for test in output.tests] == found["tests"]
    assert (output.verdict, output.family_size, output.rule) == (
        found["verdict"],
        found["family_size"],
        found["rule"],
    )
    assert list(output.reasons) == found["reasons"]


def test_bits_are_cut_as_the_command_of_tests_cuts_them(certify, tmp_path):
    bits = tmp_path / "bits.bin"
    assert certify("rng", "generate", "--bits", 60_000, "--out", bits, "--seed", SEED).code == 0
    (output,) = tried(WHEEL, bringing(files=(f"bits:{bits}",))).outputs
    found = certify("rng", "test", "--bits", bits, "--constants", "exact", "--format", "json").json
    assert [plain(test) for test in output.tests] == found["tests"]
    assert (output.verdict, output.count) == (found["verdict"], 60_000)


def test_a_wheel_with_a_heavy_stop_is_found(honest):
    draws = honest.read_text().split()
    honest.write_text(
        "\n".join("7" if number % 20 == 0 else draw for number, draw in enumerate(draws)) + "\n"
    )
    heavy = tried(WHEEL, bringing(files=(f"draws:{honest}",)))
    (output,) = heavy.outputs
    assert output.verdict is Verdict.NOT_SATISFIED
    assert list(brought_differences(read_game(WHEEL), heavy)) == []
    better = replace(output, verdict=Verdict.SATISFIED, reasons=("approved by the regulator",))
    found = "; ".join(brought_differences(read_game(WHEEL), Brought((better,))))
    assert "/verdict: " in found
    assert "/reasons: " in found


@pytest.mark.parametrize(
    "lie",
    [
        {"alpha": 1e-6}, {"asked": 1}, {"practice": "decks"}, {"kind": "bits"}, {"rule": "The regulator decides."},
        {"family_size": 1}, {"rejected": 1}, {"verdict": Verdict.INCONCLUSIVE}, {"reasons": ("approved",)},
    ],
    ids=lambda lie: next(iter(lie)),
)  # fmt: skip
def test_what_a_file_is_said_to_have_come_to_follows_from_its_p_values(output, lie):
    game = read_game(WHEEL)
    assert list(brought_differences(game, Brought((output,)))) == []
    assert list(brought_differences(game, Brought((replace(output, **lie),))))


@pytest.mark.parametrize(
    "lie",
    [
        {"null": "approved by the regulator"}, {"detectable": "any departure"}, {"threshold": 1e-9},
        {"verdict": "not satisfied"}, {"adjusted_p": 1e-9}, {"p_values": (2.0,)}, {"null": "well " * 300},
    ],
    ids=lambda lie: next(iter(lie)),
)  # fmt: skip
def test_what_a_test_of_a_file_says_is_its_own(output, lie):
    (first, *others) = output.tests
    assert isinstance(first, TestOfSample)
    lying = replace(output, tests=(replace(first, **lie), *others))
    assert list(brought_differences(read_game(WHEEL), Brought((lying,))))


def test_a_stop_that_the_wheel_does_not_have_is_refused_with_its_line(honest):
    lines = honest.read_text().split()
    honest.write_text("\n".join([*lines[:9], "54", *lines[9:]]) + "\n")
    with pytest.raises(SampleError, match="line 10: '54', expected a number from 0 to 53"):
        tried(WHEEL, bringing(files=(f"draws:{honest}",)))


@pytest.mark.parametrize("packed", [False, True], ids=["as it lies", "packed"])
def test_text_beyond_its_bound_is_refused_before_it_is_read(honest, packed, monkeypatch):
    monkeypatch.setattr(outputs, "LARGEST_TEXT", 1_000)
    monkeypatch.setattr(outputs, "open_source", None)
    text = honest.read_bytes()
    assert len(text) > 1_000
    honest.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(InputError, match="more than 1000 bytes: give binary rows"):
        tried(WHEEL, bringing(files=(f"draws:{honest}",)))


def test_output_that_the_game_does_not_draw_is_refused(honest):
    with pytest.raises(InputError, match="big-six draws draws for its rounds, not decks"):
        files_of(bringing(files=(f"decks:{honest}",)), read_game(WHEEL))


@pytest.mark.slow
def test_a_sound_system_keeps_every_promise():
    sound = tried(GAME, bringing(system=SYSTEM)).system
    assert sound is not None
    assert list(brought_differences(read_game(WHEEL), Brought((), sound))) == []
    promise, *others = sound.promises
    for lie in (
        replace(sound, verdict=Verdict.NOT_SATISFIED),
        replace(sound, promises=(replace(promise, promise="it is approved"), *others)),
        replace(sound, promises=(replace(promise, verdict=Verdict.NOT_SATISFIED), *others)),
        replace(sound, not_tested=("approved " * 200,)),
    ):
        assert list(brought_differences(read_game(WHEEL), Brought((), lie)))
    assert sound is not None
    assert (sound.verdict, sound.version, sound.broken) == (Verdict.SATISFIED, "4.2", None)


def test_a_faulty_system_is_caught_with_its_story():
    faulty = tried(GAME, bringing(system="rounds_faulty:faulty_eighty_nine_days")).system
    assert faulty is not None
    assert faulty.verdict is Verdict.NOT_SATISFIED
    assert faulty.broken is not None


def test_of_a_game_without_decisions_nothing_is_missed_that_only_a_decision_leads_to():
    system = tried(WHEEL, bringing(system=SYSTEM)).system
    assert system is not None
    assert system.verdict is Verdict.SATISFIED
    assert [entry for entry in system.not_tested if "nothing supported leads there" in entry] == []


@pytest.mark.slow
def test_a_pack_names_both_as_items_under_test_and_answers_clauses_on_them(
    certify, honest, tmp_path, monkeypatch
):
    monkeypatch.setattr("certify.certification.profile.profile_named", lambda name: TINY)
    out = tmp_path / "pack"
    own = ("--system", SYSTEM, "--system-version", "4.2", "--rng-output", f"draws:{honest}")
    made = certify("run", WHEEL, "--out", out, "--seed", SEED, *own)
    assert made.code == 4, made.err  # so few rounds leave the wagers undecided
    evidence = json.loads((out / "evidence.json").read_bytes())
    items = {item["id"]: item for item in evidence["items"]}
    assert items["operator-round-system"]["version"] == "4.2"
    assert items["operator-generator-output"]["sha256"] == sha256(honest.read_bytes()).hexdigest()
    checked = certify("verify", out, "--rerun", "--format", "json").expect(0)
    assert any(
        "known here by their digests alone" in text for text in json.loads(checked.out)["not_established"]
    )

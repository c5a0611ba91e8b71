"""What was found of planted faults is kept for the same software only, and never where nothing is kept."""

from unittest.mock import Mock

import pytest

from certify import result_cache
from certify.certification import generator
from certify.certification.generator import faults_to_plant, planted_faults
from certify.certification.request import PROFILES
from certify.evidence import TriedFault
from certify.report.chapters.generator import _found
from rng.battery.planted.catalogue import FAULTS

QUICK, STANDARD = PROFILES["quick"], PROFILES["standard"]
SMALL = [fault for fault in FAULTS if fault.sample <= 400][:3]


pytestmark = pytest.mark.usefixtures("nothing_kept")


def planted(faults):
    """Plants faults; returns what was found, and the names of those that were planted anew."""
    running = Mock(map=Mock(side_effect=map))
    return planted_faults(faults, running), running.map.call_args.args[1]


def test_faults_found_once_are_found_again_as_they_were_and_others_join_them(tmp_path):
    names = [fault.name for fault in SMALL]
    with result_cache.kept_in(tmp_path, b"key"):
        first, both, again = planted(SMALL[:2]), planted(SMALL), planted(SMALL)
    assert [anew for _, anew in (first, both, again)] == [names[:2], names[2:], []]
    assert (first[0], again[0]) == (both[0][:2], both[0])


def test_other_software_another_key_and_a_command_that_keeps_nothing_plant_them_again(tmp_path, monkeypatch):
    def again(key=b"key"):
        with result_cache.kept_in(tmp_path, key):
            return len(planted(SMALL[:1])[1])

    assert (again(), again(), len(planted(SMALL[:1])[1]), again(b"another"), again()) == (1, 0, 1, 1, 1)
    (own, *others), last = generator.environment(), ("numpy", "0")
    # What plants and finds them is in `rng`: other sources of this software leave what was found.
    monkeypatch.setattr(generator, "environment", lambda: ((own[0], "0" * 64), *others))
    assert not again()
    monkeypatch.setattr(generator, "environment", lambda: (own, *others, last))
    assert again()
    monkeypatch.setattr(generator, "environment", lambda: (own, *others))
    monkeypatch.setattr(generator, "source_digest", lambda *patterns: "0" * 64)
    assert again()


def test_a_quick_run_plants_a_fifth_that_the_seed_draws_and_says_so_and_longer_ones_plant_all():
    drawn = {seed: faults_to_plant(bytes([seed]) * 32, QUICK) for seed in range(40)}
    assert {len(faults) for faults in drawn.values()} == {-(-len(FAULTS) // 5)}
    assert len({fault.name for faults in drawn.values() for fault in faults}) == len(FAULTS)
    assert faults_to_plant(bytes(32), STANDARD) == FAULTS
    assert [
        "a fifth of" in _found((TriedFault("one", "runs", "5 bits", 1e-9, True),), profile)
        for profile in (QUICK, STANDARD)
    ] == [True, False]

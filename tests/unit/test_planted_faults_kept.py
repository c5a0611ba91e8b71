"""What was found of planted faults is kept for the same software only, and never where nothing is kept."""

import pytest

from certify import result_cache
from certify.certification import generator
from certify.certification.generator import keep_faults, kept_faults
from certify.evidence import TriedFault

FOUND = (
    TriedFault("one", "chi-square", "100 decks", 0.1 + 0.2, True),
    TriedFault("two", "runs", "5 bits", 1e-300, False),
)


pytestmark = pytest.mark.usefixtures("nothing_kept")


def test_faults_found_once_are_found_again_as_they_were(tmp_path):
    with result_cache.kept_in(tmp_path, b"key"):
        assert kept_faults() is None
        keep_faults(FOUND)
        assert kept_faults() == FOUND


def test_other_software_another_key_and_a_command_that_keeps_nothing_plant_them_again(tmp_path, monkeypatch):
    with result_cache.kept_in(tmp_path, b"key"):
        keep_faults(FOUND)
    assert kept_faults() is None
    keep_faults(FOUND)
    with result_cache.kept_in(tmp_path, b"another key"):
        assert kept_faults() is None
    (own, *others), last = generator.environment(), ("numpy", "0")
    with result_cache.kept_in(tmp_path, b"key"):
        # What plants and finds them is in `rng`: other sources of this software leave what was found.
        monkeypatch.setattr(generator, "environment", lambda: ((own[0], "0" * 64), *others))
        assert kept_faults() == FOUND
        monkeypatch.setattr(generator, "environment", lambda: (own, *others, last))
        assert kept_faults() is None
        monkeypatch.setattr(generator, "environment", lambda: (own, *others))
        monkeypatch.setattr(generator, "source_digest", lambda *patterns: "0" * 64)
        assert kept_faults() is None

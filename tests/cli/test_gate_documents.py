"""Documents of the gate that say what it does: stories played again, the table of kinds, every key of the policy."""

import tomllib
from dataclasses import fields

import pytest
from gate_open_card_story import story as open_card_story
from gate_reference import reference
from gate_story import story
from gate_support import ROOT

from certify.cli.gate import FORMATS
from certify.gate.policy import GatePolicy, parse_policy


def test_the_story_in_the_documentation_is_real():
    told = (ROOT / "docs/gate/story.md").read_text(encoding="utf-8")
    assert told == story(), "run: python tests/gate_story.py > docs/gate/story.md"


@pytest.mark.slow
def test_the_story_of_the_patent_games_is_real():
    told = (ROOT / "docs/gate/open-card.md").read_text(encoding="utf-8")
    assert told == open_card_story(), "run: python tests/gate_open_card_story.py > docs/gate/open-card.md"


def test_the_reference_of_kinds_is_complete():
    written = (ROOT / "docs/gate/kinds.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python tests/gate_reference.py > docs/gate/kinds.md"


def test_the_guide_names_every_key_of_the_policy_and_every_format():
    guide = (ROOT / "docs/gate/README.md").read_text(encoding="utf-8")
    policy = guide.split("```toml\n# certify.toml\n", 1)[1].split("```", 1)[0]
    stated = tomllib.loads(policy)["gate"]
    assert set(stated) == {field.name for field in fields(GatePolicy)}
    parse_policy(policy.encode(), "certify.toml")
    assert all(f"`{form}`" in guide for form in FORMATS)

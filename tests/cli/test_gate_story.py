"""The story in the documentation is what really happens."""

from gate_story import story
from gate_support import ROOT


def test_the_story_in_the_documentation_is_real() -> None:
    told = (ROOT / "docs/gate/story.md").read_text(encoding="utf-8")
    assert told == story(), "run: python tests/gate_story.py > docs/gate/story.md"

"""Documents of the gate that say what it does: stories played again, the table of kinds, every key of the policy."""

import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from gate_reference import reference
from gate_support import ROOT
from representatives import firsts
from sessions import Player, steps

from certify.cli.gate import FORMATS
from certify.gate.policy import GatePolicy, parse_policy

# What is done out of sight; a file by its name; a command with what it printed, as a quotation where that is Markdown.
TOLD = re.compile(
    r"<!--\n(?P<unseen>.*?)-->\n"
    r"|```toml\n# (?P<file>\S+)\n(?P<content>.*?)```\n"
    r"|```console\n\$ certify (?P<call>.*?)\n.*?```\n(?P<quoted>\n(?:>[^\n]*\n)+)?",
    re.DOTALL,
)


def told(player, part):
    """A part of a story as it is when it is played: a file is written where there is none, and shown where there is."""
    if part["unseen"]:
        for step in steps(part["unseen"]):
            player.done(step)
        return part[0]
    if part["file"]:
        path = Path(part["file"])
        if not path.exists():
            path.write_text(part["content"], "utf-8")
        return f"```toml\n# {path}\n{path.read_text('utf-8')}```\n"
    called = player.call(*shlex.split(part["call"]))
    body = called.out.rstrip()
    shown, quoted = (f"{body}\n" if body else "", "")
    if part["quoted"]:
        shown, quoted = "", "\n" + "".join(f"> {line}".rstrip() + "\n" for line in body.splitlines())
    return f"```console\n$ certify {part['call']}\n{shown}$ echo $?\n{called.code}\n```\n{quoted}"


@pytest.mark.parametrize("name", firsts(["story", "open-card"]))
def test_a_story_in_the_documentation_is_real(name, certify, tmp_path, monkeypatch, request):
    path = ROOT / f"docs/gate/{name}.md"
    player = Player(tmp_path, certify, monkeypatch)
    played = TOLD.sub(lambda part: told(player, part), path.read_text("utf-8"))
    if request.config.option.refresh:
        path.write_text(played, "utf-8")
    assert played == path.read_text("utf-8"), f"what changed is meant? pytest --refresh {request.node.nodeid}"


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

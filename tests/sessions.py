"""Sessions: commands in a text file with what they printed below them, played again and compared whole.

A session begins with ``== its name``, or ``== its name (slow)``. A line with ``$`` is a command, lines with ``>`` below
it are what it is given, lines with ``#`` are remarks, and what stands two blanks in was printed. Words that the table
``COMMANDS`` knows are done in this process, everything else by the shell. ``pytest --refresh`` writes anew what is
printed. ``like NAME`` plays the commands of another session first, without what they print.
"""

import difflib
import io
import itertools
import json
import operator
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

import pytest
from cli_support import SEED
from gate_desk import RAISED, TRUE_CLAIM, Signed
from gate_support import ENVIRONMENT, GAME, KING, LOWERED, ROOT, edited, figures_folder
from seal_support import pki, signer

from certify.clock import SteppedClock
from certify.families import forget_families
from certify.gate.approvals import append_approval, parse_approvals

SHELL = r"""
commit() { git add -A; git commit -q --allow-empty -m "${1:-change}"; }
branch() { git checkout -q -f -B change main; git clean -q -f -d; }
base() { [ -d "$(git rev-parse --git-dir 2>/dev/null)" ] || git init -q -b main; commit base; git checkout -q -B main
  git checkout -q -B change; }
submodule() { git update-index --add --cacheinfo 160000,$(git rev-parse $2),$1; git commit -q -m $3; }
object() { local id=$(git rev-parse $1); echo $(git rev-parse --git-dir)/objects/${id:0:2}/${id:2}; }
lie() { chmod u+w $(object $1); cp -f $(object $2) $(object $1); }
odd() { n=$((${n:-0} + 1))
  git tag odd$n $(git commit-tree -m odd -p main $( (printf '40000 mezzo\0'; raw main:mezzo; printf '%s %s\0' "$1" "$2"
    raw main:mezzo/game.toml) | git hash-object --literally -t tree -w --stdin)); }
handwritten() { sed "$1" $OUT/sound > certify-approvals.toml; commit; }
claim() { printf '\n[[claims]]\nwager = "%s"\nmetric = "%s"\nprinted = "%s"\n' "$1" "$2" "$3"
  echo "source = \"${6:-rules}\""; [ -z "$4" ] || echo "row = \"$4\""; [ -z "$5" ] || echo "strategy = \"$5\""; }
unclaimed() { sed '/^claims = \[\]/d' $1; }
deckkey() { for n in $(seq 32); do printf $1; done > key.hex; chmod 600 key.hex; }
tamper() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1])
for n in ("changed", "deleted"): c.execute(f"DROP TRIGGER IF EXISTS record_is_never_{n}")
c.execute(sys.argv[2]); c.commit()' "$@"; }
raw() { printf "$(git rev-parse $1 | sed 's/../\\x&/g')"; }
"""
"""What the shell of a session knows besides."""

EDITS = {
    "lowered": ((KING, LOWERED),),
    "soundly-lowered": ((KING, LOWERED), RAISED, TRUE_CLAIM),
    "second": (('id = "playtech-7-e-mezzo"', 'id = "sette-notte"'), ('"7 e Mezzo"', '"Sette Notte"')),
    "renamed": (('id = "playtech-7-e-mezzo"', 'id = "mezzo-nuovo"'),),
    "reworded": (('title = "Pair of 7s"', 'title = "Sevens"'),),
    "sixty-days": (("unresolved_void_after_days = 90", "unresolved_void_after_days = 60"),),
}
"""Changes of the published game by name; a change without a name is ``OLD=>NEW``."""


def sessions_in(path):
    """The sessions of a file by name."""
    _, *parts = re.split(r"^== ", path.read_text("utf-8"), flags=re.M)
    return {name.removesuffix(" (slow)"): body for name, _, body in (part.partition("\n") for part in parts)}


def cases(*paths):
    """A parameter for each session of some files."""
    return [
        pytest.param(
            path, name, id=f"{path.stem}: {name}", marks=[pytest.mark.slow] * (f"== {name} (slow)" in whole)
        )
        for path in paths
        for whole in [path.read_text("utf-8")]
        for name in sessions_in(path)
    ]


def steps(body):
    """The remarks and commands of a session, each with the lines it is given."""
    lines = [line for line in body.splitlines() if line.startswith(("$ ", "> ", "# ")) or line == ">"]
    starts = [place for place, line in enumerate(lines) if not line.startswith(">")] + [len(lines)]
    return [lines[one:other] for one, other in itertools.pairwise(starts)]


# What differs from run to run, and what stands for it.
VARYING = (
    # A machine that is slow says on its way how far it is.
    (r"! \[ *[0-9.]+ s\] \[#*\.*\] .*\n", ""),
    (r"\[ *[0-9.]+ s\]", "[… s]"),
    # Packages of families that other tests of the same process brought are in the list too.
    (r"(is not known: expected one of) [a-z0-9, -]+, or", r"\1 (families), or"),
    (r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}\+00:00", "(moment)"),
    # Of three hundred digests of twelve letters one has no letter.
    (r"(?<=approval/)[0-9]{12}\b|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b", "(digest)"),
)


class Player:
    """Plays a session in a folder of its own, at a fixed time."""

    def __init__(self, folder, certify, monkeypatch):
        self.folder, self.call, self.patch = folder, certify, monkeypatch
        self.document, self.path = {}, None
        self.clock = SteppedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
        forget_families()  # A package that another test had on the path is none of this session's.
        (folder / "work").mkdir()
        cd(self, "", folder / "work")
        for variable in [name for name in os.environ if name.startswith(("PRE_COMMIT", "GIT_"))]:
            monkeypatch.delenv(variable)
        given = {
            "CERTIFY_CACHE": figures_folder(), "ROOT": ROOT, "BASE": GAME, "GAMES": GAME.parents[1], "OUT": folder,
            "SEED": SEED, **ENVIRONMENT,
        }  # fmt: skip
        for variable, value in given.items():
            monkeypatch.setenv(variable, str(value))
        monkeypatch.setattr("certify.cli.gate.SystemClock", lambda: self.clock)

    def play(self, path, name):
        """What a session of a file looks like, played."""
        self.path = path
        told = []
        for step in steps(sessions_in(path)[name]):
            told += step
            if step[0].startswith("$ "):
                told += [f"  {line}".rstrip() for line in self.plain(self.done(step)).splitlines()]
        return "\n".join(told) + "\n\n"

    def done(self, step):
        """What a command printed."""
        command, given = step[0][2:], "".join(f"{line[2:]}\n" for line in step[1:])
        name, *words = shlex.split(command) if command.split()[0] in COMMANDS else [""]
        if name in COMMANDS:
            filled = [self.filled(os.path.expandvars(word)) for word in words]
            return COMMANDS[name](self, given, *filled) or ""
        done = subprocess.run(
            ["bash", "-c", SHELL + command], input=given, capture_output=True, text=True, check=False
        )
        return printed(done.returncode, done.stdout, done.stderr)

    def filled(self, word):
        """A word with the fingerprints of the last run of the gate."""
        for game in self.document.get("games", ())[:1]:
            word = word.replace("{game}", str(game["fingerprint"]))
        for change in self.document.get("changes", ()):
            word = word.replace(f"{{{change['id']}}}", change["fingerprint"])
        return word

    def plain(self, text):
        """A text without what differs from run to run: folders and digests."""
        for known, name in ((self.folder / "work", "."), (self.folder, "$OUT"), (ROOT, "$ROOT")):
            text = text.replace(str(known), name)
        return reduce(lambda told, one: re.sub(*one, told), VARYING, text)


def printed(code, out, err):
    """What a command left: its output, its errors behind an exclamation mark, its exit code unless it is 0."""
    errors = "".join(f"! {line}\n" for line in err.splitlines() if not line.startswith("hint:"))
    return (
        f"{out}{'' if out.endswith(chr(10)) or not out else chr(10)}{errors}{f'exit {code}' if code else ''}"
    )


def called(player, *words):
    """What a call of the command line gave; ``< FILE`` at its end is what it reads."""
    *words, mark, file = words if words[-2:-1] == ("<",) else (*words, "", "")
    content = Path(file).read_bytes() if mark else b""
    player.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return player.call(*words)


def certify(player, given, *words):
    """The command line; ``-o FILE`` at the end keeps its output in a file, ``< FILE`` there gives it one to read."""
    *words, mark, file = words if words[-2:-1] == ("-o",) else (*words, "", "")
    told = called(player, *words)
    if mark:
        Path(file).write_text(told.out, "utf-8")
    return printed(told.code, "" if mark else told.out, told.err)


def each(player, given, *words):
    """Calls the command line once for each line, and says how it ended; behind ``<<`` a line has the file ``given``."""
    for line in given.splitlines():
        options, mark, content = line.partition("<<")
        if mark:
            Path("given").write_bytes(
                content.strip().encode("latin-1").decode("unicode_escape").encode("latin-1")
            )
        told = called(player, *words, *shlex.split(os.path.expandvars(options)))
        said = [one for one in f"{told.out}{told.err}".splitlines() if one and not one.startswith("[")]
        yield f"{line}: {told.code} {said[-1].removeprefix('Error: ')}"


def alike(player, given, *words):
    """Tests the sample of each line by the same options, and says whether it ends as that of the line before."""
    seen = ""
    for sample in given.splitlines():
        options = shlex.split(os.path.expandvars(sample))
        made = json.loads(called(player, "rng", "test", *words, "--format", "json", *options).out)
        tests = json.dumps(made.get("tests", made))
        shown = (
            " ".join([one["test"], *(f"{p:.6g}" for p in one["p_values"][:3])])
            for one in made.get("tests", ())
        )
        same = "the same" if tests == seen else "; ".join(shown) or tests
        yield f"{sample}: {made['verdict']} on {made['input']['count']:,} {made['input']['kind']}: {same}"
        seen = tests


def keep(player, given, name, file, path):
    """Keeps a value of a JSON file as a variable, by the keys that lead there."""
    keys = [int(key) if key.isdigit() else key for key in path.split(".")]
    player.patch.setenv(name, reduce(operator.getitem, keys, json.loads(Path(file).read_text("utf-8"))))


def gate(player, given, *words):
    """What the gate finds between main and the branch, or between two states that are named."""
    states = () if words[:2] and not words[0].startswith("-") else ("git:main", "git:HEAD")
    called = player.call("gate", *(() if "--pre-push" in words else states), *words, "--format", "json")
    player.document = json.loads(called.out) if called.out else {}
    return printed(called.code, "\n".join(findings(player.document)), called.err)


def findings(document):
    """Lines of what the gate found."""
    if "policy_from" in document:
        policy = f"policy {document['policy']} of {document['policy_from']}"
        yield f"{document['verdict']}: fails on {document['fail_on']}, {policy}"
    for game in document.get("games", ()):
        yield f"{game['game']}: {game['status']}"
        for wager, figures in (game["wagers"] or {}).items():
            if figures["return"]["delta"] not in ("0", None) or figures["return"]["before"] is None:
                yield f"  {wager} returns {figures['return']['before']} → {figures['return']['after']}"
    for change in document.get("changes", ()):
        given = change["approval"] or {}
        signed = " signed" if given.get("signed") else ""
        approved = f" (approved{signed} by {given['approved_by']}: {given['reason']})" if given else ""
        where = f"{change['path']}:{change['line']}" if change["path"] else "-"
        yield f"{change['severity']} {change['id']}{approved} {where} {change['subject']}: {change['message']}"


def approve(player, given, *words):
    """Approves, and commits what was approved: approvals of a commit are read from it."""
    terms = ("--reason", "case 42", "--until", "2026-12-31")
    called = player.call("approve", *words, *(terms if "--until" not in words else terms[:2]))
    if Path("certify-approvals.toml").exists():
        keeps = "git add certify-approvals.toml; git commit -q --allow-empty -m approvals"
        subprocess.run(["sh", "-c", keeps], check=True)
    return printed(called.code, called.out if called.code else "", called.err)


def approve_all(player, given, *words):
    """Approves every change of the last run of the gate."""
    chosen = [change["fingerprint"] for change in player.document["changes"] if not change["game"]]
    chosen += [game["fingerprint"] for game in player.document["games"] if game["status"] != "unchanged"]
    return approve(player, given, *chosen, *words)


def game(player, given, file, *changes):
    """Writes the published game, or the one that ``BASE`` names, changed."""
    text = Path(os.environ["BASE"]).read_text("utf-8")
    for change in changes:
        text = edited(*EDITS.get(change, [change.replace("\\n", "\n").split("=>")]), text=text)
    write(player, text, file)


def change(player, given, *words):
    """What the gate finds between the game and a changed one; ``--NAME=VALUE`` is an option of the gate."""
    options = [word for word in words if word.startswith("--")]
    game(player, given, "after.toml", *(word for word in words if word not in options))
    return gate(player, given, os.environ["BASE"], "after.toml", *options)


def edit(player, given, file, *changes):
    """Changes a file, each ``OLD=>NEW``, of which the old must be there."""
    text = Path(file).read_text("utf-8")
    write(player, edited(*(change.split("=>") for change in changes), text=text), file)


def write(player, given, file):
    """Writes a file."""
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(given, "utf-8")


def like(player, given, *name):
    """Plays another session of the file first."""
    player.play(player.path, " ".join(name))


def rebound(player, given, file, name, value):
    """Changes one word of the approval of a file, and binds it anew."""
    path = Path(file)
    (known,) = parse_approvals(path.read_bytes(), file)
    path.unlink()
    changed = replace(known, **{name: value})
    append_approval(path, replace(changed, binding=changed.expected_binding))


def cd(player, given, folder):
    """Goes to a folder."""
    player.patch.chdir(folder)
    player.patch.setenv("PWD", os.getcwd())


def at(player, given, moment):
    """Sets the clock."""
    player.clock.instant = datetime.fromisoformat(moment)


def someone(player, given, name, kind="trusted"):
    """Somebody with a key, a certificate and a root in a folder: of the laboratory, or an impostor."""
    Signed(player.folder / name, signer(infrastructure=None if kind == "trusted" else pki().impostor()))


COMMANDS = {
    "certify": certify,
    "alike": lambda *asked: "\n".join(alike(*asked)),
    "each": lambda *asked: "\n".join(each(*asked)),
    "keep": keep,
    "gate": gate,
    "approve": approve,
    "approve-all": approve_all,
    "game": game,
    "change": change,
    "edit": edit,
    "write": write,
    "like": like,
    "at": at,
    "someone": someone,
    "rebound": rebound,
    "cd": cd,
    "export": lambda player, given, one: player.patch.setenv(*one.split("=", 1)),
    "unset": lambda player, given, one: player.patch.delenv(one),
}


def compare(path, name, text, *, refresh):
    """Compares a session with how it was played, or writes it down."""
    whole = path.read_text("utf-8")
    kept = sessions_in(path)[name]
    if refresh:
        path.write_text(whole.replace(kept, text, 1) if kept else whole, "utf-8")
        return
    lines = [one.rstrip().split("\n") for one in (kept, text)]
    differing = difflib.unified_diff(*lines, "kept", "played", n=1, lineterm="")
    told = f"what changed is meant? pytest --refresh -k {name!r}"
    assert lines[0] == lines[1], "\n".join([told, *itertools.islice(differing, 40)])

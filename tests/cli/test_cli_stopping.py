"""Stopping and exporting: what is left behind, and models that other code reads."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import click
import pytest
from cli_support import GAME, ROOT, written
from engine_rounds import MergedHiddenCard, OpenedCard, PassLine, Roulette
from representatives import firsts

from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import counting_order
from certify.analysis.engine.markov import (
    PRISM_LIMIT,
    lines_of,
    process_of,
    reward_name,
)
from certify.analysis.engine.walk import walk
from certify.cli import main as command_line
from certify.cli.failures import failure_of
from certify.cli.terminal import TerminatedError, terminated_by_signal
from certify.errors import InputError
from certify.families import Choice

Targets = dict[int, Fraction]


@dataclass
class Model:
    """Actions of every state: rewards by name, and where they lead."""

    size: int = 0
    done: int = -1
    actions: dict[int, list[tuple[dict[str, Fraction], Targets]]] = field(default_factory=dict)

    def most(self, reward):
        """The greatest expected reward until done, by policy iteration from the first actions."""
        rows = {
            state: [(rewards.get(reward, Fraction(0)), targets) for rewards, targets in actions]
            for state, actions in self.actions.items()
            if state != self.done
        }
        policy = dict.fromkeys(rows, 0)
        while True:
            worth = self._value(rows, policy)
            better = {
                state: max(
                    range(len(options)),
                    key=lambda n, o=options, s=state: (self._worth(o[n], worth), n == policy[s]),  # type: ignore[misc]
                )
                for state, options in rows.items()
            }
            if better == policy:
                return worth[0]
            policy = better

    def _worth(self, option, worth):
        return option[0] + sum(chance * worth[target] for target, chance in option[1].items())

    def _value(self, rows, policy):
        """Solves the linear equations of a policy: each state is eliminated in turn, then put back in."""
        worth = {self.done: Fraction(0)}
        chosen = {state: options[policy[state]] for state, options in rows.items()}
        equations = {state: (reward, dict(targets)) for state, (reward, targets) in chosen.items()}
        order, solved = sorted(equations, reverse=True), []
        waiting = {}
        for state, (_, targets) in equations.items():
            for target in targets:
                waiting.setdefault(target, set()).add(state)
        for state in order:
            constant, targets = equations.pop(state)
            back = 1 - targets.pop(state, Fraction(0))
            constant, targets = constant / back, {t: c / back for t, c in targets.items()}
            solved.append((state, constant, targets))
            for user in waiting.get(state, ()):
                if user in equations:
                    base, uses = equations[user]
                    share = uses.pop(state, Fraction(0))
                    for target, chance in targets.items():
                        uses[target] = uses.get(target, Fraction(0)) + share * chance
                        waiting.setdefault(target, set()).add(user)
                    equations[user] = (base + share * constant, uses)
        for state, constant, targets in reversed(solved):
            worth[state] = constant + sum(chance * worth[target] for target, chance in targets.items())
        return worth


def read_drn(path):
    lines = path.read_text("ascii").splitlines()
    heads = {lines[place]: lines[place + 1] for place, line in enumerate(lines[:12]) if line.startswith("@")}
    assert lines[0] == "@type: MDP"
    names = heads["@reward_models"].split()
    model = Model(size=int(heads["@nr_states"]))
    choices = 0
    for line in lines[lines.index("@model") + 1 :]:
        if line.startswith("state"):
            state, *labels = line.split()[1:]
            at = int(state)
            model.actions[at] = []
            if "done" in labels:
                model.done = at
        elif line.startswith("\taction"):
            match = re.fullmatch(r"\taction \w+ \[(.*)\]", line)
            assert match
            paid = dict(zip(names, map(Fraction, match[1].split(", ")), strict=True))
            model.actions[at].append((paid, {}))
            choices += 1
        else:
            target, chance = line.strip().split(" : ")
            model.actions[at][-1][1][int(target)] = Fraction(chance)
    assert (len(model.actions), choices) == (model.size, int(heads["@nr_choices"]))
    return model


def read_prism(path):
    text = path.read_text("ascii")
    size = re.search(r"s : \[0\.\.(\d+)\] init 0;", text)
    done = re.search(r'label "done" = s=(\d+);', text)
    assert size
    assert done
    model = Model(size=int(size[1]) + 1, done=int(done[1]))
    named = {}
    for name, state, updates in re.findall(r"^  \[(\w+)\] s=(\d+) -> (.*);$", text, re.M):
        targets = {int(t): Fraction(c) for c, t in re.findall(r"([\d/]+) : \(s'=(\d+)\)", updates)}
        named[int(state), name] = {}
        model.actions.setdefault(int(state), []).append((named[int(state), name], targets))
    for reward, body in re.findall(r'rewards "(\w+)"\n(.*?)endrewards', text, re.S):
        for name, state, paid in re.findall(r"\[(\w+)\] s=(\d+) : ([\d/]+);", body):
            named[int(state), name][reward] = Fraction(paid)
    assert len(model.actions) == model.size
    return model


SERVE = ("rounds", "serve", str(GAME))


def begun(*arguments, **options):
    return subprocess.Popen([sys.executable, "-m", "certify", *arguments], text=True, **options)


def listens():
    """Has a call listen to interrupts, which a test run in the background ignores with all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("sent", "code"), firsts([(signal.SIGINT, 130), (signal.SIGTERM, 143)]))
def test_a_stopped_call_ends_with_the_code_of_the_signal(sent, code):
    with begun(*SERVE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=listens) as process:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(sent)
        _, told = process.communicate(timeout=30)
    assert process.returncode == code
    assert told.startswith("certify: ")
    assert "Traceback" not in told


def test_a_closed_pipe_ends_with_its_own_code():
    read, write = os.pipe()
    os.close(read)
    with begun("explain", stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (141, "")


def test_a_pipe_that_broke_elsewhere_is_the_machines_fault(monkeypatch):
    # The connection to a time-stamp authority, the input of a signing command: the reader of the output is there.
    read, write = os.pipe()
    with open(write, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert failure_of(BrokenPipeError(32, "Broken pipe")).code == 3
        os.close(read)
        assert failure_of(BrokenPipeError(32, "Broken pipe")).code == 141
        monkeypatch.undo()


def test_sigterm_in_the_middle_of_work_runs_what_cleans_up():
    cleaned = []

    def work():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            cleaned.append(signal.getsignal(signal.SIGTERM))

    with pytest.raises(TerminatedError), terminated_by_signal(lambda error: 143):
        work()
    assert cleaned == [signal.SIG_DFL]


@pytest.mark.parametrize("made", [RuntimeError("in another's call"), None])
def test_sigterm_that_is_lost_on_the_way_is_said_at_the_end(made):
    def work():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except TerminatedError:
            # As a library does in which a call of ours was stopped.
            if made is not None:
                raise made from None

    with pytest.raises(TerminatedError), terminated_by_signal(lambda error: 143):
        work()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


COUNTING = """
import os, subprocess, sys, tempfile
import numba
from certify.cli import main

@numba.njit(nogil=True)
def count(end):
    found = 0
    for number in range(end):
        found ^= (number * number) >> 3
    return found

def called(arguments):
    count(10)
    with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
        os.write(1, folder.encode() + b"\\n")
        started = subprocess.Popen(["sleep", "50"])  # holds the streams open as long as it runs
        count(10**12)

main._called = called
sys.exit(main.run(["analyze", "--format", "json"]))
"""


def test_sigterm_while_compiled_code_counts_ends_the_call_and_leaves_nothing(tmp_path):
    command = [sys.executable, "-c", COUNTING, tmp_path]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert Path(process.stdout.readline().strip()).parent == tmp_path
        time.sleep(0.5)
        begun = time.monotonic()
        process.terminate()
        out, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (143, "certify: terminated\n")
    assert json.loads(out)["error"]["exit_code"] == 143
    assert time.monotonic() - begun < 30
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_in_use_is_a_wrong_call(certify):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        called = certify(*SERVE, "--port", str(taken.getsockname()[1]))
    assert called.code == 2
    assert "cannot be served on" in called.err


def test_a_defect_is_json_too_and_never_beside_a_result(certify, monkeypatch):
    def defective(*arguments, **options):
        raise RuntimeError("planted")

    monkeypatch.setattr(command_line, "_called", defective)
    called = certify("analyze", GAME, "--format", "json").expect(3)
    assert json.loads(called.out)["error"]["kind"] == "internal"

    def late(*arguments):
        print(json.dumps({"result": 1}))
        raise RuntimeError("planted")

    monkeypatch.setattr(command_line, "_called", late)
    assert certify("analyze", GAME, "--format", "json").json == {"result": 1}


def commands(group, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield (*words, name), found
        if isinstance(found, click.Group):
            yield from commands(found, (*words, name))


def test_no_help_shows_marks_of_its_source():
    every = dict(commands(command_line.main))
    assert {("run",), ("rng", "test"), ("rounds", "expire")} <= every.keys()
    for words, command in every.items():
        with click.Context(command, info_name=" ".join(words)) as context:
            assert "\\" not in command.get_help(context), words


CASINO = ROOT / "fixtures/games/us5632489-casino/game.toml"
READERS = {"drn": read_drn, "prism": read_prism}


def made(certify, game, form, out):
    called = certify("export", game, "--as", form, "--out", out, "--format", "json").expect(0)
    return dict(json.loads(called.out))


def value_of(model, document):
    return model.most(reward_name(document["wager"]))


@pytest.mark.parametrize("form", READERS)
def test_the_written_model_is_solved_by_other_code_to_the_same_fraction(certify, form, tmp_path):
    document = made(certify, CASINO, form, tmp_path / "model")
    analysed = certify("analyze", CASINO, "--format", "json").json
    exact = Fraction(analysed["wagers"]["ante"]["return"])
    model = READERS[form](tmp_path / "model" / document["file"])
    assert value_of(model, document) == Fraction(document["expected"]) == exact + Fraction(document["added"])
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "export.json",
        document["file"],
        "us5632489-casino.props",
    }
    assert json.loads((tmp_path / "model/export.json").read_text()) == document


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize(
    ("round_", "kind"),
    [
        (PassLine(), "states"),
        (Roulette(), "states"),
        (OpenedCard(3, 2, 4, 3), "states"),
        (MergedHiddenCard(3, 2, 4, 3), "knowledge"),
    ],
    ids=["craps, which comes back to a point", "roulette", "a card that is seen", "a card that lies hidden"],
)
def test_every_kind_of_round_is_written_with_its_exact_weights(round_, kind, form, tmp_path):
    graph = walk(round_)
    order = counting_order(graph.offsets, graph.targets)
    wager = graph.wagers[0]
    process = process_of(graph, order, {wager: Fraction(1)})
    assert process.made_of == kind
    model = READERS[form](written(tmp_path / "model", "\n".join(lines_of(process, form)) + "\n"))
    for actions in model.actions.values():
        for rewards, targets in actions:
            assert sum(targets.values()) == 1
            assert all(paid >= 0 for paid in rewards.values())
    found = model.most(reward_name(process.rewards[0])) - process.offsets[0]
    assert found == solve(graph, order, {wager: Fraction(1)}).value


def test_one_changed_weight_of_the_written_model_is_seen_in_its_value(certify, tmp_path):
    document = made(certify, CASINO, "drn", tmp_path / "model")
    path = tmp_path / "model" / document["file"]
    changed = "\t\t8 : 11/40\n\t\t9 : 1/40\n", "\t\t8 : 10/40\n\t\t9 : 2/40\n"
    path.write_text(path.read_text().replace(*changed, 1))
    assert value_of(read_drn(path), document) != Fraction(document["expected"])


def test_a_round_too_large_for_the_language_is_refused_with_the_other_form():
    class Large:
        size, rewards, offsets, choices = PRISM_LIMIT + 1, ("main",), (Fraction(1),), 1

        def states(self):
            raise AssertionError("nothing is written of it")

    with pytest.raises(InputError, match="expected --as drn"):
        lines_of(Large(), "prism")


def test_a_model_with_two_who_decide_is_refused():
    graph = walk(OpenedCard(3, 2, 4, 3))
    first, *others = graph.choices
    forced, two = ((Choice("bank", first.options[:most], first.sees), *others) for most in (1, None))
    order = counting_order(graph.offsets, graph.targets)
    assert (
        process_of(replace(graph, choices=forced), order, {graph.wagers[0]: Fraction(1)}).made_of == "states"
    )
    with pytest.raises(InputError, match="one player"):
        process_of(replace(graph, choices=two), order, {graph.wagers[0]: Fraction(1)})

"""A reader of its own for the model files that ``certify export`` writes, and an exact solver: nothing of the engine.

DRN and PRISM's language are read back as they stand; the value is found by policy iteration over fractions, so that
rounds that come back to a state are solved too.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction

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

"""Scripts of situations: what is done at a point of a round, and what must be seen there.

A script is a row of steps, and what each step must show is part of it:

- ``refused A B`` and ``done A``: the commands are sent, and all of them refused, or done;
- ``wait SPAN``: the clock moves, by the term, less a second, or more;
- ``void``, ``expired``, ``settled``: phase and money are those that the terms demand;
- ``at-risk``: balance, held money and stakes are those of the open round;
- ``paid``: each wager is paid by its own row;
- ``table``: faces and options are those of the rules;
- ``hand``: the round is as it was at the point;
- ``place`` is refused, ``go-on`` plays the rest of the line, any other word is the action of that name.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from certify.errors import NothingCheckedError
from certify.families.trials import Trial
from certify.rounds.events import Bets
from certify.rounds.play import Play, RoundPosition
from certify.rounds.policy import AfterSettlement, VoidStakes
from certify.rounds.probe import Probe, ProbePoint, Trials
from certify.rounds.state import Phase
from certify.rounds.table import Command, SeatAction, View, command_for

NEW_ROUND: Final = (SeatAction.REBET, SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL)

_SPANS: Final[Mapping[str, tuple[int, timedelta]]] = {
    "term": (1, timedelta()),
    "term-1s": (1, timedelta(seconds=-1)),
    "term+275d": (1, timedelta(days=275)),
    "-term": (-1, timedelta()),
}
"""How often the term, and how much more, a script waits."""


def money(view: View) -> str:
    """Returns phase and money of a view in the form in which trials are compared."""
    return f"{view.phase}, balance {view.balance}, held {view.held}"


def table(view: View | RoundPosition, play: Play) -> str:
    """Returns hands and options of a view, faces in the words of the submission.

    What is no face of the game, as a faulty system may show, is shown by its number.
    """
    hands = ", ".join(
        f"{holder} {' + '.join(play.names(faces, holder)) or 'none'}" for holder, faces in view.hands
    )
    return f"{hands or 'nothing dealt'}, options {' or '.join(view.options) or 'none'}"


def hand(view: View, play: Play) -> str:
    """Returns everything that a resumed player must find again."""
    return (
        f"{view.round} {view.phase}, {table(view, play)}, stakes {money_text(view.stakes)}, "
        f"balance {view.balance}, held {view.held}"
    )


def money_text(bets: Bets) -> str:
    """Returns amounts by wager as a reader finds them in the report."""
    return " + ".join(f"{wager} {amount}" for wager, amount in bets) or "none"


def at_risk(probe: Probe, decisions: Sequence[str]) -> str:
    """Returns what the rules demand of the money of an open round after some decisions."""
    staked = probe.staked(decisions)
    return f"balance {probe.opening - staked}, held {staked}, stakes {money_text(probe.wagered(decisions))}"


def shown_at_risk(view: View) -> str:
    """Returns what a view shows of the money of an open round, in the same form."""
    return f"balance {view.balance}, held {view.held}, stakes {money_text(view.stakes)}"


def scripted(
    *scripts: str, lines: str = "own", applies: Callable[[Probe, ProbePoint], bool] | None = None
) -> Trials:
    """Returns trials of scripts, each on a system of its own that was driven to the point.

    Args:
        scripts: What is done and must be seen.
        lines: By which lines of decisions a round goes on: by its ``own`` up to the point, by the ``first``
            complete one from there, or by ``every`` one.
        applies: Tells whether a point is tried; every one where left out.
    """

    def trials(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
        if applies is not None and not applies(probe, point):
            return
        complete = (point.decisions,) if lines == "own" else probe.lines(point.decisions)
        for line in complete if lines != "first" else (next(iter(complete)),):
            yield from (_followed(script, probe, point, line) for script in scripts)

    return trials


def _followed(script: str, probe: Probe, point: ProbePoint, line: Sequence[str]) -> Trial:
    """Follows a script at a point of a round that goes on by a line of decisions."""
    session, play = probe.at(point), probe.edition.play
    before = session.view()
    seen: list[tuple[str, str]] = []
    for step in script.split("; "):
        match step.split():
            case ["refused", *names]:
                commands = [command for name in names for command in _commands(probe, name)]
                seen.append(("all refused", session.attempt(*commands)))
            case ["done", name]:
                seen.append((f"{name} done", session.attempt(SeatAction(name))))
            case ["wait", span]:
                often, more = _SPANS[span]
                session.wait(often * probe.term + more)
            case ["go-on"]:
                probe.go_on(session, line[len(point.decisions) :])
            case ["place"]:
                placed = session.do(SeatAction.PLACE, *probe.stakes[0]).done
                seen.append(("place refused", f"place {word(placed)}"))
            case ["hand"]:
                seen.append((hand(before, play), hand(session.view(), play)))
            case ["table"]:
                seen.append((table(play.position(probe.deck, line), play), table(session.view(), play)))
            case ["at-risk"]:
                seen.append((at_risk(probe, line), shown_at_risk(session.view())))
            case ["paid"]:
                paid = money_text(probe.returns(line)), money_text(session.view().returned)
                seen.append((f"returned {paid[0]}", f"returned {paid[1]}"))
            case ["void" | "expired" | "settled" as end]:
                balance = _BALANCES[end](probe, point, line)
                seen.append((f"{end}, balance {balance}, held 0", money(session.view())))
            case [name]:
                session.do(SeatAction(name))
            case _:
                raise ValueError(f"{script!r}: {step!r} is no step of a script")
    if not seen:
        raise NothingCheckedError(f"{script!r} looks at nothing")
    return session.trial(", ".join(wanted for wanted, _ in seen), ", ".join(shown for _, shown in seen))


def _commands(probe: Probe, name: str) -> Sequence[Command | SeatAction]:
    """Returns the commands that one word of a script means."""
    decisions = probe.edition.play.decisions
    groups: Mapping[str, Sequence[Command | SeatAction]] = {
        "known": tuple(map(command_for, decisions)),
        "unknown": tuple(map(command_for, _unknown(probe.edition.play))),
        "decide-or-settle": (*map(command_for, decisions), SeatAction.SETTLE),
        "new-round": NEW_ROUND,
    }
    return groups[name] if name in groups else (SeatAction(name),)


def _unknown(play: Play) -> tuple[str, ...]:
    """Returns decisions that no round offers: those that add a stake, with nothing and with more than is known."""
    adding = [option.id for option in play.options.values() if option.adds]
    made_up = [name for one in adding for name in (re.sub(r"\d+", "0", one), _next(one), f"{one}0")]
    return tuple(name for name in dict.fromkeys(made_up) if name not in play.options)


def _next(option: str) -> str:
    """Returns the name of an option with its number one higher."""
    return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), option)


def word(done: bool) -> str:
    """Returns whether a command was done, in a word."""
    return "done" if done else "refused"


def _after_malfunction(probe: Probe, point: ProbePoint, _: Sequence[str]) -> int:
    """Returns the balance that the policy demands after a malfunction at a point."""
    policy = probe.edition.policy.after_settlement
    kept = (Phase.SETTLED,) if policy is AfterSettlement.FLAG else (Phase.RESOLVED, Phase.SETTLED)
    if policy is AfterSettlement.REVERSE or point.phase not in kept:
        return probe.opening
    return probe.opening + max(0, probe.won(point.decisions) - probe.staked(point.decisions))


def _after_expiry(probe: Probe, point: ProbePoint, _: Sequence[str]) -> int:
    returned = probe.edition.policy.void_stakes is VoidStakes.RETURN
    return probe.opening if returned else probe.opening - probe.staked(point.decisions)


_BALANCES: Final[Mapping[str, Callable[[Probe, ProbePoint, Sequence[str]], int]]] = {
    "void": _after_malfunction,
    "expired": _after_expiry,
    "settled": lambda probe, _, line: probe.balance(line),
}
"""The balance that the terms demand at each end of a round."""

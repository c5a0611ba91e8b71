"""Driving a system to a point of a round, the situations that are tried there, and their scripts.

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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from certify.errors import NothingCheckedError
from certify.evidence import Situation
from certify.families.trials import Trial, TrialTally
from certify.model import Terms
from certify.rounds.events import Bets
from certify.rounds.money import returned_on
from certify.rounds.play import Edition, Play, RoundPosition
from certify.rounds.policy import AfterSettlement, Policy, VoidStakes
from certify.rounds.state import Phase, merged, with_added
from certify.rounds.table import DEALS, Command, Reply, SeatAction, System, SystemFactory, View, command_for

Deck = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProbePoint:
    """One point that a round on a given deck can reach: its phase and the decisions taken before it."""

    phase: Phase
    decisions: tuple[str, ...] = ()


class UnreachableError(Exception):
    """A system did not reach the point from which a situation starts; carries the trial that shows it."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        super().__init__(f"expected {trial.expected}, observed {trial.observed}")


@dataclass(slots=True)
class Session:
    """One fresh system, the story of what was done to it, and the ids of rounds dealt by all systems of an exercise."""

    system: System
    instant: datetime
    story: list[str]
    dealt: list[str]

    def do(self, action: SeatAction, wager: str = "", amount: int = 0) -> Reply:
        """Performs an action and writes it down."""
        return self.ask(Command(action, wager, amount))

    def ask(self, command: Command, key: str = "") -> Reply:
        """Performs a command and writes it down."""
        reply = self.system.perform(command, key) if key else self.system.perform(command)
        if reply.done and command.action in DEALS:
            self.dealt.append(reply.view.round)
        under = f" under the key {key}" if key else ""
        self.story.append(f"{command}{under}: {'done' if reply.done else 'refused'}")
        return reply

    def attempt(self, *asked: SeatAction | Command) -> str:
        """Performs commands one after the other and says which were done."""
        commands = [one if isinstance(one, Command) else Command(one) for one in asked]
        done = [str(command) for command in commands if self.ask(command).done]
        return f"{', '.join(done)} done" if done else "all refused"

    def wait(self, step: timedelta) -> None:
        """Moves the system's clock, backwards too."""
        self.instant += step
        self.system.set_clock(self.instant)
        self.story.append(f"clock moves by {step.days} d {step.seconds} s to {self.instant.isoformat()}")

    def view(self) -> View:
        """Returns what the system shows."""
        return self.system.view()

    def trial(self, expected: str, observed: str) -> Trial:
        """Returns a comparison with the story so far."""
        return Trial(expected, observed, tuple(self.story))


@dataclass(frozen=True, slots=True)
class Probe:
    """Makes sessions on one deck.

    Args:
        factory: Makes the systems under test.
        edition: Rules and terms that the system is given, and by which it is judged.
        deck: The deck of the round.
        next_deck: The deck of a second round.
        start: Time at which every session starts.
        stakes: Stake of every wager, the main one first.
        opening: Opening balance.
        dealt: Ids of the rounds that systems really dealt, as they showed them.
    """

    factory: SystemFactory
    edition: Edition
    deck: Deck
    next_deck: Deck
    start: datetime
    stakes: Bets
    opening: int
    dealt: list[str]

    def wagered(self, decisions: Sequence[str] = ()) -> Bets:
        """Returns what is at risk after some decisions: every stake, and what they added under a name of its own."""
        return with_added(self.stakes, self.added(decisions))

    def staked(self, decisions: Sequence[str] = ()) -> int:
        """Returns the sum of what is at risk after some decisions."""
        return sum(amount for _, amount in self.wagered(decisions))

    def added(self, decisions: Sequence[str]) -> Bets:
        """Returns what some decisions added to each stake, minor units."""
        play = self.edition.play
        return merged(tuple(part for one in decisions for part in play.added(one, self.stakes)))

    def session(self) -> Session:
        """Returns a fresh system with an empty story."""
        system = self.factory(self.edition, self.opening, self.start)
        system.set_deck(self.deck)
        cards = " ".join(str(card) for card in self.deck)
        return Session(system, self.start, [f"balance {self.opening}, deck {cards}"], self.dealt)

    def place(self, session: Session) -> None:
        """Places all stakes."""
        for wager, amount in self.stakes:
            session.do(SeatAction.PLACE, wager, amount)

    def at(self, point: ProbePoint) -> Session:
        """Returns a fresh system driven to a point.

        Raises:
            UnreachableError: The system did not get there.
        """
        session = self.session()
        self.place(session)
        if point.phase is not Phase.BETTING:
            session.do(SeatAction.DEAL)
            self.go_on(session, point.decisions, settle=point.phase is Phase.SETTLED)
        view = session.view()
        expected = f"{point.phase}, staked {self.staked(point.decisions)}"
        observed = f"{view.phase}, staked {sum(amount for _, amount in view.stakes)}"
        if observed != expected:
            raise UnreachableError(session.trial(expected, observed))
        return session

    def go_on(self, session: Session, decisions: Sequence[str], *, settle: bool = True) -> None:
        """Takes decisions and settles."""
        for decision in decisions:
            session.ask(command_for(decision))
        if settle:
            session.do(SeatAction.SETTLE)

    def options(self, decisions: Sequence[str]) -> tuple[str, ...]:
        """Returns what the rules offer after some decisions; what gives up the stake comes last."""
        offered = self.edition.play.position(self.deck, decisions).options
        return tuple(sorted(offered, key=self.edition.play.gives_up))

    def lines(self, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """Yields every complete sequence of decisions that is followed behind a prefix, the least committing first."""
        followed = self.edition.play.followed(self.deck)
        yield from (
            line for line, options in followed.items() if not options and line[: len(prefix)] == prefix
        )

    def points(self) -> Iterator[ProbePoint]:
        """Yields every point of a round on the deck that is followed."""
        yield ProbePoint(Phase.BETTING)
        for decisions, options in self.edition.play.followed(self.deck).items():
            for phase in (Phase.DECISION,) if options else (Phase.RESOLVED, Phase.SETTLED):
                yield ProbePoint(phase, decisions)

    def returns(self, line: Sequence[str]) -> Bets:
        """Returns what the rules pay back on each wager at the end of a line of decisions."""
        results = self.edition.play.settle(self.deck, line)
        rounding = self.edition.policy.rounding
        added = dict(self.added(line))
        return tuple(
            (wager, returned_on(stake, results[wager].net, rounding, added.get(wager, 0)))
            for wager, stake in self.stakes
        )

    def balance(self, line: Sequence[str]) -> int:
        """Returns the balance that the rules demand once a round with these decisions is settled."""
        return self.opening - self.staked(line) + self.won(line)

    def won(self, line: Sequence[str]) -> int:
        """Returns the sum of what the rules pay back at the end of a line of decisions."""
        return sum(amount for _, amount in self.returns(line))


Trials = Callable[[Probe, ProbePoint], Iterator[Trial]]
"""Tries a situation at one point, and yields what was expected and observed."""


@dataclass(frozen=True, slots=True)
class TriedSituation:
    """Something that can happen to a round, and what the terms demand then.

    Args:
        id: Id of the situation in the evidence.
        title: What happens.
        demand: What the terms demand, as a sentence in which ``{days}`` means the days of the term, or by policy.
        clauses: Clauses that it exercises.
        phases: Where in a round it is tried.
        trials: Tries it at one point.
        promised: Tells whether the terms promise it; where not, it does not apply.
    """

    id: str
    title: str
    demand: str | Callable[[Policy], str]
    clauses: tuple[str, ...]
    phases: Collection[Phase]
    trials: Trials
    promised: Callable[[Terms], bool] = lambda terms: True

    def concluded(self, tally: TrialTally, policy: Policy, *, adopted: bool) -> Situation:
        """Returns how the situation ended over all its trials.

        Args:
            tally: The trials.
            policy: The terms as parameters.
            adopted: Whether the source prints no term for it.
        """
        demand = self.demand if isinstance(self.demand, str) else self.demand(policy)
        demanded = demand.format(days=policy.void_after_days)
        return tally.situation(self.id, self.title, demanded, self.clauses, adopted=adopted)


def tallies_of(
    situations: Sequence[TriedSituation],
    probe: Probe,
    terms: Terms,
    tallies: Mapping[str, TrialTally],
) -> int:
    """Tries situations at each point of a round where they can occur and are promised; returns the number of points.

    Args:
        situations: What is tried.
        probe: Drives systems to the points.
        terms: Terms of the submission.
        tallies: Counts of each situation by its id, which are added to.
    """
    seen = 0
    for point in probe.points():
        seen += 1
        for one in situations:
            if point.phase not in one.phases or not one.promised(terms):
                continue
            try:
                for trial in one.trials(probe, point):
                    tallies[one.id].add(trial)
            except UnreachableError as error:
                tallies[one.id].add(error.trial)
    return seen


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
                session.wait(often * probe.edition.term(probe.start) + more)
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

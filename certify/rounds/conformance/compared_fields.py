"""What matters in the life of a round: one list, of which the fixed stories are built and random ones drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice
from operator import itemgetter
from typing import Final

from certify.model.game import Wager
from certify.rounds.conformance.setting import (
    BREAKS,
    EDGES,
    KEY_AGES,
    ROUNDS,
    STARTS,
    TURNS,
    UNEQUAL_KEYS,
    WINS,
    Extra,
    Setting,
    chips,
    openings,
    round_amounts,
)
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Meanwhile,
    Restart,
    Step,
    Story,
    draws,
    places,
    steps_of,
    term_of,
)
from certify.rounds.exercise import default_stakes
from certify.rounds.play import calmest, funds_for
from certify.rounds.table import Command, SeatAction, command_for

SECOND: Final = timedelta(seconds=1)

_LINES: Final = 40
"""Lines of decisions of a deck that are looked at."""


@dataclass(frozen=True, slots=True)
class MatterWay:
    """A round that is known to go somewhere: the deck of its deal, and its decisions."""

    deck: int
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatterWays:
    """Rounds that stories are built of.

    Args:
        pays: A round that returns more than was staked, as much as the decks give.
        loses: A round that loses as much as the decks take.
        waits: A deal with a decision open; one that has none where the game decides nothing.
        goes_on: A round in which a decision leaves another one open; none where no deck gives one.
    """

    pays: MatterWay
    loses: MatterWay
    waits: MatterWay
    goes_on: MatterWay | None


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that matters, and the stories that try it."""

    name: str
    stories: Callable[[StoryWords], Iterator[Story]]


def ways_of(setting: Setting) -> MatterWays:
    """Returns the rounds that stories are built of, found on the decks of a setting."""
    play, stakes = setting.edition.play, default_stakes(setting.edition.game)
    ends: list[tuple[int, MatterWay]] = []
    waits: MatterWay | None = None
    goes_on: MatterWay | None = None
    further = [command.decision for command in draws(setting.edition)]
    for index, deck in enumerate(setting.decks):
        options = play.position(deck, ()).options
        waits = waits or (MatterWay(index) if options else None)
        for option in options if goes_on is None else ():
            if option in further and play.position(deck, (option,)).options:
                goes_on = MatterWay(index, (option,))
        for line in islice(play.lines(deck), _LINES):
            nets = play.settle(deck, line)
            ends.append(
                (sum(int(stake * nets[wager].net) for wager, stake in stakes), MatterWay(index, line))
            )
    return MatterWays(
        max(ends, key=itemgetter(0))[1], min(ends, key=itemgetter(0))[1], waits or MatterWay(0), goes_on
    )


def stories_of(setting: Setting, ways: MatterWays) -> Iterator[tuple[str, Story]]:
    """Yields every story of the list with the name of what it tries, without what the system does not support."""
    for matter in MATTERS:
        for story in matter.stories(StoryWords(setting, ways, setting.start)):
            yield matter.name, story.asking_nothing_of(setting.unsupported)


@dataclass(frozen=True, slots=True)
class StoryWords:
    """What the words of a text mean in a setting, beside the names of actions.

    Args:
        setting: In what stories are told.
        ways: Rounds that stories are built of.
        start: When the story begins.
    """

    setting: Setting
    ways: MatterWays
    start: datetime

    @property
    def term(self) -> timedelta:
        """Time from a deal at the start to the first instant at which its bets are void."""
        return term_of(self.setting.edition, self.start)

    def __call__(self, text: str, **further: Step | timedelta | tuple[Step, ...]) -> tuple[Step, ...]:
        """Returns the steps of a text.

        Args:
            text: What is done.
            further: Steps by words of this text alone; an underscore stands for the hyphen in a word.
        """
        calm = calmest(self.setting.edition.play)
        known: dict[str, tuple[Step, ...]] = {
            "bets": places(self.setting.edition),
            "pays": _decided(*self.ways.pays.decisions),
            "loses": _decided(*self.ways.loses.decisions),
            "goes-on": _decided(*(self.ways.goes_on.decisions if self.ways.goes_on else ())),
            "calm": _decided(calm) if calm else (),
            "term": (Jump(self.term),),
            "last-second": (Jump(self.term - SECOND),),
            "second": (Jump(SECOND),),
        }
        for word, means in further.items():
            step: Step | tuple[Step, ...] = Jump(means) if isinstance(means, timedelta) else means
            known[word.replace("_", "-")] = step if isinstance(step, tuple) else (step,)
        written = re.sub(r"\bround\b", "bets deal pays settle", text)
        return steps_of(re.sub(r"\bshown\b", "look history", written), known)

    @staticmethod
    def on(wager: Wager, *amounts: int) -> tuple[Step, ...]:
        """Returns chips put on a wager, one after the other."""
        return tuple(Ask(Command(SeatAction.PLACE, wager.id, amount)) for amount in amounts)


def _decided(*decisions: str) -> tuple[Step, ...]:
    return tuple(Ask(command_for(one)) for one in decisions)


def _limit(setting: Setting, limit: str) -> tuple[Step, ...]:
    """Returns the least or the greatest bets that the limits of every wager allow."""
    wagers = setting.edition.game.wagers
    return tuple(Ask(Command(SeatAction.PLACE, one.id, getattr(one.limits, limit))) for one in wagers)


def _starts(told: StoryWords) -> Iterator[Story]:
    """Yields bets whose term is followed to its last second and to its first instant beyond, from each start."""
    for start in STARTS:
        told = replace(told, start=start)
        last = told("bets deal last-second expire look second expire shown expire")
        yield Story(last, told.ways.waits.deck, start=start)
        # Nothing is void a moment before the term: the round goes on then.
        yield Story(told("bets deal last-second pays settle shown"), told.ways.pays.deck, start=start)


def _balances(told: StoryWords) -> Iterator[Story]:
    """Yields rounds that are won with every opening balance."""
    for opening in openings(told.setting):
        yield Story(told("look round shown malfunction look"), told.ways.pays.deck, opening=opening)


def _stakes(told: StoryWords) -> Iterator[Story]:
    """Yields the least and the greatest bets, those doubled beyond, and amounts at which numbers wrap."""
    wagers, main = told.setting.edition.game.wagers, told.setting.edition.game.wagers[0]
    enough = 20 * sum(wager.limits.maximum for wager in wagers)
    for limit in ("minimum", "maximum"):
        beyond = "double-and-deal look rebet-and-deal pays settle shown"
        steps = told(f"chips deal pays settle {beyond}", chips=_limit(told.setting, limit))
        yield Story(steps, told.ways.pays.deck, opening=enough, one_deck=True)
    for wager in wagers:
        half, least = wager.limits.maximum // 2, () if wager is main else told.on(main, main.limits.minimum)
        for amount in (half, half + 1, wager.limits.maximum):
            placed = (*told.on(wager, amount), *least)
            steps = told("chips deal pays settle double-and-deal pays settle shown", chips=placed)
            yield Story(steps, told.ways.pays.deck, opening=enough, one_deck=True)
        for group in chips(wager.limits):
            placed = (*told.on(wager, *group), *least)
            yield Story(
                told("chips look deal pays settle", chips=placed), told.ways.pays.deck, opening=enough
            )
        wide = [edge + offset for edge in EDGES for offset in (-1, 0, wager.limits.minimum)]
        wide += [2 * EDGES[-1] + wager.limits.minimum]
        asked = told.on(wager, *(one for one in wide if one <= told.setting.largest))
        yield Story((*asked, Look()), told.ways.pays.deck, opening=told.setting.largest - 10 * enough)


def _amounts(told: StoryWords) -> Iterator[Story]:
    """Yields round amounts taken back, voided, paid, and bet where they are the whole balance."""
    wagers, play = told.setting.edition.game.wagers, told.setting.edition.play
    enough, deck = 20 * sum(wager.limits.maximum for wager in wagers), told.ways.pays.deck
    for wager in wagers[:WINS]:
        near = (one + offset for one in round_amounts(wager.limits) for offset in (-1, 0, 1))
        taken = (told("chip undo chip clear", chip=told.on(wager, one)) for one in near if one)
        yield Story(tuple(chain.from_iterable(taken)), opening=enough)
    main = wagers[0]
    for text in ("deal malfunction", "deal term expire", "deal pays settle"):
        ended = (told(f"chip {text}", chip=told.on(main, one)) for one in round_amounts(main.limits))
        ends_on = told.ways.waits.deck if "expire" in text else deck
        yield Story(tuple(chain.from_iterable(ended)), ends_on, opening=enough, one_deck=True)
    for wager in wagers[1:WINS]:
        beside = told.on(main, main.limits.minimum)
        dealt = (
            told("least chip deal pays settle", least=beside, chip=told.on(wager, one))
            for one in round_amounts(wager.limits)
        )
        yield Story(tuple(chain.from_iterable(dealt)), deck, opening=enough * ROUNDS[1], one_deck=True)
    for one in round_amounts(main.limits):
        for opening in dict.fromkeys((one, funds_for(play, ((main.id, one),)))):
            yield Story(told("chip deal pays settle shown", chip=told.on(main, one)), deck, opening=opening)
    many, undone = told.on(main, main.limits.minimum, *[1] * ROUNDS[1]), " undo" * ROUNDS[0]
    yield Story(told(f"chips clear chips {undone} clear look", chips=many), opening=enough)


def _again_and_again(told: StoryWords) -> Iterator[Story]:
    """Yields the same turn many times at one seat."""
    for turn in TURNS:
        steps = told(f"{turn} " * ROUNDS[0] + "shown", bets=places(told.setting.edition)[:WINS])
        way = told.ways.waits if "expire" in turn else told.ways.pays
        yield Story(steps, way.deck, opening=10 * ROUNDS[1] * told.setting.opening, one_deck=True)


def _refused(told: StoryWords) -> Iterator[Story]:
    """Yields commands that are refused and sent again, with their key and without, until they are allowed."""
    late = "pays settle@b settle@b shown"
    yield Story(told(f"deal@a deal@a settle@b bets deal@a look {late}"), told.ways.pays.deck)
    # The key of what was refused is free for another command too.
    bet = places(told.setting.edition)[:1]
    yield Story(told(f"deal@a bet@a bet@a look deal {late}", bet=bet), told.ways.pays.deck)
    yield Story(told(f"deal deal bets deal deal {late}"), told.ways.pays.deck)
    yield Story(told("bets deal expire@a term expire@a shown"), told.ways.waits.deck)


def _keys(told: StoryWords) -> Iterator[Story]:
    """Yields two commands under keys that are not equal: the second is done whatever the first was."""
    bet, *others = default_stakes(told.setting.edition.game)
    for one, other in UNEQUAL_KEYS:
        first = Ask(Command(SeatAction.PLACE, *bet), one)
        asked = (first, *(Ask(Command(SeatAction.PLACE, *each)) for each in others))
        steps = (*asked, Ask(Command(SeatAction.DEAL), other), *told("pays settle shown"))
        yield Story(steps, told.ways.pays.deck)


def _emptied(told: StoryWords) -> Iterator[Story]:
    """Yields layouts that are emptied in every way, on which nothing is left to take back or to deal."""
    for before in ("", "round"):
        for emptying in ("undo " * len(told.setting.edition.game.wagers), "clear"):
            steps = told(f"{before} bets {emptying} look undo look clear look deal shown bets deal shown")
            yield Story(steps, told.ways.pays.deck)
        if before:
            yield Story(told("round rebet clear undo rebet deal shown"), told.ways.pays.deck)


def _clock_back(told: StoryWords) -> Iterator[Story]:
    """Yields clocks that go back, at the deal and after it, followed to the term."""
    forth = timedelta(days=10)
    followed, jumps = "expire look second expire shown", {"back": -forth, "forth": forth}
    for text in (
        f"bets deal back look on {followed}",
        # Accepted while the clock is behind: at the time of the command before.
        f"bets back deal last-second expire forth {followed}",
        f"bets deal last-second back expire forth {followed}",
        "bets deal term expire term-back expire bets deal shown",
    ):
        steps = told(text, **jumps, on=forth + told.term - SECOND, term_back=-told.term)
        yield Story(steps, told.ways.waits.deck)


def _late(told: StoryWords) -> Iterator[Story]:
    """Yields decisions and returns that come late: the term runs from the deal, whatever was done since."""
    for late in (timedelta(days=1), told.term - SECOND):
        for since, way in (("disconnect resume", told.ways.waits), ("goes-on", told.ways.goes_on)):
            if way is not None:
                text = f"bets deal late {since} rest expire look second calm expire shown"
                yield Story(told(text, late=late, rest=told.term - late - SECOND), way.deck)


def _in_a_row(told: StoryWords) -> Iterator[Story]:
    """Yields rounds one after another: what one leaves behind must not touch the next."""
    few, many = ROUNDS
    enough = 10 * many * told.setting.opening
    yield Story(told("round " * few + "shown"), told.ways.pays.deck, opening=enough, one_deck=True)
    yield Story(told("bets deal calm settle " * few + "shown"), 0, opening=enough)
    lost = told("bets deal loses settle " * few + "shown")
    yield Story(lost, told.ways.loses.deck, opening=enough, one_deck=True)
    # Behind so many rounds keys are old, and no history is asked for: it may be longer than an answer holds.
    again = (Again(back) for back in KEY_AGES)
    yield Story((*told("round " * many), *again, Look()), told.ways.pays.deck, opening=enough, one_deck=True)
    ended = "round away bets deal malfunction round malfunction round shown"
    yield Story(told(ended, away=BREAKS[0]), told.ways.pays.deck, one_deck=True)
    away = tuple(step for stay in BREAKS for step in told("round away", away=stay))
    yield Story((*away, *told("round shown")), told.ways.pays.deck, opening=enough, one_deck=True)


def _restarts(told: StoryWords) -> Iterator[Story]:
    """Yields a restart behind every step, and what was done before it sent again."""
    if Extra.RESTART not in told.setting.offers:
        return
    for text in (
        "round",
        "round rebet undo rebet clear rebet-and-deal",
        "bets suspend deal restore deal",
        "bets deal suspend pays",
        "bets deal disconnect settle resume pays settle malfunction settle",
        "bets deal term expire round",
    ):
        broken = tuple(part for step in told(text) for part in (step, Restart(), Again(1)))
        yield Story((*broken, *told("shown")), told.ways.pays.deck)


def _others(told: StoryWords) -> Iterator[Story]:
    """Yields two players at once: neither is shown, asked or paid what is the other's."""
    mine, shown = told("round"), told("shown")
    theirs = tuple(Meanwhile(step) for step in mine)
    looks = (*shown, *(Meanwhile(step) for step in shown))
    woven = tuple(step for pair in zip(mine, theirs, strict=True) for step in pair)
    yield Story((*woven, *looks), told.ways.pays.deck)
    yield Story((*theirs, *theirs, *looks, *mine, *looks), told.ways.pays.deck, one_deck=True)
    suspended = (Meanwhile(one) for one in told("disconnect malfunction"))
    begun = theirs[: len(told("bets deal"))]
    yield Story((*mine[:-1], *begun, *suspended, *mine[-1:], *looks), told.ways.pays.deck)


MATTERS: Final = (
    Concern("start dates, each followed to its term", _starts),
    Concern("opening balances on both sides of 31, 32, 53 and 63 bits", _balances),
    Concern("stakes and their sums at the edges, and doubled beyond", _stakes),
    Concern("round amounts taken back, voided, paid and as the whole balance", _amounts),
    Concern("the same turn again and again at one seat", _again_and_again),
    Concern("refused commands sent again, with their key and without", _refused),
    Concern("keys that differ in little", _keys),
    Concern("an emptied layout and its undo", _emptied),
    Concern("a clock that goes back, followed to the term", _clock_back),
    Concern("decisions and returns that come late", _late),
    Concern("rounds one after another", _in_a_row),
    Concern("a restart behind every step", _restarts),
    Concern("another player at the same time", _others),
)
"""What matters, in the order in which it is tried; every row of every wager is tried beside it, at odd stakes."""


def scattered(story: Story, setting: Setting, number: int) -> Story:
    """Returns a random story with a start and an opening balance of the same list, chosen by a number."""
    starts, balances = (None, *STARTS), (None, *openings(setting)[2:])
    return replace(
        story, start=starts[number % len(starts)], opening=balances[number // len(starts) % len(balances)]
    )


def names_of(stories: Sequence[tuple[str, Story]]) -> tuple[tuple[str, int], ...]:
    """Returns how many stories try each thing that matters."""
    told = [name for name, _ in stories]
    return tuple((matter.name, told.count(matter.name)) for matter in MATTERS)

"""What matters in the life of a round: one list, of which the fixed stories are built and random ones drawn."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from operator import itemgetter
from typing import Final

from certify.model import Wager
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
    Meanwhile,
    Plain,
    Step,
    Story,
    draws,
    places,
    steps_of,
)
from certify.rounds.exercise import default_stakes
from certify.rounds.play import calmest, funds_for
from certify.rounds.table import Command, SeatAction, command_for

_LINES: Final = 40
"""Lines of decisions of a deck that are looked at."""


@dataclass(frozen=True, slots=True)
class MatterWay:
    """A round that is known to go somewhere: the deck of its deal, and its decisions."""

    deck: int
    decisions: tuple[str, ...] = ()


MatterWays = Mapping[str, MatterWay]
"""Rounds that stories are built of, by the word for them.

- ``pays``: it returns more than was staked, as much as the decks give;
- ``loses``: it loses as much as the decks take;
- ``waits``: a deal with a decision open; one that has none where the game decides nothing;
- ``goes-on``: a decision leaves another one open; there is none where no deck gives one;
- ``first``: that of the first deck.
"""


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that matters, and the stories that try it."""

    name: str
    stories: "Callable[[StoryWords], Iterator[Story]]"


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
    return {
        "pays": max(ends, key=itemgetter(0))[1],
        "loses": min(ends, key=itemgetter(0))[1],
        "waits": waits or MatterWay(0),
        "first": MatterWay(0),
        **({"goes-on": goes_on} if goes_on else {}),
    }


def stories_of(setting: Setting, ways: MatterWays) -> Iterator[tuple[str, Story]]:
    """Yields every story of the list with the name of what it tries, without what the system does not support."""
    for matter in MATTERS:
        for story in matter.stories(StoryWords(setting, ways, setting.start)):
            yield matter.name, story.asking_nothing_of(setting.unsupported)


@dataclass(frozen=True, slots=True)
class StoryWords:
    """What the words of a text mean in a setting, next to the names of actions.

    Args:
        setting: The setting of the stories.
        ways: Rounds that stories are built of.
        start: When the story begins.
    """

    setting: Setting
    ways: MatterWays
    start: datetime

    def __call__(self, text: str, **further: tuple[Step, ...]) -> tuple[Step, ...]:
        """Returns the steps of a text.

        Args:
            text: What is done.
            further: Steps by words of this text alone.
        """
        bets, calm = places(self.setting.edition), calmest(self.setting.edition.play)
        known: dict[str, tuple[Step, ...]] = {
            "bets": bets,
            "bet": bets[:1],
            "undo-all": len(bets) * steps_of("undo"),
            **{word: _decided(*way.decisions) for word, way in self.ways.items()},
            "calm": _decided(calm) if calm else (),
            **{f"again-{back}": (Again(back),) for back in KEY_AGES},
        }
        written = re.sub(r"\bround\b", "bets deal pays settle", text)
        return steps_of(
            re.sub(r"\bshown\b", "look history", written),
            {**known, **further},
            self.setting.edition.term(self.start),
        )

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


def _from_texts(*texts: str) -> Callable[[StoryWords], Iterator[Story]]:
    """Returns the stories of some texts, each in the circumstances that stand before a bar.

    Those are the round that a story begins with where that is not the one that pays, or the ``first`` deck, ``rich``
    for a balance that lasts for many rounds, and ``one-deck`` where every deal takes the same.
    """

    def stories(words: StoryWords) -> Iterator[Story]:
        for text in texts:
            before, _, steps = text.rpartition("|")
            opening = 10 * ROUNDS[1] * words.setting.opening if "rich" in before else None
            begins = next((word for word in before.split() if word not in ("rich", "one-deck")), "pays")
            if begins != "goes-on" or begins in words.ways:
                way = words.ways[begins]
                yield Story(words(steps), way.deck, opening=opening, one_deck="one-deck" in before)

    return stories


def _starts(told: StoryWords) -> Iterator[Story]:
    """Yields bets whose term is followed to its last second and to its first instant beyond, from each start."""
    for start in STARTS:
        told = replace(told, start=start)
        last = told("bets deal +term-1s expire look +1s expire shown expire")
        yield Story(last, told.ways["waits"].deck, start=start)
        # Nothing is void a moment before the term: the round goes on then.
        yield Story(told("bets deal +term-1s pays settle shown"), told.ways["pays"].deck, start=start)


def _balances(told: StoryWords) -> Iterator[Story]:
    """Yields rounds that are won with every opening balance."""
    for opening in openings(told.setting):
        yield Story(told("look round shown malfunction look"), told.ways["pays"].deck, opening=opening)


def _stakes(told: StoryWords) -> Iterator[Story]:
    """Yields the least and the greatest bets, those doubled beyond, and amounts at which numbers wrap."""
    wagers, main = told.setting.edition.game.wagers, told.setting.edition.game.wagers[0]
    enough = 20 * sum(wager.limits.maximum for wager in wagers)
    for limit in ("minimum", "maximum"):
        beyond = "double-and-deal look rebet-and-deal pays settle shown"
        steps = told(f"chips deal pays settle {beyond}", chips=_limit(told.setting, limit))
        yield Story(steps, told.ways["pays"].deck, opening=enough, one_deck=True)
    for wager in wagers:
        half, least = wager.limits.maximum // 2, () if wager is main else told.on(main, main.limits.minimum)
        for amount in (half, half + 1, wager.limits.maximum):
            placed = (*told.on(wager, amount), *least)
            steps = told("chips deal pays settle double-and-deal pays settle shown", chips=placed)
            yield Story(steps, told.ways["pays"].deck, opening=enough, one_deck=True)
        for group in chips(wager.limits):
            placed = (*told.on(wager, *group), *least)
            yield Story(
                told("chips look deal pays settle", chips=placed), told.ways["pays"].deck, opening=enough
            )
        wide = [edge + offset for edge in EDGES for offset in (-1, 0, wager.limits.minimum)]
        wide += [2 * EDGES[-1] + wager.limits.minimum]
        asked = told.on(wager, *(one for one in wide if one <= told.setting.largest))
        yield Story((*asked, Plain.LOOK), told.ways["pays"].deck, opening=told.setting.largest - 10 * enough)


def limits_tried(setting: Setting) -> Iterator[Story]:
    """Yields chips on one wager within its limits and beyond them, each group dealt once where it may be."""
    enough = 20 * sum(wager.limits.maximum for wager in setting.edition.game.wagers)
    for wager in setting.edition.game.wagers:
        for group in chips(wager.limits):
            placed = tuple(Ask(Command(SeatAction.PLACE, wager.id, amount)) for amount in group)
            yield Story(
                (*placed, Plain.LOOK, Ask(Command(SeatAction.DEAL)), Plain.LOOK),
                opening=min(enough, setting.largest),
            )


def _amounts(told: StoryWords) -> Iterator[Story]:
    """Yields round amounts taken back, voided, paid, and bet where they are the whole balance."""
    wagers, play = told.setting.edition.game.wagers, told.setting.edition.play
    enough, deck = 20 * sum(wager.limits.maximum for wager in wagers), told.ways["pays"].deck
    for wager in wagers[:WINS]:
        near = (one + offset for one in round_amounts(wager.limits) for offset in (-1, 0, 1))
        taken = (told("chip undo chip clear", chip=told.on(wager, one)) for one in near if one)
        yield Story(tuple(chain.from_iterable(taken)), opening=enough)
    main = wagers[0]
    for text in ("deal malfunction", "deal +term expire", "deal pays settle"):
        ended = (told(f"chip {text}", chip=told.on(main, one)) for one in round_amounts(main.limits))
        ends_on = told.ways["waits"].deck if "expire" in text else deck
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
        way = told.ways["waits"] if "expire" in turn else told.ways["pays"]
        yield Story(steps, way.deck, opening=10 * ROUNDS[1] * told.setting.opening, one_deck=True)


def _keys(told: StoryWords) -> Iterator[Story]:
    """Yields two commands under keys that are not equal: the second is done whatever the first was."""
    bet, *others = default_stakes(told.setting.edition.game)
    for one, other in UNEQUAL_KEYS:
        first = Ask(Command(SeatAction.PLACE, *bet), one)
        asked = (first, *(Ask(Command(SeatAction.PLACE, *each)) for each in others))
        steps = (*asked, Ask(Command(SeatAction.DEAL), other), *told("pays settle shown"))
        yield Story(steps, told.ways["pays"].deck)


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
        "bets deal +term expire round",
    ):
        broken = tuple(part for step in told(text) for part in (step, Plain.RESTART, Again(1)))
        yield Story((*broken, *told("shown")), told.ways["pays"].deck)


def _others(told: StoryWords) -> Iterator[Story]:
    """Yields two players at once: neither sees, decides or is paid what is the other's."""
    mine, shown = told("round"), told("shown")
    theirs = tuple(Meanwhile(step) for step in mine)
    looks = (*shown, *(Meanwhile(step) for step in shown))
    woven = tuple(step for pair in zip(mine, theirs, strict=True) for step in pair)
    yield Story((*woven, *looks), told.ways["pays"].deck)
    yield Story((*theirs, *theirs, *looks, *mine, *looks), told.ways["pays"].deck, one_deck=True)
    suspended = (Meanwhile(one) for one in told("disconnect malfunction"))
    begun = theirs[: len(told("bets deal"))]
    yield Story((*mine[:-1], *begun, *suspended, *mine[-1:], *looks), told.ways["pays"].deck)


MATTERS: Final = (
    Concern("start dates, each followed to its term", _starts),
    Concern("opening balances on both sides of 31, 32, 53 and 63 bits", _balances),
    Concern("stakes and their sums at the edges, and doubled beyond", _stakes),
    Concern("round amounts taken back, voided, paid and as the whole balance", _amounts),
    Concern("the same turn again and again at one seat", _again_and_again),
    Concern(
        "refused commands sent again, with their key and without",
        _from_texts(
            "deal@a deal@a settle@b bets deal@a look pays settle@b settle@b shown",
            # The key of what was refused is free for another command too.
            "deal@a bet@a bet@a look deal pays settle@b settle@b shown",
            "deal deal bets deal deal pays settle@b settle@b shown",
            "waits | bets deal expire@a +term expire@a shown",
        ),
    ),
    Concern("keys that differ in little", _keys),
    Concern(
        "an emptied layout and its undo",
        _from_texts(
            *(
                f"{before} bets {emptying} look undo look clear look deal shown bets deal shown"
                for before in ("", "round")
                for emptying in ("undo-all", "clear")
            ),
            "round rebet clear undo rebet deal shown",
        ),
    ),
    Concern(
        "a clock that goes back, followed to the term",
        _from_texts(
            "waits | bets deal -10d look +10d+term-1s expire look +1s expire shown",
            # Accepted while the clock is behind: at the time of the command before.
            "waits | bets -10d deal +term-1s expire +10d expire look +1s expire shown",
            "waits | bets deal +term-1s -10d expire +10d expire look +1s expire shown",
            "waits | bets deal +term expire -term expire bets deal shown",
        ),
    ),
    Concern(
        "decisions and returns that come late",
        # The term runs from the deal, whatever was done since.
        _from_texts(
            *(
                f"{way} | bets deal {late} {since} {rest} expire look +1s calm expire shown"
                for late, rest in (("+1d", "+term-1d-1s"), ("+term-1s", "+0s"))
                for since, way in (("disconnect resume", "waits"), ("goes-on", "goes-on"))
            ),
        ),
    ),
    Concern(
        "rounds one after another",
        # What one leaves behind must not touch the next.
        _from_texts(
            f"rich one-deck | {ROUNDS[0] * 'round '} shown",
            f"rich first | {ROUNDS[0] * 'bets deal calm settle '} shown",
            f"rich one-deck loses | {ROUNDS[0] * 'bets deal loses settle '} shown",
            # Behind so many rounds keys are old, and no history is looked at: it may be longer than an answer holds.
            f"rich one-deck | {ROUNDS[1] * 'round '} {' '.join(f'again-{back}' for back in KEY_AGES)} look",
            f"one-deck | round {BREAKS[0]} bets deal malfunction round malfunction round shown",
            f"rich one-deck | {' '.join(f'round {stay}' for stay in BREAKS)} round shown",
        ),
    ),
    Concern("a restart behind every step", _restarts),
    Concern("another player at the same time", _others),
)
"""What matters, in the order in which it is tried; every row of every wager is tried with it, at odd stakes."""


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

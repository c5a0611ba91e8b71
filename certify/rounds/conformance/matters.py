"""What matters in the life of a round: one list, of which the fixed stories are built and random ones drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from certify.rounds.conformance.extras import Extra
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Meanwhile,
    Recall,
    Restart,
    Step,
    Story,
    draws,
    term_of,
)
from certify.rounds.exercise import default_stakes
from certify.rounds.play import calmest, funds_for
from certify.rounds.table import Command, SeatAction, command_for

SECOND: Final = timedelta(seconds=1)

STARTS: Final = (
    datetime(2028, 2, 29, 12, tzinfo=UTC),  # the leap day itself
    datetime(2027, 12, 1, 8, tzinfo=UTC),  # 90 days later it is the leap day
    datetime(2028, 1, 15, 23, 59, 59, tzinfo=UTC),  # the leap day lies between
    datetime(2026, 1, 31, 12, tzinfo=UTC),  # the end of a month that others do not reach
    datetime(2026, 11, 30, 12, tzinfo=UTC),  # three months later there is no such day
    datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC),  # the end of a year
    datetime(2026, 6, 1, tzinfo=UTC),  # three months are 92 days
    datetime(2026, 3, 28, 23, 30, tzinfo=UTC),  # summer time begins in Europe
    datetime(2026, 10, 25, 0, 30, tzinfo=UTC),  # it ends: the hour occurs twice
    datetime(2025, 12, 29, 1, 30, tzinfo=UTC),  # the term falls into the hour that does not occur
    datetime(2026, 3, 8, 9, 30, tzinfo=UTC),  # summer time begins in America
)
"""When bets are accepted whose term is followed to the second."""

EDGES: Final = (1 << 31, 1 << 32, 1 << 53, 1 << 63)
"""Amounts at which a narrower kind of number wraps, is cut off or loses its last digit."""

IN_A_ROW: Final = 30
"""Rounds that a player plays one after another."""

_LINES: Final = 40
"""Lines of decisions of a deck that are looked at."""

_BREAKS: Final = (timedelta(hours=1), timedelta(days=1), timedelta(days=31), timedelta(days=400))
"""How long a player stays away between two rounds."""


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
        waits: A deal with a decision open; one that has none where the game decides nothing.
        goes_on: A round in which a decision leaves another one open; none where no deck gives one.
    """

    pays: MatterWay
    waits: MatterWay
    goes_on: MatterWay | None


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that matters, and the stories that try it."""

    name: str
    stories: Callable[[Setting, MatterWays], Iterator[Story]]


def ways_of(setting: Setting) -> MatterWays:
    """Returns the rounds that stories are built of, found on the decks of a setting."""
    play, stakes = setting.edition.play, default_stakes(setting.edition.game)
    best: tuple[int, MatterWay] | None = None
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
            won = sum(int(stake * nets[wager].net) for wager, stake in stakes)
            if best is None or won > best[0]:
                best = (won, MatterWay(index, line))
    return MatterWays(best[1] if best else MatterWay(0), waits or MatterWay(0), goes_on)


def stories_of(setting: Setting, ways: MatterWays) -> Iterator[tuple[str, Story]]:
    """Yields every story of the list with the name of what it tries, without what the system does not support."""
    for matter in MATTERS:
        for story in matter.stories(setting, ways):
            yield matter.name, story.asking_nothing_of(setting.unsupported)


def openings(setting: Setting) -> tuple[int, ...]:
    """Returns opening balances: what a round costs, a coin less, and on both sides of each edge."""
    stakes = default_stakes(setting.edition.game)
    cost = funds_for(setting.edition.play, stakes)
    # Nobody wins more in a story than this: what is shown stays within what the system can show.
    room = 10**6 * sum(amount for _, amount in stakes)
    near = [edge + offset for edge in EDGES for offset in (-1, -sum(amount for _, amount in stakes), 1)]
    return (
        1,
        cost - 1,
        cost,
        *(one for one in near if one <= setting.largest - room),
        setting.largest - room,
    )


def _bets(setting: Setting, limit: str = "") -> tuple[Step, ...]:
    """Returns bets on every wager: the usual ones, or the least or greatest that its limits allow."""
    if not limit:
        return tuple(Ask(Command(SeatAction.PLACE, *bet)) for bet in default_stakes(setting.edition.game))
    wagers = setting.edition.game.wagers
    return tuple(Ask(Command(SeatAction.PLACE, one.id, getattr(one.limits, limit))) for one in wagers)


def _asks(*actions: SeatAction) -> tuple[Step, ...]:
    return tuple(Ask(Command(action)) for action in actions)


def _decided(*decisions: str) -> tuple[Step, ...]:
    return tuple(Ask(command_for(one)) for one in decisions)


def _round(setting: Setting, way: MatterWay) -> tuple[Step, ...]:
    """Returns a whole round."""
    return (*_bets(setting), *_asks(SeatAction.DEAL), *_decided(*way.decisions), *_asks(SeatAction.SETTLE))


_SHOWN: Final[tuple[Step, ...]] = (Look(), Recall())
_DEAL: Final = _asks(SeatAction.DEAL)
_EXPIRE: Final = _asks(SeatAction.EXPIRE)


def _starts(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields bets whose term is followed to its last second and to its first instant beyond, from each start."""
    for start in STARTS:
        term = term_of(setting.edition, start)
        last = (Jump(term - SECOND), *_EXPIRE, Look(), Jump(SECOND), *_EXPIRE, *_SHOWN)
        yield Story((*_bets(setting), *_DEAL, *last, *_EXPIRE), ways.waits.deck, start=start)
        # Nothing is void a moment before the term: the round goes on then.
        paid = (*_decided(*ways.pays.decisions), *_asks(SeatAction.SETTLE), *_SHOWN)
        yield Story((*_bets(setting), *_DEAL, Jump(term - SECOND), *paid), ways.pays.deck, start=start)


def _balances(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields rounds that are won with every opening balance."""
    for opening in openings(setting):
        story = (Look(), *_round(setting, ways.pays), *_SHOWN, *_asks(SeatAction.MALFUNCTION), Look())
        yield Story(story, ways.pays.deck, opening=opening)


def _stakes(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields the least and the greatest bets, those doubled beyond, and amounts at which numbers wrap."""
    wagers, main = setting.edition.game.wagers, setting.edition.game.wagers[0]
    enough = 20 * sum(wager.limits.maximum for wager in wagers)
    rest = (*_decided(*ways.pays.decisions), *_asks(SeatAction.SETTLE))
    beyond = (*_asks(SeatAction.DOUBLE_AND_DEAL), Look(), *_asks(SeatAction.REBET_AND_DEAL), *rest, *_SHOWN)
    for limit in ("minimum", "maximum"):
        told = (*_bets(setting, limit), *_DEAL, *rest, *beyond)
        yield Story(told, ways.pays.deck, opening=enough, one_deck=True)
    for wager in wagers:
        half = wager.limits.maximum // 2
        for amount in (half, half + 1, wager.limits.maximum):
            chips: list[Step] = [Ask(Command(SeatAction.PLACE, wager.id, amount))]
            if wager is not main:
                chips.append(Ask(Command(SeatAction.PLACE, main.id, main.limits.minimum)))
            told = (*chips, *_DEAL, *rest, *_asks(SeatAction.DOUBLE_AND_DEAL), *rest, *_SHOWN)
            yield Story(told, ways.pays.deck, opening=enough, one_deck=True)
        wide = [edge + offset for edge in EDGES for offset in (-1, 0, wager.limits.minimum)]
        wide += [2 * EDGES[-1] + wager.limits.minimum]
        asked = [Ask(Command(SeatAction.PLACE, wager.id, one)) for one in wide if one <= setting.largest]
        yield Story((*asked, Look()), ways.pays.deck, opening=setting.largest - 10 * enough)


def _refused(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields commands that are refused and sent again, with their key and without, until they are allowed."""
    deal, settle, place = (
        Command(SeatAction.DEAL),
        Command(SeatAction.SETTLE),
        default_stakes(setting.edition.game)[0],
    )
    bet = Command(SeatAction.PLACE, *place)
    late = (*_decided(*ways.pays.decisions), Ask(settle, "b"), Ask(settle, "b"), *_SHOWN)
    yield Story(
        (Ask(deal, "a"), Ask(deal, "a"), Ask(settle, "b"), *_bets(setting), Ask(deal, "a"), Look(), *late),
        ways.pays.deck,
    )
    # The key of what was refused is free for another command too.
    yield Story((Ask(deal, "a"), Ask(bet, "a"), Ask(bet, "a"), Look(), *_DEAL, *late), ways.pays.deck)
    yield Story(
        (*_asks(SeatAction.DEAL, SeatAction.DEAL), *_bets(setting), *_DEAL, *_DEAL, *late), ways.pays.deck
    )
    expire = Command(SeatAction.EXPIRE)
    told = (Ask(expire, "a"), Jump(term_of(setting.edition, setting.start)), Ask(expire, "a"), *_SHOWN)
    yield Story((*_bets(setting), *_DEAL, *told), ways.waits.deck)


def _emptied(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields layouts that are emptied in every way, on which nothing is left to take back or to deal."""
    bets = _bets(setting)
    undone, cleared = _asks(SeatAction.UNDO), _asks(SeatAction.CLEAR)
    for before in ((), _round(setting, ways.pays)):
        for emptying in (undone * len(bets), cleared):
            told = (*before, *bets, *emptying, Look(), *undone, Look(), *cleared, Look(), *_DEAL, *_SHOWN)
            yield Story((*told, *bets, *_DEAL, *_SHOWN), ways.pays.deck)
        if before:
            told = (
                *before,
                *_asks(SeatAction.REBET),
                *cleared,
                *undone,
                *_asks(SeatAction.REBET),
                *_DEAL,
                *_SHOWN,
            )
            yield Story(told, ways.pays.deck)


def _clock_back(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields clocks that go back, at the deal and after it, followed to the term."""
    term, back = term_of(setting.edition, setting.start), timedelta(days=10)
    followed = (*_EXPIRE, Look(), Jump(SECOND), *_EXPIRE, *_SHOWN)
    bets, deck = _bets(setting), ways.waits.deck
    yield Story((*bets, *_DEAL, Jump(-back), Look(), Jump(back + term - SECOND), *followed), deck)
    # Accepted while the clock is behind: at the time of the command before.
    yield Story((*bets, Jump(-back), *_DEAL, Jump(term - SECOND), *_EXPIRE, Jump(back), *followed), deck)
    yield Story((*bets, *_DEAL, Jump(term - SECOND), Jump(-back), *_EXPIRE, Jump(back), *followed), deck)
    yield Story((*bets, *_DEAL, Jump(term), *_EXPIRE, Jump(-term), *_EXPIRE, *bets, *_DEAL, *_SHOWN), deck)


def _late(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields decisions taken late: the term runs from the deal, whatever was decided since."""
    if ways.goes_on is None:
        return
    term = term_of(setting.edition, setting.start)
    for late in (timedelta(days=1), term - SECOND):
        waited = (Jump(late), *_decided(*ways.goes_on.decisions), Jump(term - late - SECOND))
        ends = (*_EXPIRE, Look(), Jump(SECOND), *_decided(calmest(setting.edition.play)), *_EXPIRE, *_SHOWN)
        yield Story((*_bets(setting), *_DEAL, *waited, *ends), ways.goes_on.deck)


def _in_a_row(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields rounds one after another: what one leaves behind must not touch the next."""
    enough = 10 * IN_A_ROW * setting.opening
    paid = _round(setting, ways.pays)
    yield Story((*(paid * IN_A_ROW), *_SHOWN), ways.pays.deck, opening=enough, one_deck=True)
    calm = (*_bets(setting), *_DEAL, *_decided(*filter(None, [calmest(setting.edition.play)])))
    yield Story((*((*calm, *_asks(SeatAction.SETTLE)) * IN_A_ROW), *_SHOWN), 0, opening=enough)
    ended = (*paid, Jump(_BREAKS[0]), *_bets(setting), *_DEAL, *_asks(SeatAction.MALFUNCTION), *paid)
    yield Story((*ended, *_asks(SeatAction.MALFUNCTION), *paid, *_SHOWN), ways.pays.deck, one_deck=True)
    away = tuple(step for stay in _BREAKS for step in (*paid, Jump(stay)))
    yield Story((*away, *paid, *_SHOWN), ways.pays.deck, opening=enough, one_deck=True)


def _restarts(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields a restart behind every step, and what was done before it sent again."""
    if Extra.RESTART not in setting.offers:
        return
    unavailable = _asks(SeatAction.SUSPEND, SeatAction.DEAL, SeatAction.RESTORE, SeatAction.DEAL)
    away = (*_bets(setting), *_DEAL, *_asks(SeatAction.DISCONNECT, SeatAction.SETTLE, SeatAction.RESUME))
    paid = _round(setting, ways.pays)
    told: tuple[tuple[Step, ...], ...] = (
        paid,
        (
            *paid,
            *_asks(
                SeatAction.REBET,
                SeatAction.UNDO,
                SeatAction.REBET,
                SeatAction.CLEAR,
                SeatAction.REBET_AND_DEAL,
            ),
        ),
        (*_bets(setting), *unavailable),
        (*_bets(setting), *_DEAL, *_asks(SeatAction.SUSPEND), *_decided(*ways.pays.decisions)),
        (
            *away,
            *_decided(*ways.pays.decisions),
            *_asks(SeatAction.SETTLE, SeatAction.MALFUNCTION, SeatAction.SETTLE),
        ),
        (*_bets(setting), *_DEAL, Jump(term_of(setting.edition, setting.start)), *_EXPIRE, *paid),
    )
    for steps in told:
        broken = tuple(part for step in steps for part in (step, Restart(), Again(1)))
        yield Story((*broken, *_SHOWN), ways.pays.deck)


def _others(setting: Setting, ways: MatterWays) -> Iterator[Story]:
    """Yields two players at once: neither is shown, asked or paid what is the other's."""
    mine = (*_bets(setting), *_DEAL, *_decided(*ways.pays.decisions), *_asks(SeatAction.SETTLE))
    theirs = tuple(Meanwhile(step) for step in mine)
    looks = (*_SHOWN, *(Meanwhile(step) for step in _SHOWN))
    woven = tuple(step for pair in zip(mine, theirs, strict=True) for step in pair)
    yield Story((*woven, *looks), ways.pays.deck)
    yield Story((*theirs, *theirs, *looks, *mine, *looks), ways.pays.deck, one_deck=True)
    suspended = (Meanwhile(one) for one in _asks(SeatAction.DISCONNECT, SeatAction.MALFUNCTION))
    yield Story(
        (*mine[:-1], *theirs[: len(_bets(setting)) + 1], *suspended, *mine[-1:], *looks), ways.pays.deck
    )


MATTERS: Final = (
    Concern("start dates, each followed to its term", _starts),
    Concern("opening balances on both sides of 31, 32, 53 and 63 bits", _balances),
    Concern("stakes at the edges, and doubled beyond", _stakes),
    Concern("refused commands sent again, with their key and without", _refused),
    Concern("an emptied layout and its undo", _emptied),
    Concern("a clock that goes back, followed to the term", _clock_back),
    Concern("decisions taken late", _late),
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

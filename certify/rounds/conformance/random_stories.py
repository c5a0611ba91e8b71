"""Stories drawn at random, which reach deep into rounds and around their term."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from certify.errors import MissingPartError
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Recall,
    Step,
    Story,
    draws,
    places,
    steps_of,
    term_of,
)
from certify.rounds.play import Edition, calmest
from certify.rounds.table import OF_ONE, Command, SeatAction, command_for

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Phrase = tuple[Step, ...]
"""Steps that belong together."""


def stories(edition: Edition, decks: int, start: datetime) -> SearchStrategy[Story]:
    """Returns a Hypothesis strategy of stories that reach deep into rounds and around their term.

    Args:
        edition: Rules and terms under which the stories are told.
        decks: Number of decks to deal from.
        start: When every story begins.

    Raises:
        MissingPartError: Hypothesis is not installed.
    """
    try:
        from hypothesis import strategies as st
    except ImportError as error:
        raise MissingPartError("conformance needs the package hypothesis: pip install hypothesis") from error
    anything = _anything(edition)
    again = st.integers(1, 5).map(lambda back: (Again(back),))
    noise = st.one_of(st.sampled_from(anything), again, st.sampled_from(_chips(edition)))
    within = st.one_of(
        st.sampled_from(_plays(edition)),
        st.sampled_from(_breaks(edition)),
        st.sampled_from(_jumps(edition, start)),
        noise,
    )
    scene = st.tuples(
        st.lists(noise, max_size=2),
        st.sampled_from(_deals(edition)).map(lambda deal: [deal]),
        st.lists(within, max_size=3),
        st.sampled_from(_ends(edition, start)).map(lambda end: [end]),
        st.lists(noise, max_size=2),
    )
    end: tuple[Step, ...] = (Look(), Recall())
    steps = st.lists(scene, min_size=1, max_size=3).map(lambda scenes: (*_flattened(scenes), *end))
    return st.builds(Story, steps, st.integers(0, decks - 1))


def _flattened(scenes: Sequence[Sequence[Sequence[tuple[Step, ...]]]]) -> tuple[Step, ...]:
    """Returns the steps of scenes, each a sequence of parts, each a sequence of phrases."""
    return tuple(step for scene in scenes for part in scene for phrase in part for step in phrase)


def _each(text: str, commands: Sequence[Command], **known: Phrase) -> Iterator[Phrase]:
    """Yields a text for each of some commands, which is said in it by ``it``."""
    for command in commands:
        yield steps_of(text, {**known, "it": (Ask(command),)})


def _anything(edition: Edition) -> tuple[Phrase, ...]:
    """Returns every single thing that can be asked."""
    actions = (action for action in OF_ONE if action not in (SeatAction.PLACE, SeatAction.DECIDE))
    return (*map(steps_of, actions), *_each("it", tuple(map(command_for, edition.play.decisions))))


def _closers(edition: Edition) -> tuple[Command, ...]:
    """Returns what commits to least, and every decision that gives up or adds a stake; settlement where none is."""
    play, calm = edition.play, calmest(edition.play)
    closing = (one for one in play.decisions if one == calm or play.gives_up(one) or play.options[one].adds)
    return tuple(map(command_for, closing)) or (Command(SeatAction.SETTLE),)


def _deals(edition: Edition) -> tuple[Phrase, ...]:
    """Returns phrases that begin a round: with all bets, with the main bet alone, with those of before."""
    bets = places(edition)
    known = {"bets": bets, "main": bets[:1]}
    texts = ("bets deal", "main deal", "rebet deal", "rebet-and-deal", "double-and-deal")
    return tuple(steps_of(text, known) for text in texts)


def _chips(edition: Edition) -> tuple[Phrase, ...]:
    """Returns single bets on, within and outside the limits."""
    return tuple(
        (Ask(Command(SeatAction.PLACE, wager.id, amount)),)
        for wager in edition.game.wagers
        for amount in (
            wager.limits.minimum,
            wager.limits.minimum + 1,
            wager.limits.maximum + 1,
            max(1, wager.limits.minimum - 1),
            0,
            -wager.limits.minimum,
        )
    )


def _ends(edition: Edition, start: datetime) -> tuple[Phrase, ...]:
    """Returns phrases that end a round, some of them twice or too late."""
    closers, term = _closers(edition), (Jump(term_of(edition, start)),)
    return (
        *_each("it settle", closers),
        *_each("it settle settle", closers),
        *_each("it settle malfunction", closers),
        steps_of("malfunction"),
        steps_of("malfunction malfunction"),
        *_each("it malfunction settle", closers),
        steps_of("term expire", {"term": term}),
        steps_of("term expire settle", {"term": term}),
        *_each("it term settle expire", closers, term=term),
        (),
    )


def _plays(edition: Edition) -> tuple[Phrase, ...]:
    """Returns phrases that play a hand on."""
    further, closers = draws(edition), _closers(edition)
    close, again = (Ask(closers[0]),), tuple(map(Ask, further[:1]))
    return (
        *_each("it settle", closers),
        *(
            steps_of(
                "it" + " again" * more + " close settle", {"it": (Ask(draw),), "again": again, "close": close}
            )
            for draw in further
            for more in range(3)
        ),
        *_each("it", (*further, *closers)),
    )


def _breaks(edition: Edition) -> tuple[Phrase, ...]:
    """Returns phrases that break a round off and go on with it."""
    return (
        steps_of("disconnect resume"),
        steps_of("restart"),
        *_each("disconnect resume it it", draws(edition)),
        *_each("disconnect resume it", _closers(edition)),
        steps_of("disconnect"),
        steps_of("resume"),
        steps_of("suspend deal restore"),
    )


def _jumps(edition: Edition, start: datetime) -> tuple[Phrase, ...]:
    """Returns clock jumps, those on both sides of the term first."""
    term = term_of(edition, start)
    second = timedelta(seconds=1)
    around: Sequence[timedelta] = (term - second, term, term + second, term - timedelta(hours=12))
    others = (second, timedelta(hours=1), timedelta(days=1), -timedelta(days=1), -term)
    ends = (Command(SeatAction.EXPIRE), *_closers(edition), Command(SeatAction.SETTLE))
    return (
        *((Jump(by), Ask(asked)) for by in around for asked in ends),
        *((Jump(by),) for by in (*around, *others)),
    )

"""The conformance kit: everything that a family must keep, tried on its games."""

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from certify.errors import NothingCheckedError
from certify.families import (
    Family,
    play,
    position,
)
from certify.kit.agreement import agreement
from certify.kit.check import (
    BROKE,
    Checked,
    Found,
    KitLaw,
    KitReport,
    Missing,
    Planted,
    Trials,
    brought,
    compared,
    tried_on,
)
from certify.kit.code import code
from certify.kit.faults import alive_elsewhere, planted
from certify.kit.laws import laws, reach
from certify.kit.subject import ROWS, Subject, ended, states_of
from certify.model import Game, Verdict


def records(subject: Subject) -> Iterator[Checked]:
    """Yields whether records come back."""
    return tried_on(subject.game.id, subject, _records, _states)


@KitLaw(
    "records",
    "A round that was written down as JSON is replayed to the same hands, decisions, results and sentences",
    "Rounds cannot be recalled: a dispute cannot be settled from the record.",
)
@compared("records")
def _records(subject: Subject) -> Trials:
    for name, row, played in subject.every_round():
        draws, decisions = json.loads(json.dumps([row, played.decisions]))
        again = play(subject.game.port.reference(subject.game), draws, decisions)
        # Sentences are no part of what two rounds are compared by: they are reported of the steps when requested.
        same = (again, again.trace) == (played, played.trace)
        yield "" if same else f"{name}: {ended(played)} was replayed as {ended(again)}"


@KitLaw(
    "states",
    "States are equal, have equal hashes and survive being written down, and a round can be stopped at every decision",
    "Rounds cannot be resumed after a failure, nor played by worker processes.",
)
@compared("states")
def _states(subject: Subject) -> Trials:
    for name, row, played in subject.every_round():
        states = states_of(subject.reference, row, played.decisions)
        again = states_of(subject.game.port.reference(subject.game), row, played.decisions)
        for one, other in zip(states, again, strict=True):
            # What we have just written ourselves is read back, nothing from outside.
            restored = pickle.loads(pickle.dumps(one))  # noqa: S301
            same = one == other == restored and hash(one) == hash(other) == hash(restored)
            yield "" if same else f"{one} is not equal to itself when it is made again or read back"
        for count in range(len(played.decisions)):
            if position(subject.reference, row, played.decisions[:count]).choice is None:
                yield f"{name}: after {count} decisions nothing is open, and one more was recorded"


_ONE_ACCOUNT: Final = (
    "Everything rests on one implementation of the rules. The certificate has a condition: somebody else must "
    "confirm the settlement of every row."
)

_NOTHING_LOST: Final[dict[str, str]] = {
    "plan": "best play, worst play and each option taken wherever it is offered are the named strategies",
    "identify": "lost pays are searched for; lost readings of the rules are not",
    "recipes": "a round for each row is found by enumerating the reference implementation",
    "findings": "the findings are those of every game",
    "sections": "the evidence has the parts of every game, and no further ones",
    "printed": "printed tables of counts and outcomes are not judged",
    "messages": "outcomes and options are called by their ids, spelled out",
}


def missing(family: Family) -> Iterator[Missing]:
    """Yields every part of the port that a family does not bring."""
    one_text = family.text is not None and family.volume is None
    counts, plays = family.exact is not None, one_text or family.volume is not None
    rows = (
        (
            one_text and family.second is None and not counts,
            Missing(
                "second",
                "figures and play-through both follow from the one text of the game",
                f"{_ONE_ACCOUNT} Add a second implementation (`second`).",
                condition=True,
            ),
        ),
        (
            not counts and not plays,
            Missing(
                "exact, volume",
                "the engine enumerates the reference implementation, which is also played",
                f"{_ONE_ACCOUNT} Add a play-through of its own (`volume`).",
                condition=True,
            ),
        ),
        (
            not counts and plays and not one_text,
            Missing(
                "exact",
                "the engine enumerates the reference implementation",
                "Exact figures and reference implementation share the settlement; a minor finding states that. Only "
                "the play-through is independent.",
            ),
        ),
        (
            counts and not plays,
            Missing(
                "volume",
                "the reference implementation is played, some thousand rounds per second",
                "Play-through and reference implementation share the settlement; a minor finding states that. "
                "Campaigns are shorter.",
            ),
        ),
        (
            family.checks.counting is None,
            Missing(
                "counting",
                "there is no further exact way",
                "Returns are found in one exact way, and by play-through.",
            ),
        ),
        (
            counts and family.checks.smaller is None,
            Missing(
                "smaller",
                "own counting is compared with the engine on the real game, where that can be walked",
                "Of a game too large to be walked, own counting is compared on random draws alone.",
            ),
        ),
    )
    yield from (part for lacking, part in rows if lacking)
    bring = brought(family)
    yield from (Missing(part, then) for part, then in _NOTHING_LOST.items() if part not in bring)


Announce = Callable[[str], None]
"""Says what is begun."""


def check_family(
    family: Family,
    games: Sequence[Game],
    seed: bytes,
    *,
    unread: Sequence[Checked] = (),
    rounds: int = ROWS,
    announce: Announce = lambda text: None,
) -> KitReport:
    """Returns what the kit found of a family.

    Args:
        family: The family.
        games: Submissions of it.
        seed: Master seed of the random draws, at least 32 bytes.
        unread: Submissions at which the code of the family broke off while they were read.
        rounds: Random draws of each game.
        announce: Says what is begun.

    Raises:
        NothingCheckedError: No game was given.
    """
    if not games and not unread:
        raise NothingCheckedError(
            f"no submission of the family {family.id!r} was found: expected a game.toml next to its code, or "
            "--game FILE"
        )
    checked: list[Checked] = list(unread)
    faults: list[Planted] = []
    for place, game in enumerate(games):
        subject = Subject(game, seed, rounds)
        checked += _of_game(subject, announce)
        announce(f"{game.id}: planting faults in pays, rules and settlement")
        faults += _planted(subject, checked)
        if place == 0:
            announce(f"{game.id}: reading the code, and the same in another process")
            checked += code(family, subject)
    return KitReport(
        family.id,
        family.version,
        family.package,
        tuple(game.id for game in games),
        brought(family),
        tuple(missing(family)),
        tuple(_told_once(checked)),
        tuple(alive_elsewhere(faults)),
    )


def _told_once(checked: Sequence[Checked]) -> Iterator[Checked]:
    """Yields what was found, each fault once: a law at which the code broke off as before could not be tried."""
    first: dict[str, Checked] = {}
    for one in checked:
        known = first.setdefault(one.detail, one)
        # What was compared and differs was tried, though two laws may find the same numbers.
        if known is one or not one.detail.startswith(BROKE):
            yield one
        else:
            yield replace(
                one,
                verdict=Verdict.INCONCLUSIVE,
                detail=f"could not be tested, because of what broke this law [{known.game}]: {known.title}",
            )


PLANTED: Final = KitLaw(
    "planted-faults",
    "Every fault that is planted in pays, rules and settlement can be tried",
    "Faults that nothing was tried on may go unnoticed.",
)


def _planted(subject: Subject, checked: list[Checked]) -> tuple[Planted, ...]:
    """Returns the planted faults of a game; code that breaks off while they are tried is what was found of it."""
    found: list[Planted] = []

    def tried() -> Found:
        found.extend(planted(subject))
        # Nothing planted is nothing noticed: an empty plan is no pass.
        return Verdict.SATISFIED if found else Verdict.INCONCLUSIVE, f"{len(found)} alterations tried"

    outcome = PLANTED.tried(subject.game.id, tried)
    if outcome.verdict is not Verdict.SATISFIED:
        checked.append(outcome)
    return tuple(found)


def _of_game(subject: Subject, announce: Announce) -> Iterator[Checked]:
    for words, part in (
        ("legs against each other", agreement),
        ("rows and rounds that show them", reach),
        ("metamorphic laws", laws),
        ("records", records),
    ):
        announce(f"{subject.game.id}: {words}")
        yield from part(subject)

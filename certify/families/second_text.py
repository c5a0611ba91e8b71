"""The second implementation compared with the one that plays: on deals for every state and on dealt rounds."""

import hashlib
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.deals import Deal
from certify.analysis.engine.stage_points import SHIFT, TARGET
from certify.analysis.engine.strategies import SIDE_DOORS, is_changeable, named_by, names_in, reached
from certify.families.driver import PlayedRound, play
from certify.families.port import ReferenceRound
from certify.model import Game, Strategy
from certify.model.stages import Choose, NextDraw, Pays, Price, RoundText, SecondText, Settled, Won, pays_of

MOST_DIFFERENCES: Final = 20
"""Differences that are reported; of more the number is."""

MOST_KNOWN: Final = 1 << 17
"""Settlements of wagers that are kept of rounds that may come again, such as spins of a wheel, at most."""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A round that the two texts settle differently.

    Args:
        draws: Names of the faces in the order drawn.
        decisions: Ids of the options in the order decided.
        wager: The wager.
        first: Its outcome by the implementation that plays.
        second: Its outcome by the text written apart, or what it says of the round.
    """

    draws: tuple[str, ...]
    decisions: tuple[str, ...]
    wager: str
    first: str
    second: str

    def __str__(self) -> str:
        """Returns the difference as a sentence."""
        decided = f", decided {', '.join(self.decisions)}" if self.decisions else ""
        return f"{self.wager} on {', '.join(self.draws)}{decided}: {self.first}; second implementation: {self.second}"


@dataclass(frozen=True, slots=True)
class TextAgreement:
    """How far two implementations of a game settle in the same way.

    Args:
        deals: Rounds compared that come to every state of the least automaton and every class of faces there.
        dealt: Rounds compared that were really dealt.
        differing: Rounds that are settled differently.
        differences: The first of these.
    """

    deals: int
    dealt: int
    differing: int
    differences: tuple[TextDifference, ...]


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round as the implementation that plays settles it.

    Args:
        draws: Names of the faces in the order drawn.
        decisions: Ids of the options in the order decided.
        settled: Outcome and net result of each wager.
    """

    draws: tuple[str, ...]
    decisions: tuple[str, ...]
    settled: Mapping[str, Settled]


def settled(text: RoundText, rounds: Iterable[Deal]) -> Iterator[SettledRound]:
    """Yields rounds with what each outcome nets by a text in stages."""
    names, nets = [piece.faces for piece in text.equipment], Nets(text.price)
    for one in rounds:
        drawn = tuple(names[place][face] for place, face in one.draws)
        yield SettledRound(
            drawn, one.decisions, {wager: nets[wager, end] for wager, end in one.outcomes.items()}
        )


def played_rounds(
    reference: ReferenceRound[Any], strategy: Strategy, rows: Iterable[Sequence[int]]
) -> Iterator[SettledRound]:
    """Returns rounds really dealt, as a reference round that is not written in stages plays them."""
    return (settled_round(play(reference, row, strategy)) for row in rows)


def settled_round(one: PlayedRound) -> SettledRound:
    """Returns a round that a reference round played."""
    ends = {result.wager: (result.outcome, result.net) for result in one.results}
    return SettledRound(one.draws, one.decisions, ends)


def compared(
    game: Game, second: SecondText, rounds: Iterable[SettledRound], *, dealt: bool = False
) -> TextAgreement:
    """Returns how far a second implementation settles rounds as the first does.

    Args:
        game: The submission.
        second: The settlement written apart.
        rounds: Rounds as the first implementation settles them.
        dealt: Whether they were really dealt.
    """
    pays = pays_of(game.wagers)
    count, differing = 0, 0
    told: list[TextDifference] = []
    known: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Mapping[str, Settled], str]] = {}
    for count, one in enumerate(rounds, 1):  # noqa: B007 - the number of rounds is wanted after the loop
        found = known.get((one.draws, one.decisions))
        if found is None:
            found = settled_apart(game, second, pays, one)
            if (len(known) + 1) * len(pays) <= MOST_KNOWN:
                known[one.draws, one.decisions] = found
        apart, complaint = found
        if apart != one.settled:
            differing += 1
            if len(told) < MOST_DIFFERENCES:
                told += _differences(one, apart, complaint)
    return TextAgreement(
        0 if dealt else count, count if dealt else 0, differing, tuple(told[:MOST_DIFFERENCES])
    )


def settled_apart(
    game: Game, second: SecondText, pays: Pays, one: SettledRound | PlayedRound
) -> tuple[Mapping[str, Settled], str]:
    """Returns a round as the second implementation settles it, or why it does not."""
    try:
        return second(game.rules, pays, one.draws, one.decisions), ""
    except Exception as error:  # noqa: BLE001 - whatever the second implementation raises is reported
        return {}, f"refused: {error!r}"


class Nets(dict[Won, Settled]):
    """Outcomes with their net results by the implementation that plays, each priced once."""

    def __init__(self, price: Callable[[str, str], Price]) -> None:
        super().__init__()
        self.price = price

    def __missing__(self, won: Won) -> Settled:
        """Prices an outcome."""
        self[won] = found = (won[1], self.price(*won).net)
        return found


def _differences(one: SettledRound, apart: Mapping[str, Settled], complaint: str) -> Iterator[TextDifference]:
    for wager in dict.fromkeys((*one.settled, *apart)):
        if one.settled.get(wager) != apart.get(wager):
            said = complaint or _said(apart.get(wager))
            yield TextDifference(one.draws, one.decisions, wager, _said(one.settled.get(wager)), said)


def _said(settled: Settled | None) -> str:
    return "not settled" if settled is None else f"{settled[0]}, {settled[1]} net"


def dealt_rounds(automaton: Automaton, strategy: Strategy, rows: Iterable[Sequence[int]]) -> Iterator[Deal]:
    """Returns rounds really dealt, as the table of the implementation that plays settles them.

    Args:
        automaton: The least automaton of the text.
        strategy: Who decides.
        rows: Items of each round, the supply of each piece one after the other.
    """
    text = automaton.text
    starts = [sum(piece.supply for piece in text.equipment[:place]) for place in range(len(text.equipment))]
    shows = [piece.shows for piece in text.equipment]
    labels = automaton.walked.labels
    taken: dict[int, int] = {}
    pieces = [text.piece_of(one) if isinstance(one, NextDraw) else -1 for one in automaton.waiting]
    for row in rows:
        state, at = 0, starts.copy()
        draws: list[tuple[int, int]] = []
        decisions: list[str] = []
        won: list[Won] = list(labels[automaton.walked.begun].won)
        while True:
            waiting = automaton.waiting[state]
            if isinstance(waiting, NextDraw):
                place = pieces[state]
                face = shows[place][row[at[place]]]
                at[place] += 1
                draws.append((place, face))
                arrow = automaton.rows[state][face]
            elif isinstance(waiting, Choose):
                if state not in taken:
                    ids = [option.id for option in waiting.options]
                    taken[state] = ids.index(strategy.choose(waiting.sees, ids))
                decisions.append(waiting.options[taken[state]].id)
                arrow = automaton.rows[state][taken[state]]
            else:
                break
            won += labels[arrow >> SHIFT].won
            state = arrow & TARGET
        yield Deal(tuple(draws), tuple(decisions), dict(won))


# --- independence of the texts -----------------------------------------------------------------------------


def shared_code(one: Callable[..., object], other: Callable[..., object]) -> tuple[str, ...]:
    """Returns the functions, classes and changeable values that two texts both rest on, by module and name.

    What either names is followed through functions and classes of Python, wherever they are written; the standard
    library and the language's own functions are no text of a game. A list or dictionary that both name is shared
    under whatever names. A second implementation that looks at its callers, or reaches code by names made at run time,
    may rest on all of the first: it is named with the way by which it does.

    Args:
        one: A function of the first implementation, such as its first stage.
        other: The second implementation.
    """
    first, second = _rests_on(one), _rests_on(other)
    both = {first[what] for what in first.keys() & second.keys()}
    return tuple(sorted(both | set(_side_doors(other))))


def _side_doors(start: object) -> Iterator[str]:
    """Yields the functions of a text that may see what they are not handed, each with the names by which."""
    for name, code in reached(start).items():
        by = (
            sorted(SIDE_DOORS.intersection(names_in(code.__code__)))
            if isinstance(code, types.FunctionType)
            else ()
        )
        if by:
            yield f"{name}, by {', '.join(by)}"


def _rests_on(start: object) -> dict[object, str]:
    """Returns what a text rests on, functions and classes by their names, changeable values by what they are."""
    found: dict[object, str] = {}
    for name, code in reached(start).items():
        found[name] = name
        own = named_by(code) if isinstance(code, types.FunctionType) else ()
        found |= {id(value): named for named, value in own if is_changeable(value)}
    return found


def digest_of(text: Callable[..., object]) -> str:
    """Returns the SHA-256 of the source of the module in which a text is written, in hexadecimal.

    Returns:
        Empty where the source is not at hand.
    """
    source = source_of(text)
    return hashlib.sha256(source).hexdigest() if source else ""


def source_of(text: Callable[..., object]) -> bytes:
    """Returns the source of the module in which a text is written; nothing where it is not at hand."""
    file = inspect.getsourcefile(inspect.unwrap(text))
    return Path(file).read_bytes() if file and Path(file).is_file() else b""

"""Planted faults: the kit alters the author's tables and rules in one leg after the other, and each must be noticed.

What a leg says of the game as submitted agrees with what the others say; that is a law of its own. An alteration of
one leg is noticed where that leg then says something else.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import islice
from typing import Any, Final, cast

from certify.errors import InputError, T
from certify.families import (
    ExactPort,
    PlayedRound,
    ReferenceRound,
    Settled,
    TwinnedCounter,
    WagerResult,
    play,
    rows_of,
    told_net,
    varying_of,
)
from certify.families.stage_machine import StagedRound
from certify.kit.agreement import counts_of, differing
from certify.kit.check import EVERY_LEG, Planted
from certify.kit.rule_values import Taking, altered_rules, explored, offered, played_in_turn, raised_in_rules
from certify.kit.subject import Figures, Subject, counted, ended, figures_of, forgotten, walked_figures
from certify.mathematics import ReturnsAlone, exact_of, strategy_named
from certify.model import Game, SecondText, Strategy, pays_of, repaid
from certify.submission import PUSH

Tables = tuple[Strategy, ...]
"""The strategies that are played, as tables."""

Says = Callable[[Game, Tables], object]
"""What a leg says of a game played so, such that two answers can be compared."""

Playable = Callable[[Game], Tables | None]
"""The strategies by which an altered game is played; none where it cannot be."""

ROUNDS: Final = 120
"""Random rounds on which an altered leg is compared, in addition to a round for every row."""

REFUSALS: Final = (InputError, ValueError, KeyError, ArithmeticError, IndexError)
"""How code of a family refuses a game that was altered."""

MOST_PAIRS: Final = 24
"""Pairs of altered rules that are tried for a rule which changes nothing by itself."""

RULE: Final = "rule "
WHATEVER: Final = ", whatever its value"

KEPT: Final = 64
"""Games of which is kept what a leg says, and whether the strategies can play them."""

SMALL: Final = 3_000
"""States of a round that is walked anew for an alteration."""


def planted(subject: Subject) -> Iterator[Planted]:
    """Yields every alteration of pays, rules, settlement and equipment, and whether it was noticed."""
    # What a leg says of a game is requested again and again, where pairs of rules are tried.
    legs: dict[str, Says] = {
        leg: lru_cache(maxsize=KEPT)(says) for leg, says in _legs(subject, _looked_at(subject))
    }
    tables = tuple(subject.strategies.values())
    said = {leg: says(subject.game, tables) for leg, says in legs.items()}
    # A round for each row shows nearly every pay: what differs there differs in all rounds.
    shown = {
        leg: (says, says(subject.game, tables))
        for leg, says in _legs(subject, subject.rows[subject.rounds :] or subject.rows[:1])
        if leg not in ("exact", "engine")
    }
    taking: dict[str, Tables] = {}
    stated = "paytable" in subject.game.port.form.derives
    for words, game in raised_in_rules(subject.game) if stated else _pays(subject.game):
        for leg, says in legs.items():
            first, before = shown.get(leg, (says, said[leg]))
            noticed = _noticed(first, game, tables, before) or _noticed(says, game, tables, said[leg])
            if not noticed:
                # Only a play that nobody recommends may come to the row.
                taking = taking or _taking(subject, legs, subject.game, tables)
                noticed = _by_one(says, subject.game, game, taking[leg])
            yield Planted(subject.game.id, leg, words, noticed)
    yield from _rules(subject, legs, said)
    yield from _settlements(subject)
    yield from forgotten(subject)


def alive_elsewhere(planted: Sequence[Planted]) -> Iterator[Planted]:
    """Yields the faults of all games of a run; a rule that counts in one of them is idle, not dead, in the others."""
    alive = {_rule(one.alteration) for one in planted if one.noticed and one.alteration.startswith(RULE)}
    for one in planted:
        yield replace(one, idle=True, dead=False) if one.dead and _rule(one.alteration) in alive else one


def _rule(alteration: str) -> str:
    return alteration.removeprefix(RULE).split()[0].rstrip(",")


def _rules(subject: Subject, legs: Mapping[str, Says], said: Mapping[str, object]) -> Iterator[Planted]:
    """Yields the alterations of rules; a rule of which no value changes anything is itself a fault."""
    by_rule: dict[str, list[Planted]] = {}
    playable: Playable = lru_cache(maxsize=KEPT)(partial(_playable, subject))
    for name, words, game in altered_rules(subject.game):
        tables = playable(game)
        noticed = {
            leg: tables is None or _noticed(says, game, tables, said[leg], quickly=True)
            for leg, says in legs.items()
        }
        taking: dict[str, Tables] = {}
        if tables is not None and not all(noticed.values()):
            taking = _taking(subject, legs, game, tables)
            noticed = {
                leg: seen
                or (leg == "reference" and _explored_otherwise(subject, game))
                or _by_one(legs[leg], subject.game, game, taking[leg], quickly=True)
                or _noticed(legs[leg], game, tables, said[leg])
                or _by_one(legs[leg], subject.game, game, taking[leg])
                for leg, seen in noticed.items()
            }
        if any(noticed.values()):
            noticed = {leg: seen or _seen_in_many(subject, leg, game) for leg, seen in noticed.items()}
            by_rule.setdefault(name, []).extend(
                Planted(
                    subject.game.id,
                    leg,
                    words,
                    seen,
                    idle=not seen
                    and _same(subject, leg, game, (*(tables or ()), *_by_two(subject, leg, taking))),
                )
                for leg, seen in noticed.items()
            )
        else:
            by_rule.setdefault(name, []).append(
                Planted(subject.game.id, EVERY_LEG, words, noticed=False, idle=True)
            )
    for name, found in by_rule.items():
        if all(one.idle for one in found) and not _lives(subject, name, legs, playable):
            words = f"{RULE}{name}{WHATEVER}"
            yield Planted(subject.game.id, EVERY_LEG, words, noticed=False, dead=True)
        else:
            yield from found


def _unless_refused(says: Callable[[], T], otherwise: T) -> T:
    """Returns what code of a family says, or what is taken in its place where the code refuses."""
    try:
        return says()
    except REFUSALS:
        return otherwise


def _explored_otherwise(subject: Subject, game: Game) -> bool:
    """Returns whether something else is offered or seen, or rounds end otherwise, where each option is taken in turn.

    A rule may only allow what best play never does.
    """
    rows = subject.rows[:ROUNDS]
    # A round of the altered game that breaks off is another round.
    return _unless_refused(
        lambda: explored(subject.reference, rows) != explored(game.port.reference(game), rows), True
    )


def _seen_in_many(subject: Subject, leg: str, game: Game) -> bool:
    """Returns whether many rounds show that the reference round, or the second implementation, knows an altered rule.

    What a rule allows may come once in a thousand rounds, such as a third ace after two. A second implementation shows
    that it knows an option only where somebody takes it: by the rules as submitted it settles such a round otherwise.
    """
    if leg not in ("reference", "second"):
        return False
    altered, second = game.port.reference(game), subject.game.port.second
    for row in subject.searched:
        try:
            if leg == "reference":
                otherwise = explored(subject.reference, [row]) != explored(altered, [row])
            else:
                otherwise = second is not None and any(
                    _apart(second, subject.game, played) != _apart(second, game, played)
                    for played in played_in_turn(altered, row)
                )
            if otherwise:
                return True
        except REFUSALS:
            # A round that breaks off tells nothing of either text.
            continue
    return False


def _apart(second: SecondText, game: Game, played: PlayedRound) -> object:
    """Returns how the second implementation settles a round by the rules of a game; nothing where it refuses the round.

    A text that breaks off otherwise has not noticed anything: that is a finding of its own.
    """
    return _unless_refused(
        lambda: tuple(second(game.rules, pays_of(game.wagers), played.draws, played.decisions).items()), None
    )


def _taking(subject: Subject, legs: Mapping[str, Says], game: Game, tables: Tables) -> dict[str, Tables]:
    """Returns for each leg the strategies that it can play and that take one option wherever it is offered."""
    rows = subject.rows[:ROUNDS]
    options = _unless_refused(
        lambda: offered(subject.reference, rows) | offered(game.port.reference(game), rows), frozenset[str]()
    )
    one_option = [(Taking(option, tables[0]),) for option in sorted(options)]
    return {
        leg: tuple(one for (one,) in one_option if _plays(says, subject.game, (one,)))
        for leg, says in legs.items()
    }


def _by_two(subject: Subject, leg: str, taking: Mapping[str, Tables]) -> Tables:
    """Returns those strategies of a leg that what it is compared with plays too: the walk, or the play-through."""
    own = taking.get(leg, ())
    return (
        tuple(one for one in own if one in taking.get("volume", ()))
        if leg == "exact" and subject.whole is None
        else own
    )


def _plays(says: Says, game: Game, tables: Tables) -> bool:
    """Returns whether a leg plays strategies so: it may only know those in the family's own form."""
    try:
        says(game, tables)
    except Exception:  # noqa: BLE001 - what a leg says of a form that it does not know is its own affair
        return False
    return True


def _by_one(says: Says, sound: Game, altered: Game, tables: Tables, *, quickly: bool = False) -> bool:
    """Returns whether a leg says other things of two games where one of some strategies is played."""
    return any(_noticed(says, altered, (one,), says(sound, (one,)), quickly=quickly) for one in tables)


def _same(subject: Subject, leg: str, game: Game, tables: Tables) -> bool:
    """Returns whether a leg rightly says the same: the walk over every path finds no other figures either.

    Rounds may end otherwise and be as likely as before, such as where another of two equally rare totals is barred.
    """
    if not tables:
        return False
    if leg == "volume":
        # It has to say something else where the reference round ends otherwise on the same draws, so played.
        ends = partial(_endings, _looked_at(subject))
        return ends(subject.game, tables) == ends(game, tables)
    if leg not in ("exact", "engine"):
        return False
    if subject.whole is None:
        return _same_play(subject, game, tables)
    altered = counted(game)
    return altered is not None and all(
        walked_figures(subject.whole, table) == walked_figures(altered, table) for table in tables
    )


def _same_play(subject: Subject, game: Game, tables: Tables) -> bool:
    """Returns whether rounds of the altered game, too large to be walked, end as often as the figures say.

    An exact figure that is blind to the rule is so found out, where the rule counts for it at all.
    """
    if subject.volume is None:
        return False
    altered = Subject(game, subject.seed, subject.rounds)
    # A game that the play-through refuses is never certified: nobody reads these figures.
    return _unless_refused(
        lambda: (
            not any(
                any(
                    differing(
                        figures_of(exact_of(game).analyze_table(game, table)), *counts_of(altered, table)
                    )
                )
                for table in tables
            )
        ),
        True,
    )


def _lives(subject: Subject, rule: str, legs: Mapping[str, Says], playable: Playable) -> bool:
    """Returns whether a rule that changes nothing in the game as submitted does so where another rule is otherwise.

    A rule may be idle only because of the others, such as a forced draw on a total on which everybody draws.
    """
    pairs = (
        (game, both)
        for name, _, game in altered_rules(subject.game)
        if name != rule
        for also, _, both in altered_rules(game)
        if also == rule
    )
    played = ((game, both, playable(game)) for game, both in islice(pairs, MOST_PAIRS))
    return any(
        tables is not None
        and all(
            _noticed(says, both, tables, _unless_refused(partial(says, game, tables), None))
            for says in legs.values()
        )
        for game, both, tables in played
    )


def _playable(subject: Subject, game: Game) -> Tables | None:
    """Returns the strategies as they are where the altered game can be played so, else its own of the same names.

    None where the altered game cannot be played at all: nobody overlooks that.
    """
    tables = tuple(subject.strategies.values())
    try:
        reference = game.port.reference(game)
        for table in tables:
            for row in subject.rows[:ROUNDS]:
                play(reference, row, table)
        return tables
    except REFUSALS:
        return _unless_refused(lambda: tuple(strategy_named(game, name) for name in subject.strategies), None)


def _noticed(says: Says, game: Game, tables: Tables, before: object, *, quickly: bool = False) -> bool:
    """Returns whether a leg says something else; refusing the altered game is saying something else.

    Args:
        says: What the leg says of a game.
        game: The altered game.
        tables: The strategies.
        before: What it says of the game as submitted.
        quickly: Compare returns alone where distributions take longer: most rules move a return under some play, and
            distributions that are equal are counted only where none does.
    """
    try:
        now = says(game, tables)
        return (
            now.returns != before.returns
            if quickly and isinstance(now, _Figures) and isinstance(before, _Figures)
            else now != before
        )
    except REFUSALS:
        return True


def _looked_at(subject: Subject) -> list[tuple[int, ...]]:
    """Returns the rows on which an altered leg is looked at."""
    return list(dict.fromkeys((*subject.rows[:ROUNDS], *subject.rows[subject.rounds :], *subject.telling)))


def _endings(rows: list[tuple[int, ...]], game: Game, tables: Tables) -> object:
    """Returns how the reference round ends on some rows."""
    reference = game.port.reference(game)
    return tuple(ended(play(reference, row, table)) for table in tables for row in rows)


def _legs(subject: Subject, rows: list[tuple[int, ...]]) -> Iterator[tuple[str, Says]]:
    family = subject.game.port
    yield "reference", partial(_endings, rows)
    if family.exact is not None:
        exact = family.exact
        yield "exact", lambda game, tables: _Figures(exact, game, tables)
    elif subject.whole is not None and subject.whole.graph.size <= SMALL:
        yield (
            "engine",
            lambda game, tables: tuple(
                tuple(sorted(walked_figures(_walked(game), table).items())) for table in tables
            ),
        )
    if family.second is not None:
        # The rounds stay the same, whatever is altered of the rules and pays that settle them.
        rounds = cache(lambda table: [play(subject.reference, row, table) for row in rows])
        yield "second", partial(_settles, family.second, rounds)
    own = subject.volume
    if own is not None:
        volume, deals = own, subject.table(rows)

        def plays(game: Game, tables: Tables) -> object:
            settled, net = [], cache(partial(volume.net, game))
            for table in tables:
                counter = volume.counter(game, table)
                varying = varying_of(counter)
                ended = counter.outcomes(deals)
                twins = counter.twin(deals) if isinstance(counter, TwinnedCounter) else ended
                for compiled, twin in zip(ended, twins, strict=True):
                    # The net result of a class of rounds is reported with the outcome.
                    nets = [
                        net(wager, one)
                        for (wager, _), one in zip(counter.axes, compiled, strict=True)
                        if wager not in varying
                    ]
                    settled.append((compiled, twin, tuple(nets)))
            return tuple(settled)

        yield "volume", plays


class _Figures:
    """What a family's own counting says of a game; distributions are counted where the returns are the same.

    Args:
        exact: The counting.
        game: The game.
        tables: The strategies.
    """

    def __init__(self, exact: ExactPort, game: Game, tables: Tables) -> None:
        self._exact, self._game, self._tables = exact, game, tables
        wagers = [wager.id for wager in game.wagers]
        self._figures = cache(self._counted)
        self.returns: object = (
            [exact.return_alone(game, table, wager) for table in tables for wager in wagers]
            if isinstance(exact, ReturnsAlone)
            else [self._figures(place) for place in range(len(tables))]
        )

    def _counted(self, place: int) -> Figures:
        return figures_of(self._exact.analyze_table(self._game, self._tables[place]))

    def __eq__(self, other: object) -> bool:
        """Returns whether both say the same."""
        if not isinstance(other, _Figures):
            return NotImplemented
        return self.returns == other.returns and all(
            self._figures(place) == other._figures(place) for place in range(len(self._tables))
        )

    __hash__ = None  # type: ignore[assignment]


def _settles(
    second: SecondText, rounds: Callable[[Strategy], list[PlayedRound]], game: Game, tables: Tables
) -> object:
    """Returns how the second implementation settles the rounds of a game by the rules and pays of another."""
    pays = pays_of(game.wagers)
    return tuple(
        tuple(second(game.rules, pays, played.draws, played.decisions).items())
        for table in tables
        for played in rounds(table)
    )


def _walked(game: Game) -> Any:
    walked = counted(game, SMALL * 4)
    if walked is None:
        raise InputError("more states than the game as submitted")
    return walked


def _pays(game: Game) -> Iterator[tuple[str, Game]]:
    """Yields the game with the pay of one row otherwise."""
    for wager in game.wagers:
        for row in wager.paytable.rows:
            # A push that pays is refused when the submission is read.
            if row.id != PUSH:
                pays = row.pays + 1
                yield f"{wager.id} {row.id} pays {pays} to 1", repaid(game, {(wager.id, row.id): pays})


# --- settlement and equipment of the reference round ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Altered:
    """A reference round that settles one row otherwise.

    Args:
        sound: The round as the author wrote it.
        wager: The wager that is altered.
        row: The row of it.
        rows_of: The rows that an outcome of the wager is paid by.
    """

    sound: ReferenceRound[Any]
    wager: str
    row: str
    rows_of: Callable[[str], Sequence[str]] = field(compare=False)

    def __getattr__(self, name: str) -> Any:
        """Returns what the round does as the author wrote it: its settlement alone is another."""
        return getattr(self.sound, name)

    def node(self, state: Any) -> Any:
        """Returns what the round waits for; the altered row comes to one unit more."""
        node = self.sound.node(state)
        return (
            Settled(tuple(self._altered(result) for result in node.results))
            if isinstance(node, Settled)
            else node
        )

    def _altered(self, result: WagerResult) -> WagerResult:
        awarded = (award.row for award in result.awards)
        return (
            replace(result, net=result.net + Fraction(1))
            if result.wager == self.wager and self.row in (*self.rows_of(result.outcome), *awarded)
            else result
        )


def _settlements(subject: Subject) -> Iterator[Planted]:
    """Yields the reference round with each row settled otherwise, compared with the family's other legs."""
    family = subject.game.port
    if family.exact is None and family.volume is None and family.second is None:
        return
    nets, told = _nets(subject), _told(subject)
    for wager, row in subject.stated_rows:
        altered = Altered(subject.reference, wager, row, partial(rows_of, family.rules, subject.game, wager))
        words = f"{wager} {row} settles at one unit more"
        noticed = _differs(subject, altered, wager, nets.get(wager, {}), told.get(wager, ()))
        yield Planted(subject.game.id, "settlement", words, noticed)


def _differs(
    subject: Subject, altered: Altered, wager: str, nets: Mapping[str, Fraction], told: Sequence[str]
) -> bool:
    """Returns whether a round so settled is another than the family's own legs say."""
    for place, way in enumerate(subject.reached.values()):
        row = way.row(subject.reference.equipment)
        results = play(cast(ReferenceRound[Any], altered), row, way.decisions).results
        for result in (one for one in results if one.wager == wager):
            other = told and told_net(result.outcome, result.net) != told[place]
            if other or result.net != nets.get(result.outcome, result.net):
                return True
    return False


def _told(subject: Subject) -> Mapping[str, Sequence[str]]:
    """Returns what the play-through tells of each shown round, of wagers whose outcomes are classes of rounds."""
    if subject.volume is None:
        return {}
    counter = subject.volume.counter(subject.game, next(iter(subject.strategies.values())))
    varying = varying_of(counter)
    rows = [way.row(subject.reference.equipment) for way in subject.reached.values()] if varying else []
    if not rows:
        return {}
    played = zip(*counter.outcomes(subject.table(rows)), strict=True)
    return {wager: told for (wager, _), told in zip(counter.axes, played, strict=True) if wager in varying}


def _nets(subject: Subject) -> Mapping[str, Mapping[str, Fraction]]:
    """Returns what outcomes of wagers are by the second implementation, play-through or counting of the family."""
    volume, game = subject.game.port.volume, subject.game
    if subject.game.port.second is not None and isinstance(subject.reference, StagedRound):
        return _by_second_text(subject, subject.game.port.second)
    if volume is not None:
        counter = volume.counter(game, next(iter(subject.strategies.values())))
        return {
            wager: {outcome: volume.net(game, wager, outcome) for outcome in outcomes}
            for wager, outcomes in counter.axes
            if wager not in varying_of(counter)
        }
    counted = [figures_of(analysis) for analysis in subject.analyses.values()]
    return {
        wager.id: {outcome: net for found in counted for outcome, net, *_ in found.get(wager.id, ())}
        for wager in game.wagers
    }


def _by_second_text(subject: Subject, second: SecondText) -> Mapping[str, Mapping[str, Fraction]]:
    """Returns the net result of each outcome of a round shown for a row, by the second implementation."""
    pays, reference = pays_of(subject.game.wagers), subject.reference
    nets: dict[str, dict[str, Fraction]] = {wager.id: {} for wager in subject.game.wagers}
    for way in subject.reached.values():
        shown = play(reference, way.row(reference.equipment), way.decisions)
        for wager, (outcome, net) in second(subject.game.rules, pays, shown.draws, shown.decisions).items():
            nets[wager].setdefault(outcome, net)
    return nets

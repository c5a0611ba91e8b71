"""The rules of a game as a round needs them: its reference round, what it offers, and the terms in force."""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final, cast

from certify.by_key import summed
from certify.errors import InputError
from certify.families import (
    Choice,
    Hand,
    LongRound,
    NamingRound,
    Option,
    PacedByPlayer,
    ReferenceRound,
    Settled,
    WagerResult,
    driver,
    rows_of,
    witness,
    witnesses_of,
)
from certify.mathematics import further
from certify.model import Equipment, Game, Limits, Row, Witness
from certify.model.points import MOST_STATES, Reached, SearchGivenUpError, along, walk
from certify.rounds.events import Bets, Hands, RulesInForce
from certify.rounds.policy import Policy

SURVEYED: Final = 2_000
"""Points of a round that are looked at, shortest rounds first, to learn what the game offers."""

SURVEYED_STAKES: Final = 20_000
"""Points that are looked at where a decision can add a stake, to learn how much can be added in one round."""

KEPT_COURSES: Final = 1_000
"""Rounds kept to be gone on with: a round is not played from its first draw at each of its commands."""

FOLLOWED: Final = 100
"""Points of a row, the shortest, at which every option is followed: pairs of small cards have very many ends."""

Additions = tuple[tuple[str, Fraction], ...]
"""What decisions add, in units of the initial stake of each wager."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a game offers, as seen at the shortest rounds.

    Args:
        options: Every option that was offered, in the order first met.
        additions: Every sum of stakes that the decisions of one round added.
        shows_others: Whether a holder who decides nothing, such as a dealer, has a face open before anybody decides.
        seats: Who decides.
    """

    options: tuple[Option, ...]
    additions: frozenset[Additions]
    shows_others: bool
    seats: tuple[str, ...]


@lru_cache(maxsize=64)
def _surveyed(reference: Hashable) -> Survey:
    """Returns what a game offers."""
    rules = cast("ReferenceRound[Any]", reference)
    options: dict[str, Option] = {}
    sums: set[Additions] = set()
    open_holders: set[str] = set()
    seats: dict[str, None] = {}
    for reached in _points(rules, options):
        if isinstance(reached.node, Choice):
            seats[reached.node.seat] = None
            for option in reached.node.options:
                options.setdefault(option.id, option)
            if not reached.decisions:
                open_holders |= {holder for holder, faces in shown(rules.hands(reached.state)) if faces}
        sums.add(
            tuple(sorted(summed(one for taken in reached.decisions for one in options[taken].adds).items()))
        )
    # Where several decide, each has the own cards in sight; what is open of them is no face of the deal.
    shows = bool(open_holders - set(seats))
    return Survey(tuple(options.values()), frozenset(sums - {()}), shows, tuple(seats))


def _points(rules: ReferenceRound[Any], options: dict[str, Option]) -> Iterator[Reached]:
    """Yields the points that are looked at; more of them as long as options that were met so far add stakes.

    Where one round, followed to its ends, comes to a decision that these do not, it is looked at too. Of long rounds,
    those are looked at that the reference round says its life is tried on.
    """
    if isinstance(rules, LongRound):
        yield from _decisions_of(rules)
        return
    # Where more points are met than a search looks at, those met first are what is looked at.
    with suppress(SearchGivenUpError):
        for number, reached in enumerate(walk(rules, most=MOST_STATES)):
            if number >= (SURVEYED_STAKES if any(option.adds for option in options.values()) else SURVEYED):
                break
            yield reached
    # What a round asks for late may lie behind more points than that.
    followed = list(along(rules))
    if any(one not in options for late in followed if isinstance(late.node, Choice) for one in late.node.ids):
        yield from followed


def _decisions_of(rules: LongRound) -> Iterator[Reached]:
    """Yields the points of some long rounds at which something is decided, following each option of a point once."""
    reference = cast("ReferenceRound[Any]", rules)
    for row in filter(None, map(rules.showing, rules.lived)):
        first: tuple[str, ...] = ()
        ahead = [(driver.standing(reference, row, first), first)]
        met: set[tuple[str, ...]] = set()
        while ahead:
            found, taken = ahead.pop()
            yield Reached(found.state, found.node, (), taken)
            if isinstance(found.node, Choice) and (found.node.ids not in met or len(found.node.ids) == 1):
                met.add(found.node.ids)
                for one in found.node.ids:
                    ahead.append((driver.went_on(reference, row, found, one), (*taken, one)))


@dataclass(frozen=True, slots=True)
class RoundPosition:
    """The state of a round after some decisions, as the player sees it.

    Args:
        hands: Faces that lie open, by holder.
        options: Decisions that may be taken now; none when nothing is left to decide.
    """

    hands: Hands
    options: tuple[str, ...]


@dataclass(frozen=True)
class Play:
    """The rules of one game as pure functions of the row of draws and the decisions taken.

    Args:
        game: The submission.
        reference: Its reference round.
    """

    game: Game
    reference: ReferenceRound[Any]

    @cached_property
    def survey(self) -> Survey:
        """What the game offers; made once for rules that are equal."""
        return _surveyed(cast(Hashable, self.reference))

    @property
    def decisions(self) -> tuple[str, ...]:
        """Every decision that rounds of the game offer, in the order in which they are first met."""
        return tuple(option.id for option in self.survey.options)

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The same with what each of them does to the stakes."""
        return {option.id: option for option in self.survey.options}

    @property
    def adds_stakes(self) -> bool:
        """Whether some decision stakes something in addition."""
        return bool(self.survey.additions)

    @property
    def shows_others(self) -> bool:
        """Whether somebody who decides sees a face that another holder has."""
        return self.survey.shows_others

    def gives_up(self, decision: str) -> bool:
        """Returns whether a decision gives up the stake; what no round offers does not."""
        return decision in self.options and self.options[decision].gives_up

    def added(self, decision: str, stakes: Bets) -> Bets:
        """Returns what a decision stakes in addition, minor units by wager; only wagers that are bet on are added to.

        Raises:
            InputError: That is no whole number of coins.
        """
        option = self.options.get(decision)
        if option is None or not option.adds:
            return ()
        placed, units = dict(stakes), option.adds
        amounts = ((wager, part * placed[wager]) for wager, part in units if placed.get(wager))
        return tuple((wager, _whole(decision, wager, amount)) for wager, amount in amounts)

    def most_added(self, stakes: Bets) -> int:
        """Returns the most that the decisions of one round can stake in addition, minor units."""
        if not self.survey.additions:
            return 0
        placed = dict(stakes)
        sums = (
            sum((units * placed.get(wager, 0) for wager, units in each), Fraction(0))
            for each in self.survey.additions
        )
        return _whole("a round", "its wagers", max(sums, default=Fraction(0)))

    def witnesses(self, beside: Sequence[Sequence[int]] = ()) -> tuple[Row, ...]:
        """Returns rows of draws that reach ends of the first wager which a few shuffled ones may miss.

        Args:
            beside: Rows of draws that are at hand: what their rounds end in needs no other.

        A row of the paytable for which no round is found is left to the shuffled draws.
        """
        rules, main = self.game.port.rules, self.game.wagers[0].id
        if isinstance(self.reference, LongRound):
            sought = map(self.reference.showing, self.reference.lived)
            return tuple(dict.fromkeys(row for row in sought if row is not None))
        shown = {
            paid
            for row in beside
            for line, options in self.followed(row).items()
            if not options
            for paid in rows_of(rules, self.game, main, self.settle(row, line)[main].outcome)
        }
        missing = [(main, row) for row in rules.reachable_rows(self.game, main) if row not in shown]
        return tuple(dict.fromkeys(found.deck for found in found_for(self.game, missing)))

    def rows_of(self, wager: str, outcome: str) -> tuple[str, ...]:
        """Returns the rows of a paytable that an outcome is paid by; its outcomes may differ in what was staked."""
        return rows_of(self.game.port.rules, self.game, wager, outcome)

    def followed(self, row: Sequence[int]) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Returns points of a round by the decisions before them, with what is decided there, what gives up last.

        Behind the first hundred points of a row, the shortest, a further decision is followed only where it offers
        something new after what was added before it, and where it is the least committing way to an end.
        """
        draws = tuple(row)
        found = self._followed.get(draws)
        if found is None:
            found = self._walked(draws)
            self._followed.clear()
            self._followed[draws] = found
        return found

    @cached_property
    def _followed(self) -> dict[Row, Mapping[tuple[str, ...], tuple[str, ...]]]:
        """The points of the row that was walked last."""
        return {}

    def _walked(self, row: Row) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        found: dict[tuple[int, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        met = set[tuple[tuple[str, ...], tuple[str, ...]]]()
        ahead: deque[tuple[tuple[int, ...], tuple[str, ...]]] = deque([((), ())])
        while ahead:
            places, taken = ahead.popleft()
            options = tuple(sorted(self.position(row, taken).options, key=self.gives_up))
            adding = tuple(sorted(one for one in taken if one in self.options and self.options[one].adds))
            further = options and any(places[-1:]) and len(found) >= FOLLOWED
            if further and (options, adding) in met:
                continue
            met.add((options, adding))
            found[places] = taken, options
            ahead.extend(((*places, place), (*taken, one)) for place, one in enumerate(options))
        return dict(one for _, one in sorted(found.items()))

    def lines(
        self, row: Sequence[int], prefix: tuple[str, ...] = (), most: int | None = None
    ) -> Iterator[tuple[str, ...]]:
        """Yields every complete sequence of decisions on a row that begins with a prefix, the least committing first.

        What gives up, of which least is to be seen, comes last.

        Args:
            row: Everything that chance gives the round.
            prefix: What they begin with.
            most: Decisions between several options behind it; any number where left out.
        """
        while len(options := sorted(self.position(row, prefix).options, key=self.gives_up)) == 1:
            prefix = (*prefix, *options)  # A series of many games is no depth of calls.
        if not options:
            yield prefix
        for option in options if most != 0 else ():
            yield from self.lines(row, (*prefix, option), None if most is None else most - 1)

    def position(self, row: Sequence[int], decisions: Sequence[str]) -> RoundPosition:
        """Returns the state of the round after the decisions.

        Args:
            row: Everything that chance gives the round.
            decisions: Decisions in the order taken.

        Raises:
            InputError: The row is not one that the equipment gives or runs out, or a decision was not offered.
        """
        found = self.standing(row, decisions)
        options = found.node.ids if isinstance(found.node, Choice) else ()
        return RoundPosition(shown(self.reference.hands(found.state)), options)

    def settle(self, row: Sequence[int], decisions: Sequence[str]) -> Mapping[str, WagerResult]:
        """Returns the result of every wager of the game once nothing is left to decide, bet on or not.

        Raises:
            InputError: A decision is open, or the round cannot be played as recorded.
        """
        node = self.standing(row, decisions).node
        if not isinstance(node, Settled):
            raise InputError(f"the hand is not done after {len(decisions)} decisions: expected another one")
        return {result.wager: result for result in node.results}

    @cached_property
    def _courses(self) -> dict[tuple[Row, tuple[str, ...]], driver.Standing[Any]]:
        """Rounds that were played lately, by draws and decisions, the latest last."""
        return {}

    def standing(self, row: Sequence[int], decisions: Sequence[str]) -> driver.Standing[Any]:
        """Returns where a round is, gone on from the decision before it where that was played lately.

        Raises:
            InputError: The row is not one that the equipment gives or runs out, or a decision was not offered.
        """
        draws, taken = tuple(row), tuple(decisions)
        found = self._courses.get((draws, taken))
        if found is None:
            before = self._courses.pop((draws, taken[:-1]), None) if taken else None
            found = (
                driver.standing(self.reference, draws, taken)
                if before is None
                else driver.went_on(self.reference, draws, before, taken[-1])
            )
            if len(self._courses) >= KEPT_COURSES:
                # Another thread may have taken it meanwhile.
                self._courses.pop(next(iter(self._courses), (draws, taken)), None)
            self._courses[draws, taken] = found
        return found

    def names(self, faces: Sequence[int], holder: str = "") -> tuple[str, ...]:
        """Returns faces in the words of the submission; what is no face of the game, by its number."""
        if isinstance(self.reference, NamingRound):
            return tuple(self.reference.named(holder, face) for face in faces)
        return tuple(_name(self.reference.equipment, face) for face in faces)


def found_for(game: Game, wanted: Sequence[tuple[str, str]]) -> tuple[Witness, ...]:
    """Returns rounds that fall in rows of wagers, found by one search; where one of them fails, row by row.

    Args:
        game: The submission.
        wanted: Wagers, each with a row of it; one for which no round is found is left out.
    """
    with suppress(InputError, SearchGivenUpError):
        return tuple(witnesses_of(game, wanted).values())
    found = []
    for one in wanted:
        with suppress(InputError, SearchGivenUpError):
            found.append(witness(game, *one))
    return tuple(found)


def shown(hands: Sequence[Hand]) -> Hands:
    """Returns the faces that lie open, by holder.

    >>> shown((Hand("player", (3, 5)), Hand("dealer", (7, 9), hidden=(0,))))
    (('player', (3, 5)), ('dealer', (9,)))
    """
    return tuple([(hand.holder, _open_faces(hand)) for hand in hands])


def _open_faces(hand: Hand) -> Row:
    return (
        tuple([face for place, face in enumerate(hand.faces) if place not in hand.hidden])
        if hand.hidden
        else tuple(hand.faces)
    )


def _name(equipment: Sequence[Equipment], face: int) -> str:
    # A hand does not say which piece its faces are of; with one piece there is no doubt.
    known = len(equipment) == 1 and 0 <= face < len(equipment[0].faces)
    return equipment[0].faces[face] if known else str(face)


def _whole(what: str, wager: str, amount: Fraction) -> int:
    if amount.denominator != 1:
        raise InputError(f"{what} adds {amount} minor units to {wager}: expected a whole number of coins")
    return amount.numerator


def calmest(play: Play) -> str:
    """Returns the decision that commits to least and gives up nothing; empty where nothing is decided."""
    return next((decision for decision in play.decisions if not play.gives_up(decision)), "")


def funds_for(play: Play, stakes: Bets) -> int:
    """Returns what a round with these stakes can cost the player at most, what decisions add included, minor units."""
    return sum(amount for _, amount in stakes) + play.most_added(stakes)


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules, paytables and terms that are in force together (GLI-19 A.5.1(e)).

    Args:
        game: The submission.
        play: Its rules as code.
        policy: Its terms as parameters.
        software: Digest of the software that plays it.
    """

    game: Game
    play: Play
    policy: Policy
    software: str = ""
    rules: RulesInForce = field(init=False, repr=False, compare=False)
    limits: Mapping[str, Limits] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derives what every bet asks for: the rules in force as a round keeps them, and the limits by wager."""
        game = self.game
        object.__setattr__(self, "rules", RulesInForce(game.id, game.version, game.sha256, self.software))
        object.__setattr__(self, "limits", {wager.id: wager.limits for wager in game.wagers})

    @property
    def sha256(self) -> str:
        """Digest of the submission that the edition plays."""
        return self.game.sha256

    def term(self, accepted: datetime) -> timedelta:
        """Returns the time from an acceptance to the first instant at which the bet is void, whatever days count."""
        return self.policy.deadline(accepted) - accepted


def staked_apart(edition: Edition, configuration: str) -> Edition | None:
    """Returns an edition as a table stakes one of its wagering configurations; none where no table can be set to it."""
    game = edition.game
    listed = game.port.alternatives
    one = next((one for one in further(game) if one.id == configuration), None)
    found = None if one is None or listed.staked is None else listed.staked(game, one)
    return None if found is None else replace(edition, game=found[0], play=Play(*found))


def edition_of(game: Game, policy: Policy | None = None, software: str = "") -> Edition:
    """Returns a game with its rules as code and its terms as parameters, ready to be played.

    Raises:
        InputError: No code at hand knows how to play games of that family.
    """
    reference = game.port.reference(game)
    lived = reference.paced() if isinstance(reference, PacedByPlayer) else reference
    return Edition(game, Play(game, lived), policy or Policy.of(game.terms), software)

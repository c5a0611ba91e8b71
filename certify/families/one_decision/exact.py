"""Exact figures of games of one decision, and the strategies of three cards against three, played or given up."""

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.exposure import costliest
from certify.analysis.engine.strategies import ALWAYS, ConstantChoice, Offered, read_strategy
from certify.analysis.explanation import Explanation
from certify.analysis.hands.deals import arrays_of, deals_of, number
from certify.analysis.hands.holds import faces_labelled, of_wager
from certify.analysis.hands.strength import (
    HIGH,
    KINDS,
    RANKS,
    SHIFT,
    THREE_TITLES,
    falling,
    label,
    labelled,
    run_of,
)
from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.families.one_decision.distinguished import Apart
from certify.families.one_decision.full_hand_showdown import meetings
from certify.families.one_decision.hand_vs_dealer import Situations, situations, ways, worth
from certify.families.one_decision.play import ended
from certify.families.one_decision.text import BY_LABEL, DecisionTerms, OneDecision
from certify.model import (
    FILE,
    MAIN_OPTIMAL,
    Analysis,
    Decision,
    Exposure,
    Game,
    Joint,
    Price,
    Recipe,
    Row,
    Strategy,
    WagerFigures,
)

Chances = Mapping[tuple[str, ...], Fraction]


def counted(terms: DecisionTerms) -> Situations:
    """Returns every situation of a game, counted."""
    if terms.told is not None:
        return meetings(terms.deck, cast(Apart, terms.told)).situations
    return situations(terms.deck, terms.least)


def seen(terms: DecisionTerms, situation: int) -> str:
    """Returns what the player sees in a situation."""
    found = counted(terms)
    own = terms.deck.of(found.hands[found.hand[situation]].tolist())
    return label(own, terms.deck.of([int(found.up[situation])]) if terms.kind.opened else ())


@lru_cache(maxsize=2)
def cell_of(terms: DecisionTerms) -> NDArray[np.int32]:
    """Returns the cell of every situation in a chart, int32[situations]."""
    found, kind = counted(terms), terms.kind
    lines = kind.lines(terms.deck, deals_of(terms.deck, kind.cards))[found.classes].astype(np.int32)
    if not kind.opened:
        return np.asarray(lines[found.hand])
    ranks, _ = arrays_of(terms.deck)
    return np.asarray((lines * np.int32(13))[found.hand] + ranks.astype(np.int32)[found.up])


@lru_cache(maxsize=4)
def played(terms: DecisionTerms, strategy: Strategy) -> NDArray[np.uint8]:
    """Returns for every situation whether a strategy plays it, uint8[situations]."""
    kind = terms.kind
    options = terms.options
    chosen = kind.chart(terms.deck, deals_of(terms.deck, kind.cards), strategy, options)[cell_of(terms)]
    for place in np.flatnonzero(chosen == BY_LABEL).tolist():
        chosen[place] = strategy.choose(seen(terms, place), options) == options[1]
    return chosen


@lru_cache(maxsize=4)
def values(terms: DecisionTerms) -> NDArray[np.int64]:
    """Returns what playing each situation comes to against all hands of the dealer, int64[situations], in :func:`unit`.

    Raises:
        InputError: Pays are too large or too fine.
    """
    return worth(counted(terms), terms.nets, terms.main)


def unit(terms: DecisionTerms) -> int:
    """Returns what one stake against every hand of the dealer is in the unit of :func:`values`."""
    return terms.parts * counted(terms).dealt


def best_played(terms: DecisionTerms) -> NDArray[np.uint8]:
    """Returns for every situation whether it is best played: it loses less than the stake, uint8[situations]."""
    return (values(terms) > -unit(terms)).view(np.uint8)


@lru_cache(maxsize=16)
def _ways(terms: DecisionTerms, strategy: Strategy, shape: tuple[int, int, int]) -> NDArray[np.int64]:
    return ways(counted(terms), played(terms, strategy), shape)


def chances(text: OneDecision, found: NDArray[np.int64], total: int) -> Chances:
    """Returns the probability of every joint outcome of the wagers, of the number of deals in each cell."""
    joint = summed((text.outcomes(*cell), int(found[tuple(cell)])) for cell in np.argwhere(found).tolist())
    return {ended: Fraction(way, total) for ended, way in joint.items()}


def value_of(text: OneDecision, faces: tuple[int, ...]) -> Fraction:
    """Returns what playing a hand is worth, in units of the stake; the open card, if any, is named last."""
    terms = text.terms
    found, deals = counted(terms), deals_of(text.deck, text.cards)
    own, opened = faces[: text.cards], faces[text.cards :]
    place = int(np.flatnonzero(found.classes == deals.place[number(own)])[0])
    sees = label(text.deck.of(own), text.deck.of(opened))
    first, last = np.searchsorted(found.hand, (place, place + 1)).tolist()
    situation = next(one for one in range(first, last) if seen(terms, one) == sees)
    return Fraction(int(values(terms)[situation]), unit(terms))


@lru_cache(maxsize=2)
def examples(terms: DecisionTerms) -> tuple[tuple[tuple[int, int, int], tuple[int, int]], ...]:
    """Returns every way in which a hand that is played ends, with a situation and the column of it that show it."""
    found, shown_by = counted(terms), []
    for column in range(found.met.shape[1]):
        may = np.flatnonzero(found.met[:, column])
        kinds = found.kinds[may].astype(np.int64) * KINDS + found.together[may]
        for place in may[np.unique(kinds, return_index=True)[1]].tolist():
            shown_by.append((found.cell(place, column), (place, column)))
    return tuple(shown_by)


def deal_of(text: OneDecision, situation: int, column: int) -> Row:
    """Returns a deck that begins with a situation and a hand of the dealer with which the round ends so."""
    found = counted(text.terms)
    rows = _rows_from(text, situation)
    kind, end, together = found.cell(situation, column)
    cells = ended(text, rows, np.ones(len(rows), dtype=np.uint8))
    _, ends, togethers = text.shape
    place = int(np.flatnonzero(cells == (kind * ends + end) * togethers + together)[0])
    faces = tuple(rows[place].tolist())
    return (*faces, *(face for face in range(text.deck.size) if face not in faces))


Shown = tuple[Row, tuple[str, ...]]
"""A whole deck with the decisions of its round."""


def _shown(text: OneDecision, example: tuple[int, int]) -> Shown:
    return deal_of(text, *example), text.options[1:]


def _rows_from(text: OneDecision, situation: int) -> NDArray[np.uint8]:
    """Returns every row of cards that begins with a situation, whatever order what follows comes in."""
    found = counted(text.terms)
    own = tuple(sorted(found.hands[found.hand[situation]].tolist()))
    begun = (*own, int(found.up[situation])) if text.opened else own
    left = [face for face in range(text.deck.size) if face not in begun]
    others = np.array(list(combinations(left, 2 * text.cards - len(begun))), dtype=np.uint8)
    return np.hstack([np.tile(np.array(begun, dtype=np.uint8), (len(others), 1)), others])


@dataclass(frozen=True)
class OneDecisionExact:
    """Exact figures of a family of games of one decision.

    Args:
        text: Returns the rules of a game.
        named: Returns a strategy by its name.
        decisions: Returns the decisions of a game under a strategy, in as few lines as tell them apart.
        asked: The question of ``explain``, in words.
    """

    text: Callable[[Game], OneDecision]
    named: Callable[[Game, str], Strategy]
    decisions: Callable[[Game, Strategy], tuple[Decision, ...]]
    asked: str

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers; stakes change nothing, as one wager alone is decided on.

        Raises:
            InputError: No such strategy.
        """
        return self.analyze_table(game, self.named(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        found = self.chances(self.text(game), strategy)
        wagers = tuple(self._wager(game, one.id, found) for one in game.wagers)
        return Analysis(game.id, strategy, wagers, self.decisions(game, strategy))

    def chances(self, text: OneDecision, strategy: Strategy) -> Chances:
        """Returns the probability of every joint outcome of the wagers under a strategy."""
        return chances(text, _ways(text.terms, strategy, text.shape), counted(text.terms).total)

    def examples(self, text: OneDecision) -> Iterator[tuple[tuple[str, ...], Callable[[], Shown]]]:
        """Yields joint outcomes of rounds that are played rather than given up, each with what shows it."""
        for cell, example in examples(text.terms):
            yield text.outcomes(*cell), partial(_shown, text, example)

    def _wager(self, game: Game, wager: str, found: Chances) -> WagerFigures:
        text = self.text(game)
        return of_wager(game, wager, found, text.rows(game.wager(wager)), grows=wager == text.main)

    def return_alone(self, game: Game, strategy: str | Strategy, wager: str) -> Fraction:
        """Returns the exact return of one wager under a strategy, or under one by its name."""
        table = self.named(game, strategy) if isinstance(strategy, str) else strategy
        return self._wager(game, wager, self.chances(self.text(game), table)).return_to_player

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""
        table = self.named(game, strategy)
        wagers = tuple(wager.id for wager in game.wagers)
        return Joint(table.name, table.strategy_class, wagers, self.chances(self.text(game), table))

    def exposure(self, game: Game) -> Exposure:
        """Returns the highest total net win of one round, with a deal that shows it; every end is compared."""
        text = self.text(game)
        shown: dict[tuple[str, ...], Callable[[], Shown]] = {}
        for outcomes, example in self.examples(text):
            shown.setdefault(outcomes, example)
        wagers = [wager.id for wager in game.wagers]
        prices = {
            ended: {
                wager: Price(text.net(wager, one), text.staked(wager, one))
                for wager, one in zip(wagers, ended, strict=True)
            }
            for ended in shown
        }
        return costliest(game, prices, lambda ended: shown[ended]())

    def shows(self, game: Game, wager: str, falls: Callable[[str], bool]) -> Recipe | None:
        """Returns a round in which the outcome of a wager falls as required, played rather than given up."""
        text, place = self.text(game), [one.id for one in game.wagers].index(wager)
        found, folds = examples(text.terms), counted(text.terms).folds
        for option in reversed(text.options or ("",)):
            for (kind, end, together), example in found:
                outcomes = text.outcomes(kind, end if option == text.play else folds[end], together)
                if falls(outcomes[place]):
                    faces = deal_of(text, *example)[: text.cards + text.later]
                    names = tuple(text.equipment[0].faces[face] for face in faces)
                    return Recipe(names, text.options and (option,))
        return None

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what playing and folding a hand are worth; an open card is named last, or what is seen is.

        Raises:
            InputError: The text does not name so many different cards of the deck.
        """
        rules = self.text(game)
        if not rules.options:
            raise InputError(f'"{text}": nothing is decided in {game.id}')
        faces = faces_labelled(rules.deck, game.equipment[0], text, rules.cards + rules.opened, self.asked)
        value = value_of(rules, faces)
        return Explanation(
            text,
            None,
            None,
            (),
            None,
            (),
            None,
            rules.play if value > -1 else rules.fold,
            ((rules.fold, Fraction(-1)), (rules.play, value)),
        )


PLAY_FROM: Final = "play-from-"
PRINTED_RULE: Final = f"{PLAY_FROM}Q-6-4"
"""The rule that is printed everywhere: queen, six and four or better is played."""


@dataclass(frozen=True)
class PlayedHands:
    """A complete strategy: every hand that is played, whatever its suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        played: Labels of the hands that are played.
    """

    name: str
    strategy_class: str
    played: frozenset[str] = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is played."""
        return options[-1] if sees in self.played else options[0]

    def table(self) -> object:
        """Returns the digest of all hands that are played: they are too many to be written out."""
        text = "\n".join(sorted(self.played))
        return {"played": len(self.played), "sha256": hashlib.sha256(text.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class PlayFrom:
    """Every hand from a lowest one is played.

    Args:
        least: Ranks of the lowest hand that is played, as places in RANKS, the highest first.
    """

    least: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""
        return PLAY_FROM + "-".join(RANKS[rank] for rank in self.least)

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "lowest hand"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is at least the lowest one."""
        (cards,) = labelled(str(sees))
        ranks = tuple(rank for rank, _ in cards)
        made = len(set(ranks)) < len(ranks) or len({suit for _, suit in cards}) == 1 or run_of(ranks, 3) >= 0
        return options[-1] if made or ranks >= self.least else options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["play from", *(RANKS[rank] for rank in self.least)]


def play_from(name: str) -> PlayFrom:
    """Returns the strategy of a name such as ``play-from-Q-6-4``.

    Raises:
        InputError: The name states no ranks that fall.

    >>> play_from("play-from-Q-6-4").least
    (10, 4, 2)
    """
    return PlayFrom(falling(name.removeprefix(PLAY_FROM), 3, name, PRINTED_RULE))


# --- best play and named strategies -------------------------------------------------------------------------


def names_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of the strategies of a game, as a reader sees them.

    >>> names_of(("fold", "play"))[1:4]
    ('play-from-RANKS', 'always:play', 'always:fold')
    """
    fold, play = options
    return MAIN_OPTIMAL, f"{PLAY_FROM}RANKS", f"{ALWAYS}{play}", f"{ALWAYS}{fold}", f"{FILE}PATH.toml"


def strategy_of(text: OneDecision, name: str) -> Strategy:
    """Returns a named strategy of a game.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(text.terms)
    if name.startswith(PLAY_FROM):
        return play_from(name)
    if name.removeprefix(ALWAYS) in text.options and name.startswith(ALWAYS):
        return ConstantChoice(name.removeprefix(ALWAYS))
    if name.startswith(FILE):
        offered: Offered = dict.fromkeys((hand.label for hand in hands(text.terms)), text.options)
        return read_strategy(Path(name.removeprefix(FILE)), offered)
    raise InputError(f"no strategy {name!r}: expected {', '.join(names_of(text.options))}")


@lru_cache(maxsize=16)
def best(terms: DecisionTerms) -> PlayedHands:
    """Returns the best strategy for the main wager: every hand is played that loses less than one unit."""
    played = frozenset(seen(terms, place) for place in best_played(terms).nonzero()[0].tolist())
    return PlayedHands(MAIN_OPTIMAL, "hand-dependent", played)


# --- decisions ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hand:
    """A class of hands, how many there are, its kind, and what playing one is worth in antes."""

    label: str
    weight: int
    kind: int
    play: Fraction

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(rank for rank, _ in labelled(self.label)[0])


@lru_cache(maxsize=16)
def hands(terms: DecisionTerms) -> tuple[_Hand, ...]:
    """Returns every class of hands with what playing it is worth."""
    found, whole = counted(terms), unit(terms)
    kinds = found.strengths[found.hand] >> SHIFT
    told = zip(found.weights.tolist(), kinds.tolist(), values(terms).tolist(), strict=True)
    return tuple(
        _Hand(seen(terms, place), weight, kind, Fraction(value, whole))
        for place, (weight, kind, value) in enumerate(told)
    )


def decisions(terms: DecisionTerms, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions in as few lines as tell hands apart that are decided otherwise, the highest first."""
    ordered = sorted(hands(terms), key=lambda hand: (-hand.kind, [-rank for rank in hand.ranks]))
    return tuple(_lines(terms, ordered, 0, strategy, sum(hand.weight for hand in ordered)))


def _lines(
    terms: DecisionTerms, alike: list[_Hand], depth: int, strategy: Strategy, total: int
) -> Iterator[Decision]:
    """Yields one line for hands that are decided in the same way, else those of each next rank."""
    groups = gathered((_title(hand, depth), hand) for hand in alike)
    for title, members in groups.items():
        best_so, (fold, play) = best(terms).played, terms.options
        decided = {(one.label in best_so, strategy.choose(one.label, (fold, play))) for one in members}
        if len(decided) > 1 and depth < 4:
            yield from _lines(terms, members, depth + 1, strategy, total)
            continue
        weight = sum(one.weight for one in members)
        worth = sum((one.weight * one.play for one in members), Fraction(0)) / weight
        yield Decision(
            hand=title,
            composition=(),
            dealer=None,
            best=play if worth > -1 else fold,
            values={fold: Fraction(-1), play: worth},
            chosen=strategy.choose(members[0].label, (fold, play)),
            probability=Fraction(weight, total),
        )


def _title(hand: _Hand, depth: int) -> str:
    """Returns what a hand is called, more closely with every step."""
    name = THREE_TITLES[hand.kind]
    if depth in (0, 4):
        return hand.label if depth else name
    ranks = "-".join(RANKS[rank] for rank in hand.ranks[:depth])
    if hand.kind == HIGH:
        return ranks if depth > 1 else f"{ranks} {name}"
    return f"{name} {ranks}"

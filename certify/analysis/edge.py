"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import attrgetter, itemgetter
from typing import Final

from certify.evidence.analysis import Edge
from certify.evidence.judged import EvaluatedReading, ReadingCombinations
from certify.exact import outward_texts
from certify.messages import say, worded
from certify.model.bounded import Figure, ends_of
from certify.model.claims import BY_PAYS, prints_as
from certify.model.figures import Bracket, WagerFigures
from certify.model.finding import Verdict
from certify.model.game import Claim, Game, Wager

AS_ADOPTED: Final = "as adopted"


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """One way to read one passage.

    Args:
        subject: Rule or row that the passage is about.
        words: The reading in words.
        game: The game so read, all else as adopted.
        what_if: Whether no passage says so: shown for comparison, and no reading of the text.
    """

    subject: str
    words: str
    game: Game
    what_if: bool = False


Passage = tuple[ReadingOption, ...]
"""The readings of one passage, the adopted one first."""

Best = Callable[[Game], WagerFigures]
"""Returns the figures of the first wager of a game under best play."""

Also = Callable[[Game, Game, Game], Game]
"""Returns a game with all that one more reading changes: (the game so far, as adopted, as read)."""


def other_readings(game: Game, passages: tuple[Passage, ...], what_ifs: Passage = ()) -> Passage:
    """Returns the readings that are not adopted, one passage read otherwise at a time; what-ifs last."""
    others = (option for options in passages for option in options if option.game != game)
    return (*others, *what_ifs)


def evaluated_readings(
    game: Game, passages: tuple[Passage, ...], best: Best, what_ifs: Passage = ()
) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, the strategy found anew for each.

    What no passage says stands last, marked as such.
    """
    others = other_readings(game, passages, what_ifs)
    return (
        _evaluated(AS_ADOPTED, best(game), True),
        *(_evaluated(option.words, best(option.game), False, what_if=option.what_if) for option in others),
    )


def combined_readings(
    game: Game, passages: tuple[Passage, ...], also: Also, without: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Game]]:
    """Yields every combination of readings: its words, none for the adopted one, and the game so read.

    Args:
        game: The submission.
        passages: The passages of its rules.
        also: Adds one more reading to a game.
        without: Subjects that are left as adopted.
    """
    read = [options for options in passages if options[0].subject not in without]
    for options in product(*read):
        changed = game
        for option in options:
            changed = also(changed, game, option.game)
        yield "; ".join(option.words for option in options if option.game != game), changed


def evaluated_combinations(
    game: Game, passages: tuple[Passage, ...], also: Also, best: Best
) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of every combination of readings, the adopted one first.

    Passages may work on each other, so no sum of single changes stands for a combination: each is a game of its own.
    """
    return tuple(
        _evaluated(words or AS_ADOPTED, best(changed), not words)
        for words, changed in combined_readings(game, passages, also)
    )


def _evaluated(
    words: str, figures: WagerFigures, adopted: bool, *, what_if: bool = False
) -> EvaluatedReading:
    on_all = figures.return_on_total_wagered
    return EvaluatedReading(words, adopted, what_if, figures.return_to_player, on_all)


def combinations_evidence(found: tuple[EvaluatedReading, ...]) -> ReadingCombinations:
    """Returns every combination of readings, with the lowest and the highest and one plain sentence."""
    lowest, highest = min(found, key=attrgetter("return_")), max(found, key=attrgetter("return_"))
    above = sum(entry.return_ > 1 for entry in found)
    many = {0: "none", 1: "one", len(found): "all"}.get(above, "some")
    counted = {"above": above} if many == "some" else {}
    sentence = say(
        f"readings.combinations-{many}",
        count=len(found),
        lowest=lowest.return_,
        lowest_reading=lowest.reading,
        highest=highest.return_,
        highest_reading=highest.reading,
        **counted,
    )
    return ReadingCombinations(
        count=len(found),
        above_100_percent=above,
        lowest=lowest,
        highest=highest,
        **worded(sentence=sentence),
        all_=found,
    )


def claim_status(claim: Claim, wager: Wager, exact: Figure) -> Verdict:
    """Returns the status of a printed return, which is the same wherever it is told.

    A figure is never confirmed by what was derived from it; that it is contradicted still counts.

    Args:
        claim: The printed return.
        wager: The wager that it speaks about.
        exact: The exact return that it is held against.
    """
    if not prints_as(claim, exact):
        low, high = ends_of(exact)
        apart = high < claim.printed.interval[0] or low >= claim.printed.interval[1]
        return Verdict.NOT_SATISFIED if apart or low == high else Verdict.INCONCLUSIVE
    fitted = wager.pays_are_recovered and claim.metric in BY_PAYS
    return Verdict.FITTED if fitted else Verdict.SATISFIED


def edge_evidence(
    figures: WagerFigures, strategy: str, banked_by: str = "house", stake: str = "stake"
) -> Edge:
    """Returns who has the edge, per unit of the initial stake and of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.

    Args:
        figures: Exact figures of the wager.
        strategy: Name of the strategy that they are counted under.
        banked_by: Who banks, ``house`` or ``player``.
        stake: What the initial stake is called.
    """
    if figures.bracket is not None:
        return _proven_edge(figures.bracket, banked_by, stake)
    net = figures.expectation
    side, bank, holder = _sides(net, banked_by)
    size = abs(net)
    # An approximation is told as one where it is tabulated, and never in a plain sentence.
    total = None if figures.near else figures.total_wagered
    part = None if total is None else size / total
    if part is None:
        sentence = say(f"edge.{holder}", size=size, stake=stake, strategy=strategy)
    else:
        sentence = say(f"edge.{holder}-of-total", size=size, part=part, stake=stake, strategy=strategy)
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_total_wagered=part,
        **worded(sentence=sentence),
    )


def edge_among(returns: Sequence[tuple[str, Fraction]], banked_by: str) -> Edge:
    """Returns who has the edge where several configurations may be staked: no sentence is of one of them alone.

    Args:
        returns: The highest return of each configuration, by its name.
        banked_by: Who banks, ``house`` or ``player``.
    """
    named, highest = max(returns, key=itemgetter(1))
    side, bank, holder = _sides(highest - 1, banked_by)
    size, above = abs(highest - 1), sum(returned > 1 for _, returned in returns)
    counted = {"above": above, "count": len(returns)} if holder == "player" else {}
    sentence = say(f"edge.{holder}-among", size=size, configuration=named, **counted)
    return Edge(side=side, bank=bank, per_stake=size, **worded(sentence=sentence))


def _sides(net: Fraction, banked_by: str) -> tuple[str, str, str]:
    """Returns who has the edge, what the other side is called, and which sentence says it."""
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    return side, bank, side if side in ("player", "nobody") else "bank"


def _proven_edge(proven: Bracket, banked_by: str, stake: str) -> Edge:
    """Returns who has the edge where a second party decides too: its size is the least that is proven."""
    bank = "house" if banked_by == "house" else "bank"
    side = bank if proven.upper < 1 else "player" if proven.lower > 1 else "nobody"
    sizes = sorted((1 - proven.lower, 1 - proven.upper), key=abs)
    size = Fraction(0) if side == "nobody" else abs(sizes[0])
    if side == "nobody":
        low, high = outward_texts(100 * proven.lower, 100 * proven.upper, 4)
    else:
        low, high = outward_texts(100 * size, 100 * abs(sizes[1]), 4)
    holder = side if side in ("player", "nobody") else "bank"
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        **worded(sentence=say(f"edge.{holder}-proven", low=low, high=high, stake=stake)),
    )

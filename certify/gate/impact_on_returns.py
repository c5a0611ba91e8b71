"""What a change does to returns: how far they move and by which rows, who has the edge, what they must not pass."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.by_key import summed
from certify.errors import KeyPath
from certify.exact import decimal_text, format_odds, fraction_text, percent_text, units
from certify.families import Configuration, ConfigurationKind
from certify.gate.change import Impact, differing, paired
from certify.gate.fact_changes import percent, points, proven_percent
from certify.gate.figure_changes import FigureChanges, WagerChange, edge, on_total, top_award
from certify.gate.policy import CertifiedReturn, GatePolicy
from certify.model import Bracket, Game, WagerFigures, figure_text, percent_of
from certify.rounds import AtStake, extreme_returns

MOST_TOLD: Final = 12
"""Rows that are listed one by one, those that moved most; the rest together."""


def contributions_moved(
    wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath
) -> Iterator[Impact]:
    """Yields the parts and rows of a wager that contribute otherwise, where one round wins many times."""
    if not before.awards or not after.awards:
        return
    pairs = paired(_rows(before), _rows(after))
    ends = {row: (old or Fraction(0), new or Fraction(0)) for row, (old, new) in pairs.items()}
    order = sorted(differing(ends), key=lambda row: (-abs(ends[row][1] - ends[row][0]), row))
    rest = order[MOST_TOLD:]
    groups = {row: [row] for row in order[:MOST_TOLD]}
    groups |= {f"{len(rest)} further rows together": rest} if rest else {}
    for name, rows in groups.items():
        was, now = (sum((ends[row][end] for row in rows), Fraction(0)) for end in (0, 1))
        yield Impact(
            "contribution-changed",
            f"{wager}/{name}",
            f"{name} contributes {_moved(was, now)}",
            fraction_text(was),
            fraction_text(now),
            key,
            wager,
        )


def _rows(figures: WagerFigures) -> dict[str, Fraction]:
    return summed(
        (f"{one.part}/{one.row}" if one.part else one.row, one.contribution) for one in figures.awards
    )


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """One figure of a wager that a change may move.

    Args:
        kind: Id of the kind of change.
        read: The figure; none where a wager has no such figure.
        text: It as text, for whoever reads the change before and after.
        words: One sentence of a wager, with the figure before and after.
        where: Whether the figure is looked at.
    """

    kind: str
    read: Callable[[WagerFigures], object]
    text: Callable[[WagerFigures], str]
    words: Callable[[WagerChange, WagerFigures, WagerFigures], str]
    where: Callable[[WagerChange], bool] = lambda _: True


RETURNS: Final = (
    MeasuredFigure(
        "return-changed",
        lambda figures: figures.return_to_player,
        lambda figures: fraction_text(figures.return_to_player),
        lambda delta, old, new: (
            f"return of {delta.wager}: {_moved(old.return_to_player, new.return_to_player)} under {delta.strategy}"
        ),
    ),
    MeasuredFigure(
        "return-on-total-changed",
        lambda figures: on_total(figures),
        lambda figures: fraction_text(on_total(figures)),
        lambda delta, old, new: (
            f"return of {delta.wager} on everything wagered: {_moved(on_total(old), on_total(new))} "
            f"under {delta.strategy}"
        ),
        where=lambda delta: delta.adds_to_stake,
    ),
    MeasuredFigure(
        "edge-changed-side",
        lambda figures: edge(figures),
        lambda figures: edge(figures),
        lambda delta, old, new: f"the edge on {delta.wager} went from {_edge(old)} to {_edge(new)}",
    ),
)

MEASURES: Final = (
    MeasuredFigure(
        "hit-frequency-changed",
        lambda figures: figures.hit_frequency,
        lambda figures: figure_text(figures.hit_frequency, figures.off),
        lambda delta, old, new: f"hit frequency of {delta.wager}: {_hits_moved(old, new)}",
    ),
    MeasuredFigure(
        "volatility-changed",
        lambda figures: figures.variance,
        lambda figures: _deviation(figures),
        lambda delta, old, new: f"standard deviation of {delta.wager}: {_deviation(old)} → {_deviation(new)}",
    ),
    MeasuredFigure(
        "top-award-changed",
        lambda figures: (top_award(figures).id, top_award(figures).pays),
        lambda figures: f"{top_award(figures).id} {format_odds(top_award(figures).pays)}",
        lambda delta, old, new: (
            f"top award of {delta.wager}: "
            + " → ".join(f"{one.id} at {format_odds(one.pays)}" for one in map(top_award, (old, new)))
        ),
    ),
    MeasuredFigure(
        "top-award-odds-changed",
        lambda figures: top_award(figures).probability,
        lambda figures: fraction_text(top_award(figures).probability),
        lambda delta, old, new: (
            f"odds of the top award of {delta.wager}: "
            f"{odds_text(top_award(old).probability)} → {odds_text(top_award(new).probability)}"
        ),
    ),
    MeasuredFigure(
        "highest-win-changed",
        lambda figures: None if figures.odds is None else _highest(figures),
        lambda figures: _highest(figures),
        lambda delta, old, new: f"highest win of {delta.wager}: {_highest(old)} → {_highest(new)}",
    ),
)
"""Further figures of a wager, in the order in which they are reported."""


def measured(
    delta: WagerChange, measures: Sequence[MeasuredFigure], key: KeyPath, policy: GatePolicy
) -> Iterator[Impact]:
    """Yields which of some figures of a wager moved, where both states have the wager."""
    if delta.before is None or delta.after is None:
        return
    allowed = all(policy.allows(delta.wager, move) for move in delta.moves)
    for one in measures:
        old, new = one.read(delta.before), one.read(delta.after)
        if None not in (old, new) and old != new and one.where(delta):
            yield Impact(
                one.kind,
                delta.wager,
                one.words(delta, delta.before, delta.after),
                one.text(delta.before),
                one.text(delta.after),
                key,
                delta.wager,
                within=allowed,
            )


def _moved(old: Fraction, new: Fraction) -> str:
    return f"{percent(old)} → {percent(new)}, {points(new - old)} ({fraction_text(new - old)})"


def _hits_moved(before: WagerFigures, after: WagerFigures) -> str:
    old, new = before.hit_frequency, after.hit_frequency
    was, now = (percent_of(one.hit_frequency, off=one.off) + " %" for one in (before, after))
    moved = f", {points(new - old)}" if isinstance(old, Fraction) and isinstance(new, Fraction) else ""
    return f"{was} → {now}{moved}"


def _deviation(figures: WagerFigures) -> str:
    return (
        " to ".join(decimal_text(end, 6) for end in figures.deviation_between)
        if figures.off
        else f"{figures.standard_deviation:.6f}"
    )


def _highest(figures: WagerFigures) -> str:
    """Returns the highest win of a round, where a round wins many times."""
    odds = figures.odds
    return (
        "without an end"
        if odds is None or odds.highest is None
        else f"{decimal_text(odds.highest + 1, 2)} stakes, {odds_text(odds.highest_chance)}"
    )


def odds_text(probability: Fraction) -> str:
    """Returns a probability as one in so many rounds."""
    return f"1 in {decimal_text(1 / probability, 2)}" if probability else "never"


def returns_moved(delta: WagerChange, key: KeyPath, policy: GatePolicy) -> Iterator[Impact]:
    """Yields what moved of the return of a wager that both states have, by either measure."""
    yield from measured(delta, RETURNS, key, policy)
    yield from _proven_moved(delta, key)
    for name, one in {} if delta.delta else delta.by_strategy.items():
        if one.before is not None and one.after is not None and one.difference:
            was, now = percent(one.before), percent(one.after)
            yield Impact(
                "return-moved-with-play",
                f"{delta.wager}/{name}",
                f"return of {delta.wager} under {name}: {was} → {now}, {points(one.difference)}",
                fraction_text(one.before),
                fraction_text(one.after),
                key,
                delta.wager,
            )


def _proven_moved(delta: WagerChange, key: KeyPath) -> Iterator[Impact]:
    """Yields proven values of two parties that moved, with both ends, and exact effects at strategies that stay."""
    both = [(name, old, new) for name, (old, new) in delta.figures.items() if old and new]
    proven = [(name, old.bracket, new.bracket) for name, old, new in both if old.bracket and new.bracket]
    for name, before, after in (one for one in proven if one[1] != one[2]):
        low, high = points(after.lower - before.upper), points(after.upper - before.lower)
        yield Impact(
            "bracket-moved",
            f"{delta.wager}/{name}",
            f"proven value of {delta.wager}: {proven_percent(before)} → {proven_percent(after)}, "
            f"between {low} and {high}",
            _ends(before),
            _ends(after),
            key,
            delta.wager,
        )
    for name, old, new in both if proven else ():
        was, now = old.return_to_player, new.return_to_player
        if was != now and not (old.bracket or new.bracket):
            yield Impact(
                "return-moved-at-fixed-play",
                f"{delta.wager}/{name}",
                f"return of {delta.wager} under {name}: {_moved(was, now)}, exactly",
                fraction_text(was),
                fraction_text(now),
                key,
                delta.wager,
            )


def _ends(bracket: Bracket) -> str:
    return f"{fraction_text(bracket.lower)} to {fraction_text(bracket.upper)}"


def _edge(figures: WagerFigures) -> str:
    """Returns who has the edge and how large it is, on everything wagered too where that is more."""
    size = abs(figures.expectation)
    if not size:
        return edge(figures)
    total = figures.total_wagered
    of_all = "" if total is None else f", {percent(size / total)} of everything wagered"
    return f"{edge(figures)} ({percent(size)} of the initial stake{of_all})"


def above_stake(delta: WagerChange, after: WagerFigures, key: KeyPath) -> Iterator[Impact]:
    """Yields that a wager returns more than is staked: under best play the player wins in the long run."""
    now = after.proven
    if now.upper <= 1:
        return
    was_above = delta.before is not None and delta.before.proven.upper > 1
    of_all = "" if after.total_wagered is None else f", {percent(on_total(after))} of everything wagered"
    yield Impact(
        "above-100-before" if was_above else "return-above-100",
        delta.wager,
        f"{delta.wager} returns {proven_percent(now)} of the initial stake{of_all}: more than is staked, "
        f"under {delta.strategy}",
        None if delta.before is None else fraction_text(delta.before.proven.upper),
        fraction_text(now.upper),
        key,
        delta.wager,
    )


def floors(delta: WagerChange, after: WagerFigures, key: KeyPath, policy: GatePolicy) -> Iterator[Impact]:
    """Yields floors of jurisdictions that a return fell below; of a bracket, by its lower end."""
    now = after.proven
    for name, floor in policy.floors.items():
        was_below = delta.before is not None and delta.before.proven.lower < floor
        if now.lower < floor:
            yield Impact(
                "below-floor-before" if was_below else "floor-crossed",
                f"{delta.wager}/{name}",
                f"return of {delta.wager} is {proven_percent(now)}, below the {percent_text(floor, 2)} % of {name}",
                None if delta.before is None else fraction_text(delta.before.proven.lower),
                fraction_text(now.lower),
                key,
                delta.wager,
            )


def offered_judged(changes: FigureChanges, policy: GatePolicy) -> Iterator[Impact]:
    """Yields how far each further configuration returns otherwise, and what it must not pass."""
    for old, new in changes.offered:
        if new is None:
            continue
        named, key = f"{new.id} ({new.kind})", ("wagers", 0)
        change = Fraction(0) if old is None else new.returned - old.returned
        if old is not None and change:
            was, now = fraction_text(old.returned), fraction_text(new.returned)
            yield Impact(
                "return-changed",
                new.id,
                f"return of {named}: {percent(old.returned)} → {percent(new.returned)}, {points(change)}",
                was,
                now,
                key,
                new.wager,
                within=policy.allows(new.wager, change),
            )
        for kind, before, subject, message in broken(new, policy):
            stood = old is not None and subject in {one[2] for one in broken(old, policy)}
            yield Impact(
                before if stood else kind,
                subject,
                message,
                None if old is None else fraction_text(old.returned),
                fraction_text(new.returned),
                key,
                new.wager,
            )


def broken(one: Configuration, policy: GatePolicy) -> Iterator[tuple[str, str, str, str]]:
    """Yields what a configuration passes: kind of the change, the one where it was so before, subject, words.

    A meter as it is stated may return more than is staked: what it holds above its seed was staked before.
    """
    named = f"{one.id} ({one.kind}) returns"
    if one.most_returned > 1 and one.kind is not ConfigurationKind.METER:
        words = f"{named} {percent(one.most_returned)}: more than is staked"
        yield "return-above-100", "above-100-before", one.id, words
    for name, floor in policy.floors.items():
        if one.returned < floor:
            words = f"{named} {percent(one.returned)}, below the {percent_text(floor, 2)} % of {name}"
            yield "floor-crossed", "below-floor-before", f"{one.id}/{name}", words


def at_stakes(
    delta: WagerChange,
    after: WagerFigures,
    games: tuple[Game | None, Game],
    key: KeyPath,
    policy: GatePolicy,
) -> Iterator[Impact]:
    """Yields what rounding to whole coins takes or adds at the worst stake, where that is more than before.

    Args:
        delta: The wager before and after.
        after: Its figures after.
        games: The game before and after, whose limits say which stakes there are.
        key: Key that an annotation belongs to.
        policy: The thresholds, the floors, and how payouts are rounded.
    """
    (game_before, game), before = games, delta.before
    now = extreme_returns(after, game.wager(delta.wager).limits, policy.rounding)
    was = (
        None
        if game_before is None or before is None
        else extreme_returns(before, game_before.wager(delta.wager).limits, policy.rounding)
    )
    old = Fraction(0) if was is None or before is None else _rounding(was, before)[0]
    shift, at = _rounding(now, after)
    if abs(shift) > abs(old):
        yield Impact(
            "return-at-stake-changed",
            delta.wager,
            f"rounding payouts {policy.rounding} moves the return of {delta.wager} by {points(shift)}, before by "
            f"{points(old)}: {percent(at.value)} at a stake of {units(at.stake, at.currency)}",
            fraction_text(old),
            fraction_text(shift),
            key,
            delta.wager,
            within=policy.allows(delta.wager, shift - old),
        )
    least = now[0]
    for name, floor in policy.floors.items():
        if least.value < floor <= after.return_to_player and (was is None or was[0].value >= floor):
            yield Impact(
                "floor-crossed",
                f"{delta.wager}/{name}/stake",
                f"return of {delta.wager} is {percent(least.value)} at a stake of "
                f"{units(least.stake, least.currency)}, "
                f"payouts rounded {policy.rounding}, below the {percent_text(floor, 2)} % "
                f"of {name}",
                None if was is None else fraction_text(was[0].value),
                fraction_text(least.value),
                key,
                delta.wager,
            )


def _rounding(extremes: Sequence[AtStake], figures: WagerFigures) -> tuple[Fraction, AtStake]:
    """Returns how far rounding moves a return at most, and where, given the least and the greatest at any stake."""
    exact = figures.return_to_player
    worst = max(extremes, key=lambda one: abs(one.value - exact))
    return worst.value - exact, worst


def drifted(
    delta: WagerChange,
    after: WagerFigures,
    key: KeyPath,
    policy: GatePolicy,
    certified: Mapping[str, CertifiedReturn],
) -> Iterator[Impact]:
    """Yields returns that lie further from the certified ones than the thresholds let a return move.

    Args:
        delta: The wager before and after.
        after: Its figures after.
        key: Key that an annotation belongs to.
        policy: The thresholds.
        certified: Certified returns of the game by wager, ``WAGER/total-wagered`` on everything wagered.
    """
    for name, read in _MEASURES.items():
        subject = f"{delta.wager}{name}"
        anchor = certified.get(subject)
        if anchor is None:
            continue
        now, was = read(after), None if delta.before is None else read(delta.before)
        away = anchor.distance(now)
        if policy.allows(delta.wager, away):
            continue
        before = Fraction(0) if was is None else anchor.distance(was)
        no_further = was is not None and (0 < away <= before or before <= away < 0)
        yield Impact(
            "return-drifted-before" if no_further else "return-drifted",
            subject,
            f"return of {subject} is {percent(now)}, {points(away)} from the certified {anchor.text}",
            anchor.text,
            fraction_text(now),
            key,
            delta.wager,
        )


_MEASURES: Final[Mapping[str, Callable[[WagerFigures], Fraction]]] = {
    "": lambda figures: figures.return_to_player,
    "/total-wagered": on_total,
}
"""Both returns of a wager by what is written behind its id."""

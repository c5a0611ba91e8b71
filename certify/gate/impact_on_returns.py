"""What a change does to returns: how far they move and by which rows, who has the edge, what they must not pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from certify.currency import units
from certify.errors import KeyPath
from certify.exact import fraction_text, percent_text
from certify.families.certified import Configuration, ConfigurationKind
from certify.gate.fact_changes import Impact, percent, points, proven_percent
from certify.gate.figure_changes import Extremes, FigureChanges, WagerChange, edge, on_total
from certify.gate.policy import CertifiedReturn, GatePolicy
from certify.model.figures import Bracket, WagerFigures
from certify.rounds.money import AtStake

MOST_TOLD: Final = 12
"""Rows that are told one by one, those that moved most; the rest together."""


def contributions_moved(
    wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath
) -> Iterator[Impact]:
    """Yields the parts and rows of a wager that contribute otherwise, where one round wins many times."""
    if not before.awards or not after.awards:
        return
    old, new = _rows(before), _rows(after)
    moved = {row: new.get(row, Fraction(0)) - old.get(row, Fraction(0)) for row in {**old, **new}}
    moved = {row: change for row, change in moved.items() if change}
    order = sorted(moved, key=lambda row: (-abs(moved[row]), row))
    for row in order[:MOST_TOLD]:
        was, now = old.get(row, Fraction(0)), new.get(row, Fraction(0))
        yield _told(wager, row, was, now, key)
    rest = order[MOST_TOLD:]
    if rest:
        was, now = (sum((one.get(row, Fraction(0)) for row in rest), Fraction(0)) for one in (old, new))
        yield _told(wager, f"{len(rest)} further rows together", was, now, key)


def _rows(figures: WagerFigures) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for one in figures.awards:
        name = f"{one.part}/{one.row}" if one.part else one.row
        found[name] = found.get(name, Fraction(0)) + one.contribution
    return found


def _told(wager: str, row: str, was: Fraction, now: Fraction, key: KeyPath) -> Impact:
    change = now - was
    return Impact(
        "contribution-changed",
        f"{wager}/{row}",
        f"{row} contributes {percent(was)} → {percent(now)}, {points(change)} ({fraction_text(change)})",
        fraction_text(was),
        fraction_text(now),
        key,
        wager,
    )


def returns_moved(
    delta: WagerChange, before: WagerFigures, after: WagerFigures, key: KeyPath, policy: GatePolicy
) -> Iterator[Impact]:
    """Yields what moved of the return of a wager that both states have, by either measure."""
    change, wager = after.return_to_player - before.return_to_player, delta.wager
    allowed = all(policy.allows(wager, move) for move in delta.moves)
    if change:
        yield Impact(
            "return-changed",
            wager,
            f"return of {wager}: {percent(before.return_to_player)} → {percent(after.return_to_player)}, "
            f"{points(change)} ({fraction_text(change)}) under {delta.strategy}",
            fraction_text(before.return_to_player),
            fraction_text(after.return_to_player),
            key,
            wager,
            within=allowed,
        )
    yield from _bracket_moved(delta, key)
    yield from _moved_at_fixed_play(delta, key)
    yield from _moved_on_total(delta, before, after, key, allowed)
    yield from _changed_side(wager, before, after, key)
    yield from _moved_with_play(delta, bool(change), key)


def _bracket_moved(delta: WagerChange, key: KeyPath) -> Iterator[Impact]:
    """Yields proven values of two parties that moved, each with both of its ends."""
    for name, (old, new) in delta.figures.items():
        before, after = old.bracket if old else None, new.bracket if new else None
        if before is None or after is None or before == after:
            continue
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


def _moved_at_fixed_play(delta: WagerChange, key: KeyPath) -> Iterator[Impact]:
    """Yields exact effects at strategies that stay as they are, where two parties answer the change otherwise."""
    told = [(name, old, new) for name, (old, new) in delta.figures.items() if old and new]
    if not any(old.bracket and new.bracket for _, old, new in told):
        return
    for name, old, new in told:
        before, after = old.return_to_player, new.return_to_player
        if old.bracket or new.bracket or before == after:
            continue
        yield Impact(
            "return-moved-at-fixed-play",
            f"{delta.wager}/{name}",
            f"return of {delta.wager} under {name}: {percent(before)} → {percent(after)}, "
            f"{points(after - before)} ({fraction_text(after - before)}), exactly",
            fraction_text(before),
            fraction_text(after),
            key,
            delta.wager,
        )


def _ends(bracket: Bracket) -> str:
    return f"{fraction_text(bracket.lower)} to {fraction_text(bracket.upper)}"


def _moved_on_total(
    delta: WagerChange, before: WagerFigures, after: WagerFigures, key: KeyPath, allowed: bool
) -> Iterator[Impact]:
    """Yields that the return on everything wagered moved, where a player may add to the initial stake."""
    old, new = on_total(before), on_total(after)
    if delta.adds_to_stake and old != new:
        yield Impact(
            "return-on-total-changed",
            delta.wager,
            f"return of {delta.wager} on everything wagered: {percent(old)} → {percent(new)}, "
            f"{points(new - old)} ({fraction_text(new - old)}) under {delta.strategy}",
            fraction_text(old),
            fraction_text(new),
            key,
            delta.wager,
            within=allowed,
        )


def _changed_side(wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath) -> Iterator[Impact]:
    """Yields that the edge went from one side to the other, or to nobody."""
    if edge(before) != edge(after):
        yield Impact(
            "edge-changed-side",
            wager,
            f"the edge on {wager} went from {_edge(before)} to {_edge(after)}",
            edge(before),
            edge(after),
            key,
            wager,
        )


def _edge(figures: WagerFigures) -> str:
    """Returns who has the edge and how large it is, on everything wagered too where that is more."""
    size = abs(figures.expectation)
    if not size:
        return edge(figures)
    total = figures.total_wagered
    of_all = "" if total is None else f", {percent(size / total)} of everything wagered"
    return f"{edge(figures)} ({percent(size)} of the initial stake{of_all})"


def _moved_with_play(delta: WagerChange, changed: bool, key: KeyPath) -> Iterator[Impact]:
    """Yields returns under single strategies that moved although the best return did not."""
    if changed:
        return
    for name, (old, new) in delta.by_strategy.items():
        if old is not None and new is not None and old != new:
            yield Impact(
                "return-moved-with-play",
                f"{delta.wager}/{name}",
                f"return of {delta.wager} under {name}: {percent(old)} → {percent(new)}, {points(new - old)}",
                fraction_text(old),
                fraction_text(new),
                key,
                delta.wager,
            )


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
        if now.lower >= floor:
            continue
        was_below = delta.before is not None and delta.before.proven.lower < floor
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
    stakes: tuple[Extremes | None, Extremes],
    key: KeyPath,
    policy: GatePolicy,
) -> Iterator[Impact]:
    """Yields what rounding to whole coins takes or adds at the worst stake, where that is more than before.

    Args:
        delta: The wager before and after.
        after: Its figures after.
        stakes: Least and greatest return at any stake that the limits allow, before and after.
        key: Key that an annotation belongs to.
        policy: The thresholds, the floors, and how payouts are rounded.
    """
    was, now = stakes
    before = delta.before
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


def _rounding(extremes: Extremes, figures: WagerFigures) -> tuple[Fraction, AtStake]:
    """Returns how far rounding moves a return at most, and where."""
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

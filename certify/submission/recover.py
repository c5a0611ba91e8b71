"""Pays that a submission leaves out, filled in from the return or house edge that its source prints."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.analysis.pay_search import RETURNS
from certify.errors import InputError, NothingCheckedError, Problems
from certify.evidence import Candidate, ReadingSearch, Recovery
from certify.mathematics import SeekPays
from certify.model import Game, Origin, PaytableRow, Provenance
from certify.submission.schema import Submitted, SubmittedClaim

SOUGHT: Final = Fraction(1)
"""The value of a lost pay while it is sought."""

Lost = tuple[tuple[str, tuple[str, ...]], ...]
"""Rows without a pay, by wager."""


def check_lost(raw: Submitted, problems: Problems) -> None:
    """Records pays that are left out where nothing is printed that they could be recovered from."""
    for number, wager in enumerate(raw.wagers):
        printed = any(_states_return(claim, wager.id) for claim in raw.claims)
        for place, row in enumerate(wager.paytable):
            problems.refuse_where(
                not row.pays and not printed,
                ("wagers", number, "paytable", place, "id"),
                f'the row "{row.id}" has no pays, and no return or house edge of "{wager.id}" is printed to '
                "recover them from: expected pays, or a [[claims]] with one of "
                f"{' and '.join(RETURNS)}",
            )


def _states_return(claim: SubmittedClaim, wager: str) -> bool:
    return claim.wager == wager and claim.metric in RETURNS


def lost_origin(claims: Iterable[SubmittedClaim], wager: str) -> Origin:
    """Returns the provenance of a pay that is sought: recovered from what is printed of the wager."""
    text = next((claim.printed for claim in claims if _states_return(claim, wager)), "")
    return Origin(Provenance.RECOVERED, f"{wager}/{text}", unique=False)


def with_lost_pays(game: Game, raw: Submitted, problems: Problems) -> Game:
    """Returns the game with the pays that its submission leaves out; records those that nothing gives.

    Args:
        game: The game, in which pays that were left out stand at 1 to 1 and are called recovered.
        raw: The submission as it is written.
        problems: Takes the mistakes.
    """
    lost: Lost = tuple(
        (wager.id, tuple(row.id for row in wager.paytable if not row.pays))
        for wager in raw.wagers
        if any(not row.pays for row in wager.paytable)
    )
    for wager, rows in lost:
        number = [one.id for one in raw.wagers].index(wager)
        try:
            game = _recovered(game, wager, rows)
        except (InputError, NothingCheckedError) as error:
            problems.add(("wagers", number, "paytable"), f"pays that are left out are not recovered: {error}")
    return game


@lru_cache(maxsize=32)
def _recovered(game: Game, wager: str, rows: tuple[str, ...]) -> Game:
    found = SeekPays(game)(wager)
    chosen = _chosen(game, found)
    pays = chosen.pays
    missing = [row for row in rows if row not in pays]
    if missing:
        raise InputError(
            f"the search for the pays of {wager} gives none for {', '.join(missing)}: expected them printed, or "
            "adopted by a reading"
        )
    entry = game.wager(wager)
    table = tuple(_filled(row, pays, found) if row.id in rows else row for row in entry.paytable.rows)
    changed = replace(entry, paytable=replace(entry.paytable, rows=table))
    return replace(game, wagers=tuple(changed if one.id == wager else one for one in game.wagers))


def _chosen(game: Game, found: Recovery) -> Candidate:
    """Returns the first paytable that fits under the rules as submitted, else the one that comes nearest.

    Paytables of customary pays come first, and before them those under which the printed figure is that of the best
    way of playing the wager, which is how it is read (GLI-19 v3.0 4.7.1(b)). Where none fits, what is printed does not
    hold, and the report says so.
    """
    stated = {rule.id: rule.value for rule in game.rule_values}
    fits = [
        one
        for one in found.fits
        if all(stated.get(rule, value) == value for rule, value in one.reading.items())
    ]
    if fits:
        return next((one for one in fits if _is_best_play(one, found)), fits[0])
    misses = [search.nearest_miss for search in found.readings if search.nearest_miss is not None]
    middle = sum(found.interval) / 2
    near = sorted((*found.fits, *misses), key=lambda one: (not one.fits, abs(one.return_ - middle)))
    if not near:
        raise InputError(f"no whole-number paytable of {found.wager} is in order: {found.conclusion}")
    return near[0]


def _is_best_play(one: Candidate, found: Recovery) -> bool:
    """Returns whether no other strategy searched returns more than the one under which a paytable fits."""
    rivals = (search for search in found.readings if search.reading == one.reading)
    returns = (_return(search, one.pays) for search in rivals if search.strategy != one.strategy)
    return all(known is not None and known <= one.return_ for known in returns)


def _return(search: ReadingSearch, pays: Mapping[str, Fraction]) -> Fraction | None:
    """Returns what pays return under the strategy of a search: a candidate of it, and its weights, tell.

    Returns:
        Nothing where the search found play anew for every candidate, and not for these pays.
    """
    known = [one for one in (*search.fits, search.nearest_miss) if one is not None]
    if not known:
        return Fraction(0)
    same = next((one for one in known if one.pays == pays), None)
    if same is not None:
        return same.return_
    if pays.keys() - search.weights.keys():
        return None
    moved = (search.weights[row] * (pay - known[0].pays[row]) for row, pay in pays.items())
    return known[0].return_ + sum(moved, Fraction(0))


def _filled(row: PaytableRow, pays: Mapping[str, Fraction], found: Recovery) -> PaytableRow:
    how = {
        0: f"none of {found.candidates_tried:,} candidates fits; the nearest is used",
        1: f"the only one of {found.candidates_tried:,} candidates that fits",
    }.get(found.fits_count, f"one of {found.fits_count:,} whole-number paytables that fit")
    origin = Origin(Provenance.RECOVERED, f"{found.wager}/{found.printed}: {how}", found.fits_count == 1)
    return replace(row, pays=pays[row.id], origin=origin)

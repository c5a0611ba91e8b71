"""Checks of the submission itself."""

from __future__ import annotations

from collections.abc import Iterable

from certify.clauses.registry import Answer, exact_check, verdict_of
from certify.clauses.results import ExactResults
from certify.families.registry import family
from certify.model.provenance import Provenance


@exact_check("submission.complete", "The paytables cover every winning hand, and no row is without a hand")
def complete(results: ExactResults) -> Iterable[Answer]:
    """Rows of each wager and hands that the game can deal correspond one to one."""
    game = results.game
    for wager in game.wagers:
        required = family(game.family).rules.paid_rows(game, wager.id)
        reachable = set(family(game.family).rules.reachable_rows(game, wager.id))
        uncovered = [row for row in required if row not in wager.paytable.ids]
        empty = [row for row in wager.paytable.ids if row not in reachable]
        yield Answer(
            verdict_of(not uncovered and not empty),
            f"winning hands: {len(required)}, each covered by one row",
            f"rows: {len(wager.paytable.ids)}; uncovered: {', '.join(uncovered) or 'none'}; "
            f"without a hand: {', '.join(empty) or 'none'}",
            subject=wager.id,
            evidence=("/wagers",),
        )


@exact_check(
    "submission.provenance",
    "Every value says where it comes from, and none is confirmed by what was derived from it",
    own="A rule of this harness against circular evidence, beyond any one clause",
)
def provenance(results: ExactResults) -> Iterable[Answer]:
    """Recovered values name the printed figure they were recovered from, and whether they are unique."""
    game = results.game
    origins = [(row.id, row.origin) for wager in game.wagers for row in wager.paytable.rows]
    origins += [(rule.id, rule.origin) for rule in game.rule_values]
    nameless = [
        name for name, origin in origins if origin.provenance is not Provenance.PRINTED and not origin.by
    ]
    overstated = [
        f"{wager.id}/{row.id}"
        for wager in game.wagers
        for row in wager.paytable.rows
        if row.origin.provenance is Provenance.RECOVERED
        and row.origin.unique
        and results.identifications[wager.id].fits_count != 1
    ]
    recovered = sum(origin.provenance is Provenance.RECOVERED for _, origin in origins)
    yield Answer(
        verdict_of(not nameless and not overstated),
        "recovered and adopted values say by what; none is called unique where several fit",
        f"{recovered} recovered values; without source: {', '.join(nameless) or 'none'}; "
        f"wrongly called unique: {', '.join(overstated) or 'none'}",
        evidence=("/rules", "/wagers"),
    )

"""Every row has a round that shows it, or no play reaches it, and the walk over every path is the proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certify.families.driver import play
from certify.families.port import added_rows_of
from certify.families.witnesses import rows_won
from certify.kit.check import Checked, Found, KitLaw, judged, undecided
from certify.kit.subject import Subject

ROWS: Final = KitLaw(
    "rows",
    "Every row that is said to be reached has a round that shows it, and no other row is ever met",
    "A row without a round is a promise that nobody has seen kept.",
)
PAID: Final = KitLaw(
    "paid-rows",
    "Every row that returns something must be named by a paytable, and only such rows",
    "Winning rounds may lose in silence.",
)


def reach(subject: Subject) -> Iterator[Checked]:
    """Yields whether the rows are those that rounds fall in."""
    yield ROWS.tried(subject.game.id, lambda: _rows(subject))
    yield PAID.tried(subject.game.id, lambda: _paid(subject))


def _rows(subject: Subject) -> Found:
    stated, reached = set(subject.stated_rows), subject.reached
    found = [
        f"{wager} {row}: said to be reached, and no round shows it" for wager, row in stated - set(reached)
    ]
    wagers = {wager.id for wager in subject.game.wagers}
    added = added_rows_of(subject.family.rules, subject.game)
    found += [
        f"{wager} {row}: a round falls in it, and it is not said to be reached"
        for wager, row in sorted(set(reached) - stated)
        if wager in wagers and row not in added
    ]
    for (wager, row), way in reached.items():
        ended = play(subject.reference, way.row(subject.reference.equipment), way.decisions)
        if row not in rows_won(subject.game, ended, wager):
            found.append(f"{wager} {row}: its round falls in {ended.outcome(wager)} when it is replayed")
    if subject.whole is None and found:
        return undecided(
            f"{'; '.join(found[:3])}: too many states for a walk over every path, so that this proves nothing; "
            "expected recipes that show these rows"
        )
    verdict, detail = judged(len(stated), "rows", sorted(found))
    if subject.whole is not None:
        detail += f"; the walk met every state that any play reaches ({subject.whole.graph.size:,})"
    return verdict, detail


def _paid(subject: Subject) -> Found:
    rules, found, compared = subject.family.rules, [], 0
    added = added_rows_of(rules, subject.game)
    for wager in subject.game.wagers:
        paid = set(rules.paid_rows(subject.game, wager.id))
        strange = paid - set(rules.reachable_rows(subject.game, wager.id))
        found += [f"{wager.id} {row}: must be paid, and is never reached" for row in sorted(strange)]
        for name in subject.strategies:
            for ended in subject.played(name):
                compared += 1
                result = next(one for one in ended.results if one.wager == wager.id)
                if result.awards:
                    # The outcome is a class of rounds; what was won in them is paid row by row.
                    found += [
                        f"{wager.id} {award.row}: comes back {award.contribution}, and no paytable has to name it"
                        for award in result.awards
                        if award.contribution > 0 and award.row not in paid | added
                    ]
                    continue
                row = rules.row_of(result.outcome)
                # A stake that comes back by a rule, such as one released from prison, needs no row.
                by_rule = result.net == 0 and row not in wager.paytable.ids
                if result.net >= 0 and row not in paid and not by_rule:
                    found.append(f"{wager.id} {row}: {result.net} net, and no paytable has to name it")
    return judged(compared, "results", list(dict.fromkeys(found)))

"""Metamorphic laws, what must follow when something is changed, and that every row is reached."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from certify.analysis.engine.beliefs import check_some
from certify.by_key import gathered
from certify.families import Chance, added_rows_of, play, rows_won, steps
from certify.kit.check import (
    Checked,
    Found,
    KitLaw,
    Trials,
    UntriedError,
    compared,
    judged,
    not_applicable,
    tried_on,
    undecided,
)
from certify.kit.subject import Subject, differences, ended, figures_of, seen, without
from certify.mathematics import exact_of, plan_of
from certify.model import Equipment, Kind, repaid


def reach(subject: Subject) -> Iterator[Checked]:
    """Yields whether the rows are those that rounds fall in."""
    return tried_on(subject.game.id, subject, _rows, _paid)


@KitLaw(
    "rows",
    "Every row that is declared reachable has a round that shows it, and no other row is ever met",
    "A row that no round reaches can never be paid.",
)
def _rows(subject: Subject) -> Found:
    stated, reached = set(subject.stated_rows), subject.reached
    found = [
        f"{wager} {row}: declared reachable, and no round shows it" for wager, row in stated - set(reached)
    ]
    wagers = {wager.id for wager in subject.game.wagers}
    added = added_rows_of(subject.game.port.rules, subject.game)
    found += [
        f"{wager} {row}: a round falls in it, and it is not declared reachable"
        for wager, row in sorted(set(reached) - stated)
        if wager in wagers and row not in added
    ]
    for (wager, row), way in reached.items():
        finished = play(subject.reference, way.row(subject.reference.equipment), way.decisions)
        if row not in rows_won(subject.game, finished, wager):
            found.append(f"{wager} {row}: its round falls in {finished.outcome(wager)} when it is replayed")
    if subject.whole is None and found:
        return undecided(
            f"{'; '.join(found[:3])}: too many states for a walk over every path, so that this proves nothing; "
            "expected recipes that show these rows"
        )
    verdict, detail = judged(len(stated), "rows", sorted(found))
    if subject.whole is not None:
        detail += f"; the walk met every state that any play reaches ({subject.whole.graph.size:,})"
    return verdict, detail


@KitLaw(
    "paid-rows",
    "Every row that returns something must be named by a paytable, and only such rows",
    "Winning rounds may lose in silence.",
)
@compared("results")
def _paid(subject: Subject) -> Trials:
    rules = subject.game.port.rules
    added = added_rows_of(rules, subject.game)
    for wager in subject.game.wagers:
        paid = set(rules.paid_rows(subject.game, wager.id))
        strange = paid - set(rules.reachable_rows(subject.game, wager.id))
        yield from (f"{wager.id} {row}: must be paid, and is never reached" for row in sorted(strange))
        for _, _, played in subject.every_round():
            result = next(one for one in played.results if one.wager == wager.id)
            row = rules.row_of(result.outcome)
            # A stake that comes back by a rule, such as one released from prison, needs no row.
            by_rule = result.net == 0 and row not in wager.paytable.ids
            # The outcome may be a class of rounds; what was won in them is paid row by row.
            comes_back = [
                f"{wager.id} {award.row}: comes back {award.contribution}, and no paytable has to name it"
                for award in result.awards
                if award.contribution > 0 and award.row not in paid | added
            ]
            if not result.awards and result.net >= 0 and row not in paid and not by_rule:
                comes_back = [f"{wager.id} {row}: {result.net} net, and no paytable has to name it"]
            yield "; ".join(comes_back)


def laws(subject: Subject) -> Iterator[Checked]:
    """Yields whether the metamorphic laws hold."""
    return tried_on(subject.game.id, subject, _pays, _suits, _wagers, _stakes, _best, seen, _merged)


_Result = tuple[str, str, Fraction, Fraction]


@KitLaw(
    "double-pays",
    "Paying double changes no round, and moves each net result by what the row paid before",
    "What the paytable prints is not what is paid.",
)
@compared("results")
def _pays(subject: Subject) -> Trials:
    """Nets are straight lines in the pays: at none, at the printed ones, and at double."""
    game = subject.game
    if "paytable" in subject.game.port.form.derives:
        raise UntriedError(*not_applicable("the rules state the pays in place of a paytable"))
    printed = {(wager.id, row.id): row.pays for wager in game.wagers for row in wager.paytable.rows}
    at = [
        subject.game.port.reference(repaid(game, {key: pays * n for key, pays in printed.items()}))
        for n in (0, 2)
    ]
    for _, row, played in subject.every_round():
        none, double = (ended(play(reference, row, played.decisions)) for reference in at)
        for nothing, once, twice in zip(none, ended(played), double, strict=True):
            same = all(_same_way(subject, once, other) for other in (nothing, twice))
            paid = printed.get((once[0], subject.game.port.rules.row_of(once[1])))
            if not same or nothing[2] + twice[2] != 2 * once[2]:
                yield (
                    f"{once[0]} {once[1]}: {nothing[2]} net at no pays, {once[2]} as printed, "
                    f"{twice[2]} at double ({twice[1]})"
                )
            else:
                idle = f"{once[0]} {once[1]}: {once[2]} net, whatever its row pays"
                yield idle if paid and once[2] == twice[2] else ""


def _same_way(subject: Subject, one: _Result, other: _Result) -> bool:
    """Returns whether a wager ended the same way, whatever was paid.

    The name of an outcome may tell its net result; and where several hands are one result, its sign decides the row.
    """
    row_of = subject.game.port.rules.row_of
    named = one[1] == other[1] or one[2] != other[2]
    same = row_of(one[1]) == row_of(other[1]) or (one[2] > 0, one[2] < 0) != (other[2] > 0, other[2] < 0)
    return one[0] == other[0] and one[3] == other[3] and named and same


@KitLaw(
    "suits",
    "Exchanging two suits that the rules do not distinguish changes no result",
    "The round distinguishes cards that its rules declare equal.",
)
@compared("rounds with two suits exchanged")
def _suits(subject: Subject) -> Trials:
    pieces = subject.reference.equipment
    exchanges = [
        (piece, one, other)
        for piece in pieces
        if piece.kind is Kind.SHOE
        for one, other in pairwise(piece.suits)
        if _alike(subject, piece, one, other)
    ]
    if not exchanges:
        raise UntriedError(*not_applicable("no two suits of a shoe that the rules do not distinguish"))
    for piece, one, other in exchanges:
        items = _exchanged(piece, one, other)
        start = sum(before.supply for before in pieces[: pieces.index(piece)])
        for _, row, played in subject.every_round():
            cards = tuple(items[item] for item in row[start : start + piece.supply])
            changed = (*row[:start], *cards, *row[start + piece.supply :])
            same = ended(play(subject.reference, changed, played.decisions)) == ended(played)
            yield "" if same else f"{one} for {other}: {ended(played)} became another result"


def _alike(subject: Subject, piece: Equipment, one: str, other: str) -> bool:
    """Returns whether the round calls every rank of two suits in the same way as its first draw."""
    node = subject.reference.node(subject.reference.start())
    if not isinstance(node, Chance) or node.equipment != piece.id:
        return False
    start = subject.reference.start()
    pairs = _pairs(piece, one, other)
    return bool(pairs) and all(
        subject.reference.alike(start, left) == subject.reference.alike(start, right)
        for left, right in pairs.items()
    )


def _pairs(piece: Equipment, one: str, other: str) -> Mapping[int, int]:
    """Returns for each face of one suit the face of the same rank in the other; none where one is missing."""
    places = {face: place for place, face in enumerate(piece.faces)}
    pairs = {}
    for rank in piece.ranks:
        left, right = places.get(f"{rank} of {one}"), places.get(f"{rank} of {other}")
        if (left is None) != (right is None) or (
            left is not None and right is not None and piece.copies[left] != piece.copies[right]
        ):
            return {}
        if left is not None and right is not None:
            pairs[left] = right
    return pairs


def _exchanged(piece: Equipment, one: str, other: str) -> list[int]:
    """Returns the item in whose place each item is put."""
    pairs = _pairs(piece, one, other)
    faces = {**pairs, **{right: left for left, right in pairs.items()}}
    by_face = gathered((face, item) for item, face in enumerate(piece.shows))
    return [
        by_face[faces.get(face, face)][by_face[face].index(item)] for item, face in enumerate(piece.shows)
    ]


@KitLaw(
    "removed-wager",
    "A wager that is not bet on changes nothing for the others",
    "What one player bets changes what another bet returns.",
)
@compared("rounds with a wager less")
def _wagers(subject: Subject) -> Trials:
    game = subject.game
    needed = set(subject.game.port.rules.required_wagers(game))
    removable = [wager.id for wager in game.wagers[1:] if wager.id not in needed]
    if not removable:
        raise UntriedError(*not_applicable("no wager can be left out"))
    for gone in removable:
        less = without(game, gone)
        reference = subject.game.port.reference(less)
        for _, row, played in subject.every_round():
            left = {result[0]: result for result in ended(play(reference, row, played.decisions))}
            others = [one for one in ended(played) if one[0] != gone and left.get(one[0]) != one]
            yield "; ".join(f"without {gone}: {one[:2]} became {left.get(one[0])}" for one in others)
        for name, strategy in subject.strategies.items():
            both = subject.analyses[name], exact_of(less).analyze_table(less, strategy)
            whole, kept = (
                {wager: rows for wager, rows in figures_of(one).items() if wager != gone} for one in both
            )
            yield from (
                f"without {gone}, {name}: {one}" for one in differences(whole, kept, "before", "after")
            )


@KitLaw(
    "nothing-bet",
    "A round goes the same way when nothing is bet at all",
    "The run cannot show that stakes do not change what is dealt, and breaks off.",
)
@compared("rounds without a bet")
def _stakes(subject: Subject) -> Trials:
    """Plays the same draws with nothing bet at all, as a run does when it audits what it dealt."""
    reference = subject.game.port.reference(replace(subject.game, wagers=(), claims=()))
    for name, row, played in subject.every_round():
        bare = play(reference, row, subject.strategies[name])
        same = (bare.hands, bare.decisions) == (played.hands, played.decisions)
        yield "" if same else f"{name}: with nothing bet the round goes otherwise"


@KitLaw(
    "best-play",
    "No named strategy returns more on the first wager than the best one",
    "The return that is certified as the best is not.",
)
@compared("strategies")
def _best(subject: Subject) -> Trials:
    plan, game = plan_of(subject.game), subject.game
    if plan.banks:
        raise UntriedError(
            *not_applicable(
                "a second party decides too: what one side's play is worth depends on the other's, and no named "
                "strategy is best by itself; what is proven of a pair is the family's own certificate"
            )
        )
    names = dict.fromkeys((*plan.analysed, *plan.simpler(game), *(n for n in plan.names if n == n.lower())))
    wager = game.wagers[0].id
    best = subject.analyses[plan.analysed[0]].wager(wager).return_to_player
    for name in names:
        analysis = subject.analyses.get(name) or exact_of(game).analyze(game, name)
        returned = analysis.wager(wager).return_to_player
        yield f"{name} returns {returned}, {plan.analysed[0]} {best}" if returned > best else ""


@KitLaw(
    "merging",
    "Faces and states that the round declares equal are equal, as far as random rounds reach them",
    "The engine counts states as one that are not: its figures are wrong.",
)
def _merged(subject: Subject) -> Found:
    """Looks at what random rounds come to: the first of equal states must wait for the same as every later one."""
    reference, found, compared = subject.reference, list[str](), 0
    for name in subject.strategies:
        visited = []
        for row, played in zip(subject.rows, subject.played(name), strict=True):
            remaining, drawn = iter(played.decisions), ()
            for step in steps(reference, row, lambda choice, r=remaining: next(r, None)):  # type: ignore[misc]
                visited.append((step.state, drawn))
                if step.face is not None and isinstance(step.node, Chance):
                    piece = next(p for p in reference.equipment if p.id == step.node.equipment)
                    drawn = drawn if piece.replaced else (*drawn, (piece.id, step.face))  # type: ignore[assignment]
        looked, differing = check_some(reference, visited)
        compared, found = compared + looked, found + differing
    return judged(compared, "states", found)

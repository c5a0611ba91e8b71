"""From exact differences to changes that a policy can judge, printed figures among them."""

from collections.abc import Iterator, Sequence
from itertools import chain

from certify.errors import KeyPath
from certify.exact import fraction_text
from certify.gate.change import Impact
from certify.gate.fact_changes import money, percent, short
from certify.gate.facts import PRINTED, Subject, Submission
from certify.gate.figure_changes import FigureChanges, WagerChange, top_award
from certify.gate.figures import printed_subjects
from certify.gate.impact_on_returns import (
    MEASURES,
    above_stake,
    at_stakes,
    contributions_moved,
    drifted,
    floors,
    measured,
    odds_text,
    offered_judged,
    returns_moved,
)
from certify.gate.policy import GatePolicy
from certify.mathematics import figure_of
from certify.mathematics.figures_evidence import best_possible, claim_words, figure_words
from certify.model import RAREST_AWARD, RETURN, Claim, PrintedVerdict, WagerFigures, ends_of, prints_as


def printed_impacts(
    before: Submission | None, after: Submission, figure_changes: FigureChanges
) -> Iterator[Impact]:
    """Yields what printed figures are worth now, where that or the figures are otherwise than before.

    A figure that is printed and has no verdict is a missing figure, never one that holds.
    """
    old_text = _contents(before) if before else {}
    new_text = _contents(after)
    still: list[Subject] = []
    for about, content in new_text.items():
        old, new = figure_changes.printed.get(about, (None, None))
        key = _key(after, about)
        if new is None:
            yield Impact(
                "figures-missing",
                short(about),
                f"{short(about)} is printed and nothing counted it",
                None,
                None,
                key,
            )
            continue
        found = _judged(short(about), old, new, key, edited=old_text.get(about) != content)
        if found is not None:
            yield found
        elif not new.holds:
            still.append(about)
    if still:
        named = ", ".join("/".join(about[1:]) for about in still[:5])
        yield Impact(
            "printed-figure-wrong-before",
            "printed",
            f"{len(still)} of {len(new_text)} printed figures were wrong before and still are: {named}"
            + (f" and {len(still) - 5} more" if len(still) > 5 else ""),
            None,
            str(len(still)),
            _key(after, still[0]),
        )


def _judged(
    name: str, old: PrintedVerdict | None, new: PrintedVerdict, key: KeyPath, *, edited: bool
) -> Impact | None:
    """Returns what a change did to one printed figure; none where it is neither edited nor worth another thing."""
    was = old.words if old else None
    if old is not None and new.is_better_than(old):
        kind, said = "printed-figure-mended", f"was {was}, now {new.words}"
    elif new.holds:
        return None
    elif edited or old is None or new.is_worse_than(old):
        kind, said = "printed-figure-wrong", new.words
    else:
        return None
    return Impact(kind, name, f"{name}: {said}: {new.detail}", was, new.words, key)


Contents = dict[Subject, tuple[tuple[str, str], ...]]


def _contents(submission: Submission) -> Contents:
    """Returns what is printed by subject, without the source that it is taken from."""
    found: dict[Subject, list[tuple[str, str]]] = {about: [] for about in printed_subjects(submission.game)}
    for subject, fact in submission.facts.items():
        if subject[0] in PRINTED and subject[-1] != "source":
            found[subject[:-1]].append((subject[-1], fact.value))
    return {about: tuple(sorted(values)) for about, values in found.items()}


def _key(submission: Submission, about: Subject) -> KeyPath:
    """Returns the key of a printed figure in the file."""
    return next(fact.key[:-1] for subject, fact in submission.facts.items() if subject[:-1] == about)


def figure_impacts(
    before: Submission | None, after: Submission, figure_changes: FigureChanges, policy: GatePolicy
) -> Iterator[Impact]:
    """Yields everything that is otherwise about the figures of a game, its wagers first."""
    games = [submission.game.id for submission in (after, before) if submission is not None]
    certified = next((policy.certified[game] for game in games if game in policy.certified), {})
    for delta in figure_changes.wagers:
        if delta.after is None:
            continue
        key: KeyPath = ("wagers", [entry.id for entry in after.game.wagers].index(delta.wager))
        if delta.before is not None:
            yield from chain(
                returns_moved(delta, key, policy),
                measured(delta, MEASURES, key, policy),
                contributions_moved(delta.wager, delta.before, delta.after, key),
            )
        if not figure_changes.metered:
            yield from chain(above_stake(delta, delta.after, key), floors(delta, delta.after, key, policy))
        yield from chain(
            at_stakes(delta, delta.after, (None if before is None else before.game, after.game), key, policy),
            drifted(delta, delta.after, key, policy, certified),
            _rare(delta, delta.after, key),
            _claims(before, after, delta, delta.after),
        )
    yield from chain(
        offered_judged(figure_changes, policy),
        _exposure(before is None, figure_changes, policy),
        _strategy(figure_changes, after.game.wagers[0].id),
        printed_impacts(before, after, figure_changes),
    )


def _rare(delta: WagerChange, after: WagerFigures, key: KeyPath) -> Iterator[Impact]:
    """Yields a top award that became too rare to stay silent about."""
    new = top_award(after).probability
    was_rare = delta.before is not None and top_award(delta.before).probability < RAREST_AWARD
    if new < RAREST_AWARD and not was_rare:
        yield Impact(
            "top-award-rare",
            delta.wager,
            f"the top award of {delta.wager} is won {odds_text(new)}, rarer than 1 in 100,000,000",
            None,
            fraction_text(new),
            key,
            delta.wager,
        )


def _claims(
    before: Submission | None, after: Submission, delta: WagerChange, figures: WagerFigures
) -> Iterator[Impact]:
    """Yields printed figures that are not what the game comes to."""
    for position, claim in enumerate(after.game.claims):
        if claim.wager != delta.wager:
            continue
        old, new = (delta.before, figures) if not claim.strategy else delta.figures[claim.strategy]
        if new is None:
            continue
        exact = figure_of(claim, after.game, new)
        if prints_as(claim, exact):
            continue
        returned = percent(ends_of(exact)[0]) if claim.metric == RETURN else ""
        comes_to = returned or figure_words(claim, exact)
        says = ", which returns" if claim.metric == RETURN else f" as its {claim_words(claim)}, which is"
        yield Impact(
            "claim-false-before" if _stood_false(before, claim, old) else "claim-stale",
            claim_subject(claim, after.game.claims),
            f"{claim.text} is printed for {claim.wager}{says} {comes_to} "
            f"under {claim.strategy or delta.strategy}{best_possible(after.game, claim, exact)}",
            claim.text,
            comes_to,
            ("claims", position, "printed"),
            claim.wager,
        )


def claim_subject(claim: Claim, claims: Sequence[Claim]) -> str:
    """Returns the subject of one printed figure: two of one kind are two changes, each approved by itself."""
    about = (claim.wager, claim.metric, claim.row, claim.strategy)
    alike = sum((one.wager, one.metric, one.row, one.strategy) == about for one in claims)
    return "/".join(filter(None, (*about, claim.text if alike > 1 else "")))


def _stood_false(before: Submission | None, claim: Claim, old: WagerFigures | None) -> bool:
    """Returns whether the same was printed before and was wrong then."""
    if before is None or old is None:
        return False
    same = any(
        (one.printed, one.strategy, one.metric, one.row)
        == (claim.printed, claim.strategy, claim.metric, claim.row)
        for one in before.game.claims_on(claim.wager)
    )
    return same and not prints_as(claim, figure_of(claim, before.game, old))


def _exposure(is_new: bool, figure_changes: FigureChanges, policy: GatePolicy) -> Iterator[Impact]:
    """Yields what changed about the most that one round can cost."""
    (old, new), (old_currency, currency) = figure_changes.exposure, figure_changes.currency
    if new is None:
        return
    was_endless, endless = figure_changes.endless
    limit, key = policy.max_exposure.get(currency), ("wagers", 0)
    was, now = None if old is None else money(old, old_currency), money(new, currency)
    if policy.max_exposure and endless and not was_endless:
        yield Impact(
            "exposure-above-limit",
            "exposure/endless",
            "what one round may win has no limit, and the policy limits what it can cost: expected a limit "
            "on the win, or on what is granted again",
            was,
            None,
            key,
        )
    if old is not None and (old, old_currency) != (new, currency):
        example = ", in rounds as long as are played here: there is no end of it" if endless else ""
        message = f"most that one round costs{example}: {was} → {now}"
        yield Impact("max-exposure-changed", "exposure", message, was, now, key)
    above_before = limit is not None and old is not None and old_currency == currency and old > limit
    beyond = ""
    if limit is not None and new > limit and not above_before:
        beyond = f", more than the {money(limit, currency)} allowed"
    elif policy.max_exposure and limit is None and (is_new or old_currency != currency):
        beyond = f": the policy limits {', '.join(policy.max_exposure)}, and not {currency}"
    if beyond:
        yield Impact("exposure-above-limit", "exposure", f"one round can cost {now}{beyond}", was, now, key)


def _strategy(figure_changes: FigureChanges, wager: str) -> Iterator[Impact]:
    """Yields that optimal play changed, with the hands."""
    if not figure_changes.flips and not any(figure_changes.cells):
        return
    shown = ", ".join(f"{flip.hand} {flip.before} → {flip.after}" for flip in figure_changes.flips[:5])
    rest = len(figure_changes.flips) - 5
    said = [
        f"optimal play changed on {len(figure_changes.flips)} hands{': ' if shown else ''}{shown}"
        + (f" and {rest} more" if rest > 0 else "")
    ]
    cells = zip(figure_changes.cells, ("come up that did not before", "no longer come up"), strict=True)
    said += [f"{number} hands {words}" for number, words in cells if number]
    yield Impact(
        "strategy-changed",
        wager,
        "; ".join(said),
        None,
        str(len(figure_changes.flips)),
        ("wagers", 0),
        wager,
    )

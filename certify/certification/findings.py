"""Findings: what a reader must know, each with its numbers and the command that shows it again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.analysis import ThreeReturns, analyze, three_returns
from certify.certification.open_card_findings import explained, open_card_findings
from certify.clauses.registry import checks
from certify.clauses.results import ExactResults
from certify.exact import fraction_text, percent_text
from certify.families.sette_e_mezzo.exact.strategies import MAIN_OPTIMAL
from certify.families.sette_e_mezzo.exact.three_returns import StrategyReturns
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, rules_of
from certify.model.finding import Finding, FindingDraft, Observation, Severity, Verdict
from certify.model.provenance import Provenance

FLOOR: Final = Fraction(75, 100)


def find(
    results: ExactResults, observations: Sequence[Observation], game_file: str, *, demonstration: bool
) -> tuple[Finding, ...]:
    """Returns all findings, worst first, numbered.

    Args:
        results: Everything computed.
        observations: What the checks saw.
        game_file: Name of the submitted file, for the commands.
        demonstration: Whether the report is signed with a demonstration key.
    """
    drafts = [
        *_failed(observations, explained(results)),
        *_together(results),
        *_forfeited(results),
        *_recovered(results),
        *_other_reading(results),
        *open_card_findings(results),
        *_adopted_limits(results),
        *(_demonstration() if demonstration else ()),
    ]
    ordered = sorted(drafts, key=lambda draft: (-draft.severity, draft.status != "open"))
    return tuple(
        Finding(
            f"F-{number:02d}",
            draft.severity,
            draft.title,
            draft.detail,
            draft.clauses,
            draft.reproduce.format(game=game_file),
            draft.status,
        )
        for number, draft in enumerate(ordered, start=1)
    )


def _failed(observations: Iterable[Observation], told: Collection[str]) -> Iterator[FindingDraft]:
    """Turns every check that failed or could not be decided into a finding, unless one tells it better."""
    for observation in observations:
        about = f" ({observation.subject})" if observation.subject else ""
        detail = f"Expected {observation.expected}; observed {observation.observed}."
        if observation.verdict is Verdict.NOT_SATISFIED:
            if observation.check in told:
                continue
            yield FindingDraft(
                checks()[observation.check].severity if observation.check in checks() else Severity.MAJOR,
                f"Not satisfied: {observation.title}{about}",
                detail,
                (),
                "certify run {game}",
            )
        elif observation.verdict is Verdict.INCONCLUSIVE:
            reason = f" {observation.reason}." if observation.reason else ""
            yield FindingDraft(
                Severity.MINOR,
                f"Not decided: {observation.title}{about}",
                detail + reason,
                (),
                "certify run {game}",
            )


def _together(results: ExactResults) -> Iterator[FindingDraft]:
    """Whether one player reaches all printed returns at once."""
    if len(results.game.claims) < 2 or not isinstance(results.game.rules, SetteEMezzoRules):
        return
    found = three_returns(results.game)
    if found.possible or len(found.claims) < 2:
        return
    claims = ", ".join(f"{_title(results, claim.wager)} {claim.text}" for claim in found.claims)
    never = found.possible is False
    yield FindingDraft(
        Severity.MINOR,
        f"The {_number_word(len(found.claims))} printed returns do not hold for one and the same player",
        " ".join(
            (
                (
                    f"Printed: {claims}. With these pays they hold at once under no "
                    f"{'way of playing' if never else 'strategy analysed'}."
                ),
                *(_strategy_words(results, entry) for entry in found.strategies),
                *_at_most(results, found),
                *_would_hold(results),
                "The source names no strategy.",
            )
        ),
        ("gli-19@3.0/4.7.2(a)",),
        "certify analyze {game} --strategy always-second-card",
    )


def _title(results: ExactResults, wager: str) -> str:
    return results.game.wager(wager).title


def _strategy_words(results: ExactResults, entry: StrategyReturns) -> str:
    """Returns the returns of all wagers under one strategy in a sentence."""
    listed = ", ".join(
        f"{_title(results, w)} {percent_text(exact, 4)} %" for w, exact in entry.figures.returns
    )
    return f"Under {entry.figures.strategy}: {listed}."


def _at_most(results: ExactResults, found: ThreeReturns) -> Iterator[str]:
    """Says what a side bet returns at most while the main wager keeps its printed return."""
    printed = {claim.wager: claim.printed.interval[0] for claim in found.claims}
    for wager, highest in found.most:
        if highest is not None and highest < printed[wager]:
            yield (
                f"While the main wager keeps its printed return, {_title(results, wager)} returns at most "
                f"{percent_text(highest, 4)} % under any play, mixtures included."
            )


def _would_hold(results: ExactResults) -> Iterator[str]:
    """Says where other pays than the adopted ones would let all printed returns hold for one player."""
    for wager, strategy in results.strategy_of.items():
        if strategy == MAIN_OPTIMAL or wager not in results.identifications:
            continue
        for search in results.identifications[wager].searches:
            if search.strategy == MAIN_OPTIMAL and search.fits_count:
                yield (
                    f"Other pays of {_title(results, wager)} would: {search.fits_count:,} whole-number paytables, "
                    f"{search.customary_count} of them of customary pays, give the printed figure to a player who "
                    f"plays {MAIN_OPTIMAL}."
                )


def _number_word(number: int) -> str:
    """Returns a small number as a word."""
    return {2: "two", 3: "three", 4: "four"}.get(number, str(number))


def _forfeited(results: ExactResults) -> Iterator[FindingDraft]:
    """What side bets return to a player who plays best for the main wager."""
    if not isinstance(results.game.rules, SetteEMezzoRules):
        return
    main = results.analyses[MAIN_OPTIMAL]
    for claim in results.game.claims[1:]:
        exact = main.wager(claim.wager).return_to_player
        if claim.printed.stands_for(exact):
            continue
        best = results.analyses[results.strategy_of[claim.wager]]
        costs = best.wager("main").return_to_player
        below = f", below the floor of {percent_text(FLOOR, 0)} %" if exact < FLOOR else ""
        yield FindingDraft(
            Severity.MINOR,
            f"{results.game.wager(claim.wager).title} returns {percent_text(exact, 4)} % to a player who "
            "plays best for the main wager",
            f"Exactly {fraction_text(exact)}{below}; printed is {claim.text}. Played for its own best return "
            f"({results.strategy_of[claim.wager]}), the side bet keeps the printed figure, but the main wager "
            f"then returns {percent_text(costs, 4)} %. The rules should name the strategy of every figure.",
            ("gli-19@3.0/4.7.1", "gli-19@3.0/4.7.2(a)"),
            "certify analyze {game} --strategy main-optimal",
        )


def _recovered(results: ExactResults) -> Iterator[FindingDraft]:
    """Which pays were recovered, how many fit, and what that means for their claims."""
    for wager in results.game.wagers:
        if not any(row.origin.provenance is Provenance.RECOVERED for row in wager.paytable.rows):
            continue
        found = results.identifications[wager.id]
        unique = found.fits_count == 1
        how = "one candidate fits" if unique else f"{found.fits_count:,} candidates fit"
        yield FindingDraft(
            Severity.NOTE if unique else Severity.MINOR,
            f"The pays of {wager.title} are lost and were recovered: {how} the printed figure",
            f"{found.conclusion} A recovered pay agrees with the printed figure by construction: what is confirmed "
            "independently is the rules, not the pays. "
            + (
                "That no other candidate fits is what speaks for this one. The supplier should confirm it."
                if unique
                else "Before certification the supplier must state the pays."
            ),
            ("gli-19@3.0/4.4.1(d)-part-2",),
            f"certify identify {{game}} --wager {wager.id}",
            "information" if unique else "open",
        )


def _other_reading(results: ExactResults) -> Iterator[FindingDraft]:
    """What Partita Perfetta would return under the reading that was not adopted."""
    game = results.game
    if not isinstance(game.rules, SetteEMezzoRules):
        return
    other = (
        PairCondition.DEALER_MUST_UNCOVER
        if rules_of(game).pair_condition is PairCondition.UNCONDITIONAL
        else PairCondition.UNCONDITIONAL
    )
    changed = replace(game, rules=replace(rules_of(game), pair_condition=other))
    exact = analyze(changed).wager("partita-perfetta").return_to_player
    yield FindingDraft(
        Severity.NOTE,
        "A silent rule decides the return of Partita Perfetta",
        "The source does not say whether a player's bust forfeits the wager. "
        f"Adopted: {rules_of(game).pair_condition}. Read as {other} instead, the same pays return "
        f"{percent_text(exact, 4)} % = {fraction_text(exact)} under "
        f"{MAIN_OPTIMAL} play.",
        ("gli-19@3.0/4.4.1(j)-part-2",),
        "certify identify {game} --wager partita-perfetta",
        "information",
    )


def _adopted_limits(results: ExactResults) -> Iterator[FindingDraft]:
    """Bet limits that the source does not print."""
    adopted = [
        wager for wager in results.game.wagers if wager.limits.origin.provenance is not Provenance.PRINTED
    ]
    if adopted:
        because = {f"reading/{reading.id}": reading.because for reading in results.game.readings}
        reasons = dict.fromkeys(because.get(wager.limits.origin.by, "") for wager in adopted)
        yield FindingDraft(
            Severity.NOTE,
            "The bet limits are adopted, not printed as such in the source",
            " ".join(
                (
                    f"Adopted for {', '.join(wager.title for wager in adopted)}.",
                    *(reason for reason in reasons if reason),
                    "Returns do not depend on them; the maximum exposure does, in proportion.",
                )
            ),
            ("gli-19@3.0/4.4.1(r)",),
            "certify run {game}",
            "information",
        )


def _demonstration() -> Iterator[FindingDraft]:
    """Says that nobody vouches for this signature."""
    yield FindingDraft(
        Severity.NOTE,
        "Signed with a demonstration key",
        "No key was given: the signature shows that nothing was changed since, not who signed. "
        "It must not be relied on as an issuer's.",
        (),
        "certify run {game} --key KEY.pem --cert CERT.pem --chain CHAIN.pem",
        "information",
    )

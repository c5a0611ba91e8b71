"""Checks of returns: printed against exact, by two ways, above the floor, by a complete strategy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.par_sheet import claim_status, cut_off
from certify.clauses.catalogue import UNREAD, Jurisdiction, kept_to
from certify.clauses.registry import Answer, ExactResults, exact_check, verdict_of
from certify.clauses.status import applicabilities
from certify.exact import exactly, fraction_text, interval_text, outward_texts, percent_text, units
from certify.families import Configuration, ConfigurationKind
from certify.mathematics import (
    analyze,
    certified_variants,
    configurations,
    figure_of,
    further,
    has_decisions,
    head_of,
    offered,
    plan_of,
)
from certify.mathematics.figures_evidence import best_possible, claim_words, figure_words
from certify.model import (
    LEAST_RETURN,
    RETURN,
    Analysis,
    Applicability,
    Bracket,
    Game,
    Limits,
    Provenance,
    Severity,
    Verdict,
    Wager,
    WagerFigures,
    ends_of,
    optimal_play,
)


def by_themselves(game: Game) -> tuple[Wager, ...]:
    """Returns the wagers that are configurations as they are submitted: all but those that meters are part of."""
    metered = {one.wager for one in offered(game) if one.kind is ConfigurationKind.SEED}
    return tuple(wager for wager in game.wagers if wager.id not in metered)


LOWEST_UNKNOWN: Final = "it is paid from a meter, and what it pays with the meter at its lowest is not stated"
"""Why a floor that holds at the meter as it is stated is not shown to hold."""


def at_lowest(game: Game, wager: str, verdict: Verdict, reason: str = "") -> tuple[Verdict, str]:
    """Returns whether a floor is kept with meters at their lowest, undecided where that is not stated.

    Source: GLI-19 v3.0 4.7.1(c).
    """
    if verdict is Verdict.SATISFIED and game.port.form.metered(game).get(wager) is False:
        return Verdict.INCONCLUSIVE, LOWEST_UNKNOWN
    return verdict, reason


def claims_of_variants(game: Game, strategy: str) -> Iterator[Answer]:
    """Yields whether each printed return of a variant is its exact return."""
    for one in certified_variants(game):
        figures = analyze(one.game, strategy)
        for claim in one.game.claims:
            exact = figure_of(claim, one.game, figures.wager(claim.wager))
            yield Answer(
                claim_status(claim, one.game.wager(claim.wager), exact),
                f"{claim.text}, that is {interval_text(*claim.printed.interval)}",
                f"{figure_words(claim, exact)} under {strategy}",
                subject=one.id,
                tried=1,
            )


def above_floor(game: Game, least: Fraction, reference: str, *, read: bool = True) -> Iterator[Answer]:
    """Yields whether each further configuration returns at least what a floor asks."""
    for one in further(game):
        verdict = verdict_of(one.returned >= least)
        undecided = verdict is Verdict.NOT_SATISFIED and not read
        yield Answer(
            Verdict.INCONCLUSIVE if undecided else verdict,
            f"at least {percent_text(least, 0)} %{reference}",
            f"{percent_text(one.returned)} % ({one.kind})",
            subject=one.id,
            tried=1,
            reason=UNREAD if undecided else "",
        )


def above_floor_rounded(game: Game, policy: str) -> Iterator[Answer]:
    """Yields whether each further configuration keeps to the floor at every stake, payouts rounded.

    Rounding takes less than a coin of what a round wins, and less than another of what a meter pays in it.
    """
    for one in further(game):
        limits = game.wager(one.wager).limits
        if one.kind is ConfigurationKind.GAMBLE or one.returned < LEAST_RETURN:
            continue  # A gamble stakes whole coins; a return below the floor before any rounding is another finding.
        hits = Fraction(1) if one.hits is None else ends_of(one.hits)[1]
        least = one.returned - 2 * hits / (limits.minimum * one.price)
        yield Answer(
            Verdict.SATISFIED if least >= LEAST_RETURN else Verdict.INCONCLUSIVE,
            at_least(limits, policy),
            f"{percent_text(least)} % at least: {percent_text(one.returned)} % less two whole coins of "
            f"{units(1, limits.currency)} {limits.currency} in each round that returns anything, at the least stake "
            f"({one.kind})",
            subject=one.id,
            tried=1,
            reason="" if least >= LEAST_RETURN else "what rounding takes is bounded, not counted",
        )


def at_least(limits: Limits, rule: str) -> str:
    """Returns what is expected at every stake."""
    least, most = units(limits.minimum, limits.currency), units(limits.maximum, limits.currency)
    steps = f" in steps of {units(limits.step, limits.currency)}" if limits.step > 1 else ""
    stakes = f"from {least} to {most} {limits.currency}{steps}"
    return f"at least 75 % at every stake {stakes}, payouts rounded {rule}"


def below_stake(game: Game) -> Iterator[Answer]:
    """Yields whether each further configuration returns no more than is staked.

    A meter as it is stated may return more: what it holds above its seed was staked before.
    """
    for one in further(game):
        if one.kind is not ConfigurationKind.METER:
            yield Answer(
                verdict_of(one.most_returned <= 1),
                "at most 100 %",
                f"{percent_text(one.most_returned)} % ({one.kind})",
                subject=one.id,
                tried=1,
            )


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether jurisdictions take a wagering configuration by its least return.

    Args:
        configuration: The configuration.
        taken: Verdict by title of the jurisdiction: inconclusive where its limit was not read in its primary text.
    """

    configuration: Configuration
    taken: dict[str, Verdict]


def taken_where(
    game: Game, analyses: Mapping[str, Analysis], regimes: Iterable[Jurisdiction]
) -> tuple[Acceptance, ...]:
    """Returns which jurisdictions take each wagering configuration, by the least return that each sets."""
    applies, rows = applicabilities(game), []
    limits = [
        (place.title, place.least_return)
        for place in regimes
        if place.least_return is not None and place.least_return.applies in applies
    ]
    for one in configurations(game, analyses):
        taken = {f"GLI-19, {percent_text(LEAST_RETURN, 0)} %": verdict_of(one.returned >= LEAST_RETURN)}
        for title, limit in limits:
            taken[f"{title}, {percent_text(limit.value, 0)} %"] = kept_to(limit, one.returned >= limit.value)
        taken = {where: at_lowest(game, one.wager, verdict)[0] for where, verdict in taken.items()}
        rows.append(Acceptance(one, taken))
    return tuple(rows)


BETWEEN: Final = "the limit is between the proven bounds of the value of the game: neither kept nor broken"
"""Why a limit inside a bracket decides nothing."""

NO_VALUE: Final = "a second party decides too, and of no strategy is it proven what it secures"
"""Why nothing is stated where no bracket was proven."""


@dataclass(frozen=True, slots=True)
class OptimalPlay:
    """A wager under the optimal method of play.

    Args:
        strategy: Name of the strategy, or of the pair whose bracket is proven.
        figures: Its figures.
        proven: Whether they are the optimal player's: a second party that decides too has been answered as well.
    """

    strategy: str
    figures: WagerFigures
    proven: bool

    @property
    def returns(self) -> Bracket:
        """What is proven of the return."""
        return self.figures.proven

    @property
    def words(self) -> str:
        """The return in percent, or the interval that holds it, and the strategy."""
        ends = self.returns
        if not ends.width:
            return f"{percent_text(ends.lower)} % under {self.strategy}"
        low, high = outward_texts(100 * ends.lower, 100 * ends.upper, 6)
        return f"between {low} % and {high} %, both sides at their best ({self.strategy})"

    @property
    def exact_words(self) -> str:
        """The same with its exact fractions."""
        ends = self.returns
        if not ends.width:
            return f"{percent_text(ends.lower)} %{exactly(ends.lower)} under {self.strategy}"
        return f"{self.words}: {fraction_text(ends.lower)} to {fraction_text(ends.upper)}"

    def evidence(self, wager: str) -> str:
        """Returns where the evidence holds it."""
        part = "bracket" if self.figures.bracket is not None else "return"
        return f"/analysis/{self.strategy}/wagers/{wager}/{part}"

    def at_least(self, floor: Fraction) -> tuple[Verdict, str]:
        """Returns whether the return is at least a floor, by the lower end; with why nothing is decided."""
        return self._held(self.returns.lower >= floor, self.returns.upper < floor)

    def at_most(self, ceiling: Fraction) -> tuple[Verdict, str]:
        """Returns whether the return is at most a ceiling, by the upper end; with why nothing is decided."""
        return self._held(self.returns.upper <= ceiling, self.returns.lower > ceiling)

    def _held(self, kept: bool, broken: bool) -> tuple[Verdict, str]:
        if not self.proven:
            return Verdict.INCONCLUSIVE, NO_VALUE
        if kept or broken:
            return (Verdict.SATISFIED if kept else Verdict.NOT_SATISFIED), ""
        return Verdict.INCONCLUSIVE, BETWEEN


def optimal(results: ExactResults, wager: str) -> OptimalPlay:
    """Returns a wager under the optimal method of play, the first of equals.

    Source: GLI-19 v3.0 4.7.1(b).
    """
    name = optimal_play({name: analysis.wager(wager) for name, analysis in results.analyses.items()})
    figures = results.analyses[name].wager(wager)
    return OptimalPlay(name, figures, figures.bracket is not None or not plan_of(results.game).banks)


@exact_check("submission.complete", "The paytables cover every winning hand, and no row is without a hand")
def complete(results: ExactResults) -> Iterable[Answer]:
    """Rows of each wager and hands that the game can deal correspond one to one."""
    game = results.game
    # A variant has strips of its own, on which a row may never be won.
    variants = [(one.id, one.game, wager) for one in certified_variants(game) for wager in one.game.wagers]
    for subject, played, wager in (*((wager.id, game, wager) for wager in game.wagers), *variants):
        # A submission that settles its rows itself may state one that no round wins.
        shown = {one.row for one in results.witnesses if one.wager == wager.id}
        required = game.port.rules.paid_rows(played, wager.id)
        reachable = set(game.port.rules.reachable_rows(played, wager.id))
        uncovered = [row for row in required if row not in wager.paytable.ids]
        empty = [row for row in wager.paytable.ids if row not in reachable]
        verdict, reason = verdict_of(not uncovered and not empty), ""
        if verdict is Verdict.SATISFIED and played is game and not shown.issuperset(wager.paytable.ids):
            verdict, reason = Verdict.INCONCLUSIVE, "no round was found that wins each row"
        yield Answer(
            verdict,
            f"winning hands: {len(required)}, each covered by one row",
            f"rows: {len(wager.paytable.ids)}; uncovered: {', '.join(uncovered) or 'none'}; "
            f"without a hand: {', '.join(empty) or 'none'}",
            subject=subject,
            reason=reason,
            tried=len({*required, *wager.paytable.ids}),
            evidence=("/wagers",),
        )


@exact_check(
    "submission.provenance",
    "Every value has a source, and no value is used to confirm itself",
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
        "recovered and assumed values say by what; none is called unique where several fit",
        f"{recovered} recovered values; without source: {', '.join(nameless) or 'none'}; "
        f"wrongly called unique: {', '.join(overstated) or 'none'}",
        evidence=("/rules", "/wagers"),
        tried=len(origins),
    )


@exact_check(
    "returns.claim-holds",
    "Each printed figure is exact under a named strategy",
    own="Figures that a source prints are compared with exact figures, whatever else is required",
)
def claim_holds(results: ExactResults) -> Iterable[Answer]:
    """The exact return is in the interval that the printed figure means."""
    game = results.game
    if not game.claims:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a printed return",
            "none",
            reason="the source prints no return of any wager; exact returns are stated all the same",
        )
    for claim in game.claims:
        strategy = claim.strategy or results.strategy_of[claim.wager]
        figures = results.analyses[strategy].wager(claim.wager)
        exact = figure_of(claim, game, figures)
        metered = claim.metric == RETURN and exact != figures.return_to_player
        played = f"{strategy}, every meter at its seed" if metered else strategy
        verdict = claim_status(claim, game.wager(claim.wager), exact)
        yield Answer(
            verdict,
            f"{claim.text}, that is {interval_text(*claim.printed.interval)}"
            if claim.metric == RETURN
            else f"{claim_words(claim)}: {claim.text}",
            f"{figure_words(claim, exact)} under {played}{best_possible(game, claim, exact)}",
            subject=claim.wager,
            reason="agrees by construction: the pays were recovered from this figure, so that it confirms nothing"
            if verdict is Verdict.FITTED
            else cut_off(claim.metric, claim.text, exact)
            if verdict is Verdict.NOT_SATISFIED
            else "",
            evidence=(f"/analysis/{strategy}/wagers/{claim.wager}/return",)
            if claim.metric == RETURN and not metered
            else ("/claims",),
            tried=1,
        )
    yield from claims_of_variants(game, next(iter(results.analyses)))


@exact_check(
    "returns.two-ways",
    "Counting ordered deals with the reference rules gives the same exact returns",
    own="Every figure of the report rests on the exact ones",
)
def two_ways(results: ExactResults) -> Iterable[Answer]:
    """Two exact ways that share no code but the nouns give the same fraction, to the last digit."""
    if not any(results.counted.values()):
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a second exact way of counting",
            "the family has no second exact count",
            reason="returns are counted in one exact way, and compared with play-through",
        )
    for strategy, counted in results.counted.items():
        for wager, second in counted.items():
            exact = results.analyses[strategy].wager(wager).return_to_player
            yield Answer(
                verdict_of(exact == second),
                f"enumeration: {fraction_text(exact)}",
                f"direct counting: {fraction_text(second)}",
                subject=f"{wager}, {strategy}",
                evidence=("/counted",),
                tried=1,
            )


@exact_check(
    "returns.not-above-total",
    "No wager returns more than is staked, under the best strategy analysed",
    severity=Severity.CRITICAL,
    own="The clauses for table games set floors and no ceiling, but a bank that pays more than is staked loses in "
    "the long run",
)
def not_above_total(results: ExactResults) -> Iterable[Answer]:
    """The return of each wager by itself with its optimal method of play, and on everything staked."""
    for wager in by_themselves(results.game):
        play = optimal(results, wager.id)
        verdict, reason = play.at_most(Fraction(1))
        on_all = play.figures.return_on_total_wagered
        staked = "" if on_all is None else f", {percent_text(on_all)} % of everything staked"
        yield Answer(
            verdict,
            "at most 100 %",
            f"{play.exact_words}{staked}",
            subject=wager.id,
            reason=reason,
            evidence=(play.evidence(wager.id),),
            tried=1,
        )
    yield from below_stake(results.game)


@exact_check("returns.floor", "Each wager returns at least 75 % with its optimal method of play")
def floor(results: ExactResults) -> Iterable[Answer]:
    """The floor of GLI-19 v3.0 4.7.1 for every wager by itself."""
    return _each_above(results, LEAST_RETURN)


def _each_above(
    results: ExactResults, least: Fraction, reference: str = "", *, read: bool = True
) -> Iterator[Answer]:
    """Yields whether each wager, and each further configuration, returns at least what a floor asks."""
    for wager in by_themselves(results.game):
        play = optimal(results, wager.id)
        verdict, reason = at_lowest(results.game, wager.id, *play.at_least(least))
        if verdict is Verdict.NOT_SATISFIED and not read:
            verdict, reason = Verdict.INCONCLUSIVE, UNREAD
        yield Answer(
            verdict,
            f"at least {percent_text(least, 0)} %{reference}",
            play.words,
            subject=wager.id,
            reason=reason,
            evidence=(play.evidence(wager.id),),
            tried=1,
        )
    yield from above_floor(results.game, least, reference, read=read)


@exact_check("returns.gamble-even", "A gamble returns exactly what is staked on it")
def gamble_even(results: ExactResults) -> Iterable[Answer]:
    """A gamble of one step, and of as many as are offered, returns 100 % (GLI-19 v3.0 4.8.5)."""
    gambles = [one for one in offered(results.game) if one.kind is ConfigurationKind.GAMBLE]
    if not gambles:
        yield Answer(Verdict.NOT_APPLICABLE, "exactly 100 %", "none", reason="no gamble is offered")
    for one in gambles:
        yield Answer(
            verdict_of(one.returned == one.most_returned == 1),
            "exactly 100 %",
            f"{percent_text(one.returned)} % at least, {percent_text(one.most_returned)} % at most",
            subject=one.id,
            tried=1,
        )


@exact_check("returns.local-floor", "Each wager returns at least what the jurisdiction requires beyond 75 %")
def local_floor(results: ExactResults) -> Iterable[Answer]:
    """The floors that jurisdictions set themselves for games of every kind, for every wager by itself."""
    return _local_floor(results, slots=False)


@exact_check(
    "returns.slot-floor", "Each wager returns at least what the jurisdiction requires of slot machines"
)
def slot_floor(results: ExactResults) -> Iterable[Answer]:
    """The floors that jurisdictions set for slot machines alone: a check of its own, since other clauses name it."""
    return _local_floor(results, slots=True)


def _local_floor(results: ExactResults, *, slots: bool) -> Iterator[Answer]:
    limits = [
        limit
        for limit in results.regime.least_returns(applicabilities(results.game))
        if (limit.applies is Applicability.SLOT_MACHINES) == slots
    ]
    if not limits:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a floor of the jurisdiction",
            "none",
            reason="no jurisdiction of this report sets a floor of its own",
        )
    for limit in limits:
        yield from _each_above(results, limit.value, f" ({limit.reference})", read=limit.read)


@exact_check(
    "strategy.complete",
    "The optimal strategy follows from the rules: a best decision for every hand",
    own="Every figure of best play rests on it",
)
def strategy_complete(results: ExactResults) -> Iterable[Answer]:
    """Every hand that can occur has a decision whose exact value no other decision exceeds."""
    for name, analysis in results.analyses.items():
        if name != head_of(results.game):
            continue
        if not analysis.decisions and not has_decisions(results.game):
            yield Answer(
                Verdict.NOT_APPLICABLE,
                "a best decision for every hand that can occur",
                "no round waits for a decision",
                subject=name,
                reason="nothing is decided in this game",
            )
            continue
        wrong = [
            decision.hand
            for decision in analysis.decisions
            if decision.values and decision.values.get(decision.best) != max(decision.values.values())
        ]
        yield Answer(
            verdict_of(bool(analysis.decisions) and not wrong),
            "a best decision for every hand that can occur",
            f"{len(analysis.decisions)} hands, {len(wrong)} without a best decision",
            subject=name,
            evidence=(f"/analysis/{name}/decisions",),
            tried=len(analysis.decisions),
        )

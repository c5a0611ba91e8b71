"""The exact figures of one state of a game, as the gate compares them, with verdicts on printed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from certify.errors import InputError
from certify.exact import fraction_text, parse_fraction
from certify.families.certified import Configuration, ConfigurationKind
from certify.families.registry import family_of
from certify.gate.facts import PRINTED, Subject
from certify.gate.figure_inputs import GateBasis
from certify.model.bounded import Figure, Interval, ends_of, figure_between
from certify.model.figures import (
    AdvertisedAward,
    Award,
    Bracket,
    Decision,
    Distribution,
    Outcome,
    RoundOdds,
    WagerFigures,
    optimal_play,
)
from certify.model.game import Claim, Game
from certify.model.printed import NOT_COUNTED, WORTH, PrintedVerdict
from certify.untrusted_input import JsonObject

Verdicts = Mapping[Subject, PrintedVerdict]
"""Verdicts by what they are about: ``("printed_counts", "two-card-14")``, ``("printed_rows", "TWO ACES")``."""


def printed_subjects(game: Game) -> tuple[Subject, ...]:
    """Returns the subject of each printed count and row of a game, one after the other.

    They are those under which the facts of the submission stand, so that each fact finds its verdict.
    """
    counts, rows = PRINTED
    listed = [(counts, count.id) for count in game.printed_counts]
    listed += [(rows, row.label) for row in game.printed_rows]
    seen: dict[tuple[str, str], int] = {}
    subjects: list[Subject] = []
    for entry in listed:
        seen[entry] = seen.get(entry, 0) + 1
        subjects.append((*entry, f"#{seen[entry]}") if seen[entry] > 1 else entry)
    return tuple(subjects)


def judge_printed(game: Game) -> Verdicts:
    """Returns the verdict on every printed count and row of a game.

    A figure that nothing counts is not one that holds: its verdict says that it cannot be counted, and why.
    """
    subjects = printed_subjects(game)
    counts = family_of(game).sources.printed
    if counts is None:
        missing = PrintedVerdict((NOT_COUNTED,), (), f"nothing counts printed tables of {game.family}")
        return dict.fromkeys(subjects, missing)
    judges = counts.judges(game) if subjects else ()
    return {about: _judged(judge) for about, judge in zip(subjects, judges, strict=True)}


def _judged(judge: Callable[[], PrintedVerdict]) -> PrintedVerdict:
    try:
        return judge()
    except InputError as error:
        return PrintedVerdict((NOT_COUNTED,), (), str(error))


def verdicts_document(verdicts: Verdicts) -> list[Any]:
    """Returns verdicts as JSON."""
    return [
        [list(about), list(verdict.worth), list(verdict.slips), verdict.reason]
        for about, verdict in verdicts.items()
    ]


def verdicts_from(document: list[Any], game: Game) -> Verdicts:
    """Returns the verdicts that :func:`verdicts_document` wrote.

    Raises:
        InputError: They are not those of the game's own printed tables, or a word in them is not known.
    """
    kept = {
        tuple(about): PrintedVerdict(tuple(worth), tuple(slips), str(reason))
        for about, worth, slips, reason in document
    }
    subjects = printed_subjects(game)
    if set(kept) != {*subjects} or len(document) != len(subjects):
        raise InputError("verdicts on other printed figures than expected")
    for verdict in kept.values():
        if not verdict.worth or not set(verdict.worth) <= set(WORTH):
            raise InputError(f"no verdict {verdict.worth}: expected some of {', '.join(WORTH)}")
    # Order in the file says nothing: the entry may stem from another order of the same figures.
    return {about: kept[about] for about in subjects}


_NO_CLASSES: Final[Mapping[str, Any]] = {"varying": {}, "awards": [], "listed": []}
"""Of a wager each of whose outcomes has one net result."""


@dataclass(frozen=True, slots=True)
class LikelyDecision:
    """What optimal play of the first wager does with one hand, and how often a round comes to it."""

    best: str
    probability: Fraction


@dataclass(frozen=True, slots=True)
class GameFigures:
    """Exact figures of one state of a game.

    Args:
        wagers: Figures by strategy and wager.
        decisions: Optimal play of the first wager by hand, and by the card that the dealer shows where there is one.
        exposure: The most that a round costs in minor units of the currency, whichever configuration is staked.
        currency: Currency of the exposure.
        family: Family of the game; hands of two families are not compared.
        printed: What each printed count and row is worth.
        offered: Configurations that are more than a wager as submitted.
    """

    wagers: Mapping[str, Mapping[str, WagerFigures]]
    decisions: Mapping[str, LikelyDecision]
    exposure: int
    currency: str
    family: str
    printed: Verdicts
    offered: tuple[Configuration, ...] = ()

    @property
    def metered(self) -> bool:
        """Whether meters are part of every round, so that no wager is staked without them."""
        return any(one.kind is ConfigurationKind.SEED for one in self.offered)

    @property
    def endless(self) -> bool:
        """Whether there is no end of what a round of some configuration wins: exposure is then of an example."""
        wagers = next(iter(self.wagers.values()))
        return any(self.best(wager).endless for wager in wagers) or any(one.endless for one in self.offered)

    def best_strategy(self, wager: str) -> str:
        """Returns the strategy, or the pair whose bracket is proven, of the optimal method of play of a wager.

        Source: GLI-19 v3.0 4.7.1(b): the return is that of the optimal method of play.
        """
        return optimal_play({name: figures[wager] for name, figures in self.wagers.items()})

    def strategy_of(self, claim: Claim) -> str:
        """Returns the strategy under which a printed return is read: the one that it names, else the best one."""
        return claim.strategy or self.best_strategy(claim.wager)

    def best(self, wager: str) -> WagerFigures:
        """Returns the figures of a wager under the named strategy that is best for it."""
        return self.wagers[self.best_strategy(wager)][wager]


def count_figures(basis: GateBasis) -> GameFigures:
    """Returns the exact figures of a game from what they rest on and nothing else, every order of the deck counted.

    Raises:
        InputError: The game cannot be analysed, such as one with limits in two currencies.
    """
    from certify.mathematics import analyze, exposure
    from certify.mathematics.of_game import further

    game, strategies = basis.game, basis.strategies
    analyses = {name: analyze(game, name) for name in strategies}
    highest, ways = exposure(game), further(game)
    most = [one.exposure(game.wager(one.wager).limits) or 0 for one in ways]
    return GameFigures(
        wagers={
            name: {figures.wager: figures for figures in analysis.wagers}
            for name, analysis in analyses.items()
        },
        decisions={
            _cell(decision): LikelyDecision(decision.best, decision.probability)
            for decision in analyses[strategies[0]].decisions
        },
        exposure=max(highest.amount, *most, 0),
        currency=highest.currency,
        family=game.family,
        printed=judge_printed(game),
        offered=ways,
    )


def _cell(decision: Decision) -> str:
    """Returns the cell of the strategy that a decision fills, as a player names it."""
    return decision.hand if decision.dealer is None else f"{decision.hand} against {decision.dealer}"


def figures_document(figures: GameFigures, game: Game) -> JsonObject:
    """Returns figures as JSON: probabilities, and pays and what was staked only where no paytable states them."""
    return {
        "wagers": {
            strategy: {
                wager: {
                    "outcomes": {outcome.id: _outcome(outcome, game, wager) for outcome in found.outcomes},
                    "total_wagered": None
                    if found.total_wagered is None
                    else fraction_text(found.total_wagered),
                }
                | _bracket(found)
                | {
                    "rows": {
                        one.id: [one.of_row, *one.besides]
                        for one in found.outcomes
                        if one.of_row or one.besides
                    }
                }
                | _classes(found)
                | _near(found)
                for wager, found in wagers.items()
            }
            for strategy, wagers in figures.wagers.items()
        },
        "decisions": {
            hand: [decision.best, fraction_text(decision.probability)]
            for hand, decision in figures.decisions.items()
        },
        "exposure": figures.exposure,
        "currency": figures.currency,
        "printed": verdicts_document(figures.printed),
        "offered": [
            [
                one.id,
                one.kind,
                one.wager,
                fraction_text(one.returned),
                fraction_text(one.most_returned),
                one.endless,
            ]
            for one in figures.offered
        ],
    }


def _near(figures: WagerFigures) -> dict[str, dict[str, str]]:
    """Returns how far the probabilities of outcomes may be off, where there are such."""
    near = {one.id: fraction_text(one.off) for one in figures.outcomes if one.near}
    return {"near": near} if near else {}


def _bracket(figures: WagerFigures) -> dict[str, list[str]]:
    """Returns what is proven of the value of the wager, where two parties play it."""
    proven = figures.bracket
    return {} if proven is None else {"bracket": [fraction_text(end) for end in (proven.lower, proven.upper)]}


def _classes(figures: WagerFigures) -> JsonObject:
    """Returns what varies within outcomes, and what each row wins, where one round wins many times."""
    if not figures.varies and not figures.awards:
        return {}
    varying = {
        one.id: [fraction_text(one.variance), fraction_text(one.lowest), *_end(one.highest)]
        for one in figures.outcomes
        if one.varies
    }
    awards = [
        [one.part, one.row, fraction_text(one.times), fraction_text(one.contribution)]
        for one in figures.awards
    ]
    listed = [[fraction_text(net), fraction_text(chance)] for net, chance in _listed(figures)]
    return {"classes": {"varying": varying, "awards": awards, "listed": listed, **_odds(figures.odds)}}


def _odds(odds: RoundOdds | None) -> JsonObject:
    """Returns what is exact of rounds beside their classes."""
    if odds is None:
        return {}
    highest = () if odds.highest is None else (odds.highest, odds.highest_chance)
    top = odds.top
    return {
        "frequencies": [_bounded(one) for one in (odds.hits, odds.kept, odds.wins)],
        "odds": [[name, fraction_text(chance)] for name, chance in odds.named],
        "highest": [fraction_text(one) for one in highest],
        "top": [] if top is None else [list(top.rows), fraction_text(top.amount), fraction_text(top.times)],
    }


def _bounded(figure: Figure) -> list[str]:
    low, high = ends_of(figure)
    return [
        fraction_text(low),
        fraction_text(high),
        *([figure.method] if isinstance(figure, Interval) else []),
    ]


def _bounded_from(ends: Sequence[str]) -> Figure:
    return figure_between(parse_fraction(ends[0]), parse_fraction(ends[1]), ends[-1])


def _odds_from(classes: Mapping[str, Any]) -> RoundOdds | None:
    if "frequencies" not in classes:
        return None
    named = tuple((str(name), parse_fraction(chance)) for name, chance in classes["odds"])
    hits, kept, wins = map(_bounded_from, classes["frequencies"])
    found = RoundOdds(hits, kept, wins, named)
    if classes["highest"]:
        highest, chance = map(parse_fraction, classes["highest"])
        found = replace(found, highest=highest, highest_chance=chance)
    if classes["top"]:
        rows, amount, times = classes["top"]
        top = AdvertisedAward(tuple(rows), parse_fraction(amount), parse_fraction(times))
        found = replace(found, top=top)
    return found


def _listed(figures: WagerFigures) -> tuple[tuple[Fraction, Fraction], ...]:
    return () if figures.distribution is None else figures.distribution.listed


def _end(highest: Fraction | None) -> list[str]:
    return [] if highest is None else [fraction_text(highest)]


def _outcome(outcome: Outcome, game: Game, wager: str) -> list[str]:
    stated = outcome.id in game.wager(wager).paytable.ids and outcome.staked == 1
    stated = stated and not outcome.varies
    kept = (outcome.probability,) if stated else (outcome.probability, outcome.pays, outcome.staked)
    return [fraction_text(number) for number in kept]


def figures_from(document: Mapping[str, Any], basis: GateBasis) -> GameFigures:
    """Returns the figures that :func:`figures_document` wrote, with the pays of the game that they rest on.

    Raises:
        InputError: The document is not of that form, or its probabilities do not sum to one.
    """
    try:
        game, strategies = basis.game, basis.strategies
        if set(document["wagers"]) != set(strategies):
            raise InputError("other strategies than expected")
        ids = [wager.id for wager in game.wagers]
        return GameFigures(
            wagers={
                strategy: {wager: _wager(game, wager, document["wagers"][strategy][wager]) for wager in ids}
                for strategy in strategies
            },
            decisions={
                str(hand): LikelyDecision(str(best), parse_fraction(probability))
                for hand, (best, probability) in document["decisions"].items()
            },
            exposure=int(document["exposure"]),
            currency=str(document["currency"]),
            family=game.family,
            printed=verdicts_from(document["printed"], game),
            offered=tuple(
                Configuration(
                    str(name),
                    ConfigurationKind(kind),
                    str(wager),
                    parse_fraction(least),
                    parse_fraction(most),
                    endless=bool(endless),
                )
                for name, kind, wager, least, most, endless in document["offered"]
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"figures of the wrong form: {error!r}") from error


def _wager(game: Game, wager: str, kept: Mapping[str, Any]) -> WagerFigures:
    """Returns the figures of one wager from its probabilities and the paytable."""
    if set(kept) - {"bracket", "classes", "near"} != {"outcomes", "rows", "total_wagered"}:
        raise InputError(f"figures of {wager} of the wrong form")
    paytable, classes = game.wager(wager).paytable, kept.get("classes", _NO_CLASSES)
    found = []
    for name, numbers in kept["outcomes"].items():
        probability, *unstated = map(parse_fraction, numbers)
        net, put_in = unstated or (paytable.pays(name), Fraction(1))
        # What varies within a class, and its limits as far as it has any.
        variance, least, most, *more = (
            *map(parse_fraction, classes["varying"].get(name, ("0",))),
            *(None, None, None),
        )
        if variance is None or any(one is not None for one in more):
            raise InputError(f"figures of {wager} of the wrong form")
        row, *besides = map(str, kept["rows"].get(name, ("",)))
        off = parse_fraction(kept.get("near", {}).get(name, "0"))
        found.append(Outcome(name, net, probability, put_in, row, tuple(besides), variance, least, most, off))
    staked = kept["total_wagered"]
    proven = Bracket(*map(parse_fraction, kept["bracket"])) if "bracket" in kept else None
    awards = (
        Award(str(row), parse_fraction(times), parse_fraction(amount), str(part))
        for part, row, times, amount in classes["awards"]
    )
    total = None if staked is None else parse_fraction(staked)
    return WagerFigures(
        wager,
        tuple(found),
        total,
        proven,
        tuple(awards),
        _distribution(classes["listed"]),
        _odds_from(classes),
    )


def _distribution(listed: Sequence[Sequence[str]]) -> Distribution | None:
    """Returns the single net results that were kept, with the probability of all others."""
    if not listed:
        return None
    kept = tuple((parse_fraction(net), parse_fraction(chance)) for net, chance in listed)
    return Distribution(kept, 1 - sum((chance for _, chance in kept), Fraction(0)))

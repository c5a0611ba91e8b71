"""Game mathematics: paytables, exact returns, outcome tables, decisions, exposure."""

from collections.abc import Iterable, Sequence

from certify.evidence import (
    Evidence,
    StatedAnalysis,
    StatedFigures,
    StatedOutcome,
    StatedRow,
    StatedWager,
    by_wager,
)
from certify.messages import name_of, statements, tell, translated
from certify.model import Exposure, Kind, Witness, file_stem
from certify.report.chapters.configurations import configurations
from certify.report.chapters.joint_play import joined, together
from certify.report.chapters.readings import edge_sentence, evaluated_readings, recoveries
from certify.report.chapters.returns import (
    bank_of,
    exact_returns,
    further_claims,
    of_returns,
    par,
    staked,
    volatility,
)
from certify.report.chapters.scope import kinds, origin, rules
from certify.report.chapters.strategy import strategy_chart
from certify.report.formats import (
    as_printed,
    frequency,
    money,
    net_result,
    odds,
    one_in,
    percent,
    signed,
    stood_for,
)
from certify.report.layout import (
    Annex,
    PageCell,
    PageParts,
    PageTable,
    columns,
    judged,
    listed,
    number,
    off_of,
)
from certify.report.words import (
    awarding_wagers,
    decision_title,
    file_of,
    outcome_title,
    plural,
    said,
    strategies,
    unit_of,
    wager_titles,
)

_FIRST_CARDS = 10
"""Cards of a deck that an award is printed with: two whole hands of five, or two hole hands with a board."""
_MOST_CARDS = 12
"""Cards of a deck that the costliest round is printed with; what is decided of it is decided on fewer."""
_SHORT_ROUND = 20
_FEW = 5


def exposure(evidence: Evidence) -> PageParts:
    """Returns the costliest round."""
    node, found = evidence.exposure, evidence.configurations or ()
    endless = any(one.endless for one in found)
    titles, currency = wager_titles(evidence), node.currency
    costs = [(one.exposure, one.id) for one in found if one.exposure is not None]
    most, dearest = max(costs, default=(0, ""))
    stakes = dict(_amounts(node.stakes, currency))
    # A wager that is not bet on in that round neither costs nor wins.
    wins = [one for one in _amounts(node.wins, currency) if stakes.get(one[0]) != money(0, currency)]
    return PageParts(
        # The most, first wager included.
        amount=money(node.amount, currency),
        # Whether there are several wagers.
        several=len(node.wins) > 1,
        # What is staked and won on each; of a bound there is no such round.
        wins=listed(
            tell("extremes.stakes-and-wins-of-the"),
            "wager #stake #win",
            ((titles.get(wager, wager), stakes.get(wager), amount) for wager, amount in wins if not endless),
        ),
        # How the deck begins that it comes with.
        deck=_come(node.deck_names),
        # What is decided then.
        decisions=_decisions(node),
        # What the round would cost without the first wager, where that one loses in it; empty otherwise.
        without=_without_first(node, currency),
        # Whether there is no end of what a round may win, so that the amount bounds what is played here.
        endless=endless,
        # The configuration of which a round can cost more; empty where none can.
        dearest=dearest if most > node.amount else "",
        # What it can cost.
        most=money(most, currency),
    )


def _without_first(node: Exposure, currency: str) -> str:
    """Returns what the costliest round costs without the first wager, where that one loses in it."""
    wins = [won for _, won in node.wins]
    return money(node.amount - wins[0], currency) if len(wins) > 1 and wins[0] < 0 else ""


def _amounts(pairs: Iterable[tuple[str, int]], currency: str) -> list[tuple[str, str]]:
    return [(wager, money(amount, currency)) for wager, amount in pairs]


def _decisions(node: Exposure | Witness) -> str:
    return statements(decision_title(entry) for entry in node.decisions) or tell("extremes.none-to-make")


def witnesses(evidence: Evidence) -> PageParts | None:
    """Tabulates for every row the first cards of a deck that ends in it."""
    titles, found = wager_titles(evidence), evidence.witnesses
    several = len(titles) > 1
    paid = {(wager.id, row.id) for wager in evidence.wagers for row in wager.paytable}
    title, caption, kind = (
        ("awards-can-be-won", "a-deal-that-wins-each", "award:24:outcome")
        if all((witness.wager, witness.row) in paid for witness in found)
        else ("every-outcome-can-be-reached", "a-deal-that-ends-in", "outcome:24:outcome")
    )
    remarks = [tell("extremes.each-deal-was-replayed-by")]
    if Kind.REEL in kinds(evidence):
        remarks.append(tell("extremes.top-of-the-window"))
    table = listed(
        tell(f"extremes.{caption}"),
        f"{'wager:14' if several else ''} {kind} the-deck-begins!note "
        f"{'decisions:11!note' if several else 'decisions:20!note'}",
        (
            (
                *((titles.get(one.wager, one.wager),) if several else ()),
                one.row,
                _come(one.deck_names, _FIRST_CARDS),
                _decisions(one),
            )
            for one in found
        ),
        " ".join(remarks),
        dense=True,
    )
    return PageParts(title=tell(f"extremes.{title}"), table=table) if table else None


def _come(named: tuple[str, ...], first: int = _MOST_CARDS) -> str:
    """Returns what comes by the names that the game gives it: short rounds whole, the first so many of others.

    More than a few numbers that follow each other are printed by their ends: ``1–10, 21``; a throw of 1, 2, 3 is not.
    """
    names = [translated(name) for name in (named if len(named) <= _SHORT_ROUND else named[:first])]
    if not all(name.isdecimal() for name in names):
        return ", ".join(names)
    runs: list[list[int]] = []
    for number_drawn in map(int, names):
        if runs and number_drawn == runs[-1][-1] + 1:
            runs[-1].append(number_drawn)
        else:
            runs.append([number_drawn])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > _FEW else ", ".join(map(str, run)) for run in runs)


# Characters of a fraction that the last column of the outcomes holds, and where their names need more room.
_WIDE, _NARROW = 33, 32
# Outcomes of which a page shows all, and how many it shows of more where a data file has all of them.
_LONG, _SHOWN = 32, 20


def mathematics(evidence: Evidence, annex: Annex) -> PageParts:
    """Returns the chapter."""
    titles = wager_titles(evidence)
    analyses = strategies(evidence)
    wagers = tuple(_wager(entry, awarded=entry.id in awarding_wagers(evidence)) for entry in evidence.wagers)
    many = len(wagers) > 1
    return PageParts(
        rules=rules(evidence),
        wagers=() if many else wagers,
        paytables=_paytables(wagers) if many else None,
        claims=listed(
            tell("mathematics.returns-as-printed-by-the"),
            "wager:13 #printed:9 #stands-for:15 #exact:15 what-supports-it!note verdict:14",
            (
                (
                    titles.get(claim.wager, claim.wager),
                    as_printed(claim.printed),
                    stood_for(*claim.interval),
                    PageCell(frequency(claim.exact, 6), "number", detail=translated(claim.strategy)),
                    tell("mathematics.by-construction")
                    if claim.by_construction
                    else said(claim, "independent_evidence") or None,
                    judged(claim.status, f"claim/{claim.wager}"),
                )
                for claim in of_returns(evidence.claims)
            ),
        ),
        further_claims=further_claims(evidence.claims, titles),
        recoveries=recoveries(evidence, titles),
        returns=exact_returns(analyses, evidence, annex),
        configurations=configurations(evidence),
        staked=staked(analyses, evidence, annex),
        edge=edge_sentence(evidence),
        bank=bank_of(evidence),
        readings=evaluated_readings(evidence, annex),
        volatility=volatility(analyses, evidence),
        strategies=_strategies(analyses, evidence, annex),
        chart=_chart(analyses[0], evidence) if analyses else None,
        together=together(evidence, annex),
        par=par(evidence),
        witnesses=witnesses(evidence),
        exposure=exposure(evidence),
        data=file_of(evidence, "data/outcomes.csv"),
    )


def _chart(analysis: tuple[str, StatedAnalysis], evidence: Evidence) -> PageParts | None:
    """Returns the strategy chart, with what the rules leave no decision to; none where nothing is decided."""
    name, found = analysis
    met = tuple(decision for decision in found.decisions if decision.reachable)
    outcomes = {row.outcome for wager in found.wagers.values() for row in wager.outcomes}
    # What the family says of an outcome that leaves no decision: a card that ends the round as it is dealt.
    notes = " ".join(filter(None, (name_of("no-decision", outcome, "") for outcome in sorted(outcomes))))
    listed = file_of(evidence, f"data/decisions-{file_stem(name)}.csv")
    return strategy_chart(met, listed, notes) if met else None


def _paytables(wagers: tuple[PageParts, ...]) -> PageTable:
    """Returns the paytables of many wagers as one table."""
    told = [
        (
            PageCell(
                wager.title,
                detail=wager.description,
                lines=(tell("mathematics.limits", limits=wager.limits),) if wager.limits else (),
            ),
            wager.paytable,
        )
        for wager in wagers
    ]
    return joined(tell("mathematics.paytables"), told, 30)


def _wager(entry: StatedWager, *, awarded: bool) -> PageParts:
    limits, title = entry.limits, translated(entry.title)
    least, most = (money(limit, limits.currency) for limit in (limits.minimum, limits.maximum))
    origin_of = tell(f"provenance.{limits.provenance}")
    stated = tell("mathematics.to", minimum=least, maximum=most, tell=origin_of)
    if limits.step is not None:
        step = money(limits.step, limits.currency)
        stated = tell("mathematics.to-in-steps", minimum=least, maximum=most, step=step, tell=origin_of)
    table = PageTable(
        tell("mathematics.paytable-of", title=title),
        columns("row:42", "#pays:14", "provenance"),
        tuple(
            (
                PageCell(translated(row.title), "run", detail=_outcome_named(row)),
                number(odds(row.pays, awarded=awarded)),
                origin(row),
            )
            for row in entry.paytable
        ),
    )
    description = translated(entry.description)
    ended = description if not description or description.endswith((".", "!", "?")) else f"{description}."
    return PageParts(title=title, description=ended, limits=stated, paytable=table)


def _outcome_named(row: StatedRow) -> str:
    """Returns what the tables of outcomes call a row, in brackets; nothing where its title says it."""
    named = outcome_title(row.id)
    return f"({named})" if named.lower() not in translated(row.title).lower() else ""


def _strategies(
    analyses: tuple[tuple[str, StatedAnalysis], ...], evidence: Evidence, annex: Annex
) -> tuple[PageParts, ...]:
    """Returns the outcomes of all wagers under the first strategy; those under every one are in a data file."""
    titles = wager_titles(evidence)
    return tuple(
        PageParts(
            name=translated(name),
            description=translated(analysis.strategy_class),
            outcomes=_joined_outcomes(
                [
                    (title, _outcomes(title, found, annex, unit_of(evidence)))
                    for wager, found in by_wager(evidence, analysis.wagers)
                    for title in (titles.get(wager, wager),)
                ]
            ),
        )
        for name, analysis in analyses[:1]
    )


def _joined_outcomes(tables: Sequence[tuple[str, PageTable]]) -> tuple[PageTable, ...]:
    """Returns the outcomes of several wagers as one table, where all have the same columns."""
    columns_of = {tuple(column.title for column in table.columns) for _, table in tables}
    if len(tables) == 1 or len(columns_of) > 1:
        return tuple(table for _, table in tables)
    told = [(PageCell(title), table) for title, table in tables]
    return (joined(tell("mathematics.every-outcome-of-every-wager"), told, 16),)


def _outcomes(title: str, found: StatedFigures, annex: Annex, unit: str) -> PageTable:
    # Where a round can cost more than the first stake, or a row is a class of rounds, no odds say its net result.
    more = any(outcome.net < -1 for outcome in found.outcomes)
    varies = any(outcome.variance is not None for outcome in found.outcomes)
    netted = more or varies
    # What never comes under a strategy is no row of it.
    shown = tuple(outcome for outcome in found.outcomes if outcome.probability)
    if len(shown) > _LONG:
        least = sorted((outcome.probability for outcome in shown), reverse=True)[_SHOWN - 1]
        shown = tuple(outcome for outcome in shown if outcome.probability >= least)
    rows = []
    for outcome in shown:
        name = outcome_title(outcome.outcome)
        off = off_of(outcome.off, "probability")
        about = "≈" if off else ""
        rows.append(
            (
                PageCell(name),
                number(_net(outcome) if netted else _pays(outcome)),
                number(about + percent(outcome.probability)),
                number(about + one_in(outcome.probability)),
                number(about + percent(outcome.contribution)),
                annex.cell(
                    outcome.probability,
                    tell("mathematics.probability-of", name=name, title=title),
                    _NARROW if netted else _WIDE,
                    off=off,
                ),
            )
        )
    head = columns(
        "outcome:25" if netted else "outcome:22",
        "#net:7" if netted else "#pays:9",
        "#probability:13",
        "#odds:12",
        "#of-the-return:14",
        "exact:29" if netted else "exact:30",
    )
    same = len(found.net) >= len(found.outcomes)
    single = tell("mathematics.every-outcome-has-a-net") if same else ""
    remark = tell("mathematics.outcomes-are-classes") if varies else single
    if more:
        remark = (tell("mathematics.net-what-the-player-has", units=plural(unit), unit=unit) + remark).strip()
    if len(shown) < len(found.outcomes):
        remark = (
            f"{tell('mathematics.most-probable', shown=len(shown), outcomes=len(found.outcomes))} {remark}"
        )
    return PageTable(tell("mathematics.every-outcome", title=title), head, tuple(rows), remark)


def _net(outcome: StatedOutcome) -> str:
    """Returns the net result of an outcome, of a class of rounds on average."""
    return net_result(outcome.net) if outcome.variance is None else signed(outcome.net, 3)


def _pays(outcome: StatedOutcome) -> str:
    """Returns what an outcome pays; a loss pays nothing and a push returns the stake."""
    pays = outcome.pays
    if outcome.net == -1 if pays is None else pays.startswith("-"):
        return tell("mathematics.loses")
    if pays is None:  # A part of the stake is lost: no odds say so.
        return net_result(outcome.net)
    return tell("mathematics.push") if pays.startswith("0 ") else odds(pays)

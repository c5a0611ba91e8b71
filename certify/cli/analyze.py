"""``certify analyze``: exact figures of a game."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final

import click

from certify.analysis.par_sheet import cut_off
from certify.by_key import gathered
from certify.certification.par_files import par_csv, par_xlsx
from certify.characters import csv_bytes
from certify.clauses import Jurisdiction, jurisdictions, read_own
from certify.cli.options import (
    BANK,
    GAME,
    STRATEGY,
    keeps_results,
    next_step,
    parse_stakes,
    print_json,
    print_result,
    strategy_name,
)
from certify.errors import InputError
from certify.evidence import JudgedClaim, StatedAnalysis, StatedFigures, StatedOutcome, plain
from certify.exact import (
    between,
    decimal_text,
    exact_text,
    fraction_text,
    outward_texts,
    parse_fraction,
    percent_between,
    percent_text,
)
from certify.families import reachable_rows, witnesses_of
from certify.mathematics import (
    analyze as analyze_game,
    explain,
    explanation_json,
    explanation_text,
    exposure,
    further,
    joint_figures,
)
from certify.mathematics.figures_evidence import analysis_evidence, bound, configurations_evidence
from certify.mathematics.par_tables import par_tables, par_title
from certify.model import (
    AGAINST,
    MAXIMUM_AWARD,
    ODDS,
    ODDS_OF_ROW,
    RETURN,
    Analysis,
    Decision,
    Game,
    Verdict,
    ends_of,
    percent_of,
    row_names,
)
from certify.report.figures import advantage
from certify.submission import read_game
from certify.untrusted_input import Document, write_whole


@click.command(
    epilog="Example: certify analyze fixtures/games/playtech-7-e-mezzo/game.toml --strategy always-second-card"
)
@click.argument("game", type=GAME)
@STRATEGY
@BANK
@click.option("--stakes", metavar="W=N,…", help="Stakes by wager, for jointly-optimal: main=1,side=1.")
@click.option(
    "--explain",
    "hand",
    metavar="HAND",
    help="The tree behind one decision, as the decisions name it: A+3, or 3 against 4.",
)
@click.option(
    "--par-sheet",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the PAR sheet to this file too: .csv or .xlsx.",
)
@click.option(
    "--decisions",
    "shown",
    type=click.Choice(["chart", "all", "none"]),
    default="chart",
    show_default=True,
    help="How the best decisions are printed: as a chart, hand by hand, or not; JSON holds every hand.",
)
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the report's drawings of these figures (SVG) into this folder.",
)
@click.option(
    "--catalogue",
    "catalogues",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="A jurisdiction of your own, whose minimum return is judged too; may be repeated.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    help="Form of the output; csv is one row an outcome.",
)
@keeps_results
def analyze(
    game: Path,
    strategy: str | None,
    bank: str | None,
    stakes: str | None,
    hand: str | None,
    par_sheet: Path | None,
    shown: str,
    plots: Path | None,
    catalogues: tuple[Path, ...],
    output: str,
) -> None:
    """Print the exact figures of GAME.toml: returns, outcomes, distribution, and the best decisions as a chart."""
    submission, own = read_game(game), [read_own(path) for path in catalogues]
    if hand is not None:
        if output == "csv":
            raise click.UsageError("--format csv prints outcomes only: expected no --explain")
        _explain(submission, hand, output)
        return
    placed = parse_stakes(stakes)
    name = strategy_name(submission, strategy, bank)
    analysis = analyze_game(submission, name, placed)
    if par_sheet is not None:
        _write_par_sheet(par_sheet, submission, analysis)
    found = analysis_evidence(analysis, submission)
    if plots is not None:
        _write_plots(plots, analysis)
    if output == "csv":
        click.echo(_outcomes_csv(found), nl=False)
        return
    together = None if placed is None else joint_figures(submission, name, placed)
    document = _document(plain(found))
    for wager, figures in document["wagers"].items():
        for claim, of in zip(figures["claims"], _printed_of(submission, wager, name), strict=True):
            if of:
                claim["strategy"] = of
    sections = submission.port.pages.sections
    if sections is not None:
        document |= sections.figures(submission, analysis)
    analyses = {name: analysis}
    document["configurations"] = plain(configurations_evidence(submission, analyses, exposure(submission)))
    document["witnesses"] = [
        {
            "wager": witness.wager,
            "row": witness.row,
            "deck": list(witness.deck),
            "first_cards": list(row_names(submission.equipment, witness.deck)[:4]),
            "decisions": list(witness.decisions),
        }
        for witness in witnesses_of(submission, reachable_rows(submission)).values()
    ]
    if together is not None:
        document["joint"] = plain(together)
    if output == "json":
        print_json(document)
    else:
        _print(found, submission)
        if together is not None:
            click.echo(
                f"\nwhole stake: return {percent_text(together.total_return)} %, "
                f"standard deviation {together.standard_deviation:.6f} units"
            )
        for line in (
            *section_lines(document),
            *supplementary_lines(document),
            *_taken_lines(submission, analyses, own),
        ):
            click.echo(line)
        _print_decisions(submission, analysis, shown)
        next_step(output, "certify run --profile quick --out my-pack", game)


def _printed_of(game: Game, wager: str, strategy: str) -> list[str]:
    """Returns of which other strategy each printed figure of a wager is, empty where it is of this one."""
    return ["" if one.strategy in ("", strategy) else one.strategy for one in game.claims_on(wager)]


def _document(figures: Document) -> Document:
    """Returns figures as scripts read them: both names of a pair, and what is proven of its value in place of a return.

    The pair of a bracket has a return of its own, which no reader is to take for the value of the game.
    """
    strategy, pair, bank = figures["strategy"].partition(AGAINST)
    document = {"game": figures["game"], "strategy": strategy, **({"bank": bank} if pair else {})} | {
        key: value for key, value in figures.items() if key != "strategy"
    }
    for wager in document["wagers"].values():
        if "bracket" in wager:
            for key in ("return", "return_percent", "house_edge", "house_edge_percent"):
                wager[f"{key}_of_pair"] = wager.pop(key)
    return document


def _write_par_sheet(path: Path, submission: Game, analysis: Analysis) -> None:
    """Writes the PAR sheet in the form that the name of the file asks for."""
    if path.suffix not in (".csv", ".xlsx"):
        raise InputError(f"--par-sheet {path}: expected a file name that ends in .csv or .xlsx")
    tables = par_tables(submission, [analysis])
    content = par_csv(tables) if path.suffix == ".csv" else par_xlsx(tables, par_title(submission))
    write_whole(path, [content])


def _write_plots(folder: Path, analysis: Analysis) -> None:
    """Writes the drawings that the report has of these figures, each as a file of its own."""
    gained = gathered(
        (
            (one, other),
            (
                f"{decision.hand} against {decision.dealer}" if decision.dealer else decision.hand,
                float(decision.values[one] - decision.values[other]),
            ),
        )
        for decision in analysis.decisions
        if decision.reachable
        for one, other in combinations(sorted(decision.values), 2)
    )
    drawn = {pair: sorted(rows, key=lambda row: -row[1]) for pair, rows in gained.items() if len(rows) > 1}
    if not drawn:
        raise InputError(
            f"--plots {folder}: what one decision gains over another is drawn, and this game has no two to compare: "
            "nothing was written (rounds played are drawn by certify run)"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for (one, other), rows in drawn.items():
        figure = advantage(rows, one, other, "")
        write_whole(folder / f"{one}-or-{other}.svg", [figure.drawing.encode()])


def _outcomes_csv(found: StatedAnalysis) -> str:
    """Returns every outcome of every wager in a row, exact figures as fractions."""
    head = ("wager", "outcome", "pays", "net", "probability", "probability_percent", "contribution")
    rows = (
        (
            *(wager, one.outcome, one.pays or "", fraction_text(one.net), fraction_text(one.probability)),
            *(percent_text(one.probability), fraction_text(one.contribution)),
        )
        for wager, figures in found.wagers.items()
        for one in figures.outcomes
    )
    return csv_bytes(head, rows, "\n").decode()


def _explain(submission: Game, hand: str, output: str) -> None:
    """Prints the tree behind one decision."""
    found = explain(submission, hand)
    print_result(output, explanation_json(found), [explanation_text(found)])


def section_lines(document: Document) -> Iterator[str]:
    """Yields what the family adds to the common figures: the edge, the readings, the printed tables."""
    if "edge" not in document:
        return
    yield f"\n{document['edge']['sentence']}"
    if "equal_final_bets" in document["edge"]:
        yield document["edge"]["equal_final_bets"]["sentence"]
    for finding in document["findings"]:
        yield f"FINDING ({finding['severity']}): {finding['title']}"
    yield "\nreadings (return of the first wager under optimal play)"
    for reading in document["readings"]:
        yield f"    {reading['reading']:64} {reading['return_percent']:>10} %"
    yield f"  {document['combinations']['sentence']}"
    yield "\nwitnesses (the first draws, in order)"
    for witness in document["witnesses"]:
        decisions = ", ".join(witness["decisions"]) or "no decision"
        yield f"    {witness['row']:24} {', '.join(witness['first_cards'])}: {decisions}"
    for name in ("counts", "rows"):
        if document["printed"][name]:
            yield f"\nprinted {name}"
        for row in document["printed"][name]:
            verdict = row.get("verdict") or f"{row['under_implied_reading']}; {row['as_probability']}"
            yield f"    {row['label']:24} {verdict}: {row['detail']}"
            for strategy, chances in row.get("conditional", {}).items():
                told = ", ".join(
                    f"{outcome.replace('_', ' ')} {chances[outcome]['percent']:>8} %"
                    for outcome in document["printed"]["outcomes"]
                )
                yield f"      {'truly, under ' + strategy:32} {told}"


def _print(found: StatedAnalysis, game: Game) -> None:
    """Prints the figures as text, percentages first and fractions beneath."""
    strategy, pair, bank = found.strategy.partition(AGAINST)
    against = f" against {bank}" if pair else ""
    click.echo(f"{found.game}, {strategy}{against} ({found.strategy_class})")
    for name, wager in found.wagers.items():
        _print_return(name, wager)
        if wager.return_on_total_wagered is not None:
            on_all = _in_percent(wager.return_on_total_wagered, _off(wager, "return_on_total_wagered"))
            click.echo(f"  on everything staked: {on_all}")
        click.echo(
            f"  hit frequency {percent_of(wager.hit_frequency, off=_off(wager, 'hit_frequency'))} %, "
            f"standard deviation {wager.standard_deviation:.6f}"
        )
        if wager.off is not None:
            _, most = between(Fraction(0), 100 * wager.off["probability"])
            click.echo(
                f"  the probabilities of some outcomes are bounded: each to within {most} % of all rounds"
            )
        if wager.awards is not None:
            click.echo(_spread_line(wager))
        for claim, of in zip(wager.claims, _printed_of(game, name, found.strategy), strict=True):
            about = (
                "" if claim.metric == RETURN else f" ({' '.join((claim.metric, claim.row or '')).strip()})"
            )
            verdict = f"of {of}, not of this strategy" if of else _claim(claim)
            hint = "" if of or claim.holds else cut_off(claim.metric, claim.printed, claim.exact)
            click.echo(f"  printed {claim.printed}{about}: {verdict}{hint and f'; {hint}'}")
        if wager.awards is not None:
            click.echo(f"    {'':34} {'mean':>10}  {'chance':>10}    bars: logarithmic from 1 in 1,000,000")
        for outcome in wager.outcomes:
            click.echo(_class_line(outcome) if wager.awards is not None else _outcome_line(outcome))


def _off(told: StatedFigures | StatedOutcome, name: str) -> Fraction:
    """Returns how far a figure may be off, nought where it is exact."""
    return told.off[name] if told.off is not None else Fraction(0)


def _in_percent(value: Fraction, off: Fraction) -> str:
    """Returns a figure in percent, or its bounds."""
    return percent_between(value, off) if off else f"{percent_text(value)} %"


def _outcome_line(outcome: StatedOutcome) -> str:
    """Returns an outcome in one line: what it pays, and how often it comes."""
    kept = 1 + outcome.net
    pays = outcome.pays if kept >= 1 else f"{kept} back" if kept > 0 else "loses"
    chance = exact_text(outcome.probability, off=_off(outcome, "probability"))
    return f"    {outcome.outcome:34} {pays:>9}  {percent_text(outcome.probability):>10} %  {chance}"


def _spread_line(wager: StatedFigures) -> str:
    """Returns how far results spread, and the award that pays most, in one line."""
    index = ", ".join(f"{value:.2f} at {level}" for level, value in wager.volatility_index.items())
    top = wager.top_award
    pays = decimal_text(1 + parse_fraction(top.pays.replace(" to ", "/")), 2)
    least, most = (decimal_text(1 / end, 2) if end else "never" for end in ends_of(top.probability))
    odds = f"1 in {most}" if least == most else f"at most 1 in {most}"
    several = "" if top.expected in (None, top.probability) else f", {float(top.expected or 0):.6g} a round"
    award = "no award" if top.lost else f"top award {top.outcome} at {pays} x, {odds}{several}"
    return f"  volatility index {index}; {award}"


def _class_line(outcome: StatedOutcome) -> str:
    """Returns a class of rounds in one line: what it returns on average, how often it comes, and a bar of that."""
    returned, chance = decimal_text(1 + outcome.net, 2), float(outcome.probability)
    # Chances of wins span a dozen powers of ten: on a straight scale all but the first would be nothing.
    bar = "#" * max(0, round(5 * (6 + math.log10(chance)))) if chance else ""
    percent = percent_text(outcome.probability)
    return f"    {outcome.outcome:34} {returned:>10}  {percent:>10} %  {bar}".rstrip()


def supplementary_lines(document: Document) -> Iterator[str]:
    """Yields the tables that the family adds, each figure in its unit."""
    for table in document.get("supplementary_tables", ()):
        titles = {column["id"]: column["title"] for column in table["columns"]}
        yield f"\n{table['title']}"
        yield f"    {'':34}" + "".join(f" {title:>20}" for title in titles.values())
        for row in table["rows"]:
            cells = (_asked(row["figures"].get(column)) for column in titles)
            yield f"    {row['of']:34}" + "".join(f" {cell:>20}" for cell in cells)
        yield f"    {table['remark']}"


_MANY: Final = 10**12
"""Rounds from which on six digits and a power of ten say more than all the digits."""


def _asked(figure: Document | None) -> str:
    """Returns one figure of such a table, an interval by both of its ends unless they print the same."""
    if figure is None:
        return ""
    unit = figure["unit"]
    factor, sign = (100, " %") if unit == "chance" else (1, "")
    low, high = (factor * parse_fraction(figure[end]) for end in ("low", "high"))
    if unit == "rounds" and low >= _MANY:
        return f"{float(low):.5e}"
    whole = low == high and low.denominator == 1
    places = 6 if unit != "rounds" else 0 if whole or low >= 1000 else 2
    near, far = (decimal_text(end, places) for end in (low, high))
    return near + sign if near == far else f"{' to '.join(outward_texts(low, high, places))}{sign}"


def _taken_lines(
    submission: Game, analyses: Mapping[str, Analysis], own: Sequence[Jurisdiction]
) -> Iterator[str]:
    """Yields which jurisdictions take each wagering configuration, where there are more than wagers as submitted."""
    from certify.clauses.checks.returns import taken_where

    places = (*jurisdictions().values(), *own)
    if not further(submission) and not own:
        return
    yield "\nminimum returns of jurisdictions, for each wagering configuration"
    for one in taken_where(submission, analyses, places):
        named = f"{one.configuration.id} ({one.configuration.kind})"
        yield f"    {named:34} {percent_text(one.configuration.returned):>12} %"
        for verdict, where in sorted(
            {each: [n for n, v in one.taken.items() if v is each] for each in set(one.taken.values())}.items()
        ):
            yield f"      {verdict.value}: {'; '.join(where)}"


def _print_decisions(submission: Game, analysis: Analysis, shown: str) -> None:
    """Prints the best decisions, after the figures: as a chart by default, hand by hand where that was requested."""
    if shown == "none" or not analysis.decisions:
        return
    if shown == "chart":
        from certify.cli.decisions_chart import chart_lines

        click.echo("\nbest decisions (--decisions all: every hand with the value of each)")
        for line in chart_lines(analysis.decisions, submission.port.strategies.charted):
            click.echo(line)
        return
    click.echo("\nbest decisions (value of each, in units of the deciding stake; its cost in brackets)")
    for decision in analysis.decisions:
        hand = decision.hand + (f" against {decision.dealer}" if decision.dealer else "")
        click.echo(f"    {hand:24} {decision.best:7} {', '.join(_values(decision))}")


def _print_return(name: str, wager: StatedFigures) -> None:
    """Prints the return, or the interval that is proven to contain it."""
    if wager.bracket is None:
        click.echo(f"\n{name}: return {percent_text(wager.return_)} %")
        click.echo(f"  exactly {fraction_text(wager.return_)}")
        return
    lower, upper = wager.bracket.lower, wager.bracket.upper
    least, most = outward_texts(100 * lower, 100 * upper, 6)
    click.echo(f"\n{name}: return between {least} % and {most} % when both sides play their best")
    click.echo(f"  the player's strategy guarantees exactly {fraction_text(lower)}")
    click.echo(f"  the bank's strategy concedes exactly {fraction_text(upper)}")


def _claim(claim: JudgedClaim) -> str:
    """Returns what a printed figure is worth under this strategy."""
    if not claim.holds:
        if not claim.impossible or claim.interval is None:
            return "WRONG"
        if claim.metric == ODDS_OF_ROW and claim.highest == 0:
            return "WRONG: no round reaches the row"
        words, end = bound(claim.lowest, claim.highest, claim.interval)
        return f"WRONG: {words} {fraction_text(end)}{_percent(claim.metric, end)}"
    return "fitted: pays were recovered from it" if claim.status is Verdict.FITTED else "holds"


def _percent(metric: str, figure: Fraction) -> str:
    """Returns a figure that is printed as a percentage as one, nothing for odds and awards."""
    return "" if metric in {MAXIMUM_AWARD, *ODDS} else f" = {percent_text(figure)} %"


def _values(decision: Decision) -> Iterator[str]:
    """Yields the value of each decision, with what it costs where another one is better."""
    for name, cost in decision.costs.items():
        told = f"{name} {decimal_text(decision.values[name], 6)}"
        yield told + (f" (-{decimal_text(cost, 6)})" if cost else "")

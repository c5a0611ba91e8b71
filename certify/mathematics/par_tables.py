"""The PAR sheet as tables: what a spreadsheet or a CSV file of it holds, cell by cell, one unit in each column."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

from certify.analysis.mean_bands import HOUSE, PLAYER
from certify.analysis.par_cells import (
    KEPT,
    Cell,
    CellUnit,
    Formula,
    SheetPlace,
    SheetTable,
    as_number,
    frequency_cell,
    stated_tables,
)
from certify.analysis.par_sheet import claim_status, par_sheet_evidence, top_award_evidence
from certify.by_key import gathered
from certify.evidence import Head, ParSheet
from certify.exact import exact_text, format_half_points, fraction_text, places_of, units
from certify.mathematics.figures_evidence import (
    PayTerms,
    claim_words,
    configuration_bands,
    figure_words,
    pay_terms,
)
from certify.mathematics.of_game import exposure, figure_of, further, offered, staked_of
from certify.model import (
    VOLATILITY_Z,
    Analysis,
    Exposure,
    Game,
    Origin,
    Outcome,
    Provenance,
    WagerFigures,
    described,
    ends_of,
    figure_text,
    row_names,
)

Sheet = tuple[str, WagerFigures, ParSheet]


def par_tables(
    game: Game,
    analyses: Sequence[Analysis],
    head: Head | None = None,
    highest: Exposure | None = None,
    strategy_of: Mapping[str, str] | None = None,
) -> tuple[SheetTable, ...]:
    """Returns the PAR sheet of a game under one or several strategies.

    Args:
        game: The submission.
        analyses: Exact figures of the game, one for each strategy.
        head: Head of the report that the sheet belongs to; none where it belongs to no report.
        highest: The most that one round can cost, where it is known already.
        strategy_of: Strategy under which the claims of each wager are read that name none; else the first one.
    """
    sheets: list[Sheet] = [
        (
            analysis.strategy.name,
            figures,
            par_sheet_evidence(figures, analysis.strategy.name, staked=staked_of(game)),
        )
        for analysis in analyses
        for figures in analysis.wagers
    ]
    combinations, places = _combinations(game, sheets)
    own = tuple(_own_tables(game))
    return (
        _facts("header", _header(game, analyses, head)),
        _pays(game, awarded=any(figures.awards for _, figures, _ in sheets)),
        _rules(game),
        _returns(
            sheets, [next((one.returned for one in own if one.returned), place.returned) for place in places]
        ),
        _own_best(game, sheets),
        *_configurations(game),
        _claims(game, analyses, strategy_of or {}),
        combinations,
        _volatility(sheets, places),
        *_long_play(sheets),
        _exposure(game, highest or exposure(game)),
        *own,
        _facts("methods", _methods(sheets)),
    )


def _configurations(game: Game) -> Iterator[SheetTable]:
    """Yields every wagering configuration, where there are more than wagers as submitted."""
    if not further(game):
        return
    text, part = CellUnit.TEXT, CellUnit.PERCENT
    rows: list[tuple[Cell, ...]] = []
    for one in offered(game):
        limits = game.wager(one.wager).limits
        most = one.exposure(limits)
        frequencies = ("" if each is None else frequency_cell(each) for each in (one.hits, one.wins))
        rows.append(
            (
                *(
                    one.id,
                    str(one.kind),
                    as_number(one.price),
                    float(one.returned),
                    float(one.most_returned),
                    *frequencies,
                    "" if one.variance is None else math.sqrt(one.variance),
                ),
                "no end"
                if one.endless
                else ""
                if most is None
                else f"{units(most, limits.currency)} {limits.currency}",
            )
        )
    header = (
        "configuration kind price_in_stakes return highest_return hit_frequency win_frequency standard_deviation "
        "costs_at_most"
    )
    kinds = (text, text, CellUnit.NUMBER, part, part, part, part, CellUnit.NUMBER, text)
    kept = ("return", "hit_frequency", "win_frequency", "standard_deviation", "costs_at_most")
    yield SheetTable("configurations", tuple(header.split()), kinds, tuple(rows), kept=kept)
    header = "configuration rounds confidence lowest_return highest_return covers_at_least found_by"
    yield SheetTable(
        "bands of configurations",
        tuple(header.split()),
        (text, CellUnit.WHOLE, text, part, part, CellUnit.PROBABILITY, text),
        tuple(
            (named, one.rounds, one.confidence, one.low, one.high, one.covers or "", one.bound or "quantiles")
            for named, bands in configuration_bands(game).items()
            for one in bands
        ),
    )


def _own_tables(game: Game) -> Iterator[SheetTable]:
    """Yields the sheets of the family's own form: what it shows in addition, and what the submission states."""
    sheets = game.port.sources.sheets
    if sheets is not None:
        single = {name for name, form in game.port.rules.tables.items() if not form.many}
        yield from sheets.tables(game)
        yield from stated_tables(sheets.stated(game), single)


def par_title(game: Game) -> str:
    """Returns what the sheet of a game is called."""
    return f"PAR sheet of {game.title}, version {game.version}"


def _facts(name: str, rows: Iterator[tuple[str, str]]) -> SheetTable:
    return SheetTable(name, ("item", "value"), (CellUnit.TEXT, CellUnit.TEXT), tuple(rows))


def _header(game: Game, analyses: Sequence[Analysis], head: Head | None) -> Iterator[tuple[str, str]]:
    """Yields what the sheet is about, and which report it belongs to."""
    yield "game", game.title
    yield "game id", game.id
    yield "version of rules and paytables", game.version
    yield "supplier", game.supplier or "not stated"
    yield "submitted file, SHA-256", game.sha256
    yield "family of rules", game.family
    yield "report number", head.number if head else "none: not part of a report"
    if head:
        yield "report issued (UTC)", head.issued
        yield "author", head.issuer.name
        yield "authorised by", head.authorised_by or "not stated"
    demonstration = {
        None: "not signed: not part of a report",
        True: "yes: nobody vouches for the signature of the report",
        False: "no",
    }
    yield "demonstration key", demonstration[head.demonstration_key if head else None]
    for analysis in analyses:
        yield "strategy", f"{analysis.strategy.name}: {analysis.strategy.strategy_class}"
    for wager in game.wagers:
        low, high = (
            units(limit, wager.limits.currency) for limit in (wager.limits.minimum, wager.limits.maximum)
        )
        yield (
            f"limits of {wager.title}",
            f"{low} to {high} {wager.limits.currency} ({_provenance(wager.limits.origin)})",
        )
    for piece in game.equipment:
        yield f"{piece.kind} {piece.id}", described(piece)


def _provenance(origin: Origin) -> str:
    """Returns where a value comes from, with what it rests on.

    >>> _provenance(Origin(Provenance.RECOVERED, "main/99 %", unique=False))
    'recovered, not unique: main/99 %'
    """
    unique = {True: ", unique", False: ", not unique"}[origin.unique]
    kind = f"{origin.provenance}{unique if origin.provenance is Provenance.RECOVERED else ''}"
    return f"{kind}: {origin.by}" if origin.by else kind


def _pays(game: Game, *, awarded: bool) -> SheetTable:
    """Returns every pay with where it comes from; what a round can win many times, it pays for the stake."""
    rows = [
        (
            wager.id,
            row.id,
            row.title,
            as_number(row.pays),
            fraction_text(row.pays),
            str(row.origin.provenance),
            {True: "yes", False: "no"}[row.origin.unique],
            row.origin.by,
        )
        for wager in game.wagers
        for row in wager.paytable.rows
    ]
    pays = "pays_for_1" if awarded else "pays_to_1"
    header = ("wager", "row", "title", pays, "pays_exact", "provenance", "unique", "by")
    return SheetTable(
        "pays", header, (*[CellUnit.TEXT] * 3, CellUnit.NUMBER, *[CellUnit.TEXT] * 4), tuple(rows)
    )


def _rules(game: Game) -> SheetTable:
    """Returns the rules of play and the values of the cards, as submitted."""
    rows = [
        (f"value of {rank}", format_half_points(value), f"Value of {rank} in points", "printed")
        for rank, value in game.values
    ] + [(rule.id, rule.value, rule.title, _provenance(rule.origin)) for rule in game.rule_values]
    return SheetTable("rules", ("rule", "value", "title", "provenance"), (CellUnit.TEXT,) * 4, tuple(rows))


_CLAIMS = ("strategy", "wager", "claim", "printed", "exact", "status", "source")


def _claims(game: Game, analyses: Sequence[Analysis], strategy_of: Mapping[str, str]) -> SheetTable:
    """Returns every printed figure next to the exact one, each under the strategy that it is read under."""
    by_name = {analysis.strategy.name: analysis for analysis in analyses}
    rows = []
    for claim in game.claims:
        analysis = by_name.get(claim.strategy or strategy_of.get(claim.wager, analyses[0].strategy.name))
        if analysis is None:
            continue
        wager = game.wager(claim.wager)
        exact = figure_of(claim, game, analysis.wager(claim.wager))
        rows.append(
            (
                analysis.strategy.name,
                claim.wager,
                claim_words(claim),
                claim.text,
                figure_words(claim, exact),
                claim_status(claim, wager, exact).value,
                claim.source,
            )
        )
    return SheetTable("claims", _CLAIMS, (CellUnit.TEXT,) * len(_CLAIMS), tuple(rows))


_COMBINATIONS = (
    ("strategy", CellUnit.TEXT),
    ("wager", CellUnit.TEXT),
    ("outcome", CellUnit.TEXT),
    ("title", CellUnit.TEXT),
    ("net_to_1", CellUnit.NUMBER),
    ("combinations", CellUnit.WHOLE),
    ("cycle", CellUnit.WHOLE),
    ("probability", CellUnit.PROBABILITY),
    ("one_in", CellUnit.NUMBER),
    ("contribution", CellUnit.PROBABILITY),
    ("combinations_exact", CellUnit.TEXT),
    ("probability_exact", CellUnit.TEXT),
    ("contribution_exact", CellUnit.TEXT),
)

_WITHIN = ("variance_within", CellUnit.NUMBER)
"""Last column of the combinations, where outcomes are classes of rounds whose results differ."""


def _combinations(game: Game, sheets: Sequence[Sheet]) -> tuple[SheetTable, tuple[SheetPlace, ...]]:
    """Returns the outcomes with a total below those of each wager, and where they stand.

    The net result of an outcome follows the pays that its settlement adds up; what else it may come to, such as a lost
    stake, is a number.
    """
    rows: list[tuple[Cell, ...]] = []
    places: list[SheetPlace] = []
    paid = {wager.id: _paid_at(game, wager.id) for wager in game.wagers}
    terms = {wager.id: cache(pay_terms(game, wager)) for wager in game.wagers}
    classes = any(figures.varies for _, figures, _ in sheets)
    for name, figures, sheet in sheets:
        titles = {row.id: row.title for row in game.wager(figures.wager).paytable.rows}
        cycle, first = int(sheet.cycle), len(rows) + 2
        for row, outcome in zip(sheet.rows, figures.outcomes, strict=True):
            at = len(rows) + 2
            rows.append(
                (
                    name,
                    figures.wager,
                    row.outcome,
                    titles.get(row.outcome, ""),
                    _net(outcome, terms[figures.wager](outcome), paid[figures.wager]),
                    as_number(row.combinations),
                    as_number(Fraction(cycle)),
                    Formula(f"=F{at}/G{at}", row.probability),
                    "never" if row.one_in is None else as_number(row.one_in),
                    Formula(f"=(1+E{at})*F{at}/G{at}", row.contribution),
                    exact_text(row.combinations, off=cycle * outcome.off),
                    exact_text(row.probability, off=outcome.off),
                    exact_text(row.contribution, off=abs(1 + outcome.pays) * outcome.off),
                    *((as_number(outcome.variance),) if classes else ()),
                )
            )
        last = len(rows) + 1
        places.append(SheetPlace(first, last))
        rows.append(
            (
                name,
                figures.wager,
                "total",
                "",
                "",
                Formula(f"=SUM(F{first}:F{last})", Fraction(cycle)),
                as_number(Fraction(cycle)),
                Formula(f"=SUM(H{first}:H{last})", Fraction(1)),
                "",
                Formula(f"=SUM(J{first}:J{last})", figures.return_to_player),
                str(cycle),
                "1",
                fraction_text(figures.return_to_player),
                *(("",) if classes else ()),
            )
        )
    header, units = zip(*_COMBINATIONS, *([_WITHIN] if classes else []), strict=True)
    header = _kept(header, "net_to_1", "contribution", of=sheets)
    table = SheetTable(
        "combinations", header, units, tuple(rows), frozenset(place.total - 2 for place in places)
    )
    return table, tuple(places)


def _kept(header: Sequence[str], *names: str, of: Sequence[Sheet]) -> tuple[str, ...]:
    """Returns columns, some of which follow no pay where rounds win rows many times: classes of rounds hold numbers."""
    awarded = any(figures.awards for _, figures, _ in of)
    return tuple(name + KEPT if awarded and name in names else name for name in header)


def _paid_at(game: Game, wager: str) -> Mapping[str, int]:
    """Returns where each pay of a wager is on the sheet of pays, by its row."""
    pays = [(one.id, row.id) for one in game.wagers for row in one.paytable.rows]
    return {row: at for at, (of, row) in enumerate(pays, start=2) if of == wager}


def _net(outcome: Outcome, terms: PayTerms, paid: Mapping[str, int]) -> Cell:
    """Returns the net result of an outcome, computed from the pays that it comes from."""
    if not terms.factors:
        return as_number(outcome.pays)
    parts = [
        f"pays!D{paid[row]}" + ("" if factor == 1 else f"*{as_number(factor)!r}")
        for row, factor in terms.factors.items()
    ]
    number = [f"{as_number(terms.number)!r}"] if terms.number else []
    return Formula("=" + "+".join((*parts, *number)), outcome.pays)


def _returns(sheets: Sequence[Sheet], returned: Sequence[str]) -> SheetTable:
    """Returns the figures of each wager; return and edge are computed from the cell of each return."""
    columns = (
        ("strategy", CellUnit.TEXT),
        ("wager", CellUnit.TEXT),
        ("return", CellUnit.PERCENT),
        ("house_edge", CellUnit.PERCENT),
        ("return_on_total_wagered", CellUnit.PERCENT),
        ("hit_frequency", CellUnit.PERCENT),
        ("win_frequency", CellUnit.PERCENT),
        ("return_exact", CellUnit.TEXT),
        ("house_edge_exact", CellUnit.TEXT),
        ("return_on_total_wagered_exact", CellUnit.TEXT),
        ("hit_frequency_exact", CellUnit.TEXT),
        ("win_frequency_exact", CellUnit.TEXT),
    )
    rows = []
    for at, ((name, figures, _), cell) in enumerate(zip(sheets, returned, strict=True), start=2):
        on_all = figures.return_on_total_wagered
        rows.append(
            (
                name,
                figures.wager,
                Formula(f"={cell}", figures.return_to_player),
                Formula(f"=1-C{at}", figures.house_edge),
                ""
                if on_all is None
                else Formula(f"=1+(C{at}-1)/{float(figures.total_wagered or 1)!r}", on_all),
                frequency_cell(figures.hit_frequency),
                frequency_cell(figures.win_frequency),
                fraction_text(figures.return_to_player),
                fraction_text(figures.house_edge),
                "" if on_all is None else exact_text(on_all, off=figures.on_total_off),
                figure_text(figures.hit_frequency, figures.off),
                figure_text(figures.win_frequency, figures.off),
            )
        )
    header, units = zip(*columns, strict=True)
    return SheetTable("returns", header, units, tuple(rows))


def _own_best(game: Game, sheets: Sequence[Sheet]) -> SheetTable:
    """Returns all wagers under one strategy, each next to the strategy of those analysed that returns it most."""
    rows: list[tuple[Cell, ...]] = []
    for wager in game.wagers:
        own = [(at, name, one) for at, (name, one, _) in enumerate(sheets, start=2) if one.wager == wager.id]
        if not own:
            continue
        (first, _, together), (best, name, alone) = own[0], max(own, key=lambda one: one[2].return_to_player)
        rows.append(
            (
                sheets[0][0],
                wager.id,
                Formula(f"=returns!C{first}", together.return_to_player),
                name,
                Formula(f"=returns!C{best}", alone.return_to_player),
                fraction_text(together.return_to_player),
                fraction_text(alone.return_to_player),
            )
        )
    header = (
        *("strategy", "wager", "return_under_one", "own_best", "return_at_own_best"),
        *("return_under_one_exact", "return_at_own_best_exact"),
    )
    text, percent = CellUnit.TEXT, CellUnit.PERCENT
    return SheetTable("own best", header, (text, text, percent, text, percent, text, text), tuple(rows))


def _spread(figures: WagerFigures, place: SheetPlace) -> str:
    """Returns the formula of a standard deviation: the root of the mean of squares less the square of the mean.

    The mean of squares of a class of rounds is the square of its mean and the variance within it.
    """
    squares = f"SUMPRODUCT({place.cells('E')},{place.cells('E')},{place.cells('H')})"
    if figures.varies:
        squares += f"+SUMPRODUCT({place.cells('N')},{place.cells('H')})"
    return f"=SQRT({squares}-(combinations!J{place.total}-1)^2)"


def _volatility(sheets: Sequence[Sheet], places: Sequence[SheetPlace]) -> SheetTable:
    """Returns how far results spread, in units of the stake, and the rarest high award."""
    spread = (
        "standard_deviation",
        *(f"volatility_index_{label.replace(' %', '')}" for label, _ in VOLATILITY_Z),
    )
    header = (
        "strategy",
        "wager",
        *_kept(spread, *spread, of=sheets),
        "top_award",
        "top_award_one_in",
        "top_award_times_a_round",
        "variance_exact",
    )
    rows = tuple(
        (
            name,
            figures.wager,
            Formula(_spread(figures, place), Fraction(figures.standard_deviation)),
            *(Formula(f"=C{at}*{z!r}", Fraction(figures.volatility_index(z))) for _, z in VOLATILITY_Z),
            "" if top.lost else top.outcome,
            as_number(1 / least) if (least := ends_of(top.probability)[0]) and not top.lost else "",
            "" if top.lost else as_number(1 / top.one_in),
            exact_text(figures.variance, off=figures.variance_off),
        )
        for at, ((name, figures, _), place) in enumerate(zip(sheets, places, strict=True), start=2)
        for top in (top_award_evidence(figures),)
    )
    numbers = (CellUnit.NUMBER,) * (1 + len(VOLATILITY_Z))
    units = (CellUnit.TEXT, CellUnit.TEXT, *numbers, CellUnit.TEXT, *numbers[:2], CellUnit.TEXT)
    return SheetTable("volatility", header, units, rows)


def _long_play(sheets: Sequence[Sheet]) -> Iterator[SheetTable]:
    """Yields what play over many rounds brings: bands, losing runs, ruin."""
    text, whole, percent = CellUnit.TEXT, CellUnit.WHOLE, CellUnit.PERCENT
    yield SheetTable(
        "bands",
        (
            *(
                "strategy",
                "wager",
                "rounds",
                "confidence",
                "lowest_return",
                "highest_return",
                "covers_at_least",
            ),
            *_kept(
                ("lowest_by_normal", "highest_by_normal"), "lowest_by_normal", "highest_by_normal", of=sheets
            ),
            "found_by",
        ),
        (text, text, whole, text, percent, percent, CellUnit.PROBABILITY, percent, percent, text),
        tuple(_bands(sheets)),
    )
    yield SheetTable(
        "losing runs",
        ("strategy", "wager", "rounds", "longest_in_rounds", "longer_with_probability_at_most"),
        (text, text, whole, whole, CellUnit.PROBABILITY),
        tuple(
            (name, figures.wager, run.rounds, run.longest, float(run.but_with_probability))
            for name, figures, sheet in sheets
            for run in sheet.losing_runs
        ),
    )
    yield SheetTable(
        "ruin",
        ("strategy", "wager", "holder", "bankroll_in_stakes", "rounds", "probability"),
        (text, text, text, whole, whole, CellUnit.PROBABILITY),
        tuple(
            (name, figures.wager, holder, entry.bankroll, entry.rounds, entry.probability)
            for name, figures, sheet in sheets
            for holder, ruins in ((PLAYER, sheet.ruin), (HOUSE, sheet.house_ruin))
            for entry in ruins
        ),
    )
    yield SheetTable(
        "ruin in the long run",
        ("strategy", "wager", "holder", "bankroll_in_stakes", "at_least", "at_most"),
        (text, text, text, whole, CellUnit.PROBABILITY, CellUnit.PROBABILITY),
        tuple(
            (name, figures.wager, holder, entry.bankroll, entry.at_least, entry.at_most)
            for name, figures, sheet in sheets
            for holder, ruins in ((PLAYER, sheet.long_run.player), (HOUSE, sheet.long_run.house))
            for entry in ruins
        ),
    )


def _bands(sheets: Sequence[Sheet]) -> Iterator[tuple[Cell, ...]]:
    """Yields the exact bands, and next to them normal ones that follow a pay that is changed."""
    at = 1
    for line, (name, figures, sheet) in enumerate(sheets, start=2):
        for band in sheet.bands:
            at += 1
            place = next(n for n, (label, _) in enumerate(VOLATILITY_Z) if label == band.confidence)
            index = figures.volatility_index(VOLATILITY_Z[place][1]) / math.sqrt(band.rounds)
            off = f"volatility!{'DEF'[place]}{line}/SQRT(C{at})"
            yield (
                *(name, figures.wager, band.rounds, band.confidence),
                *map(float, band.ends),
                "" if band.covers is None else band.covers,
                Formula(f"=returns!C{line}-{off}", figures.return_to_player - Fraction(index)),
                Formula(f"=returns!C{line}+{off}", figures.return_to_player + Fraction(index)),
                band.bound or "exact quantiles",
            )


def _exposure(game: Game, highest: Exposure) -> SheetTable:
    """Returns the highest net win of one round over all wagers, in one currency, with the round that shows it."""
    unbet = {wager for wager, stake in highest.stakes if not stake}
    money = [
        *((f"stake on {wager}", stake) for wager, stake in highest.stakes if wager not in unbet),
        *((f"net win of {wager}", won) for wager, won in highest.wins if wager not in unbet),
        ("highest net win of one round", highest.amount),
    ]
    rows: list[tuple[Cell, ...]] = [
        (item, float(units(amount, highest.currency)), highest.currency, "") for item, amount in money
    ]
    rows.append(("draws of that round, in order", "", "", ", ".join(row_names(game.equipment, highest.deck))))
    rows.append(("decisions of that round", "", "", ", ".join(highest.decisions) or "none"))
    header = ("item", "amount", "currency", "shown_by")
    amounts = CellUnit.MONEY if places_of(highest.currency) else CellUnit.WHOLE
    return SheetTable("exposure", header, (CellUnit.TEXT, amounts, CellUnit.TEXT, CellUnit.TEXT), tuple(rows))


def _methods(sheets: Sequence[Sheet]) -> Iterator[tuple[str, str]]:
    """Yields how the approximate and bounded figures are found, and who is ruined in the long run, each once."""
    for found in dict.fromkeys(sheet.methods.bands for _, _, sheet in sheets):
        yield "bands", found
    for _, figures, sheet in sheets[:1]:
        changed = (
            "on the sheet of pays it changes returns, contributions, standard deviations, volatility indices and the "
            "normal bands; probabilities are those of the strategies as named, which may no longer be best; the exact "
            "bands, ruin and all fractions are those of the pays as submitted"
        )
        awarded = (
            "on the sheet of pays it changes what its row wins on the sheet of hits, in proportion, and with it the "
            "return, the house edge and the middle of the normal bands; how often rows win, what features and windows "
            "that multiply add, classes of rounds, standard deviations, volatility indices, the width of the normal "
            "bands, configurations, the exact bands, ruin and all fractions are those of the pays as submitted"
        )
        yield "a pay that is changed", awarded if figures.awards else changed
        yield "losing runs", sheet.methods.losing_runs
        yield "ruin", sheet.methods.ruin
        yield "ruin in the long run", sheet.long_run.method
    of = ((sheet.long_run.sentence, f"{figures.wager} under {name}") for name, figures, sheet in sheets)
    for sentence, cases in gathered(of).items():
        yield "; ".join(cases), sentence

"""PAR sheets of slots, written and read back; strips and pays of other people's spreadsheets; reels drawn."""

import csv
import io
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from computing_again import value_of
from openpyxl import Workbook, load_workbook
from small_slots import LINES, WAYS, small

from certify.analysis.par_cells import Formula, SheetTable, stated_tables
from certify.certification.par_files import par_csv, par_xlsx
from certify.certification.submitted import layout_evidence
from certify.cli.families import import_par
from certify.errors import InputError, SubmissionError
from certify.evidence import Basis, SupplementaryFigure, Unit
from certify.families import family
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rows import MULTIPLIED
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.sheets import strips_table
from certify.kit.starting import from_sheet
from certify.mathematics import analyze
from certify.mathematics.par_tables import par_tables
from certify.messages import speaking
from certify.model import Game, Origin, Provenance
from certify.report.chapters.printed import _figure
from certify.report.chapters.scope import of_reels
from certify.report.figures.pieces import MOST_STOPS, stops_of
from certify.report.layout import Figure
from certify.submission import Written, parse_game, read_game

SLOT = family("slot")
FIXTURES = sorted(Path("fixtures/slots").glob("*/game.toml"))

FULL = (
    LINES.replace("games = [0, 2, 4]", 'games = [0, 2, 4]\nexpanding = ["a", "b"]\nagain = [0, 1, 1]')
    + """
[[bonuses]]
id = "prizes"
draws = "pick until"
symbol = "star"
starts = [0, 0, 1]
prizes = ["10 x3", "5/2", "0 x2 ends"]

[[pattern_pays]]
id = "mixed"
cells = ["a", "any", "b|c"]
pays = 3

[gamble]
chance = "1/2"
multiplies = "2"
steps = 5

[[purchases]]
id = "buy"
feature = "free-games"
starts = 10
price = "80"

[[bet_levels]]
id = "two-coins"
lines = 1
coins = 2
cost = 2
pays = { "a-3" = 50 }

[[bonuses]]
id = "hold"
draws = "hold"
symbol = "c"
starts = [0, 0, 2, 2]
places = 4
times = 3
prizes = ["0 x9", "1 x3", "20"]
full = "5/2"

[[jackpots]]
id = "grand"
row = "a-3"
seed = "1000"
increment = "1/100"

[[jackpots]]
id = "major"
seed = "350"
increment = "1/500"
must_hit_by = "400"
meter = "390"

[[variants]]
id = "other"
title = "On the strips of free games"
strips = { base = "free" }
printed = "94.20 %"
"""
)


def sheets(game: Game) -> tuple[SheetTable, ...]:
    assert SLOT.sources.sheets is not None
    single = {name for name, form in SLOT.rules.tables.items() if not form.many}
    return strips_table(rules_of(game)), *stated_tables(SLOT.sources.sheets.stated(game), single)


def read_back(path: Path) -> Game:
    return parse_game(from_sheet([path], "read-back").text.encode(), "game.toml")


def same(one: Game, other: Game) -> bool:
    """Tells whether two slots are the same, stage by stage: the order of stages beside the first says nothing."""
    rules = [rules_of(game) for game in (one, other)]
    first, second = (replace(each, stages=tuple(sorted(each.stages, key=lambda s: s.id))) for each in rules)
    return first == second


@pytest.mark.parametrize("tables", [LINES, WAYS, FULL])
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_sheet_read_back_is_the_same_slot(tables: str, kind: str, tmp_path: Path) -> None:
    game = small(tables)
    path = tmp_path / f"par.{kind}"
    made = sheets(game)
    path.write_bytes(par_csv(made) if kind == "csv" else par_xlsx(made, "PAR sheet"))
    again = read_back(path)
    assert same(game, again)
    (before,), (after,) = analyze(game, "main-optimal").wagers, analyze(again, "main-optimal").wagers
    assert (before.return_to_player, before.variance) == (after.return_to_player, after.variance)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_every_slot_of_the_fixtures_comes_back_from_its_sheet(path: Path, tmp_path: Path) -> None:
    game = read_game(path)
    sheet = tmp_path / "par.csv"
    sheet.write_bytes(par_csv(sheets(game)))
    assert same(game, read_back(sheet))


def test_the_whole_par_sheet_is_read_back_its_computed_tables_left_aside(tmp_path: Path) -> None:
    from certify.mathematics.par_tables import par_tables, par_title

    game = small(FULL)
    path = tmp_path / "par.xlsx"
    path.write_bytes(par_xlsx(par_tables(game, [analyze(game, "main-optimal")]), par_title(game)))
    assert same(game, read_back(path))
    assert from_sheet([path], "again").unread == ()
    assert read_back(path).wagers[0].limits.origin == Origin(Provenance.ADOPTED, "reading/limits")


def test_hits_of_combinations_make_the_return() -> None:
    game = small(FULL)
    assert SLOT.sources.sheets is not None
    tables = {table.name: table for table in SLOT.sources.sheets.tables(game)}
    assert list(tables) == [
        *("strips", "symbol counts", "hits", "split", "award bands", "features", "meters", "near misses")
    ]
    *rows, total = tables["hits"].rows
    (figures,) = analyze(game, "main-optimal").wagers
    assert isinstance(total[8], Formula)
    assert total[8].value == figures.return_to_player
    assert sum(row[8].value for row in rows if isinstance(row[8], Formula)) == figures.return_to_player
    counts = tables["symbol counts"]
    first = counts.rows[0]
    assert isinstance(first[2], Formula)
    assert first[2].text == '=SUMPRODUCT(EXACT(strips!E2:E7,"a")*strips!H2:H7)'
    assert first[2].value == 1


STRANGE = """\
My slot
Rows,3
Scatter,Scat ter
Scatter pays,total bet
Wild,W
RTP,{rtp}

Reels
Stop,Reel 1,Reel 2,Reel 3
1,Cherry,Bar,Cherry
2,Bar,W,Bar
3,Scat ter,Cherry,Scat ter
4,Cherry,Scat ter,W
5,Bar,Cherry,

Pay table
Symbol,3 of a kind,2 of a kind
Cherry,20,5
Bar,50,
Scat ter,10,2

Lines
Line,Reel 1,Reel 2,Reel 3
1,2,2,2
2,1,1,1
"""


def stranger(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "strange.csv"
    path.write_text(text, "utf-8")
    return path


def test_strips_and_pays_as_a_stranger_writes_them_are_taken(tmp_path: Path) -> None:
    game = read_back(stranger(tmp_path, STRANGE.format(rtp="90.00 %")))
    rules = rules_of(game)
    assert [len(reel.symbols) for reel in rules.strip_sets[0].reels] == [5, 5, 4]
    assert rules.lines == ((1, 1, 1), (0, 0, 0))
    assert [(row.id, row.pays) for row in rules.line_pays] == [("cherry", (0, 5, 20)), ("bar", (0, 0, 50))]
    assert [row.pays for row in rules.scatter_pays] == [(0, 2, 10)]
    assert rules.wilds[0].replaces == ("Cherry", "Bar")
    (claim,) = game.claims
    assert claim.text == "90.00 %"
    assert not claim.printed.stands_for(analyze(game, "main-optimal").wagers[0].return_to_player)


def test_all_mistakes_of_a_sheet_are_told_at_once_with_their_cells(tmp_path: Path) -> None:
    text = STRANGE.format(rtp="ninety").replace("Bar,50,", "Bar,fifty,").replace("2,1,1,1", "2,1,7,1")
    text = text.replace("Cherry,20,5", "Plum,20,5")
    with pytest.raises(SubmissionError) as refused:
        from_sheet([stranger(tmp_path, text)], "strange")
    told = str(refused.value)
    assert 'strange.csv, strange!B19: the pay "fifty": expected a whole number' in told
    assert 'strange.csv, strange!A18: the symbol "Plum" is on no strip' in told
    assert 'row "7" on reel 2: expected 1 to 3' in told
    assert "strange!B6" in told
    assert len(refused.value.problems) >= 4


def test_a_column_that_no_table_has_is_named_with_its_cell(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("wilds\nsymbol,colour\nW,red\n", "utf-8")
    with pytest.raises(SubmissionError, match=r'x\.csv, x!B2: column "colour": expected one of symbol'):
        from_sheet([path], "x")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.xlsx", b"no workbook", "damaged .BadZipFile"),
        ("x.txt", b"", "expected a spreadsheet"),
        ("x.csv", b"", "nothing in it"),
        ("x.csv", b"\xff\xfe", "not in UTF-8"),
        ("x.csv", "Rows,1".encode("utf-16-le"), "not in UTF-8"),
    ],
)
def test_what_is_no_spreadsheet_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        from_sheet([path], "x")


def test_strips_and_pays_may_lie_in_files_of_their_own(tmp_path: Path) -> None:
    reels, pays = tmp_path / "reels.csv", tmp_path / "paytable.csv"
    reels.write_text("REEL1;REEL2;REEL3\nA;B;A\nB;A;B\nB;A;B\nA;A;\n", "utf-8")
    pays.write_text("SYMBOL;COUNT 1;COUNT 2;COUNT 3\nA;0;0;9\nB;0;4;20\n", "utf-8")
    made = from_sheet([reels, pays], "two-files")
    rules = rules_of(parse_game(made.text.encode(), "game.toml"))
    assert [len(reel.symbols) for reel in rules.strip_sets[0].reels] == [4, 4, 3]
    assert [row.pays for row in rules.line_pays] == [(0, 0, 9), (0, 4, 20)]
    assert made.assumed == (
        "windows of 3 rows: no setting says how many",
        "one line, through the middle: no table of lines is there",
    )


def test_counts_of_symbols_are_enough_for_a_window_of_one_row(tmp_path: Path) -> None:
    path = tmp_path / "virtual.csv"
    text = "Symbol,Reel 1,Reel 2,Reel 3\nSeven,1,1,2\nBlank,10,9,8\nTotal,11,10,10\n\nSymbol,3 of a kind\nSeven,500\n"
    path.write_text(text, "utf-8")
    game = parse_game(from_sheet([path], "virtual").text.encode(), "game.toml")
    (figures,) = analyze(game, "main-optimal").wagers
    assert figures.return_to_player == Fraction(500 * 2, 11 * 10 * 10)
    path.write_text(f"Reels\nSeven,Blank,Seven\n\nSymbol counts\n{text}", "utf-8")
    with pytest.raises(SubmissionError, match=r'virtual!B7: 10 of "Blank", but the strip has 0'):
        from_sheet([path], "virtual")
    path.write_text(f"Rows,3\nLines,1\n\n{text}", "utf-8")
    with pytest.raises(SubmissionError, match=r"virtual!B1: a window of 3 rows, but counts of symbols"):
        from_sheet([path], "virtual")


def test_strips_under_plain_numbers_are_strips(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    # Above the heading stands what an export left there.
    path.write_text("Unnamed: 0,Explicit,\n1,2,3\nA,B,A\nB,A,B\nA,A,B\n\nSymbol,3x\nA,9\n", "utf-8")
    rules = rules_of(parse_game(from_sheet([path], "plain").text.encode(), "game.toml"))
    assert rules.strip_sets[0].reels[0].symbols == ("A", "B", "A")


ONE_ROW = (
    "Rows;1\nRTP;0.955\n\nReel 1;Reel 2\nBar 1;Bar-1\nPlum;Plum\nBar 1;Plum\n\nSymbol;1x;2x\nBar 1;;1,000\n"
)


@pytest.mark.parametrize(
    ("stated", "wrong", "told"),
    [
        ("1,000", "2,5", 'odd!C10: the pay "2,5": expected a whole number'),
        ("Plum;Plum", ";Plum", 'odd!A6: an empty stop above others: expected a symbol, such as "blank"'),
        ("Plum;Plum", "–;Plum", 'odd!A6: the symbol "–": expected letters or digits'),
        (
            "Plum;Plum",
            "Plum;Plum+",
            'odd!B6: the symbols "Plum+" and "Plum" differ in signs only',
        ),
        ("1x;2x", "2x;2x", 'odd!B9: "2x" is there twice'),
        ("Reel 1;Reel 2", "Reel 1;Reel 3", "odd!A4: reel 2 is not there"),
        ("Rows;1\n", "Rows;1\nScatter;plum\n", 'odd!B2: the scatter "plum" is on no strip'),
        (
            "Rows;1\n",
            "Rows;1\nScatter;Bar 1\n",
            'odd!A11: the scatter "Bar 1" is listed among pays of lines: coins',
        ),
        ("Bar 1;;1,000", "Scatter;;5", 'odd!A10: the scatter "Scatter" is listed among pays of lines: coins'),
        ("Rows;1\n", "Rows;1\nWays;243\nCost;1\n", "odd!B2: 243 ways, but the windows have 1"),
        ("Rows;1\n", "Rows;1\nWays;1'024\nCost;1\n", 'odd!B2: the number of ways "1\'024": expected a whole'),
        ("Rows;1\n", "Rows;1\nDirection;left and right\n", 'odd!B2: "left and right": expected one of'),
        ("Rows;1\n", "Rows;5x3x1\n", "odd!B1: 3 heights of 2 reels: expected one of all, or one for each"),
        ("Rows;1\n", "Rows;1\nWindow;2\n", 'odd!B2: Window "2", but "1" in odd!B1: expected it once'),
        ("Reel 1;Reel 2\n", "Weight;Reel 1;Reel 2\n3", 'odd!A4: "Weight" is of no reel that is there'),
        (
            "Reel 1;Reel 2\n",
            "Reel 1;Reel 2;Reel 1 weight\n",
            'odd!C5: the weight "missing": expected a whole number',
        ),
        ("Plum;Plum\n", "Plum;Plum\n\n", 'odd!A8: "Bar 1" is under no heading: expected no empty row'),
        ("Bar 1;;1,000", ";;1,000", 'odd!A10: the symbol "": expected letters or digits'),
        (
            "Symbol;1x",
            "Free spins\nSymbol;1x",
            'odd!A10: "Free spins": what features award is not read as pays',
        ),
        (
            "Symbol;1x",
            "Lines\nReel 1;Reel 2\n1;1\n\n2;2\n\nSymbol;1x",
            'odd!A13: "2" is under no heading',
        ),
        (
            "Rows;1\n",
            "Rows;1\nLines;20\n\nReel 1;Reel 2\n1;1\n\n",
            "odd!B2: 20 lines, but the table of them has 1",
        ),
        ("Symbol;1x", "Jackpots\nSymbol;1x", 'odd!A10: column "symbol": expected one of id, row, seed'),
    ],
)
def test_what_a_sheet_means_otherwise_than_it_reads_is_told_at_its_cell(
    tmp_path: Path, stated: str, wrong: str, told: str
) -> None:
    """All of these gave another game, without a word: 2,5 paid 25, a blank was left out, the later column stood."""
    path = tmp_path / "odd.csv"
    path.write_text(ONE_ROW, "utf-8")
    game = parse_game(from_sheet([path], "odd").text.encode(), "game.toml")
    (figures,) = analyze(game, "main-optimal").wagers
    assert figures.return_to_player == Fraction(2 * 1 * 1000, 9)
    # A cell in per cent holds its hundredth.
    assert [claim.text for claim in game.claims] == ["95.5 %"]
    assert stated in ONE_ROW
    path.write_text(ONE_ROW.replace(stated, wrong), "utf-8")
    with pytest.raises(SubmissionError) as caught:
        from_sheet([path], "odd")
    assert told in str(caught.value)
    assert all(", odd!" in one.path for one in caught.value.problems)


def made_of(tmp_path: Path, name: str, text: str) -> Written:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return from_sheet([path], "made")


def test_what_is_not_read_of_a_sheet_is_told_with_its_cell(tmp_path: Path) -> None:
    """A limit on the win, free games and a second strip set were left out without a word."""
    text = f"Setting;Value;Remark\n{ONE_ROW}".replace("1x;2x\n", "1x;2x;Free games\n")
    text = (
        text.replace("Rows;1\n", "Rows;1;seen\nMax win;50\n")
        + "\nFree reels\nReel 1;Reel 2\nPlum;Plum\n\na;b\n"
    )
    made = made_of(tmp_path, "odd.csv", text.replace("1,000\n", "1,000;8\n"))
    assert made.unread == (
        *('"Remark" (odd!C1)', '"seen" (odd!C2)', '"Free games" (odd!D11)'),
        '"odd" (odd!A18)',
    )
    assert 'metric = "maximum-award"\nprinted = "50x"' in made.text
    assert made.assumed[-1] == 'strips "free" are played by no stage: no table of stages is there'


ALONE = "Rows;2\n\nReel 1;Reel 2\nA;A\nB;B\n\nSymbol;2x\nA;9\n"


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (STRANGE.format(rtp="90.00 %").replace("Cherry,20,5", "Cherry,,5"), "pays = [0, 5, 0]"),
        (ALONE, "heights = [2, 2]"),
        (ALONE.replace("Rows;2", "Rows;1;2"), "heights = [1, 2]"),
        (f"Fruit Party\n\n{ALONE}", '\ntitle = "Fruit Party"\nversion'),
        (f"Fruit Party\nMachine\n{ALONE}", '\ntitle = "Fruit Party"\nversion'),
        (
            ALONE.replace("Rows;2", "Rows;2\nTitle;Lemons\nLine bet;2\nDenom;0,05 USD"),
            '"maximum" = "0.10", "currency" = "USD"',
        ),
        (ALONE.replace("Reel 1;Reel 2\nA;A\nB;B", "Reels\n1;A;A\n2;B;B"), 'reels = ["A B", "A B"]'),
        (ALONE.replace("Rows;2", "Rows;2\nRTP;95,5 %"), 'printed = "95.5 %"'),
        (ALONE.replace("Rows;2", "Rows;2\nHit rate;25.3%"), 'metric = "hit-frequency"\nprinted = "25.3 %"'),
        (ALONE.replace("Rows;2", "Rows;2\nScatter;B\nScatter pays;Line bet") + "B;2\n", 'per = "line"'),
    ],
    ids=[
        *("an empty cell pays nothing", "a setting that stands alone", "heights cell by cell"),
        *("a title", "a title above another", "a denomination"),
        *("no heading", "a decimal comma", "a hit frequency", "what scatters pay"),
    ],
)
def test_what_a_sheet_leaves_out_is_read_as_it_is_meant(tmp_path: Path, text: str, stated: str) -> None:
    assert stated in made_of(tmp_path, "sheet.csv", text).text


def test_weights_beside_their_reel_count(tmp_path: Path) -> None:
    text = (
        "Rows;1\nCost;1\n\nReel 1;Reel 1 weight;Reel 2;Weight of reel 2\nA;3;A;1\nB;1;B;2\n\nSymbol;2x\nA;8\n"
    )
    game = parse_game(made_of(tmp_path, "weights.csv", text).text.encode(), "game.toml")
    assert analyze(game, "main-optimal").wagers[0].return_to_player == Fraction(3 * 1 * 8, 4 * 3)


def test_the_name_of_a_file_says_nothing_of_its_many_blocks(tmp_path: Path) -> None:
    """All pays of scatter-king.csv were scatter pays, and slot.csv and strips.csv were refused."""
    told = {
        made_of(tmp_path, name, ONE_ROW).text.split("[slot]")[1] for name in ("scatter-king.csv", "slot.csv")
    }
    assert told == {made_of(tmp_path, "strips.csv", ONE_ROW).text.split("[slot]")[1]}
    assert "[[line_pays]]" in told.pop()


def test_tables_of_strangers_may_bear_the_names_of_ours(tmp_path: Path) -> None:
    plain = ONE_ROW + "\nReel 1;Reel 2\n1;1\n"
    named = plain.replace("Reel 1", "Strips\nReel 1", 1).replace("Symbol", "Line pays\nSymbol")
    text, other = (made_of(tmp_path, "same.csv", each).text.split("[slot]")[1] for each in (plain, named))
    assert text == other


def test_the_command_writes_the_game_with_the_sheet_beside_it(tmp_path: Path) -> None:
    sheet, out = stranger(tmp_path, STRANGE.format(rtp="90.00 %")), tmp_path / "made"
    called = CliRunner().invoke(import_par, [str(sheet), "--out", str(out)])
    assert called.exit_code == 0, called.output
    assert sorted(path.name for path in out.iterdir()) == ["game.toml", "strange.csv"]
    assert read_game(out / "game.toml").id == "made"


# The workbook lives: returns and contributions follow the sheet of pays, and a column that does not says so.


def workbook(game: Game) -> Workbook:
    return load_workbook(io.BytesIO(par_xlsx(par_tables(game, [analyze(game)]), "PAR sheet")))


def returned(book: Workbook, times: Mapping[str, int]) -> float:
    """Returns what the workbook computes as the return where some rows pay so many times as much."""
    cells = {row[1].value: row[3] for row in book["pays"].iter_rows(min_row=2)}
    before = {row: cells[row].value for row in times}
    for row, many in times.items():
        cells[row].value *= many
    found: float = value_of(book, "returns", book["returns"]["C2"].value)
    for row, value in before.items():
        cells[row].value = value
    return found


def doubled(rules: SlotRules) -> SlotRules:
    """Returns a slot of which every row of lines, ways and scatters pays twice as much."""
    runs = {
        name: tuple(replace(one, pays=tuple(2 * pay for pay in one.pays)) for one in getattr(rules, name))
        for name in ("line_pays", "scatter_pays")
    }
    return replace(rules, **runs, patterns=tuple(replace(one, pays=2 * one.pays) for one in rules.patterns))


@pytest.mark.parametrize("text", [LINES, WAYS, FULL])
def test_the_return_of_the_workbook_follows_every_pay(text: str) -> None:
    """By what its row contributes; twice all pays are the exact return of the game that pays twice as much."""
    game = small(text)
    (figures,) = analyze(game).wagers
    won: Counter[str] = Counter()
    for award in figures.awards:
        won[award.row.replace("-expanded", "")] += award.contribution  # type: ignore[assignment]
    rows, book = game.wagers[0].paytable.ids, workbook(game)
    spread = value_of(book, "volatility", book["volatility"]["C2"].value)
    assert spread == pytest.approx(figures.standard_deviation, rel=1e-12)
    for row in rows:
        moved = float(figures.return_to_player + won[row])
        assert returned(book, {row: 2}) == pytest.approx(moved, rel=1e-14), row
    exact = round_figures(doubled(rules_of(game)), "main").return_to_player - won[MULTIPLIED]
    assert returned(book, dict.fromkeys(rows, 2)) == pytest.approx(float(exact), rel=1e-14)
    followed = {cell.value for name in ("volatility", "bands", "split") for cell in book[name][1]}
    assert {"Share, at the pays submitted", "Standard deviation, at the pays submitted"} <= followed
    assert "Lowest return by the normal approximation: only its middle follows the pays" in followed


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_libreoffice_computes_the_workbook_as_it_is_stated(path: Path, tmp_path: Path) -> None:
    game, sheet = read_game(path), tmp_path / "par.xlsx"
    row, home = game.wagers[0].paytable.rows[0].id, f"-env:UserInstallation=file://{tmp_path}/home"
    # The fourth sheet, "returns", with every digit.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,4"
    book = workbook(game)
    for pays in (1, 2):
        (cell,) = (one[3] for one in book["pays"].iter_rows(min_row=2) if one[1].value == row)
        cell.value *= pays
        book.save(sheet)
        called = ["soffice", home, "--headless", "--convert-to", form, "--outdir", str(tmp_path), str(sheet)]
        subprocess.run(called, check=True, capture_output=True)
        (line,) = list(csv.reader((tmp_path / "par-returns.csv").read_text().splitlines()))[1:]
        assert float(line[2].removesuffix("%")) / 100 == pytest.approx(returned(book, {}), rel=1e-12)


# Strips and lines are drawn as they are, whatever is written on them.


def drawn(game: Game) -> dict[str, Figure]:
    """Returns the figures of a game's reels by their names."""
    return {one.name: one for one in of_reels(layout_evidence(game))}


def texts(figure: Figure) -> list[str]:
    return re.findall(r">([^<]+)</text>", figure.drawing)


def test_every_stop_of_every_strip_is_drawn_and_told() -> None:
    game = small(LINES)
    figures = drawn(game)
    assert list(figures) == ["stops-1", "lines-1", "stops-2"]
    (base, _) = rules_of(game).strip_sets
    written = texts(figures["stops-1"])
    for reel in base.reels:
        for stop, symbol in enumerate(reel.symbols):
            weight = f" :{reel.weight(stop)}" if reel.weights else ""
            assert symbol + weight in written
    assert figures["stops-1"].alternative.endswith("Reel 3: b, a, c, wild, star, a")
    assert "weight" in figures["stops-1"].caption
    assert "weight" not in figures["stops-2"].caption


def test_each_line_takes_one_cell_of_each_reel() -> None:
    figure = drawn(small(LINES))["lines-1"]
    assert figure.drawing.count("<rect") == 3 * 3
    assert figure.alternative.endswith("1: 1 1 1; 2: 2 2 2; 3: 1 2 1")


def test_ways_have_no_lines() -> None:
    assert list(drawn(small(WAYS))) == ["stops-1"]
    assert "lines-1" in drawn(small(LINES))


def test_more_stops_than_fit_are_said_to_be_left_out() -> None:
    figure = stops_of("strips", "long", [["seven"] * (MOST_STOPS + 1)], [[]])
    assert texts(figure).count("seven") == MOST_STOPS
    assert str(MOST_STOPS) in figure.caption


def test_a_name_that_is_too_long_is_cut_and_markup_is_text() -> None:
    figure = stops_of("strips", "a", [["<script>", "x" * 300], ["y"]], [[], []])
    assert "<script>" not in figure.drawing
    assert "&lt;script&gt;" in figure.drawing
    assert any(one.endswith("…") for one in texts(figure))


@pytest.mark.parametrize(("language", "word"), [("it", "Rullo"), ("fr", "Rouleau"), ("es", "Rodillo")])
def test_reels_are_named_in_every_language(language: str, word: str) -> None:
    with speaking(language):
        assert f"{word} 1" in texts(drawn(small(LINES))["stops-1"])


def test_a_game_without_reels_draws_none() -> None:
    game = small(LINES)
    layout = replace(layout_evidence(game), reels=None)
    assert of_reels(layout) == ()


def test_a_wait_of_more_digits_than_a_column_holds_is_told_in_powers_of_ten() -> None:
    row = SupplementaryFigure(Fraction(4) ** 200, Fraction(4) ** 200, Unit.ROUNDS, Basis.EXACT)
    assert _figure(row) == "2.58 × 10^120"
    near = SupplementaryFigure(
        Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Unit.CHANCE, Basis.PROVEN
    )
    assert _figure(near) == "33.3333\u202f%"
    apart = SupplementaryFigure(Fraction(1, 3), Fraction(34, 100), Unit.CHANCE, Basis.PROVEN)
    assert "to" in _figure(apart)

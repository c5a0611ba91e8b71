"""Logs of played rounds, read by DuckDB within bounds of memory and without any network."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from certify.errors import InputError, MissingPartError, Refusing
from certify.live.columns import Amounts, Conventions, LogMap, TimeForm, WinIs
from certify.live.sources import DATABASES, LogSource, name_of
from certify.model import Game

with Refusing(
    ImportError,
    MissingPartError,
    "certify audit and certify watch: need DuckDB; install it with: pip install 'certify-VERSION.whl[audit]'",
    words=None,
):
    import duckdb

MEMORY: Final = "1GiB"
"""What DuckDB holds in memory; the rest lies in a folder that is taken away afterwards."""

MOST_SUGGESTED: Final = 1_000
"""Rows that a first MAP is made from."""

MOST_COINS: Final = 10**15
"""The largest amount that is read, in the smallest coin."""

_CSV: Final = (
    "read_csv({}, auto_detect = false, hive_partitioning = false, skip = 0, header = {}, columns = {{{}}}, "
    "delim = {}, {})"
)
"""Nothing of a CSV is guessed: a line that is torn ends the reading, and none is passed over.

The name of a folder, such as ``stake=5``, takes the place of no column: it is not under the digest of the log.
"""

_JSON: Final = "read_json({}, format = 'newline_delimited', maximum_depth = {}, hive_partitioning = false)"

_PACKED: Final = (".gz", ".zst")

_CLOCKS: Final = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
_WITH_DAY: Final = "try_strptime(regexp_replace({{}}, '^([0-9]+)[.-]([0-9]+)[.-]', '\\1/\\2/'), [{}])"

_TIMES: Final[Mapping[TimeForm, str]] = {
    TimeForm.ISO: "try_cast(try_cast({} AS TIMESTAMPTZ) AS TIMESTAMP)",
    TimeForm.SECONDS: "try(make_timestamp((try_cast({} AS DECIMAL(24,6)) * 1000000)::BIGINT))",
    TimeForm.MILLISECONDS: "try(make_timestamp((try_cast({} AS DECIMAL(24,3)) * 1000)::BIGINT))",
    TimeForm.DAY_FIRST: _WITH_DAY.format(", ".join(f"'%d/%m/%Y{clock}'" for clock in _CLOCKS)),
    TimeForm.MONTH_FIRST: _WITH_DAY.format(", ".join(f"'%m/%d/%Y{clock}'" for clock in _CLOCKS)),
}
"""What reads a time as it is written."""

_AMOUNT: Final = (
    "an amount of a known currency such as 1.50, no finer than its smallest coin (log.decimal, log.thousands)"
)

_FORMS: Final[Mapping[str, str]] = {
    "time": "2026-01-31 12:00:00, with its offset or in UTC, or another form that log.time names",
    "stake": _AMOUNT,
    "win": _AMOUNT,
    "number": "a whole number",
}
"""What is read of columns that are no text."""

ROWS: Final = "log"
"""The table of all rows: what the MAP names, as text, time and whole amounts; ``rowid`` counts them from 0."""

TEXTS: Final = (
    "round",
    "wager",
    "outcome",
    "status",
    "draws",
    "decisions",
    "channel",
    "currency",
    "variant",
    "player",
    "level",
)


def text_of(value: str) -> str:
    """Returns a text as a literal of SQL.

    >>> text_of("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log.

    Args:
        source: Where it is.
        reads: What DuckDB reads it by.
        types: Its columns, each with its type.
    """

    source: LogSource
    reads: str
    types: Mapping[str, str]


@dataclass(slots=True)
class Logs:
    """Logs that are open, and the table that their rows are put into.

    Args:
        engine: DuckDB, which can reach no other file and no network.
        files: The logs.
        starts: Number of the first row of each, in the table.
    """

    engine: duckdb.DuckDBPyConnection
    files: tuple[LogFile, ...]
    starts: tuple[int, ...] = ()

    def all(self, query: str) -> list[tuple[Any, ...]]:
        """Returns every row of the answer to a query."""
        return self.engine.execute(query).fetchall()

    @contextmanager
    def once(self, step: str) -> Iterator[bool]:
        """Gives whether a step is to be done, which is done whole or not at all."""
        execute = self.engine.execute
        execute("BEGIN; CREATE TABLE IF NOT EXISTS done (step VARCHAR, rows BIGINT)")
        due = not self.all(f"SELECT 1 FROM done WHERE step = {text_of(step)}")
        yield due
        if due:
            execute(f"INSERT INTO done SELECT {text_of(step)}, count(*) FROM {ROWS}")
        execute("COMMIT")

    def place(self, row: int) -> tuple[str, int]:
        """Returns the log and the number, from 1, of a row of the table."""
        at = max(number for number, start in enumerate(self.starts) if start <= row)
        return self.files[at].source.name, row - self.starts[at] + 1

    def sample(self) -> list[dict[str, str | None]]:
        """Returns the first rows of the first log, as text."""
        columns = self.files[0].types
        rows = self.all(f"SELECT COLUMNS(*)::VARCHAR FROM {self.files[0].reads} LIMIT {MOST_SUGGESTED}")
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def words(self, file: LogFile, column: str) -> set[str]:
        """Returns every different word of a column of a log."""
        return {row[0] for row in self.all(f"SELECT DISTINCT {_text(column)} FROM {file.reads}") if row[0]}

    def take(self, columns: LogMap, games: Sequence[Game], minor: Mapping[str, int]) -> int:
        """Reads all rows into the table, and returns their number.

        Args:
            columns: What the columns mean.
            games: The editions of the game whose rounds they are, the first one first.
            minor: Decimal places of each currency that a row may state.

        Raises:
            InputError: A log is broken.
        """
        named, starts = columns.columns.named, [0]
        for number, file in enumerate(self.files):
            query = f"SELECT {', '.join(_parts(file, columns, games, minor))} FROM {file.reads}"
            step, made = f"log {number}", f"INSERT INTO {ROWS}" if number else f"CREATE TABLE {ROWS} AS"
            with (
                Refusing(duckdb.Error, InputError, file.source.place, words=_said),
                self.once(step) as due,
            ):
                if due:
                    self.engine.execute(f"{made} {query}")
            starts.append(int(self.all(f"SELECT rows FROM done WHERE step = {text_of(step)}")[0][0]))
            self._require_form(file, named, starts[-2])
        self.starts = tuple(starts[:-1])
        return starts[-1]

    def _require_form(self, file: LogFile, named: Mapping[str, str], start: int) -> None:
        """Refuses a log of which a column holds no value that can be read: its form is another one, not its rows."""
        for one, expected in _FORMS.items():
            ((rows, read),) = self.all(f"SELECT count(*), count({one}) FROM {ROWS} WHERE rowid >= {start}")
            if rows and not read and one in named:
                raise InputError(
                    f'{file.source.place}: {one}: nothing in the column "{named[one]}" can be read, such as '
                    f"{min(self.words(file, named[one]), default='nothing')!r}: expected {expected}"
                )


def _parts(file: LogFile, columns: LogMap, games: Sequence[Game], minor: Mapping[str, int]) -> Iterator[str]:
    """Yields what each column of the table is read by."""
    named, written = columns.columns.named, columns.log
    money = written.currency or games[0].wagers[0].limits.currency
    currency = f"upper({_text(named.get('currency'), money)})"
    # Places of draws are counted by the blanks between them.
    apart = {
        "currency": currency,
        "draws": f"regexp_replace({_text(named.get('draws'))}, '\\s\\s+|\\t', ' ', 'g')",
    }
    yield from (f"{apart.get(one) or _text(named.get(one))} AS {one}" for one in TEXTS)
    time = _TIMES[written.time].format(_text(named["time"]))
    if written.time is TimeForm.ISO and file.types[named["time"]].startswith(("TIMESTAMP", "DATE")):
        time = f"try_cast({name_of(named['time'])} AS TIMESTAMP)"
    # DuckDB reads times that no calendar of ours has: infinity, years before 1 and after 9999.
    time = f"(CASE WHEN year({time}) BETWEEN 1 AND 9999 THEN {time} END)"
    begun = [columns.editions[one.version] for one in games if one.version in columns.editions]
    later = [f"({time} >= {text_of(day)}::TIMESTAMP)::INTEGER" for day in begun]
    # Where the first edition has a day too, none was in force before it.
    before = len(games) - 1 - len(begun)
    yield f"{time} AS time"
    yield f"{' + '.join([str(before), *later])} AS edition"
    number = _text(named.get("number"))
    if file.types.get(named.get("number", "")) not in _WHOLE:
        # DuckDB rounds what is no whole number.
        number = f"CASE WHEN regexp_full_match({number}, '[+-]?[0-9]+([.]0*)?') THEN {number} END"
    yield f"try_cast({number} AS BIGINT) AS number"
    amounts = {
        one: _coins(named[one], file.types[named[one]] in _WHOLE, currency, written, minor)
        for one in ("stake", "win", "jackpot")
        if one in named
    }
    if written.win is WinIs.NET:
        amounts["win"] += f" + {amounts['stake']}"
    if jackpot := amounts.pop("jackpot", ""):
        # A cell with nothing in it says that no meter paid.
        amounts["win"] += f" - CASE WHEN {_text(named['jackpot'])} IS NULL THEN 0 ELSE {jackpot} END"
        yield f"{jackpot} AS meter"
    yield from (f"{amount} AS {one}" for one, amount in amounts.items())


_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
"""Types whose amounts need not be read from their text."""


def _text(column: str | None, otherwise: str | None = None) -> str:
    """Returns a column as text without blanks around it; where there is none, one text for all rows."""
    if column is None:
        return "NULL::VARCHAR" if otherwise is None else text_of(otherwise)
    return f"nullif(trim({name_of(column)}::VARCHAR), '')"


def _coins(column: str, whole: bool, currency: str, written: Conventions, minor: Mapping[str, int]) -> str:
    """Returns an amount in the smallest coin; none where it is finer, too large, or written in another form."""
    text = plain = _text(column)
    digits, mark, cases = r"[0-9]{1,15}", f"[{written.decimal}]", []
    if written.thousands == " ":
        text = plain = f"regexp_replace({text}, '[\u00a0\u2009\u202f]', ' ', 'g')"
    if written.thousands:
        digits += f"|[0-9]{{1,3}}([{written.thousands}][0-9]{{3}}){{1,4}}"
        plain = f"replace({plain}, {text_of(written.thousands)}, '')"
    plain = f"replace({plain}, ',', '.')" if written.decimal == "," else plain
    for one, many in minor.items():
        places = 0 if written.amounts is Amounts.MINOR else many
        form = f"[+-]?({digits})?({mark}[0-9]{{0,{places}}}0*)?"
        amount, read = f"try_cast({plain} AS DECIMAL(24,4))", f"regexp_full_match({text}, {text_of(form)})"
        if whole:
            amount, read = f"{name_of(column)}::HUGEINT", "true"
        amount = f"{amount} * {10**places}"
        cases.append(
            f"WHEN {currency} = {text_of(one)} AND {read} AND abs({amount}) <= {MOST_COINS} THEN ({amount})::BIGINT"
        )
    return f"(CASE {' '.join(cases)} END)" if cases else "NULL::BIGINT"


def _said(error: Exception) -> str:
    """Returns what DuckDB says of a file, in one line; its places are rows and columns of the log."""
    # Behind that come the query, and options that are not ours to give.
    told = re.split("\nLINE |\nPossible fixes|LINE 1:", str(error))[0]
    line = " ".join(line.strip() for line in told.splitlines() if line.strip())[:400]
    return f"{line} (expected UTF-8)" if "unicode" in told.lower() else line


@contextmanager
def opened(sources: Sequence[LogSource], threads: int = 2, kept: Path | None = None) -> Iterator[Logs]:
    """Opens logs for one audit.

    Args:
        sources: The logs.
        threads: Threads that DuckDB works on.
        kept: File in which what is worked out is kept until the audit is done; none where nothing is.

    Raises:
        InputError: A log cannot be read, or has another form.
    """
    with TemporaryDirectory(prefix="certify-live-") as scratch:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "temp_directory": f"{scratch}/spilled",
            "threads": threads,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        rounds = kept or Path(scratch, "rounds.duckdb")
        with Refusing(duckdb.Error, InputError, f"{rounds}: cannot be opened", words=None):
            connected = duckdb.connect(rounds, config=settings)
        with closing(connected) as engine:
            allowed = ", ".join(text_of(str(source.file)) for source in sources)
            for setting in (
                "TimeZone = 'UTC'",
                "enable_progress_bar = false",
                f"allowed_paths = [{allowed}]",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                engine.execute(f"SET {setting}")
            files = []
            for source in sources:
                with Refusing(duckdb.Error, InputError, source.place, words=_said):
                    reads = _reads(engine, source)
                    described = engine.execute(f"DESCRIBE SELECT * FROM {reads}").fetchall()
                files.append(LogFile(source, reads, {str(row[0]): str(row[1]) for row in described}))
            yield Logs(engine, tuple(files))
    if kept is not None:
        kept.unlink()


def _reads(engine: duckdb.DuckDBPyConnection, source: LogSource) -> str:
    """Returns what DuckDB reads a log by."""
    endings = [one for one in source.file.suffixes if one not in _PACKED][-1:]
    ending = endings[0].lower() if endings else ""
    if ending not in _READERS:
        known = ", ".join((*_READERS, *DATABASES))
        raise InputError(
            f"{source.place}: expected a file whose name ends in {known}, or one of them with {' or '.join(_PACKED)}"
        )
    return _READERS[ending](engine, source)


def _json(engine: duckdb.DuckDBPyConnection, source: LogSource) -> str:
    """Returns what DuckDB reads JSON lines by: a value within another is a column too, such as ``bet.stake``.

    Every value is read as its text: no id of many digits becomes a float.
    """
    file = text_of(str(source.file))
    found = engine.sql(f"SELECT * FROM {_JSON.format(file, -1)}")
    values = (
        f"json_extract_string({name_of(path[0])}, {text_of('.'.join(['$', *map(name_of, path[1:])]))}) "
        f"AS {name_of('.'.join(path))}"
        for path in chain.from_iterable(map(_paths, found.columns, found.types))
    )
    return f"(SELECT {', '.join(values)} FROM {_JSON.format(file, 1)})"


def _paths(name: str, kind: Any) -> list[tuple[str, ...]]:
    """Returns the names that lead to each value of a column."""
    if kind.id != "struct":
        return [(name,)]
    return [(name, *rest) for inner, of in kind.children for rest in _paths(inner, of)]


def _csv(engine: duckdb.DuckDBPyConnection, source: LogSource) -> str:
    """Returns what DuckDB reads a CSV by: its headings are parted by comma, semicolon, tab or bar."""
    file, plain = text_of(str(source.file)), "quote = '', escape = '', strict_mode = false"
    whole_lines = _CSV.format(file, "false", "'line': 'VARCHAR'", "chr(1)", plain)
    first = engine.execute(f"SELECT * FROM {whole_lines} LIMIT 1").fetchone()
    line = str(first[0]) if first else ""
    mark = max(",;\t|", key=line.count)
    if not line:
        raise InputError(f"{source.place}: row 1: no headings")
    headings = next(csv.reader([line], delimiter=mark), [])
    plain_names = [name.strip().lower() for name in headings]
    if "" in plain_names or len({*plain_names}) < len(plain_names):
        raise InputError(
            f"{source.place}: row 1: expected headings, each another one and none empty: {line[:200]}"
        )
    columns = ", ".join(f"{text_of(name.strip())}: 'VARCHAR'" for name in headings)
    return _CSV.format(file, "true", columns, text_of(mark), "quote = '\"', escape = '\"'")


_READERS: Final = {
    ".parquet": lambda _, source: f"read_parquet({text_of(str(source.file))}, hive_partitioning = false)",
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _json,
    ".ndjson": _json,
}

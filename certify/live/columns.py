"""What the columns of a log mean: the MAP, written once, and a first one made from headings and values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Final

from certify.errors import Problems, one_of
from certify.exact import places_of
from certify.live.law import levels_of
from certify.mathematics import analysed_strategies, certified_variants, has_decisions
from certify.model import Game, keywords
from certify.rounds import Rounding
from certify.submission import located_form
from certify.untrusted_input import quoted, read_bounded


class Amounts(StrEnum):
    """How amounts are written: in units of the currency, such as 1.50, or in its smallest coin, such as 150."""

    MAJOR = "major"
    MINOR = "minor"


class WinIs(StrEnum):
    """What the column of the win holds: everything that came back, the stake included, or that less what was staked."""

    RETURNED = "returned"
    NET = "net"


class DecimalMark(StrEnum):
    """What parts the decimals of an amount."""

    POINT = "."
    COMMA = ","


class ThousandsMark(StrEnum):
    """What parts thousands of an amount."""

    NONE = ""
    COMMA = ","
    POINT = "."
    APOSTROPHE = "'"
    SPACE = " "


class TimeForm(StrEnum):
    """How times are written.

    ISO is 2026-01-31 12:00:00, with its offset or in UTC; seconds and milliseconds are those since the beginning of
    1970; a day first is 31/01/2026 12:00, or with points or hyphens, in UTC; a month first 01/31/2026 12:00 PM.
    """

    ISO = "iso"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


class RowState(StrEnum):
    """How a row ended."""

    SETTLED = "settled"
    VOID = "void"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of the log for each thing that is looked at; empty where the log holds no such column.

    Args:
        round: Id of the round.
        time: When it was played.
        stake: Stake at the beginning of the round.
        win: What came back.
        wager: What was bet on; the first wager of the game where left out.
        number: A number that rises by one from round to round.
        outcome: How the wager ended, in the words of the log.
        status: Whether the row is settled, void or open; settled where left out.
        draws: What was drawn, as numbers of items in the order drawn, with spaces between.
        decisions: What was decided, in order, with spaces between.
        channel: Where it was played.
        currency: Currency of the amounts.
        variant: Variant of the game that was in force.
        player: Whose round it is.
        jackpot: What a meter paid, which is in the win too: the rest of the win is judged.
        level: The bet level or purchase that was played; where a cell is empty, the round as submitted.
    """

    round: str
    time: str
    stake: str
    win: str
    wager: str = ""
    number: str = ""
    outcome: str = ""
    status: str = ""
    draws: str = ""
    decisions: str = ""
    channel: str = ""
    currency: str = ""
    variant: str = ""
    player: str = ""
    jackpot: str = ""
    level: str = ""

    @property
    def named(self) -> dict[str, str]:
        """The columns that the log holds, by what they mean."""
        return {name: column for name, column in keywords(self).items() if column}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How the log writes what it holds.

    Args:
        amounts: In units of the currency, or in its smallest coin.
        win: What the column of the win holds.
        rounding: What happens to a fraction of the smallest coin in a payout.
        strategy: How rounds with decisions were played, by the name of a strategy; empty where it is not known.
        currency: Currency of every amount where no column says it; that of the limits where left out.
        decimal: What parts the decimals of an amount.
        thousands: What parts its thousands, where anything does; a space may be one that does not break.
        time: How times are written.
    """

    amounts: Amounts = Amounts.MAJOR
    win: WinIs = WinIs.RETURNED
    rounding: Rounding = Rounding.DOWN
    strategy: str = ""
    currency: str = ""
    decimal: DecimalMark = DecimalMark.POINT
    thousands: ThousandsMark = ThousandsMark.NONE
    time: TimeForm = TimeForm.ISO


@dataclass(frozen=True, slots=True)
class LogMap:
    """A MAP: columns, conventions, and words of the log with what they mean.

    Args:
        columns: Which column holds what.
        log: How the log writes it.
        status: Words of the log for each status; the status itself where left out.
        wagers: Wagers by the words of the log.
        outcomes: Outcomes by the words of the log.
        variants: Variants by the words of the log; the submission itself is the empty word.
        levels: Bet levels and purchases by the words of the log; the round as submitted is the empty word.
        editions: The day, in UTC, from which each edition of the game was in force, by its version; the first has none.
    """

    columns: Columns
    log: Conventions = field(default_factory=Conventions)
    status: dict[str, RowState] = field(default_factory=dict)
    wagers: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    variants: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    editions: dict[str, str] = field(default_factory=dict)

    def in_order(self, games: Sequence[Game]) -> list[Game]:
        """Returns the editions of a game, the first one first."""
        return sorted(games, key=lambda game: self.editions.get(game.version, ""))

    def wager(self, word: str | None, game: Game) -> str:
        """Returns the wager that a row names."""
        return game.wagers[0].id if word is None else self.wagers.get(word, word)

    def state(self, word: str | None) -> RowState | None:
        """Returns the status that a row names; none where the word is unknown."""
        if word is None:
            return None if self.columns.status else RowState.SETTLED
        if word in self.status:
            return self.status[word]
        return RowState(word.lower()) if word.lower() in list(RowState) else None


def read_map(path: Path, games: Sequence[Game], held: Mapping[str, Sequence[str]]) -> LogMap:
    """Returns the MAP of a file; see :func:`map_of`."""
    return map_of(read_bounded(path), str(path), games, held)


def map_of(data: bytes, name: str, games: Sequence[Game], held: Mapping[str, Sequence[str]]) -> LogMap:
    """Returns a MAP that fits a game and the logs that it is for.

    Args:
        data: Its bytes.
        name: What its file is called.
        games: The editions of the game whose rounds are logged.
        held: Columns of each log, by its path.

    Raises:
        SubmissionError: The file cannot be read, or names what there is not; all mistakes, each with its line.
    """
    noun, problems = located_form(data, name, LogMap)
    twice: dict[str, str] = {}
    for meaning, column in noun.columns.named.items():
        for log, columns in held.items():
            if column not in columns:
                hint = one_of(column, columns)
                problems.add(("columns", meaning), f'{meaning}: no column "{column}" in {log}: {hint}')
        first = twice.setdefault(column, meaning)
        problems.refuse_where(
            first != meaning and {first, meaning} != {"round", "number"},
            ("columns", meaning),
            f'{meaning}: the column "{column}" holds the {first} already',
        )
    wagers = [one.id for game in games for one in game.wagers]
    variants = [one.id for game in games for one in certified_variants(game)]
    levels = [one.id for game in games for one in levels_of(game)]
    problems.refuse_where(
        bool(noun.columns.level) and not levels,
        ("columns", "level"),
        "level: the game has no bet levels or purchases",
    )
    _require_words(problems, "wagers", noun.wagers, wagers)
    _require_words(problems, "variants", noun.variants, ["", *variants])
    _require_words(problems, "levels", noun.levels, ["", *levels])
    _require_editions(problems, noun.editions, games)
    if noun.log.currency:
        problems.attempt(("log", "currency"), lambda: places_of(noun.log.currency), 0)
    same = noun.log.decimal.value == noun.log.thousands.value
    problems.refuse_where(
        same, ("log", "thousands"), "thousands: expected another mark than that of the decimals"
    )
    problems.raise_found()
    return noun


def _require_editions(problems: Problems, dates: Mapping[str, str], games: Sequence[Game]) -> None:
    versions = [game.version for game in games]
    for version, day in dates.items():
        known = one_of(version, versions)
        problems.refuse_where(
            version not in versions, ("editions", version), f'editions: "{version}": {known}'
        )
        try:
            date.fromisoformat(day)
        except ValueError:
            problems.add(("editions", version), f'editions: "{day}": expected a day such as "2026-01-31"')
    undated = [version for version in versions if version not in dates]
    same = len({*versions}) < len(versions) or len({*dates.values()}) < len(dates)
    problems.refuse_where(
        len({game.id for game in games}) > 1 or same or len(undated) > 1,
        ("editions",),
        "editions: expected one game in versions that differ, each but the first with a day of its own from which it "
        f'was in force, such as "{versions[-1]}" = "2026-01-31"',
    )


def _require_words(problems: Problems, table: str, words: Mapping[str, str], known: Sequence[str]) -> None:
    for word, meant in words.items():
        problems.refuse_where(
            meant not in known, (table, word), f'{table}: "{meant}": {one_of(meant, known)}'
        )


_HEADINGS: Final[Mapping[str, str]] = {
    "round": (
        "round roundid gameround gameroundid spinid handid betid id transactionid rundenid runde giocata "
        "idgiocata partita idpartita ronda idronda partida référence partie"
    ),
    "time": (
        "time timestamp datetime date settledat playedat createdat endtime starttime zeitpunkt zeit "
        "datum dataora fecha fechahora fechayhora dateetheure horodatage"
    ),
    "stake": (
        "stake bet wageramount betamount stakeamount turnover totalbet coinin einsatz puntata apuesta mise"
    ),
    "win": (
        "win payout winamount returned return paid totalwin winnings coinout gewinn auszahlung vincita "
        "premio ganancia gain"
    ),
    "wager": "wager bettype wagertype market selection wagerid wette scommessa pari",
    "number": "number roundnumber sequence seq sequencenumber nummer rundennummer numero número numéro",
    "outcome": "outcome result resultrow row ergebnis esito resultado résultat",
    "status": "status state roundstatus stato estado état statut",
    "draws": "draws cards drawn stops karten carte cartas cartes",
    "decisions": "decisions actions entscheidungen decisioni decisiones décisions",
    "channel": "channel platform device kanal canale canal",
    "currency": "currency currencycode ccy währung valuta divisa moneda devise",
    "variant": "variant configuration rtpvariant model",
    "level": "level betlevel feature purchase mode betmode livello nivel niveau einsatzstufe",
    "player": "player playerid account accountid customerid seat spieler giocatore jugador joueur",
}
"""Headings, in letters alone, that logs have for what is looked at, in English and other languages of Europe."""


_TIME_FORMS: Final[Mapping[TimeForm, str]] = {
    TimeForm.SECONDS: r"[0-9]{9,10}(\.[0-9]+)?$",
    TimeForm.MILLISECONDS: r"[0-9]{12,13}$",
    TimeForm.DAY_FIRST: r"[0-9]{1,2}[/.-](0?[1-9]|1[0-2])[/.-][0-9]{4}",
    TimeForm.MONTH_FIRST: r"(0?[1-9]|1[0-2])[/.-][0-9]{1,2}[/.-][0-9]{4}",
}
"""What times look like that are written otherwise than in ISO 8601."""


def suggested_map(columns: Sequence[str], sample: Sequence[Mapping[str, str | None]], game: Game) -> str:
    """Returns a first MAP for a log, with a comment where a person must look.

    Args:
        columns: Headings of the log.
        sample: Its first rows, as text.
        game: The game whose rounds are logged.
    """
    plain = {_plain(part): name for name in reversed(columns) for part in (name.rpartition(".")[2], name)}
    found = {
        meaning: next((plain[one] for one in headings.split() if one in plain), "")
        for meaning, headings in _HEADINGS.items()
    }
    lines = [f"# A first MAP for rounds of {game.id}. Read every line: a guess is no statement.", "[columns]"]
    for meaning, column in found.items():
        if column:
            values = ", ".join(sorted({str(row[column]) for row in sample if row[column] is not None})[:3])
            lines.append(f"{meaning} = {quoted(column)}  # such as {quoted(values)}")
        elif meaning in ("round", "time", "stake", "win"):
            lines.append(f'{meaning} = ""  # expected: one of {", ".join(map(quoted, columns))}')
    amounts = [row[found[one]] or "0" for row in sample for one in ("stake", "win") if found[one]]
    form = Amounts.MINOR if all(one.lstrip("-").isdigit() for one in amounts) else Amounts.MAJOR
    win = WinIs.NET if any(one.startswith("-") for one in amounts) else WinIs.RETURNED
    lines += [
        "",
        "[log]",
        f'amounts = "{form}"  # "major": 1.50; "minor": 150',
        f'win = "{win}"  # "returned": the stake is in it; "net": it is not',
        'rounding = "down"  # what happens to a fraction of the smallest coin: "down", "up", "half-even"',
    ]
    if any(re.fullmatch(r"[0-9.]*,[0-9]{1,4}", one) for one in amounts):
        lines.append('decimal = ","  # 1,50: a point where left out; thousands = "." for 1.234,50')
    times = [str(row[found["time"]]).strip() for row in sample if found["time"]]
    forms = (form for form, pattern in _TIME_FORMS.items() if all(re.match(pattern, one) for one in times))
    if times and (written := next(forms, TimeForm.ISO)) is not TimeForm.ISO:
        lines.append(f'time = "{written}"')
    if has_decisions(game):
        strategies = ", ".join(map(quoted, analysed_strategies(game)))
        lines.append(f"# strategy = ...  # only where all play is known to be by one of {strategies}")
    words = {row[found["status"]] for row in sample if found["status"]} - {None}
    if words:
        lines += ["", '[status]  # each word: "settled", "void" or "open"']
        for word in sorted(map(str, words)):
            guess = word.lower() if word.lower() in list(RowState) else RowState.SETTLED
            lines.append(f'{quoted(word)} = "{guess}"')
    known = {_plain(one.id): one.id for one in game.wagers}
    names = {str(row[found["wager"]]) for row in sample if found["wager"]}
    if names := names - {*known.values()}:
        lines += ["", f"[wagers]  # wagers of the game: {', '.join(known.values())}"]
        lines += [
            f"{quoted(name)} = {quoted(known.get(_plain(name), game.wagers[0].id))}" for name in sorted(names)
        ]
    return "\n".join(lines) + "\n"


def _plain(name: str) -> str:
    """Returns the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name)).lower()

"""What a submission of a slot states, every mistake with its line."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, Final, TypeVar

from certify.errors import GoesOn, KeyPath, T
from certify.families.declared_rules import Stated
from certify.families.port import Problems
from certify.families.slot import texts
from certify.families.slot.contradictions import check_claims, check_consistency
from certify.families.slot.exact.prizes import MOST_PICKED, prize_law
from certify.families.slot.keys import MOST_PAY, STAGE, Key, key_of, types_of
from certify.families.slot.purchases import BetLevel, Gamble, Jackpot, Purchase, SlotVariant
from certify.families.slot.random_elements import pieces_of
from certify.families.slot.reachability import idle, remarks, rows_that_show
from certify.families.slot.rows import added_rows, paytable_of
from certify.families.slot.rules import (
    ANY,
    BASE,
    FAMILY_ID,
    TABLES,
    BonusPrizes,
    Cascade,
    Doubled,
    FreeGames,
    FullReels,
    Height,
    LinePay,
    PatternPay,
    PrizeDraws,
    Respin,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    Trigger,
    Wild,
    rules_of,
)
from certify.model import RETURN, Game, parse_claim

E = TypeVar("E", bound=StrEnum)

COUNTS: Final = Key()
TIMES: Final = Key(what="a multiplier", low=1, high=10_000)
AGAIN: Final = Key(zeros="nothing is granted again")

EMPTY_LINE: Final[tuple[int, ...]] = ()
UNMULTIPLIED: Final[tuple[tuple[int, Fraction], ...]] = ((1, Fraction(1)),)
UNREAD: Final = Fraction(1, 2)
MOST_BOXES: Final = 1_000
"""Boxes that prizes are picked from, at most: a prize of weight w is in w of them."""
UNDRAWN: Final[tuple[tuple[str, Fraction], ...]] = ()
ONE_ROW: Final[tuple[Height, ...]] = (Height(1),)
"""What is used in place of a text that cannot be read."""

_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class SlotSubmission(Stated):
    """Rules, rows and tables of slots; one wager, whose id is the submission's own."""

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that a round can win: all are made from what the tables pay."""
        return self.rows(game, wager)

    reachable_rows = paid_rows
    """The same: how often each is won is counted."""

    def added_rows(self, game: Game) -> tuple[str, ...]:
        """Returns what windows are multiplied by, what a limit takes away, and the features that pay prizes."""
        return added_rows(rules_of(game))

    def remarks(self, game: Game, stated: Container[KeyPath]) -> Iterator[tuple[KeyPath, str]]:
        """Yields symbols that do nothing, patterns never paid, and wilds of which it matters whether they win alone."""
        return remarks(rules_of(game), stated)


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    """Returns the game with its reels, rows and features; records every mistake with its line."""
    reading = _Reading(tables, problems)
    rules = reading.rules()
    if not reading.mistaken:
        check_consistency(rules, [wager.id for wager in game.wagers], reading)
    for n, bonus in enumerate(() if reading.mistaken else rules.bonuses):
        # No more sums of what places show than this: where they are few they are counted when they are needed.
        most = bonus.places * max(one.pays for one in bonus.prizes)
        if not 0 < most * lcm(*(one.pays.denominator for one in bonus.prizes)) < MOST_PICKED:
            reading.attempt(("bonuses", n, "prizes"), partial(prize_law, bonus), None)
    second = "a second wager: a slot has one, the round that is paid for"
    problems.refuse_where(len(game.wagers) > 1, ("wagers", 1), second)
    if reading.mistaken or not game.wagers:
        return replace(game, rules=rules)
    check_claims(rules, game.claims, reading.refuse_where)
    wager = replace(game.wagers[0], paytable=paytable_of(rules, problems.line))
    return replace(game, rules=rules, wagers=(wager,), equipment=pieces_of(rules))


SUBMITTED: Final = SlotSubmission(
    family=FAMILY_ID,
    rule_ids=(),
    wager_ids=(),
    # Rules without strips: these are in tables of their own.
    rules=lambda read: SlotRules(),
    # The rows for which the strips hold enough symbols.
    rows=lambda game, wager: rows_that_show(rules_of(game)),
    tables=TABLES,
    checked=_checked,
)
"""What a submission of a slot states."""


class _Reading(GoesOn):
    """Reads the tables of one submission."""

    def __init__(self, tables: Mapping[str, Any], problems: Problems) -> None:
        self.tables, self.problems, self.mistaken = tables, problems, False
        self.slot: Any = tables.get("slot") or TABLES["slot"].form(heights=[])
        self.reels = len(self.slot.heights)
        self.shown: frozenset[str] = frozenset()
        self.stage_ids: tuple[str, ...] = ()
        self.expanded: dict[str, tuple[str, ...]] = {}
        self.by_expansion_only: dict[tuple[str, ...], list[str]] = {}

    def many(self, name: str) -> Sequence[Any]:
        """Returns the entries of a table."""
        return self.tables.get(name) or []

    def each(self, name: str, read: Callable[[KeyPath, Any], T]) -> tuple[T, ...]:
        """Returns the entries of a table, each as it is read."""
        return tuple(read((name, n), one) for n, one in enumerate(self.many(name)))

    def refuse(self, key: KeyPath, message: str) -> None:
        """Records a mistake."""
        self.mistaken = True
        self.problems.add(key, message)

    def word(self, key: KeyPath, form: type[E], text: str) -> E:
        """Returns one of several words."""
        found = next((one for one in form if one.value == text), None)
        known = ", ".join(f'"{one.value}"' for one in form)
        self.refuse_where(found is None, key, f'"{text}": expected one of {known}')
        return found or next(iter(form))

    def within(self, key: KeyPath, what: str, value: int, low: int, high: int) -> int:
        """Returns a whole number within bounds."""
        self.refuse_where(not low <= value <= high, key, f"{what} {value}: expected {low:,} to {high:,}")
        return value

    def known(self, key: KeyPath, names: Iterable[str], what: str = "symbol") -> tuple[str, ...]:
        """Returns names of symbols, or of stages, that exist."""
        there = self.shown if what == "symbol" else frozenset(self.stage_ids)
        stated = tuple(names)
        for name in stated:
            if name not in there:
                seen = ", ".join(sorted(there))
                where = "on no strip" if what == "symbol" else "not stated"
                self.refuse(key, f'the {what} "{name}" is {where}: expected one of {seen}')
        self.refuse_where(len(set(stated)) != len(stated), key, f"a {what} is named twice")
        return stated

    def stages_named(self, key: KeyPath, names: Sequence[str]) -> tuple[str, ...]:
        """Returns stages by their ids; the one that expanding symbols play in represents all of theirs."""
        self.known(key, names, "stage")
        return tuple(one for name in names for one in self.expanded.get(name, (name,)))

    def named(self, key: KeyPath, name: str) -> str:
        """Returns an id of the right form."""
        self.refuse_where(
            not _ID.fullmatch(name), (*key, "id"), f'id "{name}" is not of the form "lower-case-with-hyphens"'
        )
        return name

    def amounts(self, key: KeyPath, stated: Sequence[int], most: int, how: Key = COUNTS) -> tuple[int, ...]:
        """Returns what one, two, three … of a kind pay, grant or multiply by."""
        self.refuse_where(
            not 1 <= len(stated) <= most,
            key,
            f"{len(stated)} numbers: expected one for each count, 1 to {most} of them",
        )
        for value in stated:
            self.within(key, how.what or "the number", value, how.low, how.high)
        self.refuse_where(stated and not any(stated), key, f"{how.zeros}: expected a number above 0")
        return tuple(stated[:most])

    def made(self, key: KeyPath, stated: Any, rule: type[T], **read: Any) -> T:
        """Returns a rule from the keys of its table, but for what was read already."""
        rest = [one for one in fields(rule) if one.name not in read]  # type: ignore[arg-type]
        return rule(
            **read, **{one.name: self.value(key, stated, one, types_of(rule)[one.name]) for one in rest}
        )

    def value(self, key: KeyPath, stated: Any, one: Field[Any], kind: Any) -> Any:
        """Returns the value of one field, as its key says; see ``Key``."""
        how = key_of(one)
        if is_dataclass(kind):
            return self.trigger(key, stated, how.name or "starts")
        name = how.name or one.name
        at, value = (*key, name), getattr(stated, name)
        if name == "id":
            return self.row_id(key, stated) if how.otherwise == "" else self.named(key, value)
        if how.either:
            return self.symbols(key, stated)
        if how.names:
            named = list(filter(None, [value])) if isinstance(value, str) else value
            found = self.stages_named(at, named) if how.names == STAGE else self.known(at, named)
            return value if isinstance(value, str) else found
        if how.most:
            return self.amounts(at, value, how.most, how)
        if how.what:
            return self.within(at, how.what, value, how.low, how.high)
        if kind == Fraction | None:
            return self.attempt(at, partial(texts.number, value), None) if value else None
        if kind is Fraction:
            return self.attempt(at, partial(texts.number, value), UNREAD)
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return self.word(at, kind, value)
        if isinstance(value, dict):
            return tuple(value.items())
        return tuple(value) if isinstance(value, list) else value

    def rules(self) -> SlotRules:
        """Returns the rules as far as they can be read."""
        self.within(("slot", "heights"), "the number of reels", self.reels, 1, 12)
        rows = tuple(
            self.within(("slot", "heights"), "the height", one, 1, texts.MOST_ROWS)
            for one in self.slot.heights
        )
        sets = self.each("strips", self.strip_set)
        self.shown = frozenset(name for one in sets for reel in one.reels for name in reel.symbols)
        stages = self.stages(sets)
        self.stage_ids = tuple(stage.id for stage in stages)
        lines = tuple(
            self.attempt(("slot", "lines"), partial(texts.line, text, rows), EMPTY_LINE)
            for text in self.slot.lines
        )
        for row in idle(self.many("stages"), self.many("free_games"), sets):
            self.refuse_where(*row)
        free, stages = self.free_games(stages)
        line_pays = self.each("line_pays", self.line_pay)
        return self.made(
            ("slot",),
            self.slot,
            SlotRules,
            strip_sets=sets,
            stages=stages,
            lines=lines,
            cost=self.cost(),
            wilds=self.each("wilds", self.wild),
            doubled=self.each("doubled", partial(self.made, rule=Doubled)),
            line_pays=tuple(self.in_its_stages(row, stages) for row in line_pays),
            patterns=self.each("pattern_pays", self.pattern),
            scatter_pays=self.each("scatter_pays", partial(self.made, rule=ScatterPay)),
            free_games=free,
            bonuses=self.each("bonuses", self.bonus),
            respins=self.each("respins", self.respin),
            full_reels=self.each("full_reels", self.full_reels),
            cascades=self.each("cascades", self.cascade),
            gamble=self.gamble(),
            purchases=self.each("purchases", self.purchase),
            bet_levels=self.each("bet_levels", self.level),
            jackpots=self.each("jackpots", self.jackpot),
            variants=self.each("variants", partial(self.variant, sets=sets)),
        )

    def cost(self) -> int:
        """Returns the coins that a round costs: those on its lines where nothing else is stated."""
        self.refuse_where(
            self.slot.ways and self.slot.cost is None,
            ("slot",),
            "the cost of a round in coins is missing: where ways are paid it must be stated",
        )
        self.refuse_where(
            bool(self.slot.lines) == self.slot.ways and (self.slot.ways or self.many("line_pays")),
            ("slot",),
            "expected either lines, or ways = true",
        )
        usual = len(self.slot.lines) * self.slot.line_bet or 1
        return self.within(
            ("slot", "cost"), "coins", usual if self.slot.cost is None else self.slot.cost, 1, MOST_PAY
        )

    def strip_set(self, key: KeyPath, stated: Any) -> StripSet:
        """Returns one strip set."""
        nothing = Strip((ANY,))
        self.refuse_where(
            len(stated.reels) != self.reels,
            (*key, "reels"),
            f"{len(stated.reels)} reels: expected {self.reels}, as many as heights",
        )
        reels = tuple(
            self.attempt((*key, "reels"), partial(texts.strip, text), nothing) for text in stated.reels
        )
        self.refuse_where(
            stated.heights and len(stated.heights) != self.reels,
            (*key, "heights"),
            f"{len(stated.heights)} heights: expected {self.reels}, one a reel",
        )
        shapes = tuple(
            self.attempt((*key, "heights"), partial(texts.heights, text), ONE_ROW)
            for text in stated.heights or map(str, self.slot.heights)
        )
        return self.made(key, stated, StripSet, reels=reels, heights=shapes)

    def stages(self, sets: Sequence[StripSet]) -> tuple[SpinKind, ...]:
        """Returns the kinds of spins, the base game first."""
        ids = [one.id for one in sets]
        for n, name in enumerate(ids):
            self.refuse_where(name in ids[:n], ("strips", n, "id"), f'"{name}" is stated twice')
        made: list[SpinKind] = []
        for n, one in enumerate(self.many("stages")):
            key = ("stages", n)
            self.refuse_where(
                one.strips not in ids,
                (*key, "strips"),
                f'no strips "{one.strips}": expected one of {", ".join(ids)}',
            )
            self.refuse_where(
                one.id in [stage.id for stage in made], (*key, "id"), f'"{one.id}" is stated twice'
            )
            made.append(self.made(key, one, SpinKind))
        if BASE not in [stage.id for stage in made]:
            self.refuse_where(
                BASE not in ids and sets,
                ("strips", 0, "id"),
                f'no strips "{BASE}" for the base game, and no stage "{BASE}"',
            )
            made.insert(0, SpinKind(BASE, BASE))
        return tuple(sorted(made, key=lambda stage: stage.id != BASE))

    def wild(self, key: KeyPath, stated: Any) -> Wild:
        """Returns a wild; without a list it replaces what pays on lines, scatters and triggers left out."""
        scatters = {name for one in self.many("scatter_pays") for name in (one.symbol, *one.symbols)}
        starts = {
            name
            for table in ("free_games", "bonuses")
            for one in self.many(table)
            if not one.wilds
            for name in (one.symbol, *one.symbols)
        }
        paid = [name for one in self.many("line_pays") for name in (one.symbol, *one.symbols) if name]
        paid += [name for one in self.many("pattern_pays") for cell in one.cells for name in cell.split("|")]
        usual = [
            name for name in paid if name not in scatters | starts | {ANY, stated.symbol, *stated.but_not}
        ]
        self.known((*key, "but_not"), stated.but_not)
        self.refuse_where(
            stated.replaces and stated.but_not,
            (*key, "but_not"),
            "expected either what it replaces, or what is left out of that",
        )
        return self.made(
            key,
            stated,
            Wild,
            replaces=self.known((*key, "replaces"), stated.replaces or dict.fromkeys(usual)),
            multiplies=self.attempt(
                (*key, "multiplies"), partial(texts.factors, stated.multiplies), UNMULTIPLIED
            ),
        )

    def symbols(self, key: KeyPath, stated: Any) -> tuple[str, ...]:
        """Returns what counts for a row: one symbol, or several that may be mixed."""
        one, several = stated.symbol, stated.symbols
        self.refuse_where(
            bool(one) == bool(several), key, "expected either symbol, or symbols that may be mixed"
        )
        return self.known((*key, "symbol" if one else "symbols"), [one] if one else several)

    def row_id(self, key: KeyPath, stated: Any) -> str:
        """Returns the id of a row: as stated, or the symbol's."""
        self.refuse_where(
            not stated.id and len(stated.symbols) > 1 and not stated.symbol,
            key,
            "a row of several symbols has no id: expected id",
        )
        first = stated.symbol or next(iter(stated.symbols), "row")
        return self.named(key, stated.id or first.lower().replace("_", "-"))

    def line_pay(self, key: KeyPath, stated: Any) -> LinePay:
        """Returns a row of so many of a kind: as many as reels, or more where symbols count several times."""
        times = max([one.times for one in self.many("doubled")], default=1)
        pays = self.amounts((*key, "pays"), stated.pays, max(1, self.reels * times))
        return self.made(key, stated, LinePay, pays=pays)

    def in_its_stages(self, row: LinePay, stages: Sequence[SpinKind]) -> LinePay:
        """Returns a row without the stages in which its symbol pays by expansion only."""
        without = self.by_expansion_only.get(row.symbols, ())
        left = tuple(name for name in row.stages or [one.id for one in stages] if name not in without)
        self.refuse_where(
            not left, ("line_pays",), f'"{row.id}" is paid nowhere but by expansion: expected stages'
        )
        return replace(row, stages=left) if without else row

    def pattern(self, key: KeyPath, stated: Any) -> PatternPay:
        """Returns a row of given symbols on given reels."""
        self.refuse_where(
            len(stated.cells) != self.reels,
            (*key, "cells"),
            f"{len(stated.cells)} cells: expected {self.reels}, one a reel",
        )
        cells = tuple(
            () if cell == ANY else self.known((*key, "cells"), cell.split("|")) for cell in stated.cells
        )
        return self.made(key, stated, PatternPay, cells=cells)

    def trigger(self, key: KeyPath, stated: Any, name: str) -> Trigger:
        """Returns what starts a feature; ``name`` is the key of how often."""
        symbols, how = self.symbols(key, stated), key_of(fields(Trigger)[1])
        self.refuse_where(
            stated.on_line and len(symbols) > 1, (*key, "on_line"), "several symbols on a line: expected one"
        )
        starts = self.amounts((*key, name), getattr(stated, name), how.most, how)
        return self.made(key, stated, Trigger, symbols=symbols, starts=starts)

    def free_games(self, stages: tuple[SpinKind, ...]) -> tuple[tuple[FreeGames, ...], tuple[SpinKind, ...]]:
        """Returns the series of free games, and the stages with those that an expanding symbol adds."""
        made: list[FreeGames] = []
        series = self.many("free_games")
        named = [word.split()[0] for one in series for word in (one.stage, *one.stages) if word.strip()]
        for n, one in enumerate(series):
            key = ("free_games", n)
            self.refuse_where(
                bool(one.stage) == bool(one.stages),
                key,
                "expected either stage, or stages with their chances",
            )
            said = (*key, "stages" if one.stages else "stage")
            played = self.attempt(said, partial(texts.drawn, one.stages or [one.stage]), UNDRAWN)
            self.known(said, [name for name, _ in played], "stage")
            home = next((stage for stage in stages if stage.id in dict(played)), None)
            if one.expanding and home is not None:
                self.refuse_where(
                    len(played) > 1 or home.id == BASE or named.count(home.id) > 1,
                    said,
                    f'a symbol expands in "{home.id}": expected one stage, which no other games are played in',
                )
                found = self.attempt((*key, "expanding"), partial(texts.drawn, one.expanding), UNDRAWN)
                self.known((*key, "expanding"), [name for name, _ in found])
                extra = tuple(
                    replace(home, id=f"{home.id}-{name.lower()}", expanding=name) for name, _ in found
                )
                stages = (*(stage for stage in stages if stage.id != home.id), *extra)
                played = tuple((stage.id, chance) for stage, (_, chance) in zip(extra, found, strict=True))
                self.expanded[home.id] = tuple(stage.id for stage in extra)
                for stage in extra if one.expanding_only else ():
                    self.by_expansion_only.setdefault((stage.expanding,), []).append(stage.id)
            self.refuse_where(
                one.expanding_only and not one.expanding,
                (*key, "expanding_only"),
                "nothing expands: expected expanding, the symbols of which one is drawn",
            )
            begins = self.stages_named((*key, "begins_in"), one.begins_in)
            if one.retriggers:
                begins = tuple(dict.fromkeys((*begins, *(name for name, _ in played))))
            again = self.amounts((*key, "again"), one.again, 240, AGAIN) if one.again else ()
            made.append(self.made(key, one, FreeGames, stages=played, begins_in=begins, again=again))
        return tuple(made), stages

    def bonus(self, key: KeyPath, stated: Any) -> BonusPrizes:
        """Returns a wheel, picks, a ladder, or hold and win."""
        draws = self.word((*key, "draws"), PrizeDraws, stated.draws)
        prizes = tuple(
            one
            for place, text in enumerate(stated.prizes)
            if (one := self.attempt((*key, "prizes"), partial(texts.prize, text, place, draws), None))
        )
        boxes = sum(one.weight for one in prizes)
        picked = draws in (PrizeDraws.PICK, PrizeDraws.PICK_UNTIL)
        self.within(
            (*key, "prizes"), "weights together", boxes, 0, MOST_BOXES if picked else texts.MOST_WEIGHTS
        )
        self.refuse_where(
            draws is PrizeDraws.PICK and stated.times > boxes,
            (*key, "times"),
            f"{stated.times} picks of {boxes} prizes",
        )
        self.refuse_where(
            draws is PrizeDraws.PICK_UNTIL
            and len(prizes) == len(stated.prizes)
            and not any(one.ends for one in prizes),
            (*key, "prizes"),
            'no prize ends the picks: expected one such as "0 ends"',
        )
        return self.made(key, stated, BonusPrizes, draws=draws, prizes=prizes)

    def respin(self, key: KeyPath, stated: Any) -> Respin:
        """Returns reels that are held."""
        for reel in stated.reels:
            self.within((*key, "reels"), "reel", reel, 1, self.reels)
        self.refuse_where(
            not stated.reels or len(set(stated.reels)) < len(stated.reels),
            (*key, "reels"),
            f"{len(stated.reels)} reels: expected one or more, each once",
        )
        return self.made(key, stated, Respin, reels=tuple(sorted(stated.reels)))

    def full_reels(self, key: KeyPath, stated: Any) -> FullReels:
        """Returns reels of one symbol that multiply."""
        times = self.amounts((*key, "times"), stated.times, max(1, self.reels), TIMES)
        return self.made(key, stated, FullReels, times=times)

    def cascade(self, key: KeyPath, stated: Any) -> Cascade:
        """Returns stages whose wins fall."""
        self.refuse_where(
            stated.refill != "strip above",
            (*key, "refill"),
            f'"{stated.refill}": expected "strip above"; windows that fill with symbols drawn anew are not '
            "counted: missing is the law of a window whose gaps are filled, up to a stated number of falls",
        )
        return self.made(key, stated, Cascade)

    def gamble(self) -> Gamble | None:
        """Returns the choice to stake a win again."""
        stated = self.tables.get("gamble")
        if stated is None:
            return None
        gamble = self.made(("gamble",), stated, Gamble)
        self.refuse_where(
            not 0 < gamble.chance < 1 or gamble.chance.denominator > texts.MOST_WEIGHTS,
            ("gamble", "chance"),
            f'"{stated.chance}": expected a chance between 0 and 1, in {texts.MOST_WEIGHTS:,} equal parts at most',
        )
        return gamble

    def purchase(self, key: KeyPath, stated: Any) -> Purchase:
        """Returns a feature that can be bought."""
        features = [one.id for table in ("free_games", "bonuses") for one in self.many(table)]
        known = ", ".join(features) or "none"
        self.refuse_where(
            stated.feature not in features,
            (*key, "feature"),
            f'no feature "{stated.feature}": expected one of {known}',
        )
        held = [one.places for one in self.many("bonuses") if one.id == stated.feature and one.places]
        starts = self.within((*key, "starts"), "starts", stated.starts, 1, min([10_000, *held]))
        bought = self.made(key, stated, Purchase, starts=starts)
        self.refuse_where(
            not bought.price, (*key, "price"), "a price of nothing: expected total bets, above 0"
        )
        return bought

    def level(self, key: KeyPath, stated: Any) -> BetLevel:
        """Returns a way of betting."""
        low, most = 0 if self.slot.ways else 1, len(self.slot.lines)
        return self.made(
            key, stated, BetLevel, lines=self.within((*key, "lines"), "lines", stated.lines, low, most)
        )

    def jackpot(self, key: KeyPath, stated: Any) -> Jackpot:
        """Returns a meter."""
        meter = self.made(key, stated, Jackpot)
        self.refuse_where(
            bool(stated.row) == bool(stated.must_hit_by),
            key,
            "expected either the row that wins the meter, or must_hit_by",
        )
        by, grows = meter.must_hit_by, meter.increment
        self.refuse_where(
            by is not None and not (grows and by > max(meter.seed, Fraction(1)) + grows),
            (*key, "must_hit_by"),
            f'"{stated.must_hit_by}": expected an increment, and more than one above the seed (or 1, if larger)',
        )
        self.refuse_where(
            meter.meter is not None and not (meter.seed <= meter.meter and (by is None or meter.meter < by)),
            (*key, "meter"),
            f'"{stated.meter}": expected a meter from the seed, below must_hit_by',
        )
        return meter

    def variant(self, key: KeyPath, stated: Any, sets: Sequence[StripSet]) -> SlotVariant:
        """Returns the same game on other strips."""
        ids = {one.id for one in sets}
        self.known((*key, "strips"), stated.strips, "stage")
        strips = tuple(
            (stage, name)
            for home, name in stated.strips.items()
            for stage in self.expanded.get(home, (home,))
        )
        for name in stated.strips.values():
            self.refuse_where(
                name not in ids,
                (*key, "strips"),
                f'no strips "{name}": expected one of {", ".join(sorted(ids))}',
            )
        if stated.printed:
            self.attempt((*key, "printed"), lambda: parse_claim(RETURN, stated.printed), None)
        return self.made(key, stated, SlotVariant, strips=strips)

"""What a submission of a slot states, every mistake with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeVar

from certify.errors import InputError
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.slot import forms, texts
from certify.families.slot.contradictions import check_claims, check_consistency
from certify.families.slot.purchases import BetLevel, Gamble, Jackpot, Purchase, SlotVariant
from certify.families.slot.random_elements import pieces_of
from certify.families.slot.reachability import idle, rows_that_show
from certify.families.slot.rows import added_rows, paytable_of
from certify.families.slot.rules import (
    ANY,
    BASE,
    Adjacency,
    BonusPrizes,
    Cascade,
    Direction,
    Doubled,
    Fill,
    FreeGames,
    FullReels,
    Height,
    LinePay,
    LineWins,
    PatternPay,
    Per,
    Prize,
    PrizeDraws,
    Respin,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    SymbolCount,
    Trigger,
    Wild,
    WildProduct,
    rules_of,
)
from certify.model.claims import RETURN, parse_claim
from certify.model.game import Game

Key = tuple[str | int, ...]
E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")

MOST_PAY: Final = 10**9
"""Coins of one pay, at most."""

MOST_PLACES: Final = 40
"""Places of hold and win, at most."""

EMPTY_LINE: Final[tuple[int, ...]] = ()
UNDRAWN: Final[tuple[tuple[str, Fraction], ...]] = ()
ONE_ROW: Final[tuple[Height, ...]] = (Height(1),)
"""What stands in for a text that cannot be read."""

_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class SlotSubmission:
    """Rules, rows and tables of slots; one wager, whose id is the submission's own."""

    rule_ids: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ()
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = forms.TABLES

    def read(self, rules: RuleReader) -> SlotRules:
        """Returns rules without strips: these stand in tables of their own."""
        return SlotRules()

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with its reels, rows and features; records every mistake with its line."""
        reading = _Reading(tables, problems)
        rules = reading.rules()
        if not reading.mistaken:
            check_consistency(rules, reading.refuse)
        if len(game.wagers) > 1:
            reading.refuse(("wagers", 1), "a second wager: a slot has one, the round that is paid for")
        if reading.mistaken or not game.wagers:
            return replace(game, rules=rules)
        check_claims(rules, game.claims, reading.refuse)
        wager = replace(game.wagers[0], paytable=paytable_of(rules, problems.line))
        return replace(game, rules=rules, wagers=(wager,), equipment=pieces_of(rules))

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: what the round is called is the submission's own."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that a round can win: all are made from what the tables pay."""
        return self.reachable_rows(game, wager)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows for which the strips hold enough symbols; how often each is won is counted."""
        return rows_that_show(rules_of(game))

    def added_rows(self, game: Game) -> tuple[str, ...]:
        """Returns what windows are multiplied by, what a limit takes away, and the features that pay prizes."""
        return added_rows(rules_of(game))

    def row_of(self, outcome: str) -> str:
        """Returns the outcome: each is a row of its own."""
        return outcome


class _Reading:
    """Reads the tables of one submission."""

    def __init__(self, tables: Mapping[str, Any], problems: Problems) -> None:
        self.tables, self.problems, self.mistaken = tables, problems, False
        self.slot: forms.SubmittedSlot = tables.get("slot") or forms.SubmittedSlot([])
        self.reels = len(self.slot.heights)
        self.shown: frozenset[str] = frozenset()
        self.stage_ids: tuple[str, ...] = ()
        self.expanded: dict[str, tuple[str, ...]] = {}

    def many(self, name: str) -> Sequence[Any]:
        """Returns the entries of a table."""
        return self.tables.get(name) or []

    def each(self, name: str, read: Callable[[Key, Any], T]) -> tuple[T, ...]:
        """Returns the entries of a table, each as it is read."""
        return tuple(read((name, n), one) for n, one in enumerate(self.many(name)))

    def refuse(self, key: Key, message: str) -> None:
        """Records a mistake."""
        self.mistaken = True
        self.problems.add(key, message)

    def attempt(self, key: Key, read: Callable[[], T], otherwise: T) -> T:
        """Returns what is read, or the stand-in with its mistake recorded."""
        try:
            return read()
        except InputError as error:
            self.refuse(key, str(error))
            return otherwise

    def word(self, key: Key, form: type[E], text: str) -> E:
        """Returns one of several words."""
        found = next((one for one in form if one.value == text), None)
        if found is None:
            known = ", ".join(f'"{one.value}"' for one in form)
            self.refuse(key, f'"{text}": expected one of {known}')
        return found or next(iter(form))

    def within(self, key: Key, what: str, value: int, low: int, high: int) -> int:
        """Returns a whole number within bounds."""
        if not low <= value <= high:
            self.refuse(key, f"{what} {value}: expected {low:,} to {high:,}")
        return value

    def known(self, key: Key, names: Iterable[str], what: str = "symbol") -> tuple[str, ...]:
        """Returns names of symbols, or of stages, that exist."""
        there = self.shown if what == "symbol" else frozenset(self.stage_ids)
        stated = tuple(names)
        for name in stated:
            if name not in there:
                seen = ", ".join(sorted(there))
                where = "on no strip" if what == "symbol" else "not stated"
                self.refuse(key, f'the {what} "{name}" is {where}: expected one of {seen}')
        if len(set(stated)) != len(stated):
            self.refuse(key, f"a {what} is named twice")
        return stated

    def stages_named(self, key: Key, names: Sequence[str]) -> tuple[str, ...]:
        """Returns stages by their ids; the one that expanding symbols play in stands for all of theirs."""
        self.known(key, names, "stage")
        return tuple(one for name in names for one in self.expanded.get(name, (name,)))

    def named(self, key: Key, name: str) -> str:
        """Returns an id of the right form."""
        if not _ID.fullmatch(name):
            self.refuse((*key, "id"), f'id "{name}" is not of the form "lower-case-with-hyphens"')
        return name

    def amounts(
        self, key: Key, pays: Sequence[int], most: int, zeros: str = "it never pays"
    ) -> tuple[int, ...]:
        """Returns what one, two, three … of a kind pay, or grant."""
        if not 1 <= len(pays) <= most:
            self.refuse(key, f"{len(pays)} numbers: expected one for each count, 1 to {most} of them")
        for value in pays:
            self.within(key, "the number", value, 0, MOST_PAY)
        if pays and not any(pays):
            self.refuse(key, f"{zeros}: expected a number above 0")
        return tuple(pays[:most])

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
        for key, message in idle(self.many("stages"), self.many("free_games"), sets):
            self.refuse(key, message)
        free, stages = self.free_games(stages)
        return SlotRules(
            strip_sets=sets,
            stages=stages,
            lines=lines,
            ways=self.slot.ways,
            direction=self.word(("slot", "direction"), Direction, self.slot.direction),
            line_wins=self.word(("slot", "line_wins"), LineWins, self.slot.line_wins),
            cost=self.cost(),
            line_bet=self.within(("slot", "line_bet"), "coins on a line", self.slot.line_bet, 1, MOST_PAY),
            wilds=self.each("wilds", self.wild),
            doubled=self.each("doubled", self.doubled),
            line_pays=self.each("line_pays", self.line_pay),
            patterns=self.each("pattern_pays", self.pattern),
            scatter_pays=self.each("scatter_pays", self.scatter),
            free_games=free,
            bonuses=self.each("bonuses", self.bonus),
            respins=self.each("respins", self.respin),
            full_reels=self.each("full_reels", self.full_reels),
            cascades=self.each("cascades", self.cascade),
            most=self.attempt(("slot", "most"), lambda: texts.number(self.slot.most), None)
            if self.slot.most
            else None,
            gamble=self.gamble(),
            purchases=self.each("purchases", self.purchase),
            bet_levels=self.each("bet_levels", self.level),
            jackpots=self.each("jackpots", self.jackpot),
            variants=self.each("variants", partial(self.variant, sets=sets)),
        )

    def cost(self) -> int:
        """Returns the coins that a round costs: those on its lines where nothing else is stated."""
        if self.slot.ways and not self.slot.cost:
            self.refuse(
                ("slot",), "the cost of a round in coins is missing: where ways are paid it must be stated"
            )
        if bool(self.slot.lines) == self.slot.ways and (self.slot.ways or self.many("line_pays")):
            self.refuse(("slot",), "expected either lines, or ways = true")
        return self.within(
            ("slot", "cost"),
            "coins",
            self.slot.cost or len(self.slot.lines) * self.slot.line_bet or 1,
            1,
            MOST_PAY,
        )

    def strip_set(self, key: Key, stated: forms.SubmittedStrips) -> StripSet:
        """Returns one strip set."""
        nothing = Strip((ANY,))
        if len(stated.reels) != self.reels:
            self.refuse(
                (*key, "reels"), f"{len(stated.reels)} reels: expected {self.reels}, as many as heights"
            )
        reels = tuple(
            self.attempt((*key, "reels"), partial(texts.strip, text), nothing) for text in stated.reels
        )
        if stated.heights and len(stated.heights) != self.reels:
            self.refuse(
                (*key, "heights"), f"{len(stated.heights)} heights: expected {self.reels}, one a reel"
            )
        shapes = tuple(
            self.attempt((*key, "heights"), partial(texts.heights, text), ONE_ROW)
            for text in stated.heights or map(str, self.slot.heights)
        )
        return StripSet(
            self.named(key, stated.id), reels, shapes, self.word((*key, "fill"), Fill, stated.fill)
        )

    def stages(self, sets: Sequence[StripSet]) -> tuple[SpinKind, ...]:
        """Returns the kinds of spins, the base game first."""
        ids = [one.id for one in sets]
        for n, name in enumerate(ids):
            if name in ids[:n]:
                self.refuse(("strips", n, "id"), f'"{name}" is stated twice')
        made: list[SpinKind] = []
        for n, one in enumerate(self.many("stages")):
            key = ("stages", n)
            if one.strips not in ids:
                self.refuse((*key, "strips"), f'no strips "{one.strips}": expected one of {", ".join(ids)}')
            if one.id in [stage.id for stage in made]:
                self.refuse((*key, "id"), f'"{one.id}" is stated twice')
            self.within((*key, "multiplier"), "the multiplier", one.multiplier, 1, 10_000)
            if one.expanding:
                self.known((*key, "expanding"), (one.expanding,))
            made.append(SpinKind(self.named(key, one.id), one.strips, one.multiplier, one.expanding))
        if BASE not in [stage.id for stage in made]:
            if BASE not in ids and sets:
                self.refuse(
                    ("strips", 0, "id"), f'no strips "{BASE}" for the base game, and no stage "{BASE}"'
                )
            made.insert(0, SpinKind(BASE, BASE))
        return tuple(sorted(made, key=lambda stage: stage.id != BASE))

    def wild(self, key: Key, stated: forms.SubmittedWild) -> Wild:
        """Returns a wild; without a list it stands for what pays on lines, scatters and triggers left out."""
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
        self.known((*key, "symbol"), (stated.symbol,))
        self.known((*key, "but_not"), stated.but_not)
        if stated.replaces and stated.but_not:
            self.refuse((*key, "but_not"), "expected either what it replaces, or what is left out of that")
        return Wild(
            stated.symbol,
            self.known((*key, "replaces"), stated.replaces or dict.fromkeys(usual)),
            self.attempt((*key, "multiplies"), lambda: texts.factors(stated.multiplies), ((1, Fraction(1)),)),
            self.word((*key, "together"), WildProduct, stated.together),
            stated.expands,
            stated.alone,
            self.stages_named((*key, "stages"), stated.stages),
        )

    def doubled(self, key: Key, stated: forms.SubmittedDoubled) -> Doubled:
        """Returns a symbol that counts several times."""
        self.known(key, (stated.symbol, stated.stands_for))
        self.within((*key, "times"), "times", stated.times, 1, 10)
        return Doubled(stated.symbol, stated.stands_for, stated.times)

    def symbols(self, key: Key, one: str, several: Sequence[str]) -> tuple[str, ...]:
        """Returns what counts for a row: one symbol, or several that may be mixed."""
        if bool(one) == bool(several):
            self.refuse(key, "expected either symbol, or symbols that may be mixed")
        return self.known((*key, "symbol" if one else "symbols"), [one] if one else several)

    def row_id(self, key: Key, stated: str, symbols: Sequence[str]) -> str:
        """Returns the id of a row: as stated, or the symbol's."""
        if not stated and len(symbols) > 1:
            self.refuse(key, "a row of several symbols has no id: expected id")
        return self.named(key, stated or (symbols[0].lower().replace("_", "-") if symbols else "row"))

    def line_pay(self, key: Key, stated: forms.SubmittedLinePay) -> LinePay:
        """Returns a row of so many of a kind."""
        symbols = self.symbols(key, stated.symbol, stated.symbols)
        times = max([one.times for one in self.many("doubled")], default=1)
        return LinePay(
            self.row_id(key, stated.id, symbols),
            symbols,
            self.amounts((*key, "pays"), stated.pays, max(1, self.reels * times)),
            stated.anywhere,
            stated.multiplied,
            self.stages_named((*key, "stages"), stated.stages),
        )

    def pattern(self, key: Key, stated: forms.SubmittedPattern) -> PatternPay:
        """Returns a row of given symbols on given reels."""
        if len(stated.cells) != self.reels:
            self.refuse((*key, "cells"), f"{len(stated.cells)} cells: expected {self.reels}, one a reel")
        cells = tuple(
            () if cell == ANY else self.known((*key, "cells"), cell.split("|")) for cell in stated.cells
        )
        self.within((*key, "pays"), "the pay", stated.pays, 1, MOST_PAY)
        stages = self.stages_named((*key, "stages"), stated.stages)
        return PatternPay(self.named(key, stated.id), cells, stated.pays, stated.multiplied, stages)

    def scatter(self, key: Key, stated: forms.SubmittedScatter) -> ScatterPay:
        """Returns a row of symbols anywhere in the window."""
        symbols = self.symbols(key, stated.symbol, stated.symbols)
        return ScatterPay(
            self.row_id(key, stated.id, symbols),
            symbols,
            self.amounts((*key, "pays"), stated.pays, 240),
            self.word((*key, "counted"), SymbolCount, stated.counted),
            self.word((*key, "per"), Per, stated.per),
            stated.multiplied,
            stated.wilds,
            self.stages_named((*key, "stages"), stated.stages),
        )

    def trigger(self, key: Key, stated: Any, counts: Sequence[int], name: str) -> Trigger:
        """Returns what starts a feature."""
        symbols = self.symbols(key, stated.symbol, stated.symbols)
        starts = self.amounts((*key, name), counts, 240, "nothing ever starts it")
        if stated.on_line and len(symbols) > 1:
            self.refuse((*key, "on_line"), "several symbols on a line: expected one")
        counted = self.word((*key, "counted"), SymbolCount, stated.counted)
        return Trigger(symbols, starts, counted, stated.on_line, stated.wilds)

    def free_games(self, stages: tuple[SpinKind, ...]) -> tuple[tuple[FreeGames, ...], tuple[SpinKind, ...]]:
        """Returns the series of free games, and the stages with those that an expanding symbol adds."""
        made: list[FreeGames] = []
        for n, one in enumerate(self.many("free_games")):
            key = ("free_games", n)
            if bool(one.stage) == bool(one.stages):
                self.refuse(key, "expected either stage, or stages with their chances")
            said = (*key, "stages" if one.stages else "stage")
            played = self.attempt(said, partial(texts.drawn, one.stages or [one.stage]), UNDRAWN)
            self.known(said, [name for name, _ in played], "stage")
            if one.expanding and len(played) == 1 and played[0][0] in self.stage_ids:
                home = next(stage for stage in stages if stage.id == played[0][0])
                found = self.attempt((*key, "expanding"), partial(texts.drawn, one.expanding), UNDRAWN)
                self.known((*key, "expanding"), [name for name, _ in found])
                extra = tuple(
                    replace(home, id=f"{home.id}-{name.lower()}", expanding=name) for name, _ in found
                )
                stages = (*(stage for stage in stages if stage.id != home.id), *extra)
                played = tuple((stage.id, chance) for stage, (_, chance) in zip(extra, found, strict=True))
                self.expanded[home.id] = tuple(stage.id for stage in extra)
            begins = self.stages_named((*key, "begins_in"), one.begins_in)
            if one.retriggers:
                begins = tuple(dict.fromkeys((*begins, *(name for name, _ in played))))
            made.append(
                FreeGames(
                    self.named(key, one.id),
                    played,
                    self.trigger(key, one, one.games, "games"),
                    begins,
                    self.amounts((*key, "again"), one.again, 240, "nothing is granted again")
                    if one.again
                    else (),
                    self.within((*key, "most_games"), "games", one.most_games, 0, 100_000),
                    self.within((*key, "most_again"), "times", one.most_again, -1, 1000),
                )
            )
        return tuple(made), stages

    def bonus(self, key: Key, stated: forms.SubmittedBonus) -> BonusPrizes:
        """Returns a wheel, picks, a ladder, or hold and win."""
        draws = self.word((*key, "draws"), PrizeDraws, stated.draws)
        prizes = tuple(
            one
            for place, text in enumerate(stated.prizes)
            if (one := self.attempt((*key, "prizes"), partial(texts.prize, text, place, draws), None))
        )
        times = self.within((*key, "times"), "draws", stated.times, 1, 50)
        if draws is PrizeDraws.PICK and times > sum(one.weight for one in prizes):
            self.refuse((*key, "times"), f"{times} picks of {sum(one.weight for one in prizes)} prizes")
        if draws is PrizeDraws.PICK_UNTIL and not any(one.ends for one in prizes):
            self.refuse((*key, "prizes"), 'no prize ends the picks: expected one such as "0 ends"')
        full = self.attempt((*key, "full"), lambda: texts.number(stated.full), Fraction(0))
        if draws is PrizeDraws.HOLD:
            self.hold(key, stated, prizes)
        elif stated.places or full:
            self.refuse((*key, "places"), f'places and full of "{draws}": expected them where draws = "hold"')
        return BonusPrizes(
            self.named(key, stated.id),
            draws,
            times,
            prizes,
            self.trigger(key, stated, stated.starts, "starts"),
            self.stages_named((*key, "begins_in"), stated.begins_in),
            self.word((*key, "per"), Per, stated.per),
            stated.multiplied,
            stated.places,
            full,
        )

    def hold(self, key: Key, stated: forms.SubmittedBonus, prizes: Sequence[Prize]) -> None:
        """Records what keeps hold and win from being played: its places, its prizes, and how it begins."""
        places = self.within((*key, "places"), "places", stated.places, 1, MOST_PLACES)
        if len({bool(one.pays) for one in prizes}) < 2:
            self.refuse(
                (*key, "prizes"),
                'expected prizes that are held, and one of 0, "0 x60", where a place stays open',
            )
        if max(stated.starts, default=0) > places:
            self.refuse(
                (*key, "starts"), f"{max(stated.starts)} places held at first: expected at most {places}"
            )
        if stated.on_line:
            self.refuse(
                (*key, "on_line"), "places are held by symbols of the window: on_line is not supported"
            )

    def respin(self, key: Key, stated: forms.SubmittedRespin) -> Respin:
        """Returns reels that are held."""
        self.known((*key, "symbol"), (stated.symbol,))
        for reel in stated.reels:
            self.within((*key, "reels"), "reel", reel, 1, self.reels)
        if not stated.reels or len(set(stated.reels)) < len(stated.reels):
            self.refuse((*key, "reels"), f"{len(stated.reels)} reels: expected one or more, each once")
        stages = self.stages_named((*key, "stages"), stated.stages)
        return Respin(self.named(key, stated.id), stated.symbol, tuple(sorted(stated.reels)), stages)

    def full_reels(self, key: Key, stated: forms.SubmittedFullReels) -> FullReels:
        """Returns reels of one symbol that multiply."""
        return FullReels(
            self.known((*key, "symbols"), stated.symbols),
            self.times((*key, "times"), stated.times, max(1, self.reels)),
            self.word((*key, "counted"), Adjacency, stated.counted),
            stated.wilds,
            self.stages_named((*key, "stages"), stated.stages),
        )

    def times(self, key: Key, stated: Sequence[int], most: int) -> tuple[int, ...]:
        """Returns what wins are multiplied by, for one, two, three and so on."""
        for value in stated:
            self.within(key, "a multiplier", value, 1, 10_000)
        return self.amounts(key, stated, most)

    def cascade(self, key: Key, stated: forms.SubmittedCascade) -> Cascade:
        """Returns stages whose wins fall."""
        if stated.refill != "strip above":
            self.refuse(
                (*key, "refill"),
                f'"{stated.refill}": expected "strip above"; a window that fills with symbols drawn anew may go on '
                "for ever and is not counted: not supported",
            )
        return Cascade(
            self.times((*key, "multipliers"), stated.multipliers, 100),
            self.stages_named((*key, "stages"), stated.stages),
        )

    def gamble(self) -> Gamble | None:
        """Returns the choice to stake a win again."""
        stated: forms.SubmittedGamble | None = self.tables.get("gamble")
        if stated is None:
            return None
        chance = self.attempt(("gamble", "chance"), lambda: texts.number(stated.chance), Fraction(1, 2))
        times = self.attempt(("gamble", "multiplies"), lambda: texts.number(stated.multiplies), Fraction(2))
        if not 0 < chance < 1:
            self.refuse(("gamble", "chance"), f'"{stated.chance}": expected a chance between 0 and 1')
        return Gamble(chance, times, self.within(("gamble", "steps"), "steps", stated.steps, 1, 100))

    def purchase(self, key: Key, stated: forms.SubmittedPurchase) -> Purchase:
        """Returns a feature that can be bought."""
        features = [one.id for table in ("free_games", "bonuses") for one in self.many(table)]
        if stated.feature not in features:
            known = ", ".join(features) or "none"
            self.refuse((*key, "feature"), f'no feature "{stated.feature}": expected one of {known}')
        price = self.attempt((*key, "price"), lambda: texts.number(stated.price), Fraction(1))
        if not price:
            self.refuse((*key, "price"), "a price of nothing: expected total bets, above 0")
        held = [one.places for one in self.many("bonuses") if one.id == stated.feature and one.places]
        starts = self.within((*key, "starts"), "starts", stated.starts, 1, min([10_000, *held]))
        return Purchase(self.named(key, stated.id), stated.feature, starts, price)

    def level(self, key: Key, stated: forms.SubmittedLevel) -> BetLevel:
        """Returns a way of betting."""
        self.within((*key, "lines"), "lines", stated.lines, 0 if self.slot.ways else 1, len(self.slot.lines))
        self.within((*key, "coins"), "coins", stated.coins, 1, MOST_PAY)
        self.within((*key, "cost"), "coins", stated.cost, 1, MOST_PAY)
        pays = tuple(stated.pays.items())
        return BetLevel(self.named(key, stated.id), stated.lines, stated.coins, stated.cost, pays)

    def jackpot(self, key: Key, stated: forms.SubmittedJackpot) -> Jackpot:
        """Returns a meter."""
        seed = self.attempt((*key, "seed"), lambda: texts.number(stated.seed), Fraction(0))
        increment = self.attempt((*key, "increment"), lambda: texts.number(stated.increment), Fraction(0))
        by, meter = (
            self.attempt((*key, name), partial(texts.number, text), None) if text else None
            for name, text in (("must_hit_by", stated.must_hit_by), ("meter", stated.meter))
        )
        if bool(stated.row) == bool(stated.must_hit_by):
            self.refuse(key, "expected either the row that wins the meter, or must_hit_by")
        if by is not None and not (increment and by > max(seed, Fraction(1)) + increment):
            self.refuse(
                (*key, "must_hit_by"),
                f'"{stated.must_hit_by}": expected an increment, and more than one of it above the seed and above 1',
            )
        if meter is not None and not (seed <= meter and (by is None or meter < by)):
            self.refuse(
                (*key, "meter"), f'"{stated.meter}": expected a meter from the seed, below must_hit_by'
            )
        return Jackpot(self.named(key, stated.id), stated.row, seed, increment, by, meter)

    def variant(self, key: Key, stated: forms.SubmittedVariant, sets: Sequence[StripSet]) -> SlotVariant:
        """Returns the same game on other strips."""
        ids = {one.id for one in sets}
        self.known((*key, "strips"), stated.strips, "stage")
        strips = tuple(
            (stage, name)
            for home, name in stated.strips.items()
            for stage in self.expanded.get(home, (home,))
        )
        for name in stated.strips.values():
            if name not in ids:
                self.refuse((*key, "strips"), f'no strips "{name}": expected one of {", ".join(sorted(ids))}')
        if stated.printed:
            self.attempt((*key, "printed"), lambda: parse_claim(RETURN, stated.printed), None)
        return SlotVariant(self.named(key, stated.id), stated.title, strips, stated.printed)

"""Wagering configurations of a slot as a table stakes them: what each returns, and systems that stake it otherwise."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from representatives import firsts
from small_slots import small

from certify.certification.exact import exact_results
from certify.clauses import Regime, regime_of
from certify.clauses.registry import checks
from certify.errors import InputError
from certify.families.certified import ConfigurationKind
from certify.families.port import Settled
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import rules_of
from certify.mathematics import further
from certify.model import Certainty, Game, Interval, Limit, Verdict
from certify.rounds import Edition, Play, edition_of, reference_system
from certify.rounds.conformance.apart import apart_of, configured
from certify.rounds.conformance.client import TargetError, http_system
from certify.rounds.conformance.conform import ConformanceReport, conform
from certify.rounds.conformance.judge import tell
from certify.rounds.conformance.server import serving
from certify.rounds.conformance.setting import Setting, offered_by
from certify.rounds.play import staked_apart
from certify.rounds.table import System, SystemFactory

TABLES = """
[slot]
heights = [2, 1, 1]
lines = ["111", "211"]

[[strips]]
id = "base"
reels = ["a b c star", "a b c star", "a b c star"]

[[strips]]
id = "free"
reels = ["a b", "a b", "a c"]

[[strips]]
id = "loose"
reels = ["a a b star", "a b star", "a b star"]

[[stages]]
id = "free"
strips = "free"
multiplier = 3

[[line_pays]]
symbol = "a"
pays = [0, 1, 20]

[[line_pays]]
symbol = "b"
pays = [0, 0, 6]

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 0, 2]

[[purchases]]
id = "buy"
feature = "free-games"
starts = 2
price = "40"

[[bet_levels]]
id = "one-line"
lines = 1
coins = 1
cost = 3

[[jackpots]]
id = "grand"
row = "a-3"
seed = "5"
increment = "1/100"
meter = "15"

[[variants]]
id = "loose-reels"
title = "Loose reels"
strips = { base = "loose" }

[gamble]
chance = "1/2"
multiplies = "2"
steps = 1
"""
EVERY = small(TABLES)
"""A small slot with a configuration of each kind."""

MUST = small(
    TABLES.partition("[[purchases]]")[0]
    + """
[[jackpots]]
id = "must"
seed = "5"
increment = "1/100"
must_hit_by = "25"
"""
)
"""The slot with no more than a meter that must hit by an amount."""

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

OTHERWISE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a price left out": (lambda one: replace(one, bought=replace(one.bought, price=Fraction(1))), "buy"),
    "a meter at its seed": (lambda one: replace(one, meters=((one.meters[0][0], Fraction(5)),)), "@stated"),
    "a meter that is not paid": (lambda one: replace(one, meters=()), "grand"),
    "a level that costs as the others": (lambda one: replace(one, rules=rules_of(EVERY)), "one-line"),
    "a gamble that pays nothing, in a variant": (
        lambda one: replace(
            one, rules=replace(one.rules, gamble=replace(one.rules.gamble, multiplies=Fraction(1)))
        ),
        "loose-reels",
    ),
    "a meter that must hit and pays nothing": (
        lambda one: replace(one, meters=((one.meters[0][0], Fraction(0)),)),
        "must",
    ),
    "a variant that pays as before": (
        lambda one: replace(one, rules=replace(one.rules, line_pays=one.rules.line_pays[:1])),
        "loose-reels",
    ),
}


@dataclass
class SetTo:
    """A system that is set to a configuration in a way of its own."""

    system: Any
    configure: Callable[[str], None]

    def __getattr__(self, name: str) -> object:
        return getattr(self.system, name)


def staking(changed: Callable[[Any], Any], named: str) -> SystemFactory:
    """Returns systems that stake some configurations otherwise than they are submitted."""

    def make(edition: Edition, balance: int, instant: datetime) -> System:
        system = reference_system(edition, balance, instant)

        def configure(configuration: str) -> None:
            system.configure(configuration)
            if configuration.endswith(named):
                own = system.machine.edition
                other = replace(own, play=Play(own.game, changed(own.play.reference)))
                system.machine = replace(system.machine, editions={own.sha256: other})

        return SetTo(system, configure)

    return make


def refusing(edition: Edition, balance: int, instant: datetime) -> System:
    """Returns a system that knows no configuration."""

    def configure(configuration: str) -> None:
        if configuration:
            raise InputError(f"no {configuration}")

    return SetTo(reference_system(edition, balance, instant), configure)


def failing(edition: Edition, balance: int, instant: datetime) -> System:
    """Returns a system whose server fails where a meter is paid; that it offers none it does not say."""

    def configure(configuration: str) -> None:
        if configuration:
            raise TargetError("PUT /players/p1/configuration: status 500, expected 200 or 201")

    return SetTo(reference_system(edition, balance, instant), configure)


def told(system: SystemFactory, game: Game = EVERY) -> ConformanceReport:
    row = tuple(0 for piece in game.equipment for _ in range(piece.supply))
    return conform(system, edition_of(game), [row], START, count=1)


@pytest.mark.parametrize("name", firsts(OTHERWISE))
def test_a_configuration_that_is_staked_otherwise_is_found(name: str) -> None:
    changed, named = OTHERWISE[name]
    found = told(staking(changed, named), MUST if named == "must" else EVERY)
    assert found.breach is not None
    assert found.script[1].startswith("rounds staked as ")
    assert found.script[1].endswith(named)


def test_a_meter_that_must_hit_is_paid_what_it_holds() -> None:
    found = told(reference_system, MUST)
    assert found.breach is None
    assert not [one for one in found.not_tested if "must" in one]
    assert told(failing, MUST).script[1] == "rounds staked as meters at their seed must"


def test_a_meter_wins_rounds_that_nothing_else_wins() -> None:
    (must,), (small_meter, *_) = further(MUST), further(small(TABLES.replace("1, 20", "1, 2")))
    without = further(EVERY)[0].hits
    # It grows by a hundredth of a bet towards an amount that is drawn between 5 and 25.
    assert isinstance(without, Fraction)
    assert must.hits == 1 - (1 - without) * (1 - Fraction(1, 2000))
    assert isinstance(small_meter.wins, Interval)


def test_each_configuration_at_a_table_returns_what_it_is_certified_at() -> None:
    for one in further(EVERY):
        table = staked_apart(edition_of(EVERY), one.id)
        assert (table is None) is (one.kind is ConfigurationKind.GAMBLE)
        if table is not None:
            paced = table.play.reference
            counted = SlotRound(*(getattr(paced, field.name) for field in fields(paced)))
            assert returned(counted, counted.start(), {}) == one.returned, one.id


def returned(table: SlotRound, state: Any, known: dict[Any, Fraction]) -> Fraction:
    """Returns what a round returns on average from a state on, every draw taken with its chance."""
    if state not in known:
        node = table.node(state)
        if isinstance(node, Settled):
            known[state] = node.results[0].net + 1
        else:
            (piece,) = (one for one in table.equipment if one.id == node.equipment)
            shown = [table.drawn(state, face) for face in piece.shows]
            known[state] = sum((returned(table, one, known) for one in shown), Fraction(0)) / len(shown)
    return known[state]


@pytest.mark.parametrize("system", [reference_system, refusing], ids=["offered", "refused"])
def test_what_a_system_does_not_stake_is_listed_and_nobody_is_accused(system: SystemFactory) -> None:
    edition = edition_of(EVERY)
    with serving(system, edition) as url:

        def fresh() -> System:
            return http_system(url)(edition, 10**6, START)

        setting = Setting(edition, ((0,),), START, 1000, offered_by(fresh()))
        staked, missing = apart_of(setting, fresh)
        named = {f"{one.kind} {one.id}" for one in further(EVERY)} - {"gamble gamble"}
        # A gamble of a variant is a decision of its rounds.
        named -= {"gamble loose-reels/gamble"} if staked else set()
        assert {one.partition(":")[0] for one in missing} | {one.named for one in staked.values()} == named
        assert bool(staked) is (system is reference_system)
        for configuration, one in staked.items():
            table = configured(fresh(), configuration)
            seen = tell(
                one.stories[0], lambda *_, at=table: at, one.setting.edition, one.setting.decks, START, 10**6
            )
            assert seen is None, configuration


def judged(check: str, tables: str, regime: Regime) -> dict[str, Verdict]:
    """Returns how a check judges each configuration of a small slot."""
    results = exact_results(small(tables), regime, thorough=False)
    return {one.subject: one.verdict for one in checks()[check].observe(results)}


def test_a_row_that_a_variant_never_wins_is_refused() -> None:
    barren = TABLES.replace("a b star", "c b star").replace('"a c"]', '"b c"]')
    assert judged("submission.complete", barren, regime_of()) == {
        "main": Verdict.SATISFIED,
        "loose-reels": Verdict.NOT_SATISFIED,
    }


def test_a_ladder_of_stakes_is_undecided_where_a_meter_pays_any_amount() -> None:
    heads = ("[[line_pays]]", "[[free_games]]", "[[jackpots]]", "[[variants]]")
    pays, free, meter, further_on = (TABLES.index(head) for head in heads)
    plain = TABLES.partition('[[strips]]\nid = "free"')[0] + TABLES[pays:free].replace("1, 20", "2, 20")
    for more, verdict in (("", Verdict.SATISFIED), (TABLES[meter:further_on], Verdict.INCONCLUSIVE)):
        assert judged("returns.stake-ladder", plain + more, regime_of())["main"] is verdict


def test_the_top_award_of_each_variant_and_level_is_held_to_its_odds() -> None:
    (gli,) = regime_of().jurisdictions
    rarest = replace(gli, rarest_award=Limit(Fraction(1, 30), "a law", Certainty.VERBATIM))
    refused = judged("awards.local-odds", TABLES, Regime((rarest,)))
    assert refused.pop("one-line") is Verdict.NOT_SATISFIED
    assert refused == dict.fromkeys(("main", "loose-reels", "loose-reels/one-line"), Verdict.SATISFIED)


def test_the_highest_win_as_submitted_is_not_that_of_a_game_with_a_gamble_or_a_meter() -> None:
    plain = TABLES.partition("[[purchases]]")[0]
    gamble, meter = TABLES.index("[gamble]"), TABLES.index("[[jackpots]]")
    for more, verdict in (
        ("", Verdict.SATISFIED),
        (TABLES[gamble:], Verdict.NOT_APPLICABLE),
        (TABLES[meter : TABLES.index("[[variants]]")], Verdict.NOT_APPLICABLE),
    ):
        assert judged("exposure.stated", plain + more, regime_of()) == {"": verdict}

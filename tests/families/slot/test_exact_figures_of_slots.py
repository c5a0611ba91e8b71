"""Exact figures of small slots against every draw tried by itself: spins, features, reels held, hold and win."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from small_slots import LINES, WAYS, Law, chances, every, small

from certify.errors import InputError, SubmissionError
from certify.families import play
from certify.families.slot.exact.cycle import FIRST, added, listed, tallies
from certify.families.slot.exact.prizes import held_at_the_end, level_rules, prize_law
from certify.families.slot.exact.round import feature_odds, round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.purchases import BetLevel
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Direction,
    Doubled,
    LinePay,
    LineWins,
    Per,
    Prize,
    PrizeDraws,
    SlotRules,
    Trigger,
    WildProduct,
    rules_of,
)
from certify.families.slot.sheets import SlotSections
from certify.mathematics import analyze
from certify.mathematics.of_game import offered

LINED = rules_of(small(LINES))

CHANGED = {
    "as stated": LINED,
    "from the right": replace(LINED, direction=Direction.RIGHT),
    "from both ends, the best": replace(LINED, direction=Direction.BOTH),
    "from both ends, each": replace(LINED, direction=Direction.BOTH, line_wins=LineWins.EACH_END),
    "each, unless whole": replace(LINED, direction=Direction.BOTH, line_wins=LineWins.UNLESS_WHOLE),
    "each, stars double": replace(
        LINED,
        direction=Direction.BOTH,
        line_wins=LineWins.EACH_END,
        doubled=(Doubled("star", "a"),),
        line_pays=(LinePay("a", ("a",), (0, 3, 20, 30, 40, 50)), *LINED.line_pays[1:]),
    ),
    "neighbours": replace(LINED, direction=Direction.ADJACENT),
    "all rows": replace(LINED, line_wins=LineWins.ALL),
    "wilds add": replace(LINED, wilds=(replace(LINED.wilds[0], together=WildProduct.ADD),)),
    "wilds once": replace(LINED, wilds=(replace(LINED.wilds[0], together=WildProduct.ONCE),)),
    "wilds not alone": replace(LINED, wilds=(replace(LINED.wilds[0], alone=False),)),
    "without wilds": replace(LINED, wilds=()),
    "anywhere": replace(LINED, line_pays=(replace(LINED.line_pays[0], anywhere=True), *LINED.line_pays[1:])),
}

COVERS = LINES.replace('multiplies = "2"\ntogether = "multiply"', "expands = true")
EXPANDING = LINES.replace('symbol = "star"\ngames', 'symbol = "star"\nexpanding = ["a", "b"]\ngames')
HELD_COVERED = '\n[[respins]]\nid = "held"\nsymbol = "wild"\nreels = [1, 2]\nstages = ["base", "free"]\n'
CASES = {
    "ways, factors drawn": WAYS,
    "covered reels": COVERS,
    "covered reels, their factors drawn": COVERS.replace(
        "expands = true", 'expands = true\nmultiplies = "2:1/2 3:1/2"'
    ),
    "covered reels in ways": WAYS.replace('multiplies = "2:1/2 3:1/2"', "expands = true"),
    "covered reels, counted with wilds": COVERS.replace(
        "pays = [0, 1, 4]", "pays = [0, 1, 4]\nwilds = true"
    ).replace("expands = true", 'expands = true\nreplaces = ["a", "b", "c", "star"]'),
    "covered reels that are held": COVERS + HELD_COVERED,
    "a symbol that pays by expansion only": EXPANDING.replace(
        "games = [0", "expanding_only = true\ngames = [0"
    ),
    "a symbol that expands beside them": EXPANDING.replace(
        'multiplies = "2"\ntogether = "multiply"', "expands = true"
    ),
}

AGAIN = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222", "121"]

[[strips]]
id = "base"
reels = ["a b star c wild b a c", "a wild b c a b star:2 c", "b a c wild star a c b"]

[[stages]]
id = "free"
strips = "base"
multiplier = 3

[[wilds]]
symbol = "wild"
multiplies = "2"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [0, 2, 9]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
most_games = 6
"""
HELD_AGAIN = '[[respins]]\nid = "held"\nsymbol = "wild"\nreels = [2, 3]\nstages = ["base", "free"]\n'
FALLS = '[[cascades]]\nmultipliers = [1, 2, 4]\nrefill = "strip above"\nstages = ["base", "free"]\n'
FULL = '[[full_reels]]\nsymbols = ["a", "b", "wild"]\ntimes = [1, 2, 7]\nwilds = true\n'
ELSEWHERE = """
[[strips]]
id = "other"
fill = "strip"
reels = ["a", "a", "a"]
[[variants]]
id = "v"
title = "V"
strips = { base = "other" }
"""
STACKED = AGAIN.replace("a b star c wild b a c", "a a b star c wild wild b b a").replace(
    "a wild b c a b star:2 c", "a a wild wild b b c star:2"
)

AGAIN_WAYS = (
    AGAIN.replace('lines = ["111", "222", "121"]', "ways = true\ncost = 5")
    .replace("heights = [2, 2, 2]", "heights = [2, 3, 2]")
    .replace("a b star c wild b a c", "a b star c wild b a c a")
    .replace('multiplies = "2"', 'multiplies = "2"\ntogether = "multiply"')
)
NOT_ALONE = AGAIN_WAYS.replace('multiplies = "2"', 'multiplies = "3"\nalone = false')


AGAIN_CASES = {
    "reels held": LINES + HELD_AGAIN,
    "wins that fall": AGAIN + FALLS,
    "full reels": STACKED + FULL,
    "full reels, held": STACKED + FULL + HELD_AGAIN,
    "full reels, falling": STACKED + FULL + FALLS,
    "ways that fall": AGAIN_WAYS + FALLS,
    "ways that fall, not of wilds alone": NOT_ALONE + FALLS,
    "wins of one coin that fall": AGAIN.replace("pays = [0, 2, 9]", "pays = [0, 1, 9]") + FALLS,
}
"""Reels that are held, full reels and wins that fall."""


def counted(rules: SlotRules, stage: str) -> Law:
    """Returns the law of a spin by the exact counting."""
    law, features = spin_law(rules, stage), [feature.id for feature in rules.features]
    return {
        (
            tuple(sorted(one for one in zip(features, starts, strict=True) if one[1])),
            Fraction(win),
        ): Fraction(weight, law.total)
        for starts, wins in law.wins.items()
        for win, weight in wins.items()
    }


LAWS = {
    **{f"lines, {name}": rules for name, rules in CHANGED.items()},
    **{name: rules_of(small(text)) for name, text in (CASES | AGAIN_CASES).items()},
}
DEAR = {("covered reels that are held", "base"), ("full reels, held", "base")}
"""Spins with all that follows that ask for the most draws; of windows that pay again free games are as dear."""


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        pytest.param(
            name,
            stage,
            marks=[pytest.mark.slow] * ((name, stage) in DEAR or (name in AGAIN_CASES and stage == "free")),
        )
        for name, rules in LAWS.items()
        for stage in dict.fromkeys(one.id[:4] for one in rules.stages)
    ],
)
def test_the_law_of_a_spin_is_that_of_every_draw(name: str, stage: str) -> None:
    """A reel of covered reels shows a star beneath the wild that covers it: it counts where the reel stopped."""
    rules = LAWS[name]
    for one in [one.id for one in rules.stages if one.id.startswith(stage)]:
        law = every(rules, one)
        assert counted(rules, one) == law
        mean = sum((win * chance for (_, win), chance in law.items()), Fraction(0))
        assert sum((coins for _, coins in spin_law(rules, one).shares.values()), Fraction(0)) == mean


def test_limits_of_a_series_lower_its_mean_step_by_step() -> None:
    free = LINED.free_games[0]
    returns = [
        round_figures(replace(LINED, free_games=(limited,)), "main").return_to_player
        for limited in (
            replace(free, most_again=0),
            replace(free, most_again=1),
            replace(free, most_games=40),
            free,
        )
    ]
    assert returns == sorted(returns)
    assert len(set(returns)) == 4
    never = replace(free, begins_in=("base",))
    assert round_figures(replace(LINED, free_games=(never,)), "main").return_to_player == returns[0]


def test_odds_of_a_feature_are_those_of_its_symbols() -> None:
    begun = sum(chance for (starts, _), chance in every(LINED).items() if starts)
    assert feature_odds(LINED) == {"free-games": begun}


TINY = """
[slot]
heights = [1, 1, 1]
lines = ["111"]
cost = 1

[[strips]]
id = "base"
reels = ["a b", "a b", "a b"]

[[line_pays]]
symbol = "a"
pays = [0, 5, 5]

[[line_pays]]
symbol = "b"
pays = [0, 0, 1]
"""


def test_a_symbol_that_a_row_names_beside_what_it_counts_for_counts_once_there() -> None:
    # Counted twice here, once by the round and by the second text.
    text = TINY.replace('"a b", "a b", "a b"', '"a d b", "a d", "a d b"').replace(
        "[0, 5, 5]", "[0, 0, 1, 4, 5, 9]"
    )
    text = text.replace('symbol = "a"', 'id = "any"\nsymbols = ["a", "d"]').replace(
        "[0, 0, 1]", "[0, 0, 2]", 1
    )
    rules = rules_of(small(text + '[[doubled]]\nsymbol = "d"\nstands_for = "a"\n'))
    assert counted(rules, "base") == every(rules)


def test_pairs_are_tallied_as_a_dictionary_would() -> None:
    draw, table = random.Random(5), tallies()  # noqa: S311 - a test repeats its numbers
    many: Counter[tuple[int, int]] = Counter()
    for number in range(5_000):
        pair = (draw.randrange(1 << 40) if number % 3 else draw.randrange(9), 7 * draw.randrange(90))
        table = added(table, *pair, number + 1)
        many[pair] += number + 1
    assert len(many) > FIRST
    assert listed(table) == [[*pair, times] for pair, times in sorted(many.items())]


@pytest.mark.parametrize("added", [HELD_AGAIN, FALLS, FULL])
def test_it_is_not_the_game_without(added: str) -> None:
    """Planted: the same strips without the table, whose figures must differ."""
    with_it = round_figures(rules_of(small(STACKED + added)), "main")
    assert with_it.return_to_player != round_figures(rules_of(small(STACKED)), "main").return_to_player


def test_strips_that_win_for_ever_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = AGAIN.replace("a b star c wild b a c", "a").replace("a wild b c a b star:2 c", "a")
    endless = endless.replace("b a c wild star a c b", "a b c star wild").replace("most_games = 6", "")
    with pytest.raises(SubmissionError, match=r"game\.toml:\d+:\d+: wins of 'base' .* may win for ever"):
        small(endless + FALLS)
    # Too many stops to be played while they are read.
    monkeypatch.setattr("certify.families.slot.contradictions.MOST_PLAYED", 1)
    with pytest.raises(InputError, match=r"^game\.toml: wins of 'base' .* may win for ever"):
        analyze(small(endless + FALLS), "main-optimal")


REFUSED_AGAIN = {
    FALLS.replace("strip above", "symbols"): "windows that fill with symbols drawn anew are not counted",
    FALLS + ELSEWHERE: "wins of 'base' fall more than 200 times from one stop",
    FALLS + ELSEWHERE.replace('"strip"', '"cells"'): "its reels do not stop on a strip",
    FALLS + FALLS: "a second one for the same stage",
    FALLS + HELD_AGAIN: 'reels are held in "base", where wins fall too',
    FALLS + '[[doubled]]\nsymbol = "c"\nstands_for = "a"\n': "symbols that count several times",
    FULL.replace("[1, 2, 7]", "[0, 2]"): "a multiplier 0: expected 1 to 10,000",
    HELD_AGAIN.replace("[2, 3]", "[4]"): "reel 4: expected 1 to 3",
}


# Bonuses, limits, bet levels, purchases and meters of small slots.


PRIZES = (Prize("a", Fraction(2), 2), Prize("b", Fraction(5)), Prize("c", Fraction(0), ends=True))
STAR = Trigger(("star",), (0, 1))
FEATURELESS = replace(rules_of(small(LINES)), free_games=(), wilds=())


def test_a_bonus_adds_its_mean_as_often_as_it_begins() -> None:
    with_bonus = replace(
        FEATURELESS, bonuses=(BonusPrizes("extra", PrizeDraws.WHEEL, 1, PRIZES, STAR, ("base",)),)
    )
    alone, both = round_figures(FEATURELESS, "main"), round_figures(with_bonus, "main")
    begins = sum(one.probability for one in both.outcomes if one.id == "extra")
    assert both.return_to_player - alone.return_to_player == begins * Fraction(9, 4)


def test_a_limit_takes_away_what_lies_above_it_and_says_so() -> None:
    limited = round_figures(replace(FEATURELESS, most=Fraction(5)), "main")
    free = round_figures(FEATURELESS, "main")
    (taken,) = [award for award in limited.awards if award.row == "limit"]
    assert taken.contribution == limited.return_to_player - free.return_to_player < 0
    assert max(net for net, _ in limited.net) == 4


def test_a_bet_level_has_its_own_lines_cost_and_pays() -> None:
    by_line = BonusPrizes("extra", PrizeDraws.WHEEL, 1, PRIZES, STAR, ("base",), Per.LINE)
    rules = replace(FEATURELESS, bonuses=(by_line,))
    # Scatters pay on the total bet, lines and prizes per coin: twice the coins at twice the cost is the same game.
    one, twice, more = (
        round_figures(level_rules(rules, BetLevel("level", 1, coins, coins, pays)), "main")
        for coins, pays in ((1, ()), (2, ()), (2, (("a-3", 1000), ("star-3", 7))))
    )
    assert one.return_to_player == twice.return_to_player < more.return_to_player
    # What a level states of a row is in coins in all, of a scatter too.
    assert [won.contribution / won.times for won in more.awards if won.row == "star-3"] == [Fraction(7, 2)]


def test_what_is_asked_of_a_slot_stands_in_tables() -> None:
    game = small(
        LINES
        + """
[[purchases]]
id = "buy"
feature = "free-games"
starts = 4
price = "20"

[gamble]
chance = "1/2"
multiplies = "2"
steps = 2

[[bet_levels]]
id = "one-line"
lines = 1
coins = 1
cost = 1
"""
    )
    analysis = analyze(game, "main-optimal")
    tables = SlotSections().evidence(game, {"main-optimal": analysis}).supplementary_tables or ()
    assert [table.id for table in tables] == [
        "split",
        "award-bands",
        "features",
        "near-misses",
    ]
    split = sum((row.figures["contribution"].low for row in tables[0].rows), Fraction(0))
    assert split == analysis.wagers[0].return_to_player


# Hold and win: places that show a prize are held, the others drawn again: every draw tried by itself.


SumLaw = dict[Fraction, Fraction]

COINS = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["a b coin coin c", "a coin b c coin", "coin a c b b a"]

[[line_pays]]
symbol = "a"
pays = [0, 3, 10]

[[line_pays]]
symbol = "c"
pays = [0, 0, 30]

[[bonuses]]
id = "coins"
draws = "hold"
symbol = "coin"
starts = [0, 0, 2, 3, 3, 4]
places = 4
times = 2
prizes = ["0 x5", "1 x3", "5/2"]
full = "25"
"""
HOLD = small(COINS)
HOLD_RULES = rules_of(HOLD)


def every_hold(bonus: BonusPrizes, held: int) -> SumLaw:
    """Returns the chance of every sum, each draw of each open place tried by itself."""
    total = sum(one.weight for one in bonus.prizes)

    @cache
    def from_here(places: tuple[Fraction, ...], left: int) -> SumLaw:
        if 0 not in places or not left:
            return {sum(places, Fraction(0) if 0 in places else bonus.full): Fraction(1)}
        found: SumLaw = {}
        for drawn in product(bonus.prizes, repeat=places.count(Fraction(0))):
            chance, shown = Fraction(1), [one for one in places if one]
            for one in drawn:
                chance *= Fraction(one.weight, total)
                shown.append(one.pays)
            new = any(one.pays for one in drawn)
            for value, share in from_here(tuple(sorted(shown)), bonus.times if new else left - 1).items():
                found[value] = found.get(value, Fraction(0)) + chance * share
        return found

    showing = [one for one in bonus.prizes if one.pays]
    found: SumLaw = {}
    for drawn in product(showing, repeat=held):
        chance = Fraction(1)
        for one in drawn:
            chance *= Fraction(one.weight, sum(prize.weight for prize in showing))
        places = (*(one.pays for one in drawn), *[Fraction(0)] * (bonus.places - held))
        for value, share in from_here(tuple(sorted(places)), bonus.times).items():
            found[value] = found.get(value, Fraction(0)) + chance * share
    return found


def every_round(rules: SlotRules) -> SumLaw:
    """Returns the chance of every win of a round in coins, stop by stop and draw by draw."""
    (bonus,) = rules.bonuses
    law: SumLaw = {}
    for (starts, coins), share in every(rules, BASE).items():
        held = dict(starts).get(bonus.id, 0)
        for value, chance in (every_hold(bonus, held) if held else {Fraction(0): Fraction(1)}).items():
            won = coins + value * rules.cost
            law[won] = law.get(won, Fraction(0)) + share * chance
    return law


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("held", [1, 2, 3, 4])
def test_the_law_is_that_of_every_draw(held: int, times: int) -> None:
    prizes = (Prize("open", Fraction(0), 5), Prize("one", Fraction(1), 3), Prize("some", Fraction(5, 2)))
    bonus = BonusPrizes(
        "b", PrizeDraws.HOLD, times, prizes, Trigger(("x",), (1,)), (), places=4, full=Fraction(25)
    )
    law = chances(prize_law(bonus, held))
    assert law == every_hold(bonus, held)
    assert sum(held_at_the_end(bonus, held).values()) == sum(law.values()) == 1


@pytest.mark.parametrize("most", ["", "3", "9"])
def test_return_variance_and_limit_are_those_of_every_round(most: str) -> None:
    text = COINS.replace("[slot]", f'[slot]\nmost = "{most}"') if most else COINS
    rules, law = rules_of(small(text)), every_round(HOLD_RULES)
    limit = Fraction(most) * rules.cost if most else max(law)
    mean = sum((min(won, limit) * chance for won, chance in law.items()), Fraction(0))
    second = sum((min(won, limit) ** 2 * chance for won, chance in law.items()), Fraction(0))
    figures = round_figures(rules, "main")
    assert figures.return_to_player == mean / rules.cost
    assert figures.variance == (second - mean**2) / rules.cost**2
    assert figures.odds is not None
    assert figures.odds.highest == min(max(law), limit) / rules.cost - 1
    assert figures.odds.highest_chance == sum(
        chance for won, chance in law.items() if won >= min(max(law), limit)
    )
    (award,) = [one for one in figures.awards if one.row == "coins"]
    assert award.times == sum(one.probability for one in figures.outcomes if one.id == "coins")


def test_it_is_told_as_a_player_sees_it() -> None:
    reference = HOLD.port.reference(HOLD)
    row = reference.showing("coins")  # type: ignore[attr-defined]
    told = play(reference, row, ()).trace
    assert any(
        line.startswith("coins: 2 of 4 places are held: ") or "of 4 places are held" in line for line in told
    )
    assert any(" held anew, " in line and line.endswith(" draws left") for line in told)


def test_a_feature_that_is_bought_begins_with_so_many_places_held() -> None:
    text = COINS + '\n[[purchases]]\nid = "buy"\nfeature = "coins"\nstarts = 3\nprice = "20"\n'
    game = small(text)
    mean = sum(value * chance for value, chance in every_hold(HOLD_RULES.bonuses[0], 3).items())
    square = sum(value**2 * chance for value, chance in every_hold(HOLD_RULES.bonuses[0], 3).items())
    bought = next(one for one in offered(game) if one.id == "buy")
    assert (bought.returned, bought.variance) == (mean / 20, (square - mean**2) / 400)
    with pytest.raises(SubmissionError, match="starts 5: expected 1 to 4"):
        small(text.replace("starts = 3", "starts = 5"))


REFUSED_HOLD = [
    ("places = 4", "places = 3", "4 places held at first: expected at most 3"),
    ("places = 4", "places = 41", "places 41: expected 1 to 40"),
    ("places = 4\n", "", "places 0: expected 1 to 40"),
    ('"0 x5", ', "", "one of 0"),
    ('"1 x3", "5/2"', '"0"', "prizes that are held"),
    ("times = 2", "times = 2\non_line = true", "on_line is not supported"),
    ('draws = "hold"', 'draws = "wheel"', 'expected them where draws = "hold"'),
    (
        'full = "25"',
        'full = "25"\n\n[[respins]]\nid = "held"\nsymbol = "a"\nreels = [1]',
        "windows that pay again",
    ),
]
"""What is stated, what in its place, and with which words that is refused."""

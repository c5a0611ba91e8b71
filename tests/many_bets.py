"""Layouts of many bets as games of one draw: what a table really offers, for tests of bounds."""

from itertools import combinations

HEAD = """
schema = "certify-game/1"
rules = []
readings = []
claims = []

[game]
id = "{name}"
title = "{name}"
version = "1.0.0"
family = "single-draw"
supplier = "A stranger"
banked_by = "house"

[[equipment]]
id = "{piece}"
{equipment}

[[each_draw]]
piece = "{piece}"
count = {count}

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[[sources]]
id = "rules"
title = "Rules"
file = "rules.txt"
sha256 = "{digest}"
"""

WAGER = """
[[wagers]]
id = "{name}"
title = "{name}"
description = "{name}"
limits = {{ minimum = "1.00", maximum = "100.00", currency = "EUR" }}

[[wagers.paytable]]
id = "win"
title = "Win"
pays = "{pays}"
"""


def layout(name, piece, equipment, count, bets):
    """Returns the submission of a layout."""
    text = HEAD.format(name=name, piece=piece, equipment=equipment, count=count, digest="0" * 64)
    text += "".join(WAGER.format(name=bet, pays=pays) for bet, pays, _ in bets)
    for bet, _, conditions in bets:
        for after, when, row, then in conditions:
            stated = {"after": after, "when": when, "row": row, "then": then}
            keys = "".join(f'{key} = "{value}"\n' for key, value in stated.items() if value)
            text += f'\n[[settled_by]]\nwager = "{bet}"\n{keys}'
    return text


def _once(bet, pays, when):
    return (bet, pays, (("", when, "win", ""),))


def sic_bo_bets():
    """Returns the 50 bets of a Sic Bo layout: Malta's, each number and pair by itself."""
    no_triple = "not most alike in dice is 3"
    bets = [
        _once("small", "1 to 1", f"sum of dice is 4 to 10 and {no_triple}"),
        _once("big", "1 to 1", f"sum of dice is 11 to 17 and {no_triple}"),
        _once("any-triple", "30 to 1", "most alike in dice is 3"),
    ]
    pays = {
        4: 60,
        5: 30,
        6: 18,
        7: 12,
        8: 8,
        9: 6,
        10: 6,
        11: 6,
        12: 6,
        13: 8,
        14: 12,
        15: 18,
        16: 30,
        17: 60,
    }
    bets += [_once(f"total-{total}", f"{pay} to 1", f"sum of dice is {total}") for total, pay in pays.items()]
    for face in range(1, 7):
        bets.append(_once(f"single-{face}", "1 to 1", f"count of {{{face}}} in dice is at least 1"))
        bets.append(_once(f"double-{face}", "10 to 1", f"count of {{{face}}} in dice is at least 2"))
        bets.append(_once(f"triple-{face}", "180 to 1", f"count of {{{face}}} in dice is 3"))
    for one, other in combinations(range(1, 7), 2):
        both = f"count of {{{one}}} in dice is at least 1 and count of {{{other}}} in dice is at least 1"
        bets.append(_once(f"pair-{one}-{other}", "5 to 1", both))
    return bets


def sic_bo():
    """Returns a whole Sic Bo layout, each bet a wager."""
    return layout("sic-bo-50", "dice", 'kind = "dice"\nsides = 6\ndraws = 3', 3, sic_bo_bets())


def keno(picks):
    """Returns keno tickets of given numbers, each paid where all of them are drawn."""
    bets = [
        _once(
            f"ticket-{place}",
            "10 to 1",
            f"count of {{{', '.join(map(str, pick))}}} in cage is {len(pick)}",
        )
        for place, pick in enumerate(picks, 1)
    ]
    return layout("keno-tickets", "cage", 'kind = "balls"\nballs = 80\ndraws = 20', 20, bets)


def _waiting(bet, pays, win, lose):
    """A bet that waits for one of two things, from the first throw on."""
    stages = ("", "wait")
    other = f"not ({win}) and not ({lose})"
    return (bet, pays, tuple((after, when, row, then) for after in stages
            for when, row, then in ((win, "win", ""), (other, "", "wait"))))  # fmt: skip


def craps_bets():
    """Yields sixteen bets of a craps table."""
    for point, pays in (
        (4, "9 to 5"),
        (5, "7 to 5"),
        (6, "7 to 6"),
        (8, "7 to 6"),
        (9, "7 to 5"),
        (10, "9 to 5"),
    ):
        yield _waiting(f"place-{point}", pays, f"sum of dice is {point}", "sum of dice is 7")
    for total, pays in ((4, "7 to 1"), (6, "9 to 1"), (8, "9 to 1"), (10, "7 to 1")):
        hard = f"count of {{{total // 2}}} in dice is 2"
        easy = f"sum of dice is 7 or (sum of dice is {total} and not {hard})"
        yield _waiting(f"hard-{total}", pays, hard, easy)
    yield _once("field", "1 to 1", "sum of dice is 2 to 4 or sum of dice is 9 to 12")
    yield _once("any-seven", "4 to 1", "sum of dice is 7")
    yield _once("any-craps", "7 to 1", "sum of dice is 2 to 3 or sum of dice is 12")
    yield _once("eleven", "15 to 1", "sum of dice is 11")
    yield _once("twelve", "30 to 1", "sum of dice is 12")
    yield _once("two", "30 to 1", "sum of dice is 2")


def craps():
    """Returns sixteen bets of a craps table in one submission."""
    return layout("craps-16", "dice", 'kind = "dice"\nsides = 6', 2, list(craps_bets()))

"""Blackjack settled from its printed rules, apart from everything else here: the second implementation."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

ORDER = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
EARLY = {
    "early": "A 10",
    "early against ten": "10",
    "early against ace": "A",
    "early except against ace": "10",
}
LOOKS = {"ace and ten": "A 10", "ace": "A", "never": ""}
DOUBLES = {"8 to 11": (8, 11), "9 to 11": (9, 11), "10 and 11": (10, 11), "11": (11, 11)}

Pays = Mapping[str, Mapping[str, Fraction]]


def settle(
    rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted.
        pays: What the rows of each wager pay.
        draws: Names of the cards in the order dealt.
        decisions: What was decided, in order: insurance, early surrender, then hand after hand.

    Raises:
        ValueError: The rules ask for more or fewer cards or decisions, or do not allow one.
    """
    cards, decided = iter(draws), iter(decisions)
    player, dealer = [_dealt(cards)], [_dealt(cards)]
    player.append(_dealt(cards))
    up = "A" if _points(dealer) == 11 else str(_points(dealer))
    if str(rules.peek) != "never":
        dealer.append(_dealt(cards))
    insured = bool(rules.insurance) and up == "A" and _told(decided, "insure", "decline") == "insure"
    looks = up in LOOKS[str(rules.peek)].split()
    early = up in EARLY.get(str(rules.surrender), "").split()
    natural = _points(player) == 21
    given_up = early and looks and not natural and _told(decided, "surrender", "decline") == "surrender"
    seen = looks and _points(dealer) == 21
    hands: list[tuple[str, list[str], int]] = []
    if natural or seen or given_up:
        hands = [("given up" if given_up else "natural" if natural else "stood", player, 1)]
    else:
        halves = rules.surrender != "none" and not (early and looks)
        if up == "A" and str(rules.surrender) == "early except against ace":
            halves = False
        hands = list(_played(rules, pays["main"], [player], cards, decided, halves))
    alive = [hand for how, hand, _ in hands if how == "stood"]
    if len(dealer) == 1 and (alive or up in ("A", "10")):
        dealer.append(_dealt(cards))
    while alive and not seen and (_points(dealer) < 17 or (rules.hits_soft_17 and _soft(dealer) == 17)):
        dealer.append(_dealt(cards))
    if next(cards, "") or next(decided, ""):
        raise ValueError("the round ended before all cards and decisions were used")
    show = len(dealer) == 2 and _points(dealer) == 21
    row, net, staked = _main(rules, pays["main"], hands, dealer, (show, seen), early)
    if insured:
        net += Fraction(1, 2) * (pays["main"].get("insurance", Fraction(2)) if show else -1)
        staked += Fraction(1, 2)
    if insured or len(hands) > 1:
        row = "win" if net > 0 else "lose" if net < 0 else "push"
    simple = staked == 1 and (row not in ("win", "lose") or abs(net) == 1)
    ended = {"main": (row if simple else f"{row}:{net}:{staked}", net)}
    for bet in [bet for bet in pays if bet != "main"]:
        won = next((name for name in _side(bet, player, dealer[0], show) if name in pays[bet]), "lose")
        ended[bet] = won, pays[bet].get(won, Fraction(-1))
    return ended


def _dealt(cards: Iterator[str]) -> str:
    """Returns the next card."""
    for card in cards:
        return card
    raise ValueError("the rules need more cards than were dealt")


def _told(decided: Iterator[str], *allowed: str) -> str:
    """Returns the next decision, which must be one that the rules allow."""
    decision = next(decided, "")
    if decision not in allowed:
        raise ValueError(f"decided {decision!r}, the rules allow {', '.join(allowed)}")
    return decision


def _points(hand: Sequence[str]) -> int:
    """Returns what a hand counts: an ace eleven unless the hand would bust by it."""
    points = sum(min(ORDER.index(card.split()[0]) + 1, 10) for card in hand)
    return points + 10 if points < 12 and any(card[0] == "A" for card in hand) else points


def _soft(hand: Sequence[str]) -> int:
    """Returns what a hand counts where an ace of it counts eleven, else nothing."""
    low = sum(min(ORDER.index(card.split()[0]) + 1, 10) for card in hand)
    return _points(hand) if _points(hand) > low else 0


def _paired(rules: Any, hand: Sequence[str]) -> bool:
    if len(hand) != 2 or _points(hand[:1]) != _points(hand[1:]):
        return False
    if _points(hand[:1]) != 10 or str(rules.split_tens) == "equal value":
        return True
    return str(rules.split_tens) == "equal rank" and hand[0].split()[0] == hand[1].split()[0]


def _played(
    rules: Any,
    rows: Mapping[str, Fraction],
    waiting: list[list[str]],
    cards: Iterator[str],
    decided: Iterator[str],
    halves: bool,
) -> Iterator[tuple[str, list[str], int]]:
    """Yields how each hand ends, its cards and its stake; a pair that is split waits as two hands."""
    done, split = 0, False
    while waiting:
        hand, stake, how = list(waiting.pop(0)), 1, ""
        while not how:
            if len(hand) == 1:
                hand.append(_dealt(cards))
            if _points(hand) == 21:
                how = _at_once(rules, rows, hand, split) or "stood"
                break
            ace = hand[0][0] == "A"
            more = done + 1 + len(waiting) < (rules.ace_hands if ace else rules.split_hands)
            allowed = ["stand"] + (["split"] if more and _paired(rules, hand) else [])
            locked = split and ace and not rules.draw_to_aces
            if locked and len(allowed) == 1:
                how = "stood"
                break
            if not locked:
                allowed += ["hit"]
                allowed += ["double"] if _doubles(rules, hand, split) else []
                allowed += ["surrender"] if halves and not split and len(hand) == 2 else []
            decision = _told(decided, *allowed)
            if decision == "split":
                split = True
                waiting.insert(0, hand[1:])
                hand = hand[:1]
            elif decision in ("stand", "surrender"):
                how = "stood" if decision == "stand" else "given up"
            else:
                hand.append(_dealt(cards))
                stake = 2 if decision == "double" else 1
                how = (
                    "bust" if _points(hand) > 21 else _at_once(rules, rows, hand, split, decision == "double")
                )
                if stake == 2 and not how:
                    rescued = rules.double_rescue and _told(decided, "rescue", "stand") == "rescue"
                    how = "given up" if rescued else "stood"
        done += 1
        yield how, hand, stake


def _doubles(rules: Any, hand: Sequence[str], split: bool) -> bool:
    kind = str(rules.double)
    if kind == "never" or (split and not rules.double_after_split):
        return False
    if kind in DOUBLES:
        least, most = DOUBLES[kind]
        return len(hand) == 2 and not _soft(hand) and least <= _points(hand) <= most
    return len(hand) == 2 or kind == "any number of cards"


def _at_once(
    rules: Any, rows: Mapping[str, Fraction], hand: Sequence[str], split: bool, doubled: bool = False
) -> str:
    """Returns the row of a hand that wins whatever the dealer has, empty for all others."""
    found = ""
    if len(hand) == 3 and not split and all(card[0] == "7" for card in hand):
        found = _of_suits("sevens", rows, hand)
    elif not doubled and _points(hand) == 21 and sorted(card[0] for card in hand) == ["6", "7", "8"]:
        found = _of_suits("six-seven-eight", rows, hand)
    elif not doubled and _points(hand) == 21 and len(hand) > 4:
        number = {5: "five", 6: "six"}.get(len(hand), "seven")
        found = f"{number}-card-twenty-one"
    if found in rows:
        return found
    charlie = "charlie" in rows and 0 < rules.charlie <= len(hand)
    return "charlie" if charlie else ""


def _of_suits(name: str, rows: Mapping[str, Fraction], hand: Sequence[str]) -> str:
    """Returns the best row of three cards by their suits."""
    suits = {card.split()[-1] for card in hand}
    if suits == {"spades"} and f"spades-{name}" in rows:
        return f"spades-{name}"
    return f"suited-{name}" if len(suits) == 1 and f"suited-{name}" in rows else name


def _main(
    rules: Any,
    rows: Mapping[str, Fraction],
    hands: Sequence[tuple[str, list[str], int]],
    dealer: Sequence[str],
    natural: tuple[bool, bool],
    early: bool,
) -> tuple[str, Fraction, Fraction]:
    """Returns the row of the last hand, the net result of all hands, and what was staked on them."""
    show, seen = natural
    late, takes = show and not seen, str(rules.natural_takes)
    bank = _points(dealer)
    net, open_bets, row = Fraction(0), 0, "lose"
    for how, hand, stake in hands:
        if how in rows and how != "natural":
            row, won = how, rows[how] * stake
        elif how == "stood" and rules.wins_21 and _points(hand) == 21:
            row, won = "win", rows["win"] * stake
        elif how == "natural":
            suited = hand[0].split()[-1] == hand[1].split()[-1] and "suited-natural" in rows
            row = "push" if show and not rules.wins_21 else "suited-natural" if suited else "natural"
            won = rows.get(row, Fraction(0))
        elif how == "given up" and (stake == 2 or early or not late):
            row, won = "surrender" if stake == 1 else "lose", Fraction(-stake, 2)
        elif late:
            row, won = "lose", Fraction(0)
            if takes == "all bets" or (takes == "original and busted bets" and how == "bust"):
                won = Fraction(-stake)
            else:
                open_bets += 1
        elif how == "bust" or (bank <= 21 and (show or bank > _points(hand))):
            row, won = "lose", Fraction(-stake)
        elif bank == _points(hand) or (bank == 22 and rules.pushes_22):
            row, won = "push", rows.get("push", Fraction(0)) * stake
        else:
            row, won = "win", rows["win"] * stake
        net += won
    net -= open_bets if takes == "original and split bets" else min(open_bets, 1)
    if row == "lose" and net == 0:
        row = "push"
    return row, net, Fraction(sum(stake for _, _, stake in hands))


def _side(bet: str, player: Sequence[str], up: str, natural: bool) -> list[str]:
    """Returns every row of a side bet that the first cards fit, the highest first."""
    first, second = player
    fits: list[tuple[str, bool]] = []
    if bet == "perfect-pairs":
        pair = first.split()[0] == second.split()[0]
        colours = [card.split()[-1] in ("hearts", "diamonds") for card in player]
        fits += [("perfect-pair", first == second), ("coloured-pair", pair and colours[0] == colours[1])]
        fits += [("mixed-pair", pair)]
    if bet == "twenty-one-plus-three":
        ranks = sorted(ORDER.index(card.split()[0]) for card in (first, second, up))
        suited = len({card.split()[-1] for card in (first, second, up)}) == 1
        three = len(set(ranks)) == 1
        run = all(other == one + 1 for one, other in pairwise(ranks)) or ranks == [0, 11, 12]
        fits += [("suited-three-of-a-kind", three and suited), ("straight-flush", run and suited)]
        fits += [("three-of-a-kind", three), ("straight", run), ("flush", suited)]
    if bet == "lucky-ladies" and _points(player) == 20:
        ladies = first == second == "Q of hearts"
        fits += [("queens-of-hearts-and-dealer-natural", ladies and natural), ("queens-of-hearts", ladies)]
        fits += [("matched-twenty", first == second), ("any-twenty", True)]
        fits.insert(3, ("suited-twenty", first.split()[-1] == second.split()[-1]))
    return [name for name, holds in fits if holds]

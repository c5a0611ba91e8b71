"""Described games settled apart: the submission's own words acted on card by card, with every card kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

Pays = Mapping[str, Mapping[str, Fraction]]
LADDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
KNOWN = {
    "three-card": (3, "high-card pair flush straight three-of-a-kind straight-flush mini-royal"),
    "four-card": (4, "high-card pair two-pair straight flush three-of-a-kind straight-flush four-of-a-kind"),
    "five-card": (
        5,
        "high-card pair two-pair three-of-a-kind straight flush full-house four-of-a-kind straight-flush royal-flush",
    ),
}
NOTHING = -(10**18)
GONE = Fraction(-1)
MOST_MET = 1 << 16
"""Conditions with what lay there that are remembered, at most."""


def settle(
    rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The tables of the submission, as written.
        pays: What the rows of each wager pay.
        draws: What came, in the order drawn.
        decisions: What was decided.

    Raises:
        ValueError: More was drawn or decided than the submission asks for, or less.
    """
    return Played(rules, pays, draws, decisions).result()


class Played:
    """One round, acted out."""

    def __init__(self, rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]) -> None:
        self.rules, self.pays = rules, pays
        self.draws, self.decisions = list(draws), list(decisions)
        self.cards: dict[str, list[tuple[str, str]]] = {}
        self.covered: dict[str, list[str]] = {}
        self.staked: dict[str, int] = {}
        self.known = known_of(rules)
        self.taken: set[str] = set()
        self.stage = dict.fromkeys(rules.wagers, "")
        self.bonus: dict[str, str] = {}
        self.ended: dict[str, tuple[str, Fraction]] = {}
        self.met: dict[str, bool] = {}

    def result(self) -> dict[str, tuple[str, Fraction]]:
        """Plays the round to its end."""
        turns = {turn.id: turn for turn in self.rules.turns}
        order = [*turns, "end"]
        place = order[0]
        while place != "end" and self.stage:
            self.give_up_lost(self.known.ahead(place))
            if not self.stage:
                break
            turn = turns[place]
            self.deal(turn)
            self.settle_at(place)
            if not self.stage:
                break
            place = (
                self.led(turn)
                or self.decide(turn)
                or self.led(turn)
                or turn.then
                or order[order.index(place) + 1]
            )
        self.give_up_lost(set())
        if self.draws or self.decisions:
            raise ValueError(
                f"{len(self.draws)} draws and {len(self.decisions)} decisions after the round had ended"
            )
        return self.ended

    # --- the course of a round ---

    def led(self, turn: Any) -> str:
        """Returns the turn that a condition leads to; empty where none holds."""
        return next(
            (str(one.to) for one in self.rules.leads if one.after == turn.id and self.true(one.when)), ""
        )

    def deal(self, turn: Any) -> None:
        """Clears places, turns cards up and deals new ones."""
        for place in turn.clears:
            self.cards[place] = []
        for text in turn.shows:
            count, _, place = text.rpartition(" of ")
            lying = self.covered[place]
            for piece in [lying.pop(0) for _ in range(int(count or len(lying)))]:
                self.draw(place, piece)
        for text in turn.deals:
            head, _, piece = text.partition(" from ")
            count, _, place = head.removesuffix(" covered").partition(" to ")
            if head.endswith(" covered"):
                self.covered.setdefault(place, []).extend([piece] * int(count))
                continue
            for _ in range(int(count)):
                self.draw(place, piece)
        if self.rules.one_turn:
            # One turn clears what lay there: what it shows decides alone, and is read once.
            self.met = self.known.met_by(tuple(card for cards in self.cards.values() for card in cards))

    def draw(self, place: str, piece: str) -> None:
        """Draws one card to a place."""
        if not self.draws:
            raise ValueError("fewer draws than the round asks for")
        self.cards.setdefault(place, []).append((piece, self.draws.pop(0)))

    def decide(self, turn: Any) -> str:
        """Carries out what was decided, where there is something to decide; returns where that leads, if it says so."""
        offered = [one for one in self.rules.offers if one.at == turn.id and self.true(one.when)]
        if not offered:
            return ""
        choice = offered[0]
        if len(offered) > 1:
            if not self.decisions:
                raise ValueError("fewer decisions than the round asks for")
            name = self.decisions.pop(0)
            choice = next(one for one in offered if one.option == name)
        for text in choice.stakes:
            units, _, stake = text.partition(" on ")
            if self.known.owner[stake] in self.stage:
                self.staked[stake] = self.staked.get(stake, 0) + int(units)
        self.taken.add(choice.option)
        wager = choice.wager or self.rules.wagers[0]
        if choice.row and wager in self.stage:
            self.end(wager, choice.row)
        return str(choice.to)

    def settle_at(self, turn: str) -> None:
        """Settles wagers after a turn."""
        last = self.rules.turns[-1].id
        for one in self.rules.bonuses:
            if turn in (one.at or [last]) and one.wager in self.stage and self.true(one.when):
                self.bonus[one.wager] = one.row
        asked = self.known.asked(turn)
        now = [
            one
            for waiting in self.stage.items()
            if waiting in asked
            for one in asked[waiting]
            if self.true(one.when)
        ]
        if self.rules.one_turn:
            named = {one.wager for one in now}
            for wager in [wager for wager in self.stage if wager not in named]:
                self.end(wager, "lose")
        for one in now:
            if one.row:
                self.end(one.wager, one.row)
            else:
                self.stage[one.wager] = one.then

    def give_up_lost(self, left: set[str]) -> None:
        """Ends the wagers that nothing settles any more."""
        for wager in [wager for wager in self.stage if wager not in left]:
            self.end(wager, "lose")

    def end(self, wager: str, row: str) -> None:
        """Ends a wager in a row; of one that is not bet on nothing is told."""
        del self.stage[wager]
        if wager not in self.pays:
            return
        if not self.known.owner and not self.bonus:
            self.ended[wager] = (row, self.net(wager, row))
            return
        stakes = [stake for stake, owner in self.known.owner.items() if owner == wager]
        units = [self.staked.get(stake, 0) for stake in stakes]
        besides = {}
        for one in self.rules.settlings if stakes else ():
            if (one.wager, one.row) == (wager, row):
                besides = dict(text.split(" ", 1) for text in one.besides)
        net = self.net(wager, row)
        for stake, count in zip(stakes, units, strict=True):
            how = besides.get(stake, "as " + row)
            net += count * (0 if how == "returned" else -1 if how == "lost" else self.net(wager, how[3:]))
        name = row
        if any(units):
            name += f"-on-{1 + units[0]}" if len(units) == 1 else "-on-1-" + "-".join(map(str, units))
        if wager in self.bonus:
            net += self.net(wager, self.bonus[wager])
            name = f"{self.bonus[wager]}-and-{name}"
        self.ended[wager] = (name, net)

    def net(self, wager: str, row: str) -> Fraction:
        """Returns what a row nets on one unit."""
        paid = self.pays[wager].get(row)
        return self.known.back.get((wager, row), GONE) if paid is None else paid

    # --- conditions, read anew each time ---

    def true(self, text: str) -> bool:
        """Tells whether a condition holds now."""
        if text in ("", "always"):
            return True
        if not self.rules.one_turn:
            return self.either(list(words_of(text)))
        if text not in self.met:
            self.met[text] = self.either(list(words_of(text)))
        return self.met[text]

    def either(self, words: list[str]) -> bool:
        """Reads parts joined by "or"."""
        found = self.both(words)
        while words[:1] == ["or"]:
            words.pop(0)
            found = self.both(words) or found
        return found

    def both(self, words: list[str]) -> bool:
        """Reads parts joined by "and"."""
        found = self.single(words)
        while words[:1] == ["and"]:
            words.pop(0)
            found = self.single(words) and found
        return found

    def single(self, words: list[str]) -> bool:
        """Reads one test."""
        if words[0] == "not":
            words.pop(0)
            return not self.single(words)
        if words[0] == "(":
            words.pop(0)
            found = self.either(words)
            words.pop(0)
            return found
        if words[0] == "decided":
            words.pop(0)
            return words.pop(0) in self.taken
        value = self.value(words)
        if value is None:
            return self.shows(words)
        if words[0] == "equals":
            words.pop(0)
            return bool(value == self.value(words))
        words.pop(0)
        if words[0] in ("above", "below"):
            above = words.pop(0) == "above"
            other = self.value(words)
            return bool(value > other if above else value < other)
        return self.hand_is(value, words) if isinstance(value, Hand) else self.within(value, words)

    def within(self, value: int, words: list[str]) -> bool:
        """Compares a number with bounds."""
        if words[0] == "at":
            least = words[1] == "least"
            bound = int(words[2])
            del words[:3]
            return value >= bound if least else value <= bound
        low = high = int(words.pop(0))
        if words[:1] == ["to"]:
            high = int(words[1])
            del words[:2]
        return low <= value <= high

    def shows(self, words: list[str]) -> bool:
        """Tells whether a place shows one of some faces: any of its cards, the last, or one by its number."""
        cards = self.cards.get(words.pop(0), [])
        if words[0] == "draw":
            number = int(words[1])
            cards, words[:2] = cards[number - 1 : number], []
        elif words[0] == "last":
            words.pop(0)
            cards = cards[-1:]
        words.pop(0)
        faces = words.pop(0)
        return self.among(cards, faces) > 0

    def value(self, words: list[str]) -> Any:
        """Reads a number or a hand; none where a place is named."""
        first = words[0]
        if first in ("sum", "highest", "lowest", "spread", "last") and words[1] == "of":
            return self.counted(words)
        if first == "draw":
            number = int(words[1])
            card = self.cards.get(words[3], [])[number - 1 : number]
            del words[:4]
            worth = self.worths(card, words)
            return worth[0] if worth else NOTHING
        if first == "count":
            faces = words[2]
            del words[:4]
            return self.among(self.places(words), faces)
        if first == "draws":
            del words[:2]
            return len(self.places(words))
        if first == "stakes":
            name = words[2]
            del words[:3]
            return self.staked.get(name, 0)
        if first in ("most", "different"):
            del words[: 2 if first == "most" else 1]
            part = words.pop(0) if words[0] in ("ranks", "suits") else "faces"
            words.pop(0)
            labels = [label(card, part) for card in self.places(words)]
            return max(map(labels.count, labels), default=0) if first == "most" else len(set(labels))
        if first == "matches":
            part, place = words[2], words[4]
            del words[:6]
            wanted = {label(card, part) for card in self.cards.get(place, [])}
            return sum(label(card, part) in wanted for card in self.places(words))
        return self.hand(words) if first == "hand" else None

    def counted(self, words: list[str]) -> int:
        """Reads what cards count: added up, the highest, the lowest, the distance of these, or the last."""
        kind = words[0]
        del words[:2]
        cards = self.places(words)
        modulo = 0
        if words[:1] == ["modulo"]:
            modulo = int(words[1])
            del words[:2]
        worth = self.worths(cards, words)
        if kind == "sum":
            return sum(worth) % modulo if modulo else sum(worth)
        if not worth:
            return NOTHING
        return {
            "highest": max(worth),
            "lowest": min(worth),
            "spread": max(worth) - min(worth),
            "last": worth[-1],
        }[kind]

    def places(self, words: list[str]) -> list[tuple[str, str]]:
        """Reads names of places; returns their cards."""
        names = [words.pop(0)]
        while words[:1] == ["with"]:
            names.append(words[1])
            del words[:2]
        return [card for name in dict.fromkeys(names) for card in self.cards.get(name, [])]

    def worths(self, cards: Sequence[tuple[str, str]], words: list[str]) -> list[int]:
        """Reads by which table cards count; returns what they do."""
        table = ""
        if words[:1] == ["by"]:
            table = words[1]
            del words[:2]
        return [self.worth(card, table) for card in cards]

    def worth(self, card: tuple[str, str], table: str) -> int:
        """Returns what one card counts."""
        rank = card[1].split(" of ")[0]
        if table == "aces-high":
            return 2 + LADDER.index(rank)
        if table == "aces-low":
            return 1 if rank == "A" else 2 + LADDER.index(rank)
        for one in self.rules.worths:
            if (one.table, one.piece) == (table, card[0] or one.piece) and any(
                named(card[1], face) for face in one.faces
            ):
                return int(one.counts)
        return int(rank)

    def among(self, cards: Sequence[tuple[str, str]], faces: str) -> int:
        """Returns how many cards are one of some faces."""
        piece, held = self.known.faces_of(faces)
        return sum(held[face] for of, face in cards if of == piece or not of or not piece)

    def hand(self, words: list[str]) -> Hand:
        """Reads a hand: the best that its cards hold."""
        del words[:2]
        cards = self.places(words)
        name = "five-card"
        if words[:1] == ["by"]:
            name = words[1]
            del words[:2]
        rankings = {one.id: (int(one.cards), " ".join(one.order)) for one in self.rules.rankings}
        size, kinds = (KNOWN | rankings)[name]
        ladder = kinds.split()
        hands = [worth_of(hand, kinds) for hand in combinations([one for _, one in cards], size)]
        return Hand((ladder, *max(hands)) if hands else (ladder, -1, []))

    def hand_is(self, hand: Hand, words: list[str]) -> bool:
        """Compares a hand with one that is named."""
        ladder, kind, ranks = hand
        bound = ""
        if words[0] == "at":
            bound = words[1]
            del words[:2]
        named_ranks = []
        while words and words[0] in LADDER:
            named_ranks.append(LADDER.index(words.pop(0)))
        lowest = highest = named_ranks
        wanted = ladder.index("high-card" if named_ranks else words[0])
        words.pop(0)
        if words[:1] == ["of"] and not named_ranks:
            lowest = highest = [LADDER.index(words[1])]
            del words[:2]
            if words[:1] == ["to"]:
                highest = [LADDER.index(words[1])]
                del words[:2]
        mine = ranks[: len(lowest)] if lowest else []
        if bound == "least":
            return (kind, mine) >= (wanted, lowest)
        if bound == "most":
            return (kind, mine) <= (wanted, highest)
        return kind == wanted and lowest <= mine <= highest


class SaidFaces(dict[str, bool]):
    """Whether one of some names stands for a face, read once for each face."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, face: str) -> bool:
        self[face] = found = any(named(face, name) for name in self.names)
        return found


class RulesOnce:
    """What is the same in every round of a game, and what was found of it once."""

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        self.owner: dict[str, str] = {}
        self.back: dict[tuple[str, str], Fraction] = {}
        for offer in rules.offers:
            for stake in offer.stakes:
                self.owner.setdefault(stake.split(" on ")[1], offer.wager or rules.wagers[0])
        for one in (*rules.settlings, *rules.offers):
            if one.returns:
                self.back.setdefault((one.wager or rules.wagers[0], one.row), Fraction(one.returns) - 1)
        self.sets: dict[str, tuple[str, SaidFaces]] = {
            one.id: (one.piece, SaidFaces(one.faces)) for one in rules.groups
        }
        self.left: dict[str, set[str]] = {}
        self.by_turn: dict[str, dict[tuple[str, str], list[Any]]] = {}
        self.met: dict[tuple[tuple[str, str], ...], dict[str, bool]] = {}

    def ahead(self, start: str) -> set[str]:
        """Returns the wagers that may still be settled from a turn on."""
        if start in self.left:
            return self.left[start]
        order, seen, left = [turn.id for turn in self.rules.turns], {"end"}, [start]
        last = order[-1]
        found = set()
        while left:
            here = left.pop()
            if here in seen:
                continue
            seen.add(here)
            own = next(turn for turn in self.rules.turns if turn.id == here)
            left.append(own.then or [*order, "end"][order.index(here) + 1])
            left += [lead.to for lead in self.rules.leads if lead.after == here]
            left += [offer.to for offer in self.rules.offers if offer.at == here and offer.to]
            found |= {one.wager for one in self.rules.settlings if here in (one.at or [last])}
            found |= {
                one.wager or self.rules.wagers[0] for one in self.rules.offers if one.at == here and one.row
            }
        self.left[start] = found
        return found

    def asked(self, turn: str) -> dict[tuple[str, str], list[Any]]:
        """Returns what is asked of each wager in each of its stages after a turn."""
        if turn not in self.by_turn:
            self.by_turn[turn] = {}
            for one in self.rules.settlings:
                if turn in (one.at or [self.rules.turns[-1].id]):
                    self.by_turn[turn].setdefault((one.wager, one.after), []).append(one)
        return self.by_turn[turn]

    def faces_of(self, faces: str) -> tuple[str, SaidFaces]:
        """Returns the piece that some faces are of, none where they stand in braces, and which faces they are."""
        if faces not in self.sets:
            self.sets[faces] = "", SaidFaces([name.strip() for name in faces[1:-1].split(",")])
        return self.sets[faces]

    def met_by(self, lying: tuple[tuple[str, str], ...]) -> dict[str, bool]:
        """Returns which conditions were found to hold of what lies there; as many are kept as there is room for."""
        if lying not in self.met and len(self.met) * len(self.rules.settlings) > MOST_MET:
            self.met.clear()
        return self.met.setdefault(lying, {})


@lru_cache(maxsize=4)
def known_of(rules: Any) -> RulesOnce:
    """Returns what is the same in every round of a game."""
    return RulesOnce(rules)


@cache
def words_of(text: str) -> tuple[str, ...]:
    """Returns the words of a condition, a set of faces as one."""
    return tuple(re.findall(r"\{[^{}]*\}|[()]|[^\s(){}]+", text))


class Hand(tuple[list[str], int, list[int]]):
    """A hand: its ladder of kinds, the place of its kind there, and the ranks that decide."""

    __slots__ = ()

    def __gt__(self, other: Any) -> bool:
        return (self[1], self[2]) > (other[1], other[2])

    def __lt__(self, other: Any) -> bool:
        return (self[1], self[2]) < (other[1], other[2])


def label(card: tuple[str, str], part: str) -> str:
    """Returns the rank, the suit or the whole face of a card."""
    return card[1] if part == "faces" else card[1].split(" of ")[part == "suits"]


@cache
def named(face: str, name: str) -> bool:
    """Tells whether a name stands for a face: itself, its rank, its suit, or a span of numbers that holds it."""
    span = re.fullmatch(r"(\d+) to (\d+)", name)
    if span and face.isdigit():
        return int(span[1]) <= int(face) <= int(span[2])
    return face == name or name in face.split(" of ")


@lru_cache(maxsize=1 << 14)
def worth_of(cards: tuple[str, ...], kinds: str) -> tuple[int, list[int]]:
    """Returns the place of a hand in a ladder of kinds, and its ranks in the order in which they decide."""
    ladder = kinds.split()
    ranks = [LADDER.index(card.split(" of ")[0]) for card in cards]
    ordered = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    kind = max(ladder.index(name) for name in names_of(cards, ranks) if name in ladder)
    if "straight" in ladder[kind] or "royal" in ladder[kind]:
        wheel = sorted(ranks) == [*range(len(ranks) - 1), 12]
        return kind, [len(ranks) - 2 if wheel else max(ranks)]
    return kind, list(dict.fromkeys(ordered))


def names_of(cards: Sequence[str], ranks: Sequence[int]) -> Iterator[str]:
    """Yields everything that a hand is."""
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    flush = len(cards) > 1 and len({card.split(" of ")[1] for card in cards}) == 1
    inner = sorted(ranks)
    run = inner == [*range(inner[0], inner[0] + len(inner))]
    straight = len(cards) > 1 and (run or inner == [*range(len(inner) - 1), 12])
    yield "high-card"
    yield from ["pair"] * (counts in ([2], [2, 1], [2, 1, 1], [2, 1, 1, 1], [2, 2], [2, 2, 1]))
    yield from ["two-pair"] * (counts[:2] == [2, 2])
    yield from ["three-of-a-kind"] * (counts[0] == 3 and counts[1:2] != [2])
    yield from ["full-house"] * (counts == [3, 2])
    yield from ["four-of-a-kind"] * (counts[0] == 4)
    yield from ["flush"] * flush
    yield from ["straight"] * straight
    if flush and straight:
        yield "straight-flush"
        if run and inner[-1] == 12:
            yield {3: "mini-royal", 5: "royal-flush"}.get(len(cards), "straight-flush")

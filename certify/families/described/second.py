"""Described games settled apart: the submission's own words acted on card by card, with every card kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
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
        self.values: dict[str, Any] = {}
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
            self.covered.pop(place, None)
            self.values.clear()
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
            # One turn clears what lay there: what it shows decides alone.
            self.met = self.known.met(tuple(card for cards in self.cards.values() for card in cards))

    def draw(self, place: str, piece: str) -> None:
        """Draws one card to a place."""
        if not self.draws:
            raise ValueError("fewer draws than the round needs")
        self.cards.setdefault(place, []).append((piece, self.draws.pop(0)))
        self.values.clear()

    def decide(self, turn: Any) -> str:
        """Carries out what was decided, where there is something to decide; returns where that leads, if it says so."""
        offered = [one for one in self.rules.offers if one.at == turn.id and self.true(one.when)]
        if not offered:
            return ""
        choice = offered[0]
        if len(offered) > 1:
            if not self.decisions:
                raise ValueError("fewer decisions than the round needs")
            name = self.decisions.pop(0)
            choice = next(one for one in offered if one.option == name)
        for text in choice.stakes:
            units, _, stake = text.partition(" on ")
            if self.known.owner[stake] in self.stage:
                self.staked[stake] = self.staked.get(stake, 0) + int(units)
        self.taken.add(choice.option)
        self.values.clear()
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
        """Ends a wager in a row; one that is not bet on is left out."""
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

    # --- what conditions ask ---

    def true(self, text: str) -> bool:
        """Returns whether a condition holds now."""
        if text in ("", "always"):
            return True
        if not self.rules.one_turn:
            return bool(self.known.condition(text)(self))
        if text not in self.met:
            self.met[text] = bool(self.known.condition(text)(self))
        return self.met[text]

    def once(self, said: str, looked_up: Looked) -> Any:
        """Returns a number, a hand or what brackets hold, looked up once until a card comes or something is decided."""
        if said not in self.values:
            self.values[said] = looked_up(self)
        return self.values[said]

    def at(self, places: Sequence[str]) -> list[tuple[str, str]]:
        """Returns the cards of some places."""
        return [card for name in places for card in self.cards.get(name, [])]


Looked = Callable[[Played], Any]
"""What looks something up in a round as it is."""


class ConditionText:
    """The words of a condition, read once from left to right into what looks it up."""

    def __init__(self, text: str, known: RulesOnce) -> None:
        self.words, self.known = words_of(text), known

    def take(self, number: int = 1) -> str:
        """Takes some words; returns the last."""
        last = self.words[number - 1]
        del self.words[:number]
        return last

    def next_is(self, word: str) -> bool:
        """Takes a word if it comes next; tells whether it does."""
        return self.words[:1] == [word] and bool(self.take())

    def either(self) -> Looked:
        """Reads parts joined by "or"."""
        first = self.both()
        if not self.next_is("or"):
            return first
        others = self.either()
        return lambda now: first(now) or others(now)

    def both(self) -> Looked:
        """Reads parts joined by "and"."""
        first = self.single()
        if not self.next_is("and"):
            return first
        others = self.both()
        return lambda now: first(now) and others(now)

    def single(self) -> Looked:
        """Reads one test."""
        if self.next_is("not"):
            denied = self.single()
            return lambda now: not denied(now)
        if self.next_is("("):
            inner = self.once(self.either)
            self.take()
            return inner
        if self.next_is("decided"):
            option = self.take()
            return lambda now: option in now.taken
        if not self.is_value():
            return self.shows()
        named, value = self.words[0] == "hand", self.once(self.looked_up)
        if self.next_is("equals"):
            same = self.once(self.looked_up)
            return lambda now: bool(value(now) == same(now))
        self.take()
        if self.words[0] in ("above", "below"):
            above, other = self.take() == "above", self.once(self.looked_up)
            return lambda now: bool(value(now) > other(now) if above else value(now) < other(now))
        return self.hand_is(value) if named else self.within(value)

    def within(self, value: Looked) -> Looked:
        """Reads the bounds of a number."""
        if self.next_is("at"):
            least, bound = self.take() == "least", int(self.take())
            return lambda now: bool(value(now) >= bound if least else value(now) <= bound)
        low = int(self.take())
        high = int(self.take()) if self.next_is("to") else low
        return lambda now: bool(low <= value(now) <= high)

    def shows(self) -> Looked:
        """Reads whether a place shows one of some faces: any of its cards, the last, or one by its number."""
        place, some = self.take(), slice(None)
        if self.next_is("draw"):
            number = int(self.take())
            some = slice(number - 1, number)
        elif self.next_is("last"):
            some = slice(-1, None)
        faces = self.take(2)
        return lambda now: self.known.among(now.at([place])[some], faces) > 0

    def is_value(self) -> bool:
        """Returns whether a number or a hand comes next, and no place."""
        first = self.words[0]
        if first in ("sum", "highest", "lowest", "spread", "last"):
            return self.words[1] == "of"
        return first in ("draw", "count", "draws", "stakes", "most", "different", "matches", "hand")

    def once(self, read: Callable[[], Looked]) -> Looked:
        """Reads what is looked up once, however often conditions say it."""
        words, looked_up = list(self.words), read()
        said = " ".join(words[: len(words) - len(self.words)])
        return lambda now: now.once(said, looked_up)

    def looked_up(self) -> Looked:
        """Reads how a number or a hand is looked up."""
        known, first = self.known, self.take()
        if first == "draw":
            number = int(self.take())
            place, table = self.take(2), self.by("")
            return lambda now: next(iter(known.worths(now.at([place])[number - 1 : number], table)), NOTHING)
        if first == "count":
            faces = self.take(2)
            counted = self.places()
            return lambda now: known.among(now.at(counted), faces)
        if first == "stakes":
            name = self.take(2)
            return lambda now: now.staked.get(name, 0)
        if first in ("most", "different"):
            self.next_is("alike")
            part = self.take() if self.words[0] in ("ranks", "suits") else "faces"
            counted = self.places()
            return lambda now: alike([label(card, part) for card in now.at(counted)], most=first == "most")
        if first == "matches":
            part, place = self.take(2), self.take(2)
            counted = self.places()
            return lambda now: matching(now.at(counted), now.at([place]), part)
        counted = self.places()
        if first == "draws":
            return lambda now: len(now.at(counted))
        return self.hand(counted) if first == "hand" else self.counted(first, counted)

    def counted(self, kind: str, counted: Sequence[str]) -> Looked:
        """Reads what cards count: added up, the highest, the lowest, the distance of these, or the last."""
        modulo = int(self.take()) if self.next_is("modulo") else 0
        table = self.by("")
        return lambda now: summed_up(self.known.worths(now.at(counted), table), kind, modulo)

    def places(self) -> tuple[str, ...]:
        """Reads the names of places."""
        names = [self.take(2)]
        while self.next_is("with"):
            names.append(self.take())
        return tuple(dict.fromkeys(names))

    def by(self, otherwise: str) -> str:
        """Reads by which table cards or hands count."""
        return self.take() if self.next_is("by") else otherwise

    def hand(self, held: Sequence[str]) -> Looked:
        """Reads a hand: the best that its cards hold."""
        size, kinds, wild = self.known.ladders[self.by("five-card")]
        ladder = kinds.split()

        def best(now: Played) -> tuple[int, list[int], list[str]]:
            faces = [face for _, face in now.at(held)]
            hands = [worth_of(hand, kinds, wild) for hand in combinations(faces, size)]
            return (*max(hands, default=(-1, [])), ladder)

        return best

    def hand_is(self, hand: Looked) -> Looked:
        """Reads a hand that another is compared with."""
        bound = self.take() if self.next_is("at") else ""
        named_ranks = []
        while self.words and self.words[0] in LADDER:
            named_ranks.append(LADDER.index(self.take()))
        lowest = highest = named_ranks
        name = "high-card" if named_ranks else self.words[0]
        self.take()
        if not named_ranks and self.next_is("of"):
            lowest = highest = [LADDER.index(self.take())]
            if self.next_is("to"):
                highest = [LADDER.index(self.take())]

        def compared(now: Played) -> bool:
            kind, ranks, ladder = hand(now)
            wanted, mine = ladder.index(name), ranks[: len(lowest)] if lowest else []
            if bound == "least":
                return bool((kind, mine) >= (wanted, lowest))
            if bound == "most":
                return bool((kind, mine) <= (wanted, highest))
            return bool(kind == wanted and lowest <= mine <= highest)

        return compared


def summed_up(worth: Sequence[int], kind: str, modulo: int) -> int:
    """Returns what cards count: added up, the highest, the lowest, the distance of these, or the last."""
    if kind == "sum":
        return sum(worth) % modulo if modulo else sum(worth)
    if not worth:
        return NOTHING
    low, high = min(worth), max(worth)
    return {"highest": high, "lowest": low, "spread": high - low, "last": worth[-1]}[kind]


def alike(labels: Sequence[str], *, most: bool) -> int:
    """Returns how often the most frequent label comes, or how many different ones there are."""
    return max(map(labels.count, labels), default=0) if most else len(set(labels))


def matching(cards: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]], part: str) -> int:
    """Returns how many cards have the rank, the suit or the face of one of the others."""
    wanted = {label(card, part) for card in others}
    return sum(label(card, part) in wanted for card in cards)


class SaidFaces(dict[str, bool]):
    """Whether one of some names means a face, read once for each face."""

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
        self.ladders = {name: (*known, "") for name, known in KNOWN.items()}
        for one in rules.rankings:
            self.ladders[one.id] = int(one.cards), " ".join(one.order), " ".join((*one.wild, one.joker))
        self.conditions: dict[str, Looked] = {}
        self.met: Any = lru_cache(MOST_MET // (1 + len(rules.settlings)))(lambda _: {})
        self.counts: dict[tuple[tuple[str, str], str], int] = {}

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
        """Returns what is required of each wager in each of its stages after a turn."""
        if turn not in self.by_turn:
            self.by_turn[turn] = {}
            for one in self.rules.settlings:
                if turn in (one.at or [self.rules.turns[-1].id]):
                    self.by_turn[turn].setdefault((one.wager, one.after), []).append(one)
        return self.by_turn[turn]

    def among(self, cards: Sequence[tuple[str, str]], faces: str) -> int:
        """Returns how many cards are one of some faces."""
        if faces not in self.sets:
            # Faces in braces are of whatever piece is there.
            self.sets[faces] = "", SaidFaces([name.strip() for name in faces[1:-1].split(",")])
        piece, held = self.sets[faces]
        return sum(held[face] for of, face in cards if of == piece or not of or not piece)

    def worths(self, cards: Sequence[tuple[str, str]], table: str) -> list[int]:
        """Returns what cards count by a table."""
        for card in cards:
            if (card, table) not in self.counts:
                self.counts[card, table] = self.worth(card, table)
        return [self.counts[card, table] for card in cards]

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

    def condition(self, text: str) -> Looked:
        """Returns what looks a condition up, its words read once."""
        if text not in self.conditions:
            self.conditions[text] = ConditionText(text, self).either()
        return self.conditions[text]


@lru_cache(maxsize=4)
def known_of(rules: Any) -> RulesOnce:
    """Returns what is the same in every round of a game."""
    return RulesOnce(rules)


def words_of(text: str) -> list[str]:
    """Returns the words of a condition, a set of faces as one."""
    return re.findall(r"\{[^{}]*\}|[()]|[^\s(){}]+", text)


def label(card: tuple[str, str], part: str) -> str:
    """Returns the rank, the suit or the whole face of a card."""
    return card[1] if part == "faces" else card[1].split(" of ")[part == "suits"]


@cache
def named(face: str, name: str) -> bool:
    """Returns whether a name means a face: itself, its rank or suit, or a span that holds it or its rank."""
    span = re.fullmatch(r"(\d+) to (\d+)", name)
    if span and (rank := face.partition(" of ")[0]).isdigit():
        return int(span[1]) <= int(rank) <= int(span[2])
    return face == name or name in face.split(" of ")


@lru_cache(maxsize=1 << 14)
def worth_of(cards: tuple[str, ...], kinds: str, wild: str = "") -> tuple[int, list[int]]:
    """Returns the place of a hand in a ladder of kinds, and its ranks in the order in which they decide."""
    ladder = kinds.split()
    fixed = [card for card in cards if " of " in card and card.split(" of ")[0] not in wild.split()]
    if len(fixed) < len(cards):
        suit, found = min((card.split(" of ")[1] for card in fixed), default="spades"), []
        for others in combinations_with_replacement(LADDER, len(cards) - len(fixed)):
            made = worth_of((*fixed, *(f"{rank} of {suit}" for rank in others)), kinds)
            run = ladder[made[0]].split("-")[-1] in ("straight", "flush", "royal")
            found += [made] * ("bug" not in wild or run or set(others) == {"A"})
        return max(found)
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
    yield from ["five-of-a-kind"] * (counts[0] == 5)
    yield from ["flush"] * flush
    yield from ["straight"] * straight
    if flush and straight:
        yield "straight-flush"
        if run and inner[-1] == 12:
            yield {3: "mini-royal", 5: "royal-flush"}.get(len(cards), "straight-flush")

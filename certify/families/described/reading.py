"""Reads a described game: texts to turns, decisions and settlements as nouns, every mistake with its place."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.hands.strength import HIGH_CARD, ORDERS, RANKS, HandKinds
from certify.by_key import gathered
from certify.errors import GoesOn, InputError, KeyPath
from certify.families.described.drawing import drawn_at
from certify.families.described.language import (
    GROUP_WORDS,
    KEYWORDS,
    LARGEST,
    Vocabulary,
    faces_named,
    parse_condition,
)
from certify.families.described.rules import (
    END,
    LOSE,
    UNSTATED,
    All,
    Asked,
    Condition,
    DescribedRules,
    Ending,
    Offer,
    SettledBy,
    drawn_of,
    lost_at_once,
)
from certify.families.described.strengths import KINDS, left_out
from certify.model import Equipment, Game

Refuse = Callable[[KeyPath, str], None]

OVER: Final = -1
"""In place of a turn: the round is over."""

MOST_ENTRIES: Final = 5_000
"""Entries of one table, at most."""
MOST_DEALT: Final = 100
"""Cards that one entry deals, at most."""

ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DEALS: Final = re.compile(r"(\d{1,3}) to (\S+)( covered)?(?: from (\S+))?", re.ASCII)
_STAKES: Final = re.compile(r"(\d{1,4}) on (\S+)", re.ASCII)
_BESIDES: Final = re.compile(r"(\S+) (returned|lost|as (\S+))")
_PART: Final = re.compile(r"(\d{1,6})(?:/(\d{1,6}))?", re.ASCII)
_COUNT: Final = re.compile(r"-?\d{1,7}", re.ASCII)
_MADE: Final = re.compile(r"-and-|-on-\d")


@dataclass(frozen=True, slots=True)
class ReadOption:
    """An option as it is offered.

    Args:
        option: Its id.
        stakes: Further stakes by place, with the units added.
        when: When it is offered.
        to: Turn that follows; none where the round goes on as the turn leads.
        wager: The wager that it settles, or adds to.
        row: Row in which that wager ends; empty where it goes on.
        gives_up: Whether it gives up the stake.
    """

    option: str
    stakes: tuple[tuple[int, int], ...]
    when: Condition | Asked
    to: int | None
    wager: int
    row: str
    gives_up: bool


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """One turn.

    Args:
        id: Its id.
        draws: Place and piece of each draw, in order.
        clears: Places that are emptied first.
        endings: What is required of wagers, in submitted order.
        bonuses: What is required of bonuses.
        choices: What may be decided then.
        seat: Who decides.
        sees: Places that the seat looks at; none where it looks at all.
        sees_stakes: Whether it looks at what it has staked.
        leads: Where the round goes; the last always holds.
    """

    id: str
    draws: tuple[tuple[int, str], ...]
    clears: frozenset[int]
    endings: tuple[Ending, ...]
    bonuses: tuple[Ending, ...]
    choices: tuple[ReadOption, ...]
    seat: str
    sees: frozenset[int] | None
    sees_stakes: bool
    leads: tuple[tuple[Condition, int], ...]

    @property
    def following(self) -> tuple[int, ...]:
        """Turns that may follow."""
        chosen = [choice.to for choice in self.choices if choice.to is not None]
        return tuple(to for to in dict.fromkeys((*chosen, *(to for _, to in self.leads))) if to != OVER)


@dataclass(frozen=True, slots=True)
class FurtherStake:
    """A stake that options add: its name and the place of its wager."""

    id: str
    wager: int


@dataclass(frozen=True, slots=True)
class Described:
    """A game that was described, read.

    Args:
        places: Names of the places.
        turns: Turns, the first one first.
        wagers: Ids of the wagers.
        stakes: Further stakes.
        options: Ids of the options.
        returns: What comes back of the stake in rows that paytables do not name.
        besides: How further stakes end in a row that do not end as the row does: ``returned``, ``lost`` or a row.
    """

    places: tuple[str, ...]
    turns: tuple[ReadTurn, ...]
    wagers: tuple[str, ...]
    stakes: tuple[FurtherStake, ...]
    options: tuple[str, ...]
    returns: Mapping[tuple[str, str], Fraction]
    besides: Mapping[tuple[str, str], Mapping[str, str]]

    @property
    def plain(self) -> bool:
        """Whether every outcome is a row: nothing is paid in addition, and no option stakes or settles anything."""
        return not any(turn.bonuses or turn.choices for turn in self.turns)

    def rows_of(self, wager: str) -> tuple[str, ...]:
        """Returns every row that something leads a wager to, in submitted order, bonuses first."""
        number = self.wagers.index(wager)
        ends = sorted(
            {
                (one.number, one.row)
                for turn in self.turns
                for one in turn.endings
                if one.wager == number and one.row and one.number != UNSTATED
            }
        )
        named = (
            *(one.row for turn in self.turns for one in turn.bonuses if one.wager == number),
            *(row for _, row in ends),
            *(one.row for turn in self.turns for one in turn.choices if one.wager == number and one.row),
            *(
                end
                for (of, _), how in self.besides.items()
                for end in how.values()
                if of == wager and end not in ("returned", "lost")
            ),
        )
        return tuple(dict.fromkeys(named))


class Reader(GoesOn):
    """Reads the rules of one game; each mistake is handed to ``refuse`` with its key, and reading goes on."""

    def __init__(self, game: Game, rules: DescribedRules, refuse: Refuse) -> None:
        self.game, self.rules, self._refuse, self.mistakes = game, rules, refuse, 0
        self.pieces = {piece.id: piece for piece in game.equipment}
        self.turn_ids = [turn.id for turn in rules.turns]
        self.returns: dict[tuple[str, str], Fraction] = {}
        self.besides: dict[tuple[str, str], dict[str, str]] = {}

    def refuse(self, key: KeyPath, message: str) -> None:
        """Records a mistake."""
        self.mistakes += 1
        self._refuse(key, message)

    def described(self) -> Described:
        """Returns the game; where a mistake was recorded, what could be read of it."""
        self._check_ids()
        dealt = [list(self._deals(number)) for number in range(len(self.rules.turns))]
        places = self._places(dealt)
        self.stakes = self._stakes()
        self.options = tuple(dict.fromkeys(offer.option for offer in self.rules.offers))
        self.vocabulary = Vocabulary(
            places,
            self.pieces,
            {
                group.id: (group.piece, self._faces(("face_groups", number), group.piece, group.faces))
                for number, group in enumerate(self.rules.groups)
            },
            self._worth(),
            ORDERS | self._orders(),
            [stake.id for stake in self.stakes],
            self.options,
            drawn_of(dealt[0]) if self.rules.one_turn else None,
        )
        self.names = list(places)
        self.endings = [self._ending(number, one) for number, one in enumerate(self.rules.settlings)]
        if self.rules.one_turn:
            self.endings += lost_at_once(self.endings)
        turns = tuple(
            self._turn(number, draws) for number, draws in enumerate(drawn_at(self.rules, dealt, self.refuse))
        )
        holders = ("table",) if self.rules.one_turn and len(places) == 1 else tuple(places)
        return Described(
            holders, turns, self.rules.wagers, self.stakes, self.options, self.returns, self.besides
        )

    # --- names ---

    def _check_ids(self) -> None:
        named = [("each_turn", number, turn.id) for number, turn in enumerate(self.rules.turns)]
        named += [("face_groups", number, group.id) for number, group in enumerate(self.rules.groups)]
        named += [("hand_rankings", number, one.id) for number, one in enumerate(self.rules.rankings)]
        met: set[tuple[str, str]] = set()
        for table, number, name in named:
            self._check_id((table, number, "id"), name)
            self.refuse_where((table, name) in met, (table, number, "id"), f'"{name}" is stated twice')
            met.add((table, name))
        for number, offer in enumerate(self.rules.offers):
            self._check_id(("may_decide", number, "option"), offer.option)

    def _check_id(self, key: KeyPath, name: str) -> None:
        group = key[0] == "face_groups"
        free = key[-1] in ("option", "row") or (key[0] == "each_turn" and key[-1] == "id")
        words = GROUP_WORDS if group else {END} if free else KEYWORDS
        told = (
            f" ({', '.join(sorted(words))})"
            if group
            else ' and holds neither "-and-" nor "-on-" before a number'
        )
        self.refuse_where(
            not ID.fullmatch(name) or name in words or (not group and _MADE.search(name)),
            key,
            f'"{name}": expected an id "lower-case-with-hyphens" that is no word of the language{told}',
        )

    def _piece(self, key: KeyPath, name: str) -> Equipment | None:
        if name in self.pieces:
            return self.pieces[name]
        told = f'"{name}" is drawn from' if self.rules.one_turn else f'"{name}"'
        self.refuse(key, f"no piece {told}: expected one of {', '.join(self.pieces)}")
        return None

    def _turn_of(self, key: KeyPath, name: str) -> int:
        if name == END:
            return OVER
        if name in self.turn_ids:
            return self.turn_ids.index(name)
        self.refuse(key, f'no turn "{name}": expected one of {", ".join((*self.turn_ids, END))}')
        return OVER

    def _wager_of(self, key: KeyPath, name: str) -> int:
        if name in self.rules.wagers:
            return self.rules.wagers.index(name)
        self.refuse(key, f'no wager "{name}": expected one of {", ".join(self.rules.wagers)}')
        return 0

    def _deals(self, number: int) -> Iterator[tuple[str, str, int, bool]]:
        """Yields place, piece, count and whether they lie covered, of each entry of a turn."""
        for place, text in enumerate(self.rules.turns[number].deals):
            key = ("each_turn", number, "deals", place)
            found = _DEALS.fullmatch(text)
            if found is None or not 1 <= int(found[1]) <= MOST_DEALT:
                self.refuse(
                    key,
                    f'"{text}": expected such as "2 to player", "1 to dealer covered", "2 to roll from dice"',
                )
                continue
            if not found[4] and len(self.pieces) > 1:
                self.refuse(key, f'"{text}": expected "from" and one of {", ".join(self.pieces)}')
                continue
            piece = self._piece(key, found[4] or next(iter(self.pieces), ""))
            if piece is not None:
                if found[2] in KEYWORDS and not self.rules.one_turn:
                    self._check_id(key, found[2])
                yield found[2], piece.id, int(found[1]), bool(found[3])

    def _places(self, dealt: Sequence[Sequence[tuple[str, str, int, bool]]]) -> dict[str, tuple[str, ...]]:
        pieces = gathered((place, piece) for turn in dealt for place, piece, _, _ in turn)
        places = {place: tuple(dict.fromkeys(some)) for place, some in pieces.items()}
        message = 'nothing is dealt: expected a turn with such as deals = ["2 to player"]'
        self.refuse_where(not places and not self.mistakes, ("each_turn",), message)
        return places

    # --- nouns that conditions speak of ---

    def _faces(self, key: KeyPath, piece: str, names: Sequence[str]) -> frozenset[int]:
        found = self._piece((*key, "piece"), piece)
        if found is None:
            return frozenset()
        return self.attempt((*key, "faces"), lambda: faces_named(found, names), frozenset())

    def _worth(self) -> dict[tuple[str, str], tuple[int | None, ...]]:
        worth: dict[tuple[str, str], list[int | None]] = {
            ("", piece.id): _own_numbers(piece) for piece in self.pieces.values()
        }
        stated: set[tuple[str, str, int]] = set()
        for number, entry in enumerate(self.rules.worths):
            key = ("face_worth", number)
            if not _COUNT.fullmatch(entry.counts) or abs(int(entry.counts)) > LARGEST:
                self.refuse(
                    (*key, "counts"),
                    f'"{entry.counts}": expected a whole number up to {LARGEST:,}, such as "10"',
                )
                continue
            faces = self._faces(key, entry.piece, entry.faces)
            if entry.piece not in self.pieces:
                continue
            counts = worth.setdefault((entry.table, entry.piece), _own_numbers(self.pieces[entry.piece]))
            for face in sorted(faces):
                if (entry.table, entry.piece, face) in stated:
                    name = self.pieces[entry.piece].faces[face]
                    self.refuse((*key, "faces"), f'what "{name}" counts is stated twice')
                stated.add((entry.table, entry.piece, face))
                counts[face] = int(entry.counts)
        return {name: tuple(counts) for name, counts in worth.items()}

    def _orders(self) -> dict[str, HandKinds]:
        found = {}
        for number, one in enumerate(self.rules.rankings):
            key = ("hand_rankings", number)
            if one.cards not in ("1", "2", "3", "4", "5"):
                self.refuse((*key, "cards"), f'"{one.cards}": expected hands of "1" to "5" cards')
                continue
            strange = [kind for kind in one.order if kind not in KINDS]
            if strange or len(set(one.order)) < len(one.order) or one.order[:1] != [HIGH_CARD]:
                expected = (
                    f'expected different kinds from the lowest, "{HIGH_CARD}", of {", ".join(sorted(KINDS))}'
                )
                self.refuse((*key, "order"), f"{', '.join(strange) or 'the order'}: {expected}")
                # Conditions may name any kind of it, so that one mistake has one message.
                found[one.id] = HandKinds(int(one.cards), (HIGH_CARD, *sorted({*KINDS} - {HIGH_CARD})))
                continue
            if one.joker not in ("", "bug"):
                self.refuse((*key, "joker"), f'"{one.joker}": expected "bug", or nothing for any card')
            if not {*one.wild} <= {*RANKS}:
                self.refuse((*key, "wild"), f"{', '.join(one.wild)}: expected of {', '.join(RANKS)}")
            found[one.id] = HandKinds(int(one.cards), tuple(one.order), tuple(one.wild), bool(one.joker))
            if missing := left_out(found[one.id]):
                self.refuse(
                    (*key, "order"),
                    f"{', '.join(missing)}: expected in the order, as kinds that such hands hold are named there",
                )
        return found

    def _stakes(self) -> tuple[FurtherStake, ...]:
        found: dict[str, int] = {}
        for number, offer in enumerate(self.rules.offers):
            key = ("may_decide", number)
            wager = self._wager_of((*key, "wager"), offer.wager) if offer.wager else 0
            for place, text in enumerate(offer.stakes):
                stated = _STAKES.fullmatch(text)
                if stated is None or not int(stated[1]):
                    self.refuse(
                        (*key, "stakes", place),
                        f'"{text}": expected whole units of the first stake and a name, such as "1 on raise"; what an '
                        "option takes back is written as a stake that the other option adds",
                    )
                elif stated[2] in [one.rpartition(" on ")[2] for one in offer.stakes[:place]]:
                    self.refuse((*key, "stakes", place), f'"{stated[2]}" is staked on twice by one option')
                elif found.setdefault(stated[2], wager) != wager:
                    self.refuse((*key, "stakes", place), f'"{stated[2]}" is added to another wager elsewhere')
                else:
                    self._check_id((*key, "stakes", place), stated[2])
        return tuple(FurtherStake(name, wager) for name, wager in found.items())

    def _condition(self, key: KeyPath, text: str) -> Condition:
        nothing: Condition = All(())
        return self.attempt(key, lambda: parse_condition(text, self.vocabulary), nothing)

    # --- settlements and decisions ---

    def _ending(self, number: int, stated: SettledBy) -> Ending:
        key = ("settled_by", number)
        wager = self._wager_of((*key, "wager"), stated.wager)
        self.refuse_where(
            bool(stated.row) == bool(stated.then),
            key,
            "expected either a row in which the wager ends or a stage (then) in which it goes on; "
            "returns alone names no row",
        )
        if stated.row:
            self._row(key, wager, stated.row, stated.returns)
        besides: dict[str, str] = {}
        for place, text in enumerate(stated.besides):
            for stake, how in self._beside((*key, "besides", place), stated, text):
                self.refuse_where(
                    besides.setdefault(stake, how) != how,
                    (*key, "besides", place),
                    f'"{stake}" ends in two ways: {besides[stake]} and {how}',
                )
        self.refuse_where(
            stated.row and self.besides.setdefault((stated.wager, stated.row), besides) != besides,
            (*key, "besides"),
            f'further stakes of the row "{stated.row}" end otherwise elsewhere: expected a row of its own for each',
        )
        when = self._condition((*key, "when"), stated.when)
        return Ending(number, wager, stated.after, when, stated.row, stated.then)

    def _beside(self, key: KeyPath, stated: SettledBy, text: str) -> Iterator[tuple[str, str]]:
        found = _BESIDES.fullmatch(text)
        own = [stake.id for stake in self.stakes if self.rules.wagers[stake.wager] == stated.wager]
        if found is None or found[1] not in own:
            self.refuse(
                key, f'"{text}": expected such as "{(own or ["raise"])[0]} returned", "… lost" or "… as ROW", '
                f"of the further stakes of {stated.wager} ({', '.join(own) or 'none'})"
            )  # fmt: skip
            return
        if found[3] and stated.wager in self.rules.wagers:
            self._row(key, self.rules.wagers.index(stated.wager), found[3], "")
        yield found[1], found[3] or found[2]

    def _row(self, key: KeyPath, wager: int, row: str, returns: str) -> None:
        """Notes what a row returns that no paytable names."""
        name = self.rules.wagers[wager] if self.rules.wagers else ""
        if not self.rules.one_turn:
            self._check_id((*key, "row"), row)
        offered = [one for one in self.game.wagers if one.id == name]
        if not offered:
            return
        part = _PART.fullmatch(returns)
        value = Fraction(int(part[1]), int(part[2] or 1)) if part and part[2] != "0" else Fraction(0)
        if row in offered[0].paytable.ids:
            self.refuse_where(
                returns, (*key, "returns"), f'the row "{row}" is paid by the paytable: nothing else returns'
            )
        elif returns and row == LOSE:
            self.refuse(
                (*key, "returns"), f'the row "{LOSE}" returns nothing: expected another name for what returns'
            )
        elif returns and not 0 < value <= 1:
            self.refuse((*key, "returns"), f'"{returns}": expected a part of the stake such as "1/2" or "1"')
        elif returns and self.returns.setdefault((name, row), value) != value:
            self.refuse((*key, "returns"), f'the row "{row}" returns {self.returns[name, row]} elsewhere')
        elif row != LOSE and (name, row) not in self.returns:
            self.refuse(
                (*key, "row"),
                f'the row "{row}" is not in the paytable of {name}: expected a row there, or what returns of the stake '
                '(returns = "1/2")',
            )

    def _choice(self, number: int, offer: Offer) -> ReadOption:
        key = ("may_decide", number)
        wager = self.rules.wagers.index(offer.wager) if offer.wager in self.rules.wagers else 0
        names = [stake.id for stake in self.stakes]
        found = [_STAKES.fullmatch(text) for text in offer.stakes]
        stakes = tuple((names.index(one[2]), int(one[1])) for one in found if one and one[2] in names)
        if offer.row:
            self._row(key, wager, offer.row, offer.returns)
        to = self._turn_of((*key, "to"), offer.to) if offer.to else None
        when = self._condition((*key, "when"), offer.when)
        gives_up = to == OVER or bool(offer.row)
        return ReadOption(offer.option, stakes, when, to, wager, offer.row, gives_up)

    def _turn(self, number: int, draws: tuple[tuple[str, str], ...]) -> ReadTurn:
        turn, last, key = self.rules.turns[number], len(self.rules.turns) - 1, ("each_turn", number)
        following = (
            self._turn_of((*key, "then"), turn.then) if turn.then else OVER if number == last else number + 1
        )
        leads = [
            (
                self._condition(("turn_leads", place, "when"), lead.when),
                self._turn_of(("turn_leads", place, "to"), lead.to),
            )
            for place, lead in enumerate(self.rules.leads)
            if lead.after == turn.id
        ]
        sees = [name for name in turn.sees if name != "stakes"]
        for name in (*turn.clears, *sees):
            known = ", ".join(self.names)
            self.refuse_where(name not in self.names, key, f'no place "{name}": expected one of {known}')
        choices = tuple(
            self._choice(place, offer) for place, offer in enumerate(self.rules.offers) if offer.at == turn.id
        )
        return ReadTurn(
            turn.id,
            tuple((self.names.index(place), piece) for place, piece in draws),
            frozenset(self.names.index(name) for name in turn.clears if name in self.names),
            tuple(
                ending
                for ending in self.endings
                if turn.id
                in (
                    (ending.number != UNSTATED and self.rules.settlings[ending.number].at)
                    or self.turn_ids[-1:]
                )
            ),
            tuple(self._bonuses(turn.id)),
            choices,
            turn.seat,
            frozenset(self.names.index(name) for name in sees if name in self.names) if turn.sees else None,
            not turn.sees or "stakes" in turn.sees,
            (*leads, (All(()), following)),
        )

    def _bonuses(self, turn: str) -> Iterator[Ending]:
        for number, bonus in enumerate(self.rules.bonuses):
            if turn not in (bonus.at or self.turn_ids[-1:]):
                continue
            key = ("paid_besides", number)
            wager = self._wager_of((*key, "wager"), bonus.wager)
            offered = [one for one in self.game.wagers if one.id == bonus.wager]
            self.refuse_where(
                offered and bonus.row not in offered[0].paytable.ids,
                (*key, "row"),
                f'the row "{bonus.row}" is not in the paytable of {bonus.wager}',
            )
            yield Ending(number, wager, "", self._condition((*key, "when"), bonus.when), bonus.row, "")

    def check_references(self) -> None:
        """Records entries that speak of turns that are not there, and turns and wagers without any entry."""
        for table, number, name in (
            *(("turn_leads", number, lead.after) for number, lead in enumerate(self.rules.leads)),
            *(("may_decide", number, offer.at) for number, offer in enumerate(self.rules.offers)),
            *(("settled_by", number, at) for number, one in enumerate(self.rules.settlings) for at in one.at),
            *(("paid_besides", number, at) for number, one in enumerate(self.rules.bonuses) for at in one.at),
        ):
            self.refuse_where(
                name not in self.turn_ids,
                (table, number),
                f'no turn "{name}": expected one of {", ".join(self.turn_ids)}',
            )
        ends = {one.wager for one in self.rules.settlings} | {
            one.wager or self.rules.wagers[0] for one in self.rules.offers if one.row
        }
        named: set[tuple[str, str, str]] = set()
        staked: dict[str, list[str]] = {}
        for number, offer in enumerate(self.rules.offers):
            self.refuse_where(
                (offer.at, offer.option, offer.when) in named,
                ("may_decide", number, "option"),
                f'"{offer.option}" is offered twice at "{offer.at}"',
            )
            named.add((offer.at, offer.option, offer.when))
            self.refuse_where(
                staked.setdefault(offer.option, sorted(offer.stakes)) != sorted(offer.stakes),
                ("may_decide", number, "stakes"),
                f'"{offer.option}" stakes otherwise elsewhere: expected an option of its own for other stakes',
            )
        for number, wager in enumerate(self.rules.wagers):
            self.refuse_where(
                wager not in ends,
                ("wagers", number, "id"),
                f'nothing settles "{wager}": expected a [[settled_by]] for it',
            )


def _own_numbers(piece: Equipment) -> list[int | None]:
    """Returns what faces count where nothing is stated: their number, or that of a card's rank."""
    ranks = [face.partition(" of ")[0] for face in piece.faces]
    return [int(rank) if _COUNT.fullmatch(rank) else None for rank in ranks]


def described_of(game: Game, rules: DescribedRules) -> Described:
    """Returns a game read.

    Raises:
        InputError: It holds a mistake, the first of which is reported.
    """
    mistakes: list[str] = []
    reader = Reader(
        game, rules, lambda key, message: mistakes.append(f"{'.'.join(map(str, key))}: {message}")
    )
    found = reader.described()
    if mistakes:
        raise InputError(mistakes[0])
    return found

"""The family of games of one draw: what a submission states, and how many draws a round needs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Final

from certify.by_key import reached
from certify.errors import InputError, KeyPath
from certify.families.described.compiler import Compiler
from certify.families.described.reading import ID, MOST_DEALT, MOST_ENTRIES, Reader, Refuse
from certify.families.described.rules import LOSE, DescribedRules, Measure, SettledBy, SubmittedSettling, Turn
from certify.families.described.second import settle
from certify.families.described.stages import holds, number_of
from certify.families.described.submitted import NAMES, DescribedSubmission
from certify.families.port import Family, FamilyPages, Problems, TableForm
from certify.families.single_draw.rules import (
    FAMILY_ID,
    FIRST,
    TURN,
    PieceWay,
    TurnOutcomes,
    WagerTerms,
    Way,
    cards_of,
    drawn_in,
    joint_points,
    read_by,
    shown_values,
    table_of,
    terms_of,
    text,
    ways,
)
from certify.families.stage_machine import LONGER, MOST_DRAWS, check_stated
from certify.model import Coverage, Covered, Equipment, Game, ReadAs, RoundText, Spot


def supplied(text: RoundText) -> tuple[Equipment, ...]:
    """Returns the equipment of a game with as many draws of what is put back as a round needs.

    Raises:
        InputError: Fewer are stated than rounds need, or a round may go on too long.
    """
    counts = Counter(drawn.piece for drawn in text.table.steps[0].draws)
    longest = max(_stages_in_turn(terms, FIRST) for terms in terms_of(text.table))
    staying = _staying(table_of(text))
    check_stated(text, None if staying else {piece: count * longest for piece, count in counts.items()})
    wanting = [piece.id for piece in text.equipment if piece.replaced and piece.supply == 1]
    turns = _turns_needed(longest, staying) if wanting else 0
    return tuple(
        replace(piece, supply=max(1, counts[piece.id] * turns)) if piece.id in wanting else piece
        for piece in text.equipment
    )


def _turns_needed(longest: int, staying: Sequence[float]) -> int:
    """Returns the turns of the longest round, or those that a longer one needs with hardly any chance.

    Raises:
        InputError: More are needed than are drawn in a round.
    """
    turns = longest
    while staying and sum(chance**turns for chance in staying) > LONGER:
        turns += 1
        if turns > MOST_DRAWS:
            raise InputError(
                f"a round may need more than {MOST_DRAWS:,} turns: expected a wager to wait for fewer"
            )
    return turns


def _stages_in_turn(terms: WagerTerms, stage: str) -> int:
    """Returns the most stages that a wager goes through, each once."""
    after = {ending.then for ending in terms.stage(stage).endings if ending.then and ending.then != stage}
    return 1 + max((_stages_in_turn(terms, one) for one in after), default=0)


def _staying(table: TurnOutcomes) -> Sequence[float]:
    """Returns for each stage in which a wager may wait for another turn the chance that it does."""
    found = []
    for column, (_, stage) in enumerate(table.stages):
        waiting = {
            number for number, ending in enumerate(stage.endings) if ending.then and ending.then == stage.id
        }
        ways = sum(decided.weight for decided in table.decided if decided.ends[column] in waiting)
        if ways:
            found.append(float(Fraction(ways, table.total)))
    return found


MOST_JOINT: Final = 50_000
"""Joint outcomes of all wagers that rounds can have, and points that rounds wait at, together at most."""


def check_consistency(game: Game, refuse: Refuse, line: Callable[[KeyPath], int]) -> None:
    """Records conditions that overlap or never hold, stages that nothing leads to or leaves, and too many outcomes.

    Args:
        game: The submission with its rules, in which nothing else was found wrong.
        refuse: Takes the mistakes.
        line: Tells the line of a key.

    Raises:
        InputError: The conditions tell more ways of a turn apart than are counted.
    """
    played = text(game)
    wagers = terms_of(played.table)
    for terms in wagers:
        _check_stages(terms, refuse)
    table = table_of(played)
    if joint_points(table, MOST_JOINT) > MOST_JOINT:
        refuse(
            ("wagers",),
            f"rounds have more than {MOST_JOINT:,} joint outcomes and points of {len(wagers)} wagers: "
            "expected at most so many, as are counted together; put some wagers into a submission of their own",
        )
    for _, stage, (one, other), way in table.overlaps:
        numbers = [ending.number for ending in stage.endings]
        refuse(
            ("settled_by", numbers[other], "when"),
            f"holds at once with the condition on line {line(('settled_by', numbers[one], 'when'))}: "
            f"{_shown(played, way)}",
        )
    overlapped = {(wager, stage.id, other) for wager, stage, (_, other), _ in table.overlaps}
    held = [{decided.ends[column] for decided in table.decided} for column in range(len(table.stages))]
    reached = {
        (wager, stage.endings[number].row)
        for (wager, stage), holding in zip(table.stages, held, strict=True)
        for number in holding
    }
    for (wager, stage), holding in zip(table.stages, held, strict=True):
        printed = game.wager(wagers[wager].wager).paytable.ids
        for number, ending in enumerate(stage.endings):
            # A printed row that no draw comes to is a finding about the source, not a mistake of the file.
            finding = ending.row in printed and (wager, ending.row) not in reached
            if number not in holding and not finding and (wager, stage.id, number) not in overlapped:
                refuse(("settled_by", ending.number, "when"), "no draw fulfils this condition")
        for number, ending in enumerate(stage.endings):
            if ending.then and ending.then == stage.id and holding == {number}:
                refuse(("settled_by", ending.number, "then"), "the wager is never settled from here")


def _check_stages(terms: WagerTerms, refuse: Refuse) -> None:
    """Records stages that nothing leads to, that do not exist, or that lead back."""
    known = {stage.id for stage in terms.stages}
    order = (FIRST, *_after(terms, FIRST))
    # A stage that is misspelt where it is led to is refused there, once.
    misspelt = any(
        ending.then and ending.then not in known for stage in terms.stages for ending in stage.endings
    )
    for stage in terms.stages:
        if stage.id != FIRST and stage.id not in order and not misspelt:
            refuse(
                ("settled_by", stage.endings[0].number, "after"),
                f'nothing leads {terms.wager} to "{stage.id}"',
            )
        for ending in stage.endings:
            if ending.then and ending.then not in known:
                refuse(
                    ("settled_by", ending.number, "then"),
                    f'the stage "{ending.then}" settles nothing: expected a condition with after = "{ending.then}"',
                )
            elif ending.then and ending.then != stage.id and stage.id in _after(terms, ending.then):
                refuse(
                    ("settled_by", ending.number, "then"),
                    f'"{ending.then}" leads back: a wager may stay in a stage, but not return to an earlier one',
                )


def _after(terms: WagerTerms, stage_id: str) -> list[str]:
    """Returns every stage that can follow one."""
    following = {stage.id: [one.then for one in stage.endings if one.then] for stage in terms.stages}
    return reached(following.get(stage_id, ()), lambda stage: following.get(stage, ()))


def _shown(played: RoundText, way: Way) -> str:
    """Returns a way in the words of the submission, such as ``dice 1, 1, 4``."""
    return "; ".join(
        f"{piece.id} " + ", ".join(piece.faces[face] for face in faces)
        for (piece, _), faces in zip(drawn_in(played), way.faces(), strict=True)
    )


MOST_GROUPS: Final = 200
"""Entries of ``[[face_groups]]``, at most; what reading ``[[settled_by]]`` costs has a bound of its own."""

MOST_IN_TURN: Final = 1_000
"""Draws of a piece in one turn, at most."""

MOST_ROWS: Final = 250
"""Rows of one wager, with the parts of its stake that come back, at most."""


@dataclass(frozen=True, slots=True)
class SubmittedDraws:
    """One ``[[each_draw]]``: how often a piece is drawn from in one turn.

    Args:
        piece: Id of the equipment.
        count: How often it is drawn from.
    """

    piece: str
    count: int


TABLES: Final[Mapping[str, TableForm]] = {
    "each_draw": TableForm(SubmittedDraws, many=True, required=True),
    **NAMES,
    "settled_by": TableForm(SubmittedSettling, many=True, required=True),
}


class SingleDrawSubmission(DescribedSubmission):
    """Rules, rows and tables of games of one draw; wagers and rows are the submission's own."""

    tables: Mapping[str, TableForm] = TABLES

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with its conditions; records every mistake with its line."""
        mistakes: list[str] = []

        def refuse(key: tuple[str | int, ...], message: str) -> None:
            mistakes.append(message)
            problems.add(key, message)

        stated = {name: tuple(tables.get(name) or ()) for name in TABLES}
        for name, most, what in (
            ("face_groups", MOST_GROUPS, "groups of faces"),
            ("settled_by", MOST_ENTRIES, "conditions"),
        ):
            if len(stated[name]) > most:
                refuse((name,), f"{len(stated[name])} {what}: expected at most {most:,}")
        draws = _draws(game, stated["each_draw"], refuse)
        for number, one in enumerate(stated["settled_by"]):
            for key, name in (("row", one.row), ("after", one.after), ("then", one.then)):
                if name and not ID.fullmatch(name):
                    refuse(
                        ("settled_by", number, key), f'"{name}" is not of the form "lower-case-with-hyphens"'
                    )
        returned = {(one.wager, one.returns) for one in stated["settled_by"] if one.returns}
        for number, wager in enumerate(game.wagers):
            rows = len(wager.paytable.rows) + sum(of == wager.id for of, _ in returned)
            if rows > MOST_ROWS:
                refuse(
                    ("wagers", number, "paytable"), f"{rows} rows: expected at most {MOST_ROWS} of one wager"
                )
        if not draws or len(stated["settled_by"]) > MOST_ENTRIES:
            return game
        rules = _described(game, draws, stated)
        read = replace(game, rules=rules)
        reader = Reader(read, rules, refuse)
        found = reader.described()
        reader.check_references()
        # A wager that is stated twice, which is refused as such, has no place among the outcomes.
        if mistakes or len({wager.id for wager in game.wagers}) < len(game.wagers):
            return read
        try:
            Compiler(found, game.equipment, rules.wagers).program()
            check_consistency(read, refuse, problems.line)
        except InputError as error:
            refuse(("settled_by",), str(error))
        if mistakes:
            return read
        try:
            return replace(read, equipment=supplied(text(read)))
        except InputError as error:
            refuse(("each_draw",), str(error))
        return read

    def row_of(self, outcome: str) -> str:
        """Returns the outcome: each is a row of its own."""
        return outcome

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some turn ends in, winning ones first."""
        played = text(game)
        places = {terms.wager: place for place, terms in enumerate(terms_of(played.table))}
        return _reached(played, places[wager]) if wager in places else ()


def _reached(played: RoundText, place: int) -> tuple[str, ...]:
    terms, table = terms_of(played.table)[place], table_of(played)

    @cache
    def results(stage: str) -> dict[tuple[str, str], None]:
        column = table.stages.index((place, terms.stage(stage)))
        return dict.fromkeys(table.result(column, decided.ends[column]) for decided in table.decided)

    stages = reached([FIRST], lambda stage: (then for _, then in results(stage) if then))
    met = {row for stage in stages for row, _ in results(stage)}
    rows = dict.fromkeys(ending.row for stage in terms.stages for ending in stage.endings)
    return tuple(
        row for row in (*(row for row in rows if row), *(() if LOSE in rows else (LOSE,))) if row in met
    )


def _draws(game: Game, stated: Sequence[SubmittedDraws], refuse: Refuse) -> dict[str, int]:
    """Returns what a turn draws; each piece once, no more than a round has before it."""
    pieces = {piece.id: piece for piece in game.equipment}
    found: dict[str, int] = {}
    for number, one in enumerate(stated):
        key = ("each_draw", number)
        if one.piece not in pieces:
            known = (
                f"one of {', '.join(pieces)}" if pieces else "an [[each_draw]] of a piece of the equipment"
            )
            refuse((*key, "piece"), f'no piece "{one.piece}" is drawn from: expected {known}')
            continue
        if one.piece in found:
            refuse((*key, "piece"), f'"{one.piece}" is stated twice')
        taken = pieces[one.piece]
        # Where nothing is stated of a piece that is put back, its draws are derived once the stages are known.
        supply = max(taken.supply, MOST_IN_TURN) if taken.replaced and taken.supply == 1 else taken.supply
        if not 1 <= one.count <= supply:
            refuse(
                (*key, "count"),
                f"{one.count} draws from {one.piece} in a turn: expected 1 to {supply}, as a round has",
            )
        found[one.piece] = max(1, min(one.count, supply))
    for name in pieces:
        if name not in found and stated:
            refuse(("each_draw",), f'nothing is drawn from "{name}": expected an entry for it')
    return found


def _described(game: Game, draws: Mapping[str, int], stated: Mapping[str, tuple[Any, ...]]) -> DescribedRules:
    """Returns the game as it is described: one turn that clears its places, drawn until all is settled."""
    turn = Turn(TURN, list(_deals(draws)), clears=list(draws), then=TURN)
    settlings = tuple(
        SettledBy(one.wager, one.when, one.row, one.returns, one.after, one.then)
        for one in stated["settled_by"]
    )
    return DescribedRules(
        turns=(turn,),
        settlings=settlings,
        groups=stated["face_groups"],
        worths=stated["face_worth"],
        rankings=stated["hand_rankings"],
        wagers=tuple(wager.id for wager in game.wagers),
        one_turn=True,
    )


def _deals(draws: Mapping[str, int]) -> Iterator[str]:
    for piece, count in draws.items():
        for dealt in range(0, count, MOST_DEALT):
            yield f"{min(MOST_DEALT, count - dealt)} to {piece} from {piece}"


MOST_COLUMNS: Final = 64
"""What can be read from a draw, where it is laid out: more columns would not be read by anybody."""

_READ: Final[Mapping[Measure, ReadAs]] = {Measure.ALIKE: ReadAs.ALIKE, Measure.DIFFERENT: ReadAs.DIFFERENT}
Read = dict[str, tuple[int, dict[Fraction | None, int]]]
"""For each column its rows of items, and of these the rows of each net result; none where the wager goes on."""


def coverage(game: Game) -> tuple[Coverage, ...]:
    """Returns the wagers of a game over what their conditions read; wagers that read too much are left out."""
    played = text(game)
    pieces = drawn_in(played)
    panels: dict[tuple[int, ReadAs], list[tuple[WagerTerms, Read]]] = {}
    for terms in terms_of(played.table):
        readings = read_by([ending.when for ending in terms.stages[0].endings])
        places = [_place(played, number) for number in readings]
        if not places or len(places[0]) != 1:
            continue
        (place,) = places[0]
        alone = set(places) == {(place,)} and pieces[place][1] == 1
        axis = ReadAs.FACE if alone else _axis(played, pieces[place][0], readings[0])
        read = _read(played, terms, readings, place, axis) if axis else {}
        if read and axis and len(read) <= MOST_COLUMNS:
            panels.setdefault((place, axis), []).append((terms, read))
    return tuple(_panel(*pieces[place], axis, wagers) for (place, axis), wagers in panels.items())


def _place(played: RoundText, reading: int) -> tuple[int, ...]:
    """Returns the pieces that a reading reads from, by place."""
    draws = played.table.steps[0].draws
    own = {drawn.piece for drawn in draws if reading in (*drawn.adds, *drawn.matched)}
    return tuple(place for place, (piece, _) in enumerate(drawn_in(played)) if piece.id in own)


def _axis(played: RoundText, piece: Equipment, reading: int) -> ReadAs | None:
    """Returns what a wager is laid out over; none where its reading has no such form."""
    register = played.table.registers[reading]
    if register.kind is not Measure.SUM:
        return _READ.get(register.kind)
    counts = {played.face(piece, face)[register.attribute] for face in range(len(piece.faces))}
    return ReadAs.COUNT if counts <= {0, 1} else ReadAs.TOTAL


def _read(played: RoundText, terms: WagerTerms, readings: Sequence[int], place: int, axis: ReadAs) -> Read:
    """Returns how a wager ends, by what is read; nothing where the ways of a draw are too many to be counted."""
    read: Read = {}
    piece, endings, cards = drawn_in(played)[place][0], terms.stages[0].endings, cards_of(played)
    told = _faces(played, place) if axis is ReadAs.FACE else ways(played, readings, len(endings))
    try:
        for way in told:
            faces = way.faces()
            values = shown_values(played, cards, faces)
            row = next((one.row for one in endings if holds(played.table, one.when, values)), LOSE)
            number = str(number_of(played.table.registers[readings[0]], values[readings[0]]))
            name = piece.faces[faces[place][0]] if axis is ReadAs.FACE else number
            net = played.price(terms.wager, row).net if row else None
            rows, ends = read.get(name, (0, {}))
            read[name] = (rows + way.weight, {**ends, net: ends.get(net, 0) + way.weight})
    except InputError:
        return {}
    return read


def _faces(played: RoundText, place: int) -> Iterator[Way]:
    """Yields the faces of the one draw of a piece, each by itself; what other pieces show matters nothing then."""
    pieces = drawn_in(played)
    for face, copies in enumerate(pieces[place][0].copies):
        shown = PieceWay(((face, 1),), copies)
        yield Way(
            tuple(
                shown if own == place else PieceWay(((0, count),), 1) for own, (_, count) in enumerate(pieces)
            )
        )


def _panel(piece: Equipment, drawn: int, axis: ReadAs, wagers: list[tuple[WagerTerms, Read]]) -> Coverage:
    columns = sorted({name for _, read in wagers for name in read}, key=_position(piece, axis))
    return Coverage(
        piece.id, drawn, axis, tuple(columns), tuple(_covered(terms, read, columns) for terms, read in wagers)
    )


def _position(piece: Equipment, axis: ReadAs) -> Callable[[str], tuple[int, str]]:
    """Returns the order of columns: by number where all are numbers, else as the equipment names them."""
    if axis is not ReadAs.FACE or all(face.isdecimal() for face in piece.faces):
        return lambda name: (int(name), name)
    return lambda name: (piece.faces.index(name), name)


def _covered(terms: WagerTerms, read: Read, columns: list[str]) -> Covered:
    total = sum(rows for rows, _ in read.values())
    chances = tuple(Fraction(read[name][0] if name in read else 0, total) for name in columns)
    spots = tuple(
        Spot(column, Fraction(rows, read[name][0]), net)
        for column, name in enumerate(columns)
        if name in read
        for net, rows in read[name][1].items()
        if net != -1
    )
    return Covered(terms.wager, chances, spots)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Wagers decided by one draw of wheel, dice, balls, tickets or cards, described in the submission alone",
    rules=SingleDrawSubmission(),
    text=text,
    second=settle,
    pages=FamilyPages(coverage=coverage),
)

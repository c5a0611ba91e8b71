"""Rounds that show rows of a paytable: by the family's recipes, else found by walking the reference round."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from certify.analysis.engine.walk import GraphSource
from certify.errors import InputError
from certify.families.driver import PlayedRound, play
from certify.families.port import Choice, LongRound, ReferenceRound, Settled, ShowingFigures, rows_of
from certify.model import Game, Recipe, Row, Witness, row_names
from certify.model.points import Reached, walk

Wanted = tuple[str, str]
"""A wager and a row of it."""


def witness(game: Game, wager: str, row: str) -> Witness:
    """Returns a round that produces a row, played through the reference round before it is returned.

    Raises:
        InputError: No round falls in that row, or none was found among as many as are looked at.
    """
    return witnesses(game, [(wager, row)])[0]


def witnesses(game: Game, wanted: Iterable[Wanted]) -> tuple[Witness, ...]:
    """Returns a round for each of several rows, all of those without a recipe found by one walk.

    Raises:
        InputError: No round falls in one of the rows, or none was found among as many as are looked at.
    """
    rows = tuple(wanted)
    shown = witnesses_of(game, rows)
    for wager, row in rows:
        if (wager, row) not in shown:
            raise InputError(f"no round of {wager} falls in the row {row!r} under these rules")
    return tuple(shown[one] for one in rows)


def witnesses_of(game: Game, wanted: Iterable[Wanted]) -> Mapping[Wanted, Witness]:
    """Returns a round for each of several rows, as far as one is found.

    Raises:
        InputError: The game has no such wager.
    """
    rows, reference = tuple(wanted), game.port.reference(game)
    known = {wager.id for wager in game.wagers}
    strange = [wager for wager, _ in rows if wager not in known]
    if strange:
        raise InputError(f"{game.id} has no wager {strange[0]!r}: expected one of {', '.join(sorted(known))}")
    shown = {one: found for one in rows if (found := _by_recipe(game, reference, one)) is not None}
    missing = [one for one in rows if one not in shown]
    return {**shown, **(_by_walking(game, reference, missing) if missing else {})}


def reachable_rows(game: Game) -> tuple[Wanted, ...]:
    """Returns every row that families call reachable: of a described game those that its conditions name."""
    rules = game.port.rules
    return tuple((wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id))


def _by_recipe(game: Game, reference: ReferenceRound[Any], wanted: Wanted) -> Witness | None:
    """Returns the round of the first recipe that falls in a row; none is taken on trust."""
    there = {
        face: piece.supply if piece.replaced else copies
        for piece in reference.equipment
        for face, copies in zip(piece.faces, piece.copies, strict=True)
    }
    recipes = game.port.checks.recipes.get(wanted, ())
    if not recipes and isinstance(game.port.exact, ShowingFigures):
        shown = game.port.exact.shows(
            game, wanted[0], lambda outcome: wanted[1] in rows_of(game.port.rules, game, wanted[0], outcome)
        )
        recipes = (shown,) if shown is not None else ()
    for recipe in recipes:
        if any(recipe.faces.count(face) > there.get(face, 0) for face in recipe.faces):
            continue
        found = _shown(game, reference, wanted, _row(reference, recipe), recipe.decisions)
        if found is not None:
            return found
    return None


def _by_walking(
    game: Game, reference: ReferenceRound[Any], missing: list[Wanted]
) -> Mapping[Wanted, Witness]:
    """Returns the shortest rounds that fall in rows, as far as there are any."""
    found: dict[Wanted, Witness] = {}
    for one, row, decisions in _ways(game, reference, missing, found):
        shown = _shown(game, reference, one, row, decisions)
        if shown is not None:
            found[one] = shown
        if len(found) == len(set(missing)):
            break
    return found


def _ways(
    game: Game, reference: ReferenceRound[Any], missing: list[Wanted], found: Mapping[Wanted, Witness]
) -> Iterator[tuple[Wanted, Row, tuple[str, ...]]]:
    """Yields draws and decisions that may show a row which is missing, until rounds of all are found.

    A round in stages is walked state by state, a long one seeks its awards itself, any other is walked on every path.
    """
    if isinstance(reference, GraphSource):
        ends = _reached(reference, game)
        yield from (
            (one, ends[one].row(reference.equipment), ends[one].decisions) for one in missing if one in ends
        )
    elif isinstance(reference, LongRound):
        sought = ((one, reference.showing(one[1])) for one in missing)
        yield from ((one, row, ()) for one, row in sought if row is not None)
    else:
        for reached in walk(reference):
            yield from (
                (one, reached.row(reference.equipment), reached.decisions)
                for one in _rows_of(game, reached)
                if one in missing and one not in found
            )


@lru_cache(maxsize=8)
def _reached(reference: GraphSource, game: Game) -> Mapping[Wanted, Reached]:
    """Returns a path to every row, kept for the paytable and for the life of its rounds, which both ask."""
    # Loaded here: what walks a text imports this package.
    from certify.analysis.engine.exposure import witnesses as ends_of

    return ends_of(reference.graph(), partial(rows_of, game.port.rules, game))


def _rows_of(game: Game, reached: Reached) -> tuple[Wanted, ...]:
    if not isinstance(reached.node, Settled):
        return ()
    return tuple(
        (one.wager, row)
        for one in reached.node.results
        for row in rows_of(game.port.rules, game, one.wager, one.outcome)
    )


def _shown(
    game: Game,
    reference: ReferenceRound[Any],
    wanted: Wanted,
    row: Row,
    decisions: tuple[str, ...],
) -> Witness | None:
    """Returns a round as a witness if, played, it falls in the row."""
    wager, paid = wanted
    played = play(reference, row, _taken(decisions))
    if paid not in rows_won(game, played, wager):
        return None
    return Witness(wager, paid, row, row_names(reference.equipment, row), played.decisions)


def rows_won(game: Game, played: PlayedRound, wager: str) -> frozenset[str]:
    """Returns the rows of a wager that a round shows: those that its outcome is paid by, and those of its awards."""
    ended = next(result for result in played.results if result.wager == wager)
    paid = rows_of(game.port.rules, game, wager, ended.outcome)
    return frozenset({*paid, *(award.row for award in ended.awards)})


def _taken(decisions: tuple[str, ...]) -> Any:
    remaining = iter(decisions)

    def decide(choice: Choice) -> str:
        option = next(remaining, choice.ids[0])
        return option if option in choice.ids else choice.ids[0]

    return decide


def _row(reference: ReferenceRound[Any], recipe: Recipe) -> Row:
    piece = reference.equipment[0]
    drawn = tuple((piece.id, piece.faces.index(name)) for name in recipe.faces)
    return Reached(None, Settled(()), drawn).row(reference.equipment)

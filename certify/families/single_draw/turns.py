"""How many draws a round needs before it: as many turns as its stages take, longer rounds being all but impossible."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from certify.errors import InputError
from certify.families.single_draw.combinations import TurnOutcomes, table_of
from certify.families.single_draw.rules import FIRST, WagerTerms, terms_of
from certify.families.supply import LONGER, MOST_DRAWS, check_stated
from certify.model import Equipment, RoundText


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

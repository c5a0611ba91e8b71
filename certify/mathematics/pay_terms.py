"""How the net result of an outcome follows from the pays of a paytable: what a living spreadsheet computes with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.errors import InputError
from certify.model import Game, Outcome, Wager, repaid

Price = Callable[[str, str], Fraction]
"""The net result of an outcome of a wager, by their ids."""


@dataclass(frozen=True, slots=True)
class PayTerms:
    """A net result as a sum: a number, and each pay it depends on times a factor.

    Args:
        number: What does not depend on a pay, such as a stake that is lost.
        factors: How often each pay counts, by the row of the paytable.
    """

    number: Fraction
    factors: Mapping[str, Fraction]


def pay_terms(game: Game, wager: Wager) -> Callable[[Outcome], PayTerms]:
    """Returns what tells of an outcome how its net result follows from the pays of its wager.

    The family's own settlement gives the result with every pay as it is, and with one pay more for one. Where
    it cannot give that, or where the result is no such sum, an outcome follows the pay of its row if it is that
    times what is staked, and else no pay.

    Args:
        game: The submission.
        wager: One of its wagers.
    """
    rows = wager.paytable.ids
    as_stated, all_raised = _price(game), _price(_raised(game, wager, rows))
    raised = {row: _price(_raised(game, wager, (row,))) for row in rows}

    def terms(outcome: Outcome) -> PayTerms:
        row = outcome.of_row or outcome.id
        named = PayTerms(outcome.pays, {})
        if row in rows and outcome.pays == outcome.staked * wager.paytable.pays(row):
            named = PayTerms(Fraction(0), {row: outcome.staked})
        try:
            if as_stated(wager.id, outcome.id) != outcome.pays:
                return named
            change = all_raised(wager.id, outcome.id) - outcome.pays
            first = (row,) if row in rows else ()
            factors: dict[str, Fraction] = {}
            for one in (*first, *(other for other in rows if other not in first)):
                if change == sum(factors.values()):
                    break
                factors[one] = raised[one](wager.id, outcome.id) - outcome.pays
        except (InputError, LookupError):
            return named
        if change != sum(factors.values()):
            return named
        factors = {one: factor for one, factor in factors.items() if factor}
        paid = sum((factor * wager.paytable.pays(one) for one, factor in factors.items()), Fraction(0))
        return PayTerms(outcome.pays - paid, factors)

    return terms


def _raised(game: Game, wager: Wager, rows: tuple[str, ...]) -> Game:
    """Returns a game in which some rows of a wager pay one more for one."""
    return repaid(game, {(wager.id, row): wager.paytable.pays(row) + 1 for row in rows})


def _price(game: Game) -> Price:
    """Returns the settlement of a game by its family: that of the play-through, or of the text."""
    volume = game.port.volume
    if volume is not None:
        return lambda wager, outcome: volume.net(game, wager, outcome)
    if game.port.text is not None:
        text = game.port.text(game)
        return lambda wager, outcome: text.price(wager, outcome).net

    def unknown(wager: str, outcome: str) -> Fraction:
        raise InputError(f"the family {game.family} cannot state what {outcome} of {wager} pays")

    return unknown

"""Splitting."""

from __future__ import annotations

from certify.errors import InputError
from certify.families.free_bank.charts import PlayerChart
from certify.families.free_bank.exact.settlement import Terms
from certify.families.free_bank.strategy import Conduct
from certify.model.figures import WagerFigures


def may_split(terms: Terms, player: Conduct) -> bool:
    return (
        terms.rules.hands > 1
        and isinstance(player, PlayerChart)
        and any(chance for _, chance in player.splits)
    )


def split_outcomes(terms: Terms, player: Conduct, bank: Conduct) -> WagerFigures:
    raise InputError("not yet")


def split_answer(terms: Terms, bank: Conduct, name: str) -> PlayerChart:
    raise InputError("not yet")

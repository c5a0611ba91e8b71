"""The family of blackjack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.families.blackjack.exact.strategies import plan, read_card
from certify.families.blackjack.figures import EXACT, variants
from certify.families.blackjack.findings import findings
from certify.families.blackjack.recipes import RECIPES
from certify.families.blackjack.reference import reference
from certify.families.blackjack.rules import FAMILY_ID
from certify.families.blackjack.second import settle
from certify.families.blackjack.submitted import SUBMITTED
from certify.families.blackjack.volume.port import BlackjackVolume
from certify.families.port import Family
from certify.model.equipment import Kind, shoe
from certify.model.game import Game

_SMALLER: Final = (("8", "K"), 8)
"""Ranks of a shoe on which every path is walked, and cards of each: it makes pairs to four hands, and busts."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from so few cards that every path is walked."""
    (piece,) = game.equipment
    if piece.kind is Kind.SHOE:
        ranks, cards = _SMALLER
        yield replace(game, equipment=(shoe(piece.id, ranks, piece.suits[:1], decks=cards),))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Blackjack: hands of twenty-one against the dealer, with doubles, splits, insurance and side bets",
    rules=SUBMITTED,
    reference=reference,
    smaller=smaller,
    variants=variants,
    cards=read_card,
    plan=plan,
    exact=EXACT,
    volume=BlackjackVolume(),
    second=settle,
    recipes=RECIPES,
    findings=findings,
)

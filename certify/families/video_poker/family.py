"""The family of video poker games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.analysis.engine.one_lost_pay import OneLostPay
from certify.families.port import Family
from certify.families.video_poker.exact import VideoPokerExact, best_return, plan
from certify.families.video_poker.play import VideoPokerVolume
from certify.families.video_poker.rules import FAMILY_ID, rules_of
from certify.families.video_poker.second import settle
from certify.families.video_poker.submitted import STATED
from certify.families.video_poker.text import reference
from certify.model.equipment import shoe
from certify.model.game import Game

_SMALLER: Final = {
    "none": (("10", "J", "Q", "K", "A"), ()),
    "deuces": (("2", "3", "J", "K", "A"), ()),
    "jokers": (("J", "Q", "K", "A"), ("joker", "joker 2")),
}
"""Ranks and jokers of decks of two suits on which every path is walked, by what is wild."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from ten cards."""
    ranks, jokers = _SMALLER[rules_of(game).wild]
    (piece,) = game.equipment
    yield replace(game, equipment=(shoe(piece.id, ranks, piece.suits[:2], jokers=jokers),))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Video poker with one draw: jacks or better, bonus tables, deuces or jokers wild",
    rules=STATED,
    reference=reference,
    volume=VideoPokerVolume(),
    second=settle,
    plan=plan,
    exact=VideoPokerExact(),
    identify=OneLostPay(best_return).identify,
    smaller=smaller,
    machine=True,
)

"""Games with a free bank in which one rule is otherwise: what each is worth is the change of the bracket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.families.free_bank.rules import rules_of
from certify.families.port import Variant
from certify.model.game import Game

_WITHOUT: Final = (
    ("swap", "swap", False, "no first card may be swapped"),
    ("matta", "matta", False, "the King of Denari is a face like others"),
    ("reale", "reale", False, "a reale is a 7½ like others"),
    (
        "bank_collects",
        "bank-seven-and-a-half-collects",
        1,
        "the bank's 7½ collects one stake from a hand of less",
    ),
    (
        "bank_collects_from_seven_and_a_half",
        "bank-seven-and-a-half-collects-from-seven-and-a-half",
        1,
        "the bank's 7½ collects one stake from a hand of 7½",
    ),
)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one thing less that its rules know: the swap, the matta, the reale, the double 7½."""
    for field, subject, less, words in _WITHOUT:
        if getattr(rules_of(game), field) > less:
            yield Variant(subject, words, with_rules(game, **{field: less}))


def with_rules(game: Game, **changes: object) -> Game:
    """Returns a game with some of its rules otherwise."""
    return replace(game, rules=replace(rules_of(game), **changes))  # type: ignore[arg-type]

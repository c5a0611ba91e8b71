"""Games with a free bank in which one rule is otherwise: what each is worth is the change of the bracket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from certify.families.free_bank.rules import FreeBankRules, rules_of
from certify.families.port import Variant
from certify.model.game import Game

_OTHERWISE: Final[tuple[tuple[str, str, dict[str, Any], str], ...]] = (
    ("swap", "swap", {"swap": False}, "no first card may be swapped"),
    ("matta", "matta", {"matta": False}, "the King of Denari is a face like others"),
    ("reale", "reale", {"reale": False}, "a reale is a 7½ like others"),
)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one thing less that its rules know: the swap, the matta, the reale, the double 7½."""
    rules = rules_of(game)
    for field, subject, change, words in _OTHERWISE:
        if getattr(rules, field):
            yield Variant(subject, words, with_rules(game, **change))
    if rules.bank_collects > 1:
        yield Variant(
            "bank-seven-and-a-half-collects",
            "the bank's 7½ collects one stake from a hand of less",
            with_rules(game, bank_collects=1),
        )
    if rules.bank_collects_from_seven_and_a_half > 1:
        yield Variant(
            "bank-seven-and-a-half-collects-from-seven-and-a-half",
            "the bank's 7½ collects one stake from a hand of 7½",
            with_rules(game, bank_collects_from_seven_and_a_half=1),
        )


def with_rules(game: Game, **changes: Any) -> Game:
    """Returns a game with some of its rules otherwise."""
    rules: FreeBankRules = replace(rules_of(game), **changes)
    return replace(game, rules=rules)

"""The texts that a game rests on: the one that plays it, the one written apart, and how far they agree."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.tool import SourceText
from certify.model.form import origins


@origins()
@dataclass(frozen=True, slots=True)
class MergingProven:
    """What was proved of the merging of the text that plays.

    Args:
        moments: Different moments that its stages come to.
        states: States of its least automaton.
        arrows: Arrows stepped again, each face counted by itself.
        rounds: Whole rounds played on the text beside the table.
        hidden_pairs: Pairs of states that differ in a hidden draw alone, shown to be decided alike.
    """

    moments: int
    states: int
    arrows: int
    rounds: int
    hidden_pairs: int


@origins()
@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a game.

    Args:
        first: The text that plays it; walk, figures, play-through and reference round are derived from it.
        second: The settlement written apart; none where the family brings none.
        shared: Functions and classes that both rest on; none in texts that are independent.
        merging: What was proved of the merging of the first; none where it is not written in stages.
        deals: Rounds on which both were compared: one for each class of faces at each state, where there are states.
        dealt: Rounds really dealt on which both were compared.
        differing: Rounds that they settle differently.
        differences: The first of these, in words.
    """

    first: SourceText
    second: SourceText | None
    shared: tuple[str, ...]
    merging: MergingProven | None
    deals: int
    dealt: int
    differing: int
    differences: tuple[str, ...]

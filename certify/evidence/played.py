"""Implementations compared on the same draws, decks looked at one by one, rounds played and recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.model.form import Seed, Sha256, origins


@origins()
@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether several implementations settle the same decks alike.

    Args:
        decks: Number of decks compared.
        legs: Names of the implementations.
        compared: Ids of the wagers compared.
        differences: Number of disagreements.
        listed: Some of them, in words.
    """

    decks: int
    legs: tuple[str, ...]
    compared: tuple[str, ...]
    differences: int
    listed: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class DeckAudit:
    """What was found when every dealt deck of a sample was looked at.

    Args:
        decks: Decks looked at.
        broken: Decks that do not hold every card once.
        stake_runs: Rounds replayed with other stakes, players and histories.
        stake_differences: Rounds whose cards or outcomes changed with them.
        replays: Rounds dealt and played again from their record.
        replay_differences: Rounds that did not end as recorded.
    """

    decks: int
    broken: int
    stake_runs: int
    stake_differences: int
    replays: int
    replay_differences: int


@origins()
@dataclass(frozen=True, slots=True)
class StatedRound:
    """A round with everything needed to deal and play it again.

    Args:
        seed: Master seed.
        purpose: Registered use of randomness.
        stream: Index of the stream.
        deck: Place of the deck in the stream.
        hands: What each holder was dealt, as ids.
        decisions: What was decided.
        outcomes: How each wager ended.
        net: Net result of each wager per unit of initial stake.
        trace_sha256: Digest of the trace.
        trace: The round step by step, in words.
    """

    seed: Seed
    purpose: str
    stream: int
    deck: int
    hands: Mapping[str, tuple[int, ...]]
    decisions: tuple[str, ...]
    outcomes: Mapping[str, str]
    net: Mapping[str, Fraction]
    trace_sha256: Sha256
    trace: tuple[str, ...]

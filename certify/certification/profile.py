"""How much is computed: the three profiles of a certification run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from certify.errors import InputError


@dataclass(frozen=True, slots=True)
class Profile:
    """Sample sizes of one profile; the exact figures are the same in all of them.

    Args:
        name: ``quick``, ``standard`` or ``full``.
        rounds: Rounds of the campaign under the main strategy.
        further_rounds: Rounds of the campaign under every further strategy.
        twin_rounds: Rounds on which reference engine, kernel and twin are compared.
        decks: Decks given to the card tests.
        streams: Bit streams given to the tests of SP 800-22.
        stream_bits: Bits in each of them.
        exercise_decks: Decks on which the terms are exercised.
        replays: Rounds dealt and played again from their record.
        reference_rounds: Rounds of each campaign where the reference round itself is played, step by step.
    """

    name: str
    rounds: int
    further_rounds: int
    twin_rounds: int
    decks: int
    streams: int
    stream_bits: int
    exercise_decks: int
    replays: int
    reference_rounds: int


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("quick", 4_000_000, 2_000_000, 500, 20_000, 2, 1_000_000, 4, 200, 20_000),
        Profile("standard", 500_000_000, 200_000_000, 5_000, 1_000_000, 40, 1_000_000, 60, 2_000, 500_000),
        Profile(
            "full", 4_000_000_000, 1_000_000_000, 50_000, 4_000_000, 100, 1_000_000, 500, 20_000, 5_000_000
        ),
    )
}


def profile_named(name: str) -> Profile:
    """Returns a profile by its name.

    Raises:
        InputError: There is no such profile.
    """
    if name not in PROFILES:
        raise InputError(f'no profile "{name}": expected one of {", ".join(PROFILES)}')
    return PROFILES[name]

"""How much is computed: the three profiles of a certification run."""

from __future__ import annotations

from typing import Final

from certify.errors import InputError
from certify.evidence.report import Profile

__all__ = ["PROFILES", "Profile", "profile_named"]

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile(
            "quick", 4_000_000, 2_000_000, 500, 20_000, 2, 1_000_000, 4, 200, 20_000, 250_000_000, 50_000
        ),
        Profile(
            "standard",
            500_000_000,
            200_000_000,
            5_000,
            1_000_000,
            40,
            1_000_000,
            60,
            2_000,
            500_000,
            2_000_000_000,
            1_000_000,
        ),
        Profile(
            "full",
            4_000_000_000,
            1_000_000_000,
            50_000,
            4_000_000,
            100,
            1_000_000,
            500,
            20_000,
            5_000_000,
            20_000_000_000,
            1_000_000,
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

"""The inventory of every place in the product that uses randomness."""

from dataclasses import dataclass
from typing import Final

from rng.errors import RangeError


@dataclass(frozen=True, slots=True)
class Purpose:
    """One registered use of randomness: what is drawn, why, and by which module.

    Source: GLI-19 v3.0, 4.5.1 and AGCO 9.1.1 ask that every use of the generator be known.
    """

    id: str
    description: str
    used_by: str


PURPOSES: Final[dict[str, Purpose]] = {
    p.id: p
    for p in (
        Purpose(
            "simulation-decks",
            "Shuffled decks for the play-through of a game; the index is the number of the batch.",
            "certify.simulation",
        ),
        Purpose(
            "further-campaign-decks",
            "Shuffled decks for play-through under a further strategy; the index is the number of the batch.",
            "certify.simulation",
        ),
        Purpose(
            "fresh-campaign-decks",
            "Fresh shuffled decks of the campaign that decides where a first one was borderline.",
            "certify.simulation",
        ),
        Purpose(
            "randomness-decks",
            "Fresh decks that decide where the tests of the dealt decks were borderline.",
            "certify.certification",
        ),
        Purpose(
            "randomness-bits",
            "Raw generator output given to the statistical tests of bit streams.",
            "certify.certification",
        ),
        Purpose(
            "round-exercise",
            "Shuffled decks for rounds driven through the state machine; the index numbers the round.",
            "certify.cli",
        ),
        Purpose(
            "evidence-sample",
            "Choice of the simulated rounds that are printed in full as evidence.",
            "certify.certification",
        ),
        Purpose(
            "export",
            "Generator output written to a file for an outside laboratory (`certify rng generate`).",
            "certify.cli",
        ),
        Purpose(
            "battery-calibration",
            "Streams by which the statistical tests themselves are calibrated and self-tested.",
            "rng.battery",
        ),
        Purpose(
            "battery-labels",
            "Which copy is which among equal cards of a shoe under test, where the data does not say.",
            "rng.battery",
        ),
    )
}


def purpose(purpose_id: str) -> Purpose:
    """The registered purpose of that name.

    >>> purpose("simulation-decks").used_by
    'certify.simulation'

    Raises:
        RangeError: no use of randomness is registered under that name.
    """
    found = PURPOSES.get(purpose_id)
    if found is None:
        raise RangeError(f"purpose {purpose_id!r} is not registered; known: {', '.join(sorted(PURPOSES))}")
    return found

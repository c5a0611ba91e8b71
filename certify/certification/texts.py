"""Sentences of the report that hold for every run."""

from __future__ import annotations

from typing import Final

from certify.model.game import Game
from certify.model.provenance import Provenance

CLASSIFICATION: Final = "Self-assessment by the issuer; not an accredited test report"

DECISION_RULE: Final = (
    "Exact figures are compared as fractions: they are equal or not, without tolerance. A printed percentage "
    "stands for the interval of values that round to it. Statistical comparisons hold the probability of any "
    "false rejection over their whole family at 1 % (Holm), so that a faultless item is rejected in at most 1 of "
    "100 reports for each family; agreement of play-through also requires equivalence within a margin stated "
    "beforehand, so that too little data is inconclusive and never a pass. What could not be decided is reported "
    "as inconclusive (ISO/IEC 17025:2017, 7.8.6)."
)

SEEDING: Final = (
    "Each stream is seeded with 384 bits derived by HKDF-SHA-384 from the master seed, the registered purpose and "
    "the index of the stream. The master seed of this run is printed, so that every number can be drawn again; in "
    "operation it comes from the operating system's generator under the health tests of SP 800-90B. No seed rests "
    "on time."
)

RESEEDING: Final = (
    "Replayable streams are never reseeded: each ends long before the limit of the standard. The live generator "
    "reseeds by count of requests and by bytes and stops, without producing a number, where fresh entropy fails."
)

BYTE_RULE: Final = (
    "A 64-bit word w gives a number x below n as the upper half of the product w × n; where the lower half is below "
    "2⁶⁴ mod n, the word is rejected and the next one is taken. Card i of the deck changes places with card i + x, x "
    "below n − i. One word serves several such numbers, as long as the product of their bounds stays at most 2⁵⁷; no "
    "bit is used twice (byte-consumption rule, version 1)."
)

_DEPLOYED: Final = (
    "That the game as deployed behaves as submitted: no production software, server or client was examined."
)
_RECOVERED: Final = (
    "That recovered pays are the supplier's: they reproduce the printed returns, which is all that is known of "
    "them."
)
_READ: Final = (
    "That the adopted readings are the ones meant where a text is silent or contradicts itself: each is printed "
    "with its alternatives."
)
_ALWAYS: Final = (
    (
        "Randomness by sampling beyond the effects stated as detectable; biases below them are excluded by counting "
        "and by argument only where this report says so."
    ),
    "The quality of the entropy source of any production system.",
    "Conduct of the operator: monitoring, incident handling, record keeping, responsible-gambling measures.",
    (
        "Compliance with the law of any jurisdiction: clauses are paraphrased, and only those answered by a check "
        "of this report are judged."
    ),
)


def not_established(game: Game) -> tuple[str, ...]:
    """Returns what a report on a game does not establish."""
    recovered = any(
        row.origin.provenance is Provenance.RECOVERED for wager in game.wagers for row in wager.paytable.rows
    )
    return (_DEPLOYED, *((_RECOVERED,) if recovered else ()), *((_READ,) if game.readings else ()), *_ALWAYS)

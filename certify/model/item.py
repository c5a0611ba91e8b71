"""What a check looked at: the product, or something of this software that stands in for it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class UnderTest(StrEnum):
    """The items that a check can be made on."""

    SUBMISSION = "submission"
    FAMILY = "family-code"
    REFERENCE_GENERATOR = "reference-generator"
    REFERENCE_ROUNDS = "reference-round-machine"
    OPERATOR_OUTPUT = "operator-generator-output"
    OPERATOR_ROUNDS = "operator-round-system"
    TESTS = "tests-themselves"


REFERENCE: Final = frozenset({UnderTest.REFERENCE_GENERATOR, UnderTest.REFERENCE_ROUNDS})
"""Items of this software: what is shown on them is never satisfied by the product."""

OPERATOR: Final = frozenset({UnderTest.OPERATOR_OUTPUT, UnderTest.OPERATOR_ROUNDS})
"""Items that an operator brings: what is shown on them can satisfy a clause."""

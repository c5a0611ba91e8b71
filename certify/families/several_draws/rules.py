"""The rules of a game of several draws: what its submission describes."""

from typing import Final

from certify.families.declared_rules import own_rules
from certify.families.described.rules import DescribedRules

FAMILY_ID: Final = "several-draws"
"""Id of the family, as submissions name it."""

rules_of: Final = own_rules(DescribedRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""

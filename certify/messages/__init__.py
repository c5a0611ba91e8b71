"""The sentences of the harness: one catalogue a language, messages by id, parameters by name.

Evidence holds messages; whoever needs words takes them from here.
"""

from certify.messages.catalogue import Catalogue, catalogue
from certify.messages.say import VERBATIM, english, say, told, verbatim, worded

__all__ = ["VERBATIM", "Catalogue", "catalogue", "english", "say", "told", "verbatim", "worded"]

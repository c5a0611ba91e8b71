"""The sentences of the harness: one catalogue a language, messages by id, parameters by name.

Evidence holds messages; whoever needs words takes them from here.
"""

from certify.messages.catalogue import ENGLISH, LANGUAGES, NARROW, MessageCatalogue, bring, catalogue, marks
from certify.messages.say import VERBATIM, english, say, told, verbatim, worded
from certify.messages.speech import (
    elided,
    name_of,
    row_title,
    said_of,
    speaking,
    spoken,
    statements,
    tell,
    terms_of,
    translated,
    with_translations,
)

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "NARROW",
    "VERBATIM",
    "MessageCatalogue",
    "bring",
    "catalogue",
    "elided",
    "english",
    "marks",
    "name_of",
    "row_title",
    "said_of",
    "say",
    "speaking",
    "spoken",
    "statements",
    "tell",
    "terms_of",
    "told",
    "translated",
    "verbatim",
    "with_translations",
    "worded",
]

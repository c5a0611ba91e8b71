"""Streams of the forty cards for tests that look at no submission."""

from certify.model import shoe
from certify.simulation import PURPOSE, StreamDecks

FORTY = shoe(
    "deck", ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"), ("Denari", "Coppe", "Spade", "Bastoni")
)


def stream_decks(seed, purpose=PURPOSE):
    return StreamDecks(seed, (FORTY,), purpose)

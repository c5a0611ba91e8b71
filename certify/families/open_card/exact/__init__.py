"""Exact figures of the games with an open dealer's card, by counting."""

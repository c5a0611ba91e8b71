"""Exact figures of the line bets by their closed form; no round is played here."""

"""Counting orders of a deck for games of drawing to a total: cards by class, what is left, a dealer's hands."""

"""Baccarat, punto banco: one shoe, two hands drawn by a fixed tableau, and bets on how they compare."""

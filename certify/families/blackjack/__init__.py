"""Blackjack: a hand against the dealer, with doubles, splits, insurance and surrender."""

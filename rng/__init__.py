"""Randomness: entropy, DRBGs, unbiased numbers, shuffles and their tests; knows nothing of games."""

"""Exact mathematics, whatever family a game is of: every way that chance can take counted, nothing sampled."""

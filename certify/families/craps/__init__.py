"""Craps: the line bets and their odds, as a round of any number of rolls."""

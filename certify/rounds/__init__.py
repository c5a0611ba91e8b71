"""The life of a round: betting, play, settlement, malfunction, voiding, interruption and recall."""

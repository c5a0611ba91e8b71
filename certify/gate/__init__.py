"""The gate: what a change of submissions means for the player's return, and whether it may be merged."""

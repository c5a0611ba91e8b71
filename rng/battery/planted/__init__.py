"""Known-good and known-bad generators and shuffles: what the battery must accept and what it must catch."""

"""Play-through of rounds in volume: an independent leg beside the exact enumeration."""

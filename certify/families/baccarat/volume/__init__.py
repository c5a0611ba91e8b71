"""Play-through of baccarat by compiled code and its twin."""

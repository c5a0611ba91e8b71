"""Play-through of three card poker: a compiled kernel and its readable twin."""

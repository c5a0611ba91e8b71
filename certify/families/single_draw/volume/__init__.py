"""Play-through of games of one draw in volume, written apart from the rulebook and from the counting of ways."""

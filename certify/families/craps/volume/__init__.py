"""Play-through of the line bets in volume, written apart from the rulebook and from the closed form."""

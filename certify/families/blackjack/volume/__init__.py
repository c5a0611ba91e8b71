"""Play-through of blackjack in volume, written apart from the reference round and from the exact figures."""

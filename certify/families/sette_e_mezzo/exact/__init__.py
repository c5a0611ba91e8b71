"""Exact figures of 7 e Mezzo: every order of the deck counted, nothing sampled, nothing rounded."""

"""7 e Mezzo: one player against the house, with two side bets."""

"""Exact figures of blackjack, counted: dealer, hands, splits, strategies."""

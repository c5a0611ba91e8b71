"""Exact figures of any game by walking its reference round: merged states, whole numbers, one division at the end."""

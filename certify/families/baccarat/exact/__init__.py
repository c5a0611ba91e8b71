"""Exact figures of baccarat by counting compositions of the shoe."""

"""Exact mathematics of the Seven and a Half games with an open dealer's card."""

"""Video poker: five cards, any of them held, the rest drawn anew, and a paytable."""

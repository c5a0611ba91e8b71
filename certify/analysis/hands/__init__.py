"""Games of hands of cards: how hands rank, what is left in the deck, draws and what to hold.

Whole numbers throughout; no game and no pay is known here.
"""

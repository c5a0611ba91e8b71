"""What families dealt from the fifty-two cards share: the cards as nouns. How hands rank each leg finds by itself."""

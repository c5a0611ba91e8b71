"""The nouns: frozen, small, without behaviour beyond their own invariants."""

"""Exact figures of three card poker by counting every pair of hands; nothing here is shared with the reference."""

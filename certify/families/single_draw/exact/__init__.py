"""Exact figures of games of one draw, counted over the ways of a turn; nothing here plays a round."""

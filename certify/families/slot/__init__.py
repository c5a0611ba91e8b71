"""Slots, described in the submission alone: strips, lines, ways, wilds, scatters, features."""

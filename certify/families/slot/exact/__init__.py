"""Exact figures of slots: one spin by complete counting, features as branching, the round from both."""

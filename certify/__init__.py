"""Certification of regulated game mathematics: a submission goes in, signed evidence comes out."""

__version__ = "0.1.0"

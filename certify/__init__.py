"""Certification of regulated game mathematics: a submission goes in, signed evidence comes out."""

import rng as _one_thread  # noqa: F401 - before anything loads numpy

__version__ = "0.1.0"

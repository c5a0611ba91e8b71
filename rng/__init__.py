"""Randomness: entropy, DRBGs, unbiased numbers, shuffles and their tests; knows nothing of games."""

import os

# Matrix products here are small: further threads only wait for each other, which costs as much processor time again,
# and the last digits of a sum would follow the number of cores. Read by the library when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

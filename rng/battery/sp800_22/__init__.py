"""The fifteen statistical tests of NIST SP 800-22 Rev. 1a, on one sequence or on many."""

from rng.battery.sp800_22.battery import TESTS, run

__all__ = ["TESTS", "run"]

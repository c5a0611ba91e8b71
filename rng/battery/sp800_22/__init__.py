"""The fifteen statistical tests of NIST SP 800-22 Rev. 1a, on one sequence or on many."""

from rng.battery.sp800_22.battery import TESTS, run, run_both
from rng.battery.sp800_22.streams import StreamsResult, judge

__all__ = ["TESTS", "StreamsResult", "judge", "run", "run_both"]

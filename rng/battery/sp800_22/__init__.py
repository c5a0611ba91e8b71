"""The fifteen statistical tests of NIST SP 800-22 Rev. 1a, on one sequence or on many."""

from rng.battery.sp800_22.battery import TESTS, run, run_both
from rng.battery.sp800_22.streams import StreamsReport, StreamsResult, run_streams

__all__ = ["TESTS", "StreamsReport", "StreamsResult", "run", "run_both", "run_streams"]

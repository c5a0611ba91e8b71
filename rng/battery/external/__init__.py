"""Other people's batteries beside ours: run where they are installed, or their logs read."""

from rng.battery.external.model import OtherBattery, OtherRow
from rng.battery.external.programs import PROGRAMS, find, run
from rng.battery.external.reading import read_log

__all__ = ["PROGRAMS", "OtherBattery", "OtherRow", "find", "read_log", "run"]

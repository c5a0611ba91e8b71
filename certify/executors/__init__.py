"""Where work runs that falls into pure chunks: threads, processes or a cluster, with the same result."""

from certify.executors.port import Executor, InTurn, Work, WorkerError
from certify.executors.spec import open_executor, parse_executor

__all__ = ["Executor", "InTurn", "Work", "WorkerError", "open_executor", "parse_executor"]

"""Where work runs that falls into pure chunks: threads, processes or a cluster, with the same result."""

from certify.executors.packages import (
    GROUP,
    PackageCode,
    PackageOffer,
    environment,
    installed,
    load,
    normal,
    offers,
    package_files,
    require_declared,
    require_uncompiled,
    requires,
)
from certify.executors.port import Execution, Executor, InTurn, Threads, Work, WorkerError
from certify.executors.spec import (
    Background,
    BackgroundProcess,
    Deferred,
    ExecutorSpec,
    execution_document,
    execution_words,
    open_background,
    open_executor,
    parse_executor,
)

"""The word instructions under the compiled kernels: population count, trailing zeros, reversal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import types
from numba.extending import intrinsic

WordInstruction = Callable[[np.uint64], np.uint64]


@intrinsic
def _ones(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), code


@intrinsic
def _reversed(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitreverse(arguments[0])

    return types.uint64(types.uint64), code


# Number of ones in a word; number of zeros below its lowest one (64 for zero); its bits in reverse order.
ones_in_word = cast(WordInstruction, _ones)
trailing_zeros = cast(WordInstruction, _trailing_zeros)
reversed_word = cast(WordInstruction, _reversed)

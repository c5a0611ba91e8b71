"""The compiled twins of `rng.shuffle`, `rng.uniform` and `rng.draws`, compared with them bit for bit by the tests."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

# The decorator takes the typing context away from the signature, which its annotations do not say.
_intrinsic: Any = intrinsic


def called_by_kernels(kernel: _Kernel) -> _Kernel:
    """Compiles what kernels alone call and what allocates no array.

    Without an entry from Python and without counts of references compiling takes two fifths less where arguments hold
    many arrays. Python that called it would crash; `tests/architecture/test_kernels.py` finds such a call. A number
    that is written in a call is passed as any other: numba would compile the kernel, and what it calls, once for each.

    Args:
        kernel: The function.
    """
    # Options of numba that its stubs do not know.
    without_entry: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    compiled: Any = njit(cache=True, nogil=True, **without_entry)(kernel)
    template = compiled.get_call_template
    compiled.get_call_template = lambda args, named: template(tuple(map(types.unliteral, args)), named)
    return cast(_Kernel, compiled)


@_intrinsic  # type: ignore[untyped-decorator]
def multiply_high(typing_context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of the 128-bit product of two unsigned words: one machine instruction."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


@njit(cache=True, nogil=True)
def draw_rows(
    words: NDArray[np.uint64],
    rows: NDArray[np.unsignedinteger],
    parts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    products: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
    bounds: NDArray[np.uint64],
) -> tuple[int, int]:
    """Fill each row in turn until the rows are done or the words end.

    Args:
        words: the words to draw from, in order.
        rows: shape (draws, columns), overwritten; where a draw yields more integers, these are its first ones.
        parts: for each step the items that a sample is drawn from (0 for integers), the integers that
            come out, and its number of groups.
        sizes: how many bounds each group has.
        products: the product of the bounds of each group.
        thresholds: for each group 2^64 modulo that product.
        bounds: the bounds of all groups.

    Returns:
        The rows completed and the words that these used.
    """
    most = 1
    for part in range(parts.shape[0]):
        most = max(most, parts[part, 0])
    items = np.empty(most, dtype=np.int64)
    used = 0
    for row in range(rows.shape[0]):
        at = used
        column = 0
        group = 0
        bound = 0
        for part in range(parts.shape[0]):
            sample = parts[part, 0]
            width = min(parts[part, 1], rows.shape[1] - column)
            for i in range(sample):
                items[i] = i
            # Unsigned: a place that may be below zero costs a look at every access.
            position = np.uint64(0)
            for _ in range(parts[part, 2]):
                rest = np.uint64(0)
                accepted = False
                while not accepted:
                    if at >= words.size:
                        return row, used
                    rest = words[at]
                    at += 1
                    accepted = rest * products[group] >= thresholds[group]
                for i in range(min(sizes[group], width - np.int64(position))):
                    value = multiply_high(rest, bounds[bound + i])
                    rest *= bounds[bound + i]
                    if sample == 0:
                        rows[row, column + np.int64(position)] = value
                    else:
                        other = position + value
                        items[position], items[other] = items[other], items[position]
                    position += np.uint64(1)
                bound += sizes[group]
                group += 1
            if sample > 0:
                for i in range(width):
                    rows[row, column + i] = items[i]
            column += width
        used = at
    return rows.shape[0], used

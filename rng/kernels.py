"""The compiled twins of `rng.shuffle` and `rng.uniform`, compared with them bit for bit by the tests."""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

# The decorator takes the typing context away from the signature, which its annotations do not say.
_intrinsic: Any = intrinsic


@_intrinsic  # type: ignore[untyped-decorator]
def _multiply_high(typing_context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of the 128-bit product of two unsigned words: one machine instruction."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


@njit(cache=True, nogil=True)
def shuffle_rows(
    words: NDArray[np.uint64],
    decks: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    thresholds: NDArray[np.uint64],
) -> tuple[int, int]:
    """Shuffle each row in turn until the rows are done or the words end.

    Args:
        words: the words to draw from, in order.
        decks: shape (rows, cards), overwritten.
        sizes: how many draws each group takes from one word.
        thresholds: for each group 2^64 modulo the product of its bounds.

    Returns:
        The rows completed and the words that these used; the words of an incomplete row are not counted.
    """
    rows, cards = decks.shape
    used = 0
    dice = np.empty(64, dtype=np.int64)
    for row in range(rows):
        deck = decks[row]
        for i in range(cards):
            deck[i] = i
        position = 0
        at = used
        for group in range(sizes.size):
            size = sizes[group]
            accepted = False
            while not accepted:
                if at >= words.size:
                    return row, used
                rest = words[at]
                at += 1
                bound = np.uint64(cards - position)
                for i in range(size):
                    dice[i] = _multiply_high(rest, bound)
                    rest = rest * bound
                    bound -= np.uint64(1)
                accepted = rest >= thresholds[group]
            for i in range(size):
                other = position + dice[i]
                card = deck[position]
                deck[position] = deck[other]
                deck[other] = card
                position += 1
        used = at
    return rows, used


@njit(cache=True, nogil=True)
def scale_words(
    words: NDArray[np.uint64], values: NDArray[np.uint64], bound: np.uint64, threshold: np.uint64
) -> tuple[int, int]:
    """Fill `values` with integers below `bound` until it is full or the words end.

    Returns:
        The values made and the words that these used, rejected words between them included.
    """
    made = 0
    used = 0
    while made < values.size and used < words.size:
        word = words[used]
        used += 1
        if word * bound >= threshold:
            values[made] = _multiply_high(word, bound)
            made += 1
    return made, used

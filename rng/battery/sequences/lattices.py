"""Lattices in whole numbers: a short basis, and the vector nearest to a point."""

import numpy as np
from numpy.typing import NDArray

Basis = list[list[int]]


def _dot(first: list[int], second: list[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))


def reduced(basis: Basis) -> Basis:
    """The basis reduced after Lenstra, Lenstra and Lovász, in whole numbers throughout.

    Args:
        basis: Linearly independent vectors, one a row.

    Source: Cohen, A Course in Computational Algebraic Number Theory (1993), algorithm 2.6.7 (integral LLL).

    Example:
        >>> reduced([[1, 5], [0, 26]])
        [[1, 5], [-5, 1]]
    """
    size = len(basis)
    rows = [list(row) for row in basis]
    # d[i] is the Gram determinant of the first i rows, lam[i][j] the coefficient mu times d[j + 1].
    d = [1, _dot(rows[0], rows[0])] + [0] * (size - 1)
    lam = [[0] * size for _ in range(size)]

    def shorten(k: int, j: int) -> None:
        if 2 * abs(lam[k][j]) > d[j + 1]:
            q = (2 * lam[k][j] + d[j + 1]) // (2 * d[j + 1])
            rows[k] = [x - q * y for x, y in zip(rows[k], rows[j], strict=True)]
            lam[k][j] -= q * d[j + 1]
            for i in range(j):
                lam[k][i] -= q * lam[j][i]

    def exchange(k: int, known: int) -> None:
        rows[k], rows[k - 1] = rows[k - 1], rows[k]
        lam[k][: k - 1], lam[k - 1][: k - 1] = lam[k - 1][: k - 1], lam[k][: k - 1]
        mu = lam[k][k - 1]
        new = (d[k - 1] * d[k + 1] + mu * mu) // d[k]
        for i in range(k + 1, known + 1):
            old = lam[i][k]
            lam[i][k] = (d[k + 1] * lam[i][k - 1] - mu * old) // d[k]
            lam[i][k - 1] = (new * old + mu * lam[i][k]) // d[k + 1]
        d[k] = new

    k, known = 1, 0
    while k < size:
        if k > known:
            known = k
            for j in range(k + 1):
                u = _dot(rows[k], rows[j])
                for i in range(j):
                    u = (d[i + 1] * u - lam[k][i] * lam[j][i]) // d[i]
                if j < k:
                    lam[k][j] = u
                else:
                    d[k + 1] = u
        shorten(k, k - 1)
        if 4 * (d[k + 1] * d[k - 1] + lam[k][k - 1] ** 2) < 3 * d[k] ** 2:
            exchange(k, known)
            k = max(1, k - 1)
        else:
            for j in range(k - 2, -1, -1):
                shorten(k, j)
            k += 1
    return rows


def nearest(basis: Basis, target: list[int]) -> list[int]:
    """A vector of the lattice near a point: the nearest plane, dimension by dimension.

    Args:
        basis: The basis of a lattice, reduced.
        target: The point.

    Source: Babai, Combinatorica 6 (1986), 1-13.

    Example:
        >>> nearest([[1, 5], [5, -1]], [7, 3])
        [6, 4]
    """
    rows, across = _planes(basis)
    left, found = list(target), [0] * len(target)
    for k in range(len(target) - 1, -1, -1):
        direction = across[:, k]
        step = round(float(direction @ np.array(left, dtype=np.float64)) / float(direction @ rows[k]))
        left = [x - step * y for x, y in zip(left, basis[k], strict=True)]
        found = [x + step * y for x, y in zip(found, basis[k], strict=True)]
    return found


def _planes(basis: Basis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The vectors, and one direction a column, each across the vectors before its own: the planes lie across it."""
    rows = np.array([[float(x) for x in row] for row in basis])
    return rows, np.linalg.qr(rows.T)[0]


def nearest_of_each(basis: Basis, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The vectors near many points, one a column, where words of 64 bits hold all that is added up.

    Example:
        >>> nearest_of_each([[1, 5], [5, -1]], np.array([[7, 1], [3, 5]])).tolist()
        [[6, 1], [4, 5]]
    """
    rows, across = _planes(basis)
    left, found = targets.astype(np.float64), np.zeros_like(targets)
    for k in range(len(targets) - 1, -1, -1):
        steps = np.rint(across[:, k] @ left / (across[:, k] @ rows[k]))
        left -= np.outer(rows[k], steps)
        found += np.outer(rows[k].astype(np.int64), steps.astype(np.int64))
    return found

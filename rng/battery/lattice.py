"""Short vectors of a lattice of whole numbers, and the vector of the lattice nearest to a point."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Planes:
    """A reduced basis with the directions in which its planes lie, for many searches in the same lattice.

    Args:
        basis: The basis, one vector a row.
        across: One orthonormal direction a column, each across the vectors before its own.
        rows: The basis in floating point.
    """

    basis: Basis
    across: NDArray[np.float64]
    rows: NDArray[np.float64]


def planes(basis: Basis) -> Planes:
    """The planes of a reduced basis."""
    rows = np.array([[float(x) for x in row] for row in basis])
    return Planes(basis, np.linalg.qr(rows.T)[0], rows)


def nearest(lattice: Planes, target: list[int]) -> list[int]:
    """A vector of the lattice near a point: the nearest plane, dimension by dimension.

    Args:
        lattice: The planes of a reduced basis.
        target: The point.

    Source: Babai, Combinatorica 6 (1986), 1-13.

    Example:
        >>> nearest(planes([[1, 5], [5, -1]]), [7, 3])
        [6, 4]
    """
    left, found = list(target), [0] * len(target)
    for k in range(len(target) - 1, -1, -1):
        direction = lattice.across[:, k]
        step = round(float(direction @ np.array(left, dtype=np.float64)) / float(direction @ lattice.rows[k]))
        left = [x - step * y for x, y in zip(left, lattice.basis[k], strict=True)]
        found = [x + step * y for x, y in zip(found, lattice.basis[k], strict=True)]
    return found

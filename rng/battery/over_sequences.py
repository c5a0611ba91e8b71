"""Which p-values of a test over many sequences a verdict takes into its family."""

from __future__ import annotations

from typing import Final

UNIFORMITY_DECIDES: Final = 500
"""Far out in its tail the chi-square of the uniformity counts too many rejections over fewer sequences: at 1.8e-5,
where Holm's procedure reads it, 2.2 times as many over 55 and 1.3 times over 200. Below this number it is shown and
decides nothing."""


def family_of_column(
    label: str, size: int, smallest: float, proportion: float, uniformity: float | None
) -> dict[str, float]:
    """Returns what one p-value of a test becomes over many sequences, by label.

    The smallest over the sequences, corrected for their number (Bonferroni), the proportion of sequences that pass
    (exact binomial), and, over enough sequences, the uniformity (NIST SP 800-22 Rev. 1a, 4.2).

    >>> family_of_column("template 1", 100, 0.002, 0.7, 0.4)
    {'template 1 smallest of 100': 0.2, 'template 1 proportion': 0.7}
    """
    found = {f"smallest of {size}": min(1.0, size * smallest), "proportion": min(1.0, proportion)}
    if uniformity is not None and size >= UNIFORMITY_DECIDES:
        found["uniformity"] = uniformity
    return {f"{label} {name}".strip(): p_value for name, p_value in found.items()}

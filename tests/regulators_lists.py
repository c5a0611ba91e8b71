"""Which of our tests answers which item of the regulators' lists."""

# Names are ``suite/test``. The lists are paraphrased; each source gives the clause.
GLI_19 = {
    # GLI-19 v3.0 3.2.2 (a) to (g)
    "total distribution or chi-square": ("sequences/frequency", "cards/card-position", "cards/each-position"),
    "overlaps": ("sequences/overlaps", "cards/position-pairs"),
    "coupon collector": ("sequences/coupon-collector",),
    "runs": ("sequences/runs", "cards/runs"),
    "interplay correlation": (
        "sequences/interplay-correlation",
        "cards/position-pairs",
    ),
    "serial correlation": (
        "sequences/serial-correlation",
        "cards/serial-correlation",
        "cards/lagged-places",
    ),
    "duplicates": (
        "sequences/duplicates",
        "cards/duplicates",
        "cards/disguised-copies",
    ),
}

CFR_547_14 = {
    # 25 CFR 547.14(b)(2)
    "chi-square": GLI_19["total distribution or chi-square"],
    "runs": GLI_19["runs"],
    "serial correlation": GLI_19["serial correlation"],
    "equidistribution": ("sequences/frequency", "cards/card-position"),
    "gap": ("sequences/gap",),
    "poker": ("sequences/poker",),
    "coupon collector": GLI_19["coupon collector"],
    "permutation": ("sequences/permutation", "cards/fisher-yates-draws"),
    "spectral": ("sp800-22/fft", "whole-stream/periodogram"),
    "subsequences": ("sequences/subsequences",),
}

PENNSYLVANIA = {
    # 58 Pa. Code 810a.5(c)
    "chi-square": GLI_19["total distribution or chi-square"],
    "equidistribution": CFR_547_14["equidistribution"],
    "gap": CFR_547_14["gap"],
    "overlaps": GLI_19["overlaps"],
    "poker": CFR_547_14["poker"],
    "coupon collector": GLI_19["coupon collector"],
    "permutation": CFR_547_14["permutation"],
    "Kolmogorov-Smirnov": ("sequences/kolmogorov-smirnov",),
    "adjacency criterion": ("sequences/adjacency", "cards/position-pairs"),
    "order statistic": ("sequences/permutation",),
    "runs": GLI_19["runs"],
    "interplay correlation": GLI_19["interplay correlation"],
    "serial correlation": GLI_19["serial correlation"],
    "subsequences": CFR_547_14["subsequences"],
    "Poisson": ("sequences/poisson",),
}

SOUTH_DAKOTA = {
    # S.D. 48:02:08:02(1) to (4); the same four in W.Va. 29-22B-909 and N.M. 15.1.7.13
    "chi-square for each card position": ("cards/each-position",),
    "runs for each card position": ("cards/runs",),
    "correlation of each pair of positions": ("cards/position-pairs",),
    "serial correlation with the previous game": ("cards/serial-correlation", "cards/lagged-places"),
}

LISTS = {
    "GLI-19 v3.0 3.2.2": GLI_19,
    "25 CFR 547.14(b)(2)": CFR_547_14,
    "58 Pa. Code 810a.5(c)": PENNSYLVANIA,
    "S.D. 48:02:08:02": SOUTH_DAKOTA,
}

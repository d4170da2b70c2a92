"""Measures of a reader who goes on or stops (C/W/L; Moffat et al. 2017), and of a list's overlap with an ideal one."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.family import OF_VALUES, Cut, family

_SCALE = ("max_rel", "min_rel")  # The ends of the scale of grades, between which gains lie: ir_measures' names

DECLARED = (
    family(
        "NERR8(max_rel=4)@10",
        "nearly expected reciprocal rank: a reader stops at a gain, or at k",
        Cut.REQUIRED,
        *("is_graded", "needs_ranks", "is_monotone"),
        parameters=_SCALE,
    ),
    family(
        "NERR9(max_rel=4)@10",
        "nearly expected reciprocal rank, weights over ranks",
        Cut.REQUIRED,
        *("is_graded", "needs_ranks", "is_monotone"),
        parameters=_SCALE,
    ),
    family(
        "NERR10(max_rel=4, p=0.9)",
        "nearly expected reciprocal rank of a persistent reader",
        Cut.NONE,
        *("is_graded", "needs_ranks", "is_monotone"),
        parameters=("p", *_SCALE),
        axes=(*OF_VALUES, "reader_horizon"),
    ),
    family(
        "NERR11(T=1, max_rel=4)",
        "nearly expected reciprocal rank of a reader who wants T in all",
        Cut.NONE,
        *("is_graded", "needs_ranks", "is_monotone"),
        parameters=("T", *_SCALE),
        axes=(*OF_VALUES, "reader_horizon"),
    ),
    family(
        "INSQ(T=1, max_rel=4)",
        "gain weighted by inverse squares of ranks",
        Cut.NONE,
        *("is_graded", "needs_ranks", "is_additive", "is_monotone"),
        parameters=("T", *_SCALE),
        axes=(*OF_VALUES, "reader_horizon"),
    ),
    family(
        "INST(T=1, max_rel=4)",
        "gain weighted by inverse squares, the less the more was gained",
        Cut.NONE,
        *("is_graded", "needs_ranks"),
        parameters=("T", *_SCALE),
        axes=(*OF_VALUES, "reader_horizon"),
    ),
    family(
        "BPM(T=1, max_rel=4)@10",
        "gain a document up to a gain of T, or to rank k (Bejeweled player model)",
        Cut.REQUIRED,
        *("is_graded", "needs_ranks"),
        parameters=("T", *_SCALE),
    ),
    family(
        "SDCG(max_rel=4)@10",
        "discounted cumulated gain over that of k documents of the highest grade",
        Cut.REQUIRED,
        *("is_graded", "needs_ranks", "is_additive", "is_monotone"),
        parameters=_SCALE,
    ),
    family(
        "Compat(p=0.95)",
        "compatibility: rank-biased overlap with the nearest ideal ranking",
        Cut.NONE,
        *("is_graded", "needs_ranks", "is_monotone", "counts_retrieved"),
        parameters=("normalize", "p"),
        axes=(*OF_VALUES, "compat_persistence", "compat_depth", "compat_normalization"),
    ),
)
"""In the order in which measures are listed."""

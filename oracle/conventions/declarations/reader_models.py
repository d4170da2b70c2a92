"""Measures of a reader who goes on or stops (C/W/L; Moffat et al. 2017), and of a list's overlap with an ideal one."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.family import OF_VALUES, Cut, Family, family

_SCALE = ("max_rel", "min_rel")  # The ends of the scale of grades, between which gains lie: ir_measures' names


def _reader(example: str, about: str, *traits: str, takes: tuple[str, ...] = ()) -> Family:
    """Return a family of readers; those of a measure without a cutoff may go on without end."""
    cut, more = (Cut.REQUIRED, ()) if "@" in example else (Cut.NONE, ("reader_horizon",))
    parameters, axes = (*takes, *_SCALE), (*OF_VALUES, *more)
    return family(example, about, cut, "is_graded", "needs_ranks", *traits, parameters=parameters, axes=axes)


_NERR = "nearly expected reciprocal rank"
DECLARED = (
    _reader("NERR8(max_rel=4)@10", f"{_NERR}: a reader stops at a gain, or at k", "is_monotone"),
    _reader("NERR9(max_rel=4)@10", f"{_NERR}, weights over ranks", "is_monotone"),
    _reader("NERR10(max_rel=4, p=0.9)", f"{_NERR} of a persistent reader", "is_monotone", takes=("p",)),
    _reader("NERR11(T=1, max_rel=4)", f"{_NERR} of a reader who wants T in all", "is_monotone", takes=("T",)),
    _reader(
        "INSQ(T=1, max_rel=4)", "gain weighted by inverse squares of ranks", "is_additive", "is_monotone", takes=("T",)
    ),
    _reader("INST(T=1, max_rel=4)", "gain weighted by inverse squares, the less the more was gained", takes=("T",)),
    _reader(
        "BPM(T=1, max_rel=4)@10",
        "gain a document up to a gain of T, or to rank k (Bejeweled player model)",
        takes=("T",),
    ),
    _reader(
        "SDCG(max_rel=4)@10",
        "discounted cumulated gain over that of k documents of the highest grade",
        *("is_additive", "is_monotone"),
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

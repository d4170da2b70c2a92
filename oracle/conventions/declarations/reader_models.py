"""Measures of a reader who goes on or stops (C/W/L; Moffat et al. 2017), and of a list's overlap with an ideal one."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.family import OF_VALUES, Cut, Family

_SCALE = ("max_rel", "min_rel")  # The ends of the scale of grades, between which gains lie: ir_measures' names

_READER = Family(
    name="",
    about="",
    example="",
    cut=Cut.NONE,
    axes=OF_VALUES,
    parameters=("T", *_SCALE),
    is_graded=True,
    needs_ranks=True,
)
"""What they have in common."""

DECLARED = (
    _READER._replace(
        name="NERR8",
        about="nearly expected reciprocal rank: a reader stops at a gain, or at k",
        cut=Cut.REQUIRED,
        parameters=_SCALE,
        example="NERR8(max_rel=4)@10",
        is_monotone=True,
    ),
    _READER._replace(
        name="NERR9",
        about="nearly expected reciprocal rank, weights over ranks",
        cut=Cut.REQUIRED,
        parameters=_SCALE,
        example="NERR9(max_rel=4)@10",
        is_monotone=True,
    ),
    _READER._replace(
        name="NERR10",
        about="nearly expected reciprocal rank of a persistent reader",
        parameters=("p", *_SCALE),
        axes=(*OF_VALUES, "reader_horizon"),
        example="NERR10(max_rel=4, p=0.9)",
        is_monotone=True,
    ),
    _READER._replace(
        name="NERR11",
        about="nearly expected reciprocal rank of a reader who wants T in all",
        axes=(*OF_VALUES, "reader_horizon"),
        example="NERR11(T=1, max_rel=4)",
        is_monotone=True,
    ),
    _READER._replace(
        name="INSQ",
        about="gain weighted by inverse squares of ranks",
        axes=(*OF_VALUES, "reader_horizon"),
        example="INSQ(T=1, max_rel=4)",
        is_additive=True,
        is_monotone=True,
    ),
    _READER._replace(
        name="INST",
        about="gain weighted by inverse squares, the less the more was gained",
        axes=(*OF_VALUES, "reader_horizon"),
        example="INST(T=1, max_rel=4)",
    ),
    _READER._replace(
        name="BPM",
        about="gain a document up to a gain of T, or to rank k (Bejeweled player model)",
        cut=Cut.REQUIRED,
        example="BPM(T=1, max_rel=4)@10",
    ),
    _READER._replace(
        name="SDCG",
        about="discounted cumulated gain over that of k documents of the highest grade",
        cut=Cut.REQUIRED,
        parameters=_SCALE,
        example="SDCG(max_rel=4)@10",
        is_additive=True,
        is_monotone=True,
    ),
    _READER._replace(
        name="Compat",
        about="compatibility: rank-biased overlap with the nearest ideal ranking",
        parameters=("normalize", "p"),
        axes=(*OF_VALUES, "compat_persistence", "compat_depth", "compat_normalization"),
        example="Compat(p=0.95)",
        is_monotone=True,
        counts_retrieved=True,
    ),
)
"""In the order in which measures are listed."""

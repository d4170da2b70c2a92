"""The grammar, fifth part: what the number is divided by, and what it is multiplied with.

A line each. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, log2, over, sqrt
from rankspec.conformance.infer.formulas.sight import Sight
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator
from rankspec.oracle.conventions.axis import Setting


@dataclass(frozen=True, eq=False)
class Share:
    """A size by which is divided, or with which is multiplied.

    Attributes:
        words: what it is.
        of: a column of sizes.
        settings: axis -> setting, where it is a convention's; those of axes that a measure has count.
        cuts: it speaks of k, and means nothing new where there is none.
    """

    words: str
    of: Callable[[Sight], Numbers]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    cuts: bool = False


R = Share("R", lambda x: x.r, {"denominator": Denominator.RELEVANT, "recall_denominator": RecallDenominator.RELEVANT})
K = Share("k", lambda x: x.k, {"denominator": Denominator.CUTOFF, "precision_denominator": PrecisionDenominator.CUTOFF}, cuts=True)  # fmt: skip
NOTHING_DIVIDES = Share("1", lambda x: x.r * 0 + 1)
R_AND_K = Share("R + k", lambda x: x.r + x.k)
M = Share("m, the documents that are looked at", lambda x: x.m, {"denominator": Denominator.LENGTH, "precision_denominator": PrecisionDenominator.MIN_CUTOFF_LENGTH})  # fmt: skip


def _alone(x: Sight) -> Numbers:
    return np.where(x.h == 1, x.r * 0 + 1, x.r)


DIVISORS = (
    R,
    K,
    NOTHING_DIVIDES,
    M,
    Share("min(R, k)", lambda x: np.minimum(x.r, x.k), {"denominator": Denominator.MIN_RELEVANT_CUTOFF, "recall_denominator": RecallDenominator.MIN_RELEVANT_CUTOFF, "precision_denominator": PrecisionDenominator.MIN_RELEVANT_CUTOFF}, cuts=True),
    Share("min(R, k, m)", lambda x: np.minimum(np.minimum(x.r, x.k), x.m), {"denominator": Denominator.MIN_RELEVANT_CUTOFF_LENGTH}, cuts=True),
    Share("min(R, m)", lambda x: np.minimum(x.r, x.m), {"denominator": Denominator.MIN_RELEVANT_LENGTH}),
    Share("min(k, m)", lambda x: np.minimum(x.k, x.m), {"denominator": Denominator.MIN_CUTOFF_LENGTH}, cuts=True),
    Share("H, the hits", lambda x: x.h, {"denominator": Denominator.RETRIEVED_RELEVANT}),
    Share("the hits of the list before the cutoff", lambda x: x.a, {"denominator": Denominator.RELEVANT_IN_LIST}, cuts=True),
    R_AND_K,
    Share("R + m", lambda x: x.r + x.m),
    Share("R + n", lambda x: x.r + x.n, cuts=True),
    Share("R + m - H, all documents together", lambda x: x.r + x.m - x.h),
    Share("max(R, k)", lambda x: np.maximum(x.r, x.k), cuts=True),
    Share("max(R, n)", lambda x: np.maximum(x.r, x.n)),
    Share("max(R, m)", lambda x: np.maximum(x.r, x.m), cuts=True),
    Share("n, the list before the cutoff", lambda x: x.n, cuts=True),
    Share("the number of judged documents", lambda x: x.j),
    Share("R + 1", lambda x: x.r + 1),
    Share("R - 1, or 1", lambda x: np.maximum(x.r - 1, x.r * 0 + 1)),
    Share("H + 1", lambda x: x.h + 1),
    Share("k + 1", lambda x: x.k + 1, cuts=True),
    Share("k - 1, or 1", lambda x: np.maximum(x.k - 1, x.k * 0 + 1), cuts=True),
    Share("m + 1", lambda x: x.m + 1),
    Share("m - 1, or 1", lambda x: np.maximum(x.m - 1, x.m * 0 + 1)),
    Share("the number of misses", lambda x: x.m - x.h),
    Share("the number of misses and one", lambda x: x.m - x.h + 1),
    Share("the rank of the last hit", lambda x: x.end),
    Share("k where the list is as long, else R", lambda x: np.where(x.n >= x.k, x.k, x.r), cuts=True),
    Share("R where the list is longer than k, else k", lambda x: np.where(x.n > x.k, x.r, x.k), cuts=True),
    Share("k where R is above it, else 1", lambda x: np.where(x.r > x.k, x.k, x.r * 0 + 1), cuts=True),
    Share("R, but by 1 where there is one hit", _alone),
    Share("the mean of R and k", lambda x: (x.r + x.k) / 2, cuts=True),
    Share("the root of R", lambda x: sqrt(x.r)),
    Share("the root of R * m", lambda x: sqrt(x.r * x.m)),
    Share("R * R", lambda x: x.r * x.r),
    Share("R * m", lambda x: x.r * x.m),
    Share("k * k", lambda x: x.k * x.k, cuts=True),
    Share("R(R + 1)/2", lambda x: x.r * (x.r + 1) / 2),
    Share("H(H + 1)/2", lambda x: x.h * (x.h + 1) / 2),
    Share("m(m + 1)/2", lambda x: x.m * (x.m + 1) / 2),
    Share("log2(R + 1)", lambda x: log2(x.r + 1)),
    Share("log2(m + 1)", lambda x: log2(x.m + 1)),
    Share("the highest grade", lambda x: x.best),
    Share("R times the highest grade", lambda x: x.r * x.best),
    Share("the sum of the judged grades", lambda x: x.t),
    Share("the harmonic mean of R and k", lambda x: over(2 * x.r * x.k, x.r + x.k), cuts=True),
    Share("the root of R * k", lambda x: sqrt(x.r * x.k), cuts=True),
    Share("the harmonic mean of R and m", lambda x: over(2 * x.r * x.m, x.r + x.m)),
    Share("10", lambda x: x.r * 0 + 10),
    Share("5", lambda x: x.r * 0 + 5),
)  # fmt: skip

ONCE = Share("1", lambda x: x.r * 0 + 1)
TWICE = Share("2", lambda x: x.r * 0 + 2)
FACTORS = (
    ONCE,
    TWICE,
    Share("1/2", lambda x: x.r * 0 + 0.5),
    Share("100", lambda x: x.r * 0 + 100),
    Share("recall H/R", lambda x: over(x.h, x.r)),
    Share("H, the hits", lambda x: x.h),
    Share("precision H/m", lambda x: over(x.h, x.m)),
    Share("H/k", lambda x: over(x.h, x.k), cuts=True),
    Share("min(1, n/k), less than 1 for a short list", lambda x: np.minimum(over(x.n, x.k), x.k * 0 + 1), cuts=True),
    Share("min(1, R/k)", lambda x: np.minimum(over(x.r, x.k), x.k * 0 + 1), cuts=True),
    Share("min(1, k/R)", lambda x: np.minimum(over(x.k, x.r), x.k * 0 + 1), cuts=True),
    Share("min(1, m/R)", lambda x: np.minimum(over(x.m, x.r), x.r * 0 + 1)),
    Share("the root of recall", lambda x: sqrt(over(x.h, x.r))),
    Share("1 - H/R", lambda x: 1 - over(x.h, x.r)),
    Share("the share of misses", lambda x: over(x.m - x.h, x.m)),
    Share("R/(R + 1)", lambda x: over(x.r, x.r + 1)),
    Share("1/log2(R + 1)", lambda x: over(1, log2(x.r + 1))),
    Share("R", lambda x: x.r),
    Share("k", lambda x: x.k, cuts=True),
    Share("m, the documents that are looked at", lambda x: x.m),
    *(Share(f"1 - {p}", lambda x, p=p: x.r * 0 + (100 - round(100 * p)) / 100) for p in (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)),  # type: ignore[misc]
)  # fmt: skip

WITHOUT_HITS = (
    Share("1/(m + 1)", lambda x: over(1, x.m + 1)),
    Share("1/(k + 1)", lambda x: over(1, x.k + 1), cuts=True),
    Share("1/(n + 1)", lambda x: over(1, x.n + 1), cuts=True),
    Share("1/m", lambda x: over(1, x.m)),
    Share("1/(m + R)", lambda x: over(1, x.m + x.r)),
    Share("1/R", lambda x: over(1, x.r)),
    Share("-1", lambda x: x.r * 0 - 1),
    Share("0.5", lambda x: x.r * 0 + 0.5),
)
"""What a list without a hit may be worth where no rule for it holds."""

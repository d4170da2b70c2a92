"""Q-measure: average precision with a blend of precision and cumulated gain at each hit (Sakai 2004)."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.declarations.family import GAINS, OF_VALUES, Cut, Family, Samples
from rankspec.oracle.definitions.expression import (
    COUNT,
    GAINED,
    HIT,
    IDEAL_GAINED,
    RANK,
    RELEVANT,
    Definition,
    Parameter,
)

_BETA = Parameter("beta", Fraction(1))
_BLENDED_RATIO = clause("q.blended-ratio")((COUNT + _BETA * GAINED) / (RANK + _BETA * IDEAL_GAINED))
_Q = clause("q.at")(
    Definition(
        term=HIT * _BLENDED_RATIO,
        divisor=RELEVANT,
        adds="a document that gains adds (hits + beta * gained) / (rank + beta * ideal), beta = {beta}",
        worded=(("beta", _BETA),),
        shown=(("hits", COUNT), ("gained", GAINED), ("ideal", IDEAL_GAINED)),
    )
)

DECLARED = (
    Family(
        name="Q",
        definition=_Q,
        about="Q-measure: precision blended with cumulated gain, averaged over the relevant documents (Sakai 2004)",
        cut=Cut.OPTIONAL,
        parameters=("beta", *GAINS),
        axes=(*OF_VALUES, "gain"),
        example="Q(beta=1)@10",
        samples=Samples(neighbours=("Q", "Q@2"), witnesses=("Q",), unstated=("Q",)),
        is_graded=True,
        needs_ranks=True,
    ),
)
"""The parameter beta is the weight of gains beside hits, 1 if not given; with beta=0 it is average precision."""

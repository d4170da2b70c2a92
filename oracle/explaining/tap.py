"""The derivation of one query under TAP-k: what the cutoff keeps, the precisions there, the terminal term.

It takes the same steps as `measures.tap`, and keeps what they see on the way.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NoRelevant, TapTies, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.data.scores import Score
from rankspec.oracle.explaining.curves import curve_rows
from rankspec.oracle.explaining.listing import DocumentBlocks, binary, condensed_documents
from rankspec.oracle.explaining.steps import Beside, ListDerivation
from rankspec.oracle.measures.curve import operating_points
from rankspec.oracle.measures.estimators import Step, additions
from rankspec.oracle.measures.expectation import expected_terms
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.tap import NO_CUTOFF
from rankspec.oracle.sums import sum_of_fractions


@clause("tap.apc", "tap.apcp")
def tap_list(blocks: DocumentBlocks, relevant: int, x: Score | None, convention: EffectiveConvention) -> ListDerivation:
    """Derive what a query is worth at the cutoff of the set."""
    existing = condensed_documents(tuple(islice(blocks, convention.depth)), convention.unjudged)
    kept = tuple(block for block in existing if _is_kept(block[0].score, x, convention.tap_ties))
    labels = binary(kept)
    points = operating_points(labels)
    documents, found = (points[-1].retrieved, points[-1].hits) if points else (0, 0)
    if convention.ties is Ties.EXPECTED:
        terms = [tuple(each) for each in expected_terms(labels)]
        added = [sum_of_fractions(each) for each in terms]
    else:
        terms = [()] * len(kept)
        added = additions(Step(1, len(labels), None, convention.recall_grid), points)
    rows = curve_rows(kept, relevant or 1, added, ahead=False, terms=terms)
    left_out = sum(map(len, blocks)) - documents
    whole = Fraction(1)
    if relevant == 0 and convention.no_relevant is NoRelevant.RECIPROCAL:
        rule = f"no_relevant=reciprocal, 1/({documents} kept + 1)"
        return ListDerivation(whole, rows, Fraction(1, documents + 1), rule=rule, left_out=left_out)
    if relevant == 0:
        rule = f"no_relevant={convention.no_relevant}"
        return ListDerivation(whole, rows, RULES[convention.no_relevant], rule=rule, left_out=left_out)
    if found == 0:
        rule = f"no_hits={convention.no_hits}"
        return ListDerivation(whole, rows, RULES[convention.no_hits], rule=rule, left_out=left_out)
    last = Fraction(0) if x is NO_CUTOFF else Fraction(found, documents)
    total = sum_of_fractions(added) + last
    return ListDerivation(
        whole,
        rows,
        total / (relevant + 1),
        relevant,
        f"R = {relevant}",
        Fraction(relevant + 1),
        "R + 1",
        total,
        beside=None if x is NO_CUTOFF else Beside("terminal term", f"{found} hits / {documents} documents kept", last),
        left_out=left_out,
    )


def _is_kept(score: Score | None, x: Score | None, rule: TapTies) -> bool:
    return x is NO_CUTOFF or (score is not None and (score > x or (score == x and rule is TapTies.KEPT)))

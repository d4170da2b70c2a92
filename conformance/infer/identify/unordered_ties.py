"""Ties in no fixed order: every answer is the value of some order of the tied documents, as after an unstable sort.

Inputs without ties tell all other axes; inputs with ties only have to be possible. Nothing is asked for this: which
orders a sort makes, and from which length on, depends on the processor, and what is reported must not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankspec.conformance.infer.identify.chance import Orders, has_tied_documents
from rankspec.conformance.infer.identify.conclusions import identified
from rankspec.conformance.infer.identify.evidence import with_errors
from rankspec.conformance.infer.identify.explanations import compares_docnos_otherwise
from rankspec.conformance.infer.identify.failing_inputs import observe_errors
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.narrowing import narrowed_within
from rankspec.conformance.infer.identify.nearest import nearest
from rankspec.conformance.infer.identify.prediction import MOST_PREDICTIONS, OverBudgetError
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.version_space import Versions, narrowed
from rankspec.conformance.run.outcomes import Outcome
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import Convention

UNORDERED = "ties: in no fixed order (an unstable sort, as numpy's default; `kind='stable'` keeps the input's)"
_BUDGET = 400_000
"""In predictions. The four commonest APs of numpy take 20,000 to 60,000."""


def unordered_ties(interview: Interview) -> Identification | None:
    """Report the conventions that fit apart from ties; None where some answer is that of no order of the ties.

    An order that has a name is for others to find: this explains each of them as well.
    """
    if "ties" not in interview.space.settings:
        return None
    evidence, singles = interview.all, interview.small.singles
    tied = {each: evidence.answers[each] for each in evidence.numbers if has_tied_documents(each)}
    others = [each for each in evidence.numbers if each not in tied]

    def is_right(each: ShapedProbe, member: Convention) -> bool:
        fitting = interview.fits(each, evidence.answers[each], member, singles=singles)
        return fitting or not interview.is_feasible(each, member)

    everything = Versions.all_of(interview.space.restricted({"ties": (Ties.INPUT_ORDER,)}))
    small, large = ([each for each in others if (each in interview.related) is is_large] for is_large in (False, True))
    if not small:
        return None
    try:
        with interview.predictor.effort.within(MOST_PREDICTIONS):
            versions = narrowed(everything, small, is_right)
        versions = _possible(interview, versions, tied, singles=singles)
        versions = narrowed_within(versions, large, is_right, interview.predictor, _BUDGET)
    except OverBudgetError:
        return None
    reading = with_errors(versions, interview.small, interview.predictor)
    if not reading.versions.members or reading.contradictions or _is_an_order_of_docnos(interview):
        return None
    interview.observations.insert(0, UNORDERED)
    observe_errors(interview, reading.refusals, reading.long)
    found = identified(interview, reading)
    return replace(found, axes={**found.axes, "ties": ()}, deviations=(UNORDERED,))


def _is_an_order_of_docnos(interview: Interview) -> bool:
    """Tell whether ties are in an order of docnos that has a name, as one that ignores case."""
    if Ties.DOCNO_ASCENDING not in interview.space.settings["ties"]:
        return False
    near = nearest(interview.space, interview.small, interview.predictor)
    return near is not None and bool(near.parting) and compares_docnos_otherwise(interview, interview.small, near)


def _possible(
    interview: Interview, versions: Versions, tied: Mapping[ShapedProbe, Outcome], *, singles: bool
) -> Versions:
    """Return the conventions that give each answer in some order; of these the ones that leave the fewest orders.

    Scores that are near to each other are tied in singles, where every order would do: who orders them as doubles do
    compares doubles.
    """
    orders = Orders(interview.predictor, singles=singles)
    versions = narrowed_within(
        versions, list(tied), lambda each, member: orders.give(each, tied[each], member), interview.predictor, _BUDGET
    )
    counts = {member: sum(orders.count(each, member) for each in tied) for member in versions.members}
    return versions.left_by(lambda member: counts[member] == min(counts.values()))

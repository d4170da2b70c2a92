"""Many queries at once: correctly rounded doubles at the price of plain floats, on numpy arrays.

    lists = lists_of_labels(labels, offsets, num_relevant)
    found = values_of(parse_measure("AP@10"), lists, parse_convention("trec_eval-9.0.8"))
    found.doubles, found.certified, found.mean().double

`values_of_scored` takes scores instead of labels in rank order.
"""

from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, Lists, lists_of_labels
from rankspec.oracle.scoring.batch.scored import Scored, values_of_scored
from rankspec.oracle.scoring.batch.values import Mean, NeedsScoresError, Values, values_of

__all__ = [
    "UNJUDGED",
    "Judged",
    "Lists",
    "Mean",
    "NeedsScoresError",
    "Scored",
    "Values",
    "lists_of_labels",
    "values_of",
    "values_of_scored",
]

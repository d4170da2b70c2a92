"""Axes and parameters that many families share."""

from __future__ import annotations

OF_QUERIES = ("missing_query", "unknown_query")
"""How queries come to count."""

OF_LISTS = ("negative_grades", "duplicates", "score_precision", "ties", "depth", *OF_QUERIES)
"""How a list comes about."""

OF_MEANS = ("empty_mean", "aggregate", "geometric_floor", "geometric_zero")
"""How queries' values become one."""

OF_COUNTS = ("unjudged", *OF_LISTS)
"""What a number of documents can depend on."""

OF_JUDGED_VALUES = (*OF_LISTS, "no_relevant", "no_hits", *OF_MEANS)
"""What a value that is made of judged documents alone can depend on."""

OF_VALUES = ("unjudged", *OF_JUDGED_VALUES)
"""What a value can depend on."""

RELEVANCE = ("judged_only", "rel")
"""Parameters of what looks at relevant documents."""

GAINS = ("dcg", "gains", "judged_only")
"""Parameters of what looks at gains."""

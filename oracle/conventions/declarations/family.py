"""What is declared of a family of measures: what it takes, the axes that its value can depend on, and its traits.

What the rest of the project has to know of a single measure is declared: no other module asks for a measure's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from rankspec.oracle.conventions.axes import Aggregate, AxisValue
from rankspec.oracle.definitions.expression import DOCUMENT, FIRST, HIT, JUDGED, ONE, Definition, names

# ---- Axes that most families have

OF_QUERIES = ("missing_query", "unknown_query")  # How queries come to count
OF_LISTS = ("negative_grades", "duplicates", "score_precision", "ties", "depth", *OF_QUERIES)  # How a list comes about
OF_MEANS = ("empty_mean", "aggregate", "geometric_floor", "geometric_zero")  # How queries' values become one
OF_COUNTS = ("unjudged", *OF_LISTS)  # What a number of documents can depend on
OF_JUDGED_VALUES = (*OF_LISTS, "no_relevant", "no_hits", *OF_MEANS)
"""What a value that is made of judged documents alone can depend on."""

OF_VALUES = ("unjudged", *OF_JUDGED_VALUES)  # What a value can depend on
RELEVANCE = ("judged_only", "rel")  # Parameters of what looks at relevant documents
GAINS = ("dcg", "gains", "judged_only")  # Parameters of what looks at gains
_COUNTED = (HIT, JUDGED, DOCUMENT - JUDGED)


class Cut(Enum):
    """What a measure takes after `@`."""

    NONE = "none"  # Nothing
    OPTIONAL = "optional"  # A number of documents, if it likes
    REQUIRED = "required"  # A number of documents
    FALSE_POSITIVES = "false positives"
    """A median number of false positives, at whose score the lists of all queries are cut."""

    RECALL = "recall"  # A recall level, from 0 to 1
    MULTIPLE = "multiple"  # A multiple of R, above 0


class Favoured(Enum):
    """The documents that raise a measure."""

    WORTH = "worth"  # Relevant ones, or those of higher gain
    JUDGED = "judged"  # Judged ones
    UNJUDGED = "unjudged"  # Those that nobody judged
    NONRELEVANT = "nonrelevant"  # Judged ones that are not relevant


class Family(NamedTuple):
    """A family of measures."""

    name: str  # what stands before `(` and `@`
    about: str  # what it is, in a line
    cut: Cut  # what it takes after `@`
    axes: tuple[str, ...]  # the axes on which its value can depend
    example: str  # an expression that is one of it
    definition: Definition | None = None  # what it computes of a list; None where that is a function in `measures/`
    parameters: tuple[str, ...] = RELEVANCE  # what it takes in brackets
    unstated: tuple[str, ...] = ()  # expressions that stand for it where nobody states a measure
    # axis -> the setting that its name says, whatever the convention
    implies: Mapping[str, AxisValue] = {}
    # values of its axes that mean nothing for it -> why, as the rest of a sentence
    excludes: Mapping[AxisValue, str] = {}
    favours: Favoured = Favoured.WORTH  # the documents that raise it
    is_count: bool = False  # it is a number of things, which is added up over the queries, and has no undefined values
    is_graded: bool = False  # grades are gains, instead of relevant or not
    is_area: bool = False  # it is an area under the precision-recall curve, estimated as the convention says
    # it is a sum over ranks of a weight times the document's worth, so that a block of undecided order is worth its
    # mean
    is_additive: bool = False
    is_monotone: bool = False  # a better document further up never lowers it, under settings that don't say otherwise
    is_judgeable: bool = False  # its range over judgements is known: `judging` has the rule
    # it is a measure of the set that was retrieved, so that no order changes it if nothing is cut off
    is_order_free: bool = False
    is_of_query: bool = False  # it is not 0 where nothing was retrieved, but what the query and its qrels say
    counts_queries: bool = False  # every query that takes part counts as one, an unknown one too
    limit_is_relevant: bool = False  # only the first R documents are evaluated
    needs_ranks: bool = False  # it needs the rank of each document, which a block of `ties=grouped` does not give
    # it tells unjudged documents from judged ones that are not relevant, though both keep their rank
    tells_unjudged: bool = False
    counts_retrieved: bool = False  # the number of documents evaluated enters the value, whatever the convention
    counts_outside: bool = False  # judged documents that were not retrieved count, even if they are not relevant
    by_subtopic: bool = False  # documents are relevant to some of the query's subtopics; without subtopics there is one
    # preferences between judged documents count; plain grades are levels of one judgment group
    by_preference: bool = False
    of_each_group: str | None = None  # the family of which it is the mean over judgment groups

    def has(self, axis: str) -> bool:
        """Tell whether its value can depend on an axis."""
        return axis in self.axes

    @property
    def is_of_ranking(self) -> bool:
        """Whether one ranking with its judgements decides it, be it that of all queries' documents."""
        return not (self.by_subtopic or self.by_preference or self.cuts_by_score or self.of_each_group)

    @property
    def is_of_first_hit(self) -> bool:
        """Whether the rank of the first relevant document is all that it looks at."""
        return self.definition is not None and FIRST.name in names(self.definition.term)

    @property
    def is_share(self) -> bool:
        """Whether it is a number of documents over a divisor that no order of ties changes."""
        of = self.definition
        return of is not None and of.term in _COUNTED and of.divisor != ONE and "hits" not in names(of.divisor)

    @property
    def requires_k(self) -> bool:
        """Whether a whole number has to stand after `@`."""
        return self.cut in {Cut.REQUIRED, Cut.FALSE_POSITIVES}

    @property
    def cuts_by_score(self) -> bool:
        """Whether one score cuts the lists of all queries: it needs scores, and queries depend on each other."""
        return self.cut is Cut.FALSE_POSITIVES


def family(example: str, about: str, *traits: str, **declared: Any) -> Family:
    """Return a family of those traits (fields that are True); its value can depend on all that values do.

    Its name is what the example begins with; where that has `@`, it takes a number of documents, if it likes.

    >>> family("SetF(beta=2)", "F of the whole list", "is_monotone")[:3]
    ('SetF', 'F of the whole list', <Cut.NONE: 'none'>)
    """
    name = re.split(r"\(|@(?!R$)", example)[0]
    fields: dict[str, Any] = {**dict.fromkeys(traits, True), **declared}
    cut = Cut.OPTIONAL if "@" in example else Cut.NONE
    return Family(name, about, cut, OF_VALUES, example)._replace(**fields)


def geometric(of: Family) -> Family:
    """Return the same family but for its mean, which is geometric: GMAP of AP."""
    name, implies = f"GM{of.name}", {"aggregate": Aggregate.GEOMETRIC}
    about = f"{of.about}, its mean geometric"
    return of._replace(name=name, example=name, about=about, unstated=(name,), implies=implies)

"""What is declared of a family of measures: what it takes, the axes that its value can depend on, and its traits.

What the rest of the project has to know of a single measure is declared: no other module asks for a measure's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.axes import AxisValue
from rankspec.oracle.definitions.expression import DOCUMENT, HIT, JUDGED, ONE, Definition, names

# ---- Axes that most families have

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


_COUNTED = (HIT, JUDGED, DOCUMENT - JUDGED)


class Cut(Enum):
    """What a measure takes after `@`."""

    NONE = "none"
    """Nothing."""

    OPTIONAL = "optional"
    """A number of documents, if it likes."""

    REQUIRED = "required"
    """A number of documents."""

    FALSE_POSITIVES = "false positives"
    """A median number of false positives, at whose score the lists of all queries are cut."""

    RECALL = "recall"
    """A recall level, from 0 to 1."""

    MULTIPLE = "multiple"
    """A multiple of R, above 0."""


class Favoured(Enum):
    """The documents that raise a measure."""

    WORTH = "worth"
    """Relevant ones, or those of higher gain."""

    JUDGED = "judged"
    """Judged ones."""

    UNJUDGED = "unjudged"
    """Those that nobody judged."""

    NONRELEVANT = "nonrelevant"
    """Judged ones that are not relevant."""


class Samples(NamedTuple):
    """Expressions that stand for a family where conventions are searched.

    Attributes:
        neighbours: those whose neighbouring conventions the shipped cases have to tell apart.
        witnesses: those on which the smallest input for each axis is evaluated for.
        unstated: those that are tried where nobody states a measure.
    """

    neighbours: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()


class Family(NamedTuple):
    """A family of measures.

    Attributes:
        definition: what it computes of a list; None where that is a function in `measures/`.
        name: what stands before `(` and `@`.
        about: what it is, in a line.
        cut: what it takes after `@`.
        parameters: what it takes in brackets.
        axes: the axes on which its value can depend.
        example: an expression that is one of it.
        samples: expressions that stand for it in searches.
        implies: axis -> the setting that its name says, whatever the convention.
        excludes: values of its axes that mean nothing for it -> why, as the rest of a sentence.
        favours: the documents that raise it.
        is_count: it is a number of things, which is added up over the queries, and has no undefined values.
        is_graded: grades are gains, instead of relevant or not.
        is_area: it is an area under the precision-recall curve, estimated as the convention says.
        is_additive: it is a sum over ranks of a weight times the document's worth, so that a block of undecided order
            is worth its mean.
        is_monotone: a better document further up never lowers it, under settings that don't say otherwise.
        is_judgeable: its range over judgements is known: `judging` has the rule.
        is_order_free: it is a measure of the set that was retrieved, so that no order changes it if nothing is cut off.
        is_of_query: it is not 0 where nothing was retrieved, but what the query and its qrels say.
        counts_queries: every query that takes part counts as one, an unknown one too.
        limit_is_relevant: only the first R documents are evaluated.
        needs_ranks: it needs the rank of each document, which a block of `ties=grouped` does not give.
        tells_unjudged: it tells unjudged documents from judged ones that are not relevant, though both keep their rank.
        counts_retrieved: the number of documents evaluated enters the value, whatever the convention.
        by_subtopic: documents are relevant to some of the query's subtopics; without subtopics there is one.
        by_preference: preferences between judged documents count; plain grades are levels of one judgment group.
        of_each_group: the family of which it is the mean over judgment groups.
        no_library: why no library was asked for it, where none was.
        counts_outside: judged documents that were not retrieved count, even if they are not relevant.
    """

    name: str
    about: str
    cut: Cut
    axes: tuple[str, ...]
    example: str
    definition: Definition | None = None
    parameters: tuple[str, ...] = ()
    samples: Samples = Samples()
    implies: Mapping[str, AxisValue] = MappingProxyType({})
    excludes: Mapping[AxisValue, str] = MappingProxyType({})
    favours: Favoured = Favoured.WORTH
    is_count: bool = False
    is_graded: bool = False
    is_area: bool = False
    is_additive: bool = False
    is_monotone: bool = False
    is_judgeable: bool = False
    is_order_free: bool = False
    is_of_query: bool = False
    counts_queries: bool = False
    limit_is_relevant: bool = False
    needs_ranks: bool = False
    tells_unjudged: bool = False
    counts_retrieved: bool = False
    counts_outside: bool = False
    by_subtopic: bool = False
    by_preference: bool = False
    of_each_group: str | None = None
    no_library: str = ""

    def has(self, axis: str) -> bool:
        """Tell whether its value can depend on an axis."""
        return axis in self.axes

    @property
    def is_of_ranking(self) -> bool:
        """Whether one ranking with its judgements decides it, be it that of all queries' documents."""
        return not (self.by_subtopic or self.by_preference or self.cuts_by_score or self.of_each_group)

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

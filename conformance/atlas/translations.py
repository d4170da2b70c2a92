"""The table of translations: for libraries that many use, and each measure that two have, a recipe or a proof of none.

Conventions are compared as far as both calls can show them: an axis that one of them hides is set as in the other.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from string import ascii_lowercase
from typing import Any

from rankspec.conformance.atlas.recipe import ValueRecipe, value_recipe
from rankspec.conformance.cases.shipped_files import shipped_folder
from rankspec.conformance.infer.witness.scope import scope_of
from rankspec.conformance.infer.witness.separation import inputs_of
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run
from rankspec.oracle.errors import InputError, UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined

MOST_QUERIES = 2_000
RANDOM_QUERIES = 300
_MOST_DOCUMENTS = 5
_SEED = 14
_NAN = "nan"

Worth = Fraction | str | None
"""A query's value; None where it does not count, or is refused."""


@dataclass(frozen=True)
class Query:
    """One query of an input; None for what a file lacks."""

    grades: Mapping[str, int] | None
    listed: tuple[Retrieved, ...] | None

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return Qrels({} if self.grades is None else {"q": self.grades})

    @property
    def run(self) -> Run:
        """What was retrieved."""
        return Run({} if self.listed is None else {"q": self.listed})

    @property
    def known(self) -> tuple[tuple[int, ...] | None, int | None]:
        """What is known without looking at the list: every grade of the qrels, and how many were retrieved."""
        return (
            None if self.grades is None else tuple(sorted(self.grades.values())),
            None if self.listed is None else len(self.listed),
        )

    @property
    def given(self) -> dict[str, Any]:
        """The query as a case file writes an input."""
        listed = [[docno, str(score)] for docno, score in self.listed or ()]
        return {
            "qrels": {} if self.grades is None else {"q": dict(self.grades)},
            "run": {} if self.listed is None else {"q": listed},
        }


@dataclass(frozen=True)
class Pair:
    """A query, and what it is worth under A and under B; `refused` by either."""

    query: Query
    a: Worth
    b: Worth
    refused: tuple[bool, bool]


@dataclass(frozen=True)
class ValueTranslation:
    """What is known of a translation of values.

    Attributes:
        recipe: the function, if it gave B's value on all that was tried.
        apart: two queries that are alike in all that is known and in A's value, and are worth two values to B.
        bound: every query of so many documents was tried; `tried` in all, and `random` others.
    """

    recipe: ValueRecipe | None
    apart: tuple[Pair, Pair] | None
    bound: int
    tried: int
    random: int

    @property
    def status(self) -> str:
        """`recipe`, `none` (proved), or `unknown`."""
        return "recipe" if self.recipe is not None else "none" if self.apart is not None else "unknown"


def translate_values(measure: Measure, a: Convention, b: Convention) -> ValueTranslation:
    """Find out whether A's value of a query, with what is known beside it, tells B's."""
    small, bound = every_query(measure, a, b)
    small = [*_plain(measure), *small]
    more = [random_query(measure, source) for source in map(random.Random, range(_SEED, _SEED + RANDOM_QUERIES))]
    recipe = value_recipe(measure, a, b)
    if recipe is not None and not all(
        value_holds(recipe, measure, pair) for pair in _pairs(measure, (*small, *more), a, b)
    ):
        recipe = None
    apart = _apart(_pairs(measure, (*small, *more), a, b)) if recipe is None else None
    return ValueTranslation(recipe, apart, bound, len(small), len(more))


def _pairs(measure: Measure, queries: Iterable[Query], a: Convention, b: Convention) -> Iterator[Pair]:
    return (pair for query in queries if (pair := pair_of(measure, query, a, b)) is not None)


def value_holds(recipe: ValueRecipe, measure: Measure, pair: Pair) -> bool:
    """Run a recipe's text on a query, and tell whether B's value comes of A's."""
    names: dict[str, Any] = {}
    exec(recipe.code, names)  # noqa: S102 - the text that is printed is what is tried
    if pair.refused[1]:
        return True  # there is no value to be had
    grades, length = pair.query.grades, pair.query.known[1]
    relevant = None if grades is None else sum(is_relevant(grade, measure.rel) for grade in grades.values())
    value = float(_NAN) if pair.a == _NAN else pair.a
    return _same(names["translated"](value, relevant, length), pair.b)


def _same(answer: Any, wanted: Worth) -> bool:
    if wanted == _NAN:
        return bool(answer != answer)  # noqa: PLR0124 - only nan is not itself
    return answer is None if wanted is None else bool(answer is not None and answer == wanted)


def pair_of(measure: Measure, query: Query, a: Convention, b: Convention) -> Pair | None:
    """Return what a query is worth to both; None if one of them has no such input (a document twice)."""
    repeats = query.listed is not None and len({docno for docno, _ in query.listed}) < len(query.listed)
    if repeats and "error" in {str(a.duplicates), str(b.duplicates)}:
        return None
    try:
        first, second = (_worth(measure, query, each) for each in (a, b))
    except InputError:
        return None
    values = [None if each in {Undefined.SKIP, Undefined.ERROR} else each for each in (first, second)]
    plain = [_NAN if each is Undefined.NAN else each for each in values]
    return Pair(query, plain[0], plain[1], (first is Undefined.ERROR, second is Undefined.ERROR))


def _worth(measure: Measure, query: Query, convention: Convention) -> Fraction | Undefined:
    try:
        values = evaluate(measure, query.qrels, query.run, convention).exact_per_query
    except UndefinedValueError:
        return Undefined.ERROR
    return comparable(values["q"]) if "q" in values else Undefined.SKIP


def _apart(pairs: Iterable[Pair]) -> tuple[Pair, Pair] | None:
    """Return two queries that refute every recipe, the plainest: among equal ones those that come first."""
    seen: dict[object, Pair] = {}
    for pair in pairs:
        if pair.refused[1]:
            continue
        before = seen.setdefault((pair.query.known, pair.a), pair)
        if before.b != pair.b:
            return before, pair
    return None


def every_query(measure: Measure, a: Convention, b: Convention) -> tuple[list[Query], int]:
    """Return every small query on which the two can differ, or not, up to as many documents as there is room for."""
    scope = replace(scope_of(measure, a, b), can_part=None)
    queries: dict[object, Query] = {}
    bound = -1
    for documents in range(_MOST_DOCUMENTS + 1):
        inputs = list(islice(inputs_of(scope, documents), MOST_QUERIES + 1))
        for each in inputs:
            for query in {*each.judged, *each.listed}:
                one = Query(each.judged.get(query), each.listed.get(query))
                key = (None if one.grades is None else tuple(one.grades.items()), one.listed)
                queries.setdefault(key, one)
        if max(len(inputs), len(queries)) > MOST_QUERIES:
            break
        bound = documents
    return [*islice(queries.values(), MOST_QUERIES)], bound


def _plain(measure: Measure) -> list[Query]:
    """Return every list of a few documents without ties, with every number of relevant documents outside of it."""
    queries = []
    for labels in (each for n in range(1, _MOST_DOCUMENTS + 1) for each in product((0, 1), repeat=n)):
        docnos = ascii_lowercase[: len(labels)]
        listed = Run.of({"q": [(docno, len(labels) - place) for place, docno in enumerate(docnos)]}).documents("q")
        for outside in range(3):
            grades = {docno: max(measure.rel, 1) * label for docno, label in zip(docnos, labels, strict=True)}
            more = {ascii_lowercase[-1 - place]: max(measure.rel, 1) for place in range(outside)}
            queries.append(Query({**grades, **more}, tuple(listed)))
    return queries


def random_query(measure: Measure, source: random.Random) -> Query:
    """Return a query with ties and unjudged documents; some are missing from the run, some unknown to the qrels."""
    grades = [0, 0, measure.rel, measure.rel + 1]
    docnos = source.sample("abcdefghijklmnop", source.randint(1, 9))
    judged = {docno: source.choice(grades) for docno in docnos if source.random() < 0.7}  # noqa: PLR2004
    judged["z"] = source.choice(grades)
    listed = Run.of({"q": [(docno, source.randint(1, 4)) for docno in docnos]}).documents("q")
    which = source.random()
    return Query(None if which < 0.05 else judged, None if which > 0.95 else tuple(listed))  # noqa: PLR2004


FILE = "translations.json"


def shipped_table() -> dict[str, Any]:
    """Return the table that comes with rankspec."""
    data: dict[str, Any] = json.loads((shipped_folder() / FILE).read_text(encoding="utf-8"))
    return data


def value_data(translation: ValueTranslation) -> dict[str, Any]:
    """Return what is known of a translation of values as data."""
    return {
        "status": translation.status,
        "steps": [] if translation.recipe is None else list(translation.recipe.steps),
        "function": None if translation.recipe is None else translation.recipe.code,
        "apart": None if translation.apart is None else [_pair_data(each) for each in translation.apart],
        "bound": translation.bound,
        "tried": translation.tried,
        "random": translation.random,
    }


def _pair_data(pair: Pair) -> Mapping[str, Any]:
    a, b = (None if each is None else str(each) for each in (pair.a, pair.b))
    return {"input": pair.query.given, "a": a, "b": b}

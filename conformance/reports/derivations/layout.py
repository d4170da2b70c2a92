"""Derivations laid out: the same tables and equations for every target, whose visitor only writes them differently.

What is laid out is decided here: which columns a derivation needs, which rows of a long list are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.infer.resolve.first_difference import FirstDifference
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.axes import Aggregate, GeometricZero
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.derivations import Derivation, ListDerivation, QueryDerivation, Row
from rankspec.oracle.measures.terms import Discounted, Term
from rankspec.oracle.rankings.ranking import MISS, Label, Unassessed
from rankspec.oracle.reals.real import Number, Real, scaled
from rankspec.oracle.values import AnyValue, Undefined, Value, to_text, to_value

Cell = str | int | Fraction | Real | Discounted | None

MOST_ROWS = 60  # Longer lists show their relevant documents, and say how many others there are
_MOST_TERMS = 6
_LONGEST_EXPRESSION = 30  # Longer irrational values are written as decimals; what they are made of stands in the rows


class Name(str):
    """Ids in a cell: never a number, even where one is written like one (`3/4`)."""

    __slots__ = ()


@dataclass(frozen=True)
class Grid:
    """A table: headings, rows, and for each row its index in the derivation."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    places: tuple[int, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class Equation:
    """`name = (term + term) / divisor = value`, or `name = value` by a rule."""

    name: str
    terms: tuple[Cell, ...]
    divisor: Number | None  # what the sum is divided by; None where a rule gives the value
    value: Value
    reason: str = ""  # the rule, or what the divisor is
    formula: str = ""  # what stands before the sum, or in its place: `hits / D`, `(1 + w) p r / (w p + r)`
    root: int = 0  # n, where the terms are multiplied and the n-th root is taken instead
    subtracted: Fraction = Fraction(0)  # what is taken off that root


Part = Grid | Equation | str


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in order."""

    heading: str
    parts: tuple[Part, ...]


class Visitor:
    """Writes what is laid out as lines; each target says how it writes a heading, a sentence, a table, an equation."""

    most_queries: int | None = None
    """How many queries are derived, where somebody reads a terminal; all of them if None."""

    head: Callable[[Derivation], Iterable[str]]  # what stands above everything
    heading: Callable[[str], Iterable[str]]  # the heading of a section
    sentence: Callable[[str], Iterable[str]]
    table: Callable[[Grid], Iterable[str]]
    equation: Callable[[Equation], Iterable[str]]

    def tail(self) -> Iterable[str]:
        """Yield what stands below everything."""
        return ()

    def written(self, derivation: Derivation) -> str:
        """Return a derivation as the target has it."""
        lines, laid = list(self.head(derivation)), sections(derivation)
        hidden = 0 if self.most_queries is None else len(derivation.queries) - self.most_queries
        if hidden > 0 and self.most_queries is not None and not derivation.error:
            more = Section(f"and {counted(hidden, 'more query')}; one by itself: --query Q", ())
            laid[self.most_queries : len(derivation.queries)] = [more]
        for section in laid:
            lines += self.heading(section.heading)
            for part in section.parts:
                if isinstance(part, str):
                    lines += self.sentence(part)
                else:
                    lines += self.table(part) if isinstance(part, Grid) else self.equation(part)
        return "\n".join([*lines, *self.tail()])


def sections(derivation: Derivation, *, common: bool = False) -> list[Section]:
    """Lay a derivation out; with `common`, its rows have the columns that every derivation has."""
    measure = str(derivation.measure)
    if derivation.error:
        return [Section("", (f"{measure} is an error: {derivation.error}",))]
    laid = [_query(query, measure, common=common) for query in derivation.queries]
    set_parts = tuple(_of_set(derivation, measure))
    if set_parts:
        laid.append(Section("all queries", set_parts))
    return laid


def title(derivation: Derivation) -> str:
    """Return what is derived, and its value."""
    return f"{expression_text(derivation.measure, derivation.convention)} = {value_text(derivation.value)}"


def difference_text(difference: FirstDifference | None) -> str:
    """Say where two derivations first differ."""
    if difference is None:
        return "No difference: every line is the same."
    return f"First difference: {id_text(difference.text)}"


def value_text(value: AnyValue) -> str:
    """Write a value with its decimal; an irrational one that is long as a decimal alone."""
    text, decimal = to_text(value), decimal_text(value)
    rational = isinstance(value, Undefined | Fraction) or not (isinstance(value, Real) or not value.is_Rational)
    is_long = len(text) > _LONGEST_EXPRESSION and not rational
    return decimal if is_long or text == decimal else f"{text} = {decimal}"


def _query(query: QueryDerivation, measure: str, *, common: bool) -> Section:
    query_name = id_text(query.query)
    heading = f"query {query_name}{', not in the run' if query.missing else ''}: R = {query.relevant}"
    name = f"{measure}({query_name})"
    if query.rule:
        return Section(heading, (Equation(name, (), None, to_value(query.value), query.rule),))
    parts: list[Part] = []
    for number, listed in enumerate(query.lists, start=1):
        if len(query.lists) > 1:
            parts.append(f"list {number}, with probability {listed.probability}:")
        parts += _list(listed, name if len(query.lists) == 1 else f"{name}, list {number}", common=common)
    if len(query.lists) > 1:
        shares = tuple(
            f"{one.probability} * {one.value if isinstance(one.value, Fraction) else decimal_text(to_value(one.value))}"
            for one in query.lists
            if not isinstance(one.value, Undefined)
        )
        parts.append(Equation(name, shares, Fraction(1), to_value(query.value), "the mean over the lists"))
    return Section(heading, tuple(parts))


def _list(derivation: ListDerivation, name: str, *, common: bool) -> Iterator[Part]:
    if derivation.rows:
        yield rows_grid(derivation, common=common)
    if derivation.left_out:
        yield f"retrieved, but not evaluated (behind the cutoff or the depth, or removed): {derivation.left_out}"
    if derivation.rule or derivation.divisor is None:
        yield Equation(name, (), None, to_value(derivation.value), derivation.rule)
        return
    if derivation.needed:
        yield f"hits needed: {derivation.needed}"
    if derivation.adds:
        yield derivation.adds
    if derivation.levels:
        rows = tuple((level.recall, level.hits_needed, level.precision) for level in derivation.levels)
        yield Grid(("recall", "hits needed", "highest precision"), rows, caption="Precision at fixed recall levels")
    if derivation.extra is not None:
        formula = f"{derivation.extra.formula} = " if derivation.extra.formula else ""
        yield f"{derivation.extra.name}: {formula}{derivation.extra.value}"
    if derivation.denominator_text:
        yield f"D = {derivation.denominator_text}"
    yield from _ideal(derivation)
    for factor in derivation.factors:
        yield f"{factor.name} = {factor.formula}"
    yield _closing(derivation, name)


def _ideal(derivation: ListDerivation) -> Iterator[Grid | Equation]:
    """Yield the ideal ranking and its sum, and the sum of the rows that is held against it."""
    if derivation.ideal:
        rows = tuple((each.rank, str(each.gain), each.discount, each.term) for each in derivation.ideal)
        hidden = len(rows) - MOST_ROWS
        caption = f"{hidden} more ranks of the ideal ranking are not shown" if hidden > 0 else ""
        yield Grid(("ideal rank", "gain", "discount", "adds"), rows[:MOST_ROWS], caption=caption)
        terms = tuple(each.term for each in derivation.ideal)
        yield Equation(
            "ideal", terms, Fraction(1), to_value(derivation.divisor or Fraction(0)), derivation.divisor_text
        )
        yield Equation("DCG", _terms(derivation), Fraction(1), to_value(derivation.total), "what the rows add")


def _closing(derivation: ListDerivation, name: str) -> Equation:
    """Return the equation that gives the value of a list."""
    value = to_value(derivation.value)
    if derivation.ideal:
        return Equation(name, (derivation.total,), derivation.divisor, value, formula="DCG / ideal")
    if derivation.formula:
        terms = () if derivation.factors else (derivation.total,)
        return Equation(name, terms, derivation.divisor, value, formula=derivation.formula)
    if derivation.divisor == 1 and not derivation.divisor_text:
        return Equation(name, _terms(derivation), derivation.divisor, value)
    of = derivation.divisor
    number = decimal_text(to_value(of)) if isinstance(of, Real) else str(of)
    divisor = number if derivation.divisor_text == "D" else f"{number} ({derivation.divisor_text})"
    return Equation(name, _terms(derivation), of, value, f"the sum over {divisor}")


def _terms(derivation: ListDerivation) -> tuple[Cell, ...]:
    """Return what is summed: the levels' precisions, or what rows add, zeros left out."""
    terms: list[Cell] = [level.precision for level in derivation.levels]
    terms = terms or [_added(row) for row in derivation.rows]
    if derivation.extra is not None:
        terms.append(derivation.extra.value)
    return tuple(term for term in terms if term != 0)


def _added(row: Row) -> Number | Discounted:
    """Return what a row adds, as it is written: a gain over its discount is one."""
    only = row.terms[0] if len(row.terms) == 1 else None
    return only if isinstance(only, Discounted) else row.added


def rows_grid(derivation: ListDerivation, *, common: bool = False) -> Grid:
    """Return the rows of a list as a table, with the columns that it needs."""
    short = len(derivation.rows) <= MOST_ROWS
    shown = [place for place, row in enumerate(derivation.rows) if short or row.relevant or row.added != 0]
    documents = [document for row in derivation.rows for document in row.documents]
    named = any(document.docno for document in documents)
    curve = any(row.recall is not None for row in derivation.rows)
    interpolated = not common and any(row.interpolated is not None for row in derivation.rows)
    terms = not common and any(len(row.terms) > 1 for row in derivation.rows)
    recall = not common and not derivation.needed
    columns = ["hits", "precision", *(["recall"] if recall else [])] if curve else []
    columns += [name for name, _ in derivation.rows[0].details]
    headings = ["rank", *(["document"] if named else []), "label", *columns]
    headings += ["interpolated"] if interpolated else []
    headings += ["adds"] + (["terms"] if terms else [])
    rows = []
    for place in shown:
        row = derivation.rows[place]
        first = row.rank - len(row.documents) + 1
        names = Name(" ".join(id_text(document.docno or "?") for document in row.documents))
        labels = " ".join(label_text(document.label) for document in row.documents)
        rank = str(row.rank) if first == row.rank else f"{first}-{row.rank}"
        cells: list[Cell] = [rank, *([names] if named else []), labels]
        cells += [row.hits, f"{row.hits}/{row.rank}", *([row.recall] if recall else [])] if curve else []
        cells += [value for _, value in row.details]
        cells += [row.interpolated] if interpolated else []
        cells += [_added(row)] + ([_terms_text(row.terms)] if terms else [])
        rows.append(tuple(cells))
    hidden = len(derivation.rows) - len(shown)
    caption = f"{hidden} rows without a hit are not shown" if hidden else ""
    return Grid(tuple(headings), tuple(rows), tuple(shown), caption)


def _terms_text(terms: Sequence[Term]) -> str:
    """Write what a block's places add; of a long block the first ones."""
    shown = " + ".join(map(str, terms[:_MOST_TERMS]))
    return shown if len(terms) <= _MOST_TERMS else f"{shown} + ... ({len(terms)} terms)"


def id_text(text: str) -> str:
    """Write an id, or a text with ids in it, in one printable line."""
    return printable(" ".join(text.split()))


def label_text(label: Label) -> str:
    """Write a label: a grade, `miss` for what is judged and can't be relevant, `unjudged`, `pooled`."""
    if isinstance(label, Unassessed):
        return label.value
    return "unjudged" if label is None else "miss" if label == MISS else str(label)


def _of_set(derivation: Derivation, measure: str) -> Iterator[Equation | str]:
    """Yield the value of the set, where there is more than one query to it."""
    if derivation.measure.family.cuts_by_score:
        score = "none" if derivation.cutoff is None else str(derivation.cutoff)
        yield f"cutoff: {score}"
    convention, is_count = derivation.settled, derivation.measure.family.is_count
    plain = convention.aggregate is not Aggregate.GEOMETRIC or is_count
    pooled = convention.aggregate is Aggregate.MICRO and not is_count
    if pooled or (len(derivation.queries) == 1 and derivation.counting and plain):
        return
    left_out = [
        f"{id_text(query.query)} ({query.rule or next((listed.rule for listed in query.lists if listed.rule), 'skip')})"
        for query in derivation.queries
        if not query.counts
    ]
    if left_out:
        yield f"left out: {', '.join(left_out)}"
    values = tuple(query.value for query in derivation.counting if not isinstance(query.value, Undefined))
    count = len(derivation.counting)
    if is_count:
        yield Equation(measure, values, Fraction(1), derivation.value, f"the sum of {counted(count, 'query')}")
    elif len(values) < count or not count:
        yield Equation(measure, (), None, derivation.value, "the mean of no query, or of nan")
    elif weights := derivation.weights:
        products = tuple(scaled(value, weight) for value, weight in zip(values, weights, strict=True))
        reason = f"the mean of {counted(count, 'query')}, which weigh {', '.join(map(str, weights))}"
        yield Equation(measure, products, sum(weights, Fraction(0)) or None, derivation.value, reason)
    elif plain:
        yield Equation(measure, values, Fraction(count), derivation.value, f"the mean of {counted(count, 'query')}")
    else:
        reason = f"the geometric mean of {counted(count, 'query')}, {_floor_text(convention)}"
        off = derivation.subtracted
        yield Equation(measure, derivation.factors, None, derivation.value, reason, root=count, subtracted=off)


def _floor_text(convention: Convention) -> str:
    floor = convention.geometric_floor
    if convention.geometric_zero is GeometricZero.FLOOR:
        return f"values below {floor} raised to it"
    subtracted = convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED
    return f"{floor} added to each{' and taken off again' if subtracted else ''}"

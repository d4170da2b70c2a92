"""Where two derivations part: the first line, in reading order, on which they say different things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import starmap, zip_longest

from rankspec.oracle.measures.derivations import Derivation, ListDerivation, QueryDerivation, Row
from rankspec.oracle.values import to_text

Line = tuple[str, dict[str, str]]  # What a line is called, and what it says, by aspect


@dataclass(frozen=True)
class FirstDifference:
    """The first line that differs."""

    query: str  # the query that it belongs to; empty for a line of the whole set
    line: str  # what it is: `rank 3`, `denominator`, `value`
    place: int | None  # the index of the row, None for lines that are no rows
    list_index: int = field(metadata={"name": "listed"})  # the index of the list that the row belongs to
    aspect: str  # what about it differs: `document`, `label`, `precision`
    first: str  # what the first derivation says there; empty if it has no such line
    second: str  # what the second one does
    behind: str = ""  # the row lies behind this cutoff or depth of the one that has no such row: `the cutoff at 10`
    added: str = ""  # what such a row adds to the other one

    @property
    def text(self) -> str:
        """Return the difference in a line."""
        where = f"{self.line} of query {self.query}" if self.query else self.line
        if self.behind:
            has, lacks = ("first", "second") if self.first else ("second", "first")
            what = f"{self.aspect} {self.first or self.second}"
            return f"{where}, after {self.behind} of the {lacks}: {what} adds {self.added} to the {has} only"
        what = where if self.aspect == self.line else f"{where}, {self.aspect}"
        return f"{what}: {self.first or 'nothing'} against {self.second or 'nothing'}"


def parting(first: Derivation, second: Derivation) -> FirstDifference | None:
    """Return the first line on which two derivations differ, None if they say the same."""
    difference = next(filter(None, starmap(_differing, _lines(first, second))), None)
    return None if difference is None else _with_limits(difference, first, second)


def _lines(first: Derivation, second: Derivation) -> Iterator[tuple[str, int | None, int, Line | None, Line | None]]:
    """Yield the query, the place, the list and the two lines of each pair, in the order in which they are read."""
    if first.error or second.error:
        yield "", None, 0, ("value", _value(first)), ("value", _value(second))
        return
    yield "", None, 0, *(("cutoff", {"score": str(derivation.cutoff)}) for derivation in (first, second))  # type: ignore[misc]
    ours, theirs = ({query.query: query for query in derivation.queries} for derivation in (first, second))
    for name in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(name), theirs.get(name)
        lists = zip_longest(one.lists if one else (), other.lists if other else ())
        for index, pair in enumerate(lists):
            yield from ((name, place, index, line, other_line) for place, line, other_line in _paired(*pair))
        yield name, None, 0, _score(one) if one else None, _score(other) if other else None
    yield "", None, 0, _of_set(first), _of_set(second)


def _with_limits(difference: FirstDifference, first: Derivation, second: Derivation) -> FirstDifference:
    """Say so where a row is worth something to one alone because it lies behind the cutoff or depth of the other."""
    if difference.place is None or bool(difference.first) == bool(difference.second):
        return difference
    has, lacks = (first, second) if difference.first else (second, first)
    query = next(each for each in has.queries if each.query == difference.query)
    row = query.lists[difference.list_index].rows[difference.place]
    limits = [("cutoff", lacks.measure.k), ("depth", lacks.settled.depth)]
    passed = [(limit, what) for what, limit in limits if limit is not None and limit <= row.rank - len(row.documents)]
    if _contribution(row) == "0" or not passed:
        return difference
    limit, what = min(passed)
    return replace(difference, behind=f"the {what} at {limit}", added=_row(row)[1]["added"])


def _paired(
    ours: ListDerivation | None, theirs: ListDerivation | None
) -> Iterator[tuple[int | None, Line | None, Line | None]]:
    """Yield the lines of two lists side by side, those first that may be why the values differ."""
    # Documents that add the same to both are no reason: a tie of which no order counts, another rank that adds nothing.
    our_rows, their_rows = ours.rows if ours else (), theirs.rows if theirs else ()
    same_ranks = [(place, row, other) for place, (row, other) in enumerate(zip_longest(our_rows, their_rows))]
    rows = [*_adding_otherwise(our_rows, their_rows)]
    if ours and theirs and ours.extra != theirs.extra:  # what is beside the rows speaks of the last of them
        rows += [each for each in same_ranks if None in each]
    yield from ((place, _row(row) if row else None, _row(other) if other else None) for place, row, other in rows)
    for line, other_line in zip_longest(_sums(ours) if ours else (), _sums(theirs) if theirs else ()):
        yield None, line, other_line
    # Where the values are the same, the first row that says something else is what there is to say.
    yield from ((place, _row(row) if row else None, _row(other) if other else None) for place, row, other in same_ranks)
    sides, words = (ours, theirs), "documents not evaluated"
    first, second = ((words, {"documents": str(each.left_out)}) if each else None for each in sides)
    yield None, first, second


def _adding_otherwise(first: Sequence[Row], second: Sequence[Row]) -> Iterator[tuple[int, Row | None, Row | None]]:
    """Yield the rows of the same ranks that add something else, with the place of the row."""
    # Ranks are the same where both lists have an end of a row: a tied block may be one row here and several there.
    ours, theirs = list(enumerate(first)), list(enumerate(second))
    ends = {row.rank for row in first} & {row.rank for row in second}
    while ours or theirs:
        sides = [_up_to_an_end(rows, ends) for rows in (ours, theirs)]
        adding = [[(place, row) for place, row in side if _contribution(row) != "0"] for side in sides]
        if [_contribution(row) for _, row in adding[0]] == [_contribution(row) for _, row in adding[1]]:
            continue
        row, other = (next(iter((*adds, *side)), None) for adds, side in zip(adding, sides, strict=True))
        place, _ = row or other or (0, None)
        yield place, row and row[1], other and other[1]


def _up_to_an_end(rows: list[tuple[int, Row]], ends: AbstractSet[int]) -> list[tuple[int, Row]]:
    """Take off the rows up to the next rank at which both lists have an end; all of them behind the last one."""
    count = next((count for count, (_, row) in enumerate(rows, 1) if row.rank in ends), len(rows))
    removed, rows[:] = rows[:count], rows[count:]
    return removed


def _contribution(row: Row) -> str:
    return to_text(row.added)


def _score(query: QueryDerivation) -> Line:
    return "value", {"value": to_text(query.value), "rule": query.rule}


def _row(row: Row) -> Line:
    says = {
        "rank": str(row.rank),
        "document": " ".join(document.docno for document in row.documents),
        "label": " ".join("unjudged" if document.label is None else str(document.label) for document in row.documents),
        "relevance": " ".join("relevant" if document.relevant else "not relevant" for document in row.documents),
    }
    if row.recall is not None:
        says["precision"] = f"{row.hits}/{row.rank}"
    says |= {name: str(value) for name, value in row.details}
    says["added"] = " + ".join(map(str, row.terms)) or to_text(row.added)
    if row.interpolated is not None:
        says["interpolated precision"] = str(row.interpolated)
    return f"rank {row.rank}", says


def _sums(derivation: ListDerivation) -> Iterator[Line]:
    """Yield what stands under the rows, in the order in which it is written."""
    yield "list", {"probability": str(derivation.probability)}
    yield "hits needed", {"hits needed": derivation.needed}
    yield "what a row adds", {"formula": derivation.adds}
    for level in derivation.levels:
        yield f"recall {level.recall}", {"hits needed": str(level.hits_needed), "precision": str(level.precision)}
    if derivation.extra is not None:
        yield (derivation.extra.name, {"formula": derivation.extra.formula, "value": str(derivation.extra.value)})
    yield "denominator", {"denominator": derivation.denominator_text}
    for each in derivation.ideal:
        yield f"ideal rank {each.rank}", {"added": str(each.term)}
    for factor in derivation.factors:
        yield factor.name, {"formula": factor.formula, "value": str(factor.value)}
    yield "sum", {"sum": to_text(derivation.total)}
    divisor = f"{derivation.divisor_text}"
    yield "value", {"value": to_text(derivation.value), "divisor": divisor, "rule": derivation.rule}


def _of_set(derivation: Derivation) -> Line:
    names = " ".join(query.query for query in derivation.counting)
    return str(derivation.convention.aggregate), {"queries": names, "value": to_text(derivation.value)}


def _value(derivation: Derivation) -> dict[str, str]:
    return {"value": derivation.error or to_text(derivation.value)}


def _differing(
    query: str, place: int | None, list_index: int, first: Line | None, second: Line | None
) -> FirstDifference | None:
    """Compare two lines aspect by aspect; an aspect that only one of them has makes no difference."""
    if first is None and second is None:
        return None
    if first is None or second is None:
        line, says = first or second or ("", {})
        aspect = "document" if "document" in says else line
        words = says.get(aspect) or "there"
        return FirstDifference(query, line, place, list_index, aspect, words if first else "", words if second else "")
    if first[0] != second[0] and place is None:
        return FirstDifference(query, first[0], place, list_index, "kind", first[0], second[0])
    for aspect, words in first[1].items():
        if aspect in second[1] and words != second[1][aspect]:
            return FirstDifference(query, first[0], place, list_index, aspect, words, second[1][aspect])
    return None

"""The derivation of one list under average precision: rows, denominator, sum, value; or the rule that decides.

It takes the same steps as `measures.average_precision`, and keeps what they see on the way. The tests hold its totals
against `evaluate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rankspec.oracle.conventions.axes import Denominator, Interpolation, Ties, Unjudged
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining.steps import Document, Level, ListDerivation, Row
from rankspec.oracle.measures.average_precision import DENOMINATORS, Counts
from rankspec.oracle.measures.curve import ORIGIN, Point, operating_points
from rankspec.oracle.measures.estimators import ESTIMATORS, Estimator, FixedLevels, Rest
from rankspec.oracle.measures.expectation import back_through, expected_terms
from rankspec.oracle.measures.recall_grid import HITS_NEEDED
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.rankings.cutting import Blocks, cut
from rankspec.oracle.rankings.ranking import hits, is_judged, length
from rankspec.oracle.sums import sum_of_fractions

DocumentBlocks = tuple[tuple[Document, ...], ...]

_LOOKING_AHEAD = frozenset(
    {
        Interpolation.ENVELOPE,
        Interpolation.ELEVEN_POINT,
        Interpolation.HUNDRED_ONE_POINT,
        Interpolation.LINEAR_101,
    }
)
_DENOMINATOR_TEXTS = {
    Denominator.RELEVANT: ("R", "{relevant}"),
    Denominator.MIN_RELEVANT_CUTOFF: ("min(R, k)", "min({relevant}, {cutoff})"),
    Denominator.MIN_RELEVANT_CUTOFF_LENGTH: ("min(R, k, n)", "min({relevant}, {cutoff}, {length})"),
    Denominator.MIN_RELEVANT_LENGTH: ("min(R, n)", "min({relevant}, {length})"),
    Denominator.MIN_CUTOFF_LENGTH: ("min(k, n)", "min({cutoff}, {length})"),
    Denominator.RETRIEVED_RELEVANT: ("hits in the list looked at", "{hits}"),
    Denominator.RELEVANT_IN_LIST: ("hits in the list before the cutoff", "{hits_in_list}"),
    Denominator.CUTOFF: ("k", "{cutoff}"),
    Denominator.LENGTH: ("n", "{length}"),
}


def lists_of(
    blocks: DocumentBlocks, measure: Measure, relevant: int, convention: Convention
) -> tuple[ListDerivation, ...]:
    """Derive each list that is looked at; there are several where a limit falls into a block of undecided order."""
    documents = sum(map(len, blocks))
    return tuple(
        _derived(whole * part, looked_at, _hits(listed), documents, measure, relevant, convention)
        for whole, existing in cut_documents(blocks, convention.depth, convention.ties)
        for listed in [condensed_documents(existing, convention.unjudged)]
        for part, looked_at in cut_documents(listed, measure.k, convention.ties)
    )


def cut_documents(blocks: DocumentBlocks, limit: int | None, ties: Ties) -> Iterator[tuple[Fraction, DocumentBlocks]]:
    """Yield what `cutting.cut` yields, with the documents; those of a block that is cut have no names."""
    labels: Blocks = tuple(
        tuple(int(document.relevant) if is_judged(document.label) else None for document in block) for block in blocks
    )
    for probability, parts in cut(labels, limit, ties):
        yield (
            probability,
            tuple(
                block
                if len(part) == len(block)
                else tuple(Document("", label, bool(label), block[0].score) for label in part)
                for part, block in zip(parts, blocks, strict=False)
            ),
        )


def condensed_documents(blocks: DocumentBlocks, rule: Unjudged) -> DocumentBlocks:
    """Drop unjudged documents, or leave them as misses."""
    if rule is not Unjudged.REMOVED:
        return blocks
    judged = (tuple(document for document in block if is_judged(document.label)) for block in blocks)
    return tuple(block for block in judged if block)


def binary(blocks: DocumentBlocks) -> Blocks:
    """Return the blocks with 1 for relevant and 0 for not relevant."""
    return tuple(tuple(int(document.relevant) for document in block) for block in blocks)


def _hits(blocks: DocumentBlocks) -> int:
    return hits(binary(blocks))


def _derived(  # noqa: PLR0913 - what a list's value depends on
    probability: Fraction,
    looked_at: DocumentBlocks,
    hits_in_list: int,
    documents: int,
    measure: Measure,
    relevant: int,
    convention: Convention,
) -> ListDerivation:
    labels = binary(looked_at)
    count = length(labels)
    counts = Counts(relevant, measure.k or count, count, hits(labels), hits_in_list)
    left_out = documents - count
    if counts.hits == 0:
        rows = _rows(looked_at, relevant, [Fraction(0)] * len(looked_at), ahead=False)
        rule = f"no_hits={convention.no_hits}"
        return ListDerivation(probability, rows, RULES[convention.no_hits], rule=rule, left_out=left_out)
    denominator = DENOMINATORS[convention.denominator](counts)
    interpolation = measure.interpolation(convention)
    undecided = convention.ties is Ties.EXPECTED
    estimator = ESTIMATORS[interpolation](
        denominator, count if undecided else len(labels), measure.k, convention.recall_grid
    )
    ahead = interpolation in _LOOKING_AHEAD and not undecided
    if undecided:
        terms = _expected_terms(estimator, labels, interpolation)
        added = [sum_of_fractions(each) for each in terms]
    else:
        terms = [()] * len(labels)
        added = additions(estimator, operating_points(labels))
    total = sum_of_fractions(added)
    return ListDerivation(
        probability,
        _rows(looked_at, denominator, added, ahead=ahead, terms=terms),
        total / estimator.divisor,
        denominator,
        _denominator_text(convention.denominator, counts, denominator),
        estimator.divisor,
        _divisor_text(interpolation, estimator),
        total,
        _levels(estimator, operating_points(labels)) if ahead and isinstance(estimator, FixedLevels) else (),
        left_out=left_out,
    )


def additions(estimator: Estimator, points: Sequence[Point]) -> list[Fraction]:
    """Return what each operating point adds to the sum, first to last; `estimators.area` is their sum, divided."""
    added: list[Fraction] = []
    rest: Rest = None
    for place in range(len(points) - 1, -1, -1):
        rest, addition = estimator.back(rest, points[place - 1] if place else ORIGIN, points[place])
        added.append(addition)
    return added[::-1]


def _expected_terms(estimator: Estimator, labels: Blocks, interpolation: Interpolation) -> list[tuple[Fraction, ...]]:
    """Return, block by block, the terms of the closed form, or what the block adds on average."""
    if interpolation is Interpolation.STEP:
        return [tuple(terms) for terms in expected_terms(labels)]
    states: dict[Rest, Fraction] = {None: Fraction(1)}
    before, hits_before = length(labels), hits(labels)
    terms: list[tuple[Fraction, ...]] = []
    for block in reversed(labels):
        before -= len(block)
        hits_before -= block.count(1)
        added: list[Fraction] = []
        states = back_through(estimator, block, Point(before, hits_before), states, added)
        terms.append((sum_of_fractions(added),))
    return terms[::-1]


def _rows(
    blocks: DocumentBlocks,
    denominator: int,
    added: Sequence[Fraction],
    *,
    ahead: bool,
    terms: Sequence[tuple[Fraction, ...]] = (),
) -> tuple[Row, ...]:
    points = operating_points(binary(blocks))
    highest = _highest(points) if ahead else [None] * len(points)
    return tuple(
        Row(point.retrieved, block, point.hits, Fraction(point.hits, denominator), top, addition, of_block)
        for point, block, top, addition, of_block in zip(
            points, blocks, highest, added, terms or [()] * len(points), strict=True
        )
    )


def _highest(points: Sequence[Point]) -> list[Fraction | None]:
    """Return the highest precision from each point on."""
    highest: list[Fraction | None] = []
    best = Fraction(0)
    for point in reversed(points):
        best = max(best, point.precision)
        highest.append(best)
    return highest[::-1]


def _levels(estimator: FixedLevels, points: Sequence[Point]) -> tuple[Level, ...]:
    needed = HITS_NEEDED[estimator.grid]
    return tuple(
        Level(
            Fraction(level, estimator.levels),
            (count := needed(level, estimator.levels, estimator.denominator)),
            max((point.precision for point in points if point.hits >= count), default=Fraction(0)),
        )
        for level in range(estimator.levels + 1)
    )


def _denominator_text(rule: Denominator, counts: Counts, denominator: int) -> str:
    name, numbers = _DENOMINATOR_TEXTS[rule]
    filled = numbers.format(**vars(counts))
    return f"{name} = {denominator}" if filled == str(denominator) else f"{name} = {filled} = {denominator}"


def _divisor_text(interpolation: Interpolation, estimator: Estimator) -> str:
    texts = {
        Interpolation.ELEVEN_POINT: "recall levels",
        Interpolation.HUNDRED_ONE_POINT: "recall levels",
        Interpolation.LINEAR_101: "trapezoids",
        Interpolation.ALL_RANKS: "ranks",
        Interpolation.ALL_RANKS_PADDED: "k",
        Interpolation.SLOPED_LINE: f"recall points, 2 * {estimator.denominator} - 1",
    }
    return texts.get(interpolation, "D")

"""Relations: what must hold on inputs that are larger or otherwise unlike the probes.

Each family changes one thing, so that what breaks has a name: the length of lists and ties, the scale of scores, names,
an irrelevant tail, neighbours, grades. Under an identified convention every value is known exactly, on both sides of a
relation, so each is checked against it; a family with a size can be asked at any size, to find the one at which
behaviour changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rankspec.conformance.infer.interview.inputs import LETTERS, Lines, name_of_three, one_list, probe, seeded
from rankspec.conformance.infer.interview.prediction import decimal_places
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.judge.agreement import UNIT_FLOAT64
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run

# ---- Effective depth

DEEPEST = 5_001  # How far down is looked
BEYOND = 2 * DEEPEST  # A cutoff that cuts nothing off here
# Most look 5, 10 or 20 documents down, some 50 or 100, and a list of 5,001 takes a hundred times as long.
_SHORTER = (41, 201)
_MANY_DIGITS = (3, 6, 7, 13)  # Ranks whose inverses and logarithms have many digits, so that rounding shows
_MANY = 1_001  # Behind the cutoffs that programs have by themselves: 5, 10, 100, 1,000
SIZES = (17, 33, 101, 1001)  # Past 16, 32, 100 and 1,000, where sorts and buffers change what they do

_SIZED: Mapping[str, Callable[[int, int], int]] = {
    "a list": lambda place, size: place * 7919 % size,
    "a tie": lambda *_: 1,
    "five ties in turn": lambda place, _: place % 5,
    "a sorted list": lambda place, size: max(size - place, 3),  # best first, with a tie of three at the end
}
"""Family -> the score of a document by its place in the file, and the size."""
LATE = "a late hit"  # One hit, at the end: what a depth or a cutoff leaves out
FULL = "a list of hits"  # Nothing else: what cuts R shows
BOUNDARY = "the boundary of the cutoff"  # What is one document more or less than the cutoff
PLAIN = frozenset({LATE, FULL})  # Families whose values are had in no time at any size
_BASE: Mapping[str, int] = {"a": 1, "B": 0, "c": 1, "D": 0, "e": 1, "F": 0, "g": 1}
_ORDER = ("B", "c", "a", "F", "D", "g")
_Make = Callable[[str, Measure], Probe]
SEPARATORS = "_-.:#/"
"""What parts the names of documents from the numbers of their passages."""


def hit_at(rank: int, length: int, measure: Measure) -> Probe:
    """Return a list with one relevant document, at a rank."""
    return list_of_hits(f"a hit at rank {rank} of {length}", length, range(rank - 1, rank), measure)


def all_hits(length: int, measure: Measure) -> Probe:
    """Return a list of relevant documents alone, so that a denominator that is cut shows."""
    return list_of_hits(f"{length} hits", length, range(length), measure)


def list_of_hits(name: str, length: int, hits: Collection[int], measure: Measure, relevant: int = 0) -> Probe:
    """Return a list without ties that has hits at some places, counted from 0, and so many relevant documents."""
    level = max(measure.rel, 1)
    labels = [level if place in hits else 0 for place in range(length)]
    return one_list(name, measure, labels, [level] * (relevant - len(hits)))


def effective_depth(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return the last rank at which a hit changes the value, None if there is none such down to `DEEPEST`."""
    # Found by bisection, so it is a guess where a value does not get lower with the rank: verify it on both sides.
    # Values that are rounded get lower by one in the last digit, and that is no end of what is looked at.

    def answer(rank: int, length: int = DEEPEST) -> object:
        outcomes = ask([hit_at(rank, length, measure)])
        return None if len(outcomes) == 0 else answer_of(outcomes[0])

    last, first = answer(DEEPEST), answer(1)
    if first is None or first == last or answer(DEEPEST - 1) != last:
        return None
    for length in (*_SHORTER, DEEPEST):
        if (depth := _depth_in(length, answer)) is not None:
            return depth
    return None


def _depth_in(length: int, answer_in: Callable[[int, int], object]) -> int | None:
    """Return the last rank at which a hit changes the value of lists of a length, None if there is none such."""

    def answer(rank: int) -> object:
        return answer_in(rank, length)

    last = answer(length)
    if answer(length - 1) != last:
        return None
    counts = _first_with(answer, last, 1, length - 1) - 1
    numbers = [number for rank in (*_MANY_DIGITS, counts) for number in _numbers(answer(rank))]
    digits = decimal_places(numbers, UNIT_FLOAT64) if numbers else None
    pairs = list(zip(_numbers(answer(counts)), _numbers(last), strict=False))
    is_rounding = digits is not None and all(abs(round((one - other) * 10**digits)) <= 1 for one, other in pairs)
    if _fades(answer(counts), last):
        return None
    # A hit that is worth as much at every rank down to there is no value that fades: P@10 of one hit is 0.1, or 0.
    return None if is_rounding and answer(1) != answer(counts) else counts


def _fades(one: object, other: object) -> bool:
    """Tell whether two answers differ by roundings alone: the powers of a persistence end where doubles do."""
    pairs = [*zip(_numbers(one), _numbers(other), strict=False)]
    return bool(pairs) and all(abs(a - b) <= 16 * UNIT_FLOAT64 for a, b in pairs)


def _numbers(answer: object) -> list[Fraction]:
    return [each for each in (answer if isinstance(answer, tuple) else (answer,)) if isinstance(each, Fraction)]


def is_of_order(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> bool:
    """Tell whether a value depends on the order of a list, and on nothing else of its scores: else it is no ranking."""
    for length in (7, _MANY):  # in a long one most of the documents are beyond any cutoff
        first, last = (list_of_hits("hits", length, hits, measure) for hits in (range(2), range(length - 2, length)))
        ranked = enumerate(first.run.documents("q"))
        lines = [(docno, str(length * length - place)) for place, (docno, _) in ranked]
        others = replace(first, run=Run.of({"q": lines}))
        answers = [answer_of(each) for each in ask([first, last, others])]
        if len(answers) < len(("first", "last", "others")) or any(isinstance(each, str) for each in answers):
            return True
        if answers[0] != answers[1]:
            return answers[0] == answers[2]
    return False


def effective_cutoff(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return after how many hits at the top one more changes nothing, None if there is no such number below `_MANY`."""
    # It is a cutoff that a program has by itself, also where the list ends at misses, or a denominator is cut as well.

    def answer(hits: int) -> object:
        outcomes = ask([list_of_hits(f"{hits} hits of {_MANY}", _MANY, range(hits), measure, _MANY)])
        return None if len(outcomes) == 0 else answer_of(outcomes[0])

    last = answer(_MANY)
    if last is None or answer(_MANY - 1) != last:
        return None
    own = _first_with(answer, last, 0, _MANY - 1)
    return None if _fades(answer(own - 1), last) else own


def _first_with(answer: Callable[[int], object], last: object, other: int, same: int) -> int:
    """Return the first number with an answer, between one with another and one with that, by bisection."""
    while same - other > 1:
        middle = (other + same) // 2
        other, same = (other, middle) if answer(middle) == last else (middle, same)
    return same


def both_sides(depth: int, measure: Measure) -> list[Probe]:
    """Return lists that tell a depth from all others: hits on both sides of it, in lists that end near to it."""
    lengths = {depth, depth + 1, 2 * depth + 1, DEEPEST}
    moved = [
        hit_at(rank, length, measure)
        for length in sorted(lengths)
        for rank in (depth - 1, depth, depth + 1, length)
        if 1 <= rank <= length <= DEEPEST
    ]
    return [*moved, all_hits(min(2 * depth + 1, DEEPEST), measure)]


def answer_of(outcome: Outcome) -> object:
    """Return what was answered, so that two answers can be compared."""
    match outcome:
        case Number(value):
            return value
        case PerQuery(values, overall):
            return (*(number.value for number in values.values()), overall and overall.value)
        case _:
            return type(outcome).__name__


@dataclass(frozen=True)
class Relation:
    """An input of a family, at a size."""

    family: str
    size: int
    probe: Probe


def sized(family: str, size: int, measure: Measure) -> Relation:
    """Return the input of a family that has a size, at any size."""
    if family == LATE:
        return Relation(family, size, hit_at(size, size, measure))
    if family == FULL:
        return Relation(family, size, all_hits(size, measure))
    names, generator = [name_of_three(number) for number in range(size)], seeded(size)
    labels = {name: int(generator.random() < 0.4) for name in names} | {"aaa": 1}  # noqa: PLR2004
    seeded(size + 1).shuffle(names)
    lines = [(name, str(_SIZED[family](place, size))) for place, name in enumerate(names)]
    unretrieved = {name_of_three(17_000 + number): 1 for number in range(3)}
    return Relation(family, size, probe(f"{family} of {size}", measure, {"q": labels | unretrieved}, {"q": lines}))


def relations(measures: list[Measure]) -> Iterator[Relation]:
    """Yield an input of every family, at every size."""
    for place, family in enumerate(_SIZED):
        for size in SIZES:
            yield sized(family, size, measures[(place + size) % len(measures)])
    for size in (SIZES[-1], DEEPEST):
        yield sized(LATE, size, _uncut(measures, size))
        yield sized(FULL, size, _uncut(measures, size))
    for family, make in _CHANGED.items():
        for measure in measures[-1:]:
            yield Relation(family, 0, make(family, measure))
    for measure in measures:
        for each in boundaries(measure):
            yield Relation(BOUNDARY, 0, each)


def boundaries(measure: Measure) -> Iterator[Probe]:
    """Yield inputs on both sides of a cutoff: the first hit, the last one, R, and the length of the list."""
    k = measure.k
    if k is None or measure.family.cuts_by_score:
        return
    sizes = [size for size in (k - 1, k, k + 1) if size > 0]
    for length in sizes:
        for last in (each for each in sizes if each <= length):
            for hits in sorted({(last - 1,), (0, last - 1)}):
                yield list_of_hits(f"{BOUNDARY}: hits at {hits} of {length}", length, set(hits), measure)
        for relevant in sizes:
            top = range(min(relevant, length))
            yield list_of_hits(f"{BOUNDARY}: R = {relevant}, n = {length}", length, top, measure, relevant)


def _uncut(measures: list[Measure], size: int) -> Measure:
    """Return a measure that looks at so many documents, where the cutoff is free to choose."""
    return replace(measures[0], k=size) if len(measures) > 1 else measures[0]


def _with(
    *,
    name: Callable[[str], str] = str,
    score: Callable[[int], str] = str,
    grade: Callable[[int, Measure], int] = lambda label, _: label,
) -> _Make:
    """Name the documents of one list otherwise, or give them other scores or grades."""

    def make(family: str, measure: Measure) -> Probe:
        grades = {name(docno): grade(label, measure) for docno, label in _BASE.items()}
        lines = [(name(docno), score(5 - place * 2 % 5)) for place, docno in enumerate(_ORDER)]
        return probe(family, measure, {"q": grades}, {"q": lines})

    return make


def _of(grades: Mapping[str, int], lines: Lines) -> _Make:
    return lambda family, measure: probe(family, measure, {"q": {**grades}}, {"q": lines})


def _with_neighbours(count: int) -> _Make:
    def make(family: str, measure: Measure) -> Probe:
        generator = seeded(count)
        grades: dict[str, dict[str, int]] = {}
        run: dict[str, Lines] = {}
        for number in range(count):
            names = generator.sample(LETTERS, 6)
            grades[f"q{number}"] = {name: int(generator.random() < 0.5) for name in names} | {names[0]: 1}  # noqa: PLR2004
            run[f"q{number}"] = [(name, str(generator.randint(0, 20))) for name in generator.sample(names, 5)]
        return probe(family, measure, grades, run)

    return make


def _with_numbers_of_queries(family: str, measure: Measure) -> Probe:
    documents = _with()(family, measure).run.documents("q")
    others = {docno: 1 - label for docno, label in _BASE.items()}
    return Probe(family, measure, Qrels.of({"9": _BASE, "10": others}), Run.of({"10": documents, "9": documents}))


def _with_a_grade_of_two_digits(family: str, measure: Measure) -> Probe:
    grades = dict(zip("aBcDe", (9, 10, 2, 0, 11), strict=True))
    raised = {docno: grade + measure.rel - 1 if grade else 0 for docno, grade in grades.items()}
    return probe(family, measure, {"q": raised}, {"q": [(name, str(9 - place)) for place, name in enumerate("cDaB")]})


def _parted_by(separator: str) -> Callable[[str], str]:
    """Return names of which each shares its part before the separator with another one, and its part behind it."""
    parts = [f"{before}{separator}{behind}" for before in "xyz" for behind in "xyz"]
    return lambda docno: parts["aBcDeFg".index(docno)]


_CHANGED: Mapping[str, _Make] = {
    "scores shifted up": _with(score=lambda score: str(1000 + score)),
    "scores all negative": _with(score=lambda score: str(score - 10)),
    "scores scaled up": _with(score=lambda score: f"{score}e9"),
    "scores scaled down": _with(score=lambda score: f"{score}e-9"),
    "tiny scores": _with(score=lambda score: f"{score}e-30"),
    "huge scores": _with(score=lambda score: f"{score}e30"),
    "close scores": _with(score=lambda score: f"{1000 + score}e-3"),
    "documents renamed": _with(name=lambda docno: f"d{docno}0"),
    # A relevant one is a part of one that is not, and has such a part.
    "documents with numbers for names": _of(
        {"9": 1, "10": 0, "100": 1, "2": 0, "11": 1, "1": 1},
        [(name, "1") for name in ("10", "2", "100", "11", "9", "1")],
    ),
    "documents whose names differ in case alone": _of(
        {"a": 1, "B": 1, "c": 0}, [("A", "4"), ("c", "3"), ("a", "2"), ("b", "1")]
    ),
    "an irrelevant tail": _of(
        {**_BASE, **dict.fromkeys("hijklm", 0)},
        [
            *((docno, str(place * 5 % 7 + 1)) for place, docno in enumerate(_ORDER)),
            *((name, str(-number)) for number, name in enumerate("hijklmnopqrst", start=1)),
        ],
    ),
    "twenty queries": _with_neighbours(20),
    "three queries": _with_neighbours(3),
    "queries with numbers for names": _with_numbers_of_queries,
    "grades raised": _with(grade=lambda label, measure: label * (measure.rel + 2)),
    "grades of two digits": _with_a_grade_of_two_digits,
    **{f"documents with {separator} in their names": _with(name=_parted_by(separator)) for separator in SEPARATORS},
}

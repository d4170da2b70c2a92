"""Witnesses of conventions: known ones by hand, smallest ones by brute force with the naive oracle, and none."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, islice, pairwise, permutations, product

import pytest
from campaign import seeded
from hypothesis import given as drawn
from hypothesis import strategies as st
from naive import oracle as naive
from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.witness import separation
from rankspec.conformance.infer.witness.implementation_search import is_expressible
from rankspec.conformance.infer.witness.scope import (
    Scope,
    differing_axes,
    narrowed_text,
    narrowing,
    scope_of,
    scope_of_shapes,
)
from rankspec.conformance.infer.witness.separation import axes_at_fault, separate
from rankspec.conformance.infer.witness.small_inputs import inputs_of, outlines, score_text
from rankspec.conformance.infer.witness.witness import _samples, witness
from rankspec.conformance.worker.shapes import Need, Shape, Signature, tell
from rankspec.oracle import ConventionError, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.measures.areas.denominators import Counts
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.sweeps.space import relevant_documents
from rankspec.oracle.values import to_text


def plain(convention):
    settings = parse_convention(convention).settings()
    return {axis: value if AXES[axis].values is None else str(value) for axis, value in settings.items()}


def naively(measure, qrels, run, convention):
    parsed = parse_measure(measure)
    return naive.evaluate(parsed.name, parsed.k, parsed.rel, qrels, run, plain(convention))[0]


def found(measure, a, b):
    return separate(parse_measure(measure), parse_convention(a), parse_convention(b))


@pytest.mark.parametrize("shape", Shape, ids=str)
def test_what_is_varied_as_relevant_is_and_what_else_a_document_can_be_is_not(shape):
    """Whatever the threshold, and whatever a measure gains from a document that is not relevant."""
    measures = []
    for family, rel in product(FAMILIES.values(), (0, 1, 2)):
        with suppress(ConventionError):  # it has no threshold
            measures.append(replace(parse_measure(family.example), rel=rel))
        with suppress(ConventionError):  # or no gains
            drawn = ((0, Fraction(rel)), (1, Fraction(2))), ((1, Fraction(0)), (2, Fraction(0)), (3, Fraction(1)))
            measures.extend(replace(parse_measure(family.example), gains=gains) for gains in drawn)
    assert len(measures) > 100
    for measure in measures:
        scope = scope_of_shapes(measure, [Signature(shape, shape.natives, Need.ABSENT, Need.ABSENT)])
        relevant, others = (
            {str(grade): grade for grade in each if grade is not None} for each in (scope.relevant, scope.others)
        )
        assert relevant_documents(measure, relevant) == {*relevant}, measure
        assert relevant_documents(measure, others) == set(), measure
        assert len(relevant) == len(scope.relevant) > 0  # no grade twice
        said = {(each.scored, narrowed_text(scope, each)) for each in narrowing(scope)[1:]}
        assert len({text for _, text in said}) == len(said), "without scores, in words of its own"
        require_narrower(narrowing(scope))


def require_narrower(scopes):
    """Each says less than the one before: nothing nearly tied, then a hit, a miss and a query alone, then no scores."""
    widest, *_ = scopes
    for wide, narrow in pairwise(scopes):
        assert {*narrow.relevant} <= {*wide.relevant}
        assert {*narrow.others} <= {*wide.others}
        assert all(getattr(narrow, each) <= getattr(wide, each) for each in ("scored", "copies", "second", "absent"))
        assert narrow != wide
    assert not any(each.near for each in scopes[1:])
    is_plain = [len(each.relevant) == len(each.others) == 1 and each.second == each.pooled for each in scopes]
    assert is_plain == sorted(is_plain)
    assert is_plain[-1]
    assert (scopes[-1].scored or scopes[-1].copies) <= (not widest.ranked)


BY_HAND = [
    # Two tied documents, one relevant: precision 1/2 where the block ends, 1 where the relevant one is read first.
    ("AP", "default[ties=grouped]", "default", (2, 1, 1), {"1/2", "1"}),
    ("AP", "default[ties=optimistic]", "default[ties=pessimistic]", (2, 1, 1), {"1/2", "1"}),
    ("AP", "default[ties=expected]", "default[ties=grouped]", (2, 1, 1), {"1/2", "3/4"}),
    # The order of names is another one than that of the file.
    *(
        ("AP", f"default[ties=docno-{each}]", "default", (2, 1, 1), {"1/2", "1"})
        for each in ("ascending", "descending")
    ),
    # One hit of two relevant documents.
    ("AP", "default[denominator=retrieved-relevant]", "default", (1, 2, 0), {"1/2", "1"}),
    # R has to be above k for min(R, k) to show.
    ("AP@3", "default[denominator=min-relevant-cutoff]", "default", (1, 4, 0), {"1/3", "1/4"}),
    # A hit beyond the cutoff.
    (
        "AP@4",
        "default[denominator=retrieved-relevant]",
        "default[denominator=relevant-in-list]",
        (5, 2, 0),
        {"1", "1/2"},
    ),
    # 3/5 is not a double; the level 0.6000000000000001 needs four hits of five.
    ("AP11", "default", "default[recall_grid=float64]", (3, 5, 0), {"7/11", "6/11"}),
    ("AP", "default[unjudged=removed]", "default", (2, 1, 1), {"1", "1/2"}),
    ("AP", "default[duplicates=counted]", "default[duplicates=first]", (2, 1, 0), {"2", "1"}),
    ("AP", "default[duplicates=removed]", "default[duplicates=first]", (3, 1, 0), {"1/2", "1/3"}),
    ("AP", "default[score_precision=float32]", "default", (2, 1, 2), {"1", "1/2"}),
    ("AP", "default[score_precision=float64]", "default", (2, 1, 2), {"1", "1/2"}),
    ("AP", "default[missing_query=skip]", "default", (1, 1, 1), {"1", "1/2"}),
    ("AP", "default[unknown_query=zero]", "default", (2, 1, 1), {"1", "1/2"}),
    # Of one ranking of all queries: a relevant document of a query that has no list, and a document of an unknown one.
    ("AP", "default[aggregate=micro, missing_query=skip]", "default[aggregate=micro]", (1, 2, 1), {"1", "1/2"}),
    ("AP", "default[aggregate=micro, unknown_query=zero]", "default[aggregate=micro]", (2, 1, 2), {"1", "1/2"}),
    ("AP", "default[depth=3]", "default", (4, 1, 0), {"0", "1/4"}),
    ("TAP@1", "default[tap_ties=dropped]", "default", (1, 1, 1), {"0", "1"}),
]


@pytest.mark.parametrize(("measure", "a", "b", "size", "values"), BY_HAND)
def test_known_witnesses(measure, a, b, size, values):
    seen = found(measure, a, b)
    assert tuple(seen.input.size) == size
    assert {to_text(value) for value in seen.values} == values
    assert seen.smallest
    assert seen.bound == size[0] - 1  # all that is shorter was tried
    tried = chain.from_iterable(
        inputs_of(scope_of(parse_measure(measure), *map(parse_convention, (a, b))), each)
        for each in range(1, size[0] + 1)
    )
    assert next(number for number, each in enumerate(tried, 1) if each == seen.input) == seen.inputs
    given = case_input(seen.input.data)
    qrels = {query: dict(given.qrels.grades(query)) for query in given.qrels}
    run = {query: [tuple(pair) for pair in given.run.documents(query)] for query in given.run}
    for convention, value in zip((a, b), seen.values, strict=True):
        assert str(naively(measure, qrels, run, convention)) == to_text(value)
    # Where every relevant document has to be retrieved, none that is not is in what is found.
    conventions = (parse_convention(each) for each in (a, b))
    retrieved = separate(parse_measure(measure), *conventions, most_inputs=300, only_retrieved=True).input
    lacks = [each is not None and has_missed(each, least=1) for each in (seen.input, retrieved)]
    assert not lacks[1]
    assert lacks[0] or retrieved == seen.input


@pytest.mark.parametrize(("measure", "a", "b", "size", "values"), BY_HAND)
def test_a_witness_says_of_each_side_what_it_would_say_of_it_as_the_other(measure, a, b, size, values):
    told = []
    one, other = (witness(*sides, measure, progress=lambda *each: told.append(each)) for sides in ((a, b), (b, a)))
    assert one.stated
    assert {done for _, done, *_ in told} == {0}  # it is said once that inputs are tried, none of them yet
    assert one.by_axis == ()
    assert (one.input, one.bound, one.smallest) == (other.input, other.bound, other.smallest)
    assert tuple(one.size) == tuple(other.size) == size
    assert [each.text for each in one.sides] == [a, b]
    assert {*one.texts} == values
    assert one.texts == other.texts[::-1]
    assert one.decimals == other.decimals[::-1] == tuple(decimal_text(Fraction(text)) for text in one.texts)
    turned = [replace(each, a=each.b, b=each.a) for each in other.axes]
    assert [*one.axes] == turned
    (fault, *_) = one.axes
    differing = [setting_text(getattr(parse_convention(each), fault.axis)) for each in (a, b)]
    assert [fault.a, fault.b] == [(each,) for each in differing]


# ---- Conventions that are one


EQUAL = [
    ("AP@3", "default[denominator=length]", "default[denominator=min-cutoff-length]"),
    ("AP@3", "default[denominator=min-relevant-length]", "default[denominator=min-relevant-cutoff-length]"),
    ("AP", "default[negative_grades=unjudged]", "default"),
    ("AP", "default[denominator=retrieved-relevant]", "default[denominator=relevant-in-list]"),
]


@pytest.mark.parametrize(("measure", "a", "b"), EQUAL)
def test_conventions_that_coincide(measure, a, b):
    seen = found(measure, a, b)
    assert seen.input is None
    assert seen.bound >= 10


def test_axes_that_a_measure_does_not_depend_on():
    seen = found("AP", "default[recall_grid=float64]", "default[tap_ties=dropped]")
    assert seen.same


def test_a_size_that_was_only_begun_is_beyond_the_bound():
    measure, sides = parse_measure("AP"), (DEFAULT, parse_convention("default[ties=grouped]"))
    whole = sum(1 for documents in (1, 2) for _ in inputs_of(scope_of(measure, *sides), documents))
    for more, bound in ((-1, 1), (0, 2), (1, 2)):
        seen = separate(measure, *sides, most_inputs=whole + more, accept=lambda _: False)
        assert (seen.input, seen.bound, seen.inputs) == (None, bound, whole + more)


@pytest.mark.parametrize("k", [7, 8, 9, 10, 12])
@pytest.mark.parametrize("longest", [12, 13])
def test_lists_are_tried_up_to_two_beyond_a_cutoff(k, longest, monkeypatch):
    """As far as that is no longer than any list is; a hit beyond the cutoff shows then."""
    monkeypatch.setattr(separation, "_LONGEST", longest)
    seen = found(f"AP@{k}", "default[denominator=retrieved-relevant]", "default[denominator=relevant-in-list]")
    assert tuple(seen.input.size) == (k + 1, 2, 0)
    assert seen.smallest is (k + 1 <= max(longest, 10))
    same = found(f"AP@{k}", "default[denominator=length]", "default[denominator=min-cutoff-length]")
    assert (same.input, same.bound) == (None, max(10, min(k + 2, longest)))


# ---- The enumeration itself

SIGNATURE = Signature(Shape.RANKING, Shape.RANKING.natives, Need.REQUIRED, Need.ABSENT)
SCOPES = [
    Scope(),
    Scope(second=True, others=(None, 0)),
    Scope(copies=True),
    Scope(second=True),
    Scope(scored=True, names=True, others=(0, None, -1)),
    Scope(ranked=False, scored=True, second=True, pooled=True),
    Scope(scored=True, near="float32"),
    Scope(scored=True, tied=False),
    *(Scope(scored=True, ranked=False, tied=tied, near=near) for tied in (True, False) for near in ("", "float32")),
]

MEASURES = ("AP", "AP@1", "P@2", "P@3", "nDCG@2", "AP11@4", "RBP(p=0.8)", "Bpref", "RR", "TAP@1", "infAP", "Unjudged@2")


@cache
def drawn_scopes(count=24):
    """Scopes of conventions that differ on an axis or two, and of functions of every shape."""
    source, found = random.Random(seeded("scopes")), []
    while len(found) < count:
        measure = parse_measure(source.choice(MEASURES))
        a = b = DEFAULT
        for axis in source.sample([*measure.axes(DEFAULT)], 2):
            values = [*(AXES[axis].values or (1, 2, 3))]
            a, b = (each.with_setting(axis, source.choice(values)) for each in (a, b))
        if differing_axes(measure, a, b) and not any(meaningless(measure, each) for each in (a, b)):
            found.append(scope_of(measure, a, b))
        name = source.choice(["k", "k=None"])
        shape = source.choice([each for each in Shape if each is not Shape.PREDICTED_ACTUAL])
        scope = {}
        exec(f"def f({', '.join(shape.natives)}, {name}): pass", scope)  # noqa: S102
        found.append(scope_of_shapes(measure, [tell(scope["f"], shape)]))
    return found


@pytest.mark.parametrize("place", range(len(SCOPES) + 24))
@pytest.mark.drawn
def test_inputs_come_in_order_of_size_and_once(place):
    """Each is of the size that it says, and one that functions of the scope can be asked."""
    scope, is_of_conventions = (
        [*SCOPES, *drawn_scopes()][place],
        place >= len(SCOPES) and (place - len(SCOPES)) % 2 == 0,
    )
    # Where labels or ids say everything, no scores are tried.
    needs_scores = (
        scope.tied or len(scope.others) > 1 or (scope.copies and (scope.relevant, scope.others) != ((1,), (0,)))
    )
    assert not is_of_conventions or scope.scored is needs_scores
    for documents in (0, 1, 2):
        listed = [*islice(inputs_of(scope, documents), 1500)]
        assert [each.size for each in listed] == sorted(each.size for each in listed)
        written = [str(each.data) for each in listed]
        if not scope.misses_outside and not scope.near:  # else a few are written twice, which costs their time
            assert len({*written}) == len(written)
        for each in listed:
            # But scores that only float32 makes equal, and what is unjudged, stand for more than they are.
            is_plain = all(
                {docno for docno, _ in found} <= {*each.judged.get(q, ())} for q, found in each.results.items()
            )
            assert is_expressible(each, scope) or scope.near or not is_plain or not all(each.results.values())
            retrieved = [score for found in each.results.values() for _, score in found]
            relevant = sum(grade in scope.relevant for judged in each.judged.values() for grade in judged.values())
            assert (each.size.documents, each.size.relevant) == (len(retrieved), relevant)
            # In a list without scores whoever is not relevant is a plain miss.
            can_be = {*scope.relevant, *(scope.others if each.size.score_levels else scope.others[:1])}
            pairs = [
                (each.judged[query], docno)
                for query in {*each.results} & {*each.judged}
                for docno, _ in each.results[query]
            ]
            assert {judged.get(docno) for judged, docno in pairs} <= can_be or each.form == "actual"
            if each.form in {"labels", "qrels"} and len(each.results) == 1 and each.size.score_levels:
                assert each.size.score_levels == len({*retrieved})


RICH = Scope(scored=True, copies=True, second=True, pooled=True, others=(0, None, -1))


def is_tied(given):
    return any(len({score for _, score in found}) < len(found) for found in given.results.values())


def has_copies(given):
    return any(len({docno for docno, _ in found}) < len(found) for found in given.results.values())


def has_missed(given, least=-1):
    """Tell whether a document of such a grade is judged, and not retrieved."""
    listed = {query: {docno for docno, _ in documents} for query, documents in given.results.items()}
    return any(
        {docno for docno, grade in judged.items() if grade >= least} - listed.get(query, set())
        for query, judged in given.judged.items()
    )


def is_special(given):
    pairs = [(query, docno) for query, found in given.results.items() for docno, _ in found]
    return any(given.judged.get(query, {}).get(docno, -1) < 0 for query, docno in pairs)


@pytest.mark.parametrize(
    ("lacking", "needs"),
    [
        ({"scored": False}, is_tied),
        ({"copies": False}, has_copies),
        ({"unretrieved": False}, has_missed),
        ({"second": False}, lambda given: len({*given.judged, *given.results}) > 1),
        ({"others": (0,)}, is_special),
    ],
    ids=lambda each: str(each) if isinstance(each, dict) else "",
)
def test_what_a_scope_lacks_can_not_be_said(lacking, needs):
    poor, said = replace(RICH, **lacking), set()
    for given in (each for documents in (1, 2) for each in islice(inputs_of(RICH, documents), 3_000)):
        expected = is_expressible(given, RICH) and not needs(given)
        assert is_expressible(given, poor) is expected, given
        said.add(expected)
    assert said == {True, False}


@pytest.mark.parametrize("place", range(len(SCOPES) + 24))
@pytest.mark.drawn
def test_outlines_with_the_fewest_special_documents_come_first(place):
    """By queries, then copies, then grades that are neither the plain hit nor the plain miss."""
    scope, longest = [*SCOPES, *drawn_scopes()][place], 0
    for documents, levels in product((1, 2), repeat=2):
        keys = [
            (
                len(each.states),
                documents - len({*each.docnos}),
                documents - each.grades.count(scope.relevant[0]) - each.grades.count(scope.others[0]),
            )
            for each in outlines(scope, documents, levels)
        ]
        assert keys == sorted(keys)
        has_levels = levels == 1 or scope.tied or bool(scope.near)
        assert has_levels or not keys
        if documents == levels == 2 and not scope.ranked:  # else labels say the same
            assert bool(keys) == has_levels
        longest = max(longest, len({*keys}))
    assert longest > 1 or (scope.relevant, scope.others) == ((1,), (0,))


SAID_BY = {
    "QRELS_RUN": {"unretrieved", "scored", "names", "second"},
    "FILES": {"unretrieved", "copies", "scored", "names", "second"},
    "FRAMES": {"unretrieved", "copies", "scored", "names", "second"},
    "RANKING": {"unretrieved"},
    "ACTUAL_PREDICTED": {"unretrieved", "copies"},
    "LISTS": {"unretrieved", "copies"},
    "LABELS_SCORES": {"scored"},
    "MATRICES": {"scored"},
}


ALIKE = [("QRELS_RUN", "FILES", "FRAMES"), ("ACTUAL_PREDICTED", "FILES", "LISTS", "FRAMES")]


@pytest.mark.parametrize("names_of_shapes", [*combinations_with_replacement(SAID_BY, 2), *ALIKE])
@pytest.mark.parametrize("text", ["AP", "TAP@1", "Bpref"])
def test_two_can_be_asked_what_both_can_say(names_of_shapes, text):
    """But that names break ties is for one of them to see; TAP looks at the scores of all queries together."""
    shapes = [Shape[each] for each in names_of_shapes]
    scope = scope_of_shapes(
        parse_measure(text), [Signature(each, each.natives, Need.REQUIRED, Need.ABSENT) for each in shapes]
    )
    said = [SAID_BY[each] for each in names_of_shapes]
    both = set.intersection(*said)
    names = {"names"} if "scored" in both and "names" in set.union(*said) else set()
    pooled = {"pooled"} if text == "TAP@1" and "second" in both else {"ranked"} - {"ranked" if "TAP" in text else ""}
    fields = ("unretrieved", "copies", "scored", "names", "second", "pooled", "ranked")
    assert {each for each in fields if getattr(scope, each)} == both - {"names"} | names | pooled
    assert bool(scope.near) == ("scored" in both)
    assert (len(scope.others) > 1) == ("second" in both)
    assert bool(scope.misses_outside) == (text == "Bpref" and "second" in both)


@pytest.mark.parametrize("rel", range(1, 5))
def test_a_document_can_have_every_grade_up_to_the_threshold(rel):
    """In shapes that have grades; a miss is the plain one or none of these: no document is both."""
    for shape in (Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES, Shape.RANKING):
        signature = Signature(shape, shape.natives, Need.REQUIRED, Need.ABSENT)
        for text in (f"AP(rel={rel})", f"P(rel={rel})@2", f"RR(rel={rel})", f"Bpref(rel={rel})"):
            scope = scope_of_shapes(parse_measure(text), [signature])
            assert min(scope.relevant) == rel
            if shape is not Shape.RANKING:
                assert sorted(scope.others, key=str) == sorted((None, *range(-1, rel)), key=str)


@pytest.mark.parametrize("k", range(1, 9))
def test_the_numbers_of_relevant_documents_ascend(k):
    """From none to two more than are retrieved, and from one below the cutoff to two above it."""
    measure = parse_measure(f"P@{k}")
    differing = scope_of(measure, DEFAULT, parse_convention("default[precision_denominator=min-relevant-cutoff]"))
    for scope, around in ((differing, range(k - 1, k + 3)), (scope_of_shapes(measure, [SIGNATURE]), range(k, k + 2))):
        for documents in range(1, 10):
            assert [*scope.relevants(documents)] == sorted({*range(documents + 3), *around})


DECIDED_BY_COUNTS = ("denominator", "no_relevant", "no_hits")


@pytest.mark.drawn
def test_lists_that_are_left_out_part_nobody_and_of_the_others_some_do():
    """By the values of every list of up to four documents; some rules say the same of one query, in other words."""
    source, tried = random.Random(seeded("counts")), 0
    while tried < 40:
        k = source.choice(("", "@1", "@2", "@3", "@4"))
        measure, axes = parse_measure(source.choice(("AP", "AP11")) + k), (*DECIDED_BY_COUNTS, "recall_grid", "depth")
        chosen = source.sample(DECIDED_BY_COUNTS if tried % 2 else axes, 2)
        a = b = DEFAULT.with_setting("interpolation", source.choice([*AXES["interpolation"].values]))
        for axis in chosen:
            a, b = (each.with_setting(axis, source.choice([*(AXES[axis].values or (1, 2, 3))])) for each in (a, b))
        if not differing_axes(measure, a, b) or any(meaningless(measure, each) for each in (a, b)):
            continue
        scope, parting, tried = scope_of(measure, a, b), {}, tried + 1
        for labels in (each for size in (1, 2, 3, 4) for each in product((1, 0), repeat=size)):
            top = min(scope.limit or len(labels), len(labels))
            run = Run.of({"q": [(f"d{place}", -place) for place in range(len(labels))]})
            for relevant in range(sum(labels), 7):
                missed = {f"x{place}": 1 for place in range(relevant - sum(labels))}
                qrels = Qrels.of({"q": {f"d{place}": label for place, label in enumerate(labels)} | missed})
                one, other = (comparable(exact_on(measure, Data(qrels, run), each)) for each in (a, b))
                counts = Counts(relevant, top, len(labels), sum(labels[:top]), sum(labels))
                parting[counts] = parting.get(counts, False) or one != other
        found = {counts: scope.can_part is None or scope.can_part(counts) for counts in parting}
        assert all(found[counts] for counts, is_parted in parting.items() if is_parted), (a, b)
        rules = {str(getattr(each, axis)) for each in (a, b) for axis in ("no_relevant", "no_hits")}
        is_plain = {*chosen} <= {*DECIDED_BY_COUNTS} and not rules & {"nan", "skip"}
        assert not is_plain or "unanchored" in str(a.interpolation) or measure.name == "AP11" or found == parting


def as_drawn(given, query):
    """Return block, grade and place of its name of each document, best first, and how many hits the list lacks."""
    if query not in given.judged:
        return "unknown", len(given.results[query])
    judged, listed = given.judged[query], sorted(given.results.get(query, ()), key=lambda each: -each.score)
    docnos = [docno for docno, _ in listed]
    missed = sum(grade > 0 for docno, grade in judged.items() if docno not in docnos)
    if query not in given.results:
        return "missing", missed
    levels = sorted({score for _, score in listed}, reverse=True)
    return tuple(
        (levels.index(score), judged.get(docno), sorted(docnos).index(docno)) for docno, score in listed
    ), missed


def lists_of(scope, documents, missed):
    """Yield all such lists: with scores every division into blocks, and every order of the names in each."""
    letters = (*scope.relevant, *(scope.others if scope.scored else scope.others[:1]))
    for grades in product(letters, repeat=documents):
        for cuts in product((0, 1) if scope.scored else (1,), repeat=documents - 1):
            blocks = [sum(cuts[:place]) for place in range(documents)]
            for order in permutations(range(documents)) if scope.names else [range(documents)]:
                if blocks == [block for _, block in sorted(zip(order, blocks, strict=True))]:
                    yield tuple(zip(blocks, grades, order, strict=True)), missed


@pytest.mark.parametrize(
    "scope",
    [
        *(Scope(unretrieved=unretrieved, scored=scored) for unretrieved in (True, False) for scored in (True, False)),
        Scope(scored=True, names=True, others=(0, None, -1)),
        Scope(scored=True, ranked=False, others=(0, None)),
        *(Scope(second=True, unretrieved=unretrieved, disjoint=not unretrieved) for unretrieved in (True, False)),
        Scope(second=True, disjoint=True),
    ],
)
@pytest.mark.parametrize("documents", [1, 2, 3])
def test_every_list_is_tried_and_of_two_queries_every_pair(scope, documents):
    """Against all that there are: a query that is missing has judgments alone, one that is unknown documents."""

    def size(side):
        listed, number = side
        if listed == "unknown":
            return number, 0
        return (0, number) if listed == "missing" else (len(listed), number + sum(grade == 1 for _, grade, _ in listed))

    def is_tried(pair):
        states = [listed for listed, _ in pair if isinstance(listed, str)]
        return len(states) < 2 or (scope.disjoint and states[0] != states[1])

    for relevant in scope.relevants(documents):
        missed = range((relevant if scope.unretrieved else 0) + 1)
        sides = [
            each for size in range(1, documents + 1) for number in missed for each in lists_of(scope, size, number)
        ]
        expected = {(each,) for each in sides if size(each) == (documents, relevant)}
        if scope.second:
            sides += [("missing", number) for number in missed] + [
                ("unknown", size) for size in range(1, documents + 1)
            ]
            pairs = [tuple(sorted(pair, key=str)) for pair in product(sides, repeat=2) if is_tried(pair)]
            expected |= {
                pair for pair in pairs if (*map(sum, zip(*map(size, pair), strict=True)),) == (documents, relevant)
            }
        inputs = [each for each in inputs_of(scope, documents) if each.size.relevant == relevant]
        found = [
            tuple(sorted((as_drawn(each, query) for query in {**each.judged, **each.results}), key=str))
            for each in inputs
        ]
        assert {*found} == expected
        assert scope.second or len(found) == len(expected)


@pytest.mark.parametrize("scope", SCOPES)
def test_inputs_are_what_they_say_as_fixtures(scope):
    for given in (each for documents in (1, 2) for each in inputs_of(scope, documents)):
        read = case_input(given.data)
        assert given.form == "actual" or all(given.judged.values())
        if given.form == "actual":
            (documents,) = given.results.values()
            assert len({each.docno for each in documents}) < len(documents)
        assert {query: read.run.documents(query) for query in read.run} == given.results
        assert {query: dict(read.qrels.grades(query)) for query in read.qrels} == {
            query: dict(grades) for query, grades in given.judged.items()
        }


@drawn(st.integers() | st.floats(allow_nan=False) | st.decimals(allow_nan=False, allow_infinity=False).map(Fraction))
def test_a_score_is_written_as_the_number_that_it_is(score):
    written = score_text(score)
    assert (isinstance(written, int), float(written) if written in ("inf", "-inf") else Fraction(written)) == (
        score == score // 1 and abs(score) < float("inf"),
        score,
    )


def test_samples_are_what_cases_give_and_as_large_as_they_say():
    for measure in map(parse_measure, ("AP", "P(rel=2)@5")):
        sizes = []
        for each in _samples(measure):
            scores = [score for documents in each.results.values() for _, score in documents]
            grades = [grade for judged in each.judged.values() for grade in judged.values()]
            relevant = sum(grade >= measure.rel for grade in grades)
            assert each.size == (len(scores), relevant, len({*scores}))
            sizes.append((len({*each.judged, *each.results}), len(scores), len(grades)))
        assert sizes == sorted(sizes)


# ---- The public function, and the table


def test_the_axis_at_fault_is_named():
    seen = witness("default[ties=grouped]", "default[ties=input-order, score_precision=float32]", "AP")
    assert [fault.axis for fault in seen.axes] == ["ties"]
    assert [each.axis for each in seen.by_axis] == ["score_precision", "ties"]
    first, second = (parse_convention(each.text) for each in seen.sides)
    for row in seen.by_axis:
        data, changed = case_input(row.input), first.with_setting(row.axis, getattr(second, row.axis))
        values = [to_text(exact_on(seen.measure, Data(data.qrels, data.run), each)) for each in (first, changed)]
        assert [*row.values] == values
        assert len({*values}) == 2


def test_meaningless_conventions_are_refused():
    with pytest.raises(ConventionError, match="needs a cutoff"):
        witness("kaggle", "default", "AP")
    with pytest.raises(ConventionError, match="neither a convention nor an implementation"):
        witness("kagle", "default")


def test_axes_that_change_the_value_are_at_fault_though_none_suffices():
    # Hits at ranks 2 and 3, R = 4. By steps over R: (1/2 + 2/3)/4 = 7/24; by the envelope over k: (2/3 + 2/3)/3 = 4/9.
    # The envelope alone makes it 1/3, the denominator alone 7/18; nothing ties.
    a = parse_convention("default")
    b = parse_convention("default[denominator=cutoff, interpolation=envelope, ties=docno-descending]")
    qrels = Qrels.of({"q": {"x": 1, "y": 1, "m1": 1, "m2": 1}})
    run = Run.of({"q": [("u", 3), ("x", 2), ("y", 1)]})
    found = axes_at_fault(parse_measure("AP@3"), a, b, qrels, run)
    assert {(each.axis, each.suffices) for each in found} == {("denominator", False), ("interpolation", False)}


def test_lists_no_longer_than_two_depths_are_not_tried():
    measure = parse_measure("AP")
    scope = scope_of(measure, *map(parse_convention, ("default[depth=3]", "default[depth=5]")))
    assert [documents for documents in range(6) if any(True for _ in inputs_of(scope, documents))] == [4, 5]


@pytest.mark.parametrize("measure", ["Judged@2", "Unjudged@2"])
def test_grades_below_0_are_tried_where_the_two_read_them_differently(measure):
    both = ["default[missing_query=skip]", "default[depth=1]", "default[negative_grades=unjudged]"]
    for a, b in combinations(map(parse_convention, ["default", *both]), 2):
        scope = scope_of(parse_measure(measure), a, b)
        assert (-1 in scope.others) is (a.negative_grades is not b.negative_grades)

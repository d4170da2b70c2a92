"""The smallest input on which two conventions differ, by brute force; witnesses of all measures; the table of pairs."""

import random
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
from campaign import in_campaign, seeded, sizes
from ci_scripts import ci_script
from hypothesis import given
from hypothesis import strategies as st
from naive import oracle as naive
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.witness.implementation_search import can_all_be_asked
from rankspec.conformance.infer.witness.scope import Scope, differing_axes
from rankspec.conformance.infer.witness.separation import inputs_of, separate
from rankspec.conformance.infer.witness.sides import Filter
from rankspec.conformance.infer.witness.witness import witness
from rankspec.oracle import ConventionError, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Denominator, Ties
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.sweeps.exact_values import comparable, exact_under
from rankspec.oracle.values import Undefined, to_double

NEAR = (Fraction(1, 10**17), Fraction(1, 10**8))
NEARLY_TIED = [*((1, 1 + near) for near in NEAR), *((1 + near, 1) for near in NEAR)]
GRADES = (*product((1, 0, None), repeat=2), (2, 1), (1, 2), (1, -1), (-1, 1))
OUTSIDE = [(), (1,), (0,), (1, 1), (2,), (1, 2), (0, 0)]


def graded(docnos, grades, outside=()):
    """Return a query's judgments; it has one at least."""
    judged = {docno: grade for docno, grade in zip(docnos, grades, strict=True) if grade is not None}
    judged |= {f"x{number}": grade for number, grade in enumerate(outside)}
    return judged or {"z": 0}


def inputs_of_one_query():
    """Yield lists with a tie and without, with names in either order, nearly tied, and of one document twice."""
    alone = [("a", (1,), (grade,), outside) for grade in (2, 1, 0, None, -1) for outside in OUTSIDE]
    apart = [("ab", (2, 1), grades, outside) for grades in GRADES for outside in OUTSIDE[:5]]
    tied = [
        (docnos, (1, 1), grades, outside) for docnos in ("ab", "ba") for grades in GRADES for outside in OUTSIDE[:2]
    ]
    near = [(docnos, scores, grades, ()) for docnos in ("ab", "ba") for scores in NEARLY_TIED for grades in GRADES[:8]]
    twice = [
        ("aa", scores, (grade,) * 2, outside)
        for scores in ((2, 1), (1, 1))
        for grade in (1, 0, None)
        for outside in OUTSIDE[:2]
    ]
    for docnos, scores, grades, outside in (*alone, *apart, *tied, *near, *twice):
        yield {"q": graded(docnos, grades, outside)}, {"q": list(zip(docnos, scores, strict=True))}


def inputs_of_two_queries():
    """Yield inputs of two queries, of which one may be in one file alone."""
    for grades, missed in product(product((1, 0), repeat=2), product((0, 1), repeat=2)):
        judged = {q: graded(["a"], [grades[i]], (1,) * missed[i]) for i, q in enumerate(("q", "r"))}
        for scores in ((1, 1), (2, 1), (1, 2)):
            yield judged, {"q": [("a", scores[0])], "r": [("a", scores[1])]}
    for grade, outside in product((1, 0, None), OUTSIDE[:2]):
        listed, judged = {"q": [("a", 1)]}, {"q": graded("a", [grade], outside)}
        yield from ((judged, listed | {"r": [("b", score)]}) for score in (1, 2))
        for other in OUTSIDE[1:4]:
            yield judged | {"r": graded((), (), other)}, listed
    for grades, other in product(product((1, 0), repeat=2), OUTSIDE[1:3]):
        yield {"q": graded("ab", grades), "r": graded((), (), other)}, {"q": [("a", 2), ("b", 1)]}


@cache
def universe():
    return [*inputs_of_one_query(), *inputs_of_two_queries()]


def size_of(measure, given, *, pooled):
    """Return documents, relevant ones and different scores: none in labels or ids, which have none."""
    qrels, run = given
    scores = {score for listed in run.values() for _, score in listed}
    relevant = sum(grade >= measure.rel for grades in qrels.values() for grade in grades.values())
    grades = [qrels.get(query, {}).get(docno, -1) for query, listed in run.items() for docno, _ in listed]
    # Scores that are nearly tied are scores: without them there is nothing to see.
    are_ranked = all(
        [*listed] == sorted(listed, key=lambda each: -each[1])
        and len({round(score) for _, score in listed}) == len(listed)
        for listed in run.values()
    )
    is_labels = are_ranked and min(grades) >= 0 and not has_copies(run)
    is_plain = is_labels and qrels.keys() == run.keys() and not (pooled and len(run) > 1)
    return sum(map(len, run.values())), relevant, 0 if is_plain else len(scores)


def has_copies(run):
    return any(len({docno for docno, _ in listed}) < len(listed) for listed in run.values())


def value_of(measure, convention, qrels, run):
    """Return a number up to the twelfth digit, or a word."""
    settings = convention.settings()
    settings = {axis: value if AXES[axis].values is None else str(value) for axis, value in settings.items()}
    return comparable_double(naive.evaluate(measure.name, measure.k, measure.rel, qrels, run, settings)[0])


@cache
def naively(measure, convention):
    """Return a convention's value on every input."""
    return [value_of(measure, convention, *given) for given in universe()]


def comparable_double(value):
    if isinstance(value, tuple):
        value = float(value[1]) ** (1 / value[2])
    return value if isinstance(value, str) else round(float(value), 12)


def drawn(measure, source, number):
    """Draw conventions that mean something: up to three axes are other than by default."""
    found = [DEFAULT]
    axes = [axis for axis in AXES if AXES[axis].values and axis in measure.axes(DEFAULT)]
    while len(found) < number:
        convention = DEFAULT
        for axis in source.sample(axes, source.choice([1, 1, 2, 3])):
            convention = convention.with_setting(axis, source.choice([*AXES[axis].values]))
        if convention not in found and meaningless(measure, convention) is None:
            found.append(convention)
    return found


def smallest(measure, a, b, *, accept=lambda _place: True):
    """Return the smallest size of an input on which two differ; None if there is none."""
    pooled = "micro" in {str(a.aggregate), str(b.aggregate)}
    sizes = [
        size_of(measure, given, pooled=pooled)
        for place, (given, one, other) in enumerate(
            zip(universe(), naively(measure, a), naively(measure, b), strict=True)
        )
        if one != other and accept(place)
    ]
    return min(sizes, default=None)


def as_dicts(given):
    data = case_input(given)
    return (
        {query: dict(data.qrels.grades(query)) for query in data.qrels},
        {query: [tuple(pair) for pair in data.run.documents(query)] for query in data.run},
    )


MEASURES = [
    *("AP", "AP@1", "nDCG@2", "P@2", "R@2", "RR", "Bpref", "DCG", "infAP", "Judged@2", "Unjudged@2", "SetF", "ERR"),
]


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(MEASURES, but=["AP", "nDCG@2"], ids=str))
def test_no_smaller_input_separates(text):
    measure, source = parse_measure(text), random.Random(seeded(text))
    compared = 0
    for a, b in combinations(drawn(measure, source, 7), 2):
        if not differing_axes(measure, a, b):
            continue
        separation, least = separate(measure, a, b, most_inputs=1_000), smallest(measure, a, b)
        given = separation.input
        if given is None or given.size.documents > 2:
            assert least is None or least[0] > separation.bound, (a, b)
            continue
        # A list with a document twice has no scores where ids say all of it: where unjudged documents are plain misses.
        seen = 2 if has_copies(as_dicts(given.given)[1]) else 3
        assert tuple(given.size)[:seen] == least[:seen], (text, str(a), str(b), given.given)
        values = [value_of(measure, each, *as_dicts(given.given)) for each in (a, b)]
        assert values[0] != values[1]
        assert [comparable_text(each) for each in separation.values] == values
        compared += 1
    assert compared >= 8


def comparable_text(value):
    return value.value if isinstance(value, Undefined) else round(to_double(value), 12)


@pytest.mark.drawn
@pytest.mark.parametrize("conventions", sizes(4, 6))
@pytest.mark.parametrize("only_values", in_campaign([False, True], but=["True"], ids=str))
def test_an_axis_alone_explains_the_smallest_input_that_shows_it(only_values, conventions):
    measure, source = parse_measure("AP"), random.Random(seeded("axis"))
    compared = 0
    for a, b in combinations(drawn(measure, source, conventions), 2):
        for axis in differing_axes(measure, a, b):
            values = [naively(measure, a), naively(measure, b)]
            turned = [
                naively(measure, one.with_setting(axis, getattr(other, axis)))
                if meaningless(measure, one.with_setting(axis, getattr(other, axis))) is None
                else None
                for one, other in ((a, b), (b, a))
            ]

            def counts(place, values=values, turned=turned):
                qrels, run = universe()[place]
                pair = [each[place] for each in values]
                if only_values and (qrels.keys() != run.keys() or any(isinstance(value, str) for value in pair)):
                    return False
                return any(
                    each is not None and each[place] == value for each, value in zip(turned, pair[::-1], strict=True)
                )

            least = smallest(measure, a, b, accept=counts)
            if least is not None:
                found = witness(a, b, measure, wanted=Filter(axis, only_values))
                qrels, run = as_dicts(found.given)
                assert tuple(found.size)[: 2 if has_copies(run) else 3] == least[: 2 if has_copies(run) else 3]
                assert (qrels.keys() == run.keys()) or not only_values
                assert axis in {each.axis for each in found.axes}
                compared += 1
    assert compared >= 4


@pytest.mark.parametrize("ties", [Ties.OPTIMISTIC, Ties.GROUPED], ids=str)
@pytest.mark.parametrize("denominator", [Denominator.CUTOFF, Denominator.RETRIEVED_RELEVANT], ids=str)
def test_of_two_axes_that_act_together_each_explains_by_itself_what_is_shown_of_it(ties, denominator):
    measure, both = parse_measure("AP@2"), DEFAULT.with_settings({"ties": ties, "denominator": denominator})
    for axis in ("ties", "denominator"):
        given = as_dicts(witness(both, DEFAULT, measure, wanted=Filter(axis)).given)
        values = [value_of(measure, each, *given) for each in (both, DEFAULT)]
        turned = [both.with_setting(axis, getattr(DEFAULT, axis)), DEFAULT.with_setting(axis, getattr(both, axis))]
        assert values[0] != values[1]
        assert any(value_of(measure, *each, *given) == value for *each, value in zip(turned, values[::-1], strict=True))


@given(st.integers(1, 2), st.integers(-1, 60))
def test_whether_all_inputs_of_a_size_can_be_asked(documents, most):
    scope = Scope(scored=True, others=(0, None), misses_outside=2)
    inputs = list(inputs_of(scope, documents))
    assert can_all_be_asked(scope, documents, most) is (len(inputs) <= most)
    assert can_all_be_asked(scope, documents, len(inputs))
    assert not can_all_be_asked(scope, documents, len(inputs) - 1)


def test_what_only_subtopics_show_is_refused():
    with pytest.raises(ConventionError, match="novelty_ideal: it parts where documents are judged for subtopics"):
        separate(parse_measure("nNRBP"), DEFAULT, parse_convention("default[novelty_ideal=exact]"))


def test_without_a_measure_one_is_chosen_that_depends_on_it():
    for axis, setting, measure in (
        ("gain", "exponential", "nDCG"),
        ("precision_denominator", "min-cutoff-length", "P@5"),
        ("bpref_variant", "bpref-10", "Bpref"),
        ("f_weight", "beta", "F(beta=2)@5"),
        ("tap_ties", "dropped", "TAP@1"),
        ("ties", "grouped", "AP"),
    ):
        found = witness(f"default[{axis}={setting}]", "default")
        assert (str(found.measure), found.status) == (measure, "separated")
        assert [fault.axis for fault in found.axes] == [axis]
    for text, measure in (("default", "AP"), ("kaggle", "AP@10")):  # the first that means something
        assert str(witness(text, text).measure) == measure


def test_values_that_are_equal_in_other_words_do_not_part():
    measure = parse_measure("nDCG")
    run = Run.of({"q": [("a", 2), ("b", 1)]})
    qrels = Qrels.of({"q": {"a": 0, "b": 2, "c": 2}})
    values = [
        exact_under(measure, qrels, run, parse_convention(f"default[gain={each}]")) for each in ("linear", "binary")
    ]
    assert values[0] != values[1]
    assert comparable(values[0]) == comparable(values[1])


separations = ci_script("separations")


def test_every_pair_of_values_is_in_the_table():
    ids = {pair.id for pair in separations.pairs()}
    dependent = {axis for family in FAMILIES.values() for axis in family.axes}
    assert {*AXES} - dependent == {"reading"}
    dependent -= {"novelty_ideal"}  # shown by judgements of subtopics alone, which no small input has
    for name, axis in AXES.items():
        values = [setting_text(value) for value in axis.values or ()] if name in dependent else []
        for index, first in enumerate(values):
            for second in values[index + 1 :]:
                written = [text.replace("_", "-") for text in (name, first, second)]
                assert ".".join(["witness", *written]) in ids


GROUPED = [family for family in FAMILIES.values() if family.by_subtopic or family.by_preference]
"""Those of subtopics and preferences: no small input has such judgements."""


def test_every_measure_is_among_those_that_are_separated():
    """But those of groups, whose axes cases by hand separate; two of preferences stand for all, on plain grades."""
    grouped = {family.name for family in GROUPED}
    assert {measure.name for measure in (*separations.AREAS, *separations.OTHERS)} | grouped == {*FAMILIES}


def test_a_file_that_is_not_what_is_computed_is_found(tmp_path, monkeypatch):
    few = [pair for pair in separations.pairs() if pair.axis in {"unjudged", "negative_grades"}]
    monkeypatch.setattr(separations, "pairs", lambda: iter(few))
    monkeypatch.setattr(separations, "completing", lambda _: [])
    monkeypatch.setattr(separations, "completion_text", lambda _: "document: computed\n")
    assert [path.name for path in separations.write(tmp_path)] == ["axes.yaml", "separation.yaml"]
    assert separations.write(tmp_path) == []
    table = tmp_path / separations.TABLE
    changed = table.read_text(encoding="utf-8").replace("1/2", "1/3")
    table.write_text(changed, encoding="utf-8")
    (finding,) = separations.stale(tmp_path)
    assert finding.path == table
    assert finding.line == changed[: changed.index("1/3")].count("\n") + 1

"""The smallest input on which two conventions differ, by brute force; inputs that show one axis or each alone."""

import random
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
import rankspec
from campaign import in_campaign, seeded, sizes
from ci_scripts import ci_script
from hypothesis import given
from hypothesis import strategies as st
from naive import oracle as naive
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.witness.implementation_search import is_affordable
from rankspec.conformance.infer.witness.scope import Scope, differing_axes
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.sides import Filter
from rankspec.conformance.infer.witness.small_inputs import inputs_of
from rankspec.conformance.infer.witness.witness import witness
from rankspec.conformance.reports.witness import witness_data
from rankspec.oracle import ConventionError, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Denominator, Ties
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.values import Undefined, to_double
from refusals import assert_names

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
        seen = 2 if has_copies(as_dicts(given.data)[1]) else 3
        assert tuple(given.size)[:seen] == least[:seen], (text, str(a), str(b), given.data)
        values = [value_of(measure, each, *as_dicts(given.data)) for each in (a, b)]
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
                found = witness(a, b, measure, input_filter=Filter(axis, only_values))
                qrels, run = as_dicts(found.input)
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
        given = as_dicts(witness(both, DEFAULT, measure, input_filter=Filter(axis)).input)
        values = [value_of(measure, each, *given) for each in (both, DEFAULT)]
        turned = [both.with_setting(axis, getattr(DEFAULT, axis)), DEFAULT.with_setting(axis, getattr(both, axis))]
        assert values[0] != values[1]
        assert any(value_of(measure, *each, *given) == value for *each, value in zip(turned, values[::-1], strict=True))


@given(st.integers(1, 2), st.integers(-1, 60))
def test_whether_all_inputs_of_a_size_can_be_asked(documents, most):
    scope = Scope(scored=True, others=(0, None), misses_outside=2)
    inputs = list(inputs_of(scope, documents))
    assert is_affordable(scope, documents, most) is (len(inputs) <= most)
    assert is_affordable(scope, documents, len(inputs))
    assert not is_affordable(scope, documents, len(inputs) - 1)


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
        exact_on(measure, Data(qrels, run), parse_convention(f"default[gain={each}]")) for each in ("linear", "binary")
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


def plain(relevance, num_relevant):
    precisions = (sum(relevance[:rank]) / rank for rank, label in enumerate(relevance, start=1) if label)
    return sum(precisions) / num_relevant if num_relevant else 0.0


def cut(relevance, num_relevant, k=10):
    return plain(relevance[:k], num_relevant)


def grouped(relevance, num_relevant):
    return plain(relevance, num_relevant or 0) if num_relevant else float("nan")


def swapped(query_ids, document_ids):
    # The names tell nothing: two lists of ids, the relevant ones first.
    hits, total = 0, 0.0
    for rank, docno in enumerate(document_ids, start=1):
        if docno in query_ids:
            hits += 1
            total += hits / rank
    return total / len(query_ids) if query_ids else 0.0


def found_on(axis, a, b, measure="AP"):
    return rankspec.witness(a, b, measure, axis=axis)


def test_a_cutoff_by_default_is_an_axis():
    found = found_on("cutoff", plain, cut)
    assert found.input == {"relevance": [0] * 10 + [1], "num_relevant": 1}
    assert [(fault.axis, fault.a, fault.b) for fault in found.axes] == [("cutoff", ("none",), ("10",))]
    assert witness_data(found)["wanted"] == {"axis": "cutoff", "only_values": False}


def test_who_cuts_none():
    assert found_on("cutoff", plain, "default").status == "equivalent"


def test_both_give_a_number():
    # Without relevant documents one gives no number, which is no matter of the denominator's either.
    found = rankspec.witness(
        grouped, "default[denominator=retrieved-relevant]", "AP", axis="denominator", only_values=True
    )
    assert found.input == {"relevance": [1], "num_relevant": 2}
    assert witness_data(found)["wanted"] == {"axis": "denominator", "only_values": True}


def test_conventions_on_one_axis():
    found = found_on("duplicates", "default", "kaggle", "AP@2")
    assert [(fault.axis, fault.suffices) for fault in found.axes] == [("duplicates", True)]
    assert found.input["predicted"] == ["a", "a"]
    assert found.by_axis == ()


def test_a_missing_query_is_no_input_for_values_alone():
    sides = parse_convention("default"), parse_convention("default[missing_query=skip]")
    any_input = separate(parse_measure("AP"), *sides, most_inputs=500)
    assert any_input.input is not None
    taken = separate(parse_measure("AP"), *sides, most_inputs=500, accept=Filter(only_values=True).takes_input)
    assert taken.input is None


def test_an_axis_on_which_conventions_agree():
    found = found_on("ties", "default", "default[denominator=length]")
    assert (found.status, found.same, found.bound) == ("equivalent", True, 0)


@pytest.mark.parametrize(("axis", "message"), [("tie", "did you mean ties"), ("cutoff", "the measure states it")])
def test_axes_that_there_are_none_of(axis, message):
    with pytest.raises(ConventionError, match=message):
        found_on(axis, "default", "kaggle", "AP@2")


def test_the_shape_found_by_asking_is_said():
    found = rankspec.witness(swapped, "default", "AP", axis="cutoff")
    assert_names(str(found), "Called", "--shape actual-predicted")


def ap(grades, scores, *, over_length=False):
    hits, total = 0, 0.0
    for rank, docno in enumerate(sorted(scores, key=lambda docno: -scores[docno]), start=1):
        if grades.get(docno, 0) > 0:
            hits += 1
            total += hits / rank
    whole = len(scores) if over_length else sum(grade > 0 for grade in grades.values())
    return total / whole if hits else 0.0


def mean(values):
    listed = list(values)
    return sum(listed) / len(listed) if listed else float("nan")


def plain_by_names(qrels, run):
    return mean(ap(grades, run.get(query, {})) for query, grades in qrels.items())


def other(qrels, run):
    return mean(ap(grades, run[query], over_length=True) for query, grades in qrels.items() if query in run)


@pytest.fixture(scope="module")
def found():
    return rankspec.witness(plain_by_names, other, "AP")


@pytest.mark.campaign
def test_every_axis_has_its_input(found):
    by_axis = {each.axis: each for each in found.by_axis}
    assert {"denominator", "missing_query"} <= by_axis.keys()
    missing = by_axis["missing_query"]
    assert "zero" in missing.settings[0]
    assert "skip" in missing.settings[1]
    assert {*missing.input["qrels"]} > {*missing.input["run"]}
    assert missing.values[0] != missing.values[1]


def test_conventions_keep_their_rows():
    (row, *_) = rankspec.witness("sklearn-0.18", "kaggle", "AP@2").to_dict()["by_axis"]
    assert {*row} == {"axis", "input", "values"}
    assert {*row["values"]} == {"A", "changed"}


def hits_share(labels, *, least):
    if len(labels) < least:
        raise ValueError(labels)
    hits = [rank for rank, label in enumerate(labels, start=1) if label]
    if least == 0 and not hits:
        raise ValueError(labels)
    return sum(number / rank for number, rank in enumerate(hits, start=1)) / len(hits) if hits else 0.0


def refuses_one_document(labels):
    return hits_share(labels, least=2)


def refuses_no_relevant(labels):
    return hits_share(labels, least=0)


@pytest.mark.parametrize(
    ("function", "axes"),
    [(refuses_one_document, []), pytest.param(refuses_no_relevant, ["no_relevant"], marks=pytest.mark.campaign)],
)
def test_a_refusal_is_a_rule_where_larger_inputs_are_refused_too(function, axes):
    """Of one document without a relevant one both raise; of two, who refuses short lists returns 0."""
    found = rankspec.witness(function, "default", "AP")
    assert found.texts == ("ValueError", "0")
    assert [each.axis for each in found.axes] == axes


def first_three(labels):
    return hits_share(labels[:3], least=1)


@pytest.mark.campaign
def test_what_a_cutoff_explains_is_no_other_rule():
    """Of [1, 0, 1, 1] three documents make 5/6, which is also what an envelope over all four makes."""
    found = rankspec.witness(first_three, "default", "AP")
    assert ([each.axis for each in found.axes], [each.axis for each in found.by_axis]) == (["cutoff"], ["cutoff"])
    assert (found.texts, found.size.documents) == (("0.0", "1/4"), 4)

"""Witnesses of implementations: functions against each other and against conventions, and the libraries here."""

from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec

import pytest
from campaign import in_campaign, sizes
from hypothesis import example, given
from hypothesis import strategies as st
from rankspec.conformance.implementations.specs import SpecificationError, parse
from rankspec.conformance.infer.witness.implementation_search import _faults, part
from rankspec.conformance.infer.witness.scope import scope_of_shapes
from rankspec.conformance.infer.witness.sides import Filter, Side, answer_text, changed, differ, side
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput, inputs_of
from rankspec.conformance.infer.witness.witness import witness
from rankspec.conformance.judge.agreement import UNIT_FLOAT64, Bound
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.outcomes import Crashed, Number, PerQuery, Raised, TimedOut, mean_of
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.shapes import tell
from rankspec.conformance.worker.values import Special
from rankspec.oracle import ConventionError, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.data.run import Retrieved


def first_hit(named):
    """Return a reciprocal rank, under a name."""

    def metric(relevance, num_relevant):
        return next((1 / rank for rank, label in enumerate(relevance, 1) if label), 0.0)

    metric.__name__ = metric.__qualname__ = named
    return metric


def test_functions_are_compared_on_what_their_names_tell_and_on_nothing_if_these_tell_two():
    named = [side(InProcess(first_hit(each))) for each in ("mrr", "reciprocal_rank", "average_precision")]
    assert str(part(parse_measure("AP"), (named[0], named[1]), fixed=False, most_calls=9).measure) == "RR"
    with pytest.raises(SpecificationError) as refused:
        part(parse_measure("AP"), (named[0], named[2]), fixed=False, most_calls=9)
    assert refused.value.code == "different-measures"
    assert str(part(parse_measure("RR"), (named[0], named[2]), fixed=True, most_calls=9).measure) == "RR"


FUNCTIONS = """
def total(labels):
    return sum(sum(labels[: rank]) / rank for rank, label in enumerate(labels, start=1) if label)

def kaggle(actual, predicted, k=10):
    score = hits = 0.0
    for place, docno in enumerate(predicted[:k]):
        if docno in actual and docno not in predicted[:place]:
            hits += 1.0
            score += hits / (place + 1.0)
    return score / min(len(actual), k) if actual else 0.0

def raising(relevance, num_relevant):
    return total(relevance) / num_relevant

def dying(relevance, num_relevant):
    __import__("os")._exit(1)
"""


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    path = tmp_path_factory.mktemp("functions") / "metrics.py"
    path.write_text(FUNCTIONS, encoding="utf-8")
    return lambda function: f"{path}:{function}"


def test_repeated_documents_reach_functions_of_ids(named):
    found = witness(named("kaggle"), "default[duplicates=counted, denominator=min-relevant-cutoff]", "AP@2")
    assert found.input == {"actual": ["a"], "predicted": ["a", "a"]}
    assert found.texts == ("1.0", "2")


def test_an_exception_is_an_answer(named):
    found = witness(named("raising"), "default")
    assert found.input == {"relevance": [0], "num_relevant": 0}
    assert found.texts == ("ZeroDivisionError", "0")


@pytest.mark.parametrize("most_calls", [4, pytest.param(6_000, marks=pytest.mark.campaign)])
def test_who_gives_no_answer_is_not_equal(named, most_calls):
    with pytest.raises(
        SpecificationError, match=r"dying: (\d+) of \1 questions had no answer \(crash\), and the others"
    ):
        part(parse_measure("AP"), (side(named("dying")), side("default")), fixed=True, most_calls=most_calls)


def computing(convention, shape="qrels-run"):
    """Return an implementation that answers as a convention demands, by the oracle."""

    def of_sets(measure, qrels, run, k=None):
        named = parse_measure(measure if k is None else f"{measure}@{k}")
        return float(evaluate(named, Qrels.of(qrels), Run.of(run), parse_convention(convention)).value)

    def of_lists(measure, relevance, num_relevant, k=None):
        listed = {f"d{place}": label for place, label in enumerate(relevance)}
        grades = listed | {f"e{place}": 1 for place in range(num_relevant - sum(relevance))}
        return of_sets(measure, {"q": grades}, {"q": [(docno, -place) for place, docno in enumerate(listed)]}, k)

    function = of_sets if shape == "qrels-run" else of_lists
    return InProcess(
        Adapter(convention, "pytest", shape, "default", {name: name for name in ("AP", "P")}, call=function)
    )


@pytest.mark.parametrize(
    ("measure", "setting", "shape"),
    in_campaign(
        [
            ("AP@3", "denominator=cutoff", "ranking"),
            ("AP@2", "denominator=length", "qrels-run"),
            ("AP", "interpolation=all-ranks", "ranking"),
            ("AP", "no_relevant=one", "ranking"),
            ("AP", "no_hits=one", "qrels-run"),
            ("AP", "ties=docno-descending", "qrels-run"),
            ("AP", "ties=grouped", "qrels-run"),
            ("P@2", "unjudged=removed", "qrels-run"),
            ("AP", "missing_query=skip", "qrels-run"),
            ("AP", "depth=2", "ranking"),
            ("AP", "no_relevant=error", "qrels-run"),
        ],
        ids=lambda row: row[1],
    ),
)
def test_asking_finds_what_conventions_differ_on(measure, setting, shape):
    """Two programs that do what conventions say differ on an input as small, on the same axis, by the same values."""
    texts = ("default", f"default[{setting}]")
    expected = witness(*texts, measure)
    programs = [computing(text, shape) for text in texts]
    for sides in ((programs[0], programs[1]), (texts[0], programs[1])):
        found = witness(*sides, measure)
        assert found.size[:2] == expected.size[:2]
        axis, _, value = setting.partition("=")
        assert axis in {each.axis for each in found.axes} or axis == "depth"
        assert len({each.suffices for each in found.axes}) <= 1  # an axis that explains nothing by itself is left out
        assert all(value in each.b for each in found.axes if each.axis == axis)


@pytest.mark.parametrize(
    ("measure", "function", "code"),
    [
        ("RR", "def f(qrels, run): return 0.0", "measure-not-offered"),
        ("AP@2", "def f(qrels, run): return 0.0", "cutoff-not-taken"),
        ("AP", "def f(qrels, run, k): return 0.0", "cutoff-missing"),
        ("nDCG(gains={1: 3})", "def f(qrels, run): return 0.0", "measure-not-taken"),
    ],
)
def test_what_an_adapter_can_not_be_asked_is_said(measure, function, code):
    scope = {}
    exec(function, scope)  # noqa: S102
    adapter = InProcess(Adapter("f", "pytest", "qrels-run", "default", {"AP": scope["f"], "nDCG": scope["f"]}))
    for ambiguous in (False, True):
        with pytest.raises(SpecificationError) as refused:
            part(parse_measure(measure), (Side("g", adapter, ambiguous), side("default")), fixed=False)
        assert (refused.value.code, "convention:g" in str(refused.value)) == (code, ambiguous)


@given(*[st.sets(st.sampled_from("abc"), min_size=1).map(tuple)] * 2)
def test_an_axis_alone_makes_the_difference_if_no_value_fits_both_answers(a, b):
    (fault,) = _faults({"ties": (a, b)})
    assert (fault.a, fault.b, fault.suffices) == (a, b, {*a}.isdisjoint(b))


def test_what_needs_a_cutoff_is_asked_with_one():
    def found(relevance, num_relevant, k):
        return sum(relevance[:k]) / k

    adapter = InProcess(Adapter("f", "pytest", "ranking", "default", {"P": found}))
    assert part(parse_measure("P@2"), (side(adapter), side("default")), fixed=True, most_calls=300).input is None


def total_of(relevance, num_relevant):
    precisions = (Fraction(sum(relevance[:rank]), rank) for rank, label in enumerate(relevance, start=1) if label)
    return float(sum(precisions) / num_relevant) if num_relevant else 0.0


def beyond_two(relevance, num_relevant):
    """Is another one for lists of three documents and more with a hit behind the second."""
    return total_of(relevance, num_relevant) / (2 if any(relevance[2:]) else 1)


def beyond_five(relevance, num_relevant):
    return total_of(relevance, num_relevant) / (2 if any(relevance[5:]) else 1)


def within_two(relevance, num_relevant):
    return total_of(relevance[:2], num_relevant)


def over_hits(relevance, num_relevant):
    return total_of(relevance, sum(relevance))


SAMPLES = [
    SmallInput(Size(6, 2, 0), "relevance", {"q": dict.fromkeys("bcde", 0) | {"a": 1, "f": 1}}, {"q": of_letters})
    for of_letters in [tuple(Retrieved(docno, 6 - place) for place, docno in enumerate("abcdef"))]
]


@pytest.mark.parametrize("most_calls", [*sizes(1, 12), *sizes(30, 80)])
@pytest.mark.parametrize("function", [total_of, beyond_two, beyond_five, within_two, over_hits])
def test_whatever_may_be_asked_what_is_found_parts_the_two_and_nothing_up_to_the_bound_does(function, most_calls):
    """By calling both functions; larger samples, and the cutoff of one, are looked at where nothing smaller does."""
    functions = (total_of, function)
    sides = tuple(side(InProcess(Adapter("f", "pytest", "ranking", "default", {"AP": each}))) for each in functions)
    measure, told = parse_measure("AP"), []
    found = part(
        *(measure, sides), fixed=False, samples=lambda: SAMPLES, most_calls=most_calls,
        progress=lambda _, done, of=most_calls: told.append((done, of)),
    )  # fmt: skip
    assert found.repeated
    assert told == sorted(told)
    assert all(0 <= done <= of == most_calls for done, of in told[:1])
    scope = scope_of_shapes(measure, [tell(total_of)])

    def parts(given):
        return functions[0](**given) != functions[1](**given)

    parting = {
        size: [each for each in inputs_of(scope, size) if parts(each.data)] for size in range(1, found.bound + 2)
    }
    assert not any(parting[size] for size in range(1, found.bound + 1))
    assert (
        found.bound == 8
        or sum(1 for _ in inputs_of(scope, found.bound + 1)) > most_calls - found.examined
        or (parting[found.bound + 1])
    )
    if function is total_of or (function is over_hits and most_calls < 12):  # no sample has too few hits
        assert (found.status, found.input, found.sampled, found.smallest) == ("equivalent", None, len(SAMPLES), True)
        return
    assert parts(found.input) is (found.status == "separated")
    assert found.texts == tuple(repr(each(**found.input)) for each in functions)
    by_size = [each.data for each in parting.get(found.bound + 1, ())]
    assert not found.smallest or found.input == by_size[0]
    faults = {each.axis for each in found.axes}
    assert faults == {"cutoff"} if function is within_two else "denominator" in faults or function is not over_hits
    assert ("cutoff" in {each.axis for each in found.by_axis}) is (function is within_two)


def test_what_answers_otherwise_when_it_is_asked_again_is_said_to():
    seen = set()

    def unsteady(relevance, num_relevant):
        asked = (*relevance, num_relevant)
        is_known, _ = asked in seen, seen.add(asked)
        return total_of(relevance, num_relevant) / (1 if is_known else 2)

    assert not witness(InProcess(total_of, "ranking"), InProcess(unsteady, "ranking"), "AP").repeated


@pytest.mark.parametrize("stated", ["AP@10", None])
@pytest.mark.parametrize("under", ["default", "kaggle"])
def test_a_measure_is_stated_or_chosen_with_the_cutoff_that_a_convention_needs(under, stated):
    told = []
    found = witness(InProcess(within_two, "ranking"), under, stated, progress=lambda _, done, *__: told.append(done))
    assert (told[0], told) == (0, sorted(told))
    assert (str(found.measure), found.stated) == (
        "AP@10" if stated or under == "kaggle" else "AP",
        bool(stated) or under == "kaggle",
    )


# ---- Names


@pytest.mark.parametrize(
    ("text", "named", "is_convention", "ambiguous"),
    [
        ("sklearn", "sklearn", False, True),
        ("scikit-learn", "scikit-learn", False, False),
        (" convention:sklearn ", "sklearn", True, False),
        ("implementation:sklearn", "sklearn", False, False),
        ("sklearn==1.2", "sklearn==1.2", False, False),
        ("sklearn[ties=expected]", "sklearn[ties=expected]", True, False),
        ("trec_eval-9.0.8", "trec_eval-9.0.8", True, False),
        ("default[geometric_floor=1/100]", "default[geometric_floor=1/100]", True, False),
        ("statistics:fmean", "statistics:fmean", False, False),
    ],
)
def test_what_a_name_means(text, named, is_convention, ambiguous):
    if find_spec("sklearn") is None:  # not imported, which takes seconds
        pytest.skip("sklearn")
    found = side(text)
    assert (found.text, found.ambiguous) == (named, ambiguous)
    assert found.is_meant == (parse_convention if is_convention else parse)(named)
    assert (found.kind == "convention") is is_convention
    # A shape is of a function whose parameters don't tell, and an adapter's is known.
    assert side(text, "ranking").is_meant == (parse(named, "ranking") if ":" in named else found.is_meant)
    assert side(found.is_meant) == replace(found, text=side(found.is_meant).text, ambiguous=False)


def test_a_library_that_is_not_installed_is_a_convention(monkeypatch):
    monkeypatch.setattr("rankspec.conformance.implementations.specs.installed_version", lambda _: None)
    assert side("sklearn").kind == "convention"
    assert side("implementation:sklearn").kind == "implementation"


@pytest.mark.parametrize(
    "text", ["nothing", "default[ties=nothing]", "convention:nothing", "convention", "implementation"]
)
def test_names_that_mean_nothing(text):
    with pytest.raises(ConventionError) as refused:
        side(text)
    assert (refused.value.code == "unknown-side") is (text in {"nothing", "convention", "implementation"})


@pytest.mark.parametrize("text", ["missing.py:ap", "missing.py", "missing/ap"])
def test_files_that_are_not_there(text):
    with pytest.raises(SpecificationError, match="does not exist" if "." in text else text):
        side(text)


def of(value):
    return Number(Fraction(value), "float")


NUMBERS = (st.fractions(0, 1, max_denominator=3) | st.just(Special.NAN)).map(lambda value: Number(value, "float"))
ANSWERS = st.one_of(
    *(NUMBERS, st.sampled_from([TimedOut(1.0), Crashed("x"), Raised("ValueError", ""), Raised("KeyError", "")])),
    st.builds(PerQuery, st.dictionaries(st.sampled_from("qrs"), NUMBERS, min_size=1), st.none() | NUMBERS),
)


@given(ANSWERS, ANSWERS)
@example(Raised("ValueError", ""), Raised("KeyError", ""))
@example(PerQuery({"q": of(1), "r": of(0)}), PerQuery({"q": of(1), "r": of(1)}))
def test_answers_differ_as_their_queries_do_or_else_their_means(first, second):
    """Numbers that differ here do so by more than any error; that there is an exception is an answer."""
    if {type(first), type(second)} & {TimedOut, Crashed}:
        expected = False
    elif type(first) is type(second) is PerQuery and first.values.keys() == second.values.keys():
        expected = first.values != second.values
    elif Raised in {type(first), type(second)}:
        expected = type(first) is not type(second)
    else:
        expected = mean_of(first).value != mean_of(second).value
    bound = Bound(3, UNIT_FLOAT64)
    assert differ(first, second, bound) is expected
    assert (
        changed((first, first), (first, second), bound) is changed((first, first), (second, first), bound) is expected
    )
    assert not changed((first, second), (first, second), bound)


@given(ANSWERS, ANSWERS, st.booleans())
def test_answers_count_where_each_is_a_number_if_that_is_asked(first, second, only_values):
    values = [getattr(mean_of(each), "value", None) for each in (first, second)]
    are_numbers = all(isinstance(value, Fraction) for value in values)
    assert Filter(only_values=only_values).takes_answers(first, second) is (not only_values or are_numbers)
    texts = [getattr(each, "type", "crash" if isinstance(each, Crashed) else "timeout") for each in (first, second)]
    said = [
        text if value is None else "nan" if value is Special.NAN else repr(float(value))
        for value, text in zip(values, texts, strict=True)
    ]
    assert [*map(answer_text, (first, second))] == said


@given(st.lists(st.fractions(0, 1), min_size=1, max_size=4), st.none() | st.fractions(0, 1))
def test_the_number_of_an_outcome_is_the_mean_that_it_states_or_else_that_of_its_queries(values, stated):
    queries = {f"q{place}": Number(value, "float") for place, value in enumerate(values)}
    overall = None if stated is None else Number(stated, "float")
    assert mean_of(PerQuery(queries, overall)).value == (sum(values) / len(values) if stated is None else stated)


@pytest.mark.parametrize("queries", [{}, {"q": of(1), "r": Number(Special.NAN, "float")}])
def test_of_queries_without_a_number_there_is_none(queries):
    assert mean_of(PerQuery(queries)).value is Special.NAN
    assert mean_of(PerQuery(queries, of("1/2"))).value == Fraction(1, 2)
    assert mean_of(Raised("ValueError", "")) is None
    assert answer_text(Number(Fraction(10) ** 400, "int")) == "1.00000e+400"  # which no double holds

"""Any function is called as it is: its form is found from its parameters, its source, and a few answers."""

import inspect
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaign import in_campaign
from programs.called_as import (
    FORMS,
    NAMED,
    NO_METRICS,
    RIGHT,
    at_each_cutoff,
    cut_beside_uncut,
    f1_of_copies,
    hits_of_ids,
    of_five_at_least,
    of_joined_frames,
    of_pairs,
    of_texts,
    recall,
    several_at_once,
    those_that_run,
    without_names,
)
from rankspec.conformance.implementations.naming import measure_by_name, measure_in, measures_returned, names_of
from rankspec.conformance.implementations.specs import parse, stated_form
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.infer.identify.measure_search import hello_of
from rankspec.conformance.reproducing.importing import imported
from rankspec.conformance.reproducing.snippet import written
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.conformance.run.shape_inference import as_loaded
from rankspec.conformance.worker.adapter import UnsupportedError
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
)
from rankspec.conformance.worker.loading import UncallableError, as_function
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.packing import is_same, packed
from rankspec.conformance.worker.shapes import Need, Shape, parse_form
from rankspec.conformance.worker.values import NotANumberError, value_in
from rankspec.oracle import parse_measure
from refusals import refused


def stated_of(named):
    """Return the form, the measure and the convention that stand in a docstring."""
    form, _, expression = named.__doc__.partition("; ")
    return form, *expression.split(" under ")


def place_of(named):
    return f"{Path(inspect.getsourcefile(named))}:{named.__name__}"


@pytest.mark.parametrize("named", those_that_run([*RIGHT, *FORMS, of_texts]), ids=lambda named: named.__name__)
def test_a_function_is_called_in_its_own_form(named):
    assert InProcess(named).loaded.hello.form == stated_of(named)[0]


@pytest.mark.campaign
@pytest.mark.parametrize("named", those_that_run(RIGHT), ids=lambda named: named.__name__)
def test_a_worker_calls_it_so_too_and_it_is_identified(named):
    form, measure, convention = stated_of(named)
    identification = identify(place_of(named), measure=measure)
    assert identification.status is Status.IDENTIFIED, identification.observations
    assert (identification.shape, identification.texts[0]) == (form, f"{measure} under {convention}")


# Each time one that is given ranks alone.
@pytest.mark.campaign
@pytest.mark.parametrize("named", in_campaign(NAMED, but=["hits_at_k"], ids=lambda named: named.__name__))
def test_what_it_computes_is_found_whatever_its_name_says(named):
    form, measure, convention = stated_of(named)
    found = identify(place_of(named))
    assert (found.status, found.shape) == (Status.IDENTIFIED, form), found.observations
    assert found.texts[0] == f"{measure} under {convention}"
    told = measure_in(named.__name__).name
    is_another = told != measure.removeprefix("Set").split("@")[0]
    assert any(f"its name says {told}" in each for each in found.observations) is is_another


def test_a_form_is_found_of_what_gives_no_value_for_a_few_documents():
    assert InProcess(of_five_at_least).loaded.hello.form == stated_of(of_five_at_least)[0]


@pytest.mark.campaign
def test_what_copies_alone_break_is_said_apart():
    form, measure, convention = stated_of(f1_of_copies)
    found = identify(place_of(f1_of_copies))
    assert (found.shape, found.texts[0]) == (form, f"{measure} under {convention}")
    assert found.axes["duplicates"] == ()


class Searching:
    def __init__(self, index):
        raise FileNotFoundError(index)

    def recall(self, retrieved, relevant):
        return recall(retrieved, relevant)


def test_a_method_that_reads_nothing_of_its_object_needs_none():
    assert InProcess(as_function(Searching.recall, Searching)).loaded.hello.form == "predicted-actual"


def test_values_without_names_are_told_by_trying():
    found = identify(place_of(without_names), measure="SetR")
    assert found.texts[0].startswith("SetR under default")
    assert {name: str(measure) for name, measure in measures_returned(found.hello).items()} == {
        "first_value": "SetP",
        "second_value": "SetR",
    }


def test_a_value_beside_one_at_a_cutoff_is_cut_off_if_its_answers_say_so():
    """What needs a cutoff for the other values is given one."""
    place = place_of(cut_beside_uncut)
    own = {name: str(measure) for name, measure in measures_returned(hello_of(Workers(parse(place), Limits()))).items()}
    assert own == {"precision@k": "P@10", "map": "AP", "mrr": "RR@10"}
    found = identify(place, measure="AP")
    assert (found.texts[0], found.deviations) == ("AP under default[duplicates=counted]", ())


def test_a_list_of_cutoffs_is_given_one_for_the_values_that_need_none():
    found = identify(place_of(at_each_cutoff), measure="RR")
    assert (found.texts[0], found.is_exceptional) == ("RR under default[duplicates=counted]", False)


def test_a_worker_takes_the_value_of_the_measure():
    """It is told the names by which the measure goes: a worker knows none."""
    with Workers(parse(place_of(several_at_once)), Limits()).connect() as connection:
        assert connection.hello.form == stated_of(several_at_once)[0]
        calls = [Call(measure, ActualPredicted(("a",), ("a", "b")), 2) for measure in ("P", "R", "RR")]
        precision, recall, none = connection.ask(calls).outcomes
    assert (precision.value, recall.value) == (Fraction(1, 2), 1)
    assert "RR" in none.reason


@pytest.mark.parametrize("named", those_that_run(RIGHT), ids=lambda named: named.__name__)
def test_the_form_that_was_found_can_be_stated(named):
    form = stated_of(named)[0]
    stated = InProcess(named, form).loaded.hello
    assert (stated.form, stated.shape_note) == (form, "")


@pytest.mark.parametrize(
    "function", in_campaign(NO_METRICS, but=["accuracy", "in_pieces", "binarised"], ids=lambda each: each.__name__)
)
def test_what_is_no_ranking_metric_is_refused(function):
    with refused("shape-unclear", function.__name__):
        _ = InProcess(function).loaded


@pytest.mark.parametrize(
    "text",
    [
        *(
            *("labels-scores[arrays]", "ranking[set]", "rows", "labels-scores]", "labels-scores[array"),
            "ranking[array][rank]",
        ),
        *("labels-scores[array, tensor]", "predicted-actual[objects]", "labels-scores[frame a]", "ranking[array x]"),
    ],
)
def test_a_form_that_there_is_not_is_refused(text):
    with refused("unknown-shape", text):
        stated_form(text)


@pytest.mark.parametrize("text", ["ranking", "labels-scores[array, turned]", "predicted-actual[set, objects id score]"])
def test_a_form_reads_back(text):
    assert parse_form(text).value == stated_form(text).value == text


def test_a_form_whose_package_is_not_installed_is_refused(monkeypatch):
    monkeypatch.setattr("rankspec.conformance.worker.loading.lacks", lambda package: package == "torch")
    with refused("shape-unclear", "torch"):
        _ = InProcess(hits_of_ids, "labels-scores[tensor]").loaded


class NeedsData:
    def __init__(self, corpus):
        self.corpus = corpus

    def __call__(self, actual, predicted):
        return len(actual) / len(predicted) / len(self.corpus)


class Nothing:
    pass


class Kept:
    def __init__(self, relevant, retrieved):
        self.relevant, self._retrieved = relevant, retrieved

    def recall(self):
        return recall(self._retrieved, self.relevant)


def test_what_a_constructor_is_given_may_be_the_data():
    assert InProcess(as_function(Kept.recall, Kept)).loaded.hello.form == "actual-predicted"


@pytest.mark.parametrize(("kind", "word"), [(NeedsData, "corpus"), (Nothing, "Nothing")])
def test_a_class_that_can_not_be_made_or_fed_says_why(kind, word):
    with pytest.raises(UncallableError, match=word):
        as_function(kind)


LABELS = RankedLabels((0, 1, 2, 0), 3)
PAIR = LabelsScores((1, 0), (0.5, 2))
IDS = ActualPredicted(("b", "a"), ("c", "a"))
QUERY = QrelsRun((("q", (("a", 1), ("b", 0))),), (("q", (("b", 1.0), ("a", 3.0))),))
LISTS = QueryLists(("1", "2"), (("a",), ("b",)), (("c", "a"), ("b", "d")))


@pytest.mark.parametrize(
    ("form", "arguments", "first", "second"),
    [
        ("ranking[rows]", LABELS, [[0, 1, 2, 0]], 3),
        ("ranking[ranks]", LABELS, [2, 3], 3),
        ("ranking[query-ranks]", RankedLabels((0, 0, 1), 1), [3], 1),
        ("ranking[rank]", RankedLabels((0, 0), 1), None, 1),
        ("ranking[ideal]", LABELS, [0, 1, 2, 0], [2, 1, 1, 0, 0]),
        ("labels-scores[rows]", PAIR, [[1, 0]], [[0.5, 2]]),
        ("labels-scores[scored]", PAIR, [(1, 0.5), (0, 2)], None),
        ("actual-predicted[set]", IDS, {"a", "b"}, ["c", "a"]),
        ("actual-predicted[tuple, pairs]", IDS, ("b", "a"), [("c", 2.0), ("a", 1.0)]),
        ("actual-predicted[scores]", IDS, ["b", "a"], {"c": 2.0, "a": 1.0}),
        ("actual-predicted[rank-pairs]", IDS, ["b", "a"], [(1, "c"), (2, "a")]),
        ("qrels-run[lists, rank-pairs]", QUERY, {"q": ["a"]}, {"q": [(1, "a"), (2, "b")]}),
        ("actual-predicted[whole]", IDS, [2, 1], [3, 1]),
        ("actual-predicted[objects id]", IDS, ["b", "a"], [("c",), ("a",)]),
        ("qrels-run[single, ranked]", QUERY, {"a": 1, "b": 0}, ["a", "b"]),
        ("qrels-run[sets, pairs]", QUERY, {"q": {"a"}}, {"q": [("a", 3.0), ("b", 1.0)]}),
        ("qrels-run[whole]", QUERY, {"q": {1: 1, 2: 0}}, {"q": {2: 1.0, 1: 3.0}}),
        ("lists-of-lists[ones]", LISTS, ["a", "b"], [["c", "a"], ["b", "d"]]),
        ("lists-of-lists[sets, whole]", LISTS, [{1}, {2}], [[3, 1], [2, 4]]),
        ("lists-of-lists[numbered]", LISTS, {0: ["a"], 1: ["b"]}, {0: ["c", "a"], 1: ["b", "d"]}),
        ("lists-of-lists[object-cases gold top]", LISTS, [(["a"], ["c", "a"]), (["b"], ["b", "d"])], None),
        (
            "actual-predicted[one, record-case gold top]",
            ActualPredicted(("a",), ("b",)),
            {"gold": "a", "top": ["b"]},
            None,
        ),
        ("labels-scores[target]", PAIR, 0, [0.5, 2]),
        ("labels-scores[parted]", PAIR, [0.5], [2]),
        ("labels-scores[first]", LabelsScores((0, 1, 0), (3, 0.5, 2)), [0.5, 3, 2], None),
        ("actual-predicted[record-truth gold]", IDS, {"gold": ["b", "a"]}, ["c", "a"]),
        ("ranking[items]", LABELS, [0, 1, 2, 0], [101, 102, 103]),
        ("ranking[query-ranks, or-minus]", RankedLabels((0, 0), 1), [-1], 1),
        ("ranking[query-ranks, records at hit]", RankedLabels((0, 1), 1), [{"at": 2, "hit": True}], 1),
        ("ranking[query-ranks, objects at]", RankedLabels((0, 0), 1), [(None,)], 1),
        ("ranking[rows, records hit]", LABELS, [[{"hit": 0}, {"hit": 1}, {"hit": 2}, {"hit": 0}]], 3),
        ("labels-scores[objects - s t -]", PAIR, [(0.5, 1), (2, 0)], [0.5, 2]),
        ("lists-of-lists[sets, wrapped]", LISTS, [{"a"}, {"b"}], [[{"c"}, {"a"}], [{"b"}, {"d"}]]),
        ("actual-predicted[objects id, alike]", IDS, [("b",), ("a",)], [("c",), ("a",)]),
    ],
)
def test_the_same_arguments_in_other_containers(form, arguments, first, second):
    assert [*packed(parse_form(form), arguments.natives(Path())).values()] == [first, second]


@pytest.mark.parametrize(("word", "groups"), [("sizes", [2]), ("queries", [1, 1])])
def test_what_stands_beside_labels_and_scores(word, groups):
    assert [*packed(parse_form(f"labels-scores[{word}]"), PAIR.natives(Path())).values()] == [[1, 0], [0.5, 2], groups]


@pytest.mark.parametrize(("word", "beside"), [("judged", ["a", "b"]), ("nonrelevant", ["b"])])
def test_what_stands_beside_relevant_and_ranked_ids(word, beside):
    given = packed(parse_form(f"qrels-run[single, lists, ranked, {word}]"), QUERY.natives(Path()))
    assert [*given.values()] == [["a"], ["a", "b"], beside]


def test_arrays_series_and_frames_hold_the_same():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas", reason="pandas comes with ranx")
    in_form = {
        word: packed(parse_form(f"labels-scores[{word}]"), PAIR.natives(Path())) for word in ("row-array", "series")
    }
    assert is_same(in_form["row-array"], {"y_true": numpy.array([[1, 0]]), "y_score": numpy.array([[0.5, 2.0]])})
    assert is_same(in_form["series"], {"y_true": pandas.Series([1, 0]), "y_score": pandas.Series([0.5, 2.0])})
    frame = packed(parse_form("labels-scores[frame q s t]"), PAIR.natives(Path()))["y_true"]
    assert is_same(frame, pandas.DataFrame({"q": [1, 1], "s": [0.5, 2.0], "t": [1, 0]}))


def test_frames_of_relevant_documents_alone():
    pytest.importorskip("pandas", reason="pandas comes with ranx")
    given = packed(parse_form("frames[relevant]"), Frames(QUERY.qrels, QUERY.run).natives(Path()))
    assert [list(frame.iloc[:, 1]) for frame in given.values()] == [["a"], ["b", "a"]]
    form = stated_of(of_joined_frames)[0]
    assert InProcess(of_joined_frames).loaded.hello.form == InProcess(of_joined_frames, form).loaded.hello.form == form


@pytest.mark.parametrize(
    ("form", "arguments"),
    [
        ("labels-scores[array]", LabelsScores((1, 0), (2**53, 2**53 + 1))),
        ("ranking[query-ranks]", RankedLabels((1, 1), 2)),
        ("actual-predicted[one]", IDS),
        ("actual-predicted[scores]", ActualPredicted(("a",), ("a", "a"))),
        ("qrels-run[single]", QrelsRun((("q", ()), ("r", ())), (("q", ()), ("r", ())))),
        ("qrels-run[ranked]", QrelsRun((("q", (("a", 1),)),), (("q", (("a", 1.0), ("b", 1.0))),))),
        ("lists-of-lists[ones]", QueryLists(("1",), (("a", "b"),), (("a",),))),
        ("labels-scores[target]", LabelsScores((1, 1), (0.5, 2))),
    ],
)
def test_what_a_container_can_not_hold_is_refused(form, arguments):
    with pytest.raises(UnsupportedError):
        packed(parse_form(form), arguments.natives(Path()))


def test_a_search_finds_the_documents_of_a_query_and_says_in_python_what_it_is():
    search = packed(parse_form("qrels-run[sets, ranked, search]"), QUERY.natives(Path()))["run"]
    assert search("q", 1) == search.retrieve(query="q", top_k=1) == ["a"]
    assert (search.batch(["q", "other"]), search("other")) == ([["a", "b"], []], [])
    assert repr(search) == "...  # a search that finds {'q': ['a', 'b']}"


def test_what_a_form_can_not_hold_is_not_asked():
    one = InProcess(lambda results, gold: 1 / (1 + results.index(gold)) if gold in results else 0.0)
    with one.connect() as connection:
        (two,) = connection.ask([Call("RR", ActualPredicted(("a", "b"), ("a",)))]).outcomes
        (other,) = connection.ask([Call("RR", LabelsScores((1,), (1,)))]).outcomes
    assert "one relevant document" in two.reason
    assert "labels-scores" in other.reason


ONE = Call("AP", ActualPredicted(("a",), ("a",)), 10, names=names_of("AP"))
QUERIES = replace(ONE, arguments=QrelsRun((("1", (("a", 1),)), ("2", (("b", 1),))), ()))


@pytest.mark.parametrize(
    ("returned", "call", "expected"),
    [
        ({"map@10": 0.5, "mrr": 1.0, "map@5": 0.25}, ONE, 0.5),
        ({"map": 0.5, "map@5": 0.25}, ONE, 0.5),
        ({"map@5": 0.25, "map@10": 0.5}, replace(ONE, k=None, expression="AP@10"), 0.5),
        ({"mean_average_precision": 0.5, "mrr": 1.0}, ONE, 0.5),
        ({"avg_precision_at_10": 0.5, "mrr": 1.0}, ONE, 0.5),
        ({"f1": 0.5, "f1@5": 0.25}, replace(ONE, names=names_of("F")), 0.5),
        ({"value": 0.5}, ONE, 0.5),
        ({5: 0.25, 10: 0.0}, ONE, 0.0),
        ({1: 1.0, 5: 0.25}, replace(ONE, k=None, expression="AP"), 0.25),
        ({"n": 2, "overall": {"mrr": 1.0, "map": 0.5}, "each": {"q": {"mrr": 1.0, "map": 0.1}}}, ONE, 0.5),
        ({"top 5": {"map": 0.1}, "top 10": {"map": 0.5}}, ONE, 0.5),
        ({"means": {"a": {"map": 0.5}}}, ONE, 0.5),
        ({"map": {5: 0.1, 10: 0.5}, "mrr": {5: 1.0, 10: 1.0}}, ONE, 0.5),
        ([{"k": 5, "map": 0.1}, {"k": 10, "map": 0.5}, {"k": 20, "map": 1.0}], ONE, 0.5),
        (([0.5], [0.1]), QUERIES, 0.5),
        ({"map": {"1": 1.0}, "overall": {"map": 0.5}}, QUERIES, {"1": 1.0}),
        ({"overall": {"map": 0.5}, "1": {"map": 1.0}}, QUERIES, 0.5),
        ({"n": 2, "each": {"1": {"map": 1.0}, "2": {"map": 0.5}}}, QUERIES, {"1": 1.0, "2": 0.5}),
        ([{"map": 0.5, "mrr": 1.0}, {"map": 0.1, "mrr": 1.0}], QUERIES, [0.5, 0.1]),
        (SimpleNamespace(map=0.5, mrr=1.0), ONE, 0.5),
        ([0.5], ONE, 0.5),
        (iter([0.5]), ONE, 0.5),
        ((0.5, 0.1), ONE, 0.5),
        ("0.5", ONE, "0.5"),
        ("P@10 = 0.2000", ONE, "0.2000"),
        ("from 0.1 to 0.2", ONE, "from 0.1 to 0.2"),
        (["Top 10\n", "MRR: 1.0\n", "MAP: 0.5000\n"], ONE, "0.5000"),
        (["from 0.1", "to 0.2"], ONE, ["from 0.1", "to 0.2"]),
        ({"1": {"ndcg": 0.2, "AP": 1.0}, "2": {"ndcg": 0.1, "AP": 0.5}}, QUERIES, {"1": 1.0, "2": 0.5}),
        ({"ap": {"1": 1.0, "2": 0.5}, "p": {"1": 0.1, "2": 0.2}}, QUERIES, {"1": 1.0, "2": 0.5}),
        ({"1": 1.0, "2": 0.5}, QUERIES, {"1": 1.0, "2": 0.5}),
        ({"other": 0.5}, QUERIES, {"other": 0.5}),  # a query that was not asked, and no mean
        ({}, QUERIES, {}),
        (None, ONE, None),
    ],
)
def test_of_several_values_the_one_that_is_asked_for_is_taken(returned, call, expected):
    assert value_in(returned, call) == expected


def test_of_a_data_frame_the_column_of_the_measure_is_taken_by_query():
    pandas = pytest.importorskip("pandas", reason="pandas comes with ranx")
    for name, index in (("query", None), ("n", ["2", "1"])):
        frame = pandas.DataFrame({name: ["2", "1"] if index is None else [7, 8], "ap": [0.5, 1.0]}, index)
        assert value_in(frame, QUERIES) == {"2": 0.5, "1": 1.0}
    assert value_in(pandas.DataFrame({"k": [5, 10], "ap": [0.1, 0.5]}), ONE) == 0.5
    with pytest.raises(NotANumberError, match="n, mrr"):
        value_in(pandas.DataFrame({"n": [7], "mrr": [0.5]}), QUERIES)


@pytest.mark.parametrize("returned", [{"mrr": 0.5, "recall": 1.0}, {}])
def test_of_values_none_of_which_is_the_measures_none_is_taken(returned):
    with pytest.raises(NotANumberError, match="AP"):
        value_in(returned, ONE)


def test_a_function_is_taken_for_the_first_of_the_values_that_its_source_names():
    hello = InProcess(several_at_once).loaded.hello
    assert hello.returns == ("precision", "recall@10")
    assert measure_by_name(hello) == parse_measure("P@10")
    assert measure_by_name(InProcess(of_pairs).loaded.hello) is None


SHOWN = {
    Shape.RANKING: RankedLabels((0, 1), 1),
    Shape.LABELS_SCORES: LabelsScores((0, 1, 1), (0.5, 0.25, 0.75)),
    Shape.ACTUAL_PREDICTED: ActualPredicted(("b",), ("a", "b")),
    Shape.QRELS_RUN: QUERY,
    Shape.LISTS: LISTS,
    Shape.MATRICES: Matrices(("1", "2"), ((0, 1), (1, 0)), ((0.5, 0.25), (0.5, 0.25))),
}


ONE_SHOWN = {**SHOWN, Shape.LABELS_SCORES: LabelsScores((0, 1), (0.5, 0.25))}


def precision_of_first(gains, n=10):
    return sum(gain > 0 for gain in gains[:n]) / n


@pytest.mark.parametrize("named", [*those_that_run(RIGHT), precision_of_first], ids=lambda named: named.__name__)
def test_a_form_that_is_written_down_is_read_as_it_was_found(named):
    found = InProcess(named).loaded.hello.functions["*"]
    assert InProcess(named, found.form.value).loaded.hello.functions["*"] == found


@pytest.mark.parametrize("named", those_that_run(RIGHT), ids=lambda named: named.__name__)
def test_the_lines_that_show_a_call_make_it(named):
    """Of a class they say that one is made, and call nothing that there is not."""
    implementation = InProcess(named)
    hello = implementation.loaded.hello
    signature = hello.functions["*"]
    shown = ONE_SHOWN if {*signature.packing.split(", ")} & {"target", "targets"} else SHOWN
    call = as_loaded(hello, Call("R", shown[signature.shape], 10 if signature.k is not Need.ABSENT else None))
    lines = written(imported(named, hello, "R"), call)
    assert any(line.startswith("# f: ") for line in lines.imports) is hello.is_of_maker
    if hello.is_of_maker:
        return
    made = {}
    exec("\n".join((*lines.imports, *lines.arguments, f"returned = {lines.call}")), made)  # noqa: S102 - written here
    with implementation.connect() as connection:
        (outcome,) = connection.ask([call]).outcomes
    # Of a curve the lines take the last value themselves.
    value = made["returned"] if "curve" in call.form else value_in(made["returned"], call)
    value = call.arguments.by_query(value)
    answered = [each.value for each in outcome.values.values()] if isinstance(outcome, PerQuery) else [outcome.value]
    returned = value.values() if isinstance(value, dict) else [value]
    assert [*map(float, answered)] == [*map(float, returned)]

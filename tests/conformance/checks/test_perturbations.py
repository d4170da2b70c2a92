"""Odd calls: what is in them, and what they leave as it was."""

import pytest
from rankspec.conformance.checks.stability import (
    EMPTY_LIST,
    NO_JUDGEMENTS,
    NO_RELEVANT,
    NOTHING_RETRIEVED,
    neighbours_of,
)
from rankspec.conformance.worker.arguments import ActualPredicted, Files, LabelsScores, QrelsRun, RankedLabels
from rankspec.conformance.worker.messages import Call

QUERIES = ((("q1", (("a", 1),)), ("q2", (("b", 0),))), (("q1", (("a", 2.0), ("b", 1.0))), ("q2", (("b", 1.0),))))
ONE_QUERY = [
    RankedLabels((1, 0, 1), 3),
    RankedLabels((), 0),
    LabelsScores((1, 0), (0.5, 0.25)),
    LabelsScores((), ()),
    ActualPredicted(("a",), ("b", "a")),
    ActualPredicted((), ()),
]


@pytest.mark.parametrize("arguments", ONE_QUERY, ids=repr)
def test_a_shape_of_one_query_has_an_empty_list_and_one_without_relevant_documents(arguments):
    call = Call("AP", arguments, k=3, rel=2)
    neighbours = neighbours_of(call)
    assert [neighbour.odd for neighbour in neighbours] == [EMPTY_LIST, f"a list {NO_RELEVANT}"]
    for neighbour in neighbours:
        assert neighbour.call.arguments.shape is arguments.shape
        assert (neighbour.call.measure, neighbour.call.k, neighbour.call.rel) == ("AP", 3, 2)
        assert neighbour.queries == frozenset()


def test_lists_are_what_their_words_say():
    empty, irrelevant = (each.call.arguments for each in neighbours_of(Call("AP", RankedLabels((1, 0, 1), 3))))
    assert empty == RankedLabels((), 0)
    assert irrelevant == RankedLabels((0, 0, 0), 0)
    empty, irrelevant = (each.call.arguments for each in neighbours_of(Call("AP", LabelsScores((1, 1), (2.0, 1.0)))))
    assert empty == LabelsScores((), ())
    assert irrelevant == LabelsScores((0, 0), (2.0, 1.0))
    empty, irrelevant = (each.call.arguments for each in neighbours_of(Call("AP", ActualPredicted(("a",), ("b",)))))
    assert empty == ActualPredicted(("a",), ())
    assert irrelevant == ActualPredicted((), ("b",))


@pytest.mark.parametrize("kind", [QrelsRun, Files])
def test_several_queries_stay_as_they_are_between_two_odd_ones(kind):
    neighbours = neighbours_of(Call("AP", kind(*QUERIES)))
    assert len({neighbour.odd for neighbour in neighbours}) == 3
    for neighbour in neighbours:
        assert neighbour.queries == {"q1", "q2"}
        for before, after in zip(QUERIES, (neighbour.call.arguments.qrels, neighbour.call.arguments.run), strict=True):
            assert tuple(each for each in after if each[0] in {"q1", "q2"}) == before
            assert [query for query, _ in after] in (["q1", "q2"], ["00", "q1", "q2", "zz"])


def test_the_odd_queries_of_dicts():
    odd = {
        each.odd: (dict(each.call.arguments.qrels)["00"], dict(each.call.arguments.run)["00"])
        for each in neighbours_of(Call("AP", QrelsRun(*QUERIES)))
    }
    listed = (("a", 2.0), ("b", 1.0))
    assert odd == {
        f"queries {NO_JUDGEMENTS}": ((), listed),
        f"queries {NO_RELEVANT}": ((("a", 0), ("b", 0)), listed),
        f"queries {NOTHING_RETRIEVED}": ((("a", 1), ("b", 1)), ()),
    }


def test_names_that_are_taken_are_not_used():
    arguments = QrelsRun((("0", ()), ("z", (("a", 1),))), (("00", (("a", 1.0),)),))
    for neighbour in neighbours_of(Call("AP", arguments)):
        names = {query for query, _ in (*neighbour.call.arguments.qrels, *neighbour.call.arguments.run)}
        assert len(names) == 5

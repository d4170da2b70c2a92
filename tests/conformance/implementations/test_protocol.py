"""The messages come back as they were sent, and nothing else is taken for one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.implementations.arguments import (
    ActualPredicted,
    Arguments,
    Files,
    LabelsScores,
    QrelsRun,
    RankedLabels,
    queries_of,
    size,
)
from rankspec.conformance.implementations.messages import (
    Call,
    Errored,
    Failed,
    Hello,
    Result,
    Skipped,
    Start,
    Started,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.implementations.protocol import (
    ProtocolError,
    batch_line,
    failed_line,
    hello_line,
    parse_answer,
    parse_batch,
    parse_call,
    parse_greeting,
    parse_start,
    result_line,
    start_line,
    started_line,
)
from rankspec.conformance.implementations.shapes import Need, Shape, Signature
from rankspec.conformance.implementations.sources import AdapterSource, FileSource, ModuleSource, Source

QRELS = queries_of({"q2": {"b": -1, "a": 3}, "10": {}, "9": {"é": 0}})
CALLS = [
    Call("AP", RankedLabels((1, 0), 3)),
    Call("P", RankedLabels((), 0), k=5, rel=2),
    Call("AP", LabelsScores((1, 0, 1, 0), (0.1, math.inf, -5.0, 2.0**80))),
    Call("AP", ActualPredicted(("a", "\n"), ("b", "b"))),
    Call("AP", QrelsRun(QRELS, queries_of({"q2": {"b": 0.1, "a": 1e-320}}))),
    Call("AP", Files(QRELS, (("q2", (("a", "1.10"), ("a", 0.1), ("c", "inf"))),))),
]


def test_calls_come_back_with_their_numbers() -> None:
    messages = parse_batch(batch_line(7, CALLS))
    assert [parse_call(message) for message in messages] == list(enumerate(CALLS, 7))


@given(st.lists(st.floats(allow_nan=False) | st.integers(-(10**30), 10**30)))
def test_scores_come_back_as_doubles(scores: list[float]) -> None:
    call = Call("AP", LabelsScores((0,) * len(scores), tuple(scores)))
    [message] = parse_batch(batch_line(0, [call]))
    _, back = parse_call(message)
    assert isinstance(back.arguments, LabelsScores)
    assert list(back.arguments.y_score) == [float(score) for score in scores]
    assert all(type(score) is float for score in back.arguments.y_score)


@pytest.mark.parametrize("source", [AdapterSource("ranx"), FileSource("metric.py", "f"), ModuleSource("a.b", "C.f")])
@pytest.mark.parametrize("shape", [None, Shape.FILES])
def test_start_comes_back(source: Source, shape: Shape | None) -> None:
    start = Start(source, shape, "folder")
    assert parse_start(start_line(start)) == start


def test_the_greeting_comes_back() -> None:
    signature = Signature(Shape.RANKING, ("relevance",), Need.OPTIONAL, Need.ABSENT)
    hello = Hello("ranx", "0.3", "3.11.7", Shape.RANKING, "ranx", {"AP": signature})
    assert parse_greeting(hello_line(hello)) == hello
    assert parse_greeting(failed_line(Failed("why", "numba"))) == Failed("why", "numba")


@pytest.mark.parametrize(
    "answer",
    [
        Value(WireNumber("1/3", "fractions.Fraction")),
        Values((("10", WireNumber("1", "int")), ("9", WireNumber("nan", "float")))),
        Values(()),
        Unusable("None"),
        Errored("ValueError", "é\ud800"),
        Skipped("no"),
    ],
)
@pytest.mark.parametrize("mutated", [True, False])
def test_results_come_back(answer: Value | Values | Unusable | Errored | Skipped, mutated: bool) -> None:  # noqa: FBT001
    assert parse_answer(result_line(Result(3, answer, mutated))) == Result(3, answer, mutated)
    again = Result(3, Value(WireNumber("1", "int")), mutated=True, again=answer)
    assert parse_answer(result_line(again)) == again


def test_started_comes_back_and_is_json() -> None:
    assert parse_answer(started_line(12)) == Started(12)
    assert json.loads(started_line(12)) == {"type": "started", "seq": 12}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"\xff\x00",
        b"[]",
        b"{}",
        b"3",
        b"[" * 100_000,
        b'{"type":"hello"}',
        b'{"type":"started"}',
        b'{"type":"started","seq":"1"}',
        b'{"type":"started","seq":true}',
        b'{"type":"result","seq":1}',
        b'{"type":"result","seq":1,"outcome":"value"}',
        b'{"type":"result","seq":1,"outcome":"value","value":0.5}',
        b'{"type":"result","seq":1,"outcome":"value","value":{"number":1,"type":"int"}}',
        b'{"type":"result","seq":1,"outcome":"values","values":{"q":1}}',
        b'{"type":"result","seq":1,"outcome":"values","values":[["q"]]}',
        b'{"type":"result","seq":1,"outcome":"errored"}',
        b'{"type":"result","seq":1,"outcome":"unheard-of"}',
    ],
)
def test_what_is_no_answer_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_answer(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"hello"}',
        b'{"type":"hello","protocol":2}',
        b'{"type":"hello","protocol":1,"shape":"circle","functions":{}}',
        b'{"type":"hello","protocol":1,"shape":"ranking","functions":[]}',
        b'{"type":"hello","protocol":1,"shape":"ranking","functions":{},"name":1,"python":"3"}',
        b'{"type":"failed"}',
        b'{"type":"started","seq":1}',
    ],
)
def test_what_is_no_greeting_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_greeting(line)


@pytest.mark.parametrize(
    "line", [b"{}", b'{"type":"start","protocol":0}', b'{"type":"start","protocol":1,"source":{}}']
)
def test_what_is_no_start_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_start(line)


def test_what_is_no_call_is_refused() -> None:
    with pytest.raises(ProtocolError):
        parse_batch(b'{"type":"batch"}')
    for message in ({}, 3, {"seq": 1, "measure": "AP", "shape": "ranking", "arguments": [1]}):
        with pytest.raises(ProtocolError):
            parse_call(message)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: QrelsRun((), (("q", (("a", 1), ("a", 2))),)), "a document stands twice"),
        (lambda: QrelsRun((("q", ()), ("q", ())), ()), "a query stands twice"),
        (lambda: Files((("q 1", ()),), ()), "can't be a column"),
        (lambda: Files((("q", (("", 1),)),), ()), "can't be a column"),
        (lambda: Files((), (("q", (("a", "1 2"),)),)), "can't be a column"),
    ],
)
def test_what_a_shape_cannot_express_is_refused(build: object, said: str) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=said):
        build()


@pytest.mark.parametrize(
    ("arguments", "documents"), list(zip([call.arguments for call in CALLS], (2, 0, 4, 4, 5, 6), strict=True))
)
def test_the_size_is_the_number_of_documents(arguments: Arguments, documents: int) -> None:
    assert size(arguments) == documents

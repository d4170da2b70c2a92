"""Which shape a function has, where its parameters' names don't tell: a few questions whose answers do.

A list of ids and a list of lists of ids have the same names, so have dicts and data frames, and many functions name
their parameters as nobody else does. A perfect list is worth something to a function that is called in its own shape;
to one of another shape it is an exception, or nothing. A list without a hit is worth less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Lock
from types import TracebackType
from typing import Protocol, Self

from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.run.outcomes import Lost, NotAsked, Number, Outcome, PerQuery, Raised, Report
from rankspec.conformance.worker.arguments import (
    COLUMNS,
    ActualPredicted,
    Arguments,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
)
from rankspec.conformance.worker.messages import Call, Hello, Parameter
from rankspec.conformance.worker.shapes import (
    BATCHES,
    CUTOFF,
    EXPRESSION,
    PARAMETERS,
    THRESHOLD,
    Need,
    Shape,
    Signature,
)

_QUERIES = ("1", "2")
# No letter stands in two ids: to a function of lists of lists an id is a list of letters.
_QRELS, _RUN = (("1", (("ab", 1), ("cd", 0))),), (("1", (("ab", 2.0), ("cd", 1.0))),)
_NO_HIT = (("1", (("ef", 1), ("cd", 0))),)
_TWO_QRELS = (*_QRELS, ("2", (("gh", 1), ("ij", 0))))
_TWO_RUN = (*_RUN, ("2", (("gh", 2.0), ("ij", 1.0))))
_LABELS, _SCORES = (0, 1, 0, 1), (0.1, 0.9, 0.2, 0.8)
_ROWS, _SCORE_ROWS = ((1, 0, 0), (0, 1, 0)), ((0.9, 0.2, 0.1), (0.1, 0.8, 0.2))

_QUESTIONS: dict[Shape, tuple[Arguments, Arguments]] = {
    Shape.RANKING: (RankedLabels((1, 1, 0, 0), 2), RankedLabels((0, 0, 0, 0), 0)),
    Shape.LABELS_SCORES: (LabelsScores(_LABELS, _SCORES), LabelsScores((0, 0, 0, 0), _SCORES)),
    Shape.ACTUAL_PREDICTED: (
        ActualPredicted(("ab", "cd"), ("cd", "ab", "ef")),
        ActualPredicted(("ab", "cd"), ("ef", "gh", "ij")),
    ),
    Shape.QRELS_RUN: (QrelsRun(_QRELS, _RUN), QrelsRun(_NO_HIT, _RUN)),
    Shape.LISTS: (
        QueryLists(_QUERIES, (("ab", "cd"), ("ef",)), (("ab", "gh"), ("ef", "ij"))),
        QueryLists(_QUERIES, (("ab", "cd"), ("ef",)), (("ef", "ij"), ("ab", "gh"))),
    ),
    Shape.MATRICES: (
        Matrices(_QUERIES, _ROWS, _SCORE_ROWS),
        Matrices(_QUERIES, ((0, 0, 0), (0, 0, 0)), _SCORE_ROWS),
    ),
    Shape.FRAMES: (Frames(_TWO_QRELS, _TWO_RUN), Frames(_NO_HIT, _TWO_RUN)),
}
"""Of each shape a perfect list, and one without a hit, or with the hits of another query."""
_ORDERED: dict[Shape, tuple[Arguments, Arguments]] = {
    Shape.RANKING: (RankedLabels((1, 1, 0, 0), 2), RankedLabels((0, 0, 1, 1), 2)),
    Shape.LABELS_SCORES: (LabelsScores(_LABELS, _SCORES), LabelsScores(_LABELS, (0.9, 0.1, 0.8, 0.2))),
    Shape.ACTUAL_PREDICTED: (
        ActualPredicted(("ab", "cd"), ("cd", "ab", "ef", "gh")),
        ActualPredicted(("ab", "cd"), ("ef", "gh", "ab", "cd")),
    ),
    Shape.QRELS_RUN: (QrelsRun(_QRELS, _RUN), QrelsRun(_QRELS, (("1", (("ab", 1.0), ("cd", 2.0))),))),
}
"""Of the shapes of one query the same documents in two orders, the better one first: no hit is left at 2."""


class Answering(Protocol):
    """What can be asked."""

    @property
    def hello(self) -> Hello:
        """What it says of itself."""

    def ask(self, calls: Sequence[Call], on_outcome: Callable[[int, Outcome], None] | None = None) -> Report:
        """Ask calls in order."""


@dataclass(frozen=True)
class Told:
    """What an implementation says of itself, with the shape that its answers tell.

    Attributes:
        lost: how it was lost at its first question, if it was.
    """

    hello: Hello
    lost: Lost | None = None


def shape_told(connection: Answering, name: str) -> Told:
    """Find the shape of a function by asking it; one whose names tell it is asked a single question.

    Where the answers tell none, it is the one that the names tell.

    Raises:
        ImportFailure: nothing tells it.
    """
    hello = connection.hello
    if not hello.candidates:
        return Told(hello)
    first, *others = hello.candidates
    if not hello.doubt and first.shape is not Shape.FRAMES:
        perfect = _asked(connection, first, _QUESTIONS[first.shape][0])
        if isinstance(perfect, Lost):
            return Told(hello, perfect)
        # Who takes matrices or frames can make nothing of lists or dicts; of ids, as of lists, nothing is worth 0.
        if _worth(perfect) > 0 or not (isinstance(perfect, Raised) or first.shape is Shape.ACTUAL_PREDICTED):
            return Told(hello)
        return Told(_chosen(hello, _fitting(connection, others)))
    fitting = _fitting(connection, hello.candidates)
    # A function of several shapes is called as for one query: nothing is lost by that but its mean.
    plain = [signature for signature in fitting if signature.shape not in BATCHES.values()]
    chosen = plain or fitting
    if hello.doubt and len(chosen) > 1:  # scores in the place of a flag change nothing, whatever their order
        chosen = [signature for signature in plain if _heeds_order(connection, signature)] or chosen
    if len({signature.shape for signature in chosen}) == 1:
        chosen = chosen[:1]  # where the order of a list changes nothing, the truth is taken to be first
    if hello.doubt and len(chosen) != 1:
        several = " and ".join(signature.shape.value for signature in chosen)
        answers = f"its answers fit the shapes {several}" if chosen else "its answers fit no shape either"
        raise ImportFailure(f"{name}: {hello.doubt}; {answers}", code="shape-unclear")
    return Told(_chosen(hello, chosen))


def _chosen(hello: Hello, fitting: Sequence[Signature]) -> Hello:
    """Put the shape that was found into what an implementation says of itself."""
    if len(fitting) != 1:
        return hello
    (signature,) = fitting
    columns = f" with the columns {', '.join(dict.fromkeys(signature.columns))}" if signature.columns else ""
    called, others = _called(signature)
    told = f"Called as {called}{columns}, inferred from its answers. To override: --shape {others}"
    return replace(hello, shape=signature.shape, functions=dict.fromkeys(hello.functions, signature), told=told)


def _called(signature: Signature) -> tuple[str, str]:
    """Return how a function is called, and the shape to state where that is wrong."""
    cutoff = ", k" if signature.k is not Need.ABSENT else ""
    arguments = ", ".join(signature.natives)
    if signature.shape is Shape.ACTUAL_PREDICTED:
        is_last = signature.natives == Shape.PREDICTED_ACTUAL.natives
        other = Shape.ACTUAL_PREDICTED if is_last else Shape.PREDICTED_ACTUAL
        return f"f({arguments}{cutoff})", other.value
    return f"f({arguments}{cutoff}), {signature.shape.value}", "SHAPE"


def _fitting(connection: Answering, candidates: Sequence[Signature]) -> list[Signature]:
    found = []
    for signature in candidates:
        for columns in COLUMNS if signature.shape is Shape.FRAMES else (None,):
            perfect, useless = (_with_columns(each, columns) for each in _QUESTIONS[signature.shape])
            best = _worth(_asked(connection, signature, perfect))
            if best > 0 and not _worth(_asked(connection, signature, useless)) >= best:
                found.append(replace(signature, columns=columns))
                break
    return found


def _heeds_order(connection: Answering, signature: Signature) -> bool:
    better, worse = (_worth(_asked(connection, signature, each, k=2)) for each in _ORDERED[signature.shape])
    return better > worse


def _with_columns(arguments: Arguments, columns: tuple[str, str, str, str] | None) -> Arguments:
    return replace(arguments, columns=columns) if isinstance(arguments, Frames) and columns else arguments


def as_loaded(hello: Hello, call: Call) -> Call:
    """Return a call as a worker makes it, which knows nothing of what answers told.

    It calls a function by the first of its candidates that has the shape of the arguments.
    """
    signature = hello.signature(call.measure)
    alike = [each for each in hello.candidates if signature is not None and each.shape is signature.shape]
    is_turned = bool(alike) and signature is not None and alike[0].natives == signature.natives[::-1]
    return _turned(call) if is_turned else call


def _turned(call: Call) -> Call:
    match call.arguments:
        case ActualPredicted(actual, predicted):
            return replace(call, arguments=ActualPredicted(predicted, actual))
        case _:
            return call


def _asked(connection: Answering, signature: Signature, arguments: Arguments, k: int | None = None) -> Outcome:
    parameters = tuple(
        (name, _STAND_IN[name]) for name in PARAMETERS if signature.need(name) is Need.REQUIRED and name in _STAND_IN
    )
    if signature.need(CUTOFF) is Need.REQUIRED:
        k = 2
    elif signature.need(CUTOFF) is Need.ABSENT:
        k = None
    rel = 1 if signature.need(THRESHOLD) is Need.REQUIRED else None
    expression = "AP" if signature.need(EXPRESSION) is Need.REQUIRED else ""
    call = Call("AP", arguments, k, rel, expression, parameters)
    hello = replace(connection.hello, functions=dict.fromkeys(connection.hello.functions, signature))
    (outcome,) = connection.ask([as_loaded(hello, call)]).outcomes
    return outcome


_STAND_IN: dict[str, Parameter] = {
    "recall": 0.5,
    "multiple": 1.0,
    "hit": 1.0,
    "miss": 0.0,
    "lost": 0.0,
    "beta": 1.0,
    "p": 0.5,
    "dcg": "log2",
    "gains": ((1, 1.0),),
    "judged_only": True,
    "relative": True,
}
"""What a function is given that requires a parameter of some measure."""


def _worth(outcome: Outcome) -> float:
    """Return the number that came, or the mean of those of the queries; NaN if none came."""
    match outcome:
        case Number(value):
            numbers = [value]
        case PerQuery(values):
            numbers = [number.value for number in values.values()]
        case _:
            numbers = []
    rational = [value for value in numbers if isinstance(value, Fraction)]
    if not rational or len(rational) < len(numbers):
        return float("nan")
    mean = sum(rational, Fraction(0)) / len(rational)
    return float(max(min(mean, _MOST), -_MOST))


_MOST = Fraction(10**9)


@dataclass
class Memory:
    """The shape that was told, which every later connection to the same function goes by."""

    told: Told | None = None
    lock: Lock = field(default_factory=Lock)


class OpenConnection(Answering, Protocol):
    """A connection as a context manager."""

    def __enter__(self) -> Self:
        """Open it."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""


class TellingConnection:
    """A connection to a function whose answers tell its shape; it is asked on entering, if it was not asked before."""

    def __init__(self, connection: OpenConnection, name: str, memory: Memory) -> None:
        """Keep the connection, which is not open yet."""
        self._connection = connection
        self._name = name
        self._memory = memory
        self._lost: Lost | None = None

    def __enter__(self) -> Self:
        """Open it, and find the shape.  Raises ``ImportFailure``, ``Halted``."""
        self._connection.__enter__()
        try:
            with self._memory.lock:
                if self._memory.told is None:
                    self._memory.told = shape_told(self._connection, self._name)
                    self._lost = self._memory.told.lost
        except BaseException as error:
            self._connection.__exit__(type(error), error, error.__traceback__)
            raise
        self.hello = self._memory.told.hello
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""
        self._connection.__exit__(kind, error, traceback)

    def ask(self, calls: Sequence[Call], on_outcome: Callable[[int, Outcome], None] | None = None) -> Report:
        """Ask calls in order; how it was lost at its first question is what came of the first of them."""
        report = self._connection.ask([as_loaded(self.hello, call) for call in calls], on_outcome)
        self.hello = replace(self.hello, numpy_features=report.hello.numpy_features)
        outcomes = report.outcomes
        if self._lost is not None and outcomes and type(outcomes[0]) is NotAsked:
            outcomes = (self._lost, *outcomes[1:])
        return replace(report, hello=self.hello, outcomes=outcomes)

"""The shapes that a callable can have, and how to tell which one it has.

A shape is told by the names of the parameters. Under a shape that the user states, a callable with other names is
called by position, in the order of the table, or the truth last where the names' words say so.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rankspec.conformance.worker.adapter import ShapeName

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TRUE = frozenset(
    """
    actual expected gold golden grades ground gt judgements judgments label labels qrel qrels
    reference references relevance relevant relevants target targets true truth truths
    """.split()  # noqa: SIM905 - words to be read
)
_RANKED = frozenset(
    """
    guess guesses hypotheses hypothesis logits output outputs pred predicted prediction predictions preds prob proba
    probs rank ranked ranking rankings rec recommendation recommendations recommended recs result results retrieved
    returned run runs score scores suggested topk
    """.split()  # noqa: SIM905 - words to be read
)


def says_last_is_true(names: tuple[str, str]) -> bool:
    """Say whether of two parameters the last takes the truth, by the words of their names.

    >>> says_last_is_true(("preds", "target")), says_last_is_true(("a", "b")), says_last_is_true(("gold", "results"))
    (True, False, False)
    """
    first, last = map(_words, names)
    tells_first = bool(first & _RANKED) and not first & _TRUE
    tells_last = bool(last & _TRUE) and not last & _RANKED
    against = tells_first and bool(last & _RANKED), tells_last and bool(first & _TRUE)
    return (tells_first or tells_last) and not any(against)


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(name)}


CUTOFF = "k"
THRESHOLD = "rel"
EXPRESSION = "expression"
"""The whole measure as text, ``nDCG(dcg='exp-log2')@10``: who takes it takes all that a measure can have."""
PARAMETERS = (
    *("recall", "multiple", "hit", "miss", "lost", "beta", "p", "alpha", "T", "min_rel", "max_rel", "dcg", "gains"),
    *("judged_only", "relative", "normalize"),
)
"""What a measure can have beside its cutoff and its threshold, by the keywords that a callable takes them by."""


class Shape(Enum):
    """How an implementation takes a ranking."""

    RANKING = "ranking"
    """``f(relevance, num_relevant, k)``: labels in rank order; ``num_relevant`` and ``k`` may be absent."""
    LABELS_SCORES = "labels-scores"
    """``f(y_true, y_score, k)``: labels and scores of the same documents; ``k`` may be absent."""
    ACTUAL_PREDICTED = "actual-predicted"
    """``f(actual, predicted, k)``: ids of the relevant and of the ranked documents; ``k`` may be absent."""
    QRELS_RUN = "qrels-run"
    """``f(qrels, run)``: dicts of dicts."""
    FILES = "files"
    """``f(qrels_path, run_path)``: paths of TREC files."""
    LISTS = "lists-of-lists"
    """``f(actual, predicted, k)``: the same lists of ids for each of many queries; ``k`` may be absent."""
    MATRICES = "matrices"
    """``f(y_true, y_score, k)``: numpy arrays of labels and scores, queries x documents; ``k`` may be absent."""
    FRAMES = "frames"
    """``f(qrels, run)``: pandas data frames of (query, docno, grade) and (query, docno, score)."""
    PREDICTED_ACTUAL = "predicted-actual"
    """``f(predicted, actual, k)``: `actual-predicted` with the truth last. It is stated; no signature has it."""

    @property
    def natives(self) -> tuple[str, ...]:
        """The names of the arguments proper, in the order of the table, without the cutoff."""
        return _NATIVES[self]

    @property
    def has_cutoff(self) -> bool:
        """Whether the table has a place for ``k``; a callable of another shape may take it by its name."""
        return self not in (Shape.QRELS_RUN, Shape.FILES, Shape.FRAMES)

    @property
    def has_truth_first(self) -> bool:
        """Whether it takes the truth, and then what is held against it."""
        return self is not Shape.RANKING

    @property
    def package(self) -> str:
        """What has to be installed for its arguments; empty if nothing."""
        return {Shape.MATRICES: "numpy", Shape.FRAMES: "pandas"}.get(self, "")

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments without which a callable does not have this shape."""
        return self.natives[:1] if self is Shape.RANKING else self.natives


_NATIVES = {
    Shape.RANKING: ("relevance", "num_relevant"),
    Shape.LABELS_SCORES: ("y_true", "y_score"),
    Shape.ACTUAL_PREDICTED: ("actual", "predicted"),
    Shape.QRELS_RUN: ("qrels", "run"),
    Shape.FILES: ("qrels_path", "run_path"),
    Shape.LISTS: ("actual", "predicted"),
    Shape.MATRICES: ("y_true", "y_score"),
    Shape.FRAMES: ("qrels", "run"),
    Shape.PREDICTED_ACTUAL: ("predicted", "actual"),
}
BATCHES = {
    Shape.ACTUAL_PREDICTED: Shape.LISTS,
    Shape.LABELS_SCORES: Shape.MATRICES,
    Shape.QRELS_RUN: Shape.FRAMES,
}
"""The shape that has the same names, and takes a whole set of queries, or takes it in another way."""


class Need(Enum):
    """Whether a callable takes a cutoff, a relevance threshold, or another parameter of a measure."""

    ABSENT = "absent"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True)
class Signature:
    """How a callable of a known shape is called.

    ``natives`` are the arguments of the shape that it takes. ``positional`` and ``keywords`` say how each
    role (an argument of the shape, ``k``, ``rel``, ...) is handed over: in this order, or as this keyword.
    ``parameters`` are those of ``PARAMETERS`` and ``EXPRESSION`` that it takes. ``short_ids`` says that it takes
    long for ids of many lengths, so that where their names can't matter it is given short ones. ``columns`` are
    those of its frames, if it takes frames.
    """

    shape: Shape
    natives: tuple[str, ...]
    k: Need
    rel: Need
    positional: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, Need], ...] = ()
    short_ids: bool = False
    columns: tuple[str, str, str, str] | None = None

    def need(self, name: str) -> Need:
        """Say whether it takes ``k``, ``rel`` or a parameter; with the expression it takes whatever there is."""
        own = {CUTOFF: self.k, THRESHOLD: self.rel, **dict(self.parameters)}
        named = own.get(name, Need.ABSENT)
        return Need.OPTIONAL if named is Need.ABSENT and EXPRESSION in own else named


class ShapeError(Exception):
    """The shape of a callable can't be told, or is not the one that was stated."""


_BESIDE = (CUTOFF, THRESHOLD, EXPRESSION, *PARAMETERS)
"""What can stand in a call beside the arguments of a shape."""
_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def tell(function: Callable[..., object], stated: Shape | ShapeName | None = None) -> Signature:
    """Tell how ``function`` is called: by its parameters' names, else by position under the stated shape.

    Names don't tell a shape from the one of a whole set of queries (``BATCHES``); its answers do (``candidates``).
    Raises ``ShapeError`` if the names fit no shape and none is stated, or if the stated one can't be met.
    """
    shape = Shape(stated) if stated is not None else None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return _of_unknown_parameters(shape)
    if shape is Shape.PREDICTED_ACTUAL and not _names_all(shape, parameters):
        return _by_position(Shape.ACTUAL_PREDICTED, parameters, is_truth_last=True)
    shape = Shape.ACTUAL_PREDICTED if shape is Shape.PREDICTED_ACTUAL else shape
    no_names = {*BATCHES.values(), Shape.PREDICTED_ACTUAL}
    told_by_names = [shape] if shape else [each for each in Shape if each not in no_names]
    named = [candidate for candidate in told_by_names if _fits_by_name(candidate, parameters)]
    if shape is not None and not (named and _names_all(shape, parameters)):
        return _by_position(shape, parameters)
    if len(named) == 1:
        return _by_name(named[0], parameters)
    if named:
        shapes = " and ".join(candidate.value for candidate in named)
        raise ShapeError(f"its parameters {_listed(parameters)} fit the shapes {shapes}: state one with --shape")
    raise ShapeError(
        f"its parameters {_listed(parameters)} name no shape: "
        + "; ".join(f"{candidate.value} has ({', '.join(candidate.natives)})" for candidate in told_by_names)
        + "; rename them, or state the shape with --shape"
    )


def candidates(function: Callable[..., object], stated: Shape | ShapeName | None = None) -> tuple[Signature, ...]:
    """Give the shapes that a callable may have, the one that its parameters' names tell first.

    Where the names tell none, it may have any shape whose arguments it takes by position, but that of files.
    """
    if stated is not None:
        return (tell(function, stated),)
    try:
        told = tell(function)
    except ShapeError:
        return tuple(_by_position_alone(function))
    batch = BATCHES.get(told.shape)
    return (told,) if batch is None else (told, tell(function, batch))


def _by_position_alone(function: Callable[..., object]) -> Iterator[Signature]:
    known: list[Signature] = []
    for shape in Shape:
        if shape is Shape.FILES:
            continue  # who takes paths for something else may write there
        try:
            signature = tell(function, shape)
        except ShapeError:
            continue
        if signature not in known:
            known.append(signature)
            yield signature


def _listed(parameters: Iterable[inspect.Parameter]) -> str:
    return f"({', '.join(parameter.name for parameter in parameters)})"


def _fits_by_name(shape: Shape, parameters: list[inspect.Parameter]) -> bool:
    names = {parameter.name for parameter in parameters if parameter.kind not in _VARIABLE}
    known = {*shape.natives, *_BESIDE}
    return names.issuperset(shape.required) and all(
        parameter.name in known for parameter in parameters if _is_required(parameter)
    )


def _names_all(shape: Shape, parameters: list[inspect.Parameter]) -> bool:
    return {parameter.name for parameter in parameters}.issuperset(shape.natives)


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.kind not in _VARIABLE and parameter.default is inspect.Parameter.empty


def _by_name(shape: Shape, parameters: list[inspect.Parameter]) -> Signature:
    roles = {*shape.natives, *_BESIDE}
    taken = [
        (parameter.name, parameter)
        for parameter in parameters
        if parameter.name in roles and parameter.kind not in _VARIABLE
    ]
    return _signature(shape, taken)


def _by_position(shape: Shape, parameters: list[inspect.Parameter], *, is_truth_last: bool | None = None) -> Signature:
    """Hand the roles of the shape to the positional parameters in turn; one that names a role gets it.

    Where nobody states whether the truth comes last, the words of the names may say so.
    """
    names = {parameter.name for parameter in parameters if parameter.kind not in _VARIABLE}
    roles = (*shape.natives, CUTOFF) if shape.has_cutoff else shape.natives
    waiting = [role for role in roles if role not in names]
    unknown = [each.name for each in parameters if each.kind in _POSITIONAL and each.name not in {*roles, THRESHOLD}]
    if shape.has_truth_first and waiting[:2] == [*shape.natives] and len(unknown) > 1:
        if is_truth_last is None:
            is_truth_last = says_last_is_true((unknown[0], unknown[1]))
        waiting[:2] = shape.natives[::-1] if is_truth_last else shape.natives
    taken: list[tuple[str, inspect.Parameter]] = []
    for parameter in parameters:
        if (parameter.name in {*roles, CUTOFF, THRESHOLD} and parameter.kind not in _VARIABLE) or _is_beside(parameter):
            taken.append((parameter.name, parameter))
        elif parameter.kind in _POSITIONAL and waiting:
            taken.append((waiting.pop(0), parameter))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            taken.extend((role, parameter) for role in waiting)
            waiting.clear()
        elif _is_required(parameter):
            raise ShapeError(
                f"its parameter {parameter.name!r} has no place in the shape {shape.value}: give it a default"
            )
    missing = [role for role in shape.required if role not in {role for role, _ in taken}]
    if missing:
        raise ShapeError(
            f"its parameters {_listed(parameters)} are too few for the shape {shape.value}, "
            f"which has ({', '.join(shape.natives)})"
        )
    return _signature(shape, taken)


def _is_beside(parameter: inspect.Parameter) -> bool:
    """Tell a parameter of a measure from an argument of the shape by another name: ``p`` may be the predicted ones."""
    by_keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    return parameter.name in _BESIDE and (by_keyword or not _is_required(parameter))


def _signature(shape: Shape, taken: list[tuple[str, inspect.Parameter]]) -> Signature:
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    positional = tuple(role for role, parameter in taken if parameter.kind in by_position)
    # What a call may leave out has to stand last, or the arguments after it would move into its place.
    optional = [role in _BESIDE for role in positional]
    if optional != sorted(optional):
        raise ShapeError(
            f"its positional-only parameters stand in an order, {positional}, that can't be called without k"
        )
    return Signature(
        shape=shape,
        natives=tuple(role for role, _ in taken if role in shape.natives),
        k=_need(CUTOFF, taken),
        rel=_need(THRESHOLD, taken),
        positional=positional,
        keywords=tuple((role, parameter.name) for role, parameter in taken if parameter.kind not in by_position),
        parameters=tuple((role, _need(role, taken)) for role, _ in taken if role in (*PARAMETERS, EXPRESSION)),
    )


def _need(wanted: str, taken: list[tuple[str, inspect.Parameter]]) -> Need:
    for role, parameter in taken:
        if role == wanted:
            return Need.REQUIRED if _is_required(parameter) else Need.OPTIONAL
    return Need.ABSENT


def _of_unknown_parameters(shape: Shape | None) -> Signature:
    """Give the call of a callable that tells nothing about its parameters (some compiled ones)."""
    if shape is None:
        raise ShapeError("its parameters can't be inspected: state the shape with --shape")
    return Signature(shape, shape.natives, Need.ABSENT, Need.ABSENT, positional=shape.natives)

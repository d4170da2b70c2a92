"""The shapes that a callable can have, and how to tell which one it has.

A shape is told by the names of the parameters. Under a shape that the user states, a callable with other names is
called by position, in the order of the table, or the truth last where the names' words say so.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rankspec.conformance.worker.adapter import ShapeName

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TRUE = frozenset(
    """
    actual expected gold golden grades ground gt judgements judgments label labels qrel qrels
    reference references relevance relevant relevants target targets test true truth truths
    """.split()  # noqa: SIM905 - words to be read
)
_RANKED = frozenset(
    """
    guess guesses hypotheses hypothesis logits output outputs pred predicted prediction predictions preds prob proba
    probs rank ranked rankedlist ranking rankings ranklist rec recommendation recommendations recommended recs result
    results retrieved returned run runs score scores suggested topk
    """.split()  # noqa: SIM905 - words to be read
)


def says_last_is_true(names: tuple[str, str]) -> bool:
    """Say whether of two parameters the last takes the truth, by the words of their names.

    >>> says_last_is_true(("preds", "target")), says_last_is_true(("a", "b")), says_last_is_true(("gold", "results"))
    (True, False, False)
    """
    first, last = map(_words, names)
    first, last = first - last, last - first  # a word of both tells nothing: `ranked_labels`, `query_labels`
    tells_first = bool(first & _RANKED) and not first & _TRUE
    tells_last = bool(last & _TRUE) and not last & _RANKED
    against = tells_first and bool(last & _RANKED), tells_last and bool(first & _TRUE)
    return (tells_first or tells_last) and not any(against)


def says_data(name: str) -> bool:
    """Say whether a parameter takes the truth or what is held against it, by the words of its name."""
    return bool(_words(name) & (_TRUE | _RANKED))


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
WEIGHTS = ("sample_weight", "sample_weights", "query_weights", "weights")
"""What documents, or queries, weigh: no part of a measure. A callable that takes them is asked with and without."""


class Shape(Enum):
    """How an implementation takes a ranking."""

    RANKING = "ranking"
    """``f(relevance, num_relevant, k)``: labels in rank order; ``num_relevant`` and ``k`` may be absent."""
    LABELS_SCORES = "labels-scores"
    """``f(y_true, y_score, k)``: labels and scores of the same documents; ``k`` may be absent."""
    ACTUAL_PREDICTED = "actual-predicted"
    """``f(actual, predicted, k)``: ids of the relevant and of the ranked documents; ``k`` may be absent."""
    QRELS_RUN = "qrels-run"  # ``f(qrels, run)``: dicts of dicts
    FILES = "files"  # ``f(qrels_path, run_path)``: paths of TREC files
    LISTS = "lists-of-lists"
    """``f(actual, predicted, k)``: the same lists of ids for each of many queries; ``k`` may be absent."""
    MATRICES = "matrices"
    """``f(y_true, y_score, k)``: numpy arrays of labels and scores, queries x documents; ``k`` may be absent."""
    FRAMES = "frames"  # ``f(qrels, run)``: pandas data frames of (query, docno, grade) and (query, docno, score)
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
BATCHES = {Shape.ACTUAL_PREDICTED: Shape.LISTS, Shape.LABELS_SCORES: Shape.MATRICES, Shape.QRELS_RUN: Shape.FRAMES}
"""The shape that has the same names, and takes a whole set of queries, or takes it in another way."""


TURNED = "turned"  # The word of a form whose truth comes last


@dataclass(frozen=True)
class Form:
    """A shape, the containers of its arguments (``packing.py``), and whether the truth comes last.

    >>> parse_form("labels-scores[array, turned]").value, parse_form("predicted-actual").value
    ('labels-scores[array, turned]', 'predicted-actual')
    """

    shape: Shape
    packing: str = ""
    is_turned: bool = False

    @property
    def value(self) -> str:
        """What ``--shape`` takes."""
        shape, words = self.shape, [self.packing] if self.packing else []
        if self.is_turned and shape is Shape.ACTUAL_PREDICTED:
            shape = Shape.PREDICTED_ACTUAL
        elif self.is_turned:
            words.append(TURNED)
        return f"{shape.value}[{', '.join(words)}]" if words else shape.value


def parse_form(text: str) -> Form:
    """Read what ``--shape`` takes.  Raises ``ValueError`` where there is no such shape; packings are not looked up."""
    parts = re.fullmatch(r"\s*([\w-]+)\s*(?:\[([^\[\]]*)\])?\s*", text)
    if parts is None:
        raise ValueError(text)
    shape, words = Shape(parts[1]), [word.strip() for word in (parts[2] or "").split(",") if word.strip()]
    is_turned = shape is Shape.PREDICTED_ACTUAL or TURNED in words
    packing = ", ".join(word for word in words if word != TURNED)
    return Form(Shape.ACTUAL_PREDICTED if shape is Shape.PREDICTED_ACTUAL else shape, packing, is_turned)


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
    those of its frames, if it takes frames. ``packing`` names the containers of its arguments, where they are not the
    plain ones of the shape (``packing.py``).
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
    packing: str = ""

    @property
    def form(self) -> Form:
        """The whole way in which arguments are handed over."""
        is_turned = len(self.natives) > 1 and self.natives == self.shape.natives[::-1]
        return Form(self.shape, self.packing, is_turned)

    def need(self, name: str) -> Need:
        """Say whether it takes ``k``, ``rel`` or a parameter; with the expression it takes whatever there is."""
        own = {CUTOFF: self.k, THRESHOLD: self.rel, **dict(self.parameters)}
        named = own.get(name, Need.ABSENT)
        return Need.OPTIONAL if named is Need.ABSENT and EXPRESSION in own else named


class ShapeError(Exception):
    """The shape of a callable can't be told, or is not the one that was stated."""


FURTHER = (*PARAMETERS, *WEIGHTS, EXPRESSION)
_BESIDE = (CUTOFF, THRESHOLD, *FURTHER)  # What can stand in a call beside the arguments of a shape
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def tell(function: Callable[..., object], stated: Form | Shape | ShapeName | None = None) -> Signature:
    """Tell how ``function`` is called: by its parameters' names, else by position.  Raises ``ShapeError``."""
    # Names don't tell a shape from the one of a whole set of queries (``BATCHES``); its answers do (``forms.py``).
    form = stated if isinstance(stated, Form) or stated is None else parse_form(Shape(stated).value)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        if form is None:
            raise ShapeError("its parameters can't be inspected: state the shape with --shape") from None
        natives = form.shape.natives[::-1] if form.is_turned else form.shape.natives
        return Signature(form.shape, natives, Need.ABSENT, Need.ABSENT, positional=natives, packing=form.packing)
    if form is not None:
        signature = _stated(form, parameters)
        return replace(signature, packing=form.packing) if form.packing else signature
    no_names = {*BATCHES.values(), Shape.PREDICTED_ACTUAL}
    told_by_names = [each for each in Shape if each not in no_names]
    named = [candidate for candidate in told_by_names if _fits_by_name(candidate, parameters)]
    if len(named) == 1:
        return _by_name(named[0], parameters)
    if named:
        shapes = " and ".join(candidate.value for candidate in named)
        raise ShapeError(f"its parameters {_listed(parameters)} fit the shapes {shapes}: state one with --shape")
    raise ShapeError(f"its parameters {_listed(parameters)} don't say how it is called")


def _stated(form: Form, parameters: list[inspect.Parameter]) -> Signature:
    has_names = {each.name for each in parameters}.issuperset(form.shape.natives)
    if not form.is_turned and has_names and _fits_by_name(form.shape, parameters):
        return _by_name(form.shape, parameters)
    # Where the form says that the truth comes last, it does; else the words of the names may say so.
    is_last = True if form.is_turned else (None if not form.packing else False)
    is_one = any(word.split()[0] in IN_ONE_ARGUMENT for word in form.packing.split(", ") if word)
    places = Places(required=form.shape.natives[:1]) if is_one else None
    return by_position(form.shape, parameters, is_truth_last=is_last, places=places)


CASES = ("object-case", "record-case", "object-cases", "record-cases", "frame-cases", "pair-cases")
"""Words of forms that have both sides of a query in one object, dict or row."""
IN_ONE_ARGUMENT = (*CASES, "frame", "scored", "turned-scored", "rated", "cases", "turned-cases", "diagonal", "first")
"""Words of forms that have the truth and what is held against it in one argument."""


def _listed(parameters: Iterable[inspect.Parameter]) -> str:
    return f"({', '.join(parameter.name for parameter in parameters)})"


def _fits_by_name(shape: Shape, parameters: list[inspect.Parameter]) -> bool:
    names = {parameter.name for parameter in parameters if parameter.kind not in _VARIABLE}
    known = {*shape.natives, *_BESIDE}
    return names.issuperset(shape.required) and all(
        parameter.name in known for parameter in parameters if _is_required(parameter)
    )


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.kind not in _VARIABLE and parameter.default is inspect.Parameter.empty


def _by_name(shape: Shape, parameters: list[inspect.Parameter]) -> Signature:
    roles = {*shape.natives, *_BESIDE}
    taken = [(each.name, each) for each in parameters if each.name in roles and each.kind not in _VARIABLE]
    return _signature(shape, taken)


@dataclass(frozen=True)
class Places:
    """Which parameters take what, where their names are not those of the table."""

    roles: Mapping[str, str] = field(default_factory=dict)  # the roles of parameters by other names: ``top_k`` is ``k``
    extra: tuple[str, ...] = ()  # what stands behind the arguments of the shape: the sizes of groups
    # the parameters that take arguments of the shape, where others keep their defaults
    data: tuple[str, ...] | None = None
    required: tuple[str, ...] | None = None  # the arguments without which it can't be called, if not those of the shape
    fixed: frozenset[str] = frozenset()  # the parameters that the form itself has values for


def by_position(
    shape: Shape,
    parameters: list[inspect.Parameter],
    *,
    is_truth_last: bool | None = None,
    places: Places | None = None,
) -> Signature:
    """Hand the roles of the shape to the parameters that are data, in turn, by name first, or raise `ShapeError`."""
    # Where nobody states whether the truth comes last, the words of the names may say so.
    chosen = places or Places()
    # A required `rel` that is taken for data has the labels, or the relevant documents, and is no threshold.
    roles, extra = {THRESHOLD: ""} if THRESHOLD in (chosen.data or ()) else {}, chosen.extra
    roles |= chosen.roles
    named = {each.name: roles.get(each.name, each.name) for each in parameters if each.kind not in _VARIABLE}
    waiting = [role for role in (*shape.natives, *extra, CUTOFF) if role not in named.values()]
    if not shape.has_cutoff and CUTOFF in waiting:
        waiting.remove(CUTOFF)
    known = {*shape.natives, *extra, CUTOFF, THRESHOLD}
    takes = [each for each in parameters if _is_data(each) and (chosen.data is None or each.name in chosen.data)]
    unknown = [each.name for each in takes if named[each.name] not in known]
    any_number = is_truth_last is not None and any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    has_two = len(unknown) > 1 or any_number
    if (shape.has_truth_first or is_truth_last) and waiting[:2] == [*shape.natives] and has_two:
        if is_truth_last is None:
            is_truth_last = says_last_is_true((unknown[0], unknown[1]))
        waiting[:2] = shape.natives[::-1] if is_truth_last else shape.natives
    taken: list[tuple[str, inspect.Parameter]] = []
    for parameter in parameters:
        role = named.get(parameter.name, "")
        if (role in known and parameter.kind not in _VARIABLE) or _is_beside(parameter):
            taken.append((role, parameter))
        elif parameter in takes and waiting:
            taken.append((waiting.pop(0), parameter))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            # A cutoff among any number of arguments is a guess that only a stated shape makes.
            taken.extend((role, parameter) for role in waiting if places is None or role != CUTOFF)
            waiting.clear()
        elif _is_required(parameter) and parameter.name not in chosen.fixed:
            raise ShapeError(
                f"its parameter {parameter.name!r} has no place in the shape {shape.value}: give it a default"
            )
    needed = shape.required if chosen.required is None else chosen.required
    missing = [role for role in (*needed, *extra) if role not in {role for role, _ in taken}]
    if missing:
        raise ShapeError(
            f"its parameters {_listed(parameters)} are too few for the shape {shape.value}, "
            f"which has ({', '.join(shape.natives)})"
        )
    return _signature(shape, taken)


def _is_data(parameter: inspect.Parameter) -> bool:
    """Tell what can be an argument of a shape: whatever stands in a place, and what is required by its keyword."""
    by_keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    return parameter.kind in _POSITIONAL or (by_keyword and _is_required(parameter))


def _is_beside(parameter: inspect.Parameter) -> bool:
    """Tell a parameter of a measure from an argument of the shape by another name: ``p`` may be the predicted ones."""
    by_keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    return parameter.name in _BESIDE and (by_keyword or not _is_required(parameter))


def _signature(shape: Shape, places: list[tuple[str, inspect.Parameter]]) -> Signature:
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    positional = tuple(role for role, parameter in places if parameter.kind in by_position)
    # What a call may leave out has to stand last, or the arguments after it would move into its place.
    optional = [role in _BESIDE for role in positional]
    if optional != sorted(optional):
        raise ShapeError(
            f"its positional-only parameters stand in an order, {positional}, that can't be called without k"
        )
    return Signature(
        shape=shape,
        natives=tuple(role for role, _ in places if role in shape.natives),
        k=_need(CUTOFF, places),
        rel=_need(THRESHOLD, places),
        positional=positional,
        keywords=tuple((role, parameter.name) for role, parameter in places if parameter.kind not in by_position),
        parameters=tuple((role, _need(role, places)) for role, _ in places if role in FURTHER),
    )


def _need(role_needed: str, places: list[tuple[str, inspect.Parameter]]) -> Need:
    for role, parameter in places:
        if role == role_needed:
            return Need.REQUIRED if _is_required(parameter) else Need.OPTIONAL
    return Need.ABSENT

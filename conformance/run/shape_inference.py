"""Which shape a function has, where its parameters' names don't tell: a few questions whose answers do.

A list of ids and a list of lists of ids have the same names, so have dicts and data frames, and many functions name
their parameters as nobody else does. A perfect list is worth something to a function that is called in its own shape;
to one of another shape it is an exception, or nothing. A list without a hit is worth less.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isnan
from threading import Lock
from typing import Any, Self

from rankspec.conformance.implementations.naming import measure_by_name, measure_in, measures_returned, names_of
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.run.outcomes import (
    Connection,
    Lost,
    Malformed,
    NotCalled,
    Number,
    Outcome,
    PerQuery,
    Raised,
    Report,
)
from rankspec.conformance.run.session import Session
from rankspec.conformance.worker.arguments import (
    COLUMNS,
    ActualPredicted,
    Arguments,
    Files,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
)
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello, Parameter
from rankspec.conformance.worker.packing import CUTOFFS, OF_ONE, described
from rankspec.conformance.worker.shapes import (
    BATCHES,
    CUTOFF,
    EXPRESSION,
    PARAMETERS,
    THRESHOLD,
    Need,
    Shape,
    Signature,
    says_last_is_true,
)
from rankspec.conformance.worker.values import Special, bare_name
from rankspec.oracle.conventions.declarations.family import Cut


def _read(shape: Shape, text: str) -> tuple[Arguments, ...]:
    """Read questions, apart by `|`: the truth, `/`, and what is held against it; queries are apart by `;`.

    >>> _read(Shape.QRELS_RUN, "ab1 cd0 / cd2 ab1.5")
    (QrelsRun(qrels=(('1', (('ab', 1), ('cd', 0))),), run=(('1', (('cd', 2), ('ab', 1.5))),)),)
    """
    return tuple(_question(shape, *each.split("/")) for each in text.split("|"))


def _question(shape: Shape, *texts: str) -> Arguments:
    sides = [tuple(tuple(map(_value, each.split())) for each in side.split(";")) for side in texts]
    kind: Callable[..., Arguments] = _KINDS[shape]
    if shape is Shape.RANKING:
        return kind(sides[0][0], sides[1][0][0])
    if shape in (Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED):
        return kind(*(side[0] for side in sides))
    queries = [tuple((str(number), each) for number, each in enumerate(side, start=1)) for side in sides]
    return kind(*queries) if shape in _OF_QUERIES else kind(tuple(name for name, _ in queries[0]), *sides)


def _value(text: str) -> Any:
    """Return an id, a number, or an id with its number."""
    docno = text.rstrip(".0123456789")
    number = text[len(docno) :] and (float if "." in text else int)(text[len(docno) :])
    return (docno, number) if docno and number != "" else docno or number


_OF_QUERIES = {Shape.QRELS_RUN: QrelsRun, Shape.FRAMES: Frames, Shape.FILES: Files}
_KINDS = {
    **{each.shape: each for each in (RankedLabels, LabelsScores, ActualPredicted, QueryLists, Matrices)},
    **_OF_QUERIES,
}


def _each(**questions: str) -> dict[Shape, tuple[Arguments, ...]]:
    return {shape: _read(shape, questions[shape.name]) for shape in Shape if shape.name in questions}


# No letter stands in two ids: to a function of lists of lists an id is a list of letters.
# A list has two hits behind each other: who counts a hit late makes nothing of one alone.
_QUESTIONS = _each(
    RANKING="1 1 0 0 / 2 | 0 0 0 0 / 0",
    # Some give no value below five documents.
    LABELS_SCORES="0 1 0 1 0 0 / .1 .9 .2 .8 .06 .05 | 0 0 0 0 0 0 / .1 .9 .2 .8 .06 .05 | "
    "0 1 0 1 0 0 / .6 .8 .5 .7 .4 .3",
    # A set of ids has one order: both of these cannot lie in it. As whole numbers the last have another sum.
    ACTUAL_PREDICTED="ab cd / cd ab ef | ab cd / ba dc fe | ab cd / ab cd ef | gh ij / gh ij ef",
    # As whole numbers the last lie at another distance from the order of the qrels: to a metric they are names.
    QRELS_RUN="cd0 ab1 op1 / ab3 op2 cd1 | cd0 ef1 / ab3 op2 cd1 | cd0 ab1 op1 / ab9 op8.5 cd8 | "
    "ab0 ef1 cd1 / cd3 ef2 ab1",
    LISTS="cd ab; ef ij / ab cd kl; ij ef mn | cd ab; ef ij / ij ef mn; ab cd kl | zz yy; xx cc / yy zz bb; cc xx dd",
    # The labels, 0 and 1, are places of none of the relevant documents.
    MATRICES="0 0 1 1 0; 0 0 0 1 1 / .2 .1 .9 .8 .05; .1 .05 .2 .8 .7 | "
    "0 0 0 0 0; 0 0 0 0 0 / .2 .1 .9 .8 .05; .1 .05 .2 .8 .7 | "
    "0 0 1 1 0; 0 0 0 1 1 / .6 .5 .8 .7 .4; .4 .3 .5 .7 .6",
    FRAMES="cd0 ab1 op1; gh1 ij0 / ab3 op2 cd1; gh2 ij1 | cd0 ef1 / ab3 op2 cd1; gh2 ij1",
    FILES="cd0 ab1 op1; gh1 ij0 / ab3 op2 cd1; gh2 ij1 | cd0 ef1 / ab3 op2 cd1; gh2 ij1",
)
"""Of each shape a perfect list; one without a hit (of ids by the same letters), or with the hits of another query; and
perfect lists that are worth as much: turned, where places could be compared, or with other scores in the same order."""
_ONE_RELEVANT = _each(
    RANKING="1 0 0 / 1 | 0 0 0 / 0",
    # More letters of the last are found by those who take it for a list.
    ACTUAL_PREDICTED="ab / ab cd ef | ab / ba dc fe | ab / ab bg hf",
    LISTS="ab; ef / ab gh kl; ij ef mn | ab; ef / ij ef mn; ab gh kl",
    QRELS_RUN="ab1; gh1 / ab3 op2 cd1; gh2 ij1 | ab1; gh1 / ef3 op2 cd1; kl2 ij1 | ab1; gh1 / ab9 op8.5 cd8; gh4 ij2",
    LABELS_SCORES="0 1 0 0 0 0 / .1 .9 .2 .8 .06 .05 | 0 1 0 0 0 0 / .9 .1 .8 .7 .6 .5 | "
    "0 1 0 0 0 0 / 30 80 40 70 20 10",
    MATRICES="1 0 0 0; 0 1 0 0 / .9 .2 .1 .05; .1 .8 .2 .05 | 1 0 0 0; 0 1 0 0 / 0 1 2 3; 2 0 1 3 | "
    "1 0 0 0; 0 1 0 0 / 80 60 50 40; 40 70 60 50",
)
_ORDERED = _each(
    # The last hit at 2, and the first that is none.
    RANKING="0 1 0 / 1 | 0 0 1 / 1",
    ACTUAL_PREDICTED="ab / ab cd ef | ab / cd ef ab",
    # Who takes all of them for relevant heeds no order.
    QRELS_RUN="cd0 ab1 op1 gh0 / ab4 op3 cd2 gh1 | cd0 ab1 op1 gh0 / ab1 op2 cd3 gh4",
    LISTS="ab; ef / ab cd gh; ef ij kl | ab; ef / cd gh ab; ij kl ef",
    LABELS_SCORES="0 1 0 0 0 0 / .1 .9 .2 .8 .06 .05 | 0 1 0 0 0 0 / .9 .1 .8 .7 .6 .5",
    MATRICES="1 1 0 0; 0 1 1 0 / .9 .8 .2 .1; .1 .8 .7 .2 | 1 1 0 0; 0 1 1 0 / .1 .2 .9 .8; .8 .1 .2 .7",
)
"""The same documents in two orders, the better one first: no hit, or fewer, is left at 2."""
_TWO_QUERIES = _each(
    LISTS="ab; ef / ab gh; ij kl | ef; ab / ij kl; ab gh",
    MATRICES="1 0 0 0; 0 1 0 0 / .9 .2 .1 .05; .3 .1 .8 .7 | 0 1 0 0; 1 0 0 0 / .3 .1 .8 .7; .9 .2 .1 .05",
)
"""A query with a hit and one without, in both orders."""
_GRADED = _each(
    RANKING="3 3 0 0 / 2", LABELS_SCORES="0 3 0 3 0 0 / .1 .9 .2 .8 .06 .05", QRELS_RUN="cd0 ab3 op3 / ab3 op2 cd1"
)
"""Perfect lists whose relevant documents have a high grade."""
_OF_LABELS = (Shape.RANKING, Shape.LABELS_SCORES, Shape.MATRICES)
_RANKED = {"ranked", "pairs", "rank-pairs", "objects", "records"}  # Words of forms that take lists of ranked documents
_OF_RANKS, _OF_MISSES = {"rank", "query-ranks"}, {"or-none", "or-minus"}


def shape_inferred(connection: Connection, name: str) -> tuple[Hello, Lost | None]:
    """Find how a function is called by asking it, once if its names tell; `ImportFailure` if nothing does.

    Returns what it says of itself, with its shape, and how it was lost at its first question, if it was.
    """
    hello = connection.hello
    if not hello.candidates:
        return hello, None
    first, *others = hello.candidates
    asked: Sequence[Signature] = hello.candidates
    if not hello.doubt and first.shape is not Shape.FRAMES:
        # A threshold of its own may lie above grade 1.
        graded = _GRADED.get(first.shape, ())
        # Who sorts ascending makes something of the perfect list turned round.
        turned = _ORDERED[first.shape][1:] if first.shape is Shape.LABELS_SCORES else ()
        perfect, *others_perfect = _asked(connection, first, [*_QUESTIONS[first.shape][:1], *graded, *turned])
        if isinstance(perfect, Lost):
            return hello, perfect
        if any(_worth(each) > 0 for each in (perfect, *others_perfect)):  # one of another shape makes nothing of it
            return hello, None
        asked = others
    fitting, failure = _fitting(connection, asked)
    if fitting:
        return _chosen(hello, *fitting), None
    if hello.doubt:
        none = f"none of {len(asked)} ways of calling it gives a ranking metric ({failure.text if failure else ''})"
        what = f"{none if failure else hello.doubt}; if it is one, state --shape, or ask about f(actual, predicted)"
        if failure is not None and failure.is_of_environment:
            older = " (pip install 'numpy<2')" if re.search("(?i)numpy", failure.text) else ""
            remedy = f"install what it was written for{older}, and rankspec beside it"
            raise ImportFailure(f"{name}: {failure.text}; {remedy}", code="function-not-runnable")
        raise ImportFailure(f"{name}: {what}", code="shape-unclear")
    return hello, None


def _chosen(hello: Hello, signature: Signature, *others: Signature) -> Hello:
    """Put the way that was found into what an implementation says of itself."""
    columns = f" with the columns {', '.join(dict.fromkeys(signature.columns))}" if signature.columns else ""
    also = next((each.form for each in others if _family(each) != _family(signature)), None)
    given = described(signature.form, signature.natives) + columns
    fits = f" ({shlex.quote(also.value)} fits, too)" if also else ""
    told = f"Called with {given}, inferred from its answers{fits}: --shape {shlex.quote(signature.form.value)}"
    return replace(hello, shape=signature.shape, functions=dict.fromkeys(hello.functions, signature), shape_note=told)


def _family(signature: Signature) -> str:
    """Name what a function is about, whatever it is in: labels with scores, labels in rank order, ids, whole sets."""
    if signature.shape in (Shape.LABELS_SCORES, Shape.MATRICES):
        return "labels"
    is_of_one = signature.shape is Shape.QRELS_RUN and "single" in signature.packing
    return "ids" if is_of_one or signature.shape in (Shape.ACTUAL_PREDICTED, Shape.LISTS) else signature.shape.value


_OF_A_MODULE = re.compile("^module '|was removed")  # What an AttributeError says of a name that a package had once
_MOST_ASKED, _MOST_AFTER = 300, 10
"""So many ways are tried at most, the likeliest first, and so many when one fits, to know whether another one does."""


def _fitting(connection: Connection, candidates: Sequence[Signature]) -> tuple[list[Signature], _Failure | None]:
    """Return the ways that fit, at most one a shape, and what came of the likeliest that does not."""
    # Those that heed the order of a list come before those that don't: scores in the place of a flag change nothing.
    found: dict[Shape, tuple[bool, Signature]] = {}
    unsorted: list[Signature] = []
    failure: _Failure | None = None
    left = _MOST_ASKED
    for signature in candidates:
        # Scores pass for ids of relevant documents, of which only the number counts.
        other = "items" in signature.packing and found.keys() - {signature.shape}
        if ((known := found.get(signature.shape)) and known[0]) or other:
            continue
        left -= 1
        if left < 0:
            break
        own = (signature.columns,) if signature.columns else ()
        for columns in (*own, *COLUMNS) if signature.shape is Shape.FRAMES else (None,):
            words = {*signature.packing.split(", ")}
            has_one = OF_ONE & words
            questions = (_ONE_RELEVANT if has_one else _QUESTIONS)[signature.shape]
            outcomes = _of_perfect(connection, signature, [_with_columns(each, columns) for each in questions])
            best, useless, *turned = map(_worth, outcomes)
            # Whatever is divided by the value of the ideal list is worth 1 there; a product of two lists is not.
            is_whole = best == 1 or not {"ideal", "ranks", *_OF_RANKS} & words
            is_whole &= _LEAST_OF_ITEMS <= best <= 1 or "items" not in words
            # Nothing is relevant in a useless list of labels, which some score 1: then the order has to count.
            is_useless = useless >= best
            is_told = (not is_useless and not (words & _OF_MISSES and isnan(useless))) or (
                signature.shape in _OF_LABELS and useless == best and "ideal" not in words
            )
            if best > 0 and is_whole and is_told and all(each == best for each in turned):
                if _is_another(connection, signature, words, columns):
                    none = f"as {signature.form.value} its values are not those of a ranking metric"
                    failure = failure or _Failure(none)
                    break
                if signature.shape is Shape.QRELS_RUN and not (words & _RANKED or _sorts(connection, signature)):
                    unsorted.append(signature)  # it takes a dict for a list, or does not sort one
                    break
                heeds = signature.shape not in _ORDERED or _heeds_order(connection, signature)
                # What makes as much of every rank is no metric of ranks: it makes something of each number of a list.
                # But whether there is a rank at all, by the name of ranks, is a hit.
                says_ranks = any("rank" in name or "position" in name for _, name in signature.keywords)
                of_ranks = words & _OF_RANKS and not (words & _OF_MISSES and useless == 0 and says_ranks)
                of_scores = signature.shape in (Shape.LABELS_SCORES, Shape.MATRICES)  # which change nothing
                # Whoever is given the truth for the list heeds no order: names may say that.
                truth, ranked = (dict(signature.keywords).get(role, "") for role in signature.shape.natives)
                is_turned = signature.shape.has_truth_first and says_last_is_true((truth, ranked))
                if heeds or not (known or is_useless or of_ranks or of_scores or is_turned):
                    found[signature.shape] = (heeds, replace(signature, columns=columns) if columns else signature)
                    left = min(left, _MOST_AFTER if heeds else _MOST_AFTER * 4)
                break
            came = _failure(signature, outcomes[0])
            failure = came if failure is None or came.is_of_environment else failure
    if unsorted:
        found.setdefault(Shape.QRELS_RUN, (True, unsorted[0]))
    # A function of several shapes is called as for one query: nothing is lost by that but its mean. Whose values follow
    # scores is given scores: the number in their place, of relevant documents, may mean nothing to it. But one list
    # alone, whose first score would be the relevant document's, is one of labels: to nDCG scores pass for gains.
    by_scores = found.get(Shape.LABELS_SCORES)
    second = Shape.RANKING if by_scores and "first" not in by_scores[1].packing.split(", ") else Shape.LABELS_SCORES
    ordered = sorted(
        found.values(), key=lambda each: (each[1].shape in BATCHES.values(), not each[0], each[1].shape is second)
    )
    return [signature for _, signature in ordered], failure


def _of_perfect(connection: Connection, signature: Signature, questions: Sequence[Arguments]) -> Sequence[Outcome]:
    """Ask the questions, and with longer lists whoever reads so many ranks always."""
    outcomes = _asked(connection, signature, questions)
    is_short = isinstance(outcomes[0], Raised) and outcomes[0].type == "IndexError"
    return (
        _asked(connection, signature, [*map(_filled, questions)])
        if is_short and signature.shape in _FILLED
        else outcomes
    )


def _filled(arguments: Any) -> Arguments:
    """Return the same list with ten more documents at its end, none of them relevant."""
    match arguments:
        case ActualPredicted(actual, predicted):
            return ActualPredicted(actual, (*predicted, *(f"x{letter}" for letter in "abcdefghij")))
        case RankedLabels(labels, count):
            return RankedLabels((*labels, *[0] * 10), count)
        case _:
            return LabelsScores((*arguments.y_true, *[0] * 10), (*arguments.y_score, *(-float(n) for n in range(10))))


_FILLED = (Shape.ACTUAL_PREDICTED, Shape.RANKING, Shape.LABELS_SCORES)


def _sorts(connection: Connection, signature: Signature) -> bool:
    """Tell whether the order of the documents in a dict of scores changes nothing."""
    questions = _read(Shape.QRELS_RUN, "cd0 ab1 op1 / ab3 op2 cd1 | cd0 ab1 op1 / cd1 op2 ab3")
    return len({*map(_worth, _asked(connection, signature, questions, k=1))}) == 1


def _is_another(
    connection: Connection, signature: Signature, words: set[str], columns: tuple[str, str, str, str] | None
) -> bool:
    """Tell a function of another form by a further question: its value is the same whatever the ideal list has."""
    if "query-ranks" in words and not {"objects", "records"} & {word.split()[0] for word in words}:
        of_one = replace(signature, packing=signature.packing.replace("query-ranks", "ranks"))
        both, first, last = map(
            _worth, _asked(connection, of_one, _read(Shape.RANKING, "1 0 1 / 2 | 1 0 0 / 1 | 0 0 1 / 1"))
        )
        # The mean, or the sum, over two queries; the ranks of one query are worth more together.
        if not any(abs(count * both - first - last) < _ROUNDED for count in (1, 2)):
            return True
    if "ideal" in words and not _worth(*_asked(connection, signature, _read(Shape.RANKING, "1 0 0 0 / 2"))) < 1:
        return True
    if signature.shape in (Shape.FRAMES, Shape.QRELS_RUN) and "relevant" not in words:  # all judged may be relevant
        questions = _read(signature.shape, "ab0 / ab3 op2 cd1 | ab1 / ab3 op2 cd1")
        judged = [_with_columns(each, columns) for each in questions]
        miss, hit = map(_worth, _asked(connection, signature, judged))
        return miss == hit
    if signature.shape in _TWO_QUERIES:  # what is cut may be the queries, whose order means nothing
        first, last = map(_worth, _asked(connection, signature, _TWO_QUERIES[signature.shape], k=1))
        if abs(first - last) > _ROUNDED:
            return True
    if signature.shape is Shape.ACTUAL_PREDICTED and "set" in words:  # who goes through it in its order fits by luck
        orders = _read(signature.shape, " | ".join(f"ab cd ef gh ij / {each}" for each in _TURNS))
        if len({*map(_worth, _asked(connection, signature, orders, k=_LONGEST_ORDERED))}) > 1:
            return True
    return not OF_ONE & words and _is_of_first(connection, signature)


def _is_of_first(connection: Connection, signature: Signature) -> bool:
    """Tell a function of one id and a list for each query, or of scores whose first is the relevant document's."""
    if signature.shape is Shape.ACTUAL_PREDICTED and "rows" in signature.packing:  # which id is found matters
        # Of a set either may come first, by chance: sixteen alike are no chance.
        pairs = ((miss, "cd") for miss in "ab ij kl mn op qr st uv wx yz ba ji lk nm po rq".split())  # noqa: SIM905
        questions = [ActualPredicted(truth, ("cd", "ef", "gh")) for pair in pairs for truth in (pair, pair[::-1])]
        return len({*map(_worth, _asked(connection, signature, questions))}) > 1
    if signature.shape is not Shape.RANKING:
        return False
    takes_cutoff = signature.need(CUTOFF) is not Need.ABSENT
    # As scores neither list has the first document among two; as labels the second has a hit there.
    lists = _read(Shape.RANKING, "0 1 1 0 0 / 2 | 1 2 2 0 0 / 3")
    if takes_cutoff and not any(map(_worth, _asked(connection, signature, lists, k=2))):
        return True
    places = _read(Shape.RANKING, "1 0 0 0 / 1 | 0 1 0 0 / 1 | 0 0 1 0 / 1")
    first, second, third = map(_worth, _asked(connection, signature, places, k=3))
    return first > second == third > 0


@dataclass(frozen=True)
class _Failure:
    """Why a way does not fit: the sentence, and whether no other way mends it, as what it calls is not there."""

    text: str
    is_of_environment: bool = False


def _failure(signature: Signature, outcome: Outcome) -> _Failure:
    """Say what came of a perfect list; a name that a package had once, or a module, is missing in every way."""
    match outcome:
        case Raised("AttributeError", message) if _OF_A_MODULE.search(message):
            return _Failure(f"it can't run here: {message.partition('. ')[0]}", is_of_environment=True)
        case Raised("ModuleNotFoundError", message):
            return _Failure(f"it can't run here: {message}", is_of_environment=True)
        case _:
            return _Failure(f"as {signature.form.value} it {_short(outcome)}")


def _short(outcome: Outcome) -> str:
    """Say what came of a call, as the end of a sentence about the function."""
    match outcome:
        case Raised(error, message):
            return f"raises {error}: {message}"
        case Number(value):
            return f"returns {float(value) if isinstance(value, Fraction) else value} for a perfect list"
        case Malformed(reason):
            return reason.removeprefix("it ")
        case _:
            return "gives no answer"


def _heeds_order(connection: Connection, signature: Signature) -> bool:
    has_one = signature.shape is Shape.MATRICES and OF_ONE & {*signature.packing.split(", ")}
    questions = (_ONE_RELEVANT if has_one else _ORDERED)[signature.shape][:2]
    better, worse = _asked(connection, signature, questions, k=2)
    if isinstance(worse, Raised) and worse.type == "IndexError":  # no list may be longer than k
        better, worse = _asked(connection, signature, questions, k=_LONGEST_ORDERED)
    if signature.shape is Shape.LABELS_SCORES and _worth(better) == _worth(worse):  # its own cutoff may lie beyond
        labels, scores = (0, 1, *[0] * _LONG), tuple(map(float, range(1, _LONG + 3)))
        long = [LabelsScores(labels, each) for each in (scores[::-1], scores)]
        better, worse = _asked(connection, signature, long)
    return _worth(better) > _worth(worse)


_LONG = 60  # Few functions have a cutoff of their own beyond fifty documents


def _with_columns(arguments: Arguments, columns: tuple[str, str, str, str] | None) -> Arguments:
    return replace(arguments, columns=columns) if isinstance(arguments, Frames) and columns else arguments


def _names(hello: Hello, measure: str, expression: str = "") -> tuple[str, ...]:
    """Return what the value of a measure may be called, of those that a function returns."""
    fitting = [(value, each) for value, each in measures_returned(hello).items() if each.name == measure]
    exact = [value for value, each in fitting if str(each) == expression]
    return names_of(measure) + tuple(map(bare_name, exact or [value for value, _ in fitting]))


def as_loaded(hello: Hello, call: Call) -> Call:
    """Return a call with the way in which it is made, and what its value may be called: a worker knows of neither."""
    signature = hello.functions.get(ANY_MEASURE)
    if signature is None:
        return call
    form = call.form or (signature.form.value if hello.candidates else "")
    if call.names:
        return replace(call, form=form)
    names, named = _names(hello, call.measure, call.expression), measure_in(hello.name)
    if named is not None and all(each.name != call.measure for each in measures_returned(hello).values()):
        names += names_of(named.name)  # a precision that is called recall is returned as `recall`
    return replace(call, form=form, names=names)


def _asked(
    connection: Connection, signature: Signature, questions: Sequence[Arguments], k: int | None = None
) -> Sequence[Outcome]:
    parameters = tuple(
        (name, _STAND_IN[name]) for name in PARAMETERS if signature.need(name) is Need.REQUIRED and name in _STAND_IN
    )
    if signature.need(CUTOFF) is Need.REQUIRED or CUTOFFS in signature.packing.split(", "):
        k = k or 2
    elif signature.need(CUTOFF) is Need.ABSENT:
        k = None
    rel = 1 if signature.need(THRESHOLD) is Need.REQUIRED else None
    expression = "AP" if signature.need(EXPRESSION) is Need.REQUIRED else ""
    form = signature.form.value if connection.hello.candidates else ""
    # Of several values that it returns, the one that it will be taken for is looked at.
    named = measure_by_name(connection.hello)
    if connection.hello.returns:  # one that heeds the order of a list, if there is such: a precision heeds no sides
        values = measures_returned(connection.hello).values()
        named = next((each for each in values if each.family.cut is Cut.OPTIONAL), named)
    measure = "AP" if named is None else named.name
    names = _names(connection.hello, measure)

    def answers(k: int | None) -> Sequence[Outcome]:
        calls = [Call(measure, each, k, rel, expression, parameters, form, names) for each in questions]
        return connection.ask(calls).outcomes

    outcomes = answers(k)
    is_short = any(isinstance(each, Raised) and each.type in _OF_SHORT_LISTS for each in outcomes)
    # Its own cutoff may lie beyond the list.
    return answers(2) if is_short and k is None and signature.need(CUTOFF) is Need.OPTIONAL else outcomes


_ROUNDED = 1e-6
_TURNS = ("ab cd ef gh ij", "cd ef gh ij ab", "ef gh ij ab cd")
_LEAST_OF_ITEMS = 1 / 4  # Less comes of a perfect list of four where ids are added up as if they were gains
_LONGEST_ORDERED = 6  # No list whose order is asked for is longer
_OF_SHORT_LISTS = {"IndexError", "ValueError", "AssertionError", "RuntimeError"}  # What is raised if k is beyond a list
_STAND_IN: dict[str, Parameter] = {
    **dict.fromkeys(("recall", "p"), 0.5),
    **dict.fromkeys(("multiple", "hit", "beta"), 1.0),
    **dict.fromkeys(("miss", "lost"), 0.0),
    **dict.fromkeys(("judged_only", "relative"), True),
    "dcg": "log2",
    "gains": ((1, 1.0),),
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
    limited = (_MOST if value is Special.INFINITY else value for value in numbers)  # of a hit divided by log2(1)
    rational = [value for value in limited if isinstance(value, Fraction)]
    if not rational or len(rational) < len(numbers):
        return float("nan")
    mean = sum(rational, Fraction(0)) / len(rational)
    return float(max(min(mean, _MOST), -_MOST))


_MOST = Fraction(10**9)


@dataclass
class Memory:
    """The shape that was told, which every later connection to the same function goes by."""

    hello: Hello | None = None
    lock: Lock = field(default_factory=Lock)


@dataclass
class InferringConnection:
    """A session with a function whose answers tell its shape; it is asked on entering, if it was not asked before."""

    session: Session
    name: str
    memory: Memory
    _lost: Lost | None = None

    def __enter__(self) -> Self:
        """Open it, and find the shape.  Raises ``ImportFailure``, ``Halted``."""
        with ExitStack() as opened:
            opened.enter_context(self.session)
            with self.memory.lock:
                if self.memory.hello is None:
                    self.memory.hello, self._lost = shape_inferred(self.session, self.name)
            opened.pop_all()
        self.hello = self.memory.hello
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.session.__exit__(*error)

    def ask(self, calls: Sequence[Call], on_outcome: Callable[[int, Outcome], None] | None = None) -> Report:
        """Ask calls in order; how it was lost at its first question is what came of the first of them."""
        report = self.session.ask([as_loaded(self.hello, call) for call in calls], on_outcome)
        self.hello = replace(self.hello, numpy_features=report.hello.numpy_features)
        outcomes = report.outcomes
        if self._lost is not None and outcomes and type(outcomes[0]) is NotCalled:
            outcomes = (self._lost, *outcomes[1:])
        return replace(report, hello=self.hello, outcomes=outcomes)

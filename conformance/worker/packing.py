"""The containers in which a function takes the arguments of a shape: arrays, sets, pairs, rows, objects, tensors.

A form names them (``labels-scores[array]``, ``actual-predicted[set, pairs]``). Nothing is computed here: the same
labels, scores and ids are put into other hands. What a container can't hold is refused, and the call is skipped.
"""

from __future__ import annotations

import math
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rankspec.conformance.worker.adapter import UnsupportedError
from rankspec.conformance.worker.callables import estimator, search
from rankspec.conformance.worker.shapes import CASES, CUTOFF, TURNED, Form, Shape

_Words = Mapping[str, list[str]]  # The words of a packing, each with the names that follow it
GROUPS = "groups"
"""What stands beside labels and scores where a function takes the queries of all rows: their sizes, or their ids."""
OF_CODES = ("y_score", GROUPS, "y_true", "labels")
"""The binary codes of a query and of the documents, then the rows of their labels, as hashing has them."""
OF_DISTANCES = ("y_score", "y_true", GROUPS)
"""The distances of documents from a query, its class, and their classes, as re-identification has them."""
_SEQUENCES = """
array: *numpy arrays of | rows: *lists of lists of | row-array: *numpy arrays, one row, of | series: *pandas Series of |
tensor: *torch tensors of | row-tensor: *torch tensors, one row, of
"""
_TABLE = {
    Shape.RANKING: f"""
{_SEQUENCES} | mask: *numpy arrays, True or False, of ;
ranks: <the ranks of the relevant documents | query-ranks: <one rank for each query |
rank: <the rank of the relevant document ;
ideal: >the ideal list | items: >ids of the relevant ones | from-0: +, counted from 0 ;
curve: +, and the last of its values is taken, one a rank | or-none: +, None where it is not in the list |
or-minus: +, -1 where it is not in the list | objects 1 2: +, in objects |
records 1 2: +, in dicts | labelled: <ranked pairs of id and label | turned-labelled: <ranked pairs of label and id
""",
    Shape.LABELS_SCORES: f"""
{_SEQUENCES} | frame 0 3 4: =a data frame of queries, scores and labels | scored: =pairs of a label and a score |
turned-scored: =pairs of a score and a label | rated: =predictions of user, item, label, score and details |
objects 4: +, in objects | records 4: +, in dicts ;
sizes: +, and the sizes of groups | queries: +, and a query id for each row | documents: +, and the ids of documents |
target: =the place of the relevant document, and scores |
rival: =the score of the relevant document, and those of the others |
parted: =scores of relevant documents, and of the others |
first: =scores, of which the relevant document has the first | lone: +, one of them relevant |
codes: =binary codes of a query and of documents, ranked by their distance, and rows of labels of both |
vectors: =vectors of a query and of documents, ranked by their cosine, and the classes of both |
distances: =the distances of documents from a query, and the classes of both |
estimator: =an estimator, what it takes, and labels |
order: =labels, and the places of the documents in rank order
""",
    Shape.ACTUAL_PREDICTED: """
set: <a set of relevant ids | tuple: <a tuple of relevant ids | one: <one relevant id |
object-truth 1: <an object with relevant ids | record-truth 1: <a dict of relevant ids |
object-golds 1: <relevant objects | record-golds 1: <relevant dicts ;
pairs: >ranked pairs of id and score | rank-pairs: >pairs of rank and id | scores: >a dict of ids and scores |
objects 1 2 3: >ranked objects | records 1 2 3: >ranked dicts | array: >an array of ranked ids |
rows: >a list of one list of ranked ids | unordered: >a set of retrieved ids | wrapped: >ranked lists of one id |
object-case 2: =an object with relevant ids and ranked ids | record-case 2: =a dict of relevant ids and ranked ids ;
whole | spans: +, as spans of a text ;
curve: +, and the last of its values is taken, one a rank | places: +, as places in a list of all ids |
alike: +, each with both | doubled: +, and the relevant ids again |
classes: =the class of a query, a list of ranked ids and a dict of the classes of documents
""",
    Shape.QRELS_RUN: """
single ;
sets: <a set of relevant ids | lists: <a list of relevant ids | relevant: <a dict of the relevant ids |
ones: <one relevant id ;
ranked: >ranked ids | pairs: >ranked pairs of id and score | rank-pairs: >pairs of rank and id |
objects 1 2 3: >ranked objects | records 1 2 3: >ranked dicts ;
of-query: +, with the query's id |
judged: +, with the judged ids | nonrelevant: +, with the judged ids that are not ; whole ;
search: +, as a search finds them ;
asked-objects 2: +, in objects with their query | asked-records 2: +, in dicts with their query |
asked-pairs: +, in pairs with their query | asked-lists: +, beside the queries
""",
    Shape.LISTS: """
sets: <a set of relevant ids | ones: <one relevant id ;
array: +, in an array | tensor: +, in a torch tensor | flags: >flags of hits in rank order |
flags-tensor: >a torch tensor of flags of hits in rank order | wrapped: +, each in a list |
objects 1 2 3: +, in objects | records 1 2 3: +, in dicts |
cases: =pairs of a list of relevant ids and one of ranked ids |
turned-cases: =pairs of a list of ranked ids and one of relevant ids |
list-frames 3: =data frames of a row and a list of ids for each query |
object-cases 2: =an object with relevant ids and ranked ids for each query |
record-cases 2: =a dict of relevant ids and ranked ids for each query |
frame-cases 2: =a data frame of relevant ids and ranked ids, one row for each query |
pair-cases 2: =pairs of an object with relevant ids and one with ranked ids ;
numbered: +, both in dicts by its number | numbered-truth: +, the relevant ones in a dict by its number |
numbered-lists: +, the ranked ones in a dict by its number | alike: +, each with both ;
whole ; curve: +, and the last of its values is taken, one a rank
""",
    Shape.MATRICES: """
rows: *lists of | tensor: *torch tensors of | sparse: *a sparse and a numpy array of | dicts: *dicts of lists of ;
targets: =the place of the relevant document of each query, and rows of scores |
rival: =the score of the relevant document of each query, and rows of those of the others |
row-places: =the places of the relevant documents of each query, and rows of scores |
numbered: =a dict of the places of the relevant documents by the number of the query, and rows of scores |
first: =scores, of which the relevant document has the first |
diagonal: =square scores, the relevant documents of which stand in the diagonal ;
embeddings: +, as vectors of the queries and of the documents
""",
    Shape.FRAMES: "relevant: <the relevant documents ; place 1 | ordered: +, in rank order ; whole",
    Shape.FILES: "text: *the texts of files of",
}
_OF_ALL = "threshold 1 ; given 2 4 6 ; cutoffs"
"""The words of a packing, by shape and of all shapes; of each group, up to `;`, a form has one at most. Numbers say how
many names may follow a word. These are the fields for the id and the score, or for the rank and whether there is one;
the columns of query, score and label, and of the id if it is read, and the same fields, `-` for one that is not read,
as frames in rank order have no score; the column of the rank; the fields of the truth and of what is held against it,
in frames of lists behind the column of the query. What stands behind a word says what it puts (`<`) in place of the
truth, (`>`) of what is held against it, or (`=`) of both, (`*`) what holds them, and (`+`) what it adds."""
_SIDES = {
    Shape.RANKING: ("", "labels in rank order", "the number of relevant documents", ""),
    Shape.LABELS_SCORES: ("lists of ", "labels", "scores", ""),
    Shape.ACTUAL_PREDICTED: ("", "a list of relevant ids", "a list of ranked ids", ""),
    Shape.QRELS_RUN: ("", "a dict of grades", "a dict of scores", ", for each query"),
    Shape.LISTS: ("", "a list of relevant ids", "a list of ranked ids", ", for each query"),
    Shape.MATRICES: ("numpy arrays of ", "labels", "scores", ", one row for each query"),
    Shape.FRAMES: ("data frames of ", "qrels", "the run", ""),
    Shape.FILES: ("paths of files of ", "qrels", "a run", ""),
}
"""The same without words: what holds them, the truth, what is held against it, and how queries stand in them."""


def _entries(text: str) -> list[dict[str, tuple[list[str], str]]]:
    """Read the groups of a table: of each word how many names may follow it, and what it says."""
    groups = ([each.partition(": ") for each in group.split("|")] for group in text.split(";"))
    return [
        {
            word: (counts or ["0"], phrase.strip())
            for (word, *counts), phrase in ((head.split(), each) for head, _, each in group)
        }
        for group in groups
    ]


_ENTRIES, _OF_EACH = {shape: _entries(text) for shape, text in _TABLE.items()}, _entries(_OF_ALL)
WORDS: Mapping[Shape, tuple[list[str], ...]] = {shape: tuple(map(list, groups)) for shape, groups in _ENTRIES.items()}
NAMES: Mapping[Shape, Mapping[str, int]] = {
    shape: {word: int(counts[-1]) for group in groups for word, (counts, _) in group.items()}
    for shape, groups in _ENTRIES.items()
}
"""How many names may follow a word at most."""
_THRESHOLD = "threshold"
"""The word before the name of a threshold that is above grade 1 by default, and is asked for as 1."""
_CONSTANTS = "given"
"""The word before names of parameters, each with its constant: a text, `each` or `every`, masks of True, `nothing`."""
CUTOFFS = "cutoffs"
"""The word of a function that takes a list of cutoffs: it has the one that is asked for."""
OF_ONE = {"diagonal", "one", "ones", "rival", "target", "targets", "first", "rank", "query-ranks", "lone"}
"""Words of forms that take one relevant document a query."""
PACKAGES = {
    **dict.fromkeys(
        ("array", "codes", "distances", "embeddings", "estimator", "flags", "vectors", "mask", "row-array"), "numpy"
    ),
    **dict.fromkeys(("frame", "frame-cases", "list-frames", "series"), "pandas"),
    **dict.fromkeys(("tensor", "row-tensor", "flags-tensor"), "torch"),
    "sparse": "scipy",
}
"""What has to be installed for a word."""


def fault_of(form: Form) -> str:
    """Say what is wrong with the packing of a form; empty if nothing is."""
    words, groups = _words(form), WORDS[form.shape]
    counts = {word: count for group in (*_ENTRIES[form.shape], *_OF_EACH) for word, (count, _) in group.items()}
    for word, names in words.items():
        if word not in counts:
            return f"{form.shape.value} has no {word!r}; there are {', '.join((*counts, TURNED))}"
        if str(len(names)) not in counts[word]:
            return f"the word {word!r} takes {' or '.join(counts[word])} names, and {len(names)} follow it"
    several = next((both for group in groups if len(both := [word for word in words if word in group]) > 1), [])
    return f"{' and '.join(several)} exclude each other" if several else ""


def packages_of(form: Form) -> list[str]:
    """Return what has to be installed for the arguments of a form."""
    return [*filter(None, (form.shape.package, *(PACKAGES.get(word, "") for word in _words(form))))]


def handed_beside(form: Form, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form hands over besides the data, by its name in the source: a threshold of 1, texts, masks."""
    words = _words(form)
    constants = words.get(_CONSTANTS, [])
    values = {name: _mask(data, value) for name, value in zip(constants[::2], constants[1::2], strict=True)}
    return {**dict.fromkeys(words.get(_THRESHOLD, ()), 1), **values}


def _mask(data: Mapping[str, Any], value: str) -> Any:
    """Return an array, or a tensor, that is True for each query or for every document; a text as it is."""
    if value not in _SAID_OF_MASKS:
        return value
    if value in ("camera", "cameras"):  # no document is of the query's own camera, by which it would be left out
        return _array([0] if value == "camera" else [1] * len(data.get(GROUPS, ())), "int64")
    if value in ("queries", "documents"):
        rows, side = [*data.values()][1], int(value == "documents")  # of what is held against the truth
        shape = getattr(rows, "shape", (len(rows),) if hasattr(rows, "__len__") else ())
        if len(shape) <= side:
            raise UnsupportedError("it takes the numbers of a matrix, and there is none")
        return [*range(shape[side])]
    if value == "nothing":  # of a matrix, of rows, or of whatever has ids
        truth = next(iter(data.values()))
        is_row = isinstance(truth, list) and truth and isinstance(truth[0], list | set)
        if isinstance(truth, dict):
            return {query: [] for query in truth}
        if hasattr(truth, "tocsr"):
            return type(truth)(truth.shape)
        return truth * 0 if getattr(truth, "ndim", 0) > 1 else [[] for _ in truth] if is_row else {}
    first = next(each for each in data.values() if hasattr(each, "__iter__") and not hasattr(each, "tocsr"))
    tensor = next((each for each in data.values() if hasattr(each, "new_tensor")), None)
    listed = first.tolist() if hasattr(first, "tolist") else first
    rows = [[True] * len(row) if value == "every" and isinstance(row, list) else True for row in listed]
    return _array(rows, "bool") if tensor is None else tensor.new_tensor(rows).bool()


_SAID_OF_MASKS = {
    "queries": "the numbers of the queries",
    "documents": "the places of all documents",
    "camera": "of one camera",
    "cameras": "of another one",
    "each": "True for each query",
    "every": "True for every document",
    "nothing": "empty",
}


def packed(form: Form, plain: Mapping[str, Any], k: int | None = None) -> dict[str, Any]:
    """Put the arguments into new containers of a form; `UnsupportedError` if these can't hold them."""
    words = _words(form)
    if not words.keys() - {_THRESHOLD, _CONSTANTS, CUTOFFS}:
        return dict(plain)
    return _PACK[form.shape]({**plain, CUTOFF: k} if form.shape is Shape.LISTS else plain, words)


def is_same(used: Any, fresh: Any) -> bool:
    """Say whether an argument still is, after the call, what it was before."""
    if isinstance(fresh, dict) and isinstance(used, dict):
        return list(used) == list(fresh) and all(is_same(used[key], fresh[key]) for key in fresh)
    if isinstance(fresh, list | tuple) and isinstance(used, list | tuple):
        return len(used) == len(fresh) and all(map(is_same, used, fresh))
    if hasattr(fresh, "toarray"):
        return is_same(used.toarray(), fresh.toarray())
    if hasattr(fresh, "equals"):
        return bool(fresh.equals(used))
    if hasattr(fresh, "shape"):
        return bool(fresh.shape == used.shape and (fresh == used).all())
    return bool(used == fresh)


def described(form: Form, natives: tuple[str, ...]) -> str:
    """Say in words what the arguments of a form are, in their order, and what goes beside them.

    >>> described(Form(Shape.LABELS_SCORES, "array"), ("y_true", "y_score"))
    'numpy arrays of labels and scores'
    >>> described(Form(Shape.ACTUAL_PREDICTED, "set, pairs", is_turned=True), ("predicted", "actual"))
    'ranked pairs of id and score and a set of relevant ids'
    """
    words = _words(form)
    beside = [f"{name} = 1" for name in words.get(_THRESHOLD, [])]
    # A column that is called as its parameter stands among those of the frame.
    constants = words.get(_CONSTANTS, [])
    named = [both for both in zip(constants[::2], constants[1::2], strict=True) if len({*both}) > 1]
    beside += [f"{name} {_SAID_OF_MASKS.get(value) or f'= {value!r}'}" for name, value in named]
    beside += ["a list of one cutoff"] * (CUTOFFS in words)
    return " and ".join([_described(form, natives), *beside])


def _described(form: Form, natives: tuple[str, ...]) -> str:
    """Say in words what the arguments of a form are, in their order."""
    words = _words(form)
    phrases = [group[word][1] for word in words for group in _ENTRIES[form.shape] if word in group]
    chosen = {each[:1]: each[1:] for each in reversed(phrases)}
    holder, truth, other, of_queries = _SIDES[form.shape]
    sides = [chosen.get("<", truth), chosen.get(">", other)][: len(natives)]
    both = f"{chosen.get('*', holder.strip())} {' and '.join(sides[::-1] if form.is_turned else sides)}".strip()
    added = "".join(each[1:] for each in phrases if each[:1] == "+")
    return chosen.get("=", both + of_queries * ("single" not in words)) + added


def _ranking(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    labels, count = plain["relevance"], plain["num_relevant"]
    values: dict[str, Any] = {**plain, "relevance": _sequence(labels, words, "int64")}
    hits = [rank for rank, label in enumerate(labels, start=1) if label > 0]
    if "mask" in words:
        values["relevance"] = _array([label > 0 for label in labels], "bool")
        words = {**words, "array": []}
    if words.keys() & {"ranks", "query-ranks", "rank"}:
        if "ranks" not in words and max(len(hits), count) > 1:
            raise UnsupportedError("it takes the rank of the one relevant document of a query")
        ranks = [rank - ("from-0" in words) for rank in hits]
        none = next((each for word, each in _NO_RANK.items() if word in words), [])
        values["relevance"] = next(iter(ranks), None) if "rank" in words else _sequence(ranks or none, words, "int64")
        if words.keys() & {*_KINDS}:  # the second field says whether there is a rank
            values["relevance"] = _with_fields([(rank, True) for rank in ranks] or [(None, False)], words)
    elif words.keys() & {*_KINDS}:
        rows = _with_fields([(label, None) for label in labels], words)
        values["relevance"] = _sequence(rows, words, "") if isinstance(rows, list) else [rows]
    elif word := next(iter(words.keys() & {"labelled", "turned-labelled"}), ""):
        pairs = [(f"d{rank}", label) for rank, label in enumerate(labels, start=1)]
        values["relevance"] = pairs if word == "labelled" else [pair[::-1] for pair in pairs]
    beside = {"ideal": sorted([*labels, *[1] * max(count - len(hits), 0)], reverse=True)}
    beside |= {"items": [*range(_FIRST_ID, _FIRST_ID + count)]}
    for word in words.keys() & beside.keys():
        values["num_relevant"] = _sequence(beside[word], words, "int64")
    return values


_FIRST_ID = 101  # No label is an id
COLUMNS_OF_LABELS = ("query_id", "score", "label")  # Of a frame of which the source names none
_NO_RANK: dict[str, list[Any]] = {"or-none": [None], "or-minus": [-1]}
"""What stands for the rank of a relevant document that is not in the list; else it has none."""


def _labels_scores(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    labels, scores = plain["y_true"], plain["y_score"]
    if whole := next((_WHOLE[word] for word in words if word in _WHOLE), None):
        return whole(labels, scores, words)
    kinds = ["int64", "float64"]
    if "order" in words:
        if len({*scores}) < len(scores):
            raise UnsupportedError("it takes the documents' places in rank order, and two scores are equal")
        scores, kinds = sorted(range(len(scores)), key=lambda place: -scores[place]), ["int64"] * 2
    if "parted" in words:
        both = [*zip(labels, scores, strict=True)]
        labels, scores = ([score for label, score in both if (label > 0) is side] for side in (True, False))
        kinds = ["float64"] * 2
    if "rival" in words:
        labels, *scores = _first(labels, scores)
        return {"y_true": labels, "y_score": _sequence(scores, words, "float64")}
    one = _place(labels) if words.keys() & {"target", "lone"} else None
    values = {"y_true": one if "target" in words else _sequence(labels, words, kinds[0])}
    values["y_score"] = _sequence(scores, words, kinds[1])
    count = len(labels)
    beside = {"sizes": [count], "queries": [1] * count, "documents": [*range(_FIRST_ID, _FIRST_ID + count)]}
    for word in words.keys() & beside.keys():
        values[GROUPS] = _sequence(beside[word], words, "int64")
    return values


def _estimator(labels: list[Any], scores: list[Any], _: _Words) -> dict[str, Any]:
    rows = _array(scores, "float64").reshape(-1, 1)
    return {"y_true": _array(labels, "int64"), "y_score": rows, GROUPS: estimator()}


def _rated(labels: list[Any], scores: list[Any], _: _Words) -> dict[str, Any]:
    # Who compares estimates with a threshold has them beyond it.
    places = {score: float(place) for place, score in enumerate(sorted(set(scores)), start=1)}
    both = enumerate(zip(labels, scores, strict=True))
    return {"y_true": [("user", place, label, places[score], None) for place, (label, score) in both], "y_score": None}


def _alone(labels: list[Any], scores: list[Any], words: _Words) -> dict[str, Any]:
    if "first" in words:
        return {"y_true": _sequence(_first(labels, scores), words, "float64"), "y_score": None}
    sides = (labels, scores) if "scored" in words else (scores, labels)
    return {"y_true": [*zip(*sides, strict=True)], "y_score": None}


def _with_labels(labels: list[Any], scores: list[Any], words: _Words) -> Any:
    """Give objects, dicts or rows of labels in their fields, with the scores where these don't stand beside them."""
    own, word = scores, next(word for word in words if word in (*_KINDS, "frame"))
    query, score, label, docno = (*(words[word] or COLUMNS_OF_LABELS), "-")[:4]
    is_ranked = re.search("rank|position", score.casefold()) is not None  # the best has the lowest
    is_ordered = (word, score) == ("frame", "-")  # the rows are in rank order
    if (is_ranked or is_ordered) and len({*scores}) < len(scores):
        raise UnsupportedError("it takes ranks, and two scores are equal")
    if is_ordered:
        labels = [each for _, each in sorted(zip(scores, labels, strict=True), reverse=True)]
    if is_ranked:
        ranks = _numbers_of([-each for each in scores])
        scores = [ranks[-each] for each in scores]
    ids = [*range(_FIRST_ID, _FIRST_ID + len(labels))]
    columns = {query: [1] * len(labels), score: scores, label: labels, docno: ids}
    columns.pop("-", None)
    if word == "frame":
        return {"y_true": import_module("pandas").DataFrame(columns), "y_score": own}
    rows = zip(*columns.values(), strict=True)
    return {"y_true": [_built(_KINDS[word], dict(zip(columns, row, strict=True))) for row in rows], "y_score": own}


def _codes(labels: list[Any], scores: list[Any], words: _Words) -> dict[str, Any]:
    """Give codes, vectors or distances: a document lies as far from the query as there are better scores."""
    better = {score: place for place, score in enumerate(sorted({*scores}, reverse=True))}
    if len(better) > _MOST_BITS:
        raise UnsupportedError(f"it takes codes, and these would have {len(better)} bits")
    bits = max(len(better), 1)
    far = [better[score] for score in scores]
    kinds = ["float32" if "tensor" in words else "int64"] * 4
    documents: list[list[Any]] = [[-1] * each + [1] * (bits - each) for each in far]
    sides: tuple[list[Any], ...] = ([[1] * bits], documents, [[1]], [[label] for label in labels])
    if "codes" not in words:  # what is not relevant is alone in its class
        if any(label > 1 for label in labels):
            raise UnsupportedError("it takes classes of documents, without grades")
        classes = [1 if label > 0 else place for place, label in enumerate(labels, start=2)]
        if "distances" in words:
            return dict(zip(OF_DISTANCES, (_array(side, "int64") for side in ([far], [1], classes)), strict=True))
        documents = [[math.cos(each / bits), math.sin(each / bits)] for each in far]
        sides = ([[1.0, 0.0]], documents, [1], classes)
        kinds = [*["float32" if "tensor" in words else "float64"] * 2, *["int64"] * 2]
    held = _sequence if "tensor" in words else lambda side, _, kind: _array(side, kind)
    return {name: held(side, words, kind) for name, side, kind in zip(OF_CODES, sides, kinds, strict=True)}


_MOST_BITS = 512  # A list of 5,000 documents would have 25 million bits


_WHOLE: Mapping[str, Callable[[list[Any], list[Any], _Words], dict[str, Any]]] = {
    **dict.fromkeys(("codes", "distances", "vectors"), _codes),
    "estimator": _estimator,
    "rated": _rated,
    **dict.fromkeys(("first", "scored", "turned-scored"), _alone),
    **dict.fromkeys(("frame", "objects", "records"), _with_labels),
}
"""The words that have labels and scores in another way than as two sequences."""


def _place(labels: list[Any]) -> int:
    """Return the place of the one relevant document among labels, from 0."""
    places = [place for place, label in enumerate(labels) if label > 0]
    if len(places) != 1:
        raise UnsupportedError(f"it takes the place of one relevant document, and there are {len(places)}")
    return places[0]


def _first(labels: list[Any], scores: list[Any]) -> list[Any]:
    """Return the scores, that of the one relevant document first."""
    place = _place(labels)
    return [scores[place], *scores[:place], *scores[place + 1 :]]


def _numbers_of(ids: Sequence[Any]) -> dict[Any, int]:
    """Return whole numbers for ids, or for scores, in their order."""
    return {each: number for number, each in enumerate(sorted({*ids}), start=1)}


def _ids(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    actual, predicted = plain["actual"], plain["predicted"]
    if words.keys() & {"whole", "spans"}:
        names: Mapping[Any, Any] = _numbers_of([*predicted, *actual])
        if "spans" in words:  # no two overlap
            names = {docno: (number * _SPAN, (number + 1) * _SPAN - 1) for docno, number in names.items()}
        actual, predicted = ([names[docno] for docno in ids] for ids in (actual, predicted))
    truth = _listed if "alike" in words else _truth
    sides = {"actual": truth(actual, words), "predicted": _listed(predicted, words)}
    if "places" in words:  # of all ids, which stand in no order that says anything
        every = sorted({*actual, *predicted})
        return {**sides, "predicted": [*map(every.index, predicted)], GROUPS: every}
    if "classes" in words:  # a document that is not relevant is alone in its class
        classes = {each: "relevant" if each in actual else each for each in (*predicted, *actual)}
        return {**sides, "actual": "relevant", GROUPS: classes}
    if "doubled" in words:
        return {**sides, GROUPS: truth(actual, words)}
    return _case([*sides.values()], words) if words.keys() & {*CASES} else sides


_SPAN = 10  # Characters of a span


def _case(sides: list[Any], words: _Words) -> dict[str, Any]:
    """Give both sides in one argument: an object or a dict of a query, a list of such or of pairs, or rows."""
    word, paths = next(each for each in words.items() if "case" in each[0])
    if word in ("cases", "turned-cases"):
        return {"actual": list(zip(*(sides if word == "cases" else sides[::-1]), strict=True)), "predicted": None}
    if word == "frame-cases":
        columns = dict(zip(paths, sides, strict=True))
        return {"actual": import_module("pandas").DataFrame(columns, dtype=object), "predicted": None}
    queries = zip(*sides, strict=True) if word.endswith("s") else [sides]
    kind = "." if word.startswith("object") else ":"
    if word == "pair-cases":  # the fields are paths from the places in a pair; without such the truth comes first
        paths = [path if path[0] in "01" else f"{place}.{path}" for place, path in enumerate(paths)]
    built = [_built(kind, dict(zip(paths, each, strict=True))) for each in queries]
    return {"actual": built if word.endswith("s") else built[0], "predicted": None}


def _truth(ids: list[Any], words: _Words) -> Any:
    if "one" in words:
        if len(ids) != 1:
            raise UnsupportedError(f"it takes one relevant document, and there are {len(ids)}")
        return ids[0]
    for word in words.keys() & {"object-truth", "record-truth", "object-golds", "record-golds"}:
        kind, (path,) = "." if word.startswith("object") else ":", words[word]
        return _built(kind, {path: ids}) if word.endswith("truth") else [_built(kind, {path: each}) for each in ids]
    if "array" in words and not words.keys() & {"set", "tuple"}:
        return _array(ids, "int64" if "whole" in words else "object")
    return set(ids) if "set" in words else tuple(ids) if "tuple" in words else ids


def _listed(ids: list[Any], words: _Words) -> Any:
    """Give ranked ids; where scores go with them, the lower ones to those that stand lower."""
    return _held([(docno, float(len(ids) - place)) for place, docno in enumerate(ids)], words)


def _held(pairs: list[tuple[Any, float]], words: _Words) -> Any:
    """Give ranked pairs of id and score as they are, or what a word makes of them."""
    ids = [docno for docno, _ in pairs]
    if "pairs" in words:
        return pairs
    if "rank-pairs" in words:
        return [*enumerate(ids, start=1)]
    if "unordered" in words:
        return {*ids}
    if "wrapped" in words:  # the names, or the labels, of a document that has one alone
        return [{docno} if "sets" in words else [docno] for docno in ids]
    if "scores" in words:
        if len(dict(pairs)) < len(pairs):
            raise UnsupportedError("a dict holds no document twice")
        return dict(pairs)
    if words.keys() & {*_KINDS}:
        return _with_fields(pairs, words)
    if "array" in words:
        return _array(ids, "int64" if "whole" in words else "object")
    return [ids] if "rows" in words else ids


def _with_fields(pairs: Sequence[tuple[Any, Any]], words: _Words) -> Any:
    """Give pairs of an id and a score as objects, or as dicts, with the fields that the source reads, and ranks."""
    kind, (first, *others) = next((kind, words[word]) for word, kind in _KINDS.items() if word in words)
    if "*" in first:  # one object has them all
        return _built(kind, {first: [docno for docno, _ in pairs]})
    places = [2 if _OF_RANK.search(path) else int(bool(_OF_SCORE.search(path))) for path in map(str.casefold, others)]
    ranked = ((*pair, rank) for rank, pair in enumerate(pairs, start=1))
    read = [*zip((first, *others), (0, *places), strict=True)]
    return [_built(kind, {path: values[place] for path, place in read}) for values in ranked]


_KINDS = {"records": ":", "objects": "."}
_OF_RANK = re.compile("rank(?!ed)|position")
_OF_SCORE = re.compile("score|sim|prob|dist|weight|found|hit|is_|has_|success|match")
"""What a field of the second of a pair has in its name; an id may stand in several fields."""


def _built(kind: str, values: Mapping[str, Any]) -> Any:
    """Return a dict (`:`) or an object (`.`) of values by the paths to them: `chunk.id`, `metadata:id`, `hits*:id`."""
    built: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for path, value in values.items():
        name, many, separator, rest = re.fullmatch(r"([^.:*]*)(\*?)([.:]?)(.*)", path).groups()  # type: ignore[union-attr]
        if many:  # a document each, or one list of them
            built[name] = [_built(separator, {rest: each}) for each in ([value] if "*" in rest else value)]
            continue
        built[name] = {**built.get(name, {}), rest: value} if separator else value
        if separator:
            kinds[name] = separator
    built = {name: _built(kinds[name], value) if name in kinds else value for name, value in built.items()}
    if built and all(map(str.isdigit, built)):  # the places in a pair; a score of which nothing is read may be any
        return built.get("0", 0.0), built.get("1", 0.0)
    return built if kind == ":" else _document(tuple(built))(*built.values())


@cache
def _document(names: tuple[str, ...]) -> Callable[..., Any]:
    return namedtuple("Document", names)  # noqa: PYI024 - fields of the source


def _only(documents: Mapping[str, Any]) -> str:
    if len(documents) != 1:
        raise UnsupportedError(f"it takes one relevant document, and there are {len(documents)}")
    return next(iter(documents))


def _qrels_run(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    qrels, run = plain["qrels"], plain["run"]
    if "whole" in words:
        numbers = _numbers_of([docno for documents in (*qrels.values(), *run.values()) for docno in documents])
        qrels, run = (
            {query: {numbers[docno]: value for docno, value in docs.items()} for query, docs in side.items()}
            for side in (qrels, run)
        )
    if words.keys() & {"ranked", "pairs", "rank-pairs", "objects", "records"}:
        # Ties would be put in an order here, so there are none.
        if any(len({*documents.values()}) < len(documents) for documents in run.values()):
            raise UnsupportedError("it takes a ranking, and two scores are equal")
        ranked = {query: sorted(documents.items(), key=lambda pair: -pair[1]) for query, documents in run.items()}
        run = {query: _held(documents, words) for query, documents in ranked.items()}
    qrels = _truths(qrels, words)
    other: dict[str, Any] = {}
    if words.keys() & {"judged", "nonrelevant"}:
        judged = (each for docs in plain["qrels"].values() for each in docs.items())
        docnos = [docno for docno, grade in judged if "judged" in words or grade <= 0]
        other = {GROUPS: set(docnos) if "sets" in words else docnos}
    if "single" in words:
        if len(qrels) != 1 or run.keys() != qrels.keys():
            raise UnsupportedError("it takes one query")
        if "of-query" in words:
            return {"qrels": qrels, "run": next(iter(run.values())), GROUPS: next(iter(run))}
        (qrels,), (run,) = qrels.values(), run.values()
        if isinstance(qrels, dict) and any(grade < 0 for grade in qrels.values()):
            raise UnsupportedError("grades of one query are taken as gains, and one is below 0")
    if "search" in words:
        return {**_with_queries(qrels, words), "run": search(run)}
    return {"qrels": qrels, "run": run, **other}


def _truths(qrels: Mapping[str, Any], words: _Words) -> Mapping[str, Any]:
    """Give the relevant documents of each query alone, where a word says so."""
    kinds: Mapping[str, Callable[[Any], Any]] = {"relevant": dict, "sets": set, "lists": list, "ones": _only}
    for word in words.keys() & kinds.keys():
        relevant = {query: {docno: each for docno, each in docs.items() if each > 0} for query, docs in qrels.items()}
        return {query: kinds[word](documents) for query, documents in relevant.items()}
    return qrels


def _with_queries(qrels: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    """Give the truth of each query together with the query, as its search is asked for it."""
    for word, kind in (("asked-objects", "."), ("asked-records", ":")):
        if word in words:
            query, truth = words[word]
            return {"qrels": [_built(kind, {query: name, truth: each}) for name, each in qrels.items()]}
    if "asked-lists" in words:
        return {"qrels": [*qrels.values()], GROUPS: [*qrels]}
    return {"qrels": [*qrels.items()] if "asked-pairs" in words else qrels}


def _lists(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    actual, predicted = plain["actual"], plain["predicted"]
    if "whole" in words:
        numbers = _numbers_of([docno for listed in (*actual, *predicted) for docno in listed])
        actual, predicted = ([[numbers[docno] for docno in ids] for ids in side] for side in (actual, predicted))
    of_each: _Words = {word.removesuffix("s"): [] for word in words if word in ("ones", "sets")}
    actual = [_truth(ids, of_each) for ids in actual]
    if words.keys() & {"wrapped", *_KINDS}:
        predicted = [_listed(ids, words) for ids in predicted]
        actual = [_listed(ids, words) for ids in actual] if "alike" in words else actual
    if words.keys() & {"flags", "flags-tensor"}:
        predicted = _flags(actual, predicted, plain[CUTOFF] or 0, words)
    if words.keys() & {"array", "tensor"}:
        actual, predicted = _stacked(actual, predicted, words)
    sides = {"actual": actual, "predicted": predicted}
    if "list-frames" in words:
        query, *columns = words["list-frames"]
        queries = [*range(1, len(actual) + 1)]
        frame = import_module("pandas").DataFrame
        named = zip(sides, columns, strict=True)
        return {name: frame({query: queries, column: sides[name]}) for name, column in named}
    numbered = {"numbered-truth": ["actual"], "numbered-lists": ["predicted"], "numbered": ["actual", "predicted"]}
    for name in (name for word in words for name in numbered.get(word, ())):
        sides[name] = dict(enumerate(sides[name]))
    return _case([*sides.values()], words) if words.keys() & {*CASES, "cases", "turned-cases"} else sides


def _stacked(actual: list[Any], predicted: list[Any], words: _Words) -> tuple[Any, Any]:
    """Give ranked ids as an array, or as a tensor, of a row a query."""
    if len({len(ids) for ids in predicted}) > 1:
        raise UnsupportedError("the rows of an array are of one length")
    kind = "int64" if "whole" in words else "object"
    rows, truth = _array(predicted, kind), _array(actual, kind) if "ones" in words else actual
    if "tensor" not in words:
        return truth, rows
    torch = import_module("torch")
    return torch.as_tensor(truth), torch.from_numpy(rows)


def _flags(actual: list[Any], predicted: list[Any], k: int, words: _Words) -> Any:
    """Give a flag for each rank down to k; no hit stands beyond a list."""
    lengths = {*map(len, predicted)}
    if not k and (len(lengths) > 1 or 0 in lengths):
        raise UnsupportedError("the rows of an array are of one length, above 0")
    width = max(k, *lengths, 0)
    hits = [[float(docno in truth) for docno in ids] for truth, ids in zip(actual, predicted, strict=True)]
    flags = _array([[*row, *[0.0] * (width - len(row))] for row in hits], "float64")
    return flags if "flags" in words else import_module("torch").from_numpy(flags)


def _matrices(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    values = dict(plain)
    if words.keys() & {"first", "rival"}:
        both = zip(*(value.tolist() for value in plain.values()), strict=True)
        rows = _array([_first(*row) for row in both], "float64")
        values = {"y_true": rows} if "first" in words else {"y_true": rows[:, 0].copy(), "y_score": rows[:, 1:].copy()}
    if "diagonal" in words:
        values = {"y_true": _array(_diagonal(*(value.tolist() for value in plain.values())), "float64")}
    if words.keys() & {"row-places", "numbered"}:
        rows = plain["y_true"].tolist()
        if any(label > 1 for row in rows for label in row):
            raise UnsupportedError("it takes the places of relevant documents, without grades")
        places = [[place for place, label in enumerate(row) if label > 0] for row in rows]
        values["y_true"] = places if "row-places" in words else dict(enumerate(places))
    if "targets" in words:
        values["y_true"] = _array([*map(_place, plain["y_true"].tolist())], "int64")
    if "embeddings" in words:
        values |= _embeddings(plain["y_score"].tolist())
    return _in_rows(values, words)


def _in_rows(values: dict[str, Any], words: _Words) -> dict[str, Any]:
    """Give matrices as what holds their rows."""
    if words.keys() & {"rows", "dicts"}:
        hold = list if "rows" in words else lambda rows: dict(enumerate(rows))
        return {name: hold(value.tolist()) for name, value in values.items()}
    if "sparse" in words:
        values["y_true"] = import_module("scipy.sparse").csr_matrix(values["y_true"])
    if "tensor" not in words:
        return values
    torch = import_module("torch")
    return {name: torch.from_numpy(value) if hasattr(value, "dtype") else value for name, value in values.items()}


def _embeddings(scores: list[list[float]]) -> dict[str, Any]:
    """Give a dimension to each query, and to documents vectors of length 1, the cosines of which go by the scores."""
    if any(len({*row}) < len(row) for row in scores):
        raise UnsupportedError("it takes vectors, and two scores are equal")
    count, width = len(scores), max(map(len, scores), default=0)
    share = 1 / (width * math.sqrt(count) or 1)  # the squares of a document's cosines are at most 1 together
    near = [[place * share for place in map(_numbers_of(row).__getitem__, row)] for row in scores]
    documents = [
        [*column, math.sqrt(max(1 - sum(each**2 for each in column), 0))] for column in zip(*near, strict=True)
    ]
    queries = [[float(place == own) for place in range(count + 1)] for own in range(count)]
    return {"y_score": _array(queries, "float64"), GROUPS: _array(documents, "float64")}


def _diagonal(labels: list[list[Any]], scores: list[list[Any]]) -> list[list[Any]]:
    """Repeat each query until there are as many as documents, its relevant document each time at another place."""
    count, width = len(scores), len(scores[0])
    if not width or width % count or any(len({*row}) < width for row in scores):
        raise UnsupportedError("it takes as many queries as documents, and tells ties by their places")
    rows = [_first(*both) for both in zip(labels, scores, strict=True) for _ in range(width // count)]
    return [[*others[:place], score, *others[place:]] for place, (score, *others) in enumerate(rows)]


def _frames(plain: Mapping[str, Any], words: _Words) -> dict[str, Any]:
    """Give the rows of relevant documents alone, or ids as whole numbers, in the order of their names."""
    frames = {name: frame.copy() for name, frame in plain.items()}
    run = frames["run"]
    if "relevant" in words:
        qrels = frames["qrels"]
        frames["qrels"] = qrels[qrels.iloc[:, 2] > 0].reset_index(drop=True)
    if "place" in words:
        by_score = run.groupby(run.columns[0])[run.columns[2]]
        run[words["place"][0]] = by_score.rank(method="first", ascending=False).astype("int64")
    if "ordered" in words:
        query, score = run.columns[0], run.columns[2]
        if run.duplicated([query, score]).any():
            raise UnsupportedError("it takes a ranking, and two scores are equal")
        ranked = run.sort_values(score, ascending=False).sort_values(query, kind="stable")
        frames["run"] = ranked.drop(columns=score).reset_index(drop=True)
    for place in (0, 1) if "whole" in words else ():
        numbers = _numbers_of([each for frame in frames.values() for each in frame.iloc[:, place]])
        for frame in frames.values():
            frame.isetitem(place, frame.iloc[:, place].map(numbers).astype("int64"))
    return frames


_PACK: Mapping[Shape, Callable[[Mapping[str, Any], _Words], dict[str, Any]]] = {
    Shape.RANKING: _ranking,
    Shape.LABELS_SCORES: _labels_scores,
    Shape.ACTUAL_PREDICTED: _ids,
    Shape.QRELS_RUN: _qrels_run,
    Shape.LISTS: _lists,
    Shape.MATRICES: _matrices,
    Shape.FRAMES: _frames,
    Shape.FILES: lambda plain, _: {name: Path(path).read_text(encoding="utf-8") for name, path in plain.items()},
}


def _sequence(values: list[Any], words: _Words, kind: str) -> Any:
    if kind == "float64" and words.keys() & PACKAGES.keys() and any(float(value) != value for value in values):
        raise UnsupportedError("it takes doubles, and two scores may be one as doubles")
    if "tensor" in words or "row-tensor" in words:
        torch = import_module("torch")
        return torch.tensor([values] if "row-tensor" in words else values, dtype=getattr(torch, kind))
    if "series" in words:
        return import_module("pandas").Series(values, dtype=kind)
    if "array" in words or "row-array" in words:
        return _array([values] if "row-array" in words else values, kind)
    return [list(values)] if "rows" in words else list(values)


def _array(values: list[Any], kind: str) -> Any:
    return import_module("numpy").array(values, dtype=kind)


def _words(form: Form) -> _Words:
    return {word.split()[0]: word.split()[1:] for word in form.packing.split(",") if word.strip()}

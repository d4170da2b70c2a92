"""The forms in which a function may be called, the likeliest first: by its parameters and its source.

Nothing is executed here. Answers show which form is right (``run/shape_inference.py``): a bad order only costs calls.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice, permutations, product
from typing import TYPE_CHECKING

from rankspec.conformance.worker.packing import GROUPS, packages_of
from rankspec.conformance.worker.parameter_uses import ParameterUses, uses_of
from rankspec.conformance.worker.shapes import (
    BATCHES,
    CUTOFF,
    Form,
    Places,
    Shape,
    ShapeError,
    Signature,
    by_position,
    says_last_is_true,
    tell,
)

if TYPE_CHECKING:
    from rankspec.conformance.worker.adapter import ShapeName

_CUTOFFS = frozenset("k topk topks cutoff cutoffk atk at depth topn n kk maxrank rankcutoff numresults".split())  # noqa: SIM905
_NUMBERS = frozenset(
    "numrelevant nrelevant numrel nrel totalrelevant totalrel total relevanttotal relevantcount npos numpos r "  # noqa: SIM905
    "nrelevantdocs numrelevantdocs numrelevantdocuments relevantdocs totalrelevantdocs".split()
)
_GROUP = re.compile("group|quer|qid|user|session|sizes")
"""What a parameter of query ids or of sizes of groups has in its name."""
_TRAITS_OF_CONTAINER: dict[str, frozenset[str]] = {
    container: frozenset(traits.split())
    for container, traits in {
        "list": "", "array": "array", "rows": "nested", "row-array": "nested array", "series": "series array",
        "tensor": "tensor array", "row-tensor": "tensor array nested", "number": "number", "ids": "ids",
        "set": "ids set", "one": "one", "pairs": "pairs", "scores": "dict indexed ids",
        "objects": "objects", "records": "records", "path": "path", "text": "text", "rated": "rated",
        "by-query": "dict indexed nested grades",
        "lists-by-query": "dict indexed nested lists members", "ids-by-query": "dict indexed nested ids members",
        "objects-by-query": "dict indexed nested objects", "records-by-query": "dict indexed nested records",
        "lists": "nested ids", "matrix": "nested array", "matrix-rows": "nested",
        "matrix-tensor": "nested tensor array",
        "frame": "frame column indexed", "row-frame": "frame column indexed", "groups": "",
        "grades": "dict indexed ids grades",
        "ideal": "ideal array", "ranks": "ranks", "id-array": "array ids", "flags": "nested array",
    }.items()
}  # fmt: skip
"""What is done with an argument in these containers and can't be done with any list."""
_WEIGHED = frozenset().union(*_TRAITS_OF_CONTAINER.values()) - {"indexed"}
"""What speaks for or against a form; a subscript by a name is what many things have."""
_RARE = frozenset(
    "row-array row-tensor rows series tensor one pairs objects records scores frame row-frame "  # noqa: SIM905
    "ideal ranks path text flags".split()
)
"""Containers that few functions take: they are tried last among those for which as much speaks."""


_WITH_GROUPS = 3  # The truth, what is held against it, and the queries of their rows


def _forms(count: int) -> Iterator[tuple[Form, tuple[str, ...]]]:
    """Yield the forms of so many arguments, and what is in each container, truth first; the plainest come first."""
    sequences = [
        ("", "list"),
        *((each, each) for each in ("array", "rows", "row-array", "series", "tensor", "row-tensor")),
    ]
    if count == 1:
        yield from ((Form(Shape.RANKING, packing), (container,)) for packing, container in sequences)
        yield from ((Form(Shape.RANKING, _joined(packing, "curve")), (each,)) for packing, each in sequences[:2])
        yield Form(Shape.LABELS_SCORES, "scored"), ("pairs",)
        yield Form(Shape.LABELS_SCORES, "rated"), ("rated",)
        yield Form(Shape.LABELS_SCORES, "frame"), ("row-frame",)
        cases = product(("", "sets", "ones"), ("turned-cases", "cases"))
        yield from ((Form(Shape.LISTS, _joined(*words)), ("pairs",)) for words in cases)
        yield from ((Form(Shape.RANKING, _joined("query-ranks", start)), ("ranks",)) for start in ("", "from-0"))
        yield from ((Form(Shape.RANKING, _joined("rank", start)), ("one",)) for start in ("", "from-0"))
    if count == 2:  # noqa: PLR2004 - the truth, and what is held against it
        yield from ((Form(Shape.RANKING, packing), (container, "number")) for packing, container in sequences)
        flat = [each for each in sequences if "row" not in each[0]]  # rows are of several queries
        yield from ((Form(Shape.LABELS_SCORES, packing), (container, container)) for packing, container in flat)
        truths = (("", "ids"), ("set", "set"), ("one", "one"))
        lists = [("", "ids"), *((each, each) for each in ("pairs", "scores", "objects", "records"))]
        lists += [("array", "id-array"), ("rows", "matrix-rows")]
        for whole, (truth, container), (listed, other) in product(("", "whole"), truths, lists):
            yield Form(Shape.ACTUAL_PREDICTED, _joined(truth, listed, whole)), (container, other)
        for whole, (listed, container) in product(
            ("", "whole"),
            (("ranked", "ids"), ("", "scores"), *((each, each) for each in ("pairs", "objects", "records"))),
        ):
            yield Form(Shape.QRELS_RUN, _joined("single", listed, whole)), ("grades", container)
        truths = (("", "by-query"), ("sets", "ids-by-query"), ("lists", "ids-by-query"))
        runs = (("", "by-query"), *((each, "lists-by-query") for each in ("ranked", "pairs")))
        runs += tuple((each, f"{each}-by-query") for each in ("objects", "records"))
        for whole, (truth, container), (listed, other) in product(("", "whole"), truths, runs):
            yield Form(Shape.QRELS_RUN, _joined(truth, listed, whole)), (container, other)
        for whole, truth, listed in product(("", "whole"), ("", "sets", "ones"), ("", "array")):
            yield Form(Shape.LISTS, _joined(truth, listed, whole)), ("one" if truth == "ones" else "lists", "lists")
        yield Form(Shape.LISTS, "flags"), ("lists", "flags")
        yield Form(Shape.FILES), ("path", "path")
        yield Form(Shape.FILES, "text"), ("text", "text")
        yield Form(Shape.MATRICES), ("matrix", "matrix")
        yield Form(Shape.MATRICES, "rows"), ("matrix-rows", "matrix-rows")
        yield Form(Shape.MATRICES, "tensor"), ("matrix-tensor", "matrix-tensor")
        frames = (Form(Shape.FRAMES, _joined(*words)) for words in product(("relevant", ""), ("", "whole")))
        yield from ((form, ("frame", "frame")) for form in frames)
        yield Form(Shape.RANKING, "ranks"), ("ranks", "number")
        yield Form(Shape.RANKING, "ideal"), ("list", "ideal")
        yield Form(Shape.RANKING, "array, ideal"), ("array", "ideal")
    if count == _WITH_GROUPS:
        for groups, (packing, container) in product(("sizes", "queries"), sequences[:2] + sequences[4:6]):
            yield Form(Shape.LABELS_SCORES, _joined(packing, groups)), (container, container, "groups")


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def _roles(
    parameters: list[inspect.Parameter], uses: ParameterUses, *, is_ranking: bool
) -> Iterator[tuple[list[str], dict[str, str], int]]:
    """Yield which parameters are data, which have a role by another name, and how unlikely that is."""
    data: list[str] = []
    roles: dict[str, str] = {}
    for parameter in parameters:
        name = parameter.name.replace("_", "").casefold()
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        traits, is_required = uses.traits.get(parameter.name, set()), parameter.default is inspect.Parameter.empty
        is_cutoff = name in _CUTOFFS or ("cutoff" in traits and not traits & {"ids", "dict", "array"})
        if data and is_ranking and name in _NUMBERS:
            roles[parameter.name] = "num_relevant"
            data.append(parameter.name)
        elif data and is_cutoff and CUTOFF not in roles.values():
            roles[parameter.name] = CUTOFF
        elif is_required or (is_ranking and "ideal" in name):
            data.append(parameter.name)
    groups = [name for name in data if _GROUP.search(name.casefold())]
    if len(data) == _WITH_GROUPS and len(groups) == 1 and not is_ranking:
        data = [*(name for name in data if name not in groups), *groups]
        roles[groups[0]] = GROUPS
    if not data and any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        yield ["args"] * 2, {}, 0
        yield ["args"], {}, 1
    yield data, roles, 0
    if len(data) > 1 and CUTOFF not in roles.values() and data[-1] not in roles:  # the last may be k by any name
        yield data[:-1], {**roles, data[-1]: CUTOFF}, 2


def candidates(
    function: Callable[..., object], stated: Form | Shape | ShapeName | None = None
) -> tuple[Signature, ...]:
    """Give the ways in which a callable may be called, likeliest by its names first; `ShapeError` if not as stated."""
    if stated is not None:
        return (tell(function, stated),)
    try:
        by_names: tuple[Signature, ...] = (tell(function),)
    except ShapeError:
        by_names = ()
    if by_names and (batch := BATCHES.get(by_names[0].shape)):
        by_names = (*by_names, tell(function, batch))
    if by_names and by_names[0].shape is Shape.FILES:
        return by_names
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return by_names
    uses = uses_of(function, parameters)
    likely = _by_likelihood(parameters, uses, by_names[0].shape if by_names else None)
    # Names say `run` of lists of ids, too: `run.get(query, [])`.
    has_lists = bool(by_names) and any("lists" in traits for traits in uses.traits.values())
    ordered = (*likely, *by_names) if has_lists else (*by_names, *likely)
    known = {signature.form: signature for signature in reversed(ordered)}  # the likeliest of each form
    chosen = (known[form] for form in dict.fromkeys(signature.form for signature in ordered))
    threshold = next((f"threshold {each.name}" for each in parameters if _is_above_one(each)), "")
    return tuple(replace(signature, packing=_joined(signature.packing, threshold)) for signature in chosen)


def _is_above_one(parameter: inspect.Parameter) -> bool:
    """Tell a threshold that no label 1 reaches by default, as that of ratings with five stars."""
    default, name = parameter.default, parameter.name.casefold()
    return ("thresh" in name or "min_rat" in name) and isinstance(default, int | float) and default > 1


def _by_likelihood(parameters: list[inspect.Parameter], uses: ParameterUses, by_names: Shape | None) -> list[Signature]:
    likely: list[tuple[int, int, Signature]] = []
    for is_ranking in (True, False):
        for names, roles, unlikely in _roles(parameters, uses, is_ranking=is_ranking):
            first, last = uses.parts.get(names[0], names[:2] if len(names) > 1 else ("", "")) if names else ("", "")
            says_last, says_first = says_last_is_true((first, last)), says_last_is_true((last, first))
            for form, containers in _forms(len(names)):
                if (form.shape is Shape.RANKING) is not is_ranking or not _is_here(form, uses):
                    continue
                for is_turned in (False, True) if len(containers) > 1 and "number" not in containers else (False,):
                    turned = (*containers[:2][::-1], *containers[2:]) if is_turned else containers
                    score = sum(map(_likelihood, turned, (uses.traits.get(name, set()) for name in names)))
                    is_last = is_turned or "turned-cases" in form.packing
                    score += _ORDER * (form.shape.has_truth_first and (says_last if is_last else says_first))
                    score += _WORD * (form.shape in (Shape.LABELS_SCORES, Shape.MATRICES) and _says_scores(names))
                    score += _WORD * (by_names is not None and form.shape in (by_names, BATCHES.get(by_names)))
                    score -= unlikely
                    try:
                        signature = by_position(
                            form.shape,
                            parameters,
                            is_truth_last=is_turned,
                            places=Places(
                                roles,
                                (GROUPS,) * (len(containers) == _WITH_GROUPS),
                                None if names == ["args"] * len(names) else tuple(names),
                                form.shape.natives[: len(containers)],
                            ),
                        )
                    except ShapeError:
                        continue
                    columns = _columns(uses) if form.shape is Shape.FRAMES else None
                    for packing in _with_fields(form, uses, names):
                        likely.append((-score, len(likely), replace(signature, packing=packing, columns=columns)))
    return [signature for _, _, signature in sorted(likely, key=lambda each: each[:2])]


def _says_scores(names: list[str]) -> bool:
    return any(re.search("score|prob|logit", name.casefold()) for name in names)


_USE, _ORDER, _WORD, _UNSAID = 2, 3, 2, 6
"""What speaks for a form, or against it. Names that say which argument is the truth outweigh one use, not
two. An ideal list and ranks come last unless a name says so: a vector of labels passes for either."""


def _likelihood(container: str, traits: set[str]) -> int:
    expected, seen = _TRAITS_OF_CONTAINER[container], traits & _WEIGHED
    likelihood = sum(_USE if trait in expected else -_USE for trait in seen)
    if container in _RARE and not seen & expected:
        likelihood -= 1
    return likelihood - (_UNSAID if container in ("ideal", "ranks") and container not in seen else 0)


def _is_here(form: Form, uses: ParameterUses) -> bool:
    """Tell whether what a form needs is imported already, or certain to be used: nothing is loaded for a guess."""
    has_frames = any("frame" in traits for traits in uses.traits.values()) and find_spec("pandas") is not None
    if any(package not in ("numpy", *sys.modules, *["pandas"] * has_frames) for package in packages_of(form)):
        return False
    if ("scored" in form.packing or "cases" in form.packing) and not any(
        "pairs" in traits for traits in uses.traits.values()
    ):
        return False
    if "relevant" in form.packing and (not any(uses.columns.values()) or _column("label", _read_columns(uses))):
        return False
    needed = {*form.packing.split(", ")} & {"objects", "records", "text", "rated"} or {"path"} & {
        "path" * (form.shape is Shape.FILES)
    }
    return not needed or any(needed <= traits for traits in uses.traits.values())


def _with_fields(form: Form, uses: ParameterUses, names: list[str]) -> Iterator[str]:
    """Yield the packing with the fields or the columns that the source reads behind the word that takes them."""
    words = form.packing.split(", ")
    for place, word in enumerate(words):
        if word in ("objects", "records"):
            fields = next((uses.fields[name] for name in names if uses.fields.get(name)), [])
            words[place] = " ".join([word, *_id_first(list(dict.fromkeys(fields))[:3])])
    ranks = [each for each in _read_columns(uses) if re.search("rank|position", each.casefold())]
    if form.shape is Shape.FRAMES and ranks:
        words = [*filter(None, words), f"place {ranks[0]}"]
    if "frame" not in words:
        yield ", ".join(words)
        return
    read = [*dict.fromkeys(each for name in (*names, "") for each in uses.columns.get(name, []))]
    by_word = [_column(kind, read) for kind in ("query", "score", "label")]
    others = permutations([each for each in read if each not in by_word], by_word.count(""))
    for left in map(iter, islice(others, _MOST_ORDERS)):  # what no word tells is tried in every order
        yield " ".join(["frame", *(each or next(left) for each in by_word)])
    if by_word.count("") > len(read) - len({*by_word} - {""}):
        yield "frame"


_MOST_ORDERS = 24


_COLUMN_WORDS = {
    "document": ("item", "iid", "doc", "movie", "product", "passage"),
    "query": ("query", "qid", "user", "uid", "customer", "topic", "group", "session", "list"),
    "score": ("score", "pred", "sim", "prob", "rank", "position"),
    "label": ("label", "rel", "grade", "rating", "target", "true", "click", "hit", "is_"),
}


def _columns(uses: ParameterUses) -> tuple[str, str, str, str] | None:
    """Return what the source calls the query, the document, its grade and its score; none where it does not say."""
    read = _read_columns(uses)
    query, docno = _column("query", read), _column("document", read)
    grade, score = _column("label", read) or "grade", _column("score", read) or "score"
    return (query, docno, grade, score) if query and docno else None


def _read_columns(uses: ParameterUses) -> list[str]:
    return [*dict.fromkeys(each for columns in uses.columns.values() for each in columns)]


def _column(kind: str, columns: list[str]) -> str:
    return next((each for word in _COLUMN_WORDS[kind] for each in columns if word in each.casefold()), "")


def _id_first(fields: list[str]) -> list[str]:
    scores = [each for each in fields if any(word in each.casefold() for word in _COLUMN_WORDS["score"])]
    return [*(each for each in fields if each not in scores), *scores]

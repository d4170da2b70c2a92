"""The ways in which a function may be called, the likeliest first: by its parameters and its source.

The source says what is done with a parameter: `.items()`, `in`, `[:k]`, a loop over pairs.
Nothing is executed here. Which way is right, answers tell (``run/shape_inference.py``).
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

from rankspec.conformance.worker.packing import GROUPS, packages_of
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
_ATTRIBUTES = {
    "dict": "items keys values get",
    "frame": "groupby merge loc iloc columns sort_values join drop_duplicates assign query",
    "array": "shape argsort ndim astype cumsum nonzero reshape flatten ravel T",
    "tensor": "dim topk numel float long gather detach to device unsqueeze squeeze new_tensor",
    "ids": "intersection union issubset isdisjoint",
}
_TRAIT_OF = {name: trait for trait, names in _ATTRIBUTES.items() for name in names.split()}
_ANNOTATED = {
    "ndarray": "array", "NDArray": "array", "Tensor": "tensor", "DataFrame": "frame", "Series": "series",
    "Dict": "dict", "dict": "dict", "Mapping": "dict", "Set": "set", "set": "set", "Collection": "ids",
}  # fmt: skip
_LISTED = re.compile(r"(?i:list|sequence|iterable)\[(?i:list|sequence|tuple|set|iterable)")


@dataclass
class Reading:
    """What the source says of a function's parameters.

    Attributes:
        traits: what each is used as.
        fields: attributes that are read of the elements of each, in order.
        columns: texts by which each is subscripted, in order.
    """

    traits: dict[str, set[str]] = field(default_factory=dict)
    fields: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)


def reading_of(function: Callable[..., object], parameters: list[inspect.Parameter]) -> Reading:
    """Read the source of a function and its annotations, as far as they can be had."""
    reading = Reading({each.name: _annotated(each) for each in parameters})
    for each in parameters:
        if fields := _fields_of_elements(each.annotation):
            reading.traits[each.name].add("objects")
            reading.fields[each.name] = fields
    tree = _tree_of(function)
    names = {each.name: each.name for each in parameters}
    for each in parameters:
        word = each.name.replace("_", "").casefold()
        reading.traits[each.name] |= ({"ideal"} if "ideal" in word else set()) | (
            {"ranks"} if word.endswith(("ranks", "positions")) else set()
        )
    for node in ast.walk(tree):
        _follow(node, names, reading)
    for node in ast.walk(tree):
        _read(node, names, reading)
    return reading


def _tree_of(function: Callable[..., object]) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def returned_names(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of the values that a function returns together, as far as its source says them."""
    names: list[str] = []
    for node in ast.walk(_tree_of(function)):
        match node:
            case ast.Return(value=ast.Dict(keys=keys)):
                names += [each.value for each in keys if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            case ast.Return(value=ast.Call(keywords=[_, _, *_] as keywords)):
                names += [each.arg for each in keywords if each.arg]
    return tuple(dict.fromkeys(names)) if len(names) > 1 else ()


def returns_function(function: Callable[..., object]) -> bool:
    """Tell by its source whether a function makes another one: nothing is called to find out that it does not."""
    nodes = [*ast.walk(_tree_of(function))]
    made = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return any(isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in made) for each in returned)


def _annotated(parameter: inspect.Parameter) -> set[str]:
    if parameter.annotation is inspect.Parameter.empty:
        return set()
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else (
        annotation.__name__ if isinstance(annotation, type) and not hasattr(annotation, "__args__") else str(annotation)
    )  # fmt: skip
    text = text.replace("typing.", "").replace("collections.abc.", "")
    outer = re.match(r"(?:\w+\.)*(\w+)", text)
    found = {_ANNOTATED[outer[1]]} if outer and outer[1] in _ANNOTATED else set()
    if _LISTED.match(text):
        found.add("pairs" if re.match(r"(?i)(list|sequence)\[tuple", text) else "nested")
    if re.match(r"(?i)(dict|mapping)\[\w+, ?(dict|mapping|list|set|sequence)", text):
        found.add("nested")
    if text in ("int", "float"):
        found.add("number")
    if re.search(r"\bint\b", text) and "[" in text:
        found.add("whole")
    if text == "str":
        found.add("one")
    return found


def _fields_of_elements(annotation: Any) -> list[str]:
    """Return the fields of the class of a list's elements, where an annotation says `list[Document]`."""
    kinds = [each for each in get_args(annotation) if isinstance(each, type)]
    return list(vars(kinds[0]).get("__annotations__", ())) if len(kinds) == 1 else []


_ELEMENT = "element of "


def _follow(node: ast.AST, names: dict[str, str], reading: Reading) -> None:  # noqa: C901 - a case a construct
    """Learn the names of loops over a parameter, and of its copies: ``for d in ranked``, ``r = np.asarray(r)[:k]``."""
    if isinstance(node, ast.For | ast.comprehension):
        iterated: ast.expr = node.iter
        target: ast.expr = node.target
        match iterated, target:
            case ast.Call(func=ast.Attribute(value=ast.Name() as mapping, attr="items")), ast.Tuple(elts=[_, element]):
                iterated, target = mapping, element
        if isinstance(iterated, ast.Call) and iterated.args and isinstance(target, ast.Tuple):
            if _called(iterated.func) == "enumerate" and len(target.elts) > 1:
                iterated, target = iterated.args[0], target.elts[1]
            elif _called(iterated.func) == "zip":
                for one, name in zip(iterated.args, target.elts, strict=False):
                    _element(one, name, names, reading)
                return
        _element(iterated, target, names, reading)
    elif isinstance(node, ast.Call) and node.args and _called(node.func) == "sorted":
        keys = [each.value for each in node.keywords if isinstance(each.value, ast.Lambda)]
        for argument in (argument for key in keys for argument in key.args.args[:1]):
            _element(node.args[0], ast.Name(argument.arg), names, reading)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        source = names.get(_root(node.value) or "", _ELEMENT)
        if not source.startswith(_ELEMENT):
            names.setdefault(node.targets[0].id, source)


def _element(iterated: ast.expr, target: ast.expr, names: dict[str, str], reading: Reading) -> None:
    source = names.get(_root(iterated) or "")
    if source is None or source.startswith(_ELEMENT):
        if source is not None:
            reading.traits[source.removeprefix(_ELEMENT)].add("nested")
        return
    if isinstance(target, ast.Name):
        names.setdefault(target.id, _ELEMENT + source)
    elif isinstance(target, ast.Tuple) and not isinstance(iterated, ast.Call):
        reading.traits[source].add("pairs")


def _root(value: ast.expr) -> str | None:
    """Return the name that a value is made of without being another thing: `p`, `p[:k]`, `list(p)`, `np.asarray(p)`."""
    while True:
        if isinstance(value, ast.Name):
            return value.id
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            value = value.value
        elif isinstance(value, ast.Call) and value.args and _called(value.func) in _COPIES:
            value = value.args[0]
        else:
            return None


_OF_SCALARS = frozenset("float int str bool abs print max round isinstance hash repr pow isnan log log2".split())  # noqa: SIM905
_GROUP = re.compile("group|quer|qid|user|session|sizes")
_COPIES = ("sorted", "list", "tuple", "asarray", "array", "asfarray", "set", "frozenset", "reversed", "as_tensor")


def _called(function: ast.expr) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _read(node: ast.AST, names: dict[str, str], reading: Reading) -> None:  # noqa: C901, PLR0912, PLR0915 - a case a construct
    def mark(value: ast.AST | None, trait: str, of_element: str = "") -> None:
        source = names.get(value.id) if isinstance(value, ast.Name) else None
        if source is None:
            return
        is_element = source.startswith(_ELEMENT)
        if trait and not is_element:
            reading.traits[source].add(trait)
        if of_element and is_element:
            reading.traits[source.removeprefix(_ELEMENT)].add(of_element)

    match node:
        case ast.Attribute(value=ast.Name(id) as name, attr=attribute):
            trait = _TRAIT_OF.get(attribute, "")
            mark(name, trait, "nested" if trait else "")
            mark(name, "", "grades" if trait == "dict" else "")
            if not trait and names.get(id, "").startswith(_ELEMENT):
                source = names[id].removeprefix(_ELEMENT)
                reading.traits[source].add("objects")
                reading.fields.setdefault(source, []).append(attribute)
        case ast.Attribute(value=ast.Subscript(value=name), attr="get" | "values" | "items"):
            mark(name, "grades")
        case ast.Call(func=ast.Attribute(value=ast.Name("np" | "numpy"), attr=attribute), args=[first, *_]):
            mark(first, "" if attribute in ("asarray", "array", "asfarray", "mean", "sum", "argsort") else "array")
        case ast.Call(func=ast.Attribute(value=ast.Name("torch"))):
            for each in node.args:
                mark(each, "tensor", "tensor")
        case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="get"), args=[_, ast.List(elts=[])]):
            mark(name, "lists")
        case ast.Call(func=ast.Name("set" | "frozenset"), args=[first]):
            mark(first, "ids", "nested")
            mark(first, "", "members")
        case ast.Call(func=ast.Name("range" | "min"), args=arguments):
            for each in arguments:
                mark(each, "cutoff")
        case ast.Call(func=ast.Name(called), args=arguments) if called not in _OF_SCALARS:
            for each in arguments:
                mark(each, "", "nested")
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            mark(right, "ids", "nested")
            mark(right, "", "members")
            mark(left, "one")
            if isinstance(right, ast.Subscript):
                mark(right.value, "members")
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            if not isinstance(right, ast.Constant):
                mark(left, "one")
                mark(right, "one")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            mark(operand, "array")
        case ast.BinOp(op=ast.Div(), right=right):
            mark(right, "number")
        case ast.Slice(upper=upper):
            mark(upper, "cutoff")
        case ast.Call(func=ast.Attribute(attr="groupby" | "merge" | "sort_values" | "set_index" | "drop_duplicates")):
            texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            reading.columns.setdefault("", []).extend(each for each in texts if isinstance(each, str))
        case ast.Subscript(value=ast.Name(id) as name, slice=ast.Constant(str(key))):
            mark(name, "column")
            source = names.get(id, "").removeprefix(_ELEMENT)
            if source:
                reading.columns.setdefault(source, []).append(key)
        case ast.Subscript(value=name, slice=ast.Slice()):
            mark(name, "", "nested")
        case ast.Subscript(value=name, slice=ast.Constant(int())):
            mark(name, "", "pairs")
        case ast.Subscript(value=name, slice=ast.Name() | ast.Tuple()):
            mark(name, "indexed")


_HANDS: dict[str, frozenset[str]] = {
    hand: frozenset(traits.split())
    for hand, traits in {
        "list": "", "array": "array", "rows": "nested", "row-array": "nested array", "series": "series array",
        "tensor": "tensor array", "row-tensor": "tensor array nested", "number": "number", "ids": "ids",
        "set": "ids set", "one": "one", "pairs": "pairs", "scores": "dict indexed ids",
        "objects": "objects", "by-query": "dict indexed nested grades",
        "lists-by-query": "dict indexed nested lists members", "ids-by-query": "dict indexed nested ids members",
        "lists": "nested ids", "matrix": "nested array", "matrix-rows": "nested",
        "matrix-tensor": "nested tensor array",
        "frame": "frame column indexed", "row-frame": "frame column indexed", "groups": "",
        "grades": "dict indexed ids grades",
        "ideal": "ideal array", "ranks": "ranks", "id-array": "array ids",
    }.items()
}  # fmt: skip
"""What is done with an argument in these hands and can't be done with any list."""
_WEIGHED = frozenset().union(*_HANDS.values()) - {"indexed"}
"""What speaks for or against a form; a subscript by a name is what many things have."""
_RARE = {
    *("row-array", "row-tensor", "rows", "series", "tensor", "one", "pairs", "objects", "scores", "frame", "row-frame"),
    *("ideal", "ranks"),
}


_WITH_GROUPS = 3
"""The truth, what is held against it, and the queries of their rows."""


def _forms(count: int) -> Iterator[tuple[Form, tuple[str, ...]]]:
    """Yield the forms of so many arguments, and what is in each hand, truth first; the plainest come first."""
    sequences = [
        ("", "list"),
        *((each, each) for each in ("array", "rows", "row-array", "series", "tensor", "row-tensor")),
    ]
    if count == 1:
        yield from ((Form(Shape.RANKING, packing), (hand,)) for packing, hand in sequences)
        yield Form(Shape.LABELS_SCORES, "scored"), ("pairs",)
        yield Form(Shape.LABELS_SCORES, "frame"), ("row-frame",)
        yield Form(Shape.RANKING, "query-ranks"), ("ranks",)
        yield Form(Shape.RANKING, "rank"), ("one",)
    if count == 2:  # noqa: PLR2004 - the truth, and what is held against it
        yield from ((Form(Shape.RANKING, packing), (hand, "number")) for packing, hand in sequences)
        flat = [each for each in sequences if "row" not in each[0]]  # rows are of several queries
        yield from ((Form(Shape.LABELS_SCORES, packing), (hand, hand)) for packing, hand in flat)
        truths = (("", "ids"), ("set", "set"), ("one", "one"))
        lists = (("", "ids"), ("pairs", "pairs"), ("scores", "scores"), ("objects", "objects"), ("array", "id-array"))
        for whole, (truth, hand), (listed, other) in product(("", "whole"), truths, lists):
            yield Form(Shape.ACTUAL_PREDICTED, _joined(truth, listed, whole)), (hand, other)
        for whole, (listed, hand) in product(
            ("", "whole"), (("ranked", "ids"), ("", "scores"), ("pairs", "pairs"), ("objects", "objects"))
        ):
            yield Form(Shape.QRELS_RUN, _joined("single", listed, whole)), ("grades", hand)
        truths = (("", "by-query"), ("sets", "ids-by-query"), ("lists", "ids-by-query"))
        runs = (("", "by-query"), ("ranked", "lists-by-query"), ("pairs", "lists-by-query"))
        for whole, (truth, hand), (listed, other) in product(("", "whole"), truths, runs):
            yield Form(Shape.QRELS_RUN, _joined(truth, listed, whole)), (hand, other)
        for whole, truth, listed in product(("", "whole"), ("", "sets", "ones"), ("", "array")):
            yield Form(Shape.LISTS, _joined(truth, listed, whole)), ("one" if truth == "ones" else "lists", "lists")
        yield Form(Shape.MATRICES), ("matrix", "matrix")
        yield Form(Shape.MATRICES, "rows"), ("matrix-rows", "matrix-rows")
        yield Form(Shape.MATRICES, "tensor"), ("matrix-tensor", "matrix-tensor")
        yield from ((Form(Shape.FRAMES, whole), ("frame", "frame")) for whole in ("", "whole"))
        yield Form(Shape.RANKING, "ranks"), ("ranks", "number")
        yield Form(Shape.RANKING, "ideal"), ("list", "ideal")
        yield Form(Shape.RANKING, "array, ideal"), ("array", "ideal")
    if count == _WITH_GROUPS:
        for beside, (packing, hand) in product(("sizes", "queries"), sequences[:2] + sequences[4:6]):
            yield Form(Shape.LABELS_SCORES, _joined(packing, beside)), (hand, hand, "groups")


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def _readings(
    parameters: list[inspect.Parameter], reading: Reading, *, is_ranking: bool
) -> Iterator[tuple[list[str], dict[str, str], int]]:
    """Yield which parameters are data, which have a role by another name, and how unlikely that is."""
    data: list[str] = []
    roles: dict[str, str] = {}
    for parameter in parameters:
        name = parameter.name.replace("_", "").casefold()
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        traits, is_required = reading.traits.get(parameter.name, set()), parameter.default is inspect.Parameter.empty
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
    """Give the ways in which a callable may be called, the one that its parameters' names tell first.

    Raises:
        ShapeError: the stated form can't be met.
    """
    if stated is not None:
        return (tell(function, stated),)
    try:
        told: tuple[Signature, ...] = (tell(function),)
    except ShapeError:
        told = ()
    if told and (batch := BATCHES.get(told[0].shape)):
        told = (*told, tell(function, batch))
    if told and told[0].shape is Shape.FILES:
        return told
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return told
    reading = reading_of(function, parameters)
    likely = _by_likelihood(parameters, reading, told[0].shape if told else None)
    # Names say `run` of lists of ids, too: `run.get(query, [])`.
    has_lists = bool(told) and any("lists" in traits for traits in reading.traits.values())
    ordered = (*likely, *told) if has_lists else (*told, *likely)
    known = {signature.form: signature for signature in reversed(ordered)}  # the likeliest of each form
    return tuple(known[form] for form in dict.fromkeys(signature.form for signature in ordered))


def _by_likelihood(parameters: list[inspect.Parameter], reading: Reading, told: Shape | None) -> list[Signature]:
    likely: list[tuple[int, int, Signature]] = []
    for is_ranking in (True, False):
        for names, roles, unlikely in _readings(parameters, reading, is_ranking=is_ranking):
            says_last = len(names) > 1 and says_last_is_true((names[0], names[1]))
            says_first = len(names) > 1 and says_last_is_true((names[1], names[0]))
            for form, hands in _forms(len(names)):
                if (form.shape is Shape.RANKING) is not is_ranking or not _is_here(form, reading):
                    continue
                for is_turned in (False, True) if len(hands) > 1 and "number" not in hands else (False,):
                    turned = (*hands[:2][::-1], *hands[2:]) if is_turned else hands
                    score = sum(map(_likelihood, turned, (reading.traits.get(name, set()) for name in names)))
                    score += 3 * (form.shape.has_truth_first and (says_last if is_turned else says_first)) - unlikely
                    score += 2 * (form.shape in (Shape.LABELS_SCORES, Shape.MATRICES) and _says_scores(names))
                    score += 2 * (told is not None and form.shape in (told, BATCHES.get(told)))
                    try:
                        signature = by_position(
                            form.shape,
                            parameters,
                            is_truth_last=is_turned,
                            places=Places(
                                roles,
                                (GROUPS,) * (len(hands) == _WITH_GROUPS),
                                None if names == ["args"] * len(names) else tuple(names),
                                form.shape.natives[: len(hands)],
                            ),
                        )
                    except ShapeError:
                        continue
                    packing = _with_fields(form.packing, reading, names)
                    columns = _columns(reading, names) if form.shape is Shape.FRAMES else None
                    likely.append((-score, len(likely), replace(signature, packing=packing, columns=columns)))
    return [signature for _, _, signature in sorted(likely, key=lambda each: each[:2])]


def _says_scores(names: list[str]) -> bool:
    return any(re.search("score|prob|logit", name.casefold()) for name in names)


def _likelihood(hand: str, traits: set[str]) -> int:
    used = traits & _WEIGHED
    score = sum(2 if trait in _HANDS[hand] else -2 for trait in used)
    return score - (hand in _RARE and not used & _HANDS[hand]) - 6 * (hand in ("ideal", "ranks") and hand not in used)


def _is_here(form: Form, reading: Reading) -> bool:
    """Tell whether what a form needs is imported already, or certain to be used: nothing is loaded for a guess."""
    if any(package not in ("numpy", *sys.modules) for package in packages_of(form)):
        return False
    if "scored" in form.packing and not any("pairs" in traits for traits in reading.traits.values()):
        return False
    return "objects" not in form.packing or any(reading.fields.values())


def _with_fields(packing: str, reading: Reading, names: list[str]) -> str:
    """Write the fields or the columns that the source reads behind the word that takes them."""
    words = packing.split(", ")
    if "objects" in words:
        fields = next((reading.fields[name] for name in names if reading.fields.get(name)), [])
        words[words.index("objects")] = " ".join(["objects", *_id_first(list(dict.fromkeys(fields))[:3])])
    if "frame" in words:
        columns = [*dict.fromkeys(each for name in (*names, "") for each in reading.columns.get(name, []))]
        named = [_column(kind, columns) for kind in ("query", "score", "label")]
        words[words.index("frame")] = " ".join(["frame", *named]) if all(named) else "frame"
    return ", ".join(words)


_COLUMN_WORDS = {
    "document": ("item", "doc", "movie", "product", "passage"),
    "query": ("query", "qid", "user", "topic", "group", "session", "list"),
    "score": ("score", "pred", "sim", "prob"),
    "label": ("label", "rel", "grade", "rating", "target", "true"),
}


def _columns(reading: Reading, names: list[str]) -> tuple[str, str, str, str] | None:
    """Return what the source calls the query, the document, its grade and its score; none where it does not say."""
    read = [*dict.fromkeys(each for name in (*names, "") for each in reading.columns.get(name, []))]
    query, docno = _column("query", read), _column("document", read)
    grade, score = _column("label", read) or "grade", _column("score", read) or "score"
    return (query, docno, grade, score) if query and docno else None


def _column(kind: str, columns: list[str]) -> str:
    return next((each for word in _COLUMN_WORDS[kind] for each in columns if word in each.casefold()), "")


def _id_first(fields: list[str]) -> list[str]:
    scores = [each for each in fields if any(word in each.casefold() for word in _COLUMN_WORDS["score"])]
    return [*(each for each in fields if each not in scores), *scores]

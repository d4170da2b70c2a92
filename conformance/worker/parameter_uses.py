"""What a function does with its parameters, as its source says: `.items()`, `in`, `[:k]`, a loop over pairs.

The source is read as a tree and never executed. A name of a copy or of a loop stands for the parameter behind it.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast, get_args

from rankspec.conformance.worker.packing import CUTOFFS

_ATTRIBUTES = {
    "dict": "items keys values get",
    "frame": "groupby merge loc iloc columns sort_values join drop_duplicates assign query iterrows itertuples apply "
    "progress_apply",
    "array": "shape argsort ndim astype cumsum nonzero reshape flatten ravel T",
    "tensor": "dim topk numel float long gather detach to device unsqueeze squeeze new_tensor",
    "ids": "intersection union issubset isdisjoint",
    "text": "splitlines",
    "sparse": "toarray todense tocsr tocoo getnnz nnz indices indptr",
}
_TRAIT_OF = {name: trait for trait, names in _ATTRIBUTES.items() for name in names.split()}
_ANNOTATED = {
    "ndarray": "array", "NDArray": "array", "Tensor": "tensor", "DataFrame": "frame", "Series": "series",
    "Dict": "dict", "dict": "dict", "Mapping": "dict", "Set": "set", "set": "set", "Collection": "ids",
}  # fmt: skip
_LISTED = re.compile(r"(?i:list|sequence|iterable)\[(?i:list|sequence|tuple|set|iterable)")


@dataclass
class ParameterUses:
    """What the source says of a function's parameters."""

    traits: dict[str, set[str]] = field(default_factory=dict)  # what each is used as
    # attributes, or texts by which elements are subscripted, that are read of the elements of each, in order
    fields: dict[str, list[str]] = field(default_factory=dict)
    # texts by which each is subscripted, in order; under no name those of what no parameter is
    columns: dict[str, list[str]] = field(default_factory=dict)
    # attributes that are read of each itself, and not called
    attributes: dict[str, set[str]] = field(default_factory=dict)
    # texts that each is compared with, in order
    options: dict[str, list[str]] = field(default_factory=dict)
    # the names of the two that each, or each of its elements, is taken apart into
    parts: dict[str, tuple[str, str]] = field(default_factory=dict)
    # what is read of the two parts, as paths of their places: `0.relevant`, `1:ranked`
    of_pairs: dict[str, list[str]] = field(default_factory=dict)
    # those that are called, or asked by a method, and the field that it is given: `search(case["question"])`
    called: dict[str, str] = field(default_factory=dict)
    # the path by which each name of a loop, or of a copy, comes out of an element: `retrieved*` of `case["retrieved"]`
    within: dict[str, str] = field(default_factory=dict)


def uses_of(function: Callable[..., object], parameters: list[inspect.Parameter]) -> ParameterUses:
    """Read the source of a function and its annotations, as far as they can be had."""
    uses = ParameterUses({each.name: _annotated(each) for each in parameters})
    for each in parameters:
        kinds = [kind for kind in get_args(each.annotation) if isinstance(kind, type)]  # `list[Document]`
        if len(kinds) == 1 and (fields := list(vars(kinds[0]).get("__annotations__", ()))):
            uses.traits[each.name].add("objects")
            uses.fields[each.name] = fields
    filled = _with_texts(_tree_of(function), parameters, uses)
    names = {each.name: each.name for each in parameters}
    for each in parameters:
        word = each.name.replace("_", "").casefold()
        uses.traits[each.name] |= ({"ideal"} if "ideal" in word else set()) | (
            {"ranks"} if word.endswith(("ranks", "positions")) else set()
        )
        uses.traits[each.name] |= {"frame"} if word.startswith("df") or word.endswith(("df", "frame")) else set()
    _learn(filled, names, uses, getattr(inspect.unwrap(function), "__globals__", {}), _DEEPEST)
    tree = _tree_of(function)
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}  # not those of a constructor
    returned = [node.value for node in ast.walk(tree) if _is_return(node)]
    returned += [value for node in ast.walk(tree) if isinstance(node, ast.Dict) for value in node.values]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in returned}
    for each in (each for each in parameters if each.name in own - used):  # its value changes nothing
        uses.options.setdefault(each.name, []).insert(0, each.name)
    for name, both in uses.parts.items():
        of_parts, parts = ParameterUses({name: set()}), dict.fromkeys(both, _ELEMENT + name)
        of_parts.within.update(zip(both, "01", strict=True))
        for learn in (_follow, _read):
            for node in ast.walk(filled):
                learn(node, parts, of_parts)
        uses.of_pairs[name] = read = of_parts.fields.get(name, [])
        uses.traits[name] |= {"attributes"} if read else set()
        if len({each[0] for each in read}) == 1:  # each ranked document stands in a pair with its score
            uses.traits[name].add("objects")
            uses.fields.setdefault(name, read)
    texts = [each.default for each in parameters if isinstance(each.default, str) and "col" in each.name.casefold()]
    texts += [each.name for each in parameters if is_of_column(each)]
    if texts:  # the body may hand them on
        uses.columns.setdefault("", []).extend(texts)
    return uses


_DEEPEST = 1  # Helpers of helpers say little of a parameter


def _learn(tree: ast.AST, names: dict[str, str], uses: ParameterUses, module: Mapping[str, Any], deepest: int) -> None:
    """Learn what a body does with names, and what the functions of its module do to which it hands them on."""
    for learn in (_follow, _read):
        for node in ast.walk(tree):
            learn(node, names, uses)
    for node in ast.walk(tree) if deepest else ():
        match node:
            case ast.Call(func=ast.Name(called)) if inspect.isfunction(helper := module.get(called)):
                both = [
                    (parameter.name, each) for parameter, each in zip(parameters_of(helper), node.args, strict=False)
                ]
                both += [(each.arg or "", each.value) for each in node.keywords]
                own = {parameter: names.get(_root(each) or "") for parameter, each in both}
                if handed := {name: source for name, source in own.items() if source}:
                    _learn(_tree_of(helper), handed, uses, module, deepest - 1)


def parameters_of(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a callable; none where they can't be inspected."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return []


def _tree_of(function: Callable[..., object]) -> ast.Module:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _with_texts(tree: ast.Module, parameters: list[inspect.Parameter], uses: ParameterUses) -> ast.Module:
    """Put in names of columns, which parameters have by default (`by="user"`), and parameters for `self.parameter`."""
    # A parameter that is called stands for what it returns: `for hit in search(query)` is a loop over ranked documents.
    texts = {each.name: each.default for each in parameters if isinstance(each.default, str)}
    texts |= {each.name: each.name for each in parameters if is_of_column(each)}
    names = {each.name for each in parameters}

    class _Filled(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            self.generic_visit(node)  # what the constructor was given is kept by its name
            is_kept = ast.unparse(node.value) == "self" and (name := node.attr.lstrip("_")) in names
            return ast.Name(name, node.ctx) if is_kept else node

        def generic_visit(self, node: ast.AST) -> ast.AST:
            return _set_apart(super().generic_visit(node))

        def visit_Await(self, node: ast.Await) -> ast.expr:
            self.generic_visit(node)
            return node.value

        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            match node.func:
                case ast.Name(name) if name in names:
                    pass
                case ast.Attribute(value=ast.Name(name), attr=method) if name in names and _SEARCHES.search(method):
                    pass
                case _:
                    return node
            uses.traits[name].add("called")
            queries = [each for each in (*node.args, *(each.value for each in node.keywords)) if _field_of(each)]
            uses.called.setdefault(name, _field_of(queries[0]) if queries else "")
            return ast.Name(name, ast.Load())

        def visit_Name(self, node: ast.Name) -> ast.expr:
            is_read = node.id in texts and isinstance(node.ctx, ast.Load)
            return ast.Constant(texts[node.id]) if is_read else node

    return cast("ast.Module", _Filled().visit(tree))


def _set_apart(node: ast.AST) -> ast.AST:
    """Give the names of a comprehension's loops another one each: the same in two of them is that of two things."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        own = {each.id for one in node.generators for each in ast.walk(one.target) if isinstance(each, ast.Name)}
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in own:
                each.id = f"{each.id}'{node.col_offset}'{node.lineno}"
    return node


_SEARCHES = re.compile("search|retriev|recommend|predict|invoke|decision_function|rank_|^query$|^(get|find)_")
"""What a method has in its name that is asked for documents, or for scores."""


def _field_of(node: ast.expr) -> str:
    """Return the field that is read of something, `case["question"]` or `case.question`; empty if none is."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(str(name)), *_]):
            return name
        case _:
            return ""


def is_of_column(parameter: inspect.Parameter) -> bool:
    """Tell the name of a column that has to be stated: whatever it is, the frame has it."""
    return parameter.default is parameter.empty and _OF_COLUMN.search(parameter.name.casefold()) is not None


_OF_COLUMN = re.compile("(^|_)col(umn)?(_|$)|col(umn)?$|_(field|key)$")


def returned_names(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of the values that a function returns together, or of one, as far as its source says them."""
    nodes = [*ast.walk(_tree_of(function))]
    names = [name for node in nodes if _is_return(node) for name in _names_in(node.value, function)]
    stored: list[ast.expr | None] = []  # what is returned may be filled one by one, and hold what has names itself
    for node in nodes:
        match node:
            case ast.Dict(keys=keys):
                stored += keys
            case ast.Subscript(slice=key, ctx=ast.Store()):
                stored.append(key)
            case ast.Call(func=ast.Attribute(attr="append"), args=[ast.BinOp(left=ast.BinOp(left=key))]):
                stored.append(key)  # 'Recall:' + str(recall) + '\n'
    if not any(map(_WORD.search, names)):
        names += (each.rstrip(":= ") for each in filter(_WORD.search, _texts(stored)))
    sizes = {len(node.value.elts) if isinstance(node.value, ast.Tuple) else 0 for node in nodes if _is_return(node)}
    if not names and len(sizes) == 1 and 1 < (size := sizes.pop()) <= len(ORDINALS):
        return ORDINALS[:size]
    return tuple(dict.fromkeys(names)) if len(names) > 1 or any(map(_WORD.search, names)) else ()


ORDINALS = tuple(f"{each}_value" for each in "first second third fourth fifth sixth seventh eighth".split())  # noqa: SIM905
"""What the values are called that a function returns side by side and its source has no names for."""


def _is_return(node: ast.AST) -> TypeGuard[ast.Return]:
    return isinstance(node, ast.Return)


def _names_in(returned: ast.expr | None, function: Callable[..., object]) -> Sequence[str]:
    """Return the names of values that are returned as a dict, with keywords, side by side, or as a class has them."""
    match returned:
        case ast.Dict(keys=keys):
            return _texts(keys)
        case ast.Call(keywords=[_, _, *_] as keywords):
            return [each.arg for each in keywords if each.arg]
        case ast.Call(func=ast.Name(made), args=[_, _, *_]):
            kind = getattr(function, "__globals__", {}).get(made)
            return getattr(kind, "__match_args__", ()) or fields_of(kind) if isinstance(kind, type) else ()
        case ast.Tuple(elts=values):
            own = [*filter(None, map(_name_of_value, values))]
            said = (each for each in (own, _WORD.findall(function.__name__)) if len({*each}) == len(values))
            return next((each for each in said if len([*filter(_WORD.search, each)]) > 1), ())
        case _:
            return ()


def fields_of(kind: type) -> list[str]:
    """Return the attributes that a class's methods give its objects, in order, or else those that it annotates."""
    nodes = (node for node in ast.walk(_tree_of(kind)) if isinstance(node, ast.Attribute))
    stored = [node.attr for node in nodes if isinstance(node.ctx, ast.Store)]
    return stored or [*vars(kind).get("__annotations__", ())]


def _name_of_value(value: ast.expr) -> str:
    """Return what a value is called: a name, or the measure's in `NDCG / len(users)`."""
    if isinstance(value, ast.Name):
        return value.id
    names = (each.id for each in ast.walk(value) if isinstance(each, ast.Name))
    return next(filter(_WORD.search, names), "")


_WORD = re.compile("(?i)precision|recall|n?dcg|map|mrr|hit|auc|cmc")
"""What names call the values that a function returns side by side."""


def _texts(keys: Sequence[ast.expr | None]) -> list[str]:
    """Return the texts among keys; what is put into one is a cutoff: `recall@k` of `f"recall@{k}"`."""
    texts = []
    for key in keys:
        match key:
            case ast.Constant(str(text)):
                texts.append(text)
            case ast.JoinedStr([ast.Constant(), *_] as parts):
                texts.append("".join(str(each.value) if isinstance(each, ast.Constant) else "k" for each in parts))
            case ast.BinOp(left=ast.Constant(str(text)), op=ast.Add()):
                texts.append(f"{text}k")
            case ast.Call(func=ast.Attribute(value=ast.Constant(str(text)), attr="format")):
                texts.append(text.replace("{}", "k"))
            case _:
                pass
    return texts


def attributes_of_self(method: Callable[..., object]) -> set[str]:
    """Return the attributes that a method reads of its object; `self` is among them where it may read any."""
    nodes = [*ast.walk(_tree_of(method))]
    read = [node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"]
    uses = sum(isinstance(node, ast.Name) and node.id == "self" for node in nodes)
    return {*read, *["self"] * (uses > len(read) or len(nodes) == 1)}


def classes_checked(function: Callable[..., object]) -> list[type]:
    """Return the classes of its own module that a function checks its arguments against, or annotates them with."""
    known = getattr(inspect.unwrap(function), "__globals__", {})
    nodes = [*ast.walk(_tree_of(function))]
    read = [node.args[-1] for node in nodes if isinstance(node, ast.Call) and _called(node.func) == "isinstance"]
    read += [node.annotation for node in nodes if isinstance(node, ast.arg) and node.annotation]
    names = (name.id for each in read for name in ast.walk(each) if isinstance(name, ast.Name))
    own = (known[name] for name in names if getattr(known.get(name), "__module__", "") == known["__name__"])
    return [each for each in own if isinstance(each, type)]


def returns_nothing(function: Callable[..., object]) -> bool:
    """Tell by its source whether a function returns no value."""
    nodes = [*ast.walk(_tree_of(function))]
    return len(nodes) > 1 and all(node.value is None for node in filter(_is_return, nodes))


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
    traits = {_ANNOTATED[outer[1]]} if outer and outer[1] in _ANNOTATED else set()
    if _LISTED.match(text):
        traits.add("pairs" if re.match(r"(?i)(list|sequence|iterable)\[tuple", text) else "nested")
    if re.match(r"(?i)(dict|mapping)\[\w+, ?(dict|mapping|list|set|sequence)", text):
        traits.add("nested")
    if text in ("int", "float"):
        traits.add("number")
    if re.match(r"(?i)((list|sequence|iterable)\[)?float\b", text):
        traits.add("real")
    return traits


_ELEMENT = "element of "
_OF_A_PAIR = 2
_OF_A_RATING = 5  # A prediction of Surprise is taken apart into user, item, true rating, estimate and details


def _follow(node: ast.AST, names: dict[str, str], uses: ParameterUses) -> None:  # noqa: C901, PLR0912 - a case a construct
    """Learn the names of loops over a parameter, and of its copies: ``for d in ranked``, ``r = np.asarray(r)[:k]``."""
    if isinstance(node, ast.For | ast.comprehension):
        iterated: ast.expr = node.iter
        target: ast.expr = node.target
        match iterated, target:  # of a frame the rows are elements
            case (
                ast.Call(func=ast.Attribute(value=ast.Name() as mapping, attr="items" | "iterrows")),
                ast.Tuple(elts=[_, element]),
            ):
                iterated, target = mapping, element
            case ast.Call(func=ast.Attribute(value=ast.Name() as frame, attr="itertuples")), _:
                iterated = frame
        if isinstance(iterated, ast.Call) and iterated.args and isinstance(target, ast.Tuple):
            if _called(iterated.func) == "enumerate" and len(target.elts) > 1:
                iterated, target = iterated.args[0], target.elts[1]
            elif _called(iterated.func) == "zip":
                for one, name in zip(iterated.args, target.elts, strict=False):
                    _element(one, name, names, uses)
                return
        _element(iterated, target, names, uses)
    elif isinstance(node, ast.Call) and node.args and _called(node.func) in ("sorted", "apply"):
        # `sorted(ranked, key=lambda each: ...)`, `frame.apply(lambda row: ...)`
        arguments = (*node.args, *(each.value for each in node.keywords))
        whole = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]
        for each in (each for each in arguments if isinstance(each, ast.Lambda) and each.args.args):
            _element(whole, ast.Name(each.args.args[0].arg), names, uses)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        source = names.get(_root(node.value) or "", _ELEMENT)
        if not source.startswith(_ELEMENT):
            names.setdefault(node.targets[0].id, source)
        elif inner := _inner(node.value, names, uses):
            uses.within.setdefault(node.targets[0].id, inner)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
        _take_apart(node.targets[0], names[node.value.id], uses)


def _element(iterated: ast.expr, target: ast.expr, names: dict[str, str], uses: ParameterUses) -> None:
    source = names.get(_root(iterated) or "")
    if source is None:
        inner = _inner(iterated, names, uses)
        if inner and isinstance(target, ast.Name) and target.id not in names:
            parameter, kind, path = inner.split(" ")
            names[target.id], uses.within[target.id] = _ELEMENT + parameter, f"{path}*"
            uses.traits[parameter].add(kind)
        return
    if source.startswith(_ELEMENT):
        is_pair = isinstance(target, ast.Tuple) and len(target.elts) == _OF_A_PAIR
        uses.traits[source.removeprefix(_ELEMENT)] |= {"nested", *["pairs"] * is_pair}
        if isinstance(target, ast.Name):
            names.setdefault(target.id, source)
    elif isinstance(target, ast.Name):
        names.setdefault(target.id, _ELEMENT + source)
        uses.traits[source].add("looped")
    elif isinstance(target, ast.Tuple) and not isinstance(iterated, ast.Call):
        uses.traits[source].add("rated" if len(target.elts) == _OF_A_RATING else "pairs")
        _take_apart(target, source, uses)


def _inner(value: ast.expr, names: dict[str, str], uses: ParameterUses) -> str:
    """Return the parameter and the path of what is read of an element, `case["retrieved"][:k]`; empty if it isn't."""
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        value = value.value
    if isinstance(value, ast.Name):
        return uses.within.get(value.id, "") if value.id not in names else ""
    is_read = isinstance(value, ast.Attribute | ast.Subscript | ast.Call)
    path = _path(value, names, uses, least=0) if is_read else None
    return f"{path[0].removeprefix(_ELEMENT)} {path[1]} {path[2]}" if path else ""


def _take_apart(target: ast.expr, source: str, uses: ParameterUses) -> None:
    match target:
        case ast.Tuple(elts=[ast.Name(first), ast.Name(last)]):
            uses.parts.setdefault(source.removeprefix(_ELEMENT), (first, last))


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


def _path(node: ast.expr, names: dict[str, str], uses: ParameterUses, least: int = 2) -> tuple[str, str, str] | None:
    """Return what `r.chunk.id`, `r.metadata["id"]` or `run[q][0]["id"]` is read of, and how it goes on."""
    steps, places = "", 0
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=value, attr=name):
                steps = f".{name}{steps}"
            case ast.Subscript(value=value, slice=ast.Constant(str(name))):
                steps = f":{name}{steps}"
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(str(name)), *_]):
                steps = f":{name}{steps}"
            case ast.Subscript(value=value) if steps:
                places += 1
            case _:
                return None
        node = value
    # What one subscript of a parameter gives may be a part of a frame; two give a document of a list by query.
    is_document = names.get(node.id, "").startswith(_ELEMENT) or (node.id in names and places >= least)
    if not is_document or not steps or " " in steps:
        return None
    before = uses.within.get(node.id, "")
    return names[node.id], {".": "objects", ":": "records"}[steps[0]], f"{before}{steps}" if before else steps[1:]


def _after(name: str, step: str, uses: ParameterUses) -> str:
    """Return the path of a field: behind that by which the name comes out of an element."""
    return uses.within[name] + step if name in uses.within else step[1:]


def _read_field(source: str, kind: str, field_read: str, uses: ParameterUses) -> None:
    """Note a field of the elements of a parameter; what leads to others is none itself."""
    parameter = source.removeprefix(_ELEMENT)
    uses.traits[parameter] |= {kind} - {""}
    known = uses.fields.setdefault(parameter, [])
    if not any(re.match(rf"{re.escape(field_read)}[.:*]", each) for each in known):
        leading = [each for each in known if re.match(rf"{re.escape(each)}[.:*]", field_read)]
        known[:] = [*(each for each in known if each not in leading), field_read]


_COPIES = ("sorted", "list", "tuple", "asarray", "array", "asfarray", "set", "frozenset", "reversed", "as_tensor")


def _called(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))


def _read(node: ast.AST, names: dict[str, str], uses: ParameterUses) -> None:  # noqa: C901, PLR0912, PLR0915 - a case a construct
    def mark(value: ast.AST | None, trait: str, of_element: str = "") -> None:
        source = names.get(value.id) if isinstance(value, ast.Name) else None
        if source is None:
            return
        is_element = source.startswith(_ELEMENT)
        if trait and not is_element:
            uses.traits[source].add(trait)
        if of_element and is_element:
            uses.traits[source.removeprefix(_ELEMENT)].add(of_element)

    match node:
        case ast.Attribute(value=ast.Name(id) as name, attr=attribute):
            trait = _TRAIT_OF.get(attribute, "")
            mark(name, trait, "nested" if trait else "")
            mark(name, "", "grades" if trait == "dict" else "")
            if not (trait or hasattr(str, attribute)) and names.get(id, "").startswith(_ELEMENT):
                _read_field(names[id], "objects" * (id not in uses.within), _after(id, f".{attribute}", uses), uses)
            elif not (trait or hasattr(list, attribute)) and id in names:
                mark(name, "attributes")
                uses.attributes.setdefault(names[id], set()).add(attribute)
        case ast.Attribute(value=ast.Subscript(value=name) | ast.Compare(left=name), attr=attribute) if _TRAIT_OF.get(
            attribute
        ) in ("frame", "sparse"):
            mark(name, _TRAIT_OF[attribute])
        case (
            ast.Attribute(value=ast.Attribute() | ast.Subscript())
            | ast.Subscript(value=ast.Attribute() | ast.Subscript(), slice=ast.Constant(str()), ctx=ast.Load())
            | ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(str()), *_])
        ) if path := _path(node, names, uses):
            source, kind, field_read = path
            if not (hasattr(str, last := field_read.rpartition(".")[2]) or hasattr(dict, last)):
                _read_field(source, kind * ("*" not in field_read), field_read, uses)
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
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            mark(right, "ids", "nested")
            mark(right, "", "members")
            mark(left, "one")
            if isinstance(right, ast.Subscript):
                mark(right.value, "members")
                row = next(iter(getattr(right.slice, "elts", [right.slice])))
                is_of_row = isinstance(left, ast.Subscript) and ast.dump(left.slice) == ast.dump(row)
                mark(getattr(left, "value", None), "one" * is_of_row)  # `gold[i] in ranked[i, :k]`
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]):
            mark(left, "", "missing")
        case ast.Compare(
            left=left,
            ops=[ast.GtE() | ast.Gt() | ast.Lt() | ast.Eq() | ast.NotEq()],
            comparators=[ast.Constant(0) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(1))],
        ):
            mark(left, "missing", "missing")
        case ast.Compare(left=ast.Name(id), ops=[ast.Eq() | ast.In()], comparators=[right]) if options := _texts(
            getattr(right, "elts", [right])
        ):
            uses.options.setdefault(names.get(id, ""), []).extend(options)
        case ast.Compare(
            left=left,
            ops=[ast.GtE() | ast.Gt()],
            comparators=[(ast.Name() as right) | ast.Subscript(value=ast.Name() as right)],
        ):
            mark(right, "bound")
            mark(left, "compared")
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            if not isinstance(right, ast.Constant):
                mark(left, "one")
                mark(right, "one")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            mark(operand, "array")
        case ast.Slice(upper=upper):
            mark(upper, "cutoff", CUTOFFS)
        case ast.Call(
            func=ast.Attribute(attr="groupby" | "merge" | "sort_values" | "set_index" | "drop_duplicates" | "nlargest")
        ):
            texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            uses.columns.setdefault("", []).extend(each for each in texts if isinstance(each, str))
        case ast.Subscript(value=ast.Name(id) as name, slice=ast.Constant(str(key)), ctx=ast.Load()):
            mark(name, "column", "records")
            source = names.get(id, "")
            if source.startswith(_ELEMENT):
                _read_field(source, "records" * (id not in uses.within), _after(id, f":{key}", uses), uses)
            else:
                uses.columns.setdefault(source, []).append(key)
        case ast.Subscript(value=ast.Call(func=ast.Attribute()), slice=ast.Constant(str(key))):  # of what is grouped
            uses.columns.setdefault("", []).append(key)
        case ast.Call(func=ast.Name("open" | "Path") | ast.Attribute(attr="read_csv" | "read_table"), args=[first, *_]):
            mark(first, "path")
        case ast.Subscript(
            value=ast.Subscript(value=name) | ast.Call(func=ast.Attribute(value=name, attr="get")), slice=ast.Slice()
        ):
            mark(name, "cut")  # `run[query][:k]`
        case ast.Subscript(value=name, slice=ast.Constant(int())):
            mark(name, "", "pairs")
        case ast.Subscript(value=name, slice=ast.Tuple(elts=[ast.Slice(), *others])):
            is_column = any(ast.unparse(each) in ("None", "np.newaxis") for each in others)  # `scores[:, None]` has one
            mark(name, "" if is_column else "nested", "nested")
            mark(name, "array")
        case ast.Subscript(value=name, slice=ast.Name() | ast.Tuple() as key):
            mark(key, "place", "place")
            mark(name, "indexed")
            own = names.get(getattr(name, "id", ""))
            mark(name, "keyed" * (own is not None and names.get(getattr(key, "id", "")) == f"{_ELEMENT}{own}"))

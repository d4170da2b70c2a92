"""The forms in which a function may be called, the likeliest first: by its parameters and its source.

Nothing is executed here. Answers show which form is right (``run/shape_inference.py``): a bad order only costs calls.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import islice, permutations, product
from typing import TYPE_CHECKING

from rankspec.conformance.worker.packing import (
    COLUMNS_OF_LABELS,
    CUTOFFS,
    GROUPS,
    OF_CODES,
    OF_DISTANCES,
    WORDS,
    packages_of,
)
from rankspec.conformance.worker.parameter_uses import ParameterUses, is_of_column, parameters_of, uses_of
from rankspec.conformance.worker.shapes import (
    BATCHES,
    CASES,
    CUTOFF,
    Form,
    Places,
    Shape,
    ShapeError,
    Signature,
    by_position,
    parse_form,
    says_last_is_true,
    tell,
)

if TYPE_CHECKING:
    from rankspec.conformance.worker.adapter import ShapeName

_CUTOFFS = frozenset("k topk topks cutoff cutoffk atk at depth topn n kk maxrank rankcutoff numresults".split())  # noqa: SIM905
_LISTS_OF_CUTOFFS = frozenset("ks kvalues kvals klist topks cutoffs cutoffranks atks ats ns".split())  # noqa: SIM905
_SURE_CUTOFFS = {"k", "topk", "cutoff"}  # These may stand before the data
_OF_RELEVANT = re.compile("total$|relevant(total|count|docs)$|(n|num|total|count).*(rel|pos|test|true|gold|gt)")
"""What numbers of relevant documents are called."""
_GROUP = re.compile("group|quer|question|qid|user|uid|session|sizes")
"""What a parameter of query ids or of sizes of groups has in its name."""
_POINTS = re.compile("m?(rec(all)?|prec(ision)?|[tf]pr)s?")
_XY = re.compile(f"[xy]s?|{_POINTS.pattern}")
"""What the points of a curve are called, and what they are called where the area below is computed."""
_MASK = re.compile("mask|scorable|eligible")
"""What a parameter has in its name that says which queries count, or which documents."""
_OF_TRUE = re.compile("pos|rel|true|target|label|gt|hit")
"""What a mask has in its name that has the labels."""
_LEFT_OUT = re.compile("junk|ignor|exclu|histor|observed|(^|_)(seen|train)")
"""What a parameter has in its name that says which documents are left out: none."""
_THRESHOLD = re.compile("thresh|min_(rat|rel)")
_NOT_RELEVANT = re.compile("non|irrel|neg|unrel")
_JUDGED = re.compile("judg|pool|" + _NOT_RELEVANT.pattern)
"""What a parameter of judged documents, or of those that are not relevant, has in its name."""
_EVERY_ID = re.compile("corpus|^all_|universe|cand|^items$|(item|doc)s?_ids$")
"""What a parameter has in its name that has the ids of all documents."""
_OF_VECTORS = re.compile("(item|doc|corpus|passage|gallery|cand).*(emb|vec|feat)")
"""What a parameter has in its name that has a vector of each document."""
_THIRD = re.compile(f"{_GROUP.pattern}|{_JUDGED.pattern}")
_CONTAINERS = """
list: | array: array | rows?: nested | row-array?: nested array | series?: series array | tensor?: tensor array
row-tensor?: tensor array nested | number: number | ids: ids | set: ids set | one?: one | rank?: one | pairs?: pairs
scores?: dict indexed ids | objects?: objects! | records?: records! | path?: path! | text?: text! | rated?: rated!
by-query: dict indexed nested grades | lists-by-query: dict indexed nested lists members cut
rank-pairs-by-query: dict indexed nested lists members cut pairs! | ids-by-query: dict indexed nested lists ids members
objects-by-query: dict indexed nested objects! | records-by-query: dict indexed nested records! | lists: nested ids
matrix: nested array | matrix-rows: nested | matrix-tensor: nested tensor array | sparse?: nested array sparse!
rank-pairs?: pairs! | lone?: array | unordered?: ids set | labelled?: pairs! | turned-labelled?: pairs!
scored: pairs! | turned-scored: pairs! | cases: pairs! | turned-cases: pairs! | spans?: pairs
list-frame?: frame! column | frame?: frame column indexed | row-frame?: frame column indexed | groups:
grades: dict indexed ids grades | ideal?: ideal array | ranks?: ranks | id-array: array ids | flags?: nested array
flags-tensor: nested array tensor | or-none?: ranks missing | or-minus?: ranks missing array | parted?: array
target?: one place number | targets?: one place array | order?: place! array | classes: dict!
numbered?: dict! indexed nested members lists cut
items?: array | first?: array | codes: nested array | first-rows?: nested array | wrapped?: nested!
wrapped-lists?: nested! ids | row-objects: nested objects! | row-records: nested records!
object-truth?: attributes! | record-truth?: column! | object-case?: attributes! | record-case?: column!
object-cases?: objects! | record-cases?: records! | frame-cases?: frame! column! records! objects!
pair-cases?: pairs! attributes! | searched: called ids | found-pairs: called pairs! | found-objects: called objects!
found-records: called records! | asked-objects: objects! | asked-records: records! | asked-pairs: pairs!
estimator: called | rows-of-scores?: | of-rival: bound! | rivals: nested array | rows-of-places: nested
places-by-number: dict indexed
"""
"""What is done with an argument in these containers and can't be done with any list. `?` stands behind those that few
functions take: they are tried last among those for which as much speaks; `!` behind what has to be done with some
argument, one of these, for a container to be tried."""
_LISTED = [each.strip().partition(":") for line in _CONTAINERS.split("\n") for each in line.split("|") if each]
_RARE = {name.rstrip("?") for name, _, _ in _LISTED if name.endswith("?")}
_TRAITS_OF_CONTAINER = {name.rstrip("?"): {*traits.replace("!", "").split()} for name, _, traits in _LISTED}
_NEEDED = {name.rstrip("?"): {each[:-1] for each in traits.split() if each[-1] == "!"} for name, _, traits in _LISTED}
_WEIGHED = set[str]().union(*_TRAITS_OF_CONTAINER.values()) - {"indexed"}
"""What speaks for or against a form; a subscript by a name is what many things have."""


_WITH_TRUTH = 2  # The truth stands apart from what is held against it
_WITH_GROUPS = 3  # The truth, what is held against it, and what stands beside them
_ROWS = "-=list array rows row-array series tensor row-tensor mask=array"
_IN_BOTH = "-=list+list array=array+array series=series+series tensor=tensor+tensor"
_RUNS = "ranked=lists-by-query pairs=lists-by-query rank-pairs=rank-pairs-by-query"
_BY_ROW = "-=list+list+groups array=array+array+groups series=series+series+groups tensor=tensor+tensor+groups"
_BY_PLACE = "row-places=rows-of-places numbered=places-by-number"
_NUMBERED = "numbered-truth=numbered+lists numbered-lists=lists+numbered numbered=numbered+numbered"
_MATRICES = "-=matrix+matrix rows=matrix-rows+matrix-rows tensor=matrix-tensor+matrix-tensor sparse=sparse+matrix"
_BY_SEARCH = "ranked=searched pairs=found-pairs objects=found-objects records=found-records"
_FORMS = (
    (Shape.RANKING, _ROWS),
    (Shape.RANKING, "curve", "-=list array"),
    (Shape.RANKING, "=objects records", "- rows"),
    (Shape.RANKING, "=labelled turned-labelled"),
    (Shape.LABELS_SCORES, "scored turned-scored rated frame=row-frame objects records"),
    (Shape.LABELS_SCORES, "objects=objects+list records=records+list"),
    (Shape.LISTS, "- sets ones", "=turned-cases cases"),
    (Shape.RANKING, "query-ranks", "- from-0", "-=ranks or-none or-minus"),
    (Shape.RANKING, "query-ranks", "- from-0", "array", "-=ranks or-minus"),
    (Shape.RANKING, "=rank", "- from-0"),
    (Shape.RANKING, "query-ranks", "=objects records", "- from-0"),
    (Shape.ACTUAL_PREDICTED, "- set one", "=object-case record-case"),
    (Shape.LISTS, "- sets ones", "=object-cases record-cases frame-cases pair-cases"),
    (Shape.MATRICES, "first=first-rows", "- rows tensor"),
    (Shape.LABELS_SCORES, "=first", "- array"),
    (Shape.RANKING, _ROWS, "-=number"),
    (Shape.LABELS_SCORES, _IN_BOTH),
    (Shape.LABELS_SCORES, "=target", "-=list array series tensor"),
    (Shape.LABELS_SCORES, "lone", "-=list+lone array=array+lone series=series+lone tensor=tensor+lone"),
    (Shape.LABELS_SCORES, "parted=parted+parted", "- array series tensor"),
    (Shape.LABELS_SCORES, "order", "-=list+order array=array+order tensor=tensor+order"),
    (
        Shape.ACTUAL_PREDICTED,
        "- whole",
        "-=ids set one",
        "-=ids pairs rank-pairs scores objects records array=id-array rows=matrix-rows unordered wrapped",
    ),
    (Shape.ACTUAL_PREDICTED, "- set", "places=ids+list+ids doubled=ids+ids+ids"),
    (Shape.ACTUAL_PREDICTED, "doubled", "objects=ids+objects+ids records=ids+records+ids"),
    (Shape.ACTUAL_PREDICTED, "classes=one+ids+classes"),
    (Shape.ACTUAL_PREDICTED, "spans=spans+spans"),
    (Shape.ACTUAL_PREDICTED, "alike", "objects=objects+objects records=records+records"),
    (Shape.ACTUAL_PREDICTED, "curve", "-=ids one", "-=ids array=id-array"),
    (Shape.QRELS_RUN, "- whole", "single=grades", "ranked=ids -=scores pairs objects records"),
    (
        Shape.QRELS_RUN,
        "- whole",
        "-=by-query sets=ids-by-query lists=ids-by-query relevant=by-query",
        f"-=by-query {_RUNS} objects=objects-by-query records=records-by-query",
    ),
    (Shape.QRELS_RUN, "search", "- sets lists", "-=by-query", _BY_SEARCH),
    (Shape.QRELS_RUN, "search", "lists sets ones", "=asked-objects asked-records asked-pairs", _BY_SEARCH),
    (Shape.QRELS_RUN, "search", "lists sets ones", "asked-lists=lists", _BY_SEARCH, "=groups"),
    (Shape.LISTS, "- whole", "-=lists sets=lists ones=one", "-=lists array=lists wrapped=wrapped-lists"),
    (Shape.LISTS, "alike", "objects=row-objects+row-objects records=row-records+row-records"),
    (Shape.LISTS, "-=lists sets=lists ones=one", "objects=row-objects records=row-records"),
    (Shape.LISTS, "curve", "-=lists sets=lists", "-=lists"),
    (Shape.LISTS, "- whole", "- sets", _NUMBERED),
    (Shape.LISTS, "list-frames=list-frame+list-frame"),
    (Shape.QRELS_RUN, "single", "ranked=ids -=scores pairs objects records", "of-query=by-query", "=groups"),
    (Shape.LISTS, "ones", "tensor=tensor+flags-tensor", "whole"),
    (Shape.LISTS, "flags=lists+flags flags-tensor=lists+flags-tensor"),
    (Shape.FILES, "-=path+path text=text+text"),
    (Shape.MATRICES, _MATRICES),
    (Shape.MATRICES, "dicts=numbered+numbered"),
    (Shape.MATRICES, "=targets", "-=matrix rows=matrix-rows tensor=matrix-tensor"),
    (Shape.MATRICES, "rival=of-rival+rivals", "- tensor"),
    (Shape.MATRICES, _BY_PLACE, "-=matrix tensor=matrix-tensor"),
    (Shape.MATRICES, _BY_PLACE, "embeddings=matrix tensor=matrix-tensor", "embeddings=array"),
    (Shape.LABELS_SCORES, "rival=of-rival+list", "- array tensor"),
    (Shape.FRAMES, "relevant -", "-=frame+frame whole=frame+frame"),
    (Shape.RANKING, "ranks", "- array", "- from-0", "-=ranks -=ranks+number"),
    (Shape.RANKING, "ideal", "-=list+ideal array=array+ideal row-array=row-array+ideal row-tensor=row-tensor+ideal"),
    (Shape.RANKING, "items", "array=array+items -=list+items mask=array+items"),
    (Shape.ACTUAL_PREDICTED, "=object-truth record-truth", "-=ids records objects"),
    (Shape.ACTUAL_PREDICTED, "object-golds=objects record-golds=records", "-=ids"),
    (Shape.LABELS_SCORES, "sizes queries documents", _BY_ROW),
    (Shape.LABELS_SCORES, "estimator=array+rows-of-scores+estimator"),
    (Shape.LABELS_SCORES, "codes=codes+codes+codes+codes vectors=codes+codes+codes+codes", "- tensor"),
    (Shape.LABELS_SCORES, "distances=codes+array+array"),
    (Shape.MATRICES, "diagonal=rivals", "- tensor"),
    (Shape.QRELS_RUN, "single", "ranked", "lists=ids+ids+ids sets=set+ids+set", "judged nonrelevant"),
)
"""The forms by shape, the plainest first: what may stand in each place, as words of the form (`-` is none) with the
containers of the arguments that they take, truth first; a word alone after `=` is a container of its own name."""


@cache
def _forms(count: int) -> list[tuple[Form, tuple[str, ...]]]:
    """Return the forms of so many arguments, and what is in each container, truth first."""
    forms = []
    for shape, *places in _FORMS:
        for chosen in product(*map(_alternatives, places)):
            containers = tuple(each for _, each_of in chosen for each in each_of)
            if len(containers) == count:
                words = {word for word, _ in chosen}
                known = (word for group in WORDS[shape] for word in group if word in words)
                forms.append((Form(shape, _joined(*known)), containers))
    return forms


def _alternatives(place: str) -> list[tuple[str, list[str]]]:
    """Return the words that may stand in a place, each with the containers that it stands for."""
    pairs = [each.rpartition("=") for each in place.split()]
    has_containers = "=" in place
    return [
        ((word or container).strip("-") if word != "-" else "", container.split("+") if has_containers else [])
        for word, _, container in pairs
    ]


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def _roles(  # noqa: C901, PLR0912 - a case a role
    parameters: list[inspect.Parameter], uses: ParameterUses, *, is_ranking: bool
) -> Iterator[tuple[list[str], dict[str, str], dict[str, str], int]]:
    """Yield which parameters are data, which have a role by another name, which a value, and how unlikely that is."""
    data: list[str] = []
    roles: dict[str, str] = {}
    constants: dict[str, str] = {}
    for parameter in parameters:
        name = parameter.name.replace("_", "").casefold()
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        traits, is_required = uses.traits.get(parameter.name, set()), parameter.default is inspect.Parameter.empty
        value = _constant_of(parameter, uses) if is_required else ""
        if value and (data or value == parameter.name):
            constants[parameter.name] = value
        elif is_required and data and _is_threshold(parameter, traits):
            constants[parameter.name] = ""
        elif data and is_ranking and _OF_RELEVANT.match(name):
            roles[parameter.name] = "num_relevant"
            data.append(parameter.name)
        elif (data or name in _SURE_CUTOFFS) and _is_cutoff(parameter, traits) and CUTOFF not in roles.values():
            roles[parameter.name] = CUTOFF
        elif is_required or (is_ranking and "ideal" in name):
            data.append(parameter.name)
    if not data:  # it reads none of them: what it answers says that it is no metric
        data, constants = [*constants], {}
    numbers = {name: role for role, word in _NUMBERS.items() for name in data if word.search(name.casefold())}
    if len(left := [name for name in data if name not in numbers]) == _WITH_TRUTH < len(data):
        yield left, roles, {**constants, **numbers}, 1
    by_word = ([name for name in data if re.search(word, name.casefold())] for word in (_OF_VECTORS, _THIRD, _EVERY_ID))
    thirds = next((names for names in (*by_word, [*uses.called]) if len(names) == 1), [])
    if len(data) == _WITH_GROUPS and thirds and not is_ranking:
        data = [*(name for name in data if name not in thirds), *thirds]
        roles[thirds[0]] = GROUPS
    if not data and any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        yield ["args"] * 2, {}, constants, 0
        yield ["args"], {}, constants, 1
    yield data, roles, constants, 0
    if "each" in constants.values():
        yield data, roles, {name: "every" if value == "each" else value for name, value in constants.items()}, 1
    is_held = data and uses.traits.get(data[-1], set()) & {"array", "dict", "frame", "tensor"}
    if len(data) > 1 and CUTOFF not in roles.values() and data[-1] not in roles and not is_held:  # k by any name
        yield data[:-1], {**roles, data[-1]: CUTOFF}, constants, 2


_NUMBERS = {
    "queries": re.compile("((^|_)u|user|uid|query|queries|qid|question|session)s?(_?(ids?|list))?$"),
    "documents": re.compile("(item|doc|document)s?(_?(ids?|list))?$"),
}
"""What parameters are called that take the numbers of all queries, or of all documents, beside matrices of them."""


def _is_cutoff(parameter: inspect.Parameter, traits: set[str]) -> bool:
    name = parameter.name.replace("_", "").casefold()
    is_named = name in _CUTOFFS or name.endswith(("topk", "atk", "cutoff")) or is_of_cutoffs(parameter, traits)
    return is_named or ("cutoff" in traits and not traits & {"ids", "dict", "array"})


def _is_threshold(parameter: inspect.Parameter, traits: set[str]) -> bool:
    """Tell what labels are compared with, and is required, or above label 1 by default, as that of five stars is."""
    name, default = parameter.name.casefold(), parameter.default
    is_named = _THRESHOLD.search(name)
    if default is parameter.empty:
        is_bound = traits == {"bound"} and not _OF_TRUE.search(name)  # not the score of the relevant document
        return bool(is_named) or (is_bound and not _is_cutoff(parameter, traits))
    return bool(is_named) and isinstance(default, int | float) and default > 1


def _constant_of(parameter: inspect.Parameter, uses: ParameterUses) -> str:
    """Return what a parameter has that takes no data: its name for a column, an option, a mask; empty if it does."""
    options = [each for each in uses.options.get(parameter.name, []) if re.fullmatch(r"[\w.-]+", each)]
    name = parameter.name.casefold()
    is_mask = _MASK.search(name) and not _OF_TRUE.search(name)
    own = "each" if is_mask else "nothing" if _LEFT_OUT.search(name) else ""
    own = parameter.name if is_of_column(parameter) else own
    if "cam" in name and name.rstrip("s").endswith(("cam", "camid", "camera")):
        own = "camera" if _OF_QUERY.search(name) else "cameras"
    return next(iter(options), own)


def candidates(
    function: Callable[..., object], stated: Form | Shape | ShapeName | None = None
) -> tuple[Signature, ...]:
    """Give the ways in which a callable may be called, likeliest by its names first; `ShapeError` if not as stated."""
    if stated is None:
        names = [each.name.casefold() for each in parameters_of(function) if each.default is inspect.Parameter.empty]
        points = _XY if "auc" in getattr(function, "__name__", "").casefold() else _POINTS
        if len(names) > 1 and all(map(points.fullmatch, names)):
            raise ShapeError(f"its parameters ({', '.join(names)}) are points of a curve, and no ranking")
        return _inferred(function)
    # What is written down of a form that was found is read as it was found: `n` stays the cutoff of `ranking`.
    form = stated if isinstance(stated, Form) else parse_form(Shape(stated).value)
    same = (each for each in _inferred(function) if each.form == form)
    return (next(same, None) or tell(function, form),)


def _inferred(function: Callable[..., object]) -> tuple[Signature, ...]:
    try:
        by_names: tuple[Signature, ...] = (tell(function),)
    except ShapeError:
        by_names = ()
    if by_names and (batch := BATCHES.get(by_names[0].shape)):
        by_names = (*by_names, tell(function, batch))
    if by_names and by_names[0].shape is Shape.FILES:
        return by_names
    parameters = parameters_of(function)
    uses = uses_of(function, parameters)
    ordered = (*by_names, *_by_likelihood(parameters, uses))
    known = {signature.form: signature for signature in reversed(ordered)}  # the likeliest of each form
    chosen = (known[form] for form in dict.fromkeys(signature.form for signature in ordered))
    thresholds = (each.name for each in parameters if _is_threshold(each, uses.traits.get(each.name, set())))
    threshold = f"threshold {name}" if (name := next(thresholds, "")) else ""
    lists = {(CUTOFF, each.name) for each in parameters if is_of_cutoffs(each, uses.traits.get(each.name, set()))}
    beside = ((each, _joined(each.packing, threshold, CUTOFFS * bool(lists & {*each.keywords}))) for each in chosen)
    return tuple(replace(signature, packing=packing) for signature, packing in beside)


def is_of_cutoffs(parameter: inspect.Parameter, traits: set[str]) -> bool:
    """Tell a list of cutoffs by its name, or by what is done with its elements, from a single one."""
    name = parameter.name.replace("_", "").casefold()
    is_list = CUTOFFS in traits and not _GROUP.search(name)
    says_list = isinstance(parameter.default, list | tuple) or _OF_LIST.search(str(parameter.annotation))
    is_list |= bool(says_list or "looped" in traits) and name in _CUTOFFS
    return is_list or (name in _LISTS_OF_CUTOFFS and "number" not in traits)


_OF_LIST = re.compile(r"(?i)\b(list|tuple|sequence|iterable)\b")


def is_named_cutoff(parameter: inspect.Parameter) -> bool:
    """Tell a cutoff, or a list of such, by the name of a parameter alone."""
    return parameter.name.replace("_", "").casefold() in _CUTOFFS | _LISTS_OF_CUTOFFS


def _by_likelihood(parameters: list[inspect.Parameter], uses: ParameterUses) -> list[Signature]:
    likely: list[tuple[int, int, Signature]] = []
    for is_ranking in (True, False):
        for names, roles, constants, unlikely in _roles(parameters, uses, is_ranking=is_ranking):
            # Of pairs in one argument the names say the order into which a loop takes them apart.
            first, last = names[:2] if len(names) > 1 else uses.parts.get("".join(names), ("", ""))
            says_last, says_first = says_last_is_true((first, last)), says_last_is_true((last, first))
            for form, containers in _forms(len(names)):
                if (form.shape is Shape.RANKING) is not is_ranking or not _is_here(form, containers, uses):
                    continue
                is_coded = "codes" in containers
                is_fixed = len(containers) < _WITH_TRUTH or "number" in containers or is_coded
                for is_turned in (False,) if is_fixed else (False, True):
                    turned = (*containers[:2][::-1], *containers[2:]) if is_turned else containers
                    traits = [uses.traits.get(name, set()) for name in names]
                    if not all(map(_can_be, turned, traits)):
                        continue
                    score = sum(map(_likelihood, turned, traits))
                    is_last = is_turned or "turned-" in form.packing
                    score += _ORDER * (form.shape.has_truth_first and (says_last if is_last else says_first))
                    score -= unlikely
                    try:
                        signature = by_position(
                            form.shape,
                            parameters,
                            is_truth_last=is_turned,
                            places=Places(
                                {**roles, **_codes(names)} if is_coded else roles,
                                ("labels",) * (len(names) > _WITH_GROUPS)
                                + (GROUPS,) * (is_coded or len(containers) == _WITH_GROUPS),
                                None if names == ["args"] * len(names) else tuple(names),
                                form.shape.natives[: len(containers)],
                                frozenset(constants),
                            ),
                        )
                    except ShapeError:
                        continue
                    columns = _columns(uses) if form.shape is Shape.FRAMES else None
                    stated = [word for each in constants.items() if all(each) for word in each]
                    words = f"given {' '.join(stated)}" if stated else ""
                    for packing in (_joined(each, words) for each in _with_fields(form, uses, names)):
                        likely.append((-score, len(likely), replace(signature, packing=packing, columns=columns)))
    return [signature for _, _, signature in sorted(likely, key=lambda each: each[:2])]


def _codes(names: list[str]) -> dict[str, str]:
    """Return which has the codes, or the distances, and the labels, of a query and of the documents, by their names."""
    order = OF_CODES if len(names) > _WITH_GROUPS else OF_DISTANCES
    of_query = {"y_score", "y_true"} if order is OF_CODES else {"y_true"}
    kinds = {name: (bool(_OF_CLASS.search(name)), bool(_OF_QUERY.search(name))) for name in names}
    roles = {
        (role in ("y_true", "labels") or (role, order) == (GROUPS, OF_DISTANCES), role in of_query): role
        for role in order
    }
    by_name = {name: roles.get(both, "") for name, both in kinds.items()}
    return by_name if {*by_name.values()} == {*order} else dict(zip(names, order, strict=True))


_OF_CLASS = re.compile("(?i)label|pid|class|target|(^|_)(y|ids?|l)(_|$)")
_OF_QUERY = re.compile("(?i)quer|probe|(^|_)q")

_USE, _ORDER, _UNSAID = 2, 3, 6
"""What speaks for a form, or against it. Names that say which argument is the truth outweigh one use, not
two. An ideal list and ranks come last unless a name says so: a vector of labels passes for either."""


_SAID = ("ideal", "ranks", "or-none", "or-minus")


def _likelihood(container: str, traits: set[str]) -> int:
    expected, seen = _TRAITS_OF_CONTAINER[container], traits & _WEIGHED
    likelihood = sum(_USE if trait in expected else -_USE for trait in seen)
    if container in _RARE and not seen & expected:
        likelihood -= 1
    return likelihood - (_UNSAID if container in _SAID and not expected - {"array"} <= seen else 0)


def _can_be(container: str, traits: set[str]) -> bool:
    """Tell what a parameter can't be: what is its own key is a dict; what lies above another thing, or is real, no id.

    A real number alone is a score, or a count.
    """
    kinds = _TRAITS_OF_CONTAINER[container]
    if ("keyed" in traits and not kinds & {"dict", "frame"}) or {"number", "real"} <= traits:
        return container in ("of-rival", "number", "rank") and "keyed" not in traits
    is_id = container in ("one", "target", "items") or kinds & {"ids", "lists", "members"}
    return not (traits & {"real", "compared"} and is_id)


def _is_here(form: Form, containers: tuple[str, ...], uses: ParameterUses) -> bool:
    """Tell whether what a form needs is imported already, or certain to be used: nothing is loaded for a guess."""
    words, every = {*form.packing.split(", ")}, set().union(*uses.traits.values())
    said = {package for trait, package in (("frame", "pandas"), ("sparse", "scipy")) if trait in every}
    if any(
        each not in ("numpy", *sys.modules) and not (each in said and find_spec(each)) for each in packages_of(form)
    ):
        return False
    if any((needed := _NEEDED[each]) and not needed & every for each in containers):
        return False
    if words & {"search", "estimator"} and not uses.called:
        return False
    if "unordered" in words and not every & {"ids", "set"}:
        return False  # who compares places gets a value by luck
    told = [word for word in (_GROUP, _EVERY_ID) if any(word.search(each.casefold()) for each in uses.traits)]
    others = {"places", "documents"} if _EVERY_ID not in told else {"sizes", "queries"} if len(told) == 1 else set()
    if words & others:
        return False
    if names := words & {"judged", "nonrelevant"}:  # a name says which, if it says anything
        thirds = [name.casefold() for name in uses.traits if _JUDGED.search(name.casefold())]
        return bool(thirds) and any(map(_NOT_RELEVANT.search, thirds)) is ("nonrelevant" in names)
    return True


def _with_fields(form: Form, uses: ParameterUses, names: list[str]) -> Iterator[str]:
    """Yield the packing with the fields or the columns that the source reads behind the word that takes them."""
    words = [*filter(None, form.packing.split(", "))]
    named: Iterable[Sequence[str]] = ()
    if word := next((word for word in words if word in ("asked-objects", "asked-records")), ""):
        query, truths = next(iter(uses.called.values())), [name for name in names if name not in uses.called]
        golds = [each for name in truths for each in uses.fields.get(name, ()) if each != query]
        golds.sort(key=lambda each: not says_last_is_true(("", each)))
        named = [[query, each] for each in golds[:_MOST_SIDES]] if query else []
    elif word := next((word for word in words if word in (*CASES, "list-frames")), ""):
        named = _sides(word, uses, names)
    elif word := next((word for word in words if word in ("object-truth", "record-truth")), ""):
        own = {each for name in names for each in (*uses.attributes.get(name, ()), *uses.columns.get(name, ()))}
        own |= {each for name in names for each in uses.fields.get(name, ()) if "*" in each}
        named = [[each] for each in sorted(own)[:_MOST_SIDES]]
    elif word := next((word for word in words if word in ("objects", "records", "object-golds", "record-golds")), ""):
        holders = [*(uses.called if "search" in words else names)]
        truth = {path for each in words for path in each.split()[1:] if "-truth" in each}
        read = next((read for name in holders if (read := uses.fields.get(name, [])) and not truth & {*read}), [])
        most = 1 if word.endswith("-golds") else None
        named = filter(None, [_fields(form, read, len(names))[:most]])
    elif "frame" in words:
        word, named = "frame", _columns_of_labels(uses, names)
    elif form.shape is Shape.FRAMES and (read := _read_columns(uses)):
        ranks = _matching("rank|position", read)
        yield from (_joined(*words, f"place {each}") for each in ranks[:1])  # or it is filled in
        is_ordered = _columns(uses) and not _column("score", read) and not ranks
        words += ["ordered"] * bool(is_ordered)
    if not word:
        yield ", ".join(words)
    for fields in named:
        packing = _joined(*(" ".join([each, *fields]) if each == word else each for each in words))
        yield from [packing] if word == "frame" else _with_fields(replace(form, packing=packing), uses, names)


def _columns_of_labels(uses: ParameterUses, names: list[str]) -> Iterator[list[str]]:
    """Yield which of the columns that the source reads have query, score and label, and the document, if any does."""
    read = [*dict.fromkeys(each for name in (*names, "") for each in uses.columns.get(name, []))]
    read.sort(key=lambda each: each not in uses.traits)  # a column that a parameter names comes before all
    by_word = [_column(kind, read) for kind in ("query", "score", "label")]
    docno = [each for each in [_column("document", read)] if each and each not in by_word]
    others = permutations([each for each in read if each not in (*by_word, *docno)], by_word.count(""))
    if by_word[1] and by_word[2] and not by_word[0]:
        yield [COLUMNS_OF_LABELS[0], *by_word[1:], *docno]
    if not by_word[1] and by_word[2]:
        yield [by_word[0] or COLUMNS_OF_LABELS[0], "-", by_word[2], *docno]
    for left in map(iter, islice(others, _MOST_ORDERS)):  # what no word tells is tried in every order
        yield [*(each or next(left) for each in by_word), *docno]
    if by_word.count("") > len(read) - len({*by_word} - {""}):
        yield []


def _fields(form: Form, read: Sequence[str], count: int) -> list[str]:
    """Return which of the fields that the source reads have what the form takes; none where they can't have it."""
    label = _column("label", read)
    if "query-ranks" in form.packing:
        ranks = _matching("rank|position", read)
        flags = _matching("found|hit|^is_|^has_|success|match", [each for each in read if each not in ranks])
        return [*ranks[:1], *flags[:1]] if ranks else []
    if form.shape is Shape.RANKING:
        return [label] if label else []
    if form.shape is not Shape.LABELS_SCORES:
        fields = list(dict.fromkeys(read))[:3]
        return sorted(fields, key=lambda each: any(word in each.casefold() for word in _COLUMN_WORDS["score"]))
    score = _column("score", [each for each in read if each != label]) if count == 1 else "-"
    rest = [each for each in read if each not in (label, score)]
    return [_column("query", rest) or "-", score, label, _column("document", rest) or "-"] if label and score else []


def _matching(pattern: str, names: Sequence[str]) -> list[str]:
    return [each for each in names if re.search(pattern, each.casefold())]


_MOST_ORDERS = 24
_MOST_SIDES = 6  # Pairs of fields that are tried as both sides of a query


def _sides(word: str, uses: ParameterUses, names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield which of the fields that the source reads may be the truth, and what is held against it."""
    is_pair, query = word == "pair-cases", list[str]()
    columns = {each for name in (*names, "") for each in uses.columns.get(name, []) if word != "object-cases"}
    read = columns | {each for name in names for each in (uses.of_pairs if is_pair else uses.fields).get(name, ())}
    if word == "object-case":
        read = uses.attributes.get(names[0], read)
    if word == "list-frames":  # which are merged by the query
        query = [_column("query", sorted(read)) or COLUMNS_OF_LABELS[0]]
    left = sorted(each for each in read - {*query} if is_pair is bool(re.match("[01][.:]", each)))
    # Of those of pairs one is of the first of a pair, and one of the last.
    both = [each for each in permutations(left, 2) if not is_pair or each[0][0] != each[1][0]]
    both.sort(key=lambda each: -says_last_is_true(each[::-1]))
    yield from ((*query, *each) for each in both[:_MOST_SIDES])


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


def _column(kind: str, columns: Sequence[str]) -> str:
    of_kind = [each for each in columns if kind in ("document", "query") or not each.casefold().endswith("id")]
    return next((each for word in _COLUMN_WORDS[kind] for each in of_kind if word in each.casefold()), "")

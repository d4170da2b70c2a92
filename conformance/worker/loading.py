"""In the worker: load what a source names, and tell how its functions are called."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any, TypeVar, cast

from rankspec.conformance.worker import messages
from rankspec.conformance.worker.adapter import LONGEST_STARTUP_SECONDS, Adapter
from rankspec.conformance.worker.arguments import lacks
from rankspec.conformance.worker.forms import candidates, is_named_cutoff, is_of_cutoffs
from rankspec.conformance.worker.packing import CUTOFFS, packages_of
from rankspec.conformance.worker.parameter_uses import (
    attributes_of_self,
    classes_checked,
    fields_of,
    parameters_of,
    returned_names,
    returns_function,
    returns_nothing,
    uses_of,
)
from rankspec.conformance.worker.shapes import CUTOFF, Form, Need, Shape, ShapeError, Signature, says_data, tell
from rankspec.conformance.worker.values import one_line

# ---- Classes, called as functions

# Methods by which an object is given data, return a value of all of it, and return one of what they are given.
FEEDING = re.compile(r"(update|add|append|accumulate|record|observe|feed)(_|$)")
_ENDING = re.compile(r"(compute|result|value|get|average|mean|calculate|evaluate|score|report|summary|retrieve)s?(_|$)")
SCORING = ("compute", "score", "evaluate", "calculate", "measure")


_PYTHON = sys.version.partition(" ")[0]  # what platform.python_version() returns, which takes 2 ms to load


class UncallableError(Exception):
    """Nothing of it can be called with data alone; the message says why."""


def as_function(named: Any, owner: Any = None) -> Callable[..., object]:
    """Return a function of data (and the constructor's `k`); `UncallableError` if that needs what is not known."""
    if isinstance(named, type):
        return _of_class(named)
    if isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, named.__name__, None)):
        try:
            return _made(owner, lambda instance: getattr(instance, named.__name__), parameters_of(named)[1:], named)
        except UncallableError:
            if _reads_nothing(owner, named.__name__):
                return MethodType(named, object.__new__(owner))
            raise
    return _of_maker(named) if inspect.isfunction(named) else named


def _of_class(kind: type) -> Callable[..., object]:
    methods = {name: getattr(kind, name) for each in kind.__mro__ if each is not object for name in vars(each)}
    is_static = {name: isinstance(inspect.getattr_static(kind, name), staticmethod) for name in methods}
    functions = {name: each for name, each in methods.items() if inspect.isfunction(each)}
    own = {name: parameters_of(each)[0 if is_static[name] else 1 :] for name, each in functions.items()}
    data = {name: bool(parameters) for name, parameters in own.items()}
    # `update` comes before `update_state`.
    by_length = sorted(data, key=lambda name: name.count("_"))
    feeding = next((each for each in by_length if data[each] and FEEDING.match(each)), "")
    ending = next((each for each in by_length if not data[each] and _ENDING.match(each)), "")
    if not feeding:
        public = [name for name in vars(kind) if data.get(name) and not name.startswith("_")]
        scoring = next((name for name in ("__call__", *SCORING) if name in methods), "")
        scoring = scoring or (public[0] if len(public) == 1 else "")
        if not scoring:
            raise UncallableError(f"the class {kind.__name__} has no method that takes data: name one as Class.method")
        method = methods[scoring]
        if not (ending and returns_nothing(method)):
            return _made(kind, lambda one: getattr(one, scoring), own[scoring], method)
        feeding = scoring
    if not ending:
        raise UncallableError(f"the class {kind.__name__} has {feeding}, and no method that gives the value")

    def fed(instance: Any) -> Callable[..., object]:
        def call(*arguments: Any, **keywords: Any) -> object:
            getattr(instance, feeding)(*arguments, **keywords)
            return getattr(instance, ending)()

        return call

    return _made(kind, fed, own[feeding], methods[feeding], is_fed=True)


def _reads_nothing(kind: type, name: str, above: frozenset[str] = frozenset()) -> bool:
    """Tell by its source whether a method needs nothing that the constructor makes, nor do those that it calls."""
    read = attributes_of_self(getattr(kind, name)) - {name} - above
    return all(inspect.isfunction(inspect.getattr_static(kind, each, None)) for each in read) and all(
        _reads_nothing(kind, each, above | {name}) for each in read
    )


def _made(
    maker: Callable[..., Any],
    call_of: Callable[[Any], Callable[..., object]],
    data: list[inspect.Parameter],
    source: Any,
    *,
    is_fed: bool = False,
) -> Callable[..., object]:
    """Return a function that makes an object anew for each call. Its source is that of what takes the data."""
    own = [each for each in parameters_of(maker) if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    cutoff = next((each for each in own if is_named_cutoff(each)), None)
    taken = {each.name for each in data}
    kept = [each for each in own if each.default is each.empty and each is not cutoff]
    texts = {each.name: "query" for each in kept if each.annotation in (str, "str")}
    for each in kept:  # data, a text, or what nobody knows
        is_known = each.name in texts or says_data(each.name) or each.name in uses_of(source, own).called
        if is_fed or each.name in taken or not is_known:
            raise UncallableError(f"{maker.__name__} needs {each.name!r}, which is not known: give it a default")
    ours = cutoff is not None and not taken & {"k", cutoff.name}
    if ours and cutoff is not None and not is_fed and isinstance(maker, type):  # `self.k`, or `self.top(...)`
        read = attributes_of_self(source)
        ours = any(cutoff.name in each or callable(getattr(maker, each, None)) for each in read)

    # A list of cutoffs has its own name, by which the source shows what is done with it.
    is_list = cutoff is not None and is_of_cutoffs(cutoff, uses_of(source, own).traits[cutoff.name])
    role = cutoff.name if cutoff is not None and is_list else "k"

    def function(*arguments: Any, **keywords: Any) -> object:
        made = {cutoff.name: keywords.pop(role)} if cutoff is not None and ours and role in keywords else {}
        made |= {each.name: texts.get(each.name) or keywords.pop(each.name) for each in kept}
        return call_of(maker(**made))(*arguments, **keywords)

    handed = (each for each in kept if each.name not in texts)
    parameters = [each for each in (*handed, *data) if each.kind is not each.VAR_KEYWORD]
    if ours and cutoff is not None:
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(cutoff.replace(name=role, kind=keyword))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__wrapped__ = source  # type: ignore[attr-defined] # what inspect.getsource reads
    function.__name__ = getattr(maker, "__name__", "function")
    return function


def _of_maker(function: Callable[..., Any]) -> Callable[..., object]:
    """Return what a function of a cutoff alone makes, if that is a function; else the function."""
    parameters = parameters_of(function)
    required = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    takes_cutoff = any(map(is_named_cutoff, parameters))
    if not takes_cutoff or not all(map(is_named_cutoff, required)) or not returns_function(function):
        return function
    try:
        inner = function(**{each.name: 10 for each in required})
    except (Exception, SystemExit):  # noqa: BLE001 - what is called may raise anything
        return function
    return _made(function, lambda one: one, parameters_of(inner), inner) if inspect.isfunction(inner) else function


ADAPTERS = "rankspec.adapters"
_LONGEST_REASON = 400

Returned = TypeVar("Returned")
Announce = Callable[[messages.Preparing], None]


def _unheard(_: messages.Preparing) -> None:
    """Announce to nobody."""


class LoadError(Exception):
    """Nothing could be loaded; ``failed`` is what the harness is told."""

    def __init__(self, reason: str, missing: str | None = None) -> None:
        """Keep the reason as one line."""
        super().__init__(reason)
        self.failed = messages.Failed(one_line(reason, _LONGEST_REASON), missing)


@dataclass(frozen=True)
class Loaded:
    """The functions by measure, and what the harness is told about them."""

    hello: messages.Hello
    functions: Mapping[str, Callable[..., object]]


def load(source: messages.Source, shape: Form | None, announce: Announce = _unheard) -> Loaded:
    """Import the implementation, and prepare an adapter, announcing what takes long.  Raises ``LoadError``."""
    match source:
        case messages.AdapterSource(name):
            return _load_adapter(_run(lambda: built_in(name), f"{ADAPTERS}.{name} was imported"), name, announce)
        case messages.EntryPointSource(name):
            return _load_adapter(_offered(name), name, announce)
        case messages.FileSource(path, function):
            return _load_function(_import_file(Path(path)), Path(path).name, function, shape, announce)
        case messages.ModuleSource(module, function):
            sys.path.insert(0, str(Path.cwd()))
            named = _run(lambda: importlib.import_module(module), f"{module} was imported")
            return _load_function(named, module, function, shape, announce)
        case messages.CommandSource(words):
            # Users' functions need not pay for this import.
            from rankspec.conformance.worker.commands import Command  # noqa: PLC0415

            command = Command(words)
            signatures = command.signatures()
            return _loaded(command.name, None, None, dict.fromkeys(signatures, command), signatures)
        case messages.ProgramSource():
            raise LoadError("a program that speaks the protocol itself needs no worker")


def adapter_named(name: str) -> Adapter | None:
    """Return the adapter that a name means, with a version or without; None if there is none, or it can't be loaded."""
    try:
        return built_in(name.partition("==")[0])
    except (ImportError, AttributeError, KeyError):
        return None


def built_in(name: str) -> Adapter:
    """Return a shipped adapter, its library not imported.  Raises ``ImportError``, ``AttributeError``, ``KeyError``."""
    module = importlib.import_module(module_of(name))
    several: dict[str, Adapter] = {each.name: each for each in getattr(module, "ADAPTERS", ())}
    if several:
        return several[name]
    return cast("Adapter", getattr(module, "ADAPTER", None))  # whoever loads it says what else it is


def module_of(name: str) -> str:
    """Return the module of a shipped adapter: of its name, or of one that begins it (``sklearn_ndcg``: ``sklearn``)."""
    modules = [each for each in adapter_modules() if f"{name}_".startswith(f"{each}_")]
    return f"{ADAPTERS}.{max(modules, key=len, default=name)}"


@cache  # the folder does not change, and each look at it takes 2 ms
def adapter_modules() -> list[str]:
    """Return the names of the modules of adapters; none where the package is not installed."""
    try:
        package = importlib.import_module(ADAPTERS)
    except ModuleNotFoundError:
        return []
    return [each.name for each in pkgutil.iter_modules(package.__path__) if not each.name.startswith("_")]


def adapters_of(module: ModuleType) -> tuple[Adapter, ...]:
    """Return the adapters that a module states: one, or several."""
    return getattr(module, "ADAPTERS", None) or (module.ADAPTER,)


def _offered(name: str) -> object:
    """Load what the entry point of this name names."""
    # Users' functions need not pay for this import.
    from rankspec.conformance.worker.entry_points import GROUP, entry_point  # noqa: PLC0415

    point = entry_point(name)
    if point is None:
        raise LoadError(f"no package that is installed there has the entry point {name!r} in the group {GROUP}")
    return _run(point.load, f"{point.value} was imported")


def _load_adapter(adapter: object, name: str, announce: Announce) -> Loaded:
    # Users' functions need not pay for this import.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    if not isinstance(adapter, Adapter):
        what = "nothing" if adapter is None else f"a value of type {type(adapter).__name__}"
        raise LoadError(f"the adapter {name!r} is {what}, where an Adapter belongs")
    try:
        installed = version(adapter.distribution)
    except PackageNotFoundError as error:
        raise LoadError(f"{adapter.distribution} is not installed", adapter.distribution) from error
    try:
        shape = Shape(adapter.shape)
    except ValueError as error:
        raise LoadError(f"the adapter {name!r} has the shape {adapter.shape!r}, which there is not") from error
    signatures = {
        measure: replace(_tell(function, measure, shape), short_ids=adapter.short_ids)
        for measure, function in adapter.measures.items()
    }
    if adapter.compiles:
        announce(messages.Preparing("compiling", adapter.startup_seconds or LONGEST_STARTUP_SECONDS))
    elif adapter.startup_seconds is not None:
        announce(messages.Preparing("importing", adapter.startup_seconds))
    _run(adapter.start, "it was prepared")
    return _loaded(adapter.name, installed, adapter.convention, adapter.measures, signatures)


def _load_function(
    module: ModuleType, place: str, name: str, shape: Form | None, announce: Announce = _unheard
) -> Loaded:
    try:
        *path, last = name.split(".")
        owner: Any = reduce(getattr, path, module)
        function: Any = getattr(owner, last)
    except AttributeError as error:
        there = {key: value for key, value in vars(module).items() if callable(value) and not key.startswith("_")}
        own = [key for key, value in there.items() if getattr(value, "__module__", "") == module.__name__]
        from difflib import get_close_matches  # noqa: PLC0415 - most names are right

        near = get_close_matches(name, there, 1)
        listed = ", ".join(sorted(own or there)[:20]) or "no function at all"
        likely = f"did you mean {near[0]}? " if near else ""
        raise LoadError(f"{place} has no function {name!r}; {likely}it has {listed}") from error
    if isinstance(function, Adapter):
        if shape is not None:
            raise LoadError(f"an adapter has its own shape; leave out --shape {shape.value}")
        return _load_adapter(function, name, announce)
    if not callable(function):
        raise LoadError(f"{name!r} in {place} is not a function but of type {type(function).__name__}")
    version = getattr(sys.modules.get(module.__name__.partition(".")[0]), "__version__", None)
    try:
        return loaded_function(function, f"{place}:{name}", version, shape, owner)
    except (ShapeError, UncallableError) as error:
        raise LoadError(f"{name}: {error}") from error


def loaded_function(
    named: Callable[..., object], name: str, version: object, shape: Form | None, owner: object = None
) -> Loaded:
    """Say how a function (or what makes one) is called, or may be, where only its answers can tell."""
    # ``ShapeError``: it can be called in no way, or what the stated shape takes is not installed. ``UncallableError``:
    # no function can be made of it. ``owner`` is the class of a method.
    function = as_function(named, owner)
    absent = [package for package in packages_of(shape) if lacks(package)] if shape is not None else []
    if shape is not None and absent:
        raise ShapeError(f"the shape {shape.value} takes {absent[0]}, which is not installed there")
    possible = candidates(function, shape)
    called = tuple(each for each in possible if not any(map(lacks, packages_of(each.form))))
    doubt = ""
    try:
        if shape is None or not called:
            tell(function, shape)
    except ShapeError as error:
        if not called:
            raise
        doubt = str(error)
    stated = version if isinstance(version, str) else None
    returns = returned_names(function)
    # Of several values some heed no cutoff: where none is asked for, it is given this one.
    needing = [each for each in called if each.k is Need.REQUIRED]
    words = {(word, CUTOFFS in each.packing) for each in needing for role, word in each.keywords if role == CUTOFF}
    spare = {word: [10] if is_list else 10 for word, is_list in words} if returns and len(words) == 1 else {}
    called = tuple(replace(each, k=Need.OPTIONAL) if spare and each.k is Need.REQUIRED else each for each in called)
    # Who writes `relevance` and `num_relevant` has read the table of shapes.
    is_sure = not doubt and called[0].natives == Shape.RANKING.natives
    is_frames = shape is not None and shape.shape is Shape.FRAMES
    asked = called if (doubt or len(called) > 1 or is_frames) and not is_sure else ()
    functions = {messages.ANY_MEASURE: called[0]}
    hello = messages.Hello(name, stated, _PYTHON, called[0].shape, None, functions, asked, doubt)
    hello = replace(hello, returns=returns, is_of_maker=function is not named)
    checked = classes_checked(function)
    made = _with_objects(function, checked) if checked else function
    made = partial(made, **spare) if spare else made
    return Loaded(hello, {messages.ANY_MEASURE: _with_names(made, returns) if returns else made})


def _with_objects(function: Callable[..., object], kinds: list[type]) -> Callable[..., object]:
    """Return the same function, whose objects are of its classes that are made of their fields, without `__init__`."""
    own = (each for each in kinds if each.__dictoffset__ and not (issubclass(each, tuple) or inspect.isabstract(each)))
    made_of = {kind: {*fields_of(kind), *(each.name for each in parameters_of(kind))} for kind in own}

    def as_objects(value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(as_objects, value))
        if type(value) is dict:
            return {key: as_objects(each) for key, each in value.items()}
        values = value._asdict() if hasattr(value, "_asdict") else {}
        kind = next((kind for kind, names in made_of.items() if values and values.keys() <= names), None)
        if kind is None:
            return value
        built: Any = object.__new__(kind)
        vars(built).update({name: as_objects(each) for name, each in values.items()})
        return built

    return lambda *arguments, **keywords: function(*as_objects(arguments), **as_objects(keywords))


def _with_names(function: Callable[..., object], names: tuple[str, ...]) -> Callable[..., object]:
    """Return the same function, with the names that its source has for the values that it returns side by side."""
    kind = namedtuple("Values", names, rename=True)  # type: ignore[misc] # noqa: PYI024 - names of the source

    def call(*arguments: Any, **keywords: Any) -> object:
        returned = function(*arguments, **keywords)
        return kind(*returned) if type(returned) is tuple and len(returned) == len(names) else returned

    return call


def _loaded(
    name: str,
    version: str | None,
    convention: str | None,
    functions: Mapping[str, Callable[..., object]],
    signatures: Mapping[str, Signature],
) -> Loaded:
    if not signatures:
        raise LoadError(f"{name} has no measures")
    shape = next(iter(signatures.values())).shape
    return Loaded(messages.Hello(name, version, _PYTHON, shape, convention, signatures), functions)


def _tell(function: Callable[..., object], name: str, shape: Form | Shape | None) -> Signature:
    try:
        return tell(function, shape)
    except ShapeError as error:
        raise LoadError(f"{name}: {error}") from error


def _import_file(path: Path) -> ModuleType:
    """Import a file as a script's neighbours would: with its folder first on the path, under its own name."""
    sys.path.insert(0, os.fspath(path.parent))
    name = path.stem if path.stem not in sys.modules else f"rankspec_implementation_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _run(lambda: loader.exec_module(module), f"{path.name} was imported")
    return module


def _run(action: Callable[[], Returned], when: str) -> Returned:
    """Do what runs the implementation's own code, which may raise anything."""
    try:
        return action()
    except ModuleNotFoundError as error:
        raise LoadError(f"{_described(error)}, while {when}", error.name) from error
    except BaseException as error:
        raise LoadError(f"{_described(error)}, while {when}") from error


def _described(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 - the text of an exception is the implementation's own code
        return type(error).__name__

"""The texts that name an implementation, read into frozen values.

Nothing is imported here: what a text names is loaded by a worker, and what fails there comes back as an
``ImportFailure``.
"""

from __future__ import annotations

import ast
import copy
import importlib
import re
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rankspec.conformance.implementations import describing
from rankspec.conformance.implementations.pinned import PinError, Pinned, split_version
from rankspec.conformance.worker import loading, messages
from rankspec.conformance.worker.commands import ProgramError, parse_command, parse_program
from rankspec.conformance.worker.entry_points import Offered, offered_adapters
from rankspec.conformance.worker.forms import candidates
from rankspec.conformance.worker.packing import fault_of
from rankspec.conformance.worker.shapes import Form, Shape, ShapeError, parse_form
from rankspec.oracle.errors import UserError, suggestion
from rankspec.oracle.language.sentence import first_names

_MOST_NAMES = 12
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class SpecificationError(UserError):
    """A text names no implementation that can be run; the message says what, where and what to do."""


class ImportFailure(SpecificationError):  # noqa: N818 - its base says that it is an error
    """What a text names can't be loaded."""


OF_ONE_FUNCTION = {"shape-unclear", "function-not-runnable"}
"""Codes of failures of a function whose file is loaded, so that its other functions are asked."""


@dataclass(frozen=True)
class Implementation:
    """What a specification text names; ``text`` is as the user wrote it, ``shape`` the stated one.

    ``pinned`` is the stated version of an adapter's library, which runs in an environment of its own.
    """

    text: str
    source: messages.Source
    shape: Form | None = None
    pinned: Pinned | None = None

    @property
    def typed(self) -> tuple[str, ...]:
        """What names it on a command line: its text, its stated shape, and the Python of its stated version."""
        shape = () if self.shape is None else (f"--shape={self.shape.value}",)
        python = self.pinned and self.pinned.python
        return (self.text, *shape, *(() if python is None else (f"--python={python}",)))


def parse(text: str, shape: Form | Shape | str | None = None, python: str | None = None) -> Implementation:
    """Read a specification, the stated shape, and the Python for a stated version.  Raises ``SpecificationError``."""
    stated = stated_form(shape)
    if text.startswith(("cmd:", "jsonl:")):
        kind, _, command = text.partition(":")
        if stated is not None and (kind == "jsonl" or stated.shape is not Shape.FILES):
            whose = "says its shape itself, in its hello" if kind == "jsonl" else "is given files"
            raise SpecificationError(
                f"{text}: the program {whose}; leave out --shape {stated.value}", code="shape-not-taken"
            )
        try:
            source = (
                messages.ProgramSource(parse_program(command))
                if kind == "jsonl"
                else messages.CommandSource(parse_command(command))
            )
        except ProgramError as error:
            raise SpecificationError(f"{text}: {error}", code=error.code) from error
        return Implementation(text, source)
    if states_a_version(text):
        return _parse_pinned(text, stated, python)
    place, colon, function = text.rpartition(":")
    if colon:
        return Implementation(text, _parse_callable(text, place, function), stated)
    if text.endswith(".py") or "/" in text:
        function = _only_function(text, stated)
        return Implementation(f"{text}:{function}", _parse_callable(text, text, function), stated)
    if stated is not None:
        raise SpecificationError(
            f"{text}: an adapter has its own shape; leave out --shape {stated.value}", code="shape-not-taken"
        )
    return Implementation(text, _parse_adapter(text, text))


def states_a_version(text: str) -> bool:
    """Tell whether a specification states a version, rightly (``ranx==0.3.16``) or not (``ranx>=0.3``)."""
    try:
        return ":" not in text and "/" not in text and split_version(text) is not None
    except PinError:
        return True


def known_adapters() -> tuple[str, ...]:
    """Give the names of the adapters that are here, whether or not their libraries are."""
    modules = (importlib.import_module(f"{loading.ADAPTERS}.{name}") for name in loading.adapter_modules())
    return tuple(sorted(adapter.name for module in modules for adapter in loading.adapters_of(module)))


def import_failure(implementation: Implementation, failed: messages.Failed) -> ImportFailure:
    """Turn what a worker says about a failure to load into an error with its remedy."""
    match implementation.source:
        case _ if implementation.pinned is not None:
            remedy = f", in the environment of {implementation.pinned.requirements[0]}"
        case messages.AdapterSource(name) if failed.missing and not failed.missing.startswith("rankspec"):
            remedy = f"; pip install 'rankspec[{_extra(name)}]'"
        case messages.ModuleSource(module, _) if failed.missing and f"{module}.".startswith(f"{failed.missing}."):
            remedy = "; modules are looked for in the working folder, on PYTHONPATH and among installed packages"
        case _:
            remedy = ""
    return ImportFailure(f"{implementation.text}: {failed.reason}{remedy}", code="implementation-not-loaded")


def _extra(adapter: str) -> str:
    """Return the extra that installs an adapter's library: the name of its module, if it states no other."""
    try:
        return loading.built_in(adapter).extra or loading.module_of(adapter).rpartition(".")[2]
    except ImportError:  # the worker found it where this process does not
        return adapter


def stated_form(shape: Form | Shape | str | None) -> Form | None:
    """Read what ``--shape`` or ``shape=`` states.  Raises ``SpecificationError``."""
    if shape is None or isinstance(shape, Form):
        return shape
    text = shape.value if isinstance(shape, Shape) else shape
    try:
        form = parse_form(text)
    except ValueError as error:
        known = ", ".join(each.value for each in Shape)
        raise SpecificationError(f"--shape {text}: no such shape; there are {known}", code="unknown-shape") from error
    if fault := fault_of(form):
        raise SpecificationError(f"--shape {text}: {fault}", code="unknown-shape")
    return form


def _parse_callable(text: str, place: str, function: str) -> messages.Source:
    if not _DOTTED.fullmatch(function):
        raise SpecificationError(
            f"{text}: {function!r} is not the name of a function; write file.py:function", code="function-name-invalid"
        )
    if place.endswith(".py") or "/" in place:
        return messages.FileSource(str(_file(text, place).absolute()), function)
    if not _DOTTED.fullmatch(place):
        raise SpecificationError(
            f"{text}: {place!r} is not the name of a module; write package.module:function", code="module-name-invalid"
        )
    return messages.ModuleSource(place, function)


def _file(text: str, place: str) -> Path:
    path = Path(place).expanduser()
    if path.suffix != ".py":
        raise SpecificationError(
            f"{text}: {place} is not a Python file (its name should end in .py)", code="not-a-python-file"
        )
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise SpecificationError(f"{text}: the file {place} {what}", code="file-missing")
    return path


def _only_function(text: str, shape: Form | None) -> str:
    """Return a file's only public function; `SpecificationError` if there are several or none, or no such file."""
    names = public_functions(text, shape)
    if len(names) == 1:
        return names[0]
    raise SpecificationError(
        f"{text} has {len(names)} public functions: {first_names(names, _MOST_NAMES)}; name one as {text}:{names[0]}",
        code="function-ambiguous",
    )


def functions_of(text: str, shape: Form | None = None) -> list[str]:
    """Return a text, or one for each function where it names a file of several, or a class of several methods."""
    place, _, name = text.rpartition(":")
    if text.endswith(".py"):
        names = public_functions(text, shape)
        texts = [one for each in names for one in functions_of(f"{text}:{each}")]
        return [text] if len(names) == len(texts) == 1 else texts
    methods = metric_methods(place, name) if place.endswith(".py") and Path(place).is_file() else []
    return [f"{text}.{each}" for each in methods] or [text]


def metric_methods(path: str, name: str) -> list[str]:
    """Return the public methods of a class that take data, where there are several and none is fed or called first."""
    try:
        bodies = [each.body for each in _tree(path).body if isinstance(each, ast.ClassDef) and each.name == name]
    except SyntaxError:  # whoever loads it says so
        return []
    methods = [each for body in bodies for each in body if isinstance(each, ast.FunctionDef)]
    if any(loading.FEEDING.match(each.name) or each.name in ("__call__", *loading.SCORING) for each in methods):
        return []
    of_data = [each.name for each in methods if len(each.args.args) + len(each.args.kwonlyargs) > 1]
    public = [each for each in of_data if not each.startswith("_")]
    return public if len(public) > 1 else []


def _tree(path: str) -> ast.Module:
    return ast.parse(_file(path, path).read_bytes())


_OF_METRICS = frozenset({"__call__", "compute", "result", "value", "evaluate"})


def metric_classes(text: str) -> list[str]:
    """Return the public classes of a file whose objects are called, or return a value, as metrics do."""
    classes = (each for each in _tree(text).body if isinstance(each, ast.ClassDef))
    return [
        each.name
        for each in classes
        if not each.name.startswith("_")
        and (
            not _OF_METRICS.isdisjoint(one.name for one in each.body if isinstance(one, ast.FunctionDef))
            or metric_methods(text, each.name)
        )
    ]


def public_functions(text: str, shape: Form | None = None) -> list[str]:
    """Return the public functions of a file, or its metrics that are classes; `SpecificationError` for neither."""
    # Public is what the file itself defines, under a name without a leading underscore, and what some shape can call.
    # The file runs nowhere.
    if not text.endswith(".py"):
        raise SpecificationError(
            f"{text}: which function of the file? Write {text}:function", code="function-ambiguous"
        )
    try:
        tree = _tree(text)
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise SpecificationError(
            f"{text}{line}: the file can't be read as Python: {reason}", code="not-python"
        ) from error
    own = [each for each in tree.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
    callable_ones = list(dict.fromkeys(each.name for each in own if _may_be_called(each, shape))) or metric_classes(
        text
    )
    if not callable_ones:
        what = "public function that can be called in a known shape" if own else "public function of its own"
        raise SpecificationError(
            f"{text}: the file has no {what}; write {text}:function for one by its name", code="function-missing"
        )
    return callable_ones


def _may_be_called(definition: ast.FunctionDef, shape: Form | None) -> bool:
    """Tell whether a function can be called in some shape, by its parameters; a decorator may change them."""
    try:
        return bool(definition.decorator_list) or bool(candidates(stand_in(definition), shape))
    except (ShapeError, SyntaxError):  # two parameters of one name
        return False


def stand_in(definition: ast.FunctionDef) -> Callable[..., None]:
    """Return a function with the parameters of a definition, which runs nothing; its defaults are their expressions."""
    given, defaults = copy.deepcopy(definition.args), list[ast.expr]()

    def placed(default: ast.expr) -> ast.expr:
        defaults.append(default)
        return ast.parse(f"defaults[{len(defaults) - 1}]", mode="eval").body

    for each in ast.walk(given):
        if isinstance(each, ast.arg):
            each.annotation = None
    given.defaults = list(map(placed, given.defaults))
    given.kw_defaults = [each and placed(each) for each in given.kw_defaults]
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(given, ast.Constant(None))))
    made: Callable[..., None] = eval(compile(tree, "parameters", "eval"), {"defaults": defaults})  # noqa: S307 - no code of the file
    made.__name__ = definition.name
    return made


def _parse_pinned(text: str, shape: Form | None, python: str | None) -> Implementation:
    try:
        name, version = split_version(text) or (text, "")
    except PinError as error:
        raise SpecificationError(f"{text}: {error}", code=error.code) from error
    if shape is not None:
        raise SpecificationError(
            f"{text}: an adapter has its own shape; leave out --shape {shape.value}", code="shape-not-taken"
        )
    source = _parse_adapter(name, text)
    try:
        library = describing.library_of(source)
    except describing.DescriptionError as error:
        raise SpecificationError(f"{text}: {error}", code=error.code) from error
    pinned = Pinned(library.distribution, version, library.requires, python, library.wheels_only)
    return Implementation(text, source, pinned=pinned)


def _parse_adapter(name: str, text: str) -> messages.AdapterSource | messages.EntryPointSource:
    """Find the adapter of this name, or the one of the distribution of this name."""
    known = known_adapters()
    if name in known:
        return messages.AdapterSource(name)
    found = describing.adapters_named(name, known)
    if len(found) == 1:
        return found[0]
    if found:
        choice = ", ".join(sorted(each.name for each in found))
        raise SpecificationError(f"{text}: {name} has several adapters: name one of {choice}", code="adapter-ambiguous")
    listed = f"known are {', '.join(known)}" if known else "none is installed"
    if len(known) > _MOST_NAMES:
        listed = f"`rankspec adapters` lists the {len(known)} that there are"
    what = f"there is no adapter {name!r}" if _NAME.fullmatch(name) else "this names no implementation"
    raise SpecificationError(
        f"{text}: {what}{suggestion(name, known)}; {listed}; "
        "a function is named path/to/file.py:function or package.module:function",
        code="unknown-adapter",
    )


# ---- The catalogue of adapters

BUILT_IN = "rankspec"  # The origin of the adapters that rankspec ships


@dataclass(frozen=True)
class AdapterEntry:
    """A line of the listing."""

    name: str  # what the user types
    origin: str  # `rankspec`, or the package and the entry point
    description: describing.Description | None  # what the adapter says of itself; None if it can't be loaded
    version: str | None  # the installed version of its library, if it is installed
    problem: str | None = None  # why it can't be used, in a line


def adapter_entries() -> list[AdapterEntry]:
    """Return every adapter, those that rankspec ships first; one that can't be used says why."""
    known = known_adapters()
    shipped = [
        AdapterEntry(each.name, BUILT_IN, describing.describe(each), installed_version(each.distribution))
        for each in map(loading.built_in, known)
    ]
    with ThreadPoolExecutor() as pool:  # each is imported in a process of its own
        return [*shipped, *pool.map(lambda offered: _entry(offered, known), offered_adapters())]


def adapter_for(name: str, family: str) -> str:
    """Return an adapter's name, or that of the same library's adapter that has a family which the named one lacks."""
    if name not in known_adapters():
        return name
    named = loading.built_in(name)
    others = (each for each in map(loading.built_in, known_adapters()) if each.distribution == named.distribution)
    return name if family in named.measures else next((each.name for each in others if family in each.measures), name)


def _entry(offered: Offered, known: Collection[str]) -> AdapterEntry:
    try:
        description = describing.describe_offered(offered.name)
    except describing.DescriptionError as error:
        return AdapterEntry(offered.name, offered.origin, None, None, str(error))
    clash = f"the name is that of rankspec's own adapter, which is taken; {offered.distribution} has to rename it"
    problem = clash if offered.name in known else None
    return AdapterEntry(offered.name, offered.origin, description, installed_version(description.distribution), problem)


def installed_version(distribution: str) -> str | None:
    """Return the installed version of a distribution, None if it isn't installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None

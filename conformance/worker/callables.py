"""A class, a method, or a function that makes functions, as one function of data.

``Meter().update(a, b)`` and then ``.compute()``; ``Metric(k=10)(a, b)``; ``Evaluator.average_precision``;
``ndcg_at(10)(a, b)``. A constructor gets its defaults, and the cutoff where it takes one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from rankspec.conformance.worker.parameter_uses import returns_function

_FEEDING = ("update", "add", "append", "add_batch", "accumulate", "update_state", "__call__")
_ENDING = ("compute", "result", "value", "get", "average", "mean", "get_metric", "calculate", "evaluate", "score")
_CUTOFFS = ("k", "top_k", "topk", "cutoff", "at_k", "at", "depth", "n")
_SCORING = ("compute", "score", "evaluate", "calculate", "measure")


class UncallableError(Exception):
    """Nothing of it can be called with data alone; the message says why."""


def as_function(named: Any, owner: Any = None) -> Callable[..., object]:
    """Return a function that is called with data, and with ``k`` where the cutoff is the constructor's.

    Args:
        named: a function, a class, or a method.
        owner: the class that a method was looked up in, if any.

    Raises:
        UncallableError: a constructor needs what is not known.
    """
    if isinstance(named, type):
        return _of_class(named)
    if isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, named.__name__, None)):
        return _made(owner, lambda instance: getattr(instance, named.__name__), _parameters(named)[1:], named)
    return _of_maker(named) if inspect.isfunction(named) else named


def _of_class(kind: type) -> Callable[..., object]:
    methods = {name: getattr(kind, name) for name in (*_FEEDING, *_ENDING, *_SCORING) if _is_method(kind, name)}
    feeding = next((name for name in _FEEDING if name in methods), None)
    if feeding is None or feeding == "__call__":
        public = [name for name, each in vars(kind).items() if inspect.isfunction(each) and not name.startswith("_")]
        of_data = [name for name in public if len(_parameters(getattr(kind, name))) > 1]
        scoring = feeding or next((name for name in _SCORING if name in methods), None)
        scoring = scoring or (of_data[0] if len(of_data) == 1 else None)
        if scoring is None:
            raise UncallableError(f"the class {kind.__name__} has no method that takes data: name one as Class.method")
        method = getattr(kind, scoring)
        return _made(kind, lambda one: getattr(one, scoring), _parameters(method)[1:], method)
    ending = next((name for name in _ENDING if name in methods), None)
    if ending is None:
        raise UncallableError(f"the class {kind.__name__} has {feeding}, and no method that gives the value")

    def fed(instance: Any) -> Callable[..., object]:
        def call(*arguments: Any, **keywords: Any) -> object:
            getattr(instance, feeding)(*arguments, **keywords)
            return getattr(instance, ending)()

        return call

    return _made(kind, fed, _parameters(methods[feeding])[1:], methods[feeding])


def _is_method(kind: type, name: str) -> bool:
    return any(name in vars(each) for each in kind.__mro__ if each is not object)


def _made(
    maker: Callable[..., Any],
    call_of: Callable[[Any], Callable[..., object]],
    data: list[inspect.Parameter],
    source: Any,
) -> Callable[..., object]:
    """Return a function that makes an object anew for each call. Its source is that of what takes the data."""
    own = [each for each in _parameters(maker) if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    cutoff = next((each for each in own if each.name in _CUTOFFS), None)
    taken = {each.name for each in data}
    for each in own:
        if each.default is each.empty and each is not cutoff:
            raise UncallableError(f"{maker.__name__} needs {each.name!r}, which is not known: give it a default")
    ours = cutoff is not None and not taken & {"k", cutoff.name}

    def function(*arguments: Any, **keywords: Any) -> object:
        made = {cutoff.name: keywords.pop("k")} if cutoff is not None and ours and "k" in keywords else {}
        return call_of(maker(**made))(*arguments, **keywords)

    parameters = [each for each in data if each.kind is not each.VAR_KEYWORD]
    if ours and cutoff is not None:
        parameters.append(inspect.Parameter("k", inspect.Parameter.KEYWORD_ONLY, default=cutoff.default))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__wrapped__ = source  # type: ignore[attr-defined] # what inspect.getsource reads
    function.__name__ = getattr(maker, "__name__", "function")
    return function


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return []


def _of_maker(function: Callable[..., Any]) -> Callable[..., object]:
    """Return what a function of a cutoff alone makes, if that is a function; else the function."""
    parameters = _parameters(function)
    required = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    takes_cutoff = any(each.name in _CUTOFFS for each in parameters)
    if not takes_cutoff or any(each.name not in _CUTOFFS for each in required) or not returns_function(function):
        return function
    try:
        inner = function(**{each.name: 10 for each in required})
    except (Exception, SystemExit):  # noqa: BLE001 - what is called may raise anything
        return function
    return _made(function, lambda made: made, _parameters(inner), inner) if inspect.isfunction(inner) else function

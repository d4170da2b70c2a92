"""What identifications in one process have in common is made once: probes, their calls, and what conventions demand.

All of it depends on the measure and the shape alone, and none of it on who is asked. What a search may spend is counted
as ever, for it is counted where predictions are looked up.
"""

from functools import cache

from rankspec.conformance.infer.interview import interview, relations
from rankspec.conformance.infer.interview.prediction import Predictor

_MADE = {}


def _once(function, key):
    def known(*arguments, **keywords):
        named = (function, key(*arguments, **keywords))
        if named not in _MADE:
            # The arguments are kept with it, so that no other object gets the number of one of them.
            _MADE[named] = (function(*arguments, **keywords), arguments)
        return _MADE[named][0]

    return known


@cache
def _shared():
    made = relations.relations
    return {
        "probes": _once(interview.probes, tuple),
        "random_probes": _once(interview.random_probes, lambda measures, count, seed=0: (tuple(measures), count, seed)),
        "shaped": _once(interview.shaped, lambda probe, signature: (id(probe), signature)),
    }, _once(lambda measures: list(made(measures)), tuple)


_computed = _once(Predictor.computed, lambda _, asked, convention: (id(asked), convention))


def share():
    """Let all identifications of this process share what they have in common."""
    shared, relations.relations = _shared()
    for name, function in shared.items():
        setattr(interview, name, function)
    Predictor.computed = _computed

"""Give each axis one more value that no code knows, and see whether any way to a value takes it for another one.

Run by itself, as the enums are changed for the whole process. Prints JSON: where a number came about in silence, and
the axes of which some way refused the value.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import AxisValue


def extended(values):
    """Add a value to an enum, as a line in its class would have."""
    member = object.__new__(values)
    member._value_, member._name_, member.meaning = "unheard-of", "UNHEARD_OF", "Nobody knows."
    member.__objclass__, member._sort_order_ = values, len(values.__members__)
    values._member_names_.append(member._name_)
    values._member_map_[member._name_] = member
    values._value2member_map_[member._value_] = member
    type.__setattr__(values, member._name_, member)
    return member


UNKNOWN = {
    each: extended(each)
    for each in list(vars(axes).values())
    if isinstance(each, type) and issubclass(each, AxisValue) and each is not AxisValue
}

from axis_values import BASES, cases, judged_run, named  # noqa: E402 - the enums come first
from rankspec.oracle import evaluate, explain  # noqa: E402
from rankspec.oracle.conventions.convention import AXES, DEFAULT  # noqa: E402
from rankspec.oracle.conventions.measure import meaningless  # noqa: E402
from rankspec.oracle.errors import OracleError  # noqa: E402
from rankspec.oracle.scoring.batch.values import NeedsScoresError  # noqa: E402
from rankspec.oracle.scoring.engines.counting import product_of_dicts  # noqa: E402
from rankspec.oracle.scoring.engines.product import EngineRefusalError  # noqa: E402
from rankspec.oracle.scoring.engines.scoring import score_product  # noqa: E402

LOUD = (AssertionError, KeyError)
"""What `assert_never` and a table raise."""


def by_the_oracle(measure, qrels, run, convention):
    return evaluate(measure, qrels, run, convention).double


def by_derivation(measure, qrels, run, convention):
    return float(explain(measure, qrels, run, convention).value)


def by_an_engine(measure, qrels, run, convention):
    scores = {query: {docno: float(score) for docno, score in run.documents(query)} for query in run}
    return score_product(measure, product_of_dicts(qrels, scores, convention), convention).mean.double


WAYS = (by_the_oracle, by_derivation, by_an_engine)


def outcome(way, measure, qrels, run, convention):
    """Return a number, or which kind of refusal came instead."""
    try:
        return repr(way(measure, qrels, run, convention))
    except LOUD:
        return "refused"
    except (EngineRefusalError, NeedsScoresError):
        return "left to the oracle"
    except (OracleError, TypeError) as error:
        return type(error).__name__


def main():
    """Print what came of it."""
    silent, refused = [], set()
    for measure in cases():
        for base in BASES:
            used = measure.axes(base)
            if base.differences().keys() - set(used):
                continue
            for axis in used:
                values = AXES[axis].values
                if values is None or (base is not DEFAULT and axis in measure.axes(DEFAULT)):
                    continue
                inputs = [judged_run(seed, measure, repeats=axis == "duplicates") for seed in range(2)]
                for (qrels, run), way in ((given, way) for given in inputs for way in WAYS):
                    known = [base.with_setting(axis, value) for value in values if value is not UNKNOWN[values]]
                    known = [each for each in known if meaningless(measure, each) is None]
                    said = outcome(way, measure, qrels, run, base.with_setting(axis, UNKNOWN[values]))
                    if said in {"refused", "left to the oracle"}:
                        refused.add(axis)
                    elif {outcome(way, measure, qrels, run, each) for each in known} != {said}:
                        silent.append([way.__name__, str(measure), axis, named(base), said])
    print(json.dumps({"silent": silent, "refused": sorted(refused)}))  # noqa: T201 - what is handed over


if __name__ == "__main__":
    main()

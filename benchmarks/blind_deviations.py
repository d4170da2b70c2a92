"""What `check` and `identify` make of mistakes that nobody wrote them for (`tests/wrong/blind.py`, `blind_second.py`).

python benchmarks/blind_deviations.py            what check says: acquitted, or the smallest case that fails
python benchmarks/blind_deviations.py --identify what identify says as well: named, shown, or acquitted
python benchmarks/blind_deviations.py --second   the second set
"""

from __future__ import annotations

import sys
import time
from inspect import signature
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.rendering import Rendering, put
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle.language.expression import parse_convention, parse_measure

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


def failing(each: Any) -> list[tuple[int, str]]:
    """Return the cases that do not conform, the smallest first."""
    connectable, found = InProcess(each.function), []
    measure = parse_measure(each.measure)
    stated = None if measure.name == "AP" else measure
    convention = parse_convention(each.under)
    with connectable.connect() as connection:
        for question in questions_of(matching(shipped_cases(), "edge.*"), stated):
            asked = put(question, convention, connection.hello, fixed=stated is not None)
            if isinstance(asked, Rendering):
                (outcome,) = connection.ask([asked.call]).outcomes
                if not judge(outcome, asked.expectation).verdict.conforms:
                    found.append((question.size, question.id))
    return sorted(found)


def main() -> None:
    """Ask all of them."""
    from wrong.blind import blind  # noqa: PLC0415 - on the path since a moment ago
    from wrong.blind_second import blind_second  # noqa: PLC0415

    named = {argument for argument in sys.argv[1:] if not argument.startswith("-")}
    for each in blind_second() if "--second" in sys.argv else blind():
        if named and each.name not in named:
            continue
        start = time.perf_counter()
        found = failing(each)
        line = f"{each.name}: {found[0][1] if found else 'ACQUITTED'} ({len(found)} cases)"
        if "--identify" in sys.argv:
            connectable = InProcess(each.function)
            cut = each.measure == "AP" and {"relevance", "k"} <= signature(each.function).parameters.keys()
            told = identification_data(identify_connected(connectable, parse_measure("AP@3" if cut else each.measure)))
            line += f"; {told['status']}, deviations {told.get('deviations')}, explained {told.get('explained')}"
            line += f", witness {told['witness'] is not None}"
        print(f"{line}; {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()

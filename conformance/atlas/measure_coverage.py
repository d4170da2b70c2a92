"""What each measure has: a clause, cases, a naive twin in the tests, a derivation, and a library that was asked for it.

All of it is read off: from the cases, from the oracle's marks, from the naive oracle where the tests lie beside the
fixtures, from a derivation that is made, and from the records of what was asked, which are in the repository.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from rankspec.conformance.atlas.record import Record
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.clauses import DEFINITION
from rankspec.conformance.cases.coverage import Coverage
from rankspec.conformance.cases.inputs import from_relevance
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import family_in, parse_measure

ASKED_FILE = "asked.json"
"""What adapters answered to random judged runs (`benchmarks/ir_measures_providers.py`)."""

_FEW = 2
"""So many measures may share an axis that is their own."""
_OF_GROUPS = ("prefs_", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
NO_LIBRARY: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (name for name in FAMILIES if name.startswith(_OF_GROUPS)),
        "The program trec_eval alone has it, from files of judgment groups, for which no shape has a place.",
    )
)
"""Measures that no library was asked for, and why."""


@dataclass(frozen=True)
class MeasureCoverage:
    """A measure with what there is of it.

    Attributes:
        name: the family.
        clauses: definitions that its cases are about and the oracle implements, what its name implies of an axis, and
            the values of axes that are its own.
        cases: how many cases are about it.
        has_twin: whether the naive oracle has it too; None where the tests are not beside the fixtures.
        is_explained: whether a derivation of it can be made.
        asked: the adapters and programs that were asked for it, as records say.
    """

    name: str
    clauses: tuple[str, ...]
    cases: int
    has_twin: bool | None
    is_explained: bool
    asked: tuple[str, ...]

    def holes(self) -> Iterator[str]:
        """Say what is missing, a line each; a measure that no library has for a stated reason has no hole there."""
        missing = {
            "a clause": not self.clauses,
            "a case": not self.cases,
            "a naive twin": self.has_twin is False,
            "a derivation": not self.is_explained,
            "a library that was asked": not self.asked and self.name not in NO_LIBRARY,
        }
        yield from (f"measure {self.name} is without {what}" for what, lacks in missing.items() if lacks)
        if self.asked and self.name in NO_LIBRARY:
            yield f"measure {self.name} is said to have no library, and {self.asked[0]} was asked for it"


def measures_covered(
    covered: Coverage, cases: Iterable[Case], records: Iterable[Record], naive: Path | None = None
) -> tuple[MeasureCoverage, ...]:
    """Return what there is of every measure; of the naive oracle if it is in that folder, or beside the fixtures."""
    about: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        about[family_in(case.measure)].append(case.clause)
    implemented = {each.clause.id: each.clause.kind for each in covered.clauses if each.implementers}
    twins, asked = naive_names(naive or _beside_the_fixtures()), libraries_asked(records)
    return tuple(
        MeasureCoverage(
            name,
            tuple(clause for clause in dict.fromkeys(about[name]) if _is_of(clause, FAMILIES[name], implemented)),
            len(about[name]),
            None if twins is None else name in twins,
            _is_explained(name),
            tuple(sorted(asked[name])),
        )
        for name in FAMILIES
    )


def _is_of(clause: str, family: Family, implemented: Mapping[str, str]) -> bool:
    """Tell whether the oracle implements a clause, and it is a definition or an axis value that a name implies."""
    implied = {AXES[axis].clause(setting) for axis, setting in family.implies.items()}
    own = {axis for axis in family.axes if sum(other.has(axis) for other in FAMILIES.values()) <= _FEW}
    implied |= {AXES[axis].clause(value) for axis in own for value in AXES[axis].values or (None,)}
    return clause in implemented and (implemented[clause] == DEFINITION or clause in implied)


def libraries_asked(records: Iterable[Record]) -> Mapping[str, set[str]]:
    """Return the measures with what was asked for them: in the atlas, and on random judged runs."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for each in record.measured:
            if each.status != "failed":
                found[parse_measure(each.measure).name].add(each.spec)
    kept = shipped_folder() / ASKED_FILE
    for row in json.loads(kept.read_text(encoding="utf-8"))["rows"]:
        if row["asked"] and row["version"]:
            found[parse_measure(row["measure"]).name].add(f"{row['adapter']}=={row['version']}")
    return found


def _beside_the_fixtures() -> Path:
    return Path(str(shipped_folder())).resolve().parent / "tests" / "naive"


def naive_names(folder: Path) -> set[str] | None:
    """Return the texts that stand in the naive oracle, the names of measures among them; None if it isn't there."""
    modules = [path for path in folder.glob("*.py") if not path.name.startswith("test_")]
    if not modules:
        return None
    nodes = (node for path in modules for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):  # f"prefs_{kind}"
            start = str(node.values[0].value)
            found |= {name for name in FAMILIES if start.endswith("_") and name.startswith(start)}
    return found


def _is_explained(name: str) -> bool:
    """Tell whether a derivation of its example is made on a list with a hit and a miss, and has rows."""
    grades, documents = from_relevance([1, 0, 1], 2)
    try:
        derivation = explain(parse_measure(FAMILIES[name].example), Qrels.of({"q": grades}), Run.of({"q": documents}))
    except OracleError:
        return False
    return any(listed.rows or FAMILIES[name].is_of_query for query in derivation.queries for listed in query.lists)

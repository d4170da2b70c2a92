"""Ask every provider of ir_measures for every measure that it lists, on random judged runs, and hold it to the oracle.

    python benchmarks/ir_measures_providers.py [--runs 300] [--seed 0] [--only ir_measures_ranx] [--keep]

Each is held to the convention that its adapter declares. What differs is taken apart into its queries; each that still
differs is made as small as it stays different, and named: an axis value, or a fault of `provider_faults`. What has no
name is told as such, and ends the script with status 1. `--keep` writes `fixtures/asked.json`, where what was asked
before and not now stays, and the page `benchmarks/ir_measures_providers.md`. A few adapters are asked beside them for
measures that no provider has.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from provider_faults import FAULTS, LEFT_OUT, Fault, of_question
from provider_page import page
from random_judged_runs import judged_run
from rankspec.conformance.checks.stability import outcome_text
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge, likeliest, with_near_conventions
from rankspec.conformance.questions.question import Question, Rendering, put
from rankspec.conformance.reproducing.bug import smaller
from rankspec.conformance.run.connection import Connection, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Outcome, Raised
from rankspec.oracle import Qrels, Run, convention_text, parse_convention, parse_measure
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.values import to_text

sys.path.append(str(Path(__file__).resolve().parents[1] / ".ci"))
from measuring import is_installed

READERS = ("BPM(T=1, max_rel={})@3", "SDCG(max_rel={})@3", "NERR8(max_rel={})@3", "NERR9(max_rel={})@3")
ENDLESS = ("NERR10(max_rel={}, p=0.5)", "NERR11(T=1, max_rel={})", "INST(T=2, max_rel={})", "INSQ(T=1, max_rel={})")
ADAPTERS = {
    "ir_measures_accuracy": ("Accuracy", "Accuracy@3", "Accuracy(rel=2)@3"),
    "ir_measures_compat": ("Compat(p=0.95)", "Compat(p=0.5)", "Compat(normalize=False, p=0.8)"),
    "ir_measures_cwl_eval": (
        *("P@3", "P(rel=2)@3", "RR", "RR(rel=2)", "AP", "AP(rel=2)", "RBP(p=0.8, rel=1)", "RBP(p=0.5, rel=2)"),
        *(each.format(scale) for each in (*READERS, *ENDLESS) for scale in (4, 2)),
        "NERR8(max_rel=4, min_rel=1)@3",
    ),
    "ir_measures_gdeval": ("nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@3", "ERR@1", "ERR@3"),
    "ir_measures_judged": ("Judged@1", "Judged@3"),
    "ir_measures_msmarco": ("RR", "RR@3", "RR(rel=2)@3"),
    "ir_measures_pyndeval": (
        *("ERR_IA@1", "ERR_IA@3", "ERR_IA(rel=2)@3", "nERR_IA@3", "alpha_DCG@1", "alpha_DCG(alpha=0.25)@3"),
        *("alpha_nDCG@1", "alpha_nDCG(alpha=0.25)@3", "alpha_nDCG(rel=2)@3", "NRBP", "NRBP(alpha=0.25, beta=0.75)"),
        *("nNRBP", "AP_IA", "AP_IA(rel=2)", "P_IA@3", "P_IA(judged_only=True)@3", "StRecall@3", "StRecall(rel=2)@1"),
    ),
    "ir_measures_pytrec_eval": (
        *("P@3", "P(rel=2)@3", "P(judged_only=True)@3", "RR", "RR(rel=2)", "Rprec", "Rprec(rel=2)", "AP", "AP@3"),
        *("AP(rel=2)", "AP(judged_only=True)@3", "nDCG", "nDCG@3", "nDCG(gains={0: 1, 1: 3})@3", "R@3", "Bpref"),
        *("Bpref(rel=2)", "NumQ", "NumRet", "NumRel", "NumRelRet", "SetAP", "SetF", "SetF(beta=2)", "SetP"),
        *("SetP(relative=True)", "SetR", "SetR(rel=2)", "Success@1", "Success(rel=2)@3", "IPrec@0", "IPrec@0.3"),
        *("infAP", "infAP(rel=2)"),
    ),
    "ir_measures_ranx": (
        *("P@3", "P(rel=2)@3", "SetP", "RR", "Rprec", "AP", "AP@3", "AP(rel=2)@3", "nDCG", "nDCG@3"),
        *("nDCG(dcg='exp-log2')@3", "R@3", "SetR", "NumRelRet", "Success@1", "Success(rel=2)@3"),
    ),
    "pyndeval": ("alpha_nDCG@3", "ERR_IA@3", "NRBP", "AP_IA", "P_IA@3", "StRecall@3"),
    "pytrec_eval": (
        *("AP11", "IPrec@0.5", "SetF(beta=2)", "nDCGRel", "RnDCG", "G", "BinG", "RprecMult@0.4", "RprecMult@1.4"),
        *("Utility", "Utility(hit=2, miss=-1, lost=-1)", "P(relative=True)@3", "NumNonrelJudgedRet", "GMAP", "GMBpref"),
    ),
    "trectools": ("Unjudged@3", "RBPResidual(p=0.8)@3"),
    "pyltr": ("ERR@3", "AP@3"),
    "pytorch_metric_learning": ("AP@R", "AP", "Rprec"),
    "ragas": ("ContextPrecision", "AP"),
    "ranx": ("F@3",),
}
"""An adapter, and what it is asked for: each measure that the provider lists, with the parameters that it takes."""
PACKAGES = ("ir-measures", "pytrec-eval-terrier", "cwl-eval", "pyndeval", "ranx", "trectools", "numpy", "pandas")
ELSEWHERE = {"ir_measures_ranx": "0.4.3"}
"""What needs an environment of its own, and the version that is asked there."""
_AT_ONCE = 50
_ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = _ROOT / "fixtures" / "asked.json", _ROOT / "benchmarks" / "ir_measures_providers.md"


@dataclass
class Difference:
    """What differs for one reason: how many queries, and the smallest of them that was found."""

    kind: str
    name: str
    queries: int = 0
    smallest: Question | None = None
    got: str = ""
    exact: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        size = sum(self.smallest.size) if self.smallest else 0
        given = {"smallest": _given(self.smallest), "size": size, "got": self.got, "exact": self.exact}
        return {"kind": self.kind, "name": self.name, "queries": self.queries, **given}


@dataclass
class Row:
    """One measure of one adapter."""

    adapter: str
    measure: str
    asked: int = 0
    agreed: int = 0
    declined: str = ""
    differences: dict[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """A question, how it was put, what came of it."""

    question: Question
    asked: Rendering
    outcome: Outcome
    judged: Judgement


class Adapter:
    """An adapter that can be asked."""

    def __init__(self, name: str, connection: Connection) -> None:
        """Keep the connection, and the convention that the adapter declares."""
        self.name, self.library, self.connection = name, name.removeprefix("ir_measures_"), connection
        self.convention: Convention = parse_convention(connection.hello.convention or "default")

    def answered(self, questions: Sequence[Question]) -> list[Answered]:
        """Ask questions, those that can't be put left out."""
        puts = [(each, put(each, self.convention, self.connection.hello)) for each in questions]
        asked = [(each, one) for each, one in puts if isinstance(one, Rendering)]
        outcomes = self.connection.ask([one.call for _, one in asked]).outcomes
        return [
            Answered(each, one, outcome, judge(outcome, one.expectation))
            for (each, one), outcome in zip(asked, outcomes, strict=True)
        ]

    def row(self, measure: str, seeds: Sequence[int]) -> Row:
        """Ask for a measure on the runs of these seeds."""
        row = Row(self.name, measure)
        parsed = parse_measure(measure)
        unnamed: list[Answered] = []
        for start in range(0, len(seeds), _AT_ONCE):
            runs = (
                (seed, self._without(judged_run(seed, by_subtopic=parsed.family.by_subtopic), parsed))
                for seed in seeds[start : start + _AT_ONCE]
            )
            for one in self.answered([Question(f"seed {seed}", parsed, *data) for seed, data in runs]):
                if one.judged.verdict is Verdict.UNSUPPORTED:
                    row.declined = one.judged.detail
                    return row
                row.asked += 1
                if one.judged.verdict.conforms:
                    row.agreed += 1
                    continue
                unnamed += self._taken_apart(one)
        self._name(row, unnamed)
        return row

    def _without(self, data: tuple[Qrels, Run], measure: Measure) -> tuple[Qrels, Run]:
        """Leave out queries that the provider is not asked."""
        if self.library not in LEFT_OUT:
            return data
        qrels, run = data
        bad = {query for query in qrels if LEFT_OUT[self.library].holds(qrels.grades(query), measure)}
        return (
            Qrels.of({query: qrels.grades(query) for query in qrels if query not in bad}),
            Run.of({query: run.documents(query) for query in run if query not in bad}),
        )

    def _taken_apart(self, one: Answered) -> list[Answered]:
        """Return the queries that differ when they are asked alone; all of it if none does."""
        alone = [
            replace(
                one.question,
                qrels=Qrels.of({query: one.question.qrels.grades(query)} if query in one.question.qrels else {}),
                run=Run.of({query: one.question.run.documents(query)} if query in one.question.run else {}),
            )
            for query in dict.fromkeys([*one.question.qrels, *one.question.run])
        ]
        differing = [each for each in self.answered(alone) if not each.judged.verdict.conforms]
        return differing or [one]

    def _name(self, row: Row, unnamed: list[Answered]) -> None:
        """Give each difference its name; what one fault explains is not made smaller again."""
        confirmed: list[Fault] = []
        rest: list[Answered] = []
        for one in sorted(unnamed, key=lambda each: each.question.size):
            fault = self._fault(one.question, confirmed)
            if fault is None:
                small = self._smaller(one)
                fault = self._fault(small.question, [each for each in FAULTS if self.library in each.libraries])
                if fault is None:
                    rest.append(small)
                    continue
                confirmed.append(fault)
                _count(row, "fault", fault.about, small)
            else:
                _count(row, "fault", fault.about, None)
        while rest:
            near = [
                with_near_conventions(each.question.measure, each.asked, each.outcome, self.convention, each.judged)
                for each in rest
            ]
            names, most = likeliest([each.conventions for each in near])
            if not most:
                break
            told = " or ".join(name for name in names if "=" in name) or names[0]
            for each, one in zip(rest, near, strict=True):
                if set(names) & set(one.conventions):
                    _count(row, "axis value", told, each)
            rest = [each for each, one in zip(rest, near, strict=True) if not set(names) & set(one.conventions)]
        for each in rest:
            _count(row, "UNNAMED", _text(each.outcome), each)

    def _smaller(self, one: Answered) -> Answered:
        small = smaller(one.question, self.convention, self.connection, fixed=False)
        return self.answered([small])[0]

    def _fault(self, question: Question, faults: Sequence[Fault]) -> Fault | None:
        query = of_question(question)
        if query is None:
            return None
        fits = (each for each in faults if not each.measures or question.measure.name in each.measures)
        return next((each for each in fits if each.shows(query)), None)


def _count(row: Row, kind: str, name: str, one: Answered | None) -> None:
    found = row.differences.setdefault(name, Difference(kind, name))
    found.queries += 1
    if one is not None and (found.smallest is None or one.question.size < found.smallest.size):
        found.smallest, found.got = one.question, _text(one.outcome)
        found.exact = to_text(one.asked.expectation.value)


def _text(outcome: Outcome) -> str:
    return f"{outcome.type}: {outcome.message}"[:60] if isinstance(outcome, Raised) else outcome_text(outcome)


def _given(question: Question | None) -> str:
    """Write an input: each document in the run's order with its score and its grade, then what was not retrieved."""
    if question is None:
        return ""
    parts = []
    for query in dict.fromkeys([*question.qrels, *question.run]):
        grades, listed = question.qrels.grades(query), question.run.documents(query)
        documents = [f"{docno} {float(score):g} ({_grade(grades.get(docno))})" for docno, score in listed]
        names = {docno for docno, _ in listed}
        missed = [f"{docno} not retrieved ({_grade(grade)})" for docno, grade in grades.items() if docno not in names]
        where = (
            " not in the run"
            if query not in question.run
            else " not in the qrels"
            if query not in question.qrels
            else ""
        )
        parts.append(f"{query}{where}: " + (", ".join([*documents, *missed]) or "nothing"))
    return "; ".join(parts)


def _grade(grade: int | None) -> str:
    return "unjudged" if grade is None else repr(grade).replace("'", "")


def rows(runs: int, seed: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Ask every adapter whose library is installed, or those that are named."""
    for name, measures in ADAPTERS.items():
        if (only and name not in only) or not (only or is_installed(name)):
            continue
        specification = name if is_installed(name) else f"{name}=={ELSEWHERE[name]}"
        with Workers(parse(specification), Limits(case_seconds=60, startup_seconds=600)).connect() as connection:
            adapter = Adapter(name, connection)
            for measure in measures:
                row = adapter.row(measure, range(seed, seed + runs))
                yield {
                    "adapter": name,
                    "measure": measure,
                    "version": connection.hello.version,
                    "convention": convention_text(adapter.convention),
                    "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
                    "seed": seed,
                    "asked": row.asked,
                    "agreed": row.agreed,
                    "declined": row.declined,
                    "differences": [each.as_data() for each in row.differences.values()],
                    "with": {} if "==" in specification else dict(_versions()),
                }


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def kept(found: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return all rows, those of now in place of the same of before, in the order of `ADAPTERS`."""
    by_place = {(row["adapter"], row["measure"]): row for row in (*before, *found)}
    places = [(name, measure) for name, measures in ADAPTERS.items() for measure in measures]
    return [by_place[place] for place in places if place in by_place]


def main() -> None:
    """Ask, print a line a measure, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    for row in rows(options.runs, options.seed, options.only):
        print(f"{row['adapter']} {row['measure']}: {row['agreed']} of {row['asked']}", row["declined"], flush=True)
        for each in row["differences"]:
            shown = f"{each['smallest']}; got {each['got']}, exact {each['exact']}"
            print(f"  {each['queries']} {each['kind']}: {each['name']}; {shown}", flush=True)
            kinds[each["kind"]] += 1
        if options.keep:
            before = json.loads(KEPT.read_text(encoding="utf-8"))["rows"] if KEPT.exists() else []
            data = {"schema": "rankspec/asked/1", "rows": kept([row], before)}
            KEPT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            PAGE.write_text(page(data["rows"]), encoding="utf-8")
    print(dict(kinds))
    sys.exit(1 if kinds["UNNAMED"] else 0)


if __name__ == "__main__":
    main()

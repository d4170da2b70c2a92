"""The verbs as functions, for `import rankspec`: they take texts as a command line does, functions and plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias, Unpack

from rankspec.conformance.atlas.followed import convention_named
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.cases.inputs import SomeQrels, SomeRun
from rankspec.conformance.cases.inputs import as_qrels as read_qrels
from rankspec.conformance.cases.inputs import as_run as read_run
from rankspec.conformance.checks.check import Plan, check_connected
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse
from rankspec.conformance.infer.identify.diagnosis import diagnosed
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.resolve import resolve as resolving
from rankspec.conformance.infer.resolve.given import Given, data_of
from rankspec.conformance.infer.witness.witness import witness as find_witness
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.results import CheckResult, Explained, Identified, Resolution, Score, WitnessResult
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.testing import parametrize_with_cases
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.derivation import explain as derive
from rankspec.oracle.errors import InputError
from rankspec.oracle.evaluation import evaluate as evaluate_exactly
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.query_matching import unmatched

__all__ = [
    "CheckResult",
    "Explained",
    "Identified",
    "Resolution",
    "Score",
    "SpecificationError",
    "WitnessResult",
    "check",
    "evaluate",
    "explain",
    "identify",
    "parametrize_with_cases",
    "read_qrels",
    "read_run",
    "resolve",
    "witness",
]

Implemented: TypeAlias = str | Implementation | Adapter | Callable[..., object]
"""A specification (`sklearn`, `metrics.py:ap`, `jsonl:./harness`), which is run in processes of its own with time and
memory limits; or a function object, which is called in this process."""


def evaluate(measure: str | Measure, qrels: SomeQrels, run: SomeRun, *, under: str | Convention = "default") -> Score:
    """Evaluate a run against qrels, exactly, under a stated convention.

    Args:
        measure: `AP@10`, `nDCG@20`, `P(rel=2)@5`, ... in ir_measures' grammar, or trec_eval's name (`map_cut_10`).
        qrels: query -> docno -> grade (a whole number), the name of a TREC file, or a frame with columns for query,
            docno and grade.
        run: query -> docno -> score, the name of a TREC file, or a frame with columns for query, docno and score.
        under: the convention: a profile's name (`trec_eval-9.0.8`), differences (`default[ties=grouped]`), or a
            library's name for what was recorded of it (`pytrec_eval`).

    Raises:
        ConventionError: the measure or the convention does not exist, or the two together mean nothing.
        InputError: the data is at fault, or qrels and run have no query in common; the message says where.
        UndefinedValueError: a value is undefined, and the convention says `error`.
    """
    asked = _measure(measure)
    convention = _convention(under, asked)
    judged, ranked = read_qrels(qrels, convention.reading), read_run(run, convention.reading)
    unmatched(list(judged), list(ranked))
    return Score(asked, convention, evaluate_exactly(asked, judged, ranked, convention))


def identify(
    implementation: Implemented,
    *,
    shape: Shape | str | None = None,
    measure: str | Measure | None = None,
    limits: Limits | None = None,
) -> Identified:
    """Find the conventions that an implementation follows, by asking it.

    Args:
        implementation: a function object, or the text of a specification.
        shape: how a function is called, where its parameters don't tell: `ranking`, `labels-scores`, ...
        measure: what it computes, `AP@3`; by default what its name tells (`ndcg_at_k`), else AP; with every cutoff if
            it takes one.
        limits: how long and how much a call may take; none hold for a function object.

    Raises:
        SpecificationError: it can't be loaded, or does not offer the measure.
        ConventionError: there is no such measure, or none in its shape.
    """
    identification = identify_connected(_connectable(implementation, shape, limits), _stated(measure))
    return Identified.of(
        with_snippet(
            identification, parse(implementation, shape) if isinstance(implementation, str) else implementation
        )
    )


def check(  # noqa: PLR0913 - the last ones are for those who watch it
    implementation: Implemented,
    measure: str | Measure | None = None,
    under: str | Convention | None = None,
    *,
    cases: str | None = None,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    identify: bool | None = None,
) -> CheckResult:
    """Hold an implementation to a convention: ask it every shipped case that it can be asked, twice.

    Args:
        implementation: a function object, or the text of a specification.
        measure: what a function computes, `AP@10`; every input is asked under it. By default what its name tells
            (`ndcg_at_k`), else AP: the cases of that measure are asked, each with its own cutoff.
        under: the convention; by default what an adapter declares, and of a function `default`.
        cases: only cases whose id matches, `edge.ties.*`.
        shape: how a function is called, where its parameters don't tell.
        limits: how long and how much a call may take; none hold for a function object.
        identify: whether it is identified where no convention explains what fails, so that the result's `diagnosis`
            says what is wrong; by default a function of one's own is.

    Raises:
        SpecificationError: it can't be loaded, or no question can be put to it.
        ConventionError: there is no such measure or convention.
        InputError: no case matches.
    """
    chosen = matching(shipped_cases(), cases)
    if not chosen:
        raise InputError(f"no case matches {cases!r}; `rankspec fixtures list` lists them")
    stated = _stated(measure)
    plan = Plan(questions_of(chosen, stated), None if under is None else _convention(under, stated), stated is not None)
    checked = check_connected(_connectable(implementation, shape, limits), plan)
    if not checked.asked:
        ((reason, _),) = Counter(answer.judgement.detail for answer in checked.answers).most_common(1)
        raise SpecificationError(
            f"{checked.name}: none of the {len(checked.answers)} questions can be put to it: {reason}"
        )
    checked = diagnosed(checked, _connectable(implementation, shape, limits), stated, search=identify)
    return CheckResult.of(checked, measure=stated)


def witness(  # noqa: PLR0913 - what is asked, who, and what limits it
    a: Implemented | Convention,
    b: Implemented | Convention,
    measure: str | Measure | None = None,
    *,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    axis: str | None = None,
    only_values: bool = False,
) -> WitnessResult:
    """Find the smallest input on which two conventions, implementations or functions part.

    Args:
        a: a function object, a convention (`kaggle`), or the text of a specification. A name that is both means the
            implementation, where it is installed; `convention:sklearn` forces the other one.
        b: the other side.
        measure: `AP@10`. Without it AP, or for two conventions the first measure that they differ on.
        shape: how functions are called whose parameters don't tell.
        limits: how long and how much an implementation may take; none hold for a function object.
        axis: only inputs that show this axis; of implementations `cutoff` is one.
        only_values: only inputs on which both give a number, with every query in both files.

    Raises:
        SpecificationError: an implementation can't be loaded or asked.
        ConventionError: a name means nothing, or a convention means nothing for the measure.
    """
    first, second = _side(a, shape), _side(b, shape)
    return WitnessResult.of(
        find_witness(first, second, _stated(measure), shape=shape, limits=limits, axis=axis, only_values=only_values)
    )


def _side(named: Implemented | Convention, shape: Shape | str | None) -> str | Convention | Implementation | InProcess:
    return named if isinstance(named, str | Convention | Implementation) else InProcess(named, shape)


def explain(measure: str | Measure = "AP", *, under: str | Convention = "default", **given: Unpack[Given]) -> Explained:
    """Derive a value, rank by rank, in exact numbers.

    Args:
        measure: `AP@10`, `nDCG@20`, ...
        under: the convention: a profile's name, or differences (`default[ties=grouped]`).
        **given: the data: `relevance` and `num_relevant`, `labels` and `scores`, `actual` and `predicted`, or `qrels`
            and `run`, with `query` to take one of them.

    Raises:
        ConventionError: there is no such measure or convention, or the two together mean nothing.
        InputError: the data is at fault.
    """
    asked = _measure(measure)
    convention = _convention(under, asked)
    data = data_of(given, asked.rel, convention.reading)
    return Explained.of(derive(asked, data.qrels, data.run, convention))


def resolve(
    value: str | float | Fraction,
    *,
    measure: Measure | str = "AP",
    any_cutoff: bool = False,
    any_measure: bool = False,
    **given: Unpack[Given],
) -> Resolution:
    """Find every convention that gives a number on the data that it was computed from.

    Args:
        value: the number with the digits that were printed, as text: `"0.6533"`, `"37/48"`, `"nan"`, `"65.3%"`.
        measure: what the number is said to be, such as `AP@10`.
        any_cutoff: search other cutoffs too, and limited depths.
        any_measure: where the measure does not give the number, search other measures with the same cutoff.
        **given: the data, as for `explain`.

    Raises:
        ConventionError: there is no such measure.
        InputError: the value or the data can't be read.
    """
    return Resolution.of(
        resolving.resolve(value, measure=measure, any_cutoff=any_cutoff, any_measure=any_measure, **given)
    )


def _measure(measure: str | Measure) -> Measure:
    return named_measure(measure) if isinstance(measure, str) else measure


def _stated(measure: str | Measure | None) -> Measure | None:
    return None if measure is None else _measure(measure)


def _convention(under: str | Convention, measure: Measure | None = None) -> Convention:
    return convention_named(under, measure) if isinstance(under, str) else under


def _connectable(implementation: Implemented, shape: Shape | str | None, limits: Limits | None) -> Connectable:
    if isinstance(implementation, str):
        implementation = parse(implementation, shape)
    if isinstance(implementation, Implementation):
        return Workers(implementation, limits or Limits())
    return InProcess(implementation, shape)

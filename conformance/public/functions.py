"""The verbs as functions, for `import rankspec`: they take texts as a command line does, functions and plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar, Unpack, overload

from rankspec.conformance.atlas.convention_names import convention_named, expression_named, of_classes, side_named
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.data.arguments import (
    CallData,
    SomeRuns,
    data_of_call,
    is_file,
    one_threshold,
    qrels_and_run,
    refuse_swapped,
    runs_by_name,
)
from rankspec.conformance.data.objects import SomeQrels
from rankspec.conformance.data.objects import as_qrels as read_qrels
from rankspec.conformance.data.objects import as_run as read_run
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.resolve.resolve import resolve_data, resolve_jointly
from rankspec.conformance.infer.witness.sides import Filter
from rankspec.conformance.infer.witness.witness import witness as find_witness
from rankspec.conformance.reports import reference
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.testing import parametrize_with_cases
from rankspec.conformance.verbs.atlas import recorded as atlas_records
from rankspec.conformance.verbs.check import CheckQuestion, check_one
from rankspec.conformance.verbs.cite import citation_of
from rankspec.conformance.verbs.compare import evaluate_files, level
from rankspec.conformance.verbs.score import Scoring, scores_of_data
from rankspec.conformance.verbs.score_in_memory import certified_scores
from rankspec.conformance.verbs.why import WhyQuestion, answer
from rankspec.conformance.verbs.words import Kind, number_text, stated_measure, words_of_arguments, words_of_names
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.document_weights import parsed_weights, require_points
from rankspec.oracle.derivation import explain as derive
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.trec_eval_names import NICKNAMES, named_measure, named_measures
from rankspec.oracle.query_set import unmatched
from rankspec.oracle.scoring.significance.comparing import Plan, SignificanceTest, compare_evaluated, compare_runs
from rankspec.oracle.scoring.significance.results import Correction, Side
from rankspec.results import (
    AtlasResult,
    CheckResult,
    CitationResult,
    Explained,
    ExplainedPair,
    Identified,
    ReferenceList,
    Resolution,
    Resolutions,
    WhyResult,
    WitnessResult,
)
from rankspec.scores import ComparisonResult, Leaderboard, Score, ScoreTable

__all__ = ["SpecificationError", "parametrize_with_cases", "read_qrels", "read_run"]

Implemented: TypeAlias = str | Implementation | Adapter | Callable[..., object]
"""A specification (`sklearn`, `metrics.py:ap`, `jsonl:./harness`), which is run in processes of its own with time and
memory limits; or a function object, which is called in this process."""
SomeMeasures: TypeAlias = list[str] | list[Measure] | list[str | Measure] | tuple[str | Measure, ...]
SomeConventions: TypeAlias = list[str] | list[Convention] | list[str | Convention] | tuple[str | Convention, ...]
_TWO = 2
_SHOWN = 60


@overload
def evaluate(
    measure: str | Measure,
    *data: Any,
    under: str | Convention = ...,
    per_query: bool = ...,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> Score: ...
@overload
def evaluate(
    measure: SomeMeasures,
    *data: Any,
    under: str | Convention = ...,
    per_query: bool = ...,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> ScoreTable: ...
def evaluate(
    measure: str | Measure | SomeMeasures,
    *data: Any,
    under: str | Convention = "default",
    per_query: bool = False,
    weights: Mapping[str, Any] | None = None,
    **named: Unpack[CallData],
) -> Score | ScoreTable:
    """Evaluate a run against qrels, or labels in rank order, exactly, under a stated convention.

    Args:
        measure: `AP@10`, `nDCG@20`, `P(rel=2)@5`, ... in ir_measures' grammar, trec_eval's name (`map_cut_10`), or as
            people write it (`map@10`); a list of them gives a table of scores.
        *data: qrels (query -> docno -> grade, a whole number) and a run (query -> docno -> score), each a dictionary,
            the name of a TREC file, or a frame with columns for query, docno and grade or score (or user, item and
            rating); or one list of labels in rank order.
        under: the convention: a profile's name (`trec_eval-9.0.8`), differences (`default[ties=grouped]`), or a
            library's name for what was recorded of it (`pytrec_eval`).
        per_query: print the value of each query, too; `per_query` of the result has them anyway.
        weights: query -> what it weighs in the mean, a number or its decimal text; by default all weigh the same.
        **named: the data in other forms; see `CallData`.

    Raises:
        ConventionError: the measure or the convention does not exist, or the two together mean nothing.
        InputError: the data is wrong, or qrels and run have no query in common; the message says where.
        UndefinedValueError: a value is undefined, and the convention says `error`.
    """
    asked = _measures(measure)
    if not asked:
        raise ConventionError("no measure is given; write one, such as 'AP@10'", code="measure-missing")
    convention = _convention(under, *asked)
    weighed = None if weights is None else parsed_weights(weights)
    if (
        weighed is None
        and (given := qrels_and_run(data, named))
        and (certified := certified_scores(asked, *given, convention))
    ):
        table = ScoreTable(certified, per_query)
        return table if isinstance(measure, list | tuple) else table[asked[0]]
    read = data_of_call(data, named, one_threshold(asked, named.get("num_relevant")), convention.reading)
    held = _held(convention, named, read)
    _require_points(read, ((each, held) for each in asked))
    table = ScoreTable(scores_of_data(asked, read.qrels, read.run, held, None, weights=weighed), per_query)
    return table if isinstance(measure, list | tuple) else table[asked[0]]


def score(
    qrels: SomeQrels,
    runs: SomeRuns,
    measures: str | Measure | SomeMeasures = "AP",
    *,
    under: str | Convention = "default",
    per_query: bool = False,
) -> ScoreTable | Leaderboard:
    """Return the values of measures on a run, or on several.

    Args:
        qrels: as for `evaluate`.
        runs: a run as for `evaluate`, or several: a list, name -> run, or a folder of files. Large files are read by an
            engine, and their values certified.
        measures: one or several; trec_eval's names for several (`official`) are understood, too.
        under: the convention.
        per_query: print the value of each query of a single run, too.

    Raises:
        ConventionError: a measure or the convention does not exist, or the two together mean nothing.
        InputError: the data is wrong.
        UndefinedValueError: a value is undefined, and the convention says `error`.
    """
    listed = measures if isinstance(measures, list | tuple) else [measures]
    convention = _convention(under, _measure(listed[0]) if listed and str(listed[0]) not in NICKNAMES else None)
    named = (named_measures(each, convention.reading) if isinstance(each, str) else [_measure(each)] for each in listed)
    asked = list(dict.fromkeys(measure for several in named for measure in several))
    by_name, are_several = runs_by_name(runs)
    tables = {}
    for name, run in by_name.items():
        refuse_swapped(qrels, run)
        if is_file(qrels) and is_file(run):
            (record,) = Scoring(asked, str(qrels), [str(run)], convention).scores()
        elif certified := certified_scores(asked, qrels, run, convention):
            record = certified
        else:
            judged, ranked = read_qrels(qrels, convention.reading), read_run(run, convention.reading)
            record = scores_of_data(asked, judged, ranked, convention, None)
        tables[name] = ScoreTable(record._replace(run=name) if are_several else record, per_query)
    return Leaderboard(tables) if are_several else next(iter(tables.values()))


def compare(  # noqa: PLR0913 - how runs can be compared
    qrels: SomeQrels,
    runs: SomeRuns,
    measure: str | Measure | SomeMeasures = "AP",
    *,
    under: str | Convention = "default",
    baseline: str | None = None,
    test: str = "randomization",
    alternative: str = "two-sided",
    correction: str = "holm",
    alpha: str | float | Fraction = "0.05",
    permutations: int | None = None,
    seed: int = 0,
    per_query: bool = False,
) -> ComparisonResult:
    """Compare runs query by query, and say which differences are significant.

    Args:
        qrels: as for `evaluate`.
        runs: two or more: a list, name -> run, or a folder of files.
        measure: one or several.
        under: the convention.
        baseline: the name of the run that the others are compared with, instead of all pairs.
        test: `randomization` or `t`.
        alternative: `two-sided`, `greater` or `less`.
        correction: for several pairs: `holm`, `bonferroni`, ..., `none`.
        alpha: significant is a corrected p-value of at most this.
        permutations: how many sign vectors are drawn; by default 100,000, or all are counted (20 queries).
        seed: what they are drawn with.
        per_query: print every query, not just the largest differences.

    Raises:
        ConventionError: a measure or the convention does not exist, or the two together mean nothing.
        InputError: the data is wrong, or a choice is none of those that there are.
        UndefinedValueError: a value is undefined, and the convention says `error`.
    """
    asked = _measures(measure)
    convention = _convention(under, *asked)
    named, _ = runs_by_name(runs)
    if len(named) < _TWO:
        raise InputError("one run is given; a comparison needs two or more: a list, or name -> run", code="run-missing")
    if baseline is not None and baseline not in named:
        raise InputError(f"baseline={baseline!r} is none of the runs, which are {', '.join(named)}", code="unknown-run")
    plan = Plan(
        _choice(SignificanceTest, "test", test),
        _choice(Side, "alternative", alternative),
        _choice(Correction, "correction", correction),
        level(str(alpha)),
        baseline,
        permutations,
        seed,
    )
    refuse_swapped(qrels, next(iter(named.values())))
    if all(map(is_file, (qrels, *named.values()))):
        files = {name: str(run) for name, run in named.items()}
        comparison = compare_evaluated(*evaluate_files(asked, str(qrels), files, convention), plan)
    else:
        judged = read_qrels(qrels, convention.reading)
        read = {name: read_run(run, convention.reading) for name, run in named.items()}
        for name, run in read.items():
            unmatched(list(judged), list(run), name)
        comparison = compare_runs(asked, judged, read, convention, plan)
    return ComparisonResult(comparison, convention, plan, per_query)


_Choice = TypeVar("_Choice", bound=StrEnum)


def _choice(choices: type[_Choice], name: str, value: str) -> _Choice:
    try:
        return choices(value)
    except ValueError:
        raise InputError(f"{name}={value!r}: there are {', '.join(choices)}", code="unknown-choice") from None


def measures() -> ReferenceList:
    """Return what measures there are: name -> what is known of it."""
    return ReferenceList(reference.measures())


def conventions() -> ReferenceList:
    """Return what named conventions there are: name -> what is known of it."""
    return ReferenceList(reference.conventions())


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
    choices: str | Convention | None = None,
    cases: str | None = None,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    identify: bool | None = None,
) -> CheckResult:
    """Hold an implementation to a convention: ask it every shipped case that it can be asked, twice.

    Args:
        implementation: a function object, or the text of a specification.
        measure: what a function computes, `AP@10`; every input is asked under it. By default what it is identified as;
            where it takes a cutoff, a case of that measure keeps its own.
        under: the convention; by default what an adapter declares, and of a function the textbook, with the choices of
            its own where textbooks leave one.
        choices: what a function is to do where textbooks leave the choice; by default what its answers show.
        cases: only cases whose id matches, `edge.ties.*`.
        shape: how a function is called, where its parameters don't tell.
        limits: how long and how much a call may take; none hold for a function object.
        identify: whether it is identified, so that `measure` and `under` need not be stated, and the result's
            `diagnosis` says what is wrong; by default your own function is. Where it is not, it is taken for what
            its name tells, else for AP, under `default`.

    Raises:
        SpecificationError: it can't be loaded, or no question can be put to it.
        ConventionError: there is no such measure or convention.
        InputError: no case matches.
    """
    chosen = matching(shipped_cases(), cases)
    if not chosen:
        raise InputError(f"no case matches {cases!r}; `rankspec fixtures list` lists them", code="unknown-case")
    stated = _stated(measure)
    convention, chosen_rules = (None if each is None else _convention(each, stated) for each in (under, choices))
    question = CheckQuestion(cases=chosen, measure=stated, under=convention, choices=chosen_rules, identifies=identify)
    checked = check_one(_connectable(implementation, shape, limits), question)
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
    stated = _stated(measure)
    first, second = _side(a, shape, stated), _side(b, shape, stated)
    return WitnessResult.of(
        find_witness(first, second, stated, shape=shape, limits=limits, input_filter=Filter(axis, only_values))
    )


def _side(
    named: Implemented | Convention, shape: Shape | str | None, measure: Measure | None
) -> str | Convention | Implementation | InProcess:
    if isinstance(named, str):
        return side_named(named, measure)
    return named if isinstance(named, Convention | Implementation) else InProcess(named, shape)


@overload
def explain(
    measure: str | Measure = ...,
    *data: Any,
    under: str | Convention = ...,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> Explained: ...
@overload
def explain(
    measure: str | Measure = ...,
    *data: Any,
    under: SomeConventions,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> ExplainedPair: ...
def explain(
    measure: str | Measure = "AP",
    *data: Any,
    under: str | Convention | SomeConventions = "default",
    weights: Mapping[str, Any] | None = None,
    **named: Unpack[CallData],
) -> Explained | ExplainedPair:
    """Derive a value, rank by rank, in exact numbers; under two conventions, both, and where they differ.

    Args:
        measure: `AP@10`, `nDCG@20`, ...
        *data: labels in rank order, or qrels and a run.
        under: the convention: a profile's name, differences (`default[ties=grouped]`), or a measure with it
            (`AP@10 under kaggle`); or a list of two.
        weights: query -> what it weighs in the mean, as for `evaluate`.
        **named: the data by name: `relevance` and `num_relevant`, `labels` and `scores`, `actual` and `predicted`, or
            `qrels` and `run`, with `query` to take one of them.

    Raises:
        ConventionError: there is no such measure or convention, or the two together mean nothing.
        InputError: the data is wrong.
    """
    stated = _measure(measure)
    listed = under if isinstance(under, list | tuple) else [under]
    if isinstance(under, list | tuple) and len(under) != _TWO:
        raise ConventionError(
            f"under has {len(under)} conventions; write one, or a list of two", code="too-many-conventions"
        )
    asked = [
        expression_named(each, stated) if isinstance(each, str) else (stated, _convention(each)) for each in listed
    ]
    readings = {convention.reading for _, convention in asked}
    reading = readings.pop() if len(readings) == 1 else Reading.STRICT
    rel = one_threshold((each for each, _ in asked), named.get("num_relevant"))
    read = data_of_call(data, named, rel, reading)
    _require_points(read, asked)
    weighed = None if weights is None else parsed_weights(weights)
    derivations = [
        Explained.of(derive(each, read.qrels, read.run, _held(convention, named, read), weighed))
        for each, convention in asked
    ]
    return ExplainedPair((derivations[0], derivations[1])) if len(derivations) == _TWO else derivations[0]


@overload
def resolve(
    value: str | float | Fraction,
    *data: Any,
    measure: Measure | str = ...,
    any_cutoff: bool = ...,
    any_measure: bool = ...,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> Resolution: ...
@overload
def resolve(
    value: list[Any] | tuple[Any, ...],
    *data: Any,
    measure: Measure | str = ...,
    any_cutoff: bool = ...,
    any_measure: bool = ...,
    weights: Mapping[str, Any] | None = ...,
    **named: Unpack[CallData],
) -> Resolutions: ...
def resolve(
    value: str | float | Fraction | list[Any] | tuple[Any, ...],
    *data: Any,
    measure: Measure | str = "AP",
    any_cutoff: bool = False,
    any_measure: bool = False,
    weights: Mapping[str, Any] | None = None,
    **named: Unpack[CallData],
) -> Resolution | Resolutions:
    """Find every convention that gives a number on the data that it was computed from.

    Args:
        value: the number with the digits that were printed, as text: `"0.6533"`, `"37/48"`, `"nan"`, `"65.3%"`; or a
            list, whose numbers are explained each and together.
        *data: labels in rank order, or qrels and a run.
        measure: what the number is said to be, such as `AP@10`.
        any_cutoff: search other cutoffs too, and limited depths.
        any_measure: where the measure does not give the number, search other measures with the same cutoff.
        weights: query -> what it weighs in the mean, as for `evaluate`.
        **named: the data by name, as for `explain`.

    Raises:
        ConventionError: there is no such measure.
        InputError: the value or the data can't be read.
    """
    asked = _measure(measure)
    read = replace(data_of_call(data, named, asked.rel), weights=None if weights is None else parsed_weights(weights))
    if not isinstance(value, list | tuple):
        return Resolution.of(
            resolve_data(number_text(value), asked, read, any_cutoff=any_cutoff, any_measure=any_measure)
        )
    if not value:
        raise InputError("no number is given", code="number-missing")
    if any_cutoff or any_measure:
        raise InputError("any_cutoff and any_measure are for one number", code="options-conflict")
    return Resolutions.of(resolve_jointly(list(map(number_text, value)), asked, read))


def cite(
    what: Implemented | Convention,
    measure: str | Measure | None = None,
    *,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
) -> CitationResult:
    """State what a library, a convention or a function computes: the sentence and the BibTeX entry for a paper.

    Args:
        what: a library (`ranx`, `recommenders==1.2.1`), a convention, a function object or its specification.
        measure: what was computed; by default AP, or what a name says.
        shape: how a function is called, where its parameters don't tell.
        limits: how long and how much a call may take.

    Raises:
        UserError: there is no such thing, or the measure was not measured.
    """
    stated = None if measure is None else str(_measure(measure))
    if isinstance(what, Convention):
        what = convention_text(what)
    of = what if isinstance(what, str) else _connectable(what, shape, limits)
    return CitationResult.of(citation_of(of, stated, shape, limits))


def atlas(name: str | None = None, measure: str | Measure | None = None) -> AtlasResult:
    """Return what libraries compute, as it was measured, and on what they differ from the textbook.

    Args:
        name: a library or an adapter, also at a version (`haystack==2.3.0`); by default all.
        measure: only this one: `AP`, with every cutoff, or `AP@10`.

    Raises:
        UserError: there is no such library, or the measure was not measured.
    """
    return AtlasResult.of(atlas_records(name, None if measure is None else str(_measure(measure))))


def why(
    *what: Any,
    measure: str | Measure | None = None,
    shape: Shape | str | None = None,
    limits: Limits | None = None,
    **named: Unpack[CallData],
) -> WhyResult:
    """Answer about what you have: a function, a number with its data, qrels and a run, two sides, a library.

    Args:
        *what: a function object or its specification (what does it compute?), a number or several with the data that
            they were computed from (which conventions give it?), qrels and a run (the score), two functions, libraries
            or conventions (where do they differ?), a library (what is recorded of it?), or a measure (how is it
            defined?), which may also stand among the others.
        measure: what is computed; by default what a name tells, else AP.
        shape: how functions are called whose parameters don't tell.
        limits: how long and how much an implementation may take; none hold for a function object.
        **named: the data by name, as for `explain`.

    Raises:
        InputError: these call for no question, or the data is wrong.
        ConventionError: there is no such measure, or none in a function's shape.
        SpecificationError: an implementation can't be loaded or asked.
    """
    words = [*words_of_arguments(what, shape), *words_of_names(named)]
    stated = _stated(stated_measure(words, None if measure is None else str(measure)))
    kinds = (Kind.LABELS, Kind.QRELS, Kind.RUN)
    data = sorted((each for each in words if each.kind in kinds), key=lambda each: kinds.index(each.kind))
    num_relevant, read = named.get("num_relevant"), None
    if any(each.value is not None for each in data) or named.keys() - {"num_relevant"}:
        by_position = [each.text if each.value is None else each.value for each in data if each.value is not named]
        read = data_of_call(by_position, named, 1 if stated is None else stated.rel)
    question = WhyQuestion(
        tuple(words),
        None if stated is None else str(stated),
        None if num_relevant is None else str(num_relevant),
        limits or Limits(),
        read,
    )
    return WhyResult(question, answer(question))


def _measure(measure: object) -> Measure:
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        what = f"a value of type {type(measure).__name__}"  # the repr of a frame is a table
        raise ConventionError(
            f"{what} is no measure; write a name such as 'AP@10' (evaluate and explain take it first)",
            code="not-a-measure",
        )
    return named_measure(measure)


def _measures(measure: object) -> list[Measure]:
    return [_measure(each) for each in (measure if isinstance(measure, list | tuple) else [measure])]


def _stated(measure: str | Measure | None) -> Measure | None:
    return None if measure is None else _measure(measure)


def _convention(under: object, *measures: Measure | None) -> Convention:
    if isinstance(under, str):
        return convention_named(under, *measures)
    if not isinstance(under, Convention):
        raise ConventionError(
            f"under={in_one_line(repr(under), _SHOWN)} is not a convention; write a name such as 'kaggle'",
            code="not-a-convention",
        )
    return under


def _held(convention: Convention, named: CallData, data: Data) -> Convention:
    """Return the convention that holds for the data: the queries of detections are classes."""
    return of_classes(convention, data.qrels) if named.get("detections") is not None else convention


def _require_points(data: Data, measures: Iterable[tuple[Measure, Convention]]) -> None:
    for measure, convention in measures if data.weighed else ():
        require_points(measure, convention)


def _connectable(implementation: Implemented, shape: Shape | str | None, limits: Limits | None) -> Connectable:
    if isinstance(implementation, str):
        implementation = parse(implementation, shape)
    if isinstance(implementation, Implementation):
        return Workers(implementation, limits or Limits())
    return InProcess(implementation, shape)

"""What `rankspec score` decides: the format of the judgements, what reads each run, and what is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rankspec.conformance.data.runs import locating, require_accepted
from rankspec.conformance.reports.scores import Scores, scores_of_engine, scores_of_evaluations
from rankspec.conformance.run import progress_bars
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.query_set import unmatched
from rankspec.oracle.readers.judgements import Judgements, read_judgements, read_preferences
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.scoring.evaluator import Engine, EngineChoice, in_order, reader_of

if TYPE_CHECKING:
    from rankspec.oracle.ranges import RunRange
    from rankspec.oracle.scoring.engines.product import Product
    from rankspec.oracle.scoring.engines.scoring import RunValues


RANGES = ("ties", "judgements")  # What can be left open


class EngineValues(NamedTuple):
    """A run's values as an engine's product has them."""

    product: Product
    engine: Engine  # what read the run
    note: str | None  # why it was another engine than was asked for, if it was
    values: Mapping[Measure, RunValues]

    def scores(self, run: str, convention: Convention) -> Scores:
        """Return them as `score` reports them."""
        return scores_of_engine(run, self.engine.value, self.note, convention, self.product, self.values)


@dataclass(eq=False, repr=False, match_args=False)
class Scoring:
    """What is scored: measures of runs against qrels, under a convention."""

    measures: Sequence[Measure]
    qrels: str
    runs: Sequence[str]
    convention: Convention
    judgements: Judgements | None = None  # the format of the qrels, if it is stated
    range_over: str | None = None  # what is left open, if anything is
    engine: Engine = Engine.AUTO  # what is to read the runs
    master: str | None = None  # Spark's master
    weights: Mapping[str, Fraction] | None = None  # what queries weigh in the mean; by default all weigh the same

    def require_sense(self) -> None:
        """Refuse what can't be read, or asked for together: `InputError`, or `ConventionError` for no such range."""
        is_alone = len(self.runs) == 1
        if self.qrels == STANDARD_INPUT in self.runs:
            raise InputError(
                "--qrels - and --run -: only one of them can be standard input", code="standard-input-twice"
            )
        if not is_alone and (self.range_over is not None or STANDARD_INPUT in {self.qrels, *self.runs}):
            raise InputError(
                "several runs are compared by their values: without --range, and not from standard input",
                code="options-conflict",
            )
        if self.range_over is not None and self.weights is not None:
            raise InputError("--range is of queries that weigh the same; leave --weights out", code="options-conflict")
        if self.range_over is not None:
            from rankspec.oracle.ranges import require_judgement_range, require_tie_range

            require_range = require_tie_range if self.range_over == "ties" else require_judgement_range
            for measure in self.measures:
                require_range(measure, self.convention)

    @cached_property
    def format(self) -> Judgements:
        """The format of judgements that the measures need; `InputError` for several, or another than stated."""
        stated = self.judgements
        by_preference = [measure for measure in self.measures if measure.family.by_preference]
        others = [each for each in self.measures if each not in by_preference and _needs_grades(each)]
        if by_preference and others:
            both = f"{others[0]} needs grades, and {by_preference[0]} preferences"
            raise InputError(f"{both}; ask for one of them at a time", code="judgement-kinds-mixed")
        if stated is not None and stated.has_preferences and others:
            raise InputError(
                f"{others[0]} needs grades, and --judgements {stated.value} has preferences",
                code="judgement-kinds-mixed",
            )
        if by_preference and stated is not None and not stated.has_preferences:
            raise InputError(
                f"{by_preference[0]} needs preferences; write --judgements qrels_prefs, and grades are their levels",
                code="judgement-kinds-mixed",
            )
        if stated is not None:
            return stated
        if by_preference:
            return Judgements.PREFS
        return Judgements.QRELS_JG if any(each.family.by_subtopic for each in self.measures) else Judgements.QRELS

    def reader(self, run: str) -> EngineChoice:
        """Return what reads a run. Ranges, and values that need all scores, are the oracle's."""
        reasons = {"a range needs every document": self.range_over, "queries have weights": self.weights}
        why = next((reason for reason, option in reasons.items() if option is not None), None)
        is_alone = len(self.runs) == 1
        return reader_of(self.engine, run, self.measures, self.convention, is_alone=is_alone, why_oracle=why)

    def scores(self) -> list[Scores]:
        """Return the values of each run; `InputError` for files unread, or one of several that needs the oracle."""
        self.require_sense()
        scored = []
        for run, chosen in [(run, self.reader(run)) for run in self.runs]:
            with locating(self.qrels, run):
                by_engine = self.by_engine(run, chosen)
                if isinstance(by_engine, EngineValues):
                    scored.append(by_engine.scores(run, self.convention))
                elif len(self.runs) > 1 and self.weights is None:
                    raise InputError(f"{run}: {by_engine}; score it alone", code="oracle-needed")
                else:
                    scored.append(self._by_oracle(run, by_engine))
        return scored

    def _by_oracle(self, run: str, note: str | None) -> Scores:
        """Read both files; the run first: trec_eval 9 does not look into the judgments of queries that it lacks."""
        reading = self.convention.reading
        ranked = read_run(run, Repeated.KEPT, reading)
        is_read = self.qrels == STANDARD_INPUT and "_judged" in vars(self)  # which can be read once
        judged = self._judged if is_read else self.read_judgements(ranked)
        require_accepted(judged, ranked, run, self.convention)
        name = "standard input" if run == STANDARD_INPUT else run
        scores = scores_of_data(
            self.measures, judged, ranked, self.convention, self.range_over, note, name, weights=self.weights
        )
        return scores._replace(run=run) if len(self.runs) > 1 else scores

    def by_engine(self, run: str, chosen: EngineChoice, name: str = "") -> EngineValues | str | None:
        """Return a run's certified values, or why the oracle has to evaluate it, if there is a reason to be told."""
        # What an engine refuses the stream reads, and what that refuses the reader. `InputError` for what can't be
        # read, or the convention's program would have refused; `UndefinedValueError` under `error`.
        if chosen.engine is Engine.ORACLE:
            return chosen.note
        from rankspec.oracle.scoring.engines.scoring import score_many  # loads numpy, which small runs can do without

        if not Path(run).exists():
            raise InputError(f"{run}: there is no such file", code="file-missing")
        try:
            judged = self._judged
        except InputError:
            if self.convention.reading is not Reading.TREC_EVAL_9:
                raise
            # It does not look into the judgments of queries that the run lacks, so the oracle reads the run first.
            return "judgments that may not count"
        product, engine, note = self._product(run, judged, chosen)
        if product is None:
            return note
        known = {} if product.aside is None else product.aside.run.results
        ranked = Run(MappingProxyType({**dict.fromkeys(product.lengths, ()), **known}))
        require_accepted(product.qrels, ranked, run, self.convention)
        unmatched(list(product.qrels), product.lengths, name or run)
        values = score_many(self.measures, product, self.convention)
        return EngineValues(product, engine, note, values)

    @cached_property
    def _judged(self) -> Qrels:
        """The judgments that engines count with, read once for all runs."""
        return self.read_judgements()

    def read_judgements(self, ranked: Container[str] | None = None) -> Qrels:
        """Read the qrels, for trec_eval 9 of the ranked queries alone; `InputError` for several formats."""
        reading = self.convention.reading
        if self.format.has_preferences and self.judgements is None:
            return read_preferences(self.qrels, reading)
        evaluated = ranked if reading is Reading.TREC_EVAL_9 else None
        return read_judgements(self.qrels, self.format, reading, evaluated=evaluated)

    def _product(self, run: str, judged: Qrels, chosen: EngineChoice) -> tuple[Product | None, Engine, str | None]:
        """Return what the first engine makes of a run that does not refuse it, that engine, and why others refused."""
        from rankspec.oracle.scoring.engines.product import EngineRefusalError

        note = chosen.note
        for engine in dict.fromkeys((chosen.engine, Engine.STREAM)):
            try:
                with _reading(run) as listener:
                    return self._read_by(engine, judged, run, listener), engine, note
            except EngineRefusalError as refusal:
                note = f"{engine.value}: {refusal}"
        return None, chosen.engine, note

    def _read_by(self, engine: Engine, qrels: Qrels, run: str, listener: Callable[[int], None]) -> Product:
        convention = in_order(self.measures, self.convention)
        from rankspec.oracle.scoring.engines.product import EngineRefusalError

        if engine is Engine.DUCKDB:
            from rankspec.oracle.scoring.engines.embedded import product_of_files

            return product_of_files(qrels, run, convention)
        if engine is Engine.SPARK:
            from rankspec.oracle.scoring.engines.cluster import product_of_files as on_a_cluster

            return on_a_cluster(qrels, run, convention, self.master)
        if Path(run).is_dir():
            raise EngineRefusalError("Parquet")
        from rankspec.oracle.scoring.engines.streaming import product_of_stream

        return product_of_stream(qrels, run, convention, listener)


def _needs_grades(measure: Measure) -> bool:
    """Tell whether a measure is more than a number of queries, or of documents retrieved."""
    family = measure.family
    return not (family.counts_queries or (family.is_count and family.counts_retrieved))


@contextmanager
def _reading(run: str) -> Iterator[Callable[[int], None]]:
    """Show how much of a file was read, at a terminal."""
    path = Path(run)
    size = path.stat().st_size if path.is_file() else 0
    with progress_bars.lines([run]) as begin:
        line = begin(run)
        line.count(0, size)
        yield lambda read: line.count(read, size)


def scores_of_data(
    measures: Sequence[Measure],
    qrels: Qrels,
    run: Run,
    convention: Convention,
    range_over: str | None,
    note: str | None = None,
    name: str = "",
    *,
    weights: Mapping[str, Fraction] | None = None,
) -> Scores:
    """Return the oracle's values of data that has been read; `InputError`, with the run's name, for none in common."""
    from rankspec.oracle.evaluation import evaluate_many  # loads every measure, which an engine does without

    matching = unmatched(list(qrels), list(run), name)
    evaluations = evaluate_many(measures, qrels, run, convention, weights)
    ranges: dict[Measure, RunRange] = {}
    if range_over is not None:
        from rankspec.oracle.ranges import judgement_range, tie_range

        range_of = tie_range if range_over == "ties" else judgement_range
        with progress_bars.bar("range") as tell:
            for place, measure in enumerate(measures):

                def progress_of(done: int, of: int, place: int = place, measure: Measure = measure) -> None:
                    tell(str(measure), place * of + done, len(measures) * of)

                ranges[measure] = range_of(measure, qrels, run, convention, progress=progress_of)
    scores = scores_of_evaluations(convention, matching, qrels, run, evaluations, ranges, range_over, note)
    return scores._replace(is_weighted=weights is not None)

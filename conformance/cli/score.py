"""`rankspec score`: exact values of measures, from TREC's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click
from rankspec.conformance.cli import options
from rankspec.conformance.cli.classes import of_classes
from rankspec.conformance.cli.inputs import list_options, read_data
from rankspec.conformance.cli.judgements import GROUPED, format_for, read_judged
from rankspec.conformance.cli.located import located, locating
from rankspec.conformance.cli.runs import Wanted, runs_of
from rankspec.conformance.cli.telling import telling
from rankspec.conformance.reports.score import Scores, Shown, print_scores, scores_data
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.engines.choosing import Chosen, Engine, choose, needs_scores
from rankspec.oracle.errors import InputError
from rankspec.oracle.evaluation import evaluate_many
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measures
from rankspec.oracle.query_matching import unmatched
from rankspec.oracle.ranges import RunRange, judgement_range, tie_range
from rankspec.oracle.readers.judgements import Judgements
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.refusals import refusals

RANGES: Mapping[str, Callable[..., RunRange]] = {
    "ties": tie_range,
    "judgements": judgement_range,
}
"""What can be left open, and how far the value goes then."""

_DIGITS = 4
_MOST_DIGITS = 1000


@click.command()
@click.option("--qrels", metavar="FILE", help="TREC qrels, plain or gzip; - is standard input. Needs --run.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="FILE",
    help="A TREC run, plain or gzip; - is standard input. Again for more, or a folder: a row a run.",
)
@list_options
@click.option(
    "--judgements",
    type=click.Choice([each.value for each in Judgements]),
    help="The format of the qrels, as in trec_eval's -R; by the measures and the columns, unless it is said.",
)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="M", help="A measure, e.g. nDCG@10; again for more (AP)."
)
@click.option("--under", default="default", metavar="CONVENTION", help="The convention (default).")
@click.option("-q", "--per-query", is_flag=True, help="Every query's value, too.")
@click.option(
    "--range",
    "range_over",
    type=click.Choice(list(RANGES)),
    help="The lowest and highest value, too: over all orders of ties, or all ways to judge what is not judged.",
)
@click.option("--exact", is_flag=True, help="Print the exact fractions beside the decimals.")
@click.option(
    "--digits",
    type=click.IntRange(0, _MOST_DIGITS),
    default=_DIGITS,
    show_default=True,
    metavar="N",
    help="Decimals that are printed.",
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice([engine.value for engine in Engine]),
    default=Engine.AUTO.value,
    show_default=True,
    help="What reads the run; by its size, unless it is said.",
)
@click.option("--master", metavar="URL", help="Spark's master (local[*]).")
@options.plot_option
@options.csv_option
@options.json_option
def score(
    qrels: str | None,
    runs: tuple[str, ...],
    judgements: str | None,
    measures: tuple[str, ...],
    under: str,
    range_over: str | None,
    digits: int,
    engine_name: str,
    master: str | None,
    drawing: Path | None,
    *,
    per_query: bool,
    exact: bool,
    as_csv: bool,
    as_json_: bool,
    **lists: str | None,
) -> None:
    """Print what measures are worth on a run, computed exactly under a stated convention.

    \b
    rankspec score --qrels qrels.txt --run run.txt -m AP -m "AP(rel=2)@10" -m nDCG@10
    rankspec score --qrels qrels.txt --run run.txt.gz -m P@5 -m infAP --under trec_eval-9.0.8 --per-query
    rankspec score --qrels qrels.txt --run run.txt --under "trec_eval-10.0[missing_query=zero]" --exact
    rankspec score --qrels qrels.txt --run run.txt -m AP -m RR --range ties --plot out.svg
    rankspec score --qrels qrels.txt --run runs/ -m AP -m nDCG@10
    rankspec score --qrels qrels.txt --run big.txt.gz -m AP --engine duckdb
    rankspec score --detections found.csv --ground-truths cat=12,dog=7 -m mAP --under coco --per-query
    rankspec score --verdicts verdicts.json -m ContextPrecision
    rankspec score --statements statements.json -m ContextRecall

    trec_eval's names are understood, too (-m map_cut.10), those for several measures with the parameters as there:
    -m official, -m all_trec, -m set, -m recall, -m all_prefs.

    For measures of novelty (-m alpha_nDCG@10, -m ERR_IA@10) the second column of the qrels is the subtopic; other
    measures beside them see a document's highest grade. For -m map_avgjg and its kin it is the judgment group
    (trec_eval -R qrels_jg).

    Measures of preferences (-m prefs_simp) read "query group subgroup docno level" (trec_eval -R prefs), or qrels,
    whose grades are the levels of the group in the second column (-R qrels_prefs).

    Under a trec_eval profile files are read as that program reads them, and what it refuses is refused. Its options
    are axes: -c is missing_query=zero, -J unjudged=removed, -M 100 depth=100; -l 2 is the measure's (rel=2).

    Values are correctly rounded whatever reads the run. Small runs are evaluated by the oracle; larger ones are read by
    an engine ("engine" in --json), their values certified by enclosures ("path": "certified"), and those that an
    enclosure leaves open by the oracle ("path": "exact").

    With --json, every value is a double, and the exact fraction: "exact" is null where the value is irrational, and for
    an engine's values without --exact. "per_query" is filled with --per-query; several runs stand in "runs".

    Exit status: 0; 2 if the call or an input is at fault, or the profile's program would have refused it.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if drawing is not None and range_over is None:
        raise click.UsageError("--plot draws what a range leaves open; give --range ties or --range judgements")
    options.require_plotting(drawing)
    convention = parse_convention(under)
    parsed = list(
        dict.fromkeys(each for text in measures or ("AP",) for each in named_measures(text, convention.reading))
    )
    shown = Shown(as_json=as_json_, as_csv=as_csv, per_query=per_query, exact=exact, digits=digits)
    if any(lists.values()):
        if qrels is not None or runs:
            raise click.UsageError("--qrels and --run are two files, and another kind of data is given beside them")
        given = read_data(1, lists)
        held = convention if lists["detections"] is None else of_classes(convention, given.qrels)
        _show(_of_data(parsed, given.qrels, given.run, held, range_over), shown, drawing)
        return
    if qrels is None or not runs:
        raise click.UsageError(f"Missing option '{'--qrels' if qrels is None else '--run'}'.")
    listed = [runs[0]] if runs == (STANDARD_INPUT,) else runs_of(runs)
    if qrels == STANDARD_INPUT in listed:
        raise InputError("--qrels - and --run -: only one of them can be standard input")
    if len(listed) > 1 and (range_over is not None or STANDARD_INPUT in {qrels, *listed}):
        raise InputError("several runs are compared by their values: without --range, and not from standard input")
    asked = Engine(engine_name)
    formatted = format_for(parsed, None if judgements is None else Judgements(judgements))
    if formatted is not Judgements.QRELS and len(listed) > 1:
        raise InputError(f"several runs are compared on plain qrels, and {GROUPED[formatted]}; give one run")
    chosen = {
        run: _chosen(asked, run, parsed, convention, range_over, formatted, is_alone=len(listed) == 1) for run in listed
    }
    wanted = Wanted(parsed, qrels, convention, chosen, master)
    note = None
    if len(listed) > 1 or chosen[listed[0]].engine is not Engine.ORACLE:
        from rankspec.conformance.cli.scoring import score_by_engines  # loads numpy, which small runs can do without

        note = score_by_engines(wanted, shown)
        if note is None:
            return
    note, run = note or chosen[listed[0]].note, listed[0]
    judged, ranked = read_judged(qrels, run, convention, formatted, is_said=judgements is not None)
    _show(_evaluated(parsed, judged, ranked, run, convention, range_over), shown, drawing, note)


def _show(found: Scores, shown: Shown, drawing: Path | None, note: str | None = None) -> None:
    if drawing is not None:
        from rankspec.conformance.reports.plot_ranges import plot_ranges

        plot_ranges(found, drawing)
    if shown.as_json:
        data = scores_data(found, per_query=shown.per_query, exact=shown.exact)
        options.print_json(data | {"engine": "oracle"} | ({} if note is None else {"engine_note": note}))
    else:
        print_scores(found, shown)


def _chosen(
    asked: Engine,
    run: str,
    measures: list[Measure],
    convention: Convention,
    range_over: str | None,
    judgements: Judgements,
    *,
    is_alone: bool,
) -> Chosen:
    """Return what reads a run. Ranges, and values that need all scores, are the oracle's."""
    chosen = choose(asked, run)
    if range_over is not None:
        return Chosen(Engine.ORACLE, "a range needs every document")
    if judgements in GROUPED:
        return Chosen(Engine.ORACLE, GROUPED[judgements])
    if chosen.engine is not Engine.ORACLE or not is_alone:
        if why := needs_scores(measures, convention):
            return Chosen(Engine.ORACLE, why)
        return chosen if chosen.engine is not Engine.ORACLE else Chosen(Engine.STREAM)
    return chosen


def _evaluated(
    measures: list[Measure], judged: Qrels, ranked: Run, run: str, convention: Convention, range_over: str | None
) -> Scores:
    """Return the oracle's values."""
    if refused := refusals(judged, ranked, convention):
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise InputError(f"{located(str(refused[0]), run)}{more}")
    with locating(run):
        return _of_data(measures, judged, ranked, convention, range_over)


def _of_data(
    measures: list[Measure], judged: Qrels, ranked: Run, convention: Convention, range_over: str | None
) -> Scores:
    unmatched(list(judged), list(ranked))
    evaluations = evaluate_many(measures, judged, ranked, convention)
    ranges = {} if range_over is None else _ranges(RANGES[range_over], measures, judged, ranked, convention)
    return Scores(convention, judged, ranked, evaluations, range_over, ranges)


def _ranges(
    range_of: Callable[..., RunRange],
    measures: list[Measure],
    qrels: Qrels,
    run: Run,
    convention: Convention,
) -> dict[Measure, RunRange]:
    found = {}
    with telling("range") as tell:
        for place, measure in enumerate(measures):

            def told(done: int, of: int, place: int = place, measure: Measure = measure) -> None:
                tell(str(measure), place * of + done, len(measures) * of)

            found[measure] = range_of(measure, qrels, run, convention, told=told)
    return found

"""`rankspec score`: exact values of measures, from TREC's files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output, files_by_position
from rankspec.conformance.data.runs import runs_of
from rankspec.conformance.reports import scores
from rankspec.conformance.verbs.score import RANGES, Scoring, scores_of_data
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.trec_eval_names import NICKNAMES, named_measure, named_measures
from rankspec.oracle.readers.judgements import Judgements
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.scoring.evaluator import Engine

_DIGITS = 4
_MOST_DIGITS = 1000  # An exact value is computed to any number of digits, but a thousand are read by nobody


@click.command()
@click.argument("files", nargs=-1, metavar="[QRELS RUN...]")
@click.option("--qrels", metavar="FILE", help="Qrels: TREC, CSV, TSV, JSON, Parquet; - is standard input.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="FILE",
    help="A run: TREC, CSV, TSV, JSON, Parquet; - is standard input. Again for more, or a folder: a row a run.",
)
@options.list_options
@click.option(
    "--judgements",
    type=click.Choice([each.value for each in Judgements]),
    help="The format of the qrels, as in trec_eval's -R (inferred from the measures and the columns).",
)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="M", help="A measure, e.g. nDCG@10; again for more (AP)."
)
@options.weights_option
@click.option("--under", default="default", metavar="CONVENTION", help="The convention (default).")
@click.option("-q", "--per-query", is_flag=True, help="Also print the value of each query.")
@click.option(
    "--range",
    "range_over",
    type=click.Choice(RANGES),
    help="Also print the lowest and highest value: over all orders of ties, or all judgments of unjudged documents.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Print exact fractions beside the decimals (some milliseconds more per query of 1,000 documents).",
)
@click.option(
    "--digits",
    type=click.IntRange(0, _MOST_DIGITS),
    default=_DIGITS,
    show_default=True,
    metavar="N",
    help="Decimals that are printed: of the nearest double, from 16 on of the exact value.",
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice([engine.value for engine in Engine]),
    default=Engine.AUTO.value,
    show_default=True,
    help="What reads the run (chosen by its size).",
)
@click.option(
    "--format",
    "row_format",
    type=click.Choice(["trec_eval"]),
    help="Print the rows that trec_eval prints, for scripts that read them, instead of a table.",
)
@click.option("--master", metavar="URL", help="Spark's master (local[*]).")
@options.output_options("csv", "json", "latex", "markdown")
def score(
    files: tuple[str, ...],
    qrels: str | None,
    runs: tuple[str, ...],
    judgements: str | None,
    measures: tuple[str, ...],
    weights: Mapping[str, Fraction] | None,
    under: str,
    range_over: str | None,
    digits: int,
    engine_name: str,
    row_format: str | None,
    master: str | None,
    *,
    per_query: bool,
    exact: bool,
    output: Output,
    **lists: str | None,
) -> None:
    """Print the values of measures on a run, computed exactly under a stated convention.

    \b
    rankspec score qrels.txt run.txt
    rankspec score qrels.txt run.txt -m map -m ndcg_cut.10 --under trec_eval-9.0.8 --format trec_eval
    rankspec score --qrels qrels.txt --run run.txt -m AP -m "AP(rel=2)@10" -m nDCG@10
    rankspec score --qrels qrels.txt --run run.txt.gz -m P@5 -m infAP --under trec_eval-9.0.8 --per-query
    rankspec score --qrels qrels.txt --run run.txt --under "trec_eval-10.0[missing_query=zero]" --exact
    rankspec score --qrels qrels.txt --run run.txt -m AP -m RR --range ties
    rankspec score --qrels qrels.txt --run runs/ -m AP -m nDCG@10
    rankspec score --qrels qrels.txt --run big.txt.gz -m AP --engine duckdb
    rankspec score --detections found.csv --ground-truths cat=12,dog=7 -m mAP --under coco --per-query
    rankspec score --qrels qrels.txt --run run.txt -m nDCG@10 --weights weights.txt
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

    Exit status: 0; 2 if the call or an input is wrong, or the profile's program would have refused it.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if row_format is not None and output.format in {"latex", "markdown"}:
        raise CallError(
            f"--format {row_format} prints rows for scripts; leave out --{output.format}", code="options-conflict"
        )
    qrels, runs = files_by_position(files, qrels, runs)
    # Several names of trec_eval's are AP's.
    first = None if not measures or measures[0] in NICKNAMES else named_measure(measures[0])
    convention = convention_named(under, first)
    named = [each for text in measures or ("AP",) for each in named_measures(text, convention.reading)]
    parsed = list(dict.fromkeys(named))
    convention_named(under, *parsed)  # of a library, each of them was measured
    if any(lists.values()):
        if qrels is not None or runs:
            raise CallError(
                "--qrels and --run are two files, and another kind of data is given beside them",
                code="options-conflict",
            )
        scored = [_scores_of_lists(parsed, lists, convention, range_over, weights)]
    elif qrels is None or not runs:
        raise click.UsageError(f"Missing option '{'--qrels' if qrels is None else '--run'}'.")
    else:
        run_files = runs if runs == (STANDARD_INPUT,) else runs_of(runs)
        stated = None if judgements is None else Judgements(judgements)
        engine = Engine(engine_name)
        scoring = Scoring(parsed, qrels, run_files, convention, stated, range_over, engine, master, weights)
        with _one_thread():
            scored = scoring.scores()
    if output.format in {"latex", "markdown"}:
        caption, table = scores.table_for_a_paper(scored, per_query=per_query, exact=exact, digits=digits)
        output.show(latex=lambda: f"% {caption}\n{table.latex()}", markdown=lambda: f"{caption}\n\n{table.markdown()}")
    elif row_format is not None:
        if len(scored) > 1:
            raise CallError(
                f"--format {row_format} prints one run, and {len(scored)} are given", code="options-conflict"
            )
        output.show(
            json=lambda: scores.scores_data(scored[0], per_query=per_query, exact=exact),
            text=lambda: scores.trec_eval_rows(scored[0], per_query=per_query),
        )
    elif len(scored) > 1:
        output.show(
            json=lambda: scores.leaderboard_data(scored, per_query=per_query, exact=exact),
            text=lambda: scores.leaderboard_report(scored, digits, exact=exact),
        )
    else:
        (one,) = scored
        output.show(
            json=lambda: scores.scores_data(one, per_query=per_query, exact=exact),
            csv=lambda: scores.scores_table(one, per_query=per_query, exact=exact, digits=digits),
            text=lambda: scores.scores_report(one, per_query=per_query, exact=exact, digits=digits),
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have numpy, if it is loaded meanwhile, start no threads: no engine multiplies matrices, and each waits busily."""
    if _THREADS in os.environ:
        yield
        return
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        os.environ.pop(_THREADS, None)


_THREADS = "OPENBLAS_NUM_THREADS"


def _scores_of_lists(
    measures: list[Measure],
    lists: dict[str, str | None],
    convention: Convention,
    range_over: str | None,
    weights: Mapping[str, Fraction] | None,
) -> scores.Scores:
    from rankspec.conformance.atlas.convention_names import of_classes
    from rankspec.conformance.data.arguments import data_of_texts

    data = data_of_texts(1, lists)
    held = convention if lists["detections"] is None else of_classes(convention, data.qrels)
    return scores_of_data(measures, data.qrels, data.run, held, range_over, weights=weights)

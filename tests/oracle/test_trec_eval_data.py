"""trec_eval's own test data, reproduced in every row of a measure that the grammar has.

The data is not in this repository. RANKSPEC_TREC_EVAL_TEST names the folder `test` of trec_eval's, of version 9.0.8 or
10.0, or several, separated as in PATH. Without it, data of the same kind is generated, and pytrec_eval, which embeds
9.0.8, is asked instead of trec_eval; `test_the_reading_of_rows` shows that the comparison itself can fail.
"""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from rankspec.conformance.data.runs import refusals
from rankspec.oracle import Qrels, Run, evaluate_many, parse_convention, parse_measure
from rankspec.oracle.language.trec_eval_names import trec_row
from rankspec.oracle.readers.trec import read_qrels, read_run

VARIABLE = "RANKSPEC_TREC_EVAL_TEST"
PROFILES = {"9.0.8": "trec_eval-9.0.8", "10.0": "trec_eval-10.0"}
HALF_A_UNIT = 5e-5
OF_VERSION_10 = ("rbp", "rbp_resid")
CHANGED_IN_10 = ("iprec_at_recall", "11pt_avg", *OF_VERSION_10)


@dataclass(frozen=True)
class Expected:
    """One call of the target quicktest: what it is given, what it prints."""

    printed: str
    qrels: str
    run: str
    settings: tuple[str, ...] = ()
    level: int = 1


CALLS = (
    Expected("out.test", "qrels.test", "results.test"),
    Expected("out.test", "qrels.test.with-comments", "results.test"),
    Expected("out.test.a", "qrels.test", "results.test"),
    Expected("out.test.aq", "qrels.test", "results.test"),
    Expected("out.test.aqc", "qrels.test", "results.trunc", ("missing_query=zero",)),
    Expected("out.test.aqcM", "qrels.test", "results.trunc", ("missing_query=zero", "depth=100")),
    Expected("out.test.aql", "qrels.rel_level", "results.test", level=2),
    Expected("out.test.meas_params", "qrels.test", "results.test"),
    Expected("out.comment.test", "qrels.comment.test", "results.comment.test"),
)


@dataclass(frozen=True)
class Options:
    """What a program is called with: its version, axes for its options, -l."""

    version: str = "9.0.8"
    settings: tuple[str, ...] = ()
    level: int = 1


@dataclass(frozen=True)
class Row:
    name: str
    query: str
    value: str


def folders():
    return [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]


def version_of(folder):
    return "10.0" if any(row.name == "rbp" for row in rows_of(folder / "out.test.a")) else "9.0.8"


def rows_of(path):
    return [Row(*line.split(None, 2)) for line in path.read_text().splitlines() if line.strip()]


def known_rows(rows, version):
    """Yield the rows that the grammar has, with the measure and the settings that it takes."""
    for row in rows:
        found = trec_row(row.name)
        if found is not None and (version == "10.0" or row.name not in OF_VERSION_10):
            yield row, found.expression(), ", ".join(f"{axis}={value}" for axis, value in found.settings.items())


def with_level(expression, level):
    """Put -l into a measure; gains are not told by it."""
    measure = parse_measure(expression)
    if level == 1 or "rel" not in measure.family.parameters or measure.name == "RBP":
        return expression
    name, _, cut = expression.partition("@")
    bare, _, inside = name.rstrip(")").partition("(")
    return f"{bare}({f'{inside}, ' if inside else ''}rel={level}){f'@{cut}' if cut else ''}"


def evaluations(qrels, run, options, expressions):
    """Evaluate (measure, further settings), everything of one convention at once."""
    done = {}
    for more in {more for _, more in expressions}:
        convention = convention_of(options.version, *options.settings, *filter(None, [more]))
        measures = {text: parse_measure(text) for text, other in expressions if other == more}
        found = evaluate_many(measures.values(), qrels, run, convention)
        done |= {(text, more): found[measure] for text, measure in measures.items()}
    return done


def convention_of(version, *settings):
    return parse_convention(PROFILES[version] + (f"[{', '.join(settings)}]" if settings else ""))


def disagreements(qrels, run, rows, options):
    """Return what is printed differently, and how many rows were compared."""
    known = [(row, with_level(text, options.level), more) for row, text, more in known_rows(rows, options.version)]
    found = evaluations(qrels, run, options, {(text, more) for _, text, more in known})
    wrong = []
    for row, text, more in known:
        evaluation = found[text, more]
        exact = evaluation.double if row.query == "all" else float(evaluation.per_query[row.query])
        printed = float(row.value)
        allowed = HALF_A_UNIT + 4 * math.ulp(abs(exact)) if "." in row.value else 0
        if not abs(exact - printed) <= allowed:
            wrong.append((row.name, row.query, printed, exact))
    return wrong, len(known)


@pytest.mark.skipif(not folders(), reason=f"{VARIABLE} names no folder of trec_eval's test data")
@pytest.mark.parametrize("version", PROFILES)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.printed}-{call.qrels}")
@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.parent.name)
def test_trec_eval_prints_what_is_exact(folder, call, version):
    if not all((folder / name).exists() for name in (call.printed, call.qrels, call.run)):
        pytest.skip(reason=f"{folder} lacks one of {call.printed}, {call.qrels}, {call.run}")
    convention = convention_of(version, *call.settings)
    if "comment" in call.qrels and version == "9.0.8":
        pytest.skip(reason="trec_eval 9.0.8 knows no comments")
    run = read_run(folder / call.run, reading=convention.reading)
    qrels = read_qrels(folder / call.qrels, convention.reading)
    assert refusals(qrels, run, convention) == ()
    rows = rows_of(folder / call.printed)
    if version != version_of(folder):
        rows = [row for row in rows if not row.name.startswith(CHANGED_IN_10)]
    wrong, compared = disagreements(qrels, run, rows, Options(version, call.settings, call.level))
    assert wrong == []
    assert compared > len(rows) // 2


def generated(seed):
    """Return qrels and a run as TREC has them: three topics, graded, tied, partly judged."""
    source = random.Random(seed)
    qrels, run = {}, {}
    for query in ("301", "302", "303"):
        names = [f"{source.choice(('FT9', 'FBIS3-', 'LA0'))}{source.randrange(10**5):05d}" for _ in range(160)]
        docnos = list(dict.fromkeys(names))
        run[query] = {docno: source.randrange(60) / 8 for docno in docnos[:120]}
        grades = {docno: source.choice((-1, 0, 0, 0, 1, 1, 2, 3, 4)) for docno in source.sample(docnos, 90)}
        qrels[query] = dict(sorted(grades.items()))
    return qrels, run


def printed_by_pytrec_eval(qrels, run, names, **options):
    """Return what trec_eval would print, from what it computes."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found = pytrec_eval.RelevanceEvaluator(qrels, names, **options).evaluate(run)
    rows = []
    for name in next(iter(found.values())):
        values = [per_query[name] for per_query in found.values()]
        if not name.startswith("gm_"):
            rows += [Row(name, query, per_query_text(name, found[query][name])) for query in found]
        total = pytrec_eval.compute_aggregated_measure(name, values)
        rows.append(Row(name, "all", per_query_text(name, total)))
    return rows


def per_query_text(name, value):
    return f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}".strip()


NAMES = {
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P", "recall", "infAP"),
    *("gm_bpref", "11pt_avg"),
    *("ndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall"),
    *("set_map", "set_F"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
}


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("judged_only", [False, True], ids=["all", "judged"])
def test_generated_data_like_it(seed, level, judged_only):
    qrels, run = generated(seed)
    rows = printed_by_pytrec_eval(qrels, run, NAMES, relevance_level=level, judged_docs_only_flag=judged_only)
    settings = ("unjudged=removed",) if judged_only else ()
    wrong, compared = disagreements(Qrels.of(qrels), Run.of(run), rows, Options("9.0.8", settings, level))
    assert wrong == []
    assert compared == len(rows)


def test_the_parameters_of_measures():
    qrels, run = generated(99)
    names = {"iprec_at_recall.0.10,0.25,0.33", "P.5,7,3", "recall.20,2000", "ndcg_cut.10,20,23", "success.2,5,20"}
    rows = printed_by_pytrec_eval(qrels, run, names | {"relative_P.7"})
    # trec_eval itself prints the parameter of set_F, pytrec_eval leaves it out of the name.
    rows += [Row("set_F_0.5", row.query, row.value) for row in printed_by_pytrec_eval(qrels, run, {"set_F.0.5"})]
    assert disagreements(Qrels.of(qrels), Run.of(run), rows, Options()) == ([], len(rows))


def test_the_reading_of_rows():
    qrels, run = generated(0)
    rows = printed_by_pytrec_eval(qrels, run, {"map", "P", "num_rel"})
    off = [Row(row.name, row.query, row.value[:-1] + str((int(row.value[-1]) + 2) % 10)) for row in rows]
    wrong, compared = disagreements(Qrels.of(qrels), Run.of(run), off, Options())
    assert len(wrong) == compared == len(rows)

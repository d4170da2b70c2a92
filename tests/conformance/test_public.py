"""`import rankspec`: names load when they are used, and `evaluate` takes what people have."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import rankspec
from rankspec.oracle import InputError
from wrong.unusual_styles import exact_ap

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"x": 0.9, "a": 0.5}, "q2": {"c": 1.0}}
# AP of q1 under the default: (1/2) / 2 = 1/4; of q2: 1. The mean is 5/8.


def test_importing_it_loads_nothing():
    code = "import sys, rankspec; print(sorted(name for name in sys.modules if name.startswith('rankspec.')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_name_is_there():
    for name in rankspec.__all__:
        assert getattr(rankspec, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        _ = rankspec.evalute


@pytest.mark.parametrize(
    "qrels",
    [
        QRELS,
        {query: {docno: np.int64(grade) for docno, grade in graded.items()} for query, graded in QRELS.items()},
        {query: {docno: np.int8(grade) for docno, grade in graded.items()} for query, graded in QRELS.items()},
    ],
)
@pytest.mark.parametrize(
    "run",
    [
        RUN,
        {query: list(scored.items()) for query, scored in RUN.items()},
        {query: {docno: np.float32(score) for docno, score in scored.items()} for query, scored in RUN.items()},
    ],
)
def test_dictionaries_and_numpy_numbers(qrels, run):
    score = rankspec.evaluate("AP", qrels, run)
    assert (score.exact, float(score), dict(score.floats)) == ("5/8", 0.625, {"q1": 0.25, "q2": 1.0})
    assert str(score) == "AP under default = 5/8 = 0.625"


@pytest.mark.parametrize(
    ("name", "measure"), [("map", "AP"), ("map_cut_10", "AP@10"), ("P_1", "P@1"), ("MAP@2", "AP@2")]
)
def test_the_names_of_others_are_understood(name, measure):
    assert rankspec.evaluate(name, QRELS, RUN) == rankspec.evaluate(measure, QRELS, RUN)
    assert rankspec.resolve("0.5", measure=name, relevance=[0, 1]).measure == rankspec.parse_measure(measure)


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, graded in QRELS.items() for d, g in graded.items()))
    run.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, scored in RUN.items() for d, s in scored.items()))
    return qrels, run


def test_files(files):
    assert rankspec.evaluate("AP", *files).exact == "5/8"
    assert rankspec.evaluate("AP", *map(str, files), under="trec_eval-9.0.8").exact == "5/8"


def test_files_are_read_as_the_convention_s_program_reads_them(tmp_path):
    """trec_eval 10 passes over comments; read strictly, one is a line with too few columns."""
    (tmp_path / "qrels").write_text("# by hand\n1 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", encoding="utf-8")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert rankspec.evaluate("AP", *files, under="trec_eval-10.0").exact == "1/2"
    with pytest.raises(InputError, match="line 1"):
        rankspec.evaluate("AP", *files)


def test_qrels_and_a_run_without_a_query_in_common_are_refused():
    with pytest.raises(InputError):
        rankspec.evaluate("AP", {"1": {"a": 1}}, {"2": {"a": 1.0}})


def test_a_check_that_was_cut_off_does_not_conform():
    checked = rankspec.check(exact_ap, measure="AP", cases="edge.basics.*")
    assert checked.conforms
    assert not replace(checked, complete=False).conforms


def test_frames():
    pandas = pytest.importorskip("pandas")
    qrels = pandas.DataFrame([(q, d, g) for q, graded in QRELS.items() for d, g in graded.items()])
    run = pandas.DataFrame([(q, d, s) for q, scored in RUN.items() for d, s in scored.items()])
    qrels.columns, run.columns = ["query_id", "doc_id", "relevance"], ["qid", "docno", "score"]
    assert rankspec.evaluate("AP", qrels, run).exact == "5/8"
    with pytest.raises(InputError, match="no column 'grade' among qid, docno, score"):
        rankspec.evaluate("AP", run, run)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"q": {"a": 0.5}}, "qrels, query q, document a: grade 0.5 is not a whole number"),
        ({"q": {"a": "yes"}}, "grade 'yes' is not a whole number"),
        ({"q": {"a": np.float32(0.5)}}, "grade 0.5 is not a whole number"),
        ({"q": ["a"]}, "qrels, query q: list is no mapping of docno to grade"),
        (7, "7 is no data; write a measure, then labels in rank order, or qrels and a run"),
    ],
)
def test_what_is_no_qrels_is_said(qrels, message):
    with pytest.raises(InputError, match=message):
        rankspec.evaluate("AP", qrels, RUN)


def test_an_undefined_value_is_one():
    score = rankspec.evaluate("AP", {"q": {}}, {"q": {"a": 1.0}}, under="default[no_relevant=nan]")
    assert str(score) == "AP under default[no_relevant=nan] is undefined (nan)"
    assert str(float(score)) == "nan"
    assert score._repr_latex_() == r"$\text{AP under default{[}no\_relevant=nan{]}} = \text{nan}$"


def test_it_shows_itself_as_a_table_in_a_notebook():
    html = rankspec.evaluate("AP", {"<q>": {"a": 1}}, {"<q>": {"a": 1.0}})._repr_html_()
    assert "<td>&lt;q&gt;</td><td>1</td><td>1.0</td>" in html
    skipped = rankspec.evaluate("AP", QRELS, {"q1": RUN["q1"]}, under="default[missing_query=skip]")
    assert "<tr><td>q2</td><td>not in the run</td><td></td></tr>" in skipped._repr_html_()


def test_an_exact_value_of_many_logarithms_is_not_printed_whole():
    # Gains 1 at ranks 2, 3 and 5 over an ideal list of 3.
    score = rankspec.evaluate(
        "nDCG", {"q": dict.fromkeys("abc", 1)}, {"q": list(zip("xabyc", range(5, 0, -1), strict=True))}
    )
    assert len(score.exact) > 40
    assert score.exact not in str(score)
    assert str(score).endswith(" characters = 0.7122630665145961")


def test_it_is_plain_data_too():
    assert rankspec.evaluate("AP", QRELS, {"q1": RUN["q1"]}, under="default[missing_query=skip]").to_dict() == {
        "measure": "AP",
        "convention": "default[missing_query=skip]",
        "exact": "1/4",
        "float": 0.25,
        "per_query": {"q1": {"exact": "1/4", "float": 0.25}},
        "excluded": {"q2": "not in the run"},
    }


def test_python_m_rankspec():
    done = subprocess.run([sys.executable, "-m", "rankspec", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rankspec, version ")

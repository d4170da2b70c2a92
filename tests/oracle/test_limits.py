"""Bombs of each kind: refused in one line that names the place and the limit, quickly and in little memory."""

import gzip
import json
import os
import re
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from campaign import in_campaign, one_in
from rankspec.oracle import DEFAULT, InputError, Ranking, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Reading, RecallGrid, Ties, Unjudged
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import effective
from rankspec.oracle.limits import LIMITS, VARIABLE
from rankspec.oracle.measures.areas.estimators import ESTIMATORS
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.readers.detections import detections_from
from rankspec.oracle.readers.judgements import read_preferences, read_subtopic_qrels
from rankspec.oracle.readers.trec import read_qrels, read_run
from rankspec.oracle.readers.verdicts import contexts_from
from refusals import refused

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = b"q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n"
SCATTERED = RUN + b"q1 Q0 c 3 0 t\n"
ENGINES = ("oracle", "stream")

RUNS = {
    "long lines": ("line_bytes=20", RUN + b"q2 Q0 b 2 0 tttttttttt\n", r"run, line 4: .*20 bytes"),
    "a long id": ("id_bytes=8", RUN + b"q2 Q0 bbbbbbbbb 2 0 t\n", r"run, line 4: .*8 bytes"),
    "an endless line": ("line_bytes=20", RUN + b"x " * 90_000, r"run, line 4: .*20 bytes"),
    "many queries": ("queries=1", RUN, r"run, line 3: .*1 queries"),
    "many documents": ("documents=1", RUN, r"run, line 2: .*q1.*1 documents"),
    "scattered queries": ("queries=1", SCATTERED, r"run, line 3: .*1 queries"),
    "scattered documents": ("documents=2", SCATTERED, r"run, line 4: .*q1.*2 documents"),
    "a long id, scattered": ("id_bytes=8", SCATTERED + b"q2 Q0 bbbbbbbbb 2 0 t\n", r"run, line 5: "),
    "gzip": ("unpacked_bytes=50", gzip.compress(RUN * 2, mtime=0), r"run: .*50 bytes"),
    "gzip of lines": ("line_bytes=20", gzip.compress(RUN + b"x " * 90, mtime=0), r"run, line 4: .*20 bytes"),
}


def scored(folder, limits, *arguments, qrels=QRELS, run=RUN, memory_bytes=2**31):
    """Run the command under a memory limit; return its status and what it says."""
    (folder / "qrels").write_bytes(qrels)
    (folder / "run").write_bytes(run)
    ended = subprocess.run(
        [sys.executable, "-m", "rankspec", "score", "qrels", "run", *arguments],
        cwd=folder,
        env=os.environ | {VARIABLE: limits},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes)),
    )
    return ended.returncode, ended.stderr


def is_one_line(said, reason):
    return re.fullmatch(rf"rankspec: {reason}.*{VARIABLE}=\w+=N.*\n", said) is not None


@pytest.mark.parametrize("bomb", RUNS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_bomb_of_a_run_is_refused_by_every_engine(rankspec, tmp_path, monkeypatch, bomb, engine):
    limits, run, reason = RUNS[bomb]
    (tmp_path / "qrels").write_bytes(b"q1 0 a 1\n")
    (tmp_path / "run").write_bytes(run)
    monkeypatch.chdir(tmp_path)
    arguments = ("score", "qrels", "run", "--engine", engine)
    assert rankspec(*arguments)[0] == (2 if bomb in {"an endless line", "gzip", "gzip of lines"} else 0)
    monkeypatch.setenv(VARIABLE, limits)
    status, out, err = rankspec(*arguments)
    assert (status, out) == (2, "")
    assert is_one_line(err, reason), err


TIED = [name for name, family in FAMILIES.items() if not family.cuts_by_score]

JUDGEMENTS = (read_qrels, read_subtopic_qrels, read_preferences)
PROGRAMS = tuple(
    partial(read, reading=reading)
    for reading in (Reading.TREC_EVAL_9, Reading.TREC_EVAL_10)
    for read in (read_qrels, read_run)
)
BOMBS_OF_FILES = [
    *((read, "line_bytes=10", b"q 0 a 1\nq 0 bbbbbbb 1\n", ("line 2", "10")) for read in JUDGEMENTS),
    *((read, "id_bytes=3", b"q 0 a 1\nq 0 bbbb 1\n", ("line 2", "3")) for read in JUDGEMENTS),
    *((read, "lines=2", QRELS, ("line 3", "2 lines")) for read in JUDGEMENTS),
    *((read, "queries=1", QRELS, ("line 3", "1 queries")) for read in JUDGEMENTS),
    *((read, "documents=1", QRELS, ("line 2", "query", "q1", "1 documents")) for read in JUDGEMENTS),
    *((read, "file_bytes=20", QRELS, ("20",)) for read in JUDGEMENTS),
    *((read, "file_bytes=20", gzip.compress(QRELS, mtime=0), ("20",)) for read in JUDGEMENTS),
    *((read, "unpacked_bytes=20", gzip.compress(QRELS, mtime=0), ("20",)) for read in JUDGEMENTS),
    *((read, "queries=1", RUN if read.func is read_run else QRELS, ("line 3",)) for read in PROGRAMS),
    *((read, "lines=2", RUN if read.func is read_run else QRELS, ("line 3",)) for read in PROGRAMS),
    (contexts_from, "nesting=3", b'{"q": [{"verdict": "yes"}], "r": [[[["[[["]]]]}', ("JSON", "3")),
    (contexts_from, "id_bytes=3", b'{"qqqq": [1, 0]}', ("3",)),
    (contexts_from, "file_bytes=10", b'{"q": [1, 0, 1]}', ("10",)),
    (detections_from, "ground_truths=2", b"score,matched,ground_truths\n0.5,TP,3\n", ("line 2", "3")),
    (detections_from, "ground_truths=2", b"score,matched,ground_truths\n0.5,TP," + b"9" * 5000 + b"\n", ("2",)),
    (detections_from, "id_bytes=4", b"class,score,matched\nccccc,0.5,TP\n", ("line 1", "4")),
]


@pytest.mark.parametrize(("read", "limits", "content", "reason"), BOMBS_OF_FILES)
def test_bombs_of_files(tmp_path, monkeypatch, read, limits, content, reason):  # noqa: PLR0913 - a table
    (tmp_path / "file").write_bytes(content)
    if read in JUDGEMENTS:
        read(tmp_path / "file")
    monkeypatch.setenv(VARIABLE, limits)
    with refused("beyond-limit", *reason):
        read(tmp_path / "file")


def test_a_field_that_no_reader_of_csv_takes(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "id_bytes=900000")
    (tmp_path / "file").write_text(f"class,score,matched\n{'c' * 140_000},0.5,TP\n", encoding="utf-8")
    with refused("not-csv", "line 2", "CSV"):
        detections_from(tmp_path / "file")


def test_brackets_in_texts_are_no_levels(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "nesting=3")
    reason = json.dumps('[[[["]]{{{{')
    (tmp_path / "file").write_text(f'{{"q": [{{"verdict": "yes", "reason": {reason}}}]}}', encoding="utf-8")
    assert list(contexts_from(tmp_path / "file")[1]) == ["q"]


def test_a_grade_that_is_an_exponent(rankspec, tmp_path, monkeypatch):
    (tmp_path / "qrels").write_bytes(b"q1 0 b 0\nq1 0 a 1000000000\n")
    (tmp_path / "run").write_bytes(RUN)
    monkeypatch.chdir(tmp_path)
    arguments = ("score", "qrels", "run", "-m", "nDCG", "--under")
    assert rankspec(*arguments, "default")[0] == 0
    status, _, err = rankspec(*arguments, "default[gain=exponential]")
    assert status == 2
    assert is_one_line(err, r"qrels, line 2: .*1000000000.*65536")
    with refused("beyond-limit", "err_max_grade=65537", "more", "than 65536"):
        parse_convention("default[err_max_grade=65537]")


@pytest.mark.campaign
def test_a_search_leaves_out_what_is_not_computed(rankspec, tmp_path, monkeypatch):
    """A measure without such gains is searched whole; a higher limit brings the rest back."""
    (tmp_path / "qrels").write_bytes(b"q1 0 a 100\nq1 0 b 1\n")
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "other").write_bytes(RUN.replace(b"2 t", b"0 t"))
    monkeypatch.chdir(tmp_path)
    reason = r"gain=exponential .*grade 100\b.* 99\b"
    resolve = ("resolve", "--value", "0.64", "--qrels", "qrels", "--run", "other", "--measure")
    impact = ("impact", "--qrels", "qrels", "--run", "run", "--run", "other", "--measure")
    for limit, left_out in ((99, True), (100, False)):
        monkeypatch.setenv(VARIABLE, f"exponential_grade={limit}")
        for call in ((*resolve, "nDCG"), (*impact, "nDCG", "--most", "1000"), (*impact, "nDCG", "--libraries")):
            status, out, err = rankspec(*call)
            assert (status, err) == (0, "")
            assert (re.search(reason, out) is not None) is left_out
            assert json.loads(rankspec(*call, "--json")[1])["complete"] is not left_out
        assert "gain=" not in rankspec(*resolve, "AP")[1]


@pytest.mark.parametrize("text", ["foo=1", "line_bytes", "line_bytes=0", "line_bytes=-1", "line_bytes=1e6"])
def test_a_setting_that_sets_nothing_is_refused(tmp_path, monkeypatch, text):
    (tmp_path / "file").write_bytes(QRELS)
    monkeypatch.setenv(VARIABLE, text)
    with refused("limit-malformed", VARIABLE, text):
        read_qrels(tmp_path / "file")


def test_every_limit_can_be_set(monkeypatch):
    monkeypatch.setenv(VARIABLE, ", ".join(f"{name}={limit.default + 1}" for name, limit in LIMITS.items()))
    assert all(limit.most == limit.default + 1 for limit in LIMITS.values())


BOMBS = {
    "50 MB as id": (lambda: {"run": RUN + b"q2 Q0 " + b"b" * 50_000_000 + b" 2 0 t\n"}, "run, line 4: "),
    "a judged id of 50 MB": (lambda: {"qrels": QRELS + b"q2 0 " + b"b" * 50_000_000 + b" 1\n"}, "qrels, line 4: "),
    "a line of 300 MB": (lambda: {"run": RUN + b"x " * 150_000_000}, "run, line 4: "),
    "600 MB of ends of lines": (lambda: {"run": gzip.compress(b"\n" * 600_000_000, 6, mtime=0)}, "run: "),
    "600 MB of judgements": (lambda: {"qrels": gzip.compress(b"\n" * 600_000_000, 6, mtime=0)}, "qrels: "),
}
"""Name -> what makes the files, which no worker that collects tests should hold; and where the refusal says it is."""


@pytest.mark.campaign
@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_bomb_of_real_size_is_refused_in_two_gigabytes(tmp_path, bomb, engine):
    files, reason = BOMBS[bomb]
    status, said = scored(tmp_path, "", "--engine", engine, **files())
    assert status == 2
    assert is_one_line(said, reason), said


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        *[("AP11", ""), ("IPrec@0.1", "")],
        *[
            ("AP", f", interpolation={each}")
            for each, made in ESTIMATORS.items()
            if not made(1, 1, 1, RecallGrid.EXACT).is_linear
        ],
    ],
)
def test_states_of_a_tie_are_counted_before_any_is_worked_out(text, setting, monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("rankspec.oracle.measures.areas.expectation.back_through", never)
    times, most = (100, 300_000) if text == "AP11" else (10, 6000)
    if text != "AP11":  # of which the limit is as it is
        monkeypatch.setenv(VARIABLE, f"tie_states={most}")
    ranking = Ranking(((1,) * 3 * times + (None,) * 7 * times,), (1,) * 3 * times)
    measure = parse_measure(text)
    convention = effective(measure, parse_convention(f"default[ties=expected{setting}]"))
    with refused("beyond-limit", str(most)):
        value_of(ranking, measure, convention)


@pytest.mark.parametrize(
    ("measure", "limits", "message"),
    [
        ("AP11", "tie_states=100", "[0-9]{3} states .*100 states"),
        ("IPrec@0.5", "tie_states=100", "100 states"),
        ("Compat", "tie_states=49", "50 numbers .*49 states"),
        ("NERR8(max_rel=1)@3", "orders=23", "24 documents .*23 steps"),
        ("NERR10(max_rel=1)", "", r"10\^26 documents .*100000 steps"),
        ("nNRBP", "", r"10\^26 documents .*100000 steps"),
        ("AP@3", "orders=3", "12 documents .*3 steps"),
    ],
)
def test_a_tie_that_no_closed_form_is_known_for_is_refused_at_once(measure, limits, message, monkeypatch):
    monkeypatch.setenv(VARIABLE, limits)
    size = 84 if "10\\^" in message else 12
    ranking = Ranking((((1,) * (size // 2 - 1) + (None,) * (size // 2 + 1)),), (1,) * 60 + (2,) * (measure == "Compat"))
    parsed = parse_measure(measure)
    with pytest.raises(InputError, match=message):
        value_of(ranking, parsed, effective(parsed, parse_convention("default[ties=expected]")))


@one_in(3)
@pytest.mark.parametrize("text", ["AP", "AP@100", "IPrec@0.5"])
def test_lists_that_a_limit_leaves_of_a_tie_have_their_states_counted_together(text):
    grades = (1,) * 187 + (0,) * 63
    measure = parse_measure(text)
    convention = parse_convention("default[ties=expected, depth=100, interpolation=envelope]")
    with refused("beyond-limit", "300000"):
        value_of(Ranking((grades,), grades), measure, effective(measure, convention))


# The four that count most calls take half of the time of all.
@pytest.mark.parametrize(
    "name",
    in_campaign(
        TIED, but=[each for each in TIED if each not in {"ContextPrecision", "Accuracy", "infAP", "AP11"}][::3], ids=str
    ),
)
def test_what_a_limit_leaves_of_a_long_tie_has_a_form_or_is_refused_before_it_is_walked(name, monkeypatch):
    """Counted in calls of functions, of which a step that the limits count takes some twenty, and a form few in all."""
    monkeypatch.setenv(VARIABLE, "orders=4000,tie_states=4000")
    blocks = ((1,), (0,) * 50 + (1,) * 60 + (2,) * 30 + (3,) * 10 + (None,) * 30)
    ranking = Ranking(blocks, tuple(label for block in blocks for label in block if label is not None))
    example, calls = parse_measure(FAMILIES[name].example), 0

    def count(_, event, __):
        nonlocal calls
        calls += event == "call"
        assert calls < 400_000

    ks = (None,) if FAMILIES[name].cut in {Cut.NONE, Cut.RECALL, Cut.MULTIPLE} else (9, 60)
    for k, depth, unjudged in product(ks, (None, 9, 100), Unjudged):
        measure, calls = replace(example, k=k), 0
        convention = DEFAULT.with_settings({"ties": Ties.EXPECTED, "depth": depth, "unjudged": unjudged})
        sys.setprofile(count)
        try:
            with suppress(InputError):
                value_of(ranking, measure, effective(measure, convention))
        finally:
            sys.setprofile(None)

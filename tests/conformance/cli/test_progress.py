"""Long verbs say how far they are, with an estimate, to whoever looks; nothing that they find depends on it."""

import io
import sys
from dataclasses import replace

import pytest
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.resolve.resolve import resolve_data, resolve_jointly, with_other_cutoffs
from rankspec.conformance.infer.witness.witness import witness
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.progress_bars import silent
from rankspec.oracle import Measure, Qrels, Run
from rankspec.oracle.ranges import judgement_range, tie_range

AP = Measure("AP")
DATA = data_of({"labels": [0, 1, 1, 0], "scores": [2, 2, 1, 0]})
QRELS = Qrels.of({"a": {"x": 1}, "b": {"y": 1}})
RUN = Run.of({"a": {"x": 1, "u": 1}, "b": {"u": 2, "y": 1}})


def average_precision(relevance, num_relevant):
    """Average precision, as the default has it."""
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0


def precision_everywhere(relevance, num_relevant):
    """The same over the hits."""
    return average_precision(relevance, sum(relevance)) if num_relevant else 0.0


class Listener:
    """Whoever is told."""

    def __init__(self):
        self.told = []

    def __call__(self, doing, done, of=None):
        self.told.append((doing, done, of))

    def queries(self, done, of):
        self("queries", done, of)


def ranged(of):
    return lambda tell: of(AP, QRELS, RUN, progress=getattr(tell, "queries", None))


WORK = {
    "resolve": lambda tell: resolve_data("0.58", AP, DATA, any_measure=True, progress=tell),
    "resolve several": lambda tell: resolve_jointly(["0.58", "0.5"], AP, DATA, tell),
    "resolve beside cutoffs": lambda tell: with_other_cutoffs(resolve_data("0.123", AP, DATA), DATA, tell),
    "score --range ties": ranged(tie_range),
    "score --range judgements": ranged(judgement_range),
    "identify": lambda tell: replace(identify_connected(InProcess(average_precision), progress=tell), seconds=0.0),
    "witness": lambda tell: replace(
        witness(InProcess(average_precision), InProcess(precision_everywhere), "AP", progress=tell), sides=()
    ),
}

LONG = {"identify", "resolve", "resolve beside cutoffs", "resolve several", "witness"}


@pytest.mark.parametrize(
    "work", [pytest.param(work, id=name, marks=[pytest.mark.campaign] * (name in LONG)) for name, work in WORK.items()]
)
def test_who_listens_hears_how_far_it_is_and_changes_nothing(work):
    listener = Listener()
    found = work(listener)
    assert repr(found) == repr(work(silent))
    assert listener.told
    assert all(0 <= done <= (done if of is None else of) for _, done, of in listener.told)
    assert any(of for _, _, of in listener.told)


def test_a_bar_has_what_is_done_a_share_and_an_estimate(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress_bars, "_PATIENCE_SECONDS", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bars.bar("resolve") as tell:
        tell("counting", 1, 4)
    shown = screen.getvalue()
    assert "resolve: counting" in shown
    assert "25%" in shown
    assert "-:--:--" in shown  # what is left is not known yet


def test_a_pipe_is_told_nothing_and_loads_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bars.bar("resolve") as tell:
        assert tell is silent

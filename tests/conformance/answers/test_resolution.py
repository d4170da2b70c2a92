"""The page of `resolve`: values that are the number, who follows a rule before made-up rules, what comes near else."""

import pytest
from rankspec.conformance.answers.resolution import resolutions_answer
from rankspec.conformance.infer.resolve.joint import JointResolution, beside_cutoffs
from rankspec.conformance.infer.resolve.resolve import resolve_data
from rankspec.oracle import parse_measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.sweeps.space import Data

DATA = Data(
    Qrels.of({"q": {"a": 2, "c": 1, "d": 1, "x": 1}}), Run.of({"q": [(each, 9 - at) for at, each in enumerate("abcd")]})
)


def page_of(number, measure="AP"):
    resolution = beside_cutoffs(resolve_data(number, parse_measure(measure), DATA), DATA)
    return resolution, resolutions_answer(JointResolution((resolution,), ()))


# a hit at ranks 1, 3, 4 of four relevant: (1 + 2/3 + 3/4) / 4 = 29/48; / 3 = 29/36.
@pytest.mark.parametrize("number", ["0.6042", "0.8056", "0.60", "0.81"])
def test_what_gives_a_number_comes_with_its_value_and_those_who_follow_it_first(number):
    resolution, page = page_of(number)
    names = {name for each in resolution.own for name in each.profiles} - {"default"}
    rows = [row for row in page.rows if "cut off" not in row.measure]
    assert 1 < len(page.rows) <= 8
    followed = [any(name in row.finding for name in names) for row in rows]
    assert followed == sorted(followed, reverse=True)
    assert any(followed) == any({*each.profiles} - {"default"} for each in resolution.own)
    digits = len(number.partition(".")[2])
    assert {f"{float(row.name):.{digits}f}" for row in rows} == {number}


def test_what_comes_near_is_shown_with_its_value_where_nothing_gives_a_number():
    resolution, page = page_of("0.6199")
    assert (resolution.own, len(page.rows)) == ((), len(resolution.nearest))
    assert [row.name for row in page.rows] == [f"{float(each.decimal):.4f}" for each in resolution.nearest]


@pytest.mark.campaign
def test_a_cutoff_that_nobody_asked_for_is_no_row():
    resolution, page = page_of("0.5556")  # (1 + 2/3) / 3 at a cutoff of 3
    assert resolution.explanations
    assert not resolution.own
    assert all(row.measure == "AP" for row in page.rows)
    assert any("AP@3" in note for note in page.notes)

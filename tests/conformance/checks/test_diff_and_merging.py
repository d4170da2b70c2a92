"""What changed between two checks, and several checks as one."""

import pytest
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.diff import Change, diff
from rankspec.conformance.checks.records import check_record, merged
from rankspec.conformance.reports.checks.check import check_data


def record(*cases, **more):
    return check_record(one(*cases, **more))


GOOD, BAD, UNASKED = case("edge.a"), case("edge.a", "wrong", 0.25), case("edge.a", "unsupported", None)


@pytest.mark.parametrize(
    ("old", "new", "change", "worse"),
    [
        (GOOD, BAD, Change.BEGAN_TO_FAIL, True),
        (BAD, GOOD, Change.MENDED, False),
        (GOOD, UNASKED, Change.NO_LONGER_ASKED, True),
        (UNASKED, BAD, Change.BEGAN_TO_FAIL, True),
        (UNASKED, GOOD, Change.NOW_ASKED, False),
        (BAD, UNASKED, Change.CHANGED, False),
        (BAD, case("edge.a", "wrong", 0.75), Change.CHANGED, False),
        (BAD, case("edge.a", "error", None, got="ValueError"), Change.CHANGED, False),
        (case("edge.a", "error", None, got="E"), case("edge.a", "error", None, got="F"), Change.CHANGED, False),
        (GOOD, case("edge.a", "float64", 0.5000000000000001), Change.CHANGED, False),
        (GOOD, case("edge.a", exact="1/3"), Change.CHANGED, False),
        (GOOD, case("edge.a", per_query={"q": 0.5}), Change.CHANGED, False),
        (GOOD, case("edge.a", detail="other words"), None, False),
        (BAD, case("edge.a", "wrong", 0.25, known="a reason"), None, False),
        (GOOD, case("edge.a", "wrong", 0.25, known="a reason"), Change.BEGAN_TO_FAIL, True),
        (UNASKED, case("edge.a", "not-expressible", None), Change.CHANGED, False),
    ],
)
def test_what_became_of_a_case(old, new, change, worse):
    found = diff(record(old), record(new))
    (each,) = found.implementations
    assert [changed.change for changed in each.cases] == ([] if change is None else [change])
    assert each.same == (1 if change is None else 0)
    assert found.is_worse is worse


def test_new_and_gone_cases_are_neither_better_nor_worse():
    found = diff(record(case("edge.a"), case("edge.old", "wrong")), record(case("edge.a"), case("edge.new", "wrong")))
    (each,) = found.implementations
    assert [(changed.id, changed.change) for changed in each.cases] == [
        ("edge.new", Change.NEW),
        ("edge.old", Change.GONE),
    ]
    assert not found.is_worse


def test_a_new_report_that_is_cut_off_may_be_worse():
    found = diff(record(GOOD), record(GOOD, complete=False))
    assert found.is_worse
    assert not diff(record(GOOD, complete=False), record(GOOD)).is_worse


def test_what_it_says_of_itself_is_compared():
    old = check_record(check(implementation(GOOD, version="1.0", convention="kaggle")))
    new = check_record(check(implementation(GOOD, version="1.1", convention="default")))
    (each,) = diff(old, new).implementations
    assert each.told == {"version": ("1.0", "1.1"), "convention": ("kaggle", "default")}


def test_implementations_belong_together_by_name_and_two_that_are_alone_do_too():
    one_version = check_record(check(implementation(GOOD, name="ranx==0.3.16")))
    other = check_record(check(implementation(BAD, name="ranx==0.3.20")))
    (each,) = diff(one_version, other).implementations
    assert each.told["name"] == ("ranx==0.3.16", "ranx==0.3.20")
    old = check_record(check(implementation(GOOD, name="a"), implementation(GOOD, name="b")))
    new = check_record(check(implementation(BAD, name="b"), implementation(GOOD, name="c")))
    found = diff(old, new)
    assert [(each.old.name, each.new.name) for each in found.implementations] == [("b", "b")]
    assert (found.came, found.went) == (("c 1.0",), ("a 1.0",))


def test_two_of_one_name_belong_together_by_their_versions():
    first = implementation(GOOD, name="a", version="1"), implementation(BAD, name="a", version="2")
    second = implementation(BAD, name="a", version="2"), implementation(GOOD, name="a", version="1")
    assert diff(check_record(check(*first)), check_record(check(*second))).is_empty


# Merging.


def test_shards_are_one_implementation():
    found = merged({"a": record(case("edge.a")), "b": record(case("edge.b"), case("edge.c", "wrong"))})
    (each,) = found.record.implementations
    assert [one.id for one in each.cases] == ["edge.a", "edge.b", "edge.c"]
    assert (found.repeated, found.conflicts) == (0, ())


def test_other_names_versions_and_conventions_are_other_implementations():
    several = [
        implementation(GOOD, **fields)
        for fields in ({}, {"name": "b"}, {"version": "2"}, {"convention": "default"}, {"python": "3.13"})
    ]
    found = merged({str(number): check_record(check(each)) for number, each in enumerate(several)})
    assert len(found.record.implementations) == 4
    assert found.repeated == 1


def test_the_same_case_twice_with_different_answers_is_said_and_the_worse_one_counts():
    found = merged({"a": record(GOOD), "b": record(BAD), "c": record(GOOD)})
    (conflict,) = found.conflicts
    assert conflict.id == "edge.a"
    assert {file: answer.value for file, answer in conflict.answers.items()} == {"a": 0.5, "b": 0.25, "c": 0.5}
    (each,) = found.record.implementations
    assert [answer.value for answer in each.cases] == [0.25]
    assert not found.holds


def test_a_merged_report_is_complete_if_every_part_is():
    found = merged({"a": record(GOOD), "b": record(case("edge.b"), complete=False, to_come=4)})
    assert not found.record.complete
    assert not found.holds


def test_an_entry_is_stale_only_if_no_shard_asked_its_case():
    stale = [{"implementation": "m.py:f", "id": name} for name in ("edge.b", "edge.z")]
    parts = {"a": record(GOOD, stale_known_failures=stale), "b": record(case("edge.b"))}
    assert merged(parts).record.stale == (("m.py:f", "edge.z"),)


def test_a_record_is_written_as_it_was_read_with_what_another_version_knows():
    asked = case("a", "wrong", got="1", conventions=["kaggle"], size=[1, 2, 3], input=["rank 1"], newer={"x": [1]})
    data = check_data(check_record(check(implementation(asked, novel=None))))
    assert data["implementations"][0]["cases"] == [asked]
    assert data["implementations"][0]["novel"] is None
    assert check_data(check_record(data)) == data

"""Two libraries by their records, in pairs and in entries: values derived by hand, and what the shipped files have."""

import shlex
from dataclasses import replace
from itertools import product

import pytest
from ci_scripts import ci_script
from rankspec.conformance.answers.library import TEXTBOOK, by_rule, calls_of, library_answer, textbook_difference, words
from rankspec.conformance.atlas.records import (
    PAIRS,
    ChangeExample,
    RuleChange,
    compared_as,
    entries_of,
    named,
    rows_of,
    shipped_folder,
    shipped_pairs,
    shipped_records,
    spanned,
)
from rankspec.conformance.implementations.pinned import version_order
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.conventions.textbook import FIXED

ATLAS, MEASURING = ci_script("atlas"), ci_script("measuring.py")
differing = ATLAS.differing


def of(name, measure):
    return next(
        each for record in named(shipped_records(), name) for each in record.measured if each.measure == measure
    )


@pytest.mark.parametrize(
    ("change", "given", "values"),
    [
        # One hit at rank 1 of k = 3: over R = 4 it is 1/4, over min(R, k) = 3 it is 1/3; R <= 3 are the same.
        (
            RuleChange("AP@3", "default", "denominator", "min-relevant-cutoff"),
            {"relevance": [1], "num_relevant": 4},
            ("1/4", "1/3"),
        ),
        # Of two with one score the relevant one comes first in the input: 1; as one point its precision is 1/2.
        (RuleChange("AP", "default", "ties", "grouped"), {"labels": [1, 0], "scores": [1, 1]}, ("1", "1/2")),
        # Nothing is left to divide by where there is no k.
        (RuleChange("AP", "default", "denominator", "cutoff"), None, None),
        # Every document of the input is judged, so it does not matter what unjudged ones are.
        (RuleChange("NumQ", "default", "unjudged", "removed"), None, None),
    ],
)
def test_what_shows_a_rule(change, given, values):
    assert ATLAS.shown(change) == ChangeExample(given, values)


def test_what_a_call_can_not_show_is_no_difference():
    # scikit-learn is called with labels and scores of one query: nothing of queries shows.
    labels, queries = of("sklearn", "AP"), of("pytrec_eval", "AP")
    assert queries.axes["missing_query"] == ("skip",)
    assert {"ties", "missing_query"} & {*differing(labels, queries)} == {"ties"}


def test_what_follows_no_rule_is_not_compared():
    """Every finding with and without conventions, an explanation and a nearest one: a rule is any of the first two."""
    counts = {True: 0, False: 0}
    for found in [each for record in shipped_records() for each in record.measured if each.expression]:
        for conventions, explained, nearest in product(
            ((), (found.expression,)), (False, True), (None, found.expression)
        ):
            each = replace(found, conventions=conventions, explained=explained, nearest=nearest, deviations=())
            follows = bool(conventions) or (explained and nearest is not None)
            assert (compared_as(each) is not None) == follows
            counts[follows] += 1
    assert min(counts.values()) > 300
    without = replace(of("sklearn", "AP"), conventions=(), explained=False)
    assert ATLAS.changes_between([without, of("sklearn", "AP")]) == []


@pytest.mark.parametrize("most", [12, pytest.param(1_000, marks=pytest.mark.campaign)])
def test_every_pair_of_records_is_in_the_file(most):
    """Measure by measure, at one cutoff: each time those that few libraries have."""
    by_measure, in_file = {}, {}
    for each in (each for record in shipped_records() for each in record.measured):
        if (found := compared_as(each)) is not None:
            by_measure.setdefault(str(found[0]), []).append(each)
    for change in shipped_pairs():
        in_file.setdefault(change.measure, set()).add(change)
    for measure, measured in by_measure.items():
        if len(measured) <= most:
            assert {*ATLAS.changes_between(measured)} == in_file.pop(measure, set()), measure
    assert all(len(by_measure[measure]) > most for measure in in_file)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_the_file_is_what_is_found_now(part):
    assert {each: ATLAS.shown(each) for each in [*shipped_pairs()][part::8]} == dict(
        [*shipped_pairs().items()][part::8]
    )


def test_what_another_source_measured_is_stale():
    each = of("sklearn", "AP")
    here = MEASURING.tool_here("sklearn==1.9.1")
    assert not MEASURING.is_stale(replace(each, tool=here))
    assert MEASURING.is_stale(replace(each, tool=replace(here, source="0" * 16)))
    assert MEASURING.is_stale(replace(each, tool=None))
    assert MEASURING.tool_here("ranx").source != here.source


def test_the_file_is_written_as_it_stands():
    assert ATLAS.as_text(shipped_pairs()) == (shipped_folder() / PAIRS).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def entries():
    return entries_of(spanned(rows_of(shipped_records())))


def test_versions_that_answer_alike_are_one_span():
    record = named(shipped_records(), "kaggle_metrics")[-1]
    now = replace(record.measured[0], versions=None)
    before = replace(now, axes={**now.axes, "no_relevant": ("one",)})
    versions = {"0.9": before, "1.0": now, "1.1": now, "1.2": now}
    rows = rows_of(replace(record, version=version, measured=(each,)) for version, each in versions.items())
    assert [row.since for row in rows] == ["", "", "1.0", "1.0"]
    assert [row.versions for row in spanned(rows)] == ["0.9", "1.0 to 1.2"]
    (entry,) = entries_of(spanned(rows))
    assert [row.version for row in entry.rows] == ["1.2", "0.9"]


def test_every_measure_of_a_library_is_one_entry(entries):
    assert len({(entry.library, entry.family) for entry in entries}) == len(entries)
    for entry in entries:
        newest = max(version_order(row.version) for row in entry.rows)
        assert version_order(entry.default.version) == newest
        assert sum(len(rows) for _, rows in calls_of(entry)) == len(entry.rows)


def test_a_rule_is_what_the_default_call_follows(entries):
    """The textbook is where no axis that it fixes is otherwise, and nothing deviates but ties."""
    rules = by_rule(entries)
    assert sum(map(len, rules.values())) == len(entries)
    assert next(iter(rules)) == TEXTBOOK
    for entry in rules[TEXTBOOK]:
        found = entry.default.measured
        assert found.is_whole or found.explained
        assert all(each.startswith("ties: ") for each in found.deviations)
        assert textbook_difference(found) not in words(found)
        # As the record has it: what fits on an axis that textbooks fix includes what they say.
        fixed = [axis for axis in found.axes if axis in FIXED and axis not in found.unused]
        assert all(setting_text(getattr(DEFAULT, axis)) in found.axes[axis] for axis in fixed), entry.library
    kaggle = [entry for entry in rules["divides by min(R, k)"] if entry.family == "AP"]
    assert {"recbole", "sentence-transformers"} <= {entry.library for entry in kaggle}
    assert all("min-relevant-cutoff" in entry.default.measured.axes["denominator"] for entry in kaggle)


def test_a_page_has_each_measure_once_before_other_calls():
    page = library_answer("pytrec_eval", named(shipped_records(), "pytrec_eval"))
    measures = [row.name for row in page.rows]
    assert len(set(measures)) == len(measures) == 8
    assert len(page.notes) == 1
    assert page.choices


@pytest.mark.campaign
def test_the_command_that_cites_a_library_works(rankspec):
    pages = {}
    for record in shipped_records():
        if record.measured:
            pages[record.library] = library_answer(record.library, named(shipped_records(), record.library))
    assert len(pages) > 100
    unmeasured = [record.library for record in shipped_records() if record.why is not None]
    newest_unmeasured = [name for name in pages if name in unmeasured]
    assert newest_unmeasured
    for name in (*newest_unmeasured, "ranx"):
        words_typed = shlex.split(dict(pages[name].following)["To cite it"])[1:]
        assert rankspec(*words_typed)[0] in {0, 1}, name  # 1: no rule explains it

"""Records by library: spans of versions that answer alike, and the default call before all others."""

import shlex
from dataclasses import replace

import pytest
from rankspec.conformance.answers.library import TEXTBOOK, by_rule, calls_of, library_answer, textbook_difference, words
from rankspec.conformance.atlas.records import entries_of, named, order, rows_of, shipped_records, spanned
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.conventions.textbook import FIXED


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
        newest = max(order(row.version) for row in entry.rows)
        assert order(entry.default.version) == newest
        assert sum(len(rows) for _, rows in calls_of(entry)) == len(entry.rows)


def test_a_rule_is_what_the_default_call_follows(entries):
    """The textbook is where no axis that it fixes is otherwise, and nothing deviates but ties."""
    rules = by_rule(entries)
    assert sum(map(len, rules.values())) == len(entries)
    assert next(iter(rules)) == TEXTBOOK
    for entry in rules[TEXTBOOK]:
        found = entry.default.found
        assert found.is_whole or found.explained
        assert all(each.startswith("ties: ") for each in found.deviations)
        assert textbook_difference(found) not in words(found)
        # As the record has it: what fits on an axis that textbooks fix includes what they say.
        fixed = [axis for axis in found.axes if axis in FIXED and axis not in found.unused]
        assert all(setting_text(getattr(DEFAULT, axis)) in found.axes[axis] for axis in fixed), entry.library
    kaggle = [entry for entry in rules["divides by min(R, k)"] if entry.family == "AP"]
    assert {"recbole", "sentence-transformers"} <= {entry.library for entry in kaggle}
    assert all("min-relevant-cutoff" in entry.default.found.axes["denominator"] for entry in kaggle)


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
        assert rankspec(*words_typed, "--recorded")[0] in {0, 1}, name  # 1: no rule explains it

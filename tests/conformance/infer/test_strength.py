"""The files of computed witnesses are what is computed, and the cases are as strong as they can be."""

from functools import cache
from itertools import combinations

import pytest
from ci_scripts import ci_script
from rankspec.conformance.cases.case import COMPUTED
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.conformance.cases.files.yaml_source import read_source
from rankspec.conformance.infer.witness.separation import separate
from rankspec.oracle import DEFAULT, parse_convention, parse_measure
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.language.expression import convention_text

separations = ci_script("separations")
CASES = shipped_cases()


def test_every_pair_of_values_is_in_the_table():
    ids = {pair.id for pair in separations.pairs()}
    dependent = {axis for family in FAMILIES.values() for axis in family.axes}
    assert {*AXES} - dependent == {"reading"}
    dependent -= {"novelty_ideal"}  # shown by judgements of subtopics alone, which no small input has
    for name, axis in AXES.items():
        values = [setting_text(value) for value in axis.values or ()] if name in dependent else []
        for index, first in enumerate(values):
            for second in values[index + 1 :]:
                written = [text.replace("_", "-") for text in (name, first, second)]
                assert ".".join(["witness", *written]) in ids


def test_every_pair_has_two_cases_of_different_values_or_coincides():
    table = read_source(shipped_folder() / separations.TABLE).data
    equal = {(each["measure"], frozenset(each["conventions"])) for each in table["coincide"]}
    exact = {}
    for case in CASES:
        if case.document == COMPUTED and not case.id.startswith(separations.IDS) and case.id.startswith("witness."):
            exact.setdefault(case.id.rpartition(".")[0], []).append(case.exact)
    for pair in separations.pairs():
        coincides = (str(pair.measure), frozenset(map(convention_text, pair.conventions))) in equal
        assert len({*exact.get(pair.id, ())}) == (0 if coincides else 2)


@pytest.mark.campaign
@pytest.mark.parametrize("measure", ["AP11", "TAP@1"])
def test_the_cases_separate_neighbours(measure):
    parsed = parse_measure(measure)
    answers = separations.Answers.of_cases(parsed, CASES)
    left = [pair for pair in separations.neighbours(parsed) if not answers.separate(*pair)]
    assert [pair for pair in left if separate(parsed, *pair, 1000).input is not None] == []


@pytest.mark.campaign
@pytest.mark.parametrize("measure", separations.AREAS)
def test_the_cases_separate_a_sample(measure):
    answers = separations.Answers.of_cases(measure, CASES)
    for together in answers.classes(separations.sampled(measure, 60)):
        for other in together[1:]:
            assert separate(measure, together[0], other, 1000).input is None


@pytest.mark.campaign
@pytest.mark.parametrize("measure", separations.OTHERS)
def test_the_cases_separate_neighbours_of_other_measures(measure):
    answers = separations.Answers.of_cases(measure, CASES)
    left = [pair for pair in separations.neighbours(measure) if not answers.separate(*pair)]
    assert [pair for pair in left if separations.searched(measure, pair) is not None] == []


GROUPED = [family for family in FAMILIES.values() if family.by_subtopic or family.by_preference]
"""Those of subtopics and preferences: no small input has such judgements."""


def test_every_measure_is_among_those_that_are_separated():
    """But those of groups, whose axes cases by hand separate; two of preferences stand for all, on plain grades."""
    grouped = {family.name for family in GROUPED}
    assert {measure.name for measure in (*separations.AREAS, *separations.OTHERS)} | grouped == {*FAMILIES}


@cache
def answers_by_hand(measure):
    return separations.Answers.of_cases(measure, [case for case in CASES if case.document != COMPUTED])


@pytest.mark.campaign
@pytest.mark.parametrize(
    "axis",
    sorted(
        {axis for family in GROUPED for axis in family.axes}
        - {axis for family in FAMILIES.values() if family not in GROUPED for axis in family.axes}
    ),
)
def test_cases_by_hand_separate_the_axes_of_groups(axis):
    measures = [parse_measure(family.example) for family in GROUPED if family.has(axis)]
    answers = [answers_by_hand(measure) for measure in measures]
    pairs = list(combinations([DEFAULT.with_setting(axis, value) for value in AXES[axis].values], 2))
    assert pairs
    left = [pair for pair in pairs if not any(each.separate(*pair) for each in answers)]
    assert left == []


def test_without_the_witnesses_something_is_left():
    documents = [case for case in CASES if not case.id.startswith("witness.")]
    measure = parse_measure("AP11")
    answers = separations.Answers.of_cases(measure, documents)
    assert not all(answers.separate(*pair) for pair in separations.neighbours(measure))


def test_conventions_that_are_one_by_definition():
    measure = parse_measure("AP@2")
    same = [
        ("default[negative_grades=unjudged]", DEFAULT),
        ("default[denominator=min-cutoff-length]", parse_convention("default[denominator=length]")),
        ("default[recall_grid=float64, tap_ties=dropped]", DEFAULT),
    ]
    for text, simplest in same:
        assert separations.canonical(measure, parse_convention(text)) == simplest


def test_a_file_that_is_not_what_is_computed_is_found(tmp_path, monkeypatch):
    few = [pair for pair in separations.pairs() if pair.axis in {"unjudged", "negative_grades"}]
    monkeypatch.setattr(separations, "pairs", lambda: iter(few))
    monkeypatch.setattr(separations, "completing", lambda _: [])
    monkeypatch.setattr(separations, "completion_text", lambda _: "document: computed\n")
    assert [path.name for path in separations.write(tmp_path)] == ["axes.yaml", "separation.yaml"]
    assert separations.write(tmp_path) == []
    table = tmp_path / separations.TABLE
    changed = table.read_text(encoding="utf-8").replace("1/2", "1/3")
    table.write_text(changed, encoding="utf-8")
    (finding,) = separations.stale(tmp_path)
    assert finding.path == table
    assert finding.line == changed[: changed.index("1/3")].count("\n") + 1

"""The table of computed witnesses has every pair; `.ci/separations` holds the files to what is computed."""

from ci_scripts import ci_script
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.families import FAMILIES

separations = ci_script("separations")


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


GROUPED = [family for family in FAMILIES.values() if family.by_subtopic or family.by_preference]
"""Those of subtopics and preferences: no small input has such judgements."""


def test_every_measure_is_among_those_that_are_separated():
    """But those of groups, whose axes cases by hand separate; two of preferences stand for all, on plain grades."""
    grouped = {family.name for family in GROUPED}
    assert {measure.name for measure in (*separations.AREAS, *separations.OTHERS)} | grouped == {*FAMILIES}


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

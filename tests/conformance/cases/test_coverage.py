"""A choice of the cases, by whole parts of names; coverage both ways: taking a case or a mark away makes a hole.

No measure is without clause, cases, a naive twin, a derivation, and a library that was asked for it.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from campaign import one_in
from ci_scripts import ci_script
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.cases.catalogue import (
    CatalogueError,
    collect_clauses,
    load_clauses,
    selected,
    shipped_cases,
    shipped_clauses,
)
from rankspec.oracle import Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import AxisValue
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from refusals import assert_names


def test_a_measure_with_its_cutoff_is_that_one_alone():
    assert {case.measure for case in selected(shipped_cases(), measure="AP@3")} == {"AP@3"}
    assert {"AP", "AP@3"} < {case.measure for case in selected(shipped_cases(), measure="AP")}
    assert selected(shipped_cases(), measure="MAP@3") == selected(shipped_cases(), measure="AP@3")


def test_a_clause_is_chosen_by_whole_parts_of_its_id():
    chosen = {case.clause for case in selected(shipped_cases(), clause="ap.interpolation.trapezoid")}
    assert chosen == {"ap.interpolation.trapezoid"}
    assert {"ranking.ties.grouped", "ranking.ties.expected"} < {
        case.clause for case in selected(shipped_cases(), clause="ranking.ties")
    }


def test_an_axis_has_its_clauses_and_what_is_under_another_value_of_it():
    chosen = selected(shipped_cases(), axis="unjudged")
    assert any(case.clause.startswith("ranking.unjudged.") for case in chosen)
    under = [case for case in shipped_cases() if "unjudged=removed" in case.convention]
    assert any(not case.clause.startswith("ranking.unjudged.") for case in under)
    assert {case.id for case in under} <= {case.id for case in chosen}


SCRIPT = ci_script("fixture-coverage")
coverage, oracle_mentions = SCRIPT.coverage, SCRIPT.oracle_mentions
Mention, mentions_in, measures_covered = SCRIPT.Mention, SCRIPT.mentions_in, SCRIPT.measures_covered
NAIVE = Path(__file__).parents[2] / "naive"
CASES, CLAUSES, MENTIONS = shipped_cases(), shipped_clauses(), oracle_mentions()


def covered(**changed):
    given = {"cases": CASES, "clauses": CLAUSES, "mentions": MENTIONS} | changed
    return coverage(**given)  # type: ignore[arg-type]


def test_nothing_is_left_uncovered():
    assert covered().holes == []


def axis_statement(axis, setting):
    """Return the statement of an axis value's clause, as the oracle has it."""
    if not isinstance(setting, AxisValue):
        return axis.meaning
    return f"{axis.meaning.removesuffix('.')}: {setting.meaning}"


def test_the_file_of_clauses_and_the_enums_agree():
    of_enums = {
        axis.clause(value): (axis.name, None if value is None else str(value), axis_statement(axis, value))
        for axis in AXES.values()
        for value in (axis.values or (None,))
    }
    of_file = {
        clause.id: (clause.axis, clause.value, clause.statement) for clause in CLAUSES.values() if clause.kind == "axis"
    }
    assert of_file == of_enums


LEFT_OUT = [
    ({"cases": [case for case in CASES if case.clause != "ap.cutoff"]}, ("ap.cutoff",)),
    ({"mentions": [each for each in MENTIONS if each.clause != "tap.apcp"]}, ("tap.apcp", "definition")),
    ({"mentions": [*MENTIONS, Mention("ap.no-such", "measures.forms.f")]}, ("measures.forms.f", "'ap.no-such'")),
    # The cases keep their clauses, and none of them is under the convention any more.
    (
        {"cases": [replace(each, convention="default") if "linear-101" in each.convention else each for each in CASES]},
        ("interpolation=linear-101",),
    ),
]
"""What is given otherwise, and what the one hole names."""


@one_in(2)
@pytest.mark.parametrize(("changed", "names"), LEFT_OUT, ids=lambda each: each[0] if isinstance(each, tuple) else "")
def test_what_is_left_out_is_one_hole(changed, names):
    (hole,) = covered(**changed).holes
    assert_names(hole, *names)


def test_a_case_without_its_clause_is_a_hole():
    left = {id_: clause for id_, clause in CLAUSES.items() if id_ != "tool.sklearn.trapezoidal"}
    holes = covered(clauses=left).holes
    assert holes
    assert all("'tool.sklearn.trapezoidal'" in hole for hole in holes)


def test_an_axis_value_is_exercised_only_where_the_measure_depends_on_it():
    case = replace(next(case for case in CASES if case.measure == "AP"), convention="default[recall_grid=trec_eval-9]")
    assert coverage([case], CLAUSES, MENTIONS).exercised["recall_grid"] == dict.fromkeys(
        ["exact", "float64", "float32", "trec_eval-9", "trec_eval-10"], 0
    )


def test_marks_name_the_function_the_class_or_the_table(tmp_path):
    path = tmp_path / "forms.py"
    path.write_text(
        '"""A module that talks of clause("a.talk")."""\n'
        'TABLE = clause("a.table", "a.*")({})\n'
        'OTHER: dict = clause("a.annotated")({})\n'
        'PLAIN = dict("a.plain")\n'
        '@clause("a.class")\n'
        "class Shape:\n"
        "    @property\n"
        '    @clause("a.method", "a.second")\n'
        "    def area(self):\n"
        '        """Not a mark: @clause("a.docstring")."""\n'
        "        return 1\n",
        encoding="utf-8",
    )
    assert [(mention.clause, mention.where) for mention in mentions_in(path, tmp_path)] == [
        ("a.table", "forms.TABLE"),
        ("a.*", "forms.TABLE"),
        ("a.annotated", "forms.OTHER"),
        ("a.class", "forms.Shape"),
        ("a.method", "forms.Shape.area"),
        ("a.second", "forms.Shape.area"),
    ]


def test_a_faulty_file_of_clauses_is_refused_by_line_and_clause(tmp_path):
    path = tmp_path / "clauses.yaml"
    clause = "- id: ap.x\n  kind: definition\n  statement: S\n"
    path.write_text("clauses:\n" + clause + clause + "- id: ap.y\n  kind: law\n  statement: S\n", encoding="utf-8")
    _, findings = collect_clauses(path)
    assert [(finding.code, finding.line, finding.case) for finding in findings] == [
        ("schema-violated", 9, "ap.y"),
        ("id-repeated", 5, "ap.x"),
    ]
    assert_names(findings[0].message, "'law'", "'definition'")
    assert_names(findings[1].message, "2")
    with pytest.raises(CatalogueError):
        load_clauses(path)


@pytest.mark.parametrize("cutoff", [5, 10, 20, 100])
@pytest.mark.parametrize("family", ["AP", "P", "R", "nDCG", "RR", "Success"])
def test_some_input_shows_copies_that_go_after_the_cutoff(family, cutoff):
    measure, removed = parse_measure(f"{family}@{cutoff}"), parse_convention("default[duplicates=removed]")

    def shows(case):
        run = case.input.run
        cut = Run({query: run.documents(query)[:cutoff] for query in run})
        right, wrong = (evaluate(measure, case.input.qrels, each, removed).exact for each in (run, cut))
        return right != wrong

    assert any(shows(case) for case in CASES if case.id.startswith("edge.duplicates.behind-cutoff."))


@pytest.mark.campaign
def test_no_measure_is_without_one_of_these():
    measures = measures_covered(covered(), CASES, shipped_records(), NAIVE)
    assert [each.name for each in measures] == list(FAMILIES)
    assert [hole for each in measures for hole in each.holes()] == []
    assert all(each.has_twin for each in measures)


@pytest.mark.campaign
def test_without_its_cases_a_measure_has_holes():
    left = [case for case in CASES if not case.measure.startswith("INSQ")]
    found = {each.name: list(each.holes()) for each in measures_covered(covered(), left, ())}
    assert found["INSQ"][:2] == ["measure INSQ is without a clause", "measure INSQ is without a case"]

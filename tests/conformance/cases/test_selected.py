"""A choice of the cases: by family or by one measure, by whole parts of a clause's id, by an axis at work."""

from rankspec.conformance.cases.catalogue import selected, shipped_cases

CASES = shipped_cases()


def test_a_measure_with_its_cutoff_is_that_one_alone():
    assert {case.measure for case in selected(CASES, measure="AP@3")} == {"AP@3"}
    assert {"AP", "AP@3"} < {case.measure for case in selected(CASES, measure="AP")}
    assert selected(CASES, measure="MAP@3") == selected(CASES, measure="AP@3")


def test_a_clause_is_chosen_by_whole_parts_of_its_id():
    chosen = {case.clause for case in selected(CASES, clause="ap.interpolation.trapezoid")}
    assert chosen == {"ap.interpolation.trapezoid"}
    assert {"ranking.ties.grouped", "ranking.ties.expected"} < {
        case.clause for case in selected(CASES, clause="ranking.ties")
    }


def test_an_axis_has_its_clauses_and_what_is_under_another_value_of_it():
    chosen = selected(CASES, axis="unjudged")
    assert any(case.clause.startswith("ranking.unjudged.") for case in chosen)
    under = [case for case in CASES if "unjudged=removed" in case.convention]
    assert any(not case.clause.startswith("ranking.unjudged.") for case in under)
    assert {case.id for case in under} <= {case.id for case in chosen}

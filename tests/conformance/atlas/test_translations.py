"""The table of translations, replayed: each recipe on other queries, each proof on its two; and by hand."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from campaign import DAYS_OF_VALUES, in_campaign, of_every, seeded
from ci_scripts import ci_script
from rankspec.conformance.atlas.recipe import ValueRecipe
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.atlas.translations import (
    Pair,
    Query,
    shipped_table,
    translate_values,
    value_holds,
)
from rankspec.conformance.cases.inputs import case_input
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined

SCRIPT = ci_script("translations")
LIBRARIES, directions, translation = SCRIPT.LIBRARIES, SCRIPT.directions, SCRIPT.translation
TABLE = shipped_table()


def worth(measure, given, convention):
    """Return what the oracle says of the query: None where it does not count, `refused` where it demands an error."""
    try:
        values = evaluate(measure, given.qrels, given.run, convention).exact_per_query
    except UndefinedValueError:
        return "refused"
    exact = comparable(values["q"]) if "q" in values else None
    return "nan" if exact is Undefined.NAN else exact


def queries(seed):
    """Return queries unlike those that were tried: more documents, other ties, some missing and some unknown."""
    source = random.Random(seeded(seed))
    for number in range(25):
        docnos = source.sample("abcdefghijklmnopqrst", source.randint(1, 12))
        judged = {docno: source.choice([0, 1, 1, 2]) for docno in docnos if source.random() < 0.6}
        judged |= {f"other{place}": 1 for place in range(source.randint(0, 4))}
        listed = [[docno, source.randint(1, 6)] for docno in docnos]
        yield {"qrels": {"q": judged} if number % 12 else {}, "run": {"q": listed} if number % 8 else {}}


def title(said) -> str:
    return f"{said['measure']} {said['a']} {said['b']}"


@pytest.mark.drawn
@of_every(TABLE["translations"], title)
def test_every_statement_of_the_table(said):
    measure = parse_measure(said["measure"])
    a, b = parse_convention(said["a"]), parse_convention(said["b"])
    if said["status"] == "none":
        first, second = said["apart"]
        known = []
        for each in (first, second):
            given = case_input(each["input"])
            values = [worth(measure, given, convention) for convention in (a, b)]
            assert [None if value in {None, "refused"} else str(value) for value in values] == [each["a"], each["b"]]
            grades, run = each["input"]["qrels"].get("q"), each["input"]["run"].get("q")
            known.append((grades and sorted(grades.values()), run and len(run)))
        assert known[0] == known[1]
        assert first["a"] == second["a"]
        assert first["b"] != second["b"]
        return
    if said["status"] == "unknown":
        # A depth shows in lists that are longer than those that are searched for two queries that refute a recipe; of
        # three documents the sum of precisions tells the hits, so that the mean over them follows, but by no formula.
        assert "depth=" in said["a"] + said["b"] or (measure.k == 3 and b.denominator is Denominator.RETRIEVED_RELEVANT)
        return
    assert said["status"] in {"same", "recipe"}
    names = {"translated": lambda value, relevant, length: value}
    if said["status"] == "recipe":
        exec(said["function"], names)  # noqa: S102 - the text that is printed
    compared = 0
    for each in queries(said["a"]):
        given = case_input(each)
        values = [worth(measure, given, convention) for convention in (a, b)]
        if values[1] == "refused":
            continue
        grades = each["qrels"].get("q")
        relevant = None if grades is None else sum(grade >= measure.rel for grade in grades.values())
        length = len(each["run"]["q"]) if each["run"] else None
        value = None if values[0] == "refused" else math.nan if values[0] == "nan" else values[0]
        got = names["translated"](value, relevant, length)
        assert got == values[1] or (values[1] == "nan" and got != got)  # noqa: PLR0124
        compared += 1
    assert compared >= 15


@pytest.mark.campaign
def test_every_pair_of_the_records_is_in_it():
    listed = [(str(each.measure), *each.names) for each in directions(shipped_records())]
    assert [(each["measure"], each["a"], each["b"]) for each in TABLE["pairs"]] == listed
    said = {name for _, *names in listed for name in names}
    assert {"sklearn", "torchmetrics", "xgboost", "lightgbm", "catboost", "pyspark", "ranx", "pytrec_eval"} <= said


@pytest.fixture(scope="module")
def listed():
    return {each.key: each for each in directions(shipped_records())}


@pytest.mark.campaign
def test_the_table_has_every_direction(listed):
    assert {(each["measure"], each["a"], each["b"]) for each in TABLE["translations"]} == set(listed)


@pytest.mark.campaign
@pytest.mark.parametrize("said", in_campaign(TABLE["translations"], ids=title, days=DAYS_OF_VALUES))
def test_the_table_is_what_is_found_now(listed, said):
    assert translation(listed[said["measure"], said["a"], said["b"]]) == said


def found(measure, a, b):
    return translate_values(parse_measure(measure), parse_convention(a), parse_convention(b))


def test_a_denominator_by_hand():
    recipe = found("AP@3", "default[denominator=min-relevant-cutoff]", "default").recipe
    assert recipe.steps == ("times min(R, k) / R",)
    names = {}
    exec(recipe.code, names)  # noqa: S102
    # Five relevant documents, one retrieved at rank 1: Kaggle's 1/3 is 1/5 over R.
    assert names["translated"](Fraction(1, 3), 5, 10) == Fraction(1, 5)
    assert names["translated"](0, 5, 0) == 0
    assert names["translated"](None, None, 4) is None


def test_what_hits_decide_is_refuted_by_hand():
    """Over the hits, a relevant document at rank 1 is worth 1, whether the other one is retrieved after it or not."""
    none = found("AP", "default[denominator=retrieved-relevant]", "default")
    assert (none.status, none.recipe) == ("none", None)
    first, second = none.apart
    assert (first.a, first.query.known) == (second.a, second.query.known)
    assert first.b != second.b


def test_a_missing_query_without_relevant_documents():
    """Error beats skip beats a value: a rule for missing queries does not bring back what another one leaves out."""
    recipe = found("AP", "default[missing_query=skip]", "default[no_relevant=skip]").recipe
    names = {}
    exec(recipe.code, names)  # noqa: S102
    assert names["translated"](None, 0, None) is None
    assert names["translated"](None, 2, None) == 0


def test_a_wrong_recipe_does_not_hold():
    wrong = ValueRecipe((), "def translated(value, relevant, length):\n    return value")
    query = Query({"a": 1, "b": 1}, ())
    assert value_holds(wrong, parse_measure("AP"), Pair(query, Fraction(1), Fraction(1), (False, False)))
    assert not value_holds(wrong, parse_measure("AP"), Pair(query, Fraction(1), Fraction(1, 2), (False, False)))
    assert not value_holds(wrong, parse_measure("AP"), Pair(query, Fraction(1), None, (False, False)))
    assert not value_holds(wrong, parse_measure("AP"), Pair(query, Fraction(1), "nan", (False, False)))

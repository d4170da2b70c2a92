"""What a person reads, and what an identification can be copied into: rules have words, pages come in order."""

import math
import shlex
from dataclasses import replace
from fractions import Fraction
from math import log2
from pathlib import Path

import pytest
import rankspec
from campaign import of_every
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from identified_in_process import identified
from rankspec.conformance.answers.check import imperative
from rankspec.conformance.answers.compare import compare_answer
from rankspec.conformance.answers.example import apart, example
from rankspec.conformance.answers.function import fixed_axes, function_answer, is_different, textbook_comparison
from rankspec.conformance.answers.resolution import resolutions_answer
from rankspec.conformance.answers.sides import sides_answer
from rankspec.conformance.answers.statements import stated_convention, statements
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.infer.resolve.resolve import JointResolution, resolve_data, with_other_cutoffs
from rankspec.conformance.infer.witness.sides import AxisWitness
from rankspec.conformance.infer.witness.witness import witness
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, parse_convention, parse_expression, parse_measure
from rankspec.oracle.conventions.axes import Denominator, NoRelevant
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profiles import Place, read_profiles
from rankspec.oracle.conventions.textbook import FIXED, fixed_differences, textbook
from rankspec.oracle.data.data import Data
from rankspec.oracle.language.sentence import joined
from rankspec.oracle.scoring.significance.comparing import Plan, compare_runs

SETTINGS = [(axis, setting) for axis in AXES.values() for setting in (*(axis.values or ()), *axis.examples)]


@of_every(SETTINGS)
def test_what_each_setting_makes_a_program_do_is_a_verb_of_its_own(each):
    axis, setting = each
    phrase = axis.phrase(setting)
    verb, _, rest = phrase.partition(" ")
    assert verb.endswith("s")
    assert rest
    assert imperative(phrase).split() != phrase.split()
    others = {axis.phrase(other) for of, other in SETTINGS if of is axis and other != setting}
    assert phrase not in others


def test_phrases_with_commas_are_told_apart():
    assert joined(["divides by min(R, k)", "skips queries"]) == "divides by min(R, k) and skips queries"
    assert joined(["orders ties by id, highest first", "skips queries"]).count(";") == 1


@given(st.fractions(0, 1, max_denominator=1000), st.integers(1, 15))
def test_two_values_are_told_apart_by_what_is_printed(value, digits):
    values = [value, value + Fraction(1, 10**digits)]
    printed = apart(dict(zip("ab", map(str, values), strict=True))).values()
    assert len({*printed}) == len(values)
    assert all(abs(Fraction(text) - each) <= Fraction(1, 2 * 10**4) for text, each in zip(printed, values, strict=True))


def test_an_example_has_grades_scores_and_the_cutoff_where_they_matter():
    scored = {"qrels": {"q": {"a": 2, "b": 0, "c": 1}}, "run": {"q": {"b": "0.5", "a": "0.5"}}}
    values = {"yours": "q: 1/(log(2)/log(3) + 1)", "textbook": "error"}
    assert example(scored, parse_measure("nDCG@2"), values) == (
        "relevant: a (2), c; judged not relevant: b; returned: b 0.5, a 0.5; k = 2 -> yours 0.6131, textbook error"
    )
    assert example({"relevance": [0, 1], "num_relevant": 2}, Measure("AP"), {"yours": "0.25"}) == (
        "relevant: b, c; returned: a, b -> yours 0.25"
    )
    two = {"qrels": {"p": {"a": 1}, "q": {"a": 0}}, "run": {"q": {"a": "1"}}}
    assert example(two, Measure("AP"), {"yours": "q: 0"}).split("; ") == [
        *("relevant for p: a", "returned for p: nothing", "relevant for q: nothing", "judged not relevant: a"),
        "returned for q: a 1 -> yours q: 0",
    ]


@of_every(FAMILIES.values())
def test_the_default_is_what_textbooks_say_of_every_measure(family):
    measure = parse_measure(family.example)
    assert fixed_differences(measure, DEFAULT) == []
    assert AXES.keys() >= FIXED


@pytest.mark.parametrize(
    ("text", "axes"), [("AP@10 under kaggle", {"denominator"}), ("AP under trec_eval-9.0.8", set())]
)
def test_choices_are_no_differences(text, axes):
    measure, convention = parse_expression(text)
    assert {*fixed_differences(measure, convention)} == axes
    assert fixed_differences(measure, textbook(convention)) == []
    assert textbook(convention).duplicates is convention.duplicates


def test_of_the_rules_that_fit_a_library_the_one_that_it_declares_is_named():
    found = witness("default[ties=grouped]", "default", "AP")
    rules = (("docno-ascending", "grouped"), ("input-order", "docno-descending"))
    by_axis = (AxisWitness("ties", found.input, found.texts, rules),)
    declared = ("treats tied documents as one group", "orders ties by document id, highest first")
    first = ("orders ties by document id, lowest first", "keeps the input order of ties")
    for names, phrases in ((("sklearn", "pytrec_eval"), declared), (("mine", "yours"), first)):
        sides = tuple(replace(each, text=name, is_meant=None) for each, name in zip(found.sides, names, strict=True))
        (row,) = sides_answer(names, replace(found, sides=sides, by_axis=by_axis)).rows
        assert all(f"{name} {phrase}" in row.finding for name, phrase in zip(names, phrases, strict=True))


def over_k(predicted, actual, k=2):
    hits = [rank for rank, docno in enumerate(predicted[:k], 1) if docno in actual]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / k


def gold_ndcg(recommended, target, k=3):
    return 1 / math.log2(recommended.index(target) + 2) if target in recommended[:k] else 0.0


def gold_ndcg_of_copies(recommended, target, k=3):
    return sum(1 / math.log2(rank + 2) for rank, docno in enumerate(recommended[:k]) if docno == target)


def test_a_function_with_a_cutoff_of_its_own_is_compared_at_it_too():
    """By hand: `a` at rank 1 of one relevant document is 1/2 of it, and 1 by the definition."""
    rows = rankspec.why(over_k, "default").to_dict()["found"]["by_axis"]
    assert {"denominator", "cutoff"} <= {row["axis"] for row in rows}


@pytest.mark.parametrize(("function", "setting"), [(gold_ndcg, "first"), (gold_ndcg_of_copies, "counted")])
def test_a_function_of_one_relevant_document_shows_what_it_makes_of_copies(function, setting):
    assert rankspec.identify(function, measure="nDCG", shape="predicted-actual[one]").axes["duplicates"] == (setting,)


def mean_of_ranks(ranks):
    return sum(ranks) / len(ranks)


def test_the_mean_of_numbers_is_no_ranking_metric():
    with pytest.raises(ImportFailure, match="mean_of_ranks"):
        rankspec.identify(mean_of_ranks)


def textbook_ndcg(y_true, y_score, k=10):
    ranked = [y_true[at] for at in sorted(range(len(y_score)), key=lambda at: -y_score[at])]
    best = _dcg(sorted(y_true, reverse=True)[:k])
    return _dcg(ranked[:k]) / best if best else 0.0


def ndcg_of_the_top(y_true, y_score, k=10):
    ranked = [y_true[at] for at in sorted(range(len(y_score)), key=lambda at: -y_score[at])][:k]
    best = _dcg(sorted(ranked, reverse=True))
    return _dcg(ranked) / best if best else 0.0


def _dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


@pytest.mark.campaign
@pytest.mark.parametrize(("function", "axes"), [(textbook_ndcg, []), (ndcg_of_the_top, ["ideal"])])
def test_nobody_is_accused_of_what_fits_the_textbook_as_well(function, axes):
    """A function that is given the list alone can't tell the judged documents from the retrieved ones."""
    found = identified(function)
    answered = function_answer("f", found, None, "details")
    assert fixed_axes(found) == axes
    assert (textbook_comparison(found) is None) is (not axes)
    assert is_different(found) is bool(axes)
    assert ("To fix it" in dict(answered.following)) is bool(axes)
    assert ("relevant documents" in answered.headline) is (not axes)


DATA = Data(
    Qrels.of({"q": {"a": 2, "c": 1, "d": 1, "x": 1}}), Run.of({"q": [(each, 9 - at) for at, each in enumerate("abcd")]})
)


def page_of(number, measure="AP"):
    resolution = with_other_cutoffs(resolve_data(number, parse_measure(measure), DATA), DATA)
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


RR = parse_measure("RR")
QRELS = Qrels.of({query: {"r": 1} for query in ("p", "q", "s")})


def run_of(**ranks):
    """Return a run in which the relevant document of each query stands at a rank."""
    return Run.of(
        {
            query: [("r" if place == rank else f"{query}{place}", str(-place)) for place in range(1, rank + 1)]
            for query, rank in ranks.items()
        }
    )


@pytest.mark.parametrize(
    ("under", "uneven", "even", "favoured"),
    [
        # Means 0.505 and 0.333, geometric means 0.1 and 0.333: the differences are averaged as they are.
        ("default[missing_query=skip, aggregate=geometric]", {"p": 1, "q": 100}, {"p": 3, "q": 3}, "uneven"),
        # 0.75 over its own two queries, against 0.667 over three; over the two that both have 0.75 against 1.
        ("default[missing_query=skip]", {"p": 1, "q": 2}, {"p": 1, "q": 1, "s": 100}, "even"),
        ("default", {"p": 1, "q": 1, "s": 1}, {"p": 1, "q": 2, "s": 2}, "uneven"),
    ],
)
def test_the_better_of_two_is_what_the_test_says(under, uneven, even, favoured):
    convention, runs = parse_convention(under), {"uneven": run_of(**uneven), "even": run_of(**even)}
    compared = compare_runs([RR], QRELS, runs, convention, Plan())
    (pair,) = compared[RR].pairs
    assert (pair.paired.mean > Fraction(0)) == (pair.first == favoured)
    answer = compare_answer(compared, Plan(), {name: name for name in runs}, convention)
    assert answer.headline.split()[0] == favoured
    values = [Fraction(str(round(float(text), 4))) for row in answer.rows for text, _ in row.cells]
    assert values == sorted(values, reverse=True)


RIGHT = Path(__file__).parents[2] / "wrong" / "right.py"


def average_precision(relevance, num_relevant, k, first=1):
    total, hits = 0.0, 0
    for rank, label in enumerate(relevance[:k], first):
        hits += bool(label)
        total += hits / rank if label else 0
    return total / min(num_relevant, k) if num_relevant else 1.0


NDCG = """
import math

def ndcg(qrels, run, k=10):
    def dcg(grades):
        return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], 1))

    total = 0
    for query, grades in qrels.items():
        scores = run.get(query, {})
        ranked = sorted(scores, key=lambda each: (-scores[each], each))
        ideal = dcg(sorted(grades.values(), reverse=True))
        total += dcg([grades.get(each, 0) for each in ranked]) / ideal if ideal else 0
    return total / len(qrels)
"""


@pytest.fixture(scope="module")
def found():
    return replace(identified(average_precision, "AP@3"), typed=("own metrics.py:ap", "--shape=ranking"))


@pytest.mark.campaign
def test_a_sentence_and_a_line_for_ci(found):
    stated = statements(found)
    assert stated["paper"] == "AP@3 that divides by min(R, k) and scores a query without relevant documents 1"
    under = "default[denominator=min-relevant-cutoff, no_relevant=one]"
    line = ["rankspec", "check", "own metrics.py:ap", "--shape=ranking", "--measure", "AP@3", "--under", under]
    assert shlex.split(stated["ci"]) == line
    assert "change" not in stated


def test_a_paper_names_no_document_that_the_function_was_not_given():
    def hits_alone(relevance):
        return average_precision(relevance, sum(relevance), max(len(relevance), sum(relevance)))

    _, convention = stated_convention(identified(hits_alone, "AP"))
    assert (convention.denominator, convention.no_relevant) == (Denominator.RETRIEVED_RELEVANT, NoRelevant.ONE)


def test_the_profile_loads_and_is_the_convention(found, tmp_path, monkeypatch):
    (tmp_path / "own_profiles").mkdir()
    (tmp_path / "own_profiles" / "__init__.py").touch()
    odd = replace(found, implementation='a "b"\\c\t\x7f:kaggle')
    (tmp_path / "own_profiles" / "p.toml").write_text(statements(odd)["profile"], "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    ((listed, _),) = read_profiles(Place("own_profiles", "p.toml"))
    assert listed.name == "my-kaggle"  # the other one is rankspec's own
    assert listed.source == f"run: {odd.implementation}"
    expected = {"denominator": "min-relevant-cutoff", "no_relevant": "one"}
    assert {axis: str(value) for axis, value in listed.convention.differences(DEFAULT).items()} == expected
    assert [each.name for each in listed.families or ()] == ["AP"]


def test_what_changes_its_answer_states_nothing(found):
    assert statements(replace(found, status=Status.UNSTABLE, explained=True)) == {}


def test_what_refuses_an_input_has_no_line_for_ci():
    def refusing(relevance, num_relevant, k):
        return average_precision(relevance, num_relevant, k) + 0 * relevance[0]

    def right_but_for_nothing(relevance, num_relevant):
        return average_precision(relevance, num_relevant, 10**6) + 0 * relevance[0] if num_relevant else 0.0

    for function, measure in ((refusing, "AP@3"), (right_but_for_nothing, "AP")):
        typed = replace(identified(function, measure), typed=("metrics.py:f",))
        assert statements(typed).keys() == {"paper", "profile"}


def test_a_wrong_function_with_an_odd_gain_is_accepted_on_what_textbooks_define():
    """Its gain of labels below 0 is no convention's."""

    def of_the_top(relevance):
        def dcg(grades):
            return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades[:10], 1))

        ideal = dcg(sorted(relevance[:10], reverse=True))
        return dcg(relevance) / ideal if ideal else 0.0

    found = replace(identified(of_the_top, "nDCG@10"), typed=("metrics.py:f",))
    *_, option, accepted = shlex.split(statements(found)["ci"])
    assert option == "--choices"
    assert rankspec.check(of_the_top, "nDCG@10", choices=accepted).conforms


@pytest.mark.campaign
@pytest.mark.parametrize(
    "spec",
    [
        f"{RIGHT}:actual_predicted_kaggle",
        f"{RIGHT}:labels_scores_blocks",
        f"{RIGHT}:actual_predicted_once",
        "own.py:ndcg",
    ],
)
def test_the_line_for_ci_passes_as_it_stands(spec, tmp_path, monkeypatch):
    """A gain of a grade below 0 or far above, which is no convention's, keeps no right function from having a line."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(NDCG, encoding="utf-8")
    command, *arguments = shlex.split(statements(identify(spec))["ci"])
    assert command == "rankspec"
    result = CliRunner().invoke(verbs, arguments)
    assert result.exit_code == 0, result.output

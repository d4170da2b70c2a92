"""What no kernel decides, whatever reads the run: said, and exact.

`ties=expected`, lists that are too long, and documents that are judged for subtopics or by preferences.
"""

import random
from bisect import bisect
from collections import Counter
from fractions import Fraction
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from campaign import in_campaign
from measure_strategies import naive_says, plain_value
from naive.values import same
from random_batches import random_scored
from rankspec.oracle import Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.reals.deciding import nearest_decimal
from rankspec.oracle.scoring.batch.lists import UNJUDGED, lists_of_labels
from rankspec.oracle.scoring.batch.values import NeedsScoresError, Scored, values_of, values_of_scored
from rankspec.oracle.scoring.engines import embedded
from rankspec.oracle.scoring.engines.choosing import in_order, needs_scores
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from rankspec.oracle.values import Undefined, to_double

needs_duckdb = pytest.mark.skipif(
    not (find_spec("duckdb") and find_spec("pyarrow")), reason="the extra `score` (duckdb, pyarrow) is not installed"
)
READERS = ("dictionaries", "stream", *(pytest.param(each, marks=needs_duckdb) for each in ("duckdb", "table")))
TOO_LONG = 262_144
EXPECTED = parse_convention("default[ties=expected, score_precision=float64]")
LIMITED = parse_convention("default[ties=expected, score_precision=float64, depth=5, unjudged=removed, no_hits=one]")
IN_FORMS = tuple(
    map(
        parse_measure,
        ("AP", "AP@4", "nDCG@3", "RBP@4", "RBPResidual"),
    )
)
"""Measures that kernels have a form for ties of."""
EXACTLY = tuple(map(parse_measure, ("AP11", "infAP", "P@3", "RR", "Bpref", "Success@2")))
"""Measures that they have none for."""


def product(reader, qrels, run, convention, folder):
    """Return a run's product by one of the ways to read it."""
    if reader == "dictionaries":
        return product_of_dicts(qrels, run, convention)
    if reader == "table":
        rows = [(query, docno, score) for query, listed in run.items() for docno, score in listed.items()]
        columns = dict(zip(("query", "docno", "score"), zip(*rows, strict=True), strict=True))
        return embedded.product_of_tables(qrels, pytest.importorskip("pyarrow").table(columns), convention)
    file = folder / "run"
    with file.open("w") as lines:
        for query, listed in run.items():
            lines.writelines(f"{query} Q0 {docno} 1 {score!r} t\n" for docno, score in listed.items())
    return {"stream": product_of_stream, "duckdb": embedded.product_of_files}[reader](qrels, file, convention)


@cache
def tied():
    """Return judgments and a run with ties."""
    _, judged, listed = random_scored(3, 30, 9)
    return judged, {query: dict(documents) for query, documents in listed.items() if documents}


@cache
def oracle_says_of_ties(measure, convention):
    judged, run = tied()
    return evaluate(measure, Qrels.of(judged), Run.of(run), convention)


@pytest.mark.parametrize("convention", [EXPECTED, LIMITED], ids=str)
@pytest.mark.parametrize("reader", READERS)
def test_judged_documents_in_ties(reader, convention, tmp_path):
    judged, run = tied()
    qrels = Qrels.of(judged)
    read = product(reader, qrels, run, convention, tmp_path)
    in_ties = {query: judged_in_a_tie(judged[query], scores) for query, scores in run.items()}
    assert 5 < sum(in_ties.values()) < len(run) - 5
    for measure in (*IN_FORMS, *EXACTLY):
        found = score_product(measure, read, convention)
        exact = oracle_says_of_ties(measure, convention)
        assert found.values.reason is None
        for query, place in found.counting.items():
            is_tied = in_ties.get(query, False)
            if convention.depth is None:
                assert found.values.by_exact_path[place] == (measure in EXACTLY and is_tied)
            else:  # it may divide a tie
                assert found.values.by_exact_path[place] <= is_tied
            assert found.values.exact_of(place) == exact.exact_per_query[query]
            assert found.values.doubles[place] == to_double(exact.exact_per_query[query])
        assert found.mean.double == exact.double
        assert found.evaluation == exact


def judged_in_a_tie(grades, scores):
    together = Counter(scores.values())
    return any(docno in grades and together[score] > 1 for docno, score in scores.items())


@pytest.mark.parametrize("reader", READERS)
def test_an_area_that_has_no_kernel(reader, tmp_path):
    """Relevant are the first and the last of n documents: the precisions at all ranks are 1/1, ..., 1/(n - 1), 2/n."""
    run = {
        name: {f"d{place}": float(-place) for place in range(length)}
        for name, length in (("long", 300), ("longest", 299), ("short", 2))
    }
    qrels = Qrels.of({query: {"d0": 1, next(reversed(listed)): 1} for query, listed in run.items()})
    convention = parse_convention("default[score_precision=float64, interpolation=all-ranks]")
    found = score_product(parse_measure("AP"), product(reader, qrels, run, convention, tmp_path), convention)
    lengths = (300, 299, 2)
    values = [(sum(Fraction(1, rank) for rank in range(1, each)) + Fraction(2, each)) / each for each in lengths]
    assert found.values.exact == dict(enumerate(values))
    assert found.values.doubles.tolist() == [to_double(value) for value in values]
    assert found.mean.double == to_double(sum(values) / 3)


@pytest.mark.parametrize("documents", [TOO_LONG - 1, TOO_LONG])
@pytest.mark.parametrize("interpolation", ["step", "envelope"])
def test_the_longest_list_of_arrays(documents, interpolation):
    """The limit as it is: beyond 262,143 documents ranks are only divided by."""
    labels = np.full(documents, UNJUDGED)
    labels[[0, 2, -1]] = 1
    value = (1 + Fraction(2, 3) + Fraction(3, documents)) / 3
    given = Scored(-np.arange(documents, dtype=np.float64), labels, np.array([0, documents]))
    found = values_of_scored(parse_measure("AP"), given, parse_convention(f"default[interpolation={interpolation}]"))
    assert found.certified.all()
    assert found.doubles.tolist() == [to_double(value)]


def test_more_judgments_than_kernels_have_room_for():
    found = values_of(
        parse_measure("AP"), lists_of_labels(np.array([1, 1]), np.array([0, 1, 2]), np.array([TOO_LONG - 1, TOO_LONG]))
    )
    assert found.by_exact_path.tolist() == [False, True]
    assert found.doubles.tolist() == [1 / (TOO_LONG - 1), 1 / TOO_LONG]


BESIDE = ("AP", "nDCG@3", "NumRel", "NumRet", "infAP")
"""Measures that see a whole number where there are subtopics."""
BY_SUBTOPIC = [family.example for family in FAMILIES.values() if family.by_subtopic]
BY_PREFERENCE = [family.example for family in FAMILIES.values() if family.by_preference]
SAID_MORE = {
    "subtopics": [*BY_SUBTOPIC, "alpha_nDCG(alpha=1)@2", "nERR_IA(judged_only=True)@3", "P_avgjg(rel=2)@2", *BESIDE],
    "preferences": BY_PREFERENCE,
}
LISTS = (
    "default",
    "default[ties=docno-ascending, negative_grades=unjudged]",
    "default[ties=docno-descending, depth=4]",
    "default[ties=reverse-input, unjudged=removed]",
    "default[ties=expected, no_hits=one]",
    "default[ties=expected, depth=3, no_relevant=skip]",
    "default[ties=grouped, missing_query=skip]",
    "default[ties=grouped, depth=4, unknown_query=zero]",
    "default[score_precision=float32, novelty_ideal=exact, missing_query=skip]",
    "trec_eval-9.0.8",
    "trec_eval-10.0[missing_query=zero]",
)


def judged_documents(kind, source, docnos):
    """Judge some documents for subtopics, or by preferences; one in five has a plain grade instead."""
    levels = {docno: [source.randrange(3) for _ in "uvw"] for docno in docnos}
    judged = {}
    for docno in docnos:
        groups = source.sample("uvw", source.randint(1, 3))
        if source.random() < 0.2:
            judged[docno] = source.choice([-1, 0, 1, 2])
        elif kind == "subtopics":
            judged[docno] = {group: source.choice([-1, 0, 0, 1, 1, 2]) for group in groups}
        else:  # one level in each of a group's subgroups, so that nothing contradicts
            judged[docno] = {
                group: dict.fromkeys(source.sample("st", source.randint(1, 2)), levels[docno]["uvw".index(group)])
                for group in groups
            }
    return judged


def judged_queries(kind, seed):
    """Return qrels and a run with ties; a query that is missing, one that is unknown, one without judgments.

    With seed 0 lists are short, as the naive oracle takes every order of their ties.
    """
    source, most = random.Random(seed), 8 if seed else 6
    qrels, run = {}, {}
    for query in ("q1", "q2", "missing", "none"):
        docnos = source.sample([f"d{number}" for number in range(8)] + ["B", "é"], source.randint(3, most))
        listed = source.sample([*docnos[1:], "x", "y", "z"], len(docnos))
        qrels[query] = {} if query == "none" else judged_documents(kind, source, docnos)
        run[query] = {docno: source.randrange(4) / 4 for docno in listed}
    del run["missing"]
    return qrels, run | {"unknown": {"x": 1.0}}


def written(value):
    """Return a number to 60 decimals, or what it is instead: sums are equal whatever their order."""
    return value if isinstance(value, Undefined) else nearest_decimal(value, 60)


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.campaign) for each in (1, 2))])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", SAID_MORE)
@pytest.mark.parametrize("text", in_campaign(LISTS, but=[LISTS[0], LISTS[5], LISTS[-1]], ids=str))
def test_judgments_that_say_more_than_a_grade(kind, text, reader, seed, tmp_path):
    """The oracle's values; and those of the naive one where dictionaries are read, which make the same lists."""
    convention, counted = parse_convention(text), 0
    qrels, run = judged_queries(kind, seed)
    judged = Qrels.of(qrels)
    measures = [each for each in map(parse_measure, SAID_MORE[kind]) if not meaningless(each, convention)]
    read = product(reader, judged, run, in_order(measures, convention), tmp_path)
    for measure in measures:
        try:
            found = score_product(measure, read, convention)
        except NeedsScoresError:
            assert "grouped" in text
            continue
        counted += 1
        exact = evaluate(measure, judged, Run.of(run), convention)
        assert found.excluded == dict(exact.excluded)
        assert list(found.counting) == list(exact.exact_per_query)
        assert found.mean.double == exact.double
        for query, place in found.counting.items():
            value = found.values.exact_of(place)
            assert written(value) == written(exact.exact_per_query[query]), (measure, query)
            assert isinstance(value, Undefined) or found.values.doubles[place] == to_double(value)
        if reader == "dictionaries" and seed == 0:
            pairs = {name: [*listed.items()] for name, listed in run.items()}
            _, expected = naive_says(measure, qrels, pairs, convention)
            for query, value in exact.per_query.items():
                assert same(plain_value(value), expected[query]), (measure, query)
    assert counted > 1 or "grouped" in text


def test_a_run_that_was_read_under_another_rule_for_ties():
    """trec_eval puts ties in another order for preferences, so that no product has the ranks of both."""
    convention = parse_convention("trec_eval-9.0.8")
    qrels, run = Qrels.of({"q": {"a": {"g": {"s": 1}}, "b": {"g": {"s": 0}}}}), {"q": {"a": 1.0, "b": 1.0}}
    preferences, plain = (parse_measure(text) for text in ("prefs_simp", "NumRelRet"))
    read = product_of_dicts(qrels, run, convention)
    with pytest.raises(NeedsScoresError, match="ties=docno-ascending, and the run was read under ties=docno-desc"):
        score_product(preferences, read, convention)
    own = product_of_dicts(qrels, run, in_order([preferences], convention))
    assert score_product(preferences, own, convention).mean.double == 1
    assert "several orders: docno-ascending, docno-descending" in needs_scores([preferences, plain], convention)
    assert in_order([preferences, parse_measure("NumQ")], convention).ties is Ties.DOCNO_ASCENDING


def stretched(run, source, judged):
    """Return scores in the same order; of documents that are not judged, those between two that are take one score."""
    by_query = {}
    for query, listed in run.items():
        levels = {score: level for level, score in enumerate(sorted({*listed.values()}))}
        of_judged = sorted({levels[score] for docno, score in listed.items() if docno in judged})
        step, start = source.choice((1.0, 3.0)), source.choice((0.0, 100.0))

        def put(level, of_judged=of_judged, step=step, start=start):
            place = bisect(of_judged, level)
            return start + step * (2 * place - (level in of_judged))

        by_query[query] = {docno: put(levels[score]) for docno, score in listed.items()}
    return by_query


@pytest.mark.parametrize(
    ("measure", "under", "needs"),
    [
        *(("AP@3", f"default{text}", False) for text in ("", "[ties=expected]", "[denominator=length]")),
        ("AP", "default[ties=grouped]", False),
        ("AP", "default[ties=grouped, interpolation=all-ranks]", True),
        ("AP", "default[interpolation=all-ranks]", False),
        ("AP@3", "default[ties=grouped, denominator=length]", True),
        ("AP", "default[ties=grouped, denominator=length]", False),
        ("P@3", "default[ties=grouped, precision_denominator=min-cutoff-length]", True),
        ("AP", "default[aggregate=micro]", True),
    ],
)
def test_what_needs_scores_is_changed_by_scores_in_the_same_order(measure, under, needs):
    """The oracle says so: where ranks of judged documents decide, nothing else about the scores changes a value."""
    measure, convention, source, changed = parse_measure(measure), parse_convention(under), random.Random(7), False
    qrels = Qrels.of({query: {"a": 1, "b": 0, "c": 2} for query in "pqr"})
    for _ in range(40):
        run = {query: {docno: float(source.randrange(5)) for docno in "abcdefg"} for query in "pqr"}
        before, after = (
            evaluate(measure, qrels, Run.of(each), convention).exact for each in (run, stretched(run, source, "abc"))
        )
        changed = changed or before != after
    assert changed == needs
    assert (needs_scores([measure], convention) is not None) == needs


@pytest.mark.parametrize("float_beside", [False, True])
@pytest.mark.parametrize("score", [0, 2**53, -(2**53), 2**53 + 1, -(2**53) - 1])
def test_whole_scores_are_taken_as_far_as_doubles_hold_them_all(score, float_beside):
    run = {"q": {"a": score, "b": 0.5 if float_beside else 1}}
    given = Qrels.of({"q": {"b": 1}}), run, parse_convention("default")
    if abs(score) <= 2**53:
        assert product_of_dicts(*given).lists.places.ranks.tolist() == [1 + (score > 1)]
    else:
        with pytest.raises(EngineRefusalError):
            product_of_dicts(*given)

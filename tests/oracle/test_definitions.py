"""Definitions are what a hand says; derivations add up to what `evaluate` says, of short rankings and at random."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from campaign import in_campaign, one_in, sizes
from hypothesis import given, settings
from measure_strategies import family_measures, full_conventions
from oracle_strategies import inputs, measures
from rankspec.conformance.cases.exact import same_value
from rankspec.oracle import (
    DEFAULT,
    Convention,
    InputError,
    Measure,
    Qrels,
    Run,
    Undefined,
    UndefinedValueError,
    evaluate,
    explain,
    parse_convention,
    parse_measure,
)
from rankspec.oracle.conventions.axes import Aggregate, Denominator, Interpolation, RecallGrid, Ties
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.definitions.expression import (
    COUNT,
    GAIN,
    GAINED,
    GRADE,
    HIT,
    HITS,
    IDEAL_GAINED,
    LENGTH,
    MISSED,
    NONRELEVANT_ABOVE,
    NONRELEVANT_IN_QRELS,
    POOLED_ABOVE,
    RANK,
    RELEVANT,
    Above,
    Choice,
    Definition,
    Number,
    Parameter,
    degree,
    greatest,
    has_factor,
    least,
    log2,
    names,
    resolved,
)
from rankspec.oracle.definitions.writing import latex, text
from rankspec.oracle.derivation import GrowthList
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.choices import settled
from rankspec.oracle.measures.list_terms import ListTerms
from rankspec.oracle.measures.terms import Discounted, Kind, computed, total
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import geometric_mean, quotient, weighted_sum
from rankspec.oracle.values import to_value

RELEVANT_DOCUMENT = Kind(hit=1, judged=1, grade=1, gain=1)
KINDS = (
    RELEVANT_DOCUMENT,
    Kind(hit=1, judged=1, grade=3, gain=3),
    Kind(judged=1, nonrelevant=1),
    Kind(),
    Kind(pooled=1),
)
STOP = (2**GRADE - 1) / 8
ABOVE = COUNT - HIT
TERMS = {
    "affine": HIT * (COUNT / RANK),
    "indicator": parse_measure("RR").family.definition.term,
    "least": HIT * (1 - least(NONRELEVANT_ABOVE, RELEVANT) / least(NONRELEVANT_IN_QRELS, RELEVANT)),
    "greatest": HIT * greatest(COUNT, 2) / RANK,
    "product": STOP / RANK * Above(1 - STOP),
    "rational": HIT * ((ABOVE + Fraction(1, 9)) / (ABOVE + NONRELEVANT_ABOVE + Fraction(2, 9)) * POOLED_ABOVE / RANK),
    "inverse": HIT
    * ((ABOVE + 1) * (MISSED + ABOVE + 2) / (2 * ABOVE + 2 * NONRELEVANT_ABOVE + 3) / RANK + POOLED_ABOVE),
    "inverse of a number by itself": HIT * RANK * (1 - 1 / (COUNT + 1)),
    "counted differently": HIT / (ABOVE + 2 * NONRELEVANT_ABOVE + 1),
    "cubic over a divisor": HIT * (ABOVE * ABOVE * ABOVE / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "square of an inverse": HIT * (1 / (ABOVE + 1) * (1 / (ABOVE + 1))),
    "two divisors": HIT * (1 / (ABOVE + 1) + 1 / (NONRELEVANT_ABOVE + 1)),
    "a divisor of the rank": HIT / (ABOVE + NONRELEVANT_ABOVE + RANK),
    "a square beside a divisor": HIT * (POOLED_ABOVE * POOLED_ABOVE / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "counted and beside": HIT * (MISSED / (ABOVE + NONRELEVANT_ABOVE + 1)),
    "nothing in the divisor at first": HIT * (2 / (ABOVE + NONRELEVANT_ABOVE)),
    "pairs": HIT * ((LENGTH - HITS) - (RANK - COUNT)),
    "blended": HIT * ((COUNT + GAINED) / (RANK + IDEAL_GAINED)),
    "square": HIT * (COUNT * COUNT / RANK),
    "own": GAIN * GAIN / RANK,
    "logarithm": HIT / log2(2 + MISSED),
    "discount": GAIN / log2(RANK + 1),
}


def summed(term, blocks):
    quantities = {
        "relevant": 5,
        "nonrelevant_in_qrels": 3,
        "length": sum(map(len, blocks)),
        "hits": sum(kind.hit for block in blocks for kind in block),
    }
    return [each for terms in ListTerms(term, quantities, (3, 5, 6)).of_blocks(blocks) for each in terms]


@one_in(2)
@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_the_mean_over_a_tie_is_that_of_all_its_orders(term):
    drawn = random.Random(str(term))
    for _ in range(25):
        sizes = [drawn.choice((1, 1, 2, 3, 4)) for _ in range(drawn.choice((1, 2)))]
        blocks = [tuple(drawn.choice(KINDS) for _ in range(size)) for size in sizes]
        orders = list(itertools.product(*map(itertools.permutations, blocks)))
        share = Fraction(1, len(orders))
        one_by_one = [
            each * share for order in orders for each in summed(term, [(kind,) for block in order for kind in block])
        ]
        assert total(summed(term, blocks)) == total(one_by_one)


def test_a_term_whose_mean_is_not_known_is_refused():
    with pytest.raises(TypeError, match="mean"):
        summed(HIT * Above(1 - STOP) * COUNT, [(KINDS[0], KINDS[1])])


def test_a_limit_inside_a_block_counts_the_ranks_within():
    (terms,) = ListTerms(GAIN / RANK, {}, limit=2).of_blocks([(KINDS[1], KINDS[3], KINDS[3])])
    assert terms == [Fraction(1), Fraction(1, 2)]


@pytest.mark.parametrize("rule", Denominator)
def test_the_step_estimator_is_the_sum_of_precisions_at_hits(rule):
    """The area of the curve is a form of its own; its increments are the definition's terms, whatever D is."""
    for labels in itertools.product((0, 1), repeat=5):
        blocks = [(RELEVANT_DOCUMENT if label else Kind(),) for label in labels]
        points = operating_points([(label,) for label in labels])
        for divisor in range(1, 7):
            assert area(ESTIMATORS[Interpolation.STEP](divisor, 5, None, RecallGrid.EXACT), points) * divisor == total(
                summed(HIT * (COUNT / RANK), blocks)
            )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [(1 / RANK, Fraction(1, 4)), (1 - RANK, -3), (2**RANK, 16), (least(RANK, 5, 3), 3), (greatest(RANK, 5, 7), 7)],
)
def test_numbers_and_quantities_are_operands_in_their_order(expression, expected):
    assert computed(expression)({"rank": 4}) == expected


def test_what_an_expression_depends_on():
    ratio = HIT * (COUNT / RANK)
    assert (names(ratio), has_factor(ratio, "hit"), has_factor(ratio, "count")) == (
        {"hit", "count", "rank"},
        True,
        True,
    )
    assert not has_factor(1 - HIT, "hit")
    assert (degree(ratio, frozenset({"count"})), degree(ratio, frozenset({"rank"}))) == (1, math.inf)
    assert degree(COUNT * NONRELEVANT_ABOVE, frozenset({"count", "nonrelevant_above"})) == 2
    assert degree(least(COUNT, 2), frozenset({"count"})) == math.inf
    assert not has_factor(HIT + COUNT, "hit")
    assert names(RANK * Above(1 - GAIN)) == {"rank", "gain"}


def test_what_a_choice_stands_for_may_be_open_itself():
    chosen = {"discount": 1 + Parameter("p"), "p": RANK * 2}
    found = resolved(HIT / Choice("discount"), lambda leaf: chosen[getattr(leaf, "axis", None) or leaf.name])
    assert text(found) == "hit / (1 + rank * 2)"


def test_how_expressions_are_written():
    lost = least(NONRELEVANT_ABOVE, 10 + RELEVANT) / (10 + RELEVANT)
    assert text(1 - lost) == "1 - min(nb, 10 + R) / (10 + R)"
    assert text(lost, {"relevant": 2, "nonrelevant_above": 3}) == "min(3, 10 + 2) / (10 + 2)"
    assert (
        text((RANK - 1) * Number(Fraction(1, 3)) ** RANK - (COUNT - 1)) == "(rank - 1) * (1/3)^rank - (hits so far - 1)"
    )
    assert text(HIT / (RANK * COUNT)) == "hit / (rank * hits so far)"
    assert r"(h_i + 1)^{i}" in latex(Definition(term=(COUNT + 1) ** RANK))
    with pytest.raises(TypeError, match="double"):
        Fraction(1, 3) ** RANK
    assert str(Discounted(Fraction(1, 2), 5) * 3) == "(3/2)/log2(5)"
    assert latex(FAMILIES["Bpref"].definition) == r"\frac{1}{R} \sum_{i=1}^{n} \mathrm{rel}_i (1 - \mathrm{lost}_i)"
    assert r"\prod_{j=1}^{i-1} (1 - \frac{2^{\mathrm{grade}_j} - 1}{2^{G}})" in latex(FAMILIES["ERR"].definition)


def test_choices_and_parameters_are_put_in():
    measure = Measure("F", 3, beta=Fraction(2))
    divisor = settled(measure.family.definition.divisor, measure, measure.under(DEFAULT))
    assert text(divisor) == "(2^2 * R + k) / (1 + 2^2)"


def test_a_long_tie_of_judged_documents_needs_no_sum_over_their_numbers():
    """All above are judged, so that the divisor is known at each rank, and the mean of the hits above does."""
    epsilon = Fraction(1, 1000)
    block = (Kind(hit=1, judged=1),) * 300 + (Kind(judged=1, nonrelevant=1),) * 300
    term = HIT * (
        1 / RANK + (ABOVE + NONRELEVANT_ABOVE) / RANK * ((ABOVE + epsilon) / (ABOVE + NONRELEVANT_ABOVE + 2 * epsilon))
    )
    share = Fraction(299, 599)
    expected = sum(
        (1 + above * (above * share + epsilon) / (above + 2 * epsilon)) / (2 * (above + 1)) for above in range(600)
    )
    assert summed(term, [block]) == [expected]


def check(measure, qrels, run, convention):
    """Hold a derivation against the value, and every sum in it against its parts."""
    derivation = explain(measure, qrels, run, convention)
    try:
        evaluation = evaluate(measure, qrels, run, convention)
    except UndefinedValueError:
        assert derivation.value is Undefined.ERROR
        assert derivation.error
        return
    assert same_value(derivation.value, evaluation.value)
    if derivation.factors:
        assert to_value(geometric_mean(derivation.factors, derivation.subtracted)) == evaluation.value
    assert derivation.error == ""
    for query, value in evaluation.per_query.items():
        assert same_value(derivation.value_of(query), value)
    names = {query.query for query in derivation.queries if not query.counts}
    if evaluation.per_query:
        assert names == set(evaluation.excluded)
    for query in derivation.queries:
        assert bool(query.lists) != bool(query.rule)
        assert not query.missing or query.query not in run
        for listed in query.lists:
            adds_up(listed)
            # Over R, whatever the denominator is.
            assert all(row.recall in {None, Fraction(row.hits, query.relevant or 1)} for row in listed.rows)


def adds_up(listed):
    """Hold the sums of a list against their parts: terms, rows, what stands beside them, the divisor, the value."""
    assert all(not row.terms or total_of(row.terms) == row.added for row in listed.rows)
    assert [row.rank for row in listed.rows] == list(itertools.accumulate(len(row.documents) for row in listed.rows))
    assert [row.hits for row in listed.rows] == list(itertools.accumulate(row.relevant for row in listed.rows))
    assert all(row.precision == Fraction(row.hits, row.rank) for row in listed.rows)
    if listed.rule:
        assert listed.divisor is None
        assert not any(listed.contribution(row) for row in listed.rows)
        return
    beside = listed.extra.value if listed.extra else Fraction(0)
    assert total_of([*(row.added for row in listed.rows), beside]) == listed.total
    assert quotient(listed.total, listed.divisor) == listed.value
    shares = [*(listed.contribution(row) for row in listed.rows), quotient(beside, listed.divisor)]
    assert nearest_double(total_of(shares)) == nearest_double(listed.value)
    if listed.levels:
        assert sum(level.precision for level in listed.levels) == listed.total
    if listed.ideal:
        assert [each.rank for each in listed.ideal] == list(range(1, len(listed.ideal) + 1))
        assert total_of([each.term for each in listed.ideal]) == listed.divisor
    if listed.denominator_text:
        assert listed.denominator_text.endswith(f"= {listed.denominator}")
    values = {factor.name: factor.value for factor in listed.factors}
    if {*values} == {"p", "r"}:
        assert values["p"] * values["r"] == listed.value
    elif listed.factors:
        precision, recall, weight = (values[name] for name in "prw")
        assert (1 + weight) * precision * recall / (weight * precision + recall) == listed.value


def total_of(terms):
    """Add numbers and discounted gains."""
    return weighted_sum((Fraction(1), term.value if isinstance(term, Discounted) else term) for term in terms)


@pytest.mark.parametrize("longest", sizes(4, 5))
@pytest.mark.parametrize("interpolation", in_campaign(Interpolation, every=2, ids=str))
def test_every_short_ranking(interpolation, longest):
    convention = Convention(interpolation=interpolation)
    for size, extra, k in itertools.product(range(longest + 1), (0, 1), (None, 2, 7)):
        if meaningless(Measure("AP", k), convention):
            continue
        for labels in itertools.product((0, 1), repeat=size):
            grades = {f"d{place}": label for place, label in enumerate(labels)} | {f"m{n}": 1 for n in range(extra)}
            run = Run.of({"q": [(f"d{place}", -place) for place in range(size)]})
            check(Measure("AP", k), Qrels.of({"q": grades}), run, convention)


@settings(max_examples=3 * settings.default.max_examples)
@given(measures() | family_measures(), inputs(), full_conventions())
def test_any_measure(measure, data, convention):
    if meaningless(measure, convention):
        return
    qrels, run = Qrels.of(data[0]), Run.of(data[1])
    try:
        check(measure, qrels, run, convention)
    except InputError:
        with pytest.raises(InputError):
            evaluate(measure, qrels, run, convention)


TIED = Run.of(
    {
        "q1": [("a", 2), ("b", 1), ("u", 1), ("c", 1), ("p", 1), ("e", 0)],
        "q2": [("b", 1), ("a", 1)],
        "q3": [("x", 2), ("y", 1)],
        "q5": [("a", 1)],
    }
)
GRADED = Qrels.of(
    {"q1": {"a": 0, "b": 2, "c": 1, "e": 1, "p": -1, "m": 3}, "q2": {"a": 1}, "q3": {"m": 1}, "q4": {"m": 1, "n": 0}}
)


@pytest.mark.parametrize(
    "ties", in_campaign([Ties.INPUT_ORDER, Ties.GROUPED, Ties.EXPECTED], but=["expected"], ids=str)
)
@pytest.mark.parametrize(
    "family",
    in_campaign(
        [(each,) for each in FAMILIES.values() if not each.cuts_by_score],
        but=["AP", "nDCG", "RR", "F", "IPrec", "ERR", "Bpref", "RBP", "NERR11", "Compat", "alpha_DCG", "prefs_simp"],
        ids=lambda row: row[0].name,
    ),
)
def test_a_measure_that_declares_no_working_is_derived_all_the_same(family, ties, monkeypatch):
    """By what its value grows by from row to row."""
    monkeypatch.setattr("rankspec.oracle.derivation.display_of", lambda _: GrowthList)
    cut = [f"{family.name}@3"] if (family.requires_k or family.cut is Cut.OPTIONAL) else []
    bare = "rel" in family.parameters and family.cut not in {Cut.RECALL, Cut.MULTIPLE}
    rel = [str(Measure(family.name, 2 if family.requires_k else None, rel=n)) for n in (0, 2) if bare]
    for written in (family.example, *cut, *rel):
        for others in ("", ", depth=4", ", unjudged=removed, no_hits=one"):
            convention = parse_convention(f"default[ties={ties}{others}]")
            if not meaningless(parse_measure(written), convention):
                check(parse_measure(written), GRADED, TIED, convention)


def test_tap_without_relevant_documents():
    convention = parse_convention("default[no_relevant=reciprocal]")
    derivation = explain(Measure("TAP", 1), Qrels.of({"q": {"a": 0}}), Run.of({"q": [("a", 1)]}), convention)
    assert derivation.value == Fraction(1, 2)
    assert derivation.queries[0].lists[0].rule == "no_relevant=reciprocal, 1/(1 evaluated + 1)"
    assert [query.query for query in derivation.counting] == ["q"]


JUDGED = Qrels.of({"q": {"a": 3, "b": 0, "c": 1, "m": 2, "p": -1}})
RANKED = Run.of({"q": [("a", 5), ("b", 4), ("u", 4), ("c", 3), ("p", 2)]})
QRELS = {"judged": JUDGED, "b and c": Qrels.of({"q": {"b": 1, "c": 1}}), "c": Qrels.of({"q": {"c": 1}})}
RUNS = {
    "ranked": RANKED,
    "tied gains": Run.of({"q": [("a", 1), ("c", 1), ("b", 1), ("m", 0)]}),
    "tied": Run.of({"q": [("a", 1), ("b", 1), ("p", 1)]}),
    "late hit": Run.of({"q": [("b", 3), ("u", 2), ("a", 1)]}),
    "new": Run.of({"q": [("x", 1)]}),
}
EMPTIED = "unjudged=removed, precision_denominator=min-cutoff-length"
SEEN = {
    "added": lambda listed: [row.added for row in listed.rows],
    "terms": lambda listed: ["+".join(map(str, row.terms)) or "-" for row in listed.rows],
    "interpolated": lambda listed: [row.interpolated for row in listed.rows],
    "documents": lambda listed: ["".join(document.docno for document in row.documents) for row in listed.rows],
    "ideal": lambda listed: [each.term for each in listed.ideal],
    "denominator": lambda listed: [listed.denominator_text],
    "divisor": lambda listed: [listed.divisor_text],
    "needed": lambda listed: [listed.needed],
    "left out": lambda listed: [listed.left_out],
    "value": lambda listed: [listed.value],
    "rule": lambda listed: [listed.rule],
    "beside": lambda listed: [listed.extra.name, listed.extra.formula, listed.extra.value],
    "factors": lambda listed: [part for each in listed.factors for part in (each.name, each.formula, each.value)],
    "says N": lambda listed: ["N = 2" in listed.adds],
}
"""What a reader sees of a list; all else is a column of its rows."""


@pytest.mark.parametrize(
    ("measure", "settings", "qrels", "run", "seen"),
    [
        ("P@9", "precision_denominator=min-cutoff-length", "", "", ["denominator: min(k, n) = min(9, 5) = 5"]),
        ("R@4", "recall_denominator=min-relevant-cutoff", "", "", ["denominator: min(R, k) = min(3, 4) = 3"]),
        ("SetP(relative=True)", "", "", "", ["denominator: min(n, R) = min(5, 3) = 3", "added: 1 0 0 1 0"]),
        ("Judged@5", "negative_grades=unjudged", "", "", ["denominator: k = 5", "added: 1 1 0 1 0"]),
        ("NumQ", "", "", "", ["beside: the query 1 1", "added: ", "denominator: -"]),
        ("NumRel", "", "", "", ["beside: relevant documents in the qrels R 3"]),
        ("RBPResidual@2", "", "", "", ["beside: the ranks after the list p^n = (4/5)^2 16/25"]),
        # Hits over the mean of 2 and 3, where 3 weighs four times as much.
        ("F(beta=2)@2", "", "", "", ["factors: p hits / k = 1 / 2 1/2 r hits / R = 1 / 3 1/3 w beta^2 = 2^2 = 4 4"]),
        ("RR", "ties=expected", "b and c", "", ["added: 0 5/12 0 0", "terms: - 1/4+1/6 - -"]),
        ("IPrec@0.3", "", "", "", ["needed: ceil(0.3 * 3) = 1", "interpolated: 1 1/2 1/2 1/2 2/5"]),
        ("IPrec@0.3", "recall_grid=float64", "", "", ["needed: the least C with C/3 >= 0.3 in doubles = 1"]),
        ("IPrec@0.3", "recall_grid=trec_eval-9", "", "", ["needed: floor(0.3 * 3 + 0.9) in doubles = 1"]),
        ("IPrec@0.3", "recall_grid=trec_eval-10", "", "", ["needed: 0.3 * 3 in doubles, rounded half away from 0 = 1"]),
        ("nDCG@4", "gain=exponential", "", "", ["gain: 7 0 0 1", "discount: log2(2) log2(3) log2(4) log2(5)"]),
        ("nDCG@4", "gain=exponential", "", "", ["terms: 7/log2(2) - - 1/log2(5)"]),
        ("nDCG@4", "gain=exponential", "", "", ["ideal: 7/log2(2) 3/log2(3) 1/log2(4)"]),
        ("nDCG@1", "", "", "", ["divisor: the ideal ranking's sum, ideal=judged"]),
        ("nDCG@1", "ideal=retrieved", "", "", ["ideal: 3/log2(2)"]),
        ("DCG@2", "discount=log2-rank", "", "", ["discount: log2(2) log2(2)", "ideal: "]),
        # Three tied documents of gains 3, 2 and 0, two of them above the cutoff; the fourth is below it.
        ("nDCG(gains={1: 2})@2", "ties=expected", "", "tied gains", ["gain: 3 2 0", "discount: log2(2) to log2(3)"]),
        ("nDCG(gains={1: 2})@2", "ties=expected", "", "tied gains", ["terms: (5/3)/log2(2)+(5/3)/log2(3)"]),
        ("nDCG(gains={1: 2})@2", "ties=expected", "", "tied gains", ["left out: 2"]),
        ("P@2", "", "", "late hit", ["added: 0 0", "left out: 1"]),
        ("nDCG@3", "ties=expected", "", "", ["added: 3 0", "documents: a bu"]),
        ("Bpref", "", "", "", ["nonrelevant above: 0 0 1 1 1", "lost: 0 - - 1/2 -", "says N: True"]),
        ("Bpref", "bpref_variant=sigir-2004", "", "", ["lost: 0 - - 1/3 -", "says N: False"]),
        ("Bpref", "bpref_variant=bpref-10", "", "", ["lost: 0 - - 1/13 -", "says N: False"]),
        ("Bpref", "bpref_variant=all-nonrelevant", "", "", ["lost: 0 - - 1/2 -", "says N: True"]),
        ("Bpref", "ties=expected", "", "tied", ["terms: 1/3+1/6", "nonrelevant above: 0 to 2", "lost: 0 to 1"]),
        # 1/4 + 2/4 * (1 + e) / (2 + 2e)
        ("infAP", "negative_grades=unjudged, infap_epsilon=1/2", "", "", ["added: 1 0 0 1/2 0"]),
        ("infAP", "negative_grades=unjudged", "", "", ["nonrelevant above: 0 0 1 1 1", "pooled above: 0 0 0 0 0"]),
        ("infAP", "", "", "", ["hits above: 0 1 1 1 2", "pooled above: - - - - -"]),
        ("RBP(p=0.5)", "rbp_gain=scaled-by-topic", "", "", ["gain: 1 0 0 1/3 0", "weight: 1/2 1/4 1/8 1/16 1/32"]),
        ("RBP(p=0.5)", "rbp_gain=scaled-by-topic", "", "", ["added: 1/2 0 0 1/48 0"]),
        ("RBPResidual(p=0.5)", "", "", "", ["open: 0 0 1 0 0"]),
        ("P@2", "no_hits=nan", "c", "", ["rule: no_hits=nan", "added: 0 0"]),
        ("Judged@2", EMPTIED, "", "new", ["value: 0", "rule: an empty list"]),
        # By what a value grows by from row to row; precisions are 0, 1/2, 1/3, 2/4, 2/5, one less the other.
        ("SetP", "by growth", "b and c", "", ["added: 0 1/2 -1/6 1/6 -1/10", "hits: 0 1 1 2 2"]),
        ("NumRel", "by growth", "", "", ["beside: the empty list - 3", "added: 0 0 0 0 0"]),
    ],
)  # fmt: skip
def test_what_a_reader_sees(measure, settings, qrels, run, seen, monkeypatch):  # noqa: PLR0913 - a table
    if settings == "by growth":
        monkeypatch.setattr("rankspec.oracle.derivation.display_of", lambda _: GrowthList)
    convention = parse_convention(f"default[{settings}]" if "=" in settings else "default")
    (query,) = explain(parse_measure(measure), QRELS[qrels or "judged"], RUNS[run or "ranked"], convention).queries
    (listed,) = query.lists
    for line in seen:
        name, _, expected = line.partition(": ")
        found = SEEN[name](listed) if name in SEEN else [dict(row.details).get(name, "-") for row in listed.rows]
        assert " ".join(str(each) or "-" for each in found) == expected, name


def test_the_documents_of_a_block_that_is_cut_are_told_apart_by_what_they_are_worth():
    """Of four documents after the first one is evaluated: b or p with 2/4, u and c with 1/4 each."""
    tied = Run.of({"q": [("a", 2), ("b", 1), ("u", 1), ("c", 1), ("p", 1)]})
    (query,) = explain(parse_measure("AP@2"), JUDGED, tied, parse_convention("default[ties=expected]")).queries
    lists = {listed.rows[1].documents[0].label: listed for listed in query.lists}
    assert {label: (listed.probability, listed.value) for label, listed in lists.items()} == {
        0: (Fraction(1, 2), Fraction(1, 3)),
        1: (Fraction(1, 4), Fraction(2, 3)),
        None: (Fraction(1, 4), Fraction(1, 3)),
    }
    assert {listed.rows[1].documents[0].docno for listed in query.lists} == {""}


VALUE = "the value is undefined, and the convention says"


@pytest.mark.parametrize(
    ("measure", "settings", "error"),
    [
        ("RR", "no_hits=error", f"query q: {VALUE} no_hits=error"),
        ("TAP@1", "no_hits=error", f"query q: {VALUE} no_hits=error"),
        ("DCG", "missing_query=error", f"query p: {VALUE} missing_query"),
        ("NumRet", "unknown_query=error", f"query r: {VALUE} unknown_q"),
        ("Bpref", "no_relevant=error", f"query p: {VALUE} no_relevant"),
        ("P@1", "", "query r: document b appears twice in the run, and duplicates=error"),
        ("AP", "aggregate=micro, no_relevant=error", "query p has no relevant documents"),
        ("IPrec@0", "aggregate=micro, no_hits=error", "query all queries: the value is undefined, and the"),
        ("ERR", "err_max_grade=2", "ERR: grade 3 is above the highest one, err_max_grade=2"),
    ],
)
def test_errors_are_said(measure, settings, error):
    convention = f"default[{settings}]" if settings else "default"
    qrels = {"q": {"a": 3 if "grade" in error else 1}} | ({"p": {"a": 0}} if "query p" in error else {})
    run = {"q": [("b", 1)]} | ({"r": [("b", 1)]} if "query r" in error else {})
    if "twice" in error:
        qrels["r"], run["r"] = {"a": 1}, [("b", 2), ("b", 1)]
    derivation = explain(parse_measure(measure), Qrels.of(qrels), Run.of(run), parse_convention(convention))
    assert derivation.value is Undefined.ERROR
    assert derivation.error.startswith(error)
    assert derivation.counting == [query for query in derivation.queries if query.value is not Undefined.SKIP]
    with pytest.raises(UndefinedValueError):
        evaluate(parse_measure(measure), Qrels.of(qrels), Run.of(run), parse_convention(convention))


def test_two_rules_in_one_query():
    """Missing, and without relevant documents: `skip` beats the value."""
    derivation = explain(
        parse_measure("nDCG"), Qrels.of({"q": {"a": 0}}), Run.of({}), parse_convention("default[no_relevant=skip]")
    )
    assert [(query.rule, query.counts) for query in derivation.queries] == [("no_relevant=skip", False)]
    (listed,) = (
        explain(
            parse_measure("TAP@1"), Qrels.of({"q": {"a": 0}}), Run.of({"q": [("a", 1)]}), parse_convention("default")
        )
        .queries[0]
        .lists
    )
    assert listed.rule == "no_relevant=zero"


def test_queries_that_were_not_retrieved():
    qrels, run = Qrels.of({"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}), Run.of({"q1": [("a", 1)], "q3": [("a", 1)]})
    derivation = explain(parse_measure("NumRel"), qrels, run)
    assert [(query.query, query.value, query.missing) for query in derivation.queries[:2]] == [
        ("q1", 1, False),
        ("q2", 2, True),
    ]
    assert derivation.value == 3
    (_, missing, unknown) = explain(
        parse_measure("NumQ"), qrels, run, parse_convention("default[missing_query=skip, unknown_query=zero]")
    ).queries
    assert (missing.rule, unknown.rule, unknown.value) == ("missing_query=skip", "unknown_query=zero", 1)


@pytest.mark.parametrize(
    ("rule", "factors", "taken_off"),
    [("floor", ["1", "1/4"], 0), ("added", ["5/4", "1/4"], 0), ("added-subtracted", ["5/4", "1/4"], Fraction(1, 4))],
)
def test_the_factors_of_a_geometric_mean(rule, factors, taken_off):
    qrels, run = Qrels.of({"q1": {"a": 1}, "q2": {"b": 1}}), Run.of({"q1": [("a", 1)], "q2": [("a", 1)]})
    convention = parse_convention(f"default[geometric_floor=1/4, geometric_zero={rule}]")
    derivation = explain(parse_measure("GMAP"), qrels, run, convention)
    assert [str(factor) for factor in derivation.factors] == factors
    assert derivation.subtracted == taken_off
    assert derivation.settled.aggregate is Aggregate.GEOMETRIC
    undefined = explain(parse_measure("GMAP"), qrels, run, parse_convention("default[no_hits=nan]"))
    assert (undefined.factors, undefined.value) == ((), Undefined.NAN)

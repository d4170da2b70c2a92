"""Numbers with their data: who computes them, and the way from one to the other, which adds up."""

import json
import math
import shlex
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
import rankspec as rankspec_package
from campaign import in_campaign, one_in, seeded, sizes
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.answers.libraries_run import LibrariesRun
from rankspec.conformance.answers.numbers import libraries_answer, numbers_answer
from rankspec.conformance.cases.exact import Agreement
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve import running
from rankspec.conformance.infer.resolve.known import (
    KnownConvention,
    MeasureValues,
    SearchDepth,
    differing_axes,
    known_conventions,
    largest_share,
    library_convention,
    matching_of,
    search_known,
    walk,
)
from rankspec.conformance.infer.resolve.likely import search_likely
from rankspec.conformance.infer.resolve.resolve import read_number, resolve_data
from rankspec.conformance.infer.resolve.running import Returned
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress_bars import silent
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, Undefined, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Gain, NoHits, Ties
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.scoring import evaluator
from rankspec.oracle.sweeps import certified
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.sweeps.totals import Total
from rankspec.oracle.values import to_double

MEASURES = ("AP", "AP@3", "nDCG@3", "RR", "P@3", "R@3", "Rprec", "Success@1", "Bpref", "RBP(p=0.8)")


def drawn(random, queries=6):
    """Draw files with ties, unjudged documents, queries that one side lacks, one without hits."""
    qrels, run = {}, {}
    for query in range(queries):
        documents = [f"d{query}{place}" for place in range(7)]
        qrels[f"q{query}"] = {each: random.choice([0, 0, 1, 1, 2]) for each in documents[:5]}
        run[f"q{query}"] = [(each, random.randint(1, 4)) for each in random.sample(documents, 5)]
    qrels["empty"] = {"x": 0}
    run["empty"] = [("x", 1), ("y", 1)]
    qrels["missing"] = {"z": 1}
    run["unknown"] = [("z", 1)]
    return Data(Qrels.of(qrels), Run.of(run))


def conventions(random, measure, data):
    """Draw conventions: those with a name, each with up to two rules changed that the data shows."""
    space = observable_settings(measure, data)
    for known in 3 * known_conventions(measure, data):
        changed = known.convention
        for axis in random.sample([*space], min(len(space), random.randint(0, 2))):
            changed = changed.with_setting(axis, random.choice(space[axis]))
        if meaningless(measure, changed) is None:
            yield changed


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(MEASURES, but=["AP@3", "nDCG@3", "Bpref"], ids=str))
@pytest.mark.parametrize("fewest", [0, evaluator.FEWEST_DOCUMENTS])
def test_values_that_queries_share_are_those_of_the_oracle_and_steps_lead_from_one_to_the_other(
    text, fewest, monkeypatch
):
    monkeypatch.setattr(evaluator, "FEWEST_DOCUMENTS", fewest)
    random, measure, compared, steps_taken, counted = Random(seeded(text)), parse_measure(text), 0, 0, 0
    data = drawn(random)
    values, previous = MeasureValues(measure, data), DEFAULT
    for convention in conventions(random, measure, data):
        exact = exact_on(measure, data, convention)
        total = values.under(convention)
        assert (total is None) is (exact is Undefined.ERROR)
        with suppress(certified.NotCountedError):
            approximate = values.certified.under(measure, convention)
            counted += approximate is not None or total is None
        if total is None:
            continue
        compared += 1
        assert comparable(total.value()) == comparable(exact)
        assert total.approximate == pytest.approx(to_double(exact), abs=1e-12, nan_ok=True)
        begins = values.under(previous)
        if begins is not None and begins.approximate == begins.approximate and total.approximate == total.approximate:
            steps = walk(values, previous, convention)
            steps_taken += len(steps)
            assert ([begins.approximate, *(each.value for each in steps)][-1]) == pytest.approx(total.approximate)
            assert {axis for each in steps for axis in each.axes} <= {*previous.differences(convention)}
        previous = convention
    assert compared >= 3
    assert (counted >= 3) is (fewest == 0)
    assert steps_taken >= 1


def test_what_no_engine_counts_is_left_to_the_exact_path(monkeypatch):
    monkeypatch.setattr(evaluator, "FEWEST_DOCUMENTS", 0)
    whole, measure = drawn(Random(7)), parse_measure("AP")
    assert certified.CertifiedValues(whole).under(measure, DEFAULT) is not None
    repeated = Run.of({"q0": [("d00", 3), ("d01", 2), ("d00", 1)]})
    unlike = [{"scored": False}, {"named": False}, {"judged": False}, {"weighed": True}, {"run": repeated}]
    for changes in [*unlike, {"weights": dict.fromkeys(whole.qrels, Fraction(1))}]:
        values = certified.CertifiedValues(replace(whole, **changes))
        with pytest.raises(certified.NotCountedError):
            values.under(measure, DEFAULT)


@pytest.mark.drawn
def test_the_largest_share_is_that_of_the_query_whose_values_differ_most():
    random, measure = Random(seeded("share")), parse_measure("AP")
    data = drawn(random)
    first, second = DEFAULT, parse_convention("trec_eval-9.0.8[ties=pessimistic]")
    share = largest_share(MeasureValues(measure, data), first, second)
    ours, theirs = (evaluate(measure, data.qrels, data.run, each).exact_per_query for each in (first, second))
    differences = {query: abs(ours[query] - theirs[query]) for query in ours if query in theirs}
    assert differences[share.query] == max(differences.values()) > 0
    assert (share.first, share.second) == (float(ours[share.query]), float(theirs[share.query]))
    assert share.counting == (len(ours), len(theirs)) == (8, 7)


def written(data, folder):
    """Write data as files, and return their paths."""
    judged = [f"{query} 0 {docno} {grade}" for query in data.qrels for docno, grade in data.qrels.grades(query).items()]
    listed = [f"{query} Q0 {each.docno} 1 {each.score} r" for query in data.run for each in data.run.documents(query)]
    for name, lines in (("qrels.txt", judged), ("run.txt", listed)):
        (folder / name).write_text("\n".join(lines) + "\n")
    return [str(folder / name) for name in ("qrels.txt", "run.txt")]


@pytest.fixture
def of_both(tmp_path):
    """Average precision of files as pytrec_eval and scikit-learn return it, the data and the files."""
    metrics, pytrec_eval = pytest.importorskip("sklearn.metrics"), pytest.importorskip("pytrec_eval")
    data = drawn(Random(5))
    judged = {query: dict(data.qrels.grades(query)) for query in data.qrels}
    listed = {query: {each.docno: float(each.score) for each in data.run.documents(query)} for query in data.run}
    of_queries = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(listed).values()
    precisions = [
        metrics.average_precision_score(
            [judged[query].get(each, 0) > 0 for each in listed[query]], [*listed[query].values()]
        )
        for query in judged
        if query in listed
    ]
    theirs = sum(each["map"] for each in of_queries) / len(of_queries)
    return theirs, sum(precisions) / len(precisions), data, written(data, tmp_path)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_what_two_libraries_return_on_files_is_reproduced_as_theirs(rankspec, of_both):
    theirs, ours, data, files = of_both
    ended = rankspec("why", f"{theirs:.6f}", f"{ours:.6f}", *files, "pytrec_eval", "sklearn", "--json")
    (pair,) = json.loads(ended.out)["found"]["pairs"]
    assert ended.status == 0
    assert "trec_eval-9.0.8" in pair["first"]["profiles"]
    assert {"denominator", "ties"} <= {*pair["axes"]}
    found = search_known([f"{ours:.6f}"], parse_measure("AP"), data).resolutions[0].explanations[0]
    assert (found.convention.ties.value, found.convention.denominator.value) == ("grouped", "relevant-in-list")
    assert f"{ours:.4f}" in rankspec("score", *files, "--under", "sklearn").out
    # A program that no adapter asks is its convention.
    programs = json.loads(rankspec("why", "trec_eval", "default", *files, "--json").out)["found"]
    assert programs["values"]["trec_eval-9.0.8"] == pytest.approx(theirs)


def test_a_cutoff_that_nobody_asked_for_explains_nothing(rankspec):
    # A precision of 4/7 at rank 7.
    assert rankspec("why", "0.5714", "1,0,1,1,0,0,1", "P@3", "--num-relevant", "4").status == 1


@pytest.mark.parametrize(("text", "tokens"), [("1.5", ("AP", "1.5", "q", "twice-there")), ("-1", ("AP", "COCO"))])
def test_a_value_out_of_range_is_answered_with_what_makes_it_so(text, tokens):
    data = Data(Qrels.of({"q": {"twice-there": 1}}), Run.of({"q": [("twice-there", 2), ("twice-there", 1)]}))
    headline = numbers_answer(search_known([text], parse_measure("AP"), data), "", ()).headline
    assert all(token in headline for token in tokens)
    # What is out of range is no chance: who prints it is named.
    nothing = Data(Qrels.of({"q": {"a": 0}}), Run.of({"q": [("a", 1)]}))
    assert "coco" in numbers_answer(search_known(["-1"], parse_measure("AP"), nothing), "", ()).headline


def test_a_class_without_objects_is_minus_one_as_coco_prints_it():
    # The mean over no class is -1 there, which no rule alone gives.
    data = Data(Qrels.of({"cat": {}}), Run.of({"cat": [("a", 2), ("b", 1)]}), named=False)
    found = resolve_data("-1", parse_measure("AP"), data)
    assert [each.convention_text for each in found.explanations] == ["coco-classes"]


@pytest.mark.drawn
@one_in(2)
@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("AP", "trec_eval-9.0.8", "sklearn[missing_query=skip]"),
        ("nDCG@3", "default", "default[gain=exponential, missing_query=skip]"),
    ],
)
def test_what_is_printed_adds_up_and_what_can_be_pasted_gives_the_numbers(rankspec, tmp_path, text, first, second):
    measure, data = parse_measure(text), drawn(Random(seeded("pasted" + text)))
    files = written(data, tmp_path)
    values = [exact_on(measure, data, parse_convention(each)) for each in (first, second)]
    numbers = [f"{to_double(value):.6f}" for value in values]
    search = search_known(numbers, measure, data)
    page = numbers_answer(search, "", ["score", "--qrels", files[0], "--run", files[1], "--measure", text])
    start, *changes, end = (float(row.name) for row in page.rows)
    assert changes
    assert round(start + sum(changes), 6) == end
    pasted = [shlex.split(command) for label, command in page.following if label.startswith("To get")]
    assert len(pasted) == 2
    for words, number in zip(pasted, numbers, strict=True):
        assert f"{json.loads(rankspec(*words, '--json').out)['values'][text]['float']:.6f}" == number


def test_from_python_nothing_is_told_to_paste_that_lacks_the_data():
    answered = str(rankspec_package.why("0.8333", relevance=[1, 0, 1]))
    assert "AP as it is defined" in answered
    assert "rankspec explain" not in answered


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(["AP", "AP@3", "nDCG@3"], but=["AP@3"], ids=str))
def test_each_step_changes_the_value_most_and_the_headline_says_how_much_of_it_the_first_makes(text):
    random, measure, compared = Random(seeded("steps" + text)), parse_measure(text), 0
    data = drawn(random)
    search = search_known([], measure, data)

    def value(convention):
        exact = exact_on(measure, data, convention)
        return None if isinstance(exact, Undefined) else to_double(exact)

    defined = [each for each in conventions(random, measure, data) if value(each) is not None]
    for first, second in pairwise(defined):
        steps, here, before = walk(search.values, first, second), first, value(first)
        for step in steps:
            left = [axis for axis in here.differences(second) if axis in {*measure.axes(first), *measure.axes(second)}]
            ahead = {axis: here.with_setting(axis, getattr(second, axis)) for axis in left}
            ahead = {axis: (to, value(to)) for axis, to in ahead.items() if meaningless(measure, to) is None}
            here, after = ahead.get(step.axes[0], (here, None))
            changes = [abs(each - before) for _, each in ahead.values() if each is not None]
            if len(step.axes) > 1 or after is None or not any(changes):  # a silent rule comes before it
                break
            assert step.value == pytest.approx(after)
            assert abs(after - before) >= max(changes) - 1e-9
            assert after != before
            before, compared = after, compared + 1
        if len(steps) > 1:
            reached = [value(first), *(step.value for step in steps)]
            changes = [abs(later - earlier) for earlier, later in pairwise(reached)]
            cancels = abs(reached[-1] - reached[0]) < changes[0] / 2
            told = [words for least, words in SHARES if not cancels and changes[0] >= least * sum(changes)]
            sides = [KnownConvention("a", first), KnownConvention("b", second)]
            assert (
                f". {[*told, 'It takes'][0]}"
                in libraries_answer(search, LibrariesRun(search.values, sides), []).headline
            )
    assert compared >= 10


SHARES = ((0.95, "Nearly all of"), (0.5, "Most of"))


def test_a_library_that_returns_something_else_than_its_record_is_told_from_one_that_agrees():
    data = Data(Qrels.of({"q": {"a": 1}}), Run.of({"q": [("b", 2), ("a", 1)]}))
    search = search_known([], parse_measure("AP"), data)
    sides = [KnownConvention("one", DEFAULT), KnownConvention("other", DEFAULT.with_setting("no_hits", NoHits.ONE))]

    def notes(*values):
        returned = {side.name: Returned(f"{side.name} 1.2", value) for side, value in zip(sides, values, strict=False)}
        return libraries_answer(search, LibrariesRun(search.values, sides, returned), []).notes[-2:]

    half = Fraction(1, 2)
    said = [
        notes(half, half + Fraction(1, 10**7)),
        notes(half, half + Fraction(1, 10**4)),
        notes(half, None),
        notes(half),
    ]
    agreeing, differing, without, one = map(" ".join, said)
    assert "one 1.2 returns 0.5000 and other 1.2 returns 0.5000" in agreeing
    assert "other 1.2 returns 0.5001" in differing
    assert "one 1.2" in without
    assert "other 1.2" in without
    assert "other 1.2" not in one
    assert len(set(said)) == 4


def test_a_library_that_refuses_queries_is_given_the_others(monkeypatch):
    qrels = Qrels.of({"1": {"a": 1}, "2": {"a": 1}, "4": {"b": 1, "a": 1}})
    run = Run.of({"1": [("a", 1)], "3": [("a", 1)], "4": [("c", 2), ("b", 1), ("a", 1)]})
    data, measure, given = Data(qrels, run), parse_measure("AP"), []
    known = library_convention("ranx", measure, data)
    assert known.left_out == ("2", "3")
    third = Fraction(1, 2) * (Fraction(1, 2) + Fraction(2, 3))
    assert MeasureValues(measure, data).under(known.convention).approximate == pytest.approx(float((1 + third) / 2))
    monkeypatch.setattr(running, "returned_by", lambda name, _measure, data, _limits: given.append((name, data)))
    running.returned_by_each({"ranx": known}, measure, data, Limits(), silent)
    ((name, part),) = given
    assert (name, {*part.qrels}, {*part.run}) == ("ranx", {"1", "4"}, {"1", "4"})
    # None of them is refused by who takes all, or by who has a rule for each.
    assert library_convention("pytrec_eval", measure, data).left_out == ()
    assert library_convention("ranx", measure, data.without({"2", "3"})).left_out == ()


def test_a_library_of_labels_knows_no_relevant_document_outside_its_list():
    pytest.importorskip("sklearn")
    measure, labels = parse_measure("AP"), [1, 0, 1, 1, 0, 0, 1]
    of_hits = 1 + Fraction(2, 3) + Fraction(3, 4) + Fraction(4, 7)
    for num_relevant, of_sklearn, defined in ((4, of_hits / 4, of_hits / 4), (5, of_hits / 4, of_hits / 5)):
        data = data_of({"relevance": labels, "num_relevant": num_relevant})
        known = library_convention("sklearn", measure, data)
        values = [MeasureValues(measure, data).under(each).approximate for each in (known.convention, DEFAULT)]
        assert values == pytest.approx([float(of_sklearn), float(defined)])
        assert float(running.returned_by("sklearn", measure, data).value) == pytest.approx(float(of_sklearn))
        search = search_known([f"{float(defined):.6f}"], measure, data, ["sklearn"], depth=SearchDepth.NAMED)
        assert ("sklearn" in numbers_answer(search).headline) == (num_relevant == 4)


@pytest.mark.parametrize("text", ["R@2", "Rprec"])
def test_no_rule_leaves_the_relevant_documents_out_of_recall_that_a_list_lacks(text):
    measure, data = parse_measure(text), Data(Qrels.of({"q": {"a": 1, "b": 1}}), Run.of({"q": [("a", 7), ("c", 1)]}))
    assert "torchmetrics" not in {known.name for known in known_conventions(measure, data)}
    with pytest.raises(ConventionError) as refused:
        library_convention("torchmetrics", measure, data)
    assert refused.value.code == "convention-unknown"


def test_two_conventions_that_differ_in_one_rule_are_both_said():
    qrels = Qrels.of({"q": {"a": 2, "c": 1}, "r": {"a": 1, "b": 3}})
    data = Data(qrels, Run.of({"q": [("a", 1), ("b", 1), ("c", 1)], "r": [("b", 2), ("c", 1), ("a", 1)]}))
    measure = parse_measure("nDCG@3")
    exponential = DEFAULT.with_setting("gain", Gain.EXPONENTIAL)
    search = search_known([f"{MeasureValues(measure, data).under(exponential).approximate:.4f}"], measure, data)
    first = search.resolutions[0].explanations[0]
    others = [
        replace(
            first, convention=first.convention.with_setting("ties", ties), value=lambda place=place: Fraction(place, 9)
        )
        for place, ties in enumerate((Ties.DOCNO_DESCENDING, Ties.DOCNO_ASCENDING, Ties.OPTIMISTIC, Ties.GROUPED), 1)
    ]
    origins = search.origins | {each.convention: KnownConvention("", each.convention, changes=2) for each in others}
    for count in (1, 4):
        resolution = replace(search.resolutions[0], explanations=(first, *others[:count]))
        headline = numbers_answer(replace(search, resolutions=(resolution,), origins=origins)).headline
        assert (AXES["gain"].phrase(Gain.EXPONENTIAL) in headline) == (count == 1)
        assert (AXES["ties"].phrase(Ties.DOCNO_DESCENDING) in headline) == (count == 1)


def test_values_of_named_libraries_stand_first_where_nothing_gives_a_number():
    measure, data = parse_measure("AP"), Data(Qrels.of({"q": {"a": 1}}), Run.of({"q": [("b", 7), ("a", 7)]}))
    search = search_known(["0.123"], measure, data, ["pytrec_eval", "sklearn"])
    libraries = [library_convention(name, measure, data) for name in ("pytrec_eval", "sklearn")]
    first, second, *_ = numbers_answer(search, libraries_run=LibrariesRun(search.values, libraries)).rows
    assert [(first.name, second.name)] == [("0.5000", "0.5000")]  # b before a; one point of both, at rank 2
    # Tied documents in another order are told from what the record doesn't allow at all.
    upside_down, impossible = (
        " ".join(
            LibrariesRun(
                search.values, libraries[:1], {"pytrec_eval": Returned("pytrec_eval 1", Fraction(value))}
            ).notes()
        )
        for value in (1, 2)
    )
    assert upside_down.replace("1.0000", "") != impossible.replace("2.0000", "")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(3, 2)])  # The second is that of no order
def test_the_way_ends_at_what_a_library_returns_here(place, value):
    measure = parse_measure("AP")
    data = Data(Qrels.of({"q": {"b": 1}}), Run.of({"q": [(docno, 7) for docno in "cbade"]}))
    sides = [
        KnownConvention("one", DEFAULT),
        KnownConvention("other", DEFAULT.with_setting("ties", Ties.DOCNO_ASCENDING)),
    ]
    search = search_known([f"{float(value):.4f}"], measure, data, depth=SearchDepth.NAMED)
    returned = {sides[place].name: Returned(f"{sides[place].name} 1.2", Fraction(value))}
    both = LibrariesRun(search.values, sides, returned)
    page = libraries_answer(search, both, ["score"])
    start, *steps, end = page.rows
    assert (start, end)[place].name == f"{float(value):.4f}"
    assert float(start.name) + sum(float(each.name) for each in steps) == pytest.approx(float(end.name))
    assert [label for label, _ in page.following] == ["To get 0.5000"]
    # And it is where the number comes from, before what luck would find.
    assert not search.is_explained
    assert f"{sides[place].name} 1.2" in numbers_answer(search, libraries_run=both).headline
    # Of two numbers that others give it is said where the library returns neither.
    explained = search_known(["0.5000", "0.2000"], measure, data)
    assert explained.is_explained
    assert f"{sides[place].name} 1.2" in numbers_answer(explained, libraries_run=both).headline


def test_numbers_of_several_measures_are_each_told_where_none_was_named():
    data = drawn(Random(7))
    numbers = [f"{to_double(exact_on(parse_measure(text), data, DEFAULT)):.9f}" for text in ("AP", "nDCG@10")]
    first, *others = str(rankspec_package.why(*map(float, numbers), data.qrels, data.run)).splitlines()
    assert 0 <= first.index(numbers[0][:8]) < first.index(numbers[1][:8]) < first.index("nDCG@10")
    stated = str(rankspec_package.why(*map(float, numbers), data.qrels, data.run, measure="AP"))
    assert numbers[1] in stated.splitlines()[0]
    assert "nDCG@10" in stated.partition("\n\n")[0]
    assert numbers[0][:6] in "".join({*stated.splitlines()} - {first, *others})  # what was asked for is that


@pytest.mark.parametrize("count", sizes(10, 30))
def test_a_number_that_takes_several_rules_is_looked_for_at_other_cutoffs_too(count):
    measure, other, doubted = parse_measure("nDCG@3"), parse_measure("nDCG@5"), 0
    for seed in range(count):
        data = drawn(Random(seed))
        number = f"{to_double(exact_on(other, data, DEFAULT)):.3f}"
        search, elsewhere = search_likely([number], measure, data)
        if search.is_explained and search.changes(search.resolutions[0]) > 1:
            doubted += 1
            assert [each.number for each in elsewhere] == [number]
    assert doubted


@pytest.mark.parametrize(("labels", "count"), [((1, 0, 1), 5), ((0, 1, 1, 0), 3), ((1, 1, 0), 4)])
def test_more_relevant_documents_than_a_list_has_are_thought_of_before_unusual_rules(labels, count):
    """Two numbers, of R and of min(R, k), by hand: one count gives both, where R of the list gives neither."""
    hits = [place for place, label in enumerate(labels, start=1) if label]
    total = sum(Fraction(number, place) for number, place in enumerate(hits, start=1))
    k = len(labels)
    numbers = [f"{float(total / divisor):.6f}" for divisor in (count, min(count, k))]
    data = data_of({"relevance": list(labels), "num_relevant": None}, 1)
    search, (fuller,) = search_likely(numbers, Measure("AP", k), data, is_relevant_count_stated=False)
    assert search is fuller.search
    assert search.is_explained
    assert fuller.num_relevant == count


@given(st.integers(1, 9), st.integers(1, 99))
def test_only_three_digits_and_more_may_have_been_cut_off(first, more):
    value = Fraction(first, 10) + Fraction(99, 1000) + Fraction(more, 100_000)  # is rounded up by one digit and by two
    total = Total((), float(value), value)
    for digits in range(1, 5):
        text = f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"
        matching = matching_of(read_number(text))
        matching.offer(parse_measure("AP"), total)
        is_rounded = read_number(text).agreement_of(value) is Agreement.ROUNDED
        assert bool(matching.matches) is (is_rounded or digits >= 3)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("nDCG@3", "gain=exponential, ideal=retrieved, missing_query=skip, ties=docno-ascending"),
        ("AP@3", "denominator=retrieved-relevant, missing_query=skip, no_relevant=skip, ties=docno-descending"),
        ("R@2", "recall_denominator=min-relevant-cutoff, missing_query=skip, no_relevant=one, ties=docno-ascending"),
    ],
)
def test_rules_that_people_follow_are_tried_all_together(text, settings):
    data, measure, own = drawn(Random(7), queries=20), parse_measure(text), parse_convention(f"default[{settings}]")
    number = f"{to_double(exact_on(measure, data, own)):.9f}"
    (resolution,) = search_known([number], measure, data).resolutions
    assert own in {each.convention for each in resolution.explanations}


def test_rules_that_mean_nothing_alone_change_together():
    data = drawn(Random(3))
    first, second = DEFAULT, parse_convention("default[ties=grouped, missing_query=skip]")

    class OnlyEnds(MeasureValues):
        def under(self, convention):
            return super().under(convention) if convention in {first, second} else None

    (step,) = walk(OnlyEnds(parse_measure("AP"), data), first, second)
    assert {*step.axes} == {"ties", "missing_query"}
    assert step.value == pytest.approx(to_double(exact_on(parse_measure("AP"), data, second)))


def test_only_what_the_data_shows_differs_and_one_query_is_no_part():
    grouped, measure = parse_convention("default[ties=grouped]"), parse_measure("AP")
    for scores, axes in ((("2", "1"), ()), (("1", "1"), ("ties",))):
        run = Run.of({"q": [("a", int(scores[0])), ("b", int(scores[1]))]})
        values = MeasureValues(measure, Data(Qrels.of({"q": {"b": 1}}), run))
        assert differing_axes(values, DEFAULT, grouped) == axes
        assert largest_share(values, DEFAULT, grouped) is None


def test_two_digits_are_found_by_luck_where_much_is_tried(rankspec, tmp_path):
    data = drawn(Random(7), queries=2)
    files, number = written(data, tmp_path), to_double(exact_on(parse_measure("P@5"), data, DEFAULT))
    # P@5 comes after many measures and cutoffs: six digits are enough to be P@5, two are not.
    whole, short = (json.loads(rankspec("why", f"{number:.{digits}f}", *files, "--json").out) for digits in (7, 1))
    assert whole["found"]["measure"] == "P@5"
    assert short["found"]["measure"] == "AP"


def test_no_mean_over_orders_of_long_pooled_ties_is_tried_that_nobody_follows(monkeypatch):
    """Each of these takes half a minute on files of fifty queries; what is short is tried."""
    documents = [f"d{place}" for place in range(40)]
    tried = []
    of_values = MeasureValues.under

    def under(self, convention):
        tried.append((self.data.longest, str(convention.aggregate), str(convention.ties)))
        return of_values(self, convention) if self.data.longest < len(documents) else None

    monkeypatch.setattr(MeasureValues, "under", under)
    for length, queries in ((40, 20), (3, 2)):
        run = {f"q{query}": [(each, 1) for each in documents[:length]] for query in range(queries)}
        data = Data(Qrels.of({query: dict.fromkeys(documents[:2], 1) for query in run}), Run.of(run))
        search_known(["0.123456"], parse_measure("AP"), data)
    dear = {length for length, aggregate, ties in tried if (aggregate, ties) == ("micro", "expected")}
    assert dear == {3}

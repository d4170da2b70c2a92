"""Lists that are put in order once equal those that the oracle orders each time; whole numbers stand for scores."""

from hypothesis import assume, given
from hypothesis import strategies as st
from oracle_strategies import conventions, inputs
from rankspec.oracle import Measure, Qrels, Run, UndefinedValueError
from rankspec.oracle.conventions.axes import ScorePrecision
from rankspec.oracle.data.run import as_float32, as_float64
from rankspec.oracle.measures.gain import worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import uncut_lists
from rankspec.oracle.sweeps.lists import QueryLists
from rankspec.oracle.sweeps.space import Data

MEASURES = st.builds(lambda rel: Measure("AP", rel=rel), st.integers(1, 2))


def lists_or_error(make):
    try:
        return list(make())
    except UndefinedValueError as error:
        return str(error)


@given(MEASURES, inputs(), conventions())
def test_every_list_is_the_oracle_s(measure, data, convention):
    given_data = Data(Qrels.of(data[0]), Run.of(data[1]))
    holding = measure.under(convention)
    for query in given_data.qrels:
        documents, grades = given_data.run.documents(query), given_data.qrels.grades(query)

        def reference(query=query, documents=documents, grades=grades):
            ranking = ranking_of(query, documents, grades, holding, worth_of(measure, holding))
            yield from uncut_lists(ranking.binary(measure.rel), holding)

        lists = QueryLists(given_data, query, measure)
        assert lists_or_error(lambda lists=lists: lists.uncut(holding)) == lists_or_error(reference)
        assert lists.relevant == sum(grade >= measure.rel for grade in grades.values())


SCORES = st.sampled_from(
    [0, 1, -1, 0.1, 2.5, 1e30, float("inf"), "0.1", "1/3", "0.1000000001", "1e400", "-1e400", "-inf"]
)


@given(st.lists(st.lists(SCORES, max_size=4), min_size=1, max_size=3))
def test_whole_numbers_compare_as_the_rounded_scores_do(lists):
    run = Run.of({f"q{place}": [(f"d{n}", score) for n, score in enumerate(each)] for place, each in enumerate(lists)})
    data = Data(Qrels.of({}), run)
    given_scores = [document.score for listed in data.lists for document in listed]
    assume(given_scores)
    rounds = {ScorePrecision.EXACT: as_is, ScorePrecision.FLOAT64: as_float64, ScorePrecision.FLOAT32: as_float32}
    for precision, compared in data.compared.items():
        whole = [document.score for query in compared for document in compared.documents(query)]
        rounded = [rounds[precision](score) for score in given_scores]
        for one, other in zip(whole, rounded, strict=True):
            for another, further in zip(whole, rounded, strict=True):
                assert (one < another, one == another) == (other < further, other == further)


def as_is(score):
    return score

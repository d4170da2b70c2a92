"""Of two runs the headline names first the one that the test favours, whatever the values beside it say."""

from fractions import Fraction

import pytest
from rankspec.conformance.answers.compare import compare_answer
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.scoring.significance.comparing import Plan, compare_runs

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

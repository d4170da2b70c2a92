"""Compare the oracle under trec_eval-9.0.8 with pytrec_eval on generated qrels and runs, measure by measure.

    python benchmarks/agreement_with_pytrec_eval.py [PAIRS] [SEED]

Every pair has ties, unjudged documents, negative grades and queries on one side alone; scores that only singles confuse
come up too. A value agrees if it lies within the bound that `conformance.judge.bounds` proves. Queries whose judgements
are all negative are left out: pytrec_eval 0.5.11 reads outside its arrays on them (it crashes or hangs).
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from fractions import Fraction

from pytrec_eval import RelevanceEvaluator
from rankspec.conformance.judge.agreement import UNIT_FLOAT64, forward_error
from rankspec.conformance.questions.expectation import expected
from rankspec.oracle import Qrels, Run, evaluate_many, parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.values import Undefined

ASKED = {
    "map",
    "map_cut.1,3,10",
    "P.1,5,20",
    "recall.1,5,20",
    "success.1,5",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
    "11pt_avg",
    "set_P",
    "set_recall",
    "set_relative_P",
    "set_F",
    "set_map",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "num_nonrel_judged_ret",
    "ndcg",
    "ndcg_cut.5",
    "iprec_at_recall",
}
SCORES = [0.0, 1.0, 1.0000000001, 2.0, 2.5, 16777216.0, 16777217.0, -1.0, 1e39, 1e40]


def pair(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Draw qrels and a run of up to four queries and fifteen documents each."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(rng.randint(1, 4)):
        docnos = [f"d{place}" for place in range(rng.randint(1, 15))]
        judged = {docno: rng.choice([-2, -1, 0, 0, 1, 1, 2, 3]) for docno in docnos if rng.random() < 0.8}
        if max(judged.values(), default=-1) < 0:
            judged["z"] = 0
        side = rng.random()
        if side > 0.1:
            qrels[f"q{number}"] = judged
        if side < 0.9:
            run[f"q{number}"] = {docno: rng.choice(SCORES) for docno in docnos if rng.random() < 0.8} or {"d0": 1.0}
    return qrels, run


def main(pairs: int = 20_000, seed: int = 1) -> int:
    """Print, for every measure, values compared, disagreements and the largest error in units of roundoff."""
    rng = random.Random(seed)
    convention = parse_convention("trec_eval-9.0.8")
    rows = RelevanceEvaluator({"q": {"d": 1}}, ASKED).evaluate({"q": {"d": 1.0}})["q"]
    measures = {name: named_measure(name) for name in sorted(rows)}
    compared: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    worst: dict[str, float] = dict.fromkeys(measures, 0.0)
    start = time.perf_counter()
    for _ in range(pairs):
        qrels, run = pair(rng)
        answers = RelevanceEvaluator(qrels, ASKED).evaluate(run)
        evaluated = evaluate_many(measures.values(), Qrels.of(qrels), Run.of(run), convention)
        for name, measure in measures.items():
            roundings = expected(measure, Qrels.of(qrels), Run.of(run), convention).roundings
            values = evaluated[measure].exact_per_query
            if values.keys() != answers.keys():
                outside[name] += 1
                print(f"{measure}: other queries: {qrels} {run}")
            for query, exact in values.items():
                if isinstance(exact, Undefined):
                    raise TypeError(f"{measure}: undefined under trec_eval-9.0.8")
                value = enclosing_fraction(exact)
                error = abs(Fraction(answers[query][name]) - value)
                # infAP's epsilon is the double nearest to 1/100000: it moves the value by less than a unit of roundoff.
                bound = forward_error(roundings, value, UNIT_FLOAT64)
                compared[name] += 1
                worst[name] = max(worst[name], float(error / UNIT_FLOAT64))
                if error > bound:
                    outside[name] += 1
                    print(f"{measure}: {answers[query][name]!r}, exactly {exact}: {qrels[query]} {run[query]}")
    print(f"{pairs} pairs, seed {seed}, {time.perf_counter() - start:.0f} s")
    for name, measure in measures.items():
        print(
            f"{measure!s:24} {compared[name]:8} values  {outside[name]} outside  largest error {worst[name]:.1f} units"
        )
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))

"""Random lists for the batch's tests: graded, partly judged, of every density, as labels and as qrels and runs."""

from typing import NamedTuple

import numpy as np
from campaign import seeded
from rankspec.oracle import DEFAULT, UNJUDGED, Judged, Qrels, lists_of_labels
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.evaluator import in_order


def random_batch(seed, queries, longest):
    """Return lists and the same as qrels and a run."""
    source = np.random.default_rng(seeded(seed))
    sizes = source.integers(0, longest + 1, queries)
    labels, grades, starts, qrels, run = [], [], [0], {}, {}
    for query, size in enumerate(sizes.tolist()):
        share = source.random() ** 3
        drawn = np.where(
            source.random(size) < share,
            source.integers(1, 4, size),
            source.choice([-2, -1, 0, 0, 0, UNJUDGED, UNJUDGED], size),
        )
        missed = source.integers(-1, 4, source.integers(0, 6))
        named = f"q{query}"
        run[named] = [(f"d{place}", -place) for place in range(size)]
        qrels[named] = {f"d{place}": grade for place, grade in enumerate(drawn.tolist()) if grade != UNJUDGED}
        qrels[named] |= {f"m{place}": grade for place, grade in enumerate(missed.tolist())}
        labels.append(drawn)
        grades.append(np.array(list(qrels[named].values()), np.int64))
        starts.append(starts[-1] + len(qrels[named]))
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    flat = np.concatenate(labels) if labels else np.zeros(0, np.int64)
    judged = Judged(Segments(np.array(starts)), np.concatenate(grades) if grades else np.zeros(0, np.int64))
    return lists_of_labels(flat, offsets, judged=judged), qrels, run


class Scored(NamedTuple):
    """Scores and labels of many queries' documents, and the grades of relevant ones that each query lacks."""

    scores: np.ndarray
    labels: np.ndarray
    offsets: np.ndarray
    missing: tuple[int, ...] = ()

    def values(self, measure, convention=DEFAULT):
        """Return the values of a measure, by dictionaries."""
        qrels, run = {}, {}
        for query, (start, end) in enumerate(zip(self.offsets[:-1], self.offsets[1:], strict=True)):
            names = [f"d{place}" for place in range(end - start)]
            run[str(query)] = dict(zip(names, self.scores[start:end].tolist(), strict=True))
            labels = zip(names, self.labels[start:end].tolist(), strict=True)
            missing = self.missing[query] if self.missing else 0
            qrels[str(query)] = {name: label for name, label in labels if label != UNJUDGED}
            qrels[str(query)] |= {f"m{place}": 1 for place in range(missing)}
        return values_of_dicts(measure, Qrels.of(qrels), run, convention)


def values_of_dicts(measure, qrels, run, convention):
    """Return the certified values of a run of dictionaries, queries without documents among them."""
    product = product_of_dicts(qrels, run, in_order([measure], convention))
    return score_product(measure, product, convention).values


def random_scored(seed, queries, longest):
    """Return qrels and a run with few different scores, in no order."""
    source = np.random.default_rng(seeded(seed))
    qrels, run = {}, {}
    for query in range(queries):
        size = int(source.integers(0, longest + 1))
        levels = source.choice([2, 4, 50])
        drawn = source.choice([-1, 0, 0, 1, 1, 2, UNJUDGED, UNJUDGED], size)
        score = source.integers(0, levels, size) / 7 + source.choice([0, 1e-12], size)
        names = [f"d{number}" for number in source.permutation(size)]
        named = f"q{query}"
        run[named] = list(zip(names, score.tolist(), strict=True))
        qrels[named] = {name: grade for name, grade in zip(names, drawn.tolist(), strict=True) if grade != UNJUDGED}
        qrels[named] |= {f"m{place}": grade for place, grade in enumerate(source.integers(-1, 3, 2).tolist())}
    return qrels, run

"""Random lists for the batch's tests: graded, partly judged, of every density, as labels and as qrels and runs."""

import numpy as np
from campaign import seeded
from rankspec.oracle import UNJUDGED, Judged, Scored, lists_of_labels
from rankspec.oracle.scoring.batch.fixed import Segments


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


def random_scored(seed, queries, longest):
    """Return documents with few different scores, in no order, and the same as qrels and a run."""
    source = np.random.default_rng(seeded(seed))
    scores, labels, docnos, sizes, grades, starts = [], [], [], [], [], [0]
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
        scores.append(score)
        labels.append(drawn)
        docnos += names
        sizes.append(size)
        grades += qrels[named].values()
        starts.append(len(grades))
    judged = Judged(Segments(np.array(starts)), np.array(grades, np.int64))
    flat = np.concatenate(scores), np.concatenate(labels), np.concatenate(([0], np.cumsum(sizes)))
    return Scored(*flat, np.array(docnos, "U8"), judged=judged), qrels, run

"""Random judged runs of a few queries: graded or binary, partly judged, with ties and odd queries, with subtopics."""

from __future__ import annotations

import random

from rankspec.oracle import Qrels, Run

Grade = int | dict[str, int]

_SCALES = ((0, 1), (0, 1, 2, 3, 4), (-2, -1, 0, 1, 2))
_SCORES = (
    (5.0, 4.0, 3.0, 2.0, 1.0, 0.5),
    (2.0, 2.0, 1.0, 1.0, 0.0),
    (3.0, 1.0, -1.0, -2.0),
    (0.1, 0.2, 0.3, 16777217.0),
)
_SUBTOPICS = ("s1", "s2", "s3")


def judged_run(seed: int, *, by_subtopic: bool, odd_queries: bool = True) -> tuple[Qrels, Run]:
    """Return qrels and a run of up to three queries and six documents each; a document stands once in a list.

    Args:
        seed: decides everything.
        by_subtopic: documents are judged for up to three subtopics.
        odd_queries: a query may be on one side alone, or have no documents or no judgements.
    """
    source = random.Random(seed)
    scale, scores = source.choice(_SCALES), source.choice(_SCORES)
    judged_share = source.choice((1.0, 0.6))

    def grade() -> Grade:
        if not by_subtopic:
            return source.choice(scale)
        return {name: source.choice(scale) for name in source.sample(_SUBTOPICS, source.randint(1, 3))}

    qrels: dict[str, dict[str, Grade]] = {}
    run: dict[str, list[tuple[str, float]]] = {}
    for query in ("q1", "q2", "q3")[: source.randint(1, 3)]:
        names = source.sample("abcdefgh", source.randint(1, 6))
        missed = source.sample("vwx", source.choice((0, 0, 1, 2)))
        qrels[query] = {name: grade() for name in names if source.random() < judged_share}
        qrels[query] |= {name: grade() for name in missed or names[:1]}
        run[query] = [(name, source.choice(scores)) for name in names]
        if odd_queries and source.random() < 0.1:
            side: dict[str, list[tuple[str, float]]] | dict[str, dict[str, Grade]] = source.choice((qrels, run))
            source.choice((side.pop, lambda each, side=side: side[each].clear()))(query)  # type: ignore[misc]
    if not qrels:
        return judged_run(seed + 10**6, by_subtopic=by_subtopic, odd_queries=odd_queries)
    return Qrels.of(qrels), Run.of(run)  # type: ignore[arg-type]

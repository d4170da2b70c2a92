"""pycocotools: `COCOeval` of one image, whose boxes are the documents, from qrels and a run; a category is a query."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

from rankspec.conformance.implementations.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def average_precision(qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    """Give each document a box of its own, so that what is detected overlaps with itself alone; AP at IoU 0.5."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    values: dict[str, float] = {}
    for query, graded in qrels.items():
        places = {docno: place for place, docno in enumerate(dict.fromkeys((*graded, *run.get(query, {}))))}
        boxes = {docno: [100 * place, 0, 50, 50] for docno, place in places.items()}
        objects = [
            {"id": i, "image_id": 1, "category_id": 1, "bbox": boxes[docno], "area": 2500, "iscrowd": 0}
            for i, docno in enumerate((docno for docno, grade in graded.items() if grade >= rel), 1)
        ]
        found = [
            {"image_id": 1, "category_id": 1, "bbox": boxes[docno], "score": score}
            for docno, score in run.get(query, {}).items()
        ]
        with redirect_stdout(StringIO()):
            truth = COCO()
            truth.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": objects}
            truth.createIndex()
            evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        values[query] = float(evaluation.stats[1])
    return values


ADAPTER = Adapter(
    name="pycocotools",
    distribution="pycocotools",
    shape="qrels-run",
    convention="default",
    measures={"AP": average_precision},
)

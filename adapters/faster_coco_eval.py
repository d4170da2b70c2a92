"""faster-coco-eval: `COCOeval_faster` of one image, whose boxes are the documents; a category is a query."""

from __future__ import annotations

from rankspec.conformance.implementations.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def average_precision(qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    """Give each document a box of its own, so that what is detected overlaps with itself alone; AP at IoU 0.5."""
    from faster_coco_eval import COCO, COCOeval_faster

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
        truth = COCO({"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": objects})
        evaluation = COCOeval_faster(truth, truth.loadRes(found), "bbox", print_function=lambda *_: None)
        evaluation.run()
        values[query] = float(evaluation.stats[1])
    return values


ADAPTER = Adapter(
    name="faster_coco_eval",
    distribution="faster-coco-eval",
    shape="qrels-run",
    convention="default",
    measures={"AP": average_precision},
)

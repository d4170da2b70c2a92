"""What the adapters of COCO's evaluation share: one image, whose categories are the queries and boxes the documents."""

from typing import Any

from rankspec.conformance.worker.adapter import Qrels, Run


def truth_of(qrels: Qrels, rel: int) -> dict[str, list[dict[str, Any]]]:
    """Make the truth: a box a relevant document, which overlaps with no other's."""
    objects = [
        {"image_id": 1, "category_id": category, "bbox": _box(place), "area": 2500, "iscrowd": 0}
        for category, graded in enumerate(qrels.values(), 1)
        for place, grade in enumerate(graded.values())
        if grade >= rel
    ]
    return {
        "images": [{"id": 1}],
        "categories": [{"id": category} for category in range(1, len(qrels) + 1)],
        "annotations": [{"id": number, **each} for number, each in enumerate(objects, 1)],
    }


def boxes_of(qrels: Qrels, run: Run) -> list[dict[str, Any]]:
    """Make what was detected: the same boxes for the same documents, those that nobody judged further on."""
    detections = []
    for category, (query, graded) in enumerate(qrels.items(), 1):
        places = {docno: place for place, docno in enumerate(dict.fromkeys((*graded, *run.get(query, {}))))}
        detections += [
            {"image_id": 1, "category_id": category, "bbox": _box(places[docno]), "score": score}
            for docno, score in run.get(query, {}).items()
        ]
    return detections


def _box(place: int) -> list[int]:
    return [100 * place, 0, 50, 50]

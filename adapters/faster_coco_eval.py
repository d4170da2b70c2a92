"""faster-coco-eval: `COCOeval_faster` of one image, whose categories are the queries; it returns the mean."""

from rankspec.adapters._coco import boxes_of, truth_of
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def average_precision(qrels: Qrels, run: Run, rel: int = 1) -> float:
    """Evaluate, and read the mean AP at IoU 0.5 of what it summarizes."""
    from faster_coco_eval import COCO, COCOeval_faster

    truth = COCO(truth_of(qrels, rel))
    evaluation = COCOeval_faster(truth, truth.loadRes(boxes_of(qrels, run)), "bbox", print_function=lambda *_: None)
    evaluation.run()
    return float(evaluation.stats[1])


ADAPTER = Adapter(name="faster_coco_eval", shape="qrels-run", measures={"AP": average_precision})

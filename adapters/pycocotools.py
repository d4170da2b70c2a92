"""pycocotools: `COCOeval` of one image, whose categories are the queries and boxes the documents; a mean comes back."""

from contextlib import redirect_stdout
from io import StringIO

from rankspec.adapters._coco import boxes_of, truth_of
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def average_precision(qrels: Qrels, run: Run, rel: int = 1) -> float:
    """Evaluate, and read the mean AP at IoU 0.5 of what it summarizes."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with redirect_stdout(StringIO()):
        truth = COCO()
        truth.dataset = truth_of(qrels, rel)
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(boxes_of(qrels, run)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return float(evaluation.stats[1])


ADAPTER = Adapter(name="pycocotools", shape="qrels-run", measures={"AP": average_precision})

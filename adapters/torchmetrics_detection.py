"""torchmetrics: `MeanAveragePrecision` of one image, whose classes are the queries, at `iou_thresholds=[0.5]`."""

from __future__ import annotations

from importlib import import_module

from rankspec.adapters._coco import Qrels, Run, found_of, truth_of
from rankspec.conformance.worker.adapter import Adapter


def average_precision(qrels: Qrels, run: Run, rel: int = 1) -> object:
    """Update with one image, and read the mean AP at IoU 0.5."""
    import torch
    from numpy import float32
    from torchmetrics.detection import MeanAveragePrecision

    true, found = truth_of(qrels, rel)["annotations"], found_of(qrels, run)
    target, predicted = (
        {
            "boxes": torch.tensor([each["bbox"] for each in boxes], dtype=torch.float).reshape(-1, 4),
            "labels": torch.tensor([each["category_id"] for each in boxes], dtype=torch.long),
            "scores": torch.tensor([each.get("score", 0.0) for each in boxes], dtype=torch.float),
        }
        for boxes in (true, found)
    )
    metric = MeanAveragePrecision(box_format="xywh", iou_thresholds=[0.5])
    metric.update([predicted], [target])
    return float32(metric.compute()["map_50"].item())


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("torchmetrics.detection")


ADAPTER = Adapter(
    name="torchmetrics_detection",
    distribution="torchmetrics",
    shape="qrels-run",
    convention="default",
    measures={"AP": average_precision},
    prepare=prepare,
    requires=("numpy", "pycocotools"),
    extra="torchmetrics",
)

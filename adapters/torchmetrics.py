"""torchmetrics: the functions of `functional.retrieval` for one query, from labels and scores; they return singles."""

from functools import partial
from typing import Any

from rankspec.adapters._coco import boxes_of, truth_of
from rankspec.conformance.worker.adapter import Adapter, Labels, Qrels, Run, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int | None = None) -> object:
    # Its AP had no cutoff before 1.0.
    return _called(f"retrieval_{name}", y_true, y_score, **({} if k is None else {"top_k": k}))


def _called(name: str, y_true: Labels, y_score: Scores, **options: int | None) -> object:
    """Call a function as its documentation does: tensors, whose scores are singles."""
    import torch
    from numpy import float32
    from torchmetrics.functional import classification, retrieval

    function = getattr(retrieval if name.startswith("retrieval") else classification, name)
    return float32(function(torch.tensor(y_score), torch.tensor(y_true), **options).item())


def _of_queries(action: str, name: str, y_true: object, y_score: object, k: int | None = None) -> object:
    """Update a metric with the documents of all queries, a row each, and read the mean."""
    import torch
    from numpy import float32
    from torchmetrics import retrieval

    target, scores = torch.tensor(y_true), torch.tensor(y_score, dtype=torch.float)
    queries = torch.arange(len(target)).unsqueeze(1).expand(target.shape)
    metric = getattr(retrieval, name)(empty_target_action=action, top_k=k)
    return float32(metric(scores.flatten(), target.flatten(), indexes=queries.flatten()).item())


def mean_average_precision(qrels: Qrels, run: Run, rel: int = 1) -> object:
    """Update with one image, and read the mean AP at IoU 0.5."""
    import torch
    from numpy import float32
    from torchmetrics.detection import MeanAveragePrecision

    true, detections = truth_of(qrels, rel)["annotations"], boxes_of(qrels, run)
    target, predicted = (
        {
            "boxes": torch.tensor([each["bbox"] for each in boxes], dtype=torch.float).reshape(-1, 4),
            "labels": torch.tensor([each["category_id"] for each in boxes], dtype=torch.long),
            "scores": torch.tensor([each.get("score", 0.0) for each in boxes], dtype=torch.float),
        }
        for boxes in (true, detections)
    )
    metric = MeanAveragePrecision(box_format="xywh", iou_thresholds=[0.5])
    metric.update([predicted], [target])
    return float32(metric.compute()["map_50"].item())


_LARGE = {"startup_seconds": 120, "wheels_only": ("numpy", "torch")}  # torch
_adapter: Any = partial(Adapter, distribution="torchmetrics", requires=("numpy",))
ADAPTERS = (
    _adapter(
        name="torchmetrics",
        shape="labels-scores",
        convention="torchmetrics",
        call=_evaluate,
        measures={"AP": "average_precision", "RR": "reciprocal_rank", "P": "precision", "R": "recall"}
        | {"Rprec": partial(_called, "retrieval_r_precision"), "Success": "hit_rate"},
        **_LARGE,
    ),
    _adapter(
        name="torchmetrics_ndcg",
        about="torchmetrics: `retrieval_normalized_dcg` of one query, from labels and scores; it returns a single",
        shape="labels-scores",
        convention="torchmetrics_ndcg",
        call=_evaluate,
        measures={"nDCG": "normalized_dcg"},
        **_LARGE,
    ),
    _adapter(
        name="torchmetrics_classification",
        about="torchmetrics: `binary_average_precision` of one query, from labels and scores; it returns a single",
        shape="labels-scores",
        convention="default[score_precision=float32, ties=grouped]",
        measures={"AP": partial(_called, "binary_average_precision")},
        imports="torchmetrics.functional.classification",
    ),
    _adapter(
        name="torchmetrics_detection",
        about="torchmetrics: `MeanAveragePrecision` of one image, whose classes are the queries, "
        "at `iou_thresholds=[0.5]`",
        shape="qrels-run",
        measures={"AP": mean_average_precision},
        imports="torchmetrics.detection",
        requires=("numpy", "pycocotools", "torchvision"),
        extra="torchmetrics_detection",
    ),
    *(
        _adapter(
            name=f"torchmetrics_queries_{action}",
            about="torchmetrics: the classes of `retrieval`, the mean over queries whose lists are of one length, "
            f"with `empty_target_action='{action}'`; they return singles",
            shape="matrices",
            convention=f"torchmetrics[{rules}]",
            call=partial(_of_queries, action),
            measures={"AP": "RetrievalMAP", "RR": "RetrievalMRR", "P": "RetrievalPrecision"}
            | {"R": "RetrievalRecall", "Success": "RetrievalHitRate"},
            **_LARGE,
            extra="torchmetrics",
        )
        for action, rules in (
            ("neg", "no_relevant=zero"),
            ("pos", "no_relevant=one"),
            ("skip", "empty_mean=zero, no_relevant=skip"),
        )
    ),
)

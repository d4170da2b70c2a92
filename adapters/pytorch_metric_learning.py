"""pytorch-metric-learning: `accuracy_calculator` on one query, from labels in rank order; AP@R with `at_r=True`."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Labels


def _evaluate(name: str, relevance: Labels, num_relevant: int, **how: bool) -> float:
    """Ask for a function: of the neighbours' labels, the query's own, and how often that one stands."""
    import torch
    from pytorch_metric_learning.utils import accuracy_calculator

    return getattr(accuracy_calculator, name)(
        knn_labels=torch.tensor([relevance]),
        gt_labels=torch.tensor([[1]]),
        ref_includes_query=False,
        label_counts=(torch.tensor([1]), torch.tensor([num_relevant])),
        avg_of_avgs=False,
        return_per_class=False,
        label_comparison_fn=accuracy_calculator.EQUALITY,
        **how,
    )


ADAPTER = Adapter(
    name="pytorch_metric_learning",
    shape="ranking",
    convention="default[no_relevant=nan]",
    measures={
        "AP": partial(_evaluate, "mean_average_precision"),
        "AP@R": partial(_evaluate, "mean_average_precision", at_r=True),
        "Rprec": partial(_evaluate, "r_precision"),
    },
    imports="pytorch_metric_learning.utils.accuracy_calculator",
)

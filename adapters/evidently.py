"""Evidently: the ranking metrics of a report on one user, from labels and scores."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    """Run a report and read the value at rank k of the table that it gives."""
    import pandas as pd
    from evidently import DataDefinition, Dataset, Recsys, Report, metrics

    items = [f"d{place}" for place in range(len(y_true))]
    columns = {"user_id": ["u"] * len(items), "item_id": items, "target": y_true, "prediction": y_score}
    roles = Recsys(user_id="user_id", item_id="item_id", target="target", prediction="prediction")
    definition = DataDefinition(
        ranking=[roles], numerical_columns=["target", "prediction"], categorical_columns=["user_id", "item_id"]
    )
    data = Dataset.from_pandas(pd.DataFrame(columns), data_definition=definition)
    report = Report([getattr(metrics, name)(k=k)]).run(data, None)
    table = next(iter(report.metric_results.values())).value.set_index("rank")["value"]
    return float(table[k])


ADAPTER = Adapter(
    name="evidently",
    shape="labels-scores",
    call=_evaluate,
    measures={"AP": "MAP", "P": "PrecisionTopK", "R": "RecallTopK", "RR": "MRR", "nDCG": "NDCG", "Success": "HitRate"},
    imports="evidently.metrics",
    requires=("pandas<3",),
)

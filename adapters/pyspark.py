"""PySpark: `RankingMetrics` of the queries that are in both, in a local session; it returns the mean."""

from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask for `meanAveragePrecisionAt`, ..."""
    return getattr(_metrics(actual, predicted), name)(k)


def average_precision(actual: Ids, predicted: Ids, k: int | None = None) -> float:
    """Ask for `meanAveragePrecision`, or for it at a cutoff."""
    metrics = _metrics(actual, predicted)
    return metrics.meanAveragePrecision if k is None else metrics.meanAveragePrecisionAt(k)


def _metrics(actual: Ids, predicted: Ids) -> Any:
    from pyspark.mllib.evaluation import RankingMetrics

    return RankingMetrics(_session().sparkContext.parallelize([(predicted, actual)], 1))


def _session() -> Any:
    """Start a session, which takes seconds, or return the one that stays for the calls."""
    from pyspark.sql import SparkSession

    options = {"spark.ui.enabled": "false", "spark.driver.host": "localhost", "spark.log.level": "OFF"}
    builder = SparkSession.builder.master("local[1]")
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


ADAPTER = Adapter(
    name="pyspark",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=counted]",
    call=_evaluate,
    measures={"AP": average_precision, "P": "precisionAt", "R": "recallAt", "nDCG": "ndcgAt"},
    prepare=_session,
    requires=("numpy", "pandas"),
)

"""What runs of pytest with rankspec's plugin need: how it is loaded, and a small module of metrics."""

from importlib.metadata import entry_points

PLUGIN = "rankspec.conformance.pytest_plugin.plugin"
IS_REGISTERED = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
LOADING = () if IS_REGISTERED else ("-p", PLUGIN)

METRICS = '''
def right(relevance, num_relevant, k=None):
    """The mean over the relevant documents of the precision at each hit."""
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance[:k], start=1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0


def kaggle(actual, predicted, k=10):
    hits, total = 0, 0.0
    for rank, docno in enumerate(predicted[:k], start=1):
        if docno in actual and docno not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(actual), k) if actual else 0.0


def divides_by_k(relevance, num_relevant, k):
    return right(relevance, num_relevant, k) * num_relevant / k


def of_hits(relevance, num_relevant, k=None):
    return right(relevance, sum(relevance[:k]), k)


def no_shape(a, b):
    return 0.5
'''

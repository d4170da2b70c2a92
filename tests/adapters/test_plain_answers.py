"""Every adapter, on the plainest list there is: it imports nothing until it is called, and hands the list over rightly.

What a library follows is measured elsewhere. Here ties, gaps and empty lists are absent, so that all conventions of
average precision agree, but for those of another area under the curve.
"""

import ast
import math
import sys
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from pathlib import Path

import pytest
from campaign import OF_RANX, of_every
from rankspec.adapters import _coco, pytrec_eval
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.worker.loading import built_in

FOLDER = Path(__file__).parents[2] / "adapters"
ADAPTERS = known_adapters()
# Relevant, not, relevant: precision 1 at recall 1/2, and 2/3 at recall 1.
ARGUMENTS = {
    "ranking": {"relevance": [1, 0, 1], "num_relevant": 2},
    "labels-scores": {"y_true": [1, 0, 1], "y_score": [0.875, 0.75, 0.5]},
    "matrices": {"y_true": [[1, 0, 1]], "y_score": [[0.875, 0.75, 0.5]]},
    "actual-predicted": {"actual": ["a", "c"], "predicted": ["a", "b", "c"]},
    "qrels-run": {"qrels": {"q": {"a": 1, "b": 0, "c": 1}}, "run": {"q": {"a": 0.875, "b": 0.75, "c": 0.5}}},
}
USUAL = Fraction(1, 2) * (1 + Fraction(2, 3))
# The 51 levels from 0 to 0.5 are worth 1, the 50 above are worth 2/3.
LEVELS = Fraction(1, 101) * (51 + 50 * Fraction(2, 3))
# To recall 1/2 the area is 1/2. From there it falls to 1/2 at the miss, as recall stands still, and rises to 2/3 at
# recall 1: a trapezoid.
TRAPEZOID = Fraction(1, 2) + Fraction(1, 2) * (Fraction(1, 2) + Fraction(2, 3)) / 2
# Davis and Goadrich (2006) interpolate counts: h hits beyond the first and the miss give precision (1 + h)/(2 + h) at
# recall (1 + h)/2, which is 1 - 1/(2 + h) over half of h from 0 to 1.
COUNTS = Fraction(1, 2) + (1 - math.log(3 / 2)) / 2
EXPECTED = {
    **dict.fromkeys(("pycocotools", "faster_coco_eval", "torchmetrics_detection"), LEVELS),
    "catboost_prauc": TRAPEZOID,
    "xgboost_aucpr": COUNTS,
}
OF_DOUBLES = {"catboost_prauc", "xgboost_aucpr"}
"""The others may compute in single precision."""


def average(values):
    return sum(values) / len(values)


@of_every(sorted(FOLDER.glob("*.py")))
def test_an_adapter_imports_no_library_until_it_is_called(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name.partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert imported <= {*sys.stdlib_module_names, "rankspec", "numpy"}


@of_every(ADAPTERS)
def test_an_adapter_says_what_it_is(name):
    adapter = built_in(name)
    assert adapter.name == name
    assert adapter.shape in ARGUMENTS
    assert adapter.measures


@pytest.mark.filterwarnings("ignore")  # what a library warns of while it compiles is its own affair
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=OF_RANX * ("ranx" in name)) for name in ADAPTERS if "AP" in built_in(name).measures],
)
def test_the_average_precision_of_a_plain_list_is_the_one_derived_by_hand(name):
    adapter = built_in(name)
    try:
        version(adapter.distribution)
    except PackageNotFoundError:
        pytest.skip(f"{adapter.distribution} is not installed")
    function = adapter.measures["AP"]
    parameters = signature(function).parameters
    arguments = {key: value for key, value in ARGUMENTS[adapter.shape].items() if key in parameters}
    if "k" in parameters and parameters["k"].default is parameters["k"].empty:
        arguments["k"] = 3
    if "expression" in parameters:
        arguments["expression"] = "AP"
    value = function(**arguments)
    value = average(value.values()) if isinstance(value, dict) else value
    assert float(value) == pytest.approx(float(EXPECTED.get(name, USUAL)), abs=1e-15 if name in OF_DOUBLES else 1e-5)


JUDGED = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}, "r": {"x": 1}}
LISTED = {"q": {"a": 0.9, "b": 0.8, "c": 0.7}, "r": {"x": 1.0}}


@pytest.mark.parametrize(
    ("measure", "given", "value"),
    [
        ("AP", {"k": 1}, 1 / 3),
        ("R", {"k": 1}, 1 / 3),
        ("nDCG", {"k": 1}, 1 / 2),
        ("P", {"k": 3, "rel": 2, "relative": True}, 1),  # one hit of the one that is due
        ("SetP", {"rel": 2, "relative": True}, 1),
        ("IPrec", {"recall": 0.36}, 1),  # floor(0.36 * 3 + 0.9) = 1 hit, where 0.4 needs two
    ],
)
def test_trec_eval_is_asked_for_what_is_meant(measure, given, value):
    pytest.importorskip("pytrec_eval")
    assert pytrec_eval.ADAPTER.measures[measure](JUDGED, LISTED, **given)["q"] == pytest.approx(value)


def test_trec_eval_s_geometric_mean_is_one_of_all_queries():
    """Average precision is (1 + 2/3)/3 = 5/9, and 1."""
    pytest.importorskip("pytrec_eval")
    assert pytrec_eval.ADAPTER.measures["GMAP"](JUDGED, LISTED) == pytest.approx(math.sqrt(5 / 9))


def test_boxes_overlap_where_documents_are_the_same():
    truth = _coco.truth_of(JUDGED, 1)["annotations"]
    found = _coco.boxes_of(JUDGED, {"q": {"u": 1.0, "c": 0.5, "a": 0.25}})
    places = [[each["bbox"] for each in boxes if each["category_id"] == 1] for boxes in (truth, found)]
    a, c, d = places[0]
    assert len({*map(tuple, (a, c, d))}) == 3
    assert places[1][1:] == [c, a]
    assert places[1][0] not in places[0]
    assert [each["category_id"] for each in truth] == [1, 1, 1, 2]

"""The convention of detections whose classes are the queries: each class is one list, and the value the mean over them.

Where an image is a query, `coco` and the `voc` profiles put the documents of all queries into one ranking. A file of
detections has that behind it: its queries are the classes.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import convention_text

_OF_CLASSES: Mapping[str, str] = {"coco": "coco-classes", "voc2007": "voc2007-classes", "voc2010": "voc2010-classes"}
"""The profile of one class, whose images are queries -> that of classes."""


def of_classes(convention: Convention, qrels: Qrels) -> Convention:
    """Return the convention that holds where the queries are classes.

    Raises:
        ConventionError: it would put the detections of several classes into one ranking.
    """
    for images, classes in _OF_CLASSES.items():
        if convention == PROFILES[images].convention:
            return PROFILES[classes].convention
    if convention.aggregate is Aggregate.MICRO and len(qrels.judgments) > 1:
        raise ConventionError(
            f"{convention_text(convention)} puts all queries into one ranking, and they are {len(qrels.judgments)} "
            "classes; start from coco-classes, voc2007-classes or voc2010-classes"
        )
    return convention

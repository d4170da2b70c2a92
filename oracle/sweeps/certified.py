"""A measure's value on the same run under many conventions, certified: what the batch counts is counted once for all.

A hundred times as fast as query by query, exactly. What no engine counts is left to the exact path.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.scoring.evaluator import is_counted
from rankspec.oracle.sweeps.exact_values import exact_on
from rankspec.oracle.sweeps.totals import Total
from rankspec.oracle.values import Undefined

if TYPE_CHECKING:
    from rankspec.oracle.scoring.engines.product import Product


class NotCountedError(Exception):
    """No engine counts this: the exact path has to decide."""


class CertifiedValues:
    """Values of a run's queries and their mean, by what engines count."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self._products: dict[tuple[ScorePrecision, Ties], Product] = {}
        has_names = data.scored and data.named and data.judged and not data.weighed and data.weights is None
        self._is_counted = has_names and is_counted(sum(map(len, data.lists)))

    def under(self, measure: Measure, convention: Convention) -> Total | None:
        """Return the value, None where the convention demands an error; `NotCountedError` for what is not counted."""
        if not self._is_counted:
            raise NotCountedError
        from rankspec.oracle.scoring.batch.routes import exactly  # noqa: PLC0415 - numpy is loaded where it is needed
        from rankspec.oracle.scoring.batch.values import NeedsScoresError  # noqa: PLC0415
        from rankspec.oracle.scoring.engines.product import EngineRefusalError  # noqa: PLC0415
        from rankspec.oracle.scoring.engines.scoring import score_product  # noqa: PLC0415

        holding = effective(measure, convention)
        if exactly(measure, holding, blocks=True) is not None:
            raise NotCountedError
        try:
            product = self._product(convention.score_precision, holding.ties, convention)
            mean = score_product(measure, product, convention).mean
        except (EngineRefusalError, NeedsScoresError) as refusal:
            raise NotCountedError from refusal
        except UndefinedValueError:
            return None
        if mean.exact is Undefined.ERROR:
            return None
        later = partial(exact_on, measure, self.data, convention)
        return Total(tuple(convention.differences().items()), mean.double, None, later=later)

    def _product(self, precision: ScorePrecision, ties: Ties, convention: Convention) -> Product:
        from rankspec.oracle.scoring.engines.counting import product_of_dicts  # noqa: PLC0415 - as above

        if (precision, ties) not in self._products:
            run = self.data.compared[precision]  # whole numbers in the order of the rounded scores
            scores = {query: {each.docno: each.score for each in run.documents(query)} for query in run}
            if any(len(scores[query]) < len(run.documents(query)) for query in run):  # a document is repeated
                self._is_counted = False
                raise NotCountedError
            exactly = convention.with_settings({"score_precision": ScorePrecision.EXACT, "ties": ties})
            self._products[precision, ties] = product_of_dicts(self.data.qrels, scores, exactly)
        return self._products[precision, ties]

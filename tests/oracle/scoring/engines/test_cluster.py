"""Spark on two local workers against the streaming reader: the same lists. Needs pyspark and Java."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest
from rankspec.oracle import parse_convention
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.scoring.engines.cluster import product_of_files, session
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from run_files import random_files

pytestmark = [
    pytest.mark.skipif(not find_spec("pyspark"), reason="the extra `spark` (pyspark) is not installed"),
    pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java 17, and there is none on the path"),
    pytest.mark.filterwarnings("ignore"),
]


def test_the_same_lists(tmp_path):
    taken = 0
    with session("local[2]"):
        for text in ("trec_eval-9.0.8", "default[ties=expected, score_precision=float64]"):
            convention = parse_convention(text)
            for seed in (2, 3, 4, 6):
                qrels, run = random_files(seed, tmp_path)
                judged = read_qrels(qrels)
                try:
                    clustered = product_of_files(judged, run, convention, "local[2]")
                    streamed = product_of_stream(judged, run, convention)
                except EngineRefusalError:
                    continue
                taken += 1
                assert clustered.lengths == streamed.lengths
                for column in ("ranks", "grades"):
                    theirs, ours = (getattr(each.lists.places, column) for each in (clustered, streamed))
                    assert sorted(theirs.tolist()) == sorted(ours.tolist())
                assert (clustered.lists.places.ranks == streamed.lists.places.ranks).all()
    assert taken > 1

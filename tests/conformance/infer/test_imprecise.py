"""What is off in the last digits alone has no cause: it is identified, and imprecise."""

import pytest
import rankspec
from campaign import in_campaign
from golden_words import SAID
from rankspec.conformance.infer.identify.identification import Status


def ap(y_true, y_score, stretched=1.0):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = total = 0
    for rank, place in enumerate(order, 1):
        if y_true[place] >= 1:
            hits += 1
            total += hits / rank
    return total / (hits * stretched) if hits else 0.0


def recall(relevance, num_relevant):
    # As it was reported: off by 3e-17 where R is 3, and "wrong ... float32 arithmetic inside" where it is 1001.
    return 1 - (num_relevant - sum(relevance)) / num_relevant if num_relevant else 0.0


def imprecise(y_true, y_score):
    return ap(y_true, y_score, 1 + 4e-14)


def test_it_is_identified_and_said_to_be_imprecise():
    identification = rankspec.identify(imprecise, measure="AP")
    assert (identification.status, identification.texts[0]) == (Status.IDENTIFIED, "AP under default")
    assert any(
        text.startswith("imprecise: ") and SAID["up-360-roundings"] in text for text in identification.observations
    )


@pytest.mark.campaign
@pytest.mark.parametrize("function", in_campaign([(imprecise,), (recall,)], every=2))
def test_check_names_no_cause(function):
    checked = rankspec.check(function, "AP" if function is imprecise else "SetR", cases="edge.[bs]*")
    assert checked.conforms
    listed = checked.to_dict()["implementations"][0]["cases"]
    assert not [case["id"] for case in listed if case.get("conventions")]

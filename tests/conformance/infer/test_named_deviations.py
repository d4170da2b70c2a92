"""What is not understood has no nearest convention, and errors are no deviation."""

from golden_words import SAID
from identified_in_process import identified, precisions_over


def fails_beyond_the_list(relevance, num_relevant, k):
    return precisions_over([relevance[place] for place in range(k)], num_relevant)


def test_errors_alone_are_no_deviation():
    found = identified(fails_beyond_the_list, "AP@3")
    assert found.texts == ("AP@3 under default",)
    assert found.deviations == ()
    assert SAID["fails-cutoff-beyond-list"] in found.observations[0]

"""Sentences of conventions for a paper: written by hand, and a phrase for all that differs from the default."""

from rankspec.oracle.conventions.convention import AXES, DEFAULT


def test_whatever_differs_from_the_default_is_stated():
    for axis in AXES.values():
        settings = {each for each in axis.values or axis.examples if each != getattr(DEFAULT, axis.name)}
        unstated = {str(each) for each in settings if not axis.is_stated(each)}
        # Inputs that are doubles show no difference.
        assert unstated <= ({"float64"} if axis.name == "score_precision" else set()), axis.name

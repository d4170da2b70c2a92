"""Many queries at once: correctly rounded doubles at the price of plain floats, on numpy arrays.

    lists = lists_of_labels(labels, offsets, num_relevant)
    values = values_of(parse_measure("AP@10"), lists, parse_convention("trec_eval-9.0.8"))
    values.doubles, values.certified, values.mean().double

All of these are names of `rankspec.oracle`.
"""

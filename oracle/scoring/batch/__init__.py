"""Many queries at once: correctly rounded doubles at the price of plain floats, on numpy arrays.

    lists = lists_of_labels(labels, offsets, num_relevant)
    found = values_of(parse_measure("AP@10"), lists, parse_convention("trec_eval-9.0.8"))
    found.doubles, found.certified, found.mean().double

`values_of_scored` takes scores instead of labels in rank order. All of these are names of `rankspec.oracle`.
"""

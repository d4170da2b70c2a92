"""The measures: a family a module, a function a clause. Order, cutoffs and sets of queries are settled elsewhere."""

"""A second, independent, naive oracle: the witness against which the real one is compared."""

"""What all conventions give on one input: which of them it can tell apart, and the value under each."""

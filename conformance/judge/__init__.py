"""What an answer is worth: bounds that can be proved, verdicts, and which convention an unexpected value follows."""

"""Readers of files: TREC's qrels and runs. What cannot be read is refused with file, line and reason."""

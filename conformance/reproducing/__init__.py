"""A finding as something that others can run without rankspec: a snippet, a bug report."""

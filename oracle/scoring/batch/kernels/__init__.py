"""Measures whose certified values have a form of their own: a measure or a family a module."""

"""Implementations that are wrong on purpose, and right ones; `catalogue.py` says what the check must say of each."""

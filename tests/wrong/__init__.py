"""Implementations that are wrong on purpose, and right ones."""

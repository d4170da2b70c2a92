"""Derivations laid out once, and written as text, Markdown, LaTeX, HTML, JSON and pictures."""

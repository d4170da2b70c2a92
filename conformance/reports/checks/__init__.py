"""Checks for people and programs: as text, JSON, Markdown, JUnit XML and a badge; what changed; what was kept."""

"""Checking implementations: every question asked, every answer judged, and implementations compared."""

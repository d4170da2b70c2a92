"""What a verb decides, as functions of plain inputs that return results; no click, and nothing is printed."""

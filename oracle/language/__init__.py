"""The mini-language: one line names a measure under a convention, and parses back. That line is what a paper cites."""

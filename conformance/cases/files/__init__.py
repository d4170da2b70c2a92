"""Files of cases: found, read, checked and written."""

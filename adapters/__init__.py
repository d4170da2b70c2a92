"""One module a library, each the thinnest call into it. Nothing is computed here, and the oracle is never imported."""

"""`python -m rankspec VERB`: the command `rankspec`, where its script is not on the path."""

from rankspec.conformance.cli.main import main

if __name__ == "__main__":
    main()

"""The command `rankspec`, and `python -m rankspec VERB` where its script is not on the path."""

import atexit
import gc

_NEW_OBJECTS = 200_000
"""Objects that are made until garbage is looked for. After 700, as Python has it, `score` looks 50 times in vain."""


def main() -> None:
    """Run a verb as a process of its own."""
    gc.set_threshold(_NEW_OBJECTS)
    # A process gives all of its memory back at its end, and looking for garbage before takes as long as loading numpy.
    atexit.register(gc.freeze)

    from rankspec.conformance.cli.main import main as run_verb

    run_verb()


if __name__ == "__main__":
    main()

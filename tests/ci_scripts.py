"""The scripts of `.ci` as modules, for tests."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path


def ci_script(name):
    """Load a script without leaving compiled files beside it, or a module that it shares with others."""
    folder = Path(__file__).parents[1] / ".ci"
    loader = SourceFileLoader(name, str(folder / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module  # where dataclasses look their annotations up
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    loader.exec_module(module)
    sys.path.remove(str(folder))
    sys.dont_write_bytecode = kept
    return module

"""What the programs of test_hostile.py begin with: they are this text and a function each."""

# ruff: noqa: F401, N818, PLC0415, PLE0307

import _thread
import atexit
import builtins
import contextlib
import ctypes
import decimal
import gc
import json
import locale
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Mapping
from fractions import Fraction

LARGEST_DESCRIPTOR = 1024
FOREVER = 10_000
OWN_SESSION = {"start_new_session": True}
HOARDS = "hoard = []\nwhile True: hoard.append(bytearray(b'x') * (16 * 1024**2))"


class Endless(Mapping):
    """A mapping whose keys never end."""

    def __getitem__(self, key):
        return 0.5

    def __len__(self):
        return 1

    def __iter__(self):
        while True:
            yield "q"


class Slow:
    def __repr__(self):
        time.sleep(FOREVER)


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no repr")


class Wordless(Exception):
    def __str__(self):
        sys.exit("no words")


class Lying(float):
    """A float that says it is another one."""

    def hex(self):
        return "0x1.0p+0"

    def __float__(self):
        return 1.0

    def __eq__(self, other):
        sys.exit("compared")

    __hash__ = float.__hash__


class Raising:
    def __del__(self):
        raise SystemExit(4)


def write_everywhere(data):
    for descriptor in range(3, LARGEST_DESCRIPTOR):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)


def read_everywhere():
    for descriptor in range(LARGEST_DESCRIPTOR):
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
            os.read(descriptor, 1 << 20)


def replace_everywhere():
    """Let the harness's descriptors be those of a file of one's own, in which nothing foreign may turn up."""
    own = os.open(os.environ["RANKSPEC_TEST_FILE"], os.O_RDWR | os.O_CREAT, 0o600)
    for descriptor in range(3, LARGEST_DESCRIPTOR):
        if descriptor != own:
            os.dup2(own, descriptor)


def overflow():
    """Overflow the stack of C."""
    sys.setrecursionlimit(10**9)
    threading.stack_size(0)
    nested = ()
    for _ in range(10**6):
        nested = (nested,)
    hash(nested)


def forget_origin():
    """Start a process that carries the mark among its arguments alone."""
    command = f"/bin/sh -c 'sleep {FOREVER}; :' {os.environ['RANKSPEC_TEST']} &"
    subprocess.run(["/bin/sh", "-c", command], env={}, check=False, **OWN_SESSION)


def start_daemon():
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(FOREVER)
        os._exit(0)


def raise_whatever(*_):
    raise RuntimeError("traced")


def change_arithmetic():
    """Change how numbers are reckoned and printed, everywhere in the process."""
    import numpy as np

    np.seterr(all="raise")
    np.set_printoptions(precision=0)
    np.random.seed(0)  # noqa: NPY002 - the global one is meant
    random.seed(0)
    decimal.setcontext(decimal.Context(prec=1, traps=[decimal.Inexact, decimal.FloatOperation]))
    locale.setlocale(locale.LC_ALL, "C")

"""Settings of the whole suite: Hypothesis runs derandomised, longer in the campaign, and by a seed."""

import gc
import os
import signal
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest
from campaign import SEED, TURN, is_item_due, select
from hypothesis import HealthCheck, Phase, is_hypothesis_test, seed, settings
from running import runner

# Where Python keeps no compiled modules, each of the hundreds of processes that tests start would compile sympy anew.
if sys.dont_write_bytecode and sys.pycache_prefix is None:
    COMPILED = tempfile.TemporaryDirectory(prefix="compiled-", ignore_cleanup_errors=True)
    sys.dont_write_bytecode, sys.pycache_prefix = False, COMPILED.name
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = COMPILED.name

# The mutants' tests need to fail, not to say by what least input: that takes minutes.
PHASES = [Phase.explicit, Phase.generate] if os.environ.get("RANKSPEC_SHRINKS") == "no" else [*Phase]
COMMON = {
    "phases": PHASES,
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("default", derandomize=True, max_examples=20, database=None, **COMMON)
settings.register_profile("campaign", derandomize=True, max_examples=200, database=None, **COMMON)
settings.register_profile("long", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("RANKSPEC_PROFILE", "default"))

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PLACES = pytest.StashKey()
"""Where a file or folder of this folder stands, in a worker that goes through them from the end."""

FIGURES = {"wrong programs": "whose fault is named", "pairs of axes": "identified"}
"""What tests record under these properties, as a name and whether it is so, is counted at the end of a run."""

# A shell starts what runs in its background with SIGINT ignored, and what is ignored stays so in every child: the tests
# that interrupt one would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rankspec(capfd):
    """Run a verb in this process, and give its status and what it printed."""
    return runner(capfd)


@pytest.fixture
def verb(rankspec, request):
    """Run the verb that a module is about."""
    return partial(rankspec, request.module.VERB)


@pytest.fixture
def file(tmp_path):
    """Write a file, and give its path."""

    def write(content):
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def written(tmp_path):
    """Write a program of a test, and give its specification; without a function its path."""

    def write(source, name="own.py", function="f"):
        path = tmp_path / name
        path.write_text(dedent(source), encoding="utf-8")
        return f"{path}:{function}" if function else str(path)

    return write


def pytest_configure(config):
    """Leave the rows of the campaign unmade where it is not run, and this package's asserts as they are.

    Pytest rewrites all modules of a package that has a plugin. Rewritten ones are compiled apart from those that the
    processes which tests start read: a sixth of the time of collection.
    """
    select(config.option.markexpr)
    marked = getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set())
    marked -= {name for name in marked if name.partition(".")[0] == "rankspec"}


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let every second worker collect the folders from the last one on.

    Each worker imports all files. What one has compiled and rewritten the other reads: each does half of that work.
    """
    report = yield
    is_whole = collector.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if is_whole and WORKER % 2 and collector.path == Path(__file__).parent:
        collector.session.stash[PLACES] = {each: at for at, each in enumerate(report.result)}
        report.result.reverse()
    return report


def pytest_report_header():
    """Say which inputs are drawn, and which tests of the campaign are due."""
    return [f"seed {SEED}, " + ("every test of the campaign" if TURN is None else f"turn {TURN} of the campaign")]


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(session, config, items):
    """Put files in their order, which all workers need to have in common, and leave out what is not due in this turn.

    `.ci/anywhere reversed` has the order turned round: no test may need another one before it.
    """
    if places := session.stash.get(PLACES, None):
        items.sort(key=lambda item: next(places[node] for node in item.listchain() if node in places))
    # Pages of many commands first: one of them takes 17 s, in which the other worker has nothing to do at the end.
    items.sort(key=lambda item: item.path.name != "test_golden.py")
    yield
    if TURN is not None:
        left_out = [item for item in items if not is_item_due(item)]
        items[:] = [item for item in items if is_item_due(item)]
        config.hook.pytest_deselected(items=left_out)
    if os.environ.get("RANKSPEC_TEST_ORDER") == "reversed":
        items.reverse()


def pytest_collection_finish():
    """Let identifications share what they have in common, where a test has imported what identifies.

    What has been collected stays to the end: the garbage collector need not go through it again and again.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    if "rankspec.conformance.infer.interview.interview" in sys.modules:
        from shared_predictions import share  # noqa: PLC0415 - a second of imports

        share()


def pytest_itemcollected(item):
    """Mark Hypothesis tests as drawn, and give them the seed, which goes before derandomisation."""
    test = getattr(item, "obj", None)
    if test is not None and is_hypothesis_test(test):
        item.add_marker("drawn")
        if SEED:
            seed(SEED)(test)


def pytest_terminal_summary(terminalreporter):
    """Print the figures of the campaign: the share of each kind that is named, and what is not."""
    shares = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for kind, found in report.user_properties:
                    if kind in FIGURES:
                        shares.setdefault(kind, []).append(found)
    for kind, found in shares.items():
        named = [name for name, is_named in found if is_named]
        terminalreporter.section(f"{kind}: {FIGURES[kind]} {len(named)} of {len(found)}")
        for name in sorted(name for name, is_named in found if not is_named):
            terminalreporter.line(f"not: {name}")

"""The session: what is asked, when it stops or is stopped, what is asked again, and what survives an interruption."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaign import in_campaign, one_in
from processes import marked
from rankspec.conformance.implementations.specs import Implementation, parse
from rankspec.conformance.run import session as session_module
from rankspec.conformance.run.limits import LONGER_CALL, LONGER_STARTUP, MORE_MEMORY, Halt, Halted, Limits
from rankspec.conformance.run.outcomes import (
    Crashed,
    Declined,
    Incident,
    Malformed,
    NotCalled,
    Number,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
)
from rankspec.conformance.run.processes import Tree, how_it_ended
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.worker.arguments import Files, Frames, LabelsScores, QrelsRun, RankedLabels
from rankspec.conformance.worker.messages import AdapterSource, Call
from refusals import assert_names, refused


@pytest.fixture
def write(written):
    """Write a module with a function ``f``, and name it."""
    return lambda source: parse(written(source, "metric.py"))


def ranking(*relevance, num_relevant=1, k=None):
    return Call("AP", RankedLabels(relevance, num_relevant), k)


def number(value, type_name="float"):
    return Number(Fraction(value), type_name)


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not (fulfilled := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return fulfilled


def test_files_are_written_with_the_texts_as_they_are_and_do_not_stay(write):
    module = write("""
        def f(qrels_path, run_path):
            raise ValueError(open(qrels_path).read() + "|" + open(run_path).read() + "|" + run_path)
    """)
    files = Files((("q1", (("a", 1), ("b", 0))),), (("q1", (("b", "1.50"), ("b", 0.1), ("a", "inf"))),))
    report = ask(module, [Call("AP", files)])
    [outcome] = report.outcomes
    assert isinstance(outcome, Raised)
    qrels, run, path = outcome.message.split("|")
    assert qrels.strip() == "q1 0 a 1 q1 0 b 0"
    assert run.strip() == "q1 Q0 b 1 1.50 rankspec q1 Q0 b 2 0.1 rankspec q1 Q0 a 3 inf rankspec"
    assert report.mutated == frozenset()
    assert not Path(path).exists()
    assert not Path(path).parent.parent.exists()


def test_whoever_changes_its_input_is_asked_once_more_with_what_is_left(write):
    module = write("def f(relevance): return float(len(relevance) and relevance.pop())")
    report = ask(module, [ranking(1), Call("AP", RankedLabels((), 0))])
    assert report.outcomes == (number(1.0), number(0.0))
    assert report.mutated == {0}
    assert report.again == {0: number(0.0)}


def test_a_cutoff_is_never_dropped_nor_made_up(write):
    without = write("def f(relevance): return 0.5")
    assert [type(outcome) for outcome in ask(without, [ranking(1, k=3)]).outcomes] == [Declined]
    required = write("def f(relevance, k): return k")
    declined, value = ask(required, [ranking(1), ranking(1, k=3)]).outcomes
    assert (type(declined), value) == (Declined, number(3, "int"))


@pytest.mark.parametrize("outcome", [number(0.5), TimedOut(0.3)])
def test_no_call_is_late_for_want_of_a_core(write, monkeypatch, outcome):
    """A worker that never had a core, as its system tells, is waited for; one that slept is not."""
    start, is_starved = time.monotonic(), isinstance(outcome, Number)
    monkeypatch.setattr(Tree, "waited_seconds", lambda _: time.monotonic() - start if is_starved else 0.0)
    module = write("""
        import time
        def f(relevance):
            time.sleep(relevance[0])
            return 0.5
    """)
    report = ask(module, [ranking(0), ranking(1)], Limits(case_seconds=0.3, timeouts_in_a_row=1))
    assert report.outcomes == (number(0.5), outcome)


LOOPS = "def f(relevance):\n    while relevance[0]: pass\n    return 0.5"
ANSWERS = """
    import os
    def f(relevance):
        hoard = []
        while relevance[0] == 1: pass
        if relevance[0] == 2: os._exit(3)
        while relevance[0] == 3: hoard.append(bytearray(b"x") * 1024**2)
        return 0.5
"""
KINDS = {".": Number, "T": TimedOut, "C": Crashed, "M": OutOfMemory}
"""What comes of the calls that a word is made of."""
SHORT, LITTLE = {"case_seconds": 0.3}, {"case_seconds": 1, "memory_bytes": 200 * 1024**2}


@pytest.mark.parametrize(
    ("word", "asked", "limits", "said"),
    in_campaign(
        [
            (".TT.TTT..", 7, SHORT, ("3 timeouts", LONGER_CALL)),
            (".T.T.", 5, SHORT | {"timeouts_in_a_row": 2}, ()),
            (".TCT.", 5, SHORT | {"timeouts_in_a_row": 2}, ()),
            ("CCCC", 2, {"crashes_in_a_row": 2}, ("2 crashes",)),
            # The second call that dies is asked twice, first in a process that has answered: two in a row, five in all.
            ("C.C.C.", 6, {"crashes_in_a_row": 3}, ()),
            (".MMTMM.MMM.", 10, LITTLE, ("3 calls", MORE_MEMORY)),
        ],
        but=[".T.T.", "C.C.C."],
        ids=lambda row: row[0],
    ),
)
def test_what_does_not_answer_so_often_in_a_row_is_asked_no_more(write, word, asked, limits, said):
    """An answer, and another way not to answer, ends a row."""
    report = ask(write(ANSWERS), [ranking([*KINDS].index(each)) for each in word], Limits(**limits))
    assert [type(outcome) for outcome in report.outcomes[:asked]] == [KINDS[each] for each in word[:asked]]
    assert report.outcomes[asked:] == (NotCalled(report.ended),) * (len(word) - asked)
    assert {each for each in report.outcomes if isinstance(each, Crashed)} <= {Crashed(how_it_ended(3))}
    assert {each.seconds for each in report.outcomes if isinstance(each, TimedOut)} <= {limits.get("case_seconds")}
    assert_names(report.ended, *said)
    assert bool(report.ended) == bool(said)


@pytest.mark.campaign
def test_what_does_not_answer_its_first_call_in_the_time_of_its_start_is_asked_no_more(write):
    report = ask(write(LOOPS), [ranking(each) for each in (1, 0, 0)], Limits(case_seconds=0.01, startup_seconds=10))
    assert_names(report.ended, LONGER_STARTUP)
    ended = NotCalled(report.ended)
    assert report.outcomes == (TimedOut(10), ended, ended)


@pytest.mark.campaign
def test_the_first_call_of_a_process_may_take_as_long_as_a_start(write):
    """Libraries import and compile in there; a later process takes no longer than the first one did."""
    module = write("""
        import os, time
        calls = []
        def f(relevance):
            if not calls:
                time.sleep(0.8)
            calls.append(1)
            return os._exit(3) if relevance[0] else 0.5
    """)
    limits = Limits(case_seconds=0.4)
    assert ask(module, [ranking(0), ranking(0)], limits).outcomes == (number(0.5),) * 2
    report = ask(module, [ranking(each) for each in (0, 1, 0)], limits)
    assert report.outcomes == (number(0.5), Crashed(how_it_ended(3)), number(0.5))


def test_loading_what_holds_the_arguments_is_no_time_of_a_call(write, tmp_path):
    (tmp_path / "pandas.py").write_text("import time; time.sleep(0.8)\nDataFrame = Series = lambda each, **kind: each")
    judged, found = (("q", (("d", 1),)),), (("q", (("d", 1.0),)),)
    plain, framed = (
        Call("AP", held(judged, found), form=name) for held, name in ((QrelsRun, "qrels-run"), (Frames, "frames"))
    )
    report = ask(write("def f(qrels, run): return {'q': 0.5}"), [plain, framed, framed], Limits(case_seconds=0.4))
    assert report.outcomes == (PerQuery({"q": number(0.5)}),) * 3


def test_time_until_a_crash_is_lost_too(write):
    module = write("import os, time\ndef f(relevance): return (time.sleep(0.3), os._exit(3)) if relevance[0] else 0.5")
    halt = Halt()
    report = ask(module, [ranking(each) for each in (0, 1, 0, 1, 0)], Limits(lost_seconds=0.5), halt=halt)
    assert report.outcomes[0] == number(0.5)
    assert report.outcomes[-1] == NotCalled(report.ended)
    assert_names(report.ended, "0.5 s")
    assert halt.patience.lost_seconds >= 0.5


def test_sessions_that_share_a_halt_share_their_patience(write):
    halt = Halt()
    limits = Limits(case_seconds=0.3, lost_seconds=0.2)
    assert ask(write(LOOPS), [ranking(0), ranking(1)], limits, halt=halt).ended == ""
    assert halt.patience.lost_seconds >= 0.2
    second = ask(write(LOOPS), [ranking(0), ranking(1), ranking(0)], limits, halt=halt)
    assert_names(second.ended, "0.2 s")
    assert second.outcomes == (NotCalled(second.ended),) * 3


def test_what_is_done_between_the_start_and_the_first_call_is_not_the_starts_time(write, monkeypatch):
    module = write("import time\ndef f(relevance): return time.sleep(0.3) or 0.5")
    passed = 0.0
    monkeypatch.setattr(session_module, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + passed))
    with Session(module, Limits(case_seconds=0.1, startup_seconds=60)) as session:
        passed = 1000.0  # the questions are put meanwhile
        assert session.ask([ranking(0)]).outcomes == (number(0.5),)


def test_the_first_call_of_every_session_has_the_time_of_a_start_and_loses_none(write):
    module = write("""
        import time
        calls = []
        def f(relevance):
            if not calls:
                time.sleep(1)
            calls.append(1)
            return 0.5
    """)
    halt, limits = Halt(), Limits(case_seconds=0.3, lost_seconds=0.5)
    for _ in range(2):
        assert ask(module, [ranking(0)], limits, halt=halt).outcomes == (number(0.5),)
    assert halt.patience.lost_seconds == 0


def test_a_call_that_dies_of_an_earlier_one_is_asked_again(write):
    module = write("""
        import os
        poisoned = False
        def f(relevance):
            global poisoned
            if poisoned:
                os._exit(5)
            poisoned = relevance[0] == 1
            return 0.5
    """)
    report = ask(module, [ranking(0), ranking(1), ranking(0), ranking(0)])
    assert report.outcomes == (number(0.5),) * 4
    assert report.incidents == (Incident(2, Crashed(how_it_ended(5))),)


@pytest.mark.campaign
def test_memory_that_grows_from_call_to_call_is_no_fault_of_the_last(write):
    module = write("""
        hoard = []
        def f(relevance):
            import time
            hoard.append(bytearray(b"x") * (60 * 1024**2))
            time.sleep(0.12)
            return 0.5
    """)
    report = ask(module, [ranking(0)] * 8, Limits(memory_bytes=200 * 1024**2))
    assert report.outcomes == (number(0.5),) * 8
    assert {type(incident.outcome) for incident in report.incidents} == {OutOfMemory}


@pytest.mark.campaign
def test_memory_that_children_share_is_counted_once(write):
    module = write("""
        import os, time
        hoard = bytearray(b"x") * (100 * 1024**2)
        def f(relevance):
            children = [os.fork() for _ in range(3) if os.getpid() == parent]
            if os.getpid() != parent:
                time.sleep(100)
            time.sleep(1)
            return 0.5
        parent = os.getpid()
    """)
    report = ask(module, [ranking(0)], Limits(memory_bytes=220 * 1024**2))
    assert report.outcomes == (number(0.5),)


def test_a_worker_that_cannot_be_started_again_ends_the_asking(write, tmp_path):
    module = write(f"""
        import os
        from pathlib import Path
        if Path({str(tmp_path)!r}, "once").exists():
            raise RuntimeError("once")
        Path({str(tmp_path)!r}, "once").touch()
        def f(relevance): os._exit(3)
    """)
    report = ask(module, [ranking(1)] * 2)
    assert report.outcomes[0] == Crashed(how_it_ended(3))
    assert isinstance(report.outcomes[1], NotCalled)
    assert "RuntimeError: once" in report.outcomes[1].reason


def test_a_session_keeps_its_process_from_question_to_question(write):
    module = write("""
        import os
        def f(relevance):
            return os.getpid() if relevance[0] else os._exit(3)
    """)
    with Session(module) as session:
        [first], [second] = session.ask([ranking(1)]).outcomes, session.ask([ranking(1)]).outcomes
        lost = session.ask([ranking(0), ranking(1)])
        [last] = session.ask([ranking(1)]).outcomes
    assert first == second
    assert lost.outcomes[0] == Crashed(how_it_ended(3))
    assert first != lost.outcomes[1] == last


def test_each_call_starts_in_the_same_folder(write, tmp_path):
    module = write(f"""
        import os
        def f(relevance):
            here = os.getcwd()
            os.chdir({str(tmp_path)!r})
            return {{here: 1}}
    """)
    first, second = ask(module, [ranking(1)] * 2).outcomes
    assert first == second


def test_arguments_larger_than_any_pipe(write):
    module = write("def f(relevance): return sum(relevance)")
    calls = [ranking(*([1] * 300_000)), ranking(*([1] * 100_000))]
    assert ask(module, calls).outcomes == (number(300_000, "int"), number(100_000, "int"))


def test_what_is_printed_is_kept_in_part(write):
    report = ask(write("def f(relevance):\n    print('x' * 9999 + 'end', flush=True)\n    return None"), [ranking(1)])
    assert isinstance(report.outcomes[0], Malformed)
    assert report.output.endswith("xend\n")
    assert len(report.output) <= 4096


@one_in(2)
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nosuchmodule", "ModuleNotFoundError: No module named 'nosuchmodule'"),
        ("def f(relevance) return", "SyntaxError"),
        ("raise SystemExit(4)", "SystemExit: 4"),
        ("import os; os._exit(4)", how_it_ended(4)),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("while True: pass", "0.4 s"),
        ("a = [0]\nwhile True: a += a", "209,715,200"),
        ("import os\nfor d in range(3, 64):\n  try: os.write(d, b'x\\n')\n  except OSError: pass", "channel"),
        ("def g(relevance): pass", "'f'"),
        ("f = 3", "'f' in metric.py"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(write, source, said):
    limits = Limits(startup_seconds=0.4 if "while True: pass" in source else 10, memory_bytes=200 * 1024**2)
    module = write(source)
    with refused("not-ready" if "while True: pass" in source else "implementation-not-loaded", module.text, said):
        ask(module, [ranking(1)], limits)


def adapter_folder(tmp_path, source):
    """Write an adapter named fake; the environment in which a worker finds it beside rankspec's own."""
    (tmp_path / "fake.py").write_text(textwrap.dedent(source), encoding="utf-8")
    beside = f"import rankspec.adapters\nrankspec.adapters.__path__.append({str(tmp_path)!r})\n"
    (tmp_path / "sitecustomize.py").write_text(beside, encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}


FAKE = Implementation("fake", AdapterSource("fake"))


def test_an_adapter_is_prepared_once_and_called_by_measure(tmp_path):
    environment = adapter_folder(
        tmp_path,
        """
        from rankspec.conformance.worker.adapter import Adapter
        prepared = []
        ADAPTER = Adapter(
            "fake", "pytest", "labels-scores", "default",
            {"AP": lambda y_true, y_score, k=None, rel=None: [len(prepared), k, rel][k or 0],
             "AP11": lambda y_true, y_score: 0.25},
            lambda: prepared.append(1),
        )
        """,
    )
    arguments = LabelsScores((1, 0), (2, 1))
    calls = [Call("AP", arguments), Call("AP", arguments, k=1), Call("AP", arguments, k=2, rel=7)]
    report = ask(FAKE, [*calls, Call("AP11", arguments), Call("RR", arguments)], environment=environment)
    assert report.outcomes[:-1] == (number(1, "int"), number(1, "int"), number(7, "int"), number(0.25))
    assert isinstance(report.outcomes[-1], Declined)
    assert "RR" in report.outcomes[-1].reason
    assert (report.hello.name, report.hello.convention) == ("fake", "default")
    assert report.hello.version == pytest.__version__


SLOW_CALLS = """
    import time
    from rankspec.conformance.worker.adapter import Adapter
    def ap(y_true, y_score):
        time.sleep(1.5 if y_true[0] else 0)
        return 0.25
    ADAPTER = Adapter("fake", "pytest", "labels-scores", "default", {{"AP": ap}}{declared})
"""


@pytest.mark.parametrize(
    ("declared", "stated", "second"),
    in_campaign(
        [(", startup_seconds=90", None, number(0.25)), ("", None, TimedOut(0.3)), ("", 90, TimedOut(0.3))],
        but=[", startup_seconds=90 None", " 90"],
        ids=lambda row: f"{row[0]} {row[1]}",
    ),
)
def test_what_declares_a_long_start_may_compile_in_any_call(tmp_path, declared, stated, second):
    """The first call is quick, the second takes longer than a call may, and than twice the first."""
    calls = [Call("AP", LabelsScores((first, 0), (2, 1))) for first in (0, 1)]
    environment = adapter_folder(tmp_path, SLOW_CALLS.format(declared=declared))
    limits = Limits(case_seconds=0.3, startup_seconds=stated)
    assert ask(FAKE, calls, limits, environment).outcomes == (number(0.25), second)


def test_a_start_may_take_what_is_declared_unless_it_is_stated():
    assert Limits().startup() == 30
    assert Limits().startup(600) == 600
    assert Limits().startup(10_000) == 600
    assert Limits(startup_seconds=2).startup(600) == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nosuchlibrary", "'rankspec[fake]'"),
        (
            (
                "from rankspec.conformance.worker.adapter import Adapter\n"
                "ADAPTER = Adapter('fake', 'no-such-distribution', 'ranking', 'default', {})"
            ),
            "no-such-distribution",
        ),
        ("", "'fake'"),
    ],
)
def test_an_adapter_without_its_library_says_how_to_get_it(tmp_path, source, said):
    with refused("implementation-not-loaded", said):
        ask(FAKE, [], environment=adapter_folder(tmp_path, source))


# What a signal that can be caught does to a command: cli/test_interruption.py.
@pytest.mark.parametrize(
    "number", in_campaign([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], but=["SIGKILL"], ids=lambda each: each.name)
)
def test_nothing_outlives_an_interrupted_harness(tmp_path, number):
    mark = uuid.uuid4().hex
    metric = tmp_path / "metric.py"
    metric.write_text(
        "import os, time\ndef f(_):\n    os.fork()\n    open('asked', 'w').close()\n    time.sleep(1000)",
        encoding="utf-8",
    )
    script = textwrap.dedent(f"""
        from rankspec.conformance.worker.arguments import RankedLabels
        from rankspec.conformance.worker.messages import Call
        from rankspec.conformance.implementations.specs import parse
        from rankspec.conformance.run.limits import LONGER_CALL, LONGER_IN_ALL, LONGER_STARTUP, Halt, Limits
        from rankspec.conformance.run.session import ask
        call = Call("AP", RankedLabels((1,), 1))
        ask(parse("metric.py:f", "ranking"), [call], Limits(case_seconds=1000), {{"RANKSPEC_TEST": "{mark}"}})
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as harness:
        assert wait_for((tmp_path / "asked").exists)
        assert len(list(marked(mark))) == 2
        harness.send_signal(number)
        _, said = harness.communicate(timeout=20)
    assert wait_for(lambda: not list(marked(mark)))
    assert wait_for(lambda: not list(tmp_path.glob("rankspec-*")))
    if number is signal.SIGINT:
        assert said.rstrip().endswith(b"KeyboardInterrupt")


CALLS = [Call("AP", RankedLabels((1,) * length, length)) for length in range(1, 6)]


def written(folder, source):
    path = folder / "own.py"
    path.write_text(f"import time\n{source}\n", encoding="utf-8")
    return parse(f"{path}:f")


def hanging(folder):
    return written(
        folder, "def f(relevance):\n    while len(relevance) == 3:\n        time.sleep(1)\n    return len(relevance)"
    )


def test_the_first_reason_stays():
    halt = Halt()
    assert halt.reason == ""
    halt.stop("one")
    halt.stop("two")
    assert halt.reason == "one"
    assert halt.interrupted


def test_time_is_a_reason_and_no_interruption():
    halt = Halt(0.0001)
    time.sleep(0.01)
    halt.stop("too late")
    assert_names(halt.reason, "0.0001 s")
    assert not halt.interrupted


def test_what_was_answered_stays_and_the_rest_is_not_asked(tmp_path):
    halt = Halt()
    told = []

    def hear(index, _):
        told.append(index)
        if index == 1:
            threading.Timer(0.2, halt.stop, ["enough"]).start()

    report = ask(hanging(tmp_path), CALLS, on_outcome=hear, halt=halt)
    assert [isinstance(outcome, Number) for outcome in report.outcomes] == [True, True, False, False, False]
    assert set(report.outcomes[2:]) == {NotCalled("enough")}
    assert (report.known, report.ended) == (2, "enough")
    assert told == [0, 1]


def test_a_session_that_was_stopped_stays_so(tmp_path):
    halt = Halt()
    with Session(written(tmp_path, "def f(relevance): return 1"), halt=halt) as session:
        assert session.ask(CALLS).known == 5
        halt.stop("enough")
        assert session.ask(CALLS).known == 0
        assert session.ask(CALLS).outcomes == (NotCalled("enough"),) * 5


def test_an_import_is_given_up(tmp_path):
    halt = Halt(0.5)
    with pytest.raises(Halted, match=r"0\.5 s"):
        ask(written(tmp_path, "time.sleep(1000)"), CALLS, halt=halt)

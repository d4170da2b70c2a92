"""Whatever an implementation does is an outcome; the other calls are answered; nothing is left behind."""

import uuid
from fractions import Fraction
from pathlib import Path
from textwrap import indent

import psutil
import pytest
from campaign import in_campaign
from processes import marked
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.run import processes
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Crashed, Malformed, Number, OutOfMemory, Raised, TimedOut
from rankspec.conformance.run.processes import how_it_ended
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call

PRELUDE = Path(__file__).with_name("hostile.py").read_text(encoding="utf-8")
PROGRAM = """
def f(relevance, num_relevant):
    def act():
{body}

    if num_relevant != 13:
        return 0.5
    answer = act()
    return {answer}
"""
HALF = Number(Fraction(1, 2), "float")
ANSWERED = Number(Fraction(3, 4), "float")
CLOSED = Crashed(processes.CLOSED)
INTERFERED = Crashed(processes.INTERFERED)
INTERRUPTED = Raised("KeyboardInterrupt", "")
PATIENT = Limits(case_seconds=20, memory_bytes=200 * 1024**2)
"""For what comes to an end by itself, however busy the machine is."""
HURRIED = Limits(case_seconds=2, memory_bytes=200 * 1024**2)
"""For what never does: the limit is waited for."""
LATE = TimedOut(2)

RECURSION = "maximum recursion depth exceeded"
NO_RECURSION = """
with contextlib.suppress(RecursionError):
    for limit in range(60, 1, -1):
        sys.setrecursionlimit(limit)
"""
MESSAGE = '{"type":"result","seq":0,"outcome":"value","value":{"number":"7","type":"int"}}'

PROGRAMS = {
    # Never answers.
    "loops": ("while True: pass", LATE),
    "sleeps": ("time.sleep(FOREVER)", LATE),
    "loops in C": ("return sum(iter(int, 1))", LATE),
    "answers too late": ("time.sleep(3)", LATE),
    "ignores signals": ("for each in (1, 2, 14, 15): signal.signal(each, signal.SIG_IGN)\ntime.sleep(FOREVER)", LATE),
    "blocks every signal": ("signal.pthread_sigmask(0, signal.valid_signals())\nwhile True: pass", LATE),
    "stops itself": ("os.kill(os.getpid(), signal.SIGSTOP)", LATE),
    "swallows everything": ("while True:\n  with contextlib.suppress(BaseException): time.sleep(1)", LATE),
    "prints endlessly": ("while True: os.write(1, b'x' * 65536)", Crashed(processes.FLOODED)),
    "repr hangs": ("return Slow()", LATE),
    "half a line": ("""write_everywhere(b'{"type":"result"')\ntime.sleep(FOREVER)""", LATE),
    "waits for a thread": ("t = threading.Thread(target=time.sleep, args=(FOREVER,))\nt.start()\nt.join()", LATE),
    # Takes all there is.
    "allocates": ("exec(HOARDS)", OutOfMemory),
    "child allocates": ("subprocess.run([sys.executable, '-c', HOARDS], check=False)", OutOfMemory),
    "endless mapping": ("return Endless()", LATE),
    # Ends the process.
    "exits at once": ("os._exit(3)", Crashed(how_it_ended(3))),
    "exits without fault": ("os._exit(0)", Crashed(how_it_ended(0))),
    "reads address zero": ("ctypes.string_at(0)", Crashed("SIGSEGV")),
    "aborts": ("os.abort()", Crashed("SIGABRT")),
    "kills itself": ("os.kill(os.getpid(), signal.SIGKILL)", Crashed("SIGKILL")),
    "kills its group": ("os.killpg(0, signal.SIGKILL)", Crashed("SIGKILL")),
    "becomes another program": ("os.execv('/bin/sh', ['/bin/sh', '-c', 'exit 5'])", Crashed(how_it_ended(5))),
    "becomes one that stays": ("os.execv('/bin/sh', ['/bin/sh', '-c', f'sleep {FOREVER}'])", CLOSED),
    "overflows the stack of C": ("overflow()", Crashed("SIGSEGV")),
    "forks and the parent exits": ("if os.fork(): os._exit(4)\ntime.sleep(FOREVER)", Crashed(how_it_ended(4))),
    # Raises.
    "exits": ("sys.exit('enough')", Raised("SystemExit", "enough")),
    "interrupts": ("raise KeyboardInterrupt", Raised("KeyboardInterrupt", "")),
    "interrupts by signal": ("os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(FOREVER)", INTERRUPTED),
    "interrupts by thread": (
        "threading.Timer(0.01, _thread.interrupt_main).start()\nwhile 1: time.sleep(0.01)",
        INTERRUPTED,
    ),
    "recurses": ("def deeper(): return deeper()\nreturn deeper()", Raised("RecursionError", RECURSION)),
    "asks for too much": ("return bytearray(1 << 62)", Raised("MemoryError", "")),
    "reads standard input": ("return input()", Raised("EOFError", "EOF when reading a line")),
    "raises GeneratorExit": ("raise GeneratorExit", Raised("GeneratorExit", "")),
    "raises without words": ("raise Wordless", Raised),
    "changes labels and raises": ("relevance.clear()\nraise ValueError('cleared')", Raised("ValueError", "cleared")),
    "raises something long": ("raise ValueError('line\\n' * 10**6)", Raised),
    # Meddles with descriptors and processes, and answers.
    "closes standard descriptors": ("for each in (0, 1, 2): os.close(each)", ANSWERED),
    "closes standard streams": ("for each in (sys.stdin, sys.stdout, sys.stderr): each.close()", ANSWERED),
    "prints much": ("print('noise ' * 10**6)", ANSWERED),
    "prints messages": (f"print({MESSAGE!r}, flush=True)", ANSWERED),
    "closes every descriptor": ("os.closerange(0, LARGEST_DESCRIPTOR)", CLOSED),
    "closes them and sleeps": ("os.closerange(0, LARGEST_DESCRIPTOR)\ntime.sleep(FOREVER)", CLOSED),
    "replaces every descriptor": ("replace_everywhere()", CLOSED),
    "writes garbage": ("write_everywhere(b'garbage\\n')", INTERFERED),
    "writes binary": ("write_everywhere(bytes(range(256)) * 16)", INTERFERED),
    "writes without end": ("for _ in range(10**6): write_everywhere(b'x' * 65536)", INTERFERED),
    "reads every descriptor": ("read_everywhere()", ANSWERED),
    "forks and both answer": ("os.fork()", ANSWERED),
    "children that stay": ("for _ in range(5):\n  if not os.fork(): time.sleep(FOREVER)", ANSWERED),
    "daemon": ("start_daemon()", ANSWERED),
    "another session": (
        "subprocess.Popen(['sh', '-c', f'sleep {FOREVER} & sleep {FOREVER}'], **OWN_SESSION)",
        ANSWERED,
    ),
    "many children": ("for _ in range(20): subprocess.Popen(['sleep', str(FOREVER)], **OWN_SESSION)", ANSWERED),
    "child without its environment": ("forget_origin()", ANSWERED),
    "threads": ("for _ in range(5): threading.Thread(target=time.sleep, args=(FOREVER,)).start()", ANSWERED),
    "exits a little later": ("threading.Timer(0.02, os._exit, args=(6,)).start()", ANSWERED),
    "sets an alarm": ("signal.setitimer(signal.ITIMER_REAL, 0.01)", ANSWERED),
    "hangs at exit": ("atexit.register(time.sleep, FOREVER)", ANSWERED),
    "deletes its folder": ("folder = tempfile.mkdtemp()\nos.chdir(folder)\nos.rmdir(folder)", ANSWERED),
    "forbids itself descriptors": ("resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))", ANSWERED),
    "changes labels": ("relevance.sort(reverse=True)\nrelevance.append(1)", ANSWERED),
    # Meddles with the interpreter: whether it still answers is its own affair.
    "breaks json": ("json.dumps = lambda *_, **__: '{'\njson.loads = lambda *_, **__: None", Crashed),
    "breaks the builtins": ("builtins.len = builtins.isinstance = None", Crashed),
    "forgets the modules": ("sys.modules.clear()", ANSWERED),
    "allows no recursion": (NO_RECURSION, Crashed),
    "traces and raises": ("sys.setprofile(raise_whatever)", Raised("RuntimeError", "traced")),
    "replaces what writes": ("os.write = lambda *_: 0\njson.dumps = lambda *_, **__: '{}'", LATE),
    "replaces the clock": ("time.monotonic = time.time = time.perf_counter = lambda: 0.0", ANSWERED),
    "changes its folder": ("os.chdir('/')\nos.umask(0o777)", ANSWERED),
    "changes arithmetic": ("change_arithmetic()", ANSWERED),
    "breaks the garbage collector": ("gc.callbacks.append(lambda *_: 1 / 0)\ngc.set_threshold(1)", ANSWERED),
    "leaves garbage that raises": ("Raising()", ANSWERED),
    "warns as an error": ("warnings.simplefilter('error')\nwarnings.warn('no more')", Raised("UserWarning", "no more")),
    "breaks its streams": ("sys.stdout = sys.stderr = sys.excepthook = None", ANSWERED),
    # Returns what is not a number, or hardly one.
    "nothing": ("return None", "NoneType, None"),
    "a text of a number": ("return '0.75'", Number(Fraction(3, 4), "printed", Fraction(1, 100))),
    "a list": ("return [0.75, 0.5]", "list, [0.75, 0.5]"),
    "a list of one number": ("return [0.75]", Number(Fraction(3, 4), "float")),
    "a generator": ("return (value for value in (0.75, 0.5))", "list"),
    "a generator of one number": ("return (value for value in (0.75,))", Number(Fraction(3, 4), "float")),
    "itself": ("return f", "function"),
    "no repr": ("return Unprintable()", "Unprintable"),
    "a huge number": ("return 10**100_000", "332193"),
    "a value by name": ("return {1: 0.75}", Number(Fraction(3, 4), "float")),
    "a query without a number": ("return {'q1': 0.75, 'q2': None}", "q1, q2"),
    "surrogates": ("return '\\ud800\\n\\x00' * 1000", "str"),
    "an array of one number": ("import numpy\nreturn numpy.array(0.75)", Number(Fraction(3, 4), "numpy.float64")),
    "an array of two": ("import numpy\nreturn numpy.array([0.75, 0.5])", "numpy.ndarray"),
    "a lying float": ("return Lying(0.75)", Number),
    "numbers by names that are no measures": ("return {'q2': 1, 'q1': 0.75}", "q2, q1"),
}
"""What is done -> the code, and what comes of it: an outcome, its type, or what the reason of a malformed value names.

What returns nothing by itself returns 0.75.
"""
EACH_TIME = {
    *("reads address zero", "allocates", "nothing", "writes garbage", "changes labels"),
}
"""One of each kind of outcome, and of what it does to pipes, processes and its arguments."""
LATER = {
    *("exits a little later", "sets an alarm", "breaks the garbage collector", "replaces what writes", "breaks json"),
    *("breaks the builtins", "forgets the modules", "allows no recursion", "traces and raises"),
}
"""Those that may do harm to the next call, which is then asked again in a new process."""


def calls():
    """Give five calls, the third of which triggers."""
    return [Call("AP", RankedLabels((1, 0, 1), 13 if index == 2 else 2)) for index in range(5)]


def ask_hostile(name, tmp_path):
    """Ask one of them, and see that nothing is left of it: no process, no open descriptor."""
    mark = uuid.uuid4().hex
    environment = {"RANKSPEC_TEST": mark, "RANKSPEC_TEST_FILE": str(tmp_path / "own")}
    descriptors = psutil.Process().num_fds()
    body, expected = PROGRAMS[name]
    program = PROGRAM.format(body=indent(body.strip(), " " * 8), answer="answer" if "return " in body else "0.75")
    path = tmp_path / "hostile.py"
    path.write_text(PRELUDE + program, encoding="utf-8")
    report = ask(parse(f"{path}:f"), calls(), HURRIED if expected == LATE else PATIENT, environment)
    assert [*marked(mark)] == []
    assert psutil.Process().num_fds() == descriptors
    return report


@pytest.mark.parametrize("name", in_campaign(PROGRAMS, but=EACH_TIME, ids=str))
def test_it_is_an_outcome_and_the_other_calls_are_answered(name, tmp_path):
    report = ask_hostile(name, tmp_path)
    *before, outcome, fourth, fifth = report.outcomes
    assert [*before, fourth, fifth] == [HALF] * 4
    expected = PROGRAMS[name][1]
    if isinstance(expected, str):
        assert isinstance(outcome, Malformed)
        assert expected in outcome.reason
    else:
        assert isinstance(outcome, expected) if isinstance(expected, type) else outcome == expected, outcome
    if name not in LATER:
        assert {incident.index for incident in report.incidents} <= {2}
    assert report.mutated == ({2} if name.startswith("changes labels") else frozenset())


def test_nothing_is_written_into_a_file_that_took_the_place_of_the_channel(tmp_path):
    ask_hostile("replaces every descriptor", tmp_path)
    assert (tmp_path / "own").read_bytes() == b""


def test_a_crash_says_what_was_printed_last(tmp_path):
    crashed = ask_hostile("reads address zero", tmp_path).outcomes[2]
    assert isinstance(crashed, Crashed)
    assert "Segmentation" in crashed.output
    assert "in f" in crashed.output


def test_texts_are_short_single_printable_lines(tmp_path):
    raised = ask_hostile("raises something long", tmp_path).outcomes[2]
    malformed = ask_hostile("surrogates", tmp_path).outcomes[2]
    assert isinstance(raised, Raised)
    assert isinstance(malformed, Malformed)
    for text in (raised.message, malformed.reason):
        assert len(text) <= 500
        assert "\n" not in text
        text.encode()


def test_a_float_is_read_as_it_is_whatever_its_class_says(tmp_path):
    number = ask_hostile("a lying float", tmp_path).outcomes[2]
    assert isinstance(number, Number)
    assert number.value == Fraction(3, 4)

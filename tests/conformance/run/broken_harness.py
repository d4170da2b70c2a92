"""A program of the line protocol that breaks it, in the way that its argument names, at calls with 13 relevant.

A second argument is another number than 13. Run without site-packages (-S -E), so that it starts in a few milliseconds.
"""

import json
import os
import signal
import sys
import time

MODE = sys.argv[1]
TRIGGER = int(sys.argv[2]) if len(sys.argv) > 2 else 13
HELLO = {"type": "hello", "protocol": 1, "name": "broken", "shape": "ranking", "measures": {"AP": {"k": "optional"}}}


def put(text):
    left = memoryview(text.encode())
    while left:
        left = left[os.write(1, left) :]


def send(message):
    put(json.dumps(message) + "\n")


def result(seq, **fields):
    return {"type": "result", "seq": seq, **fields}


def answer(call):
    return result(call["seq"], outcome="value", value=len(call["arguments"]["relevance"]))


def stay():
    while True:
        time.sleep(60)


def start_child(code):
    if os.fork() == 0:
        code()
        os._exit(0)


def flood(text="noise\n", descriptor=1):
    while True:
        os.write(descriptor, text.encode())


def hog():
    held = bytearray(b"x" * (400 << 20))
    stay()
    return held


def fork_and_leave():
    start_child(stay)
    os._exit(0)


def close_input():
    os.close(0)
    time.sleep(0.05)


def close_input_and_stay():
    os.close(0)
    stay()


def raw(text):
    return lambda call: put(text.replace("SEQ", str(call["seq"])))


def in_parts(beginning, part, times):
    return lambda call: [put(each) for each in (beginning, *[part] * times, "\n")]


AT_THIRTEEN = {
    "wrong_sequence": lambda call: send({**answer(call), "seq": call["seq"] + 1}),
    "earlier_sequence": lambda call: send({**answer(call), "seq": call["seq"] - 1}),
    "text_sequence": lambda call: send({**answer(call), "seq": str(call["seq"])}),
    "no_sequence": raw('{"type":"result","outcome":"value","value":1}\n'),
    "twice": lambda call: [send(answer(call)), send(answer(call))],
    "twice_later": lambda call: [send(answer(call)), time.sleep(0.02), send(answer(call)), time.sleep(0.02)],
    "half_a_line": lambda call: [put('{"type":"result","se'), os._exit(0)],
    "half_a_line_and_stays": lambda call: [put('{"type":"result","se'), stay()],
    "silence": lambda call: stay(),
    "garbage": lambda call: put("\x00\x01 garbage ]]\n"),
    "garbage_then_silence": lambda call: [put("garbage\n"), stay()],
    "invalid_json": raw('{"type":"result","seq":SEQ,"outcome":"value","value":nan}\n'),
    "exits": lambda call: os._exit(3),
    "exits_well": lambda call: os._exit(0),
    "raises": lambda call: 1 / 0,
    "segmentation_fault": lambda call: os.kill(os.getpid(), signal.SIGSEGV),
    "unknown_outcome": lambda call: send(result(call["seq"], outcome="splendid", value=1)),
    "unknown_type": raw('{"type":"progress","seq":SEQ}\n'),
    "log_line": raw('{"level":"info","message":"at work"}\n'),
    "second_hello": lambda call: send(HELLO),
    "no_number": lambda call: send(result(call["seq"], outcome="value", value="a half")),
    "null": lambda call: send(result(call["seq"], outcome="value", value=None)),
    "list": lambda call: send(result(call["seq"], outcome="value", value=[0.5])),
    "pairs_broken": lambda call: send(result(call["seq"], outcome="values", values=[["q", 1, 2]])),
    "huge_line": lambda call: put("x" * (17 << 20) + "\n"),
    "huge_message": lambda call: send(result(call["seq"], outcome="skipped", reason="x" * (17 << 20))),
    "message_of_200_megabytes": in_parts('{"seq":"', "x" * 1_000_000, 200),
    "many_values": in_parts('{"type":"result","outcome":"values","values":[', '["q",0.5],' * 100_000, 50),
    "huge_number": lambda call: send(result(call["seq"], outcome="value", value="1e99999999")),
    "deep_json": raw("[" * 100_000 + "\n"),
    "endless_noise": lambda call: flood(),
    "endless_blank_lines": lambda call: flood("\n" * 1000),
    "endless_errors": lambda call: flood("x" * 1000 + "\n", 2),
    "closes_output": lambda call: [os.close(1), stay()],
    "closes_input_and_stays": lambda call: close_input_and_stay(),
    "started_twice": lambda call: [send({"type": "started", "seq": call["seq"]}) for _ in range(2)],
    "takes_memory": lambda call: hog(),
    "forks_and_leaves": lambda call: fork_and_leave(),
}
"""What it does instead of answering that call."""

ALONGSIDE = {
    "noise": lambda call: put('loading...\n[1, 2]\n\n3\n"text"\nnull\n'),
    "noise_on_stderr": lambda call: os.write(2, b"warning\n" * 50),
    "starts": lambda call: send({"type": "started", "seq": call["seq"]}),
    "byte_order_mark": lambda call: put("\ufeff"),
    "forks_a_child": lambda call: start_child(stay),
    "child_prints": lambda call: [start_child(lambda: put("from a child\n")), os.wait()],
    "closes_input": lambda call: close_input(),
    "spaces": lambda call: put("   "),
}
"""What it does before it answers that call."""


def greet():  # noqa: C901, PLR0912 - a case a mode
    match MODE:
        case "prepares":
            send({"type": "preparing", "doing": "warming up", "seconds": 400})
            send(HELLO)
        case "prepares_for_ever":
            send({"type": "preparing", "doing": "warming up", "seconds": 0.1})
            stay()
        case "prepares_without_end":
            send({"type": "preparing", "doing": "warming up", "seconds": True})
        case "no_hello":
            stay()
        case "no_hello_but_noise":
            flood()
        case "no_hello_but_blank_lines":
            flood("\n" * 1000)
        case "no_hello_but_errors":
            flood("x" * 1000 + "\n", 2)
        case "exits_before_hello":
            sys.exit("cannot find the model")
        case "wrong_version":
            send({**HELLO, "protocol": 2})
        case "no_version":
            send({key: value for key, value in HELLO.items() if key != "protocol"})
        case "hello_without_measures":
            send({**HELLO, "measures": {}})
        case "hello_of_another_shape":
            send({**HELLO, "shape": "circle"})
        case "result_first":
            send(result(0, outcome="value", value=1))
        case "fails":
            send({"type": "failed", "reason": "the licence\nhas expired"})
        case "noise_first":
            put("Welcome!\nloading...\n")
            send(HELLO)
        case "closes_output_at_once":
            os.close(1)
            stay()
        case _:
            send(HELLO)


def answer_batch(calls):
    if MODE == "out_of_order":
        calls = calls[::-1]
    for call in calls:
        if call["arguments"]["num_relevant"] == TRIGGER:
            if MODE in AT_THIRTEEN:
                AT_THIRTEEN[MODE](call)
                continue
            if MODE in ALONGSIDE:
                ALONGSIDE[MODE](call)
        send(answer(call))
        if MODE == "always_twice":
            send(answer(call))
        if MODE == "crlf":
            put("\r\n")


def main():
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "start":
            greet()
        else:
            answer_batch(message["calls"])
    if MODE == "ignores_the_end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        stay()


main()

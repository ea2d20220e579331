"""Calls the function of an answer with the arguments of each case, inside the sandbox.

Reads {"source": …, "function": …, "cases": ["[…]", …]} from standard input, and writes frames to a pipe: a byte that names the
kind, the length of the payload in four bytes (big-endian), the payload. What the answer does to this process is of no use to it: it
knows no expected result, and the server judges the frames.
"""

import json
import os
import sys
from types import ModuleType


def main(results, highest, result_bytes):
    # Descriptors that the server has inherited and passed on.
    os.closerange(3, results)
    os.closerange(results + 1, highest + 1)
    request = json.loads(sys.stdin.buffer.read())
    # The answer may replace what it finds in modules. That harms only its own run, but a right answer should not be
    # spoilt by a name that it happens to use.
    write, loads, exit_process = os.write, json.loads, os._exit
    encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode

    def send(kind, payload=b""):
        frame = kind + len(payload).to_bytes(4, "big") + payload
        while frame:
            frame = frame[write(results, frame):]

    def end(kind):
        send(kind)
        exit_process(0)

    def load(source, name):
        try:
            code = compile(source, "answer.py", "exec", dont_inherit=True)
        except MemoryError:
            end(b"m")
        except BaseException:
            end(b"s")
        module = ModuleType("answer")
        sys.modules["answer"] = module
        sys.argv[:] = ["answer.py"]
        try:
            exec(code, module.__dict__)
            return module.__dict__[name]
        except MemoryError:
            end(b"m")
        except BaseException:
            end(b"x")

    def result(function, arguments):
        try:
            value = function(*loads(arguments))
        except MemoryError:
            return b"M", b""
        except BaseException:
            return b"X", b""
        try:
            payload = encode(value).encode()
        except MemoryError:
            return b"M", b""
        except BaseException:
            return b"N", b""
        return (b"V", payload) if len(payload) <= result_bytes else (b"L", b"")

    send(b"R")
    function = load(request["source"], request["function"])
    for arguments in request["cases"]:
        # Parsed anew for each case, so that no case sees what an earlier one did to its arguments.
        send(*result(function, arguments))
    end(b"F")


main(*map(int, sys.argv[1:]))

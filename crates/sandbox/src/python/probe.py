"""Tries what the sandbox must prevent, and returns what succeeded. Runs in the sandbox when the server starts."""

import os
import socket
import threading


def attempts(files, folder):
    def connect(family, kind):
        return lambda: socket.socket(family, kind)

    def read(path):
        return lambda: open(path, "rb").read(1)

    def write(path):
        return lambda: os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)

    def start(function):
        def attempt():
            if function() == 0:
                os._exit(0)
        return attempt

    yield "open a TCP socket", connect(socket.AF_INET, socket.SOCK_STREAM)
    yield "open a UDP socket", connect(socket.AF_INET, socket.SOCK_DGRAM)
    yield "open a Unix socket", connect(socket.AF_UNIX, socket.SOCK_STREAM)
    yield "open a pair of sockets", socket.socketpair
    for path in files:
        yield "read " + path, read(path)
    yield "list /", lambda: os.listdir("/")
    yield "write a file", write(os.path.join(folder, "buildtrack-sandbox-probe"))
    yield "create a folder", lambda: os.mkdir(os.path.join(folder, "buildtrack-sandbox-probe-folder"))
    yield "write a device", write("/dev/shm/buildtrack-sandbox-probe")
    yield "fork", start(os.fork)
    yield "execute a program", lambda: os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {})
    yield "start a thread", lambda: threading.Thread(target=int).start()
    yield "signal a process", lambda: os.kill(1, 0)
    yield "use more memory than allowed", lambda: bytearray(1 << 29)


def probe(files, folder):
    succeeded = []
    for name, attempt in attempts(files, folder):
        try:
            attempt()
        except (OSError, RuntimeError, MemoryError):
            continue
        succeeded.append(name)
    return succeeded

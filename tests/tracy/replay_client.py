# SPDX-License-Identifier: Apache-2.0
"""replay_client.py MODE FILE [PORT]: a Tracy client for tests, which plays a recording.

It listens as clients do, on TRACY_PORT alone or the first free port from 8086 on, answers a hello with the number of
the recording (and any other with "mismatch"), sends the recording in pieces and reads questions
until it is let go. MODE: play; hang (accepts and says nothing); garbage; slow (a byte at a time at
first); cut (ends in the middle); short (announces itself and ends at once);
lent (its port was announced as that of its parent). Prints how long it waited to be let go.
"""
import os
import random
import socket
import struct
import sys
import time

FIRST_PORT, PORTS = 8086, 20
WAIT_S = 100
PID_AT = 1 + 6 * 8  # in what is sent


def try_listen(number):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind(("127.0.0.1", number))
        server.listen(4)
        server.settimeout(WAIT_S)
        return server
    except OSError:
        server.close()
        return None


def listen(port):
    """On the first free port; others may have them all for a while."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        for number in [port] if port else range(FIRST_PORT, FIRST_PORT + PORTS):
            server = try_listen(number)
            if server is not None:
                return server
        time.sleep(0.1)
    sys.exit("no free port")


def send(connection, data, mode):
    random.seed(len(data))
    at = 0
    while at < len(data):
        size = 1 if mode == "slow" and at < 200 else random.choice((1, 100, 5000, 60000))
        connection.sendall(data[at:at + size])
        at += size


def read_questions(connection):
    """Until the last one, or the end; True: it was let go."""
    connection.settimeout(WAIT_S)
    data = b""
    while True:
        try:
            more = connection.recv(65536)
        except OSError:
            return False
        if not more:
            return True
        data += more
        whole = len(data) // 13 * 13
        if any(data[at] == 0 for at in range(0, whole, 13)):
            return True


def announce(port, number, pid):
    """As clients do, to everybody; to this computer where there is no network."""
    said = struct.pack("<HHIQi", 3, port, number, pid, 0) + b"short\0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            sender.sendto(said, ("255.255.255.255", FIRST_PORT))
        except OSError:
            sender.sendto(said, ("127.0.0.1", FIRST_PORT))


def main():
    mode, path = sys.argv[1], sys.argv[2]
    server = listen(int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("TRACY_PORT", 0)))
    with open(path, "rb") as file:
        number, data = struct.unpack("<I", file.read(4))[0], file.read()
    if mode == "short":
        announce(server.getsockname()[1], number, os.getpid())
        os._exit(0)
    if mode == "lent":
        data = data[:PID_AT] + struct.pack("<Q", os.getpid()) + data[PID_AT + 8:]
        announce(server.getsockname()[1], number, os.getppid())
    while True:
        try:
            connection, _ = server.accept()
        except socket.timeout:
            sys.exit("nobody connected")
        if mode == "hang":
            time.sleep(1.5)
            os._exit(0)
        if mode == "garbage":
            connection.sendall(os.urandom(5000))
            time.sleep(0.2)
            os._exit(0)
        hello = connection.recv(12, socket.MSG_WAITALL)
        if hello[:8] != b"TracyPrf":
            sys.exit("not a hello: %r" % hello)
        if struct.unpack("<I", hello[8:])[0] == number:
            break
        connection.sendall(b"\x02")
        connection.close()
    if mode == "cut":
        data = data[:len(data) * 2 // 3]
    try:
        send(connection, data, mode)
    except OSError:
        pass
    start = time.monotonic()
    if mode != "cut" and not read_questions(connection):
        sys.exit("was not let go")
    print("let go after %.3f s" % (time.monotonic() - start), file=sys.stderr)
    os._exit(0)


if __name__ == "__main__":
    main()

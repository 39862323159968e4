"""Forks while one thread links and another reads; child and parent then do both, and each prints its name."""

from __future__ import annotations

import os
import sys
import threading
import time

from tests.cable.program import MEMORIES, SCOPE, cable_at


def main() -> None:
    cable = cable_at(sys.argv[1])
    host = cable._open_host(SCOPE)
    hits = host.search(MEMORIES[-1].text, 6)
    cable._schedule.mode = "background"
    cable.written(SCOPE, MEMORIES[:20])
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            cable.expand(host, MEMORIES[-1].text, hits, limit=6)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            cable.written(SCOPE, MEMORIES[20:25])
            report = cable.link_pending()
            found = cable.expand(host, MEMORIES[-1].text, hits, limit=6)
            if report.pending == 0 and found.warning is None:
                os.write(1, b"child\n")
                code = 0
        finally:
            os._exit(code)
    deadline = time.monotonic() + 60
    done, status = os.waitpid(child, os.WNOHANG)
    while not done and time.monotonic() < deadline:
        time.sleep(0.05)
        done, status = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, 9)
        os.waitpid(child, 0)
    stop.set()
    reader.join()
    cable.written(SCOPE, MEMORIES[25:])
    if cable.link_pending().pending == 0 and done and status == 0:
        os.write(1, b"parent\n")
    cable.close()


if __name__ == "__main__":
    main()

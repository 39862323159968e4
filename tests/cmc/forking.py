"""Forks while another thread reads without pause, and has the child read: prints "read" if it could."""

import os
import sys
import threading
import time

from memory_evidence.cmc import ContractMemory, MemoryPool


def main(url: str) -> None:
    with MemoryPool(url) as pool:
        memory: ContractMemory = pool.get(("forking",))
        memory.add(["My name is Ann.", *(f"I like food number {n}." for n in range(200))])
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set():
                pool.get(("forking",)).read("What do I like?")

        thread = threading.Thread(target=read)
        thread.start()
        time.sleep(0.05)
        child = os.fork()
        if child == 0:
            found = pool.get(("forking",)).read("What is my name?")
            os._exit(0 if "Ann" in found.text else 3)
        deadline = time.monotonic() + 20
        done, status = os.waitpid(child, os.WNOHANG)
        while not done and time.monotonic() < deadline:
            time.sleep(0.05)
            done, status = os.waitpid(child, os.WNOHANG)
        stop.set()
        thread.join()
        if not done:
            os.kill(child, 9)
            os.waitpid(child, 0)
        print("read" if done and status == 0 else "hung" if not done else f"status {status}")


if __name__ == "__main__":
    main(sys.argv[1])

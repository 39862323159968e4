"""Run as a program by the tests: append to a log on an `SqliteStore` file."""

from __future__ import annotations

import sys

from langgraph.store.sqlite import SqliteStore

from langgraph_nodes import BaseStoreLog
from memory_evidence.records import Draft

SCOPE = ("acme", "shared")


def main() -> None:
    path, name = sys.argv[1:]
    with SqliteStore.from_conn_string(path) as store:
        log = BaseStoreLog(store)
        for number in range(10):
            log.append(SCOPE, [Draft(f"{name} {number} {each}") for each in "xyz"])


if __name__ == "__main__":
    main()

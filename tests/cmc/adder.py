"""Run as a program by the tests: add records to a memory, print each position once acknowledged, then what it reads."""

from __future__ import annotations

import sys

from memory_evidence.cmc import ContractMemory


def main() -> None:
    url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with ContractMemory(("acme", "shared"), store=url) as memory:
        for number in range(count):
            (position,) = memory.add(f"{name} lives in City {number}.").positions
            sys.stdout.write(f"{position}\n")
            sys.stdout.flush()
        sys.stdout.write(memory.read(f"Where does {name} live?").text + "\n")


if __name__ == "__main__":
    main()

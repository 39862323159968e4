"""Run as a program by the tests: record steps, print each one's number once acknowledged, then what is counted."""

from __future__ import annotations

import sys
from itertools import count

from memory_evidence.tallymem import TallyMem

SCOPE = ("acme", "shared")


def main() -> None:
    url, name, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with TallyMem.open(SCOPE, store=url) as memory:
        for number in range(steps) if steps else count():
            row = memory.record(f"open {name} {number}", f"You open the {name} {number}.")
            sys.stdout.write(f"{row.step}\n")
            sys.stdout.flush()
        evidence = memory.evidence(f"How many times was a {name} opened?")
        sys.stdout.write(f"{evidence.computed and evidence.computed.results[0].value}\n")


if __name__ == "__main__":
    main()

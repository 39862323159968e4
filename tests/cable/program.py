"""Run as a program by the tests: queue or link the memories of one host, and print each once it is acknowledged."""

from __future__ import annotations

import sys

from memory_evidence.cable import Cable, LinkOptions, Memory, linking
from memory_evidence.models import Usage
from memory_evidence.testing import ScriptedModel
from tests.cable.hosts import NumpyHost
from tests.cable.judges import MANY, answering

SCOPE = ("acme", "shared")
THINGS = ("apples", "boats", "clocks", "drums", "engines", "flutes", "gardens", "horses")
# Too few for a memory to get more links than it may: which are refused would depend on the order.
TEXTS = [f"Ann talked about {THINGS[n % 8]} and about the {THINGS[(n * 3) % 7]} number {n}." for n in range(32)]
MEMORIES = [Memory(str(n), text) for n, text in enumerate(TEXTS)]
EVERY_PAIR = {(earlier, later) for earlier in TEXTS for later in TEXTS}


def cable_at(url: str) -> Cable:
    """Return a `Cable` over all of `MEMORIES`, whose model finds and accepts a few antecedents of each."""
    host = NumpyHost(MEMORIES, scope=SCOPE)
    model = ScriptedModel([answering(EVERY_PAIR, THINGS[:3])] * MANY)
    return Cable(lambda scope: host, store=url, model=model, linking="deferred", link_options=LinkOptions(direct_k=3))


def main() -> None:
    url, what = sys.argv[1:]
    linking.LEASE_S = 1.0
    cable = cable_at(url)
    if what == "queue":
        for memory in MEMORIES:
            cable.written(SCOPE, [memory])
            sys.stdout.write(f"{memory.id}\n")
            sys.stdout.flush()
        return

    def acknowledged(done: int, total: int) -> None:
        sys.stdout.write(f"{done} of {total}\n")
        sys.stdout.flush()

    report = cable.link_pending(progress=acknowledged)
    asked = report.usage.get("classify", Usage())
    sys.stdout.write(f"linked {report.linked} with {asked.calls} calls\n")


if __name__ == "__main__":
    main()

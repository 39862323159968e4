"""Drop-in evidence for agents: answers from the current state of a long, contradictory history.

The engines live in subpackages and import no framework: `memory_evidence.cmc` (Contract Memory Compiler). This module
imports nothing, so that `import memory_evidence` is light.
"""

import logging

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())

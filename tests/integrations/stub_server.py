"""An OpenAI-compatible server on loopback that misbehaves on request."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    drop: bool = False
    """Close the connection without a word."""
    hang: bool = False
    """Say nothing until the server ends."""


Behaviour = Callable[[dict[str, Any]], Answer]


def says(text: str | None, *, prompt_tokens: int = 3, completion_tokens: int = 2, **message: Any) -> Answer:
    return Answer(
        body=json.dumps(
            {
                "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens},
            }
        )
    )


def fails(status: int, message: str, **error: Any) -> Answer:
    body = json.dumps({"error": {"message": message, **error}})
    # Without the header the library pauses for half a second before it tries again.
    return Answer(status, body, {"content-type": "application/json", "retry-after-ms": "1"})


class StubServer:
    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.behaviour: Behaviour = lambda _: says("ok")
        self.keep_alive = False
        self.in_flight = self.peak = 0
        self.changed = threading.Condition()
        self.ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def one_by_one(self, *answers: Answer) -> None:
        """Give each of `answers` once, then refuse."""
        left = list(answers)
        self.behaviour = lambda _: left.pop(0) if left else fails(400, "asked more often than expected")

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(stub) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 5  # of idle connections that the client left open

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with stub.changed:
                    stub.requests.append(body)
                    stub.keys.append(self.headers["authorization"])
                    stub.in_flight += 1
                    stub.peak = max(stub.peak, stub.in_flight)
                    stub.changed.notify_all()
                try:
                    answer = stub.behaviour(body)
                finally:
                    with stub.changed:
                        stub.in_flight -= 1
                if answer.hang:
                    stub.ended.wait()
                if answer.hang or answer.drop:
                    self.close_connection = True
                    return
                content = answer.body.encode()
                self.send_response(answer.status)
                for name, value in {"content-length": str(len(content)), **answer.headers}.items():
                    self.send_header(name, value)
                if not stub.keep_alive:
                    self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

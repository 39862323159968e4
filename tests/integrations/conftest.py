from collections.abc import Iterator

import pytest

from tests.integrations.stub_server import StubServer


@pytest.fixture
def stub() -> Iterator[StubServer]:
    server = StubServer()
    yield server
    server.close()

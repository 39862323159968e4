from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from tests.integrations.stub_server import StubServer


@pytest.fixture
def stub() -> Iterator[StubServer]:
    server = StubServer()
    yield server
    server.close()


@pytest.fixture
async def http_clients() -> AsyncIterator[tuple[Any, Any]]:
    """A sync and an async client for the hosts' models, which leave theirs open."""
    with DefaultHttpxClient() as client:
        async with DefaultAsyncHttpxClient() as async_client:
            yield client, async_client

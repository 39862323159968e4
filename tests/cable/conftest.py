from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_evidence.cable import open_links
from tests.store.conftest import file_url, postgres_url

__all__ = ("file_url", "postgres_url")


@pytest.fixture(params=["memory", "file", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return "sqlite://"
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture(params=["file", "postgres"])
def shared_url(request: pytest.FixtureRequest) -> str:
    """A database that several processes can open."""
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def store(url: str) -> Iterator[Any]:
    with open_links(url) as links:
        yield links

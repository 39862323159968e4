from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import local_server

# How long an example takes says nothing about whether it is right.
settings.register_profile("memory_evidence", deadline=None)
settings.load_profile("memory_evidence")


@pytest.fixture(scope="session")
def local_model_url() -> Iterator[str]:
    """Base URL (".../v1") of a real small model on this machine."""
    if reason := local_server.missing():
        pytest.skip(f"no local model: {reason}")
    with local_server.running() as url:
        yield url

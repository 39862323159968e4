from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """A schema of its own on the server in MEMORY_EVIDENCE_POSTGRES, gone after the test."""
    server = os.environ.get("MEMORY_EVIDENCE_POSTGRES")
    if not server:
        pytest.skip("set MEMORY_EVIDENCE_POSTGRES to the URL of a PostgreSQL database to run this")
    psycopg = pytest.importorskip("psycopg")
    name = f"memory_evidence_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {name}")
        yield f"{server}?options=-csearch_path%3D{name}&application_name={name[:60]}"
        admin.execute(f"DROP SCHEMA {name} CASCADE")

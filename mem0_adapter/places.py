"""What tells one vector store of mem0 from another: two of them may have a collection of the same name."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any
from urllib.parse import urlsplit

__all__ = ["place_of"]

_WHERE = (
    "host", "port", "url", "endpoint", "cluster_url", "redis_url", "valkey_url", "mongo_uri", "connection_string",
    "cloud_id", "contact_points", "workspace_url", "service_name", "region", "region_name", "environment",
    "project_id", "index_id", "endpoint_id", "vector_bucket_name", "tenant", "namespace", "keyspace", "catalog",
    "schema", "database", "dbname", "db_name", "database_name", "table_name", "index_name",
)  # fmt: skip
"""Settings of mem0's stores that say where the rows are. Never who asks for them: keys and passwords change."""

_WHO = re.compile(r"\b(?:user\w*|pass\w*|pwd|token|\w*key|\w*secret)\s*=\s*(?:'[^']*'|[^\s;&]+)", re.IGNORECASE)


def place_of(memory: Any) -> str:
    """Return a name for where a mem0 memory keeps its vectors: 16 hexadecimal digits, the same in every process.

    A folder counts with its whole path, however it is written; stores that are told by nothing, such as those in
    memory, are one place.
    """
    store = getattr(getattr(memory, "config", None), "vector_store", None)
    settings = getattr(store, "config", None)
    told = settings if isinstance(settings, dict) else vars(settings) if hasattr(settings, "__dict__") else {}
    parts = [f"{name}={_without_who(str(told[name]))}" for name in _WHERE if told.get(name) not in (None, "")]
    if told.get("path"):
        parts.append(f"path={os.path.realpath(str(told['path']))}")
    named = "\n".join([str(getattr(store, "provider", "")), *parts])
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _without_who(text: str) -> str:
    if "://" not in text:
        return _WHO.sub("", text)
    url = urlsplit(text)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path.rstrip('/')}"

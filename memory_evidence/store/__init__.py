"""Where records are kept: `open_log` for a database, `Log` for what the engines ask of any other place."""

from __future__ import annotations

from memory_evidence.errors import ConfigError
from memory_evidence.store.log import Log, LogVersion

__all__ = ("Log", "LogVersion", "open_log")

_METHODS = ("append", "records", "version", "save_compiled", "load_compiled", "forget", "close")


def open_log(store: str | Log) -> Log:
    """Open the log at a URL; a `Log` is returned as it is.

    Args:
        store: `sqlite:///relative/memory.db`, `sqlite:////absolute/memory.db`, `sqlite://` (in memory, gone with the
            returned object) or `postgresql://user:password@host/database` (needs the extra `postgres`). The tables are
            created in an empty database; a missing folder is not.

    Raises:
        ConfigError: It is neither such a URL nor a log.
        MissingExtraError: PostgreSQL's driver is not installed.
        StoreSchemaError: The database belongs to something else or to another release.
        StoreError: It cannot be opened.
    """
    if isinstance(store, str):
        from memory_evidence.store.sql import SqlLog  # deferred: SQLAlchemy is slow to import

        return SqlLog(store)
    if not all(callable(getattr(store, name, None)) for name in _METHODS):
        raise ConfigError("store", store, 'a URL such as "sqlite:///memory.db", or a log with the methods of `Log`')
    return store

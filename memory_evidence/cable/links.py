"""Links between memories: what one is, and where they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_evidence.errors import ConfigError
from memory_evidence.store.link import Link, text_hash

if TYPE_CHECKING:
    from memory_evidence.cable.link_store import LinkStore

__all__ = ["Link", "open_links", "text_hash"]


def open_links(store: str | LinkStore) -> LinkStore:
    """Open the links kept at a URL; a `LinkStore` is returned as it is.

    Args:
        store: A URL as for `memory_evidence.store.open_log`; both may be kept in one database.

    Raises:
        ConfigError: It is neither such a URL nor a link store.
        MissingExtraError: PostgreSQL's driver is not installed.
        StoreSchemaError: The database belongs to something else or to another release.
        StoreError: It cannot be opened.
    """
    from memory_evidence.cable.link_store import LinkStore  # deferred: SQLAlchemy is slow to import

    if isinstance(store, str):
        return LinkStore(store)
    if not isinstance(store, LinkStore):
        raise ConfigError("store", store, 'a URL such as "sqlite:///memory.db", or what open_links returned')
    return store

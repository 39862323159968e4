from tests.store.conftest import file_url, postgres_url

__all__ = ("file_url", "postgres_url")

"""Every error this package raises.

```
MemoryEvidenceError
├── ConfigError (ValueError)         an argument or setting is wrong
│   └── ScopeError                   the scope is missing, not a tuple, or holds an empty part
├── InputError (ValueError)          a record, question or history cannot be taken as given
├── MissingExtraError (ImportError)  an optional host package is not installed
├── StoreError (RuntimeError)        the database refused or failed
│   └── StoreSchemaError             the database is not ours, or of another schema version
├── ModelError (RuntimeError)        a model call failed (timeout, refused, server error)
│   └── ModelOutputError             a model answered, but not in the asked form; keeps `.raw`
└── HostError (RuntimeError)         a host framework's own call failed; keeps `.operation`
```

Messages name the thing, what was needed, what came, and the fix. Arguments stay in `args`, so that errors survive
process pools.
"""

from __future__ import annotations

from typing_extensions import override


class MemoryEvidenceError(Exception):
    """Root of every error of this package."""


class ConfigError(MemoryEvidenceError, ValueError):
    """An argument or setting has a value that cannot be used."""

    def __init__(self, name: str, got: object, need: str) -> None:
        super().__init__(name, got, need)
        self.name, self.got, self.need = name, got, need

    @override
    def __str__(self) -> str:
        return f"`{self.name}` must be {self.need}; got {_short(self.got)}"


class ScopeError(ConfigError):
    """The scope is missing, is not a tuple of strings, or holds an empty part."""

    def __init__(self, got: object, need: str = 'a tuple of non-empty strings such as ("tenant", "user")') -> None:
        super().__init__("scope", got, need)
        self.args = (got, need)


class InputError(MemoryEvidenceError, ValueError):
    """A record, question or history cannot be taken as given."""

    def __init__(self, name: str, got: object, need: str) -> None:
        super().__init__(name, got, need)
        self.name, self.got, self.need = name, got, need

    @override
    def __str__(self) -> str:
        return f"{self.name} must be {self.need}; got {_short(self.got)}"


class MissingExtraError(MemoryEvidenceError, ImportError):
    """A module was used whose host package is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(extra)
        self.extra = extra

    @override
    def __str__(self) -> str:
        return (
            f'this module needs the extra `{self.extra}`; install it with: pip install "memory-evidence[{self.extra}]"'
        )


class StoreError(MemoryEvidenceError, RuntimeError):
    """The database refused or failed; nothing of the failed write was kept."""

    def __init__(self, operation: str, reason: str) -> None:
        super().__init__(operation, reason)
        self.operation, self.reason = operation, reason

    @override
    def __str__(self) -> str:
        return f"store: {self.operation} failed: {self.reason}"


class StoreSchemaError(StoreError):
    """The database is not ours, or was written by another schema version."""


class ModelError(MemoryEvidenceError, RuntimeError):
    """A model call failed; `.retryable` says whether asking again later may help."""

    def __init__(self, operation: str, reason: str, retryable: bool = True) -> None:
        super().__init__(operation, reason, retryable)
        self.operation, self.reason, self.retryable = operation, reason, retryable

    @override
    def __str__(self) -> str:
        return f"model: {self.operation} failed: {self.reason}"


class ModelOutputError(ModelError):
    """A model answered, but not in the form it was asked for."""

    def __init__(self, operation: str, reason: str, raw: str) -> None:
        super().__init__(operation, reason, False)
        self.args = (operation, reason, raw)
        self.raw = raw


class HostError(MemoryEvidenceError, RuntimeError):
    """A call of the host framework failed; the host's own error is the cause."""

    def __init__(self, operation: str, reason: str) -> None:
        super().__init__(operation, reason)
        self.operation, self.reason = operation, reason

    @override
    def __str__(self) -> str:
        return f"{self.operation} failed: {self.reason}"


def _short(value: object, limit: int = 120) -> str:
    text = repr(value) if not isinstance(value, str) or len(value) <= limit else repr(value[:limit])
    return text if len(text) <= limit + 2 else text[:limit] + "..."

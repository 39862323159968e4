"""Locks do not survive a fork: one that another thread held is held forever in the child."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class HasLocks(Protocol):
    """Something whose locks must be made anew in a forked child."""

    def after_fork(self) -> None:
        """Make new locks, and drop what another thread may have been in the middle of changing."""
        ...


_owners: weakref.WeakSet[HasLocks] = weakref.WeakSet()


def renew_after_fork(owner: HasLocks) -> None:
    """Have `owner.after_fork()` called in every child forked from here on, for as long as `owner` lives."""
    _owners.add(owner)


def _renew() -> None:
    for owner in list(_owners):
        owner.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, where there is no fork
    os.register_at_fork(after_in_child=_renew)

"""What every host must do, on both A-MEMs."""

from unittest import SkipTest
from uuid import uuid4

import pytest

from memory_evidence.testing import CableContract
from tests.amem_adapter import systems

QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


class Contract(CableContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.path = tmp_path

    def open_system(self, folder, user):
        raise NotImplementedError

    def open(self, **settings):
        folder = self.path / uuid4().hex
        folder.mkdir()
        return systems.WrappedAMem(folder, lambda user: self.open_system(folder, user), **settings)


@QUIET
@pytest.mark.skipif(systems.fork_missing() is not None, reason=systems.fork_missing() or "")
class TestPackage(Contract):
    def open_system(self, folder, user):
        return systems.new_system(systems.fork(), storage_path=str(folder / user))


@QUIET
@pytest.mark.skipif(systems.upstream_missing() is not None, reason=systems.upstream_missing() or "")
class TestUpstream(Contract):
    def open_system(self, folder, user):
        if user != "ann":
            raise SkipTest("upstream A-MEM has one system in a process: another one deletes its notes")
        return systems.new_system(systems.upstream())

"""What importing does, each time in a process of its own: little, and nothing that another's folder can break."""

from __future__ import annotations

import ast
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "memory_evidence",
    "langgraph_nodes",
    "llamaindex_retrievers",
    "mem0_adapter",
    "amem_adapter",
    "integrations",
)
HOSTS = (
    "langgraph",
    "langchain",
    "langchain_core",
    "llama_index",
    "openai",
    "httpx",
    "mem0",
    "chromadb",
    "agentic_memory",
    "simplemem",
    "lancedb",
    "networkx",
    "torch",
    "transformers",
    "tokenizers",
    "psycopg",
    "bm25s",
)


def run(code: str, folder: Path) -> str:
    """Run `code` in `folder`, with nothing of this process's path but the packages under test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    # The folder comes first on the path, as with any program that is started in it.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(module: str, folder: Path) -> set[str]:
    names = run(f"import {module}, sys; print(*{{name.partition('.')[0] for name in sys.modules}})", folder)
    return set(names.split())


def modules(package: str) -> list[str]:
    folder = ROOT / package
    return [package, *(name for _, name, _ in pkgutil.walk_packages([str(folder)], f"{package}."))]


def test_import_memory_evidence_brings_in_no_other_library(tmp_path: Path) -> None:
    others = loaded("memory_evidence", tmp_path) - set(sys.stdlib_module_names) - {"memory_evidence", "__main__"}
    # What an editable installation or the site itself loads is there before any import.
    assert others - loaded("sys", tmp_path) == set()


@pytest.mark.parametrize(
    "module",
    [
        "memory_evidence.cmc",
        "memory_evidence.tallymem",
        "memory_evidence.cable",
        "memory_evidence.store",
        "memory_evidence.testing",
        "memory_evidence.models",
    ],
)
def test_engines_import_no_framework(module: str, tmp_path: Path) -> None:
    assert loaded(module, tmp_path).isdisjoint(HOSTS)


@pytest.mark.parametrize("module", ["memory_evidence.cmc", "memory_evidence.tallymem", "memory_evidence.store"])
def test_only_vectors_need_numpy(module: str, tmp_path: Path) -> None:
    assert "numpy" not in loaded(module, tmp_path)


def test_importing_an_engine_defers_the_database(tmp_path: Path) -> None:
    assert "sqlalchemy" not in loaded("memory_evidence.cmc", tmp_path)


def test_a_memory_in_sqlite_needs_no_framework(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({HOSTS!r}))\n"
        "from memory_evidence.cmc import ContractMemory\n"
        "with ContractMemory(('u',), store='sqlite://') as m:\n"
        "    m.add('Ann lives in Oslo.')\n"
        "    print(m.read('Where does Ann live?').text)"
    )
    assert run(code, tmp_path) == "1. Ann lives in Oslo.\n"


@pytest.mark.parametrize(
    "module", ["memory_evidence", "memory_evidence.cmc", "langgraph_nodes", "llamaindex_retrievers", "amem_adapter"]
)
def test_importing_writes_no_file_and_no_log(module: str, tmp_path: Path) -> None:
    code = f"import {module}, logging; print(logging.getLogger().handlers, logging.getLogger('memory_evidence').level)"
    assert run(code, tmp_path) == "[] 0\n"
    assert list(tmp_path.iterdir()) == []


def test_a_users_own_folder_named_integrations_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "integrations").mkdir()
    (tmp_path / "integrations" / "__init__.py").write_text("raise RuntimeError('not ours')")
    names = [name for package in PACKAGES if package != "integrations" for name in modules(package)]
    assert len(names) > 30
    code = (
        "".join(f"import {name}\n" for name in names) + "from langgraph_nodes import ContractMemoryMiddleware\n"
        "try:\n    import integrations\nexcept RuntimeError as e:\n    print(e)"
    )
    assert run(code, tmp_path) == "not ours\n"


def imported(path: Path) -> set[str]:
    """Names of the top-level packages that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            assert name not in ("__import__", "import_module"), f"{path} imports by a name made at run time"
    return found


# Which packages of ours, and which hosts, each package may import.
ALLOWED = {
    "memory_evidence": {"memory_evidence", "networkx"},
    "langgraph_nodes": {"memory_evidence", "langgraph_nodes", "langgraph", "langchain", "langchain_core"},
    "llamaindex_retrievers": {"memory_evidence", "llamaindex_retrievers", "llama_index"},
    "mem0_adapter": {"memory_evidence", "mem0_adapter", "mem0"},
    "amem_adapter": {"memory_evidence", "amem_adapter"},
    "integrations": {"memory_evidence", "integrations", "openai", "langchain_core", "llama_index", "chromadb"},
}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for file in files:
        assert imported(file) & ({*HOSTS, *PACKAGES} - {"psycopg"}) <= ALLOWED[package], file


def test_every_module_can_be_imported_alone(tmp_path: Path) -> None:
    names = modules("memory_evidence")
    code = (
        "import sys\nfrom importlib import import_module\n"
        "covered = set()\n"
        f"for name in {names!r}:\n"
        # What its package loads by itself is loaded in that order, whichever of it is asked for.
        "    if name not in covered:\n"
        "        for ours in [m for m in sys.modules if m.partition('.')[0] == 'memory_evidence']:\n"
        "            del sys.modules[ours]\n"
        "        import_module(name)\n"
        "        covered |= {m for m in sys.modules if m.startswith(name + '.')}\n"
        "    print(name)"
    )
    assert run(code, tmp_path).split() == names


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("langgraph_nodes", "langgraph", "langgraph"),
        ("langgraph_nodes.middleware", "langchain", "langchain"),
        ("langgraph_nodes.remember_middleware", "langchain", "langchain"),
        ("langgraph_nodes.tally", "langgraph", "langgraph"),
        ("llamaindex_retrievers", "llama_index", "llamaindex"),
        ("integrations.openai_model", "openai", "openai"),
        ("integrations.langchain_model", "langchain_core", "langchain"),
        ("integrations.llamaindex_model", "llama_index", "llamaindex"),
    ],
)
def test_a_missing_host_is_an_error_that_names_the_extra(module: str, missing: str, extra: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from memory_evidence.errors import MissingExtraError\n"
        f"try:\n    import {module}\n"
        "except MissingExtraError as e:\n"
        "    print(e.extra, isinstance(e, ImportError), isinstance(e.__cause__, ImportError), e)"
    )
    message = f'this module needs the extra `{extra}`; install it with: pip install "memory-evidence[{extra}]"'
    assert run(code, tmp_path) == f"{extra} True True {message}\n"


def test_memories_are_wrapped_without_importing_their_library(tmp_path: Path) -> None:
    # Importing mem0 writes a folder and starts its telemetry; that is for the user to do.
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('mem0', 'chromadb', 'agentic_memory', 'simplemem')))\n"
        "import mem0_adapter, amem_adapter, integrations.chroma, integrations.simplemem"
    )
    assert run(code, tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_missing_postgres_driver_is_an_error_that_names_the_extra(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from memory_evidence.cmc import ContractMemory\n"
        "from memory_evidence.errors import MissingExtraError\n"
        "try:\n    ContractMemory(('u',), store='postgresql://nobody@localhost/none')\n"
        "except MissingExtraError as e:\n    print(e.extra)"
    )
    assert run(code, tmp_path) == "postgres\n"

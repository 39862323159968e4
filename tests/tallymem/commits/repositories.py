"""Git repositories of the tests' own making."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Builder:
    """A repository that is written commit by commit, a minute apart."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.clock = 1_700_000_000
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str | bytes) -> str:
        stamp = f"{self.clock} +0000"
        environment = {**os.environ, **IDENTITY, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=False
        )
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, path: str | bytes, content: str | bytes) -> None:
        whole = os.path.join(os.fsencode(self.folder), path if isinstance(path, bytes) else os.fsencode(path))
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)

    def commit(self, subject: str, **files: str | bytes) -> str:
        """Write files (`src__cart_py` is src/cart.py), and commit everything there is; return the commit's id."""
        for name, content in files.items():
            folder, _, base = name.rpartition("__")
            self.write(os.path.join(folder.replace("__", "/"), ".".join(base.rsplit("_", 1))), content)
        self.clock += 60
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.git("rev-parse", "HEAD")


def text(name: str, **values: object) -> str:
    """Return a file with enough lines of its own for git to know it again, and some assignments."""
    own = [f"# line {n} of {name}" for n in range(12)]
    return "\n".join([*own, *(f"{key} = {value}" for key, value in values.items()), ""])


def shop(folder: Path) -> Builder:
    """A small history: a cart that is renamed, a rate that changes, a file that goes and comes back."""
    shop = Builder(folder)
    shop.commit("Start", cart_py=text("cart", RATE=1, LIMIT=5), README_md="Shop\n")
    shop.commit("Taxes", tax_py=text("tax", RATE='"low"'))
    shop.commit("A higher rate", cart_py=text("cart", RATE=2, LIMIT=5))
    (folder / "src").mkdir()
    shop.git("mv", "cart.py", "src/cart.py")
    shop.commit("Move the cart")
    shop.git("rm", "--quiet", "tax.py")
    shop.commit("No taxes")
    shop.commit("Back to the old rate", src__cart_py=text("cart", RATE=1, LIMIT=7))
    shop.commit("Taxes again", tax_py=text("tax", RATE='"high"'), README_md="Shop with taxes\n")
    return shop


def random_history(folder: Path, seed: int, commits: int = 40) -> Builder:
    """A history of many kinds of changes on two branches, with odd file names."""
    draw = random.Random(seed)
    made = Builder(folder)
    names = ["app.py", "src/app.py", "src/my file.txt", "ünï/código.cfg", "-dash.ini", "tests/app.py", "'quoted'.txt"]
    held: dict[str, dict[str, int]] = {}

    def write(path: str) -> None:
        values = held.setdefault(path, {})
        values[draw.choice(("RATE", "LIMIT", "version"))] = draw.randrange(9)
        made.write(path, text(path, **values))

    write("app.py")
    made.commit("commit 1")
    for number in range(2, commits):
        present = made.git("ls-files", "-z").split("\0")[:-1]
        what = draw.choice(("write", "write", "write", "rename", "delete", "both", "merge"))
        if what == "rename" and present:
            old, new = draw.choice(present), f"moved/{number}.py"
            (folder / "moved").mkdir(exist_ok=True)
            made.git("mv", "--", old, new)
            held[new] = held.pop(old, {})
        elif what == "delete" and len(present) > 2:
            made.git("rm", "--quiet", "--", present[0])
            held.pop(present[0], None)
        elif what == "merge":
            made.git("checkout", "--quiet", "-b", f"side{number}")
            made.write(f"side/{number}.py", text(f"side {number}", RATE=number))
            made.commit(f"side {number}")
            made.git("checkout", "--quiet", "main")
            write("app.py")
            made.commit(f"beside {number}")
            made.clock += 60
            made.git("merge", "--quiet", "--no-ff", "--message", f"merge {number}", f"side{number}")
        else:
            for path in draw.sample(names, 2 if what == "both" else 1):
                write(path)
        made.commit(f"commit {number}")
    return made

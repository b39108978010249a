# SPDX-License-Identifier: Apache-2.0
"""What a tree costs before anyone plays: its commands and its environment."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import platformdirs

from tests.bench.against import AgainstFailed, Tree
from tests.bench.cost_tables import Pair, Trees, pair, surroundings

HELP: Final = ("--help",)
COMMANDS: Final = {
    "help": (HELP, HELP),
    "games": (("games",), ("games",)),
    "panels": (("tools", "panels"), ("panels",)),
    "records-list": (("records", "list"), ("records", "list")),
}
"""The words of each in this tree and in the older one."""
RECORDING: Final = "tests/recordings/close-quarters-whole-game.jsonl"
"""A game in both trees, for the list of records."""
RUNS: Final = 5


def spent(trees: Trees, homes: Sequence[str], said: Sequence[tuple[str, ...]]) -> list[float]:
    """Processor seconds of `companion` with the words *said* to each tree, one after the other.

    Raises `AgainstFailed`.
    """
    used = []
    for tree, home, words in zip(trees, homes, said, strict=True):
        process = tree.start("-m", "companion", *words, env=surroundings(home), stdout=subprocess.DEVNULL)
        used.append(tree.end(process).processor_s)
        if process.returncode and words not in COMMANDS["panels"]:  # that one finds no panel here
            raise AgainstFailed(
                f"`companion {' '.join(words)}` ended with code {process.returncode} in {tree.name}, see above"
            )
    return used


def commands(trees: Trees) -> dict[str, Pair]:
    """Processor time of commands by that of `--help`, the least of some rounds."""
    with tempfile.TemporaryDirectory() as now, tempfile.TemporaryDirectory() as before:
        homes = now, before
        spent(trees, homes, [("records", "import", RECORDING)] * 2)
        rounds = [{name: spent(trees, homes, said) for name, said in COMMANDS.items()} for _ in range(RUNS)]
    least = {
        name: [min(times) for times in zip(*(each[name] for each in rounds), strict=True)]
        for name in rounds[0]
    }
    usual = least.pop("help")
    note = f"--help {usual[0]:.3f} s, before {usual[1]:.3f} s"
    return {
        name: pair((time / help_s for time, help_s in zip(times, usual, strict=True)), note)
        for name, times in least.items()
    }


# --- the environment ---


def files_of(folder: Path) -> list[str]:
    """The files that git knows or would add; without git, all but hidden ones."""
    words = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False).stdout
    known = [name for name in listed.split("\0") if (folder / name).is_file()]
    everything = (path.relative_to(folder) for path in folder.glob("[!.]*/**/*") if path.is_file())
    top = (path.relative_to(folder) for path in folder.glob("[!.]*") if path.is_file())
    return known or [str(path) for path in (*top, *everything)]


def copied(tree: Tree, folder: Path) -> None:
    """Copy the files of *tree* to *folder*."""
    for name in files_of(tree.folder):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree.folder / name, target)


def remembered(tree: Tree) -> Path:
    """The file for the sizes of the environment of *tree*, by all that determines them."""
    digest = hashlib.sha256(sys.version.encode())
    files = (tree.folder / "start.py", tree.folder / "pyproject.toml")
    for path in (*files, *sorted((tree.folder / "requirements").glob("*.txt"))):
        digest.update(path.read_bytes())
    cache = platformdirs.user_cache_path("companion", appauthor=False) / "cost"
    return cache / f"{digest.hexdigest()[:16]}.json"


class Environments:
    """The environments for playing that the trees' start.py make, in copies of the trees.

    They are installed beside other measurements; that of the older tree once for all runs.
    """

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._stack = ExitStack()
        self._installing: list[tuple[Tree, subprocess.Popen[str]] | None] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self) -> None:
        """Begin to install."""
        now, before = self._trees
        is_known = remembered(before).exists()
        self._installing = [self._install(now), None if is_known else self._install(before)]

    def pair(self) -> Pair:
        """MB on the disk, once they are installed. Raises `AgainstFailed`."""
        now, before = (
            None if each is None else self._sizes(tree, *each)
            for tree, each in zip(self._trees, self._installing, strict=True)
        )
        file = remembered(self._trees[1])
        if before is None:
            before = json.loads(file.read_text(encoding="utf-8"))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(before), encoding="utf-8")
        assert now is not None
        return Pair(now[0], before[0], f"in its files {now[1]:.1f} MB, before {before[1]:.1f} MB")

    def _install(self, tree: Tree) -> tuple[Tree, subprocess.Popen[str]]:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        copied(tree, Path(folder))
        copy = self._stack.enter_context(Tree(Path(folder), Path(sys.executable), tree.name))
        return copy, copy.start("start.py", "--version", env=surroundings(folder), stdout=subprocess.DEVNULL)

    def _sizes(self, tree: Tree, copy: Tree, process: subprocess.Popen[str]) -> tuple[float, float]:
        """MB on the disk and in the files."""
        copy.end(process)
        if process.returncode:
            raise AgainstFailed(
                f"start.py ended with code {process.returncode} in a copy of {tree.name}, see above: is this"
                " machine online?"
            )
        made = copy.folder / ".venv"
        return used_mb(made), used_mb(made, "--apparent-size")


def used_mb(folder: Path, *options: str) -> float:
    """What `du` says of *folder*."""
    said = subprocess.run(
        ["du", "--summarize", "--block-size=1", *options, folder], capture_output=True, check=True
    )
    return int(said.stdout.split()[0]) / 1e6

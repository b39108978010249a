# SPDX-License-Identifier: Apache-2.0
"""Run the same program in this tree and in an older one, alternately.

The program is an adapter: a script that reads and prints JSON lines, and imports only names that
both trees have. An older tree is a commit or the path of a tree. A commit is checked out in the
user's cache folder and removed afterwards; its environment stays there, so that only the first run
installs it. A path is used as it is, with its .venv; if it has none, one is installed there. The
variable AGAINST_PYTHON names a Python for the older tree; then nothing is installed.

Exit codes: 0 compared, 1 a tree or an adapter failed, 2 wrong arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Self

import platformdirs

ROOT: Final = Path(__file__).resolve().parents[2]
PYTHON_VARIABLE: Final = "AGAINST_PYTHON"
INHERITED: Final = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", PYTHON_VARIABLE)
"""Variables that would lead another tree's Python to this tree."""
INSTALL: Final = "import start; print(start.environment('dev'))"
OLDER_NAMES: Final = ROOT / "tests" / "bench" / "older_names.py"
RUN: Final = """
import re, runpy, sys
kept, names, sys.argv = sys.argv[1], sys.argv[2], sys.argv[3:]
runpy.run_path(names, run_name="__main__")
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    with open("/proc/self/status") as status, open(kept, "w") as file:
        file.write(re.search("VmHWM:\\s*(\\d+)", status.read())[1])
"""
"""Runs an adapter and writes its memory into a file.

`wait4` reports at least the memory of the process that starts another.
"""
LAST_LINES: Final = 12


def adapter_words(adapter: Path, *arguments: str, kept: str = os.devnull) -> tuple[str, ...]:
    """Words for a tree's Python: run *adapter*, and write its memory into the file *kept*."""
    return ("-P", "-c", RUN, kept, str(OLDER_NAMES), str(adapter.resolve()), *arguments)


Line = dict[str, Any]


class AgainstFailed(Exception):
    """A tree is not available or an adapter failed; names thing, cause and remedy."""


class Usage(NamedTuple):
    """What a process and its ended children used."""

    processor_s: float
    """Processor time of user and system."""
    peak_rss: int
    """The largest resident memory of one of them, or of the adapter, in bytes."""


class Measured(NamedTuple):
    """What an adapter printed, and what it used."""

    value: list[Line]
    processor_s: float
    peak_rss: int


class Tree:
    """A tree with its Python; processes run in its folder.

    They get process groups of their own, and all that run are ended by `close`.
    """

    def __init__(self, folder: Path, python: Path, name: str) -> None:
        self.folder = folder
        self.python = python
        self.name = name
        self._running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        stdin: int | IO[Any] = subprocess.DEVNULL,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
    ) -> subprocess.Popen[str]:
        """Start the tree's Python with *arguments*: `start("-m", "companion", "demo")`."""
        process = subprocess.Popen(
            [str(self.python), *arguments],
            cwd=self.folder,
            env={**clean_environment(), "PYTHONPATH": str(self.folder), **(env or {})},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._running.append(process)
        return process

    def end(self, process: subprocess.Popen[str], *, kill: bool = False) -> Usage:
        """Wait until *process* ends, with *kill* end it; then end what it left behind."""
        if kill:
            _kill_group(process)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self._running.remove(process)
        _kill_group(process)
        for pipe in filter(None, (process.stdin, process.stdout)):
            with suppress(BrokenPipeError):  # what it did not read
                pipe.close()
        return Usage(
            used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        )

    def run_adapter(
        self,
        adapter: Path,
        *arguments: str,
        lines: Iterable[Line] = (),
        env: Mapping[str, str] | None = None,
    ) -> Generator[Line, None, Usage]:
        """Yield the lines that *adapter* prints when it gets *lines*.

        The generator's return value is what it used. Raises `AgainstFailed`.
        """
        with tempfile.TemporaryDirectory() as own, (Path(own) / "said").open("w+") as said:
            given, kept = Path(own) / "given", Path(own) / "peak"
            given.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
            command = adapter_words(adapter, *arguments, kept=str(kept))
            with given.open() as file:
                process = self.start(*command, env=env, stdin=file, stdout=subprocess.PIPE, stderr=said)
            try:
                for text in process.stdout or ():
                    yield self._read(adapter, text)
            except BaseException:
                self.end(process, kill=True)
                raise
            used = self.end(process)
            if process.returncode:
                said.seek(0)
                raise AgainstFailed(
                    f"the adapter {adapter.name} failed in {self.name} with code {process.returncode}; does it"
                    f" use names that {self.folder} lacks? Its last lines:\n{last_lines(said.read())}"
                )
            return used._replace(peak_rss=int(kept.read_text()) * 1024) if kept.exists() else used

    def measure(
        self,
        adapter: Path,
        *arguments: str,
        lines: Iterable[Line] = (),
        env: Mapping[str, str] | None = None,
    ) -> Measured:
        """Run *adapter* to its end and measure it. Raises `AgainstFailed`."""
        run, found = self.run_adapter(adapter, *arguments, lines=lines, env=env), []
        while True:
            try:
                found.append(next(run))
            except StopIteration as ended:
                return Measured(found, *ended.value)

    def close(self) -> None:
        """End all processes that still run."""
        for process in [*self._running]:
            self.end(process, kill=True)

    def _read(self, adapter: Path, text: str) -> Line:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise AgainstFailed(
                f"the adapter {adapter.name} printed {text.strip()[:80]!r} in {self.name}, which is no JSON object:"
                " let it print everything else to standard error"
            )
        return found


def clean_environment() -> dict[str, str]:
    """The variables of this process without those that lead to its tree."""
    return {name: value for name, value in os.environ.items() if name not in INHERITED}


def last_lines(text: str) -> str:
    """The end of what a program printed."""
    return "\n".join(text.strip().splitlines()[-LAST_LINES:])


def present() -> Tree:
    """This tree, with the Python that runs."""
    return Tree(ROOT, Path(sys.executable), "now")


@contextmanager
def older(
    what: str, *, keep: bool = False, repository: Path = ROOT, cache: Path | None = None
) -> Iterator[Tree]:
    """The tree of the commit or at the path *what*.

    A folder goes before a commit of the same name. With *keep*, the tree of a commit stays in the
    *cache*. Raises `AgainstFailed`.
    """
    if Path(what).is_dir():
        folder = Path(what).resolve()
        _check(folder, what)
        own = folder / ".venv" / "bin" / "python"
        with Tree(folder, own if own.exists() and not _handed() else _python(folder), what) as tree:
            yield tree
        return
    commit = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{what}^{{commit}}")
    if not commit:
        raise AgainstFailed(
            f"{what} is unknown: {repository} has no such commit, and there is no such folder. Name a commit of"
            " `git log`, get it with `git fetch`, or give the path of a tree"
        )
    home = (cache or platformdirs.user_cache_path("companion", appauthor=False) / "against") / commit[:16]
    with _reserved(home, what), _checked_out(home, repository, commit, keep=keep) as folder:
        _check(folder, what)
        with Tree(folder, _python(folder), what) as tree:
            yield tree


@contextmanager
def _reserved(home: Path, what: str) -> Iterator[None]:
    """Let one process at a time use *home*."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AgainstFailed(
                f"{what} is in use: another run has its tree in {home}. Wait until that ends, or give the path of a"
                " tree of your own"
            ) from error
        yield


@contextmanager
def _checked_out(home: Path, repository: Path, commit: str, *, keep: bool) -> Iterator[Path]:
    """The tree of *commit* in *home*: always at the same path, which its environment names.

    Between runs the environment lies beside it: `venv` accepts no link.
    """
    folder, kept, own = home / "tree", home / "venv", home / "tree" / ".venv"
    try:
        is_there = (folder / ".git").exists() and _git(folder, "rev-parse", "HEAD") == commit
        if not is_there or _git(folder, "status", "--porcelain", "--untracked-files=no"):
            _remove(folder, repository)
            add = ("worktree", "add", "--quiet", "--force", "--detach", str(folder), commit)
            _git(repository, *add, failure=f"{commit[:12]} cannot be checked out in {folder}")
        if not own.exists() and kept.exists():
            kept.rename(own)
        if not (own / "installed.txt").exists():  # an installation that was interrupted
            shutil.rmtree(own, ignore_errors=True)
        yield folder
    finally:
        if keep and folder.exists():
            print(f"The tree stays in {folder}: `git worktree remove --force {folder}`", file=sys.stderr)
        else:
            _remove(folder, repository)


def _remove(folder: Path, repository: Path) -> None:
    if folder.exists():
        if (folder / ".venv").exists():
            shutil.rmtree(folder.with_name("venv"), ignore_errors=True)
            (folder / ".venv").rename(folder.with_name("venv"))
        _git(repository, "worktree", "remove", "--force", str(folder))
        shutil.rmtree(folder, ignore_errors=True)  # what belongs to another repository, or to none


def _git(folder: Path, *words: str, failure: str = "") -> str:
    """What git prints in *folder*; if it fails, "" or the error *failure*."""
    try:
        ended = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise AgainstFailed("git is not installed: install it, or give the path of a tree") from error
    if ended.returncode and failure:
        raise AgainstFailed(f"{failure}: {last_lines(ended.stderr)}. Mend that, or give the path of a tree")
    return "" if ended.returncode else ended.stdout.strip()


def _check(folder: Path, what: str) -> None:
    if not (folder / "start.py").exists():
        raise AgainstFailed(
            f"{what} has no start.py, so its environment cannot be installed: name a newer commit, or one as"
            " `heads/NAME` if a folder has the same name"
        )


def _handed() -> str:
    return os.environ.get(PYTHON_VARIABLE, "")


def _python(folder: Path) -> Path:
    """The Python for *folder*: the one handed in, or one that its start.py installs."""
    if _handed():
        found = shutil.which(_handed())
        if not found:
            raise AgainstFailed(
                f"{PYTHON_VARIABLE} is {_handed()}, which cannot be run: name a Python, or unset it"
            )
        return Path(found).absolute()  # not resolved: a link in an environment is its Python
    print(f"Preparing the environment of {folder} ...", file=sys.stderr, flush=True)
    with Tree(folder, Path(sys.executable), str(folder)) as tree:
        process = tree.start("-c", INSTALL, stdout=subprocess.PIPE)  # progress: standard error
        printed = process.stdout.read() if process.stdout is not None else ""
        tree.end(process)
    if process.returncode or not printed.strip():
        raise AgainstFailed(
            f"the environment of {folder} was not installed: its start.py ended with code {process.returncode}, for"
            f" the reason above. Is this machine online? Or name a Python that has its packages: {PYTHON_VARIABLE}=PATH"
        )
    return Path(printed.split("\n")[-2])


def _kill_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/against.py"
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:"
        f"\n  {script} 4449642f tests/bench/adapters/players.py --lines games.jsonl"
        f"\n  {script} ../older-tree adapter.py --rounds 5 --json"
        f"\n  {script} HEAD~20 adapter.py --keep",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("tree", help="a commit, or the path of a tree")
    made.add_argument("adapter", type=Path, help="the script to run in both trees")
    made.add_argument("arguments", nargs="*", help="arguments of the adapter")
    made.add_argument("--lines", type=Path, metavar="FILE", help="JSON lines that the adapter reads")
    made.add_argument("--rounds", type=int, default=3, metavar="N", help="runs in each tree (default: 3)")
    made.add_argument("--keep", action="store_true", help="leave the tree of the commit in the cache")
    made.add_argument("--json", action="store_true", help="print one line of JSON for each round")
    return made


def compare(given: argparse.Namespace) -> None:
    """Run the adapter in both trees and print what each run used. Raises `AgainstFailed`."""
    text = given.lines.read_text(encoding="utf-8") if given.lines is not None else ""
    lines = [json.loads(line) for line in text.splitlines()]
    with older(given.tree, keep=given.keep) as before, present() as now:
        for _ in range(given.rounds):
            one, other = (
                each.measure(given.adapter, *given.arguments, lines=lines) for each in (now, before)
            )
            if given.json:
                print(json.dumps({"now": one._asdict(), "before": other._asdict()}), flush=True)
                continue
            print(
                f"processor time {one.processor_s:.2f} s now, {other.processor_s:.2f} s before, ratio"
                f" {one.processor_s / other.processor_s:.3f}; memory {one.peak_rss >> 20} and"
                f" {other.peak_rss >> 20} MiB; output {'the same' if one.value == other.value else 'differs'}",
                flush=True,
            )


def ended(run: Any, given: argparse.Namespace) -> int:
    """Call *run* and return the exit code; failures are printed."""
    try:
        run(given)
    except AgainstFailed as failure:
        print(f"against: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("against: interrupted", file=sys.stderr)
        return 130
    return 0


def main() -> None:
    """Compare and exit."""
    sys.exit(ended(compare, parser().parse_args()))


if __name__ == "__main__":
    main()

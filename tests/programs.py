# SPDX-License-Identifier: Apache-2.0
"""Start the real program in a process of its own, without importing it each time.

`python -m companion` takes a second of processor time for its imports alone, and the tests start
it hundreds of times. Here one process imports the modules and forks for each program: the copy
gets its own arguments, environment and standard streams, runs `main`, and ends as `python -m
companion` does, but without freeing its memory, which took as long as all else.

`tests/cli/test_cli.py` and `tests/house/test_wheel.py` start it without this process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import IO, Self

from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games import find, slugs
from companion.link.panel import load_panel, panel_names

MODULES = {
    "companion": (
        "companion.cli.main",
        "companion.cli.play",
        "companion.cli.hall",
        "companion.host.start_page.run",
        "companion.host.hall.run",
        "companion.host.devices.profiles",
        "companion.host.play.panel_server",
        "companion.host.doctor.commands",
        *(f"companion.games.{slug.replace('-', '_')}" for slug in slugs()),
        *(
            "pydantic.v1",
            "rich._emoji_codes",
            "uvicorn.lifespan.off",
        ),
    ),
    "calibration": ("calibration.__main__",),
}
"""Modules to import before the first start of a program; the first one has `main`.

Others are what `main` imports only when it needs them, which most programs do.
"""

ROOT = Path(__file__).resolve().parents[1]


class Program:
    """A running program; its interface is that of `subprocess.Popen`."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        env: Mapping[str, str] | None = None,
        start_new_session: bool = False,
    ) -> None:
        """Start *name*.

        A stream is a descriptor, `subprocess.PIPE`, or None for that of this process.
        """
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        self.returncode: int | None = None
        read, report = os.pipe()
        streams = [stdin, stdout, stderr]
        given = [0, 1, 2]
        own: list[int] = [report]
        for number, stream in enumerate(streams):
            if stream == subprocess.PIPE:
                ours, theirs = os.pipe() if number else os.pipe()[::-1]
                setattr(self, ("stdin", "stdout", "stderr")[number], os.fdopen(ours, "r" if number else "w"))
                own.append(theirs)
                given[number] = theirs
            elif stream is not None:
                given[number] = stream
        request = {
            "name": name,
            "words": list(words),
            "cwd": os.getcwd(),
            "env": dict(env or os.environ),
            "is_alone": start_new_session,
        }
        try:
            _forker().request(request, [*given, report])
        finally:
            for descriptor in own:
                os.close(descriptor)
        self._report = os.fdopen(read)
        self.pid = int(self._report.readline())

    def poll(self) -> int | None:
        """Return the exit code, None while the program runs."""
        if self.returncode is None and select.select([self._report], [], [], 0)[0]:
            return self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code as soon as the program has ended."""
        if self.returncode is None:
            if not select.select([self._report], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = int(self._report.readline())
            self._report.close()
        return self.returncode

    def communicate(self) -> tuple[str, str]:
        """Return what the program prints until it ends.

        With two pipes, the second output must fit into its pipe.
        """
        if self.stdin:
            self.stdin.close()
        printed = ["", ""]
        for number, stream in enumerate((self.stdout, self.stderr)):
            if stream:
                printed[number] = stream.read()
                stream.close()
        self.wait()
        return printed[0], printed[1]

    def send_signal(self, number: int) -> None:
        """Send the signal *number* to the program, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the program to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the program at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()
        self.wait()


def companion(*words: str, env: Mapping[str, str] | None = None) -> None:
    """Run `companion` with *words* to its end, with its output discarded.

    An exit code other than 0 fails the test.
    """
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        code = Program("companion", words, stdout=nothing.fileno(), env=env).wait()
    assert code == 0, f"companion {' '.join(words)} ended with {code}"


# --- the process that forks ---


class _Forker:
    """The process that has imported the modules, and the line to it."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.programs", str(theirs.fileno())],
                cwd=ROOT,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # what forks should have one thread
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def request(self, program: Mapping[str, object], descriptors: Sequence[int]) -> None:
        socket.send_fds(self._line, [json.dumps(program).encode() + b"\n"], descriptors)

    def close(self) -> None:
        self._line.close()
        self._process.wait(timeout=60)


_forker = cache(_Forker)


def close() -> None:
    """End the process that forks, if there is one."""
    if _forker.cache_info().currsize:
        _forker().close()
        _forker.cache_clear()


def _serve(line: socket.socket) -> tuple[str, list[str]] | None:
    """Fork for each request on *line* until it is closed.

    In a fork, return the program's name and arguments.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests and their programs
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    reports: dict[int, int] = {}
    sources: list[socket.socket | int] = [line, woken]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if woken in ready:
            os.read(woken, 4096)
            _report_ended(reports)
        if line not in ready:
            continue
        text, descriptors, _, _ = socket.recv_fds(line, 1 << 20, 4)
        if not text:
            return None
        while not text.endswith(b"\n"):
            text += line.recv(1 << 20)
        request = json.loads(text)
        _get_ready(request["name"])
        *streams, report = descriptors
        if pid := os.fork():
            reports[pid] = report
            os.write(report, f"{pid}\n".encode())
            for descriptor in streams:
                os.close(descriptor)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        line.close()
        for descriptor in (woken, wake, report, *reports.values()):
            os.close(descriptor)
        if request["is_alone"]:
            os.setsid()
        _take_over(streams, request["cwd"], request["env"])
        return request["name"], request["words"]


@cache
def _get_ready(name: str) -> None:
    """Import the modules of program *name*, and read what most forks need."""
    for module in MODULES[name]:
        import_module(module)
    if name == "companion":
        for game, language in product(map(find, slugs()), languages()):
            load(language, game.slug, game.rules().sides)
        for panel in panel_names():
            load_panel(panel)
        import_module("companion.host.pages.page_files").page("index.html", "at-home", "start")
    gc.collect()
    gc.freeze()  # a search for garbage would copy these pages in each fork


def _report_ended(reports: dict[int, int]) -> None:
    """Write the exit code of each process that has ended."""
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        report = reports.pop(pid)
        with suppress(BrokenPipeError):  # the parent no longer waits for it
            os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os.close(report)


def _take_over(streams: Sequence[int], folder: str, environment: Mapping[str, str]) -> None:
    """Make *streams*, *folder* and *environment* those of this process."""
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    is_unbuffered = bool(environment.get("PYTHONUNBUFFERED"))
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (these stay open as long as the process)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stdout.reconfigure(write_through=is_unbuffered)
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    sys.stderr.reconfigure(write_through=True, errors="backslashreplace")


def _run() -> int | None:
    with socket.socket(fileno=int(sys.argv[1])) as line:
        program = _serve(line)
    if program is None:
        return 0
    name, words = program
    sys.argv = [name, *words]
    main: Callable[[], int] = import_module(MODULES[name][0]).main
    return main()


def _end(codes: Sequence[int]) -> None:
    """End with the first of *codes*, if there is one, without freeing memory."""
    if codes:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(codes[0])


if __name__ == "__main__":
    ended: list[int] = []
    atexit.register(_end, ended)  # before all others, so it is called last
    ended.append(_run() or 0)
    sys.exit(ended[0])

# SPDX-License-Identifier: Apache-2.0
"""The help of each benchmark and tool explains its options; its examples are valid."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from tests.bench.players.__main__ import parser as players_parser

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("bench", "tools")
    for path in (ROOT / "tests" / folder).glob("*.py")
    if "\ndef main(" in path.read_text()
)


def test_the_benchmarks_are_found() -> None:
    assert {"bench/eboards", "bench/hall", "bench/vision", "tools/puzzles", "tools/tune"} <= {
        script.removeprefix("tests/").removesuffix(".py") for script in SCRIPTS
    }


def unexplained(text: str) -> list[str]:
    """The options in the help *text* without help on their line or the next."""
    lines = re.split(r"^(?:options|positional arguments):$", text, maxsplit=1, flags=re.M)[1].splitlines()
    return [
        line
        for line, following in pairwise([*lines, ""])
        if re.match(r"  \S+", line) and not re.search(r"\S  +\S", line) and not following.startswith(" " * 8)
    ]


def test_an_option_without_help_is_found() -> None:
    made = argparse.ArgumentParser()
    made.add_argument("--seed", help="seed of the draws")
    made.add_argument("--a-long-option-without-room", metavar="NUMBER", help="explained below")
    assert unexplained(made.format_help()) == []
    made.add_argument("--bare")
    assert unexplained(made.format_help()) == ["  --bare BARE"]


@pytest.mark.parametrize("command", [*SCRIPTS, "-m tests.bench.players"])
def test_the_help_explains_every_option_and_its_examples_are_valid(command: str) -> None:
    parser: Callable[[], argparse.ArgumentParser]
    is_script = command in SCRIPTS
    module = import_module(command.removesuffix(".py").replace("/", ".")) if is_script else None
    parser = module.parser if module else players_parser
    made = parser()
    text, _, examples = made.format_help().partition("examples:\n")
    assert unexplained(text) == []
    assert max(map(len, text.splitlines())) <= 100
    lines = examples.strip().splitlines()
    assert lines, "the help has no example"
    for line in lines:
        start, given = f"python {command}", line.strip()
        assert given.startswith(start)
        made.parse_args(shlex.split(given.removeprefix(start)))

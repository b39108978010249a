# SPDX-License-Identifier: Apache-2.0
"""The help of each benchmark explains every option and has examples that are valid."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench.players.__main__ import parser as players_parser

FOLDER = Path(__file__).parent
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if "\ndef main(" in path.read_text())


def test_the_benchmarks_are_found() -> None:
    assert {"gestures", "hall", "page", "panel", "recognition", "rules", "vision"} <= {*SCRIPTS}


@pytest.mark.parametrize("name", [*SCRIPTS, "players"])
def test_the_help_explains_every_option_and_its_examples_are_valid(name: str) -> None:
    parser: Callable[[], argparse.ArgumentParser]
    parser = players_parser if name == "players" else import_module(f"tests.bench.{name}").parser
    command = "-m tests.bench.players" if name == "players" else f"tests/bench/{name}.py"
    made = parser()
    assert all(action.help for action in made._actions)
    text, _, examples = made.format_help().partition("examples:\n")
    assert max(map(len, text.splitlines())) <= 100
    lines = examples.strip().splitlines()
    assert lines, "the help has no example"
    for line in lines:
        start, given = f"python {command}", line.strip()
        assert given.startswith(start)
        made.parse_args(shlex.split(given.removeprefix(start)))

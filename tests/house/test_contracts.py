# SPDX-License-Identifier: Apache-2.0
"""The floor plan holds: the import contracts of `pyproject.toml`."""

from __future__ import annotations

from importlinter import cli


def test_nobody_imports_what_the_floor_plan_forbids() -> None:
    assert cli.lint_imports(cache_dir=None, no_cache=True) == cli.EXIT_STATUS_SUCCESS

# SPDX-License-Identifier: Apache-2.0
"""The floor plan holds: the import contracts of `pyproject.toml`."""

from __future__ import annotations

import subprocess
import sys

_LINT = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(cache_dir=None, no_cache=True))"


def test_the_import_contracts_hold() -> None:
    """Runs in its own process, since the linter silences all loggers."""
    subprocess.run([sys.executable, "-c", _LINT], check=True)

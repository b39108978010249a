# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import companion

FOLDER = Path(companion.__file__).parent


def test_examples_in_docstrings_are_true() -> None:
    attempted = 0
    for path in sorted(FOLDER.rglob("*.py")):
        if ">>>" not in path.read_text(encoding="utf-8"):
            continue
        name = ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__")
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert failed == 0, name
        attempted += tried
    assert attempted > 0

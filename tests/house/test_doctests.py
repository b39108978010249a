# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import companion


def test_examples_in_docstrings_are_true() -> None:
    attempted = 0
    for module in pkgutil.walk_packages(companion.__path__, "companion."):
        if not module.name.endswith("__main__"):
            failed, tried = doctest.testmod(importlib.import_module(module.name))
            assert failed == 0, module.name
            attempted += tried
    assert attempted > 0

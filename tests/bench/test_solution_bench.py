# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the solution reports what `docs/close-quarters.md` shows."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.bench import solution as bench


@pytest.mark.long
def test_a_set_of_options_is_solved_within_a_minute_and_a_gigabyte() -> None:
    words = [sys.executable, bench.__file__, "--quick", "--json", "--only", "king,no,straight-first"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)["king,no,straight-first"]
    assert result["starts"] == {
        "diagonal": {"value": "loss", "plies": 10},
        "diagonal-swapped": {"value": "loss", "plies": 12},
        "long-side": {"value": "loss", "plies": 10},
        "long-side-swapped": {"value": "loss", "plies": 14},
        "short-side": {"value": "loss", "plies": 20},
        "short-side-swapped": {"value": "loss", "plies": 20},
    }
    assert 0 < result["seconds"] < 60
    assert 0 < result["peak_mb"] < 1000
    assert result["packed_bytes"] < 1_000_000

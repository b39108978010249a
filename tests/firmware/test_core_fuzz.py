# SPDX-License-Identifier: Apache-2.0
"""The core under sanitizers for addresses and undefined behaviour, with arbitrary packets."""

from __future__ import annotations

import subprocess

import pytest

from tests.firmware.native import built

pytestmark = pytest.mark.native
SEEDS = (1, 20, 300)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("panel", ["8x8", pytest.param("20x20", marks=pytest.mark.long)])
def test_no_input_crashes_hangs_or_deafens_the_panel(panel: str, is_long: bool) -> None:
    inputs = 2_000_000 if is_long else 2_000
    for seed in SEEDS:
        run = subprocess.run(
            [built(f"fuzz-{panel}"), str(seed), str(inputs)], capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stdout) == (0, f"{inputs} inputs\n"), f"seed {seed}:\n{run.stderr}"

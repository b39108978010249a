# SPDX-License-Identifier: Apache-2.0
"""Generated files are committed; here they are compared with what the generator would write now."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware import generate


@pytest.mark.parametrize("path", sorted(generate.outputs()), ids=lambda path: path.name)
def test_generated_file_is_up_to_date_byte_for_byte(path: Path) -> None:
    assert path.read_bytes() == generate.outputs()[path].encode(), "run `python firmware/generate.py`"


def test_check_reports_success_on_a_clean_tree() -> None:
    assert generate.main(["--check"]) == 0

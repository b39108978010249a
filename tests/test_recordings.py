# SPDX-License-Identifier: Apache-2.0
"""Every recording in `tests/recordings/` leads to the same events again.

A journal from a table stays as a test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host.journal import journal
from companion.host.records.replay import replay
from tests.recordings import again, recordings


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.stem)
def test_a_recording_leads_to_the_same_events_again(path: Path) -> None:
    """If the referee's events changed on purpose, `python -m tests.recordings` rewrites them."""
    departure = replay(journal.read(path))
    assert departure is None, str(departure)


def test_rewriting_an_unchanged_recording_keeps_the_file(tmp_path: Path) -> None:
    for path in recordings()[:2]:
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        again(copy)
        assert copy.read_bytes() == path.read_bytes()

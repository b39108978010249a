# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the page can connect as many spectators as it reports."""

from __future__ import annotations

import pytest

from tests.bench.page import SPECTATORS, helper


@pytest.mark.long
def test_all_spectators_connect_beside_a_browser() -> None:
    with (
        helper("--serve") as server,
        helper("--watch", server.first, "1") as browser,
        helper("--watch", server.first, str(SPECTATORS)) as spectators,
    ):
        assert (browser.first, spectators.first) == ("ready", "ready")
        assert len(spectators.ask("report")["newest"]) == SPECTATORS

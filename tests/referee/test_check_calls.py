# SPDX-License-Identifier: Apache-2.0
"""CHECK! is announced during the game only, not beside its result."""

from __future__ import annotations

from companion.games import find
from companion.model.game import CallOut
from companion.referee.values.commands import Resign, TakeBack
from tests.fakes import FakeTable


def test_no_check_is_announced_after_the_end() -> None:
    table = FakeTable(find("chess").rules())
    table.set_up()
    for source, target in (("e2", "e4"), ("f7", "f6"), ("d1", "h5")):
        table.carry(source, target)
        table.wait(1500)
    assert [each.cry for each in table.session.view().announcements] == [CallOut.CHECK]
    table.session.command(Resign(1), table.now_ms)
    assert table.session.view().announcements == ()
    table.session.command(TakeBack(), table.now_ms)
    assert table.session.view().outcome is None

# SPDX-License-Identifier: Apache-2.0
"""What a table tells its hall of panel, camera and disk."""

from __future__ import annotations

from companion.feedback.words import load
from companion.host.chain import LinkState, LinkStatus
from companion.host.hall.branch import trouble
from companion.host.sight import CameraStatus, Watch
from companion.model.errors import Outage
from companion.sensing.trouble import Trouble
from tests.host.tables import Kept, chain_for


def test_what_is_wrong_with_panel_camera_and_disk_is_told_in_the_tables_words() -> None:
    chain = chain_for(Kept())
    chain.status = LinkStatus(LinkState.CONNECTED, "8x8")
    assert trouble(chain) == ""
    chain.status = LinkStatus(LinkState.CONNECTED, "8x8", ("chatter",))
    assert trouble(chain) == "A switch flickers"
    assert trouble(chain, load("de", "close-quarters", chain.words.sides)) == "Ein Schalter flackert"
    chain.is_kept = False
    german = trouble(chain, load("de", "close-quarters", chain.words.sides))
    assert german.startswith("Die Festplatte nimmt die Partie nicht an: "), "a full disk is told, too"
    assert trouble(chain).startswith("The disk does not take the game")
    chain.is_kept = True
    chain.status = LinkStatus(LinkState.LOST, "ttyUSB0: unplugged")
    assert trouble(chain) == "ttyUSB0: unplugged"
    chain.status = LinkStatus(LinkState.ABSENT)
    chain.camera = CameraStatus(Watch.WATCHING)
    assert trouble(chain) == ""
    chain.camera = CameraStatus(Watch.WATCHING, troubles=frozenset({Trouble.NOT_LOCKED}))
    assert trouble(chain) == "", "many cameras refuse it for ever"
    chain.camera = CameraStatus(Watch.WATCHING, troubles=frozenset({Trouble.CAMERA_MOVED}))
    assert trouble(chain) == chain.words.common.camera["camera-moved"]
    chain.camera = CameraStatus(Watch.LOST, Outage.UNPLUGGED)
    assert trouble(chain) == chain.words.common.camera["unplugged"]

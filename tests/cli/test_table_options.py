# SPDX-License-Identifier: Apache-2.0
"""Options of commands that open a table: those that are named, and the settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.cli.shared import Misused
from companion.cli.table_options import BoardWords, PageWords, table_options
from companion.feedback.lights import LampLevel
from companion.host.devices.camera import CameraOptions
from companion.host.settings import PageSettings, Settings
from companion.referee.values.gestures import Gestures

CLUB = Settings(
    language="de",
    port="/dev/ttyUSB0",
    camera="0",
    profile="kitchen",
    clock="15+10",
    store="sqlite:////srv/club.sqlite",
    lamps="quiet",
    gestures="leaders",
    broken=("e4",),
    engine="/usr/games/stockfish",
    page=PageSettings("127.0.0.1", 8080, browser=False),
)


def test_without_words_everything_is_as_in_the_settings() -> None:
    found = table_options(CLUB, "chess", BoardWords(), PageWords())
    assert (found.setup.game, found.language, found.port, found.virtual_panel) == (
        "chess",
        "de",
        "/dev/ttyUSB0",
        "",
    )
    assert found.camera == CameraOptions("0", "kitchen")
    assert (found.http_address, found.http_port, found.browser) == ("127.0.0.1", 8080, False)
    assert (found.store, found.usual_clock, found.broken, found.engine) == (
        CLUB.store,
        "15+10",
        ("e4",),
        "/usr/games/stockfish",
    )
    assert (found.lamps, found.gestures, found.page, found.terminal) == (
        LampLevel.QUIET,
        Gestures.LEADERS,
        True,
        False,
    )


def test_a_virtual_table_leaves_out_the_panel_and_the_camera_of_the_settings() -> None:
    found = table_options(CLUB, "chess", BoardWords("virtual:8x8"), PageWords(), language="hr")
    assert (found.port, found.virtual_panel, found.camera, found.language) == (None, "8x8", None, "hr")


def test_another_panel_keeps_the_camera_and_another_camera_has_no_profile() -> None:
    assert table_options(CLUB, "chess", BoardWords("auto"), PageWords()).camera == CameraOptions(
        "0", "kitchen"
    )
    assert table_options(CLUB, "chess", BoardWords(camera="1"), PageWords()).camera == CameraOptions(
        "1", None
    )


def test_a_phone_as_the_camera_has_a_mailbox_and_needs_the_page() -> None:
    found = table_options(CLUB, "chess", BoardWords(camera="phone"), PageWords()).camera
    assert found is not None
    assert found.sent is not None
    with pytest.raises(Misused, match="needs the page"):
        table_options(CLUB, "chess", BoardWords(camera="phone"), PageWords(terminal=True))


def test_a_profile_without_a_camera_is_refused() -> None:
    with pytest.raises(Misused, match="a profile belongs to a camera"):
        table_options(replace(CLUB, camera=None), "chess", BoardWords(profile="kitchen"), PageWords())


@pytest.mark.parametrize(
    ("words", "is_served"),
    [
        (PageWords(), True),
        (PageWords(terminal=True), False),
        (PageWords(terminal=True, browser=False), False),
        (PageWords(terminal=True, browser=True), True),
        (PageWords(terminal=True, port=0), True),
        (PageWords(terminal=True, address="0.0.0.0"), True),
    ],
)
def test_the_terminal_takes_the_place_of_the_page_unless_that_is_asked_for(
    words: PageWords, is_served: bool
) -> None:
    assert table_options(CLUB, "chess", BoardWords(), words).page is is_served

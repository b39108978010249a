# SPDX-License-Identifier: Apache-2.0
"""Every error that people read at a hall is translated into every language."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError

import pytest

import companion
from companion.feedback.wordfiles import languages
from companion.host.devices.fit import places_on
from companion.host.table.link_status import PANEL_TEXTS
from companion.host.text.error_translation import catalogue, everywhere, translate
from companion.host.text.os_errors import NOBODY_TO_ASK, UNKNOWN_NAME, why
from companion.link.connection import LOOK_FOR_PANEL, STOPPED
from companion.link.handshake import objection
from companion.link.panel import load_panel, shape_of
from companion.link.port import open_port
from companion.link.protocol_gen import HelloReply
from companion.model.errors import NotationError, OrderRefused, PanelMismatch, PortUnavailable
from companion.model.grid import rectangle
from companion.model.os_errors import REASONS
from companion.model.phrase import Phrase, gaps
from companion.virtual.panel import VirtualPanel
from tests.host.text.messages import built_from_parts, messages

FIRMWARE = Path(companion.__file__).parents[1] / "firmware"
OTHERS = sorted(set(languages()) - {"en"})


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_and_every_translation_belongs_to_a_message(language: str) -> None:
    wanted = {message.template for message in messages() if message.has_words}
    assert catalogue(language).keys() - wanted == set()
    assert wanted - catalogue(language).keys() == set()


def test_no_message_is_built_from_parts_before_it_is_raised() -> None:
    assert [str(each) for each in built_from_parts()] == []


def test_every_gap_of_a_message_gets_a_value() -> None:
    assert [str(each) for each in messages() if not gaps(each.template) <= each.given] == []


class OfWindows(OSError):
    """As on Windows: with a system error number, and text in the user's language."""

    def __init__(self, number: int, winerror: int) -> None:
        super().__init__(number, "Das System kann den Datenträger nicht finden")
        self.winerror = winerror


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        *((OSError(number, "wie das System es sagt", "file"), reason) for number, reason in REASONS.items()),
        (OfWindows(errno.EACCES, 19), "Read-only file system"),
        (OfWindows(errno.EACCES, 32), "Device or resource busy"),
        (OfWindows(errno.ENOSPC, 112), "No space left on device"),
        (OfWindows(errno.EINVAL, 1225), "Connection refused"),
        (OfWindows(errno.ENOENT, 2), "No such file or directory"),
        (socket.gaierror(socket.EAI_NONAME, "Unbekannter Rechner"), UNKNOWN_NAME),
        (socket.gaierror(socket.EAI_AGAIN, "nodename nor servname provided"), NOBODY_TO_ASK),
        (URLError(ConnectionRefusedError(errno.ECONNREFUSED, "abgelehnt")), "Connection refused"),
        (URLError(TimeoutError()), "timed out"),
    ],
)
def test_common_system_errors_have_our_own_sentences(fault: OSError, reason: str) -> None:
    assert why(fault) == reason
    told = everywhere(Phrase("the copy {path} cannot be written: {reason}", path="x", reason=why(fault)))
    assert told.keys() == set(OTHERS)
    assert all(reason not in said for said in told.values())


def test_other_system_errors_keep_their_own_text() -> None:
    assert why(ssl.SSLError(1, "the certificate has expired")).endswith("the certificate has expired")
    assert why(OSError(errno.ENOTEMPTY, "Directory not empty")) == "Directory not empty"
    assert why(UnicodeDecodeError("utf-8", b"x", 0, 1, "half")).endswith("half")
    assert why(OSError("as the library says")) == "as the library says"


def test_values_of_gaps_are_translated_too_and_unknown_text_stays() -> None:
    with pytest.raises(NotationError) as caught:
        rectangle(4, 8).cell("h9")
    fault = OrderRefused(
        "move {number}, {text}, cannot be played: {reason}", number=2, text="a1-h9", reason=caught.value
    )
    said = "Potez 2, a1-h9, ne može se odigrati: 'h9' nije polje ploče 4x8 (a1 do d8)"
    assert translate(fault, "hr") == said
    assert translate(str(fault), "hr") == said
    assert translate("no such thing: {0}", "ja") == "no such thing: {0}"
    assert everywhere("something else") == {}
    assert everywhere(Phrase("log in first")).keys() == set(OTHERS)


def hello(**fields: object) -> HelloReply:
    """The hello reply of the panel 8x8, changed by *fields*."""
    panel = VirtualPanel(load_panel("8x8"), unique_id=b"testtest", session=1, now_ms=0)
    return replace(panel.device.describe(1), **fields)  # type: ignore[arg-type]


def link_faults() -> Iterator[str]:
    """Link errors that people may read, as the program writes them."""
    for major in (0, 1, 2):
        foreign = objection(hello(major=major, fingerprint=1), 0)
        assert foreign is not None
        yield Phrase(
            "the panel speaks {theirs}, this program {ours}: {remedy}",
            theirs=foreign.theirs,
            ours=foreign.ours,
            remedy=foreign.remedy,
        )
    for shown, grid, at in (
        (hello(), rectangle(20, 20), ""),
        (hello(cells=63, cols=0), rectangle(20, 20), ""),
        (hello(), rectangle(4, 8), "h1"),
    ):
        with pytest.raises(PanelMismatch) as caught:
            places_on(shape_of(shown), grid, at)
        yield str(caught.value)
    for port in ("/dev/ttyNONE", "socket://127.0.0.1:9"):
        with pytest.raises(PortUnavailable) as refused:
            open_port(port, lambda _chunk: None, lambda _end: None, baud=9600)
        yield str(refused.value)
    yield LOOK_FOR_PANEL
    yield STOPPED
    for said in PANEL_TEXTS.values():
        yield Phrase("the panel reports: {text}", text=said)


def test_every_link_error_is_fully_translated() -> None:
    english = re.compile(r"\b(the|this|is|are|panel's|another|answer\w*|protocol 1|fingerprint)\b")
    for fault in link_faults():
        told = everywhere(fault)
        assert told.keys() == set(OTHERS), fault
        assert not [said for said in told.values() if english.search(said)], told


def test_log_messages_of_our_panels_are_translated() -> None:
    source = (FIRMWARE / "core" / "link.c").read_text(encoding="utf-8")
    (words,) = re.findall(r"words\[\]\[\d+\] CHIP_FLASH = \{(.*?)\}", source, re.DOTALL)
    assert set(re.findall(r'"([^"]*)"', words)) == PANEL_TEXTS.keys()

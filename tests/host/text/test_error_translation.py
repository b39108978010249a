# SPDX-License-Identifier: Apache-2.0
"""What went wrong is told in every language: no reason that people read at a hall is known in English only."""

from __future__ import annotations

import ast
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
from companion.host.text.error_translation import catalogue, everywhere, shapes, translate, translated
from companion.host.text.os_errors import NOBODY_TO_ASK, UNKNOWN_NAME, why
from companion.link.connection import LOOK_FOR_PANEL, STOPPED
from companion.link.handshake import objection
from companion.link.panel import check_fit, load_panel
from companion.link.port import open_port
from companion.link.protocol_gen import HelloReply
from companion.model.errors import NotationError, OrderRefused, PanelMismatch, PortUnavailable
from companion.model.grid import rectangle
from companion.model.os_errors import REASONS
from companion.model.phrase import Phrase
from companion.virtual.panel import VirtualPanel

ROOT = Path(companion.__file__).parent
READ_BY_PEOPLE = {
    *("TournamentError", "OrderRefused", "StoreError", "JournalError", "HallUnreachable"),
    *("HTTPException", "Refused", "CopyRefused", "_refusal", "say", "_say", "tell", "Note"),
}
OTHERS = sorted(set(languages()) - {"en"})
ON_THE_COMMAND_LINE = {
    "{url!r} is no store: {reason}; sqlite:///FILE is one, postgresql://HOST/NAME another",
    "the store at {store} has version {found}, this program knows {version}: use a newer Companion",
    "line {line} of the book is not understood: {reason}",
    "there is no store at {store}: name the right one with --store, or make one there with `companion hall admit NAME` or "
    "`companion records import`",
    "the hall has ended",
    "the book at {store} is held by a hall that runs: act at its desk, say with --at where it is, or name another book with "
    "--store",
    "no hall runs that could know these boards: start it and seat the round there, or pair without them",
    "no hall answers at {address}: {reason}. Is `companion hall` running? --at says where",
}
"""With these the hall does not begin, or has ended: nobody looks at its pages."""


JUDGES = {"plugging.py", "appearing.py", "spotting.py"}
"""Their functions return why a sensor board or a camera is not wanted."""


def shape(node: ast.expr) -> str | None:
    """A sentence with numbered gaps."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    gaps = iter(range(10))
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{next(gaps)}}}" for part in node.values
    )


def name_of(called: ast.expr) -> str:
    return str(getattr(called, "id", "") or getattr(called, "attr", ""))


def raised() -> Iterator[str]:
    """What people may be told, as it stands in the program."""
    for file in (
        *ROOT.glob("tournament/*.py"),
        *ROOT.glob("host/hall/**/*.py"),
        ROOT / "host/records/database.py",
        ROOT / "referee/correcting.py",
        ROOT / "referee/record.py",
        ROOT / "referee/inquiring.py",
    ):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and name_of(node.func) in READ_BY_PEOPLE:
                yield from filter(None, map(shape, node.args))
            elif (
                isinstance(node, ast.Return) and file.name in JUDGES and isinstance(node.value, ast.JoinedStr)
            ):
                yield shape(node.value) or ""


@pytest.mark.parametrize("language", OTHERS)
def test_every_reason_is_known_in_every_language(language: str) -> None:
    assert (
        set(raised()) - ON_THE_COMMAND_LINE - {"{reason}"}
        <= shapes(language).keys() | catalogue(language).keys()
    )
    assert catalogue(language).keys() == catalogue("de").keys()


class OfWindows(OSError):
    """As it comes there: with the system's own number, and in the language of whoever uses it."""

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
def test_the_systems_usual_reasons_are_told_in_words_of_our_own(fault: OSError, reason: str) -> None:
    assert why(fault) == reason
    told = everywhere(Phrase("the copy {path} cannot be written: {reason}", path="x", reason=why(fault)))
    assert told.keys() == set(OTHERS)
    assert all(reason not in said for said in told.values())


def test_what_has_numbers_of_its_own_or_none_is_told_as_it_comes() -> None:
    assert why(ssl.SSLError(1, "the certificate has expired")).endswith("the certificate has expired")
    assert why(OSError(errno.ENOTEMPTY, "Directory not empty")) == "Directory not empty"
    assert why(UnicodeDecodeError("utf-8", b"x", 0, 1, "half")).endswith("half")
    assert why(OSError("as the library says")) == "as the library says"


def test_what_fills_a_gap_is_told_in_the_same_language_and_what_is_unknown_stays() -> None:
    with pytest.raises(NotationError) as caught:
        rectangle(4, 8).cell("h9")
    fault = OrderRefused(
        "move {number}, {text}, cannot be played: {reason}", number=2, text="a1-h9", reason=caught.value
    )
    said = "Potez 2, a1-h9, ne može se odigrati: 'h9' nije polje ploče 4x8 (a1 do d8)"
    assert translate(fault, "hr") == said
    assert translate(str(fault), "hr") == said
    assert translated("no such thing: {0}", "ja") == "no such thing: {0}"
    assert everywhere("something else") == {}
    assert everywhere("log in first").keys() == set(OTHERS)


def hello(**fields: object) -> HelloReply:
    """What the panel 8x8 says of itself, changed by *fields*."""
    panel = VirtualPanel(load_panel("8x8"), unique_id=b"testtest", session=1, now_ms=0)
    return replace(panel.device.describe(1), **fields)  # type: ignore[arg-type]


def link_faults() -> Iterator[str]:
    """What people may read of a link, as the program says it."""
    for major in (0, 1, 2):
        foreign = objection(hello(major=major, fingerprint=1), 0)
        assert foreign is not None
        yield f"the panel speaks {foreign.theirs}, this program {foreign.ours}: {foreign.remedy}"
    for grid in (rectangle(4, 8), rectangle(20, 20)):
        with pytest.raises(PanelMismatch) as caught:
            check_fit(hello(), grid)
        yield str(caught.value)
    for port in ("/dev/ttyNONE", "socket://127.0.0.1:9"):
        with pytest.raises(PortUnavailable) as refused:
            open_port(port, lambda _chunk: None, lambda _end: None)
        yield str(refused.value)
    yield LOOK_FOR_PANEL
    yield f"no panel answers on /dev/ttyUSB0: {LOOK_FOR_PANEL}"
    yield STOPPED
    for said in ("a column is shorted", "every sensor reads closed", "settings damaged, defaults"):
        yield f"the panel reports: {said}"


def test_what_is_wrong_with_a_link_is_told_in_every_language_down_to_the_last_gap() -> None:
    english = re.compile(r"\b(the|this|is|are|panel's|another|answer\w*|protocol 1|fingerprint)\b")
    for fault in link_faults():
        told = everywhere(fault)
        assert told.keys() == set(OTHERS), fault
        assert not [said for said in told.values() if english.search(said)], told


def test_every_sentence_of_a_link_is_known_in_every_language() -> None:
    written = "".join(
        (ROOT / "link" / name).read_text() for name in ("port.py", "connection.py", "handshake.py")
    )
    for said in re.findall(r'_lose\(\s*f?"([^"]+)"', written) + re.findall(r'_end\("([^"]+)"', written):
        told = everywhere(re.sub(r"{[^}]*}", "X", said))
        assert told.keys() == set(OTHERS), said

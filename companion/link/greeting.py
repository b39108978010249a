# SPDX-License-Identifier: Apache-2.0
"""Whether a panel that has said who it is can be talked to.

Pure. The major version must be ours; within it, equal minor versions must come from equal tables,
and a newer minor version has only added to them.
"""

from __future__ import annotations

from typing import Final

from companion.link.events import PanelForeign
from companion.link.protocol_gen import (
    FINGERPRINT,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    Hello,
    HelloReply,
    Message,
    Tag,
)

_REMEDY: Final = (
    "build the firmware of this version with `make -C firmware boards` and flash the .hex for {panel},"
    " as firmware/README.md says"
)


def hello(nonce: int) -> Hello:
    """The words that begin a conversation."""
    return Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, nonce, FINGERPRINT)


def panel_name(reply: HelloReply) -> str:
    """The name of the panel's file, `8x8` for example; empty if the panel does not tell."""
    names = [each.data.decode(errors="replace") for each in reply.extra if each.tag == Tag.PANEL]
    return names[0] if names else ""


def objection(reply: Message | None, now_ms: int) -> PanelForeign | None:
    """Why a panel that gave *reply* cannot be talked to; None if it can. A *reply* of None was not understood."""
    ours = _version(PROTOCOL_MAJOR, PROTOCOL_MINOR, FINGERPRINT)
    if not isinstance(reply, HelloReply):
        return PanelForeign(now_ms, ours, "another protocol", _REMEDY.format(panel="your panel"))
    has_our_tables = reply.fingerprint == FINGERPRINT or reply.minor != PROTOCOL_MINOR
    if reply.major == PROTOCOL_MAJOR and has_our_tables:
        return None
    theirs = _version(reply.major, reply.minor, reply.fingerprint)
    name = panel_name(reply)
    return PanelForeign(now_ms, ours, theirs, _REMEDY.format(panel=f"panel {name}" if name else "your panel"))


def _version(major: int, minor: int, fingerprint: int) -> str:
    """A protocol's version as people compare it."""
    return f"protocol {major}.{minor}, fingerprint {fingerprint:08X}"

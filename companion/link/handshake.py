# SPDX-License-Identifier: Apache-2.0
"""Check of a panel's hello reply: compatibility of the protocols.

Pure. The major versions must be equal; equal minor versions must come from equal tables,
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

_FLASH: Final = (
    "build the firmware of this version with `make -C firmware boards` and flash the .hex for {panel},"
    " as firmware/README.md says"
)
_PANEL_IS_OLDER: Final = "the panel is older: " + _FLASH
_PROGRAM_IS_OLDER: Final = "this program is older: install the newer Companion, or " + _FLASH
_UNKNOWN: Final = "install the Companion that the panel's firmware comes from, or " + _FLASH


def hello(nonce: int) -> Hello:
    """The message that begins a conversation."""
    return Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, nonce, FINGERPRINT)


def panel_name(reply: HelloReply) -> str:
    """The name of the panel's file, such as `8x8`; empty if unknown."""
    names = [each.data.decode(errors="replace") for each in reply.extra if each.tag == Tag.PANEL]
    return names[0] if names else ""


def objection(reply: Message | None, now_ms: int) -> PanelForeign | None:
    """The incompatibility of the panel that sent *reply*, or None.

    A *reply* of None could not be decoded.
    """
    ours = _version(PROTOCOL_MAJOR, PROTOCOL_MINOR, FINGERPRINT)
    if not isinstance(reply, HelloReply):
        return PanelForeign(now_ms, ours, "another protocol", _UNKNOWN.format(panel="your panel"))
    has_our_tables = reply.fingerprint == FINGERPRINT or reply.minor != PROTOCOL_MINOR
    if reply.major == PROTOCOL_MAJOR and has_our_tables:
        return None
    theirs = _version(reply.major, reply.minor, reply.fingerprint)
    name = panel_name(reply)
    remedy = _remedy(reply).format(panel=f"panel {name}" if name else "your panel")
    return PanelForeign(now_ms, ours, theirs, remedy)


def _remedy(reply: HelloReply) -> str:
    """The remedy, depending on the older side; unknown for two tables of one version."""
    ours, theirs = (PROTOCOL_MAJOR, PROTOCOL_MINOR), (reply.major, reply.minor)
    if theirs < ours:
        return _PANEL_IS_OLDER
    return _PROGRAM_IS_OLDER if theirs > ours else _UNKNOWN


def _version(major: int, minor: int, fingerprint: int) -> str:
    """A protocol's version in readable form."""
    return f"protocol {major}.{minor}, fingerprint {fingerprint:08X}"

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
    Fault,
    Hello,
    HelloReply,
    Message,
    Tag,
)
from companion.model.phrase import Phrase

_ANY_PANEL: Final = Phrase("your panel")


def hello(nonce: int) -> Hello:
    """The message that begins a conversation."""
    return Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, nonce, FINGERPRINT)


def panel_name(reply: HelloReply) -> str:
    """The name of the panel's file, such as `8x8`; empty if unknown."""
    names = [each.data.decode(errors="replace") for each in reply.extra if each.tag == Tag.PANEL]
    return names[0] if names else ""


def faults_of(reply: HelloReply) -> Fault | None:
    """What the panel found wrong with itself; None if its firmware does not say."""
    found = [each.data[0] for each in reply.extra if each.tag == Tag.FAULTS and each.data]
    return Fault(found[0]) if found else None


def objection(reply: Message | None, now_ms: int) -> PanelForeign | None:
    """The incompatibility of the panel that sent *reply*, or None.

    A *reply* of None could not be decoded.
    """
    ours = _version(PROTOCOL_MAJOR, PROTOCOL_MINOR, FINGERPRINT)
    if not isinstance(reply, HelloReply):
        return PanelForeign(now_ms, ours, Phrase("another protocol"), _unknown(_ANY_PANEL))
    has_our_tables = reply.fingerprint == FINGERPRINT or reply.minor != PROTOCOL_MINOR
    if reply.major == PROTOCOL_MAJOR and has_our_tables:
        return None
    theirs = _version(reply.major, reply.minor, reply.fingerprint)
    name = panel_name(reply)
    panel = Phrase("panel {panel}", panel=name) if name else _ANY_PANEL
    return PanelForeign(now_ms, ours, theirs, _remedy(reply, panel))


def _remedy(reply: HelloReply, panel: Phrase) -> Phrase:
    """The remedy, depending on the older side; unknown for two tables of one version."""
    ours, theirs = (PROTOCOL_MAJOR, PROTOCOL_MINOR), (reply.major, reply.minor)
    if theirs < ours:
        return Phrase("the panel is older: {remedy}", remedy=_flash(panel))
    if theirs > ours:
        return Phrase("this program is older: install the newer Companion, or {remedy}", remedy=_flash(panel))
    return _unknown(panel)


def _unknown(panel: Phrase) -> Phrase:
    """The remedy if the older side is unknown."""
    return Phrase(
        "install the Companion that the panel's firmware comes from, or {remedy}", remedy=_flash(panel)
    )


def _flash(panel: Phrase) -> Phrase:
    """The instructions for new firmware on *panel*."""
    return Phrase(
        "flash the program of this version for {panel}: `companion tools flash` does it, and firmware/README.md says how",
        panel=panel,
    )


def _version(major: int, minor: int, fingerprint: int) -> Phrase:
    """A protocol's version in readable form."""
    return Phrase(
        "protocol {major}.{minor}, fingerprint {fingerprint}",
        major=major,
        minor=minor,
        fingerprint=f"{fingerprint:08X}",
    )

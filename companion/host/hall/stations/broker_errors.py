# SPDX-License-Identifier: Apache-2.0
"""Errors of a broker, in our words."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

import aiomqtt

from companion.host.text.os_errors import why
from companion.model.errors import HallUnreachable
from companion.model.phrase import Phrase

_WRONG_PASSWORD: Final = Phrase(
    "user or password is wrong: name the user as mqtt://USER@…, and the password in COMPANION_MQTT_PASSWORD"
)
_NOT_LET_IN: Final = frozenset({134, 135})
"""MQTT reason codes for unknown or rejected clients."""


@contextlib.contextmanager
def reaching(host: str, port: int) -> Iterator[None]:
    """Convert errors of the broker to `HallUnreachable` inside the block."""
    try:
        yield
    except aiomqtt.MqttError as fault:
        where = Phrase("the broker at {host}:{port}", host=host, port=port)
        raise HallUnreachable(
            "{where} cannot be reached: {reason}", where=where, reason=_reason(fault)
        ) from fault


def _reason(fault: aiomqtt.MqttError) -> str:
    """Return the reason of the library's error."""
    refused = fault.rc if isinstance(fault, aiomqtt.MqttCodeError) else None
    if refused is not None and not isinstance(refused, int):
        return (
            _WRONG_PASSWORD
            if refused.value in _NOT_LET_IN
            else Phrase("it refuses: {reason}", reason=refused)
        )
    behind = fault.__context__  # the library keeps only its text
    return why(behind) if isinstance(behind, OSError) else Phrase("the connection was lost")

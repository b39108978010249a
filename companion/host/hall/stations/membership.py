# SPDX-License-Identifier: Apache-2.0
"""Membership of a table in a remote hall: its address and its key."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from companion.host.hall.keys.keyring import KEY, TableKey, keys_folder
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.mqtt import Broker, join
from companion.host.hall.stations.stations import Inform
from companion.host.text.error_translation import translate
from companion.model.phrase import Phrase


@dataclass(frozen=True, slots=True)
class HallMembership:
    """Membership of a table in a hall elsewhere."""

    broker: str
    ca: str | None = None
    code: str | None = None
    """Code to join with; None if it has joined before."""
    is_open: bool = False
    """True to accept orders of an open hall."""


def key_of_table(station: LocalStation, broker: Broker, to: HallMembership, inform: Inform) -> str | None:
    """Return the key of table *station*, joining if there is a code;

    None if it has none.

    Raises `SettingsError` and `HallUnreachable`.
    """
    if to.is_open:
        return None
    kept = TableKey(keys_folder(), broker.hall, station.name)
    if to.code is not None:
        key = asyncio.run(join(broker, station.name, to.code))
        kept.keep(key)
        inform(
            translate(
                Phrase(
                    "{board} has joined the hall {hall}; its key is kept",
                    board=station.name,
                    hall=broker.hall,
                ),
                station.play_options.language,
            )
        )
        return key
    return os.environ.get(KEY, "").strip() or kept.read()

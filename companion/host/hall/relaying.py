# SPDX-License-Identifier: Apache-2.0
"""Games of chess for broadcasts: a PGN file for every round, and the same text pushed to whoever shows it.

Its rule: made from what spectators may read, so it is as late as they are; a push that fails is tried again and holds nobody up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final
from urllib.request import HTTPRedirectHandler, Request, build_opener

from companion.host.hall.hall import Hall
from companion.host.hall.recalling import game_of
from companion.host.reasons import why
from companion.host.records import save, to_pgn
from companion.model.errors import CompanionError, StoreError
from companion.tournament.book import Running
from companion.tournament.values import Pairing

_LOG = logging.getLogger(__name__)

EVERY_S: Final = 2.0
"""Between two looks."""
_TIMEOUT_S: Final = 10.0
CHESS: Final = "chess"
"""The only game that PGN can tell."""


@dataclass(frozen=True, slots=True)
class Relay:
    """Where games go."""

    folder: Path | None = None
    """For a file of each round."""
    url: str = ""
    """Gets the text of a round by POST; empty for none."""
    token: str = ""
    """Sent with it as a bearer's."""


async def relay(hall: Hall, to: Relay) -> None:
    """Write and push what is new, until cancelled."""
    outlets: dict[str, Callable[[str, str], None]] = {}
    if to.folder:
        outlets["games written"] = partial(_write, to.folder)
    if to.url:
        outlets["games pushed"] = partial(_push, to)
    sent: dict[str, dict[str, str]] = {source: {} for source in outlets}
    while True:
        texts = rounds(hall)
        for source, outlet in outlets.items():
            hall.complain(source, *await asyncio.to_thread(_send, outlet, texts, sent[source]))
        await asyncio.sleep(EVERY_S)


def _send(outlet: Callable[[str, str], None], texts: Mapping[str, str], sent: dict[str, str]) -> list[str]:
    """Give *outlet* what of *texts* it was not *sent* yet; returns why that failed."""
    faults = []
    for name, text in texts.items():
        if sent.get(name) != text:
            try:
                outlet(name, text)
                sent[name] = text
            except (CompanionError, OSError) as fault:
                faults.append(f"{name} cannot be handed on, and is tried again: {why(fault)}")
    return faults


def rounds(hall: Hall) -> dict[str, str]:
    """The games of the last round of each tournament of chess, as PGN, by the name of their file; no empty ones."""
    found = {}
    for key, running in hall.public.shown.items():
        text = round_of(hall, running)
        if text:
            found[f"{key}-round-{running.tournament.rounds[-1].number}.pgn"] = text
    return found


def round_of(hall: Hall, running: Running) -> str:
    """The games of the last round of *running*, a tournament as spectators see it, as PGN; empty if there are none."""
    if running.tournament.game != CHESS or not running.tournament.rounds:
        return ""
    last = running.tournament.rounds[-1]
    return "\n".join(filter(None, (_game(hall, running, last.number, pairing) for pairing in last.pairings)))


def _game(hall: Hall, running: Running, in_round: int, pairing: Pairing) -> str:
    """The game of *pairing* as far as it may be read; empty while there is none."""
    given = running.boards.get((in_round, pairing.table))
    copy = hall.copy_of(given.board) if given else None
    if given is None or copy is None:
        return ""
    try:
        game = game_of(copy, given)
        if game is None:
            return ""
        names = [running.tournament.player(number).name for number in pairing.seated]
        told = {"Event": running.tournament.name, "Round": f"{in_round}.{pairing.table}"}
        tags = {**game.record.tags, **told, "White": names[0], "Black": names[1]}
        return to_pgn(replace(game.record, tags=tags))
    except CompanionError as fault:
        _LOG.warning("the game at %s cannot be told: %s", given.board, fault)
        return ""


def _write(folder: Path, name: str, text: str) -> None:
    """The file *name* in *folder* gets *text*; who reads it meanwhile gets the old or the new. Raises `StoreError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / f".{name}", text)
        (folder / f".{name}").replace(folder / name)
    except OSError as fault:
        raise StoreError(f"{folder} cannot be written: {why(fault)}") from fault


class _Straight(HTTPRedirectHandler):
    """Goes where it was sent and nowhere else: on the way the text would be lost, and the token told to others."""

    def redirect_request(self, *_: object) -> None:
        """Nothing is asked of anybody else."""


_STRAIGHT: Final = build_opener(_Straight)


def _push(to: Relay, _name: str, text: str) -> None:
    """Whoever shows it gets *text*. Raises `OSError`."""
    headers = {"Content-Type": "application/x-chess-pgn; charset=utf-8", "User-Agent": "companion"}
    if to.token:
        headers["Authorization"] = f"Bearer {to.token}"
    with _STRAIGHT.open(Request(to.url, text.encode(), headers), timeout=_TIMEOUT_S):
        pass

# SPDX-License-Identifier: Apache-2.0
"""Journals of chess games, for tests of what a hall publishes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion.games import find
from companion.host.journal import journal as journals
from companion.host.journal.journal import Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.referee.values.events import Event, GameBegan, MoveMade, Stage
from companion.referee.values.timing import DEFAULT_TIMING

HEADER = Header(journals.FORMAT, "1", "2026-11-21T20:00:00+01:00", GameSetup("chess"), DEFAULT_TIMING)
NAME = "2026-11-21_20-00-00_chess.jsonl"


def content(folder: Path, moves: str, *after: Event, order: str = "") -> bytes:
    """The journal of a game with *moves* and then the events *after*.

    *order* is the hall's order that began it.
    """
    rules = find("chess").rules()
    position = rules.initial()
    with JournalWriter.create(folder / "source.jsonl", replace(HEADER, order=order)) as writer:
        writer.write([GameBegan(0, rules.write_position(position))])
        for ply, text in enumerate(moves.split()):
            position = rules.apply(position, rules.read_move(position, text))
            made = MoveMade(1000 * ply, ply, ply % 2, text, Stage.ANNOUNCED, rules.write_position(position))
            writer.write([made])
        writer.write(after)
    found = (folder / "source.jsonl").read_bytes()
    (folder / "source.jsonl").unlink()
    return found

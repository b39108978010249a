# SPDX-License-Identifier: Apache-2.0
"""Hands of the players, recorded without a referee, for `adapters/same_hands.py`.

The players do not wait for a table: they never see whether it asks or objects.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any, Final

from companion.model.observation import Change, Sighting
from tests.bench.against import Line
from tests.bench.players.physics import Item
from tests.bench.players.play import Play, Setting
from tests.bench.players.trace import sighting_line

ASKS: Final = (True, True, True, False)
"""After every ply the table seems to ask until people have waited 4.5 s."""


class Recorder:
    """Turns what hands do into the reports of a board."""

    def __init__(self, play: Play) -> None:
        self.setting, self.rules = play.setting, play.rules
        self.items: list[Line] = []
        self.edges: list[int] = []
        """The last edge of each ply."""
        self._cells: list[set[int]] = []
        self._waiting: list[list[Any]] = []
        self._lever = -1
        self._positions = [play.position]
        self._kept: list[int] = []
        """The plies that were not taken back."""
        self._open: list[int] = []
        """The plies that do not stand yet."""

    def add(self, item: Item) -> None:
        """Add an item."""
        at_ms, what = item
        if self._waiting and at_ms > (due := self._waiting[0][0] + self.setting.delivery_ms):
            self._deliver(due)
        if isinstance(what, tuple):
            for change in what:
                self._change(change)
        elif what["note"] == "press":
            self._press(at_ms, what["side"])
        elif what["note"] == "begins":
            self._begin(at_ms, what["move"])
        elif what["note"] == "stands":
            self._open = [number for number in self._open if number > self._kept[what["ply"]]]
        elif what["note"] == "taken_back":
            self.items.append({"t": at_ms, "taken_back": what["plies"]})
            for _ in range(what["plies"]):
                self._kept.pop()
                self._positions.pop()

    def _deliver(self, at_ms: int) -> None:
        if self._waiting:
            self.items.append({"t": at_ms, "inputs": self._waiting})
            self._waiting = []

    def _change(self, change: Change) -> None:
        self._waiting.append([change.t_ms, change.cell, sighting_line(change.sighting)])
        for number in self._open:
            if change.cell in self._cells[number]:
                self.edges[number] = change.t_ms

    def _press(self, at_ms: int, side: int) -> None:
        is_lever = self.setting.device == "rocker"
        if not is_lever or self._lever != side:
            self._waiting.append([at_ms, "lever" if is_lever else "press", side])
            self._deliver(at_ms)
        self._lever = side

    def _begin(self, at_ms: int, text: str) -> None:
        """The hand begins a ply."""
        self.items.append({"t": at_ms, "begins": text})
        move = self.rules.read_move(self._positions[-1], text)
        steps = self.rules.steps(self._positions[-1], move)
        self._cells.append({cell for step in steps for cell in (*step.source, *step.target)})
        self._positions.append(self.rules.apply(self._positions[-1], move))
        self._kept.append(len(self.edges))
        self._open.append(len(self.edges))
        self.edges.append(at_ms)


def recorded(
    setting: Setting, plies: int, *, waits: bool = False, answers: bool = True, limit_s: float = 10.0
) -> tuple[Line, list[int]]:
    """A game for the adapter, and the time of the last edge of each ply.

    It has up to *plies*, and ends before a new game. With *waits*, patient people let some seconds
    pass after each ply, in which an answer may be given. Raises `AssertionError` if the players
    make an error.
    """
    play = Play(replace(setting, noise=0.0))
    start = play.table.sightings()
    seen = {cell: Sighting(True) for cell in range(len(play.rules.grid)) if start.occupied >> cell & 1}
    recorder, asks = Recorder(play), cycle(ASKS if waits else (False,))
    for item in play.plies(plies, lambda: next(asks)):
        if isinstance(item[1], dict) and item[1]["note"] == "new_game":
            break
        recorder.add(item)
    return {
        "game": setting.game,
        "options": setting.options,
        "sensor": setting.sensor,
        "control": setting.control,
        "start": [[cell, sighting_line(each)] for cell, each in (seen | dict(start.seen)).items()],
        "items": recorder.items,
        "answers": answers,
        "limit_s": limit_s,
    }, recorder.edges

# SPDX-License-Identifier: Apache-2.0
"""Games as JSON lines: first the setting, then all events with their times.

A game can be judged again from its lines:

- `{"setting": {...}, "start": {...}}`: the setting, and the board at the start.
- `{"t": 5120, "changes": [[12, null]]}`: changed cells; null is empty, else the fields of a
  sighting.
- `{"t": 5400, "note": "begins", "move": "e4"}`: notes of the players: moves, rests, presses,
  attempts.
- `{"finding": {...}}`: a finding of the judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion.model.observation import EMPTY, Change, Sighting, Sightings
from tests.bench.players.judge import Judge
from tests.bench.players.physics import Item
from tests.bench.players.play import Setting


def sighting_line(seen: Sighting) -> Any:
    """A sighting as JSON."""
    return None if not seen.occupied else [seen.kind, seen.side, seen.facing, seen.pose]


def read_sighting(line: Any) -> Sighting:
    """The inverse of `sighting_line`."""
    return EMPTY if line is None else Sighting(True, *line)


def item_line(item: Item) -> dict[str, Any]:
    """An item as JSON."""
    at_ms, what = item
    if isinstance(what, tuple):
        return {"t": at_ms, "changes": [[each.cell, sighting_line(each.sighting)] for each in what]}
    return {"t": at_ms, **what}


def read_item(line: dict[str, Any]) -> Item:
    """The inverse of `item_line`."""
    at_ms = line.pop("t")
    if "changes" in line:
        return at_ms, tuple(Change(at_ms, cell, read_sighting(seen)) for cell, seen in line["changes"])
    return at_ms, line


def save(path: Path, judge: Judge, start: Sightings, items: list[Item]) -> None:
    """Write a judged game."""
    seen = [[cell, sighting_line(each)] for cell, each in start.seen]
    header = {
        "setting": judge.setting.as_json(),
        "position": judge.rules.write_position(judge.rules.initial()),
        "start": {"occupied": start.occupied, "seen": seen},
    }
    lines = [header, *(item_line(item) for item in items)]
    lines += [{"finding": asdict(finding)} for finding in judge.findings]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def load(path: Path) -> tuple[Setting, Sightings, list[Item], list[dict[str, Any]]]:
    """Read a game that `save` wrote: setting, start, items and findings."""
    lines: Iterator[dict[str, Any]] = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    header = next(lines)
    fields = dict(header["setting"])
    fields["kinds"] = tuple(fields["kinds"])
    looks = tuple((cell, read_sighting(seen)) for cell, seen in header["start"]["seen"])
    items, findings = [], []
    for line in lines:
        if "finding" in line:
            findings.append(line["finding"])
        else:
            items.append(read_item(line))
    return Setting(**fields), Sightings(header["start"]["occupied"], 0, looks), items, findings


def _item_text(judge: Judge, what: Any) -> str:
    """An item as text for people."""
    if not isinstance(what, tuple):
        return " ".join(str(value) for value in what.values())
    grid = judge.rules.grid
    return ", ".join(f"{grid.name(each.cell)}: {sighting_line(each.sighting)}" for each in what)


def replay(path: Path, tell: Callable[[str], None] | None = None) -> Judge:
    """Judge the game in *path* again and return the judge.

    *tell* gets a line for each item, event and finding.
    """
    setting, start, items, _ = load(path)
    judge = Judge(setting, start)
    try:
        _rejudge(judge, items, tell)
    except Exception as error:  # noqa: BLE001 (any error of the session is a finding)
        judge.crash(error)
    return judge


def _rejudge(judge: Judge, items: list[Item], tell: Callable[[str], None] | None) -> None:
    for at_ms, what in items:
        known, found = len(judge.history), len(judge.findings)
        judge.feed(at_ms, what)
        if tell is not None:
            for event in judge.history[known:]:
                tell(f"          {event}")
            for finding in judge.findings[found:]:
                tell(f"    ***   {finding.at_ms} {finding.kind}: {finding.about}")
            tell(f"{at_ms:9} {_item_text(judge, what)}")
        if judge.failure is not None:
            break
    judge.finish()

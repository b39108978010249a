# SPDX-License-Identifier: Apache-2.0
"""Judge an evening with kills: what tables showed, against journals, copies and book.

Nothing here reads a clock or a file, so tests show what the judge finds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

Json = dict[str, Any]

TELLING: Final = 4
"""Plies after which two drawn games are not the same by chance."""


@dataclass(frozen=True, slots=True)
class Game:
    """What a journal tells of its game."""

    journal: str
    order: str = ""
    """The order that began it, empty without."""
    moves: tuple[str, ...] = ()
    """The announced moves that were not taken back."""
    winners: tuple[int, ...] | None = None
    """None as long as it has not ended."""
    taken_back: tuple[tuple[str, ...], ...] = ()
    """Records whose announced end the table took back, as for a question."""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consent:
    """An arbiter's explicit yes: the game at *station* may be left unfinished.

    It counts for orders later in the book than the entry *after*.
    """

    board: str
    after: int


@dataclass
class Shown:
    """The longest records of announced moves that the page of each station has shown."""

    records: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    def add(self, station: str, record: Sequence[Json]) -> tuple[str, ...]:
        """Add the *record* of a page; return its announced moves."""
        moves = announced(record)
        kept = self.records.setdefault(station, [])
        if moves and not any(each[: len(moves)] == moves for each in kept):
            kept[:] = [each for each in kept if moves[: len(each)] != each]
            kept.append(moves)
        return moves


def announced(record: Sequence[Json]) -> tuple[str, ...]:
    """The moves of a page's *record* that are not provisional."""
    return tuple(each["move"] for each in record if each["stage"] != "provisional")


def game_in(journal: str, text: str) -> Game:
    """The game in the *text* of a journal; its last line may be torn."""
    lines = text.split("\n")
    entries, faults = list[Json](), list[str]()
    for number, line in enumerate(lines):
        try:
            entries.append(json.loads(line))
        except ValueError:
            if line and number < len(lines) - 1:
                faults.append(f"{journal}: line {number + 1} cannot be read")
    moves, winners, taken_back = list[str](), None, list[tuple[str, ...]]()
    for entry in entries:
        if entry.get("is") == "MoveMade" and entry["stage"] == "announced":
            if entry["ply"] < len(moves):
                faults.append(f"{journal}: doubled: ply {entry['ply']} is announced again: {entry['move']}")
            del moves[entry["ply"] :]
            moves.append(entry["move"])
        elif entry.get("is") == "MoveRetracted":
            if len(moves) > entry["ply"]:
                taken_back.append(tuple(moves))
            del moves[entry["ply"] :]
        elif entry.get("is") == "GameEnded":
            winners = tuple(entry["outcome"]["winners"])
    order = entries[0].get("order", "") if entries else ""
    return Game(journal, order, tuple(moves), winners, tuple(taken_back), tuple(faults))


def lost_moves(station: str, shown: Iterable[tuple[str, ...]], games: Sequence[Game]) -> list[str]:
    """Moves that *station* has *shown* as announced, and none or two of *games* have."""
    faults = [fault for game in games for fault in game.faults]
    for record in shown:
        kept = [each for game in games for each in (game.moves, *game.taken_back)]
        if any(each[: len(record)] == record for each in kept):
            continue
        best = max((_common(record, game.moves) for game in games), default=0)
        faults.append(f"{station}: lost: {' '.join(record[best:])} after {best} plies of {' '.join(record)}")
    known = Counter(game.moves for game in games if len(game.moves) >= TELLING)
    faults += [f"{station}: doubled: {' '.join(each)}" for each, times in known.items() if times > 1]
    return faults


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def replaced_games(
    station: str, games: Sequence[Game], book: Sequence[Json], consents: Sequence[Consent]
) -> list[str]:
    """Games of *station*, in their order, that were replaced without an explicit yes."""
    ordered = {entry["act"]["order"]: entry for entry in book if entry["act"]["is"] == "Ordered"}
    faults = []
    for before, game in pairwise(games):
        if not before.moves or before.winners is not None:
            continue
        what = f"{station}: {before.journal} with {len(before.moves)} plies, unfinished, then {game.journal}"
        entry = ordered.get(game.order)
        if entry is None:
            faults.append(f"{what}: no order began it")
        elif entry["act"].get("journal") != before.journal:
            faults.append(f"{what}: its order was about {entry['act'].get('journal')!r}")
        elif (entry["act"].get("ply") or 0) < len(before.moves):
            faults.append(f"{what}: its order was given after {entry['act'].get('ply')} plies")
        elif not any(each.board == station and each.after < entry["number"] for each in consents):
            faults.append(f"{what}: nobody said yes")
    return faults


def gaps(book: Sequence[Json]) -> list[str]:
    """Where the numbers of the *book* do not follow each other."""
    numbers = [entry["number"] for entry in book]
    return [] if numbers == list(range(1, len(book) + 1)) else [f"the book has gaps: {numbers}"]


def changed_entries(before: Sequence[Json], book: Sequence[Json]) -> list[str]:
    """Entries that the desk has shown *before* and that the *book* lacks."""
    now = {entry["number"]: _stored(entry["act"]) for entry in book}
    return [
        f"entry {entry['number']} of the book was {entry['act']}, and is {now.get(entry['number'])}"
        for entry in before
        if now.get(entry["number"]) != _stored(entry["act"])
    ]


def _stored(act: Json) -> Json:
    """*act* without what the desk shows in another form."""
    return {name: value for name, value in act.items() if name != "fault"}


def missing_acts(acts: Iterable[Mapping[str, Any]], book: Sequence[Json]) -> list[str]:
    """Acknowledged *acts* that are not once in the *book*.

    An act is given by fields of its entry that no other entry has.
    """
    faults = []
    for act in acts:
        times = sum(act.items() <= _plain(entry["act"]).items() for entry in book)
        if times != 1:
            faults.append(f"acknowledged, {times} times in the book: {dict(act)}")
    return faults


def _plain(act: Json) -> Json:
    return {name: value for name, value in act.items() if not isinstance(value, list | dict)}


def missing_results(games: Iterable[Game], book: Sequence[Json]) -> list[str]:
    """Games of a round that have ended and whose result is not in the *book*."""
    given = {entry["act"]["order"]: entry["act"] for entry in book if entry["act"]["is"] == "TableGiven"}
    faults = []
    for game in games:
        seat = given.get(game.order) if game.order else None
        if seat is None or game.winners is None:
            continue
        place = {name: seat[name] for name in ("key", "round", "table")}
        results = [
            entry["act"]
            for entry in book
            if entry["act"]["is"] in ("ResultTold", "ResultReported", "ResultDecided")
            and place.items() <= _plain(entry["act"]).items()
        ]
        if not results:
            faults.append(f"no result of {game.journal} in the book: {place}, won by {game.winners}")
    return faults


def different_copies(station: str, own: Mapping[str, bytes], copies: Mapping[str, bytes]) -> list[str]:
    """Journals of *station* of which the hall's *copies* lack moves or the end, or differ.

    A copy may lack lines that tell of neither.
    """
    faults = []
    for name, content in own.items():
        copy = copies.get(name, b"")
        ours, theirs = (game_in(name, each.decode(errors="replace")) for each in (content, copy))
        what = f"{station}: {name}: {len(content)} bytes, the hall's copy has {len(copy)}"
        if not content.startswith(copy):
            faults.append(f"{what}, others")
        elif (ours.moves, ours.winners) != (theirs.moves, theirs.winners):
            faults.append(f"{what}: it lacks {' '.join(ours.moves[len(theirs.moves) :]) or 'the end'}")
    return faults

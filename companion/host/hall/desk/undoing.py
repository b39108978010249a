# SPDX-License-Identifier: Apache-2.0
"""Undoing an arbiter's acts by opposite acts.

Its rule: the book keeps both. An act is undone only if nothing changed what it did since.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from companion.host.codec import decode
from companion.host.hall.core.hall import Hall
from companion.model.errors import TournamentError
from companion.referee.values.commands import Command
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Entered,
    Entry,
    Ordered,
    ResultDecided,
    Returned,
    RoundDropped,
    RoundPaired,
    WinnerDecided,
    Withdrew,
)
from companion.tournament.book import Book, read, written


async def undo(hall: Hall, by: str, numbers: Sequence[int]) -> list[int]:
    """Undo the entries *numbers*, the last one first; return the numbers of the opposite entries.

    Raises like `Hall.act`, and `TournamentError` without a change if one cannot be undone.
    """
    entries = hall.keeper.entries
    if not all(0 < number <= len(entries) and entries[number - 1].by == by for number in numbers):
        raise TournamentError("only your own entries of the book can be undone")
    done = []
    for act in [each for number in sorted(numbers, reverse=True) for each in opposite(entries, number)]:
        if isinstance(act, Ordered):
            command: Command = decode(Command, json.loads(act.command))
            await hall.order(by, act.board, command)
        else:
            await hall.act(by, act)
        done.append(len(hall.keeper.entries))
    return done


def opposite(entries: Sequence[Entry], number: int) -> list[Act]:
    """Return the acts that undo entry *number* of *entries*. Raises `TournamentError`."""
    act = entries[number - 1].act
    if isinstance(act, Ordered):
        return [_opposite_order(act, number)]
    before, now = read(entries[: number - 1]), read(entries)
    found = _of_result(before, act) or _of_others(before, act, number)
    if _touched(now, act) != _touched(written(before, act), act):
        raise TournamentError(
            "entry {number} of the book cannot be undone: it was changed since; change it as it is now",
            number=number,
        )
    return found


def _opposite_order(act: Ordered, number: int) -> Ordered:
    """Return the order that undoes *act*. Raises `TournamentError` if none does."""
    command: dict[str, Any] = json.loads(act.command)
    match command["is"]:
        case "Hold":
            command = {"is": "Release"}
        case "Release" if not command.get("starts_clock"):
            command = {"is": "Hold"}
        case "AdjustClock":
            command["by_ms"] *= -1
        case _:
            raise _lasting(number)
    return replace(act, command=json.dumps(command))


def _of_result(before: Book, act: Act) -> list[Act]:
    """Return the acts that undo a result or a decision; empty for other acts."""
    match act:
        case ResultDecided(key, in_round, table):
            known = before.of(key).tournament.pairing(in_round, table)
            points = known.further[-1] if known.further else known.points
            back = replace(act, points=points, is_forfeit=known.is_forfeit, note="")
            reported = before.of(key).reported.get((in_round, table))
            return [back, reported] if reported else [back]
        case WinnerDecided(key, in_round, table) if not before.of(key).tournament.boards:
            decided = before.of(key).tournament.pairing(in_round, table).decided
            return [replace(act, winner=decided)]
    return []


def _of_others(before: Book, act: Act, number: int) -> list[Act]:
    """Return the acts that undo what is not a result. Raises `TournamentError` if none does."""
    match act:
        case Entered(key):
            return [Withdrew(key, len(before.of(key).tournament.players) + 1)]
        case Withdrew(key, player):
            return [Returned(key, player)]
        case Returned(key, player):
            return [Withdrew(key, player)]
        case Corrected(key, player):
            known = before.of(key).tournament.player(player)
            return [Corrected(key, player, known.name, known.rating)]
        case DelaySet(key):
            return [DelaySet(key, before.of(key).delay_s)]
        case RoundPaired(key):
            return [RoundDropped(key)]
        case RoundDropped(key):
            return [RoundPaired(key, before.of(key).tournament.rounds[-1])]
    raise _lasting(number)


def _lasting(number: int) -> TournamentError:
    return TournamentError(
        "entry {number} of the book cannot be undone by a key: correct it at its place", number=number
    )


def _touched(book: Book, act: Act) -> object:
    """Return what *act* changed, as it is in *book*."""
    match act:
        case ResultDecided(key, in_round, table) | WinnerDecided(key, in_round, table):
            of = book.of(key).tournament
            return of.pairing(in_round, table), len(of.rounds)
        case Entered(key):
            return len(book.of(key).tournament.rounds)
        case Withdrew(key, number) | Returned(key, number) | Corrected(key, number):
            of = book.of(key).tournament
            return of.player(number), len(of.rounds)
        case DelaySet(key):
            return book.of(key).delay_s
        case RoundPaired(key) | RoundDropped(key):
            return book.of(key).tournament.rounds
    return None

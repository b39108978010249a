# SPDX-License-Identifier: Apache-2.0
"""Short contacts on a simulated board, with and without repaints of its strip.

Pairs of contacts on two cells; the real program reports them to a host that only listens. Nothing
here depends on the computer's speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Final

from companion.link.protocol_gen import Colour, Lamp, LedFill, LedPalette, Run
from tests.bench.report import percentiles
from tests.firmware.boards import Board
from tests.firmware.talk import Talk

REPAINT_MS: Final = 50
START_MS: Final = 120
LISTEN_MS: Final = 0.25
"""Resolution of the times."""
CASES: Final = ((8, 5), (5, 3))
"""Duration of a contact, and delay of a pair's second contact, in ms."""
_RUN: Final = 200
"""Longest run of LEDs that one entry of a command names."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A switch that closes and opens again."""

    at_ms: float
    cell: int


def short_contacts(kind: Board, seed: int, *, pairs: int) -> dict[str, Any]:
    """The figures of `measured` for all of CASES, with and without repaints."""
    return {
        f"{contact_ms}_ms_contacts{', repaints' if repaints else ''}": measured(
            kind, Random(seed), contact_ms, apart_ms, pairs, repaints=repaints
        )
        for contact_ms, apart_ms in CASES
        for repaints in (False, True)
    }


def measured(
    kind: Board, chance: Random, contact_ms: int, apart_ms: int, pairs: int, *, repaints: bool
) -> dict[str, Any]:
    """Make *pairs* of contacts, one in each REPAINT_MS.

    Returns the percentage of contacts reported, and of pairs reported in order, and the times from
    a closing to the host.
    """
    with kind.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        talk.ask(LedPalette(1, tuple(Colour(*shade, 0, 0, 0, 0, 0) for shade in ((1, 0, 1), (0, 1, 1)))))
        talk.listen(20)
        talk.notices.clear()
        cells = chance.sample(range(kind.panel.cells), kind.panel.cells)
        contacts = list[Contact]()
        for pair in range(pairs):
            at = sim.ms + pair * REPAINT_MS + chance.uniform(1, 25)
            first, second = cells[2 * pair % len(cells)], cells[(2 * pair + 1) % len(cells)]
            contacts += [Contact(at, first), Contact(at + apart_ms, second)]
        heard = _run(talk, kind, contacts, contact_ms, repaints=repaints)
    return figures(contacts, heard)


def _run(
    talk: Talk, kind: Board, contacts: list[Contact], contact_ms: int, *, repaints: bool
) -> list[tuple[float, int, bool]]:
    """Move the switches; the time, cell and level of each edge that the host hears."""
    sim = talk.board
    changes = sorted(
        (at, contact.cell, is_closed)
        for contact in contacts
        for at, is_closed in ((contact.at_ms, True), (contact.at_ms + contact_ms, False))
    )
    heard = list[tuple[float, int, bool]]()
    shades, next_paint, end = count(), sim.ms, changes[-1][0] + 60
    while sim.ms < end:
        if repaints and sim.ms >= next_paint:
            _paint(talk, kind.panel.leds, 1 + next(shades) % 2)
            next_paint += REPAINT_MS
        while changes and changes[0][0] <= sim.ms:
            _, cell, is_closed = changes.pop(0)
            sim.cell(cell, is_closed)
        talk.listen(LISTEN_MS)
        heard += [(sim.ms, edge.input, edge.is_closed) for edge in talk.edges()]
        talk.notices.clear()
    return heard


def _paint(talk: Talk, leds: int, colour: int) -> None:
    """Order a repaint of the whole strip."""
    runs = tuple(Run(first, min(_RUN, leds - first), colour) for first in range(0, leds, _RUN))
    talk.send(LedFill(Lamp.SHOW, runs))


def figures(contacts: list[Contact], heard: list[tuple[float, int, bool]]) -> dict[str, Any]:
    """Match each contact with the next edges of its cell."""
    closings = list[float | None]()
    reported = 0
    for contact in contacts:
        own = [
            (at, is_closed) for at, cell, is_closed in heard if cell == contact.cell and at > contact.at_ms
        ]
        is_whole = [is_closed for _, is_closed in own[:2]] == [True, False]
        reported += is_whole
        closings.append(own[0][0] if is_whole else None)
    order = {(at, cell): place for place, (at, cell, is_closed) in enumerate(heard) if is_closed}
    in_order = 0
    for place in range(0, len(contacts), 2):
        places = [
            order[at, contact.cell]
            for at, contact in zip(closings[place : place + 2], contacts[place : place + 2], strict=True)
            if at is not None
        ]
        in_order += len(places) == 2 and places[0] < places[1]
    waits = [at - contact.at_ms for at, contact in zip(closings, contacts, strict=True) if at is not None]
    return {
        "reported_percent": round(100 * reported / len(contacts), 1),
        "pairs_in_order_percent": round(200 * in_order / len(contacts), 1),
        "closing_to_host_ms": percentiles(waits),
    }

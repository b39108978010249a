# SPDX-License-Identifier: Apache-2.0
"""Delay of edges on a bad line: half a percent of the bytes is damaged."""

import random
from statistics import median

import pytest

from companion.link.connection import Connection
from companion.link.events import InputsChanged, InputsRead
from companion.link.protocol_gen import Colour
from tests.firmware.boards import board
from tests.firmware.simulator import Faults

pytestmark = pytest.mark.firmware
EDGES_PER_S = 200
SECONDS = 4
HEAVY = Faults(flip_ppm=2500, drop_ppm=1250, twice_ppm=1250, seed=7)
GREEN = Colour(0, 9, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "name",
    ["16x16", pytest.param("8x8", marks=pytest.mark.long), pytest.param("20x20", marks=pytest.mark.long)],
)
def test_the_median_delay_stays_short_while_half_a_percent_of_the_bytes_is_damaged(name: str) -> None:
    tested = board(name)
    chance = random.Random(3)
    host = Connection(nonce=7)
    closed, delays_ms = 0, list[int]()
    toggled_ms: dict[int, int] = {}
    with tested.powered() as sim:
        sim.step(300, _Host(host))
        for towards_chip in (True, False):
            sim.set_faults(towards_chip=towards_chip, faults=HEAVY)
        host.colour((GREEN, GREEN))
        for turn in range(SECONDS * EDGES_PER_S):
            cell = chance.choice([each for each in range(tested.panel.cells) if each not in toggled_ms])
            closed ^= 1 << cell
            toggled_ms[cell] = sim.now_ms
            sim.cell(cell, bool(closed >> cell & 1))
            if turn % 50 == 0:
                host.show(tuple(chance.randrange(2) for _ in range(tested.panel.leds)))
            for _ in range(1000 // EDGES_PER_S):
                sim.feed(host.bytes_to_send(sim.now_ms))
                sim.run_ms(1)
                for event in [*host.feed(sim.take(), sim.now_ms), *host.tick(sim.now_ms)]:
                    if isinstance(event, InputsChanged):
                        told = [
                            toggled_ms.pop(edge.input) for edge in event.edges if edge.input in toggled_ms
                        ]
                        delays_ms += [sim.now_ms - ms for ms in told]
                    elif isinstance(event, InputsRead):
                        delays_ms += [sim.now_ms - ms for ms in toggled_ms.values()]
                        toggled_ms.clear()
        for towards_chip in (True, False):
            sim.set_faults(towards_chip=towards_chip, faults=Faults())
        sim.step(1500, _Host(host))
        assert host.closed == closed
    assert len(delays_ms) > 0.9 * SECONDS * EDGES_PER_S
    assert median(delays_ms) <= 50


class _Host:
    """A connection as the computer's end of the simulated line."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def receive(self, data: bytes, now_ms: int) -> None:
        self._connection.feed(data, now_ms)
        self._connection.tick(now_ms)

    def bytes_to_send(self, now_ms: int) -> bytes:
        return self._connection.bytes_to_send(now_ms)

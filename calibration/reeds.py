# SPDX-License-Identifier: Apache-2.0
"""`python -m calibration reeds`: find switches and lamps wired to the wrong cell.

The user needs a magnet and some minutes. The panel is not changed:
the corrected order is written to the panel's file, from which the firmware is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Final, TypeAlias

from calibration.reed_walk import (
    Finding,
    ReedWalk,
    complete,
    corrected_led_order,
    corrected_sensor_order,
    inverted,
    misplaced,
    rewritten,
)
from calibration.wording import Sentence, Words, sentence
from companion.host.clock import Clock
from companion.host.devices.panel_session import PanelSession
from companion.link.handshake import panel_name
from companion.link.panel import grid_over, load_panel, read_panel
from companion.link.protocol_gen import Colour, HelloReply

_LISTEN_MS: Final = 100
"""Interval at which the keyboard is polled."""
_DARK: Final = Colour(0, 0, 0, 0, 0, 0, 0, 0)
_WHITE: Final = Colour(120, 120, 120, 0, 0, 0, 40, 0)

Say: TypeAlias = Callable[[str], None]
NextKey: TypeAlias = Callable[[], str | None]
"""The key typed since the last call, or None.

`s` skips the place, `b` goes one back.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The findings of a walk, and the corrected panel file."""

    panel: str
    findings: tuple[Finding, ...]
    text: str
    """The corrected panel file."""


async def walk_board(
    session: PanelSession, clock: Clock, say: Say, next_key: NextKey, words: Words
) -> Result:
    """Guide a person over the board, in *words*, and return the findings.

    Raises `CalibrationError`, `SettingsError` for a panel without a file, `LinkError`.
    """
    hello = await session.greet()
    panel = load_panel(panel_name(hello))
    grid = grid_over(hello)
    text = (resources.files("companion") / "panels" / f"{panel.name}.toml").read_text(encoding="utf-8")
    say(words.sentence("reeds.begin", cells=hello.cells))

    def name_cell(place: int) -> None:
        say(words.sentence("reeds.put", cell=grid.name(place)))
        session.connection.write(0, words.sentence("display.put"))
        session.connection.write(1, words.sentence("display.cell", cell=grid.name(place)))

    switches = await _walk(session, clock, hello.cells, name_cell, next_key)
    true_cells = inverted(complete(switches, "switch", grid))
    findings = misplaced("switch", true_cells)
    if findings:
        text = rewritten(
            text, "sensor_order", corrected_sensor_order(panel, true_cells), panel.sensor_columns
        )
    if hello.leds >= hello.cells:
        lamps = complete(await _walk_lamps(session, clock, hello, (say, words), next_key), "lamp", grid)
        lamp_cells = tuple(true_cells[number] for number in lamps)
        if misplaced("lamp", lamp_cells):
            findings += misplaced("lamp", lamp_cells)
            text = rewritten(text, "led_order", corrected_led_order(panel, lamp_cells), panel.files or 16)
    read_panel(text, panel.name)  # check that the written file can be read
    return Result(panel.name, findings, text)


def describe(finding: Finding, hello: HelloReply) -> Sentence:
    """*finding* as a sentence."""
    grid = grid_over(hello)
    return sentence(
        f"reeds.{finding.what}", believed=grid.name(finding.believed), true=grid.name(finding.true)
    )


async def _walk_lamps(
    session: PanelSession, clock: Clock, hello: HelloReply, voice: tuple[Say, Words], next_key: NextKey
) -> tuple[int | None, ...]:
    """The input that closed at each lit lamp."""
    say, words = voice
    session.connection.colour((_DARK, _WHITE))

    def light(place: int) -> None:
        say(words.sentence("reeds.blinks", number=place + 1, count=hello.cells))
        session.connection.write(0, words.sentence("display.put"))
        session.connection.write(1, words.sentence("display.blinks"))
        session.connection.show((0,) * place + (1,))

    found = await _walk(session, clock, hello.cells, light, next_key)
    session.connection.show(())
    return found


async def _walk(
    session: PanelSession, clock: Clock, cells: int, ask: Callable[[int], None], next_key: NextKey
) -> tuple[int | None, ...]:
    """The input that closed at each place; *ask* requests the magnet at a place."""
    walk, asked = ReedWalk(cells), -1
    while (place := walk.place) is not None:
        if place != asked:
            ask(place)
            asked = place
        for event in await session.listen(clock() + _LISTEN_MS):
            walk = walk.take(event)
        match next_key():
            case "s":
                walk = walk.leave_out()
            case "b":
                walk = walk.back()
    session.connection.write(0, "")
    session.connection.write(1, "")
    await session.flush()
    return walk.found

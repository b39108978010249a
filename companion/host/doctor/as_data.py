# SPDX-License-Identifier: Apache-2.0
"""What `companion doctor` and `companion tools switches` find, as JSON values for other programs.

The texts are in a language, and may change; level, port and numbers do not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from companion import games
from companion.host.devices.camera import CameraOptions
from companion.host.devices.panels import describe
from companion.host.doctor import camera as cameracheck
from companion.host.doctor.checks import Finding, Level, examine
from companion.host.doctor.commands import examine_link
from companion.host.doctor.panel import findings
from companion.host.doctor.probe import look
from companion.host.doctor.sensor_terminal import Examined
from companion.host.doctor.sensor_test import summary
from companion.host.text.error_translation import translate
from companion.link.panel import grid_over
from companion.model.occupancy import cells_of

Json: TypeAlias = dict[str, Any]


def machine(language: str) -> list[Json]:
    """Examine this computer."""
    return _findings(examine(look()), language)


def camera(camera_options: CameraOptions, game: str | None, language: str) -> list[Json]:
    """Examine a camera, as `commands.examine_camera` does. Raises `CompanionError`."""
    facts = cameracheck.look(camera_options, None if game is None else games.find(game))
    return _findings(cameracheck.examine(facts), language)


def panel(port: str, language: str) -> list[Json]:
    """Examine the panel on *port*. Raises `LinkError`."""
    result = asyncio.run(examine_link(port))
    quality, grid = result.quality, grid_over(result.hello)
    times = {name: getattr(quality, name) for name in ("pings", "p50_ms", "p99_ms", "worst_ms")}
    good = _finding(Level.GOOD, port, " · ".join(describe(result.hello)), "")
    faults = findings(result, grid.name)
    return [
        {**good, "times": times, "closed": [grid.name(cell) for cell in cells_of(result.closed)]},
        *(_finding(Level.FAULT, port, translate(said, language), "") for said in faults),
    ]


def switches(port: str, examined: Examined, language: str) -> list[Json]:
    """Return the verdict and the faults of a sensor test at *port*."""
    test = examined.test
    level = Level.GOOD if test.check.is_right else Level.FAULT
    said = summary(test.check, test.grid)
    return [
        _finding(level, port, translate(said, language), ""),
        *(_finding(Level.FAULT, port, translate(said, language), "") for said in examined.findings),
    ]


def is_well(found: Iterable[Json]) -> bool:
    """True if no finding is a fault."""
    return all(each["level"] != Level.FAULT.value for each in found)


def _findings(found: Sequence[Finding], language: str) -> list[Json]:
    """Return *found* in *language*."""
    return [
        _finding(each.level, translate(each.subject, language), translate(each.said, language), each.mend)
        for each in found
    ]


def _finding(level: Level, subject: str, text: str, remedy: str) -> Json:
    """Return one finding."""
    return {"level": level.value, "subject": subject, "text": text, "remedy": remedy}

# SPDX-License-Identifier: Apache-2.0
"""`python -m calibration camera FOLDER`: the camera workshop without a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table as Sheet

from calibration.album import Result, calibrate
from calibration.assessment import Level
from calibration.files import images_of, keep, now
from calibration.profile_diff import Row, compare
from calibration.table import Table, profile_of
from calibration.view_fit import PLACES
from calibration.wording import Words, sentence
from companion.host.devices import profiles
from companion.model.errors import CalibrationError, SettingsError
from companion.sensing.profile import FILM, CameraData, Profile, References
from companion.sensing.vision.geometry import Floats

Shows: TypeAlias = Literal["nothing", "empty", "start"]
"""Content of the board: anything, the empty board, or the start position."""

DONE: Final = 0
UNFIT: Final = 3
"""Exit code for an unusable result: nothing was written."""

_MARKS: Final = {Level.GOOD: "[green]✓[/]", Level.FAIR: "[yellow]![/]", Level.BAD: "[red]✕[/]"}


@dataclass(frozen=True, slots=True)
class Request:
    """The user's request."""

    folder: Path
    table: Table
    name: str
    corners_px: Floats | None = None
    shows: Shows = "nothing"
    is_forced: bool = False
    """True to write an unusable profile, too."""


def run(request: Request, console: Console, words: Words, *, as_json: bool) -> int:
    """Calibrate, report in *words*, and store the profile; returns the exit code.

    Raises `CompanionError`.
    """
    screen = Console(stderr=True)
    with Bar(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(words.sentence("console.looking"), total=None)
        images = list(images_of(request.folder))
        result = calibrate(
            images,
            request.table,
            request.corners_px,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
    path = profiles.path_of(request.name)
    profile = _profile(request, result, path.stem)
    before = profiles.load(path) if path.exists() else None
    rows = compare(before, profile, request.table)
    is_kept = request.is_forced or not result.assessment.is_bad
    if is_kept:
        keep(profile, path, {} if request.shows == "nothing" else {request.shows: result.board})
    if as_json:
        console.print_json(json.dumps(_numbers(result, profile, path if is_kept else None, words)))
    else:
        _report(console, words, result, rows if before else ())
        if not request.table.has_tags and request.shows == "nothing":
            warned = words.sentence(
                "lists.both", first=sentence("advice.no-reference"), second=sentence("console.shows")
            )
            console.print(f"{_MARKS[Level.FAIR]} {warned}", soft_wrap=True)
        done = (
            words.sentence("console.kept", path=str(path)) if is_kept else words.sentence("console.not-kept")
        )
        console.print(done, soft_wrap=True)
    return DONE if is_kept else UNFIT


def parse_corners(text: str) -> Floats:
    """(4, 2) px from `x,y x,y x,y x,y`, in the order of `PLACES`. Raises `SettingsError`.

    >>> parse_corners("1,2 3,4 5,6 7,8").tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
    """
    try:
        corners = [tuple(float(number) for number in pair.split(",")) for pair in text.split()]
    except ValueError:
        corners = []
    if [len(pair) for pair in corners] != [2, 2, 2, 2]:
        raise SettingsError(
            "--corners is {text!r}: write the px of the board's four corners as x,y x,y x,y x,y in "
            "the order {places}",
            text=text,
            places=tuple(PLACES),
        )
    return np.array(corners)


def parse_heights(texts: Sequence[str], kinds: Sequence[str]) -> dict[str, float]:
    """Heights in mm written as `kind=mm`, of *kinds* of pieces. Raises `SettingsError`."""
    heights = {}
    for word in texts:
        kind, _, value = word.partition("=")
        if kind not in kinds:
            raise SettingsError(
                "--height {height}: the kinds of pieces are {known}", height=word, known=tuple(kinds)
            )
        try:
            heights[kind] = float(value)
        except ValueError:
            raise SettingsError(
                "--height {height}: write KIND=MM, such as {kind}=12", height=word, kind=kind
            ) from None
    return heights


def _profile(request: Request, result: Result, name: str) -> Profile:
    """The profile for *result*."""
    height, width = result.board.shape[:2]
    camera = CameraData(str(request.folder), FILM, (width, height))
    shows = request.shows
    references = References() if shows == "nothing" else References(**{shows: f"{name}-{shows}.png"})
    try:
        return profile_of(name, now(), camera, request.table, result.assessment.fit, references)
    except ValueError as fault:
        raise CalibrationError("{reason}", reason=fault) from fault


def _numbers(result: Result, profile: Profile, path: Path | None, words: Words) -> dict[str, object]:
    """All results, for other programs."""
    lens = result.lens
    chart = None if lens is None else {"views": lens.views, "rms_px": round(lens.rms_px, 3)}
    return {
        "profile": None if path is None else str(path),
        "name": profile.name,
        "corners_px": profile.fit.corners_px,
        "chart": chart,
        **result.assessment.numbers(result.outfit, words),
    }


def _report(console: Console, words: Words, result: Result, rows: Sequence[Row]) -> None:
    """Print the results and the changes."""
    for advice in result.assessment.advice:
        console.print(f"{_MARKS[advice.level]} {words.text(advice.sentence)}", soft_wrap=True)
    if result.lens is not None:
        lens = words.sentence("console.lens", views=result.lens.views, rms=result.lens.rms_px)
        console.print(f"  {lens}", soft_wrap=True)
    if not rows:
        return
    sheet = Sheet("", words.sentence("page.before"), words.sentence("page.after"))
    for row in rows:
        before, after = words.text(row.before), words.text(row.after)
        sheet.add_row(
            words.sentence(f"rows.{row.key}"), before, f"[yellow]{after}[/]" if row.is_worse else after
        )
    console.print(sheet)

# SPDX-License-Identifier: Apache-2.0
"""Records the images of a camera, for problem reports.

Its rule: it always ends in order, by time, at the end of a film, or by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from companion.host.devices.camera import check_libraries
from companion.model.errors import CameraUnavailable, Outage

_WAIT_S: Final = 0.5


def record(source: str, target: Path, seconds: int, console: Console, *, is_lossless: bool = False) -> None:
    """Record *source* to *target* for *seconds*;

    0: until it ends or is stopped.

    Raises `CameraUnavailable` and `RecordingError`.
    """
    check_libraries()
    from companion.sensing.capture import Capture
    from companion.sensing.recorder import recorder

    kept, skipped = 0, 0
    with (
        Capture(source, in_colour=True) as capture,
        recorder(target, is_lossless=is_lossless) as keeper,
        _progress(console) as progress,
        contextlib.suppress(KeyboardInterrupt),
        _stoppable(),
    ):
        task = progress.add_task("recording", total=seconds or None, said="")
        number, first_ms = -1, None
        while True:
            try:
                shot = capture.newest(number, _WAIT_S)
            except CameraUnavailable as fault:
                if fault.outage is Outage.ENDED:
                    break
                raise
            if shot is None:
                continue
            first_ms = shot.at_ms if first_ms is None else first_ms
            length_s = (shot.at_ms - first_ms) / 1000
            if seconds and length_s >= seconds:
                break
            keeper.keep(shot)
            kept, skipped, number = kept + 1, skipped + shot.number - number - 1, shot.number
            said = f"{kept} images, {keeper.bytes / 1e6:.1f} MB"
            progress.update(task, completed=length_s, said=said)
    missed = f"; {skipped} came faster than they could be kept" if skipped else ""
    console.print(
        f"{kept} images are in {target}{missed}. Look at them again with: companion play GAME --camera {target}",
        soft_wrap=True,
        markup=False,
    )


def _progress(console: Console) -> Progress:
    """Make the progress line."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[said]}  (Ctrl-C ends)"),
        console=console,
    )


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C inside the block, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _place: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

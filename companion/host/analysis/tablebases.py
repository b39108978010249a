# SPDX-License-Identifier: Apache-2.0
"""Tablebases: shipped with the program, kept in the user's cache folder, or computed now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from companion.host.private_files import replace_bytes
from companion.host.text.os_errors import why
from companion.model.installation import importing
from companion.model.phrase import Phrase
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import (
    SHIPPED,
    DamagedTablebase,
    Tablebase,
    name_of,
    shipped,
    unpack,
)

if TYPE_CHECKING:
    from companion.opponent.close_quarters.solver import Progress


def folder() -> Path:
    """Return the folder of computed tablebases."""
    return platformdirs.user_cache_path("companion", appauthor=False) / "tablebases"


def is_there(options: MoveOptions) -> bool:
    """True if the tablebase for *options* is shipped or kept. It may be damaged."""
    return options == SHIPPED or (folder() / name_of(options)).is_file()


def tablebase_for(
    options: MoveOptions, watch: Callable[[Progress], None], warn: Callable[[Phrase], None]
) -> Tablebase:
    """Return the tablebase for *options*; compute and keep it if it is missing.

    *watch* sees the progress and may raise; *warn* gets the reason why it cannot be kept.
    Raises `ExtraMissing`.
    """
    if options == SHIPPED:
        return shipped()
    path = folder() / name_of(options)
    try:
        return unpack(path.read_bytes(), options)
    except (OSError, DamagedTablebase):
        found = _computed(options, watch)
    try:
        replace_bytes(path, found.packed())
    except OSError as fault:
        warn(Phrase("{path} cannot be written: {reason}", path=path, reason=why(fault)))
    return found


def _computed(options: MoveOptions, watch: Callable[[Progress], None]) -> Tablebase:
    """Analyse all positions under *options*. Raises `ExtraMissing`."""
    with importing(
        "an analysis with these options needs {library}, which is not installed: {install}", extra="analysis"
    ):
        from companion.opponent.close_quarters.solver import Solver
    solver = Solver(options)
    for progress in solver.steps():
        watch(progress)
    return solver.tablebase()

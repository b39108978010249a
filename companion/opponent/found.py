# SPDX-License-Identifier: Apache-2.0
"""What a search has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from companion.model.game import M


@dataclass(frozen=True, slots=True)
class Found(Generic[M]):
    """The result of an iteration."""

    move: M
    value: int
    """For the party of the side to move."""
    depth: int
    nodes: int
    """Nodes of all iterations so far."""
    line: tuple[M, ...]
    """Best play of both parties, as far as it is known."""
    is_complete: bool = True
    """False if the iteration was stopped; then its first moves have been searched."""

# SPDX-License-Identifier: Apache-2.0
"""The layers of a game at a table, in their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from companion.host.table.layers.board_menu import BoardMenu
from companion.host.table.layers.board_review import BoardReview
from companion.host.table.layers.hints import Hints
from companion.host.table.layers.layer import Layer
from companion.host.table.layers.lesson import Lesson
from companion.host.table.layers.remarks import Remarks
from companion.host.table.layers.standins import StandinLayer
from companion.model.game import AnyRules
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.view import TableView

Follow: TypeAlias = Callable[[TableView], None]
Tend: TypeAlias = Callable[[TableView, int], bool]
Deadline: TypeAlias = Callable[[], int | None]


@dataclass(frozen=True)
class Layers:
    """All layers, and each method of those that have one of their own.

    So a layer that does nothing at some point costs nothing there.
    """

    hints: Hints
    menu: BoardMenu
    remarks: Remarks
    review: BoardReview
    standins: StandinLayer | None = None
    lesson: Lesson | None = None

    @cached_property
    def order(self) -> tuple[Layer, ...]:
        """Each lies over those before it; the last one gets the input first."""
        order = self.hints, self.lesson, self.standins, self.remarks, self.menu, self.review
        return tuple(layer for layer in order if layer is not None)

    @cached_property
    def follows(self) -> tuple[Follow, ...]:
        """`Layer.follow`."""
        return _of("follow", self.order)

    @cached_property
    def tends(self) -> tuple[Tend, ...]:
        """`Layer.tend`."""
        return _of("tend", self.order)

    @cached_property
    def deadlines(self) -> tuple[Deadline, ...]:
        """`Layer.next_deadline_ms`."""
        return _of("next_deadline_ms", self.order)


def layers_of(
    rules: AnyRules, view: TableView, rotation: Callable[[], Rotation], *, has_standins: bool
) -> Layers:
    """Return the layers of a game at *view*; *rotation* is that of its board."""
    standins = StandinLayer(rules) if has_standins else None
    return Layers(Hints(view, rotation), BoardMenu(rules.grid), Remarks(), BoardReview(), standins)


def _of(method: str, order: tuple[Layer, ...]) -> tuple[Any, ...]:
    """Return *method* of those of *order* that have one of their own."""
    plain = getattr(Layer, method)
    return tuple(getattr(layer, method) for layer in order if getattr(type(layer), method) is not plain)

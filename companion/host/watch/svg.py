# SPDX-License-Identifier: Apache-2.0
"""A stored game as one animated SVG. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from companion.feedback.page import Json
from companion.feedback.words import Words
from companion.host.records.frames import scenes
from companion.host.watch.game_drawing import Elements, GameDrawing
from companion.host.watch.page import replay_json
from companion.model.notation import GameRecord


def animated_svg(record: GameRecord, words: Words, *, move_ms: int = 1500) -> str:
    """*record* as one self-contained SVG that repeats the game.

    Each position is shown for *move_ms*; without animation, as in print, the last one is shown.
    Raises `CompanionError` if the rules reject *record*.
    """
    drawing, shown = shots(record, words)
    timeline = _Timeline(len(shown), move_ms)
    title = f"<title>{escape(f'{words.game.title}: {record.result}')}</title>"
    layers = (
        timeline.over_time(layer)
        for layer in zip(*((e.lamps, e.pieces, e.texts) for e in shown), strict=True)
    )
    return drawing.root(title, *drawing.still(), *(part for layer in layers for part in layer)) + "\n"


def still_svg(record: GameRecord, words: Words, number: int) -> str:
    """Position *number* of *record* as a self-contained SVG; the last one if there are fewer.

    Raises `CompanionError` if the rules reject *record*.
    """
    drawing, shown = shots(record, words)
    return drawing.root(*drawing.still(), *shown[min(max(number, 0), len(shown) - 1)].all) + "\n"


def shots(record: GameRecord, words: Words) -> tuple[GameDrawing, tuple[Elements, ...]]:
    """How *record* is laid out, and the elements of each position."""
    replay = replay_json(record, words)
    captions = [scene.caption or words.game.title for scene in scenes(record)]
    pictures: list[Json] = replay["pictures"]
    drawing = GameDrawing(replay["table"], pictures[0]["view"]["regions"])
    return drawing, tuple(
        drawing.elements(picture, caption, _alarm(picture["view"]))
        for picture, caption in zip(pictures, captions, strict=True)
    )


def _alarm(view: Json) -> str:
    """CHECK! and the like, or the result."""
    if view["outcome"] is not None:
        return str(view["outcome"]["sentence"])
    return " ".join(each["word"] for each in view["announcements"])


@dataclass(frozen=True, slots=True)
class _Timeline:
    """Duration of an animation."""

    count: int
    """Positions; the last one is held three times as long."""
    move_ms: int

    def over_time(self, shown: Sequence[Iterable[str]]) -> Iterator[str]:
        """All elements of *shown*, which has a group for each position.

        Each element is written once and visible in its positions.
        """
        times: dict[str, set[int]] = {}
        for number, elements in enumerate(shown):
            for element in elements:
                times.setdefault(element, set()).add(number)
        for element, numbers in times.items():
            if element:
                yield self._visible(element, numbers)

    def _visible(self, element: str, numbers: set[int]) -> str:
        """*element* while one of the positions *numbers* is shown."""
        if len(numbers) == self.count:
            return element
        length = self.count + 2
        keys, values = [], []
        for number in range(self.count):
            is_in = number in numbers
            if not number or is_in != (number - 1 in numbers):
                keys.append(f"{number / length:.4g}")
                values.append("visible" if is_in else "hidden")
        at_rest = "" if self.count - 1 in numbers else ' visibility="hidden"'
        return (
            f'<g{at_rest}>{element}<animate attributeName="visibility" calcMode="discrete" '
            f'dur="{length * self.move_ms / 1000:g}s" repeatCount="indefinite" '
            f'values="{";".join(values)}" keyTimes="{";".join(keys)}"/></g>'
        )
